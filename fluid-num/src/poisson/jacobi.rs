//! Jacobi: every place solved for at once, from the old values of its neighbours.
//!
//! Exactly symmetric, free of any order, and one read of p and b and one write a sweep: for a
//! small fixed budget with a warm start it is hard to beat. Spectral radius cos(π/(N + 1)).

use super::Problem;
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve};
use super::stencil::{FIRST, HALF_JACOBI, JACOBI, JACOBI_CUT, run};
use super::sweeps::{MOST, Run, Sweeps};
use crate::base::exec::{self, Banded};
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};

/// The Jacobi solver and its scratch memory.
///
/// ```
/// use fluid_num::poisson::{Budget, End, Jacobi, PoissonSolver, Problem};
/// use fluid_num::{Field, Grid2};
/// let grid = Grid2::new([8, 8], 1.0_f64)?;
/// let problem = Problem::new(grid, [[End::Dirichlet; 2]; 2])?;
/// let rhs = Field::from_fn(grid, |_| 1.0);
/// let mut p = Field::zeros(grid);
/// let report = Jacobi::new(grid).solve(&problem, &rhs, &mut p, Budget::tolerance(1e-8, 1000))?;
/// assert!(report.converged && p[[4, 4]] < 0.0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Jacobi<T, const D: usize> {
    b: Field<T, D>,
    next: Field<T, D>,
}

impl<T: Real, const D: usize> Jacobi<T, D> {
    /// A solver for problems on `grid`.
    pub fn new(grid: Grid<T, D>) -> Self {
        Self { b: Field::zeros(grid), next: Field::zeros(grid) }
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.b.fill(value);
        self.next.fill(value);
    }

    /// Does `count` ≥ 1 sweeps from p = 0 and nothing else; `b` must be compatible and multiplied
    /// by h².
    pub(super) fn sweep_from_zero(
        &mut self,
        problem: &Problem<T, D>,
        b: &Field<T, D>,
        p: &mut Field<T, D>,
        count: usize,
    ) {
        let stencil = problem.stencil(b.as_slice(), b.as_slice());
        run::<FIRST, T, D>(stencil, T::one(), p.as_mut_slice());
        if count > 1 {
            problem.prepare(p);
            problem.prepare(&mut self.next);
            sweeps(problem, b, p, &mut self.next, count - 1);
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Jacobi<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let Self { b, next } = self;
        let solve = Solve::start(problem, rhs, (p, Guess::Used), b, budget)?;
        problem.prepare(next);
        Ok(solve.run(problem, p, b, Looks::Seldom, |p, count| {
            sweeps(problem, b, p, next, count);
            (count, None)
        }))
    }

    fn name(&self) -> &'static str {
        "Jacobi"
    }
}

/// Does `count` sweeps, several in one pass where the problem allows.
fn sweeps<T: Real, const D: usize>(
    problem: &Problem<T, D>,
    b: &Field<T, D>,
    p: &mut Field<T, D>,
    next: &mut Field<T, D>,
    count: usize,
) {
    let mut left = count;
    while left > 0 {
        let stencil = problem.stencil(p.as_slice(), b.as_slice());
        let region = problem.region();
        // The last sweep of a singular problem goes half the way: a chequerboard, which a full
        // sweep turns over for ever, is gone then.
        let damped = usize::from(problem.is_singular());
        left -= if left == damped {
            run::<HALF_JACOBI, T, D>(stencil, T::one(), next.as_mut_slice());
            1
        } else if left >= 2 + damped && problem.is_plain_2d() {
            let count = (left - damped).min(MOST);
            let weights = [T::one(); MOST];
            let several = Sweeps::<T, (), D, JACOBI, JACOBI, JACOBI_CUT> {
                stencil,
                weights,
                count,
                correction: (),
            };
            exec::bands(
                &region,
                [Banded::on(&region, next.as_mut_slice())],
                &Run::<_, false>(several),
            );
            count
        } else {
            run::<JACOBI_CUT, T, D>(stencil, T::one(), next.as_mut_slice());
            1
        };
        p.swap_values(next);
        problem.wrap(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poisson::End;
    use crate::poisson::sweeps::TILE;

    #[test]
    fn many_sweeps_in_one_pass_are_the_bits_of_one_after_the_other() {
        let ends = [[End::Neumann, End::Dirichlet], [End::DirichletNode, End::Neumann]];
        for cells in [[1, 1], [1, 7], [9, 1], [5, 4], [TILE, 3], [TILE + 1, 20], [700, 40]] {
            let grid = Grid::new(cells, 0.5_f32).unwrap();
            let problem = Problem::new(grid, ends).unwrap();
            let mut n = 0.0;
            let b = Field::from_fn(grid, |_| {
                n += 1.0;
                (n * 0.7_f32) % 1.0 - 0.4
            });
            let mut next = Field::zeros(grid);
            let (mut once, mut twice) = (Field::zeros(grid), Field::zeros(grid));
            for _ in 0..11 {
                sweeps(&problem, &b, &mut once, &mut next, 1);
            }
            next.fill(0.0);
            sweeps(&problem, &b, &mut twice, &mut next, 11);
            assert!(once.max_abs() > 0.0);
            assert!(once.values().zip(twice.values()).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}
