//! A liquid of particles: what the schemes share of state, set-up and sums.

use alloc::vec::Vec;

use super::kernel::{CubicSpline, Kernel};
use super::pairs::{Around, largest_square, put, vectors};
use super::samples::BodySamples;
use super::wall::Walls;
use super::{CellStructure, Domain, Emitter, LANES, Neighbors, Pairs, ParticleSet, at};
use crate::base::error::check;
use crate::base::exec::ChunkPass;
use crate::solid::Body;
use crate::{Error, Real};

/// The number of particles below which splitting costs more than it gains.
pub(crate) const GRAIN: usize = 256;

/// What particles are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Matter<T> {
    /// The distance between particles at rest, m.
    pub(crate) spacing: T,
    /// The support radius of the kernel in units of the spacing.
    pub(crate) support_ratio: T,
    /// The density at rest, kg/mᴰ.
    pub(crate) rest_density: T,
}

impl<T: Real> Matter<T> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        check::positive("spacing", self.spacing)?;
        check::within("support_ratio", self.support_ratio, 1.5, 4.0, "from 1.5 to 4")?;
        check::positive("rest_density", self.rest_density)?;
        check::moderate("support_radius", self.support_radius())
    }

    pub(crate) fn support_radius(&self) -> T {
        self.spacing * self.support_ratio
    }
}

/// Bodies, and where they are on their way through a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bodies<T, const D: usize> {
    pub(crate) list: Vec<Body<T, D>>,
    pub(crate) moving: Vec<Body<T, D>>,
}

impl<T: Real, const D: usize> Bodies<T, D> {
    fn begin(&mut self) {
        for (moving, body) in self.moving.iter_mut().zip(&self.list) {
            moving.follow(body);
        }
    }

    /// Adds a force that a body feels at a point in a sub-step that is `share` of the step.
    pub(crate) fn push(
        &mut self,
        body: usize,
        at: [T; D],
        force: [T; D],
        share: T,
    ) -> Result<(), Error> {
        let number = body;
        if let (Some(moving), Some(body)) = (self.moving.get_mut(body), self.list.get_mut(body)) {
            moving.add_force_at(at, force).map_err(|_| overflown("body force", number))?;
            let mean = force.map(|f| f * share);
            body.add_force_at(at, mean).map_err(|_| overflown("body force", number))?;
        }
        Ok(())
    }

    /// Moves the bodies on through a sub-step, by what they feel and by gravity: as the user will
    /// with the mean force, when the step is over. A body that stood still meanwhile would be
    /// pushed by a whole step's force before it could yield.
    pub(crate) fn move_on(&mut self, gravity: [T; D], dt: T) -> Result<(), Error> {
        for (number, body) in self.moving.iter_mut().enumerate() {
            if body.is_dynamic() {
                for a in 0..D {
                    body.force[a] += body.mass * gravity[a];
                }
            }
            body.advance(dt).map_err(|_| overflown("body velocity", number))?;
            body.clear_wrench();
        }
        Ok(())
    }
}

/// What is said of a body that was good at the beginning of a step and is no more.
fn overflown(name: &'static str, body: usize) -> Error {
    Error::NotFinite { name, place: [body, 0, 0] }
}

/// A liquid of particles among walls and bodies.
#[derive(Debug, Clone)]
pub(crate) struct Liquid<T, const D: usize> {
    pub(crate) domain: Domain<T, D>,
    pub(crate) matter: Matter<T>,
    // State.
    pub(crate) particles: ParticleSet<T, D>,
    pub(crate) emitters: Vec<Emitter<T, D>>,
    pub(crate) bodies: Bodies<T, D>,
    // What follows from it.
    pub(crate) kernel: CubicSpline<T, D>,
    pub(crate) mass: T,
    pub(crate) walls: Walls<T, D>,
    pub(crate) samples: BodySamples<T, D>,
    pub(crate) neighbors: Neighbors<T, D>,
}

impl<T: Real, const D: usize> Liquid<T, D> {
    /// No particles yet. Neighbours are sought `skin` further than the support radius, in units of
    /// it.
    pub(crate) fn new(
        domain: Domain<T, D>,
        matter: &Matter<T>,
        skin: T,
        cells: CellStructure,
    ) -> Result<Self, Error> {
        domain.check()?;
        matter.check()?;
        let support = matter.support_radius();
        let reach = support * (T::one() + skin);
        let kernel = CubicSpline::new(support)?;
        let exact = CubicSpline::<f64, D>::new(support.to_f64())?;
        Ok(Self {
            domain,
            matter: *matter,
            particles: ParticleSet::new(),
            emitters: Vec::new(),
            bodies: Bodies::default(),
            kernel,
            mass: kernel.particle_mass::<D>(matter.spacing, matter.rest_density)?,
            walls: Walls::new(domain, support, |r| exact.value(r)),
            samples: BodySamples::new(domain, reach, matter.spacing)?,
            neighbors: Neighbors::new(domain, reach, cells)?,
        })
    }

