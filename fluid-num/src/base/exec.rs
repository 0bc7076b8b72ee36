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

use core::ops::Range;

use pulp::NullaryFnOnce;

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

    /// The number of rows that hold `elements`.
    fn grain(&self, elements: usize) -> usize {
        (elements / self.len(0).max(1)).max(1)
    }
}

/// What a pass does with one row of its `N` outputs.
pub trait RowPass<T, const D: usize, const N: usize>: Sync {
    /// The number of elements below which splitting costs more than it gains.
    const GRAIN: usize = GRAIN;

    /// Computes the outputs of one row; each slice has the row's length.
    fn row(&self, row: Row<D>, out: [&mut [T]; N]);
}

/// Runs `pass` on every row of `region`; each of `out` is a whole array.
pub fn rows<T: Send, const D: usize, const N: usize>(
    region: &Region<D>,
    out: [&mut [T]; N],
    pass: &impl RowPass<T, D, N>,
) {
    if region.is_empty() {
        return;
    }
    let base = region.row(0).start;
    let out = out.map(|o| &mut o[base..]);
    rows_in(region, 0, region.rows(), out, pass);
}

/// What a pass does with a band of neighbouring rows of its `N` outputs, and what it learns from
/// them: for passes that keep something between rows.
pub trait BandPass<T, const N: usize>: Sync {
    /// A partial result.
    type Output: Copy + Send;
    /// The number of elements below which splitting costs more than it gains.
    const GRAIN: usize = GRAIN;

    /// Computes the outputs of the rows numbered `rows`; each slice starts with the first of its
    /// rows.
    fn band(&self, rows: Range<usize>, out: [&mut [T]; N]) -> Self::Output;
    /// The result of two neighbouring parts, the first first.
    fn join(first: Self::Output, second: Self::Output) -> Self::Output;
}

/// An output of a pass over bands: a whole array.
#[derive(Debug)]
pub struct Banded<'a, T, const D: usize> {
    /// The array.
    pub out: &'a mut [T],
    /// The places in it that the pass computes.
    pub region: &'a Region<D>,
    /// How many of its rows belong to each row that is counted, the last of which may have fewer.
    pub per: usize,
}

impl<'a, T, const D: usize> Banded<'a, T, D> {
    /// An output on the region whose rows are counted.
    pub fn on(region: &'a Region<D>, out: &'a mut [T]) -> Self {
        Self { out, region, per: 1 }
    }
}

