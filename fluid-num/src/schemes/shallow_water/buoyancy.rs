//! What water and ground do to bodies, and bodies to water.
//!
//! ```text
//! F = Σ ρ g d Δx² (−∂η/∂x, −∂η/∂y, 1)          buoyancy, normal to the surface around
//! R = −½ ρ C S |u − u_w| (u − u_w)              drag, S = V^⅔ along the water, the waterplane A up
//! W = −½ ρ g A^(3/2)/√(gh) w                    the waves that heaving makes
//! ```
//!
//! The caller moves a body with the mean force of the step. Springs and brakes are therefore taken as
//! at the end of the step: with stiffness k and damping c the velocity becomes that of the implicit
//! step, (v + Δt (F/m − g))/(1 + q), q = Δt (c + k Δt)/m, whatever the mass.

use core::ops::Range;

use super::hulls::{Column, stored};
use super::kernel::depth_and_surface;
use super::level::Level;
use super::{ShallowWater, ShallowWaterParams, sides};
use crate::solid::Body;
use crate::{Error, Field, Grid, Real};

/// The friction of bodies on the ground over their weight on it.
const GROUND_FRICTION: f64 = 0.5;
/// How far a body sinks into the ground by its weight, cells.
const GROUND_GIVES: f64 = 0.02;

/// Sums over the columns of a body.
#[derive(Clone, Copy)]
struct Sums<T> {
    /// What the columns feel, and its torque about the centre of mass.
    force: [T; 3],
    torque: [T; 3],
    /// The volume displaced, m³.
    volume: T,
    /// The area that the surface cuts, m², and its second moments about x, y and z.
    area: T,
    moments: [T; 3],
    /// The shares of cells that stand on the ground, and their moments in m².
    contact: T,
    contact_moments: [T; 3],
    /// The force of the ground upwards, N.
    weight: T,
}

/// Brakes: how much force a velocity (a torque an angular velocity) costs, stiffness times Δt included.
struct Brakes<T> {
    linear: [T; 3],
    angular: [T; 3],
}

/// The water that feels a body: around and beneath it.
struct Near<T> {
    /// The mass on faces normal to each axis, kg, and its mean velocity.
    mass: [T; 2],
    velocity: [T; 2],
    depth: T,
}

impl<T: Real> ShallowWater<T> {
    /// Adds what the bodies felt in a step of `dt` to their force and torque.
    pub(super) fn push_bodies(&mut self, dt: T) -> Result<(), Error> {
        for n in 0..self.hulls.list.len() {
            let level = self.surface_around(&self.hulls, n);
            self.hold(n, level, dt)?;
        }
        Ok(())
    }

    fn hold(&mut self, n: usize, level: Option<Level<T>>, dt: T) -> Result<(), Error> {
        if self.hulls.of(n).0.is_empty() {
            return Ok(());
        }
        let sums = self.sums(n, level);
        let near = self.near(n);
        let body = &self.hulls.list[n];
        let (brakes, drag) = self.brakes(body, &sums, &near, dt);
        let (force, torque, impulse) = self.wrench(body, &sums, &brakes, (&near, drag), dt);
        let body = &mut self.hulls.list[n];
        for a in 0..3 {
            body.force[a] += force[a];
            body.torque[a] += torque[a];
        }
        let good = body.force.iter().chain(&body.torque).all(|x| x.is_finite());
        self.push_water(n, &near, impulse);
        match good {
            true => Ok(()),
            false => Err(Error::NotFinite { name: "body force", place: [n, 0, 0] }),
        }
    }

