//! One level of the hierarchy: its operator, its fields, and the way to the next coarser one.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::exec::{self, Region, Row, RowPass};
use crate::grid::{Faces, Field, Grid};
use crate::poisson::operator::Operator;
use crate::poisson::stencil::{
    Coefficients, FIRST, RESIDUAL, Stencil, WEIGHTED, WEIGHTED_CUT, Weight, run,
};
use crate::poisson::sweeps::{MOST, Sweeps};
use crate::{Error, Real};

/// The number of coarse places whose transfer is worked out together.
const BLOCK: usize = 64;

impl<T: Real, const D: usize> Operator<'_, T, D> {
    /// Weighted Jacobi sweeps, one for each of `weights`.
    pub(super) fn smooth(
        &self,
        weights: &[T],
        b: &Field<T, D>,
        p: &mut Field<T, D>,
        next: &mut Field<T, D>,
    ) {
        let uniform = matches!(self.stencil.coefficients, Coefficients::Uniform);
        let plain = D == 2 && uniform && !self.periodic.contains(&true);
        for part in weights.chunks(if plain { MOST } else { 1 }) {
            let stencil = self.on(p.as_slice(), b.as_slice());
            if let [weight] = part {
                run::<WEIGHTED_CUT, T, D>(stencil, *weight, next.as_mut_slice());
            } else {
                let (mut weights, count) = ([T::one(); MOST], part.len());
                weights[..count].copy_from_slice(part);
                let pass = Sweeps::<T, D, WEIGHTED, WEIGHTED_CUT> { stencil, weights, count };
                exec::rows(&self.region(), [next.as_mut_slice()], &pass);
            }
            p.swap_values(next);
            self.wrap(p);
        }
    }

    /// The same from p = 0, whatever `p` holds between its ghosts.
    pub(super) fn smooth_from_zero(
        &self,
        weights: &[T],
        b: &Field<T, D>,
        p: &mut Field<T, D>,
        next: &mut Field<T, D>,
    ) {
        let (first, others) = weights.split_first().map_or((T::zero(), weights), |(f, o)| (*f, o));
        run::<FIRST, T, D>(self.on(b.as_slice(), b.as_slice()), first, p.as_mut_slice());
        self.wrap(p);
        self.smooth(others, b, p, next);
    }

    /// b of the coarse level: the sum of the residual b − A·p over the children of each place.
    pub(super) fn restrict(
        &self,
        coarse: &Matrix<T, D>,
        b: &Field<T, D>,
        p: &Field<T, D>,
        out: &mut Field<T, D>,
    ) {
        let share = coarse.share();
        let fine = self.on(p.as_slice(), b.as_slice());
        let pass = Restrict { fine, coarse: coarse.region, scale: coarse.scale, share };
        exec::rows(&coarse.region, [out.as_mut_slice()], &pass);
    }

    /// Adds the correction `e` of the coarse level to `p`, interpolated linearly.
    pub(super) fn prolong(&self, coarse: &Matrix<T, D>, e: &Field<T, D>, p: &mut Field<T, D>) {
        let region = self.region();
        let share = coarse.share();
        let pass = Prolong { e: e.as_slice(), fine: region, coarse: coarse.operator(), share };
        exec::rows(&region, [p.as_mut_slice()], &pass);
        self.wrap(p);
    }
}

/// The operator of a coarse level.
#[derive(Debug, Clone)]
pub(super) struct Matrix<T, const D: usize> {
    pub(super) region: Region<D>,
    pub(super) ends: [[T; 2]; D],
    pub(super) shift: T,
    pub(super) periodic: [bool; D],
    /// Whether it is the same everywhere but at the ends: then the arrays mean nothing.
    pub(super) uniform: bool,
    pub(super) coefficients: Faces<T, D>,
    pub(super) diagonal: Vec<T>,
    pub(super) inverse: Vec<T>,
    /// By axis; the places of cells, not of faces.
    pub(super) held: Faces<T, D>,
    pub(super) mass: Vec<T>,
    /// What the sums of residuals are multiplied by on the way here.
    pub(super) scale: T,
    /// The share of each place of the finer level in the value of its parent: 1 in the open, less
    /// beside p = 0, 0 where p is not sought. Of use only where the finer operator varies.
    pub(super) shares: Vec<T>,
    /// Whether the finer operator is the same everywhere but at the ends.
    pub(super) below_uniform: bool,
}

/// A coarse level: A_c·p = b.
#[derive(Debug, Clone)]
pub(super) struct Level<T, const D: usize> {
    pub(super) matrix: Matrix<T, D>,
    pub(super) b: Field<T, D>,
    pub(super) p: Field<T, D>,
    pub(super) next: Field<T, D>,
}

