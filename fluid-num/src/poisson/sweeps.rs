//! Several Jacobi sweeps in one pass over memory, with what comes before and after them.

use core::ops::Range;

use super::stencil::{Pair, RESIDUAL, RowOf, Stencil, Weight};
use crate::Real;
use crate::base::exec::{BandPass, Region, Row};
use crate::base::reduction::Largest;

/// The number of columns that go through several sweeps together.
pub(super) const TILE: usize = 512;
/// The most sweeps in one pass over memory.
pub(super) const MOST: usize = 4;
/// Where a tile's first column lies in a [`Line`]: a whole number of cache lines from its start.
const MARGIN: usize = 16;
/// Neighbouring parts both compute the inner sweeps where they meet.
pub(super) const GRAIN: usize = 1 << 16;

/// A row of an inner sweep, with room for what the sweeps after it read on both sides.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line<T>(pub(super) [T; TILE + 2 * MARGIN]);

impl<T: Real> Line<T> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self([T::zero(); TILE + 2 * MARGIN])
    }
}

/// What is added to p before the first sweep.
pub(super) trait Correction<T, const D: usize>: Sync {
    /// Whether anything is.
    const IS_SOME: bool = true;

    /// Writes the corrected p of a part of a row that starts an even number of columns from the
    /// region's first and is even in length or ends with the region.
    fn correct(&self, row: Row<D>, p: &[T], out: &mut [T]);
}

impl<T, const D: usize> Correction<T, D> for () {
    const IS_SOME: bool = false;

    #[inline(always)]
    fn correct(&self, _: Row<D>, _: &[T], _: &mut [T]) {}
}

/// What becomes of the residual after the last sweep.
pub(super) trait Sink<T> {
    /// Whether anything does.
    const IS_SOME: bool = true;

    /// Takes a part of the row numbered `n` that starts `first` columns from the region's first.
    fn take(&mut self, n: usize, first: usize, residual: &[T]);
}

impl<T> Sink<T> for () {
    const IS_SOME: bool = false;

    #[inline(always)]
    fn take(&mut self, _: usize, _: usize, _: &[T]) {}
}

impl<T: Real> Sink<T> for Largest<T> {
    #[inline(always)]
    fn take(&mut self, _: usize, _: usize, residual: &[T]) {
        Largest::take(self, residual);
    }
}

/// `count` sweeps, the first of them `BEGIN`, the last `LAST` and those between `OP`, in one pass
/// over memory: the bits of one after the other at a fraction of the traffic. For the uniform
/// operator in the plane, without periodic sides.
///
/// A pass is a chain of stages: the correction of p, where there is one; the sweeps; the residual,
/// where a sink takes it. What a stage makes is kept for three rows at a time, in the nearest cache:
/// stage s of row r is due as soon as stage s − 1 of row r + 1 is there.
pub(super) struct Sweeps<'a, T, C, const D: usize, const BEGIN: u8, const OP: u8, const LAST: u8> {
    pub(super) stencil: Stencil<'a, T, D>,
    /// The weight of each sweep, where `OP` has one.
    pub(super) weights: [T; MOST],
    /// From 2 to [`MOST`].
    pub(super) count: usize,
    pub(super) correction: C,
}

impl<T, C, const D: usize, const BEGIN: u8, const OP: u8, const LAST: u8>
    Sweeps<'_, T, C, D, BEGIN, OP, LAST>
