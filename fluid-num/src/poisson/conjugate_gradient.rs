//! The conjugate gradient method, plain or preconditioned.
//!
//! Dot products are summed in `f64` in a fixed order, so the iterates do not depend on the number
//! of threads. In a singular region the residual has no mean, and neither has p.
//!
//! A multigrid cycle as preconditioner is not quite symmetric; the flexible form of β, which costs
//! one more dot product, takes that.
//!
//! References: M. R. Hestenes, E. Stiefel, *Methods of conjugate gradients for solving linear
//! systems*, 1952, <https://doi.org/10.6028/jres.049.044>; Y. Notay, *Flexible conjugate
//! gradients*, 2000, <https://doi.org/10.1137/S1064827599362314>.

use alloc::boxed::Box;
use core::ops::Range;

use super::coupling::Coupling;
use super::incomplete_cholesky::IncompleteCholesky;
use super::look::Look;
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve};
use super::stencil::{DIVIDE, PRODUCT, RESIDUAL, Stencil, Weight, run};
use super::{Multigrid, MultigridParams, Problem, Spectral, SpectralMethod};
use crate::base::exec::{self, BandPass, Banded, Extent, Row, RowPass};
use crate::base::reduction::{GRAIN, Total};
use crate::grid::field::max_abs;
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
    /// Modified incomplete Cholesky, MIC(0): a third to a sixth of the iterations, on one thread.
    IncompleteCholesky,
    /// One cycle of [`Multigrid`]: a decade in about one iteration, whatever the size.
    Multigrid(MultigridParams),
    /// A direct solve by [`Spectral`] of the same box without its solids: few iterations where few
    /// places are solid.
    Spectral,
}

/// The conjugate gradient solver and its scratch memory.
#[derive(Debug, Clone)]
pub struct ConjugateGradient<T, const D: usize> {
    preconditioner: Preconditioner,
    factor: Factor<T, D>,
    b: Field<T, D>,
    /// r = A·p − b, the residual of the positive operator −A.
    residual: Field<T, D>,
    /// z = M⁻¹ r.
    scaled: Field<T, D>,
    direction: Field<T, D>,
    product: Field<T, D>,
}

/// What a preconditioner keeps.
#[derive(Debug, Clone)]
enum Factor<T, const D: usize> {
    Nothing,
    Diagonal,
    Cholesky(Box<IncompleteCholesky<T, D>>),
    Multigrid(Box<Multigrid<T, D>>),
    Spectral(Box<Spectral<T, D>>),
}

impl<T: Real, const D: usize> ConjugateGradient<T, D> {
    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        let Self { b, residual, scaled, direction, product, factor, .. } = self;
        for scratch in [b, residual, scaled, direction, product] {
            scratch.fill(value);
        }
        match factor {
            Factor::Multigrid(multigrid) => multigrid.poison(value),
            Factor::Spectral(spectral) => spectral.poison(value),
            Factor::Nothing | Factor::Diagonal | Factor::Cholesky(_) => {}
        }
    }

    /// A solver for problems on `grid`.
    ///
    /// # Errors
    /// As [`MultigridParams::check`].
    pub fn new(grid: Grid<T, D>, preconditioner: Preconditioner) -> Result<Self, Error> {
        let field = || Field::zeros(grid);
        let factor = match preconditioner {
            Preconditioner::None => Factor::Nothing,
            Preconditioner::Jacobi => Factor::Diagonal,
            Preconditioner::IncompleteCholesky => {
                Factor::Cholesky(Box::new(IncompleteCholesky::new(grid)))
            }
            Preconditioner::Multigrid(params) => {
                Factor::Multigrid(Box::new(Multigrid::new(grid, params)?))
            }
            Preconditioner::Spectral => {
                Factor::Spectral(Box::new(Spectral::new(grid, SpectralMethod::default())))
            }
        };
        Ok(Self {
            preconditioner,
            factor,
            b: field(),
            residual: field(),
            scaled: field(),
            direction: field(),
            product: field(),
        })
    }
}

impl<T: Real, const D: usize> Factor<T, D> {
    fn prepare(&mut self, problem: &Problem<T, D>) {
        match self {
            Self::Nothing | Self::Diagonal | Self::Spectral(_) => {}
            Self::Cholesky(factor) => factor.prepare(problem),
            Self::Multigrid(multigrid) => multigrid.prepare(problem),
        }
    }

