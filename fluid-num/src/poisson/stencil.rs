//! The discrete operator: one formula for the sweep, the residual and the product.

use crate::Real;
use crate::base::exec::{self, Extent, Region, Row, RowPass, Spans};

/// (Σ a·p_neighbour − b)/diagonal.
pub(super) const JACOBI: u8 = 0;
/// The same, cut to zero where it is nothing: a front that spreads from a far source falls by a
/// power of ten every second place, and the sweeps would wade through subnormal numbers.
pub(super) const JACOBI_CUT: u8 = 1;
/// The mean of p and (Σ a·p_neighbour − b)/diagonal.
pub(super) const HALF_JACOBI: u8 = 2;
/// p + weight·(Jacobi − p).
pub(super) const RELAX: u8 = 3;
/// (Σ a·p_neighbour − diagonal·p) − b: the residual of −A·p = −b, whose operator is positive.
pub(super) const RESIDUAL: u8 = 4;
/// diagonal·p − Σ a·p_neighbour.
pub(super) const PRODUCT: u8 = 5;
/// b/diagonal.
pub(super) const DIVIDE: u8 = 6;
/// −ω·b/diagonal: a weighted Jacobi sweep from p = 0.
pub(super) const FIRST: u8 = 7;
/// p + ω·(Jacobi − p).
pub(super) const WEIGHTED: u8 = 8;
/// The same, cut to zero where it is nothing.
pub(super) const WEIGHTED_CUT: u8 = 9;

/// What stands before p at a place and its neighbours.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coefficients<'a, T, const D: usize> {
    /// 1 everywhere; the diagonal differs at the ends of the axes only.
    Uniform,
    /// a on faces.
    Variable { a: [&'a [T]; D], diagonal: &'a [T], inverse: &'a [T] },
}

/// The operator at work on p, with the right-hand side b, which has been multiplied by h².
#[derive(Debug, Clone, Copy)]
pub(super) struct Stencil<'a, T, const D: usize> {
    pub(super) p: &'a [T],
    pub(super) b: &'a [T],
    pub(super) region: Region<D>,
    pub(super) shift: T,
    /// What an end adds to the diagonal of an outermost place in place of a neighbour's 1.
    pub(super) ends: [[T; 2]; D],
    pub(super) coefficients: Coefficients<'a, T, D>,
    /// Beyond which nothing is sought, where some places are not.
    pub(super) spans: Option<&'a Spans>,
}

/// The weight of an operation at the places of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight<'a, T> {
    /// Of [`RELAX`], place by place.
    pub(super) each: &'a [T],
    /// Of the operations with an ω, the same at all places.
    pub(super) all: T,
}

impl<T: Real> Weight<'_, T> {
    /// The same at all places.
    #[inline(always)]
    pub(super) fn all(all: T) -> Self {
        Self { each: &[], all }
    }
}

impl<'a, T> Weight<'a, T> {
    /// The weights of a row; any slice of its length where there is one weight for all.
    #[inline(always)]
    fn of<const OP: u8>(self, row: &'a [T]) -> &'a [T] {
        if OP == RELAX { &self.each[..row.len()] } else { row }
    }
}

/// One row's neighbours along one axis.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a, T> {
    pub(super) below: &'a [T],
    pub(super) above: &'a [T],
}

impl<T> Pair<'_, T> {
    #[inline(always)]
    fn cut(self, len: usize) -> Self {
        Self { below: &self.below[..len], above: &self.above[..len] }
    }
}

/// What one row of the operator reads.
#[derive(Clone, Copy)]
pub(super) struct RowOf<'a, T> {
    pub(super) x: Pair<'a, T>,
    pub(super) y: Pair<'a, T>,
    /// The same as `y` in the plane.
    pub(super) z: Pair<'a, T>,
    pub(super) p: &'a [T],
    pub(super) b: &'a [T],
}

/// The parts of `array` one place below and above a row along an axis.
#[inline(always)]
fn beside<'a, T, const D: usize>(row: Row<D>, array: &'a [T], stride: usize) -> Pair<'a, T> {
    Pair { below: row.before(array, stride), above: row.after(array, stride) }
}

