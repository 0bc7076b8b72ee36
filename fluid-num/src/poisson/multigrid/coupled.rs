//! What couples many places at once, on each level.
//!
//! ```text
//! (A − C Cᵀ) p = b       C_c = √s R C       D⁻¹ → (D + C Cᵀ)⁻¹ = D⁻¹ − D⁻¹ C K⁻¹ Cᵀ D⁻¹,   K = I + Cᵀ D⁻¹ C
//! ```
//! with R and s the sum over children, and its factor, that make a residual b of the coarser level. A
//! sweep of weighted Jacobi becomes one with D + C Cᵀ in place of the diagonal D: of what a plain sweep
//! makes, a multiple of C is taken off. Bodies of any mass then cost no iterations: what a stiff C holds
//! together is moved together by each sweep.
//!
//! K is as large as the bodies have degrees of freedom, and is kept from the first entry of each row: what
//! shares no place on a level does not meet in it.

use alloc::vec::Vec;

use super::level::parent;
use crate::Real;
use crate::base::exec::Region;
use crate::poisson::coupling::{COLUMNS, Coupling};

/// The columns of one level and the factors of its K.
#[derive(Debug, Clone, Default)]
pub(super) struct Coupled<T> {
    pub(super) columns: Coupling<T>,
    /// K = LDLᵀ: L, and 1/D at the end of each row.
    factors: Vec<f64>,
    /// Where rows begin: the first column, and where it lies among the factors.
    rows: Vec<(usize, usize)>,
    sums: Vec<f64>,
    /// The places of all groups in order, with the group.
    met: Vec<(u32, u32, [T; COLUMNS])>,
}

impl<T: Real> Coupled<T> {
    /// Whether nothing is coupled.
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Takes the columns of the finest level.
    pub(super) fn copy_from(&mut self, columns: Option<&Coupling<T>>) {
        self.columns.clear();
        let Some(columns) = columns else { return };
        for number in 0..columns.len() {
            self.columns.add_group(columns.group(number).map(|(place, row)| (place as u32, *row)));
        }
    }

    /// Makes the columns from those of the finer level, whose places have `shares` in the residual, at
    /// the places that `is_unknown`.
    pub(super) fn restrict<const D: usize>(
        &mut self,
        finer: &Self,
        [fine, coarse]: [&Region<D>; 2],
        (scale, shares): (T, Option<&[T]>),
        is_unknown: impl Fn(usize) -> bool,
    ) {
        self.columns.clear();
        let factor = scale.sqrt();
        for number in 0..finer.columns.len() {
            self.met.clear();
            self.met.extend(finer.columns.group(number).map(|(place, row)| {
                let factor = shares.map_or(factor, |shares| shares[place] * factor);
                (parent_of(fine, coarse, place) as u32, place as u32, row.map(|c| c * factor))
            }));
            self.met.sort_unstable_by_key(|(parent, place, _)| (*parent, *place));
            let of_parents = self.met.chunk_by(|a, b| a.0 == b.0).map(|children| {
                let mut sum = [T::zero(); COLUMNS];
                for (_, _, row) in children {
                    for (sum, c) in sum.iter_mut().zip(row) {
                        *sum += *c;
                    }
                }
                (children[0].0, sum)
            });
            self.columns.add_group(of_parents.filter(|(place, _)| is_unknown(*place as usize)));
        }
    }

    /// Factorises K, with `inverse` 1/D.
    pub(super) fn factorise(&mut self, inverse: &[T]) {
        let Self { columns, factors, rows, sums, met } = self;
        met.clear();
        for number in 0..columns.len() {
            let group = columns.group(number);
            met.extend(group.map(|(place, row)| (place as u32, number as u32, *row)));
        }
        met.sort_unstable_by_key(|(place, number, _)| (*place, *number));
        // What meets in a place meets in K.
        let first = |number: usize| COLUMNS * number;
        rows.clear();
        rows.extend((0..first(columns.len())).map(|i| (first(i / COLUMNS), 0)));
        for together in met.chunk_by(|a, b| a.0 == b.0) {
            for (_, number, _) in together {
                let number = *number as usize;
                for row in &mut rows[first(number)..first(number + 1)] {
                    row.0 = row.0.min(first(together[0].1 as usize));
                }
            }
        }
        let mut len = 0;
        for (i, row) in rows.iter_mut().enumerate() {
            row.1 = len;
            len += i + 1 - row.0;
        }
        factors.clear();
        factors.resize(len, 0.0);
        sums.clear();
        sums.resize(rows.len(), 0.0);
        for (i, (first, start)) in rows.iter().enumerate() {
            factors[start + i - first] = 1.0;
        }
        for together in met.chunk_by(|a, b| a.0 == b.0) {
            let inverse = inverse[together[0].0 as usize].to_f64();
            for (n, (_, lower, row)) in together.iter().enumerate() {
                for (_, upper, column) in &together[..=n] {
                    for (a, c) in row.iter().enumerate() {
                        let i = first(*lower as usize) + a;
                        let (from, start) = rows[i];
                        for (b, d) in column.iter().enumerate() {
                            let j = first(*upper as usize) + b;
                            if j <= i {
                                let product = c.to_f64() * d.to_f64() * inverse;
                                factors[start + j - from] += product;
                            }
                        }
                    }
                }
            }
        }
        self.decompose();
    }

