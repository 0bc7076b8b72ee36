//! Weakly compressible smoothed particle hydrodynamics (WCSPH): splashing liquid, explicit and simple.
//!
//! ```text
//! ρ_i = Σ_j m W(x_i − x_j)                         p = B((ρ/ρ₀)^γ − 1), not below 0
//! dv_i/dt = −Σ_j m (p_i/ρ_i² + p_j/ρ_j² + Π_ij) ∇W
//!           + 2(D + 2)ν Σ_j (m/ρ₀) (v_ij·x_ij)/(x_ij² + 0.01h²) ∇W + g
//! dx_i/dt = v_i (+ XSPH)
//! ```
//!
//! **Discretisation.** Cubic spline of support 2h; the mass makes a lattice at rest have exactly the rest
//! density, every particle's own part included. Time by semi-implicit Euler: velocities first,
//! positions with the new ones. What one particle does to another the other does to it, so that
//! momentum is kept to rounding.
//!
//! **Stability.** A sub-step is at most `courant`·h/(c(1 + 0.6α) + |v|), h²/(8ν) and ¼√(h/|a|); a
//! step does as many as it needs.
//!
//! **Walls** are half-spaces of fluid at rest, integrated exactly (see [`Domain`]); **bodies** are
//! filled with points that stand for their volume. Both mirror a particle's pressure, which goes
//! on beyond them as gravity says. Particles slide along walls, and along bodies unless they are
//! [`Slip::No`](crate::solid::Slip). What bodies do to the liquid is added to their force and
//! torque with the opposite sign; moving them is up to you, after the step.
//!
//! **Fields.** Of each particle: position, m; velocity, m/s; density, kg/mᴰ; pressure, Pa.
//!
//! **Cost** in the plane, f32, one core: 0.13 to 0.2 µs a particle and sub-step. Memory is taken when
//! particles are added, and when there are more pairs of neighbours than ever before.
//!
//! **Not modelled.** Surface tension, negative pressure, heat.
//!
//! **Validated by** the elliptical drop, hydrostatic columns, decaying shear waves, the dam break of
//! Martin and Moyce, and floating bodies.
//!
//! References: J. J. Monaghan, *Simulating free surface flows with SPH*, 1994,
//! <https://doi.org/10.1006/jcph.1994.1034>; M. Becker, M. Teschner, *Weakly compressible SPH for
//! free surface flows*, 2007, <https://doi.org/10.2312/SCA/SCA07/209-218>.

mod params;
mod passes;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use params::{Stiffness, WcsphParams};

use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec;
use crate::particles::liquid::{Liquid, Smoothed};
use crate::particles::pairs::largest_square;
use crate::particles::{Domain, Emitter, ParticleSet, at};
use crate::solid::Body;
use crate::{Error, Real, Simulation, Snapshot, StepReport};
use passes::{Acceleration, Density, Kick};

/// A WCSPH simulation.
///
/// ```
/// use fluid_num::particles::Domain;
/// use fluid_num::{Wcsph2, WcsphParams};
/// let tank = Domain::new([0.0, 0.0], [2.0, 1.0])?;
/// let params = WcsphParams { spacing: 0.05, ..Default::default() };
/// let mut water = Wcsph2::<f32>::new(tank, params)?;
/// water.particles_mut().add_block([0.0, 0.0], [0.5, 0.8], 0.05, [0.0, 0.0], 0, &[])?;
/// let report = water.step(0.05)?;
/// assert!(report.substeps > 1);
/// let front = water.particles().positions(0).iter().copied().fold(0.0, f32::max);
/// assert!(front > 0.48); // the dam breaks
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Wcsph<T, const D: usize> {
    params: WcsphParams<T, D>,
    liquid: Liquid<T, D>,
    time: T,
    steps: u64,
    report: StepReport<T>,
    // Of each particle.
    density: Vec<T>,
    /// p/ρ².
    pressure: Vec<T>,
    acceleration: [Vec<T>; D],
    /// The velocity that it moves with, under XSPH.
    drift: [Vec<T>; D],
    /// How far particles may still move before neighbours are sought again, m.
    slack: T,
}

impl<T: Real, const D: usize> Wcsph<T, D> {
    /// A simulation without particles.
    ///
    /// # Errors
    /// As [`WcsphParams::check`] and [`Domain::check`]; [`Error::InvalidParameter`] for a periodic
    /// length of less than two support radii and skins.
    pub fn new(domain: Domain<T, D>, params: WcsphParams<T, D>) -> Result<Self, Error> {
        params.check()?;
        Ok(Self {
            params,
            liquid: Liquid::new(domain, &params.matter(), params.skin, params.cells)?,
            time: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            density: Vec::new(),
            pressure: Vec::new(),
            acceleration: core::array::from_fn(|_| Vec::new()),
            drift: core::array::from_fn(|_| Vec::new()),
            slack: T::zero(),
        })
    }

