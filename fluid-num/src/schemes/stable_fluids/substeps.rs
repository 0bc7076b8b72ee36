//! The sub-steps that a step is put together from.

use super::forces::{add_buoyancy, fade};
use super::obstacles::in_the_way;
use super::{Effect, QuantityParams, Source, StableFluids};
use crate::advection::Advection;
use crate::advection::transport::Carrier;
use crate::base::exec::{self, ChunkPass};
use crate::grid::{Boundary, Faces, Field, Location};
use crate::{Error, Real, SolveReport};

impl<T: Real, const D: usize> StableFluids<T, D> {
    pub(super) fn set_ghosts(&mut self) {
        let boundary = self.params.boundary;
        boundary.fill_normal(&mut self.velocity);
        boundary.fill_velocity(&mut self.velocity);
    }

    /// q ← q(x − Δt·u), then diffusion, decay and sources.
    pub(super) fn carry_quantities(&mut self, dt: T) -> Result<(), Error> {
        let boundary = self.params.boundary;
        let solids = in_the_way(&self.solids);
        let solid = solids.map(|o| o.mask.as_slice());
        let fill = |q: &mut Field<T, D>, params: &QuantityParams<T>| {
            boundary.fill_scalar(q, params.ambient, params.inflow);
        };
        let (mut aimed, mut n) = (None, 0);
        while n < self.quantities.len() {
            let params = self.params.quantities[n];
            let scheme = params.advection;
            if aimed != Some(scheme) {
                self.carrier.aim(&self.velocity, Location::Center, dt, scheme, solid);
                aimed = Some(scheme);
            }
            let alike = self.params.quantities[n..].iter().take(3);
            let alike = alike.filter(|p| p.advection == scheme).count() == 3;
            match (scheme, &mut self.quantities[n..]) {
                (Advection::SemiLagrangian(how), [a, b, c, ..]) if alike => {
                    let spare = self.carried.components_mut().as_mut_slice();
                    let [spare, other, ..] = spare else { break };
                    let params = &self.params.quantities[n..];
                    fill(a, &params[0]);
                    fill(b, &params[1]);
                    fill(c, &params[2]);
                    let spare = [&mut self.scratch, spare, other];
                    self.carrier.move_three([a, b, c], how, solid, spare);
                    n += 3;
                }
                (_, [q, ..]) => {
                    fill(q, &params);
                    let (how, fill) = ((scheme, params.ambient), |q: &mut _| fill(q, &params));
                    self.carrier.move_along(q, how, solid, fill, &mut self.scratch);
                    q.swap_values(&mut self.scratch);
                    n += 1;
                }
                _ => break,
            }
        }
        for (q, params) in self.quantities.iter_mut().zip(&self.params.quantities) {
            if params.diffusivity > T::zero() {
                boundary.fill_diffused(q, params.inflow);
                self.diffusion.apply(
                    &mut self.diffusion_problem,
                    q,
                    solids.map(|o| o.solids.open()),
                    params.diffusivity * dt,
                    self.params.diffusion_budget,
                )?;
            }
            if params.decay > T::zero() {
                fade(q, params.ambient, (-params.decay * dt).portable_exp());
            }
            fill(q, params);
        }
        for n in 0..self.sources.len() {
            let source = self.sources[n];
            if !matches!(source.effect, Effect::Accelerate(_)) {
                self.act(&source, dt);
            }
        }
        Ok(())
    }

    /// u ← u(x − Δt·u).
    pub(super) fn carry_velocity(&mut self, dt: T) {
        carry_faces(
            &mut self.carrier,
            &self.velocity,
            &self.velocity,
            (dt, self.params.velocity_advection),
            in_the_way(&self.solids).map(|o| o.mask.as_slice()),
            &mut self.carried,
        );
        self.take_carried();
    }

    /// Keeps ũ, the velocity before the projection, for the reflection about it.
    pub(super) fn remember_velocity(&mut self) -> Result<(), Error> {
        match &mut self.reflected {
            Some(before) => before.copy_from(&self.velocity),
            None => Ok(()),
        }
    }

    /// u ← û(x − Δt·u) with û = 2u − ũ, the reflection of the velocity before the projection.
    pub(super) fn carry_reflected_velocity(&mut self, dt: T) {
        let Some(reflected) = &mut self.reflected else {
            return;
        };
        for axis in 0..D {
            let (from, to) = (&self.velocity[axis], &mut reflected[axis]);
            exec::chunks([to.as_mut_slice()], &Mirror(from.as_slice()));
        }
        self.params.boundary.fill_normal(reflected);
        self.params.boundary.fill_velocity(reflected);
        carry_faces(
            &mut self.carrier,
            &self.velocity,
            reflected,
            (dt, self.params.velocity_advection),
            in_the_way(&self.solids).map(|o| o.mask.as_slice()),
            &mut self.carried,
        );
        self.take_carried();
    }

    pub(super) fn take_carried(&mut self) {
        for axis in 0..D {
            self.velocity[axis].swap_values(&mut self.carried[axis]);
        }
        self.hold_walls();
        self.set_ghosts();
    }

