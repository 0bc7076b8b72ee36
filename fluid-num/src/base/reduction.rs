//! Norms and sums over many rows, column by column: nothing is combined before the end, so that each
//! row is taken in whole vectors, and the order does not depend on how wide those are.

use crate::Real;

/// The number of columns that are told apart; column i of a longer row counts as i modulo this.
pub(crate) const COLUMNS: usize = 512;

/// The number of values that are reduced at once.
pub(crate) const GRAIN: usize = 1 << 15;

/// The largest magnitude, NaN if any value is NaN.
pub(crate) struct Largest<T>([T; COLUMNS]);

impl<T: Real> Largest<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([T::zero(); COLUMNS])
    }

    #[inline(always)]
    pub(crate) fn take(&mut self, row: &[T]) {
        for part in row.chunks(COLUMNS) {
            let most = &mut self.0[..part.len()];
            for i in 0..part.len() {
                most[i] = most[i].worst(part[i]);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn value(self) -> T {
        let mut most = self.0;
        let mut width = COLUMNS / 2;
        while width > 0 {
            let (lower, upper) = most.split_at_mut(width);
            for i in 0..width {
                lower[i] = lower[i].worst(upper[i]);
            }
            width /= 2;
        }
        most[0].magnitude()
    }
}

/// A sum, accumulated in `f64`.
pub(crate) struct Total([f64; COLUMNS]);

impl Total {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([0.0; COLUMNS])
    }

    #[inline(always)]
    pub(crate) fn take<T: Real>(&mut self, row: &[T]) {
        for part in row.chunks(COLUMNS) {
            let sum = &mut self.0[..part.len()];
            for i in 0..part.len() {
                sum[i] += part[i].to_f64();
            }
        }
    }

    /// Takes the magnitudes of a row.
    #[inline(always)]
    pub(crate) fn take_magnitudes<T: Real>(&mut self, row: &[T]) {
        for part in row.chunks(COLUMNS) {
            let sum = &mut self.0[..part.len()];
            for i in 0..part.len() {
                sum[i] += part[i].magnitude().to_f64();
            }
        }
    }

    /// Takes the products of two rows.
    #[inline(always)]
    pub(crate) fn take_products<T: Real>(&mut self, a: &[T], b: &[T]) {
        for (a, b) in a.chunks(COLUMNS).zip(b.chunks(COLUMNS)) {
            let sum = &mut self.0[..a.len()];
            let b = &b[..a.len()];
            for i in 0..a.len() {
                sum[i] += a[i].to_f64() * b[i].to_f64();
            }
        }
    }

    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        let mut sum = self.0;
        let mut width = COLUMNS / 2;
        while width > 0 {
            let (lower, upper) = sum.split_at_mut(width);
            for i in 0..width {
                lower[i] += upper[i];
            }
            width /= 2;
        }
        sum[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_norm_and_a_sum_see_every_value_once() {
        for len in [0, 1, 5, COLUMNS - 1, COLUMNS, 3 * COLUMNS + 7] {
            let row: Vec<f32> = (0..len).map(|i| (i % 97) as f32 - 60.0).collect();
            let (mut most, mut sum, mut squares) = (Largest::new(), Total::new(), Total::new());
            for row in row.chunks(700) {
                most.take(row);
                sum.take(row);
                squares.take_products(row, row);
            }
            let exact = row.iter().map(|v| f64::from(*v));
            assert_eq!(sum.value(), exact.clone().sum::<f64>());
            assert_eq!(squares.value(), exact.clone().map(|v| v * v).sum::<f64>());
            assert_eq!(f64::from(most.value()), exact.fold(0.0, |most, v| v.abs().max(most)));
        }
    }

    #[test]
    fn a_norm_that_saw_nan_is_nan() {
        for at in [0, 300, COLUMNS + 1] {
            let mut row = [1.0_f64; COLUMNS + 2];
            row[at] = -f64::NAN;
            let mut most = Largest::new();
            most.take(&row);
            assert!(most.value().is_nan());
        }
    }
}