/// Runs `pass` on bands of rows of `region` and combines what it learns; `None` for a region
/// without places.
pub fn bands<T: Send, P: BandPass<T, N>, const D: usize, const N: usize>(
    region: &Region<D>,
    out: [Banded<'_, T, D>; N],
    pass: &P,
) -> Option<P::Output> {
    if region.is_empty() || out.iter().any(|o| o.region.is_empty()) {
        return None;
    }
    let layout = out.each_ref().map(|o| (o.region, o.per));
    let out = out.map(|o| &mut o.out[o.region.row(0).start..]);
    Some(bands_in(region, 0..region.rows(), layout, out, pass))
}

fn bands_in<T: Send, P: BandPass<T, N>, const D: usize, const N: usize>(
    region: &Region<D>,
    rows: Range<usize>,
    layout: [(&Region<D>, usize); N],
    out: [&mut [T]; N],
    pass: &P,
) -> P::Output {
    if rows.len() <= region.grain(P::GRAIN) {
        return dispatch(Band { rows, out, pass });
    }
    let middle = rows.start + rows.len() / 2;
    let start = |region: &Region<D>, row: usize| region.row(row).start;
    let cut = layout.map(|(r, per)| start(r, middle * per) - start(r, rows.start * per));
    let (lower, upper) = split(out, cut);
    let (a, b) = join(
        || bands_in(region, rows.start..middle, layout, lower, pass),
        || bands_in(region, middle..rows.end, layout, upper, pass),
    );
    P::join(a, b)
}

/// Reduces the rows of `region`; `None` for a region without places.
pub fn reduce<P: BandPass<(), 0>, const D: usize>(
    region: &Region<D>,
    pass: &P,
) -> Option<P::Output> {
    bands(region, [], pass)
}

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

/// Every slice cut in two.
fn split<T, const N: usize>(out: [&mut [T]; N], at: [usize; N]) -> ([&mut [T]; N], [&mut [T]; N]) {
    let mut upper: [&mut [T]; N] = core::array::from_fn(|_| Default::default());
    let mut parts = upper.iter_mut().zip(at);
    let lower = out.map(|o| {
        let Some((part, at)) = parts.next() else { return o };
        let (head, tail) = o.split_at_mut(at);
        *part = tail;
        head
    });
    (lower, upper)
}

fn rows_in<T: Send, const D: usize, const N: usize, P: RowPass<T, D, N>>(
    region: &Region<D>,
    first: usize,
    count: usize,
    out: [&mut [T]; N],
    pass: &P,
) {
    if count <= region.grain(P::GRAIN) {
        return dispatch(Rows { region, first, count, out, pass });
    }
    let half = count / 2;
    let cut = region.row(first + half).start - region.row(first).start;
    let (lower, upper) = split(out, [cut; N]);
    join(
        || rows_in(region, first, half, lower, pass),
        || rows_in(region, first + half, count - half, upper, pass),
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

struct Rows<'a, T, P, const D: usize, const N: usize> {
    region: &'a Region<D>,
    first: usize,
    count: usize,
    out: [&'a mut [T]; N],
    pass: &'a P,
}

impl<T, P: RowPass<T, D, N>, const D: usize, const N: usize> NullaryFnOnce
    for Rows<'_, T, P, D, N>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { region, first, count, mut out, pass } = self;
        let base = region.row(first).start;
        for n in first..first + count {
            let row = region.row(n);
            let range = row.start - base..row.start - base + row.len;
            pass.row(row, out.each_mut().map(|o| &mut o[range.clone()]));
        }
    }
}

struct Band<'a, T, P, const N: usize> {
    rows: Range<usize>,
    out: [&'a mut [T]; N],
    pass: &'a P,
}

impl<T, P: BandPass<T, N>, const N: usize> NullaryFnOnce for Band<'_, T, P, N> {
    type Output = P::Output;

    #[inline(always)]
    fn call(self) -> P::Output {
        self.pass.band(self.rows, self.out)
    }
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

struct Widely<W>(W);

impl<W: Wide> NullaryFnOnce for Widely<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.0.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Index;
    impl<const D: usize> RowPass<u64, D, 2> for Index {
        #[inline(always)]
        fn row(&self, row: Row<D>, [a, b]: [&mut [u64]; 2]) {
            for i in 0..row.len {
                a[i] = (row.start + i) as u64;
                b[i] += 1;
            }
        }
    }

    #[test]
    fn every_place_of_a_region_is_visited_once() {
        let region = Region { lo: [1, 2, 1], hi: [40, 50, 20], strides: [1, 48, 48 * 60] };
        let len = 48 * 60 * 24;
        let (mut a, mut b) = (alloc::vec![u64::MAX; len], alloc::vec![0_u64; len]);
        rows(&region, [&mut a, &mut b], &Index);
        for (n, (a, b)) in a.iter().zip(&b).enumerate() {
            let at = [n % 48, n / 48 % 60, n / (48 * 60)];
            let inside = (0..3).all(|d| (region.lo[d]..region.hi[d]).contains(&at[d]));
            assert_eq!(*b, u64::from(inside));
            assert_eq!(*a, if inside { n as u64 } else { u64::MAX });
        }
    }

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

    /// The number of places, written to the first of each row.
    struct Count(Region<2>);
    impl BandPass<u64, 2> for Count {
        type Output = u64;
        fn band(&self, rows: Range<usize>, [fine, coarse]: [&mut [u64]; 2]) -> u64 {
            let places = |n: usize| self.0.row(n).start - self.0.row(2 * rows.start).start;
            for n in 2 * rows.start..(2 * rows.end).min(self.0.rows()) {
                fine[places(n)..][..self.0.len(0)].fill(n as u64);
            }
            for n in rows.clone() {
                coarse[8 * (n - rows.start)] += n as u64;
            }
            rows.len() as u64
        }
        fn join(a: u64, b: u64) -> u64 {
            a + b
        }
    }

    #[test]
    fn bands_of_two_regions_belong_together() {
        let fine = Region { lo: [1, 2], hi: [4001, 31], strides: [1, 4100] };
        let coarse = Region { lo: [3, 1], hi: [3003, 16], strides: [1, 8] };
        let (mut a, mut b) = (alloc::vec![u64::MAX; 4100 * 33], alloc::vec![0; 8 * 20]);
        let out = [
            Banded { out: &mut a, region: &fine, per: 2 },
            Banded { out: &mut b, region: &coarse, per: 1 },
        ];
        assert_eq!(bands(&coarse, out, &Count(fine)), Some(15));
        for (i, v) in a.iter().enumerate() {
            let inside = (1..4001).contains(&(i % 4100)) && (2..31).contains(&(i / 4100));
            assert_eq!(*v, if inside { (i / 4100 - 2) as u64 } else { u64::MAX });
        }
        for n in 0..15 {
            assert_eq!(b[coarse.row(n).start], n as u64);
        }
        assert_eq!(b.iter().sum::<u64>(), 14 * 15 / 2);
        let empty = Region { lo: [1, 1], hi: [1, 4], strides: [1, 16] };
        let out = [
            Banded { out: &mut a[..], region: &fine, per: 2 },
            Banded { out: &mut b[..], region: &empty, per: 1 },
        ];
        assert_eq!(bands(&empty, out, &Count(fine)), None);
    }
}
