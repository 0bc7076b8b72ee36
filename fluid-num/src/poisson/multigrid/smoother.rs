//! The way down to the next coarser level and back up: smoothing, and transfers along with it.

use core::ops::Range;

use super::coupled::Coupled;
use super::level::{Level, Matrix};
use super::transfer::{Corrected, Prolong, Restrict, Restricted};
use crate::Real;
use crate::base::exec::{self, BandPass, Banded};
use crate::grid::Field;
use crate::poisson::look::Look;
use crate::poisson::operator::Operator;
use crate::poisson::stencil::{Coefficients, FIRST, WEIGHTED, WEIGHTED_CUT, run};
use crate::poisson::sweeps::{Correction, Line, MOST, Run, Sweeps};

/// Where a cycle starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// p as it is.
    Guess,
    /// p = 0, whatever it holds.
    Zero,
}

/// Weighted Jacobi sweeps in one pass.
type Smoothing<'a, T, C, const D: usize, const BEGIN: u8, const LAST: u8> =
    Sweeps<'a, T, C, D, BEGIN, WEIGHTED, LAST>;

impl<T: Real, const D: usize> Operator<'_, T, D> {
    /// Smooths p and gives the coarser `level` its b, the restricted residual.
    pub(super) fn descend(
        &self,
        start: Start,
        weights: &[T],
        (b, p, next): (&Field<T, D>, &mut Field<T, D>, &mut Field<T, D>),
        (level, coupled): (&mut Level<T, D>, &mut Coupled<T>),
    ) {
        if !self.streams(weights) {
            return self.descend_apart(start, weights, (b, p, next), (level, coupled));
        }
        let Level { matrix, b: coarse_b, .. } = level;
        let out = [next.as_mut_slice(), coarse_b.as_mut_slice()];
        match start {
            Start::Guess => {
                let sweeps = self.smoothing::<_, WEIGHTED, WEIGHTED>(weights, p, b, ());
                restricting(sweeps, matrix, out);
            }
            Start::Zero => {
                let sweeps = self.smoothing::<_, FIRST, WEIGHTED>(weights, b, b, ());
                restricting(sweeps, matrix, out);
            }
        }
        p.swap_values(next);
    }

    /// Corrects p by what the coarser `level` has found and smooths it; tells what p has come to if
    /// asked and if that costs little.
    pub(super) fn ascend(
        &self,
        (level, coupled): (&Level<T, D>, &mut Coupled<T>),
        weights: &[T],
        (b, p, next): (&Field<T, D>, &mut Field<T, D>, &mut Field<T, D>),
        asked: bool,
    ) -> Option<Look<T>> {
        if !self.streams(weights) {
            self.ascend_apart((level, coupled), weights, (b, p, next));
            return None;
        }
        let correction = self.prolongation(&level.matrix, &level.p);
        let region = self.region();
        let out = [Banded::on(&region, next.as_mut_slice())];
        let sweeps = self.smoothing::<_, WEIGHTED, WEIGHTED_CUT>(weights, p, b, correction);
        let residual = if asked {
            exec::bands(&region, out, &Run::<_, true>(sweeps))
        } else {
            exec::bands(&region, out, &Run::<_, false>(sweeps));
            None
        };
        p.swap_values(next);
        residual.map(|residual| Look { residual, sum: None })
    }

    /// [`Self::descend`] in passes of their own.
    fn descend_apart(
        &self,
        start: Start,
        weights: &[T],
        (b, p, next): (&Field<T, D>, &mut Field<T, D>, &mut Field<T, D>),
        (level, coupled): (&mut Level<T, D>, &mut Coupled<T>),
    ) {
        match start {
            Start::Guess => self.smooth(weights, b, (p, next), coupled),
            Start::Zero => self.smooth_from_zero(weights, b, (p, next), coupled),
        }
        self.restrict(&level.matrix, b, p, &mut level.b);
        let Level { matrix, coupled: coarser, b, .. } = level;
        coupled.hand_down(p.as_slice(), coarser, matrix.scale, b.as_mut_slice());
    }

    /// [`Self::ascend`] in passes of their own.
    fn ascend_apart(
        &self,
        (level, coupled): (&Level<T, D>, &mut Coupled<T>),
        weights: &[T],
        (b, p, next): (&Field<T, D>, &mut Field<T, D>, &mut Field<T, D>),
    ) {
        let correction = self.prolongation(&level.matrix, &level.p);
        let pass = Corrected { p: p.as_slice(), correction };
        exec::rows_within(self.stencil.extent(), [next.as_mut_slice()], &pass);
        p.swap_values(next);
        self.wrap(p);
        self.smooth(weights, b, (p, next), coupled);
    }

    /// Whether sweeps with these weights and what goes with them take one pass.
    fn streams(&self, weights: &[T]) -> bool {
        let uniform = matches!(self.stencil.coefficients, Coefficients::Uniform);
        let plain = D == 2 && uniform && !self.periodic.contains(&true);
        plain && (2..=MOST).contains(&weights.len())
    }

    fn smoothing<'b, C: Correction<T, D>, const BEGIN: u8, const LAST: u8>(
        &'b self,
        given: &[T],
        p: &'b Field<T, D>,
        b: &'b Field<T, D>,
        correction: C,
    ) -> Smoothing<'b, T, C, D, BEGIN, LAST> {
        let (mut weights, count) = ([T::one(); MOST], given.len());
        weights[..count].copy_from_slice(given);
        let stencil = self.on(p.as_slice(), b.as_slice());
        Sweeps { stencil, weights, count, correction }
    }

    /// Weighted Jacobi sweeps, one for each of `weights`.
    fn smooth(
        &self,
        weights: &[T],
        b: &Field<T, D>,
        (p, next): (&mut Field<T, D>, &mut Field<T, D>),
        coupled: &mut Coupled<T>,
    ) {
        for weight in weights {
            let stencil = self.on(p.as_slice(), b.as_slice());
            run::<WEIGHTED_CUT, T, D>(stencil, *weight, next.as_mut_slice());
            if let Coefficients::Variable { inverse, .. } = self.stencil.coefficients {
                coupled.settle(Some(p.as_slice()), next.as_mut_slice(), *weight, inverse);
            }
            p.swap_values(next);
            self.wrap(p);
        }
    }

    /// The same from p = 0, whatever `p` holds between its ghosts.
    fn smooth_from_zero(
        &self,
        weights: &[T],
        b: &Field<T, D>,
        (p, next): (&mut Field<T, D>, &mut Field<T, D>),
        coupled: &mut Coupled<T>,
    ) {
        let (first, others) = weights.split_first().map_or((T::zero(), weights), |(f, o)| (*f, o));
        run::<FIRST, T, D>(self.on(b.as_slice(), b.as_slice()), first, p.as_mut_slice());
        if let Coefficients::Variable { inverse, .. } = self.stencil.coefficients {
            coupled.settle(None, p.as_mut_slice(), first, inverse);
        }
        self.wrap(p);
        self.smooth(others, b, (p, next), coupled);
    }

    /// b of the coarse level: the sum of the residual b − A·p over the children of each place.
    fn restrict(
        &self,
        coarse: &Matrix<T, D>,
        b: &Field<T, D>,
        p: &Field<T, D>,
        out: &mut Field<T, D>,
    ) {
        let fine = self.on(p.as_slice(), b.as_slice());
        let (region, scale, share) = (coarse.region, coarse.scale, coarse.share());
        let pass = Restrict { fine, coarse: region, scale, share };
        exec::rows_within(coarse.extent(), [out.as_mut_slice()], &pass);
    }

    /// What adds the correction `e` of the coarse level, interpolated linearly.
    fn prolongation<'b>(&self, coarse: &'b Matrix<T, D>, e: &'b Field<T, D>) -> Prolong<'b, T, D> {
        let (fine, share) = (self.region(), coarse.share());
        Prolong { e: e.as_slice(), fine, coarse: coarse.operator(), share }
    }
}

