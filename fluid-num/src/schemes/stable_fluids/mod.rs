//! Stable fluids on a MAC grid: smoke, fire and ink at any time step, in 2D and 3D.
//!
//! ```text
//! ∂u/∂t + u·∇u = −∇p/ρ + ν∇²u + f − drag·u       ∇·u = 0
//! ∂q/∂t + u·∇q = κ∇²q − decay·(q − ambient) + sources
//! f = Σ buoyancy·(q − ambient)·up + ε·h·(N × ω) + sources
//! ```
//!
//! **Discretisation.** Velocity components on faces, pressure and quantities at centres. A step is
//! advection (semi-Lagrangian or MacCormack), forces, implicit viscosity, projection; or the two
//! half steps of advection–reflection. Second order in space with MacCormack or cubic
//! interpolation, first order with linear; first order in time, second with
//! [`Stepping::Reflection`].
//!
//! **Stability.** Unconditional: any finite velocity, any Δt; no sub-steps are needed. What grows
//! with Δt is the error, not the velocity. Confinement is an explicit force and bounded by
//! [`StableFluidsParams::MAX_CONFINEMENT`].
//!
//! **Fields.** [`StableFluids::velocity`] on faces, m/s; [`StableFluids::quantity`] at centres, in
//! the quantity's unit; [`StableFluids::pressure`] at centres, φ = Δt·p/ρ, m²/s.
//!
//! **Solids.** Bodies cut faces and cells by their open fractions; the flow through a face is
//! F·u + (1 − F)·u_solid. Nothing is carried through a solid, nor between cells that touch at a
//! corner only.
//!
//! **Cost.** A step reads and writes every field a few times; the pressure solve dominates. No
//! memory is taken in a step, but for the tables of a direct pressure solver in the first one.
//!
//! **Not modelled.** Free surfaces, variable density, the force of the fluid on bodies.
//!
//! **Validated by** decaying and inviscid Taylor–Green vortices, the lid-driven cavity, and the
//! exact projection of single modes.
//!
//! References: J. Stam, *Stable Fluids*, 1999, <https://doi.org/10.1145/311535.311548>;
//! R. Fedkiw, J. Stam, H. W. Jensen, *Visual Simulation of Smoke*, 2001,
//! <https://doi.org/10.1145/383259.383260>; J. Zehnder, R. Narain, B. Thomaszewski, *An
//! Advection-Reflection Solver for Detail-Preserving Fluid Simulation*, 2018,
//! <https://doi.org/10.1145/3197517.3201324>; R. Bridson, *Fluid Simulation for Computer
//! Graphics*, 2015.

mod forces;
mod obstacles;
mod params;
mod projection;
mod source;
mod substeps;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use params::{QuantityParams, StableFluidsParams, StepPart, Stepping};
pub use source::{Effect, Source};

use crate::advection::Advection;
use crate::advection::transport::Carrier;
use crate::base::{digest::Digest, error::check};
use crate::grid::sample::Lattice;
use crate::grid::{Faces, Field, Grid, Location};
use crate::poisson::{Problem, diffusion::Diffusion};
use crate::solid::Body;
use crate::{Error, Real, Simulation, Snapshot, SolveReport, StepReport};
use forces::Confinement;
use obstacles::{Obstacles, in_the_way};
use projection::Projection;
use source::Falloff;

/// A stable-fluids simulation.
///
/// ```
/// use fluid_num::{Effect, Grid2, Source, StableFluids2, StableFluidsParams};
/// let grid = Grid2::new([32, 48], 1.0 / 32.0)?;
/// let mut fluid = StableFluids2::<f32>::new(grid, StableFluidsParams::default())?;
/// fluid.sources_mut().push(Source {
///     center: [0.5, 0.2],
///     radius: 0.1,
///     effect: Effect::Add { quantity: 0, rate: 5.0 },
/// });
/// for _ in 0..30 {
///     fluid.step(1.0 / 60.0)?;
/// }
/// assert!(fluid.velocity().sample([0.5, 0.3])[1] > 0.0); // the smoke rises
/// assert!(fluid.max_divergence() < 0.1);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct StableFluids<T, const D: usize> {
    grid: Grid<T, D>,
    params: StableFluidsParams<T, D>,
    // State.
    velocity: Faces<T, D>,
    quantities: Vec<Field<T, D>>,
    projection: Projection<T, D>,
    time: T,
    steps: u64,
    report: StepReport<T>,
    sources: Vec<Source<T, D>>,
    bodies: Vec<Body<T, D>>,
    solids: Option<Box<Obstacles<T, D>>>,
    bodies_changed: bool,
    velocity_changed: bool,
    quantities_changed: bool,
    overflown: Option<usize>,
    // Scratch.
    carrier: Carrier<T, D>,
    carried: Faces<T, D>,
    reflected: Option<Faces<T, D>>,
    scratch: Field<T, D>,
    confinement: Option<Confinement<T, D>>,
    falloff: Falloff<T, D>,
    diffusion: Diffusion<T, D>,
    viscosity_problems: [Problem<T, D>; D],
    diffusion_problem: Problem<T, D>,
}

