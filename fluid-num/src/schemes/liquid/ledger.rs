//! What became of the volume.

use super::{Liquid, VolumeCorrection};
use crate::Real;

/// The volumes that there should be, m³ (m² in the plane).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Ledger {
    /// Whether the first volume has been measured.
    pub(super) open: bool,
    /// What there was at first.
    pub(super) initial: f64,
    /// What has been added since.
    pub(super) entered: f64,
    /// What has been taken since.
    pub(super) left: f64,
}

impl Ledger {
    /// Books what has been added, or taken where negative.
    pub(super) fn book(&mut self, change: f64) {
        if change > 0.0 {
            self.entered += change;
        } else {
            self.left -= change;
        }
    }
}

/// What became of the volume, m³ (m² in the plane).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeReport {
    /// The volume of the liquid.
    pub volume: f64,
    /// What there was at first.
    pub initial: f64,
    /// What sources, inflow and edits have added.
    pub entered: f64,
    /// What drains, open sides and edits have taken.
    pub left: f64,
}

impl VolumeReport {
    /// What interpolation has made (positive) or lost, as a share of the volume that there should be.
    pub fn drift(&self) -> f64 {
        let expected = self.initial + self.entered - self.left;
        if expected > 0.0 { self.volume / expected - 1.0 } else { 0.0 }
    }
}

impl<T: Real, const D: usize> Liquid<T, D> {
    /// Measures the volume, and tells what became of it.
    pub fn volume(&mut self) -> VolumeReport {
        let volume = self.measure();
        let Ledger { initial, entered, left, open } = self.ledger;
        let initial = if open { initial } else { volume };
        VolumeReport { volume, initial, entered, left }
    }

    /// The volume that is liquid and not solid now.
    pub(super) fn measure(&mut self) -> f64 {
        let solid = self.solids.any().then_some(&self.solid);
        super::submerged::cut_out(&self.surface, solid, &mut self.wet);
        self.wet_volume()
    }

    /// The volume of what is wet.
    fn wet_volume(&self) -> f64 {
        let void = self.separation.as_ref().map_or(0.0, |apart| apart.void(self.grid.dx()));
        self.wet.measure() - void
    }

    /// Measures after the surface was changed by hand: what is new entered, what is gone left.
    pub(super) fn book_edit(&mut self) {
        let now = self.wet_volume();
        if self.ledger.open {
            let Ledger { initial, entered, left, .. } = self.ledger;
            let change = now - (initial + entered - left);
            self.ledger.book(change);
        } else {
            self.ledger = Ledger { open: true, initial: now, ..Ledger::default() };
        }
    }

    /// The divergence that gives back what is missing of the volume, 1/s.
    pub(super) fn correction_rate(&self, correction: VolumeCorrection<T>, dt: T) -> T {
        let volume = self.wet_volume();
        let Ledger { initial, entered, left, .. } = self.ledger;
        let expected = initial + entered - left;
        if volume <= 0.0 {
            return T::zero();
        }
        let missing = T::of((expected - volume) / volume);
        let rate = correction.rate.at_most(T::one() / dt);
        (missing * rate).at_most(correction.most).at_least(-correction.most)
    }
}
