//! The 1D passes of a sum of products, with the data continued beyond the ends of each axis.

use alloc::vec::Vec;
use core::ops::Range;

use super::kernel::{Term, Terms};
use crate::Real;
use crate::base::exec::{BandPass, Region, Row, RowPass};
use crate::poisson::End;

/// The number of columns that are filtered together.
const TILE: usize = 512;
/// The largest distance of a tap.
pub(super) const MAX_RADIUS: usize = 127;
/// The most columns of a block, whose sums stay in registers.
const BLOCK: usize = 32;
/// A line between the two passes, with what the second reads on both sides.
const LINE: usize = TILE + 2 * MAX_RADIUS + BLOCK;

/// The taps of one or two terms that share their loads.
#[derive(Debug, Clone)]
pub(super) struct Group<T> {
    pub(super) terms: usize,
    /// v_g(j) at j·terms + g.
    across: Vec<T>,
    /// weight_g · v_g(j) at g·(radius + 1) + j.
    along: Vec<T>,
}

/// The taps of a kernel, rounded, without those that rounding would swallow.
#[derive(Debug, Clone)]
pub(super) struct Taps<T> {
    pub(super) radius: usize,
    pub(super) groups: Vec<Group<T>>,
}

impl<T: Real> Taps<T> {
    /// Prepares `terms`, all weights times `scale`, in groups of `most` (1 or 2) terms.
    pub(super) fn new(terms: &Terms, scale: f64, most: usize) -> Self {
        let terms = &terms.terms;
        let radius = terms.iter().map(|t| radius(t, &terms[0], T::EPSILON.to_f64())).max();
        let radius = radius.unwrap_or(0);
        let mut groups = Vec::new();
        let mut rest = &terms[..];
        while !rest.is_empty() {
            let (group, others) = rest.split_at(rest.len().min(most));
            let mut across = Vec::new();
            for j in 0..=radius {
                across.extend(group.iter().map(|t| T::of(t.taps[j])));
            }
            let mut along = Vec::new();
            for term in group {
                along.extend(term.taps[..=radius].iter().map(|v| T::of(v * term.weight * scale)));
            }
            groups.push(Group { terms: group.len(), across, along });
            rest = others;
        }
        Self { radius, groups }
    }
}

/// The distance beyond which the taps of `term` add less than `epsilon` of the first term.
fn radius(term: &Term, first: &Term, epsilon: f64) -> usize {
    let size = |t: &Term| t.taps.iter().map(|v| v.abs()).sum::<f64>();
    let most = 0.25 * epsilon * (first.weight * size(first) * size(first)).abs();
    let factor = (term.weight * size(term)).abs();
    let mut tail = 0.0;
    for (j, v) in term.taps.iter().enumerate().skip(1).rev() {
        tail += v.abs();
        if tail * factor > most {
            return j;
        }
    }
    0
}

/// Where the value lies that continues an axis at some index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<T> {
    /// The part of the array index that belongs to this axis.
    offset: usize,
    /// 1, −1 in an odd image, 0 where p is held.
    sign: T,
}

/// The index and sign that stand for index `i` of an axis of `len` values, |sign| ≤ 1.
fn continued(mut i: isize, len: usize, ends: [End; 2]) -> (usize, f64) {
    let len = len as isize;
    let mut sign = 1.0;
    while !(0..len).contains(&i) {
        let lower = i < 0;
        let face = if lower { -1 - i } else { 2 * len - 1 - i };
        (i, sign) = match ends[usize::from(!lower)] {
            End::Periodic => (i.rem_euclid(len), sign),
            End::Neumann => (face, sign),
            End::Dirichlet => (face, -sign),
            End::DirichletNode if i == -1 => (0, 0.0),
            End::DirichletNode if i == len => (len - 1, 0.0),
            End::DirichletNode => (if lower { face - 1 } else { face + 1 }, -sign),
        };
    }
    (i as usize, sign)
}

/// Fills `places` for the indices −radius … len + radius of an axis of the region.
pub(super) fn continue_axis<T: Real, const D: usize>(
    places: &mut Vec<Place<T>>,
    region: &Region<D>,
    axis: usize,
    ends: [End; 2],
    radius: usize,
) {
    let len = region.len(axis);
    places.clear();
    places.extend((0..len + 2 * radius).map(|n| {
        let (i, sign) = continued(n as isize - radius as isize, len, ends);
        Place { offset: (region.lo[axis] + i) * region.strides[axis], sign: T::of(sign) }
    }));
}

/// The part of a row's array index that belongs to the other axes than x and `axis`.
fn rest<const D: usize>(row: Row<D>, region: &Region<D>, axis: usize) -> usize {
    (1..D).filter(|a| *a != axis).map(|a| row.at[a] * region.strides[a]).sum()
}

