//! The transfers between a level and the next coarser one, as passes.

use super::level::{children, parent};
use crate::Real;
use crate::base::exec::{Region, Row, RowPass};
use crate::poisson::operator::Operator;
use crate::poisson::stencil::{Coefficients, RESIDUAL, Stencil, Weight};
use crate::poisson::sweeps::{Correction, Line, Sink};

/// The number of coarse places whose transfer is worked out together.
const BLOCK: usize = 256;

/// b of the coarse level: the sum of the residual b − A·p over the children of each place.
pub(super) struct Restrict<'a, T, const D: usize> {
    pub(super) fine: Stencil<'a, T, D>,
    pub(super) coarse: Region<D>,
    pub(super) scale: T,
    pub(super) share: Option<&'a [T]>,
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
            let from = region.lo[0] + per * (row.at[0] - self.coarse.lo[0] + first);
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
            of_children(halved, &sums, scale, &mut out[first..first + count]);
            first += count;
        }
    }
}

/// Adds up the children along x of each place of a row, where it has two; `sums` is 0 beyond them.
#[inline(always)]
fn of_children<T: Real>(halved: bool, sums: &[T], scale: T, out: &mut [T]) {
    let count = out.len();
    if halved {
        let sums = &sums[..2 * count];
        for i in 0..count {
            out[i] = (sums[2 * i] + sums[2 * i + 1]) * scale;
        }
    } else {
        let sums = &sums[..count];
        for i in 0..count {
            out[i] = sums[i] * scale;
        }
    }
}

/// The same as a sink of sweeps, for uniform levels in the plane: takes residuals, and writes rows
/// of b.
pub(super) struct Restricted<'a, T, const D: usize> {
    pub(super) fine: Region<D>,
    pub(super) coarse: Region<D>,
    pub(super) scale: T,
    /// The rows of b from number `first` on.
    pub(super) out: &'a mut [T],
    pub(super) first: usize,
    pub(super) sums: Line<T>,
}

impl<T: Real, const D: usize> Sink<T> for Restricted<'_, T, D> {
    #[inline(always)]
    fn take(&mut self, n: usize, first: usize, residual: &[T]) {
        let len = residual.len();
        let sums = &mut self.sums.0[..len];
        let (fine, coarse) = (&self.fine, &self.coarse);
        let y = fine.lo[1] + n;
        let parent = parent(fine, coarse, 1, y);
        let siblings = children(fine, coarse, 1, parent);
        if y == siblings.start {
            sums.copy_from_slice(residual);
        } else {
            for i in 0..len {
                sums[i] += residual[i];
            }
        }
        if y + 1 < siblings.end {
            return;
        }
        self.sums.0[len] = T::zero();
        let halved = fine.len(0) != coarse.len(0);
        let (from, count) = if halved { (first / 2, len.div_ceil(2)) } else { (first, len) };
        let row = coarse.row(parent - coarse.lo[1]);
        let start = row.start - coarse.row(self.first).start + from;
        // RESIDUAL is A·p − b.
        of_children(halved, &self.sums.0, -self.scale, &mut self.out[start..start + count]);
    }
}

/// p + share·(e + ¼ Σ_axes (e_beside − e)): linear between the centres of coarse places, level
/// across closed faces.
#[derive(Clone, Copy)]
pub(super) struct Prolong<'a, T, const D: usize> {
    pub(super) e: &'a [T],
    pub(super) fine: Region<D>,
    pub(super) coarse: Operator<'a, T, D>,
    pub(super) share: Option<&'a [T]>,
}

/// The corrected p as a pass of its own.
pub(super) struct Corrected<'a, T, const D: usize> {
    pub(super) p: &'a [T],
    pub(super) correction: Prolong<'a, T, D>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Corrected<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        self.correction.correct(row, row.of(self.p), out);
    }
}

impl<T: Real, const D: usize> Correction<T, D> for Prolong<'_, T, D> {
    #[inline(always)]
    fn correct(&self, row: Row<D>, p: &[T], out: &mut [T]) {
        let (fine, coarse) = (&self.fine, &self.coarse.region());
        let halved = fine.len(0) != coarse.len(0);
        let (mut spread, mut along) = ([T::zero(); 2 * BLOCK], [T::zero(); BLOCK]);
        let mut first = 0;
        while first < row.len {
            let len = (row.len - first).min(if halved { 2 * BLOCK } else { BLOCK });
            let before = row.at[0] - fine.lo[0] + first;
            let (from, count) = if halved { (before / 2, len.div_ceil(2)) } else { (before, len) };
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
            let (p, out) = (&p[first..first + len], &mut out[first..first + len]);
            match self.share {
                None => {
                    for i in 0..len {
                        out[i] = p[i] + spread[i];
                    }
                }
                Some(share) => {
                    let share = &share[row.start + first..][..len];
                    for i in 0..len {
                        out[i] = p[i] + share[i] * spread[i];
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
