//! Poisson filters: n Jacobi sweeps at once, as a few pairs of 1D convolutions.
//!
//! With L the mean over the 2D neighbours (ghosts beyond the ends included), r = (b' − (I − L)p)
//! and b' = −h²b/2D, n Jacobi sweeps p ← Lp + b' are
//!
//! ```text
//! pₙ = Lⁿ p + A b' = p + A (b' − (I − L) p) = p + A r,      A = Σ_{k<n} Lᵏ
//! ```
//!
//! because A (I − L) = I − Lⁿ: filtering the *residual* needs one kernel, holds the warm start's
//! Lⁿp exactly, and has the exact solution as its fixpoint however roughly A is known. Here r is the
//! problem's own residual over 2D.
//!
//! A is a convolution, even along every axis and symmetric in the axes, and close to a sum of few
//! products of 1D kernels
//!
//! ```text
//! A ≈ Σ_{r≤R} λ_r v_r ⊗ v_r (⊗ v_r)
//! ```
//!
//! In the plane λ and v are the eigenvalues of largest magnitude and their vectors, the best choice
//! there is: the error in Frobenius' norm is √Σλ² over those left out. In space they are cubes, found
//! one after the other by the higher-order power method and fitted anew, all together, by least
//! squares after each. For n = 32 the relative errors are
//!
//! | R | 1 | 2 | 3 | 4 | 8 |
//! |---|---|---|---|---|---|
//! | plane | 15.5 % | 2.3 % | 0.7 % | 0.17 % | 9.4e-7 |
//! | space | 28 % | 3.9 % | 0.6 % | 0.36 % | 2.8e-5 |
//!
//! **Ends.** n Jacobi sweeps with ghosts see the data continued beyond the ends: evenly at a wall,
//! oddly about the side or the node where p = 0, periodically. A product of 1D kernels does so one
//! axis at a time, so each pass continues its row or column that way, as often as the kernel
//! reaches beyond: the filter *is* the sweeps up to the last cell. (A clamp of the finished kernel's
//! index at the border, as is often seen, is 3–11 % off near walls.) A grid may be smaller than the
//! kernel.
//!
//! **Chequerboards.** n sweeps do not take off a chequerboard where all ends are open or periodic,
//! and a kernel of few terms lets one grow in any box (0.26 % an application for n = 32, R = 4). So
//! before a guess that is not 0 is filtered, it goes half the way of one Jacobi sweep, which ends
//! the chequerboard. From p = 0 an application is n sweeps and nothing else.
//!
//! **Solids, β and σ.** There A is not the operator's own and serves as an approximate inverse, a
//! heuristic: the correction is dropped where p is not sought, and scaled to the length that takes
//! the most energy off the error (steepest descent), so that the error never grows, for any β, σ
//! and mask. Its speed depends on them: as in the open with solids; slow where β varies by orders
//! of magnitude (take conjugate gradients) or σh² is far from both 0 and 1 (take Jacobi).
//!
//! **Never worse.** Without solids, β and σ an application that would raise the sum of the squares
//! of the residual is not done, and ends the solve; with them the error falls in the energy norm,
//! while the residual may rise for some applications. The largest residual, which is what the
//! report gives, may rise in the first application of a kernel of one or two terms.
//!
//! **Cost** of an application per cell, K < n the reach of the taps that matter (19 for the default
//! in `f32`, 28 in `f64`): 5½ R K additions and multiplications in the plane, in one pass over
//! memory; 9 R K in space, in R passes. The limit is arithmetic, not memory. What it gains is what
//! n sweeps gain, no more: the lowest frequencies of N cells want N²/n applications.
//!
//! References: S. Rabbani, J.-P. Guertin, D. Rioux-Lavoie, A. Schoentgen, K. Tong,
//! A. Sirois-Vigneux, A. Derouet-Jourdan, *Compact Poisson Filters for Fast Fluid Simulation*,
//! SIGGRAPH 2022, <https://doi.org/10.1145/3528233.3530737>; the same, *Fast Eulerian Fluid
//! Simulation in Games Using Poisson Filters*, SCA 2020 (showcase).

mod kernel;
mod passes;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;
use core::array::from_fn;

use self::passes::{Depth, MAX_RADIUS, Place, Plane, Taps, continue_axis};
use super::Problem;
use super::conjugate_gradient::{descend, dot};
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve, SolverKind};
use super::stencil::{Coefficients, HALF_JACOBI, RESIDUAL, run};
use crate::base::error::check;
use crate::base::exec::{self, Banded};
use crate::grid::field::max_abs;
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};

