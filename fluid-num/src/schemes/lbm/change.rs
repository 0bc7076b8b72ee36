//! Parameters that change while the fluid flows.
//!
//! Populations stay what they are, in lattice units, unless the time step becomes another one: then
//! velocities, their gradients, and pressures over density stay, and populations are made anew of them.
//!
//! ```text
//! u′ = r u   δρ′ = r²δρ   A′ = r(τ′/τ)A          r = Δt′/Δt
//! ```

use super::expansion::Moments;
use super::force::push;
use super::input::make;
use super::lattice::Lattice;
use super::observe::Scales;
use super::open::Opening;
use super::params::LbmParams;
use super::{Lbm, set_site, sides, site};
use crate::base::error::check;
use crate::base::ring::Ring;
use crate::{Error, Grid, Real};

/// From one time step to another.
#[derive(Clone, Copy)]
pub(super) struct Rescale<T> {
    /// r.
    speed: T,
    /// r(τ′/τ).
    deviation: T,
}

impl<T: Real> Rescale<T> {
    pub(super) fn new<const D: usize>(
        grid: &Grid<T, D>,
        old: &LbmParams<T, D>,
        new: &LbmParams<T, D>,
    ) -> Self {
        let speed = new.time_step / old.time_step;
        let [old, new] = [old, new].map(|params| params.relaxation_time(grid.dx()));
        Self { speed, deviation: speed * new / old }
    }

    pub(super) fn is_needed(&self) -> bool {
        self.speed != T::one()
    }

    pub(super) fn velocity<const D: usize>(&self, u: [T; D]) -> [T; D] {
        u.map(|u| self.speed * u)
    }

    pub(super) fn density(&self, density: T) -> T {
        self.speed * self.speed * density
    }

    /// Whether there is fluid left of a density δρ.
    pub(super) fn check(&self, density: T) -> Result<(), Error> {
        let expected =
            "above −1, where nothing is left: the flow is too fast for so long a time step";
        check::within(
            "the density above that at rest",
            self.density(density),
            -0.999,
            1e6,
            expected,
        )
    }

    /// The populations of a site with new parameters and under a new force.
    pub(super) fn site<L: Lattice<D, Q>, const D: usize, const Q: usize>(
        &self,
        params: &LbmParams<T, D>,
        moments: &Moments<T, D>,
        [old, new]: [[T; D]; 2],
    ) -> [T; Q] {
        let density = self.density(moments.density);
        let u = self.velocity(moments.velocity(old));
        let deviation = moments.deviation(old).map(|row| row.map(|a| self.deviation * a));
        make::<T, L, D, Q>(params, density, u, new, &deviation)
    }
}

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Replaces the parameters from the next step on. Populations stay, but where the time step
    /// changes: then velocities, their gradients, and pressures over density stay. A profile that
    /// [`Self::set_inflow`] set stays where its side stays what it is.
    ///
    /// # Errors
    /// As [`Self::new`], also for a profile that stays; as [`Self::step`] for bodies and forces;
    /// [`Error::InvalidParameter`] where the flow is too fast for the time step. Nothing is changed
    /// then.
    ///
    /// ```
    /// use fluid_num::schemes::lbm::LbmParams;
    /// use fluid_num::{Grid2, LbmD2Q9};
    /// let params = LbmParams::default();
    /// let mut flow = LbmD2Q9::<f64>::new(Grid2::new([16, 16], 1.0 / 64.0)?, params)?;
    /// flow.set_flow(|_| ([0.5, 0.0], 2.0))?;
    /// flow.set_params(LbmParams { time_step: 5e-4, ..params })?;
    /// assert!((flow.velocity()[0][[8, 8]] - 0.5).abs() < 1e-12);
    /// assert!((flow.pressure()[[8, 8]] - 2.0).abs() < 1e-12);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn set_params(&mut self, params: LbmParams<T, D>) -> Result<(), Error> {
        let scales = Scales::checked(&self.grid, &params)?;
        self.check_inputs()?;
        let Self { grid, force, populations, .. } = self;
        let rescale = Rescale::new(grid, &self.params, &params);
        let [old, new] = [(&self.params, &self.scales), (&params, &scales)]
            .map(|(params, scales)| push(params, scales, force));
        let moments =
            |populations: &[Ring<T>; Q], i| Moments::of::<L, Q, true>(&site(populations, i));
        let mut openings = Opening::all::<Q>(grid, &params, &scales);
        for opening in &mut openings {
            let at = |i| (moments(populations, i), old.at(i));
            opening.inherit(&self.openings, [&params, &self.params], &scales, rescale, at)?;
        }
        if rescale.is_needed() {
            let fluid = || grid.interior().places().filter(|i| !self.obstacles.is_solid(*i));
            fluid().try_for_each(|i| rescale.check(moments(populations, i).density))?;
            for i in grid.interior().places() {
                let own = moments(populations, i);
                let h = rescale.site::<L, D, Q>(&params, &own, [old.at(i), new.at(i)]);
                set_site(populations, i, h);
            }
        }
        self.openings = openings;
        let per_speed = T::one() / scales.velocity;
        self.patches = sides::patches::<T, L, D, Q>(grid, &params.boundary, per_speed, false);
        self.obstacles.rescale(rescale);
        (self.params, self.scales) = (params, scales);
        self.observe();
        Ok(())
    }
}
