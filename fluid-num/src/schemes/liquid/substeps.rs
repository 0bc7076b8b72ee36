//! The sub-steps that a step is put together from, in its order.

use super::rim::Around;
use super::separation::{Separation, TRIALS};
use super::tension::Pull;
use super::viscosity::Nu;
use super::{Coupling, Liquid, LiquidParams, submerged};
use crate::base::exec::{self, Row, RowPass};
use crate::grid::Field;
use crate::solid::Solids;
use crate::{Error, Location, Real, SolveReport};

/// The open part of a face up to which its velocity is that of its neighbours: what a body squeezes
/// through a gap that is nearly closed is as fast as the gap is narrow, and carries nothing.
const NARROW: f64 = 0.2;

/// The number of sub-steps after which particles of the surface are put where they are too few.
const RESEED_AFTER: u64 = 20;

impl<T: Real, const D: usize> Liquid<T, D> {
    /// Looks at where bodies are and how they move.
    ///
    /// Afterwards [`Self::solids`] and [`Self::wet`] are those of the bodies' poses, the surface goes on
    /// into solids, φ is a distance if it had been changed, and a velocity that had been changed is
    /// extended beyond the liquid.
    ///
    /// # Errors
    /// What [`Body::check`](crate::solid::Body::check) says of a body.
    pub fn cut_solids(&mut self) -> Result<(), Error> {
        self.solids.update(&self.bodies)?;
        if self.solids.any() {
            submerged::measure(&self.solids, &mut self.solid);
        }
        let changed = core::mem::take(&mut self.surface_changed);
        if changed {
            self.travelled = T::zero();
            self.distance.reinitialize(&mut self.surface)?;
            if let Some(markers) = &mut self.markers {
                markers.seed(&self.surface)?;
                markers.remove_outside();
                self.unseeded = 0;
            }
        }
        self.find_liquid()?;
        if changed {
            self.book_edit();
        }
        let strong = self.params.coupling == Coupling::Strong;
        self.riders.begin(&self.bodies, self.params.gravity, strong);
        if core::mem::take(&mut self.velocity_changed) {
            self.extrapolate_velocity(T::zero())?;
        }
        Ok(())
    }

    /// The liquid cells, the coefficients of the pressure problem, and what is wet, anew.
    pub(super) fn find_liquid(&mut self) -> Result<(), Error> {
        let solids = in_the_way(&self.solids);
        if solids.is_some() {
            submerged::continue_surface(&mut self.surface, &self.solid, &mut self.scratch);
        }
        submerged::cut_out(&self.surface, solids.map(|_| &self.solid), &mut self.wet);
        let (separation, least) = (self.separation.as_ref(), self.params.least_fraction);
        self.pressure.aim(self.surface.field(), solids, separation, least)
    }

    /// How many sub-steps a step of `dt` is cut into.
    pub(super) fn substeps_for(&self, dt: T) -> usize {
        let LiquidParams { density, surface_tension, most_cells, most_substeps: most, .. } =
            self.params;
        let (h, four_pi) = (self.grid.dx(), T::of(4.0 * core::f64::consts::PI));
        let ripples = dt * (four_pi * surface_tension / (density * h * h * h)).sqrt();
        let cells = (self.cells_moved(dt) / most_cells).at_least(ripples);
        (cells.at_most(T::of_usize(most)).ceil().to_f64() as usize).clamp(1, most)
    }

    /// How many cells the liquid may move in `dt`.
    fn cells_moved(&self, dt: T) -> T {
        let fall = self.params.gravity.iter().fold(T::zero(), |most, g| most.worst(g.magnitude()));
        (self.velocity.max_abs() + fall * dt) * dt / self.grid.dx()
    }

    /// u ← u(x − Δt·u).
    ///
    /// Before: the velocity is extended as far as anything moves. Afterwards it is carried along, and
    /// not free of divergence.
    pub fn advect_velocity(&mut self, dt: T) {
        let (boundary, scheme) = (self.params.boundary, self.params.velocity_advection);
        self.set_ghosts();
        for axis in 0..D {
            self.carrier.aim(&self.velocity, Location::Face(axis), dt, scheme, None);
            let fill = |q: &mut Field<T, D>| {
                boundary.fill_normal_component(q, axis);
                boundary.fill_component(q, axis);
            };
            let (from, to) = (&self.velocity[axis], &mut self.carried[axis]);
            self.carrier.move_along(from, (scheme, T::zero()), None, fill, to);
            // What enters through an open side was at rest; without this, inflow feeds itself.
            self.carrier.bring_in(T::zero(), to);
        }
        for axis in 0..D {
            self.velocity[axis].swap_values(&mut self.carried[axis]);
        }
        boundary.fill_normal(&mut self.velocity);
    }

