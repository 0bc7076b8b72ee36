//! Direct solves by sine, cosine and Fourier transforms, for problems without variable β.
//!
//! ```text
//! p̂ = F p,   F(∇²)F⁻¹ = diag(λ)   along every axis but x
//! ```
//!
//! Along each axis but x the right-hand side is transformed to the eigenvectors of the second
//! difference, whatever the ends of the axis are; for every mode there remains a tridiagonal
//! system along x, solved by elimination; then all is transformed back. Where x is periodic, or by
//! choice, x is transformed too and every coefficient divided by its eigenvalue.
//!
//! The result is exact up to rounding, in one iteration. What rounding leaves, one more iteration
//! (the same solve for the residual) makes smaller, where the budget's tolerance asks for it.
//!
//! **Cost.** N log N; fastest where the axes other than x have lengths of factors 2, 3, 5 and 7,
//! even between walls or open sides, odd between nodes; see [`crate::transform`].
//!
//! **Not solved**: problems with variable β, solids or free surfaces.
//!
//! References: R. W. Hockney, *A fast direct solution of Poisson's equation using Fourier
//! analysis*, 1965, <https://doi.org/10.1145/321250.321259>; P. N. Swarztrauber, *The methods of
//! cyclic reduction, Fourier analysis and the FACR algorithm for the discrete solution of
//! Poisson's equation on a rectangle*, 1977, <https://doi.org/10.1137/1019071>.

mod axis;
mod lines;
mod passes;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;

use self::axis::Axis;
use self::lines::{Lines, Systems, Whole};
use self::passes::{Across, Backward, Columns, Forward, Gather, Rows, Stage, Turned, Work};
use super::solver::{Budget, Guess, Looks, PoissonSolver, Solve, SolverKind};
use super::stencil::{RESIDUAL, run};
use super::{End, Problem};
use crate::base::exec;
use crate::grid::{Field, Grid};
use crate::transform::lanes::{LANES, Lanes};
use crate::{Error, Real, SolveReport};

/// What is done along x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpectralMethod {
    /// Tridiagonal systems (unless x is periodic).
    #[default]
    Tridiagonal,
    /// A transform as along the other axes.
    FullTransform,
}

/// The most iterations that make a residual smaller.
const MOST_ITERATIONS: usize = 3;

/// The direct solver, its tables and its scratch memory.
///
/// The tables are made for the ends of the first problem that is solved, and anew when the ends of
/// a later one are others; only then memory is taken.
///
/// ```
/// use fluid_num::poisson::{Budget, End, PoissonSolver, Problem, Spectral, SpectralMethod};
/// use fluid_num::{Field, Grid2};
/// let grid = Grid2::new([60, 41], 1.0_f64)?;
/// let ends = [[End::Neumann; 2], [End::Neumann, End::Dirichlet]];
/// let problem = Problem::new(grid, ends)?;
/// let rhs = Field::from_fn(grid, |[x, y]| (x - y * y) / 100.0);
/// let mut p = Field::zeros(grid);
/// let mut solver = Spectral::new(grid, SpectralMethod::Tridiagonal);
/// let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(1))?;
/// assert!(report.residual < 1e-12);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Spectral<T, const D: usize> {
    method: SpectralMethod,
    b: Field<T, D>,
    residual: Field<T, D>,
    tables: Option<Tables<T, D>>,
}

/// What depends on the ends and the region of a problem.
#[derive(Debug, Clone)]
struct Tables<T, const D: usize> {
    ends: [[End; 2]; D],
    cells: [usize; D],
    /// Unused along x where systems are solved there.
    axes: [Option<Axis<T>>; D],
    blocks: [Vec<Lanes<T>>; 2],
    scratch: Vec<Lanes<T>>,
    /// The part of `scratch` that one thread needs.
    need: usize,
}

/// What a solve gives.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// p, from h²b.
    Whole,
    /// What is to be added to p, from h²(A·p − b).
    Correction,
}

