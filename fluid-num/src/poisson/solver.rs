//! The seam: what every solver takes and gives, and the choice of one by a word.

use super::look::{Look, look};
use super::{
    ConjugateGradient, Filter, FilterParams, Jacobi, Multigrid, MultigridParams, Preconditioner,
    Problem, RedBlack, Spectral, SpectralMethod,
};
use crate::base::error::check;
use crate::grid::field::max_abs;
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};

/// How much a solve may do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget<T> {
    /// The largest number of iterations.
    pub iterations: usize,
    /// Stop once max|b − A·p| ≤ tolerance · max|b|; 0 for no tolerance. A solver also stops where
    /// more iterations would not help.
    pub tolerance: T,
}

impl<T: Real> Budget<T> {
    /// This many iterations, fewer only where more would not help.
    pub fn iterations(iterations: usize) -> Self {
        Self { iterations, tolerance: T::zero() }
    }

    /// Until the relative residual is at most `tolerance`, in at most `iterations` iterations.
    pub fn tolerance(tolerance: T, iterations: usize) -> Self {
        Self { iterations, tolerance }
    }

    /// Checks the budget.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a tolerance that is negative or not finite.
    pub fn check(&self) -> Result<(), Error> {
        check::not_negative("tolerance", self.tolerance)
    }
}

/// A solver of a [`Problem`].
pub trait PoissonSolver<T: Real, const D: usize> {
    /// Improves `p`, the initial guess, within the budget. Where the problem is singular the mean
    /// of `rhs` over each closed region is ignored and reported, and p gets a mean of 0 there.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a right-hand side or guess with NaN or infinities,
    /// [`Error::GridMismatch`] for fields or a solver of another grid, [`Error::InvalidParameter`]
    /// for a budget that [`Budget::check`] refuses; `p` is then untouched. Not converging
    /// is no error: see the report.
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error>;

    /// The method's name.
    fn name(&self) -> &'static str;
}

/// The choice of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SolverKind<T> {
    /// [`Jacobi`].
    Jacobi,
    /// [`RedBlack`] with ω = 1.
    GaussSeidel,
    /// [`RedBlack`] with over-relaxation; `None` takes the optimum for the grid's longest axis,
    /// see [`RedBlack::optimal_relaxation`]. It needs about as many iterations as that axis has
    /// cells: in far fewer the optimum adds energy before it takes it away; choose a smaller ω.
    Sor {
        /// ω in (0, 2).
        relaxation: Option<T>,
    },
    /// [`ConjugateGradient`].
    ConjugateGradient(Preconditioner),
    /// [`Multigrid`].
    Multigrid(MultigridParams),
    /// [`Filter`].
    Filter(FilterParams),
    /// [`Spectral`]: only for problems without variable β and solids.
    Spectral(SpectralMethod),
}

impl<T: Real> SolverKind<T> {
    /// Every kind, with its default settings, for menus.
    pub fn all() -> [Self; 11] {
        let [a, b, c, d, e, f, g, h, i, j] = Self::general();
        [a, b, c, d, e, f, g, h, i, j, Self::Spectral(SpectralMethod::default())]
    }

    /// Every kind that solves any problem, with its default settings.
    pub fn general() -> [Self; 10] {
        [
            Self::Jacobi,
            Self::GaussSeidel,
            Self::Sor { relaxation: None },
            Self::ConjugateGradient(Preconditioner::None),
            Self::ConjugateGradient(Preconditioner::Jacobi),
            Self::ConjugateGradient(Preconditioner::IncompleteCholesky),
            Self::ConjugateGradient(Preconditioner::Spectral),
            Self::ConjugateGradient(Preconditioner::Multigrid(MultigridParams::default())),
            Self::Multigrid(MultigridParams::default()),
            Self::Filter(FilterParams::default()),
        ]
    }

    /// Whether the kind solves `problem`.
    ///
    /// # Errors
    /// [`Error::UnsuitableSolver`], which names one that does.
    pub fn suits<const D: usize>(&self, problem: &Problem<T, D>) -> Result<(), Error> {
        match self {
            Self::Spectral(_) if problem.is_variable() => Err(Error::UnsuitableSolver {
                solver: self.name(),
                reason: "there are solids, or coefficients that vary",
                instead: SolverKind::best_for(problem, Budget::tolerance(T::of(1e-3), 1)).name(),
            }),
            _ => Ok(()),
        }
    }

