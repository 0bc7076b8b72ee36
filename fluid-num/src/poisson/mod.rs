//! The Poisson problem ∇·(β∇p) − σp = b and its solvers.
//!
//! One [`Problem`], many solvers behind [`PoissonSolver`]: swap them in one word through
//! [`Solver::new`] and a [`SolverKind`].
//!
//! | solver | an iteration | iterations a decade, N² cells | use it when |
//! |---|---|---|---|
//! | [`Jacobi`] | 1 sweep | 0.47 N² | a fixed small budget, exact symmetry, warm starts |
//! | [`RedBlack`] (Gauss–Seidel) | 2 half sweeps | 0.23 N² | the same at half the iterations |
//! | [`RedBlack`] with ω (SOR) | 2 half sweeps | 0.37 N | a tolerance is wanted |
//! | [`ConjugateGradient`] | 1 product, 2 dots | about 1.2 N | a tolerance, solids, variable β |

pub mod conjugate_gradient;
pub(crate) mod diffusion;
pub mod gauss_seidel;
pub mod jacobi;
pub mod problem;
pub(crate) mod regions;
pub mod solver;
pub(crate) mod stencil;

pub use conjugate_gradient::{ConjugateGradient, Preconditioner};
pub use gauss_seidel::RedBlack;
pub use jacobi::Jacobi;
pub use problem::{End, Problem};
pub use solver::{Budget, PoissonSolver, Solver, SolverKind};
