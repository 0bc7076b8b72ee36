//! Sources: what pushes the fluid and adds to what it carries, around a point.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::error::check;
use crate::base::exec::Region;
use crate::grid::{Field, Grid, Location};
use crate::{Error, Real};

/// What a source does at its centre; it fades as a Gaussian, exp(−r²/radius²).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect<T, const D: usize> {
    /// Accelerates the fluid, m/s².
    Accelerate([T; D]),
    /// Adds to a quantity.
    Add {
        /// The index of the quantity.
        quantity: usize,
        /// What is added each second.
        rate: T,
    },
    /// Draws a quantity towards a value, never beyond it.
    Hold {
        /// The index of the quantity.
        quantity: usize,
        /// The value.
        value: T,
        /// The rate, 1/s: after 1/rate seconds 37 % of the difference is left.
        rate: T,
    },
}

/// Something at a point that acts on the fluid: a pointer that stirs, a nozzle, a fire. It acts
/// on all cells within its reach, also behind a wall, but not across a periodic side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source<T, const D: usize> {
    /// Where, m.
    pub center: [T; D],
    /// The distance at which the effect has fallen to 1/e, m. Beyond four radii there is none.
    pub radius: T,
    /// What it does.
    pub effect: Effect<T, D>,
}

impl<T: Real, const D: usize> Source<T, D> {
    /// Checks the source, given the number of quantities.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::NoSuchEntry`].
    pub fn check(&self, quantities: usize) -> Result<(), Error> {
        check::all_finite("source.center", &self.center)?;
        check::positive("source.radius", self.radius)?;
        let exists = |index: usize| {
            if index < quantities {
                return Ok(());
            }
            Err(Error::NoSuchEntry { name: "quantity", index, count: quantities })
        };
        match self.effect {
            Effect::Accelerate(a) => check::all_finite("source.acceleration", &a),
            Effect::Add { quantity, rate } => {
                exists(quantity)?;
                check::finite("source.rate", rate)
            }
            Effect::Hold { quantity, value, rate } => {
                exists(quantity)?;
                check::finite("source.value", value)?;
                check::not_negative("source.rate", rate)
            }
        }
    }
}

/// The Gaussian of a source, axis by axis.
#[derive(Debug, Clone)]
pub(super) struct Falloff<T, const D: usize> {
    weights: [Vec<T>; D],
}

impl<T: Real, const D: usize> Falloff<T, D> {
    pub(super) fn new(grid: &Grid<T, D>) -> Self {
        Self { weights: grid.cells().map(|n| vec![T::zero(); n + 2]) }
    }

    /// Changes the values of `field` around `source`: `change(value, weight)`. Tells whether all
    /// of them are moderate.
    pub(super) fn apply(
        &mut self,
        source: &Source<T, D>,
        field: &mut Field<T, D>,
        change: impl Fn(T, T) -> T,
    ) -> bool {
        let (mut moderate, limit) = (true, T::one() / T::NEGLIGIBLE);
        let region = self.around(source, field.grid(), field.location());
        let data = field.as_mut_slice();
        for n in 0..region.rows() {
            let row = region.row(n);
            let across = (1..D).fold(T::one(), |w, a| w * self.weights[a][row.at[a]]);
            let along = &self.weights[0][row.at[0]..][..row.len];
            for (value, weight) in data[row.start..][..row.len].iter_mut().zip(along) {
                *value = change(*value, across * *weight);
                moderate &= value.magnitude() <= limit;
            }
        }
        moderate
    }

    /// The places within four radii, and their weights along each axis.
    fn around(&mut self, source: &Source<T, D>, grid: &Grid<T, D>, at: Location) -> Region<D> {
        let mut region = grid.region(at);
        for a in 0..D {
            let first = grid.position(at, [0; D])[a];
            let place = |i: usize| first + T::of_usize(i - 1) * grid.dx();
            let reach = T::of(4.0) * source.radius;
            let near = |i: &usize| (place(*i) - source.center[a]).magnitude() <= reach;
            let all = region.lo[a]..region.hi[a];
            let lo = all.clone().find(near).unwrap_or(region.hi[a]);
            let hi = all.rev().find(near).map_or(lo, |i| i + 1);
            (region.lo[a], region.hi[a]) = (lo, hi);
            for i in lo..hi {
                let r = (place(i) - source.center[a]) / source.radius;
                self.weights[a][i] = (-(r * r)).portable_exp();
            }
        }
        region
    }
}