    /// z = ±M⁻¹ r; gives the sign.
    fn apply(&mut self, problem: &Problem<T, D>, r: &Field<T, D>, z: &mut Field<T, D>) -> T {
        match self {
            Self::Nothing => {}
            Self::Diagonal => {
                let stencil = problem.stencil(r.as_slice(), r.as_slice());
                run::<DIVIDE, T, D>(stencil, T::one(), z.as_mut_slice());
            }
            Self::Cholesky(factor) => factor.apply(problem, r, z),
            Self::Multigrid(multigrid) => {
                // Solves with A, where M stands for −A.
                multigrid.cycle(problem, r, z);
                return -T::one();
            }
            Self::Spectral(spectral) => {
                spectral.precondition(problem, r, z);
                problem.prepare(z);
                return -T::one();
            }
        }
        T::one()
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
        let Self { factor, b, residual: r, scaled: z, direction: d, product: q, .. } = self;
        let solve = Solve::start(problem, rhs, (p, Guess::Used), b, budget)?;
        let region = problem.extent();
        [&mut *d, &mut *z, &mut *r, &mut *q].into_iter().for_each(|f| problem.prepare(f));
        factor.prepare(problem);
        let coupling = problem.coupling();
        let plain = matches!(factor, Factor::Nothing);
        let flexible = matches!(factor, Factor::Multigrid(_));
        let mut search = Search { rz: None, floor: 0.0, start: f64::INFINITY, over: false };
        let looks = if flexible { Looks::Always } else { Looks::Seldom };
        Ok(solve.run(problem, p, b, looks, |p, iterations| {
            let mut done = 0;
            while done < iterations && !search.over {
                let old = match search.rz {
                    Some(old) => old,
                    None => {
                        problem.wrap(p);
                        let stencil = problem.stencil(p.as_slice(), b.as_slice());
                        run::<RESIDUAL, T, D>(stencil, T::one(), r.as_mut_slice());
                        if let Some(coupling) = coupling {
                            coupling.multiply(p.as_slice(), -T::one(), r.as_mut_slice());
                        }
                        problem.remove_means(r);
                        let sign = factor.apply(problem, r, z);
                        let first = if plain { &*r } else { &*z };
                        step_direction(&region, first, sign, T::zero(), d);
                        let rz = sign.to_f64() * dot(&region, r, first);
                        search.begin(rz, T::EPSILON.to_f64())
                    }
                };
                problem.wrap(d);
                let stencil = problem.stencil(d.as_slice(), d.as_slice());
                let mut curvature = multiply(stencil, q);
                if let Some(coupling) = coupling {
                    curvature += coupling.multiply(d.as_slice(), T::one(), q.as_mut_slice());
                }
                if search.over || curvature <= 0.0 || !curvature.is_finite() {
                    search.over = true;
                    break;
                }
                let alpha = T::of(old / curvature);
                let update = Update { d: d.as_slice(), q: q.as_slice(), alpha };
                exec::rows_within(region, [p.as_mut_slice(), r.as_mut_slice()], &update);
                // Rounding brings a mean back, which no search direction could take off again.
                problem.remove_means(r);
                let sign = factor.apply(problem, r, z);
                let z = if plain { &*r } else { &*z };
                let new = sign.to_f64() * dot(&region, r, z);
                let mut beta = new / old;
                if flexible {
                    // The old residual is r + α·q. Rounding must not make more of it than this.
                    let gained = -alpha.to_f64() * sign.to_f64() * dot(&region, z, q);
                    beta = (gained / old).at_least(0.0).at_most(beta);
                }
                step_direction(&region, z, sign, T::of(beta), d);
                search.rz = (new > search.floor).then_some(new);
                done += 1;
            }
            problem.wrap(p);
            // The stencil alone does not tell the residual of what is coupled.
            let residual = |_: &Coupling<T>| max_abs(&region.region, r.as_slice());
            let look = coupling.map(residual).map(|residual| Look { residual, sum: None });
            (done, look)
        }))
    }

    fn name(&self) -> &'static str {
        self.preconditioner.name()
    }
}

