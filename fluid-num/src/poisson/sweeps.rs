//! Several Jacobi sweeps in one pass over memory.

use core::ops::Range;

use super::stencil::{Pair, RowOf, Stencil, Weight};
use crate::Real;
use crate::base::exec::{Region, Row, RowPass};

/// The number of columns that go through several sweeps together.
pub(super) const TILE: usize = 512;
/// The most sweeps in one pass over memory.
pub(super) const MOST: usize = 4;
/// Where a tile's first column lies in a [`Line`]: a whole number of cache lines from its start.
const MARGIN: usize = 16;

/// A row of an inner sweep, with room for what the sweeps after it read on both sides.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line<T>([T; TILE + 2 * MARGIN]);

/// `count` sweeps `OP`, the last of them `LAST`, in one pass over memory: the bits of one after the
/// other at a fraction of the traffic. Inner sweeps are kept for three rows at a time, in the
/// nearest cache: sweep l of row r is due as soon as sweep l − 1 of row r + 1 is there. For the
/// uniform operator in the plane, without periodic sides.
pub(super) struct Sweeps<'a, T, const D: usize, const OP: u8, const LAST: u8> {
    pub(super) stencil: Stencil<'a, T, D>,
    /// The weight of each sweep, where `OP` has one.
    pub(super) weights: [T; MOST],
    /// From 2 to [`MOST`].
    pub(super) count: usize,
}

impl<T: Real, const D: usize, const OP: u8, const LAST: u8> RowPass<T, D, 1>
    for Sweeps<'_, T, D, OP, LAST>
{
    /// Neighbouring parts both compute the inner sweeps where they meet.
    const GRAIN: usize = 1 << 16;

    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        self.stencil.compute::<LAST>(row, Weight::all(self.weights[0]), out);
    }

    #[inline(always)]
    fn rows(&self, region: &Region<D>, rows: Range<usize>, [out]: [&mut [T]; 1]) {
        let count = self.count;
        let base = region.row(rows.start).start;
        let outside = Line([T::zero(); TILE + 2 * MARGIN]);
        let mut left = region.lo[0];
        while left < region.hi[0] {
            let right = (left + TILE).min(region.hi[0]);
            let mut inner = [[outside; 3]; MOST - 1];
            for newest in rows.start..rows.end + 2 * (count - 1) {
                for sweep in 1..=count {
                    // The last sweep of row r needs sweep l of the rows up to `more` away.
                    let more = count - sweep;
                    let weight = Weight::all(self.weights[sweep - 1]);
                    let Some(n) = (newest + 1).checked_sub(count - 1 + sweep) else {
                        continue;
                    };
                    if n + more < rows.start || n >= rows.end + more || n >= region.rows() {
                        continue;
                    }
                    let from = left.saturating_sub(more).max(region.lo[0]);
                    let to = (right + more).min(region.hi[0]);
                    let row = part_of_row(region, n, from..to);
                    // Where column c lies in a line.
                    let first = from + MARGIN - left;
                    if sweep == 1 {
                        let line = &mut inner[0][n % 3].0;
                        self.stencil.compute::<OP>(row, weight, &mut line[first..]);
                        (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                        continue;
                    }
                    let (before, after) = inner.split_at_mut(sweep - 1);
                    let before = &before[sweep - 2];
                    let here = &before[n % 3].0;
                    let below = if n > 0 { &before[(n - 1) % 3].0 } else { &outside.0 };
                    let last = n + 1 == region.rows();
                    let above = if last { &outside.0 } else { &before[(n + 1) % 3].0 };
                    let y = Pair { below: &below[first..], above: &above[first..] };
                    let x = Pair { below: &here[first - 1..], above: &here[first + 1..] };
                    let b = row.of(self.stencil.b);
                    let of = RowOf { x, y, z: y, p: &here[first..], b };
                    if sweep == count {
                        let target = &mut out[row.start - base..][..row.len];
                        self.stencil.uniform::<LAST>(row, of, weight, target);
                    } else {
                        let line = &mut after[0][n % 3].0;
                        self.stencil.uniform::<OP>(row, of, weight, &mut line[first..]);
                        (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                    }
                }
            }
            left = right;
        }
    }
}

#[inline(always)]
fn part_of_row<const D: usize>(region: &Region<D>, n: usize, columns: Range<usize>) -> Row<D> {
    let full = region.row(n);
    let mut at = full.at;
    at[0] = columns.start;
    Row { at, start: full.start + columns.start - region.lo[0], len: columns.len() }
}