impl<T: Real, const D: usize> Spectral<T, D> {
    /// A solver for problems on `grid`.
    pub fn new(grid: Grid<T, D>, method: SpectralMethod) -> Self {
        Self { method, b: Field::zeros(grid), residual: Field::zeros(grid), tables: None }
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.b.fill(value);
        self.residual.fill(value);
        if let Some(tables) = &mut self.tables {
            for scratch in tables.blocks.iter_mut().chain([&mut tables.scratch]) {
                scratch.fill(Lanes::splat(value));
            }
        }
    }

    /// Solves h²(∇²p − σp) = b with the ends and σ of `problem` but β = 1 on all cells, whatever they
    /// are there: a preconditioner. Where that is singular, a σ of the size of the least eigenvalue
    /// stands in. Ghosts of p are left alone.
    pub(super) fn precondition(
        &mut self,
        problem: &Problem<T, D>,
        b: &Field<T, D>,
        p: &mut Field<T, D>,
    ) {
        let tables = Tables::for_problem(&mut self.tables, problem, self.method);
        let longest = tables.cells.into_iter().max().map_or(T::one(), T::of_usize);
        let least = T::of(4.0) / (longest * longest);
        let singular = tables.closed() && problem.shift() == T::zero();
        let (f, p) = (b.as_slice(), p.as_mut_slice());
        tables.solve(problem, f, p, Part::Whole, if singular { least } else { T::zero() });
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Spectral<T, D> {
    /// As any solver; [`Error::UnsuitableSolver`] for a problem with variable β.
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        SolverKind::Spectral(self.method).suits(problem)?;
        let Self { method, b, residual, tables } = self;
        let solve = Solve::start(problem, rhs, (p, Guess::Ignored), b, budget)?;
        let tables = Tables::for_problem(tables, problem, *method);
        let mut done = 0;
        Ok(solve.run(problem, p, b, Looks::Always, |p, _| {
            if done == MOST_ITERATIONS {
                return (0, None);
            }
            if done == 0 {
                tables.solve(problem, b.as_slice(), p.as_mut_slice(), Part::Whole, T::zero());
            } else {
                let stencil = problem.stencil(p.as_slice(), b.as_slice());
                run::<RESIDUAL, T, D>(stencil, T::one(), residual.as_mut_slice());
                problem.remove_means(residual);
                let part = Part::Correction;
                tables.solve(problem, residual.as_slice(), p.as_mut_slice(), part, T::zero());
            }
            problem.wrap(p);
            done += 1;
            (1, None)
        }))
    }

    fn name(&self) -> &'static str {
        SolverKind::<T>::Spectral(self.method).name()
    }
}

