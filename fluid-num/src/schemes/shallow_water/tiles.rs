//! How a sub-step walks over the water: bands of rows, in tiles of columns.
//!
//! The flows of a row through its faces, and the share of them that each cell can pay for, stay in
//! the nearest cache until the rows beside it need them; where bands and tiles meet, both sides
//! compute them.

use core::ops::Range;

use super::kernel::{Advance, Levels, Passed, depth_and_surface};
use crate::Real;
use crate::base::exec::BandPass;

/// The number of columns that are walked together.
pub(super) const TILE: usize = 2048;
/// The number of cells in a band, about.
pub(super) const BAND: usize = 1 << 16;
/// Where a tile's first column lies in a [`Line`].
const MARGIN: usize = 16;

/// The number of places in a [`Line`].
const LINE: usize = TILE + 2 * MARGIN;
/// The number of running maxima, as many as fill the widest lanes.
const LANES: usize = 16;

/// A row of a tile, with room for the columns beside it.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line<T>([T; LINE]);

impl<T: Real> Line<T> {
    #[inline(always)]
    fn zero() -> Self {
        Self([T::zero(); LINE])
    }
}

/// The depths and surfaces of a row of a tile.
#[derive(Clone, Copy)]
struct LevelLine<T> {
    depth: Line<T>,
    surface: Line<T>,
}

impl<T> LevelLine<T> {
    /// Those from a place in the lines on.
    #[inline(always)]
    fn from(&self, place: usize) -> Levels<'_, T> {
        Levels { depth: &self.depth.0[place..], surface: &self.surface.0[place..] }
    }
}

/// What would flow out of a cell, and what it holds for that.
#[inline(always)]
fn out_and_held<T: Real>([west, east, south, north]: [T; 4], depth: T) -> (T, T) {
    let zero = T::zero();
    let out =
        (east.at_least(zero) - west.at_most(zero)) + (north.at_least(zero) - south.at_most(zero));
    // The sum of four flows is rounded thrice, and each of them once more by the share.
    let safe = T::one() - T::of(8.0) * T::EPSILON;
    (out, depth * safe)
}

