//! Geometric multigrid: what is smooth is solved for on coarser grids, where it costs little.
//!
//! ```text
//! cycle(A, b, p):  smooth p;   r = b − A·p;   b_c = Σ_children r;   e_c = A_c⁻¹ b_c by cycles;
//!                  p += e_c between places;   smooth p
//! ```
//!
//! **Smoothing** is weighted Jacobi with the weights of a Chebyshev polynomial over the part of the
//! spectrum that coarser grids cannot see: exactly symmetric, free of any order, and as fast as
//! memory and lanes allow.
//! **Restriction** sums the residual over the 2ᴰ children of a place; **interpolation** is linear and
//! stops at closed faces. **Coarse operators** are conductances in series: the same operator at
//! twice the size in a box, and true to open sides, solids, free surfaces and odd sizes. The
//! **coarsest** level, at most 64 places, is solved by a dense factorisation.
//!
//! Any size, any aspect ratio, any mix of sides, any β and any set of active cells. The hierarchy
//! is rebuilt when the problem changes, without taking memory.
//!
//! Where the coefficients vary, a cycle's correction is scaled so that it lowers the energy norm of
//! the error as far as it can; then no geometry makes cycles diverge.
//!
//! **Cost** of a cycle with 2 + 2 sweeps: in a plain box in the plane two passes over memory, down
//! and up, with all sweeps, transfers and the residual in each; elsewhere about 8 passes over the
//! finest grid, 7 in 3D.
//! References: A. Brandt, *Multi-level adaptive solutions to boundary-value problems*, 1977,
//! <https://doi.org/10.1090/S0025-5718-1977-0431719-X>; A. McAdams, E. Sifakis, J. Teran, *A
//! parallel multigrid Poisson solver for fluids simulation on large grids*, 2010,
//! <https://doi.org/10.2312/SCA/SCA10/065-073>; M. Adams et al., *Parallel multigrid smoothing:
//! polynomial versus Gauss–Seidel*, 2003, <https://doi.org/10.1016/S0021-9991(03)00194-3>.

mod coarsen;
mod coarsest;
mod coupled;
mod level;
mod smoother;
mod transfer;

use alloc::vec::Vec;

use super::Problem;
use super::conjugate_gradient::descend;
use super::look::Look;
use super::operator::Operator;
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve, SolverKind};
use super::stencil::{Coefficients, RESIDUAL, run};
use crate::base::error::check;
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};
use coarsest::{Direct, MOST_PLACES};
use coupled::Coupled;
use level::Level;
use smoother::Start;

/// How a cycle visits the coarser levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cycle {
    /// Once each.
    #[default]
    V,
    /// Twice each, twice as often on every level below: in 2D half as much work again.
    W,
    /// An F cycle, then a V cycle: between the two.
    F,
}

/// The parameters of [`Multigrid`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultigridParams {
    /// How coarser levels are visited; V.
    pub cycle: Cycle,
    /// Sweeps before and after each correction, 1 to 8; 2. More makes fewer, dearer cycles: with 3,
    /// two cycles leave less than a hundredth of any residual in a box in the plane.
    pub sweeps: usize,
}

impl Default for MultigridParams {
    fn default() -> Self {
        Self { cycle: Cycle::V, sweeps: 2 }
    }
}

/// The most sweeps on one side of a correction.
const MOST_SWEEPS: usize = 8;

impl MultigridParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a number of sweeps outside 1 to 8.
    pub fn check(&self) -> Result<(), Error> {
        check::within("sweeps", self.sweeps as f64, 1.0, MOST_SWEEPS as f64, "from 1 to 8")
    }
}

/// The multigrid solver and its hierarchy; an iteration is one cycle.
///
/// ```
/// use fluid_num::poisson::{Budget, End, Multigrid, MultigridParams, PoissonSolver, Problem};
/// use fluid_num::{Field, Grid2};
/// let grid = Grid2::new([96, 65], 1.0_f64)?;
/// let problem = Problem::new(grid, [[End::Neumann; 2]; 2])?;
/// let rhs = Field::from_fn(grid, |[x, y]| if x < y { 1.0 } else { -1.0 });
/// let mut p = Field::zeros(grid);
/// let mut solver = Multigrid::new(grid, MultigridParams::default())?;
/// let report = solver.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-6, 20))?;
/// assert!(report.converged && report.iterations <= 10);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multigrid<T, const D: usize> {
    params: MultigridParams,
    weights: Weights<T>,
    b: Field<T, D>,
    next: Field<T, D>,
    /// A·p − b and the correction made from it, where the coefficients vary.
    residual: Field<T, D>,
    correction: Field<T, D>,
    /// What couples many places of the finest level.
    coupled: Coupled<T>,
    levels: Vec<Level<T, D>>,
    coarsest: Direct<T>,
    /// The fingerprint of the problem that the hierarchy was built for.
    built_for: Option<u64>,
}

