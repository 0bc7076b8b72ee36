//! Passes over rows of rings.

use core::ops::Range;

use super::super::ring::Arc;
use super::{Cut, GRAIN, NullaryFnOnce, Region, Row, dispatch, in_halves, split};

/// What a pass does with one row of `N` rings.
pub trait RingPass<T, const D: usize, const N: usize>: Sync {
    /// Reads and writes the places of one row, which stand in each arc from `at` on.
    fn row(&self, row: Row<D>, at: usize, arcs: &mut [Arc<'_, T>; N]);
}

/// Runs `pass` on every row of `region`, each of `out` a whole ring.
pub fn ring_rows<T: Send, const D: usize, const N: usize>(
    region: &Region<D>,
    out: [Arc<'_, T>; N],
    pass: &impl RingPass<T, D, N>,
) {
    if region.is_empty() {
        return;
    }
    let (_, out) = split(out, [region.row(0).start; N]);
    in_halves(region, 0..region.rows(), region.grain(GRAIN), out, &|rows, out| {
        dispatch(RingRows { region, rows, out, pass });
    });
}

impl<T> Cut for Arc<'_, T> {
    #[inline(always)]
    fn cut(self, at: usize) -> [Self; 2] {
        self.split(at)
    }
}

struct RingRows<'a, T, P, const D: usize, const N: usize> {
    region: &'a Region<D>,
    rows: Range<usize>,
    out: [Arc<'a, T>; N],
    pass: &'a P,
}

impl<T, P: RingPass<T, D, N>, const D: usize, const N: usize> NullaryFnOnce
    for RingRows<'_, T, P, D, N>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { region, rows, mut out, pass } = self;
        let base = region.row(rows.start).start;
        for n in rows {
            let row = region.row(n);
            pass.row(row, row.start - base, &mut out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ring::Ring;
    use super::*;

    struct RingIndex;
    impl<const D: usize> RingPass<u64, D, 2> for RingIndex {
        fn row(&self, row: Row<D>, at: usize, [a, b]: &mut [Arc<'_, u64>; 2]) {
            for i in 0..row.len {
                a.write(at + i, &[(row.start + i) as u64]);
                let mut count = [0];
                b.read(at + i, &mut count);
                b.write(at + i, &[count[0] + 1]);
            }
        }
    }

    #[test]
    fn every_place_of_a_broken_ring_is_visited_once() {
        let region = Region { lo: [1, 1], hi: [600, 70], strides: [1, 608] };
        let len = 608 * 72;
        for head in [0, 700, 20_000, len as isize - 1] {
            let (mut a, mut b) = (Ring::new(len, u64::MAX), Ring::new(len, 0_u64));
            a.shift(head);
            b.shift(-2 * head - 5);
            ring_rows(&region, [a.as_arc(), b.as_arc()], &RingIndex);
            for n in 0..len {
                let inside = (1..600).contains(&(n % 608)) && (1..70).contains(&(n / 608));
                assert_eq!(b.get(n), u64::from(inside));
                assert_eq!(a.get(n), if inside { n as u64 } else { u64::MAX });
            }
        }
    }
}
