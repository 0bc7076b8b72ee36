//! Bodies as hull columns: what of each cell they fill, and the surface around them.
//!
//! A column displaces d = cover·(min(level, top) − max(bottom, bed)) of water. The level is that of
//! the water *around* the body: a plane through the surface of the wet cells near it that no body
//! covers. The water in a column does not push its own measure up, so that bodies cannot pump. What
//! is displaced lifts the bed: the water of the column keeps its depth, and flows off by itself.

use alloc::vec;
use alloc::vec::Vec;
use core::array;
use core::ops::Range;

use super::kernel::depth_and_surface;
use super::level::{Level, plane};
use super::{ShallowWater, sides};
use crate::solid::Body;
use crate::{Error, Grid, Real};

/// The part of a body above or below a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<T> {
    /// The cell, or the nearest one of a column beyond a side.
    pub(super) place: usize,
    /// Whether it stands in the domain.
    pub(super) inside: bool,
    /// The number of the cell along x and y, beyond the seams of periodic axes.
    pub(super) index: [T; 2],
    /// The share of the cell's area.
    pub(super) cover: T,
    /// The ends, m.
    pub(super) bottom: T,
    pub(super) top: T,
}

/// Bodies, and their columns where they were last seen.
#[derive(Debug, Clone)]
pub(super) struct Hulls<T> {
    pub(super) list: Vec<Body<T, 3>>,
    /// The bodies whose columns these are.
    seen: Vec<Body<T, 3>>,
    columns: Vec<Column<T>>,
    /// Where the columns of each body end, and the cells between which they stand.
    ends: Vec<(usize, [Range<isize>; 2])>,
    /// The cells of the columns before.
    before: Vec<usize>,
    /// What is displaced in each cell, m; empty before there was any body.
    displaced: Vec<T>,
    wanted: Vec<T>,
    /// The share of each cell that bodies cover, seen from above.
    cover: Vec<T>,
}

/// What happens to the water of a column whose body moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    /// It stays, and is lifted.
    Depth,
    /// It makes room: the surface stays.
    Surface,
}

impl<T: Real> Hulls<T> {
    pub(super) fn none() -> Self {
        Self {
            list: Vec::new(),
            seen: Vec::new(),
            columns: Vec::new(),
            ends: Vec::new(),
            before: Vec::new(),
            displaced: Vec::new(),
            wanted: Vec::new(),
            cover: Vec::new(),
        }
    }

    /// Whether there are no bodies, nor were any in the last step.
    fn are_none(&self) -> bool {
        self.list.is_empty() && self.seen.is_empty() && self.before.is_empty()
    }

    /// Forgets where the bodies were seen, so that their columns are found again.
    pub(super) fn look_again(&mut self) {
        self.seen.clear();
    }

    /// What is displaced in a cell, m.
    pub(super) fn displaced(&self, place: usize) -> T {
        self.displaced.get(place).copied().unwrap_or(T::zero())
    }

    /// What is displaced everywhere, if any was yet.
    pub(super) fn all_displaced(&self) -> &[T] {
        &self.displaced
    }

    /// Takes over what a snapshot knew; the columns are found again.
    pub(super) fn restore(&mut self, list: Vec<Body<T, 3>>, displaced: Vec<T>) {
        let len = displaced.len();
        *self = Self { list, displaced, ..Self::none() };
        self.wanted.resize(len, T::zero());
        self.cover.resize(len, T::zero());
        let zero = T::zero();
        let filled = self.displaced.iter().enumerate().filter(|(_, d)| **d != zero);
        self.before.extend(filled.map(|(place, _)| place));
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        self.seen.clone_from(&other.seen);
        self.columns.clone_from(&other.columns);
        self.ends.clone_from(&other.ends);
        self.before.clone_from(&other.before);
        self.displaced.clone_from(&other.displaced);
        self.wanted.clone_from(&other.wanted);
        self.cover.clone_from(&other.cover);
    }

    /// Checks what the caller may have changed.
    pub(super) fn check(&self) -> Result<(), Error> {
        for body in &self.list {
            body.check()?;
            if body.shape.bounds().is_none() {
                return Err(Error::InvalidParameter {
                    name: "the size of a body's shape",
                    value: f64::INFINITY,
                    expected: "finite; make walls and piers by the bed",
                });
            }
        }
        Ok(())
    }

    /// The columns of a body, and the cells between which they stand.
    pub(super) fn of(&self, body: usize) -> (&[Column<T>], [Range<isize>; 2]) {
        let start = if body == 0 { 0 } else { self.ends[body - 1].0 };
        let (end, cells) = &self.ends[body];
        (&self.columns[start..*end], cells.clone())
    }