impl<T: Real, const D: usize> StableFluids<T, D> {
    /// A fluid at rest, every quantity at its ambient value.
    ///
    /// # Errors
    /// As [`StableFluidsParams::check`].
    pub fn new(grid: Grid<T, D>, params: StableFluidsParams<T, D>) -> Result<Self, Error> {
        params.check()?;
        let boundary = params.boundary;
        let mut fluid = Self {
            grid,
            velocity: Faces::zeros(grid),
            quantities: params
                .quantities
                .iter()
                .map(|q| Field::from_fn(grid, |_| q.ambient))
                .collect(),
            projection: Projection::new(grid, &boundary, params.pressure_solver)?,
            time: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            sources: Vec::new(),
            bodies: Vec::new(),
            solids: None,
            bodies_changed: false,
            velocity_changed: true,
            quantities_changed: false,
            overflown: None,
            carrier: Carrier::new(grid, boundary, params.path_order),
            carried: Faces::zeros(grid),
            reflected: None,
            scratch: Field::zeros(grid),
            confinement: None,
            falloff: Falloff::new(&grid),
            diffusion: Diffusion::new(grid)?,
            viscosity_problems: core::array::from_fn(|a| Problem::viscosity(grid, &boundary, a)),
            diffusion_problem: Problem::diffusion(grid, &boundary),
            params,
        };
        fluid.take_optional_memory();
        Ok(fluid)
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// The parameters.
    pub fn params(&self) -> &StableFluidsParams<T, D> {
        &self.params
    }

    /// Sets the parameters. The number of quantities must stay as it is.
    ///
    /// # Errors
    /// As [`StableFluidsParams::check`], or [`Error::WrongCount`]; nothing is changed then.
    pub fn set_params(&mut self, params: StableFluidsParams<T, D>) -> Result<(), Error> {
        params.check()?;
        if params.quantities.len() != self.quantities.len() {
            return Err(Error::WrongCount {
                name: "quantities",
                count: params.quantities.len(),
                expected: "as many as the simulation was made with",
            });
        }
        let old = &self.params;
        let rebuild =
            old.boundary != params.boundary || old.pressure_solver != params.pressure_solver;
        if rebuild {
            let mut next = Self::new(self.grid, params)?;
            next.projection.copy_guesses(&self.projection)?;
            self.projection = next.projection;
            self.viscosity_problems = next.viscosity_problems;
            self.diffusion_problem = next.diffusion_problem;
            self.params = next.params;
            self.velocity_changed = true;
        } else {
            self.params = params;
        }
        if let Some(obstacles) = self.solids.as_deref_mut() {
            obstacles.seen = None;
            self.bodies_changed = true;
        }
        self.carrier.boundary = self.params.boundary;
        self.carrier.order = self.params.path_order;
        self.take_optional_memory();
        Ok(())
    }

    /// The velocity, m/s, on faces.
    pub fn velocity(&self) -> &Faces<T, D> {
        &self.velocity
    }

    /// The velocity, to be changed: the next step first makes it free of divergence.
    pub fn velocity_mut(&mut self) -> &mut Faces<T, D> {
        self.velocity_changed = true;
        &mut self.velocity
    }

    /// The number of quantities.
    pub fn quantity_count(&self) -> usize {
        self.quantities.len()
    }

    /// All quantities.
    pub fn quantities(&self) -> &[Field<T, D>] {
        &self.quantities
    }

    /// One quantity.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`].
    pub fn quantity(&self, index: usize) -> Result<&Field<T, D>, Error> {
        let count = self.quantities.len();
        self.quantities.get(index).ok_or(Error::NoSuchEntry { name: "quantity", index, count })
    }

    /// One quantity, to be changed.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`].
    pub fn quantity_mut(&mut self, index: usize) -> Result<&mut Field<T, D>, Error> {
        let count = self.quantities.len();
        self.quantities_changed = true;
        self.quantities.get_mut(index).ok_or(Error::NoSuchEntry { name: "quantity", index, count })
    }

    /// φ = Δt·p/ρ of the last projection, m²/s; with [`Stepping::Reflection`] that of the first half
    /// step, ½Δt·p/ρ.
    pub fn pressure(&self) -> &Field<T, D> {
        &self.projection.pressure
    }

    /// The sources that act in every step.
    pub fn sources(&self) -> &[Source<T, D>] {
        &self.sources
    }

    /// The sources that act in every step, to be changed; `step` checks them.
    pub fn sources_mut(&mut self) -> &mut Vec<Source<T, D>> {
        &mut self.sources
    }

    /// The largest |∇·u| of the flow through the faces, 1/s.
    pub fn max_divergence(&mut self) -> T {
        let solids = in_the_way(&self.solids).map(|o| &o.solids);
        match Projection::divergence(&self.velocity, solids, &mut self.scratch) {
            Ok(()) => self.scratch.max_abs(),
            Err(_) => T::zero(),
        }
    }

    /// The kinetic energy per density, Σ ½|u|²·hᴰ, m²/s² · mᴰ, by components on faces.
    pub fn kinetic_energy(&self) -> f64 {
        let cell = libm::pow(self.grid.dx().to_f64(), D as f64);
        let half_squares = |axis: usize| {
            let region = self.grid.region(Location::Face(axis));
            let sides = [region.lo[axis], region.hi[axis] - 1];
            let u = self.velocity[axis].as_slice();
            let mut sum = 0.0;
            for row in (0..region.rows()).map(|n| region.row(n)) {
                for (i, u) in row.of(u).iter().enumerate() {
                    let at = if axis == 0 { row.at[0] + i } else { row.at[axis] };
                    // A face on a side stands for half a cell.
                    let share = if sides.contains(&at) { 0.25 } else { 0.5 };
                    sum += share * u.to_f64() * u.to_f64();
                }
            }
            sum
        };
        (0..D).map(half_squares).sum::<f64>() * cell
    }

    /// Lets a source act for `duration` seconds at once.
    ///
    /// # Errors
    /// As [`Source::check`], or [`Error::InvalidTimeStep`]; nothing is changed then.
    pub fn apply_source(&mut self, source: &Source<T, D>, duration: T) -> Result<(), Error> {
        source.check(self.quantities.len())?;
        check::time_step(duration)?;
        self.act(source, duration);
        let pushes = matches!(source.effect, Effect::Accelerate(_));
        self.velocity_changed |= pushes;
        self.quantities_changed |= !pushes;
        self.overflown = None;
        Ok(())
    }

    /// Makes the velocity free of divergence now, as every step does at its end.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a velocity with NaN or infinities, an error of a body, or
    /// [`Error::UnsuitableSolver`] for a direct pressure solver among solids: the state is as before.
    /// [`Error::Unstable`] for a velocity near the end of the range of numbers.
    pub fn project(&mut self) -> Result<SolveReport<T>, Error> {
        self.check_velocity()?;
        self.bodies.iter().try_for_each(Body::check)?;
        let step = self.steps;
        let project = |fluid: &mut Self| {
            fluid.look_at_bodies()?;
            fluid.make_incompressible()
        };
        project(self).map_err(|error| error.into_unstable(step))
    }

    /// Takes over the state of a simulation of the same grid and parameters. Fields are copied
    /// without allocating; lists of sources and bodies as their `clone_from` does.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] or [`Error::WrongCount`]; nothing is changed then.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.quantities.len() != other.quantities.len() {
            let count = other.quantities.len();
            let expected = "as many as the target has";
            return Err(Error::WrongCount { name: "quantities", count, expected });
        }
        self.velocity.copy_from(&other.velocity)?;
        for (own, other) in self.quantities.iter_mut().zip(&other.quantities) {
            own.copy_from(other)?;
        }
        self.projection.copy_guesses(&other.projection)?;
        self.sources.clone_from(&other.sources);
        self.bodies.clone_from(&other.bodies);
        match &other.solids {
            Some(obstacles) => {
                let own = self.obstacles();
                own.solids.copy_from(&obstacles.solids)?;
                own.seen = None;
                self.take_over_solids()?;
            }
            None if self.solids.take().is_some() => self.forget_solids(),
            None => {}
        }
        self.bodies_changed = other.bodies_changed;
        self.velocity_changed = other.velocity_changed;
        self.quantities_changed = other.quantities_changed;
        (self.time, self.steps, self.report) = (other.time, other.steps, other.report);
        Ok(())
    }

    /// The same scene on another grid of the same place: fields are read at the new positions.
    /// Cells closed one by one belong to the old grid and are open in the new one.
    ///
    /// # Errors
    /// As [`StableFluids::new`].
    pub fn resampled(&self, grid: Grid<T, D>) -> Result<Self, Error> {
        let mut next = Self::new(grid, self.params.clone())?;
        let read = |from: &Field<T, D>, to: &mut Field<T, D>| {
            let lattice = Lattice::new(&self.grid, from.location(), &self.params.boundary);
            to.set_from_fn(|p| lattice.linear_at(from.as_slice(), p));
        };
        for axis in 0..D {
            read(&self.velocity[axis], &mut next.velocity[axis]);
        }
        for (to, from) in next.quantities.iter_mut().zip(&self.quantities) {
            read(from, to);
        }
        next.quantities_changed = true;
        next.sources.clone_from(&self.sources);
        next.bodies.clone_from(&self.bodies);
        next.bodies_changed = !next.bodies.is_empty();
        (next.time, next.steps, next.report) = (self.time, self.steps, self.report);
        Ok(next)
    }

    /// Advances by `dt` seconds. `dt = 0` changes nothing.
    ///
    /// On return the velocity is free of divergence to the pressure budget, and every face of a
    /// wall or a solid has the velocity of what it belongs to.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`] for NaN, infinite or negative `dt`, an error of a source or a
    /// body, [`Error::UnsuitableSolver`] for a direct pressure solver among solids, or
    /// [`Error::NotFinite`] for a velocity that was set to NaN: the state is as before.
    /// [`Error::Unstable`] where forces drove the velocity beyond the range of numbers.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        self.step_watched(dt, &mut |_| ())
    }

    /// [`Self::step`], which tells `watch` each part of the step as it ends: this library has no
    /// clock, so whoever wants to know where the time goes reads one there.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn step_watched(
        &mut self,
        dt: T,
        watch: &mut dyn FnMut(StepPart),
    ) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.sources.iter().try_for_each(|s| s.check(self.quantities.len()))?;
        if dt == T::zero() {
            return Ok(StepReport::nothing(self.velocity.max_abs()));
        }
        self.bodies.iter().try_for_each(Body::check)?;
        if self.velocity_changed {
            self.check_velocity()?;
        }
        if self.quantities_changed {
            for q in &self.quantities {
                q.check_shape(&self.grid, Location::Center, "quantity")?;
                q.check_finite("quantity")?;
                check::moderate("quantity", q.max_abs())?;
            }
            self.quantities_changed = false;
        }
        let step = self.steps;
        // From here on the state changes: what goes wrong now is no bad input.
        self.advance(dt, watch).map_err(|error| error.into_unstable(step))
    }

    fn advance(&mut self, dt: T, watch: &mut dyn FnMut(StepPart)) -> Result<StepReport<T>, Error> {
        self.look_at_bodies()?;
        watch(StepPart::Preparation);
        if self.velocity_changed {
            self.make_incompressible()?;
            watch(StepPart::Pressure);
        }
        self.hold_walls();
        let pressure = match self.params.stepping {
            Stepping::Projection => self.step_by_projection(dt, watch),
            Stepping::Reflection => self.step_by_reflection(dt, watch),
        }?;
        self.finish(dt, pressure)
    }

    fn check_velocity(&self) -> Result<(), Error> {
        for (axis, u) in self.velocity.components().iter().enumerate() {
            u.check_shape(&self.grid, Location::Face(axis), "velocity")?;
        }
        self.velocity.check_finite("velocity")
    }

    fn step_by_projection(
        &mut self,
        dt: T,
        watch: &mut dyn FnMut(StepPart),
    ) -> Result<SolveReport<T>, Error> {
        self.set_ghosts();
        self.carry_quantities(dt)?;
        self.carry_velocity(dt);
        watch(StepPart::Advection);
        self.add_forces(dt);
        self.diffuse_velocity(dt)?;
        watch(StepPart::Forces);
        let report = self.make_incompressible();
        watch(StepPart::Pressure);
        report
    }

    fn step_by_reflection(
        &mut self,
        dt: T,
        watch: &mut dyn FnMut(StepPart),
    ) -> Result<SolveReport<T>, Error> {
        let half = dt * T::of(0.5);
        self.set_ghosts();
        self.carry_velocity(half);
        watch(StepPart::Advection);
        self.add_forces(half);
        self.diffuse_velocity(half)?;
        self.remember_velocity()?;
        watch(StepPart::Forces);
        self.make_incompressible()?;
        watch(StepPart::Pressure);
        self.set_ghosts();
        self.carry_quantities(dt)?;
        self.carry_reflected_velocity(half);
        watch(StepPart::Advection);
        self.add_forces(half);
        self.diffuse_velocity(half)?;
        watch(StepPart::Forces);
        // What is left to correct has nothing of the pressure of the first half.
        self.projection.exchange_guess();
        let report = self.make_incompressible();
        self.projection.exchange_guess();
        watch(StepPart::Pressure);
        report
    }

    fn finish(&mut self, dt: T, pressure: SolveReport<T>) -> Result<StepReport<T>, Error> {
        self.set_ghosts();
        let max_speed = self.velocity.max_abs();
        let step = self.steps;
        self.steps = self.steps.saturating_add(1);
        self.time += dt;
        let unstable = |field, f: &Field<T, D>| {
            let place = f.first_not_finite().unwrap_or([0; 3]);
            Error::Unstable { step, field, place }
        };
        if !max_speed.is_finite() {
            let broken = self.velocity.components().iter().find(|c| !c.max_abs().is_finite());
            return Err(unstable("velocity", broken.unwrap_or(&self.velocity[0])));
        }
        // All else stays within the moderate values that were let in.
        let gathers = |n: &usize| self.params.quantities[*n].advection == Advection::Scatter;
        let scattered = (0..self.quantities.len())
            .filter(gathers)
            .find(|n| !self.quantities[*n].max_abs().is_finite());
        if let Some(n) = self.overflown.take().or(scattered) {
            self.quantities_changed = true;
            return Err(unstable("quantity", &self.quantities[n]));
        }
        let cfl = max_speed * dt / self.grid.dx();
        self.report =
            StepReport { time: dt, substeps: 1, max_speed, cfl, pressure: Some(pressure) };
        Ok(self.report)
    }

    /// Takes the memory that the parameters call for.
    fn take_optional_memory(&mut self) {
        let grid = self.grid;
        match self.params.vorticity_confinement > T::zero() {
            true => drop(self.confinement.get_or_insert_with(|| Confinement::new(grid))),
            false => self.confinement = None,
        }
        match self.params.stepping {
            Stepping::Reflection => drop(self.reflected.get_or_insert_with(|| Faces::zeros(grid))),
            Stepping::Projection => self.reflected = None,
        }
    }
}