impl<T: Real, const D: usize> Multigrid<T, D> {
    /// A solver for problems on `grid`.
    ///
    /// # Errors
    /// As [`MultigridParams::check`].
    pub fn new(grid: Grid<T, D>, params: MultigridParams) -> Result<Self, Error> {
        params.check()?;
        let mut levels = Vec::new();
        let (mut region, mut len) = (grid.interior(), grid.array_len());
        while region.count() > MOST_PLACES {
            let level = Level::new(coarsen::halved(&region), len)?;
            (region, len) = (level.matrix.region, level.p.as_slice().len());
            levels.push(level);
        }
        Ok(Self {
            params,
            weights: Weights::new(params.sweeps),
            b: Field::zeros(grid),
            next: Field::zeros(grid),
            residual: Field::zeros(grid),
            correction: Field::zeros(grid),
            coupled: Coupled::default(),
            levels,
            coarsest: Direct::new(),
            built_for: None,
        })
    }

    /// The parameters.
    pub fn params(&self) -> MultigridParams {
        self.params
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        let Self { b, next, residual, correction, .. } = self;
        [b, next, residual, correction].into_iter().for_each(|f| f.fill(value));
        self.levels.iter_mut().for_each(|l| l.poison(value));
    }

    /// One cycle for A·z = r from z = 0, of a problem that the hierarchy is prepared for.
    pub(super) fn cycle(&mut self, problem: &Problem<T, D>, r: &Field<T, D>, z: &mut Field<T, D>) {
        let Self { next, coupled, levels, weights, coarsest, params, .. } = self;
        let fields = (r, z, next);
        let mut hierarchy = Hierarchy { weights, coarsest };
        let fine = (&Operator::of(problem), coupled);
        hierarchy.cycle(fine, Start::Zero, params.cycle, fields, levels, false);
    }

    /// Rebuilds the hierarchy where the problem is another one, and makes all levels say that p = 0 where
    /// it is not sought.
    pub(super) fn prepare(&mut self, problem: &Problem<T, D>) {
        self.rebuild(problem);
        problem.prepare(&mut self.next);
        for Level { matrix, b, p, next, .. } in &mut self.levels {
            let extent = matrix.extent();
            [b, p, next].into_iter().for_each(|f| extent.clear_around(f.as_mut_slice()));
        }
    }

    fn rebuild(&mut self, problem: &Problem<T, D>) {
        let coupled = problem.coupling().is_some() || !self.coupled.is_empty();
        if self.built_for == Some(problem.fingerprint()) && !coupled {
            return;
        }
        if self.built_for != Some(problem.fingerprint()) {
            let mut fine = Operator::of(problem);
            for level in &mut self.levels {
                level.matrix.rebuild(&fine);
                fine = level.matrix.operator();
            }
        }
        self.couple(problem);
        let (fine, coupled) = match self.levels.last() {
            Some(level) => (level.matrix.operator(), &level.coupled),
            None => (Operator::of(problem), &self.coupled),
        };
        self.coarsest.rebuild(&fine, &coupled.columns);
        self.built_for = Some(problem.fingerprint());
    }