    fn is_seen(&self) -> bool {
        let same = |(a, b): (&Body<T, 3>, &Body<T, 3>)| {
            a.position == b.position && a.rotation() == b.rotation() && a.shape == b.shape
        };
        self.list.len() == self.seen.len() && self.list.iter().zip(&self.seen).all(same)
    }

    /// Finds the columns of all bodies.
    fn find_columns(&mut self, grid: &Grid<T, 2>, periodic: [bool; 2]) {
        if self.is_seen() {
            return;
        }
        if self.displaced.is_empty() {
            let zeros = vec![T::zero(); grid.array_len()];
            (self.wanted, self.cover) = (zeros.clone(), zeros.clone());
            self.displaced = zeros;
        }
        self.before.extend(self.columns.iter().filter(|c| c.inside).map(|c| c.place));
        self.before.iter().for_each(|place| self.cover[*place] = T::zero());
        self.columns.clear();
        self.ends.clear();
        for body in &self.list {
            let cells = footprint(body, grid, periodic);
            let first = self.columns.len();
            let mut any = false;
            for j in cells[1].clone() {
                for i in cells[0].clone() {
                    if let Some(column) = column(body, grid, periodic, [i, j]) {
                        any |= column.inside;
                        self.columns.push(column);
                    }
                }
            }
            if !any {
                self.columns.truncate(first);
            }
            self.ends.push((self.columns.len(), cells));
        }
        for column in self.columns.iter().filter(|c| c.inside) {
            self.cover[column.place] += column.cover;
        }
        self.make_room(grid);
        if self.seen.len() == self.list.len() {
            for (seen, body) in self.seen.iter_mut().zip(&self.list) {
                if seen.shape != body.shape {
                    seen.shape.clone_from(&body.shape);
                }
                seen.follow(body);
            }
        } else {
            self.seen.clone_from(&self.list);
        }
    }

    /// Takes memory for as many columns as the bodies have however they turn.
    fn make_room(&mut self, grid: &Grid<T, 2>) {
        let most = grid.cell_count().saturating_mul(9);
        let room = self.list.iter().filter_map(|body| body.shape.bounds()).fold(0, |sum, ends| {
            // A box casts no larger shadow than the root of the sum of its squared sides, and no
            // wider one than its diagonal w: that meets A + 4w + 4 cells at most.
            let [a, b, c] = array::from_fn(|n| ((ends[1][n] - ends[0][n]) / grid.dx()).to_f64());
            let (ab, bc, ca) = (a * b, b * c, c * a);
            let shadow = T::of(ab * ab + bc * bc + ca * ca).sqrt();
            let across = T::of(a * a + b * b + c * c).sqrt();
            let cells = shadow + T::of(4.0) * across + T::of(4.0);
            sum + (cells.at_most(T::of(1e8)).truncate().max(0) as usize + 1).min(most)
        });
        self.columns.reserve(room.saturating_sub(self.columns.len()));
        self.before.reserve((2 * room).saturating_sub(self.before.len()));
    }
}

/// The cells that a body may stand in: not more than once around periodic axes, and not farther
/// beyond other sides than the domain is long.
fn footprint<T: Real>(
    body: &Body<T, 3>,
    grid: &Grid<T, 2>,
    periodic: [bool; 2],
) -> [Range<isize>; 2] {
    let Some([lo, hi]) = body.bounds() else { return [0..0, 0..0] };
    array::from_fn(|a| {
        let n = grid.cells()[a];
        let size = T::of_usize(n);
        let cell = |x: T| (x - grid.origin()[a]) / grid.dx();
        if periodic[a] {
            // The body nearest to the domain of all its images.
            let shift = size * (cell(body.position[a]) / size).floor();
            let first = (cell(lo[a]) - shift).at_least(-size).floor_index() as isize;
            let last = (cell(hi[a]) - shift).at_most(size + size).floor_index() as isize;
            return first..(last + 1).min(first + n as isize).max(first);
        }
        let clamp = |x: T| x.at_least(-size).at_most(size + size);
        let first = clamp(cell(lo[a])).floor_index() as isize;
        first..clamp(cell(hi[a])).floor_index() as isize + 1
    })
}