impl<T: Real, const D: usize> Simulation<T> for StableFluids<T, D> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        StableFluids::step(self, dt)
    }

    fn time(&self) -> T {
        self.time
    }

    fn digest(&self) -> u64 {
        let digest = self.velocity.digest(Digest::new());
        let digest = self.quantities.iter().fold(digest, |d, q| q.digest(d));
        self.projection.digest(digest).values(&[self.time]).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("stable_fluids", D, self.time))
            .with_words("steps", [self.steps])
            .with_words("velocity changed", [u64::from(self.velocity_changed)])
            .with_values("velocity", self.velocity.components().iter().flat_map(Field::values))
            .with_values("quantities", self.quantities.iter().flat_map(Field::values))
            .with_values("pressure", self.projection.guesses().into_iter().flat_map(Field::values));
        Body::snapshot_all(&self.bodies, self.snapshot_solids(snapshot))
    }

    /// Closed cells are restored too. The next step looks at bodies and closed cells again; until
    /// then [`StableFluids::solids`] are as before.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("stable_fluids", D)?;
        self.grid.check_snapshot(snapshot)?;
        let (grid, count) = (self.grid, self.quantities.len());
        let steps = snapshot.word("steps")?;
        let velocity_changed = snapshot.word("velocity changed")? != 0;
        let velocity = Faces::restored(grid, snapshot, "velocity")?;
        let values = snapshot.values_exactly("quantities", count * grid.cell_count())?;
        let mut values = values.iter().copied();
        let guesses = Field::restored(grid, [Location::Center; 2], snapshot, "pressure")?;
        let bodies = Body::restored_all(&self.bodies, snapshot)?;
        self.restore_solids(snapshot)?;
        self.quantities.fill_with(|| Field::of_values(grid, Location::Center, &mut values));
        self.projection.set_guesses(guesses);
        (self.velocity, self.velocity_changed) = (velocity, velocity_changed);
        (self.bodies, self.bodies_changed) = (bodies, true);
        (self.quantities_changed, self.overflown) = (true, None);
        (self.time, self.steps) = (snapshot.time(), steps);
        self.report = StepReport::nothing(self.velocity.max_abs());
        Ok(())
    }
}