/// Σ_j v(j)·(row − j + row + j) along z.
pub(super) struct Depth<'a, T, const D: usize> {
    pub(super) source: &'a [T],
    pub(super) region: Region<D>,
    /// One group of one term.
    pub(super) groups: &'a [Group<T>],
    pub(super) places: &'a [Place<T>],
    pub(super) radius: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Depth<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let axis = D - 1;
        let first = row.at[axis] - self.region.lo[axis];
        let rows = Rows {
            source: self.source,
            places: &self.places[first..][..2 * self.radius + 1],
            taps: &self.groups[0].across,
        };
        rows.combine::<1>(rest(row, &self.region, axis) + row.at[0], [out]);
    }
}

/// Adds a sum of products: the rows combined along y into lines, the lines filtered along x.
pub(super) struct Plane<'a, T, const D: usize> {
    pub(super) source: &'a [T],
    pub(super) region: Region<D>,
    pub(super) groups: &'a [Group<T>],
    /// Of the axes x and y.
    pub(super) places: [&'a [Place<T>]; 2],
    pub(super) radius: usize,
    /// Zero where nothing is to be changed.
    pub(super) mask: Option<&'a [T]>,
}

impl<T: Real, const D: usize> BandPass<T, 1> for Plane<'_, T, D> {
    type Output = ();
    /// A cell costs hundreds of operations.
    const GRAIN: usize = 2048;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) {
        let base = self.region.row(rows.start).start;
        let mut lines = [[T::zero(); LINE]; 2];
        for n in rows {
            let row = self.region.row(n);
            self.filter(row, &mut out[row.start - base..], &mut lines);
        }
    }

    fn join((): (), (): ()) {}
}

impl<T: Real, const D: usize> Plane<'_, T, D> {
    #[inline(always)]
    fn filter(&self, row: Row<D>, out: &mut [T], [one, two]: &mut [[T; LINE]; 2]) {
        let out = &mut out[..row.len];
        let mut left = 0;
        while left < row.len {
            let right = (left + TILE).min(row.len);
            for group in self.groups {
                match group.terms {
                    1 => self.tile(group, row, left, &mut out[left..right], [&mut *one]),
                    _ => self.tile(group, row, left, &mut out[left..right], [&mut *one, &mut *two]),
                }
            }
            left = right;
        }
        for o in &mut *out {
            *o = o.or_nothing();
        }
        if let Some(mask) = self.mask {
            for (o, m) in out.iter_mut().zip(row.of(mask)) {
                *o = if *m == T::zero() { T::zero() } else { *o };
            }
        }
    }

    /// Adds the terms of a group to the columns from `left` on.
    #[inline(always)]
    fn tile<const G: usize>(
        &self,
        group: &Group<T>,
        row: Row<D>,
        left: usize,
        out: &mut [T],
        mut lines: [&mut [T; LINE]; G],
    ) {
        let (radius, lo) = (self.radius, self.region.lo);
        let right = left + out.len();
        let first = row.at[1] - lo[1];
        let rows = Rows {
            source: self.source,
            places: &self.places[1][first..][..2 * radius + 1],
            taps: &group.across,
        };
        // Column c stands at c + radius − left in a line; the columns that there are come first.
        let (from, to) = (left.saturating_sub(radius), (right + radius).min(row.len));
        let (near, far) = (from + radius - left, to + radius - left);
        let start = rest(row, &self.region, 1);
        rows.combine::<G>(start + lo[0] + from, parts(&mut lines, near, far));
        let end = right - left + 2 * radius;
        let places = &self.places[0][left..][..end];
        for slots in [0..near, far..end] {
            if slots.is_empty() {
                continue;
            }
            let column = places[slots.start].offset;
            if (lo[0] + from..lo[0] + to).contains(&column) {
                for slot in slots {
                    let Place { offset, sign } = places[slot];
                    for line in &mut lines {
                        line[slot] = sign * line[offset - lo[0] + radius - left];
                    }
                }
            } else {
                // Around a periodic axis of several tiles.
                rows.combine::<G>(start + column, parts(&mut lines, slots.start, slots.end));
            }
        }
        if size_of::<T>() <= 4 {
            self.along::<G, 32, 8>(group, &lines, out);
        } else {
            self.along::<G, 16, 4>(group, &lines, out);
        }
    }

    /// out(i) += Σ_g Σ_j v_g(j)·(line_g(i − j) + line_g(i + j)), `W` = 4 V columns at a time.
    #[inline(always)]
    fn along<const G: usize, const W: usize, const V: usize>(
        &self,
        group: &Group<T>,
        lines: &[&mut [T; LINE]; G],
        out: &mut [T],
    ) {
        let radius = self.radius;
        let mut first = 0;
        while first < out.len() {
            let mut sums = [[T::zero(); V]; 4];
            for (line, taps) in lines.iter().zip(group.along.chunks_exact(radius + 1)) {
                let reach = &line[first..][..W + 2 * radius];
                let own = &reach[radius..][..W];
                let tap = taps[0];
                for b in 0..4 {
                    for l in 0..V {
                        sums[b][l] += tap * own[b * V + l];
                    }
                }
                let below = reach[..radius + W - 1].array_windows::<W>().rev();
                let above = reach[radius + 1..].array_windows::<W>();
                for ((below, above), tap) in below.zip(above).zip(&taps[1..]) {
                    let tap = *tap;
                    for b in 0..4 {
                        for l in 0..V {
                            sums[b][l] += tap * (below[b * V + l] + above[b * V + l]);
                        }
                    }
                }
            }
            let len = (out.len() - first).min(W);
            let part = &mut out[first..][..len];
            let mut flat = [T::zero(); W];
            for b in 0..4 {
                for l in 0..V {
                    flat[b * V + l] = sums[b][l];
                }
            }
            for (o, s) in part.iter_mut().zip(&flat) {
                *o += *s;
            }
            first += W;
        }
    }
}

