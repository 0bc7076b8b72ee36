//! What flows through the faces of a grid that solids cut.

use super::Solids;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::ops::same_grid;
use crate::{Error, Faces, Field, Real};

/// Writes the divergence of the flow through faces, 0 in solid cells.
///
/// ```text
/// ∇·u = Σ ±[F u + (1 − F) u_solid]/h
/// ```
pub(crate) fn divergence<T: Real, const D: usize>(
    u: &Faces<T, D>,
    solids: &Solids<T, D>,
    out: &mut Field<T, D>,
) -> Result<(), Error> {
    let grid = *u.grid();
    same_grid(*solids.grid() == grid && *out.grid() == grid, "the divergence")?;
    let pass = OpenDivergence {
        u: u.slices(),
        open: solids.open().slices(),
        body: solids.velocity().slices(),
        solid: solids.solid_cells(),
        strides: grid.strides(),
        scale: T::one() / grid.dx(),
    };
    exec::rows(&grid.interior(), [out.as_mut_slice()], &pass);
    Ok(())
}

struct OpenDivergence<'a, T, const D: usize> {
    u: [&'a [T]; D],
    open: [&'a [T]; D],
    body: [&'a [T]; D],
    solid: &'a [u8],
    strides: [usize; D],
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for OpenDivergence<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, scale) = (&mut out[..row.len], self.scale);
        out.fill(T::zero());
        for a in 0..D {
            let above = Row { start: row.start + self.strides[a], ..row };
            let (u0, open0, body0) = self.of(row, a);
            let (u1, open1, body1) = self.of(above, a);
            for i in 0..row.len {
                let lower = body0[i] + open0[i] * (u0[i] - body0[i]);
                let upper = body1[i] + open1[i] * (u1[i] - body1[i]);
                out[i] += (upper - lower) * scale;
            }
        }
        let solid = row.of(self.solid);
        for i in 0..row.len {
            out[i] = if solid[i] == 0 { out[i] } else { T::zero() };
        }
    }
}

impl<'a, T: Real, const D: usize> OpenDivergence<'a, T, D> {
    /// u, the open fraction and the solid's velocity on a row of faces.
    #[inline(always)]
    fn of(&self, row: Row<D>, axis: usize) -> (&'a [T], &'a [T], &'a [T]) {
        (row.of(self.u[axis]), row.of(self.open[axis]), row.of(self.body[axis]))
    }
}
