//! The parameters of wind.

use super::gusts::Gusts;
use crate::base::error::check;
use crate::{Error, Real};

/// The parameters of [`Wind`](super::Wind).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindParams<T, const D: usize> {
    /// The number of cells along each axis, from 4 to 2²⁰. Default 32×16×32, in the plane 32×32.
    pub cells: [usize; D],
    /// The edge of a cell, m, from 1e-6 to 1e6. Default 1. Larger: the volume reaches further, and
    /// gusts smaller than two cells vanish.
    pub cell_size: T,
    /// The fixed step, s, from 1e-9 to 1e6. Default 1/30. What is sampled lies between the last two
    /// steps. Longer: cheaper, and wind is known later.
    pub time_step: T,
    /// The most steps of one call, at least 1. Default 8. Time beyond them is dropped.
    pub max_substeps: usize,
    /// A: the wind far from everything, m/s, at most 1e9. Default 0.
    pub ambient: [T; D],
    /// τ: the time in which what motors did falls to 37 %, s, positive; infinite for ever. Default 2.
    /// Smaller: quieter, gusts reach less far.
    pub relaxation_time: T,
    /// ν: how fast what motors did spreads out, m²/s, from 0 to 1e9. Default 0.5. Larger: rounder
    /// and weaker gusts, and from ν Δt > Δx²/(4D) on more passes, up to 64: beyond that it spreads
    /// no faster.
    pub viscosity: T,
    /// How many sweeps of a step damp the divergence of what motors did, so that gusts curl aside
    /// instead of piling up, up to 64. Default 0: none. More: wider whirls, and weaker explosions,
    /// which are nothing but divergence.
    pub swirl_sweeps: usize,
    /// The width of the layer within the sides in which the field becomes the ambient wind, in cells,
    /// from 1 to half of the fewest cells. Default 2.
    pub margin: T,
    /// The distance behind an obstacle after which the ambient wind is back, in cells, from 1 to
    /// 10,000. Default 8. Larger: longer shadows.
    pub shadow_length: T,
    /// The unrest of the ambient wind. Default: none.
    pub gusts: Option<Gusts<T>>,
}

impl<T: Real, const D: usize> Default for WindParams<T, D> {
    fn default() -> Self {
        let mut cells = [32; D];
        if D == 3 {
            cells[1] = 16;
        }
        Self {
            cells,
            cell_size: T::one(),
            time_step: T::of(1.0 / 30.0),
            max_substeps: 8,
            ambient: [T::zero(); D],
            relaxation_time: T::of(2.0),
            viscosity: T::of(0.5),
            swirl_sweeps: 0,
            margin: T::of(2.0),
            shadow_length: T::of(8.0),
            gusts: None,
        }
    }
}

impl<T: Real, const D: usize> WindParams<T, D> {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] for one outside its range.
    pub fn check(&self) -> Result<(), Error> {
        let fewest = self.cells.iter().copied().min().unwrap_or(0);
        let most = self.cells.iter().copied().max().unwrap_or(0);
        if fewest < 4 || most > 1 << 20 {
            let count = if fewest < 4 { fewest } else { most };
            let expected = "from 4 to 2²⁰ cells along each axis";
            return Err(Error::WrongCount { name: "cells", count, expected });
        }
        let expected = "from 1e-6 to 1e6";
        check::within("cell_size", self.cell_size, 1e-6, 1e6, expected)?;
        let expected = "from 1e-9 to 1e6";
        check::within("time_step", self.time_step, 1e-9, 1e6, expected)?;
        super::speeds("ambient", &self.ambient)?;
        if self.relaxation_time != T::one() / T::zero() {
            check::positive("relaxation_time", self.relaxation_time)?;
        }
        check::within("viscosity", self.viscosity, 0.0, 1e9, "from 0 to 1e9")?;
        if self.swirl_sweeps > 64 {
            let (count, expected) = (self.swirl_sweeps, "at most 64");
            return Err(Error::WrongCount { name: "swirl_sweeps", count, expected });
        }
        let widest = 0.5 * fewest as f64;
        check::within("margin", self.margin, 1.0, widest, "from 1 to half of the fewest cells")?;
        check::within("shadow_length", self.shadow_length, 1.0, 1e4, "from 1 to 10,000")?;
        if self.max_substeps == 0 {
            let expected = "at least 1";
            return Err(Error::WrongCount { name: "max_substeps", count: 0, expected });
        }
        self.gusts.iter().try_for_each(Gusts::check)
    }
}
