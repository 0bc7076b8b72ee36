//! The distance of the cells that the interface passes: those with a neighbour, also one at a corner,
//! on its other side.
//!
//! ```text
//! φ(x − s n) ≈ φ − s |∇φ| + ½ s² nᵀ∇∇φ n = 0        n = ∇φ/|∇φ|
//! ```
//! One-sided differences of second order, whose second differences are the smaller of two
//! neighbouring ones (essentially non-oscillatory, Shu and Osher 1988), give ∇φ in each of the 2ᴰ
//! quadrants around a cell. Where φ is smooth all agree. Beside a corner or between two surfaces
//! they do not, and what lies between their distances is as good as any: there a distance stays what
//! it is, while a formula that sees nothing but the places where the interface cuts the grid would
//! round the corner, each time anew.

use alloc::vec::Vec;

use super::halo::Halo;
use crate::Real;
use crate::base::exec::{self, Row, RowPass};

/// More than any distance, in cells; its square is still a number.
pub(super) const LARGE: f64 = 1e10;
/// No point.
pub(super) const NONE: u32 = u32::MAX;
/// What a distance beside the interface may be off before it is replaced, in cells. Less than this
/// is not worth moving the interface for, and makes a second call change nothing.
const TOLERANCE: f64 = 0.01;
/// The number of places whose signs are looked at together.
const BLOCK: usize = 16;

/// A cell beside the interface.
#[derive(Debug, Clone, Copy)]
struct Hit<T, const D: usize> {
    /// Its signed distance, in cells.
    distance: T,
    /// The unit vector away from the inside.
    normal: [T; D],
}

/// Writes the distance of every cell beside the interface, and ± [`LARGE`] elsewhere.
pub(super) fn measure<T: Real, const D: usize>(halo: &Halo<T, D>, phi: &[T], out: &mut [T]) {
    let pass = Measure { halo, phi };
    exec::rows(&halo.interior(), [&mut *out], &pass);
    let large = T::of(LARGE);
    halo.fill_ghosts(out, |value| if value < T::zero() { -large } else { large });
}

struct Measure<'a, T, const D: usize> {
    halo: &'a Halo<T, D>,
    phi: &'a [T],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Measure<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let s = self.halo.strides;
        let large = T::of(LARGE);
        for first in (0..row.len).step_by(BLOCK) {
            let count = BLOCK.min(row.len - first);
            let start = row.start + first;
            let here = &self.phi[start..start + count];
            let out = &mut out[first..first + count];
            let (mut positive, mut negative) = (true, true);
            for offset in 0..3_usize.pow(D as u32 - 1) {
                let beside = moved(start, &s[1..], offset);
                for v in &self.phi[beside - 1..=beside + count] {
                    positive &= *v >= T::zero();
                    negative &= *v < T::zero();
                }
            }
            for i in 0..count {
                let far = if here[i] < T::zero() { -large } else { large };
                let crossed = !(positive || negative) && is_crossed(self.phi, s, start + i);
                out[i] = if crossed { hit(self.phi, s, start + i).distance } else { far };
            }
        }
    }
}

/// The place displaced from `i` by the digits of `offset` to base 3: down, level or up for each
/// stride.
#[inline(always)]
fn moved(i: usize, strides: &[usize], offset: usize) -> usize {
    let (mut place, mut rest) = (i, offset);
    for s in strides {
        place = place + rest % 3 * s - s;
        rest /= 3;
    }
    place
}

/// The points of the interface that are nearest to the cells beside it.
#[derive(Debug, Clone)]
pub(super) struct Feet<T, const D: usize> {
    /// The cells beside the interface.
    pub(super) cells: Vec<u32>,
    /// The point nearest to each of them, in places of the layout.
    pub(super) points: Vec<[T; D]>,
    /// Whether it is a corner or on an edge.
    pub(super) sharp: Vec<bool>,
    hits: Vec<Hit<T, D>>,
}

/// The share of the variance of neighbouring normals that the second direction has, from which on the
/// interface has a corner there: ±18° around a mean.
const SHARP: f64 = 0.1;
/// What the distance to a corner may differ from that of the cell, in cells.
const NEAR_CORNER: f64 = 0.15;

impl<T: Real, const D: usize> Feet<T, D> {
    /// With room for `count` cells.
    pub(super) fn new(count: usize) -> Self {
        Self {
            cells: Vec::with_capacity(count),
            points: Vec::with_capacity(count),
            sharp: Vec::with_capacity(count),
            hits: Vec::with_capacity(count),
        }
    }

