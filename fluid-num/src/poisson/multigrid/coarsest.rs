//! The coarsest level, solved to rounding by a dense factorisation.

use alloc::vec;
use alloc::vec::Vec;

use crate::Real;
use crate::grid::Field;
use crate::poisson::coupling::Coupling;
use crate::poisson::operator::Operator;

/// The largest number of places that are solved for at once.
pub(super) const MOST_PLACES: usize = 64;

/// −A = LDLᵀ of a small operator, dense.
#[derive(Debug, Clone)]
pub(super) struct Direct<T> {
    /// L below the diagonal, 1/D on it (0 where a pivot vanishes), row by row.
    factors: Vec<T>,
    /// Where the unknowns lie.
    places: Vec<u32>,
    x: Vec<T>,
}

impl<T: Real> Direct<T> {
    pub(super) fn new() -> Self {
        Self {
            factors: vec![T::zero(); MOST_PLACES * MOST_PLACES],
            places: Vec::with_capacity(MOST_PLACES),
            x: vec![T::zero(); MOST_PLACES],
        }
    }

    /// Factorises the operator, with what couples places beside it.
    pub(super) fn rebuild<const D: usize>(
        &mut self,
        operator: &Operator<'_, T, D>,
        columns: &Coupling<T>,
    ) {
        let region = operator.region();
        let count = region.count().min(MOST_PLACES);
        let width = region.len(0);
        self.places.clear();
        let m = &mut self.factors[..count * count];
        m.fill(T::zero());
        for n in 0..region.rows() {
            let row = region.row(n);
            self.places.extend((row.start..row.start + row.len).map(|place| place as u32));
        }
        // Where a place lies among the unknowns: its row, then its column.
        let number = |place: usize| self.places.binary_search(&(place as u32)).unwrap_or(count);
        for i in 0..count {
            let place = self.places[i] as usize;
            if !operator.is_unknown(place) {
                continue;
            }
            let row = region.row(i / width);
            let mut at = row.at;
            at[0] += i % width;
            m[i * count + i] += operator.mass_at(place);
            for axis in 0..D {
                m[i * count + i] += operator.held_at(axis, place);
                for end in 0..2 {
                    let (a, beyond) = operator.link(axis, end, place, at);
                    m[i * count + i] += a;
                    let beyond = beyond.map(|(beyond, _)| number(beyond));
                    if let Some(j) = beyond.filter(|j| *j < count) {
                        m[i * count + j] -= a;
                    }
                }
            }
        }
        for group in 0..columns.len() {
            for (place, row) in columns.group(group) {
                for (other, column) in columns.group(group) {
                    let (i, j) = (number(place), number(other));
                    if i < count && j < count {
                        let product = row.iter().zip(column).map(|(c, d)| *c * *d);
                        m[i * count + j] += product.fold(T::zero(), |sum, c| sum + c);
                    }
                }
            }
        }
        factorise(m, count);
    }

    /// p = A⁻¹ b; where the operator is singular, one of the solutions.
    pub(super) fn solve<const D: usize>(&mut self, b: &Field<T, D>, p: &mut Field<T, D>) {
        let count = self.places.len();
        let (m, x) = (&self.factors[..count * count], &mut self.x[..count]);
        for i in 0..count {
            let mut sum = -b.as_slice()[self.places[i] as usize];
            for j in 0..i {
                sum -= m[i * count + j] * x[j];
            }
            x[i] = sum;
        }
        for i in 0..count {
            x[i] *= m[i * count + i];
        }
        for i in (0..count).rev() {
            let value = x[i];
            for j in 0..i {
                x[j] -= m[i * count + j] * value;
            }
        }
        for (place, x) in self.places.iter().zip(x) {
            p.as_mut_slice()[*place as usize] = x.or_nothing();
        }
    }
}

/// LDLᵀ in place. A pivot that is rounding belongs to a null vector: its unknown stays 0.
fn factorise<T: Real>(m: &mut [T], count: usize) {
    for j in 0..count {
        let diagonal = m[j * count + j];
        let mut pivot = diagonal;
        for k in 0..j {
            // Row j holds L·D until its turn is over.
            let scaled = m[j * count + k];
            let l = scaled * m[k * count + k];
            pivot -= scaled * l;
            m[j * count + k] = l;
        }
        let noise = diagonal * T::EPSILON * T::of(64.0);
        let inverse = if pivot > noise { T::one() / pivot } else { T::zero() };
        m[j * count + j] = inverse;
        for i in j + 1..count {
            let mut sum = m[i * count + j];
            for k in 0..j {
                sum -= m[i * count + k] * m[j * count + k];
            }
            m[i * count + j] = sum;
        }
    }
}