    /// Brings what couples many places to all levels.
    fn couple(&mut self, problem: &Problem<T, D>) {
        let mut fine = Operator::of(problem);
        self.coupled.copy_from(problem.coupling().filter(|_| problem.is_variable()));
        let mut coupled = &mut self.coupled;
        for level in &mut self.levels {
            if let Coefficients::Variable { inverse, .. } = fine.stencil.coefficients {
                coupled.factorise(inverse);
            }
            let Level { matrix, coupled: next, .. } = level;
            let regions = [&fine.region(), &matrix.region];
            let of_children = (matrix.scale, matrix.share());
            next.restrict(coupled, regions, of_children, |place| matrix.inverse[place] > T::zero());
            (fine, coupled) = (matrix.operator(), next);
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Multigrid<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let solve = Solve::start(problem, rhs, (p, Guess::Used), &mut self.b, budget)?;
        self.prepare(problem);
        problem.prepare(&mut self.correction);
        problem.prepare(&mut self.residual);
        let Self {
            b, next, residual, correction, coupled, levels, weights, coarsest, params, ..
        } = self;
        let fine = Operator::of(problem);
        let varies = problem.is_variable();
        let mut start = if solve.starts_at_zero() { Start::Zero } else { Start::Guess };
        Ok(solve.run(problem, p, b, Looks::Always, |p, cycles| {
            let mut hierarchy = Hierarchy { weights, coarsest };
            let mut look = None;
            for number in 1..=cycles {
                if varies {
                    let stencil = problem.stencil(p.as_slice(), b.as_slice());
                    run::<RESIDUAL, T, D>(stencil, T::one(), residual.as_mut_slice());
                    problem.remove_means(residual);
                    let fields = (&*residual, &mut *correction, &mut *next);
                    let fine = (&fine, &mut *coupled);
                    hierarchy.cycle(fine, Start::Zero, params.cycle, fields, levels, false);
                    descend(problem, residual, correction, p);
                } else {
                    let (fields, last) = ((&*b, &mut *p, &mut *next), number == cycles);
                    let fine = (&fine, &mut *coupled);
                    look = hierarchy.cycle(fine, start, params.cycle, fields, levels, last);
                    start = Start::Guess;
                }
            }
            (cycles, look)
        }))
    }

    fn name(&self) -> &'static str {
        SolverKind::<T>::Multigrid(self.params).name()
    }
}

/// What all levels share.
struct Hierarchy<'a, T> {
    weights: &'a Weights<T>,
    coarsest: &'a mut Direct<T>,
}

impl<T: Real> Hierarchy<'_, T> {
    /// One cycle for A·p = b on a level and all coarser ones; tells what p has come to if asked and
    /// if that costs little.
    fn cycle<const D: usize>(
        &mut self,
        (fine, coupled): (&Operator<'_, T, D>, &mut Coupled<T>),
        start: Start,
        cycle: Cycle,
        (b, p, next): (&Field<T, D>, &mut Field<T, D>, &mut Field<T, D>),
        levels: &mut [Level<T, D>],
        asked: bool,
    ) -> Option<Look<T>> {
        let Some((level, coarser)) = levels.split_first_mut() else {
            self.coarsest.solve(b, p);
            fine.wrap(p);
            return None;
        };
        fine.descend(start, &self.weights.before, (b, p, next), (level, coupled));
        let visits: &[Cycle] = match cycle {
            // The coarsest level is solved exactly: once is enough.
            _ if coarser.is_empty() => &[Cycle::V],
            Cycle::V => &[Cycle::V],
            Cycle::W => &[Cycle::W, Cycle::W],
            Cycle::F => &[Cycle::F, Cycle::V],
        };
        let mut start = Start::Zero;
        for kind in visits {
            let Level { matrix, coupled, b, p, next } = level;
            let own = (&matrix.operator(), coupled);
            self.cycle(own, start, *kind, (b, p, next), coarser, false);
            start = Start::Guess;
        }
        fine.ascend((level, coupled), &self.weights.after, (b, p, next), asked)
    }
}

/// The weights of the weighted Jacobi sweeps around a correction, before it and after it: the
/// inverse roots of one Chebyshev polynomial over the part of the spectrum of D⁻¹A that the coarser
/// level does not see, every second one before and the others after.
///
/// Measured, contraction of a V(2, 2) cycle in a 2D and a 3D box: 0.10 and 0.14; with the same
/// roots on both sides 0.13 and 0.17; with equal weights of 0.8 0.15 and 0.25.
#[derive(Debug, Clone)]
struct Weights<T> {
    before: Vec<T>,
    after: Vec<T>,
}

impl<T: Real> Weights<T> {
    fn new(sweeps: usize) -> Self {
        // The lower end is the best of a scan from 0.18 to 0.7.
        let (lo, hi) = (0.28, 2.0);
        let weight = |k: usize| {
            let angle = core::f64::consts::PI * (k as f64 + 0.5) / (2 * sweeps) as f64;
            T::of(2.0 / ((hi + lo) + (hi - lo) * libm::cos(angle)))
        };
        let every_second = |first: usize| (0..sweeps).map(|k| weight(2 * k + first)).collect();
        Self { before: every_second(1), after: every_second(0) }
    }
}
