//! A scalar on every cell.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut, Range};

use super::{Grid, Location, sample::Lattice};
use crate::base::digest::Digest;
use crate::base::exec::{self, BandPass, Region};
use crate::base::reduction::{GRAIN, Largest, Total};
use crate::base::snapshot::Snapshot;
use crate::{Error, Real};

/// A scalar on every cell (or, inside [`super::Faces`], on every face along one axis).
///
/// Indexing by a cell panics outside the grid, as slices do; [`Field::get`] does not.
///
/// ```
/// use fluid_num::{Field, Grid2};
/// let grid = Grid2::new([4, 3], 0.5)?;
/// let field = Field::from_fn(grid, |[x, y]| x + 2.0 * y);
/// assert_eq!(field[[1, 2]], 0.75 + 2.0 * 1.25);
/// assert_eq!(field.sample([1.0, 0.6]), 1.0 + 1.2); // linear: exact between centres
/// assert_eq!(field.get([4, 0]), None);
/// assert_eq!(field.get([usize::MAX, 0]), None);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Field<T, const D: usize> {
    grid: Grid<T, D>,
    location: Location,
    data: Vec<T>,
}

impl<T: Real, const D: usize> Field<T, D> {
    /// Zero everywhere.
    pub fn zeros(grid: Grid<T, D>) -> Self {
        Self::zeros_at(grid, Location::Center)
    }

    pub(crate) fn zeros_at(grid: Grid<T, D>, location: Location) -> Self {
        Self { grid, location, data: vec![T::zero(); grid.array_len()] }
    }

    /// Fields at these places, of what a snapshot has under `name`: one after the other.
    pub(crate) fn restored<const N: usize>(
        grid: Grid<T, D>,
        places: [Location; N],
        snapshot: &Snapshot<T>,
        name: &'static str,
    ) -> Result<[Self; N], Error> {
        let count = places.iter().map(|at| grid.region(*at).count()).sum();
        let mut values = snapshot.values_exactly(name, count)?.iter().copied();
        Ok(places.map(|at| Self::of_values(grid, at, &mut values)))
    }