    /// Buoyancy, and the ground's resistance.
    fn sums(&self, n: usize, level: Option<Level<T>>) -> Sums<T> {
        let zero = T::zero();
        let (dx, params) = (self.grid.dx(), &self.params);
        let area = dx * dx;
        let body = &self.hulls.list[n];
        let mut sums = Sums {
            force: [zero; 3],
            torque: [zero; 3],
            volume: zero,
            area: zero,
            moments: [zero; 3],
            contact: zero,
            contact_moments: [zero; 3],
            weight: zero,
        };
        let columns = self.hulls.of(n).0;
        for column in columns {
            let depth = column.bottom - self.bed.as_slice()[column.place];
            if depth < zero {
                sums.contact += column.cover;
            }
        }
        let stiffness = self.ground_stiffness(body);
        for column in columns {
            let arm = self.arm(body, column);
            let squares = moments(arm);
            if let Some(level) = level {
                let displaced = self.displaced_in(column, &level);
                let weight = params.water_density * params.gravity * displaced * area;
                let [sx, sy] = level.slope.map(|slope| slope / dx);
                let push = [-sx * weight, -sy * weight, weight];
                let surface = level.at(column.index) + params.rest_level;
                let middle = (column.bottom + surface.at_most(column.top)) * T::of(0.5);
                sums.add([arm[0], arm[1], middle - body.position[2]], push);
                sums.volume += displaced * area;
                if displaced > zero && surface < column.top {
                    sums.area += column.cover * area;
                    for a in 0..3 {
                        sums.moments[a] += squares[a] * column.cover * area;
                    }
                }
            }
            let sunk = self.bed.as_slice()[column.place] - column.bottom;
            if sunk > zero && stiffness > zero {
                let up = stiffness * sunk * column.cover / sums.contact;
                let [nx, ny] = self.ground_slope(column);
                let length = (T::one() + nx * nx + ny * ny).sqrt();
                let push = [-nx, -ny, T::one()].map(|n| n * up / length);
                sums.weight += push[2];
                sums.add([arm[0], arm[1], column.bottom - body.position[2]], push);
                for a in 0..3 {
                    sums.contact_moments[a] += squares[a] * column.cover / sums.contact;
                }
            }
        }
        sums
    }

    /// Where a column stands, from the centre of mass, m.
    fn arm(&self, body: &Body<T, 3>, column: &Column<T>) -> [T; 2] {
        core::array::from_fn(|a| {
            let size = self.grid.size()[a];
            let mut at = body.position[a] - self.grid.origin()[a];
            if self.params.periodic()[a] {
                at -= size * (at / size).floor();
            }
            (column.index[a] + T::of(0.5)) * self.grid.dx() - at
        })
    }

    fn ground_stiffness(&self, body: &Body<T, 3>) -> T {
        if !body.is_dynamic() {
            return T::zero();
        }
        body.mass * self.params.gravity / (T::of(GROUND_GIVES) * self.grid.dx())
    }

    /// How steep the ground is, at most upright.
    fn ground_slope(&self, column: &Column<T>) -> [T; 2] {
        let bed = self.bed.as_slice();
        let cell = self.grid.cell_at(column.place);
        core::array::from_fn(|a| {
            let (stride, n) = (self.grid.strides()[a], self.grid.cells()[a]);
            let low = if cell[a] > 0 { column.place - stride } else { column.place };
            let high = if cell[a] + 1 < n { column.place + stride } else { column.place };
            let rise = (bed[high] - bed[low]) / (T::of(2.0) * self.grid.dx());
            rise.at_most(T::of(2.0)).at_least(-T::of(2.0))
        })
    }

