//! What all transforms share: the buffers, the directions, and arrays of many sequences.

use alloc::vec;
use alloc::vec::Vec;

use super::lanes::{LANES, Lanes};
use crate::base::exec::{self, BlockPass};
use crate::{Error, Real};

/// Two buffers of [`Kernel::rows`] rows each: a transform reads the first and may use both; its
/// result is in the first of the two that it gives back.
pub type Buffers<'a, T> = [&'a mut [Lanes<T>]; 2];

/// A transform of [`LANES`] sequences at once; see [`Plan`] for whole arrays.
#[allow(clippy::len_without_is_empty, reason = "a sequence has at least one value")]
pub trait Kernel<T: Real>: Sync {
    /// The tables for sequences of `len` ≥ 1 values.
    fn plan(len: usize) -> Self;

    /// The rows of a sequence: its values, two for a complex one.
    fn len(&self) -> usize;

    /// The rows of a buffer.
    fn rows(&self) -> usize;

    /// What makes a forward and a backward transform one after the other the identity.
    fn scale(&self) -> T;

    /// The transform. What the buffers hold beside the sequence is of no account.
    fn forward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T>;

    /// Its inverse up to [`Kernel::scale`].
    fn backward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T>;
}

/// A transform of sequences of one length, with all its tables and scratch memory.
///
/// An array of `lanes` sequences has one row for every value of a sequence: `lanes` consecutive
/// values, one of each sequence. The transform goes along the rows for all lanes at once, and
/// replaces the array by its outcome. Nothing is allocated after [`Plan::new`].
#[derive(Debug, Clone)]
pub struct Plan<T, K> {
    kernel: K,
    scratch: Vec<Lanes<T>>,
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Backward,
    Inverse,
}

impl<T: Real, K: Kernel<T>> Plan<T, K> {
    /// A plan for sequences of `len` values.
    ///
    /// # Errors
    /// [`Error::WrongCount`] for no values.
    pub fn new(len: usize) -> Result<Self, Error> {
        if len == 0 {
            return Err(Error::WrongCount { name: "len", count: 0, expected: "at least 1" });
        }
        let kernel = K::plan(len);
        let scratch = vec![Lanes::zero(); 2 * kernel.rows()];
        Ok(Self { kernel, scratch })
    }

    /// The rows of an array: the values of a sequence, twice as many where they are complex.
    pub fn rows(&self) -> usize {
        self.kernel.len()
    }

    /// Transforms one sequence.
    ///
    /// # Errors
    /// [`Error::WrongCount`] where `data` is not [`Plan::rows`] long.
    pub fn forward(&mut self, data: &mut [T]) -> Result<(), Error> {
        self.one(data, Direction::Forward)
    }

    /// Transforms one sequence back, without the scaling.
    ///
    /// # Errors
    /// As [`Plan::forward`].
    pub fn backward(&mut self, data: &mut [T]) -> Result<(), Error> {
        self.one(data, Direction::Backward)
    }

    /// Undoes [`Plan::forward`].
    ///
    /// # Errors
    /// As [`Plan::forward`].
    pub fn inverse(&mut self, data: &mut [T]) -> Result<(), Error> {
        self.one(data, Direction::Inverse)
    }

    /// Transforms `lanes` sequences whose rows stand `stride` apart.
    ///
    /// # Errors
    /// [`Error::WrongCount`] where the rows overlap or `data` is too short for them.
    pub fn forward_lanes(
        &mut self,
        data: &mut [T],
        lanes: usize,
        stride: usize,
    ) -> Result<(), Error> {
        self.many(data, lanes, stride, Direction::Forward)
    }

    /// Transforms `lanes` sequences back, without the scaling.
    ///
    /// # Errors
    /// As [`Plan::forward_lanes`].
    pub fn backward_lanes(
        &mut self,
        data: &mut [T],
        lanes: usize,
        stride: usize,
    ) -> Result<(), Error> {
        self.many(data, lanes, stride, Direction::Backward)
    }

    /// Undoes [`Plan::forward_lanes`].
    ///
    /// # Errors
    /// As [`Plan::forward_lanes`].
    pub fn inverse_lanes(
        &mut self,
        data: &mut [T],
        lanes: usize,
        stride: usize,
    ) -> Result<(), Error> {
        self.many(data, lanes, stride, Direction::Inverse)
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.scratch.fill(Lanes::splat(value));
    }

    fn one(&mut self, data: &mut [T], direction: Direction) -> Result<(), Error> {
        if data.len() != self.rows() {
            let expected = "as many values as the transform has";
            return Err(Error::WrongCount { name: "data", count: data.len(), expected });
        }
        self.many(data, 1, 1, direction)
    }

    fn many(
        &mut self,
        data: &mut [T],
        lanes: usize,
        stride: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        if lanes > stride {
            let expected = "at least as many as there are lanes";
            return Err(Error::WrongCount { name: "stride", count: stride, expected });
        }
        let needed = (self.rows() - 1).checked_mul(stride).and_then(|n| n.checked_add(lanes));
        if needed.is_none_or(|n| n > data.len()) {
            let expected = "a row for every value of the transform";
            return Err(Error::WrongCount { name: "data", count: data.len(), expected });
        }
        let (len, need) = (data.len(), self.scratch.len());
        let pass = Along { kernel: &self.kernel, lanes, stride, direction };
        exec::blocks(data, len, &mut self.scratch, need, &pass);
        Ok(())
    }
}

/// A transform along the rows of an array, some lanes after the others.
struct Along<'a, K> {
    kernel: &'a K,
    lanes: usize,
    stride: usize,
    direction: Direction,
}

impl<T: Real, K: Kernel<T>> BlockPass<T, Lanes<T>> for Along<'_, K> {
    #[inline(always)]
    fn block(&self, _: usize, data: &mut [T], scratch: &mut [Lanes<T>]) {
        let rows = self.kernel.len();
        for first in (0..self.lanes).step_by(LANES) {
            let lanes = (self.lanes - first).min(LANES);
            let (a, b) = scratch.split_at_mut(self.kernel.rows());
            for r in 0..rows {
                a[r] = Lanes::load(&data[r * self.stride + first..][..lanes]);
            }
            let [a, _] = match self.direction {
                Direction::Forward => self.kernel.forward([a, b]),
                Direction::Backward | Direction::Inverse => self.kernel.backward([a, b]),
            };
            let scale = match self.direction {
                Direction::Inverse => self.kernel.scale(),
                Direction::Forward | Direction::Backward => T::one(),
            };
            for r in 0..rows {
                (a[r] * scale).store(&mut data[r * self.stride + first..][..lanes]);
            }
        }
    }
}
