//! How lines are gathered from where the pass before left them, eight at a time.
//!
//! Every pass reads what it wants and writes blocks of its own, so that blocks can be computed in
//! any order on any thread.

use super::axis::Axis;
use crate::Real;
use crate::base::exec::{BlockPass, Row, RowPass};
use crate::transform::lanes::{LANES, Lanes, transpose};
use crate::transform::plan::Buffers;

/// Where a block's lines come from.
pub(super) trait Gather<T>: Sync {
    /// Fills the rows of block `number`.
    fn fill(&self, number: usize, rows: &mut [Lanes<T>]);
}

/// What is done with a block's lines.
pub(super) trait Work<T>: Sync {
    fn apply<'a>(&self, number: usize, buffers: Buffers<'a, T>) -> Buffers<'a, T>;
}

/// One pass over all blocks.
pub(super) struct Stage<G, W> {
    pub(super) gather: G,
    pub(super) work: W,
    /// The rows that the work leaves.
    pub(super) len: usize,
    /// The scratch memory of a block.
    pub(super) need: usize,
}

impl<T: Real, G: Gather<T>, W: Work<T>> BlockPass<Lanes<T>, Lanes<T>> for Stage<G, W> {
    #[inline(always)]
    fn block(&self, number: usize, out: &mut [Lanes<T>], scratch: &mut [Lanes<T>]) {
        let half = self.need / 2;
        let (a, b) = scratch[..self.need].split_at_mut(half);
        self.gather.fill(number, a);
        let [result, _] = self.work.apply(number, [a, b]);
        let (values, rest) = out.split_at_mut(self.len);
        values.copy_from_slice(&result[..self.len]);
        rest.fill(Lanes::zero());
    }
}

/// Columns of an array: block (o, c) is the columns from 8c on of the plane o.
pub(super) struct Columns<'a, T> {
    pub(super) values: &'a [T],
    pub(super) columns: usize,
    pub(super) len: usize,
    pub(super) stride: usize,
    pub(super) plane: usize,
}

impl<T: Real> Gather<T> for Columns<'_, T> {
    #[inline(always)]
    fn fill(&self, number: usize, rows: &mut [Lanes<T>]) {
        let blocks = self.columns.div_ceil(LANES);
        let (plane, first) = (number / blocks * self.plane, number % blocks * LANES);
        let lanes = (self.columns - first).min(LANES);
        let mut start = plane + first;
        for row in &mut rows[..self.len] {
            *row = Lanes::load(&self.values[start..][..lanes]);
            start += self.stride;
        }
    }
}

/// Lines across blocks: row j of block (o, c) is row o of block (j, c).
pub(super) struct Across<'a, T> {
    pub(super) blocks: &'a [Lanes<T>],
    pub(super) stride: usize,
    pub(super) count: usize,
    pub(super) len: usize,
}

impl<T: Real> Gather<T> for Across<'_, T> {
    #[inline(always)]
    fn fill(&self, number: usize, rows: &mut [Lanes<T>]) {
        let (o, c) = (number / self.count, number % self.count);
        for (j, row) in rows[..self.len].iter_mut().enumerate() {
            *row = self.blocks[(j * self.count + c) * self.stride + o];
        }
    }
}

/// Lines along the lanes of blocks: rows 8j … of block (o, i) are the lanes of the rows 8i … of
/// block (o, j).
pub(super) struct Turned<'a, T> {
    pub(super) blocks: &'a [Lanes<T>],
    pub(super) stride: usize,
    /// The number of i.
    pub(super) count: usize,
    /// The number of rows; that of j is an eighth of it, rounded up.
    pub(super) len: usize,
}

impl<T: Real> Gather<T> for Turned<'_, T> {
    #[inline(always)]
    fn fill(&self, number: usize, rows: &mut [Lanes<T>]) {
        let (o, i) = (number / self.count, number % self.count);
        let groups = self.len.div_ceil(LANES);
        for j in 0..groups {
            let from = &self.blocks[(o * groups + j) * self.stride + i * LANES..];
            let (Some(from), Some(to)) =
                (from.first_chunk::<LANES>(), rows[j * LANES..].first_chunk_mut::<LANES>())
            else {
                return;
            };
            *to = transpose(*from);
        }
    }
}

/// To the coefficients along an axis.
pub(super) struct Forward<'a, T>(pub(super) &'a Axis<T>);

impl<T: Real> Work<T> for Forward<'_, T> {
    #[inline(always)]
    fn apply<'a>(&self, _: usize, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.0.forward(buffers)
    }
}

/// Back from the coefficients.
pub(super) struct Backward<'a, T>(pub(super) &'a Axis<T>);

impl<T: Real> Work<T> for Backward<'_, T> {
    #[inline(always)]
    fn apply<'a>(&self, _: usize, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.0.backward(buffers)
    }
}

/// Rows of the solution from blocks of columns, in place of what is there or added to it.
pub(super) struct Rows<'a, T> {
    pub(super) blocks: &'a [Lanes<T>],
    pub(super) stride: usize,
    pub(super) count: usize,
    pub(super) lo: [usize; 3],
    pub(super) add: bool,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Rows<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let plane = if D == 3 { row.at[D - 1] - self.lo[D - 1] } else { 0 };
        let mut from = plane * self.count * self.stride + row.at[1] - self.lo[1];
        let (whole, rest) = out.as_chunks_mut::<LANES>();
        for out in whole {
            *out = self.value(from, *out);
            from += self.stride;
        }
        if !rest.is_empty() {
            let value = self.value(from, Lanes::load(rest).0);
            Lanes(value).store(rest);
        }
    }
}

impl<T: Real> Rows<'_, T> {
    #[inline(always)]
    fn value(&self, from: usize, old: [T; LANES]) -> [T; LANES] {
        let mut value = self.blocks[from].0;
        for l in 0..LANES {
            let sum = if self.add { old[l] + value[l] } else { value[l] };
            value[l] = sum.or_nothing();
        }
        value
    }
}
