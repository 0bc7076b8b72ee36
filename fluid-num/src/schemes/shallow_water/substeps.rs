//! A step and its sub-steps.

use core::ops::Range;

use super::ShallowWater;
use super::forces::{EDDY_LIMIT, Forces};
use super::hulls::Keeps;
use super::kernel::{Advance, Passed, depth_and_surface};
use super::sides::{self, Inside};
use super::sources::Rain;
use super::tiles::{BAND, TILE};
use crate::base::error::check;
use crate::base::exec::{self, BandPass, Banded, Region};
use crate::{Error, Real, StepReport};

impl<T: Real> ShallowWater<T> {
    /// Advances by `dt` seconds, in as many sub-steps as stability asks for.
    ///
    /// # Errors
    /// With the state as before: [`Error::InvalidTimeStep`]; [`Error::NotFinite`] and
    /// [`Error::GridMismatch`] for a velocity that was set to what is not finite or to a field of
    /// another grid; what [`super::WaterSource::check`] and [`Body::check`](crate::solid::Body::check)
    /// say; [`Error::InvalidParameter`] for a body without end. [`Error::Unstable`] where numbers leave
    /// their range.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.sources.iter().try_for_each(|source| source.check())?;
        self.hulls.check()?;
        let mut report = StepReport::nothing(self.look()?);
        if dt == T::zero() {
            return Ok(report);
        }
        self.place_bodies(Keeps::Depth);
        let waves = self.take_waves_out(dt)?;
        if waves {
            self.fastest = None;
        }
        while report.time < dt && report.substeps < self.params.max_substeps {
            let rest = dt - report.time;
            let fastest = self.fastest().worst(self.look_beyond(report.time));
            let step = self.stable_step(rest, fastest);
            self.add_water(step);
            self.apply_forces(step);
            let passed = self.advance(step)?;
            self.throw_spray(step);
            let last = report.substeps + 1 == self.params.max_substeps;
            report.time = if step < rest || last { report.time + step } else { dt };
            report.substeps += 1;
            report.max_speed = passed.speed;
            report.cfl = report.cfl.at_least(fastest * step / self.grid.dx());
        }
        self.move_spray(report.time);
        if waves {
            report.max_speed = self.put_waves_back(report.time)?;
        }
        self.move_foam(report.time);
        self.push_bodies(report.time).map_err(|error| error.into_unstable(self.steps))?;
        self.time += report.time.to_f64();
        self.steps = self.steps.saturating_add(1);
        self.report = report;
        Ok(report)
    }

    /// Looks at a state that the caller may have changed; gives the largest speed.
    fn look(&mut self) -> Result<T, Error> {
        if !self.touched {
            return Ok(self.report.max_speed);
        }
        self.check_velocity()?;
        for u in self.velocity.components() {
            u.check_finite("velocity")?;
            super::moderate("velocity", u.max_abs())?;
        }
        self.fill_ghosts();
        self.touched = false;
        Ok(self.measure())
    }

    /// Whether the velocity is one of the grid.
    pub(super) fn check_velocity(&self) -> Result<(), Error> {
        let mut components = self.velocity.components().iter().enumerate();
        components.try_for_each(|(axis, u)| {
            u.check_shape(&self.grid, crate::Location::Face(axis), "velocity")
        })
    }

    /// How fast the water and its waves are.
    fn fastest(&mut self) -> T {
        if let Some(fastest) = self.fastest {
            return fastest;
        }
        self.measure();
        self.fastest.unwrap_or(T::zero())
    }

    /// Measures how fast the water and its waves are; gives the largest speed.
    pub(super) fn measure(&mut self) -> T {
        let region = self.grid.interior();
        let passed = exec::reduce(&region, &Fastest { water: self, region });
        let passed = passed.unwrap_or(Passed::nothing());
        self.fastest = Some(passed.fastest);
        passed.speed
    }

    pub(super) fn fill_ghosts(&mut self) {
        let periodic = self.params.periodic();
        sides::fill_cells(&mut self.displacement, periodic);
        for axis in 0..2 {
            sides::fill_faces(&mut self.velocity[axis], axis, periodic);
            if self.params.momentum_advection {
                sides::fill_faces(&mut self.moved[axis], axis, periodic);
            }
        }
    }

    /// What flows through the sides per second; gives how fast it is.
    fn look_beyond(&mut self, done: T) -> T {
        let Self { params, displacement, still, velocity, edges, .. } = self;
        let inside =
            Inside { params, displacement, still, velocity, time: self.time + done.to_f64() };
        inside.flows(edges)
    }

    /// A stable time step that divides `rest` evenly.
    fn stable_step(&mut self, rest: T, fastest: T) -> T {
        let gravity = self.params.gravity;
        let poured = self.pours_at_most();
        let (params, dx) = (&self.params, self.grid.dx());
        let mut limit = rest;
        // Once for the water that is there, once more for what is poured on it in that time.
        for _ in 0..2 {
            let fastest = fastest + (gravity * (poured * limit)).sqrt();
            if fastest > T::zero() {
                limit = limit.at_most(params.courant * dx / fastest);
            }
        }
        if params.eddy_viscosity > T::zero() {
            limit = limit.at_most(T::of(EDDY_LIMIT) * dx * dx / params.eddy_viscosity);
        }
        if params.coriolis != T::zero() {
            limit = limit.at_most(params.coriolis.magnitude().recip());
        }
        let count = (rest / limit).ceil();
        if limit < rest && count.is_finite() { rest / count } else { limit }
    }

    /// How fast rain and sources raise the surface of any cell at most, m/s.
    fn pours_at_most(&mut self) -> T {
        let displacement = &mut self.displacement;
        let springs = self.sources.iter().filter(|source| source.rate > T::zero());
        springs.fold(self.params.rain, |sum, source| sum + source.rate / source.area(displacement))
    }

    /// Rain, sources, drains and sponges.
    fn add_water(&mut self, dt: T) {
        self.pending_rain += self.params.rain * dt;
        // So much that single precision does not lose it in deep water.
        if self.pending_rain > self.params.dry_depth * T::of(0.1) {
            let region = self.grid.interior();
            let rain = Rain { depth: self.pending_rain, region };
            let out = [Banded::on(&region, self.displacement.as_mut_slice())];
            let arrived = exec::bands(&region, out, &rain).unwrap_or(0.0);
            self.tally.rain += arrived;
            // What rounding has lost comes later.
            let mean = T::of(arrived / self.grid.cell_count() as f64);
            self.pending_rain = (self.pending_rain - mean).at_least(T::zero());
        }
        self.pending_sources.resize(self.sources.len(), T::zero());
        for (source, pending) in self.sources.iter().zip(&mut self.pending_sources) {
            *pending += dt * source.rate;
            let poured = source.pour(&self.still, &mut self.displacement, pending);
            self.tally.sources += poured.at_least(0.0);
            self.tally.drains += poured.at_most(0.0);
        }
        if let (Some(rates), Some(sponge)) = (&self.sponge, &self.params.sponge) {
            let velocity = self.velocity.components_mut().each_mut();
            let displacement = &mut self.displacement;
            self.tally.sponge += rates.relax(&self.params, sponge, dt, displacement, velocity);
        }
        if self.params.rain > T::zero() || !self.sources.is_empty() || self.sponge.is_some() {
            self.fill_ghosts();
        }
    }

    /// Eddies, Coriolis force and friction; one component after the other, so that what turns
    /// neither gains nor loses.
    fn apply_forces(&mut self, dt: T) {
        if !self.params.has_forces() {
            return;
        }
        let periodic = self.params.periodic();
        for axis in 0..2 {
            let region = match periodic[axis] {
                true => self.grid.interior(),
                false => self.grid.inner_faces(axis),
            };
            let pass = Forces {
                params: &self.params,
                axis,
                displacement: self.displacement.as_slice(),
                still: self.still.as_slice(),
                velocity: self.velocity.slices(),
                stride: self.grid.strides()[1],
                dx: self.grid.dx(),
                dt,
            };
            let next = &mut self.next_velocity[axis];
            next.as_mut_slice().copy_from_slice(self.velocity[axis].as_slice());
            exec::rows(&region, [next.as_mut_slice()], &pass);
            self.velocity[axis].swap_values(next);
            if periodic[axis] {
                sides::close(&mut self.velocity[axis], axis);
            }
            sides::fill_faces(&mut self.velocity[axis], axis, periodic);
        }
    }

    /// Velocity and depth.
    fn advance(&mut self, dt: T) -> Result<Passed<T>, Error> {
        let ratio = dt / self.grid.dx();
        sides::scale(&mut self.edges, ratio);
        let passed = if self.params.momentum_advection {
            self.pass::<true>(ratio)
        } else {
            self.pass::<false>(ratio)
        };
        self.displacement.swap_values(&mut self.next_displacement);
        for axis in 0..2 {
            self.velocity[axis].swap_values(&mut self.next_velocity[axis]);
            if self.params.momentum_advection {
                self.moved[axis].swap_values(&mut self.next_moved[axis]);
            }
        }
        self.fill_ghosts();
        self.tally.sides += passed.through;
        self.fastest = Some(passed.fastest);
        if passed.fastest.is_finite() {
            return Ok(passed);
        }
        self.fastest = None;
        let (field, place) = match self.displacement.first_not_finite() {
            Some(place) => ("displacement", place),
            None => ("velocity", [0; 3]),
        };
        Err(Error::Unstable { step: self.steps, field, place })
    }

    fn pass<const CARRY: bool>(&mut self, ratio: T) -> Passed<T> {
        let pass = Advance::<T, CARRY> {
            displacement: self.displacement.as_slice(),
            still: self.still.as_slice(),
            velocity: self.velocity.slices(),
            moved: self.moved.slices(),
            edges: &self.edges,
            periodic: self.params.periodic(),
            cells: self.grid.cells(),
            stride: self.grid.strides()[1],
            ratio,
            gravity: self.params.gravity,
            dry_depth: self.params.dry_depth,
        };
        let region = self.grid.interior();
        let [u, v] = self.next_velocity.slices_mut();
        let [x, y] = self.next_moved.slices_mut();
        let out = [self.next_displacement.as_mut_slice(), u, v, x, y];
        let out = out.map(|out| Banded::on(&region, out));
        exec::bands(&region, out, &pass).unwrap_or(Passed::nothing())
    }
}

