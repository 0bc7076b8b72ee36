//! Closest points: from where on the interface each cell beside it is, and how the interface goes on
//! there.
//!
//! ```text
//! p = x − φ n      d = s/(1 + √(1 + κ s)),  s = 2 a + κ r²      a = (x − p)·n,  r = |x − p|
//! ```
//! The interface around p is taken for a piece of a circle (sphere) of curvature κ, half as wide as p is
//! away from the next: d is exact for discs, balls and planes. Where the normals of neighbouring cells
//! differ much, their planes meet in a corner, as dual contouring finds it: for what lies beyond, the
//! distance is that to the corner, and no piece reaches past it. Where φ tells no normal, as at a single
//! cell inside, the foot is a point.
//!
//! Reference: T. Ju, F. Losasso, S. Schaefer, J. Warren, *Dual contouring of Hermite data*, SIGGRAPH
//! 2002, <https://doi.org/10.1145/566570.566586>.

use alloc::vec::Vec;

use super::halo::Halo;
use super::interface::{Hit, LARGE, hit, moved, smaller};
use crate::Real;
use crate::base::exec::{self, ChunkPass};

/// No foot.
pub(super) const NONE: u32 = u32::MAX;
/// The share of the variance of neighbouring normals in a second direction from which on there is a
/// corner: ±18° around their mean.
const SHARP: f64 = 0.1;
/// What the planes around a corner may be away from it, in cells.
const MISS: f64 = 0.25;
/// What the distance of a cell in the fan behind a corner may differ from that to the corner, in cells.
const FAN: f64 = 0.1;
/// The least sum of |φ| that tells a scale, in cells.
const SMALL: f64 = 0.2;
/// How far the interface goes on as it is around a foot, in cells.
const EXTENT: f64 = 0.75;
/// The largest curvature, 1/cell, that three cells can tell.
const BENT: f64 = 0.25;

/// A point of the interface and how it goes on there. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
struct Foot<T, const D: usize> {
    /// In places of the layout.
    point: [T; D],
    normal: [T; D],
    curvature: T,
    /// How far it goes on; 0 is a corner.
    extent: T,
    /// Whether the cell that it was found from is inside.
    inside: bool,
    /// The foot at the corner beside it, or [`NONE`].
    corner: u32,
}

/// The feet of all cells beside the interface, and the corners among them.
#[derive(Debug, Clone)]
pub(super) struct Feet<T, const D: usize> {
    /// The cells beside the interface.
    pub(super) cells: Vec<u32>,
    /// Those of the cells, and behind them the corners.
    feet: Vec<Foot<T, D>>,
    hits: Vec<Hit<T, D>>,
}

impl<T: Real, const D: usize> Feet<T, D> {
    /// With room for a grid of `count` cells.
    pub(super) fn new(count: usize) -> Self {
        Self {
            cells: Vec::with_capacity(count),
            feet: Vec::with_capacity(2 * count),
            hits: Vec::with_capacity(count),
        }
    }

    /// Finds them, and the `distance` of the cells beside the interface, which [`measure`] has set out. What
    /// `known` says of one of them is the number of its foot then, and [`NONE`] of all others.
    pub(super) fn find(
        &mut self,
        halo: &Halo<T, D>,
        phi: &[T],
        distance: &mut [T],
        curved: bool,
        known: &mut [u32],
    ) {
        self.collect(halo, distance);
        self.hits.clear();
        self.hits.resize(self.cells.len(), Hit::default());
        exec::chunks(
            [&mut self.hits],
            &Measure { phi, strides: halo.strides, cells: &self.cells, curved },
        );
        known.fill(NONE);
        for (n, i) in self.cells.iter().enumerate() {
            known[*i as usize] = n as u32;
            halo.images(*i as usize, |image| known[image] = n as u32);
        }
        self.settle(halo, phi, known);
        for (i, hit) in self.cells.iter().zip(&self.hits) {
            distance[*i as usize] = hit.distance;
            halo.images(*i as usize, |image| distance[image] = hit.distance);
        }
        self.feet.clear();
        for (n, i) in self.cells.iter().enumerate() {
            let (place, Hit { distance, normal, vague, .. }) = (*i as usize, self.hits[n]);
            let at = halo.at(place);
            self.feet.push(Foot {
                point: core::array::from_fn(|a| T::of_usize(at[a]) - distance * normal[a]),
                normal,
                curvature: T::zero(),
                extent: if vague { T::zero() } else { T::of(EXTENT) },
                inside: distance < T::zero(),
                corner: NONE,
            });
        }
        for n in 0..self.cells.len() {
            let place = self.cells[n] as usize;
            if self.hits[n].vague {
                continue; // a point
            }
            let level = self.hits[n].curvature;
            // A corner beside has a curvature that its neighbours do not have.
            let least = (0..3_usize.pow(D as u32)).fold(level, |least, offset| {
                let other = self.hits.get(known[moved(place, &halo.strides, offset)] as usize);
                other.map_or(least, |other| smaller(least, other.curvature))
            });
            self.feet[n].curvature = least;
            self.feet[n].extent -= least.magnitude() * T::of(1.25);
            let Some(away) = self.corner(halo, known, place, self.hits[n]) else { continue };
            let at = halo.at(place);
            let point = core::array::from_fn(|a| T::of_usize(at[a]) + away[a]);
            let corner = self.feet.len() as u32;
            let foot = &mut self.feet[n];
            let square = (0..D).fold(T::zero(), |sum, a| {
                sum + (point[a] - foot.point[a]) * (point[a] - foot.point[a])
            });
            // A cell in the fan of the corner is from the corner, and its normal is worth nothing.
            let length = away.iter().fold(T::zero(), |sum, c| sum + *c * *c).sqrt();
            let fan = (length - self.hits[n].distance.magnitude()).magnitude() < T::of(FAN);
            foot.extent = if fan { T::zero() } else { foot.extent.at_most(square.sqrt()) };
            foot.curvature = T::zero();
            foot.corner = corner;
            if fan {
                foot.point = point;
                foot.corner = NONE;
                continue;
            }
            let at_corner = Foot { point, extent: T::zero(), corner: NONE, ..*foot };
            self.feet.push(at_corner);
        }
    }

