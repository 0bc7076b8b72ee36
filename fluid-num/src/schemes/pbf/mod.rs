//! Position-based fluids (PBF): liquid at frame-sized time steps that never blows up.
//!
//! ```text
//! C_i = ρ_i/ρ₀ − 1 ≤ 0        ρ_i = Σ_j m W(x_i − x_j)
//! λ_i = −C_i/(Σ_k|∇_k C_i|² + ε)
//! Δx_i = (m/ρ₀) Σ_j (λ_i + λ_j + s) ∇W      s = −k (W/W(Δq))⁴
//! v = (x_new − x_old)/Δt, evened out between neighbours (XSPH), with vorticity confinement
//! ```
//!
//! A sub-step moves particles on by their velocity and gravity, finds neighbours, corrects positions a
//! few times until the density is nowhere above the rest density, and makes velocities from where
//! particles have come to.
//!
//! **Discretisation.** Cubic spline; the mass makes a lattice at rest have exactly the rest density,
//! every particle's own part included; λ is a full Newton step whatever the spacing. First order in
//! time.
//!
//! **Stability.** Any time step: a particle moves at most one support radius in a sub-step.
//! Corrections reach as far as iterations × support radius: the default of 4 carries columns of about
//! 40 particles; deeper ones are compressed by up to 10 % or need more iterations.
//!
//! **Walls** are half-spaces of fluid at rest, integrated exactly; **bodies** are filled with points
//! that stand for their volume, and get the opposite of what they do to particles. Moving them is
//! up to you, after the step.
//!
//! **Fields.** Of each particle: position, m; velocity, m/s; density, kg/mᴰ.
//!
//! **Cost** in the plane, f32, one core, 4 iterations: about 0.65 µs a particle and sub-step. Memory
//! is taken when particles are added, and when there are more pairs of neighbours than ever before.
//!
//! **Not modelled.** Surface tension but for the tensile correction; pressure.
//!
//! **Validated by** settled columns at three frame rates, floating bodies, and drops that keep their
//! momentum.
//!
//! Reference: M. Macklin, M. Müller, *Position based fluids*, 2013,
//! <https://doi.org/10.1145/2461912.2461984>.

mod params;
mod passes;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use params::PbfParams;

use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec;
use crate::particles::kernel::Kernel;
use crate::particles::liquid::{Liquid, Smoothed};
use crate::particles::{Domain, Emitter, ParticleSet, at};
use crate::solid::Body;
use crate::{Error, Real, Simulation, Snapshot, StepReport};
use passes::{Confinement, Corrections, MoveOn, Multipliers, Scale, Vorticity};

/// A simulation of position-based fluids.
///
/// ```
/// use fluid_num::particles::Domain;
/// use fluid_num::{Pbf2, PbfParams};
/// let tank = Domain::new([0.0, 0.0], [2.0, 1.0])?;
/// let params = PbfParams { spacing: 0.05, ..Default::default() };
/// let mut water = Pbf2::<f32>::new(tank, params)?;
/// water.particles_mut().add_block([0.0, 0.0], [0.5, 0.8], 0.05, [0.0, 0.0], 0, &[])?;
/// for _ in 0..12 {
///     water.step(1.0 / 60.0)?;
/// }
/// let front = water.particles().positions(0).iter().copied().fold(0.0, f32::max);
/// assert!(front > 0.6); // the dam breaks
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pbf<T, const D: usize> {
    params: PbfParams<T, D>,
    liquid: Liquid<T, D>,
    scale: Scale<T>,
    time: T,
    steps: u64,
    report: StepReport<T>,
    // Of each particle.
    lambda: Vec<T>,
    /// ρ/ρ₀.
    ratio: Vec<T>,
    /// Where it was at the beginning of the sub-step.
    before: [Vec<T>; D],
    correction: [Vec<T>; D],
    vorticity: [Vec<T>; 4],
    scratch: Vec<T>,
}

impl<T: Real, const D: usize> Pbf<T, D> {
    /// A simulation without particles.
    ///
    /// # Errors
    /// As [`PbfParams::check`] and [`Domain::check`]; [`Error::InvalidParameter`] for a periodic length
    /// of less than two support radii.
    pub fn new(domain: Domain<T, D>, params: PbfParams<T, D>) -> Result<Self, Error> {
        params.check()?;
        let liquid = Liquid::new(domain, &params.matter(), T::zero(), params.cells)?;
        Ok(Self {
            params,
            scale: Scale::new(&liquid),
            liquid,
            time: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            lambda: Vec::new(),
            ratio: Vec::new(),
            before: core::array::from_fn(|_| Vec::new()),
            correction: core::array::from_fn(|_| Vec::new()),
            vorticity: core::array::from_fn(|_| Vec::new()),
            scratch: Vec::new(),
        })
    }