impl<T: Real, const D: usize> Tables<T, D> {
    /// The tables for `problem`, made anew where the ones at hand are for others.
    fn for_problem<'a>(
        tables: &'a mut Option<Self>,
        problem: &Problem<T, D>,
        method: SpectralMethod,
    ) -> &'a mut Self {
        let region = problem.region();
        let cells = core::array::from_fn(|a| region.len(a));
        if tables.as_ref().is_some_and(|t| t.ends != problem.ends() || t.cells != cells) {
            *tables = None;
        }
        tables.get_or_insert_with(|| Self::new(problem.ends(), cells, method))
    }

    fn new(ends: [[End; 2]; D], cells: [usize; D], method: SpectralMethod) -> Self {
        let whole = method == SpectralMethod::FullTransform || ends[0][0] == End::Periodic;
        let axes: [Option<Axis<T>>; D] =
            core::array::from_fn(|a| (a > 0 || whole).then(|| Axis::new(ends[a], cells[a].max(1))));
        let rows = axes.iter().flatten().map(Axis::rows).max().unwrap_or(0);
        let rows = cells.into_iter().map(padded).fold(rows, usize::max);
        let need = 2 * rows;
        let [nx, ny, nz] = Self::extents(cells);
        let blocks = |n: usize| n.div_ceil(LANES);
        let across_x = (nz * padded(ny)).max(ny * padded(nz)) * blocks(nx);
        let len = across_x.max(ny * blocks(nz) * padded(nx));
        let memory = |len| vec![Lanes::zero(); len];
        let blocks = [memory(len), memory(len)];
        Self { ends, cells, axes, blocks, scratch: memory(exec::TASKS * need), need }
    }

    /// Whether no end holds p.
    fn closed(&self) -> bool {
        self.ends.iter().flatten().all(|end| matches!(end, End::Neumann | End::Periodic))
    }

    /// The unknowns along x, along the axis between and along the last axis; none is between in
    /// the plane.
    fn extents(cells: [usize; D]) -> [usize; 3] {
        [cells[0], if D == 3 { cells[1] } else { 1 }, cells[D - 1]]
    }

    /// Solves for p in five passes (three in the plane): to the coefficients along y and z, the
    /// lines along x, and back. `more_shift` is added to σh².
    fn solve(&mut self, problem: &Problem<T, D>, f: &[T], p: &mut [T], part: Part, more_shift: T) {
        let region = problem.region();
        if region.is_empty() {
            return;
        }
        let Self { cells, axes, blocks: [q, r], scratch, need, .. } = self;
        let [nx, ny, nz] = Self::extents(*cells);
        let (Some(last), [by, bz, bx]) = (&axes[D - 1], [ny, nz, nx].map(padded)) else { return };
        let (along_x, groups) = (nx.div_ceil(LANES), nz.div_ceil(LANES));
        let start = &f[region.row(0).start..];
        let columns = |len: usize, axis: usize, other: usize| Columns {
            values: start,
            columns: nx,
            len,
            stride: region.strides[axis],
            plane: region.strides[other],
        };
        let mut stages = Stages { scratch, need: *need };
        let between = axes[1].as_ref().filter(|_| D == 3);
        match between {
            None => stages.run(columns(nz, 1, 1), Forward(last), r, [along_x, nz]),
            Some(axis) => {
                let count = nz * along_x;
                stages.run(columns(ny, 1, D - 1), Forward(axis), q, [count, ny]);
                let gather = Across { blocks: q, stride: by, count: along_x, len: nz };
                stages.run(gather, Forward(last), r, [ny * along_x, nz]);
            }
        }
        let stencil = problem.stencil(f, f);
        let scale = axes.iter().flatten().fold(T::one(), |scale, axis| scale * axis.scale());
        let nothing = [T::zero()];
        let lines = Lines {
            outer: between.map_or(&nothing, |axis| &axis.eigenvalues),
            inner: &last.eigenvalues,
            shift: stencil.shift + more_shift,
            factor: if part == Part::Whole { -scale } else { scale },
            len: nx,
            ends: stencil.ends[0],
        };
        let gather = Turned { blocks: r, stride: bz, count: groups, len: nx };
        match &axes[0] {
            Some(axis) => stages.run(gather, Whole { lines, axis }, q, [ny * groups, nx]),
            None => {
                let (out, systems) = (&mut q[..ny * groups * bx], Systems { gather, lines });
                exec::blocks(out, 2 * bx, stages.scratch, *need, &systems);
            }
        }
        let gather = Turned { blocks: q, stride: bx, count: along_x, len: nz };
        stages.run(gather, Backward(last), r, [ny * along_x, nz]);
        let (blocks, stride) = match between {
            None => (r, bz),
            Some(axis) => {
                let gather = Across { blocks: r, stride: bz, count: along_x, len: ny };
                stages.run(gather, Backward(axis), q, [nz * along_x, ny]);
                (q, by)
            }
        };
        let mut lo = [0; 3];
        lo[..D].copy_from_slice(&region.lo);
        let add = part == Part::Correction;
        exec::rows(&region, [p], &Rows { blocks, stride, count: along_x, lo, add });
    }
}

/// The rows of a block of `len` lines: whole groups, and an odd number, so that equal rows of
/// neighbouring blocks do not compete for the same cache lines.
fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES) + 1
}

/// The scratch memory that the stages of a solve share.
struct Stages<'a, T> {
    scratch: &'a mut [Lanes<T>],
    need: usize,
}

impl<T: Real> Stages<'_, T> {
    /// Runs a stage over `count` blocks of `len` rows.
    fn run<G: Gather<T>, W: Work<T>>(
        &mut self,
        gather: G,
        work: W,
        out: &mut [Lanes<T>],
        [count, len]: [usize; 2],
    ) {
        let stride = padded(len);
        let stage = Stage { gather, work, len, need: self.need };
        exec::blocks(&mut out[..count * stride], stride, self.scratch, self.need, &stage);
    }
}
