//! A liquid with a free surface and rigid bodies, on a MAC grid with a level set, in 2D and 3D.
//!
//! ```text
//! ∂u/∂t + u·∇u = −∇p/ρ + ν∇²u + g      ∇·u = 0      where φ < 0
//! ∂φ/∂t + u·∇φ = 0                     p = 0        at φ = 0
//! M dV/dt = M g − ∮ p n dA             u·n = V·n    at bodies
//! ```
//!
//! **Discretisation.** Velocity components on faces, pressure and φ, the signed distance to the surface,
//! at centres. A step is, each a function of its own: [`Liquid::cut_solids`],
//! [`Liquid::advect_velocity`], [`Liquid::apply_forces`], [`Liquid::project`],
//! [`Liquid::extrapolate_velocity`], [`Liquid::advect_surface`], [`Liquid::exchange`],
//! [`Liquid::reinitialize`], [`Liquid::push_bodies`]. The divergence is that of finite volumes, the flow
//! through a face F u + (1 − F) u_solid with its open part F; p = 0 lies on the surface itself (ghost
//! fluid). Second order in space where the surface and the solids are smooth, first order in time.
//!
//! **Stability.** Unconditional in Δt; a step in which something moves more than `most_cells` is cut into
//! sub-steps, because the surface is worse the farther it goes at once.
//!
//! **Fields.** [`Liquid::surface`], φ, m, negative in the liquid; [`Liquid::velocity`] on faces, m/s;
//! [`Liquid::pressure`] at centres, Pa, 0 in air.
//!
//! **Bodies** of given motion move the liquid; those with a mass move with it, see [`Coupling`]. The
//! liquid's force and torque are added to theirs; [`Liquid::advance_bodies`], or a physics engine, moves
//! them.
//!
//! **At rest.** Pressure of a flat surface at any height between centres, over flat or sloped ground, is
//! exactly linear: water at rest stays so but for the residual of the pressure solve.
//!
//! **Volume.** What splashes finer than the grid is lost, and bodies that plunge in or touch each other
//! take some with them: of a pool into which a dam and ten bodies fall 5 to 9 % within ten seconds.
//! [`VolumeCorrection`] gives it back, there to 0.1 %, and to 1 % while a splash is on its way;
//! [`MarkerParticles`] keep it to 2 %, and make up to 13 % where spray falls for long. A surface that comes
//! closer than a cell to a body is drawn to it.
//!
//! **Cost.** The pressure solve, mostly 4 to 6 iterations (up to 11 with bodies of all weights), and the
//! search of the band dominate. No memory is taken in a step, but by the first ones in which bodies are
//! wet.
//!
//! **Viscosity** is implicit, component by component, ∇·(ν∇u), the same everywhere or carried along by the
//! liquid ([`Liquid::set_viscosity`]); of the stress of a varying ν the part ∇ν·∇uᵀ is left out. **Surface
//! tension** is explicit.
//!
//! **Walls** hold the liquid, as a vacuum would, or push only ([`LiquidParams::separating_walls`]).
//!
//! **Not modelled.** Air, bodies thinner than two cells.
//!
//! **Validated by** tanks at rest, the period of sloshing, a falling drop, the pressure in a drop and its
//! period (Rayleigh 1879), layers of oil, the dam break of Martin and Moyce (1952), Archimedes' principle,
//! floating bodies, momentum, and the added mass of a disc.
//!
//! References: R. Bridson, *Fluid Simulation for Computer Graphics*, 2015; Y. T. Ng, C. Min, F. Gibou, *An
//! efficient fluid–solid coupling algorithm for single-phase flows*, 2009,
//! <https://doi.org/10.1016/j.jcp.2009.08.032>; F. Gibou, R. Fedkiw, L.-T. Cheng, M. Kang, *A
//! second-order-accurate symmetric discretization of the Poisson equation on irregular domains*, 2002,
//! <https://doi.org/10.1006/jcph.2001.6977>; C. Batty, F. Bertails, R. Bridson, *A fast variational
//! framework for accurate solid-fluid coupling*, 2007, <https://doi.org/10.1145/1276377.1276502>.

mod bodies;
mod ledger;
mod params;
mod pressure;
mod rim;
mod separation;
mod simulation;
mod sources;
mod submerged;
mod substeps;
mod tension;
#[cfg(test)]
mod tests;
mod viscosity;

use alloc::vec::Vec;

pub use ledger::VolumeReport;
pub use params::{Coupling, LiquidParams, VolumeCorrection};
pub use sources::{Flow, LiquidSource};