    /// Drag and the making of waves, the ground, and all stiffness; the drag alone as well.
    fn brakes(&self, body: &Body<T, 3>, sums: &Sums<T>, near: &Near<T>, dt: T) -> (Brakes<T>, T) {
        let (params, half) = (&self.params, T::of(0.5));
        let v = body.velocity;
        let [rx, ry] = [0, 1].map(|a| v[a] - near.velocity[a]);
        let cross_section = {
            // V^⅔ by roots that are the same everywhere.
            let edge = T::of(libm::cbrt(sums.volume.to_f64()));
            edge * edge
        };
        let dynamic = half * params.water_density * params.hull_drag;
        let drag = dynamic * cross_section * (rx * rx + ry * ry).sqrt();
        let waves = (params.gravity * near.depth.at_least(params.dry_depth)).sqrt();
        let radiation = half * params.water_density * params.gravity * sums.area * sums.area.sqrt();
        let heave =
            dynamic * sums.area.at_least(cross_section) * v[2].magnitude() + radiation / waves;
        let spring = params.water_density * params.gravity;
        let ground = self.ground_stiffness(body);
        let touches = if sums.contact > T::zero() { T::one() } else { T::zero() };
        let ground_brake = touches * (ground * dt + (ground * body.mass).sqrt());
        let speed = (v[0] * v[0] + v[1] * v[1]).sqrt();
        let slow = params.gravity * dt;
        let friction = T::of(GROUND_FRICTION) * sums.weight / speed.at_least(slow);
        let linear = [
            drag + friction + touches * ground * dt * half,
            drag + friction + touches * ground * dt * half,
            heave + spring * sums.area * dt + ground_brake,
        ];
        // About a level axis both moments count: their sum is more than any mixture of them.
        let both = |m: &[T; 3], a: usize| if a == 2 { m[2] } else { m[0] + m[1] };
        let angular = core::array::from_fn(|a| {
            let moment = both(&sums.moments, a);
            let arm = if sums.area > T::zero() { moment / sums.area } else { cross_section };
            let turn = if a == 2 { drag } else { heave };
            let stiff = if a == 2 { T::zero() } else { spring * moment * dt };
            let stands = if a == 2 { friction } else { ground_brake };
            turn * arm + stiff + stands * both(&sums.contact_moments, a)
        });
        (Brakes { linear, angular }, drag)
    }

    /// The force and torque of the step, and the impulse that the water loses.
    fn wrench(
        &self,
        body: &Body<T, 3>,
        sums: &Sums<T>,
        brakes: &Brakes<T>,
        (near, drag): (&Near<T>, T),
        dt: T,
    ) -> ([T; 3], [T; 3], [T; 2]) {
        let zero = T::zero();
        let weight = [zero, zero, -body.mass * self.params.gravity];
        let (mut force, mut torque, mut impulse) = (sums.force, sums.torque, [zero; 2]);
        for a in 0..3 {
            let stream = if a < 2 { near.velocity[a] } else { zero };
            // Drag goes to the water's velocity, everything else to rest. Water that is light
            // against the drag comes along.
            let free = if a < 2 { drag } else { zero };
            let yields = if a < 2 && near.mass[a] > zero { free * dt / near.mass[a] } else { zero };
            let free = if a < 2 && near.mass[a] > zero { free / (T::one() + yields) } else { zero };
            let fixed = brakes.linear[a] - if a < 2 { drag } else { zero };
            let brake = fixed + free;
            let pull = free * stream;
            if body.is_dynamic() {
                let q = dt * brake / body.mass;
                let others = weight[a] + body.force[a];
                let v = body.velocity[a];
                let end = (v + dt / body.mass * (force[a] + others + pull)) / (T::one() + q);
                // (end − v)·m/Δt less the others, without their cancellation.
                force[a] = (force[a] + pull - q * others - brake * v) / (T::one() + q);
                if a < 2 {
                    impulse[a] = free * (end - stream) * dt;
                }
            } else {
                let loss = free * (body.velocity[a] - stream);
                force[a] -= loss;
                if a < 2 {
                    impulse[a] = loss * dt;
                }
            }
        }
        let turns = body.turns_freely() && body.is_dynamic();
        // However the body lies, no axis yields more than the one that is lightest to turn.
        let inertia = body.inertia[1..].iter().fold(body.inertia[0], |m, i| m.at_most(*i));
        for a in 0..3 {
            let spin = body.angular_velocity[a];
            if !turns {
                torque[a] -= if body.is_dynamic() { brakes.angular[a] * spin } else { zero };
                continue;
            }
            let q = dt * brakes.angular[a] / inertia;
            let others = body.torque[a];
            torque[a] = (torque[a] - q * others - brakes.angular[a] * spin) / (T::one() + q);
        }
        (force, torque, impulse)
    }

