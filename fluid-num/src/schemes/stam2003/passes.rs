//! The loops of the scheme: ghost values, sweeps, central differences, the back-trace.
//!
//! Lengths are counted in cells: velocities stay in m/s, and the potential φ is kept as φ/h.

use super::Stam2003Boundary;
use crate::base::exec::{Region, Row, RowPass};
use crate::grid::sample::{BLOCK, Lattice, Located, corners};
use crate::{Field, Real};

/// The largest magnitude that the scheme stores, far from what sums of it need to stay finite.
#[inline(always)]
pub(super) fn limit<T: Real>() -> T {
    T::one() / T::NEGLIGIBLE
}

#[inline(always)]
fn limited<T: Real>(v: T) -> T {
    let most = limit::<T>();
    v.at_most(most).at_least(-most)
}

/// Zero for what would soon be subnormal: tails of sweeps fall by a constant factor a cell.
#[inline(always)]
fn cut<T: Real>(v: T) -> T {
    // One test without short cut: a branch on the sign would be mispredicted half of the time.
    if (v <= T::NEGLIGIBLE) & (v >= -T::NEGLIGIBLE) { T::zero() } else { v }
}

/// Sets the ghost layer (`set_bnd`). Walls copy the inner value, or its negative where `normal` is
/// the wall's axis; places beyond two or three walls are the mean of their neighbours beyond one
/// wall less. Periodic sides wrap.
pub(super) fn set_ghosts<T: Real, const D: usize>(
    field: &mut Field<T, D>,
    normal: Option<usize>,
    boundary: Stam2003Boundary,
) {
    // Faces first, then what their ghosts meet in: edges, then corners.
    for walls in 1..=D {
        for code in 0..3_usize.pow(D as u32) {
            let mut rest = code;
            let side: [usize; D] = core::array::from_fn(|_| {
                let digit = rest % 3;
                rest /= 3;
                digit
            });
            if side.iter().filter(|s| **s != 1).count() == walls {
                set_patch(field, side, normal, boundary);
            }
        }
    }
}

/// Sets the ghosts beyond the lower (0) or upper (2) side of the axes of `side` that are not 1.
fn set_patch<T: Real, const D: usize>(
    field: &mut Field<T, D>,
    side: [usize; D],
    normal: Option<usize>,
    boundary: Stam2003Boundary,
) {
    let (cells, strides) = (field.grid().cells(), field.grid().strides());
    let (mut extent, mut step, mut start) = ([1; 3], [0; 3], 0);
    // How far the sources lie after the ghost, wrapping below zero.
    let (mut sources, mut count) = ([0_usize; 3], 0);
    let mut sign = T::one();
    for a in 0..D {
        step[a] = strides[a];
        if side[a] == 1 {
            extent[a] = cells[a];
            start += strides[a];
            continue;
        }
        let upper = side[a] == 2;
        start += if upper { (cells[a] + 1) * strides[a] } else { 0 };
        let reach = match boundary {
            Stam2003Boundary::Walls => strides[a],
            Stam2003Boundary::Periodic => cells[a] * strides[a],
        };
        sources[count] = if upper { reach.wrapping_neg() } else { reach };
        count += 1;
        if normal == Some(a) {
            sign = -sign;
        }
    }
    let data = field.as_mut_slice();
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            let first = start + y * step[1] + z * step[2];
            for at in first..first + extent[0] {
                let value = |n: usize| data[at.wrapping_add(sources[n])];
                data[at] = match (boundary, count) {
                    (Stam2003Boundary::Periodic, _) => value(0),
                    (Stam2003Boundary::Walls, 1) => sign * value(0),
                    (Stam2003Boundary::Walls, 2) => (value(0) + value(1)) * T::of(0.5),
                    (Stam2003Boundary::Walls, _) => (value(0) + value(1) + value(2)) / T::of(3.0),
                };
            }
        }
    }
}

/// x + Δt·s, kept below [`limit`].
pub(super) struct Add<'a, T> {
    pub(super) rate: &'a [T],
    pub(super) dt: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Add<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let rate = row.of(self.rate);
        for i in 0..out.len() {
            out[i] = limited(out[i] + self.dt * rate[i]);
        }
    }
}

/// x·factor, kept below [`limit`].
pub(super) struct Scale<T>(pub(super) T);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Scale<T> {
    #[inline(always)]
    fn row(&self, _: Row<D>, [out]: [&mut [T]; 1]) {
        for v in out {
            *v = limited(*v * self.0);
        }
    }
}

