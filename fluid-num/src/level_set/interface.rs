//! The distance of the cells beside the interface: those with a neighbour on its other side.
//!
//! ```text
//! φ(x − s n) ≈ φ − s |∇φ| + ½ s² nᵀ∇∇φ n = 0        n = ∇φ/|∇φ|
//! ```
//! One-sided differences of second order, whose second differences are the smaller of two
//! neighbouring ones (essentially non-oscillatory, Shu and Osher 1988), give ∇φ in each of the 2ᴰ
//! quadrants around a cell. Where φ is smooth all agree. Beside a corner or between two surfaces
//! they do not: there φ is scaled as it is at the smooth cells around, so that a φ which is a distance
//! there stays what it is, while a formula that sees nothing but the places where the interface cuts the
//! grid would round the corner, each time anew.

use super::halo::Halo;
use crate::Real;
use crate::base::exec::{self, Row, RowPass};

/// More than any distance, in cells; its square is still a number.
pub(super) const LARGE: f64 = 1e10;
/// What a distance beside the interface may be off before it is replaced, in cells. Less than this
/// is not worth moving the interface for, and makes a second call change nothing.
const TOLERANCE: f64 = 0.01;
/// What the quadrants around a cell may differ by where the interface is smooth, in cells.
const ROUGH: f64 = 0.02;
/// The number of places whose signs are looked at together.
const BLOCK: usize = 16;

/// A cell beside the interface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<T, const D: usize> {
    /// Its signed distance, in cells.
    pub(super) distance: T,
    /// The unit vector away from the inside.
    pub(super) normal: [T; D],
    /// That of the interface, 1/cell.
    pub(super) curvature: T,
    /// Whether φ has corners or ridges here.
    pub(super) rough: bool,
    /// Whether no quadrant says where the interface is: the normal is then the line on which a neighbour
    /// lies across it, and says nothing of how it goes on.
    pub(super) vague: bool,
}

/// Writes φ for every cell beside the interface, and ± [`LARGE`] elsewhere.
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
            let mut look = |from: usize, count: usize| {
                for v in &self.phi[from..from + count] {
                    positive &= *v >= T::zero();
                    negative &= *v < T::zero();
                }
            };
            look(start - 1, count + 2);
            for stride in &s[1..] {
                look(start - stride, count);
                look(start + stride, count);
            }
            for i in 0..count {
                let far = if here[i] < T::zero() { -large } else { large };
                let crossed = !(positive || negative) && is_crossed(self.phi, s, start + i);
                out[i] = if crossed { here[i] } else { far };
            }
        }
    }
}

/// The place displaced from `i` by the digits of `offset` to base 3: down, level or up for each
/// stride.
#[inline(always)]
pub(super) fn moved(i: usize, strides: &[usize], offset: usize) -> usize {
    let (mut place, mut rest) = (i, offset);
    for s in strides {
        place = place + rest % 3 * s - s;
        rest /= 3;
    }
    place
}

/// Whether a neighbour lies on the other side.
#[inline(always)]
fn is_crossed<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> bool {
    let inside = phi[i] < T::zero();
    s.iter().any(|s| (phi[i - s] < T::zero()) != inside || (phi[i + s] < T::zero()) != inside)
}

impl<T: Real, const D: usize> Default for Hit<T, D> {
    fn default() -> Self {
        let zero = T::zero();
        Self { distance: zero, normal: [zero; D], curvature: zero, rough: false, vague: false }
    }
}

/// The distance of cell `i` from the interface, and its direction.
#[inline(never)]
pub(super) fn hit<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> Hit<T, D> {
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
    let mut nearest = Hit { distance: T::of(LARGE), ..Hit::default() };
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
            nearest = Hit { distance, normal, ..nearest };
        }
    }
    let (edge, line) = nearest_cut(phi, s, i);
    let vague = high < low;
    if vague {
        (low, high) = (size, size);
        nearest.normal = line;
    }
    let spread = high - low;
    let tolerance = T::of(TOLERANCE) + spread * T::of(0.25);
    let cut = size.at_least(low - tolerance).at_most(high + tolerance);
    let cut = cut.at_most(edge + tolerance);
    let distance = if cut == size {
        here
    } else if here < T::zero() {
        -cut
    } else {
        cut
    };
    let rough = vague || spread > T::of(ROUGH) + size * T::of(0.1);
    Hit { distance, rough, vague, ..nearest }
}

/// The distance to the nearest place where the line to a neighbour changes sign linearly, and the unit
/// vector along that line away from the inside.
fn nearest_cut<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> (T, [T; D]) {
    let here = phi[i];
    let (mut nearest, mut line) = (T::of(LARGE), [T::zero(); D]);
    for a in 0..D {
        for (other, step) in [(phi[i - s[a]], -T::one()), (phi[i + s[a]], T::one())] {
            let crossed = (other < T::zero()) != (here < T::zero());
            if crossed && here / (here - other) < nearest {
                nearest = here / (here - other);
                line = [T::zero(); D];
                line[a] = if here < T::zero() { step } else { -step };
            }
        }
    }
    (nearest, line)
}

/// The one of smaller magnitude, 0 where signs differ.
#[inline(always)]
pub(super) fn smaller<T: Real>(a: T, b: T) -> T {
    if a * b <= T::zero() {
        T::zero()
    } else if a.magnitude() < b.magnitude() {
        a
    } else {
        b
    }
}