/// The same part of every line.
#[inline(always)]
fn parts<'a, T, const G: usize>(
    lines: &'a mut [&mut [T; LINE]; G],
    from: usize,
    to: usize,
) -> [&'a mut [T]; G] {
    lines.each_mut().map(|line| &mut line[from..to])
}

/// The rows that one row of a pass across rows is made of.
struct Rows<'a, T> {
    source: &'a [T],
    /// Where they lie, the row itself in the middle.
    places: &'a [Place<T>],
    /// v_g(j) at j·G + g.
    taps: &'a [T],
}

impl<T: Real> Rows<'_, T> {
    /// lines_g(i) = Σ_j v_g(j)·(row₋ⱼ(i) + row₊ⱼ(i)), the rows from array index `start` on.
    #[inline(always)]
    fn combine<const G: usize>(&self, start: usize, lines: [&mut [T]; G]) {
        let plain = self.places.iter().all(|p| p.sign == T::one());
        let narrow = size_of::<T>() <= 4;
        match (plain, narrow, G) {
            (true, true, 1) => self.blocks::<G, 4, 8, false>(start, lines),
            (true, true, _) => self.blocks::<G, 2, 8, false>(start, lines),
            (true, false, 1) => self.blocks::<G, 4, 4, false>(start, lines),
            (true, false, _) => self.blocks::<G, 2, 4, false>(start, lines),
            (false, true, _) => self.blocks::<G, 2, 8, true>(start, lines),
            (false, false, _) => self.blocks::<G, 2, 4, true>(start, lines),
        }
    }

    /// The same in blocks of `B` times `V` columns.
    #[inline(always)]
    fn blocks<const G: usize, const B: usize, const V: usize, const SIGNED: bool>(
        &self,
        start: usize,
        mut lines: [&mut [T]; G],
    ) {
        let len = lines[0].len();
        let width = B * V;
        let mut first = 0;
        while len >= width && first < len {
            // The last block overlaps the one before, with the same values.
            let at = first.min(len - width);
            let part = lines.each_mut().map(|line| &mut line[at..][..width]);
            self.block::<G, B, V, SIGNED>(start + at, part);
            first += width;
        }
        while first < len {
            let part = lines.each_mut().map(|line| &mut line[first..][..1]);
            self.block::<G, 1, 1, SIGNED>(start + first, part);
            first += 1;
        }
    }

    #[inline(always)]
    fn block<const G: usize, const B: usize, const V: usize, const SIGNED: bool>(
        &self,
        start: usize,
        lines: [&mut [T]; G],
    ) {
        let source = &self.source[start..];
        let radius = self.places.len() / 2;
        let (lower, upper) = (&self.places[..radius], &self.places[radius + 1..]);
        let taps = self.taps.as_chunks::<G>().0;
        let mut sums = [[[T::zero(); V]; B]; G];
        let own = &source[self.places[radius].offset..][..B * V];
        for g in 0..G {
            for b in 0..B {
                for l in 0..V {
                    sums[g][b][l] = taps[0][g] * own[b * V + l];
                }
            }
        }
        for ((lower, upper), taps) in lower.iter().rev().zip(upper).zip(&taps[1..]) {
            let below = &source[lower.offset..][..B * V];
            let above = &source[upper.offset..][..B * V];
            let mut pair = [[T::zero(); V]; B];
            for b in 0..B {
                for l in 0..V {
                    let (below, above) = (below[b * V + l], above[b * V + l]);
                    pair[b][l] = match SIGNED {
                        true => lower.sign * below + upper.sign * above,
                        false => below + above,
                    };
                }
            }
            for g in 0..G {
                for b in 0..B {
                    for l in 0..V {
                        sums[g][b][l] += taps[g] * pair[b][l];
                    }
                }
            }
        }
        for (line, sum) in lines.into_iter().zip(&sums) {
            line.copy_from_slice(sum.as_flattened());
        }
    }
}