/// One sweep out of place, with Σ over the 2·D neighbours of x: b + w·Σ(x − b) where `DIFFUSE`,
/// which keeps a constant to the last bit, else w·(b + Σx).
pub(super) struct Relax<'a, T, const D: usize, const DIFFUSE: bool> {
    pub(super) x: &'a [T],
    pub(super) b: &'a [T],
    pub(super) strides: [usize; D],
    pub(super) weight: T,
}

impl<T: Real, const D: usize, const DIFFUSE: bool> RowPass<T, D, 1> for Relax<'_, T, D, DIFFUSE> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (b, w, s) = (row.of(self.b), self.weight, self.strides);
        let (x0, x1) = (row.before(self.x, 1), row.after(self.x, 1));
        let (y0, y1) = (row.before(self.x, s[1]), row.after(self.x, s[1]));
        // Opposite neighbours are added first: the sum is the same bits in a mirror.
        let plane = |i: usize, c: T| ((x0[i] - c) + (x1[i] - c)) + ((y0[i] - c) + (y1[i] - c));
        let result = |b: T, sum: T| cut(if DIFFUSE { b + w * sum } else { w * (b + sum) });
        let centre = |i: usize| if DIFFUSE { b[i] } else { T::zero() };
        if D == 2 {
            for i in 0..out.len() {
                out[i] = result(b[i], plane(i, centre(i)));
            }
        } else {
            let (z0, z1) = (row.before(self.x, s[D - 1]), row.after(self.x, s[D - 1]));
            for i in 0..out.len() {
                let c = centre(i);
                out[i] = result(b[i], plane(i, c) + ((z0[i] - c) + (z1[i] - c)));
            }
        }
    }
}

/// The number of rows that a Gauss–Seidel sweep walks side by side, and how many cells each stays
/// behind the one below it.
const FRONT: usize = 4;
const LAG: usize = 2;

/// One lexicographic Gauss–Seidel sweep of what [`Relax`] iterates.
///
/// Rows are walked [`FRONT`] at a time, each [`LAG`] cells behind the one below it. Every cell still
/// sees new values before it and old values behind it, so the result is that of the plain order;
/// the chains of dependent operations of the rows overlap.
pub(super) fn gauss_seidel<T: Real, const D: usize, const DIFFUSE: bool>(
    x: &mut [T],
    b: &[T],
    region: &Region<D>,
    weight: T,
) {
    let (strides, width) = (region.strides, region.len(0));
    let rows_in_plane = region.len(1);
    let fronts = (0..region.rows()).filter(|n| (n % rows_in_plane).is_multiple_of(FRONT));
    for n in fronts {
        let count = FRONT.min(rows_in_plane - n % rows_in_plane);
        let start = region.row(n).start;
        let mut left = [T::zero(); FRONT];
        for r in 0..count {
            left[r] = x[start + r * strides[1] - 1];
        }
        let mut relax = |left: &mut T, place: usize| {
            *left = relaxed::<T, D, DIFFUSE>(x, b, place, *left, strides, weight);
            x[place] = *left;
        };
        let behind = strides[1] - LAG;
        let inner = (FRONT - 1) * LAG;
        for t in 0..width + (count - 1) * LAG {
            let at = start + t;
            if count == FRONT && (inner..width).contains(&t) {
                for r in 0..FRONT {
                    relax(&mut left[r], at + r * behind);
                }
            } else {
                for r in 0..count {
                    if t >= r * LAG && t - r * LAG < width {
                        relax(&mut left[r], at + r * behind);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn relaxed<T: Real, const D: usize, const DIFFUSE: bool>(
    x: &[T],
    b: &[T],
    at: usize,
    left: T,
    strides: [usize; D],
    w: T,
) -> T {
    let b = b[at];
    let c = if DIFFUSE { b } else { T::zero() };
    let mut rest = (x[at + 1] - c) + ((x[at - strides[1]] - c) + (x[at + strides[1]] - c));
    if D == 3 {
        rest += (x[at - strides[D - 1]] - c) + (x[at + strides[D - 1]] - c);
    }
    let known = if DIFFUSE { b + w * rest } else { w * (b + rest) };
    // The neighbour before this cell comes last: it is the one that the loop waits for.
    cut(known + w * (left - c))
}

/// b + Σp − 2·D·p: what the pressure equation is short of.
pub(super) struct Shortfall<'a, T, const D: usize> {
    pub(super) p: &'a [T],
    pub(super) b: &'a [T],
    pub(super) strides: [usize; D],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Shortfall<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let out = &mut out[..row.len];
        out.copy_from_slice(row.of(self.b));
        let p = row.of(self.p);
        for stride in self.strides {
            let (below, above) = (row.before(self.p, stride), row.after(self.p, stride));
            for i in 0..row.len {
                out[i] += (below[i] - p[i]) + (above[i] - p[i]);
            }
        }
    }
}

/// scale·Σ over axes of (u_{i+1} − u_{i−1}): the wide divergence.
pub(super) struct WideDivergence<'a, T, const D: usize> {
    pub(super) u: [&'a [T]; D],
    pub(super) strides: [usize; D],
    pub(super) scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for WideDivergence<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, s, scale) = (&mut out[..row.len], self.strides, self.scale);
        let (x0, x1) = (row.before(self.u[0], 1), row.after(self.u[0], 1));
        let (y0, y1) = (row.before(self.u[1], s[1]), row.after(self.u[1], s[1]));
        if D == 2 {
            for i in 0..row.len {
                out[i] = ((x1[i] - x0[i]) + (y1[i] - y0[i])) * scale;
            }
        } else {
            let w = self.u[D - 1];
            let (z0, z1) = (row.before(w, s[D - 1]), row.after(w, s[D - 1]));
            for i in 0..row.len {
                let flow = (x1[i] - x0[i]) + (y1[i] - y0[i]) + (z1[i] - z0[i]);
                out[i] = flow * scale;
            }
        }
    }
}

/// u − ½(p_{i+1} − p_{i−1}), kept below [`limit`].
pub(super) struct SubtractSlope<'a, T> {
    pub(super) p: &'a [T],
    pub(super) stride: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for SubtractSlope<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (below, above) = (row.before(self.p, self.stride), row.after(self.p, self.stride));
        let half = T::of(0.5);
        for i in 0..out.len() {
            out[i] = limited(out[i] - half * (above[i] - below[i]));
        }
    }
}