    fn around(&self, n: usize) -> Around<'_, T> {
        let Self { grid, params, displacement, still, hulls, .. } = self;
        Around { grid, params, displacement, still, cells: hulls.of(n).1 }
    }

    fn near(&self, n: usize) -> Near<T> {
        let zero = T::zero();
        let (mut mass, mut momentum, mut count) = ([zero; 2], [zero; 2], zero);
        let mut depths = zero;
        let cell = self.params.water_density * self.grid.dx() * self.grid.dx();
        for (axis, place, depth) in self.around(n).faces() {
            mass[axis] += cell * depth;
            momentum[axis] += cell * depth * self.velocity[axis].as_slice()[place];
            depths += depth;
            count += T::one();
        }
        let velocity = [0, 1].map(|a| if mass[a] > zero { momentum[a] / mass[a] } else { zero });
        Near { mass, velocity, depth: depths / count.at_least(T::one()) }
    }

    /// Gives the water around a body an impulse, kg·m/s.
    fn push_water(&mut self, n: usize, near: &Near<T>, impulse: [T; 2]) {
        // Not faster than waves: what is thrown into a pond does not take all of it along.
        let most = (self.params.gravity * near.depth).sqrt();
        let change = [0, 1].map(|a| {
            if near.mass[a] > T::zero() {
                (impulse[a] / near.mass[a]).or_nothing().at_most(most).at_least(-most)
            } else {
                T::zero()
            }
        });
        if change.iter().all(|u| *u == T::zero()) || change.iter().any(|u| !u.is_finite()) {
            return;
        }
        let Self { grid, params, displacement, still, hulls, velocity, .. } = self;
        let cells = hulls.of(n).1;
        for (axis, place, _) in (Around { grid, params, displacement, still, cells }).faces() {
            velocity[axis].as_mut_slice()[place] += change[axis];
        }
        let periodic = self.params.periodic();
        for (axis, u) in self.velocity.components_mut().iter_mut().enumerate() {
            if periodic[axis] {
                sides::close(u, axis);
            }
            sides::fill_faces(u, axis, periodic);
        }
        self.fastest = None;
    }
}

/// The water beneath and around a body.
struct Around<'a, T> {
    grid: &'a Grid<T, 2>,
    params: &'a ShallowWaterParams<T>,
    displacement: &'a Field<T, 2>,
    still: &'a Field<T, 2>,
    /// The cells between which the body stands.
    cells: [Range<isize>; 2],
}

impl<T: Real> Around<'_, T> {
    /// The faces between wet cells: axis, place and mean depth. Beyond the seams of periodic axes
    /// none comes twice.
    fn faces(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        let periodic = self.params.periodic();
        let (s, d) = (self.displacement.as_slice(), self.still.as_slice());
        let range = |a: usize| {
            let Range { start, end } = self.cells[a];
            let n = self.grid.cells()[a] as isize;
            let end = if periodic[a] { end.min(start + n - 2) } else { end };
            start - 1..end + 1
        };
        let [columns, rows] = [range(0), range(1)];
        (0..2).flat_map(move |axis| {
            let columns = columns.clone();
            rows.clone().flat_map(move |j| {
                columns.clone().filter_map(move |i| {
                    let mut below = [i, j];
                    below[axis] -= 1;
                    let (place, inside) = stored(self.grid, periodic, [i, j]);
                    let (before, inside_too) = stored(self.grid, periodic, below);
                    let [a, b] = [place, before].map(|p| depth_and_surface(d[p], s[p]).0);
                    let wet = inside && inside_too && a.at_most(b) > self.params.dry_depth;
                    wet.then_some((axis, place, T::of(0.5) * (a + b)))
                })
            })
        })
    }
}

impl<T: Real> Sums<T> {
    fn add(&mut self, [x, y, z]: [T; 3], push: [T; 3]) {
        let [fx, fy, fz] = push;
        let torque = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx];
        for a in 0..3 {
            self.force[a] += push[a];
            self.torque[a] += torque[a];
        }
    }
}

/// The squares of the distances from the axes along x, y and z.
fn moments<T: Real>([x, y]: [T; 2]) -> [T; 3] {
    [y * y, x * x, x * x + y * y]
}
