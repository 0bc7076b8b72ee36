//! Bodies among particles: points that fill a solid, each with the volume that it stands for.
//!
//! ```text
//! ρ_i += ρ₀ Σ_b V_b W(x_i − x_b)       F_b = −Σ_i F_ib
//! ```
//!
//! A body's shape is filled with a lattice of points in its own frame, as deep as a kernel reaches;
//! each has the volume of the part of its cell that is solid, and lies at that part's centre. Sums
//! over them are integrals over the solid, whatever its shape, so that a particle at its side has
//! the density of one inside the fluid. They move with the body; what they do to particles is done
//! to the body, with the opposite sign.
//!
//! Reference: N. Akinci et al., *Versatile rigid-fluid coupling for incompressible SPH*, 2012,
//! <https://doi.org/10.1145/2185520.2185558>; here the volumes come from the shape instead of the
//! density of the points.

use alloc::vec::Vec;

use super::domain::Domain;
use super::neighbors::{CellStructure, Neighbors, Pairs};
use super::pairs::largest_square;
use super::{ParticleSet, at};
use crate::solid::{Body, Shape, Slip};
use crate::{Error, Real};

/// The points of all bodies.
#[derive(Debug, Clone)]
pub(crate) struct BodySamples<T, const D: usize> {
    spacing: T,
    /// The shapes that the points were made for.
    shapes: Vec<Shape<T, D>>,
    /// The body of each point, and its place in the body's frame.
    body: Vec<u32>,
    local: Vec<[T; D]>,
    volume: Vec<T>,
    position: [Vec<T>; D],
    velocity: [Vec<T>; D],
    /// Of each body, whether liquid slides along it.
    slip: Vec<Slip>,
    /// The points near each particle.
    near: Neighbors<T, D>,
}

impl<T: Real, const D: usize> BodySamples<T, D> {
    /// Points `spacing` apart, which particles within `reach` find.
    pub(crate) fn new(domain: Domain<T, D>, reach: T, spacing: T) -> Result<Self, Error> {
        Ok(Self {
            spacing,
            shapes: Vec::new(),
            body: Vec::new(),
            local: Vec::new(),
            volume: Vec::new(),
            position: core::array::from_fn(|_| Vec::new()),
            velocity: core::array::from_fn(|_| Vec::new()),
            slip: Vec::new(),
            near: Neighbors::new(domain, reach, CellStructure::Hashed)?,
        })
    }

    /// Fills bodies whose shapes are new; whether there were any.
    ///
    /// # Errors
    /// What [`Body::check`] says; [`Error::InvalidParameter`] for a shape without end.
    pub(crate) fn fill(&mut self, bodies: &[Body<T, D>]) -> Result<bool, Error> {
        bodies.iter().try_for_each(Body::check)?;
        if self.shapes.iter().eq(bodies.iter().map(|b| &b.shape)) {
            return Ok(false);
        }
        let corners: Vec<[[T; D]; 2]> = bodies
            .iter()
            .map(|b| {
                b.shape.bounds().ok_or(Error::InvalidParameter {
                    name: "the size of a body's shape",
                    value: f64::INFINITY,
                    expected: "finite; make walls by the sides of the domain",
                })
            })
            .collect::<Result<_, _>>()?;
        self.body.clear();
        self.local.clear();
        self.volume.clear();
        self.shapes.clear();
        self.slip.clear();
        self.slip.resize(bodies.len(), Slip::Free);
        for (number, (body, [lo, hi])) in bodies.iter().zip(&corners).enumerate() {
            self.fill_shape(number as u32, &body.shape, *lo, *hi);
            self.shapes.push(body.shape.clone());
        }
        for axis in self.position.iter_mut().chain(&mut self.velocity) {
            axis.resize(self.body.len(), T::zero());
        }
        Ok(true)
    }

    fn fill_shape(&mut self, body: u32, shape: &Shape<T, D>, lo: [T; D], hi: [T; D]) {
        /// The number of parts of a cell along each axis.
        const PARTS: usize = 8;
        let (spacing, half) = (self.spacing, T::of(0.5));
        // The lattice lies symmetrically in the box.
        let count: [usize; D] = core::array::from_fn(|a| {
            ((hi[a] - lo[a]) / spacing).ceil().at_most(T::of(1e6)).truncate().max(1) as usize
        });
        let origin: [T; D] =
            core::array::from_fn(|a| (lo[a] + hi[a] - spacing * T::of_usize(count[a])) * half);
        let deepest = self.near.reach() + spacing * T::of_usize(D);
        let cell_volume = (0..D).fold(T::one(), |v, _| v * spacing);
        for n in 0..count.iter().product() {
            let index = digits(n, count);
            let corner: [T; D] =
                core::array::from_fn(|a| origin[a] + spacing * T::of_usize(index[a]));
            let distance = shape.signed_distance(corner.map(|v| v + spacing * half));
            if distance > spacing || distance < -deepest {
                continue;
            }
            let (mut inside, mut centre) = (0, [T::zero(); D]);
            for part in 0..PARTS.pow(D as u32) {
                let part = digits(part, [PARTS; D]);
                let point: [T; D] = core::array::from_fn(|a| {
                    corner[a] + spacing * (T::of_usize(part[a]) + half) / T::of_usize(PARTS)
                });
                if shape.signed_distance(point) < T::zero() {
                    inside += 1;
                    for a in 0..D {
                        centre[a] += point[a];
                    }
                }
            }
            if inside > 0 {
                let share = T::one() / T::of_usize(inside);
                self.local.push(centre.map(|v| v * share));
                let parts = T::of_usize(PARTS.pow(D as u32));
                self.volume.push(cell_volume * T::of_usize(inside) / parts);
                self.body.push(body);
            }
        }
    }

