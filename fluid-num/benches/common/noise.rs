//! A right-hand side of white noise.

use fluid_num::{Field, Grid, Real};

/// Every value in ±½, the same in every run.
pub(crate) fn noise<T: Real, const D: usize>(grid: Grid<T, D>) -> Field<T, D> {
    let mut state = 1_u32;
    Field::from_fn(grid, |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        T::of(f64::from(state >> 8) / f64::from(1 << 24) - 0.5)
    })
}