/// Where a cell is stored, and whether it lies in the domain.
pub(super) fn stored<T: Real>(
    grid: &Grid<T, 2>,
    periodic: [bool; 2],
    index: [isize; 2],
) -> (usize, bool) {
    let mut inside = true;
    let cell = array::from_fn(|a| {
        let n = grid.cells()[a] as isize;
        if periodic[a] {
            return index[a].rem_euclid(n) as usize;
        }
        inside &= (0..n).contains(&index[a]);
        index[a].clamp(0, n - 1) as usize
    });
    (grid.index(cell), inside)
}

/// What a body fills above and below a cell: the mean over lines through it.
fn column<T: Real>(
    body: &Body<T, 3>,
    grid: &Grid<T, 2>,
    periodic: [bool; 2],
    index: [isize; 2],
) -> Option<Column<T>> {
    /// The number of lines along each axis.
    const LINES: usize = 3;
    let [lo, hi] = body.bounds()?;
    let (dx, half) = (grid.dx(), T::of(0.5));
    // What was shifted by periods is shifted back.
    let shift: [T; 2] = array::from_fn(|a| {
        let size = grid.size()[a];
        let far = (body.position[a] - grid.origin()[a]) / size;
        if periodic[a] { size * far.floor() } else { T::zero() }
    });
    let whole = index.map(|i| T::of_index(i as i32));
    let (mut count, mut bottom, mut top) = (0, T::zero(), T::zero());
    for line in 0..LINES * LINES {
        let part =
            [line % LINES, line / LINES].map(|n| (T::of_usize(n) + half) / T::of_usize(LINES));
        let at: [T; 2] =
            array::from_fn(|a| grid.origin()[a] + shift[a] + (whole[a] + part[a]) * dx);
        if let Some([from, to]) = span(body, at, [lo[2], hi[2]], dx) {
            count += 1;
            bottom += from;
            top += to;
        }
    }
    if count == 0 {
        return None;
    }
    let (place, inside) = stored(grid, periodic, index);
    let (count, lines) = (T::of_usize(count), T::of_usize(LINES * LINES));
    let (bottom, top, cover) = (bottom / count, top / count, count / lines);
    Some(Column { place, inside, index: whole, cover, bottom, top })
}

/// Where a vertical line enters a body, and where it leaves it for good.
fn span<T: Real>(body: &Body<T, 3>, [x, y]: [T; 2], [lo, hi]: [T; 2], dx: T) -> Option<[T; 2]> {
    /// No line that hits a body well needs more; those that graze it may miss it.
    const MOST: usize = 40;
    let near = dx * T::of(1e-3);
    let seek = |from: T, sign: T| {
        let mut far = T::zero();
        for _ in 0..MOST {
            let z = from + sign * far;
            let distance = body.signed_distance([x, y, z]);
            if distance <= near {
                return Some(z);
            }
            far += distance;
            if far > hi - lo {
                break;
            }
        }
        None
    };
    let bottom = seek(lo, T::one())?;
    let top = seek(hi, -T::one())?;
    (top > bottom).then_some([bottom, top])
}

impl<T: Real> ShallowWater<T> {
    /// The bodies.
    pub fn bodies(&self) -> &[Body<T, 3>] {
        &self.hulls.list
    }

    /// The bodies, to be changed; the third axis points up. `step` checks them, and adds what the
    /// water and the ground do to them to their force and torque (see the [module](super));
    /// [`Self::advance_bodies`] moves them. Forces of your own are added before `step`, which takes
    /// them into account.
    ///
    /// A body that comes, moves or goes leaves the water of its cells there; it flows off or comes
    /// in by itself. [`Self::set_surface`] sets the water around bodies at rest. A body that is
    /// hollow above counts as flooded, one wholly beyond a side that is not periodic does nothing.
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, 3>> {
        &mut self.hulls.list
    }

    /// What bodies displace, m³.
    pub fn displaced_volume(&self) -> f64 {
        let region = self.grid.interior();
        let rows = (0..region.rows()).map(|n| region.row(n));
        let sum = rows
            .flat_map(|row| row.start..row.start + row.len)
            .fold(0.0, |sum, place| sum + self.hulls.displaced(place).to_f64());
        sum * self.cell_area()
    }