impl Preconditioner {
    /// The name of the method with this preconditioner.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "CG",
            Self::Jacobi => "CG (Jacobi)",
            Self::IncompleteCholesky => "CG (MIC)",
            Self::Multigrid(_) => "CG (multigrid)",
            Self::Spectral => "CG (spectral)",
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

/// d = sign·z + β d.
fn step_direction<T: Real, const D: usize>(
    region: &Extent<'_, D>,
    z: &Field<T, D>,
    sign: T,
    beta: T,
    d: &mut Field<T, D>,
) {
    exec::rows_within(*region, [d.as_mut_slice()], &Direction { z: z.as_slice(), sign, beta });
}

struct Direction<'a, T> {
    z: &'a [T],
    sign: T,
    beta: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Direction<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [d]: [&mut [T]; 1]) {
        let (d, z) = (&mut d[..row.len], row.of(self.z));
        let (sign, beta) = (self.sign, self.beta);
        // What d held before means nothing to the first direction.
        if beta == T::zero() {
            for i in 0..row.len {
                d[i] = cut(sign * z[i]);
            }
        } else {
            for i in 0..row.len {
                d[i] = cut(sign * z[i] + beta * d[i]);
            }
        }
    }
}

/// Adds to p the multiple of `e` that takes the most energy off the error: then no correction makes
/// things worse. `r` is A·p − b, and holds something else afterwards.
///
/// ```text
/// p += (e·r)/(e·(−A)e) e
/// ```
pub(super) fn descend<T: Real, const D: usize>(
    problem: &Problem<T, D>,
    r: &mut Field<T, D>,
    e: &Field<T, D>,
    p: &mut Field<T, D>,
) {
    let region = problem.extent();
    let gain = dot(&region, e, r);
    let curvature = multiply(problem.stencil(e.as_slice(), e.as_slice()), r);
    let length = gain / curvature;
    if curvature > 0.0 && length.is_finite() {
        let pass = AddScaled { e: e.as_slice(), length: T::of(length) };
        exec::rows_within(region, [p.as_mut_slice()], &pass);
        problem.wrap(p);
    }
}

/// p += length·e.
struct AddScaled<'a, T> {
    e: &'a [T],
    length: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for AddScaled<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [p]: [&mut [T]; 1]) {
        let (p, e, length) = (&mut p[..row.len], row.of(self.e), self.length);
        for i in 0..row.len {
            p[i] = (p[i] + length * e[i]).or_nothing();
        }
    }
}

/// q = −A·d; gives d·q.
fn multiply<T: Real, const D: usize>(d: Stencil<'_, T, D>, q: &mut Field<T, D>) -> f64 {
    let region = d.region;
    exec::bands(&region, [Banded::on(&region, q.as_mut_slice())], &Product(d)).unwrap_or(0.0)
}

struct Product<'a, T, const D: usize>(Stencil<'a, T, D>);

impl<T: Real, const D: usize> BandPass<T, 1> for Product<'_, T, D> {
    type Output = f64;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> f64 {
        let stencil = &self.0;
        let base = stencil.region.row(rows.start).start;
        let (extent, mut sum) = (stencil.extent(), Total::new());
        for n in rows {
            let row = extent.row(n);
            let q = &mut out[row.start - base..][..row.len];
            stencil.compute::<PRODUCT>(row, Weight::all(T::one()), q);
            sum.take_products(row.of(stencil.p), q);
        }
        sum.value()
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}

/// Σ a·b.
pub(super) fn dot<T: Real, const D: usize>(
    extent: &Extent<'_, D>,
    a: &Field<T, D>,
    b: &Field<T, D>,
) -> f64 {
    let pass = Dot { a: a.as_slice(), b: b.as_slice(), extent: *extent };
    exec::reduce(&extent.region, &pass).unwrap_or(0.0)
}

struct Dot<'a, T, const D: usize> {
    a: &'a [T],
    b: &'a [T],
    extent: Extent<'a, D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Dot<'_, T, D> {
    type Output = f64;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> f64 {
        let mut sum = Total::new();
        for n in rows {
            let row = self.extent.row(n);
            sum.take_products(row.of(self.a), row.of(self.b));
        }
        sum.value()
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}