    /// Checks the settings of the kind.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a relaxation outside (0, 2), or as [`MultigridParams::check`]
    /// and [`FilterParams::check`].
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Sor { relaxation: Some(relaxation) } => RedBlack::<T, 2>::check(*relaxation),
            Self::Multigrid(params)
            | Self::ConjugateGradient(Preconditioner::Multigrid(params)) => params.check(),
            Self::Filter(params) => params.check(),
            _ => Ok(()),
        }
    }

    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Jacobi => "Jacobi",
            Self::GaussSeidel => "Gauss-Seidel",
            Self::Sor { .. } => "SOR",
            Self::ConjugateGradient(preconditioner) => preconditioner.name(),
            Self::Multigrid(_) => "multigrid",
            Self::Filter(_) => "Poisson filter",
            Self::Spectral(SpectralMethod::Tridiagonal) => "spectral",
            Self::Spectral(SpectralMethod::FullTransform) => "spectral (full)",
        }
    }
}

/// Any of the solvers.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one is made once, and kept")]
pub enum Solver<T, const D: usize> {
    /// See [`Jacobi`].
    Jacobi(Jacobi<T, D>),
    /// See [`RedBlack`].
    RedBlack(RedBlack<T, D>),
    /// See [`ConjugateGradient`].
    ConjugateGradient(ConjugateGradient<T, D>),
    /// See [`Multigrid`].
    Multigrid(Multigrid<T, D>),
    /// See [`Filter`].
    Filter(Filter<T, D>),
    /// See [`Spectral`].
    Spectral(Spectral<T, D>),
}

impl<T: Real, const D: usize> Solver<T, D> {
    /// A solver of this kind, with its scratch memory, for problems on `grid`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a relaxation outside (0, 2) or other parameters out of range.
    pub fn new(grid: Grid<T, D>, kind: SolverKind<T>) -> Result<Self, Error> {
        Ok(match kind {
            SolverKind::Jacobi => Self::Jacobi(Jacobi::new(grid)),
            SolverKind::GaussSeidel => Self::RedBlack(RedBlack::new(grid, T::one())?),
            SolverKind::Sor { relaxation } => {
                let optimum = RedBlack::<T, D>::optimal_relaxation(grid.cells());
                Self::RedBlack(RedBlack::new(grid, relaxation.unwrap_or(optimum))?)
            }
            SolverKind::ConjugateGradient(preconditioner) => {
                Self::ConjugateGradient(ConjugateGradient::new(grid, preconditioner)?)
            }
            SolverKind::Multigrid(params) => Self::Multigrid(Multigrid::new(grid, params)?),
            SolverKind::Filter(params) => Self::Filter(Filter::new(grid, params)?),
            SolverKind::Spectral(method) => Self::Spectral(Spectral::new(grid, method)),
        })
    }
}

#[cfg(test)]
impl<T: Real, const D: usize> Solver<T, D> {
    pub(crate) fn poison(&mut self, value: T) {
        match self {
            Self::Jacobi(s) => s.poison(value),
            Self::RedBlack(s) => s.poison(value),
            Self::ConjugateGradient(s) => s.poison(value),
            Self::Multigrid(s) => s.poison(value),
            Self::Filter(s) => s.poison(value),
            Self::Spectral(s) => s.poison(value),
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Solver<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        match self {
            Self::Jacobi(s) => s.solve(problem, rhs, p, budget),
            Self::RedBlack(s) => s.solve(problem, rhs, p, budget),
            Self::ConjugateGradient(s) => s.solve(problem, rhs, p, budget),
            Self::Multigrid(s) => s.solve(problem, rhs, p, budget),
            Self::Filter(s) => s.solve(problem, rhs, p, budget),
            Self::Spectral(s) => s.solve(problem, rhs, p, budget),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Jacobi(s) => s.name(),
            Self::RedBlack(s) => s.name(),
            Self::ConjugateGradient(s) => s.name(),
            Self::Multigrid(s) => s.name(),
            Self::Filter(s) => s.name(),
            Self::Spectral(s) => s.name(),
        }
    }
}

/// How often an iterative solver that has a tolerance looks at its residual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// After every iteration: they are few and dear.
    Always,
    /// After 1, 2, 4, 8, 16, 32, 48, … iterations.
    Seldom,
}

