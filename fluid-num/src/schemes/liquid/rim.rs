//! Cells of air that the surface passes: what flows into them flows out of them.
//!
//! The surface in such a cell moves by the velocities at the faces around it, and of those only the ones
//! towards the liquid are known from the pressure. Extended as constants, the others would squeeze the
//! liquid: a shallow wave would be as slow as if the part of the depth in these cells were missing. So
//! the faces away from the liquid get what comes in by the others, in proportion to how fast φ grows
//! across them; cells in order of φ, so that each knows what the one before it sends.
//!
//! Reference: N. Rasmussen, D. Enright, D. Nguyen, S. Marino, N. Sumner, W. Geiger, S. Hoon, R. Fedkiw,
//! *Directable photorealistic liquids*, 2004, <https://doi.org/10.2312/SCA/SCA04/193-202>.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::exec::{self, Row, RowPass, for_each_marked};
use crate::grid::{Boundary, Faces, Grid};
use crate::solid::Solids;
use crate::{LevelSet, Real};

/// The cells of air beside liquid ones.
#[derive(Debug, Clone)]
pub(super) struct Rim<T> {
    marks: Vec<u8>,
    /// φ and the place.
    order: Vec<(T, u32)>,
}

/// What the rim reads.
pub(super) struct Around<'a, T, const D: usize> {
    pub(super) surface: &'a LevelSet<T, D>,
    /// The faces that the pressure drives.
    pub(super) open: &'a Faces<T, D>,
    pub(super) solids: Option<&'a Solids<T, D>>,
    pub(super) boundary: &'a Boundary<T, D>,
}

impl<T: Real> Rim<T> {
    pub(super) fn new<const D: usize>(grid: &Grid<T, D>) -> Self {
        Self { marks: vec![0; grid.array_len()], order: Vec::with_capacity(grid.cell_count()) }
    }

    /// Makes the velocity of all cells of the rim free of divergence, where it can.
    pub(super) fn balance<const D: usize>(&mut self, of: &Around<'_, T, D>, u: &mut Faces<T, D>) {
        let grid = *u.grid();
        let (phi, cells) = (of.surface.field().as_slice(), grid.interior());
        exec::rows(&cells, [self.marks.as_mut_slice()], &Beside(of));
        self.order.clear();
        for row in (0..cells.rows()).map(|n| cells.row(n)) {
            for_each_marked(row.of(&self.marks), 1, |i| {
                self.order.push((phi[row.start + i], (row.start + i) as u32));
            });
        }
        self.order.sort_unstable_by(|a, b| {
            a.0.partial_cmp(&b.0).unwrap_or(core::cmp::Ordering::Equal).then(a.1.cmp(&b.1))
        });
        for (here, place) in &self.order {
            of.pass_on(*here, *place as usize, u);
        }
    }
}

/// Marks the cells of air beside liquid ones that no solid cuts.
struct Beside<'a, T, const D: usize>(&'a Around<'a, T, D>);

impl<T: Real, const D: usize> RowPass<u8, D, 1> for Beside<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [u8]; 1]) {
        let Around { surface, open, solids, .. } = self.0;
        let (out, phi) = (&mut out[..row.len], row.of(surface.field().as_slice()));
        out.fill(0);
        for axis in 0..D {
            let open = open[axis].as_slice();
            let (below, above) = (row.of(open), row.after(open, surface.grid().strides()[axis]));
            for i in 0..row.len {
                out[i] |= u8::from((below[i] > T::zero()) | (above[i] > T::zero()));
            }
        }
        for i in 0..row.len {
            out[i] &= u8::from(phi[i] >= T::zero());
        }
        if let Some(solids) = solids {
            let part = row.of(solids.cell_fraction().as_slice());
            for i in 0..row.len {
                out[i] &= u8::from(part[i] >= T::one());
            }
        }
    }
}

impl<T: Real, const D: usize> Around<'_, T, D> {
    /// Lets the faces of a cell away from the liquid take what flows into it.
    fn pass_on(&self, here: T, place: usize, u: &mut Faces<T, D>) {
        let grid = *u.grid();
        let (phi, strides) = (self.surface.field().as_slice(), grid.strides());
        let mut rise = [[T::zero(); 2]; D];
        let (mut inflow, mut total) = (T::zero(), T::zero());
        let mut rest = place;
        for a in (0..D).rev() {
            let at = rest / strides[a];
            rest %= strides[a];
            for end in 0..2 {
                let face = place + end * strides[a];
                let flow = u[a].as_slice()[face];
                inflow += if end == 0 { flow } else { -flow };
                let side = if end == 0 { at == 1 } else { at == grid.cells()[a] };
                if side && !self.boundary.is_periodic(a)
                    || self.open[a].as_slice()[face] > T::zero()
                {
                    continue;
                }
                let beyond = if end == 0 { place - strides[a] } else { place + strides[a] };
                rise[a][end] = (phi[beyond] - here).at_least(T::zero());
                total += rise[a][end];
            }
        }
        if total <= T::of(0.1) * grid.dx() {
            return;
        }
        for a in 0..D {
            for end in 0..2 {
                let change = inflow * rise[a][end] / total;
                let face = place + end * strides[a];
                u[a].as_mut_slice()[face] += if end == 1 { change } else { -change };
            }
        }
    }
}
