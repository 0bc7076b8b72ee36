//! Reading a field between its samples: where a position lies, clamped or wrapped, and the linear
//! interpolant.
//!
//! Positions are given as a displacement, in cells, from a place of the lattice. The whole and the
//! fractional part are split from the displacement alone, so that the weights keep their precision
//! far from the origin, and a displacement of zero gives back the very value.

use super::{Boundary, Grid, Location, Side};
use crate::Real;

/// The number of positions that are located together, so that the arithmetic fills the lanes.
pub(crate) const BLOCK: usize = 64;

/// Where the samples of one axis lie, in storage indices, and how far positions reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis<T> {
    lo: T,
    hi: T,
    /// The uppermost sample; the lowest is 1.
    pub(super) outermost: i32,
    /// Whether the upper ghost mirrors a value on the side.
    mirrored: bool,
    /// The largest index that a lower sample may have.
    last: i32,
    /// The smallest and the largest index that a cubic may read.
    pub(super) reach: [i32; 2],
    /// The number of cells of a periodic axis, else 0.
    pub(super) period: i32,
}

/// The samples at one location of a grid, and what lies beyond them.
#[derive(Debug, Clone, Copy)]
pub struct Lattice<T, const D: usize> {
    pub(super) axes: [Axis<T>; D],
    pub(super) strides: [usize; D],
    origin: [T; D],
    dx: T,
    /// What to add to (position − origin)/dx for a storage index.
    offset: [T; D],
}

/// Up to [`BLOCK`] located positions: the lower sample along each axis, its array index, and the
/// fractions.
#[derive(Debug, Clone)]
pub(crate) struct Located<T, const D: usize> {
    pub(crate) index: [i32; BLOCK],
    pub(super) base: [[i32; BLOCK]; D],
    pub(crate) fraction: [[T; BLOCK]; D],
}

impl<T: Real, const D: usize> Located<T, D> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { index: [0; BLOCK], base: [[0; BLOCK]; D], fraction: [[T::zero(); BLOCK]; D] }
    }
}

impl<T: Real, const D: usize> Lattice<T, D> {
    /// The lattice of `location` whose positions end at the sides of the domain, where ghosts give
    /// the value, and wrap on periodic axes.
    pub fn new(grid: &Grid<T, D>, location: Location, boundary: &Boundary<T, D>) -> Self {
        let mut lattice = Self::clamped(grid, location);
        for a in 0..D {
            let n = grid.cells()[a] as i32;
            let axis = &mut lattice.axes[a];
            if boundary.is_periodic(a) {
                axis.period = n;
                axis.last = n;
            } else if location != Location::Face(a) {
                axis.lo = T::of(0.5);
                axis.hi = T::of_index(n) + T::of(0.5);
                axis.last = n;
                axis.reach = [0, n + 1];
                let upper = &boundary.sides[a][1];
                axis.mirrored = matches!(upper, Side::Open | Side::Inflow { .. });
            }
        }
        lattice
    }

    /// The lattice of `location` whose positions end at the outermost samples; reads no ghosts.
    pub fn clamped(grid: &Grid<T, D>, location: Location) -> Self {
        let axes = core::array::from_fn(|a| {
            let n = grid.cells()[a] as i32;
            let upper = if location == Location::Face(a) { n + 1 } else { n };
            let last = (upper - 1).max(1);
            let (lo, hi) = (T::one(), T::of_index(upper));
            Axis { lo, hi, outermost: upper, mirrored: false, last, reach: [1, upper], period: 0 }
        });
        let offset =
            core::array::from_fn(
                |a| {
                    if location == Location::Face(a) { T::one() } else { T::of(0.5) }
                },
            );
        Self { axes, strides: grid.strides(), origin: grid.origin(), dx: grid.dx(), offset }
    }

    /// The lattice of cell centres for what is pushed: it ends at the outermost centres beside
    /// walls, and reaches into the ghost layer, where things are gone, beside the other sides.
    pub(crate) fn conserving(grid: &Grid<T, D>, boundary: &Boundary<T, D>) -> Self {
        let mut lattice = Self::new(grid, Location::Center, boundary);
        for a in 0..D {
            let axis = &mut lattice.axes[a];
            let wall =
                |end: usize| !matches!(boundary.sides[a][end], Side::Open | Side::Inflow { .. });
            if axis.period == 0 {
                let n = grid.cells()[a] as i32;
                axis.lo = if wall(0) { T::one() } else { T::zero() };
                axis.hi = T::of_index(if wall(1) { n } else { n + 1 });
            }
        }
        lattice
    }

