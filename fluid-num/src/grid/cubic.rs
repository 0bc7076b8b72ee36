//! Reading a field between its samples by cubics: monotone, cut to the range of what is around, or
//! Catmull and Rom's.

use super::sample::{LANES, Lattice, Located, corners, in_a_row, least, linear, most};
use crate::Real;

/// What keeps a cubic interpolant from making new extrema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Slopes limited along each axis, so that the interpolant is monotone between samples.
    Monotone,
    /// The result cut to the range of the 2ᴰ samples around.
    Range,
    /// Nothing.
    None,
}

impl Limit {
    /// The cubic through four samples, at the fraction `f` between the inner two.
    #[inline(always)]
    fn line<T: Real>(self, v: [T; 4], f: T) -> T {
        match self {
            Self::Monotone => monotone_cubic(v, f),
            Self::Range | Self::None => catmull_rom(v, f),
        }
    }
}

/// Samples of as many places as fill the lanes: the n-th along x for each of them.
type Samples<T> = [[T; LANES]; 4];

impl<T: Real, const D: usize> Lattice<T, D> {
    /// The cubic interpolants at the first `out.len()` places of a block.
    ///
    /// Away from sides the samples of eight places are first collected, from slices where they read
    /// neighbouring ones; the same bits as one by one.
    #[inline(always)]
    pub(crate) fn cubic_block(
        &self,
        data: &[T],
        located: &Located<T, D>,
        limit: Limit,
        out: &mut [T],
    ) {
        let count = out.len();
        let mut first = 0;
        while first < count {
            let len = (count - first).min(LANES);
            let out = &mut out[first..first + len];
            if len == LANES && self.all_inside(located, first) {
                self.eight_cubics(data, located, first, limit, out);
            } else {
                for (n, out) in out.iter_mut().enumerate() {
                    *out = self.cubic(data, located, first + n, limit);
                }
            }
            first += len;
        }
    }

    /// Whether the cubics of eight places read samples alone, as they lie in memory.
    #[inline(always)]
    fn all_inside(&self, located: &Located<T, D>, first: usize) -> bool {
        let mut outside = 0;
        for a in 0..D {
            let axis = &self.axes[a];
            let (lo, hi) = (axis.reach[0], axis.reach[1] - 2);
            let (lo, hi) =
                if axis.period > 0 { (lo, hi) } else { (lo.max(0), hi.min(axis.outermost - 1)) };
            let base = &located.base[a][first..first + LANES];
            for n in 0..LANES {
                outside |= u32::from(base[n] <= lo) | u32::from(base[n] > hi);
            }
        }
        outside == 0
    }

    #[inline(always)]
    fn eight_cubics(
        &self,
        data: &[T],
        located: &Located<T, D>,
        first: usize,
        limit: Limit,
        out: &mut [T],
    ) {
        let index = &located.index[first..first + LANES];
        let fraction = |a: usize| &located.fraction[a][first..first + LANES];
        let (fx, fy, fz) = (fraction(0), fraction(1), fraction(D - 1));
        let [sy, sz] = [self.strides[1], self.strides[D - 1]];
        let together = in_a_row(index);
        let zero = [T::zero(); LANES];
        let (mut planes, mut low, mut high) = ([zero; 4], zero, zero);
        for k in 0..if D == 3 { 4 } else { 1 } {
            let mut lines = [zero; 4];
            for (j, line) in lines.iter_mut().enumerate() {
                // From the lower corner of what is read to that of the cell.
                let start = j * sy + if D == 3 { k * sz } else { 0 };
                let corner = 1 + sy + if D == 3 { sz } else { 0 };
                let mut v = [zero; 4];
                collect(data, index, together, (start, corner), &mut v);
                for n in 0..LANES {
                    line[n] = limit.line([v[0][n], v[1][n], v[2][n], v[3][n]], fx[n]);
                }
                if limit == Limit::Range && (1..3).contains(&j) && (D == 2 || (1..3).contains(&k)) {
                    let is_first = j == 1 && (D == 2 || k == 1);
                    widen(&v, is_first, &mut low, &mut high);
                }
            }
            for n in 0..LANES {
                let v = [lines[0][n], lines[1][n], lines[2][n], lines[3][n]];
                planes[k][n] = limit.line(v, fy[n]);
            }
        }
        for n in 0..LANES {
            out[n] = planes[0][n];
            if D == 3 {
                let v = [planes[0][n], planes[1][n], planes[2][n], planes[3][n]];
                out[n] = limit.line(v, fz[n]);
            }
            if limit == Limit::Range {
                out[n] = out[n].at_least(low[n]).at_most(high[n]);
            }
        }
    }