/// What a solver makes of what p holds at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    /// It starts from there.
    Used,
    /// It starts from p = 0, as direct solvers do.
    Ignored,
}

/// What all iterative solvers share: the compatible right-hand side, the guess, the norms, the
/// test for an end.
pub(super) struct Solve<T> {
    scale: T,
    report: SolveReport<T>,
    budget: Budget<T>,
    from_zero: bool,
}

impl<T: Real> Solve<T> {
    /// Starts a solve, `b` becoming the compatible right-hand side.
    pub(super) fn start<const D: usize>(
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        (p, guess): (&mut Field<T, D>, Guess),
        b: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<Self, Error> {
        budget.check()?;
        crate::grid::ops::same_grid(p.grid() == problem.grid(), "p")?;
        crate::grid::ops::same_grid(b.grid() == problem.grid(), "the solver")?;
        let most = max_abs(&problem.region(), p.as_slice());
        if !most.is_finite() {
            p.check_finite("p")?;
        }
        let (incompatibility, scale) = problem.compatible(rhs, b)?;
        problem.prepare(p);
        let report = SolveReport {
            iterations: 0,
            residual_before: T::zero(),
            residual: T::zero(),
            converged: false,
            incompatibility,
        };
        let from_zero = guess == Guess::Ignored || most == T::zero() || scale == T::zero();
        let mut solve = Self { scale, report, budget, from_zero };
        if scale == T::zero() {
            p.fill(T::zero());
            b.fill(T::zero());
        }
        if from_zero {
            // The residual is b, whose norm is the scale.
            solve.note(scale);
        } else {
            // A·p − C Cᵀ p − b is A·p − (b + C Cᵀ p).
            let shift = |sign: T, b: &mut Field<T, D>| {
                problem.coupling().map(|c| c.multiply(p.as_slice(), sign, b.as_mut_slice()));
            };
            shift(T::one(), b);
            solve.note(look(problem.stencil(p.as_slice(), b.as_slice()), None).residual);
            shift(-T::one(), b);
        }
        solve.report.residual_before = solve.report.residual;
        Ok(solve)
    }

    /// Whether the solve starts from p = 0.
    pub(super) fn starts_at_zero(&self) -> bool {
        self.from_zero
    }

    /// Runs `sweep` until the budget is used up or the tolerance reached. `sweep` does the given
    /// number of iterations, or fewer when no more would help, and tells how many, and what p has
    /// come to where it has looked.
    pub(super) fn run<const D: usize>(
        mut self,
        problem: &Problem<T, D>,
        p: &mut Field<T, D>,
        b: &Field<T, D>,
        looks: Looks,
        mut sweep: impl FnMut(&mut Field<T, D>, usize) -> (usize, Option<Look<T>>),
    ) -> SolveReport<T> {
        let mut last = None;
        while !self.report.converged && self.report.iterations < self.budget.iterations {
            let done = self.report.iterations;
            let left = self.budget.iterations - done;
            let count = match looks {
                // Without a tolerance at the end only.
                _ if self.budget.tolerance <= T::zero() => left,
                Looks::Always => 1,
                Looks::Seldom => done.clamp(1, 16).min(left),
            };
            let (done, seen) = sweep(p, count);
            self.report.iterations += done;
            let seen =
                seen.unwrap_or_else(|| look(problem.stencil(p.as_slice(), b.as_slice()), None));
            self.note(seen.residual);
            last = Some(seen);
            if done < count {
                break;
            }
        }
        problem.pin(p, last);
        self.report
    }

    fn note(&mut self, residual: T) {
        let relative = if self.scale > T::zero() { residual / self.scale } else { residual };
        self.report.residual = relative;
        self.report.converged = relative <= self.budget.tolerance;
    }
}
