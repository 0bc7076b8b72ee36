//! A vector field on a MAC (Arakawa C) grid: each component on the faces normal to it.

use core::ops::{Index, IndexMut};

use super::{Field, Grid, Location, sample::Lattice};
use crate::base::{digest::Digest, snapshot::Snapshot};
use crate::{Error, Real};

/// A vector field whose component `a` lives on the faces normal to axis `a`.
///
/// ```
/// use fluid_num::{Faces, Grid2};
/// let grid = Grid2::new([8, 8], 0.125)?;
/// let spin = Faces::from_fn(grid, |[x, y]| [-y, x]);
/// let [u, v] = spin.sample([0.5, 0.25]);
/// assert!((u + 0.25_f64).abs() < 1e-12 && (v - 0.5).abs() < 1e-12);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Faces<T, const D: usize> {
    components: [Field<T, D>; D],
}

impl<T: Real, const D: usize> Faces<T, D> {
    /// Zero everywhere.
    pub fn zeros(grid: Grid<T, D>) -> Self {
        Self { components: core::array::from_fn(|a| Field::zeros_at(grid, Location::Face(a))) }
    }

    /// Component `a` of `f` at every face normal to `a`.
    pub fn from_fn(grid: Grid<T, D>, mut f: impl FnMut([T; D]) -> [T; D]) -> Self {
        let mut faces = Self::zeros(grid);
        for a in 0..D {
            faces[a].set_from_fn(|p| f(p)[a]);
        }
        faces
    }

    /// What a snapshot has under `name`.
    pub(crate) fn restored(
        grid: Grid<T, D>,
        snapshot: &Snapshot<T>,
        name: &'static str,
    ) -> Result<Self, Error> {
        let places = core::array::from_fn(Location::Face);
        Ok(Self { components: Field::restored(grid, places, snapshot, name)? })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        self.components[0].grid()
    }

    /// All components.
    #[inline(always)]
    pub fn components(&self) -> &[Field<T, D>; D] {
        &self.components
    }

    /// All components.
    #[inline(always)]
    pub fn components_mut(&mut self) -> &mut [Field<T, D>; D] {
        &mut self.components
    }

    /// The padded arrays of all components.
    #[inline(always)]
    pub fn slices(&self) -> [&[T]; D] {
        self.components.each_ref().map(Field::as_slice)
    }

    /// The padded arrays of all components.
    #[inline(always)]
    pub fn slices_mut(&mut self) -> [&mut [T]; D] {
        self.components.each_mut().map(Field::as_mut_slice)
    }

    /// Sets every place of every component, ghosts included.
    pub fn fill(&mut self, value: T) {
        for c in &mut self.components {
            c.fill(value);
        }
    }

    /// Takes over the values of a field of the same grid, without allocating.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        for a in 0..D {
            self.components[a].copy_from(&other.components[a])?;
        }
        Ok(())
    }

    /// The linear interpolant of each component at a world position, constant beyond the
    /// outermost samples of each component.
    pub fn sample(&self, position: [T; D]) -> [T; D] {
        core::array::from_fn(|a| {
            let c = &self.components[a];
            Lattice::clamped(c.grid(), c.location()).linear_at(c.as_slice(), position)
        })
    }

    /// The vector at the centre of a cell: the mean of its two faces along each axis.
    pub fn at_center(&self, cell: [usize; D]) -> [T; D] {
        core::array::from_fn(|a| {
            let mut above = cell;
            above[a] += 1;
            (self.components[a][cell] + self.components[a][above]) * T::of(0.5)
        })
    }

    /// The largest magnitude of any component, NaN if any value is NaN.
    pub fn max_abs(&self) -> T {
        self.components.iter().fold(T::zero(), |m, c| m.worst(c.max_abs()))
    }

    /// The first value that is not finite, as an error.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with `name` and its place.
    pub fn check_finite(&self, name: &'static str) -> Result<(), Error> {
        self.components.iter().try_for_each(|c| c.check_finite(name))
    }

    /// Adds the values to a digest.
    #[must_use]
    pub fn digest(&self, digest: Digest) -> Digest {
        self.components.iter().fold(digest, |d, c| c.digest(d))
    }
}

impl<T, const D: usize> Index<usize> for Faces<T, D> {
    type Output = Field<T, D>;
    #[inline(always)]
    fn index(&self, axis: usize) -> &Field<T, D> {
        &self.components[axis]
    }
}

impl<T, const D: usize> IndexMut<usize> for Faces<T, D> {
    #[inline(always)]
    fn index_mut(&mut self, axis: usize) -> &mut Field<T, D> {
        &mut self.components[axis]
    }
}
