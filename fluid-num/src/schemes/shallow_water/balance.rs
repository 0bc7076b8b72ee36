//! Where the water is and where it came from.

use super::ShallowWater;
use crate::Real;

/// Sums of depths that came (above 0) and went, m.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) rain: f64,
    pub(super) sources: f64,
    pub(super) drains: f64,
    pub(super) sides: f64,
    pub(super) sponge: f64,
    pub(super) edits: f64,
}

impl Tally {
    pub(super) fn list(&self) -> [f64; 6] {
        [self.rain, self.sources, self.drains, self.sides, self.sponge, self.edits]
    }
}

/// Where the water is, m³. Everything but the volume counts since the simulation was made: what
/// came above 0, what went below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaterBalance {
    /// The water in all cells.
    pub volume: f64,
    /// The water in the air.
    pub spray: f64,
    /// What fell as rain.
    pub rain: f64,
    /// What came out of sources.
    pub sources: f64,
    /// What went into drains.
    pub drains: f64,
    /// What came through the sides.
    pub sides: f64,
    /// What sponge layers gave.
    pub sponge: f64,
    /// What the caller poured in by setting depths.
    pub edits: f64,
}

impl WaterBalance {
    /// The water in cells and in the air less all that came: constant but for rounding.
    pub fn unexplained(&self) -> f64 {
        let came = self.rain + self.sources + self.drains + self.sides + self.sponge + self.edits;
        self.volume + self.spray - came
    }
}

impl<T: Real> ShallowWater<T> {
    /// The volume of the water, m³.
    pub fn volume(&self) -> f64 {
        self.sum_of_depths() * self.cell_area()
    }

    /// Where the water is and where it came from.
    pub fn balance(&self) -> WaterBalance {
        let [rain, sources, drains, sides, sponge, edits] =
            self.tally.list().map(|sum| sum * self.cell_area());
        let (volume, spray) = (self.volume(), self.spray_volume());
        WaterBalance { volume, spray, rain, sources, drains, sides, sponge, edits }
    }

    pub(super) fn cell_area(&self) -> f64 {
        let dx = self.grid.dx().to_f64();
        dx * dx
    }

    /// Σb + Σs: what is exact in either is exact in the sum.
    pub(super) fn sum_of_depths(&self) -> f64 {
        let basins = self.still.values().fold(0.0, |sum, d| sum + d.at_least(T::zero()).to_f64());
        basins + self.displacement.sum()
    }
}
