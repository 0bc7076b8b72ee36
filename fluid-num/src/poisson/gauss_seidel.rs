//! Red–black Gauss–Seidel and SOR: first all places of one colour of the chequerboard, then all of
//! the other, each from the newest values.
//!
//! With relaxation 1 it is Gauss–Seidel: spectral radius cos²(π/(N + 1)). With the optimal
//! relaxation ω = 2/(1 + sin(π/(N + 1))) it is SOR: ω − 1. The places of a colour do not read one
//! another, so the result depends on no order; but mirroring a grid of even size swaps the
//! colours, so a symmetric scene is symmetric only to the solve's residual. On a periodic axis of
//! odd length the colours clash across the seam, where the old value is read.

use alloc::vec::Vec;

use super::Problem;
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve};
use super::stencil::{RELAX, Stencil, Weight};
use crate::base::error::check;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};

/// The red–black solver and its scratch memory.
#[derive(Debug, Clone)]
pub struct RedBlack<T, const D: usize> {
    b: Field<T, D>,
    next: Field<T, D>,
    relaxation: T,
    /// ω and 0 by turns: the weights of the two colours along a row.
    weights: Vec<T>,
}

impl<T: Real, const D: usize> RedBlack<T, D> {
    /// A solver for problems on `grid` with relaxation ω; 1 is Gauss–Seidel.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an ω outside (0, 2).
    pub fn new(grid: Grid<T, D>, relaxation: T) -> Result<Self, Error> {
        Self::check(relaxation)?;
        let weight = |i: usize| {
            if i.is_multiple_of(2) { relaxation } else { T::zero() }
        };
        Ok(Self {
            b: Field::zeros(grid),
            next: Field::zeros(grid),
            relaxation,
            weights: (0..grid.cells()[0] + 2).map(weight).collect(),
        })
    }

    /// Checks a relaxation.
    pub(super) fn check(relaxation: T) -> Result<(), Error> {
        let expected = "more than 0 and less than 2";
        check::within("relaxation", relaxation, 1e-6, 2.0 - 1e-6, expected)
    }

    /// The relaxation that converges fastest in a box with p = 0 around:
    /// ω = 2/(1 + sin(π/(N + 1))), N the number of cells of the longest axis. Good for other sides
    /// too.
    ///
    /// ```
    /// use fluid_num::poisson::RedBlack;
    /// let relaxation = RedBlack::<f64, 2>::optimal_relaxation([64, 64]);
    /// assert!((relaxation - 1.9078).abs() < 1e-4);
    /// ```
    pub fn optimal_relaxation(cells: [usize; D]) -> T {
        let longest = cells.iter().copied().max().unwrap_or(1);
        let angle = T::pi() / T::of_usize(longest + 1);
        T::of(2.0) / (T::one() + angle.portable_sin_cos().0)
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.b.fill(value);
        self.next.fill(value);
    }

    /// ω.
    pub fn relaxation(&self) -> T {
        self.relaxation
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for RedBlack<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let Self { b, next, weights, .. } = self;
        let solve = Solve::start(problem, rhs, (p, Guess::Used), b, budget)?;
        problem.prepare(next);
        Ok(solve.run(problem, p, b, Looks::Seldom, |p, sweeps| {
            for colour in (0..2 * sweeps).map(|half| half % 2) {
                let stencil = problem.stencil(p.as_slice(), b.as_slice());
                let pass = Colour { stencil, weights, colour };
                exec::rows(&problem.region(), [next.as_mut_slice()], &pass);
                p.swap_values(next);
                problem.wrap(p);
            }
            (sweeps, None)
        }))
    }

    fn name(&self) -> &'static str {
        if self.relaxation == T::one() { "Gauss-Seidel" } else { "SOR" }
    }
}

/// Relaxes the places of one colour and copies those of the other.
struct Colour<'a, T, const D: usize> {
    stencil: Stencil<'a, T, D>,
    weights: &'a [T],
    colour: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Colour<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let parity = (row.at.iter().sum::<usize>() + self.colour) % 2;
        let weight = Weight { each: &self.weights[parity..], all: T::zero() };
        self.stencil.compute::<RELAX>(row, weight, out);
    }
}