    /// Finds them; `number` is left saying which of them is that of each cell.
    pub(super) fn find(
        &mut self,
        halo: &Halo<T, D>,
        phi: &[T],
        distance: &[T],
        number: &mut [u32],
    ) {
        collect_hits(halo, distance, &mut self.cells);
        self.hits.clear();
        self.hits.extend(self.cells.iter().map(|i| hit(phi, halo.strides, *i as usize)));
        for (n, i) in self.cells.iter().enumerate() {
            number[*i as usize] = n as u32;
            halo.images(*i as usize, |image| number[image] = n as u32);
        }
        self.points.clear();
        self.sharp.clear();
        for (n, i) in self.cells.iter().enumerate() {
            let (place, hit) = (*i as usize, self.hits[n]);
            let corner = self.corner(halo, number, place, hit);
            let away = corner.unwrap_or(hit.normal.map(|c| -c * hit.distance));
            let at = halo.at(place);
            self.sharp.push(corner.is_some());
            self.points.push(core::array::from_fn(|a| T::of_usize(at[a]) + away[a]));
        }
    }

    /// The corner (in space also the nearest point of an edge) next to a cell, as seen from there: where the
    /// planes of the cells around it on the same side meet.
    fn corner(
        &self,
        halo: &Halo<T, D>,
        number: &[u32],
        place: usize,
        hit: Hit<T, D>,
    ) -> Option<[T; D]> {
        let (mut matrix, mut right) = ([[T::zero(); D]; D], [T::zero(); D]);
        for offset in 0..3_usize.pow(D as u32) {
            let n = number[moved(place, &halo.strides, offset)];
            let Some(other) = self.hits.get(n as usize) else { continue };
            if (other.distance < T::zero()) != (hit.distance < T::zero()) {
                continue;
            }
            let mut along = -other.distance;
            for a in 0..D {
                let step = offset / 3_usize.pow(a as u32) % 3;
                along += other.normal[a] * (T::of_usize(step) - T::one());
            }
            for a in 0..D {
                right[a] += other.normal[a] * along;
                for b in 0..D {
                    matrix[a][b] += other.normal[a] * other.normal[b];
                }
            }
        }
        let (mut trace, mut minors) = (T::zero(), T::zero());
        for a in 0..D {
            trace += matrix[a][a];
            for b in 0..a {
                minors += matrix[a][a] * matrix[b][b] - matrix[a][b] * matrix[b][a];
            }
        }
        if minors <= T::of(SHARP) * trace * trace {
            return None;
        }
        // Along an edge nothing is said: there the cell itself is the reference.
        for a in 0..D {
            matrix[a][a] += T::of(1e-3) * trace;
        }
        let corner = solve(matrix, right);
        let length = corner.iter().fold(T::zero(), |sum, c| sum + *c * *c).sqrt();
        let off = (length - hit.distance.magnitude()).magnitude();
        (off < T::of(NEAR_CORNER)).then_some(corner)
    }
}

/// The solution of a small positive definite system.
fn solve<T: Real, const D: usize>(mut m: [[T; D]; D], mut x: [T; D]) -> [T; D] {
    for a in 0..D {
        for b in a + 1..D {
            let factor = m[b][a] / m[a][a];
            for c in a..D {
                m[b][c] = m[b][c] - factor * m[a][c];
            }
            x[b] = x[b] - factor * x[a];
        }
    }
    for a in (0..D).rev() {
        for b in a + 1..D {
            x[a] = x[a] - m[a][b] * x[b];
        }
        x[a] /= m[a][a];
    }
    x
}

/// Lists the cells beside the interface.
fn collect_hits<T: Real, const D: usize>(halo: &Halo<T, D>, distance: &[T], out: &mut Vec<u32>) {
    out.clear();
    let (region, large) = (halo.interior(), T::of(LARGE));
    for row in (0..region.rows()).map(|n| region.row(n)) {
        for (block, values) in row.of(distance).chunks(BLOCK).enumerate() {
            if values.iter().fold(false, |any, v| any | (v.magnitude() < large)) {
                let hits = values.iter().enumerate().filter(|(_, v)| v.magnitude() < large);
                out.extend(hits.map(|(i, _)| (row.start + BLOCK * block + i) as u32));
            }
        }
    }
}

