//! What is put into the fluid by hand: flows, inflow profiles, impulses.

use super::expansion::{Expansion, Moments};
use super::lattice::Lattice;
use super::observe::Scales;
use super::open::Opening;
use super::params::LbmParams;
use super::{Lbm, push, set_site, site, solids};
use crate::base::error::check;
use crate::{Error, Real};

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
        let Self { params, scales, force, populations, openings, .. } = self;
        let push = push(params, scales, force);
        for opening in openings {
            opening.settle(|i| {
                let moments = Moments::of::<L, Q, false>(&site(populations, i));
                (moments.density, moments.velocity(push.at(i)))
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
                set_site(&mut self.populations, row.start + i, h);
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
        let impulse = Impulse::new(&self.params, &self.scales, (center, radius), change)?;
        self.check_inputs()?;
        let Self { params, grid, scales, force, populations, obstacles, .. } = self;
        let push = push(params, scales, force);
        solids::for_each_cell(grid, |cell, i| {
            let Some(share) = impulse.share(grid.center(cell)).filter(|_| !obstacles.is_solid(i))
            else {
                return;
            };
            let h = site(populations, i);
            let (moments, f) = (Moments::of::<L, Q, false>(&h), push.at(i));
            let [old, new] = impulse
                .velocities(share, &moments, f)
                .map(|u| make::<T, L, D, Q>(params, moments.density, u, f, &[[T::zero(); D]; D]));
            set_site(populations, i, core::array::from_fn(|k| h[k] + (new[k] - old[k])));
        });
        self.observe();
        Ok(())
    }

    /// Sets the velocity at an inflow side, m/s, by the centres of its cells.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`] for a side that is not [`crate::Side::Inflow`], [`Error::InvalidParameter`] for
    /// a velocity that is not finite or not below the speed of sound; nothing is changed then.
    pub fn set_inflow(
        &mut self,
        axis: usize,
        end: usize,
        velocity: impl FnMut([T; D]) -> [T; D],
    ) -> Result<(), Error> {
        let Self { openings, grid, scales, .. } = self;
        Opening::set_inflow(openings, grid, scales, (axis, end), velocity)
    }
}

/// A change of velocity near a point.
#[derive(Clone, Copy)]
pub(super) struct Impulse<T, const D: usize> {
    center: [T; D],
    radius: T,
    /// In cells a step, as is the limit.
    change: [T; D],
    limit: T,
}

impl<T: Real, const D: usize> Impulse<T, D> {
    pub(super) fn new(
        params: &LbmParams<T, D>,
        scales: &Scales<T>,
        (center, radius): ([T; D], T),
        change: [T; D],
    ) -> Result<Self, Error> {
        check::all_finite("center", &center)?;
        check::positive("radius", radius)?;
        let change = change.map(|v| v / scales.velocity);
        for v in change {
            check::within("the change in cells a step", v, -1e6, 1e6, "at most a million")?;
        }
        Ok(Self { center, radius, change, limit: params.speed_limit_lu })
    }

    /// w at a point, where it is not 0.
    pub(super) fn share(&self, point: [T; D]) -> Option<T> {
        let mut away = T::zero();
        for (p, c) in point.into_iter().zip(self.center) {
            let part = (p - c) / self.radius;
            away += part * part;
        }
        let share = T::one() - away;
        // A radius so small that `away` is not a number even so reaches no cell.
        (share > T::zero()).then_some(share * share)
    }

    /// The velocity of a site before and after.
    pub(super) fn velocities(
        &self,
        share: T,
        moments: &Moments<T, D>,
        force: [T; D],
    ) -> [[T; D]; 2] {
        let before = moments.velocity(force);
        let mut after: [T; D] = core::array::from_fn(|a| before[a] + share * self.change[a]);
        let speed = |u: &[T; D]| u.iter().fold(T::zero(), |s, v| s + *v * *v).sqrt();
        let most = self.limit.at_least(speed(&before));
        let fast = speed(&after);
        if fast > most {
            after = after.map(|v| v * most / fast);
        }
        [before, after]
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
