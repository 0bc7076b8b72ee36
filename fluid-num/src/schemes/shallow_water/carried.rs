//! Fields that the water carries along, between the centres of cells.

use crate::{Field, Real};

/// A field of cells between its centres by cubics through four of them, at a place of storage.
pub(super) fn cubic<T: Real>(field: &Field<T, 2>, periodic: [bool; 2], at: [T; 2]) -> T {
    let cells = field.grid().cells();
    let mut places = [[0; 4]; 2];
    let mut weights = [[T::zero(); 4]; 2];
    for a in 0..2 {
        let n = cells[a] as i32;
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
        for k in 0..4 {
            let i = lower - 1 + k;
            let i = if periodic[a] { i.rem_euclid(n) } else { i.clamp(0, n - 1) };
            places[a][k as usize] = i as usize + 1;
        }
    }
    let (data, stride) = (field.as_slice(), field.grid().strides()[1]);
    let mut sum = T::zero();
    for (j, row) in places[1].iter().enumerate() {
        let mut line = T::zero();
        for (i, column) in places[0].iter().enumerate() {
            line += weights[0][i] * data[row * stride + column];
        }
        sum += weights[1][j] * line;
    }
    sum
}