    /// u ← (1 − Δt∇·ν∇)⁻¹ u + Δt·g, and what surface tension does at the surface.
    ///
    /// Gravity comes after viscosity, so that water at rest is no less at rest for being viscous.
    ///
    /// # Errors
    /// Those of the viscosity's solve.
    pub fn apply_forces(&mut self, dt: T) -> Result<(), Error> {
        let uniform = self.params.kinematic_viscosity;
        let local = self.local_viscosity.as_ref().map(|local| &local.nu);
        let most = uniform + local.map_or(T::zero(), Field::max_abs);
        if let Some(viscosity) = self.viscosity.as_mut().filter(|_| most * dt > T::zero()) {
            self.params.boundary.fill_velocity(&mut self.velocity);
            let (open, solids) = (self.pressure.open(), in_the_way(&self.solids));
            let nu = Nu { uniform, local, most };
            let budget = self.params.diffusion_budget;
            viscosity.apply(&mut self.velocity, open, solids, (nu, dt), budget)?;
            self.params.boundary.fill_normal(&mut self.velocity);
        }
        for axis in 0..D {
            let speed = self.params.gravity[axis] * dt;
            if speed != T::zero() {
                let region = self.grid.region(Location::Face(axis));
                exec::rows(&region, [self.velocity[axis].as_mut_slice()], &Add(speed));
            }
        }
        if self.params.surface_tension > T::zero() {
            let h = self.grid.dx();
            let pull = Pull {
                phi: self.surface.field(),
                weights: &self.pressure.weights,
                open: self.pressure.open(),
                scale: self.params.surface_tension * dt / (self.params.density * h * h),
            };
            pull.act(&mut self.velocity);
        }
        self.params.boundary.fill_normal(&mut self.velocity);
        Ok(())
    }

    /// u ← u − (Δt/ρ)∇p.
    ///
    /// Afterwards the flow out of every liquid cell, through faces and by what solids do, is zero to the
    /// pressure budget, or what the volume correction asks for; strongly coupled bodies included.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a velocity that is not finite.
    pub fn project(&mut self, dt: T) -> Result<SolveReport<T>, Error> {
        let (density, gravity) = (self.params.density, self.params.gravity);
        let source = match self.params.volume_correction {
            Some(correction) => self.correction_rate(correction, dt),
            None => T::zero(),
        };
        self.pressure.set_rhs(&self.velocity, in_the_way(&self.solids), source)?;
        self.add_rates(dt);
        let solids = in_the_way(&self.solids);
        if let Some(solids) = solids {
            let pressure = &self.pressure;
            let liquid = (&pressure.problem, |place| pressure.is_liquid(place));
            self.riders.touch(&self.bodies, solids, gravity, liquid);
            self.riders.predict(&mut self.pressure.rhs, dt, density);
        }
        if !self.riders.is_empty() {
            self.riders.join(&mut self.pressure.problem, density);
        }
        let report = match self.separation.take() {
            None => self.solve_pressure(dt)?,
            Some(mut separation) => {
                let report = self.project_off_walls(&mut separation, dt);
                self.separation = Some(separation);
                report?
            }
        };
        if self.solids.any() {
            self.riders.push(&self.pressure.p, dt);
        }
        self.params.boundary.fill_normal(&mut self.velocity);
        Ok(report)
    }

    fn solve_pressure(&mut self, dt: T) -> Result<SolveReport<T>, Error> {
        let LiquidParams { boundary, pressure_budget, density, .. } = &self.params;
        self.pressure.apply(&mut self.velocity, boundary, dt / *density, *pressure_budget)
    }

    /// Projects with walls that push and do not pull.
    fn project_off_walls(
        &mut self,
        separation: &mut Separation<T, D>,
        dt: T,
    ) -> Result<SolveReport<T>, Error> {
        let (per, least) = (dt / self.params.density, self.params.least_fraction);
        separation.begin(&self.pressure, &self.velocity);
        separation.velocity.copy_from(&self.velocity)?;
        separation.rhs.copy_from(&self.pressure.rhs)?;
        let mut trials = 0;
        let report = loop {
            separation.add_flow(&mut self.pressure.rhs);
            let report = self.solve_pressure(dt)?;
            trials += 1;
            if trials == TRIALS || !separation.settle(&self.pressure, per, dt, least) {
                break report;
            }
            self.pressure.open_walls(in_the_way(&self.solids), Some(separation), least)?;
            self.velocity.copy_from(&separation.velocity)?;
            self.pressure.rhs.copy_from(&separation.rhs)?;
        };
        separation.finish(&self.pressure, per, least);
        Ok(report)
    }