    /// The linear interpolant at a world position.
    #[inline]
    pub fn linear_at(&self, data: &[T], position: [T; D]) -> T {
        let (mut index, mut fraction) = (0, [T::zero(); D]);
        for a in 0..D {
            let x = (position[a] - self.origin[a]) / self.dx + self.offset[a];
            let (base, f) = self.axes[a].locate(0, x);
            index += base * self.strides[a] as i32;
            fraction[a] = f;
        }
        linear(data, self.strides, index as usize, fraction)
    }

    /// The lower sample and the fraction of a place displaced from storage indices `at`.
    #[inline(always)]
    pub(crate) fn locate(&self, at: [usize; D], displacement: [T; D]) -> (usize, [T; D]) {
        let (mut index, mut fraction) = (0, [T::zero(); D]);
        for a in 0..D {
            let (base, f) = self.axes[a].locate(at[a] as i32, displacement[a]);
            index += base * self.strides[a] as i32;
            fraction[a] = f;
        }
        (index as usize, fraction)
    }

    /// Locates up to [`BLOCK`] consecutive places from storage indices `at`, each displaced by
    /// `displacement[axis][n] + shift[axis]`.
    #[inline(always)]
    pub(crate) fn locate_block(
        &self,
        at: [usize; D],
        displacement: [&[T]; D],
        shift: [T; D],
        located: &mut Located<T, D>,
    ) {
        let count = displacement[0].len().min(BLOCK);
        for a in 0..D {
            let axis = self.axes[a];
            let stride = self.strides[a] as i32;
            let from = &displacement[a][..count];
            let base = &mut located.base[a][..count];
            let fraction = &mut located.fraction[a][..count];
            let (step, first) = (i32::from(a == 0), at[a] as i32);
            if axis.period == 0 {
                for n in 0..count {
                    let i = first + step * n as i32;
                    (base[n], fraction[n]) = axis.locate_clamped(i, from[n] + shift[a]);
                }
            } else {
                for n in 0..count {
                    let i = first + step * n as i32;
                    (base[n], fraction[n]) = axis.locate_wrapped(i, from[n] + shift[a]);
                }
            }
            let index = &mut located.index[..count];
            for n in 0..count {
                let before = if a == 0 { 0 } else { index[n] };
                index[n] = before + base[n] * stride;
            }
        }
    }

    /// Whether each of up to [`BLOCK`] displaced places lies between samples, ghosts excluded.
    #[inline(always)]
    pub(crate) fn within_samples(
        &self,
        at: [usize; D],
        displacement: [&[T]; D],
        inside: &mut [bool; BLOCK],
    ) {
        let count = displacement[0].len().min(BLOCK);
        *inside = [true; BLOCK];
        for a in 0..D {
            let axis = &self.axes[a];
            if axis.period > 0 {
                continue;
            }
            // A path that ends on the uppermost sample itself would read the ghost beyond.
            let margin = if axis.mirrored { T::of(1e-6) } else { T::zero() };
            let (lo, hi) = (T::one(), T::of_index(axis.outermost));
            let (step, first) = (i32::from(a == 0), at[a] as i32);
            for n in 0..count {
                let i = T::of_index(first + step * n as i32);
                let s = displacement[a][n];
                inside[n] &= s >= lo - i && s <= hi - i - margin;
            }
        }
    }
}

/// The number of places that are read together.
pub(super) const LANES: usize = 8;

