//! Foam: born where the surface breaks, carried along, and gone after a while.
//!
//! ```text
//! ∂f/∂t + (u·∇)f = rate·e·(1 − f) − decay·f       e = min(rise/(breaking·√(gh)) − 1, 1) ≥ 0
//! ```
//!
//! The rise is −h ∇·u. Carried semi-Lagrangian by cubics, cut to 0 … 1.

use super::ShallowWater;
use super::carried::cubic;
use super::kernel::depth_and_surface;
use super::sides;
use crate::base::error::check;
use crate::{Error, Field, Real};

/// How foam comes and goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoamParams<T> {
    /// The rise over √(gh) from which on the surface breaks, positive; see
    /// [`SprayParams`](super::SprayParams). Less makes more foam. Default 0.15.
    pub breaking: T,
    /// How fast a breaking surface is covered, 1/s, from 0. Default 6.
    pub rate: T,
    /// How fast foam dissolves, 1/s, from 0. Default 0.4.
    pub decay: T,
}

impl<T: Real> Default for FoamParams<T> {
    fn default() -> Self {
        Self { breaking: T::of(0.15), rate: T::of(6.0), decay: T::of(0.4) }
    }
}

impl<T: Real> FoamParams<T> {
    pub(super) fn check(&self) -> Result<(), Error> {
        check::positive("foam.breaking", self.breaking)?;
        check::within("foam.rate", self.rate, 0.0, 1e6, "from 0 to 1e6")?;
        check::within("foam.decay", self.decay, 0.0, 1e6, "from 0 to 1e6")
    }
}

impl<T: Real> ShallowWater<T> {
    /// The share of each cell that is covered with foam, 0 to 1, where there is to be any.
    pub fn foam(&self) -> Option<&Field<T, 2>> {
        self.foam.as_ref().map(|[foam, _]| foam)
    }

    /// Takes memory for foam where there is to be any.
    pub(super) fn set_foam(&mut self) {
        if self.params.foam.is_none() {
            self.foam = None;
        } else if self.foam.is_none() {
            self.foam = Some([Field::zeros(self.grid), Field::zeros(self.grid)]);
        }
    }

    /// Carries foam along for `dt`, lets it dissolve, and makes new one.
    pub(super) fn move_foam(&mut self, dt: T) {
        let (Some(params), Some([foam, next])) = (self.params.foam, &mut self.foam) else { return };
        let (zero, one, half) = (T::zero(), T::one(), T::of(0.5));
        let periodic = self.params.periodic();
        let [u, v] = self.velocity.slices();
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let (dx, stride) = (self.grid.dx(), self.grid.strides()[1]);
        let region = self.grid.interior();
        let cells = half * dt / dx;
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for i in 0..row.len {
                let place = row.start + i;
                let from = [
                    T::of_usize(row.at[0] + i) - cells * (u[place] + u[place + 1]),
                    T::of_usize(row.at[1]) - cells * (v[place] + v[place + stride]),
                ];
                let depth = depth_and_surface(d[place], s[place]).0;
                let spread = (u[place + 1] - u[place]) + (v[place + stride] - v[place]);
                let rise = -(depth * spread / dx);
                let limit = params.breaking * (self.params.gravity * depth).sqrt();
                let breaks = if depth > self.params.dry_depth { rise / limit - one } else { zero };
                let born = dt * params.rate * breaks.at_least(zero).at_most(one);
                let old = cubic(foam, periodic, from).at_least(zero).at_most(one);
                let new = (old + born) / (one + born + dt * params.decay);
                // What has faded is gone, before it is subnormal.
                next.as_mut_slice()[place] = if new > T::of(1e-6) { new } else { zero };
            }
        }
        foam.swap_values(next);
        sides::fill_cells(foam, periodic);
    }
}
