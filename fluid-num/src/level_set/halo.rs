//! Scratch arrays with two ghost layers, so that differences of second order need no special case.

use crate::Real;
use crate::base::exec::{self, Region, Row, RowPass};
use crate::grid::Grid;
use crate::{Boundary, Field};

/// The width of the ghost layers.
pub(super) const WIDTH: usize = 2;
/// As far as matters, in cells: products of differences of such values are numbers.
pub(super) const FAR: f64 = 1e9;

/// The layout of scratch arrays over the cells of a grid. Values are in cells, not metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Halo<T, const D: usize> {
    pub(super) grid: Grid<T, D>,
    pub(super) strides: [usize; D],
    pub(super) len: usize,
    periods: [bool; D],
}

impl<T: Real, const D: usize> Halo<T, D> {
    pub(super) fn new(grid: Grid<T, D>) -> Self {
        let (mut strides, mut len) = ([1; D], 1);
        for a in 0..D {
            strides[a] = len;
            let places = grid.cells()[a] + 2 * WIDTH;
            len *= if a == 0 { places.next_multiple_of(8) } else { places };
            if len.is_multiple_of(256) {
                len += if a == 0 { 8 } else { strides[1] };
            }
        }
        Self { grid, strides, len, periods: [false; D] }
    }

    /// The same for the sides of a level set.
    pub(super) fn within(mut self, boundary: &Boundary<T, D>) -> Self {
        self.periods = core::array::from_fn(|a| boundary.is_periodic(a));
        self
    }

    /// Every cell.
    pub(super) fn interior(&self) -> Region<D> {
        let hi = self.grid.cells().map(|n| n + WIDTH);
        Region { lo: [WIDTH; D], hi, strides: self.strides }
    }

    /// The storage indices of a place.
    #[inline(always)]
    pub(super) fn at(&self, place: usize) -> [usize; D] {
        let (mut at, mut rest) = ([0; D], place);
        for a in (0..D).rev() {
            at[a] = rest / self.strides[a];
            rest %= self.strides[a];
        }
        at
    }

    /// Where cell `at` of this layout lies in an array of the grid.
    #[inline(always)]
    pub(super) fn in_grid(&self, at: [usize; D]) -> usize {
        (0..D).map(|a| (at[a] + 1 - WIDTH) * self.grid.strides()[a]).sum()
    }

    /// Sets `out` to a field in cells, at most [`FAR`]: inside, and mirrored or wrapped beyond the sides.
    pub(super) fn load(&self, field: &Field<T, D>, out: &mut [T]) {
        let dx = self.grid.dx();
        let (scale, far) = (T::one() / dx, T::of(FAR) * dx);
        let pass = Load { halo: self, field: field.as_slice(), scale, far };
        exec::rows(&self.interior(), [&mut *out], &pass);
        self.fill_ghosts(out, |value| value);
    }

    /// Fills the ghosts: beyond periodic sides with the opposite values, beyond others with what
    /// `beyond` makes of the mirrored ones.
    pub(super) fn fill_ghosts<V: Copy>(&self, data: &mut [V], beyond: impl Fn(V) -> V) {
        let mut region = self.interior();
        for axis in 0..D {
            let (n, stride) = (self.grid.cells()[axis], self.strides[axis]);
            let mut plane = region;
            for layer in 0..WIDTH {
                // The lower ghost and the upper one, with the places they are made from.
                let from = |steps: usize| {
                    if self.periods[axis] { n - 1 - steps % n } else { steps.min(n - 1) }
                };
                let lower = (WIDTH - 1 - layer, WIDTH + from(layer));
                let upper = (WIDTH + n + layer, WIDTH + n - 1 - from(layer));
                for (ghost, source) in [lower, upper] {
                    (plane.lo[axis], plane.hi[axis]) = (ghost, ghost + 1);
                    for row in (0..plane.rows()).map(|r| plane.row(r)) {
                        for i in row.start..row.start + row.len {
                            let value = data[i + source * stride - ghost * stride];
                            data[i] = if self.periods[axis] { value } else { beyond(value) };
                        }
                    }
                }
            }
            (region.lo[axis], region.hi[axis]) = (0, n + 2 * WIDTH);
        }
    }

    /// Whether an axis is periodic.
    #[inline(always)]
    pub(super) fn is_periodic(&self, axis: usize) -> bool {
        self.periods[axis]
    }

    /// The way from a point to cell `at`, in cells; in periodic directions from the nearest of its images.
    #[inline(always)]
    pub(super) fn away(&self, at: [usize; D], point: [T; D]) -> [T; D] {
        let mut away = [T::zero(); D];
        for a in 0..D {
            away[a] = T::of_index(at[a] as i32) - point[a];
            if self.periods[a] {
                let n = T::of_usize(self.grid.cells()[a]);
                let half = n * T::of(0.5);
                if away[a] > half {
                    away[a] -= n;
                } else if away[a] < -half {
                    away[a] += n;
                }
            }
        }
        away
    }

    /// The neighbour of the cell `at` one step along an axis, unless it lies beyond a side.
    #[inline(always)]
    pub(super) fn beside(
        &self,
        place: usize,
        at: [usize; D],
        axis: usize,
        up: bool,
    ) -> Option<usize> {
        let (n, stride) = (self.grid.cells()[axis], self.strides[axis]);
        let (last, around) = (if up { WIDTH + n - 1 } else { WIDTH }, (n - 1) * stride);
        match (at[axis] != last, up) {
            (true, true) => Some(place + stride),
            (true, false) => Some(place - stride),
            (false, true) => self.periods[axis].then(|| place - around),
            (false, false) => self.periods[axis].then_some(place + around),
        }
    }

    /// Calls `set` with every ghost that repeats a cell.
    #[inline(always)]
    pub(super) fn images(&self, place: usize, mut set: impl FnMut(usize)) {
        if self.periods == [false; D] {
            return;
        }
        // The lowest image along each axis and how many there are, the cell among them.
        let (cells, mut first, mut count) = (self.grid.cells(), self.at(place), [1; D]);
        for a in (0..D).filter(|a| self.periods[*a]) {
            first[a] %= cells[a];
            count[a] = (cells[a] + 2 * WIDTH - 1 - first[a]) / cells[a] + 1;
        }
        // Beyond a corner of several periodic axes lies the image along all of them.
        for number in 0..count.iter().product() {
            let (mut image, mut rest) = (0, number);
            for a in 0..D {
                image += (first[a] + rest % count[a] * cells[a]) * self.strides[a];
                rest /= count[a];
            }
            if image != place {
                set(image);
            }
        }
    }
}

struct Load<'a, T, const D: usize> {
    halo: &'a Halo<T, D>,
    field: &'a [T],
    scale: T,
    /// What |φ| is cut at, m.
    far: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Load<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let field = &self.field[self.halo.in_grid(row.at)..][..row.len];
        let (out, scale, far) = (&mut out[..row.len], self.scale, self.far);
        for i in 0..row.len {
            out[i] = field[i].at_most(far).at_least(-far) * scale;
        }
    }
}