    /// u += Δt·f, and drag.
    pub(super) fn add_forces(&mut self, dt: T) {
        let boundary = self.params.boundary;
        for (q, params) in self.quantities.iter_mut().zip(&self.params.quantities) {
            boundary.fill_scalar(q, params.ambient, params.inflow);
            let impulse = self.params.up.map(|up| up * params.buoyancy * dt);
            add_buoyancy(q, params.ambient, impulse, &boundary, &mut self.velocity);
        }
        for n in 0..self.sources.len() {
            let source = self.sources[n];
            if matches!(source.effect, Effect::Accelerate(_)) {
                self.act(&source, dt);
            }
        }
        if let Some(confinement) = &mut self.confinement {
            boundary.fill_normal(&mut self.velocity);
            boundary.fill_velocity(&mut self.velocity);
            let solid = in_the_way(&self.solids).map(|o| o.mask.as_slice());
            let impulse = self.params.vorticity_confinement * dt;
            confinement.apply(&mut self.velocity, &boundary, solid, impulse);
        }
        if self.params.drag > T::zero() {
            let factor = (-self.params.drag * dt).portable_exp();
            for u in self.velocity.components_mut() {
                fade(u, T::zero(), factor);
            }
        }
        self.hold_walls();
    }

    /// u ← (1 − νΔt∇²)⁻¹ u.
    pub(super) fn diffuse_velocity(&mut self, dt: T) -> Result<(), Error> {
        let amount = self.params.kinematic_viscosity * dt;
        if amount <= T::zero() {
            return Ok(());
        }
        self.set_ghosts();
        for axis in 0..D {
            self.diffusion.apply(
                &mut self.viscosity_problems[axis],
                &mut self.velocity[axis],
                None,
                amount,
                self.params.diffusion_budget,
            )?;
        }
        self.hold_walls();
        Ok(())
    }

    /// u ← u − ∇φ, free of divergence.
    pub(super) fn make_incompressible(&mut self) -> Result<SolveReport<T>, Error> {
        self.hold_walls();
        let report = self.projection.apply(
            &mut self.velocity,
            &self.params.boundary,
            in_the_way(&self.solids).map(|o| &o.solids),
            self.params.pressure_budget,
        )?;
        self.hold_walls();
        self.velocity_changed = false;
        Ok(report)
    }

    /// Sets the velocity on the faces of walls, inflow sides and solids.
    pub(super) fn hold_walls(&mut self) {
        self.params.boundary.fill_normal(&mut self.velocity);
        if let Some(obstacles) = in_the_way(&self.solids) {
            obstacles.closed.enforce(&obstacles.solids, &mut self.velocity);
        }
    }

    /// Lets one source act.
    pub(super) fn act(&mut self, source: &Source<T, D>, dt: T) {
        let falloff = &mut self.falloff;
        match source.effect {
            Effect::Accelerate(acceleration) => {
                for axis in 0..D {
                    let impulse = acceleration[axis] * dt;
                    falloff.apply(source, &mut self.velocity[axis], |u, w| u + impulse * w);
                }
            }
            Effect::Add { quantity, rate } => {
                let amount = rate * dt;
                let field = &mut self.quantities[quantity];
                if !falloff.apply(source, field, |q, w| q + amount * w) {
                    self.overflown = Some(quantity);
                }
            }
            Effect::Hold { quantity, value, rate } => {
                let part = T::one() - (-rate * dt).portable_exp();
                let field = &mut self.quantities[quantity];
                falloff.apply(source, field, |q, w| q + (value - q) * (part * w));
            }
        }
    }
}

/// ũ ← u + (u − ũ).
struct Mirror<'a, T>(&'a [T]);

impl<T: Real> ChunkPass<T, 1> for Mirror<'_, T> {
    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [T]; 1]) {
        for (r, u) in out.iter_mut().zip(&self.0[first..]) {
            *r = *u + (*u - *r);
        }
    }
}

/// Carries each component of `q` along `u`; the ghosts of both are set.
fn carry_faces<T: Real, const D: usize>(
    carrier: &mut Carrier<T, D>,
    u: &Faces<T, D>,
    q: &Faces<T, D>,
    (dt, scheme): (T, Advection),
    solid: Option<&[u8]>,
    out: &mut Faces<T, D>,
) {
    let scheme = if scheme == Advection::Scatter { Advection::default() } else { scheme };
    let boundary: Boundary<T, D> = carrier.boundary;
    for axis in 0..D {
        carrier.aim(u, Location::Face(axis), dt, scheme, solid);
        let fill = |q: &mut Field<T, D>| {
            boundary.fill_normal_component(q, axis);
            boundary.fill_component(q, axis);
        };
        carrier.move_along(&q[axis], (scheme, T::zero()), solid, fill, &mut out[axis]);
        // What enters through an open side was at rest; without this, inflow feeds itself.
        carrier.bring_in(T::zero(), &mut out[axis]);
    }
}