    /// The array indices, less those of the other axes, that a cubic along `axis` reads around the
    /// lower sample `base`.
    #[inline(always)]
    fn cubic_steps(&self, axis: usize, base: i32) -> [i32; 4] {
        let a = &self.axes[axis];
        let stride = self.strides[axis] as i32;
        [-1, 0, 1, 2].map(|step| {
            let i = base + step;
            let i = if a.period > 0 {
                1 + (i - 1).rem_euclid(a.period)
            } else {
                i.max(a.reach[0]).min(a.reach[1])
            };
            i * stride
        })
    }

    /// The cubic interpolant at the place number `n` of a block.
    #[inline(always)]
    pub(crate) fn cubic(&self, data: &[T], located: &Located<T, D>, n: usize, limit: Limit) -> T {
        let base: [i32; D] = core::array::from_fn(|a| located.base[a][n]);
        let fraction: [T; D] = core::array::from_fn(|a| located.fraction[a][n]);
        let (mut inside, mut between_samples) = (true, true);
        for a in 0..D {
            let axis = &self.axes[a];
            inside &= base[a] > axis.reach[0] && base[a] + 2 <= axis.reach[1];
            between_samples &= axis.period > 0 || (base[a] >= 1 && base[a] < axis.outermost);
        }
        if !between_samples {
            // Beside a side the ghost is a mirror image, good for a straight line only.
            return linear(data, self.strides, located.index[n] as usize, fraction);
        }
        let line = |v: [T; 4], f: T| limit.line(v, f);
        let value = if inside {
            let [sy, sz] = [self.strides[1], self.strides[D - 1]];
            let first = located.index[n] as usize - 1 - sy;
            let row = |start: usize| {
                let v = &data[start..start + 4];
                line([v[0], v[1], v[2], v[3]], fraction[0])
            };
            let plane = |start: usize| line([0, 1, 2, 3].map(|k| row(start + k * sy)), fraction[1]);
            if D == 2 {
                plane(first)
            } else {
                line([0, 1, 2, 3].map(|k| plane(first + k * sz - sz)), fraction[D - 1])
            }
        } else {
            let steps: [[i32; 4]; D] = core::array::from_fn(|a| self.cubic_steps(a, base[a]));
            let row =
                |offset: i32| line(steps[0].map(|s| data[(offset + s) as usize]), fraction[0]);
            let plane = |offset: i32| line(steps[1].map(|s| row(offset + s)), fraction[1]);
            if D == 2 { plane(0) } else { line(steps[D - 1].map(plane), fraction[D - 1]) }
        };
        if limit != Limit::Range {
            return value;
        }
        let v = corners(data, self.strides, located.index[n] as usize);
        value.at_least(least(v)).at_most(most(v))
    }
}

/// Collects four samples along x for each of eight places.
#[inline(always)]
fn collect<T: Real>(
    data: &[T],
    index: &[i32],
    together: bool,
    (start, corner): (usize, usize),
    v: &mut Samples<T>,
) {
    if together {
        let run = &data[index[0] as usize + start - corner..][..LANES + 3];
        for i in 0..4 {
            v[i].copy_from_slice(&run[i..i + LANES]);
        }
        return;
    }
    for n in 0..LANES {
        let samples = &data[index[n] as usize + start - corner..][..4];
        for i in 0..4 {
            v[i][n] = samples[i];
        }
    }
}