    /// The magnitude of the distance from cell `at` to the interface around foot `n` or to its corner.
    #[inline(always)]
    pub(super) fn distance(&self, halo: &Halo<T, D>, at: [usize; D], n: u32) -> T {
        let foot = &self.feet[n as usize];
        let piece = foot.distance(halo, at);
        match self.feet.get(foot.corner as usize) {
            Some(corner) => piece.at_most(corner.distance(halo, at)),
            None => piece,
        }
    }

    /// Whether foot `n` is one for cells inside. The other side of a sharp corner is no guide.
    #[inline(always)]
    pub(super) fn is_inside(&self, n: u32) -> bool {
        self.feet[n as usize].inside
    }

    /// Whether foot `n` was found from the cell at `place`.
    #[inline(always)]
    pub(super) fn is_own(&self, n: u32, place: usize) -> bool {
        self.cells.get(n as usize).is_some_and(|cell| *cell as usize == place)
    }

    /// The nearer to cell `at` of foot `n` itself and of its corner, and the square of the distance; without
    /// a foot more than any.
    #[inline(always)]
    pub(super) fn nearer(&self, halo: &Halo<T, D>, at: [usize; D], n: u32) -> (T, u32) {
        let Some(foot) = self.feet.get(n as usize) else {
            return (T::of(f64::from(f32::MAX)), NONE);
        };
        let square = foot.square(halo, at);
        if let Some(corner) = self.feet.get(foot.corner as usize) {
            let to_corner = corner.square(halo, at);
            if to_corner < square {
                return (to_corner, foot.corner);
            }
        }
        (square, n)
    }

