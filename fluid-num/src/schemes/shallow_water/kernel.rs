//! One sub-step of velocity and depth: what is computed at a face. The pass over memory that does it
//! stands in `tiles`.

use crate::Real;

/// The number of faces that are computed at once.
const BLOCK: usize = 64;

/// The share of a cell up to which what crosses a face is slow: of a cell with four such faces no more
/// flows out than it holds. What flows through a face is at most |u|Δt/Δx times twice the depth
/// upstream, and the 5 % that the slope adds: 4·0.12·2.05 < 1.
const SLOW: f64 = 0.12;

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

/// Depths and surfaces above the rest level of neighbouring cells.
#[derive(Clone, Copy)]
pub(super) struct Levels<'a, T> {
    pub(super) depth: &'a [T],
    pub(super) surface: &'a [T],
}

impl<T> Levels<'_, T> {
    /// Those from the cell number `first` on.
    #[inline(always)]
    pub(super) fn from(&self, first: usize) -> Self {
        Self { depth: &self.depth[first..], surface: &self.surface[first..] }
    }
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
pub(super) fn rise<T: Real>(below: T, above: T) -> T {
    let rise = above - below;
    let rounding = (T::of(4.0) * T::EPSILON * below.at_least(above)).at_least(T::NEGLIGIBLE);
    if rise.magnitude() <= rounding { T::zero() } else { rise }
}

impl<T: Real, const CARRY: bool> Advance<'_, T, CARRY> {
    /// Velocities and unlimited flows of faces normal to `axis`, from the one at `place` on, between
    /// cells with the levels `below` and `above`.
    ///
    /// The depth that flows is that upstream, above the sill, which is the higher bed; where there is
    /// more of it than the step between both beds, above their mean. To it comes half of the rise of
    /// the surface: all of that up to 5 % of the depth in a cell, nothing from 10 % on. With the share
    /// 1 − |u|Δt/Δx of it smooth flows are of second order (Lax and Wendroff); bores and shores are
    /// upwind.
    ///
    /// Tells whether all of them are slow.
    #[inline(always)]
    pub(super) fn faces(
        &self,
        (axis, place): (usize, usize),
        below: Levels<'_, T>,
        above: Levels<'_, T>,
        velocity: &mut [T],
        moved: &mut [T],
    ) -> bool {
        // Results that lie apart from all inputs need no checks of overlap, which would be too many.
        let (mut v, mut m) = ([T::zero(); BLOCK], [T::zero(); BLOCK]);
        let whole = velocity.len() - velocity.len() % BLOCK;
        let (velocities, rest) = velocity.split_at_mut(whole);
        let (flows, rest_of_flows) = moved.split_at_mut(whole);
        let blocks = velocities.chunks_exact_mut(BLOCK).zip(flows.chunks_exact_mut(BLOCK));
        let mut slow = true;
        for (n, (velocity, moved)) in blocks.enumerate() {
            let (first, below, above) = (n * BLOCK, below.from(n * BLOCK), above.from(n * BLOCK));
            let place = (axis, place + first);
            slow &= if self.is_level(place) {
                self.block_of_faces::<true>(place, below, above, &mut v, &mut m)
            } else {
                self.block_of_faces::<false>(place, below, above, &mut v, &mut m)
            };
            velocity.copy_from_slice(&v);
            moved.copy_from_slice(&m);
        }
        let len = rest.len();
        if len > 0 {
            let (below, above) = (below.from(whole), above.from(whole));
            let (place, v, m) = ((axis, place + whole), &mut v[..len], &mut m[..len]);
            slow &= self.block_of_faces::<false>(place, below, above, v, m);
            rest.copy_from_slice(v);
            rest_of_flows.copy_from_slice(m);
        }
        slow
    }

    /// One velocity and flow, and whether it is slow: where tiles meet, and where an axis is periodic.
    #[inline(never)]
    pub(super) fn face(
        &self,
        place: (usize, usize),
        below: Levels<'_, T>,
        above: Levels<'_, T>,
    ) -> ([T; 2], bool) {
        let (mut v, mut m) = ([T::zero()], [T::zero()]);
        let slow = self.block_of_faces::<false>(place, below, above, &mut v, &mut m);
        ([v[0], m[0]], slow)
    }

    /// Whether the ground is level across a block of faces.
    #[inline(always)]
    fn is_level(&self, (axis, place): (usize, usize)) -> bool {
        let along = if axis == 0 { 1 } else { self.stride };
        let d = self.still;
        let (below, above) = (&d[place - along..][..BLOCK], &d[place..][..BLOCK]);
        let mut steps = 0;
        for i in 0..BLOCK {
            steps |= u32::from(below[i] != above[i]);
        }
        steps == 0
    }

    /// `LEVEL` leaves out what steps of the ground do, with the same results where there are none.
    #[inline(always)]
    fn block_of_faces<const LEVEL: bool>(
        &self,
        (axis, place): (usize, usize),
        below: Levels<'_, T>,
        above: Levels<'_, T>,
        velocity: &mut [T],
        moved: &mut [T],
    ) -> bool {
        let len = velocity.len();
        let (along, across) = if axis == 0 { (1, self.stride) } else { (self.stride, 1) };
        let (ratio, dry, zero, one) = (self.ratio, self.dry_depth, T::zero(), T::one());
        let fall = self.gravity * ratio;
        let (half, tiny, gentle) = (T::of(0.5), T::NEGLIGIBLE, T::of(0.1));
        let cap = half / ratio;
        let twice_gravity = self.gravity + self.gravity;
        let moved = &mut moved[..len];
        let (h0, h1) = (&below.depth[..len], &above.depth[..len]);
        let (s0, s1) = (&below.surface[..len], &above.surface[..len]);
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
        // Velocities first, then flows: two short chains of operations overlap better than a long one.
        for i in 0..len {
            let rise = rise(s0[i], s1[i]);
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
                v += brought / (h0[i] + h1[i]).at_least(came).at_least(tiny);
                v = v.or_nothing();
            }
            // No slope makes water faster than it falls freely from where it comes (Bernoulli). Both
            // are read beforehand: a choice of what to read does not vectorise.
            let (coming, going) = (u_below[i], u_above[i]);
            let behind = if v > zero { coming } else { going };
            let free = (behind * behind + twice_gravity * rise.magnitude()).sqrt();
            let most = free.at_least(u[i].magnitude()).at_most(cap);
            velocity[i] = v.at_most(most).at_least(-most);
            moved[i] = rise;
        }
        let (slow, mut fast) = (T::of(SLOW), 0);
        for i in 0..len {
            let (depth0, depth1, v, rise) = (h0[i], h1[i], velocity[i], moved[i]);
            let (above_sill, raised) = if LEVEL {
                (if v > zero { depth0 } else { depth1 }, zero)
            } else {
                let step = d0[i] - d1[i];
                let (sill0, sill1) = (depth0 - step.at_least(zero), depth1 + step.at_most(zero));
                let above_sill = if v > zero { sill0 } else { sill1 };
                let half_step = half * step.magnitude();
                (above_sill, half_step.at_most((above_sill - half_step).at_least(zero)))
            };
            let v = if above_sill > dry { v } else { zero };
            let depth = if LEVEL { above_sill } else { above_sill + raised };
            let gentle = (gentle * depth - rise.magnitude()).at_least(zero);
            let gentle_rise = rise.at_most(gentle).at_least(-gentle);
            let crossed = ratio * v;
            let share = crossed.magnitude();
            moved[i] = crossed * depth + share * (one - share) * (half * gentle_rise);
            velocity[i] = v;
            fast |= u32::from(share > slow);
        }
        fast == 0
    }
}