/// The linear interpolants at the first `out.len()` places of a block.
///
/// Where the fluid moves alike, neighbouring places read neighbouring samples, and a whole run of
/// them comes from slices; elsewhere the samples are first collected, pair by pair, so that the
/// arithmetic on them fills the lanes. Both ways give the same bits.
#[inline(always)]
pub(crate) fn linear_block<T: Real, const D: usize>(
    data: &[T],
    strides: [usize; D],
    located: &Located<T, D>,
    out: &mut [T],
) {
    let count = out.len().min(BLOCK);
    let [fx, fy, fz] = [&located.fraction[0], &located.fraction[1], &located.fraction[D - 1]];
    let (sy, sz) = (strides[1], strides[D - 1]);
    let mut first = 0;
    while first < count {
        let len = (count - first).min(LANES);
        let index = &located.index[first..first + len];
        let out = &mut out[first..first + len];
        let f = [&fx[first..first + len], &fy[first..first + len], &fz[first..first + len]];
        let start = index[0] as usize;
        if len == LANES && in_a_row(index) {
            let pair = |from: usize| {
                let run = &data[from..from + LANES + 1];
                [&run[..LANES], &run[1..]]
            };
            let (a, b) = (pair(start), pair(start + sy));
            if D == 2 {
                for n in 0..LANES {
                    let (a, b) = ([a[0][n], a[1][n]], [b[0][n], b[1][n]]);
                    out[n] = bilinear(a, b, f[0][n], f[1][n]);
                }
            } else {
                let (c, d) = (pair(start + sz), pair(start + sz + sy));
                for n in 0..LANES {
                    let (a, b) = ([a[0][n], a[1][n]], [b[0][n], b[1][n]]);
                    let (c, d) = ([c[0][n], c[1][n]], [d[0][n], d[1][n]]);
                    let lower = bilinear(a, b, f[0][n], f[1][n]);
                    out[n] = lerp(lower, bilinear(c, d, f[0][n], f[1][n]), f[2][n]);
                }
            }
        } else {
            let mut pairs = [[[T::zero(); 2]; LANES]; 4];
            let steps = [0, sy, sz, sy + sz];
            for n in 0..len {
                let index = index[n] as usize;
                for k in 0..2 * (D - 1) {
                    let pair = &data[index + steps[k]..][..2];
                    pairs[k][n] = [pair[0], pair[1]];
                }
            }
            for n in 0..len {
                let [a, b, c, d] = [pairs[0][n], pairs[1][n], pairs[2][n], pairs[3][n]];
                let lower = bilinear(a, b, f[0][n], f[1][n]);
                out[n] = if D == 2 {
                    lower
                } else {
                    lerp(lower, bilinear(c, d, f[0][n], f[1][n]), f[2][n])
                };
            }
        }
        first += len;
    }
}

/// Whether every index is one more than that before it.
#[inline(always)]
pub(super) fn in_a_row(index: &[i32]) -> bool {
    let mut apart = 0;
    for n in 0..index.len() {
        apart |= index[n].wrapping_sub(index[0]) ^ n as i32;
    }
    apart == 0
}

#[inline(always)]
fn bilinear<T: Real>(a: [T; 2], b: [T; 2], fx: T, fy: T) -> T {
    lerp(lerp(a[0], a[1], fx), lerp(b[0], b[1], fx), fy)
}

impl<T: Real> Axis<T> {
    #[inline(always)]
    fn locate(&self, i: i32, s: T) -> (i32, T) {
        if self.period == 0 { self.locate_clamped(i, s) } else { self.locate_wrapped(i, s) }
    }

    /// The lower sample and the fraction of the place `s` cells from `i`, moved into the domain.
    #[inline(always)]
    fn locate_clamped(&self, i: i32, s: T) -> (i32, T) {
        let at = T::of_index(i);
        let s = s.at_least(self.lo - at).at_most(self.hi - at);
        let whole = s.floor_index().min(self.last - i);
        (i + whole, s - T::of_index(whole))
    }

    /// The same on a periodic axis. A displacement of many periods keeps only what precision it
    /// has left.
    #[inline(always)]
    fn locate_wrapped(&self, i: i32, s: T) -> (i32, T) {
        let far = T::of(2_097_152.0);
        let s = s.at_least(-far).at_most(far);
        let turns = (s / T::of_index(self.period)).floor_index();
        let s = s - T::of_index(turns * self.period);
        let whole = s.floor_index();
        let mut base = i + whole;
        for _ in 0..2 {
            base = if base < 1 { base + self.period } else { base };
            base = if base > self.period { base - self.period } else { base };
        }
        (base, s - T::of_index(whole))
    }
}

#[inline(always)]
pub(crate) fn lerp<T: Real>(a: T, b: T, f: T) -> T {
    a + f * (b - a)
}

/// The values at the 2ᴰ samples around a place: bit `a` of the position says upper along axis `a`.
#[inline(always)]
pub(crate) fn corners<T: Real, const D: usize>(
    data: &[T],
    strides: [usize; D],
    index: usize,
) -> [T; 8] {
    let lower = &data[index..][..strides[1] + 2];
    let (a, b, c, d) = (lower[0], lower[1], lower[strides[1]], lower[strides[1] + 1]);
    if D == 2 {
        return [a, b, c, d, a, b, c, d];
    }
    let upper = &data[index + strides[D - 1]..][..strides[1] + 2];
    [a, b, c, d, upper[0], upper[1], upper[strides[1]], upper[strides[1] + 1]]
}

/// The smallest of 2ᴰ corner values.
#[inline(always)]
pub(crate) fn least<T: Real>(v: [T; 8]) -> T {
    let [a, b, c, d] = [0, 2, 4, 6].map(|n| v[n].at_most(v[n + 1]));
    a.at_most(b).at_most(c.at_most(d))
}