/// The most terms of a kernel in space.
const MAX_RANK_3D: usize = 16;

/// How many sweeps a filter stands for, and how closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterParams {
    /// n, the number of Jacobi sweeps an application stands for, 1…128, default 32. More reach
    /// further (as √n) and cost more (as √n too).
    pub order: usize,
    /// R, the number of terms, 1…128 in the plane, 1…16 in space, default 4; in the plane `order`
    /// terms are exact and more add nothing. More are closer to n sweeps, at a cost in proportion.
    pub rank: usize,
}

impl Default for FilterParams {
    fn default() -> Self {
        Self { order: 32, rank: 4 }
    }
}

impl FilterParams {
    /// Checks both ranges.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an order or rank outside 1…128.
    pub fn check(&self) -> Result<(), Error> {
        let most = MAX_RADIUS as f64 + 1.0;
        let expected = "from 1 to 128";
        check::within("order", self.order as f64, 1.0, most, expected)?;
        check::within("rank", self.rank as f64, 1.0, most, expected)
    }
}

/// The Poisson filter, its kernel and its scratch memory.
///
/// ```
/// use fluid_num::poisson::{Budget, End, Filter, FilterParams, PoissonSolver, Problem};
/// use fluid_num::{Field, Grid2};
/// let grid = Grid2::new([64, 48], 1.0_f32)?;
/// let problem = Problem::new(grid, [[End::Dirichlet; 2]; 2])?;
/// let rhs = Field::from_fn(grid, |[x, _]| x - 32.0);
/// let mut p = Field::zeros(grid);
/// let mut filter = Filter::new(grid, FilterParams::default())?;
/// let report = filter.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-2, 200))?;
/// assert!(report.converged);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Filter<T, const D: usize> {
    params: FilterParams,
    kernel_error: f64,
    taps: Taps<T>,
    /// How each axis continues beyond its ends.
    places: [Vec<Place<T>>; D],
    b: Field<T, D>,
    residual: Field<T, D>,
    correction: Field<T, D>,
    next: Field<T, D>,
    /// One term's combination along z; empty in the plane.
    depth: Vec<T>,
}

impl<T: Real, const D: usize> Filter<T, D> {
    /// A filter for problems on `grid`. Decomposing the kernel takes less than a millisecond for the
    /// default order in the plane and about 10 ms for the largest; in space about 30 ms for the
    /// default, and a second for 16 terms or the largest order.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for what [`FilterParams::check`] refuses, and for a rank above
    /// 16 in space.
    pub fn new(grid: Grid<T, D>, params: FilterParams) -> Result<Self, Error> {
        params.check()?;
        if D == 3 {
            let most = MAX_RANK_3D as f64;
            check::within("rank", params.rank as f64, 1.0, most, "from 1 to 16 in space")?;
        }
        let terms = kernel::decompose::<D>(params.order, params.rank);
        let taps = Taps::new(&terms, 1.0 / (2 * D) as f64, if D == 2 { 2 } else { 1 });
        let places = from_fn(|axis| Vec::with_capacity(grid.cells()[axis] + 2 * taps.radius));
        let field = || Field::zeros(grid);
        let depth = vec![T::zero(); if D == 2 { 0 } else { grid.array_len() }];
        Ok(Self {
            params,
            kernel_error: terms.error,
            taps,
            places,
            b: field(),
            residual: field(),
            correction: field(),
            next: field(),
            depth,
        })
    }

    /// The order and rank.
    pub fn params(&self) -> FilterParams {
        self.params
    }

    /// ‖A − Σ λ v ⊗ v‖ / ‖A‖ in Frobenius' norm: how far the kernel is from that of n sweeps.
    pub fn kernel_error(&self) -> f64 {
        self.kernel_error
    }

