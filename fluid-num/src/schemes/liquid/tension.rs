//! Surface tension: p = σκ on the surface, κ = ∇·(∇φ/|∇φ|).
//!
//! The pressure problem holds p = 0 there; what σκ adds to the gradient across the surface,
//!
//! ```text
//! u ← u ± (Δt/ρ) w σκ/h      at faces between liquid and air, outwards −
//! ```
//! is taken off before, which is the same: ∇p is linear in both.

use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Faces, Field, Grid};
use crate::level_set::curvature;
use crate::{Location, Real};

/// The faces that the surface passes.
pub(super) struct Pull<'a, T, const D: usize> {
    pub(super) phi: &'a Field<T, D>,
    /// w at faces, and where the pressure drives them.
    pub(super) weights: &'a Faces<T, D>,
    pub(super) open: &'a Faces<T, D>,
    /// σΔt/(ρh²): κ is in 1/cell.
    pub(super) scale: T,
}

impl<T: Real, const D: usize> Pull<'_, T, D> {
    /// Lets the surface pull at `u`.
    pub(super) fn act(&self, u: &mut Faces<T, D>) {
        let grid = *u.grid();
        for axis in 0..D {
            let region = grid.region(Location::Face(axis));
            let pass = Along { pull: self, grid, axis };
            exec::rows(&region, [u[axis].as_mut_slice()], &pass);
        }
    }
}

struct Along<'a, T, const D: usize> {
    pull: &'a Pull<'a, T, D>,
    grid: Grid<T, D>,
    axis: usize,
}

impl<T: Real, const D: usize> Along<'_, T, D> {
    /// κ around a cell, 1/cell, the mean with weights 1, 2, 1 along each axis: a φ that is off by a hundredth
    /// of a cell is curved at random by a twentieth, which would drive currents.
    fn smoothed(&self, place: usize) -> T {
        let (phi, strides) = (self.pull.phi.as_slice(), self.grid.strides());
        let at = self.grid.cell_at(place);
        let mut sum = T::zero();
        for offset in 0..3_usize.pow(D as u32) {
            let (mut weight, mut beside, mut rest) = (T::one(), place, offset);
            for a in 0..D {
                let step = rest % 3;
                rest /= 3;
                weight *= if step == 1 { T::of(0.5) } else { T::of(0.25) };
                // Beyond a side it is as here.
                match step {
                    0 if at[a] > 0 && at[a] < self.grid.cells()[a] => beside -= strides[a],
                    2 if at[a].wrapping_add(1) < self.grid.cells()[a] => beside += strides[a],
                    _ => {}
                }
            }
            sum += weight * curvature(phi, strides, beside);
        }
        sum
    }
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Along<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [u]: [&mut [T]; 1]) {
        let Pull { phi, weights, open, scale } = self.pull;
        let (phi, zero) = (phi.as_slice(), T::zero());
        let stride = self.grid.strides()[self.axis];
        let (above, below) = (row.of(phi), row.before(phi, stride));
        let (weights, open) =
            (row.of(weights[self.axis].as_slice()), row.of(open[self.axis].as_slice()));
        for i in 0..row.len {
            let crossed = (above[i] < zero) != (below[i] < zero);
            if !crossed || open[i] <= zero {
                continue;
            }
            let place = row.start + i;
            // What lies in between is as curved as both centres say, the nearer one more so.
            let part = below[i] / (below[i] - above[i]);
            let [k_below, k_above] = [place - stride, place].map(|place| self.smoothed(place));
            // Nothing on the grid is more curved than a cell.
            let most = T::of_usize(D - 1);
            let bend = (k_below + part * (k_above - k_below)).at_most(most).at_least(-most);
            let kick = *scale * weights[i] * bend;
            u[i] += if above[i] < zero { kick } else { -kick };
        }
    }
}
