//! Fields that the water carries along.

use crate::{Field, Real};

/// The sixteen values through which a cubic in each direction runs, and how much each counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stencil<T> {
    rows: [usize; 4],
    columns: [usize; 4],
    weights: [[T; 4]; 2],
}

impl<T: Real> Stencil<T> {
    /// Around `at`, in storage, of a field with `counts` values along each axis.
    #[inline(always)]
    pub(super) fn new(counts: [usize; 2], stride: usize, periodic: [bool; 2], at: [T; 2]) -> Self {
        let mut places = [[0; 4]; 2];
        let mut weights = [[T::zero(); 4]; 2];
        for a in 0..2 {
            let n = counts[a] as i32;
            let size = T::of_index(n);
            let mut x = at[a] - T::one();
            if periodic[a] {
                x -= size * (x / size).floor();
            } else {
                x = x.at_least(T::zero()).at_most(size - T::one());
            }
            let lower = x.floor_index();
            let t = x - T::of_index(lower);
            let (half, one, two, three) = (T::of(0.5), T::one(), T::of(2.0), T::of(3.0));
            weights[a] = [
                half * t * (t * (two - t) - one),
                half * (t * t * (three * t - T::of(5.0)) + two),
                half * t * (t * (T::of(4.0) - three * t) + one),
                half * t * t * (t - one),
            ];
            let inside = lower >= 1 && lower + 2 < n;
            for k in 0..4 {
                let i = lower - 1 + k;
                let i = match periodic[a] {
                    _ if inside => i,
                    true => i.rem_euclid(n),
                    false => i.clamp(0, n - 1),
                };
                places[a][k as usize] = i as usize + 1;
            }
        }
        let [columns, rows] = places;
        Self { rows: rows.map(|row| row * stride), columns, weights }
    }

    /// The value there.
    #[inline(always)]
    pub(super) fn of(&self, data: &[T]) -> T {
        let mut sum = T::zero();
        for (j, row) in self.rows.iter().enumerate() {
            let mut line = T::zero();
            for (i, column) in self.columns.iter().enumerate() {
                line += self.weights[0][i] * data[row + column];
            }
            sum += self.weights[1][j] * line;
        }
        sum
    }
}

/// A field of cells between its centres, at a place of storage.
pub(super) fn cubic<T: Real>(field: &Field<T, 2>, periodic: [bool; 2], at: [T; 2]) -> T {
    let grid = field.grid();
    Stencil::new(grid.cells(), grid.strides()[1], periodic, at).of(field.as_slice())
}
