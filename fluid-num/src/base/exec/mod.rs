//! How loops run: over rows and chunks, on every core, with the widest lanes the CPU has, always
//! with the same bits. The only file that names rayon and the SIMD dispatch.
//!
//! A pass is a struct of borrowed inputs whose [`RowPass::row`] computes one row of the outputs.
//! Mark `row` `#[inline(always)]`: it is then compiled once for the baseline and once for AVX2,
//! and the CPU decides at run time. (A closure is not inlined into the second copy: measured,
//! 3.1 against 4.3 G cells/s for a five-point stencil.) No fused multiply-add is ever used, so
//! both copies give the same bits.
//!
//! Work is halved recursively down to a grain that depends on the region alone, and reductions
//! combine along the same tree: the result does not depend on the number of threads.

mod chunks;
mod rings;
mod rows;
mod spans;

use core::ops::Range;

use pulp::NullaryFnOnce;

pub use chunks::{BlockPass, ChunkPass, ListPass, TASKS, blocks, chunks, lists};
pub use rings::{RingPass, ring_rows};
pub use rows::{BandPass, Banded, RowPass, bands, reduce, rows, rows_within};
pub use spans::{Extent, Spans, for_each_marked};

/// The usual number of elements below which splitting costs more than it gains.
const GRAIN: usize = 8192;

/// A box of places in a padded array: rows along x, lower corner included, upper corner excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region<const D: usize> {
    /// The lowest index along each axis.
    pub lo: [usize; D],
    /// One past the highest index along each axis.
    pub hi: [usize; D],
    /// The distance in the array between neighbours along each axis.
    pub strides: [usize; D],
}

/// One row of a [`Region`]: consecutive places along x.
#[derive(Debug, Clone, Copy)]
pub struct Row<const D: usize> {
    /// The indices of the first place.
    pub at: [usize; D],
    /// Where the first place lies in the array.
    pub start: usize,
    /// The number of places.
    pub len: usize,
}

impl<const D: usize> Row<D> {
    /// The row's part of a whole array.
    #[inline(always)]
    pub fn of<'a, T>(&self, array: &'a [T]) -> &'a [T] {
        &array[self.start..][..self.len]
    }

    /// The part of a whole array that lies `stride` after the row.
    #[inline(always)]
    pub fn after<'a, T>(&self, array: &'a [T], stride: usize) -> &'a [T] {
        &array[self.start + stride..][..self.len]
    }

    /// The part of a whole array that lies `stride` before the row.
    #[inline(always)]
    pub fn before<'a, T>(&self, array: &'a [T], stride: usize) -> &'a [T] {
        &array[self.start - stride..][..self.len]
    }
}

impl<const D: usize> Region<D> {
    /// The number of places along `axis`.
    #[inline]
    pub fn len(&self, axis: usize) -> usize {
        self.hi[axis].saturating_sub(self.lo[axis])
    }

    /// The number of places.
    pub fn count(&self) -> usize {
        (0..D).map(|a| self.len(a)).product()
    }

    /// Whether the region holds no place.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        (1..D).map(|a| self.len(a)).product()
    }

    /// The row number `n`, counted with y fastest.
    #[inline(always)]
    pub fn row(&self, n: usize) -> Row<D> {
        let mut at = self.lo;
        let mut rest = n;
        for a in 1..D - 1 {
            at[a] += rest % self.len(a);
            rest /= self.len(a);
        }
        at[D - 1] += rest;
        let start = (0..D).map(|a| at[a] * self.strides[a]).sum();
        Row { at, start, len: self.len(0) }
    }

    /// Where every place lies in the array, row by row.
    pub fn places(&self) -> impl Iterator<Item = usize> + use<D> {
        let region = *self;
        (0..region.rows())
            .map(move |n| region.row(n))
            .flat_map(|row| row.start..row.start + row.len)
    }

    /// The number of rows that hold `elements`.
    fn grain(&self, elements: usize) -> usize {
        (elements / self.len(0).max(1)).max(1)
    }
}

/// One computation that is worth the widest lanes, where it is too large to be part of a pass.
pub trait Wide {
    /// The result.
    type Output;
    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs `work` with the widest lanes the CPU has.
pub fn wide<W: Wide>(work: W) -> W::Output {
    dispatch(Widely(work))
}

struct Widely<W>(W);

impl<W: Wide> NullaryFnOnce for Widely<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.0.run()
    }
}

/// Runs `work` with the widest lanes the CPU has.
#[cfg(not(debug_assertions))]
fn dispatch<W: NullaryFnOnce>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}

/// Runs `work` as it is: builds with debug assertions hold one copy of every pass, which compiles in
/// half the time, and whose results must be those of the copies in a release.
#[cfg(debug_assertions)]
fn dispatch<W: NullaryFnOnce>(work: W) -> W::Output {
    work.call()
}

/// What a pass writes, from some place on, and what can be cut in two there.
trait Cut: Default {
    /// What lies before place `at`, and what lies from it on.
    fn cut(self, at: usize) -> [Self; 2];
}

impl<T> Cut for &mut [T] {
    #[inline(always)]
    fn cut(self, at: usize) -> [Self; 2] {
        self.split_at_mut(at).into()
    }
}

/// Every output cut in two.
fn split<O: Cut, const N: usize>(out: [O; N], at: [usize; N]) -> ([O; N], [O; N]) {
    let mut upper: [O; N] = core::array::from_fn(|_| O::default());
    let mut parts = upper.iter_mut().zip(at);
    let lower = out.map(|o| {
        let Some((part, at)) = parts.next() else { return o };
        let [head, tail] = o.cut(at);
        *part = tail;
        head
    });
    (lower, upper)
}

/// Runs `work` on the rows `rows` of a region, halved down to `grain` of them, with what the first
/// row and those behind it write.
fn in_halves<O: Cut + Send, const D: usize, const N: usize>(
    region: &Region<D>,
    rows: Range<usize>,
    grain: usize,
    out: [O; N],
    work: &(impl Fn(Range<usize>, [O; N]) + Sync),
) {
    if rows.len() <= grain {
        return work(rows, out);
    }
    let middle = rows.start + rows.len() / 2;
    let cut = region.row(middle).start - region.row(rows.start).start;
    let (lower, upper) = split(out, [cut; N]);
    join(
        || in_halves(region, rows.start..middle, grain, lower, work),
        || in_halves(region, middle..rows.end, grain, upper, work),
    );
}

/// Runs both halves, on two threads where there are two.
#[cfg(feature = "parallel")]
fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if rayon::current_num_threads() > 1 { rayon::join(a, b) } else { (a(), b()) }
}

#[cfg(not(feature = "parallel"))]
fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}
