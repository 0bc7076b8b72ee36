//! One level of the hierarchy: its operator, its fields, and the way to the next coarser one.

use alloc::vec;
use alloc::vec::Vec;

use super::coupled::Coupled;
use crate::base::exec::{Extent, Region, Spans};
use crate::grid::{Faces, Field, Grid};
use crate::poisson::operator::Operator;
use crate::poisson::stencil::{Coefficients, Stencil};
use crate::{Error, Real};

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
    /// Of `inverse`.
    pub(super) spans: Spans,
    /// By axis; the places of cells, not of faces.
    pub(super) held: Faces<T, D>,
    pub(super) mass: Vec<T>,
    /// How the children of a place look.
    pub(super) kinds: Vec<u8>,
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
    pub(super) coupled: Coupled<T>,
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
            spans: Spans::with_capacity(grid.interior().rows()),
            held: Faces::zeros(grid),
            mass: array(),
            kinds: vec![0; grid.array_len()],
            scale: T::one(),
            shares: vec![T::zero(); finer],
            below_uniform: true,
        };
        let field = || Field::zeros(grid);
        let coupled = Coupled::default();
        Ok(Self { matrix, coupled, b: field(), p: field(), next: field() })
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
    pub(super) fn share(&self) -> Option<&[T]> {
        (!self.below_uniform).then_some(&self.shares)
    }

    /// Where p is sought, and what lies between.
    pub(super) fn extent(&self) -> Extent<'_, D> {
        if self.uniform { self.region.into() } else { self.spans.of(self.region) }
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
            spans: (!self.uniform).then_some(&self.spans),
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