impl<T: Real, const CARRY: bool> Advance<'_, T, CARRY> {
    /// The row of storage that holds what a row stands for, also beyond the ghosts.
    #[inline(always)]
    fn stored_row(&self, row: usize) -> Option<usize> {
        let n = self.cells[1];
        if self.periodic[1] { self.cell_row(row) } else { (row < n + 2).then_some(row) }
    }

    /// The cells' row that a row of storage stands for, where there is one.
    #[inline(always)]
    fn cell_row(&self, row: usize) -> Option<usize> {
        let n = self.cells[1];
        if self.periodic[1] {
            Some((row + n - 1) % n + 1)
        } else {
            (1..=n).contains(&row).then_some(row)
        }
    }

    /// The levels of a row of storage, two columns more on both sides.
    #[inline(always)]
    fn set_levels(&self, row: usize, tile: &Range<usize>, levels: &mut LevelLine<T>) {
        let Some(row) = self.stored_row(row) else { return };
        let n = self.cells[0];
        let start = row * self.stride;
        let (from, to) = (tile.start.saturating_sub(2), (tile.end + 2).min(n + 2));
        let at = |column: usize| column + MARGIN - tile.start;
        let (s, d) = (&self.displacement[start + from..], &self.still[start + from..]);
        let (depth, surface) = (&mut levels.depth.0[at(from)..], &mut levels.surface.0[at(from)..]);
        let len = to - from;
        let (s, d, depth, surface) = (&s[..len], &d[..len], &mut depth[..len], &mut surface[..len]);
        for i in 0..len {
            (depth[i], surface[i]) = depth_and_surface(d[i], s[i]);
        }
        if !self.periodic[0] {
            return;
        }
        // What lies beyond the ghosts.
        let mut beyond = |at: usize, column: usize| {
            let place = start + column;
            (levels.depth.0[at], levels.surface.0[at]) =
                depth_and_surface(self.still[place], self.displacement[place]);
        };
        if tile.start == 1 {
            beyond(MARGIN - 2, n.max(2) - 1);
        }
        if tile.end == n + 1 {
            beyond(at(n + 2), n.min(2));
        }
    }

    /// The faces normal to x of a row, one column more on the left and two on the right; the
    /// velocities of the tile's own faces go to `speed`. Tells whether all are slow.
    #[inline(always)]
    fn x_faces(
        &self,
        row: usize,
        tile: &Range<usize>,
        levels: &LevelLine<T>,
        speed: &mut [T],
        flow: &mut Line<T>,
    ) -> bool {
        let Some(row) = self.cell_row(row) else {
            flow.0 = Line::zero().0;
            return true;
        };
        let n = self.cells[0];
        let start = row * self.stride;
        let at = |column: usize| column + MARGIN - tile.start;
        let width = tile.len();
        let sides = |here: usize| (levels.from(here - 1), levels.from(here));
        let (below, above) = sides(MARGIN);
        let own = &mut flow.0[MARGIN..][..width];
        let place = (0, start + tile.start);
        let mut slow = self.faces(place, below, above, &mut speed[..width], own);
        // The faces of other tiles, and those on and beyond the sides.
        let mut other = |column: usize| {
            let here = at(column);
            if self.periodic[0] || (2..=n).contains(&column) {
                let place = start + (column + n - 1) % n + 1;
                let (below, above) = sides(here);
                let ([velocity, moved], is_slow) = self.face((0, place), below, above);
                flow.0[here] = moved;
                slow &= is_slow;
                return velocity;
            }
            let is_side = column == 1 || column == n + 1;
            let edge = &self.edges[0][usize::from(column > 1)];
            flow.0[here] = if is_side { edge.moved[row] } else { T::zero() };
            slow &= flow.0[here] == T::zero();
            if is_side { edge.velocity[row] } else { T::zero() }
        };
        other(tile.start - 1);
        if tile.start == 1 {
            speed[0] = other(1);
        }
        let last = other(tile.end);
        if let Some(speed) = speed.get_mut(width) {
            *speed = last;
        }
        other(tile.end + 1);
        slow
    }

    /// The faces normal to y of a row, one column more on both sides; the velocities of the tile's
    /// own faces go to `speed`. Tells whether all are slow.
    #[inline(always)]
    fn y_faces(
        &self,
        row: usize,
        tile: &Range<usize>,
        levels: &[LevelLine<T>; 2],
        speed: &mut [T],
        flow: &mut Line<T>,
    ) -> bool {
        let [nx, ny] = self.cells;
        let at = |column: usize| column + MARGIN - tile.start;
        let (from, to) = (tile.start - 1, tile.end + 1);
        if !self.periodic[1] && !(2..=ny).contains(&row) {
            if row == 1 || row == ny + 1 {
                let edge = &self.edges[1][usize::from(row > 1)];
                speed.copy_from_slice(&edge.velocity[tile.clone()]);
                let flow = &mut flow.0[at(from)..at(to)];
                flow.copy_from_slice(&edge.moved[from..to]);
                return flow.iter().all(|moved| *moved == T::zero());
            }
            flow.0 = Line::zero().0;
            return true;
        }
        let start = ((row + ny - 1) % ny + 1) * self.stride;
        let sides = |here: usize| (levels[(row + 1) % 2].from(here), levels[row % 2].from(here));
        let (below, above) = sides(MARGIN);
        let own = &mut flow.0[MARGIN..at(tile.end)];
        let mut slow = self.faces((1, start + tile.start), below, above, speed, own);
        for column in [from, tile.end] {
            let here = at(column);
            if self.periodic[0] || (1..=nx).contains(&column) {
                let place = start + (column + nx - 1) % nx + 1;
                let (below, above) = sides(here);
                let ([_, moved], is_slow) = self.face((1, place), below, above);
                flow.0[here] = moved;
                slow &= is_slow;
            } else {
                flow.0[here] = T::zero();
            }
        }
        slow
    }

    /// The share of what would flow out of each cell that it holds, one column more on both sides;
    /// tells whether any is less than 1.
    #[inline(always)]
    fn shares(
        &self,
        row: usize,
        tile: &Range<usize>,
        flows: [&Line<T>; 3],
        depth: &Line<T>,
        share: &mut Line<T>,
    ) -> bool {
        if self.cell_row(row).is_none() {
            share.0 = [T::one(); LINE];
            return false;
        }
        let n = self.cells[0];
        let at = |column: usize| column + MARGIN - tile.start;
        let own = MARGIN..at(tile.end);
        let is_cell = |column: usize| self.periodic[0] || (1..=n).contains(&column);
        let mut scarce = Self::overdrawn(own.clone(), flows, depth);
        for column in [tile.start - 1, tile.end] {
            let here = at(column);
            scarce |= is_cell(column) && Self::overdrawn(here..here + 1, flows, depth);
        }
        if !scarce {
            return false;
        }
        Self::shares_of(own, flows, depth, share);
        for column in [tile.start - 1, tile.end] {
            let here = at(column);
            share.0[here] = T::one();
            if is_cell(column) {
                Self::shares_of(here..here + 1, flows, depth, share);
            }
        }
        true
    }

    /// Whether more would flow out of any cell than it holds.
    #[inline(always)]
    fn overdrawn(here: Range<usize>, flows: [&Line<T>; 3], depth: &Line<T>) -> bool {
        let (len, zero) = (here.len(), T::zero());
        let [x, south, north] = flows;
        let (west, east) = (&x.0[here.clone()], &x.0[here.start + 1..][..len]);
        let (south, north) = (&south.0[here.clone()], &north.0[here.clone()]);
        let depth = &depth.0[here];
        let mut debts = [zero; LANES];
        let whole = len - len % LANES;
        for first in (0..whole).step_by(LANES) {
            let (west, east) = (&west[first..][..LANES], &east[first..][..LANES]);
            let (south, north) = (&south[first..][..LANES], &north[first..][..LANES]);
            let depth = &depth[first..][..LANES];
            for i in 0..LANES {
                let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], depth[i]);
                debts[i] = debts[i].at_least(out - held);
            }
        }
        for i in whole..len {
            let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], depth[i]);
            debts[0] = debts[0].at_least(out - held);
        }
        debts.iter().any(|debt| *debt > zero)
    }

    #[inline(always)]
    fn shares_of(here: Range<usize>, flows: [&Line<T>; 3], depth: &Line<T>, share: &mut Line<T>) {
        let len = here.len();
        let [x, south, north] = flows;
        let (west, east) = (&x.0[here.clone()], &x.0[here.start + 1..][..len]);
        let (south, north) = (&south.0[here.clone()], &north.0[here.clone()]);
        let (depth, share) = (&depth.0[here.clone()], &mut share.0[here]);
        for i in 0..len {
            let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], depth[i]);
            share[i] = held / out.at_least(held).at_least(T::NEGLIGIBLE);
        }
    }

    /// Flows as far as the cells that they come from hold them.
    #[inline(always)]
    fn limit(flow: &mut [T], below: &[T], above: &[T]) {
        let len = flow.len();
        let (below, above) = (&below[..len], &above[..len]);
        for i in 0..len {
            // Both are read beforehand: a choice of what to read does not vectorise.
            let (from_below, from_above) = (below[i], above[i]);
            flow[i] *= if flow[i] > T::zero() { from_below } else { from_above };
        }
    }

    /// The rows from `rows` of a tile; `out` starts with the first of them in the first column.
    #[inline(always)]
    fn tile(&self, rows: &Range<usize>, tile: Range<usize>, out: &mut [&mut [T]; 5]) -> Passed<T> {
        let [nx, ny] = self.cells;
        let (first, end) = (rows.start + 1, rows.end + 1);
        let (width, stride) = (tile.len(), self.stride);
        // The last tile has the faces on the side, too.
        let faces = width + usize::from(tile.end == nx + 1);
        let zero = Line::zero();
        let (mut x, mut y, mut share) = ([zero; 2], [zero; 3], [Line([T::one(); LINE]); 2]);
        let mut scarce = [false; 2];
        let (mut elsewhere, mut deepest, mut fastest) = (zero, zero, zero);
        let mut through = 0.0;
        let own = MARGIN..MARGIN + width;
        let [depth_out, u_out, v_out, x_out, y_out] = out;
        let place = |row: usize| (row - first) * stride + tile.start - 1;

        let mut levels = [LevelLine { depth: zero, surface: zero }; 2];
        // Beyond the ghosts of a periodic axis.
        let below_all = if self.periodic[1] { first + ny - 2 } else { first.wrapping_sub(2) };
        self.set_levels(below_all, &tile, &mut levels[first % 2]);
        self.set_levels(first - 1, &tile, &mut levels[(first - 1) % 2]);
        let below = &mut y[(first - 1) % 3];
        // Whether the faces below the row are slow.
        let mut slow = self.y_faces(first - 1, &tile, &levels, &mut elsewhere.0[..width], below);
        for row in first - 1..end + 1 {
            // The faces above the row, those in it, and what its cells can pay for.
            let is_own = (first..end).contains(&(row + 1)) || (row == ny && end == ny + 1);
            let speed = match is_own {
                true => &mut v_out[place(row + 1)..][..width],
                false => &mut elsewhere.0[..width],
            };
            self.set_levels(row + 1, &tile, &mut levels[(row + 1) % 2]);
            let below_are_slow = slow;
            slow = self.y_faces(row + 1, &tile, &levels, speed, &mut y[(row + 1) % 3]);
            let is_own = (first..end).contains(&row);
            let speed = match is_own {
                true => &mut u_out[place(row)..][..faces],
                false => &mut elsewhere.0[..faces],
            };
            let here = &levels[row % 2];
            let all_slow = self.x_faces(row, &tile, here, speed, &mut x[row % 2]);
            let all_slow = all_slow && below_are_slow && slow;
            let flows = [&x[row % 2], &y[row % 3], &y[(row + 1) % 3]];
            scarce[row % 2] =
                !all_slow && self.shares(row, &tile, flows, &here.depth, &mut share[row % 2]);
            if !scarce[row % 2] && scarce[(row + 1) % 2] {
                share[row % 2].0 = [T::one(); LINE];
            }
            if row < first {
                continue;
            }
            // The faces below the row are between two rows of shares.
            let flow = &mut y[row % 3].0[own.clone()];
            if scarce[0] | scarce[1] {
                if !scarce[(row + 1) % 2] {
                    share[(row + 1) % 2].0 = [T::one(); LINE];
                }
                let (below, above) = (&share[(row + 1) % 2].0, &share[row % 2].0);
                Self::limit(flow, &below[own.clone()], &above[own.clone()]);
            }
            if CARRY && (row < end || row == ny + 1) {
                y_out[place(row)..][..width].copy_from_slice(flow);
            }
            if !self.periodic[1] && (row == 1 || (row == ny + 1 && end == ny + 1)) {
                let sum = flow.iter().fold(0.0, |sum, m| sum + m.to_f64());
                through += if row == 1 { sum } else { -sum };
            }
            // The row below has all that it needs.
            let Some(row) = row.checked_sub(1).filter(|r| *r >= first) else {
                continue;
            };
            let flow = &mut x[row % 2].0[MARGIN..=MARGIN + width];
            if scarce[row % 2] {
                let share = &share[row % 2].0;
                Self::limit(flow, &share[MARGIN - 1..], &share[MARGIN..]);
            }
            if CARRY {
                x_out[place(row)..][..faces].copy_from_slice(&flow[..faces]);
            }
            if !self.periodic[0] {
                if tile.start == 1 {
                    through += flow[0].to_f64();
                }
                if faces > width {
                    through -= flow[width].to_f64();
                }
            }
            let (west, east) = (&flow[..width], &flow[1..=width]);
            let (south, north) = (&y[row % 3].0[own.clone()], &y[(row + 1) % 3].0[own.clone()]);
            let start = row * stride + tile.start;
            let (s, d) = (&self.displacement[start..][..width], &self.still[start..][..width]);
            let (u, v) = (&u_out[place(row)..][..width], &v_out[place(row)..][..width]);
            let new = &mut depth_out[place(row)..][..width];
            let (deepest, fastest) = (&mut deepest.0[..width], &mut fastest.0[..width]);
            for i in 0..width {
                let displacement = s[i] - ((east[i] - west[i]) + (north[i] - south[i]));
                new[i] = displacement;
                deepest[i] = deepest[i].worst(depth_and_surface(d[i], displacement).0);
                fastest[i] = fastest[i].worst(u[i].worst(v[i]));
            }
        }
        Passed::of(self.gravity, through, deepest.0.iter().zip(&fastest.0))
    }
}

impl<T: Real, const CARRY: bool> BandPass<T, 5> for Advance<'_, T, CARRY> {
    type Output = Passed<T>;
    const GRAIN: usize = BAND;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, mut out: [&mut [T]; 5]) -> Passed<T> {
        let n = self.cells[0];
        let mut passed = Passed::nothing();
        for left in (1..=n).step_by(TILE) {
            let tile = left..(left + TILE).min(n + 1);
            passed = passed.join(self.tile(&rows, tile, &mut out));
        }
        passed
    }

    fn join(first: Passed<T>, second: Passed<T>) -> Passed<T> {
        first.join(second)
    }
}