    /// The domain.
    pub fn domain(&self) -> &Domain<T, D> {
        &self.liquid.domain
    }

    /// The parameters.
    pub fn params(&self) -> &WcsphParams<T, D> {
        &self.params
    }

    /// Sets the parameters; particles stay, with the mass that belongs to the new spacing.
    ///
    /// # Errors
    /// As [`Self::new`]; nothing is changed then.
    pub fn set_params(&mut self, params: WcsphParams<T, D>) -> Result<(), Error> {
        params.check()?;
        let old = &self.params;
        if (old.matter(), old.skin, old.cells) != (params.matter(), params.skin, params.cells) {
            self.liquid.change(&params.matter(), params.skin, params.cells)?;
        }
        self.params = params;
        Ok(())
    }

    /// The particles.
    pub fn particles(&self) -> &ParticleSet<T, D> {
        &self.liquid.particles
    }

    /// The particles, to be added, changed and removed.
    pub fn particles_mut(&mut self) -> &mut ParticleSet<T, D> {
        &mut self.liquid.particles
    }

    /// What pours particles in.
    pub fn emitters(&self) -> &[Emitter<T, D>] {
        &self.liquid.emitters
    }

    /// What pours particles in, to be changed.
    pub fn emitters_mut(&mut self) -> &mut Vec<Emitter<T, D>> {
        &mut self.liquid.emitters
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body<T, D>] {
        &self.liquid.bodies.list
    }

    /// The bodies, to be changed; `step` checks them and adds to their force and torque.
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, D>> {
        &mut self.liquid.bodies.list
    }

    /// The mass of a particle, kg (kg/m in the plane).
    pub fn particle_mass(&self) -> T {
        self.liquid.mass
    }

    /// The density of each particle in the last sub-step, kg/mᴰ.
    pub fn density(&self) -> &[T] {
        &self.density
    }

    /// The pressure of each particle in the last sub-step, Pa.
    pub fn pressure(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.pressure.iter().zip(&self.density).map(|(share, density)| *share * *density * *density)
    }

