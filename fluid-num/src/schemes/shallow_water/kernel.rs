//! One sub-step of velocity and depth in one pass over memory.
//!
//! A band of rows is walked in tiles of columns. The flows of a row through its faces, and the share
//! of them that each cell can pay for, stay in the nearest cache until the rows beside it need them;
//! where bands and tiles meet, both sides compute them.

use core::ops::Range;

use crate::Real;
use crate::base::exec::BandPass;

/// The number of columns that are walked together.
const TILE: usize = 512;
/// Where a tile's first column lies in a [`Line`].
const MARGIN: usize = 16;

/// The number of places in a [`Line`].
const LINE: usize = TILE + 2 * MARGIN;
/// The number of faces that are computed at once.
const BLOCK: usize = 64;
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

/// What is known beforehand of the faces on one side: by the place along it, ghosts included.
#[derive(Debug, Clone)]
pub(super) struct Edge<T> {
    /// The velocity along the axis, m/s.
    pub(super) velocity: alloc::vec::Vec<T>,
    /// What flows through in the sub-step: the depth that it makes in a cell, m.
    pub(super) moved: alloc::vec::Vec<T>,
}

/// What a sub-step found on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed<T> {
    /// Not less than the sum of any velocity component and the speed of waves there, m/s.
    pub(super) fastest: T,
    /// The largest velocity component, m/s.
    pub(super) speed: T,
    /// What came in through the sides less what left: the sum of depths, m.
    pub(super) through: f64,
}

impl<T: Real> Passed<T> {
    pub(super) fn nothing() -> Self {
        Self { fastest: T::zero(), speed: T::zero(), through: 0.0 }
    }

    /// From the largest depth and velocity of each of several groups of cells.
    #[inline(always)]
    pub(super) fn of<'a>(
        gravity: T,
        through: f64,
        groups: impl Iterator<Item = (&'a T, &'a T)>,
    ) -> Self {
        let mut passed = Self { through, ..Self::nothing() };
        for (deepest, fastest) in groups {
            let speed = fastest.magnitude();
            passed.speed = passed.speed.worst(speed);
            passed.fastest = passed.fastest.worst(speed + (gravity * *deepest).sqrt());
        }
        passed
    }

    pub(super) fn join(self, other: Self) -> Self {
        Self {
            fastest: self.fastest.worst(other.fastest),
            speed: self.speed.worst(other.speed),
            through: self.through + other.through,
        }
    }
}