use crate::advection::transport::Carrier;
use crate::base::error::check;
use crate::grid::{Faces, Field, Grid};
use crate::level_set::{
    BandTransport, DistanceOrder, Extrapolation, FastIterative, MarkerParticles,
};
use crate::solid::{Body, Solids};
use crate::{Error, LevelSet, Location, Real, Side, SolveReport, StepReport};
use bodies::Riders;
use ledger::Ledger;
use pressure::Pressure;
use rim::Rim;
use separation::Separation;
use viscosity::{LocalViscosity, Viscosity};

/// A liquid with a free surface.
///
/// ```
/// use fluid_num::solid::{Body, Shape};
/// use fluid_num::{Grid2, LevelSet, Liquid2, LiquidParams};
/// let grid = Grid2::new([48, 32], 1.0 / 32.0)?;
/// let params = LiquidParams::default();
/// let pool = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - 0.5)?;
/// let mut water = Liquid2::<f64>::new(pool, params)?;
/// // A ball half as heavy as water, dropped in.
/// let area = core::f64::consts::PI * 0.01;
/// let ball = Body::new(Shape::ball(0.1)?, [0.75, 0.7])?;
/// water.bodies_mut().push(ball.with_mass(500.0 * area, [0.0, 0.0, 2.5 * area])?);
/// for _ in 0..180 {
///     water.step(1.0 / 60.0)?;
///     water.advance_bodies(1.0 / 60.0)?;
/// }
/// let swims = water.bodies()[0].position[1];
/// assert!((swims - 0.5).abs() < 0.1, "{swims}");
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Liquid<T, const D: usize> {
    grid: Grid<T, D>,
    params: LiquidParams<T, D>,
    // State.
    surface: LevelSet<T, D>,
    velocity: Faces<T, D>,
    pressure: Pressure<T, D>,
    bodies: Vec<Body<T, D>>,
    sources: Vec<LiquidSource<T, D>>,
    ledger: Ledger,
    markers: Option<MarkerParticles<T, D>>,
    /// What the viscosity is more than that of the parameters.
    local_viscosity: Option<LocalViscosity<T, D>>,
    /// Where the liquid has come off walls.
    separation: Option<Separation<T, D>>,
    /// How many cells the liquid may have moved since φ was a distance.
    travelled: T,
    /// How many sub-steps there were since particles were seeded.
    unseeded: u64,
    /// The length of the last sub-step, s.
    last: T,
    time: T,
    steps: u64,
    report: StepReport<T>,
    velocity_changed: bool,
    surface_changed: bool,
    // Derived.
    solids: Solids<T, D>,
    /// The distance of cells to the solids.
    solid: Field<T, D>,
    /// What is liquid and not solid.
    wet: LevelSet<T, D>,
    riders: Riders<T>,
    // Scratch.
    rim: Rim<T>,
    /// What sources of a given rate add to the divergence of cells.
    rates: Vec<(u32, T)>,
    viscosity: Option<Viscosity<T, D>>,
    carrier: Carrier<T, D>,
    carried: Faces<T, D>,
    scratch: Field<T, D>,
    extrapolation: Extrapolation<T, D>,
    transport: BandTransport<T, D>,
    distance: FastIterative<T, D>,
}

