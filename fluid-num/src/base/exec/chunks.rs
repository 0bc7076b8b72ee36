//! Passes over flat arrays: in chunks, list by list, block by block.

use core::ops::Range;

use super::{GRAIN, NullaryFnOnce, dispatch, join, split};

/// What a pass does with one piece of its `N` flat outputs: particles, or whole arrays.
pub trait ChunkPass<T, const N: usize>: Sync {
    /// The number of elements below which splitting costs more than it gains.
    const GRAIN: usize = GRAIN;

    /// Computes the outputs from index `first` on; the slices have the chunk's length.
    fn chunk(&self, first: usize, out: [&mut [T]; N]);
}

/// Runs `pass` on chunks that make up `out`, whose slices are as long as the shortest of them.
pub fn chunks<T: Send, const N: usize>(out: [&mut [T]; N], pass: &impl ChunkPass<T, N>) {
    let len = out.iter().map(|o| o.len()).min().unwrap_or(0);
    chunks_in(0, len, out.map(|o| &mut o[..len]), pass);
}

fn chunks_in<T: Send, const N: usize, P: ChunkPass<T, N>>(
    first: usize,
    len: usize,
    out: [&mut [T]; N],
    pass: &P,
) {
    if len <= P::GRAIN {
        return dispatch(Chunk { first, out, pass });
    }
    let half = (len / 2).next_multiple_of(64);
    let (lower, upper) = split(out, [half; N]);
    join(
        || chunks_in(first, half, lower, pass),
        || chunks_in(first + half, len - half, upper, pass),
    );
}

/// What a pass does with lists of different lengths that lie one after another.
pub trait ListPass<T>: Sync {
    /// Fills the lists numbered `lists`, which make up `out`.
    fn fill(&self, lists: Range<usize>, out: &mut [T]);
}

/// The number of lists, of some dozens of entries each, below which splitting costs more than it
/// gains.
const LISTS: usize = 512;

/// Runs `pass` on the lists that make up `out`: list i is `out[starts[i]..starts[i + 1]]`, and
/// `starts` begins with 0.
pub fn lists<T: Send>(starts: &[usize], out: &mut [T], pass: &impl ListPass<T>) {
    if let Some(count) = starts.len().checked_sub(1) {
        lists_in(starts, 0..count, out, pass);
    }
}

fn lists_in<T: Send, P: ListPass<T>>(
    starts: &[usize],
    range: Range<usize>,
    out: &mut [T],
    pass: &P,
) {
    if range.len() <= LISTS {
        return dispatch(Lists { range, out, pass });
    }
    let middle = range.start + range.len() / 2;
    let (lower, upper) = out.split_at_mut(starts[middle] - starts[range.start]);
    join(
        || lists_in(starts, range.start..middle, lower, pass),
        || lists_in(starts, middle..range.end, upper, pass),
    );
}

/// What a pass does with one of many equal blocks, which has scratch memory to itself.
pub trait BlockPass<T, S>: Sync {
    /// Computes block `number`; what `scratch` holds at first is left over from other blocks.
    fn block(&self, number: usize, out: &mut [T], scratch: &mut [S]);
}

/// The number of parts that scratch memory for [`blocks`] is worth having.
pub const TASKS: usize = if cfg!(feature = "parallel") { 16 } else { 1 };

/// Runs `pass` on the blocks of `len` elements that make up `out`, in as many parts at once as
/// `scratch` holds `need` elements for.
pub fn blocks<T: Send, S: Send>(
    out: &mut [T],
    len: usize,
    scratch: &mut [S],
    need: usize,
    pass: &impl BlockPass<T, S>,
) {
    if len > 0 && !out.is_empty() {
        let parts = scratch.len().checked_div(need).unwrap_or(TASKS);
        blocks_in(Blocks { first: 0, len, out, scratch, pass }, parts, need);
    }
}

fn blocks_in<T: Send, S: Send, P: BlockPass<T, S>>(
    work: Blocks<'_, T, S, P>,
    parts: usize,
    need: usize,
) {
    let Blocks { first, len, out, scratch, pass } = work;
    let half = out.len().div_ceil(len) / 2;
    if half == 0 || parts < 2 {
        return dispatch(Blocks { first, len, out, scratch, pass });
    }
    let (lower, upper) = out.split_at_mut(half * len);
    let (own, other) = scratch.split_at_mut(parts / 2 * need);
    join(
        || blocks_in(Blocks { first, len, out: lower, scratch: own, pass }, parts / 2, need),
        || {
            let work = Blocks { first: first + half, len, out: upper, scratch: other, pass };
            blocks_in(work, parts - parts / 2, need);
        },
    );
}

struct Chunk<'a, T, P, const N: usize> {
    first: usize,
    out: [&'a mut [T]; N],
    pass: &'a P,
}

impl<T, P: ChunkPass<T, N>, const N: usize> NullaryFnOnce for Chunk<'_, T, P, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.pass.chunk(self.first, self.out);
    }
}

struct Lists<'a, T, P> {
    range: Range<usize>,
    out: &'a mut [T],
    pass: &'a P,
}

impl<T, P: ListPass<T>> NullaryFnOnce for Lists<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.pass.fill(self.range, self.out);
    }
}

struct Blocks<'a, T, S, P> {
    first: usize,
    len: usize,
    out: &'a mut [T],
    scratch: &'a mut [S],
    pass: &'a P,
}

impl<T, S, P: BlockPass<T, S>> NullaryFnOnce for Blocks<'_, T, S, P> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (n, block) in self.out.chunks_mut(self.len).enumerate() {
            self.pass.block(self.first + n, block, self.scratch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number;
    impl ChunkPass<u64, 2> for Number {
        fn chunk(&self, first: usize, [a, b]: [&mut [u64]; 2]) {
            for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
                *a += (first + i) as u64;
                *b += 1;
            }
        }
    }

    #[test]
    fn every_index_of_flat_arrays_is_in_one_chunk() {
        for len in [0, 1, GRAIN, GRAIN + 1, 3 * GRAIN + 17] {
            let (mut a, mut b) = (alloc::vec![0; len], alloc::vec![0; len + 5]);
            chunks([&mut a, &mut b], &Number);
            assert!(a.iter().enumerate().all(|(n, a)| *a == n as u64));
            assert!(b.iter().enumerate().all(|(n, b)| *b == u64::from(n < len)));
        }
    }
}