/// Widens ranges by the inner two of four samples.
#[inline(always)]
fn widen<T: Real>(v: &Samples<T>, is_first: bool, low: &mut [T; LANES], high: &mut [T; LANES]) {
    for n in 0..LANES {
        let (least, most) = (v[1][n].at_most(v[2][n]), v[1][n].at_least(v[2][n]));
        low[n] = if is_first { least } else { low[n].at_most(least) };
        high[n] = if is_first { most } else { high[n].at_least(most) };
    }
}

/// The cubic Hermite interpolant between `v[1]` and `v[2]` with central slopes, limited after
/// Fritsch and Carlson (<https://doi.org/10.1137/0717021>) so that it stays between the two.
#[inline(always)]
pub(crate) fn monotone_cubic<T: Real>(v: [T; 4], f: T) -> T {
    let rise = v[2] - v[1];
    let half = T::of(0.5);
    // A slope against the rise is cut to zero, one above three times the rise to that.
    let limit = |slope: T| {
        let three = rise + rise + rise;
        if rise > T::zero() {
            slope.at_least(T::zero()).at_most(three)
        } else {
            slope.at_most(T::zero()).at_least(three)
        }
    };
    let (m0, m1) = (limit((v[2] - v[0]) * half), limit((v[3] - v[1]) * half));
    hermite(v, m0, m1, f)
}

/// The cubic through four samples with central slopes at the inner two (Catmull–Rom).
#[inline(always)]
fn catmull_rom<T: Real>(v: [T; 4], f: T) -> T {
    let half = T::of(0.5);
    hermite(v, (v[2] - v[0]) * half, (v[3] - v[1]) * half, f)
}

/// The cubic between `v[1]` and `v[2]` with slopes `m0` and `m1` there.
#[inline(always)]
fn hermite<T: Real>(v: [T; 4], m0: T, m1: T, f: T) -> T {
    let rise = v[2] - v[1];
    let (two, three) = (T::of(2.0), T::of(3.0));
    v[1] + f * (m0 + f * (three * rise - two * m0 - m1 + f * (m0 + m1 - two * rise)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boundary, Field, Grid, Location};

    #[test]
    fn the_cubic_is_monotone_and_exact_for_straight_lines() {
        assert_eq!(monotone_cubic([0.0, 1.0, 2.0, 3.0], 0.25_f64), 1.25);
        let mut before = 0.0;
        for n in 0..=100 {
            let v = monotone_cubic([5.0, 0.0, 1.0, -7.0], f64::from(n) / 100.0);
            assert!((0.0..=1.0).contains(&v) && v >= before);
            before = v;
        }
    }

    fn eight_at_once_are_those_one_by_one<const D: usize>(cells: [usize; D]) {
        let grid = Grid::new(cells, 1.0_f32).unwrap();
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f32 / (1_u64 << 24) as f32
        };
        for boundary in [Boundary::walls(), Boundary::periodic()] {
            let mut field = Field::from_fn(grid, |_| random() - 0.5);
            boundary.fill_scalar(&mut field, 0.0, 0.0);
            let lattice = Lattice::new(&grid, Location::Center, &boundary);
            let mut located = Located::new();
            for spread in [0.0, 0.3, 4.0] {
                let shift: [f32; D] = core::array::from_fn(|_| 3.0 * random() - 1.5);
                let paths: [[f32; 16]; D] =
                    core::array::from_fn(|_| core::array::from_fn(|_| spread * random()));
                let at = cells.map(|n| n / 2 - 2);
                lattice.locate_block(at, paths.each_ref().map(|p| &p[..]), shift, &mut located);
                for limit in [Limit::Monotone, Limit::Range, Limit::None] {
                    let mut out = [0.0; 16];
                    lattice.cubic_block(field.as_slice(), &located, limit, &mut out);
                    for (n, out) in out.into_iter().enumerate() {
                        let alone = lattice.cubic(field.as_slice(), &located, n, limit);
                        assert_eq!(out.to_bits(), alone.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn eight_cubics_at_once_are_those_one_by_one() {
        eight_at_once_are_those_one_by_one([40, 12]);
        eight_at_once_are_those_one_by_one([40, 12, 11]);
    }
}