/// How fast the water and its waves are, by the deepest and the fastest cell of each column of each
/// tile and band, as a sub-step has it.
struct Fastest<'a, T> {
    water: &'a ShallowWater<T>,
    region: Region<2>,
}

impl<T: Real> BandPass<(), 0> for Fastest<'_, T> {
    type Output = Passed<T>;
    const GRAIN: usize = BAND;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> Passed<T> {
        let (water, mut passed) = (self.water, Passed::<T>::nothing());
        let [u, v] = water.velocity.slices();
        let (s, d) = (water.displacement.as_slice(), water.still.as_slice());
        for left in (0..self.region.len(0)).step_by(TILE) {
            let width = (self.region.len(0) - left).min(TILE);
            let (mut deepest, mut fastest) = ([T::zero(); TILE], [T::zero(); TILE]);
            for row in rows.clone() {
                let start = self.region.row(row).start + left;
                let (u, v) = (&u[start..][..width], &v[start..][..width]);
                let (s, d) = (&s[start..][..width], &d[start..][..width]);
                let (deepest, fastest) = (&mut deepest[..width], &mut fastest[..width]);
                for i in 0..width {
                    deepest[i] = deepest[i].worst(depth_and_surface(d[i], s[i]).0);
                    fastest[i] = fastest[i].worst(u[i].worst(v[i]));
                }
            }
            let columns = deepest.iter().zip(&fastest);
            passed = passed.join(Passed::of(water.params.gravity, 0.0, columns));
        }
        passed
    }

    fn join(first: Passed<T>, second: Passed<T>) -> Passed<T> {
        first.join(second)
    }
}