    /// Puts the points where the bodies are.
    pub(crate) fn place(&mut self, bodies: &[Body<T, D>]) {
        let domain = *self.near.domain();
        self.slip.iter_mut().zip(bodies).for_each(|(slip, body)| *slip = body.slip);
        for (n, (body, local)) in self.body.iter().zip(&self.local).enumerate() {
            let Some(body) = bodies.get(*body as usize) else { continue };
            let point = body.to_world(*local);
            let velocity = body.velocity_at(point);
            for a in 0..D {
                // Points beyond a wall stay there; periodic sides are crossed.
                self.position[a][n] = if domain.periodic[a] {
                    domain.coordinate_inside(a, point[a])
                } else {
                    point[a]
                };
                self.velocity[a][n] = velocity[a];
            }
        }
    }

    /// Finds the points near each particle.
    pub(crate) fn search(&mut self, particles: [&[T]; D]) -> Result<(), Error> {
        if self.body.is_empty() {
            return Ok(());
        }
        self.near.assign(self.position.each_ref().map(|p| &p[..]))?;
        self.near.search(particles, Pairs::Between);
        Ok(())
    }

    /// The largest speed of a point, m/s.
    pub(crate) fn largest_speed(&self) -> T {
        largest_square(self.velocity.each_ref().map(|v| &v[..])).sqrt()
    }

    /// The particles with points near them.
    pub(crate) fn particles_near(&self) -> impl Iterator<Item = usize> + '_ {
        let all = if self.body.is_empty() { 0 } else { self.near.len() };
        (0..all).filter(|i| self.near.of(*i).len() > 0)
    }

    /// Puts particles that have come into a body onto its surface, with no velocity further in.
    pub(crate) fn keep_out(
        &self,
        bodies: &[Body<T, D>],
        domain: &Domain<T, D>,
        particles: &mut ParticleSet<T, D>,
    ) {
        for i in self.particles_near() {
            let mut x = at(particles.position_arrays(), i);
            let mut v = at(particles.velocity_arrays(), i);
            for body in bodies {
                let depth = -body.signed_distance(x);
                if depth <= T::zero() {
                    continue;
                }
                let normal = outward(body, x, self.spacing * T::of(1e-2));
                let surface: [T; D] = core::array::from_fn(|a| x[a] + depth * normal[a]);
                let moving = body.velocity_at(surface);
                let mut inward = T::zero();
                for a in 0..D {
                    inward += (v[a] - moving[a]) * normal[a];
                }
                for a in 0..D {
                    x[a] = domain.coordinate_inside(a, surface[a]);
                    v[a] -= inward.at_most(T::zero()) * normal[a];
                }
            }
            for a in 0..D {
                let (positions, velocities) = particles.axis_mut(a);
                (positions[i], velocities[i]) = (x[a], v[a]);
            }
        }
    }

    /// Whether any particle of the group that begins with particle `first` has points near it.
    #[inline(always)]
    pub(crate) fn reach(&self, first: usize) -> bool {
        !self.body.is_empty() && self.near.any(first)
    }

    /// The points near particle `i`, which is at `at`.
    #[inline(always)]
    pub(crate) fn near(&self, i: usize, at: [T; D]) -> impl Iterator<Item = Sample<T, D>> + '_ {
        let images = self.near.domain().images();
        self.near.of(i).map(move |n| {
            let n = n as usize;
            let mut sample = Sample {
                body: self.body[n] as usize,
                slip: self.slip[self.body[n] as usize],
                volume: self.volume[n],
                offset: [T::zero(); D],
                distance: T::zero(),
                velocity: [T::zero(); D],
            };
            for a in 0..D {
                let mut offset = [at[a] - self.position[a][n]];
                images.nearest(a, &mut offset);
                sample.offset[a] = offset[0];
                sample.distance += offset[0] * offset[0];
                sample.velocity[a] = self.velocity[a][n];
            }
            sample.distance = sample.distance.sqrt();
            sample
        })
    }
}

/// A point of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample<T, const D: usize> {
    pub(crate) body: usize,
    pub(crate) slip: Slip,
    pub(crate) volume: T,
    /// From the point to the particle, and the length of that.
    pub(crate) offset: [T; D],
    pub(crate) distance: T,
    pub(crate) velocity: [T; D],
}

/// The direction in which the distance to a body grows, by differences over `step`.
fn outward<T: Real, const D: usize>(body: &Body<T, D>, x: [T; D], step: T) -> [T; D] {
    let mut normal = [T::zero(); D];
    let mut squared = T::zero();
    for a in 0..D {
        let (mut ahead, mut behind) = (x, x);
        ahead[a] += step;
        behind[a] -= step;
        normal[a] = body.signed_distance(ahead) - body.signed_distance(behind);
        squared += normal[a] * normal[a];
    }
    if squared > T::zero() { normal.map(|n| n / squared.sqrt()) } else { normal }
}

/// The digits of `n` in a mixed base, the first the fastest.
fn digits<const D: usize>(n: usize, base: [usize; D]) -> [usize; D] {
    let mut rest = n;
    base.map(|b| {
        let digit = rest % b;
        rest /= b;
        digit
    })
}
