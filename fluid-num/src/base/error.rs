//! What can go wrong, with the numbers and the remedy.

use thiserror::Error as Derive;

/// Every error of this crate. State is as it was before the call that returned one, but for
/// [`Error::Unstable`].
#[derive(Debug, Clone, PartialEq, Derive)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is NaN, infinite or outside its range.
    #[error("{name} is {value}; it must be {expected}")]
    InvalidParameter {
        /// The parameter's name.
        name: &'static str,
        /// The value that was refused.
        value: f64,
        /// The values that are accepted.
        expected: &'static str,
    },
    /// A time step that is NaN, infinite or negative.
    #[error("the time step is {value}; it must be finite and not negative")]
    InvalidTimeStep {
        /// The value that was refused.
        value: f64,
    },
    /// A grid without cells, or of a dimension other than 2 and 3.
    #[error(
        "the grid has {cells} cells along axis {axis}; give at least one along each of 2 or 3 axes"
    )]
    EmptyGrid {
        /// The axis that is empty.
        axis: usize,
        /// Its number of cells.
        cells: usize,
    },
    /// A grid with more places than an `i32` can index.
    #[error("the grid needs more than {limit} places; use fewer cells")]
    GridTooLarge {
        /// The largest number of places, ghost layers and padding included.
        limit: usize,
    },
    /// Two fields that belong to different grids were given to one call.
    #[error("{name} belongs to another grid; make it from the same `Grid`")]
    GridMismatch {
        /// The argument that does not fit.
        name: &'static str,
    },
    /// One side of an axis is periodic and the other is not.
    #[error("axis {axis} is periodic on one side only; make both of its sides `Side::Periodic`")]
    HalfPeriodic {
        /// The axis.
        axis: usize,
    },
    /// A field holds NaN or an infinity.
    #[error("{name} is not finite at index {place:?}")]
    NotFinite {
        /// The field.
        name: &'static str,
        /// The first such place, (x, y, z).
        place: [usize; 3],
    },
    /// The run blew up: a field became NaN or infinite in this step.
    #[error(
        "step {step}: {field} is no longer finite at index {place:?}; use a smaller time step or weaker forces"
    )]
    Unstable {
        /// The number of the step, from 0.
        step: u64,
        /// The field.
        field: &'static str,
        /// The first such place, (x, y, z).
        place: [usize; 3],
    },
    /// A list is empty or has the wrong number of entries.
    #[error("{name} has {count} entries; it needs {expected}")]
    WrongCount {
        /// The list.
        name: &'static str,
        /// The number of entries it has.
        count: usize,
        /// What it needs.
        expected: &'static str,
    },
    /// An index beyond the end of a list.
    #[error("{name} {index} does not exist; there are {count}")]
    NoSuchEntry {
        /// What the index counts.
        name: &'static str,
        /// The index.
        index: usize,
        /// The number of entries.
        count: usize,
    },
    /// A handle of a particle that was removed.
    #[error(
        "particle {slot} of generation {generation} no longer exists; ask the set for its ids again"
    )]
    StaleParticle {
        /// The slot of the handle.
        slot: u32,
        /// The generation of the handle.
        generation: u32,
    },
    /// A snapshot of another kind of simulation, or a damaged one.
    #[error(
        "the {name} of the snapshot {reason}; restore one that a simulation built like this one gave"
    )]
    WrongSnapshot {
        /// What does not fit: an array, or what the snapshot says of itself.
        name: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A solver was given a problem that its method cannot solve.
    #[error("the {solver} solver cannot solve this problem: {reason}; use {instead}")]
    UnsuitableSolver {
        /// The solver.
        solver: &'static str,
        /// What stands in its way.
        reason: &'static str,
        /// What can solve it.
        instead: &'static str,
    },
    /// An explicit scheme was asked for a step beyond its stability limit.
    #[error("{name} is unstable for time step {dt}; the limit is {limit}")]
    BeyondStabilityLimit {
        /// The scheme or term.
        name: &'static str,
        /// The step that was asked for.
        dt: f64,
        /// The largest stable step.
        limit: f64,
    },
}

impl Error {
    /// The same, but for a field that is found not to be finite in the middle of a step: it is one
    /// that overflowed.
    pub(crate) fn into_unstable(self, step: u64) -> Self {
        match self {
            Self::NotFinite { name, place } => Self::Unstable { step, field: name, place },
            other => other,
        }
    }
}

/// The checks that constructors and setters share.
pub(crate) mod check {
    use super::Error;
    use crate::Real;

    pub(crate) fn finite<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
        accept(value.is_finite(), name, value, "finite")
    }

    pub(crate) fn positive<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
        accept(value.is_finite() && value > T::zero(), name, value, "finite and positive")
    }

    pub(crate) fn not_negative<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
        accept(value.is_finite() && value >= T::zero(), name, value, "finite and not negative")
    }

    /// Values whose differences and sums with others of their kind are finite too.
    pub(crate) fn moderate<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
        let good = value.magnitude() <= T::one() / T::NEGLIGIBLE;
        accept(good, name, value, "finite and below 1e30 (f32) or 1e280 (f64) in magnitude")
    }

    pub(crate) fn within<T: Real>(
        name: &'static str,
        value: T,
        lo: f64,
        hi: f64,
        expected: &'static str,
    ) -> Result<(), Error> {
        accept(value >= T::of(lo) && value <= T::of(hi), name, value, expected)
    }

    pub(crate) fn all_finite<T: Real>(name: &'static str, values: &[T]) -> Result<(), Error> {
        values.iter().try_for_each(|v| finite(name, *v))
    }

    pub(crate) fn time_step<T: Real>(dt: T) -> Result<(), Error> {
        if dt.is_finite() && dt >= T::zero() {
            return Ok(());
        }
        Err(Error::InvalidTimeStep { value: dt.to_f64() })
    }

    fn accept<T: Real>(
        good: bool,
        name: &'static str,
        value: T,
        expected: &'static str,
    ) -> Result<(), Error> {
        if good {
            return Ok(());
        }
        Err(Error::InvalidParameter { name, value: value.to_f64(), expected })
    }
}