impl<T: Real, const D: usize> Level<T, D> {
    /// The memory of a level with `cells` places below one whose arrays have `finer` places.
    pub(super) fn new(cells: [usize; D], finer: usize) -> Result<Self, Error> {
        let grid = Grid::new(cells, T::one())?;
        let array = || vec![T::zero(); grid.array_len()];
        let matrix = Matrix {
            region: grid.interior(),
            ends: [[T::zero(); 2]; D],
            shift: T::zero(),
            periodic: [false; D],
            uniform: false,
            coefficients: Faces::zeros(grid),
            diagonal: array(),
            inverse: array(),
            held: Faces::zeros(grid),
            mass: array(),
            scale: T::one(),
            shares: vec![T::zero(); finer],
            below_uniform: true,
        };
        let field = || Field::zeros(grid);
        Ok(Self { matrix, b: field(), p: field(), next: field() })
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        for field in [&mut self.b, &mut self.p, &mut self.next] {
            field.fill(value);
        }
    }
}

impl<T: Real, const D: usize> Matrix<T, D> {
    /// The shares of finer places where those vary. Beside the ends of a uniform level they are left
    /// out: measured, they gain nothing there.
    fn share(&self) -> Option<&[T]> {
        (!self.below_uniform).then_some(&self.shares)
    }

    pub(super) fn operator(&self) -> Operator<'_, T, D> {
        let coefficients = match self.uniform {
            true => Coefficients::Uniform,
            false => Coefficients::Variable {
                a: self.coefficients.slices(),
                diagonal: &self.diagonal,
                inverse: &self.inverse,
            },
        };
        let stencil = Stencil {
            p: &[],
            b: &[],
            region: self.region,
            shift: self.shift,
            ends: self.ends,
            coefficients,
        };
        let varies = !self.uniform;
        let (held, mass) = (varies.then_some(&self.held), varies.then_some(&*self.mass));
        Operator { stencil, periodic: self.periodic, held, mass }
    }
}

/// The finer places of the coarse place `c` along one axis.
#[inline(always)]
pub(super) fn children<const D: usize>(
    fine: &Region<D>,
    coarse: &Region<D>,
    axis: usize,
    c: usize,
) -> core::ops::Range<usize> {
    let (n, offset) = (fine.len(axis), c - coarse.lo[axis]);
    let (lo, hi) = if n == coarse.len(axis) {
        (offset, offset + 1)
    } else {
        (2 * offset, (2 * offset + 2).min(n))
    };
    fine.lo[axis] + lo..fine.lo[axis] + hi
}

/// The coarse place of the fine place `f` along one axis.
#[inline(always)]
pub(super) fn parent<const D: usize>(
    fine: &Region<D>,
    coarse: &Region<D>,
    axis: usize,
    f: usize,
) -> usize {
    let offset = f - fine.lo[axis];
    coarse.lo[axis] + if fine.len(axis) == coarse.len(axis) { offset } else { offset / 2 }
}

struct Restrict<'a, T, const D: usize> {
    fine: Stencil<'a, T, D>,
    coarse: Region<D>,
    scale: T,
    share: Option<&'a [T]>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Restrict<'_, T, D> {
    const GRAIN: usize = 2048;

    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let region = self.fine.region;
        // RESIDUAL is A·p − b.
        let scale = -self.scale;
        let of_axis = |a: usize| children(&region, &self.coarse, a, row.at[a]);
        let (rows, planes) = (of_axis(1), if D == 3 { of_axis(D - 1) } else { 0..1 });
        let halved = region.len(0) != self.coarse.len(0);
        let per = if halved { 2 } else { 1 };
        let mut residual = [T::zero(); 2 * BLOCK];
        let mut first = 0;
        while first < row.len {
            let count = (row.len - first).min(BLOCK);
            let from = region.lo[0] + per * first;
            let len = (per * count).min(region.hi[0] - from);
            let mut sums = [T::zero(); 2 * BLOCK];
            for plane in planes.clone() {
                for y in rows.clone() {
                    let mut at = row.at;
                    (at[0], at[1]) = (from, y);
                    if D == 3 {
                        at[D - 1] = plane;
                    }
                    let start = (0..D).map(|a| at[a] * region.strides[a]).sum();
                    let part = Row { at, start, len };
                    self.fine.compute::<RESIDUAL>(part, Weight::all(T::one()), &mut residual);
                    match self.share {
                        None => {
                            for i in 0..len {
                                sums[i] += residual[i];
                            }
                        }
                        Some(share) => {
                            let share = part.of(share);
                            for i in 0..len {
                                sums[i] += residual[i] * share[i];
                            }
                        }
                    }
                }
            }
            let out = &mut out[first..first + count];
            if halved {
                for i in 0..count {
                    out[i] = (sums[2 * i] + sums[2 * i + 1]) * scale;
                }
            } else {
                for i in 0..count {
                    out[i] = sums[i] * scale;
                }
            }
            first += count;
        }
    }
}

