//! The Poisson problem ∇·(β∇p) − σp = b and its solvers.
//!
//! One [`Problem`], many solvers behind [`PoissonSolver`]: swap them in one word through
//! [`Solver::new`] and a [`SolverKind`].
//!
//! | solver | an iteration | iterations a decade, N² cells | use it when |
//! |---|---|---|---|
//! | [`Jacobi`] | 1 sweep | 0.47 N² | a fixed small budget, exact symmetry, warm starts |
//! | [`Filter`] of order n | n sweeps in a few passes | 0.47 N²/n | the same with a larger budget |
//! | [`RedBlack`] (Gauss–Seidel) | 2 half sweeps | 0.23 N² | Jacobi's results at half the iterations |
//! | [`RedBlack`] with ω (SOR) | 2 half sweeps | 0.37 N | a tolerance, in little memory |
//! | [`ConjugateGradient`] | 1 product, 2 dots | about 1.2 N | a tolerance, solids, variable β |
//! | the same with MIC(0) | and 2 substitutions | about 0.2 N | the same, on one thread |
//! | [`Multigrid`] | 1 cycle, about 8 sweeps | 1 | a tolerance, any problem |
//! | [`ConjugateGradient`] with multigrid | 1 cycle and 3 passes | 1 | a small tolerance, solids, β |
//! | [`Spectral`] | 1 direct solve, about 30 sweeps | all in one | β = 1, no solids |
//!
//! [`SolverKind::best_for`] chooses; see [`planner`].

pub mod conjugate_gradient;
pub(crate) mod coupling;
pub(crate) mod diffusion;
pub mod filter;
pub mod gauss_seidel;
pub(crate) mod incomplete_cholesky;
pub mod jacobi;
pub mod look;
mod multigrid;
pub(crate) mod operator;
pub mod planner;
pub mod problem;
pub(crate) mod regions;
pub mod solver;
pub mod spectral;
pub(crate) mod stencil;
pub(crate) mod sweeps;

pub use conjugate_gradient::{ConjugateGradient, Preconditioner};
pub use filter::{Filter, FilterParams};
pub use gauss_seidel::RedBlack;
pub use jacobi::Jacobi;
pub use multigrid::{Cycle, Multigrid, MultigridParams};
pub use problem::{End, Problem};
pub use solver::{Budget, PoissonSolver, Solver, SolverKind};
pub use spectral::{Spectral, SpectralMethod};
