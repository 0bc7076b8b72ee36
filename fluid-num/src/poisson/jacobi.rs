//! Jacobi: every place solved for at once, from the old values of its neighbours.
//!
//! Exactly symmetric, free of any order, and one read of p and b and one write a sweep: for a
//! small fixed budget with a warm start it is hard to beat. Spectral radius cos(π/(N + 1)).

use core::ops::Range;

use super::Problem;
use super::solver::{Budget, PoissonSolver, Solve};
use super::stencil::{HALF_JACOBI, JACOBI, JACOBI_CUT, Pair, Pass, RowOf, Stencil};
use crate::base::exec::{self, Region, Row, RowPass};
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

    /// Does `count` sweeps and nothing else: `b` must be compatible, `p` a valid guess.
    pub(super) fn sweep(
        &mut self,
        problem: &Problem<T, D>,
        b: &Field<T, D>,
        p: &mut Field<T, D>,
        count: usize,
    ) {
        problem.prepare(&mut self.next);
        sweeps(problem, b, p, &mut self.next, count);
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
        let solve = Solve::start(problem, rhs, p, b, budget)?;
        problem.prepare(next);
        Ok(solve.run(problem, p, b, |p, count| {
            sweeps(problem, b, p, next, count);
            count
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
        let target = [next.as_mut_slice()];
        // The last sweep of a singular problem goes half the way: a chequerboard, which a full
        // sweep turns over for ever, is gone then.
        let damped = usize::from(problem.is_singular());
        left -= if left == damped {
            exec::rows(&region, target, &Pass::<T, D, HALF_JACOBI>(stencil));
            1
        } else if left >= 4 + damped && problem.is_plain_2d() {
            exec::rows(&region, target, &Sweeps::<T, D, 4>(stencil));
            4
        } else if left >= 2 + damped && problem.is_plain_2d() {
            exec::rows(&region, target, &Sweeps::<T, D, 2>(stencil));
            2
        } else {
            exec::rows(&region, target, &Pass::<T, D, JACOBI_CUT>(stencil));
            1
        };
        p.swap_values(next);
        problem.wrap(p);
    }
}

/// The number of columns that go through several sweeps together.
const TILE: usize = 512;
/// The most sweeps in one pass over memory.
const MOST: usize = 4;
/// A row of an inner sweep, with room for what the sweeps after it read on both sides.
type Line<T> = [T; TILE + 2 * MOST];

/// `K` sweeps in one pass over memory. Inner sweeps are kept for three rows at a time, in the
/// nearest cache: sweep l of row r is due as soon as sweep l − 1 of row r + 1 is there. The same
/// bits as one after the other (but for what is cut to zero, once a pass), at a fraction of the
/// traffic. For the uniform operator in the
/// plane, without periodic sides.
struct Sweeps<'a, T, const D: usize, const K: usize>(Stencil<'a, T, D>);

impl<T: Real, const D: usize, const K: usize> RowPass<T, D, 1> for Sweeps<'_, T, D, K> {
    /// Neighbouring parts both compute the inner sweeps where they meet.
    const GRAIN: usize = 1 << 16;

    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        self.0.compute::<JACOBI_CUT>(row, &[], out);
    }

    #[inline(always)]
    fn rows(&self, region: &Region<D>, rows: Range<usize>, [out]: [&mut [T]; 1]) {
        let base = region.row(rows.start).start;
        let outside = [T::zero(); TILE + 2 * MOST];
        let mut left = region.lo[0];
        while left < region.hi[0] {
            let right = (left + TILE).min(region.hi[0]);
            let mut inner = [[[T::zero(); TILE + 2 * MOST]; 3]; MOST - 1];
            for newest in rows.start..rows.end + 2 * (K - 1) {
                for sweep in 1..=K {
                    // Sweep K of row r needs sweep l of the rows r − (K − l) to r + (K − l).
                    let more = K - sweep;
                    let Some(n) = (newest + 1).checked_sub(K - 1 + sweep) else {
                        continue;
                    };
                    if n + more < rows.start || n >= rows.end + more || n >= region.rows() {
                        continue;
                    }
                    let from = left.saturating_sub(more).max(region.lo[0]);
                    let to = (right + more).min(region.hi[0]);
                    let row = part_of_row(region, n, from..to);
                    // Where column c lies in a line.
                    let first = from + MOST - left;
                    if sweep == 1 {
                        let line = &mut inner[0][n % 3];
                        self.0.compute::<JACOBI>(row, &[], &mut line[first..]);
                        (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                        continue;
                    }
                    let (before, after) = inner.split_at_mut(sweep - 1);
                    let before = &before[sweep - 2];
                    let here = &before[n % 3];
                    let below = if n > 0 { &before[(n - 1) % 3] } else { &outside };
                    let above = if n + 1 < region.rows() { &before[(n + 1) % 3] } else { &outside };
                    let y = Pair { below: &below[first..], above: &above[first..] };
                    let x = Pair { below: &here[first - 1..], above: &here[first + 1..] };
                    let b = row.of(self.0.b);
                    let of = RowOf { x, y, z: y, p: &here[first..], b };
                    if sweep == K {
                        let target = &mut out[row.start - base..][..row.len];
                        self.0.uniform::<JACOBI_CUT>(row, of, b, target);
                    } else {
                        let line: &mut Line<T> = &mut after[0][n % 3];
                        self.0.uniform::<JACOBI>(row, of, b, &mut line[first..]);
                        (line[first - 1], line[first + row.len]) = (T::zero(), T::zero());
                    }
                }
            }
            left = right;
        }
    }
}

#[inline(always)]
fn part_of_row<const D: usize>(region: &Region<D>, n: usize, columns: Range<usize>) -> Row<D> {
    let full = region.row(n);
    let mut at = full.at;
    at[0] = columns.start;
    Row { at, start: full.start + columns.start - region.lo[0], len: columns.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poisson::End;

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
            let mut solver = Jacobi::new(grid);
            let (mut once, mut twice) = (Field::zeros(grid), Field::zeros(grid));
            for _ in 0..11 {
                solver.sweep(&problem, &b, &mut once, 1);
            }
            solver.sweep(&problem, &b, &mut twice, 11);
            assert!(once.max_abs() > 0.0);
            assert!(once.values().zip(twice.values()).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}
