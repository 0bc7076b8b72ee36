//! What is put into the moments by hand, and parameters that change.

use super::super::change::Rescale;
use super::super::input::{Impulse, make};
use super::super::lattice::Lattice;
use super::super::open::Opening;
use super::super::params::LbmParams;
use super::{EncodedLbm, Moments, push};
use crate::{Error, Real};

impl<T, L, const D: usize, const Q: usize> EncodedLbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Sets every cell to equilibrium, for the velocity (m/s) and the pressure (Pa) that `flow` gives
    /// for its centre; see [`Lbm::set_flow`](super::super::Lbm::set_flow).
    ///
    /// # Errors
    /// As there: cells before the one that is wrong are set.
    pub fn set_flow(&mut self, mut flow: impl FnMut([T; D]) -> ([T; D], T)) -> Result<(), Error> {
        self.check_inputs()?;
        let Self { params, grid, scales, force, moments, layers, .. } = self;
        let push = push(params, scales, force);
        let set = grid.interior().places().try_for_each(|i| {
            let cell = grid.cell_at(i);
            let (density, u) = scales.flow(cell, flow(grid.center(cell)))?;
            let h = make::<T, L, D, Q>(params, density, u, push.at(i), &[[T::zero(); D]; D]);
            layers.put(moments, i, &Moments::of::<L, Q, true>(&h));
            Ok(())
        });
        self.clear_solids();
        set?;
        let Self { params, scales, force, moments, layers, openings, .. } = self;
        let push = super::push(params, scales, force);
        for opening in openings {
            opening.settle(|i| {
                let moments = layers.get(moments, i);
                (moments.density, moments.velocity(push.at(i)))
            });
        }
        Ok(())
    }

    /// Gives fluid near a point another velocity at once; see
    /// [`Lbm::add_impulse`](super::super::Lbm::add_impulse).
    ///
    /// # Errors
    /// As there; nothing is changed then.
    pub fn add_impulse(&mut self, center: [T; D], radius: T, change: [T; D]) -> Result<(), Error> {
        let impulse = Impulse::new(&self.params, &self.scales, (center, radius), change)?;
        self.check_inputs()?;
        let Self { params, grid, scales, force, moments, layers, obstacles, .. } = self;
        let push = push(params, scales, force);
        for i in grid.interior().places().filter(|i| !obstacles.is_solid(*i)) {
            let Some(share) = impulse.share(grid.center(grid.cell_at(i))) else { continue };
            let (mut own, f) = (layers.get(moments, i), push.at(i));
            let [old, new] = impulse.velocities(share, &own, f).map(|u| {
                let h = make::<T, L, D, Q>(params, own.density, u, f, &[[T::zero(); D]; D]);
                Moments::of::<L, Q, true>(&h)
            });
            for a in 0..D {
                own.momentum[a] += new.momentum[a] - old.momentum[a];
                for b in a..D {
                    own.flux[a][b] += new.flux[a][b] - old.flux[a][b];
                }
            }
            layers.put(moments, i, &own);
        }
        Ok(())
    }

    /// Sets the velocity at an inflow side, m/s, by the centres of its cells.
    ///
    /// # Errors
    /// As [`Lbm::set_inflow`](super::super::Lbm::set_inflow); nothing is changed then.
    pub fn set_inflow(
        &mut self,
        axis: usize,
        end: usize,
        velocity: impl FnMut([T; D]) -> [T; D],
    ) -> Result<(), Error> {
        let Self { openings, grid, scales, .. } = self;
        Opening::set_inflow(openings, grid, scales, (axis, end), velocity)
    }

    /// Replaces the parameters from the next step on; see
    /// [`Lbm::set_params`](super::super::Lbm::set_params).
    ///
    /// # Errors
    /// As there and [`Self::new`]; nothing is changed then.
    pub fn set_params(&mut self, params: LbmParams<T, D>) -> Result<(), Error> {
        let scales = Self::checked(&self.grid, &params)?;
        self.check_inputs()?;
        let Self { grid, force, moments, layers, .. } = self;
        let rescale = Rescale::new(grid, &self.params, &params);
        let [old, new] = [(&self.params, &self.scales), (&params, &scales)]
            .map(|(params, scales)| push(params, scales, force));
        let mut openings = Opening::all::<Q>(grid, &params, &scales);
        for opening in &mut openings {
            let at = |i| (layers.get(moments, i), old.at(i));
            opening.inherit(&self.openings, [&params, &self.params], &scales, rescale, at)?;
        }
        if rescale.is_needed() {
            let fluid = || grid.interior().places().filter(|i| !self.obstacles.is_solid(*i));
            fluid().try_for_each(|i| rescale.check(layers.get(moments, i).density))?;
            for i in grid.interior().places() {
                let own = layers.get(moments, i);
                let h = rescale.site::<L, D, Q>(&params, &own, [old.at(i), new.at(i)]);
                layers.put(moments, i, &Moments::of::<L, Q, true>(&h));
            }
        }
        self.openings = openings;
        self.entries = Self::entries(grid, &params, &scales);
        self.obstacles.rescale(rescale);
        (self.params, self.scales) = (params, scales);
        self.clear_solids();
        Ok(())
    }
}