    /// Advances by `dt` seconds, in as many sub-steps as stability asks for.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]; [`Error::NotFinite`] with the first particle whose position or
    /// velocity is not finite; what [`Body::check`] says of a body, and
    /// [`Error::InvalidParameter`] for a body without end: the state is as before.
    /// [`Error::Unstable`] where velocities leave the range of numbers.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.liquid.check()?;
        if dt == T::zero() {
            return Ok(StepReport::nothing(self.liquid.speed()));
        }
        let step = self.steps;
        self.advance(dt).map_err(|error| error.into_unstable(step))
    }

    /// A step of a state that has been checked.
    fn advance(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        self.take_in();
        let mut report = StepReport::nothing(T::zero());
        while report.time < dt && report.substeps < self.params.max_substeps {
            self.look_around()?;
            self.evaluate();
            let step = self.stable_step(dt - report.time)?;
            self.push_bodies(step, step / dt)?;
            self.kick(step);
            report.max_speed = self.liquid.finite_speed(self.steps)?;
            self.move_on(step, report.max_speed);
            let last = report.substeps + 1 == self.params.max_substeps;
            report.time = if step < dt - report.time || last { report.time + step } else { dt };
            report.substeps += 1;
            report.cfl = report.cfl.at_least(report.max_speed * step / self.params.spacing);
        }
        self.liquid.finish(report.time)?;
        self.time += report.time;
        self.steps = self.steps.saturating_add(1);
        self.report = report;
        Ok(report)
    }

    /// Removes particles that were to be, brings those outside the domain back in, and makes room.
    fn take_in(&mut self) {
        self.liquid.take_in();
        let Self { liquid, density, pressure, acceleration, drift, .. } = self;
        for list in [density, pressure].into_iter().chain(acceleration).chain(drift) {
            list.resize(liquid.particles.len(), T::zero());
        }
        self.slack = T::zero();
    }

    /// Finds neighbours where anything may have come near since the last time.
    fn look_around(&mut self) -> Result<(), Error> {
        self.liquid.samples.place(&self.liquid.bodies.moving);
        if self.slack <= T::zero() {
            self.liquid.sort()?;
            self.liquid.find_neighbors()?;
            self.slack = self.params.skin * self.params.support_radius();
        }
        Ok(())
    }

    /// Densities, pressures and accelerations.
    fn evaluate(&mut self) {
        let Self { params, liquid, density, pressure, acceleration, .. } = self;
        exec::chunks([&mut *density, &mut *pressure], &Density { params, liquid });
        let out = acceleration.each_mut().map(|a| &mut a[..]);
        exec::chunks(out, &Acceleration { params, liquid, density, pressure });
    }

    /// A stable time step that divides `rest` evenly.
    fn stable_step(&self, rest: T) -> Result<T, Error> {
        let params = &self.params;
        let speed = self.liquid.speed();
        let acceleration = largest_square(self.acceleration.each_ref().map(|a| &a[..])).sqrt();
        let h = params.support_radius() * T::of(0.5);
        let sound = params.sound_speed() * (T::one() + T::of(0.6) * params.artificial_viscosity);
        let mut limit = params.courant * h / (sound + speed);
        if params.kinematic_viscosity > T::zero() {
            limit = limit.at_most(T::of(0.125) * h * h / params.kinematic_viscosity);
        }
        if acceleration > T::zero() {
            limit = limit.at_most(T::of(0.25) * (h / acceleration).sqrt());
        }
        if limit <= T::zero() {
            let field = "particle acceleration";
            return Err(Error::Unstable { step: self.steps, field, place: [0; 3] });
        }
        let count = (rest / limit).ceil();
        Ok(if limit >= rest {
            rest
        } else if count.is_finite() {
            rest / count
        } else {
            limit
        })
    }

    /// Does to the bodies the opposite of what they do to particles in a sub-step of `dt`, which is
    /// `share` of the step, and moves them on.
    fn push_bodies(&mut self, dt: T, share: T) -> Result<(), Error> {
        let mut bodies = core::mem::take(&mut self.liquid.bodies);
        let mut result = Ok(());
        let Self { params, liquid, density, pressure, .. } = &*self;
        let pass = Acceleration { params, liquid, density, pressure };
        for i in liquid.samples.particles_near() {
            let x = at(liquid.particles.position_arrays(), i);
            for sample in liquid.samples.near(i, x) {
                let force = pass.body(i, &sample).map(|push| -push * liquid.mass);
                let place = core::array::from_fn(|a| x[a] - sample.offset[a]);
                result = result.and(bodies.push(sample.body, place, force, share));
            }
        }
        self.liquid.bodies = bodies;
        result.and_then(|()| self.liquid.bodies.move_on(self.params.gravity, dt))
    }

    fn kick(&mut self, dt: T) {
        for (a, acceleration) in self.acceleration.iter().enumerate() {
            let velocity = self.liquid.particles.velocities_mut(a);
            exec::chunks([velocity], &Kick { acceleration, dt });
        }
    }

    /// Moves particles with their velocity, or with the mean of their neighbours'.
    fn move_on(&mut self, dt: T, speed: T) {
        let Self { params, liquid, drift, slack, .. } = self;
        let smooth = params.xsph > T::zero();
        if smooth {
            let out = drift.each_mut().map(|d| &mut d[..]);
            exec::chunks(out, &Smoothed { liquid, share: params.xsph });
        }
        let Liquid { domain, particles, samples, .. } = liquid;
        for a in 0..D {
            let (x, v) = particles.axis_mut(a);
            for (n, (x, v)) in x.iter_mut().zip(v).enumerate() {
                let moved = *x + dt * if smooth { drift[a][n] } else { *v };
                [*x, *v] = domain.stopped(a, moved, *v);
            }
        }
        *slack -= (speed + speed.at_least(samples.largest_speed())) * dt;
        liquid.keep_out();
    }
}

impl<T: Real, const D: usize> Simulation<T> for Wcsph<T, D> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        Wcsph::step(self, dt)
    }

    fn time(&self) -> T {
        self.time
    }

    fn digest(&self) -> u64 {
        self.liquid.particles.digest(Digest::new().values(&[self.time])).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = Snapshot::new("wcsph", D, self.time).with_words("steps", [self.steps]);
        let readings = [("density", &self.density), ("pressure share", &self.pressure)];
        self.liquid.snapshot(snapshot, readings)
    }

    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("wcsph", D)?;
        let steps = snapshot.word("steps")?;
        let readings = [("density", &mut self.density), ("pressure share", &mut self.pressure)];
        self.liquid.restore(snapshot, readings)?;
        (self.time, self.steps) = (snapshot.time(), steps);
        self.report = StepReport::nothing(self.liquid.speed());
        Ok(())
    }
}