    /// Changes what the particles are made of; they stay.
    pub(crate) fn change(
        &mut self,
        matter: &Matter<T>,
        skin: T,
        cells: CellStructure,
    ) -> Result<(), Error> {
        let mut next = Self::new(self.domain, matter, skin, cells)?;
        core::mem::swap(&mut next.particles, &mut self.particles);
        core::mem::swap(&mut next.emitters, &mut self.emitters);
        core::mem::swap(&mut next.bodies, &mut self.bodies);
        *self = next;
        Ok(())
    }

    /// Checks all that users may have changed since the last step, and changes nothing but the
    /// points of bodies.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        self.particles.check_finite()?;
        self.emitters.iter().try_for_each(Emitter::check)?;
        if self.samples.fill(&self.bodies.list)? {
            self.bodies.moving.clone_from(&self.bodies.list);
        }
        Ok(())
    }

    /// Begins a step: removes particles that were to be, and brings those outside the domain back in.
    pub(crate) fn take_in(&mut self) {
        self.bodies.begin();
        self.particles.apply_removals();
        for a in 0..D {
            for x in self.particles.positions_mut(a) {
                *x = self.domain.coordinate_inside(a, *x);
            }
        }
    }

    /// Lets particles grow older by `dt` and pours new ones in.
    pub(crate) fn finish(&mut self, dt: T) -> Result<(), Error> {
        self.particles.advance_ages(dt)?;
        for emitter in &mut self.emitters {
            emitter.emit(&mut self.particles, dt)?;
        }
        Ok(())
    }

    /// Puts particles into the order of their cells.
    pub(crate) fn sort(&mut self) -> Result<(), Error> {
        self.neighbors.assign(self.particles.position_arrays())?;
        self.particles.reorder(self.neighbors.order())?;
        self.neighbors.renumber();
        Ok(())
    }

    /// Finds all neighbours, of sorted particles.
    pub(crate) fn find_neighbors(&mut self) -> Result<(), Error> {
        self.neighbors.search(self.particles.position_arrays(), Pairs::Among);
        self.samples.search(self.particles.position_arrays())
    }

    /// The largest speed, m/s.
    pub(crate) fn speed(&self) -> T {
        largest_square(self.particles.velocity_arrays()).sqrt()
    }

    /// The same, or the first particle whose velocity is no longer finite.
    pub(crate) fn finite_speed(&self, step: u64) -> Result<T, Error> {
        let speed = self.speed();
        if speed.is_finite() {
            return Ok(speed);
        }
        let finite =
            |i: usize| at(self.particles.velocity_arrays(), i).iter().all(|v| v.is_finite());
        let place = [(0..self.particles.len()).find(|i| !finite(*i)).unwrap_or(0), 0, 0];
        Err(Error::Unstable { step, field: "particle velocity", place })
    }

    /// Puts particles that have come into a body onto its surface.
    pub(crate) fn keep_out(&mut self) {
        self.samples.keep_out(&self.bodies.moving, &self.domain, &mut self.particles);
    }
}

/// v̂_i = v_i + ε Σ_j (m/ρ₀) (v_j − v_i) W(x_i − x_j): what its neighbours' velocities
/// make of a particle's own (XSPH).
pub(crate) struct Smoothed<'a, T, const D: usize> {
    pub(crate) liquid: &'a Liquid<T, D>,
    /// ε.
    pub(crate) share: T,
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Smoothed<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let Liquid { kernel, mass, particles, neighbors, matter, .. } = self.liquid;
        let strength = self.share * *mass / matter.rest_density;
        let velocity = particles.velocity_arrays();
        let mut near = Around::new(neighbors, particles.position_arrays(), velocity, []);
        let zero = [T::zero(); LANES];
        for n in (0..out[0].len()).step_by(LANES) {
            near.enter(first + n);
            let (own, mut sum) = (vectors(velocity, first + n), [zero; D]);
            while near.load() {
                for (b, squared) in near.squared[..near.len].iter().enumerate() {
                    let mut weight = zero;
                    for k in 0..LANES {
                        weight[k] = kernel.value(squared[k].sqrt());
                    }
                    for a in 0..D {
                        let (sum, own, other) = (&mut sum[a], &own[a], &near.velocity[a][b]);
                        for k in 0..LANES {
                            sum[k] += weight[k] * (other[k] - own[k]);
                        }
                    }
                }
            }
            for a in 0..D {
                for k in 0..LANES {
                    sum[a][k] = own[a][k] + strength * sum[a][k];
                }
                put(out[a], n, sum[a]);
            }
        }
    }
}
