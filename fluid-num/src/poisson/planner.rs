//! Which solver to take for a problem: the rules of [`SolverKind::best_for`], from measured times.
//!
//! | problem | tolerance | solver |
//! |---|---|---|
//! | σh² ≥ D/2: diffusion of a short step | any | [`ConjugateGradient`](super::ConjugateGradient) with the diagonal |
//! | β = 1, no solids | any | [`Spectral`](super::Spectral): exact to rounding, in the time of three cycles |
//! | the same, an axis but x with a prime factor above 7 | 1e-3 and more | [`Multigrid`](super::Multigrid) |
//! | solids, β, free surfaces | 1e-6 and more, or none | [`Multigrid`](super::Multigrid) |
//! | solids, β, free surfaces | below 1e-6 | [`ConjugateGradient`](super::ConjugateGradient) with multigrid |
//!
//! The number of iterations is no part of the rules: they are of the chosen kind.
//!
//! Not chosen by themselves: [`Jacobi`](super::Jacobi) and the filter, for a fixed small budget with
//! a warm start and exact symmetry; Gauss–Seidel and SOR, for what was tuned with them; MIC, for
//! little memory.

use super::{Budget, End, MultigridParams, Preconditioner, Problem, SolverKind, SpectralMethod};
use crate::Real;

impl<T: Real> SolverKind<T> {
    /// The kind that solves `problem` to the budget's tolerance in the least time.
    ///
    /// ```
    /// use fluid_num::Grid2;
    /// use fluid_num::poisson::{Budget, End, Problem, SolverKind, SpectralMethod};
    /// let problem = Problem::new(Grid2::new([64, 64], 1.0_f32)?, [[End::Neumann; 2]; 2])?;
    /// let kind = SolverKind::best_for(&problem, Budget::tolerance(1e-6, 100));
    /// assert_eq!(kind, SolverKind::Spectral(SpectralMethod::Tridiagonal));
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn best_for<const D: usize>(problem: &Problem<T, D>, budget: Budget<T>) -> Self {
        let multigrid = MultigridParams::default();
        let tolerance = budget.tolerance.to_f64();
        // Every iteration then gains a factor of two and more.
        if problem.shift() * problem.h2() >= T::of(0.5 * D as f64) {
            return Self::ConjugateGradient(Preconditioner::Jacobi);
        }
        if problem.is_variable() {
            let strict = tolerance > 0.0 && tolerance < 1e-6;
            return match strict {
                true => Self::ConjugateGradient(Preconditioner::Multigrid(multigrid)),
                false => Self::Multigrid(multigrid),
            };
        }
        let slow = (1..D).any(|axis| largest_factor(transformed_length(problem, axis)) > 7);
        if slow && tolerance >= 1e-3 {
            return Self::Multigrid(multigrid);
        }
        Self::Spectral(SpectralMethod::Tridiagonal)
    }
}

/// The length that the transform along an axis is made of.
fn transformed_length<T: Real, const D: usize>(problem: &Problem<T, D>, axis: usize) -> usize {
    let nodes = problem.ends()[axis].iter().filter(|end| **end == End::DirichletNode).count();
    let cells = problem.region().len(axis);
    match nodes {
        0 => cells,
        1 => 2 * cells + 1,
        _ => cells + 1,
    }
}

/// The largest prime factor, 1 of 1.
fn largest_factor(mut n: usize) -> usize {
    let (mut factor, mut largest) = (2, 1);
    while n > 1 {
        while n.is_multiple_of(factor) {
            (n, largest) = (n / factor, factor);
        }
        factor += 1;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_factor_is_prime_and_divides() {
        for (n, factor) in [(1, 1), (2, 2), (512, 2), (511, 73), (210, 7), (97, 97), (1023, 31)] {
            assert_eq!(largest_factor(n), factor);
        }
    }
}
