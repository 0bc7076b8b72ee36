//! What is put into the fluid by hand: flows, inflow profiles, impulses.

use super::expansion::{Expansion, Moments};
use super::lattice::Lattice;
use super::params::LbmParams;
use super::{Lbm, push, solids};
use crate::base::error::check;
use crate::{Error, Real, Side};

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Sets every cell to equilibrium, for the velocity (m/s) and the pressure (Pa) that `flow` gives
    /// for its centre. Inflow and open sides take it for what has been there for long: the nearer it
    /// comes to the flow in the long run, the sooner that is reached.
    ///
    /// # Errors
    /// [`Error::NotFinite`] where one of them is not finite, [`Error::InvalidParameter`] for more than a
    /// million cells a step or densities, and for a pressure at which nothing is left: cells before
    /// it are set. As [`Self::step`] for bodies and forces: nothing is changed then.
    pub fn set_flow(&mut self, flow: impl FnMut([T; D]) -> ([T; D], T)) -> Result<(), Error> {
        self.check_inputs()?;
        let done = self.set_cells(flow);
        self.observe();
        done?;
        let Self { openings, pressure, velocity, scales, .. } = self;
        for opening in openings {
            opening.settle(|i| {
                let u = velocity.each_ref().map(|u| u.as_slice()[i] / scales.velocity);
                (pressure.as_slice()[i] / scales.pressure, u)
            });
        }
        Ok(())
    }

    fn set_cells(&mut self, mut flow: impl FnMut([T; D]) -> ([T; D], T)) -> Result<(), Error> {
        let region = self.grid.interior();
        for n in 0..region.rows() {
            let row = region.row(n);
            let mut cell = row.at.map(|i| i - 1);
            for i in 0..row.len {
                cell[0] = i;
                let (density, u) = self.scales.flow(cell, flow(self.grid.center(cell)))?;
                let push = push(&self.params, &self.scales, &self.force).at(row.start + i);
                let none = [[T::zero(); D]; D];
                let h = make::<T, L, D, Q>(&self.params, density, u, push, &none);
                for (ring, h) in self.populations.iter_mut().zip(h) {
                    ring.set(row.start + i, h);
                }
            }
        }
        Ok(())
    }

    /// Gives fluid near a point another velocity at once: u + w·`change`, m/s, where w falls
    /// smoothly from 1 at the centre to 0 at `radius`, m. The result is no faster than
    /// [`LbmParams::speed_limit_lu`], unless it was before.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for values that are not finite, a radius that is not positive, or a
    /// change of more than a million cells a step. As [`Self::step`] for bodies and forces. Nothing is
    /// changed then.
    pub fn add_impulse(&mut self, center: [T; D], radius: T, change: [T; D]) -> Result<(), Error> {
        check::all_finite("center", &center)?;
        check::positive("radius", radius)?;
        let change = change.map(|v| v / self.scales.velocity);
        for v in change {
            check::within("the change in cells a step", v, -1e6, 1e6, "at most a million")?;
        }
        self.check_inputs()?;
        let grid = self.grid;
        let limit = self.params.speed_limit_lu;
        let zero = [[T::zero(); D]; D];
        solids::for_each_cell(&grid, |cell, i| {
            let mut away = T::zero();
            for (p, c) in grid.center(cell).into_iter().zip(center) {
                let part = (p - c) / radius;
                away += part * part;
            }
            let share = T::one() - away;
            // A radius so small that `away` is not a number even so reaches no cell.
            let reached = share > T::zero();
            if !reached || self.obstacles.is_solid(i) {
                return;
            }
            let h: [T; Q] = core::array::from_fn(|k| self.populations[k].get(i));
            let moments = Moments::of::<L, Q, false>(&h);
            let f = push(&self.params, &self.scales, &self.force).at(i);
            let rho = T::one() + moments.density;
            let before: [T; D] =
                core::array::from_fn(|a| (moments.momentum[a] + T::of(0.5) * f[a]) / rho);
            let mut after: [T; D] = core::array::from_fn(|a| before[a] + share * share * change[a]);
            let speed = |u: &[T; D]| u.iter().fold(T::zero(), |s, v| s + *v * *v).sqrt();
            let most = limit.at_least(speed(&before));
            let fast = speed(&after);
            if fast > most {
                after = after.map(|v| v * most / fast);
            }
            let made = |u| make::<T, L, D, Q>(&self.params, moments.density, u, f, &zero);
            let [old, new] = [made(before), made(after)];
            for k in 0..Q {
                self.populations[k].set(i, h[k] + (new[k] - old[k]));
            }
        });
        self.observe();
        Ok(())
    }

    /// Sets the velocity at an inflow side, m/s, by the centres of its cells.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`] for a side that is not [`Side::Inflow`], [`Error::InvalidParameter`] for
    /// a velocity that is not finite or not below the speed of sound; nothing is changed then.
    pub fn set_inflow(
        &mut self,
        axis: usize,
        end: usize,
        mut velocity: impl FnMut([T; D]) -> [T; D],
    ) -> Result<(), Error> {
        let inflow = Side::Inflow { velocity: [T::zero(); D] };
        let kind = core::mem::discriminant(&inflow);
        let side = self.params.boundary.sides.get(axis).and_then(|ends| ends.get(end));
        let opening = self.openings.iter_mut().find(|o| (o.axis, o.end) == (axis, end));
        let (Some(opening), true) =
            (opening, side.is_some_and(|side| core::mem::discriminant(side) == kind))
        else {
            return Err(Error::NoSuchEntry { name: "inflow side", index: axis, count: D });
        };
        let mut changed = opening.clone();
        let mut good = Ok(());
        changed.set_velocity(&self.grid, |p| {
            let u = velocity(p).map(|v| v / self.scales.velocity);
            if good.is_ok() {
                good = self.scales.check_side(&u);
            }
            u
        });
        good?;
        *opening = changed;
        Ok(())
    }
}

/// The populations of this collision before it happens, for δρ, u, the deviation of the second moment
/// from equilibrium, and a force whose first half is yet to come.
pub(super) fn make<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    params: &LbmParams<T, D>,
    density: T,
    u: [T; D],
    force: [T; D],
    deviation: &[[T; D]; D],
) -> [T; Q] {
    let half = T::of(0.5);
    let mut h = [T::zero(); Q];
    let rho = T::one() + density;
    let momentum: [T; D] = core::array::from_fn(|a| rho * u[a] - half * force[a]);
    let mut second = *deviation;
    if params.collision.remembers() {
        for a in 0..D {
            for b in a..D {
                second[a][b] += rho * u[a] * u[b] - half * (u[a] * force[b] + u[b] * force[a]);
            }
        }
        Expansion::second_order(density, momentum, second).expand::<L, Q, false>(&mut h);
        return h;
    }
    for a in 0..D {
        for b in a..D {
            second[a][b] -= T::of(0.25) * force[a] * force[b] / rho;
        }
    }
    let u = momentum.map(|j| j / rho);
    Expansion::fourth_order::<L, Q>(density, momentum, u, second).expand::<L, Q, true>(&mut h);
    h
}
