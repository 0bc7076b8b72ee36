//! Passes over rows, one at a time or in bands.

use core::ops::Range;

use super::{Extent, GRAIN, NullaryFnOnce, Region, Row, dispatch, in_halves, join, split};

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
    rows_within(Extent::from(*region), out, pass);
}

/// Runs `pass` on what matters of every row; each of `out` is a whole array.
pub fn rows_within<T: Send, const D: usize, const N: usize>(
    extent: Extent<'_, D>,
    out: [&mut [T]; N],
    pass: &impl RowPass<T, D, N>,
) {
    if extent.region.is_empty() {
        return;
    }
    let base = extent.region.row(0).start;
    rows_in(&extent, out.map(|o| &mut o[base..]), pass);
}

fn rows_in<T: Send, const D: usize, const N: usize, P: RowPass<T, D, N>>(
    extent: &Extent<'_, D>,
    out: [&mut [T]; N],
    pass: &P,
) {
    let region = &extent.region;
    in_halves(region, 0..region.rows(), region.grain(P::GRAIN), out, &|rows, out| {
        dispatch(Rows { extent, rows, out, pass });
    });
}

struct Rows<'a, 'e, T, P, const D: usize, const N: usize> {
    extent: &'a Extent<'e, D>,
    rows: Range<usize>,
    out: [&'a mut [T]; N],
    pass: &'a P,
}

impl<T, P: RowPass<T, D, N>, const D: usize, const N: usize> NullaryFnOnce
    for Rows<'_, '_, T, P, D, N>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { extent, rows, mut out, pass } = self;
        let base = extent.region.row(rows.start).start;
        for n in rows {
            let row = extent.row(n);
            if row.len == 0 {
                continue;
            }
            let range = row.start - base..row.start - base + row.len;
            pass.row(row, out.each_mut().map(|o| &mut o[range.clone()]));
        }
    }
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