    /// Lets the bodies displace water where they are now.
    pub(super) fn place_bodies(&mut self, keeps: Keeps) {
        let periodic = self.params.periodic();
        if self.hulls.are_none() {
            return;
        }
        let mut hulls = core::mem::replace(&mut self.hulls, Hulls::none());
        hulls.find_columns(&self.grid, periodic);
        for place in hulls.before.iter().chain(hulls.columns.iter().map(|c| &c.place)) {
            hulls.wanted[*place] = T::zero();
        }
        for n in 0..hulls.list.len() {
            let Some(level) = self.surface_around(&hulls, n) else { continue };
            let start = if n == 0 { 0 } else { hulls.ends[n - 1].0 };
            for column in hulls.columns[start..hulls.ends[n].0].iter().filter(|c| c.inside) {
                hulls.wanted[column.place] += self.displaced_in(column, &level);
            }
        }
        let mut changed = false;
        for n in 0..hulls.before.len() + hulls.columns.len() {
            let place = match hulls.before.get(n) {
                Some(place) => *place,
                None => hulls.columns[n - hulls.before.len()].place,
            };
            let wanted = hulls.wanted[place];
            if wanted != hulls.displaced[place] {
                hulls.displaced[place] = wanted;
                self.lift(place, wanted, keeps);
                changed = true;
            }
        }
        hulls.before.clear();
        self.hulls = hulls;
        if changed {
            sides::fill_cells(&mut self.still, periodic);
            sides::fill_cells(&mut self.displacement, periodic);
        }
    }

    /// Takes all bodies out of the bed; `place_bodies` puts them back.
    pub(super) fn take_bodies_out(&mut self) {
        for place in self.grid.interior().places() {
            if self.hulls.displaced(place) != T::zero() {
                self.hulls.displaced[place] = T::zero();
                self.still.as_mut_slice()[place] =
                    self.params.rest_level - self.bed.as_slice()[place];
                self.hulls.before.push(place);
            }
        }
        sides::fill_cells(&mut self.still, self.params.periodic());
    }

    /// What a column displaces at a level, m.
    pub(super) fn displaced_in(&self, column: &Column<T>, level: &Level<T>) -> T {
        let rest = self.params.rest_level;
        let ground = self.bed.as_slice()[column.place];
        let top = level.at(column.index).at_most(column.top - rest);
        let bottom = column.bottom.at_least(ground) - rest;
        column.cover * (top - bottom).at_least(T::zero())
    }

    /// Lifts the bed of a cell to `displaced` above the ground. What rounding makes of the water is
    /// told as poured in, as is what makes room.
    fn lift(&mut self, place: usize, displaced: T, keeps: Keeps) {
        let zero = T::zero();
        let still = &mut self.still.as_mut_slice()[place];
        let s = &mut self.displacement.as_mut_slice()[place];
        let sum = |still: T, s: T| still.at_least(zero).to_f64() + s.to_f64();
        let (before, depth) = (sum(*still, *s), depth_and_surface(*still, *s).0);
        let ground = (zero - *still).at_least(zero);
        *still = self.params.rest_level - (self.bed.as_slice()[place] + displaced);
        let basin = still.at_least(zero);
        *s = match keeps {
            Keeps::Depth => depth - basin,
            Keeps::Surface => {
                let lifted = (zero - *still).at_least(zero) - ground;
                (*s - lifted).at_least(-basin)
            }
        };
        if keeps == Keeps::Depth {
            self.tally.edits += sum(*still, *s) - before;
        }
    }

    /// The surface around a body, or of the water beneath it where it covers all there is.
    pub(super) fn surface_around(&self, hulls: &Hulls<T>, body: usize) -> Option<Level<T>> {
        /// How far around it is looked.
        const REACH: isize = 2;
        let (columns, cells) = hulls.of(body);
        let periodic = self.params.periodic();
        if columns.is_empty() {
            return None;
        }
        let around = cells.map(|r| r.start - REACH..r.end + REACH);
        let (s, d) = (self.displacement.as_slice(), self.still.as_slice());
        let seen = around[1].clone().flat_map(|j| {
            around[0].clone().filter_map(move |i| {
                let (place, inside) = stored(&self.grid, periodic, [i, j]);
                let (depth, surface) = depth_and_surface(d[place], s[place]);
                let open = inside && hulls.cover[place] == T::zero();
                let index = [i, j].map(|i| T::of_index(i as i32));
                (open && depth > self.params.dry_depth).then_some((index, surface))
            })
        });
        plane(seen).or_else(|| {
            let beneath = columns.iter().filter(|c| c.inside).filter_map(|c| {
                let depth = depth_and_surface(d[c.place], s[c.place]).0;
                let surface = self.bed.as_slice()[c.place] - self.params.rest_level + depth;
                (depth > self.params.dry_depth).then_some((c.index, surface))
            });
            let level = plane(beneath)?;
            Some(Level { slope: [T::zero(); 2], ..level })
        })
    }
}