impl<'a, T: Real, const D: usize> Stencil<'a, T, D> {
    /// Where p is sought, and what lies between.
    pub(super) fn extent(&self) -> Extent<'a, D> {
        self.spans.map_or(self.region.into(), |spans| spans.of(self.region))
    }

    /// Computes one row (or part of one) of the operation `OP`.
    #[inline(always)]
    pub(super) fn compute<const OP: u8>(&self, row: Row<D>, weight: Weight<'_, T>, out: &mut [T]) {
        self.compute_from::<OP>(row, self.reads(row), weight, out);
    }

    /// What a row of the operator reads.
    #[inline(always)]
    pub(super) fn reads(&self, row: Row<D>) -> RowOf<'_, T> {
        let strides = self.region.strides;
        RowOf {
            x: beside(row, self.p, 1),
            y: beside(row, self.p, strides[1]),
            z: beside(row, self.p, strides[D - 1]),
            p: row.of(self.p),
            b: row.of(self.b),
        }
    }

    /// Computes one row (or part of one) from what it reads.
    #[inline(always)]
    pub(super) fn compute_from<const OP: u8>(
        &self,
        row: Row<D>,
        of: RowOf<'_, T>,
        weight: Weight<'_, T>,
        out: &mut [T],
    ) {
        let len = row.len;
        let out = &mut out[..len];
        match self.coefficients {
            Coefficients::Uniform => self.uniform::<OP>(row, of, weight, out),
            Coefficients::Variable { a, diagonal, inverse } => {
                let strides = self.region.strides;
                let RowOf { x, y, z, p, b } = of;
                let (x, y, z) = (x.cut(len), y.cut(len), z.cut(len));
                let (p, b) = (&p[..len], &b[..len]);
                let (each, all) = (weight.of::<OP>(b), weight.all);
                let (diagonal, inverse) = (row.of(diagonal), row.of(inverse));
                let ax = Pair { below: row.of(a[0]), above: row.after(a[0], 1) };
                let ay = Pair { below: row.of(a[1]), above: row.after(a[1], strides[1]) };
                let az = a[D - 1];
                let az = Pair { below: row.of(az), above: row.after(az, strides[D - 1]) };
                for i in 0..len {
                    let along_x = ax.below[i] * x.below[i] + ax.above[i] * x.above[i];
                    let along_y = ay.below[i] * y.below[i] + ay.above[i] * y.above[i];
                    let mut sum = along_x + along_y;
                    if D == 3 {
                        sum += az.below[i] * z.below[i] + az.above[i] * z.above[i];
                    }
                    let weight = if OP == RELAX { each[i] } else { all };
                    let own = [diagonal[i], inverse[i], weight];
                    out[i] = finish::<T, OP>(sum, b[i], p[i], own);
                }
            }
        }
    }

    /// Computes a row of the uniform operator from what it reads.
    #[inline(always)]
    pub(super) fn uniform<const OP: u8>(
        &self,
        row: Row<D>,
        of: RowOf<'_, T>,
        weight: Weight<'_, T>,
        out: &mut [T],
    ) {
        let len = row.len;
        let RowOf { x, y, z, p, b } = of;
        let (x, y, z) = (x.cut(len), y.cut(len), z.cut(len));
        let (p, b) = (&p[..len], &b[..len]);
        let (each, all) = (weight.of::<OP>(b), weight.all);
        let out = &mut out[..len];
        let middle = self.row_diagonal(row);
        let inverse = T::one() / middle;
        for i in 0..len {
            let sum = neighbours::<T, D>(x, y, z, i);
            let weight = if OP == RELAX { each[i] } else { all };
            out[i] = finish::<T, OP>(sum, b[i], p[i], [middle, inverse, weight]);
        }
        // The ends of the row have a diagonal of their own.
        for i in [0, len - 1] {
            let column = row.at[0] + i;
            let lower = column == self.region.lo[0];
            let upper = column + 1 == self.region.hi[0];
            if lower || upper {
                let below = if lower { self.ends[0][0] } else { T::one() };
                let above = if upper { self.ends[0][1] } else { T::one() };
                let diagonal = middle - T::of(2.0) + (below + above);
                let inverse = if diagonal > T::zero() { T::one() / diagonal } else { T::zero() };
                let sum = neighbours::<T, D>(x, y, z, i);
                let weight = if OP == RELAX { each[i] } else { all };
                out[i] = finish::<T, OP>(sum, b[i], p[i], [diagonal, inverse, weight]);
            }
        }
    }

    /// The diagonal of a row away from its two ends.
    #[inline(always)]
    fn row_diagonal(&self, row: Row<D>) -> T {
        let mut sum = T::of(2.0) + self.shift;
        for a in 1..D {
            let lower = row.at[a] == self.region.lo[a];
            let upper = row.at[a] + 1 == self.region.hi[a];
            sum += if lower { self.ends[a][0] } else { T::one() };
            sum += if upper { self.ends[a][1] } else { T::one() };
        }
        sum
    }
}

/// The sum over the neighbours, in an order that mirroring does not change.
#[inline(always)]
fn neighbours<T: Real, const D: usize>(
    x: Pair<'_, T>,
    y: Pair<'_, T>,
    z: Pair<'_, T>,
    i: usize,
) -> T {
    let sum = (x.below[i] + x.above[i]) + (y.below[i] + y.above[i]);
    if D == 3 { sum + (z.below[i] + z.above[i]) } else { sum }
}

/// What a sum over neighbours becomes; `own` is the diagonal, its inverse and the weight.
#[inline(always)]
fn finish<T: Real, const OP: u8>(sum: T, b: T, p: T, own: [T; 3]) -> T {
    let [diagonal, inverse, weight] = own;
    let unknown = inverse > T::zero();
    match OP {
        JACOBI => (sum - b) * inverse,
        JACOBI_CUT => ((sum - b) * inverse).or_nothing(),
        HALF_JACOBI => ((p + (sum - b) * inverse) * T::of(0.5)).or_nothing(),
        DIVIDE => b * inverse,
        FIRST => (-b * (weight * inverse)).or_nothing(),
        WEIGHTED => (T::one() - weight) * p + (weight * inverse) * (sum - b),
        RELAX => (p + weight * ((sum - b) * inverse - p)).or_nothing(),
        WEIGHTED_CUT => ((T::one() - weight) * p + (weight * inverse) * (sum - b)).or_nothing(),
        RESIDUAL if unknown => (sum - diagonal * p) - b,
        PRODUCT if unknown => diagonal * p - sum,
        _ => T::zero(),
    }
}

/// The operation `OP` over whole rows, with one weight for all places.
pub(super) struct Pass<'a, T, const D: usize, const OP: u8> {
    pub(super) stencil: Stencil<'a, T, D>,
    pub(super) weight: T,
}

impl<T: Real, const D: usize, const OP: u8> RowPass<T, D, 1> for Pass<'_, T, D, OP> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        self.stencil.compute::<OP>(row, Weight::all(self.weight), out);
    }
}

/// Runs `OP` over the unknowns. What lies beyond their [extent](Stencil::extent) stays as it is.
pub(super) fn run<const OP: u8, T: Real, const D: usize>(
    stencil: Stencil<'_, T, D>,
    weight: T,
    out: &mut [T],
) {
    exec::rows_within(stencil.extent(), [out], &Pass::<T, D, OP> { stencil, weight });
}