/// p += share·(e + ¼ Σ_axes (e_beside − e)): linear between the centres of coarse places, level
/// across closed faces.
struct Prolong<'a, T, const D: usize> {
    e: &'a [T],
    fine: Region<D>,
    coarse: Operator<'a, T, D>,
    share: Option<&'a [T]>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Prolong<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [p]: [&mut [T]; 1]) {
        let (fine, coarse) = (&self.fine, &self.coarse.region());
        let halved = fine.len(0) != coarse.len(0);
        let (mut spread, mut along) = ([T::zero(); 2 * BLOCK], [T::zero(); BLOCK]);
        let mut first = 0;
        while first < row.len {
            let len = (row.len - first).min(if halved { 2 * BLOCK } else { BLOCK });
            let (from, count) = if halved { (first / 2, len.div_ceil(2)) } else { (first, len) };
            let mut at = row.at;
            at[0] = coarse.lo[0] + from;
            for a in 1..D {
                at[a] = parent(fine, coarse, a, row.at[a]);
            }
            let start = (0..D).map(|a| at[a] * coarse.strides[a]).sum();
            let part = Row { at, start, len: count };
            along[..count].copy_from_slice(part.of(self.e));
            for a in 1..D {
                self.add_slope(part, a, row.at[a], &mut along);
            }
            if halved {
                self.along_x(part, len, &along, &mut spread);
            } else {
                spread[..len].copy_from_slice(&along[..len]);
            }
            let p = &mut p[first..first + len];
            match self.share {
                None => {
                    for i in 0..len {
                        p[i] += spread[i];
                    }
                }
                Some(share) => {
                    let share = &share[row.start + first..][..len];
                    for i in 0..len {
                        p[i] += share[i] * spread[i];
                    }
                }
            }
            first += len;
        }
    }
}

impl<T: Real, const D: usize> Prolong<'_, T, D> {
    /// Adds a quarter of the rise towards the row beside that is nearer to the fine index `f`.
    #[inline(always)]
    fn add_slope(&self, row: Row<D>, axis: usize, f: usize, along: &mut [T; BLOCK]) {
        let (fine, region) = (&self.fine, &self.coarse.region());
        let siblings = children(fine, region, axis, row.at[axis]);
        if siblings.len() < 2 {
            return;
        }
        let upper = f > siblings.start;
        let stride = region.strides[axis];
        let e = row.of(self.e);
        let beside = if upper { row.after(self.e, stride) } else { row.before(self.e, stride) };
        let quarter = T::of(0.25);
        match self.coarse.stencil.coefficients {
            Coefficients::Uniform => {
                let last = if upper { region.hi[axis] - 1 } else { region.lo[axis] };
                let outermost = row.at[axis] == last && !self.coarse.periodic[axis];
                let w = self.coarse.stencil.ends[axis][usize::from(upper)];
                let beside = if outermost { e } else { beside };
                let factor = if outermost { T::one() - w } else { T::one() };
                for i in 0..row.len {
                    along[i] += quarter * (factor * beside[i] - e[i]);
                }
            }
            Coefficients::Variable { a, .. } => {
                let a = if upper { row.after(a[axis], stride) } else { row.of(a[axis]) };
                for i in 0..row.len {
                    let rise = quarter * (beside[i] - e[i]);
                    along[i] += if a[i] > T::zero() { rise } else { T::zero() };
                }
            }
        }
    }

    /// The values at the `len` children of a row along x.
    #[inline(always)]
    fn along_x(&self, row: Row<D>, len: usize, along: &[T; BLOCK], spread: &mut [T; 2 * BLOCK]) {
        let region = &self.coarse.region();
        let e = row.of(self.e);
        let (below, above) = (row.before(self.e, 1), row.after(self.e, 1));
        let quarter = T::of(0.25);
        match self.coarse.stencil.coefficients {
            Coefficients::Uniform => {
                for i in 0..row.len {
                    spread[2 * i] = along[i] + quarter * (below[i] - e[i]);
                    spread[2 * i + 1] = along[i] + quarter * (above[i] - e[i]);
                }
                let ends = self.coarse.stencil.ends[0];
                if !self.coarse.periodic[0] {
                    // Beyond a side e goes on as p = 0 there or a closed face says.
                    if row.at[0] == region.lo[0] {
                        spread[0] = along[0] - quarter * ends[0] * e[0];
                    }
                    let last = row.len - 1;
                    if row.at[0] + row.len == region.hi[0] {
                        spread[2 * last + 1] = along[last] - quarter * ends[1] * e[last];
                    }
                }
            }
            Coefficients::Variable { a, .. } => {
                let (lower, upper) = (row.of(a[0]), row.after(a[0], 1));
                for i in 0..row.len {
                    let (down, up) = (quarter * (below[i] - e[i]), quarter * (above[i] - e[i]));
                    let down = if lower[i] > T::zero() { down } else { T::zero() };
                    let up = if upper[i] > T::zero() { up } else { T::zero() };
                    spread[2 * i] = along[i] + down;
                    spread[2 * i + 1] = along[i] + up;
                }
            }
        }
        if len % 2 == 1 {
            // The odd end of an axis has one child, at the centre.
            spread[len - 1] = along[row.len - 1];
        }
    }
}
