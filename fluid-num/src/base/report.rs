//! What a step and a solve did.

/// What a linear solve did.
///
/// Residuals are maximum norms of b − A·p over all unknown cells, relative to the maximum norm of
/// the right-hand side that was solved (after its mean was removed where the problem is singular);
/// both are 0 for a zero right-hand side that p already solves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveReport<T> {
    /// Iterations done.
    pub iterations: usize,
    /// Relative residual of the initial guess.
    pub residual_before: T,
    /// Relative residual of the result.
    pub residual: T,
    /// Whether the residual is at most the tolerance that was asked for.
    pub converged: bool,
    /// The largest |mean of b| that was removed from a region without an open side: what flows
    /// into a sealed region and cannot leave it. Zero where the problem has a solution.
    pub incompatibility: T,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport<T> {
    /// The simulated time that was done, s.
    pub time: T,
    /// Sub-steps that it took.
    pub substeps: usize,
    /// The largest speed of any component after the step, m/s.
    pub max_speed: T,
    /// The largest number of cells that anything crossed in one sub-step.
    pub cfl: T,
    /// The last pressure solve, where the scheme has one.
    pub pressure: Option<SolveReport<T>>,
}

impl<T: crate::Real> StepReport<T> {
    /// The report of a step of no time.
    pub fn nothing(max_speed: T) -> Self {
        Self { time: T::zero(), substeps: 0, max_speed, cfl: T::zero(), pressure: None }
    }
}
