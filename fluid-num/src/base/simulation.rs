//! What adapters, demos and tests need of any scheme, and the fixed-step clock that drives it.

use super::{error::check, report::StepReport, snapshot::Snapshot};
use crate::{Error, Real};

/// A scheme that advances in time.
pub trait Simulation<T: Real> {
    /// Advances by `dt` seconds. `dt = 0` changes nothing.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`] for NaN, infinite or negative `dt`, with the state as before.
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error>;

    /// The simulated time so far, s.
    fn time(&self) -> T;

    /// A digest of the state's bits.
    fn digest(&self) -> u64;

    /// The report of the last step.
    fn report(&self) -> StepReport<T>;

    /// The state as plain data: all that the future depends on, but for what the caller set up.
    fn snapshot(&self) -> Snapshot<T>;

    /// Takes over the state of a snapshot; from then on every step gives the same bits as it would
    /// have given where the snapshot was taken.
    ///
    /// Parameters and geometry are no part of it, and stay as they are: give this simulation the
    /// same grid or domain, parameters and sources, and as many bodies and emitters of the same
    /// shapes and masses in the same order. What bodies and emitters do in time is restored: poses,
    /// motions and forces, and how far each jet has come. The report is that of a step of no time.
    ///
    /// # Errors
    /// [`Error::WrongSnapshot`] for another scheme or dimension, for an array that is missing or
    /// one that contradicts itself, [`Error::GridMismatch`] for another number of cells,
    /// [`Error::WrongCount`] for another number of anything else, [`Error::NotFinite`] for a value
    /// that is not finite: the state is as before.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error>;
}

/// How many steps of `step` seconds `dt` seconds and what is `pending` make room for; the rest is
/// pending. Time beyond `most` steps is dropped.
pub(crate) fn due<T: Real>(pending: &mut T, dt: T, step: T, most: usize) -> usize {
    *pending += dt;
    // A hair's tolerance: 60 frames of 1/60 s are 60 steps, whatever the rounding of the sum.
    let whole = (*pending / step + T::of(1e-4)).floor().at_least(T::zero());
    if whole > T::of_usize(most) {
        *pending = T::zero();
        return most;
    }
    *pending -= whole * step;
    whole.to_f64() as usize
}

/// A fixed-step accumulator: frame times in, whole steps out, so that a simulation runs at the
/// same speed, and through the same states, on every screen.
///
/// Time that does not fit under the cap is dropped and counted: a long pause (a hidden browser
/// tab, a breakpoint) never makes the next frame longer still.
///
/// ```
/// use fluid_num::Stepper;
/// let mut clock = Stepper::new(1.0_f64 / 60.0, 8)?;
/// assert_eq!(clock.advance(0.05), 3);
/// assert_eq!(clock.advance(1000.0), 8);
/// assert!(clock.dropped() > 999.0);
/// assert_eq!(clock.advance(f64::NAN), 0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stepper<T> {
    dt: T,
    max_steps: usize,
    pending: T,
    dropped: T,
}

impl<T: Real> Stepper<T> {
    /// A clock of steps of `dt` seconds, at most `max_steps` of them a frame.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a `dt` that is not finite and positive, and
    /// [`Error::WrongCount`] for a cap of 0.
    pub fn new(dt: T, max_steps: usize) -> Result<Self, Error> {
        check::positive("dt", dt)?;
        if max_steps == 0 {
            return Err(Error::WrongCount { name: "max_steps", count: 0, expected: "at least 1" });
        }
        Ok(Self { dt, max_steps, pending: T::zero(), dropped: T::zero() })
    }

    /// The step, s.
    pub fn dt(&self) -> T {
        self.dt
    }

    /// The time dropped so far, s.
    pub fn dropped(&self) -> T {
        self.dropped
    }

    /// Takes in a frame's time and gives the number of steps to do now. A frame time that is NaN,
    /// infinite, negative or zero gives none.
    pub fn advance(&mut self, frame_time: T) -> usize {
        if !(frame_time.is_finite() && frame_time > T::zero()) {
            return 0;
        }
        self.pending += frame_time;
        // A hair's tolerance: 60 frames of 1/60 s are 60 steps, whatever the rounding of the sum.
        let slack = self.dt * T::of(1e-4);
        let mut steps = 0;
        while steps < self.max_steps && self.pending + slack >= self.dt {
            self.pending -= self.dt;
            steps += 1;
        }
        if self.pending >= self.dt {
            self.dropped += self.pending;
            self.pending = T::zero();
        }
        steps
    }
}