impl<T: Real, const D: usize> Liquid<T, D> {
    /// A liquid at rest that fills where `surface` is negative.
    ///
    /// # Errors
    /// As [`LiquidParams::check`].
    pub fn new(surface: LevelSet<T, D>, params: LiquidParams<T, D>) -> Result<Self, Error> {
        params.check()?;
        let grid = *surface.grid();
        let boundary = params.boundary;
        let phi = surface.field().clone();
        let surface = LevelSet::from_field(phi, &boundary)?;
        Ok(Self {
            grid,
            wet: surface.clone(),
            surface,
            velocity: Faces::zeros(grid),
            pressure: Pressure::new(
                grid,
                &boundary,
                params.pressure_solver,
                params.separating_walls,
            )?,
            bodies: Vec::new(),
            sources: Vec::new(),
            ledger: Ledger::default(),
            markers: match params.markers {
                Some(markers) => Some(MarkerParticles::new(grid, boundary, markers)?),
                None => None,
            },
            local_viscosity: None,
            separation: params.separating_walls.then(|| Separation::new(grid, &boundary)),
            travelled: T::zero(),
            unseeded: 0,
            last: T::zero(),
            time: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            velocity_changed: true,
            surface_changed: true,
            solids: Solids::new(grid),
            solid: Field::zeros(grid),
            riders: Riders::new(),
            rim: Rim::new(&grid),
            rates: Vec::new(),
            viscosity: match params.kinematic_viscosity > T::zero() {
                true => Some(Viscosity::new(grid, &boundary)?),
                false => None,
            },
            carrier: Carrier::new(grid, boundary, params.path_order),
            carried: Faces::zeros(grid),
            scratch: Field::zeros(grid),
            extrapolation: Extrapolation::new(grid),
            transport: params.transport(grid)?,
            distance: FastIterative::new(grid, params.band, DistanceOrder::Second)?,
            params,
        })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// The parameters.
    pub fn params(&self) -> &LiquidParams<T, D> {
        &self.params
    }

    /// The region of the liquid. It goes on into solids; [`Self::wet`] does not.
    pub fn surface(&self) -> &LevelSet<T, D> {
        &self.surface
    }

    /// The region of the liquid, to be changed. What is added or taken counts as entered or left.
    pub fn surface_mut(&mut self) -> &mut LevelSet<T, D> {
        self.surface_changed = true;
        &mut self.surface
    }

    /// The region that is liquid and not solid, as of the last step's beginning.
    pub fn wet(&self) -> &LevelSet<T, D> {
        &self.wet
    }

    /// The velocity, m/s, on faces; beyond the liquid it is extended, and farther away 0.
    pub fn velocity(&self) -> &Faces<T, D> {
        &self.velocity
    }

    /// The velocity, to be changed.
    pub fn velocity_mut(&mut self) -> &mut Faces<T, D> {
        self.velocity_changed = true;
        &mut self.velocity
    }

    /// The pressure of the last sub-step, Pa (N/m in the plane), 0 in air.
    pub fn pressure(&self) -> &Field<T, D> {
        &self.pressure.p
    }

    /// By how much the viscosity is more than that of the parameters, m²/s, at centres, if it is.
    pub fn viscosity(&self) -> Option<&Field<T, D>> {
        self.local_viscosity.as_ref().map(|local| &local.nu)
    }

    /// Makes the viscosity more than that of the parameters, by ν ≥ 0, m²/s, at centres; the liquid carries it
    /// along. `None`: nowhere.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid or location, [`Error::InvalidParameter`] for a
    /// ν that is negative or not finite. Nothing is changed then.
    pub fn set_viscosity(&mut self, nu: Option<Field<T, D>>) -> Result<(), Error> {
        if let Some(nu) = &nu {
            self.check_viscosity(nu)?;
            if self.viscosity.is_none() {
                self.viscosity = Some(Viscosity::new(self.grid, &self.params.boundary)?);
            }
        }
        self.local_viscosity = nu.map(|mut nu| {
            self.params.boundary.fill_scalar(&mut nu, T::zero(), T::zero());
            LocalViscosity::new(nu)
        });
        Ok(())
    }

    fn check_viscosity(&self, nu: &Field<T, D>) -> Result<(), Error> {
        nu.check_shape(&self.grid, Location::Center, "viscosity")?;
        nu.values().try_for_each(|nu| check::not_negative("viscosity", nu))
    }

    /// Sets the parameters. The sides and the particles of the surface stay as they were made.
    ///
    /// # Errors
    /// As [`LiquidParams::check`]; [`Error::InvalidParameter`] for other sides. Nothing is changed then.
    pub fn set_params(&mut self, params: LiquidParams<T, D>) -> Result<(), Error> {
        params.check()?;
        let (grid, boundary, old) = (self.grid, params.boundary, &self.params);
        if boundary != old.boundary || params.markers != old.markers {
            let (name, expected) = ("the new parameters", "of the same boundary and markers");
            return Err(Error::InvalidParameter { name, value: 0.0, expected });
        }
        let separating = params.separating_walls;
        if params.pressure_solver != old.pressure_solver || separating != old.separating_walls {
            let mut pressure = Pressure::new(grid, &boundary, params.pressure_solver, separating)?;
            pressure.p.copy_from(&self.pressure.p)?;
            self.pressure = pressure;
        }
        if separating != old.separating_walls {
            self.separation = separating.then(|| Separation::new(grid, &boundary));
        }
        if params.band != old.band {
            self.distance = FastIterative::new(grid, params.band, DistanceOrder::Second)?;
        }
        if params.surface_interpolation != old.surface_interpolation
            || separating != old.separating_walls
        {
            self.transport = params.transport(grid)?;
        }
        if self.viscosity.is_none() && params.kinematic_viscosity > T::zero() {
            self.viscosity = Some(Viscosity::new(grid, &boundary)?);
        }
        self.carrier.order = params.path_order;
        self.params = params;
        Ok(())
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body<T, D>] {
        &self.bodies
    }

    /// The bodies, to be moved, pushed, added or removed.
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, D>> {
        &mut self.bodies
    }

    /// How solids cut the grid, as of the last step's beginning.
    pub fn solids(&self) -> &Solids<T, D> {
        &self.solids
    }

    /// Advances by `dt` seconds; bodies stay where they are and get the liquid's force and torque, see
    /// [`Self::advance_bodies`]. `dt = 0` changes nothing. Of the pressure solves of all sub-steps the report
    /// tells the one with the most iterations.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`] for NaN, infinite or negative `dt`, an error of a body, or
    /// [`Error::NotFinite`] for a velocity or a surface that was set to NaN: the state is as before.
    /// [`Error::Unstable`] where forces drove the velocity beyond the range of numbers.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        if dt == T::zero() {
            return Ok(StepReport::nothing(self.velocity.max_abs()));
        }
        self.check_state()?;
        let step = self.steps;
        // From here on the state changes: what goes wrong now is no bad input.
        self.advance(dt).map_err(|error| error.into_unstable(step))
    }

    fn advance(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        self.cut_solids()?;
        let (mut pressure, mut cfl) = (None::<SolveReport<T>>, T::zero());
        let count = self.substeps_for(dt);
        let sub = dt / T::of_usize(count);
        for n in 0..count {
            if n > 0 {
                self.find_liquid()?;
            }
            // Velocities stand half a sub-step before the surface: they are driven from the middle of
            // the last one to the middle of this one.
            let kick = (self.last + sub) * T::of(0.5);
            self.last = sub;
            self.advect_velocity(sub);
            self.apply_forces(kick)?;
            let solve = self.project(kick)?;
            pressure = pressure.filter(|most| most.iterations > solve.iterations).or(Some(solve));
            self.extrapolate_velocity(sub)?;
            self.advect_surface(sub)?;
            self.exchange(sub)?;
            self.reinitialize()?;
            cfl = cfl.at_least(self.velocity.max_abs() * sub / self.grid.dx());
        }
        self.push_bodies(dt);
        self.finish(dt, count, cfl, pressure)
    }

    fn check_state(&self) -> Result<(), Error> {
        self.bodies.iter().try_for_each(Body::check)?;
        self.sources.iter().try_for_each(LiquidSource::check)?;
        if self.velocity_changed {
            for (axis, u) in self.velocity.components().iter().enumerate() {
                u.check_shape(&self.grid, Location::Face(axis), "velocity")?;
            }
            self.velocity.check_finite("velocity")?;
        }
        if self.surface_changed {
            self.surface.field().check_shape(&self.grid, Location::Center, "surface")?;
            self.surface.field().check_finite("surface")?;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        dt: T,
        substeps: usize,
        cfl: T,
        pressure: Option<SolveReport<T>>,
    ) -> Result<StepReport<T>, Error> {
        let (step, max_speed) = (self.steps, self.velocity.max_abs());
        self.steps = self.steps.saturating_add(1);
        self.time += dt;
        self.velocity.check_finite("velocity").map_err(|error| error.into_unstable(step))?;
        self.report = StepReport { time: dt, substeps, max_speed, cfl, pressure };
        Ok(self.report)
    }

    /// Moves the bodies for `dt` seconds by the force and torque that they have, and by their weight,
    /// clears both, and lets them push each other and the walls: what follows on [`Self::step`].
    ///
    /// # Errors
    /// Those of [`Body::advance`] for the first body that cannot be moved; those before it in the list
    /// have moved, it and those behind it are as before.
    pub fn advance_bodies(&mut self, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        for body in &mut self.bodies {
            let force = body.force;
            if body.is_dynamic() {
                for a in 0..D {
                    body.force[a] += body.mass * self.params.gravity[a];
                }
            }
            if let Err(error) = body.advance(dt) {
                body.force = force;
                return Err(error);
            }
            body.clear_wrench();
        }
        let grid = self.grid;
        let walls = core::array::from_fn(|a| {
            let ends = [grid.origin()[a], grid.origin()[a] + grid.size()[a]];
            core::array::from_fn(|end| {
                let side = self.params.boundary.sides[a][end];
                (!matches!(side, Side::Open | Side::Periodic)).then_some(ends[end])
            })
        });
        self.params.contacts.resolve(&mut self.bodies, walls)
    }
}
