//! A discrete operator place by place, whatever it is made of: what set-up code asks for.

use super::problem::Problem;
use super::stencil::{Coefficients, Stencil};
use crate::Real;
use crate::base::exec::Region;
use crate::grid::boundary::wrap_axis;
use crate::grid::{Faces, Field};

/// A discrete operator: Σ_f a_f (p_neighbour − p) − (Σ held + mass)·p.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operator<'a, T, const D: usize> {
    /// The operator without what it works on.
    pub(super) stencil: Stencil<'a, T, D>,
    pub(super) periodic: [bool; D],
    /// What couples a place to p = 0 beyond the faces, where the operator is not the finest.
    pub(super) held: Option<&'a Faces<T, D>>,
    /// The share of the shift σ.
    pub(super) mass: Option<&'a [T]>,
}

impl<'a, T: Real, const D: usize> Operator<'a, T, D> {
    pub(super) fn of(problem: &'a Problem<T, D>) -> Self {
        let stencil = problem.stencil(&[], &[]);
        Self { stencil, periodic: problem.periodic(), held: None, mass: None }
    }

    pub(super) fn region(&self) -> Region<D> {
        self.stencil.region
    }

    pub(super) fn on<'b>(&'b self, p: &'b [T], b: &'b [T]) -> Stencil<'b, T, D> {
        Stencil { p, b, ..self.stencil }
    }

    pub(super) fn wrap(&self, p: &mut Field<T, D>) {
        for axis in (0..D).filter(|a| self.periodic[*a]) {
            wrap_axis(p, axis);
        }
    }

    /// Whether p is sought at `place`.
    pub(super) fn is_unknown(&self, place: usize) -> bool {
        match self.stencil.coefficients {
            Coefficients::Uniform => true,
            Coefficients::Variable { inverse, .. } => inverse[place] > T::zero(),
        }
    }

    /// The coefficient of the face of a place at one end of `axis`, and the place beyond it, with
    /// its index along `axis`, where p is sought there too.
    pub(super) fn link(
        &self,
        axis: usize,
        end: usize,
        place: usize,
        at: [usize; D],
    ) -> (T, Option<(usize, usize)>) {
        let region = self.region();
        let (first, last) = (region.lo[axis], region.hi[axis] - 1);
        let beyond = match (end, at[axis]) {
            // The seam of an axis with one place leads back to it and means nothing.
            _ if first == last && self.periodic[axis] => return (T::zero(), None),
            (0, i) if i > first => Some(i - 1),
            (1, i) if i < last => Some(i + 1),
            _ if !self.periodic[axis] => None,
            (0, _) => Some(last),
            _ => Some(first),
        };
        let stride = region.strides[axis];
        let a = match self.stencil.coefficients {
            Coefficients::Uniform if beyond.is_some() => T::one(),
            Coefficients::Uniform => self.stencil.ends[axis][end],
            Coefficients::Variable { a, .. } => a[axis][place + end * stride],
        };
        let there = beyond.map(|i| (place + i * stride - at[axis] * stride, i));
        (a, there.filter(|(place, _)| self.is_unknown(*place)))
    }

    /// What couples a place to p = 0 beyond its faces, along one axis.
    pub(super) fn held_at(&self, axis: usize, place: usize) -> T {
        self.held.map_or(T::zero(), |held| held[axis].as_slice()[place])
    }

    /// The share of a place in the shift.
    pub(super) fn mass_at(&self, place: usize) -> T {
        self.stencil.shift + self.mass.map_or(T::zero(), |mass| mass[place])
    }
}