    /// LDLᵀ in place.
    fn decompose(&mut self) {
        let Self { factors, rows, .. } = self;
        for i in 0..rows.len() {
            let (first, start) = rows[i];
            let mut pivot = factors[start + i - first];
            for j in first..i {
                // Row i holds L·D until its turn is over.
                let (other, begin) = rows[j];
                let mut value = factors[start + j - first];
                for k in first.max(other)..j {
                    value -= factors[start + k - first] * factors[begin + k - other];
                }
                factors[start + j - first] = value;
            }
            for j in first..i {
                let (other, begin) = rows[j];
                let scaled = factors[start + j - first];
                let l = scaled * factors[begin + j - other];
                pivot -= scaled * l;
                factors[start + j - first] = l;
            }
            factors[start + i - first] = 1.0 / pivot;
        }
    }

    /// sums ← K⁻¹ sums.
    fn solve(&mut self) {
        let Self { factors, rows, sums, .. } = self;
        for (i, (first, start)) in rows.iter().enumerate() {
            let mut value = sums[i];
            for j in *first..i {
                value -= factors[start + j - first] * sums[j];
            }
            sums[i] = value;
        }
        for (i, (first, start)) in rows.iter().enumerate() {
            sums[i] *= factors[start + i - first];
        }
        for (i, (first, start)) in rows.iter().enumerate().rev() {
            let value = sums[i];
            for j in *first..i {
                sums[j] -= factors[start + j - first] * value;
            }
        }
    }

    /// Makes of a weighted Jacobi sweep from `p` (0 where there is none) to `next` one with D + C Cᵀ.
    pub(super) fn settle(&mut self, p: Option<&[T]>, next: &mut [T], weight: T, inverse: &[T]) {
        let per = T::one() / weight;
        for number in 0..self.columns.len() {
            // A whole sweep, whatever the weight.
            let sums = self.columns.gather(number, |place| {
                let before = p.map_or(T::zero(), |p| p[place]);
                before + (next[place] - before) * per
            });
            self.sums[COLUMNS * number..][..COLUMNS].copy_from_slice(&sums);
        }
        self.solve();
        for number in 0..self.columns.len() {
            let mut sums = [0.0; COLUMNS];
            sums.copy_from_slice(&self.sums[COLUMNS * number..][..COLUMNS]);
            self.columns.scatter(number, sums, |place, change| {
                next[place] -= weight * inverse[place] * change;
            });
        }
    }

    /// Adds to the b of the coarser level what its residual has of C Cᵀ p.
    pub(super) fn hand_down(&self, p: &[T], coarser: &Self, scale: T, b: &mut [T]) {
        let factor = scale.sqrt();
        for number in 0..self.columns.len() {
            let sums = self.columns.gather(number, |place| p[place]);
            coarser.columns.scatter(number, sums, |place, change| b[place] += factor * change);
        }
    }
}

fn parent_of<const D: usize>(fine: &Region<D>, coarse: &Region<D>, place: usize) -> usize {
    let (mut rest, mut above) = (place, 0);
    for a in (0..D).rev() {
        above += parent(fine, coarse, a, rest / fine.strides[a]) * coarse.strides[a];
        rest %= fine.strides[a];
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_one_with_the_diagonal_and_all_columns() {
        // Two bodies that meet at place 3, and a third one that meets nobody.
        let row = |place: u32, k: u32| {
            let of = |n: u32| 0.1 + f64::from((7 * place + 3 * k + 5 * n) % 11);
            (place, core::array::from_fn(|n| of(n as u32)))
        };
        let groups = [&[0, 1, 2, 3][..], &[3, 4, 5], &[7, 8]];
        let mut coupled = Coupled::<f64>::default();
        for (k, places) in groups.iter().enumerate() {
            coupled.columns.add_group(places.iter().map(|place| row(*place, k as u32)));
        }
        let diagonal: Vec<f64> = (0..10).map(|n| 2.0 + 0.3 * f64::from(n)).collect();
        let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
        coupled.factorise(&inverse);
        let plain: Vec<f64> = (0..10).map(|n| f64::from(n * n % 7) - 2.0).collect();
        let mut p = plain.clone();
        coupled.settle(None, &mut p, 1.0, &inverse);
        // (D + C Cᵀ) p = D · what the plain sweep made.
        let mut product: Vec<f64> = p.iter().zip(&diagonal).map(|(p, d)| p * d).collect();
        coupled.columns.multiply(&p, 1.0, &mut product);
        for n in 0..10 {
            let off = product[n] - diagonal[n] * plain[n];
            assert!(off.magnitude() < 1e-10, "{n}: {off}");
        }
        assert!(p[3] != plain[3] && p[6] == plain[6] && p[9] == plain[9]);
    }
}