where
    T: Real,
    C: Correction<T, D>,
{
    /// Computes the rows numbered `rows`, with which `out` starts.
    #[inline(always)]
    pub(super) fn stream<S: Sink<T>>(&self, rows: Range<usize>, out: &mut [T], sink: &mut S) {
        let region = &self.stencil.region;
        let corrections = usize::from(C::IS_SOME);
        let stages = corrections + self.count + usize::from(S::IS_SOME);
        let base = region.row(rows.start).start;
        let outside = Line::zero();
        let mut left = region.lo[0];
        while left < region.hi[0] {
            let right = (left + TILE).min(region.hi[0]);
            let mut kept = [[outside; 3]; MOST + 2];
            for newest in rows.start..rows.end + 2 * (stages - 1) {
                for stage in 1..=stages {
                    // The last stage of row r needs this stage of the rows up to `more` away.
                    let more = stages - stage;
                    let Some(n) = (newest + 2).checked_sub(stages + stage) else {
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
                    let tile = MARGIN..MARGIN + right - left;
                    let (before, after) = kept.split_at_mut(stage - 1);
                    let line = &mut after[0][n % 3].0;
                    if C::IS_SOME && stage == 1 {
                        // Whole pairs of columns.
                        let from = from - (from - region.lo[0]) % 2;
                        let to = (to + (to - region.lo[0]) % 2).min(region.hi[0]);
                        let row = part_of_row(region, n, from..to);
                        let first = from + MARGIN - left;
                        let out = &mut line[first..first + row.len];
                        self.correction.correct(row, row.of(self.stencil.p), out);
                        (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                        continue;
                    }
                    let here = before.last().map_or(&outside.0, |before| &before[n % 3].0);
                    let of = match before.last() {
                        None => self.stencil.reads(row),
                        Some(before) => {
                            let below = if n > 0 { &before[(n - 1) % 3].0 } else { &outside.0 };
                            let last = n + 1 == region.rows();
                            let above = if last { &outside.0 } else { &before[(n + 1) % 3].0 };
                            let y = Pair { below: &below[first..], above: &above[first..] };
                            let x = Pair { below: &here[first - 1..], above: &here[first + 1..] };
                            let b = row.of(self.stencil.b);
                            RowOf { x, y, z: y, p: &here[first..], b }
                        }
                    };
                    let sweep = stage - corrections;
                    if sweep > self.count {
                        let unused = Weight::all(T::one());
                        self.stencil.uniform::<RESIDUAL>(row, of, unused, &mut line[first..]);
                        sink.take(n, left - region.lo[0], &line[tile]);
                        continue;
                    }
                    let weight = Weight::all(self.weights[sweep - 1]);
                    if sweep == self.count && !S::IS_SOME {
                        let target = &mut out[row.start - base..][..row.len];
                        self.stencil.uniform::<LAST>(row, of, weight, target);
                        continue;
                    }
                    if sweep == 1 {
                        self.stencil.uniform::<BEGIN>(row, of, weight, &mut line[first..]);
                    } else if sweep < self.count {
                        self.stencil.uniform::<OP>(row, of, weight, &mut line[first..]);
                    } else {
                        self.stencil.uniform::<LAST>(row, of, weight, &mut line[first..]);
                        if rows.contains(&n) {
                            let start = row.start + left - from - base;
                            out[start..][..right - left].copy_from_slice(&line[tile]);
                        }
                    }
                    (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                }
            }
            left = right;
        }
    }
}

/// Sweeps over a whole region; where they look, the result is max|b − A·p| of what they leave.
pub(super) struct Run<S, const LOOKS: bool>(pub(super) S);

impl<T, C, const D: usize, const BEGIN: u8, const OP: u8, const LAST: u8, const LOOKS: bool>
    BandPass<T, 1> for Run<Sweeps<'_, T, C, D, BEGIN, OP, LAST>, LOOKS>
where
    T: Real,
    C: Correction<T, D>,
{
    type Output = T;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> T {
        if LOOKS {
            let mut worst = Largest::new();
            self.0.stream(rows, out, &mut worst);
            return worst.value();
        }
        self.0.stream(rows, out, &mut ());
        T::zero()
    }

    fn join(a: T, b: T) -> T {
        a.worst(b)
    }
}

#[inline(always)]
fn part_of_row<const D: usize>(region: &Region<D>, n: usize, columns: Range<usize>) -> Row<D> {
    let full = region.row(n);
    let mut at = full.at;
    at[0] = columns.start;
    Row { at, start: full.start + columns.start - region.lo[0], len: columns.len() }
}