    /// The domain.
    pub fn domain(&self) -> &Domain<T, D> {
        &self.liquid.domain
    }

    /// The parameters.
    pub fn params(&self) -> &PbfParams<T, D> {
        &self.params
    }

    /// Sets the parameters; particles stay, with the mass that belongs to the new spacing.
    ///
    /// # Errors
    /// As [`Self::new`]; nothing is changed then.
    pub fn set_params(&mut self, params: PbfParams<T, D>) -> Result<(), Error> {
        params.check()?;
        if (self.params.matter(), self.params.cells) != (params.matter(), params.cells) {
            self.liquid.change(&params.matter(), T::zero(), params.cells)?;
            self.scale = Scale::new(&self.liquid);
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

    /// The density of each particle before the last correction, kg/mᴰ.
    pub fn density(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        let rest = self.params.rest_density;
        self.ratio.iter().map(move |ratio| *ratio * rest)
    }

    /// Advances by `dt` seconds, in equal sub-steps.
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
        let PbfParams { longest_substep, max_substeps, spacing, .. } = self.params;
        // A hair's tolerance: a frame of twice the longest sub-step takes two of them.
        let wanted = (dt / longest_substep - T::of(1e-4)).ceil().at_least(T::one());
        let substep =
            if wanted > T::of_usize(max_substeps) { longest_substep } else { dt / wanted };
        let count = wanted.at_most(T::of_usize(max_substeps)).truncate().max(1) as usize;
        let mut report = StepReport::nothing(T::zero());
        for _ in 0..count {
            let share = T::one() / T::of_usize(count);
            self.liquid.samples.place(&self.liquid.bodies.moving);
            self.predict(substep);
            self.find_neighbors()?;
            self.correct(substep, share)?;
            self.liquid.bodies.move_on(self.params.gravity, substep)?;
            self.make_velocities(substep);
            report.max_speed = self.liquid.finite_speed(self.steps)?;
            self.confine_vorticity(substep);
            self.even_out(substep);
            report.cfl = report.cfl.at_least(report.max_speed * substep / spacing);
        }
        report.substeps = count;
        report.time = if wanted > T::of_usize(count) { substep * T::of_usize(count) } else { dt };
        self.liquid.finish(report.time)?;
        self.time += report.time;
        self.steps = self.steps.saturating_add(1);
        self.report = report;
        Ok(report)
    }

    fn take_in(&mut self) {
        self.liquid.take_in();
        let count = self.liquid.particles.len();
        let Self { lambda, ratio, before, correction, vorticity, .. } = self;
        for list in [lambda, ratio].into_iter().chain(before).chain(correction) {
            list.resize(count, T::zero());
        }
        if self.params.confinement > T::zero() {
            vorticity.iter_mut().for_each(|v| v.resize(count, T::zero()));
        }
    }

    /// Moves particles on by their velocity and gravity.
    fn predict(&mut self, dt: T) {
        let Liquid { domain, particles, .. } = &mut self.liquid;
        for a in 0..D {
            let gravity = self.params.gravity[a];
            let (x, v) = particles.axis_mut(a);
            self.before[a].copy_from_slice(x);
            for (x, v) in x.iter_mut().zip(v) {
                *v += dt * gravity;
                *x = domain.coordinate_inside(a, *x + dt * *v);
            }
        }
    }

    /// Puts particles into the order of cells and finds all neighbours.
    fn find_neighbors(&mut self) -> Result<(), Error> {
        let Self { liquid, before, scratch, .. } = self;
        liquid.sort()?;
        for list in before {
            scratch.clear();
            scratch.extend(liquid.neighbors.last_order().iter().map(|i| list[*i as usize]));
            core::mem::swap(list, scratch);
        }
        liquid.find_neighbors()
    }

    /// Corrects positions until densities are right.
    fn correct(&mut self, dt: T, share: T) -> Result<(), Error> {
        let PbfParams { iterations, tolerance, relaxation, tensile, .. } = self.params;
        for _ in 0..iterations {
            let Self { liquid, scale, lambda, ratio, correction, .. } = self;
            let pass = Multipliers { liquid, scale: *scale, relaxation };
            exec::chunks([&mut *lambda, &mut *ratio], &pass);
            if tolerance > T::zero() && mean_excess(ratio) <= tolerance {
                break;
            }
            let pass = Corrections { liquid, scale: *scale, tensile, lambda };
            exec::chunks(correction.each_mut().map(|c| &mut c[..]), &pass);
            self.push_bodies(dt, share)?;
            self.move_on();
        }
        self.liquid.keep_out();
        Ok(())
    }

    /// Adds to the bodies the opposite of what they do to particles in this correction.
    fn push_bodies(&mut self, dt: T, share: T) -> Result<(), Error> {
        let Liquid { particles, samples, bodies, kernel, mass, .. } = &mut self.liquid;
        for i in samples.particles_near() {
            let x = at(particles.position_arrays(), i);
            for sample in samples.near(i, x) {
                let slope = self.lambda[i] * sample.volume * kernel.gradient(sample.distance);
                let force = sample.offset.map(|o| -*mass * slope * o / (dt * dt));
                let place = core::array::from_fn(|a| x[a] - sample.offset[a]);
                bodies.push(sample.body, place, force, share)?;
            }
        }
        Ok(())
    }

    fn move_on(&mut self) {
        let Liquid { domain, particles, .. } = &mut self.liquid;
        for (axis, correction) in self.correction.iter().enumerate() {
            exec::chunks([particles.positions_mut(axis)], &MoveOn { domain, axis, correction });
        }
    }

    /// v = (x − x_before)/Δt, to the nearest image. Who has come further than a support radius is put
    /// back to that.
    fn make_velocities(&mut self, dt: T) {
        let Liquid { domain, particles, matter, .. } = &mut self.liquid;
        let (images, rate, farthest) = (domain.images(), T::one() / dt, matter.support_radius());
        for (a, before) in self.before.iter().enumerate() {
            let (x, v) = particles.axis_mut(a);
            for ((v, x), before) in v.iter_mut().zip(x).zip(before) {
                let mut moved = [*x - *before];
                images.nearest(a, &mut moved);
                *v = moved[0] * rate;
            }
        }
        let fastest = farthest * rate;
        for i in 0..particles.len() {
            let v = at(particles.velocity_arrays(), i);
            let mut squared = T::zero();
            for v in v {
                squared += v * v;
            }
            if squared > fastest * fastest {
                let share = fastest / squared.sqrt();
                for a in 0..D {
                    let (x, v) = particles.axis_mut(a);
                    v[i] *= share;
                    x[i] = domain.coordinate_inside(a, self.before[a][i] + dt * v[i]);
                }
            }
        }
    }

    /// Vorticity confinement.
    fn confine_vorticity(&mut self, dt: T) {
        let Self { params, liquid, scale, vorticity, correction, .. } = self;
        if params.confinement == T::zero() {
            return;
        }
        let pass = Vorticity { liquid, volume: scale.volume };
        exec::chunks(vorticity.each_mut().map(|v| &mut v[..]), &pass);
        let pass = Confinement {
            liquid,
            volume: scale.volume,
            strength: params.confinement * params.spacing,
            vorticity: vorticity.each_ref().map(|v| &v[..]),
        };
        exec::chunks(correction.each_mut().map(|c| &mut c[..]), &pass);
        for (a, acceleration) in correction.iter().enumerate() {
            let velocities = liquid.particles.velocities_mut(a);
            for (v, acceleration) in velocities.iter_mut().zip(acceleration) {
                *v += dt * *acceleration;
            }
        }
    }

    /// Evens velocities out between neighbours.
    fn even_out(&mut self, dt: T) {
        let Self { params, liquid, correction, .. } = self;
        if params.viscosity == T::zero() {
            return;
        }
        let rate = params.viscosity * dt;
        let pass = Smoothed { liquid, share: rate / (T::one() + rate) };
        exec::chunks(correction.each_mut().map(|c| &mut c[..]), &pass);
        for (a, smoothed) in correction.iter().enumerate() {
            liquid.particles.velocities_mut(a).copy_from_slice(smoothed);
        }
    }
}

/// The mean of ρ/ρ₀ − 1 where that is positive.
fn mean_excess<T: Real>(ratio: &[T]) -> T {
    let excess = |r: &T| (*r - T::one()).at_least(T::zero());
    let sum = ratio.iter().map(excess).fold(T::zero(), |sum, e| sum + e);
    sum / T::of_usize(ratio.len().max(1))
}

impl<T: Real, const D: usize> Simulation<T> for Pbf<T, D> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        Pbf::step(self, dt)
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
        let snapshot = Snapshot::new("pbf", D, self.time).with_words("steps", [self.steps]);
        self.liquid.snapshot(snapshot, [("density ratio", &self.ratio)])
    }

    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("pbf", D)?;
        let steps = snapshot.word("steps")?;
        self.liquid.restore(snapshot, [("density ratio", &mut self.ratio)])?;
        (self.time, self.steps) = (snapshot.time(), steps);
        self.report = StepReport::nothing(self.liquid.speed());
        Ok(())
    }
}
