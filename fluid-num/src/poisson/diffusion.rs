//! Implicit diffusion: (1 − κΔt ∇²) q' = q, stable for any κΔt.
//!
//! Solved for the change δ = q' − q, which vanishes at the sides: ∇²δ − δ/(κΔt) = −∇²q. Where κΔt
//! is small against dx² a few Jacobi sweeps reach the tolerance, and their number is known
//! beforehand; otherwise conjugate gradients are used.

use super::{Budget, ConjugateGradient, Jacobi, PoissonSolver, Preconditioner, Problem};
use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Faces, Field, Grid, ops};
use crate::{Error, Real};

/// The scratch memory of implicit diffusion on one grid.
#[derive(Debug, Clone)]
pub(crate) struct Diffusion<T, const D: usize> {
    jacobi: Jacobi<T, D>,
    gradients: ConjugateGradient<T, D>,
    rhs: Field<T, D>,
    change: Field<T, D>,
}

/// The most Jacobi sweeps that are cheaper than conjugate gradients.
const MAX_SWEEPS: f64 = 12.0;

impl<T: Real, const D: usize> Diffusion<T, D> {
    pub(crate) fn new(grid: Grid<T, D>) -> Result<Self, Error> {
        Ok(Self {
            jacobi: Jacobi::new(grid),
            gradients: ConjugateGradient::new(grid, Preconditioner::Jacobi)?,
            rhs: Field::zeros(grid),
            change: Field::zeros(grid),
        })
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.rhs.fill(value);
        self.change.fill(value);
        self.jacobi.poison(value);
        self.gradients.poison(value);
    }

    /// Diffuses `q`, whose ghosts are set, by `amount` = κΔt in m². `problem` says what the change
    /// is at the sides, and `open` the open fraction of faces beside solids.
    pub(crate) fn apply(
        &mut self,
        problem: &mut Problem<T, D>,
        q: &mut Field<T, D>,
        open: Option<&Faces<T, D>>,
        amount: T,
        budget: Budget<T>,
    ) -> Result<(), Error> {
        let number = amount / (q.grid().dx() * q.grid().dx());
        if number < T::EPSILON * T::EPSILON || !(T::one() / amount).is_finite() {
            // Too little to change a bit.
            return Ok(());
        }
        problem.set_shift(T::one() / amount)?;
        let region = problem.region();
        let sweeps = sweeps_for::<T, D>(number, budget.tolerance);
        let sweeps = sweeps.filter(|sweeps| *sweeps <= budget.iterations);
        // The sweeps solve the equation times h².
        let scale = match sweeps {
            Some(_) => T::one(),
            None => T::one() / problem.h2(),
        };
        let rhs = &mut self.rhs;
        match open {
            None => ops::scaled_laplacian(q, &region, -scale, rhs),
            Some(open) => {
                let strides = q.grid().strides();
                let pass = OpenFlux { q: q.as_slice(), open: open.slices(), strides, scale };
                exec::rows(&region, [rhs.as_mut_slice()], &pass);
            }
        }
        match sweeps {
            Some(sweeps) => self.jacobi.sweep_from_zero(problem, rhs, &mut self.change, sweeps),
            None => {
                self.change.fill(T::zero());
                self.gradients.solve(problem, rhs, &mut self.change, budget)?;
            }
        }
        exec::rows(&region, [q.as_mut_slice()], &AddField(self.change.as_slice()));
        Ok(())
    }
}

/// The number of Jacobi sweeps from zero that reach `tolerance` for a diffusion number κΔt/dx²,
/// where that is a small number: the error falls by 2Dα/(1 + 2Dα) a sweep.
fn sweeps_for<T: Real, const D: usize>(number: T, tolerance: T) -> Option<usize> {
    let a = 2.0 * D as f64 * number.to_f64();
    let (rate, goal) = (a / (1.0 + a), tolerance.to_f64().max(T::EPSILON.to_f64()));
    // NaN for an infinite amount.
    if rate.is_nan() || rate >= 1.0 {
        return None;
    }
    let sweeps = libm::ceil(libm::log(goal) / libm::log(rate)).max(1.0);
    (sweeps <= MAX_SWEEPS).then_some(sweeps as usize)
}

struct AddField<'a, T>(&'a [T]);

impl<T: Real, const D: usize> RowPass<T, D, 1> for AddField<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, change) = (&mut out[..row.len], row.of(self.0));
        for i in 0..row.len {
            out[i] += change[i];
        }
    }
}

/// −scale·h²∇·(F∇q), F the open fraction of faces.
struct OpenFlux<'a, T, const D: usize> {
    q: &'a [T],
    open: [&'a [T]; D],
    strides: [usize; D],
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for OpenFlux<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, q, scale) = (&mut out[..row.len], row.of(self.q), self.scale);
        out.fill(T::zero());
        for a in 0..D {
            let stride = self.strides[a];
            let (below, above) = (row.before(self.q, stride), row.after(self.q, stride));
            let (lower, upper) = (row.of(self.open[a]), row.after(self.open[a], stride));
            for i in 0..row.len {
                let flux = lower[i] * (q[i] - below[i]) + upper[i] * (q[i] - above[i]);
                out[i] += flux * scale;
            }
        }
    }
}
