//! The conjugate gradient method, plain or with a diagonal preconditioner.
//!
//! Dot products are summed in `f64` in a fixed order, so the iterates do not depend on the number
//! of threads. In a singular region the residual has no mean, and neither has p.
//!
//! Reference: M. R. Hestenes, E. Stiefel, *Methods of conjugate gradients for solving linear
//! systems*, 1952, <https://doi.org/10.6028/jres.049.044>.

use super::Problem;
use super::solver::{Budget, PoissonSolver, Solve};
use super::stencil::{DIVIDE, PRODUCT, RESIDUAL, Stencil, run};
use crate::base::exec::{self, Region, Row, RowPass, RowReduce};
use crate::grid::{Field, Grid};
use crate::{Error, Real, SolveReport};

/// What the residual is multiplied by before a search direction is made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preconditioner {
    /// Nothing.
    None,
    /// The inverse of the diagonal: worth it where solids and β make the diagonal vary.
    #[default]
    Jacobi,
}

/// The conjugate gradient solver and its scratch memory.
#[derive(Debug, Clone)]
pub struct ConjugateGradient<T, const D: usize> {
    preconditioner: Preconditioner,
    b: Field<T, D>,
    /// r = A·p − b, the residual of the positive operator −A.
    residual: Field<T, D>,
    /// z = M⁻¹ r.
    scaled: Field<T, D>,
    direction: Field<T, D>,
    product: Field<T, D>,
}

impl<T: Real, const D: usize> ConjugateGradient<T, D> {
    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        let Self { b, residual, scaled, direction, product, .. } = self;
        for scratch in [b, residual, scaled, direction, product] {
            scratch.fill(value);
        }
    }

    /// A solver for problems on `grid`.
    pub fn new(grid: Grid<T, D>, preconditioner: Preconditioner) -> Self {
        let field = || Field::zeros(grid);
        Self {
            preconditioner,
            b: field(),
            residual: field(),
            scaled: field(),
            direction: field(),
            product: field(),
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for ConjugateGradient<T, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let Self { preconditioner, b, residual: r, scaled: z, direction: d, product: q } = self;
        let solve = Solve::start(problem, rhs, p, b, budget)?;
        let region = problem.region();
        problem.prepare(d);
        let plain = *preconditioner == Preconditioner::None;
        let precondition = |r: &Field<T, D>, z: &mut Field<T, D>| {
            let stencil = problem.stencil(r.as_slice(), r.as_slice());
            run::<DIVIDE, T, D>(Stencil { h2: T::one(), ..stencil }, z.as_mut_slice());
        };
        let mut search = Search { rz: None, floor: 0.0, start: f64::INFINITY, over: false };
        Ok(solve.run(problem, p, b, |p, iterations| {
            let mut done = 0;
            while done < iterations && !search.over {
                let old = match search.rz {
                    Some(old) => old,
                    None => {
                        problem.wrap(p);
                        let stencil = problem.stencil(p.as_slice(), b.as_slice());
                        run::<RESIDUAL, T, D>(stencil, r.as_mut_slice());
                        problem.remove_means(r);
                        if !plain {
                            precondition(r, z);
                        }
                        let first = if plain { &*r } else { &*z };
                        step_direction(&region, first, T::zero(), d);
                        search.begin(dot(&region, r, first), T::EPSILON.to_f64())
                    }
                };
                problem.wrap(d);
                run::<PRODUCT, T, D>(problem.stencil(d.as_slice(), d.as_slice()), q.as_mut_slice());
                let curvature = dot(&region, d, q);
                if search.over || curvature <= 0.0 || !curvature.is_finite() {
                    search.over = true;
                    break;
                }
                let alpha = T::of(old / curvature);
                let update = Update { d: d.as_slice(), q: q.as_slice(), alpha };
                exec::rows(&region, [p.as_mut_slice(), r.as_mut_slice()], &update);
                // Rounding brings a mean back, which no search direction could take off again.
                problem.remove_means(r);
                if !plain {
                    precondition(r, z);
                }
                let z = if plain { &*r } else { &*z };
                let new = dot(&region, r, z);
                step_direction(&region, z, T::of(new / old), d);
                search.rz = (new > search.floor).then_some(new);
                done += 1;
            }
            problem.wrap(p);
            done
        }))
    }

    fn name(&self) -> &'static str {
        match self.preconditioner {
            Preconditioner::None => "CG",
            Preconditioner::Jacobi => "CG (Jacobi)",
        }
    }
}

/// Where a search stands. The residual that the recurrence carries along drifts away from the true
/// one; once it is at the rounding of what the search began with, the search begins again from the
/// true residual, and is over when that has not become much smaller.
struct Search {
    /// r·z of the recurrence; `None` before the search begins (again).
    rz: Option<f64>,
    /// Below this r·z is rounding.
    floor: f64,
    /// The true r·z at the last beginning.
    start: f64,
    over: bool,
}

impl Search {
    fn begin(&mut self, rz: f64, epsilon: f64) -> f64 {
        self.over = !(rz > 0.0 && rz < 0.25 * self.start);
        self.start = rz;
        self.floor = rz * epsilon * epsilon;
        rz
    }
}

/// Zero for what is about to become subnormal: residuals and directions are far smaller than p.
#[inline(always)]
fn cut<T: Real>(value: T) -> T {
    let tiny = T::NEGLIGIBLE * T::of(1e-6);
    if value.magnitude() < tiny { T::zero() } else { value }
}

/// p += α d and r −= α q.
struct Update<'a, T> {
    d: &'a [T],
    q: &'a [T],
    alpha: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Update<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [p, r]: [&mut [T]; 2]) {
        let (p, r) = (&mut p[..row.len], &mut r[..row.len]);
        let (d, q, alpha) = (row.of(self.d), row.of(self.q), self.alpha);
        for i in 0..row.len {
            p[i] = (p[i] + alpha * d[i]).or_nothing();
            r[i] = cut(r[i] - alpha * q[i]);
        }
    }
}

/// d = z + β d.
fn step_direction<T: Real, const D: usize>(
    region: &Region<D>,
    z: &Field<T, D>,
    beta: T,
    d: &mut Field<T, D>,
) {
    exec::rows(region, [d.as_mut_slice()], &Direction { z: z.as_slice(), beta });
}

struct Direction<'a, T> {
    z: &'a [T],
    beta: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Direction<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [d]: [&mut [T]; 1]) {
        let (d, z, beta) = (&mut d[..row.len], row.of(self.z), self.beta);
        if beta == T::zero() {
            d.copy_from_slice(z);
            return;
        }
        for i in 0..row.len {
            d[i] = cut(z[i] + beta * d[i]);
        }
    }
}

fn dot<T: Real, const D: usize>(region: &Region<D>, a: &Field<T, D>, b: &Field<T, D>) -> f64 {
    exec::reduce(region, &Dot { a: a.as_slice(), b: b.as_slice() }).unwrap_or(0.0)
}

struct Dot<'a, T> {
    a: &'a [T],
    b: &'a [T],
}

impl<T: Real, const D: usize> RowReduce<D> for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn row(&self, row: Row<D>) -> f64 {
        let (a, b) = (row.of(self.a), row.of(self.b));
        let mut parts = [0.0; 8];
        let whole = row.len - row.len % 8;
        for first in (0..whole).step_by(8) {
            for l in 0..8 {
                parts[l] += a[first + l].to_f64() * b[first + l].to_f64();
            }
        }
        for i in whole..row.len {
            parts[i % 8] += a[i].to_f64() * b[i].to_f64();
        }
        parts.into_iter().sum()
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}