    /// The field whose [`Self::values`] come next; zero where there are no more.
    pub(crate) fn of_values(
        grid: Grid<T, D>,
        location: Location,
        values: &mut impl Iterator<Item = T>,
    ) -> Self {
        let mut field = Self::zeros_at(grid, location);
        let region = field.region();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            let places = field.data[row.start..][..row.len].iter_mut();
            places.zip(&mut *values).for_each(|(place, value)| *place = value);
        }
        field
    }

    /// The value of `f` at every centre.
    pub fn from_fn(grid: Grid<T, D>, f: impl FnMut([T; D]) -> T) -> Self {
        let mut field = Self::zeros(grid);
        field.set_from_fn(f);
        field
    }

    /// Sets every value to `f` of its position.
    pub fn set_from_fn(&mut self, mut f: impl FnMut([T; D]) -> T) {
        let region = self.region();
        for n in 0..region.rows() {
            let row = region.row(n);
            let mut cell = row.at.map(|i| i - 1);
            for i in 0..row.len {
                cell[0] = row.at[0] - 1 + i;
                self.data[row.start + i] = f(self.grid.position(self.location, cell));
            }
        }
    }

    /// The grid.
    #[inline(always)]
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// Where the values live.
    #[inline(always)]
    pub fn location(&self) -> Location {
        self.location
    }

    /// The whole padded array; see [`Grid`] for its layout.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The whole padded array; see [`Grid`] for its layout.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// All values without ghosts and padding.
    pub fn region(&self) -> Region<D> {
        self.grid.region(self.location)
    }

    /// The rows of values along x, y fastest, without ghosts and padding.
    pub fn rows(&self) -> impl Iterator<Item = &[T]> {
        let region = self.region();
        (0..region.rows()).map(move |n| region.row(n).of(&self.data))
    }

    /// Every value without ghosts and padding, x fastest.
    pub fn values(&self) -> impl Iterator<Item = T> {
        self.rows().flatten().copied()
    }

    /// The value of a cell, or `None` outside.
    pub fn get(&self, cell: [usize; D]) -> Option<T> {
        self.contains(cell).then(|| self.data[self.grid.index(cell)])
    }

    /// Sets every place, ghosts included, to `value`.
    pub fn fill(&mut self, value: T) {
        self.data.fill(value);
    }

    /// Takes over the values of a field of the same grid, without allocating.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid || self.location != other.location {
            return Err(Error::GridMismatch { name: "the source field" });
        }
        self.data.copy_from_slice(&other.data);
        Ok(())
    }

    /// Checks that a field a user may have replaced is still one of `grid` at `location`.
    pub(crate) fn check_shape(
        &self,
        grid: &Grid<T, D>,
        location: Location,
        name: &'static str,
    ) -> Result<(), Error> {
        if self.grid == *grid && self.location == location {
            return Ok(());
        }
        Err(Error::GridMismatch { name })
    }

    /// Lets scratch memory stand for a field at another location.
    pub(crate) fn relocate(&mut self, location: Location) {
        self.location = location;
    }

    /// Exchanges the values, and nothing else, with a field of the same grid.
    pub(crate) fn swap_values(&mut self, other: &mut Self) {
        core::mem::swap(&mut self.data, &mut other.data);
    }

    /// The linear interpolant at a world position, constant beyond the outermost centres.
    pub fn sample(&self, position: [T; D]) -> T {
        Lattice::clamped(&self.grid, self.location).linear_at(&self.data, position)
    }

    /// The sum of all values, in a fixed order, accumulated in `f64`.
    pub fn sum(&self) -> f64 {
        let region = self.region();
        exec::reduce(&region, &Sum { values: &self.data, region }).unwrap_or(0.0)
    }

    /// The largest magnitude, NaN if any value is NaN.
    pub fn max_abs(&self) -> T {
        max_abs(&self.region(), &self.data)
    }

    /// The smallest and the largest value (NaN is skipped).
    pub fn min_max(&self) -> (T, T) {
        let numbers = || self.values().filter(|v| v.partial_cmp(v).is_some());
        let first = numbers().next().unwrap_or(self.data[self.region().row(0).start]);
        self.values().fold((first, first), |(lo, hi), v| (v.at_most(lo), v.at_least(hi)))
    }

    /// The first value that is not finite, as an error.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with `name` and its place.
    pub fn check_finite(&self, name: &'static str) -> Result<(), Error> {
        if self.max_abs().is_finite() {
            return Ok(());
        }
        let place = self.first_not_finite().unwrap_or([0; 3]);
        Err(Error::NotFinite { name, place })
    }

    pub(crate) fn first_not_finite(&self) -> Option<[usize; 3]> {
        let region = self.region();
        (0..region.rows()).find_map(|n| {
            let row = region.row(n);
            let i = row.of(&self.data).iter().position(|v| !v.is_finite())?;
            let mut place = [0; 3];
            for a in 0..D {
                place[a] = row.at[a] - 1;
            }
            place[0] += i;
            Some(place)
        })
    }

    /// Adds the values to a digest.
    #[must_use]
    pub fn digest(&self, digest: Digest) -> Digest {
        self.rows().fold(digest, |d, row| d.values(row))
    }

    /// Fills ghosts and padding with NaN.
    #[cfg(test)]
    pub(crate) fn poison_ghosts(&mut self) {
        let clean = self.clone();
        self.fill(T::of(f64::NAN));
        let region = self.region();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            self.data[row.start..][..row.len].copy_from_slice(row.of(&clean.data));
        }
    }

    fn contains(&self, cell: [usize; D]) -> bool {
        let region = self.region();
        (0..D).all(|a| cell[a] < region.hi[a] - 1)
    }
}

impl<T: Real, const D: usize> Index<[usize; D]> for Field<T, D> {
    type Output = T;
    fn index(&self, cell: [usize; D]) -> &T {
        assert!(self.contains(cell), "cell {cell:?} lies outside the grid");
        &self.data[self.grid.index(cell)]
    }
}

impl<T: Real, const D: usize> IndexMut<[usize; D]> for Field<T, D> {
    fn index_mut(&mut self, cell: [usize; D]) -> &mut T {
        assert!(self.contains(cell), "cell {cell:?} lies outside the grid");
        &mut self.data[self.grid.index(cell)]
    }
}

struct Sum<'a, T, const D: usize> {
    values: &'a [T],
    region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Sum<'_, T, D> {
    type Output = f64;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> f64 {
        let mut sum = Total::new();
        for n in rows {
            sum.take(self.region.row(n).of(self.values));
        }
        sum.value()
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The largest magnitude over a region, NaN if any value is NaN.
pub(crate) fn max_abs<T: Real, const D: usize>(region: &Region<D>, values: &[T]) -> T {
    exec::reduce(region, &MaxAbs { values, region: *region }).unwrap_or(T::zero())
}

struct MaxAbs<'a, T, const D: usize> {
    values: &'a [T],
    region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for MaxAbs<'_, T, D> {
    type Output = T;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> T {
        let mut most = Largest::new();
        for n in rows {
            most.take(self.region.row(n).of(self.values));
        }
        most.value()
    }

    fn join(a: T, b: T) -> T {
        a.worst(b)
    }
}