/// Sweeps whose residual becomes b of the coarser level.
struct Restricting<'a, S, T, const D: usize> {
    sweeps: S,
    coarse: &'a Matrix<T, D>,
    /// The rows that belong to one of the coarser level.
    per: usize,
}

fn restricting<T: Real, const D: usize, const BEGIN: u8>(
    sweeps: Smoothing<'_, T, (), D, BEGIN, WEIGHTED>,
    coarse: &Matrix<T, D>,
    [next, coarse_b]: [&mut [T]; 2],
) {
    let (fine, region) = (sweeps.stencil.region, &coarse.region);
    let per = if fine.rows() == region.rows() { 1 } else { 2 };
    let out = [Banded { out: next, region: &fine, per }, Banded::on(region, coarse_b)];
    exec::bands(region, out, &Restricting { sweeps, coarse, per });
}

impl<T: Real, const D: usize, const BEGIN: u8> BandPass<T, 2>
    for Restricting<'_, Smoothing<'_, T, (), D, BEGIN, WEIGHTED>, T, D>
{
    type Output = ();
    const GRAIN: usize = crate::poisson::sweeps::GRAIN / 4;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [next, out]: [&mut [T]; 2]) {
        let fine = self.sweeps.stencil.region;
        let Matrix { region: coarse, scale, .. } = *self.coarse;
        let first = rows.start;
        let mut sink = Restricted { fine, coarse, scale, out, first, sums: Line::zero() };
        let of_fine = self.per * first..(self.per * rows.end).min(fine.rows());
        self.sweeps.stream(of_fine, next, &mut sink);
    }

    fn join((): (), (): ()) {}
}