/// The velocity by the slope of the surface (and what is carried along, where `CARRY`), then the
/// depth by what flows through faces.
///
/// The outputs are the displacement, both velocities, and both flows (the last two only where
/// `CARRY`).
pub(super) struct Advance<'a, T, const CARRY: bool> {
    /// b + s is the depth and z + s the surface above the rest level, where b = max(D, 0) and
    /// z = max(−D, 0).
    pub(super) displacement: &'a [T],
    /// The still depth D: what the rest level lies above the bed.
    pub(super) still: &'a [T],
    pub(super) velocity: [&'a [T]; 2],
    /// What flowed through each face in the last sub-step, m.
    pub(super) moved: [&'a [T]; 2],
    pub(super) edges: &'a [[Edge<T>; 2]; 2],
    pub(super) periodic: [bool; 2],
    pub(super) cells: [usize; 2],
    pub(super) stride: usize,
    /// Δt/Δx, s/m.
    pub(super) ratio: T,
    /// The gravity, m/s².
    pub(super) gravity: T,
    /// The depth that flows at least, m.
    pub(super) dry_depth: T,
}

/// The depth and the surface above the rest level.
#[inline(always)]
pub(super) fn depth_and_surface<T: Real>(still: T, displacement: T) -> (T, T) {
    let basin = still.at_least(T::zero());
    (basin + displacement, (basin - still) + displacement)
}

/// How far the surface rises from one cell to the next; nothing where that is rounding.
///
/// Below the rest level a lake at rest has the same displacement everywhere. Above it the
/// displacement is the depth, rounded to half a unit in the last place, and rounded again in the
/// sum with the ground: at most ε·surface for both, 2ε for the difference of two. Fields that fade
/// end where numbers would become subnormal.
#[inline(always)]
fn rise<T: Real>(below: T, above: T) -> T {
    let rise = above - below;
    let rounding = (T::of(4.0) * T::EPSILON * below.at_least(above)).at_least(T::NEGLIGIBLE);
    if rise.magnitude() <= rounding { T::zero() } else { rise }
}

/// What would flow out of a cell, and what it holds for that.
#[inline(always)]
fn out_and_held<T: Real>([west, east, south, north]: [T; 4], still: T, displacement: T) -> (T, T) {
    let zero = T::zero();
    let out =
        (east.at_least(zero) - west.at_most(zero)) + (north.at_least(zero) - south.at_most(zero));
    // The sum of four flows is rounded thrice, and each of them once more by the share.
    let safe = T::one() - T::of(8.0) * T::EPSILON;
    (out, depth_and_surface(still, displacement).0 * safe)
}

impl<T: Real, const CARRY: bool> Advance<'_, T, CARRY> {
    /// Velocities and unlimited flows of faces normal to `axis`, from the one at `place` on.
    ///
    /// The depth that flows is that upstream, above the sill, which is the higher bed; where there is
    /// more of it than the step between both beds, above their mean. To it comes half of the rise of
    /// the surface: all of that up to 5 % of the depth in a cell, nothing from 10 % on. With the share
    /// 1 − |u|Δt/Δx of it smooth flows are of second order (Lax and Wendroff); bores and shores are
    /// upwind.
    #[inline(always)]
    fn faces(&self, axis: usize, place: usize, velocity: &mut [T], moved: &mut [T]) {
        // Results that lie apart from all inputs need no checks of overlap, which would be too many.
        let (mut v, mut m) = ([T::zero(); BLOCK], [T::zero(); BLOCK]);
        let whole = velocity.len() - velocity.len() % BLOCK;
        let (velocities, rest) = velocity.split_at_mut(whole);
        let (flows, rest_of_flows) = moved.split_at_mut(whole);
        let blocks = velocities.chunks_exact_mut(BLOCK).zip(flows.chunks_exact_mut(BLOCK));
        for (n, (velocity, moved)) in blocks.enumerate() {
            self.block_of_faces(axis, place + n * BLOCK, &mut v, &mut m);
            velocity.copy_from_slice(&v);
            moved.copy_from_slice(&m);
        }
        let len = rest.len();
        if len > 0 {
            self.block_of_faces(axis, place + whole, &mut v[..len], &mut m[..len]);
            rest.copy_from_slice(&v[..len]);
            rest_of_flows.copy_from_slice(&m[..len]);
        }
    }

    #[inline(always)]
    fn block_of_faces(&self, axis: usize, place: usize, velocity: &mut [T], moved: &mut [T]) {
        let len = velocity.len();
        let (along, across) = if axis == 0 { (1, self.stride) } else { (self.stride, 1) };
        let (ratio, dry, zero, one) = (self.ratio, self.dry_depth, T::zero(), T::one());
        let fall = self.gravity * ratio;
        let (half, tiny, gentle) = (T::of(0.5), T::NEGLIGIBLE, T::of(0.1));
        let cap = half / ratio;
        let twice_gravity = self.gravity + self.gravity;
        let moved = &mut moved[..len];
        let s = self.displacement;
        let (s0, s1) = (&s[place - along..][..len], &s[place..][..len]);
        let d = self.still;
        let (d0, d1) = (&d[place - along..][..len], &d[place..][..len]);
        let own = self.velocity[axis];
        let u = &own[place..][..len];
        let (u_below, u_above) = (&own[place - along..][..len], &own[place + along..][..len]);
        let (u_left, u_right) = (&own[place - across..][..len], &own[place + across..][..len]);
        let (m, cross) = (self.moved[axis], self.moved[1 - axis]);
        let (m_below, m_here) = (&m[place - along..][..len], &m[place..][..len]);
        let m_above = &m[place + along..][..len];
        let (c0, c1) = (&cross[place - along..][..len], &cross[place..][..len]);
        let c2 = &cross[place + across - along..][..len];
        let c3 = &cross[place + across..][..len];
        for i in 0..len {
            let (depth0, surface0) = depth_and_surface(d0[i], s0[i]);
            let (depth1, surface1) = depth_and_surface(d1[i], s1[i]);
            let rise = rise(surface0, surface1);
            let mut v = u[i] - fall * rise;
            if CARRY {
                // (Δ(hu) − uΔh)/h by upwind values, above and below the line twice as large: what
                // flows in brings its own velocity.
                let from_below = (m_below[i] + m_here[i]).at_least(zero);
                let from_above = (m_here[i] + m_above[i]).at_most(zero);
                let from_left = (c0[i] + c1[i]).at_least(zero);
                let from_right = (c2[i] + c3[i]).at_most(zero);
                let brought = (from_below * (u_below[i] - u[i]) - from_above * (u_above[i] - u[i]))
                    + (from_left * (u_left[i] - u[i]) - from_right * (u_right[i] - u[i]));
                let came = (from_below - from_above) + (from_left - from_right);
                v += brought / (depth0 + depth1).at_least(came).at_least(tiny);
                v = v.or_nothing();
            }
            // No slope makes water faster than it falls freely from where it comes (Bernoulli).
            let behind = if v > zero { u_below[i] } else { u_above[i] };
            let free = (behind * behind + twice_gravity * rise.magnitude()).sqrt();
            let most = free.at_least(u[i].magnitude()).at_most(cap);
            let v = v.at_most(most).at_least(-most);
            let step = d0[i] - d1[i];
            let (sill0, sill1) = (depth0 - step.at_least(zero), depth1 + step.at_most(zero));
            let above_sill = if v > zero { sill0 } else { sill1 };
            let v = if above_sill > dry { v } else { zero };
            let half_step = half * step.magnitude();
            let depth = above_sill + half_step.at_most((above_sill - half_step).at_least(zero));
            let gentle = (gentle * depth - rise.magnitude()).at_least(zero);
            let gentle_rise = rise.at_most(gentle).at_least(-gentle);
            let share = ratio * v.magnitude();
            moved[i] = ratio * v * depth + share * (one - share) * (half * gentle_rise);
            velocity[i] = v;
        }
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

    /// The faces normal to x of a row, one column more on the left and two on the right; the
    /// velocities of the tile's own faces go to `speed`.
    #[inline(always)]
    fn x_faces(&self, row: usize, tile: &Range<usize>, speed: &mut [T], flow: &mut Line<T>) {
        let Some(row) = self.cell_row(row) else {
            flow.0 = Line::zero().0;
            return;
        };
        let n = self.cells[0];
        let start = row * self.stride;
        let at = |column: usize| column + MARGIN - tile.start;
        let width = tile.len();
        self.faces(
            0,
            start + tile.start,
            &mut speed[..width],
            &mut flow.0[at(tile.start)..][..width],
        );
        // The faces of other tiles, and those on and beyond the sides.
        let mut other = |column: usize| {
            let here = at(column);
            let mut velocity = [T::zero()];
            if self.periodic[0] || (2..=n).contains(&column) {
                let place = start + (column + n - 1) % n + 1;
                self.faces(0, place, &mut velocity, &mut flow.0[here..=here]);
            } else if column == 1 || column == n + 1 {
                let edge = &self.edges[0][usize::from(column > 1)];
                (velocity[0], flow.0[here]) = (edge.velocity[row], edge.moved[row]);
            } else {
                flow.0[here] = T::zero();
            }
            velocity[0]
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
    }

    /// The faces normal to y of a row, one column more on both sides; the velocities of the tile's
    /// own faces go to `speed`.
    #[inline(always)]
    fn y_faces(&self, row: usize, tile: &Range<usize>, speed: &mut [T], flow: &mut Line<T>) {
        let [nx, ny] = self.cells;
        let at = |column: usize| column + MARGIN - tile.start;
        let (from, to) = (tile.start - 1, tile.end + 1);
        if !self.periodic[1] && !(2..=ny).contains(&row) {
            if row == 1 || row == ny + 1 {
                let edge = &self.edges[1][usize::from(row > 1)];
                speed.copy_from_slice(&edge.velocity[tile.clone()]);
                flow.0[at(from)..at(to)].copy_from_slice(&edge.moved[from..to]);
            } else {
                flow.0 = Line::zero().0;
            }
            return;
        }
        let start = ((row + ny - 1) % ny + 1) * self.stride;
        self.faces(1, start + tile.start, speed, &mut flow.0[at(tile.start)..at(tile.end)]);
        for column in [from, tile.end] {
            let here = at(column);
            if self.periodic[0] || (1..=nx).contains(&column) {
                let place = start + (column + nx - 1) % nx + 1;
                self.faces(1, place, &mut [T::zero()], &mut flow.0[here..=here]);
            } else {
                flow.0[here] = T::zero();
            }
        }
    }

    /// The share of what would flow out of each cell that it holds, one column more on both sides;
    /// tells whether any is less than 1.
    #[inline(always)]
    fn shares(
        &self,
        row: usize,
        tile: &Range<usize>,
        flows: [&Line<T>; 3],
        share: &mut Line<T>,
    ) -> bool {
        let Some(row) = self.cell_row(row) else {
            share.0 = [T::one(); LINE];
            return false;
        };
        let n = self.cells[0];
        let start = row * self.stride;
        let at = |column: usize| column + MARGIN - tile.start;
        let own = at(tile.start)..at(tile.end);
        let mut scarce = self.overdrawn(start + tile.start, own.clone(), flows);
        for column in [tile.start - 1, tile.end] {
            if self.periodic[0] || (1..=n).contains(&column) {
                let (place, here) = (start + (column + n - 1) % n + 1, at(column));
                scarce |= self.overdrawn(place, here..here + 1, flows);
            }
        }
        if !scarce {
            return false;
        }
        self.shares_of(start + tile.start, own, flows, share);
        for column in [tile.start - 1, tile.end] {
            let here = at(column);
            share.0[here] = T::one();
            if self.periodic[0] || (1..=n).contains(&column) {
                self.shares_of(start + (column + n - 1) % n + 1, here..here + 1, flows, share);
            }
        }
        true
    }

    /// Whether more would flow out of any cell than it holds.
    #[inline(always)]
    fn overdrawn(&self, place: usize, here: Range<usize>, flows: [&Line<T>; 3]) -> bool {
        let (len, zero) = (here.len(), T::zero());
        let [x, south, north] = flows;
        let (west, east) = (&x.0[here.clone()], &x.0[here.start + 1..][..len]);
        let (south, north) = (&south.0[here.clone()], &north.0[here]);
        let (s, d) = (&self.displacement[place..][..len], &self.still[place..][..len]);
        let mut debts = [zero; LANES];
        let whole = len - len % LANES;
        for first in (0..whole).step_by(LANES) {
            let (west, east) = (&west[first..][..LANES], &east[first..][..LANES]);
            let (south, north) = (&south[first..][..LANES], &north[first..][..LANES]);
            let (s, d) = (&s[first..][..LANES], &d[first..][..LANES]);
            for i in 0..LANES {
                let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], d[i], s[i]);
                debts[i] = debts[i].at_least(out - held);
            }
        }
        for i in whole..len {
            let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], d[i], s[i]);
            debts[0] = debts[0].at_least(out - held);
        }
        debts.iter().any(|debt| *debt > zero)
    }

    #[inline(always)]
    fn shares_of(
        &self,
        place: usize,
        here: Range<usize>,
        flows: [&Line<T>; 3],
        share: &mut Line<T>,
    ) {
        let len = here.len();
        let [x, south, north] = flows;
        let (west, east) = (&x.0[here.clone()], &x.0[here.start + 1..][..len]);
        let (south, north) = (&south.0[here.clone()], &north.0[here.clone()]);
        let (s, d) = (&self.displacement[place..][..len], &self.still[place..][..len]);
        let share = &mut share.0[here];
        for i in 0..len {
            let (out, held) = out_and_held([west[i], east[i], south[i], north[i]], d[i], s[i]);
            share[i] = held / out.at_least(held).at_least(T::NEGLIGIBLE);
        }
    }

    /// Flows as far as the cells that they come from hold them.
    #[inline(always)]
    fn limit(flow: &mut [T], below: &[T], above: &[T]) {
        let len = flow.len();
        let (below, above) = (&below[..len], &above[..len]);
        for i in 0..len {
            let share = if flow[i] > T::zero() { below[i] } else { above[i] };
            flow[i] *= share;
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

        let below = &mut y[(first - 1) % 3];
        self.y_faces(first - 1, &tile, &mut elsewhere.0[..width], below);
        for row in first - 1..end + 1 {
            // The faces above the row, those in it, and what its cells can pay for.
            let is_own = (first..end).contains(&(row + 1)) || (row == ny && end == ny + 1);
            let speed = match is_own {
                true => &mut v_out[place(row + 1)..][..width],
                false => &mut elsewhere.0[..width],
            };
            self.y_faces(row + 1, &tile, speed, &mut y[(row + 1) % 3]);
            let is_own = (first..end).contains(&row);
            let speed = match is_own {
                true => &mut u_out[place(row)..][..faces],
                false => &mut elsewhere.0[..faces],
            };
            self.x_faces(row, &tile, speed, &mut x[row % 2]);
            let flows = [&x[row % 2], &y[row % 3], &y[(row + 1) % 3]];
            scarce[row % 2] = self.shares(row, &tile, flows, &mut share[row % 2]);
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
    const GRAIN: usize = 1 << 16;

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