    /// Extends the velocity out of the liquid, into air and solids, a little farther than anything moves
    /// in `dt`.
    ///
    /// Afterwards faces that the pressure does not drive have the velocity of the nearest liquid, in
    /// solids without what would lead through their surface; beyond the reach it is 0.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a velocity that is not finite.
    pub fn extrapolate_velocity(&mut self, dt: T) -> Result<(), Error> {
        let reach = self.cells_moved(dt).at_most(T::of(1e6)) + T::of(4.0);
        // What is cut says nothing of how far away the liquid is.
        let reach = match self.surface.width() {
            Some(width) => reach.at_most(T::of(0.999) * width / self.grid.dx()),
            None => reach,
        };
        for axis in 0..D {
            let open = self.pressure.open()[axis].as_slice();
            let part = in_the_way(&self.solids).map(|solids| solids.open()[axis].as_slice());
            let narrow = T::of(NARROW);
            let u = &mut self.velocity[axis];
            match part {
                None => {
                    let known = |place: usize| open[place] > T::zero();
                    self.extrapolation.extend(&self.wet, u, reach, known)?;
                }
                Some(part) => {
                    let known = |place: usize| (open[place] > T::zero()) & (part[place] > narrow);
                    self.extrapolation.extend(&self.wet, u, reach, known)?;
                }
            }
        }
        let rim = Around {
            surface: &self.surface,
            open: self.pressure.open(),
            solids: in_the_way(&self.solids),
            boundary: &self.params.boundary,
        };
        self.rim.balance(&rim, &mut self.velocity);
        if self.solids.any() {
            self.set_ghosts();
            self.carried.copy_from(&self.velocity)?;
            let (solids, bodies) = (&self.solids, &self.bodies);
            submerged::slide(&self.carried, solids, bodies, &self.solid, &mut self.velocity);
        }
        self.set_ghosts();
        Ok(())
    }

    /// φ ← φ(x − Δt·u), and the same for a viscosity that differs from place to place.
    ///
    /// Afterwards the surface is where the liquid has carried it, and φ only nearly a distance.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a velocity that is not finite.
    pub fn advect_surface(&mut self, dt: T) -> Result<(), Error> {
        if let Some(local) = &mut self.local_viscosity {
            local.carry(&mut self.carrier, &self.velocity, dt);
        }
        if let Some(separation) = &mut self.separation {
            separation.free(&self.surface, &mut self.velocity, dt);
        }
        self.transport.carry(&self.velocity, &mut self.surface, dt)?;
        if self.separation.is_some() {
            self.params.boundary.fill_normal(&mut self.velocity);
        }
        if let Some(separation) = &mut self.separation
            && separation.grow(dt, &mut self.surface)
        {
            // There is a new piece of surface, which φ does not know yet.
            self.travelled += self.params.reinitialize_after + T::one();
        }
        if let Some(local) = &mut self.local_viscosity {
            self.extrapolation.scalar(&self.surface, &mut local.nu, T::of(4.0))?;
        }
        if let Some(markers) = &mut self.markers {
            markers.carry(&self.velocity, dt)?;
            markers.correct(&mut self.surface)?;
        }
        self.travelled += self.velocity.max_abs() * dt / self.grid.dx();
        Ok(())
    }

    /// Makes φ a distance again, where the liquid has moved far enough since the last time.
    ///
    /// Afterwards |∇φ| = 1 in the band, and the surface is where it was.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a φ that is not finite.
    pub fn reinitialize(&mut self) -> Result<(), Error> {
        if self.travelled > self.params.reinitialize_after {
            self.travelled = T::zero();
            self.distance.reinitialize(&mut self.surface)?;
        }
        let Some(markers) = &mut self.markers else { return Ok(()) };
        markers.correct(&mut self.surface)?;
        self.unseeded += 1;
        if self.unseeded >= RESEED_AFTER {
            self.unseeded = 0;
            markers.reseed(&self.surface)?;
            markers.remove_outside();
        }
        markers.resize(&self.surface)
    }

    /// Adds the liquid's mean force and torque over the last `dt` seconds to those of the bodies.
    pub fn push_bodies(&mut self, dt: T) {
        self.riders.hand_over(&mut self.bodies, dt);
    }

    pub(super) fn set_ghosts(&mut self) {
        self.params.boundary.fill_normal(&mut self.velocity);
        self.params.boundary.fill_velocity(&mut self.velocity);
    }
}

/// The solids, where any face is not quite open.
fn in_the_way<T: Real, const D: usize>(solids: &Solids<T, D>) -> Option<&Solids<T, D>> {
    Some(solids).filter(|solids| solids.any())
}

struct Add<T>(T);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Add<T> {
    #[inline(always)]
    fn row(&self, _: Row<D>, [out]: [&mut [T]; 1]) {
        let amount = self.0;
        for v in out {
            *v += amount;
        }
    }
}