#[cfg(test)]
mod tests {
    use super::super::coarsen::halved;
    use super::*;
    use crate::grid::Grid;
    use crate::poisson::look::look;
    use crate::poisson::sweeps::TILE;
    use crate::poisson::{End, Problem};

    fn noise(grid: Grid<f32, 2>, seed: f32) -> Field<f32, 2> {
        let mut n = seed;
        Field::from_fn(grid, |_| {
            n += 1.0;
            (n * 0.7) % 1.0 - 0.4
        })
    }

    fn bits(field: &Field<f32, 2>) -> impl Iterator<Item = u32> + '_ {
        field.values().map(f32::to_bits)
    }

    #[test]
    fn a_way_in_one_pass_has_the_bits_of_passes_apart() {
        let ends = [[End::Neumann, End::Dirichlet], [End::DirichletNode, End::Neumann]];
        let sizes = [[9, 8], [200, 1], [1, 200], [33, 47], [TILE, 6], [TILE + 1, 301], [1100, 7]];
        for cells in sizes {
            let grid = Grid::new(cells, 0.5_f32).unwrap();
            let problem = Problem::new(grid, ends).unwrap();
            let fine = Operator::of(&problem);
            let mut level = Level::new(halved(&grid.interior()), grid.array_len()).unwrap();
            let mut none = Coupled::default();
            level.matrix.rebuild(&fine);
            let (b, guess) = (noise(grid, 3.0), noise(grid, 50.0));
            for (start, weights) in
                [(Start::Guess, &[0.9, 0.6][..]), (Start::Zero, &[0.5, 0.9, 0.7])]
            {
                let (mut p, mut q, mut next) = (guess.clone(), guess.clone(), Field::zeros(grid));
                fine.descend(start, weights, (&b, &mut p, &mut next), (&mut level, &mut none));
                let given = level.b.clone();
                let both = (&mut level, &mut none);
                fine.descend_apart(start, weights, (&b, &mut q, &mut next), both);
                assert!(given.max_abs() > 0.0);
                assert!(bits(&p).eq(bits(&q)), "{cells:?}, {start:?}: down");
                assert!(bits(&given).eq(bits(&level.b)), "{cells:?}, {start:?}: restriction");
                level.p = noise(*level.p.grid(), 7.0);
                let fields = (&b, &mut p, &mut next);
                let seen = fine.ascend((&level, &mut none), weights, fields, true).unwrap();
                fine.ascend_apart((&level, &mut none), weights, (&b, &mut q, &mut next));
                assert!(bits(&p).eq(bits(&q)), "{cells:?}, {start:?}: up");
                let stencil = problem.stencil(p.as_slice(), b.as_slice());
                assert_eq!(seen.residual, look(stencil, None).residual);
            }
        }
    }
}
