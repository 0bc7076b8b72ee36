//! What couples many places at once: the mass of a rigid body in a pressure problem.
//!
//! ```text
//! A·p − C Cᵀ p = b,   a column of C for each degree of freedom of each body
//! ```
//!
//! Each body adds a matrix of a rank of its few degrees of freedom, of which only the columns are kept:
//! a product costs two passes over the places beside bodies. The operator stays symmetric, so that
//! conjugate gradients solve it. A multigrid preconditioner knows of it on every level; for any other,
//! each body that is light against what it moves costs some iterations.
//!
//! Reference: C. Batty, F. Bertails and R. Bridson, *A fast variational framework for accurate
//! solid-fluid coupling*, ACM Trans. Graph. 26 (2007), <https://doi.org/10.1145/1276377.1276502>.

use alloc::vec::Vec;
use core::ops::Range;

use crate::Real;

/// The most columns of a group: the degrees of freedom of a rigid body in space.
pub(crate) const COLUMNS: usize = 6;

/// The columns of C, in groups that share their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coupling<T> {
    places: Vec<u32>,
    rows: Vec<[T; COLUMNS]>,
    /// For each group its rows.
    groups: Vec<Range<usize>>,
}

impl<T: Real> Coupling<T> {
    /// Nothing is coupled.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.rows.clear();
        self.groups.clear();
    }

    /// Whether nothing is coupled.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Adds a group of columns, given by its rows that are not zero.
    pub(crate) fn add_group(&mut self, rows: impl Iterator<Item = (u32, [T; COLUMNS])>) {
        let start = self.places.len();
        for (place, row) in rows {
            self.places.push(place);
            self.rows.push(row);
        }
        self.groups.push(start..self.places.len());
    }

    /// The rows of a group and their places.
    pub(super) fn group(&self, number: usize) -> impl Iterator<Item = (usize, &[T; COLUMNS])> {
        let group = self.groups[number].clone();
        let places = self.places[group.clone()].iter().map(|place| *place as usize);
        places.zip(&self.rows[group])
    }

    /// Cᵀd of a group.
    pub(super) fn gather(&self, number: usize, d: impl Fn(usize) -> T) -> [f64; COLUMNS] {
        let mut sums = [0.0; COLUMNS];
        for (place, row) in self.group(number) {
            let d = d(place).to_f64();
            for (sum, c) in sums.iter_mut().zip(row) {
                *sum += c.to_f64() * d;
            }
        }
        sums
    }

    /// Hands C·sums of a group over, place by place.
    pub(super) fn scatter(
        &self,
        number: usize,
        sums: [f64; COLUMNS],
        mut add: impl FnMut(usize, T),
    ) {
        let sums = sums.map(T::of);
        for (place, row) in self.group(number) {
            add(place, sums.iter().zip(row).fold(T::zero(), |sum, (s, c)| sum + *s * *c));
        }
    }

    /// q += sign·C Cᵀ d; gives |Cᵀ d|².
    pub(crate) fn multiply(&self, d: &[T], sign: T, q: &mut [T]) -> f64 {
        let mut energy = 0.0;
        for number in 0..self.len() {
            let sums = self.gather(number, |place| d[place]);
            energy += sums.iter().map(|sum| sum * sum).sum::<f64>();
            self.scatter(number, sums, |place, change| q[place] += sign * change);
        }
        energy
    }
}
