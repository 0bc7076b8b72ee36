//! Where a force or a source acts: a disc, or a ball in 3D.

use core::array;

use crate::base::error::check;
use crate::{Error, Field, Real};

pub(super) fn check_disc<T: Real, const D: usize>(center: [T; D], radius: T) -> Result<(), Error> {
    check::all_finite("center", &center)?;
    check::not_negative("radius", radius)
}

/// Adds `value` in the cell that holds `center` and in all whose centre is within `radius` of it.
pub(super) fn add_disc<T: Real, const D: usize>(
    field: &mut Field<T, D>,
    center: [T; D],
    radius: T,
    value: T,
) {
    let grid = *field.grid();
    let mut region = grid.interior();
    // In cells from the lower corner.
    let radius = radius / grid.dx();
    let center: [T; D] = array::from_fn(|a| (center[a] - grid.origin()[a]) / grid.dx());
    for a in 0..D {
        let n = T::of_usize(grid.cells()[a]);
        let cell = |x: T| x.at_least(T::zero()).at_most(n).truncate() as usize;
        region.lo[a] = 1 + cell(center[a] - radius);
        region.hi[a] = (2 + cell(center[a] + radius)).min(grid.cells()[a] + 1);
    }
    if region.is_empty() {
        return;
    }
    for n in 0..region.rows() {
        let row = region.row(n);
        for i in 0..row.len {
            let (mut square, mut holds) = (T::zero(), true);
            for a in 0..D {
                let step = if a == 0 { i } else { 0 };
                let d = T::of_usize(row.at[a] + step) - T::of(0.5) - center[a];
                square += d * d;
                holds &= d > T::of(-0.5) && d <= T::of(0.5);
            }
            if holds || square <= radius * radius {
                field.as_mut_slice()[row.start + i] += value;
            }
        }
    }
}
