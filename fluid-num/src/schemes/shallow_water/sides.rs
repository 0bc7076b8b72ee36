//! What comes in and leaves through the sides, and ghosts.

use alloc::vec;
use core::array;

use super::kernel::{Edge, depth_and_surface};
use super::{ShallowWaterParams, WaterSide};
use crate::grid::boundary::wrap_axis;
use crate::{Faces, Field, Grid, Real};

/// What the sides are computed from.
pub(super) struct Inside<'a, T> {
    pub(super) params: &'a ShallowWaterParams<T>,
    pub(super) displacement: &'a Field<T, 2>,
    pub(super) still: &'a Field<T, 2>,
    pub(super) velocity: &'a Faces<T, 2>,
    /// The time at which the sub-step begins, s.
    pub(super) time: f64,
}

/// Depth and velocity: what is known beside a side, positive towards the outside.
#[derive(Clone, Copy)]
struct State<T> {
    depth: T,
    speed: T,
}

impl<T: Real> Edge<T> {
    /// Nothing flows anywhere.
    pub(super) fn all(grid: &Grid<T, 2>) -> [[Self; 2]; 2] {
        array::from_fn(|axis| {
            array::from_fn(|_| {
                let zeros = vec![T::zero(); grid.cells()[1 - axis] + 2];
                Self { velocity: zeros.clone(), moved: zeros }
            })
        })
    }
}

/// Turns what flows per second into what flows in a sub-step of Δt = ratio·Δx.
pub(super) fn scale<T: Real>(edges: &mut [[Edge<T>; 2]; 2], ratio: T) {
    for moved in edges.iter_mut().flatten().flat_map(|edge| &mut edge.moved) {
        *moved *= ratio;
    }
}

impl<T: Real> Inside<'_, T> {
    /// Computes what flows through every side, m²/s, and gives the largest sum of a velocity and the
    /// speed of waves there.
    pub(super) fn flows(&self, edges: &mut [[Edge<T>; 2]; 2]) -> T {
        let mut fastest = T::zero();
        for (axis, ends) in edges.iter_mut().enumerate() {
            for (end, edge) in ends.iter_mut().enumerate() {
                fastest = fastest.worst(self.flows_at(axis, end, edge));
            }
        }
        fastest
    }

    fn flows_at(&self, axis: usize, end: usize, edge: &mut Edge<T>) -> T {
        let side = self.params.sides[axis][end];
        if matches!(side, WaterSide::Wall | WaterSide::Periodic) {
            edge.velocity.fill(T::zero());
            edge.moved.fill(T::zero());
            return T::zero();
        }
        let mut fastest = T::zero();
        let grid = self.displacement.grid();
        let (cells, strides) = (grid.cells(), grid.strides());
        let outward = if end == 0 { -T::one() } else { T::one() };
        let (cell, face) = if end == 0 { (1, 2) } else { (cells[axis], cells[axis]) };
        let wave = self.wave(side);
        for i in 1..=cells[1 - axis] {
            let place = cell * strides[axis] + i * strides[1 - axis];
            let inner = face * strides[axis] + i * strides[1 - axis];
            let still = self.still.as_slice()[place];
            let (depth, _) = depth_and_surface(still, self.displacement.as_slice()[place]);
            // The only face of a single cell is the opposite side.
            let speed = outward * self.velocity[axis].as_slice()[inner];
            let inside = State { depth, speed };
            let flow = match side {
                WaterSide::Discharge { rate } => self.discharge(rate, still, inside),
                WaterSide::Surface { level } => {
                    let depth = (still + (level - self.params.rest_level)).at_least(T::zero());
                    self.held(inside, State { depth, speed: T::zero() })
                }
                _ => {
                    let current = self.params.current[axis] * outward;
                    self.riemann(inside, self.outside(still, wave, current))
                }
            };
            let wet = flow.depth > self.params.dry_depth;
            let speed = if wet { outward * flow.speed } else { T::zero() };
            edge.velocity[i] = speed;
            edge.moved[i] = speed * flow.depth;
            if wet {
                fastest = fastest.worst(speed.magnitude() + self.wave_speed(flow));
            }
        }
        fastest
    }

    /// How far the water beyond a wave maker stands above the rest level.
    fn wave(&self, side: WaterSide<T>) -> T {
        let WaterSide::Waves { amplitude, period } = side else { return T::zero() };
        // The part of the period first: the sine of a large number knows less.
        let turns = self.time / period.to_f64();
        let phase = T::of(2.0 * core::f64::consts::PI * (turns - libm::floor(turns)));
        amplitude * phase.portable_sin_cos().0
    }

    /// The water beyond an open side, with the velocity of a wave that comes in.
    fn outside(&self, still: T, wave: T, current: T) -> State<T> {
        let depth = still.at_least(T::zero());
        if depth == T::zero() {
            return State { depth, speed: T::zero() };
        }
        let inward = wave * (self.params.gravity / depth).sqrt();
        State { depth: (depth + wave).at_least(T::zero()), speed: current - inward }
    }

    /// What lies at the side between two states, by the invariants u ± 2√(gh) that arrive there.
    fn riemann(&self, inside: State<T>, outside: State<T>) -> State<T> {
        let (half, two, third) = (T::of(0.5), T::of(2.0), T::of(1.0 / 3.0));
        let (c_in, c_out) = (self.wave_speed(inside), self.wave_speed(outside));
        let (leaving, entering) = (inside.speed + two * c_in, outside.speed - two * c_out);
        let speed = half * (leaving + entering);
        let waves = (half * half * (leaving - entering)).at_least(T::zero());
        let depth_of = |c: T| c * c / self.params.gravity;
        if speed > waves {
            // Nothing can come in against the stream.
            if inside.speed > c_in {
                return inside;
            }
            let critical = (leaving * third).at_least(T::zero());
            return State { depth: depth_of(critical), speed: critical };
        }
        if speed < -waves {
            if outside.speed < -c_out {
                return outside;
            }
            let critical = (-entering * third).at_least(T::zero());
            return State { depth: depth_of(critical), speed: -critical };
        }
        State { depth: depth_of(waves), speed }
    }

    /// The velocity that the invariant from inside asks for where the surface is held.
    fn held(&self, inside: State<T>, outside: State<T>) -> State<T> {
        let (c_in, c_out) = (self.wave_speed(inside), self.wave_speed(outside));
        let speed = inside.speed + T::of(2.0) * (c_in - c_out);
        if speed.magnitude() > c_out {
            self.riemann(inside, outside)
        } else {
            State { speed, ..outside }
        }
    }

    /// Water at a given rate, at most as fast as a weir lets it: at the critical depth ∛(q²/g). Where
    /// less is there than that depth, no more leaves than comes by itself or falls over the weir.
    fn discharge(&self, rate: T, still: T, inside: State<T>) -> State<T> {
        if still <= T::zero() {
            return State { depth: T::zero(), speed: T::zero() };
        }
        if rate < T::zero() {
            let most = inside.speed.at_least(self.wave_speed(inside));
            return State { speed: (-rate / inside.depth).at_most(most), ..inside };
        }
        let critical = libm::cbrt((rate * rate / self.params.gravity).to_f64());
        let depth =
            inside.depth.at_least(T::of(critical)).at_least(self.params.dry_depth * T::of(2.0));
        State { depth, speed: -rate / depth }
    }

    fn wave_speed(&self, state: State<T>) -> T {
        (self.params.gravity * state.depth).sqrt()
    }
}