/// Whether a neighbour lies on the other side, those at corners included.
#[inline(always)]
fn is_crossed<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> bool {
    let inside = phi[i] < T::zero();
    (0..3_usize.pow(D as u32)).any(|offset| (phi[moved(i, &s, offset)] < T::zero()) != inside)
}

/// The distance of cell `i` from the interface, and its direction.
#[inline(never)]
fn hit<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> Hit<T, D> {
    let half = T::of(0.5);
    let here = phi[i];
    // One-sided first and second differences along each axis: downwards, upwards.
    let mut slope = [[T::zero(); 2]; D];
    let mut bend = [[T::zero(); 2]; D];
    let mut steepest = T::zero();
    for a in 0..D {
        let v = [phi[i - 2 * s[a]], phi[i - s[a]], here, phi[i + s[a]], phi[i + 2 * s[a]]];
        let second = |k: usize| (v[k - 1] - v[k]) + (v[k + 1] - v[k]);
        bend[a] = [smaller(second(2), second(1)), smaller(second(2), second(3))];
        slope[a] = [v[2] - v[1] + half * bend[a][0], v[3] - v[2] - half * bend[a][1]];
        let [down, up] = slope[a].map(|d| d * d);
        steepest += down.at_least(up);
    }
    // What the quadrants say: the least and the largest distance, and the one nearest to φ.
    let size = here.magnitude();
    let (mut low, mut high) = (T::of(LARGE), T::zero());
    let mut nearest = Hit { distance: T::of(LARGE), normal: [T::zero(); D] };
    for quadrant in 0..1_usize << D {
        let side: [usize; D] = core::array::from_fn(|a| quadrant >> a & 1);
        let gradient: [T; D] = core::array::from_fn(|a| slope[a][side[a]]);
        let square = gradient.iter().fold(T::zero(), |sum, g| sum + *g * *g);
        // Half as steep as another is across a ridge, where nothing leads to the interface.
        if square <= T::NEGLIGIBLE || square < T::of(0.25) * steepest {
            continue;
        }
        let steep = square.sqrt();
        // A second difference as large as that has a ridge in it, as between two cells of a sheet.
        if (0..D).any(|a| bend[a][side[a]].magnitude() > steep * half) {
            continue;
        }
        let normal = gradient.map(|g| g / steep);
        let mut curve = T::zero();
        for a in 0..D {
            curve += normal[a] * normal[a] * bend[a][side[a]];
            for b in 0..a {
                let place = |a: usize, i: usize| if side[a] == 1 { i + s[a] } else { i - s[a] };
                let corner =
                    (phi[place(b, place(a, i))] - phi[place(a, i)]) - (phi[place(b, i)] - here);
                let mixed = if side[a] == side[b] { corner } else { -corner };
                curve += (normal[a] + normal[a]) * normal[b] * mixed;
            }
        }
        // A parabola much unlike its tangent is no help.
        let under =
            (square - (here + here) * curve).at_least(square * half).at_most(square + square);
        let distance = (size + size) / (steep + under.sqrt());
        (low, high) = (low.at_most(distance), high.at_least(distance));
        if (distance - size).magnitude() < (nearest.distance - size).magnitude() {
            nearest = Hit { distance, normal };
        }
    }
    if high < low {
        (low, high) = (size, size);
    }
    let tolerance = T::of(TOLERANCE) + (high - low) * T::of(0.25);
    let cut = size.at_least(low - tolerance).at_most(high + tolerance);
    let cut = cut.at_most(nearest_cut(phi, s, i) + tolerance);
    let distance = if cut == size {
        here
    } else if here < T::zero() {
        -cut
    } else {
        cut
    };
    Hit { distance, normal: nearest.normal }
}

/// The distance to the nearest place where the line to a neighbour changes sign linearly.
fn nearest_cut<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> T {
    let here = phi[i];
    let mut nearest = T::of(LARGE);
    for offset in 0..3_usize.pow(D as u32) {
        let other = phi[moved(i, &s, offset)];
        if (other < T::zero()) != (here < T::zero()) {
            let steps = (0..D as u32).filter(|a| offset / 3_usize.pow(*a) % 3 != 1).count();
            let share = here / (here - other);
            nearest = nearest.at_most(share * T::of_usize(steps).sqrt());
        }
    }
    nearest
}

/// The one of smaller magnitude, 0 where signs differ.
#[inline(always)]
fn smaller<T: Real>(a: T, b: T) -> T {
    if a * b <= T::zero() {
        T::zero()
    } else if a.magnitude() < b.magnitude() {
        a
    } else {
        b
    }
}
