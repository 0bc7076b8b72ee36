//! MacCormack advection: a semi-Lagrangian step, a step back, and half the difference taken off.
//!
//! ```text
//! q̂ = SL(q, Δt)    q̄ = SL(q̂, −Δt)    q' = clamp(q̂ + ½(q − q̄))
//! ```
//! The clamp is to the range of the 2ᴰ values that the first pass read; where the path reached
//! beyond the outermost samples, the first pass stands. Second order in space and time.
//!
//! Reference: A. Selle, R. Fedkiw, B. Kim, Y. Liu, J. Rossignac, *An Unconditionally Stable
//! MacCormack Method*, 2008, <https://doi.org/10.1007/s10915-007-9166-4>.

use crate::Real;
use crate::base::exec::{self, Region, Row, RowPass};
use crate::grid::sample::{BLOCK, Lattice, Located, corners, least, linear_block, most};
use crate::grid::{Field, Grid};

/// The correction, given q, its first pass q̂ (both with ghosts) and the paths back and forth.
pub(crate) struct Correction<'a, T, const D: usize> {
    pub(crate) q: &'a [T],
    pub(crate) first: &'a [T],
    pub(crate) lattice: Lattice<T, D>,
    pub(crate) grid: Grid<T, D>,
    pub(crate) back: [&'a [T]; D],
    pub(crate) forth: [&'a [T]; D],
    /// Beside solids the first pass stands.
    pub(crate) solid: Option<&'a [u8]>,
}

impl<T: Real, const D: usize> Correction<'_, T, D> {
    /// Writes q' over `region`.
    pub(crate) fn apply(&self, region: &Region<D>, out: &mut Field<T, D>) {
        exec::rows(region, [out.as_mut_slice()], self);
    }
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Correction<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let strides = self.grid.strides();
        let (q, hat) = (row.of(self.q), row.of(self.first));
        let (back, forth) = (self.back.map(|p| row.of(p)), self.forth.map(|p| row.of(p)));
        let (mut from, mut to) = (Located::new(), Located::new());
        let (mut inside, mut bar) = ([true; BLOCK], [T::zero(); BLOCK]);
        let mut first = 0;
        while first < row.len {
            let count = (row.len - first).min(BLOCK);
            let mut at = row.at;
            at[0] += first;
            let behind = back.map(|p| &p[first..first + count]);
            self.lattice.locate_block(at, behind, [T::zero(); D], &mut from);
            self.lattice.locate_block(
                at,
                forth.map(|p| &p[first..first + count]),
                [T::zero(); D],
                &mut to,
            );
            self.lattice.within_samples(at, behind, &mut inside);
            linear_block(self.first, strides, &to, &mut bar[..count]);
            for n in 0..count {
                let hat = hat[first + n];
                let index = from.index[n] as usize;
                if let Some(solid) = self.solid {
                    inside[n] &= corners_open::<D>(solid, strides, index);
                }
                let v = corners(self.q, strides, index);
                let corrected = hat + (q[first + n] - bar[n]) * T::of(0.5);
                let limited = corrected.at_least(least(v)).at_most(most(v));
                out[first + n] = if inside[n] { limited } else { hat };
            }
            first += count;
        }
    }
}

/// Whether none of the 2ᴰ cells around a place is solid.
#[inline(always)]
fn corners_open<const D: usize>(solid: &[u8], strides: [usize; D], index: usize) -> bool {
    (0..1 << D).all(|corner: usize| {
        let up = (0..D).filter(|a| corner >> a & 1 == 1).map(|a| strides[a]).sum::<usize>();
        solid[index + up] == 0
    })
}
