//! The shape of a grid and of every array on it.

use crate::base::{error::check, exec::Region, snapshot::Snapshot};
use crate::{Error, Real};

/// Where a quantity lives on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// At the centres of cells.
    Center,
    /// At the faces whose normal is this axis; face i is the lower face of cell i.
    Face(usize),
}

/// A uniform grid of square (cubic) cells in `D` = 2 or 3 dimensions.
///
/// Arrays are padded by one ghost layer on each side. Storage indices count the ghost layer: cell
/// (0, 0) of the grid has storage index (1, 1). Rows are padded further so that neighbouring rows
/// and planes never stand a power of two apart, where they would compete for the same cache lines.
///
/// ```
/// use fluid_num::Grid2;
/// let grid = Grid2::new([64, 48], 1.0 / 64.0)?;
/// assert_eq!(grid.cell_count(), 64 * 48);
/// assert_eq!(grid.center([0, 0]), [0.5 / 64.0, 0.5 / 64.0]);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid<T, const D: usize> {
    cells: [usize; D],
    dx: T,
    origin: [T; D],
    strides: [usize; D],
    len: usize,
}

/// The largest number of places of an array.
const MAX_LEN: usize = i32::MAX as usize / 2;
/// The largest number of cells along an axis: half cells are still exact in `f32`.
const MAX_CELLS: usize = 1 << 21;

impl<T: Real, const D: usize> Grid<T, D> {
    /// A grid of `cells` cells of edge `dx` metres, its lower corner at the origin.
    ///
    /// # Errors
    /// [`Error::EmptyGrid`] without cells or for `D` other than 2 and 3, [`Error::GridTooLarge`]
    /// beyond 2²¹ cells along an axis or 2³⁰ places in all, [`Error::InvalidParameter`] for a `dx`
    /// that is not finite and positive.
    pub fn new(cells: [usize; D], dx: T) -> Result<Self, Error> {
        if D != 2 && D != 3 {
            return Err(Error::EmptyGrid { axis: D, cells: 0 });
        }
        if let Some(axis) = cells.iter().position(|n| *n == 0) {
            return Err(Error::EmptyGrid { axis, cells: 0 });
        }
        check::positive("dx", dx)?;
        let square = dx * dx;
        if !(square >= T::NEGLIGIBLE && square <= T::one() / T::NEGLIGIBLE) {
            let expected = "between 1e-15 and 1e15 (f32) or 1e-140 and 1e140 (f64)";
            return Err(Error::InvalidParameter { name: "dx", value: dx.to_f64(), expected });
        }
        let too_large = Error::GridTooLarge { limit: MAX_LEN };
        if cells.iter().any(|n| *n > MAX_CELLS) {
            return Err(too_large);
        }
        let mut strides = [1; D];
        let mut len: usize = 1;
        for a in 0..D {
            strides[a] = len;
            let padded = if a == 0 { (cells[0] + 2).next_multiple_of(8) } else { cells[a] + 2 };
            len = len.checked_mul(padded).filter(|n| *n <= MAX_LEN).ok_or(too_large.clone())?;
            if len.is_multiple_of(256) {
                len += if a == 0 { 8 } else { strides[1] };
            }
        }
        Ok(Self { cells, dx, origin: [T::zero(); D], strides, len })
    }

    /// The same grid with its lower corner at `origin`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an origin that is not finite.
    pub fn with_origin(self, origin: [T; D]) -> Result<Self, Error> {
        check::all_finite("origin", &origin)?;
        Ok(Self { origin, ..self })
    }

    /// The number of cells along each axis.
    #[inline(always)]
    pub fn cells(&self) -> [usize; D] {
        self.cells
    }

    /// The edge of a cell, m.
    #[inline(always)]
    pub fn dx(&self) -> T {
        self.dx
    }

    /// The lower corner, m.
    #[inline(always)]
    pub fn origin(&self) -> [T; D] {
        self.origin
    }

    /// The edges of the whole domain, m.
    pub fn size(&self) -> [T; D] {
        self.cells.map(|n| T::of_usize(n) * self.dx)
    }

    /// The distances between neighbours in an array along each axis.
    #[inline(always)]
    pub fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// The number of places of an array, ghost layers and padding included.
    #[inline(always)]
    pub fn array_len(&self) -> usize {
        self.len
    }

    /// The number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Where cell `cell` lies in an array (the face below it too).
    #[inline(always)]
    pub fn index(&self, cell: [usize; D]) -> usize {
        (0..D).map(|a| (cell[a] + 1) * self.strides[a]).sum()
    }

    /// The cell whose array index is `index`; ghost cells wrap below zero.
    pub fn cell_at(&self, index: usize) -> [usize; D] {
        let mut rest = index;
        let mut cell = [0; D];
        for a in (0..D).rev() {
            cell[a] = (rest / self.strides[a]).wrapping_sub(1);
            rest %= self.strides[a];
        }
        cell
    }

    /// The centre of a cell, m.
    pub fn center(&self, cell: [usize; D]) -> [T; D] {
        self.position(Location::Center, cell)
    }

    /// Where the value of `cell` at `location` lies, m.
    pub fn position(&self, location: Location, cell: [usize; D]) -> [T; D] {
        core::array::from_fn(|a| {
            let half = if location == Location::Face(a) { T::zero() } else { T::of(0.5) };
            self.origin[a] + (T::of_usize(cell[a]) + half) * self.dx
        })
    }

    /// Adds the number of cells to a snapshot.
    pub(crate) fn snapshot(&self, snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot.with_words("cells", self.cells.map(|n| n as u64))
    }

    /// Checks that a snapshot is of as many cells.
    pub(crate) fn check_snapshot(&self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        if snapshot.words("cells")? == self.cells.map(|n| n as u64) {
            return Ok(());
        }
        Err(Error::GridMismatch { name: "the snapshot" })
    }

    /// Every cell.
    pub fn interior(&self) -> Region<D> {
        self.region(Location::Center)
    }

    /// Every value at `location`: all cells, or all faces along an axis with both boundaries.
    pub fn region(&self, location: Location) -> Region<D> {
        let hi = core::array::from_fn(|a| {
            self.cells[a] + 1 + usize::from(location == Location::Face(a))
        });
        Region { lo: [1; D], hi, strides: self.strides }
    }

    /// The cells whose centres lie in a box.
    pub fn within(&self, [lo, hi]: [[T; D]; 2]) -> Region<D> {
        let mut region = self.interior();
        for a in 0..D {
            let count = T::of_usize(self.cells[a]);
            // The number of centres below a coordinate.
            let below = |x: T| {
                let cells = ((x - self.origin[a]) / self.dx + T::of(0.5)).at_least(T::zero());
                cells.at_most(count).truncate() as usize
            };
            region.lo[a] = 1 + below(lo[a]);
            region.hi[a] = 1 + below(hi[a]);
        }
        region
    }

    /// The places between cells along `axis`: faces without the two boundaries.
    pub fn inner_faces(&self, axis: usize) -> Region<D> {
        let mut region = self.interior();
        region.lo[axis] = 2;
        region
    }
}