/// Sets the ghosts of a field of cells: what is opposite on periodic axes, else what is beside.
pub(super) fn fill_cells<T: Real>(field: &mut Field<T, 2>, periodic: [bool; 2]) {
    for axis in 0..2 {
        if periodic[axis] {
            wrap_axis(field, axis);
        } else {
            copy_plane(field, axis, (0, 1));
            copy_plane(field, axis, (field.grid().cells()[axis] + 1, field.grid().cells()[axis]));
        }
    }
}

/// The same for faces normal to `normal`, whose values on the sides are set.
pub(super) fn fill_faces<T: Real>(field: &mut Field<T, 2>, normal: usize, periodic: [bool; 2]) {
    for axis in 0..2 {
        let n = field.grid().cells()[axis];
        match (periodic[axis], axis == normal) {
            (true, true) => copy_plane(field, axis, (0, n)),
            (true, false) => wrap_axis(field, axis),
            (false, true) => copy_plane(field, axis, (0, 1)),
            (false, false) => {
                copy_plane(field, axis, (0, 1));
                copy_plane(field, axis, (n + 1, n));
            }
        }
    }
}

fn copy_plane<T: Real>(field: &mut Field<T, 2>, axis: usize, (to, from): (usize, usize)) {
    let (cells, strides) = (field.grid().cells(), field.grid().strides());
    let data = field.as_mut_slice();
    for i in 0..cells[1 - axis] + 2 {
        let line = i * strides[1 - axis];
        data[line + to * strides[axis]] = data[line + from * strides[axis]];
    }
}

/// Sets the faces on the upper side of a periodic axis, which are those on the lower one.
pub(super) fn close<T: Real>(field: &mut Field<T, 2>, axis: usize) {
    copy_plane(field, axis, (field.grid().cells()[axis] + 1, 1));
}
