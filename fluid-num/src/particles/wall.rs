//! Plane walls as filled half-spaces: what a kernel gathers beyond a plane, exactly.
//!
//! ```text
//! w(d) = ∫_plane at d W dA       λ(d) = ∫_d^h w(z) dz       ∂λ/∂d = −w(d)
//! ```
//!
//! d is a point's distance from the plane. A wall adds ρ₀·λ to the density of a particle, and its pressure
//! force follows from ∂λ/∂d, as if the half-space beyond were filled with fluid at rest: no
//! boundary particles, no bumps, no cost but for particles within reach.
//!
//! Reference: D. Koschier, J. Bender, *Density maps for improved SPH boundary handling*, 2017,
//! <https://doi.org/10.1145/3099564.3099565>, here for planes, where the integral is a function of
//! one number.

use alloc::vec::Vec;

use super::domain::Domain;
use crate::Real;

/// The number of intervals of the tables.
const STEPS: usize = 256;

/// What a kernel gathers beyond a plane, by the distance from it.
#[derive(Debug, Clone)]
pub(crate) struct HalfSpace<T> {
    support_radius: T,
    /// λ and w at equal distances from 0 to the support radius.
    table: Vec<[T; 2]>,
}

impl<T: Real> HalfSpace<T> {
    /// Tables for a kernel W(r) in `dimensions` 2 or 3.
    pub(crate) fn new(dimensions: usize, support_radius: T, kernel: impl Fn(f64) -> f64) -> Self {
        let h = support_radius.to_f64();
        let step = h / STEPS as f64;
        // In the plane an integral along a line, in space over circles.
        let w = |z: f64| {
            let reach = libm::sqrt((h * h - z * z).max(0.0));
            let points = 400;
            let ds = reach / points as f64;
            let ring = |s: f64| if dimensions == 2 { 2.0 } else { core::f64::consts::TAU * s };
            let at = |k: usize| (k as f64 + 0.5) * ds;
            (0..points).map(|k| kernel(libm::hypot(z, at(k))) * ring(at(k)) * ds).sum::<f64>()
        };
        let planes: Vec<f64> = (0..=2 * STEPS).map(|n| w(0.5 * n as f64 * step)).collect();
        let mut table = alloc::vec![[T::zero(); 2]; STEPS + 2];
        let mut lambda = 0.0;
        for n in (0..STEPS).rev() {
            // Simpson's rule over one interval.
            lambda += step / 6.0 * (planes[2 * n] + 4.0 * planes[2 * n + 1] + planes[2 * n + 2]);
            table[n] = [T::of(lambda), T::of(planes[2 * n])];
        }
        Self { support_radius, table }
    }

    /// λ and w at a distance of at least 0; those of the plane itself for less.
    #[inline]
    pub(crate) fn at(&self, distance: T) -> [T; 2] {
        if distance >= self.support_radius {
            return [T::zero(); 2];
        }
        let place = distance.at_least(T::zero()) / self.support_radius * T::of_usize(STEPS);
        let index = place.truncate();
        let t = place - T::of_index(index);
        match self.table.get(index as usize..index as usize + 2) {
            Some([[l0, w0], [l1, w1]]) => [*l0 + t * (*l1 - *l0), *w0 + t * (*w1 - *w0)],
            _ => [T::zero(); 2],
        }
    }
}

/// What the walls of a domain gather at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filling<T, const D: usize> {
    /// λ of all walls together: 1 − Π(1 − λ).
    pub(crate) lambda: T,
    /// Of the wall at each end of each axis.
    pub(crate) ends: [[Beyond<T>; 2]; D],
}

/// What one wall gathers at a point, as far as no other wall does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beyond<T> {
    /// λ, which is also −∫ (y − x)ₜ ∂W/∂yₜ dy along the wall: the part of a gradient along the wall
    /// that lies beyond it.
    pub(crate) lambda: T,
    /// w = ∂λ/∂x towards the wall.
    pub(crate) slope: T,
    /// −∫ (y − x)ₙ ∂W/∂yₙ dy towards the wall: d·w + λ.
    pub(crate) moment: T,
}

impl<T: Real, const D: usize> Filling<T, D> {
    /// ∇λ.
    #[inline(always)]
    pub(crate) fn gradient(&self) -> [T; D] {
        let mut gradient = [T::zero(); D];
        for a in 0..D {
            gradient[a] = self.ends[a][1].slope - self.ends[a][0].slope;
        }
        gradient
    }
}

/// The walls of a domain.
#[derive(Debug, Clone)]
pub(crate) struct Walls<T, const D: usize> {
    domain: Domain<T, D>,
    half_space: HalfSpace<T>,
}

impl<T: Real, const D: usize> Walls<T, D> {
    pub(crate) fn new(
        domain: Domain<T, D>,
        support_radius: T,
        kernel: impl Fn(f64) -> f64,
    ) -> Self {
        Self { domain, half_space: HalfSpace::new(D, support_radius, kernel) }
    }

    /// Whether a wall reaches any of some places.
    #[inline(always)]
    pub(crate) fn reach<const N: usize>(&self, places: &[[T; N]; D]) -> bool {
        let reach = self.half_space.support_radius;
        let mut near = false;
        for a in 0..D {
            let (lo, hi) = (self.domain.lo[a], self.domain.hi[a]);
            let mut least = reach;
            for x in &places[a] {
                least = least.at_most((*x - lo).at_most(hi - *x));
            }
            near |= least < reach && !self.domain.periodic[a];
        }
        near
    }

    /// What is gathered at `x`.
    pub(crate) fn filling(&self, x: [T; D]) -> Filling<T, D> {
        let (zero, one) = (T::zero(), T::one());
        let nothing = Beyond { lambda: zero, slope: zero, moment: zero };
        let mut filling = Filling { lambda: zero, ends: [[nothing; 2]; D] };
        let mut open = [one; D];
        for a in (0..D).filter(|a| !self.domain.periodic[*a]) {
            for (end, distance) in
                [x[a] - self.domain.lo[a], self.domain.hi[a] - x[a]].into_iter().enumerate()
            {
                let [lambda, slope] = self.half_space.at(distance);
                open[a] -= lambda;
                filling.ends[a][end] = Beyond { lambda, slope, moment: distance * slope + lambda };
            }
            open[a] = open[a].at_least(zero);
        }
        let mut all = one;
        for a in 0..D {
            all *= open[a];
            for (b, open) in open.iter().enumerate() {
                if a != b {
                    for beyond in &mut filling.ends[a] {
                        beyond.lambda *= *open;
                        beyond.slope *= *open;
                        beyond.moment *= *open;
                    }
                }
            }
        }
        filling.lambda = one - all;
        filling
    }
}