/// The largest of 2ᴰ corner values.
#[inline(always)]
pub(crate) fn most<T: Real>(v: [T; 8]) -> T {
    let [a, b, c, d] = [0, 2, 4, 6].map(|n| v[n].at_least(v[n + 1]));
    a.at_least(b).at_least(c.at_least(d))
}

/// The linear interpolant of 2ᴰ corner values.
#[inline(always)]
pub(crate) fn blend<T: Real, const D: usize>(v: [T; 8], f: [T; D]) -> T {
    let lower = lerp(lerp(v[0], v[1], f[0]), lerp(v[2], v[3], f[0]), f[1]);
    if D == 2 {
        return lower;
    }
    lerp(lower, lerp(lerp(v[4], v[5], f[0]), lerp(v[6], v[7], f[0]), f[1]), f[D - 1])
}

/// The linear interpolant at a located place.
#[inline(always)]
pub(crate) fn linear<T: Real, const D: usize>(
    data: &[T],
    strides: [usize; D],
    index: usize,
    fraction: [T; D],
) -> T {
    blend(corners(data, strides, index), fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::cubic::Limit;
    use crate::{Faces, Field};

    #[test]
    fn a_displacement_of_zero_gives_back_the_value_in_every_corner() {
        let grid = Grid::new([5, 4], 1.0_f32).unwrap();
        let field = Field::from_fn(grid, |[x, y]| x * 0.3 + y * y);
        for boundary in [Boundary::walls(), Boundary::periodic()] {
            let lattice = Lattice::new(&grid, Location::Center, &boundary);
            for cell in [[0, 0], [4, 0], [0, 3], [4, 3], [2, 1]] {
                let (index, f) = lattice.locate(cell.map(|i| i + 1), [0.0; 2]);
                assert_eq!(linear(field.as_slice(), grid.strides(), index, f), field[cell]);
                let mut located = Located::new();
                let at = cell.map(|i| i + 1);
                lattice.locate_block(at, [&[0.0]; 2], [0.0; 2], &mut located);
                for limit in [Limit::Monotone, Limit::Range, Limit::None] {
                    let value = lattice.cubic(field.as_slice(), &located, 0, limit);
                    assert_eq!(value, field[cell]);
                }
            }
        }
    }

    #[test]
    fn positions_beyond_a_wall_read_the_value_at_the_wall() {
        let grid = Grid::new([4, 4], 1.0_f64).unwrap();
        let boundary = Boundary::walls();
        let mut field = Field::from_fn(grid, |[x, y]| x + 10.0 * y);
        boundary.fill_scalar(&mut field, 0.0, 0.0);
        let lattice = Lattice::new(&grid, Location::Center, &boundary);
        for far in [-0.8, -5.0, f64::NEG_INFINITY, -1e300] {
            let (index, f) = lattice.locate([1, 1], [far, far]);
            assert_eq!(linear(field.as_slice(), grid.strides(), index, f), field[[0, 0]]);
        }
        for far in [0.8, 5.0, f64::INFINITY, 1e300] {
            let (index, f) = lattice.locate([4, 4], [far, far]);
            assert_eq!(linear(field.as_slice(), grid.strides(), index, f), field[[3, 3]]);
        }
    }

    #[test]
    fn periodic_positions_wrap_over_any_number_of_turns() {
        let grid = Grid::new([7, 3], 1.0_f64).unwrap();
        let boundary = Boundary::periodic();
        let mut field = Field::from_fn(grid, |[x, y]| x + 100.0 * y);
        boundary.fill_scalar(&mut field, 0.0, 0.0);
        let lattice = Lattice::new(&grid, Location::Center, &boundary);
        for turns in [-1000_i32, -3, -1, 0, 1, 2, 999] {
            for step in 0..7 {
                let s = f64::from(turns * 7 + step);
                let (index, f) = lattice.locate([1, 2], [s, 3.0 * f64::from(turns)]);
                let value = linear(field.as_slice(), grid.strides(), index, f);
                assert_eq!(value, field[[step as usize, 1]]);
            }
        }
    }

    #[test]
    fn linear_fields_are_sampled_exactly_on_all_sides_of_a_staggered_grid() {
        let grid = Grid::new([8, 8], 0.25_f64).unwrap();
        let faces = Faces::from_fn(grid, |[x, y]| [x + 2.0 * y, 3.0 * x - y]);
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..1000 {
            let (x, y) = (2.0 * random(), 2.0 * random());
            // Outside the hull of a component's samples its outermost sample counts.
            let inside = |v: f64| v.clamp(0.125, 1.875);
            let [u, v] = faces.sample([x, y]);
            assert!((u - (x + 2.0 * inside(y))).abs() < 1e-12);
            assert!((v - (3.0 * inside(x) - y)).abs() < 1e-12);
        }
    }
}