    /// The additions and multiplications of an application, for each cell.
    pub fn operations_per_cell(&self) -> usize {
        let pairs = self.taps.radius;
        let of = |terms: usize| match D {
            2 => pairs + terms * (3 + 5 * pairs),
            _ => terms * (4 + 9 * pairs),
        };
        self.taps.groups.iter().map(|group| of(group.terms)).sum()
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        let Self { b, residual, correction, next, depth, .. } = self;
        for scratch in [b, residual, correction, next] {
            scratch.fill(value);
        }
        depth.fill(value);
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Filter<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let Self { taps, places, b, residual, correction, next, depth, .. } = self;
        let solve = Solve::start(problem, rhs, (p, Guess::Used), b, budget)?;
        problem.prepare(next);
        for axis in 0..D {
            let (ends, region) = (problem.ends()[axis], problem.region());
            continue_axis(&mut places[axis], &region, axis, ends, taps.radius);
        }
        let filter = Application { problem, taps, places };
        let mut cold = max_abs(&problem.region(), p.as_slice()) == T::zero();
        let mut square = None;
        Ok(solve.run(problem, p, b, Looks::Always, |p, count| {
            for done in 0..count {
                if cold {
                    // Always an improvement, and exactly n sweeps.
                    filter.correct(b, p, [&mut *residual, &mut *correction], depth);
                    cold = false;
                    continue;
                }
                filter.half_sweep(p, b, next);
                filter.correct(b, next, [&mut *residual, &mut *correction], depth);
                if filter.is_exact() {
                    let before = square.unwrap_or_else(|| filter.square(p, b, residual));
                    let after = filter.square(next, b, residual);
                    if after > before {
                        return (done, None);
                    }
                    square = Some(after);
                }
                p.swap_values(next);
            }
            (count, None)
        }))
    }

    fn name(&self) -> &'static str {
        SolverKind::<T>::Filter(self.params).name()
    }
}

/// What applications to one problem share.
struct Application<'a, T, const D: usize> {
    problem: &'a Problem<T, D>,
    taps: &'a Taps<T>,
    places: &'a [Vec<Place<T>>; D],
}

impl<T: Real, const D: usize> Application<'_, T, D> {
    /// Whether A is that of the problem's own operator.
    fn is_exact(&self) -> bool {
        !self.problem.is_variable() && self.problem.shift() == T::zero()
    }

    /// The sum of the squares of the residual.
    fn square(&self, p: &Field<T, D>, b: &Field<T, D>, residual: &mut Field<T, D>) -> f64 {
        let stencil = self.problem.stencil(p.as_slice(), b.as_slice());
        run::<RESIDUAL, T, D>(stencil, T::one(), residual.as_mut_slice());
        dot(&self.problem.extent(), residual, residual)
    }

    /// next = the mean of p and a Jacobi sweep of it.
    fn half_sweep(&self, p: &Field<T, D>, b: &Field<T, D>, next: &mut Field<T, D>) {
        let stencil = self.problem.stencil(p.as_slice(), b.as_slice());
        run::<HALF_JACOBI, T, D>(stencil, T::one(), next.as_mut_slice());
        self.problem.wrap(next);
    }

    /// p += α·A r, α = 1 where A belongs to the operator, else the length that takes the most
    /// energy.
    fn correct(
        &self,
        b: &Field<T, D>,
        p: &mut Field<T, D>,
        [residual, correction]: [&mut Field<T, D>; 2],
        depth: &mut [T],
    ) {
        let problem = self.problem;
        let stencil = problem.stencil(p.as_slice(), b.as_slice());
        run::<RESIDUAL, T, D>(stencil, T::one(), residual.as_mut_slice());
        if self.is_exact() {
            self.convolve(residual.as_slice(), p.as_mut_slice(), depth);
        } else {
            correction.fill(T::zero());
            self.convolve(residual.as_slice(), correction.as_mut_slice(), depth);
            problem.wrap(correction);
            descend(problem, residual, correction, p);
        }
        problem.wrap(p);
    }

    /// out += A/2D ⊗ r where p is sought.
    fn convolve(&self, r: &[T], out: &mut [T], depth: &mut [T]) {
        let region = self.problem.region();
        let mask = match self.problem.stencil(r, r).coefficients {
            Coefficients::Variable { inverse, .. } => Some(inverse),
            Coefficients::Uniform => None,
        };
        let radius = self.taps.radius;
        let places = [&self.places[0][..], &self.places[1][..]];
        if D == 2 {
            let groups = &self.taps.groups;
            let pass = Plane { source: r, region, groups, places, radius, mask };
            exec::bands(&region, [Banded::on(&region, out)], &pass);
            return;
        }
        for groups in self.taps.groups.chunks(1) {
            let pass = Depth { source: r, region, groups, places: &self.places[D - 1], radius };
            exec::rows(&region, [&mut *depth], &pass);
            let pass = Plane { source: &*depth, region, groups, places, radius, mask };
            exec::bands(&region, [Banded::on(&region, &mut *out)], &pass);
        }
    }
}