    /// Lists the cells beside the interface.
    fn collect(&mut self, halo: &Halo<T, D>, distance: &[T]) {
        self.cells.clear();
        let (region, large) = (halo.interior(), T::of(LARGE));
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for (block, values) in row.of(distance).chunks(16).enumerate() {
                if values.iter().fold(false, |any, v| any | (v.magnitude() < large)) {
                    let hits = values.iter().enumerate().filter(|(_, v)| v.magnitude() < large);
                    self.cells.extend(hits.map(|(i, _)| (row.start + 16 * block + i) as u32));
                }
            }
        }
    }

    /// Scales φ beside corners and ridges as it is scaled at the smooth cells around.
    fn settle(&mut self, halo: &Halo<T, D>, phi: &[T], known: &[u32]) {
        for n in 0..self.cells.len() {
            if !self.hits[n].rough {
                continue;
            }
            let place = self.cells[n] as usize;
            let (mut scaled, mut plain) = (T::zero(), T::zero());
            for offset in 0..3_usize.pow(D as u32) {
                let other = moved(place, &halo.strides, offset);
                let smooth = self.hits.get(known[other] as usize).filter(|hit| !hit.rough);
                if let Some(hit) = smooth {
                    scaled += hit.distance.magnitude();
                    plain += phi[other].magnitude();
                }
            }
            if plain > T::of(SMALL) {
                self.hits[n].distance = phi[place] * (scaled / plain);
            }
        }
    }

    /// From a cell to the corner beside it (in space also the nearest point of an edge): where the planes
    /// of the cells around it on the same side meet.
    fn corner(
        &self,
        halo: &Halo<T, D>,
        known: &[u32],
        place: usize,
        own: Hit<T, D>,
    ) -> Option<[T; D]> {
        // The planes around, n·x = c.
        let planes = || {
            (0..3_usize.pow(D as u32)).filter_map(move |offset| {
                let other = self.hits.get(known[moved(place, &halo.strides, offset)] as usize)?;
                let alike = (other.distance < T::zero()) == (own.distance < T::zero());
                let step = |a: usize| T::of_usize(offset / 3_usize.pow(a as u32) % 3) - T::one();
                let start = -other.distance;
                let along = (0..D).fold(start, |sum, a| sum + other.normal[a] * step(a));
                (alike && !other.vague).then_some((other.normal, along))
            })
        };
        let (mut matrix, mut right) = ([[T::zero(); D]; D], [T::zero(); D]);
        for (normal, along) in planes() {
            for a in 0..D {
                right[a] += normal[a] * along;
                for b in 0..D {
                    matrix[a][b] += normal[a] * normal[b];
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
        // Along an edge the planes say nothing: there the point nearest to the cell is meant.
        for a in 0..D {
            matrix[a][a] += T::of(1e-3) * trace;
        }
        let corner = solve(matrix, right);
        let far = corner.iter().any(|c| c.magnitude() > T::of(1.5));
        let miss = planes().fold(T::zero(), |worst, (normal, along)| {
            let off = (0..D).fold(-along, |sum, a| sum + normal[a] * corner[a]);
            worst.at_least(off.magnitude())
        });
        (!far && miss < T::of(MISS)).then_some(corner)
    }
}

struct Measure<'a, T, const D: usize> {
    phi: &'a [T],
    strides: [usize; D],
    cells: &'a [u32],
    curved: bool,
}

impl<T: Real, const D: usize> ChunkPass<Hit<T, D>, 1> for Measure<'_, T, D> {
    const GRAIN: usize = 256;

    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [Hit<T, D>]; 1]) {
        let cells = &self.cells[first..first + out.len()];
        for (out, i) in out.iter_mut().zip(cells) {
            let place = *i as usize;
            *out = hit(self.phi, self.strides, place);
            if self.curved {
                out.curvature = curvature(self.phi, self.strides, place, out.distance);
            }
        }
    }
}

impl<T: Real, const D: usize> Foot<T, D> {
    /// The square of the distance of cell `at`.
    #[inline(always)]
    fn square(&self, halo: &Halo<T, D>, at: [usize; D]) -> T {
        halo.away(at, self.point).iter().fold(T::zero(), |sum, r| sum + *r * *r)
    }

    /// The magnitude of the distance of cell `at` from the interface here.
    #[inline(always)]
    fn distance(&self, halo: &Halo<T, D>, at: [usize; D]) -> T {
        let away = halo.away(at, self.point);
        let (mut along, mut square) = (T::zero(), T::zero());
        for a in 0..D {
            along += away[a] * self.normal[a];
            square += away[a] * away[a];
        }
        let aside = (square - along * along).at_least(T::zero()).sqrt();
        let beyond = aside - self.extent;
        if beyond > T::zero() {
            return (along * along + beyond * beyond).sqrt();
        }
        // Beyond the centre of the circle the interface is nearer elsewhere.
        if T::one() + self.curvature * along < T::of(0.1) {
            return square.sqrt();
        }
        let s = along + along + self.curvature * square;
        let root = (T::one() + self.curvature * s).at_least(T::zero()).sqrt();
        (s / (T::one() + root)).magnitude()
    }
}

/// The curvature of the interface, 1/cell, below a cell at a distance: the mean of the two in space.
fn curvature<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize, distance: T) -> T {
    let level = super::field::curvature(phi, s, i) / T::of_usize(D - 1);
    let below = level / (T::one() - level * distance).at_least(T::of(0.5));
    below.at_most(T::of(BENT)).at_least(-T::of(BENT))
}

/// The solution of a small positive definite system.
fn solve<T: Real, const D: usize>(mut m: [[T; D]; D], mut x: [T; D]) -> [T; D] {
    for a in 0..D {
        for b in a + 1..D {
            let factor = m[b][a] / m[a][a];
            for c in a..D {
                m[b][c] -= factor * m[a][c];
            }
            x[b] -= factor * x[a];
        }
    }
    for a in (0..D).rev() {
        for b in a + 1..D {
            x[a] -= m[a][b] * x[b];
        }
        x[a] /= m[a][a];
    }
    x
}