/// Each of `from` at the place that the velocity came from, by linear interpolation.
pub(super) struct Advect<'a, T, const D: usize, const N: usize> {
    pub(super) from: [&'a [T]; N],
    pub(super) velocity: [&'a [T]; D],
    pub(super) lattice: Lattice<T, D>,
    pub(super) strides: [usize; D],
    /// −Δt/h.
    pub(super) scale: T,
}

impl<T: Real, const D: usize, const N: usize> RowPass<T, D, N> for Advect<'_, T, D, N> {
    #[inline(always)]
    fn row(&self, row: Row<D>, mut out: [&mut [T]; N]) {
        let mut located = Located::new();
        let mut shift = [[T::zero(); BLOCK]; D];
        let mut v = [[T::zero(); BLOCK]; 8];
        for first in (0..row.len).step_by(BLOCK) {
            let count = BLOCK.min(row.len - first);
            for a in 0..D {
                let u = &row.of(self.velocity[a])[first..][..count];
                for n in 0..count {
                    shift[a][n] = u[n] * self.scale;
                }
            }
            let mut at = row.at;
            at[0] += first;
            let shifts = shift.each_ref().map(|s| &s[..count]);
            self.lattice.locate_block(at, shifts, [T::zero(); D], &mut located);
            for (from, out) in self.from.iter().zip(&mut out) {
                for n in 0..count {
                    let c = corners(from, self.strides, located.index[n] as usize);
                    for k in 0..1 << D {
                        v[k][n] = c[k];
                    }
                }
                let out = &mut out[first..][..count];
                let f = located.fraction.each_ref().map(|f| &f[..count]);
                let plane = |n: usize, k: usize| {
                    mix(
                        mix(v[k][n], v[k + 1][n], f[0][n]),
                        mix(v[k + 2][n], v[k + 3][n], f[0][n]),
                        f[1][n],
                    )
                };
                for n in 0..count {
                    out[n] = cut(if D == 2 {
                        plane(n, 0)
                    } else {
                        mix(plane(n, 0), plane(n, 4), f[D - 1][n])
                    });
                }
            }
        }
    }
}

