//! Parameters that change while the fluid flows.
//!
//! Populations stay what they are, in lattice units, unless the time step becomes another one: then
//! velocities, pressures over density and stresses stay, and populations are made anew of them.
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
use crate::{Error, Grid, Real};

/// From one time step to another.
#[derive(Clone, Copy)]
pub(super) struct Rescale<T> {
    /// r.
    speed: T,
    stress: T,
}

impl<T: Real> Rescale<T> {
    pub(super) fn new<const D: usize>(
        grid: &Grid<T, D>,
        old: &LbmParams<T, D>,
        new: &LbmParams<T, D>,
    ) -> Self {
        let speed = new.time_step / old.time_step;
        let [old, new] = [old, new].map(|params| params.relaxation_time(grid.dx()));
        Self { speed, stress: speed * new / old }
    }

    pub(super) fn is_needed(&self) -> bool {
        self.speed != T::one()
    }

    pub(super) fn speed<const D: usize>(&self, u: [T; D]) -> [T; D] {
        u.map(|u| self.speed * u)
    }

    pub(super) fn density(&self, density: T) -> T {
        self.speed * self.speed * density
    }

    /// The populations of a site with new parameters and under a new force.
    pub(super) fn site<L: Lattice<D, Q>, const D: usize, const Q: usize>(
        &self,
        params: &LbmParams<T, D>,
        moments: &Moments<T, D>,
        [old, new]: [[T; D]; 2],
    ) -> [T; Q] {
        let density = self.density(moments.density);
        let u = self.speed(moments.velocity(old));
        let deviation = moments.deviation(old).map(|row| row.map(|a| self.stress * a));
        make::<T, L, D, Q>(params, density, u, new, &deviation)
    }
}

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Replaces the parameters from the next step on. Populations stay, but where the time step
    /// changes: then velocities, pressures over density and stresses stay. A profile that
    /// [`Self::set_inflow`] set stays where its side stays what it is.
    ///
    /// # Errors
    /// As [`Self::new`], and as [`Self::step`] for a force that is not finite: nothing is changed
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
        if rescale.is_needed() {
            let [old, new] = [(&self.params, &self.scales), (&params, &scales)]
                .map(|(params, scales)| push(params, scales, force));
            for i in grid.interior().places() {
                let moments = Moments::of::<L, Q, true>(&site(populations, i));
                let h = rescale.site::<L, D, Q>(&params, &moments, [old.at(i), new.at(i)]);
                set_site(populations, i, h);
            }
        }
        let mut openings = Opening::all::<Q>(grid, &params, &scales);
        Opening::inherit(&mut openings, &self.openings, [&params, &self.params], rescale);
        self.openings = openings;
        let per_speed = T::one() / scales.velocity;
        self.patches = sides::patches::<T, L, D, Q>(grid, &params.boundary, per_speed, false);
        self.obstacles.look_again();
        (self.params, self.scales) = (params, scales);
        self.observe();
        Ok(())
    }
}