/// a + f·(b − a), from the nearer end: rounding never carries it outside [a, b].
#[inline(always)]
fn mix<T: Real>(a: T, b: T, f: T) -> T {
    let rise = b - a;
    let (up, down) = (a + f * rise, b - (T::one() - f) * rise);
    if f < T::of(0.5) { up } else { down }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_never_leaves_the_interval_and_is_the_same_in_a_mirror() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f32 / (1_u64 << 24) as f32
        };
        for _ in 0..100_000 {
            // Quarters of a power of two: 1 − f is exact.
            let (a, b) = (random() - 0.3, 10.0 * random());
            let f = (random() * 1024.0).floor() / 1024.0;
            for f in [f, 1.0, 1.0 - f32::EPSILON / 2.0] {
                let v = mix(a, b, f);
                assert!(v >= a.min(b) && v <= a.max(b), "{a} {b} {f}: {v}");
                if f != 0.5 {
                    assert_eq!(v, mix(b, a, 1.0 - f));
                }
            }
        }
    }

    #[test]
    fn the_wave_front_gives_the_bits_of_the_plain_order() {
        for (nx, ny) in [(1, 1), (2, 7), (13, 4), (9, 10), (3, 3)] {
            let grid = crate::Grid::new([nx, ny, 3], 1.0_f64).unwrap();
            let b = Field::from_fn(grid, |[x, y, z]| (x * 3.7 + y * y * 0.3 - z) % 1.3);
            let mut front = Field::from_fn(grid, |[x, y, z]| (x * y + z) % 0.7);
            set_ghosts(&mut front, None, Stam2003Boundary::Walls);
            let mut plain = front.clone();
            let (s, w) = (grid.strides(), 0.13);
            gauss_seidel::<_, 3, true>(front.as_mut_slice(), b.as_slice(), &grid.interior(), w);
            for z in 0..3 {
                for y in 0..ny {
                    for x in 0..nx {
                        let at = grid.index([x, y, z]);
                        let data = plain.as_mut_slice();
                        let left = data[at - 1];
                        data[at] = relaxed::<_, 3, true>(data, b.as_slice(), at, left, s, w);
                    }
                }
            }
            assert_eq!(front, plain);
        }
    }

    #[test]
    fn corners_are_means_of_their_neighbours_in_2d_and_3d() {
        let grid = crate::Grid::new([3, 2], 1.0_f64).unwrap();
        let mut f = Field::from_fn(grid, |[x, y]| 1.0 + x + 10.0 * y);
        let (sx, sy) = (1, grid.strides()[1]);
        set_ghosts(&mut f, Some(0), Stam2003Boundary::Walls);
        let d = f.as_slice();
        assert_eq!(d[sy], -d[sy + 1]); // normal component: odd about the wall in x
        assert_eq!(d[sx], d[sx + sy]); // tangential: even about the wall in y
        assert_eq!(d[0], 0.5 * (d[sx] + d[sy]));
        let top = 3 * sy + 4;
        assert_eq!(d[top], 0.5 * (d[top - sx] + d[top - sy]));

        let grid = crate::Grid::new([3, 2, 2], 1.0_f64).unwrap();
        let mut f = Field::from_fn(grid, |[x, y, z]| 1.0 + x + 10.0 * y + 100.0 * z);
        let (sy, sz) = (grid.strides()[1], grid.strides()[2]);
        set_ghosts(&mut f, Some(2), Stam2003Boundary::Walls);
        let d = f.as_slice();
        assert_eq!(d[1 + sy], -d[1 + sy + sz]);
        assert_eq!(d[sz], 0.5 * (d[1 + sz] + d[sy + sz])); // an edge
        assert_eq!(d[0], (d[1] + d[sy] + d[sz]) / 3.0); // a corner
    }

    #[test]
    fn periodic_ghosts_wrap_in_the_corners_too() {
        let grid = crate::Grid::new([3, 2, 4], 1.0_f64).unwrap();
        let mut f = Field::from_fn(grid, |[x, y, z]| x + 10.0 * y + 100.0 * z);
        set_ghosts(&mut f, Some(1), Stam2003Boundary::Periodic);
        assert_eq!(f.as_slice()[0], f[[2, 1, 3]]);
        let far = grid.index([2, 1, 3]) + 1 + grid.strides()[1] + grid.strides()[2];
        assert_eq!(f.as_slice()[far], f[[0, 0, 0]]);
        assert_eq!(f.as_slice()[grid.index([2, 1, 0]) + 1], f[[0, 1, 0]]);
    }
}
