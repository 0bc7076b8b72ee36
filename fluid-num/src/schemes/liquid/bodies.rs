//! What bodies and the liquid do to each other.
//!
//! ```text
//! ∇·u has of a body           J V,   J = Σ ±(1 − F) a/h,  a the body's motion at a face
//! the liquid does to a body   f = hᴰ Jᵀ (p + ρ g·(x_s − x))
//! both at once                V = V* + Δt M⁻¹ f,    (∇·F∇ − ρ hᴰ J M⁻¹ Jᵀ) p = (ρ/Δt)(∇·u + J V*)
//! ```
//! V holds the velocity and the angular velocity about the body's own axes, M its mass and moments of
//! inertia. What the pressure does to a body is what the body does to the liquid: the same fractions on
//! both sides. x_s − x leads from the centre of a cell, where p is, to the body's surface in it, where it
//! acts.

use alloc::vec::Vec;
use core::ops::Range;

use crate::Real;
use crate::base::exec::{Region, Row};
use crate::grid::{Field, Grid};
use crate::poisson::Problem;
use crate::poisson::coupling::{COLUMNS, Coupling as Columns};
use crate::solid::{Body, Solids};

/// What a body is beside in one cell.
#[derive(Debug, Clone, Copy)]
struct Contact<T> {
    place: u32,
    /// h·J: a column for each degree of freedom.
    row: [T; COLUMNS],
    /// g·(x_s − x), m²/s².
    head: T,
    /// h times what the body's speed at the centres of faces adds to ∇·u.
    flow: T,
}

/// How one body moves with the liquid in a step.
#[derive(Debug, Clone)]
struct Rider<T> {
    contacts: Range<usize>,
    /// M⁻¹, 0 where the motion is given.
    inverse: [T; COLUMNS],
    /// The axes of rotation.
    axes: [[T; 3]; 3],
    /// V when the step began.
    motion: [T; COLUMNS],
    /// How V has changed since then.
    change: [T; COLUMNS],
    /// What acts on the body beside the liquid, as an acceleration.
    acceleration: [T; COLUMNS],
    /// ∫ f dt since the step began.
    impulse: [T; COLUMNS],
}

impl<T: Real> Rider<T> {
    /// The mean force along a degree of freedom: where the liquid and the body have moved together, the
    /// one that moves the body so.
    fn mean_force(&self, k: usize, time: T, driven: T) -> T {
        if self.inverse[k] > T::zero() {
            (self.change[k] / time - self.acceleration[k]) / self.inverse[k]
        } else {
            self.impulse[k] / driven
        }
    }
}

/// All bodies, as the liquid sees them.
#[derive(Debug, Clone)]
pub(super) struct Riders<T> {
    riders: Vec<Rider<T>>,
    /// For how long the pressure has acted since the step began, s.
    driven: T,
    contacts: Vec<Contact<T>>,
    /// The closed regions that a body touches, the number of cells and the sum of rows there.
    closed: Vec<(u32, usize, [T; COLUMNS])>,
}

impl<T: Real> Riders<T> {
    pub(super) fn new() -> Self {
        Self { riders: Vec::new(), driven: T::zero(), contacts: Vec::new(), closed: Vec::new() }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.riders.is_empty()
    }

    /// Begins a step with `bodies` where they are and as they move. `strong` ones move with the liquid.
    pub(super) fn begin<const D: usize>(
        &mut self,
        bodies: &[Body<T, D>],
        gravity: [T; D],
        strong: bool,
    ) {
        self.riders.clear();
        self.driven = T::zero();
        self.riders.extend(bodies.iter().map(|body| {
            let (zero, mut inverse) = (T::zero(), [T::zero(); COLUMNS]);
            let axes = axes(body);
            let mut acceleration = [zero; COLUMNS];
            if strong && body.is_dynamic() {
                for a in 0..D {
                    inverse[a] = T::one() / body.mass;
                    acceleration[a] = gravity[a] + body.force[a] * inverse[a];
                }
            }
            if strong && body.turns_freely() {
                for k in 0..turns(D) {
                    let inertia = body.inertia[if D == 2 { 2 } else { k }];
                    inverse[D + k] = T::one() / inertia;
                    acceleration[D + k] = dot(axes[k], body.torque) * inverse[D + k];
                }
            }
            let (change, impulse) = ([zero; COLUMNS], [zero; COLUMNS]);
            let mut motion = [zero; COLUMNS];
            motion[..D].copy_from_slice(&body.velocity);
            for k in 0..turns(D) {
                motion[D + k] = dot(axes[k], body.angular_velocity);
            }
            Rider { contacts: 0..0, inverse, axes, motion, change, acceleration, impulse }
        }));
    }

    /// Finds where bodies are beside liquid cells.
    pub(super) fn touch<const D: usize>(
        &mut self,
        bodies: &[Body<T, D>],
        solids: &Solids<T, D>,
        gravity: [T; D],
        (problem, liquid): (&Problem<T, D>, impl Fn(usize) -> bool),
    ) {
        let grid = *solids.grid();
        self.contacts.clear();
        for (number, (body, rider)) in bodies.iter().zip(&mut self.riders).enumerate() {
            let first = self.contacts.len();
            let (mut open, mut beside) = ([T::zero(); D], 0);
            for cell in cells(&cells_around(&grid, body)) {
                let place: usize = (0..D).map(|a| cell[a] * grid.strides()[a]).sum();
                if solids.solid_cells()[place] != 0 {
                    continue;
                }
                let Some(area) = area(&grid, solids, body, number, cell) else { continue };
                beside += 1;
                for (sum, part) in open.iter_mut().zip(area.closed) {
                    *sum += part;
                }
                if liquid(place) {
                    let wall = Wall::near(&grid, body, cell);
                    let row = area.row(&wall, &rider.axes);
                    let (head, flow) = (wall.head(gravity), area.flow);
                    self.contacts.push(Contact { place: place as u32, row, head, flow });
                }
            }
            // The surface of a body is closed. Where it lies on a wall or on another one, no cell is beside
            // it; what is missing there is shared by all cells that are, as if the liquid came between.
            // Else a body that rests, and is pressed down anew in each step, would swallow liquid.
            if rider.inverse[0] > T::zero() {
                for contact in &mut self.contacts[first..] {
                    for (c, sum) in contact.row.iter_mut().zip(open) {
                        *c -= sum / T::of_usize(beside);
                    }
                }
            }
            rider.contacts = first..self.contacts.len();
            if problem.is_singular() {
                let contacts = &mut self.contacts[first..];
                let region = |c: &Contact<T>| problem.singular_region(c.place as usize);
                leak(contacts, region, &mut self.closed);
            }
        }
    }

    /// Lets gravity, the other forces and the part of f that does not depend on p act for `dt`, and adds
    /// to a divergence what bodies do to it, in place of what their speed at the centres of faces does.
    pub(super) fn predict<const D: usize>(&mut self, div: &mut Field<T, D>, dt: T, density: T) {
        let dx = div.grid().dx();
        let face = face_area::<T, D>(dx);
        for rider in &mut self.riders {
            let contacts = &self.contacts[rider.contacts.clone()];
            let mut push = [T::zero(); COLUMNS];
            for contact in contacts {
                for (push, c) in push.iter_mut().zip(contact.row) {
                    *push += c * contact.head;
                }
            }
            for k in 0..COLUMNS {
                let impulse = push[k] * (face * density * dt);
                rider.impulse[k] += impulse;
                rider.change[k] += dt * rider.acceleration[k] + impulse * rider.inverse[k];
            }
            for contact in contacts {
                let mut flow = -contact.flow;
                for (k, c) in contact.row.iter().enumerate() {
                    flow += *c * (rider.motion[k] + rider.change[k]);
                }
                div.as_mut_slice()[contact.place as usize] += flow / dx;
            }
        }
    }

    /// Puts the masses of bodies into a pressure problem.
    pub(super) fn join<const D: usize>(&self, problem: &mut Problem<T, D>, density: T) {
        let dx = problem.grid().dx();
        let scale = density * face_area::<T, D>(dx) * dx;
        let mut columns = core::mem::take(problem.coupling_mut());
        columns.clear();
        for rider in &self.riders {
            self.add(rider, problem, scale, &mut columns);
        }
        *problem.coupling_mut() = columns;
    }

    fn add<const D: usize>(
        &self,
        rider: &Rider<T>,
        problem: &Problem<T, D>,
        scale: T,
        columns: &mut Columns<T>,
    ) {
        let weights = rider.inverse.map(|inverse| (scale * inverse).sqrt());
        if rider.contacts.is_empty() || weights.iter().all(|w| *w == T::zero()) {
            return;
        }
        let contacts = self.contacts[rider.contacts.clone()].iter();
        let known = contacts.filter(|c| problem.is_unknown(c.place as usize));
        columns.add_group(
            known.map(|contact| {
                (contact.place, core::array::from_fn(|k| contact.row[k] * weights[k]))
            }),
        );
    }

    /// Lets the pressure act on the bodies for `dt`.
    pub(super) fn push<const D: usize>(&mut self, p: &Field<T, D>, dt: T) {
        let face = face_area::<T, D>(p.grid().dx());
        self.driven += dt;
        for rider in &mut self.riders {
            let mut push = [0.0; COLUMNS];
            for contact in &self.contacts[rider.contacts.clone()] {
                let p = p.as_slice()[contact.place as usize].to_f64();
                for (push, c) in push.iter_mut().zip(contact.row) {
                    *push += c.to_f64() * p;
                }
            }
            for k in 0..COLUMNS {
                let impulse = T::of(push[k]) * (face * dt);
                rider.impulse[k] += impulse;
                rider.change[k] += impulse * rider.inverse[k];
            }
        }
    }

    /// Adds to the bodies the mean force and torque of the liquid over the `time` since the step began.
    pub(super) fn hand_over<const D: usize>(&self, bodies: &mut [Body<T, D>], time: T) {
        if self.driven == T::zero() {
            return;
        }
        for (body, rider) in bodies.iter_mut().zip(&self.riders) {
            for a in 0..D {
                body.force[a] += rider.mean_force(a, time, self.driven);
            }
            for k in 0..turns(D) {
                let torque = rider.mean_force(D + k, time, self.driven);
                for a in 0..3 {
                    body.torque[a] += rider.axes[k][a] * torque;
                }
            }
        }
    }
}

/// Lets a liquid that is closed in all round leak beside a body, where the body would squeeze it: there is
/// no pressure for that, and between bodies that touch there are always such cells.
fn leak<T: Real>(
    contacts: &mut [Contact<T>],
    region: impl Fn(&Contact<T>) -> Option<u32>,
    closed: &mut Vec<(u32, usize, [T; COLUMNS])>,
) {
    closed.clear();
    for contact in contacts.iter() {
        let Some(number) = region(contact) else { continue };
        let known = closed.iter().position(|(other, ..)| *other == number);
        let at = known.unwrap_or(closed.len());
        if known.is_none() {
            closed.push((number, 0, [T::zero(); COLUMNS]));
        }
        let (_, count, sum) = &mut closed[at];
        *count += 1;
        for (sum, c) in sum.iter_mut().zip(contact.row) {
            *sum += c;
        }
    }
    for contact in contacts.iter_mut() {
        let Some(number) = region(contact) else { continue };
        let Some((_, count, sum)) = closed.iter().find(|(other, ..)| *other == number) else {
            continue;
        };
        for (c, sum) in contact.row.iter_mut().zip(sum) {
            *c -= *sum / T::of_usize(*count);
        }
    }
}

/// The number of axes of rotation.
fn turns(dimension: usize) -> usize {
    if dimension == 2 { 1 } else { 3 }
}

/// The area of a face, m² (in the plane its length).
fn face_area<T: Real, const D: usize>(dx: T) -> T {
    (1..D).fold(T::one(), |area, _| area * dx)
}

fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The axes about which a body turns, in the world.
fn axes<T: Real, const D: usize>(body: &Body<T, D>) -> [[T; 3]; 3] {
    let (zero, one) = (T::zero(), T::one());
    if D == 2 {
        return [[zero, zero, one]; 3];
    }
    let r = body.rotation();
    core::array::from_fn(|k| core::array::from_fn(|a| r[a.min(D - 1)][k.min(D - 1)]))
}

/// The cells that a body may touch.
fn cells_around<T: Real, const D: usize>(grid: &Grid<T, D>, body: &Body<T, D>) -> Region<D> {
    let Some([lo, hi]) = body.bounds() else { return grid.interior() };
    let margin = grid.dx() * T::of(1.5);
    grid.within([lo.map(|x| x - margin), hi.map(|x| x + margin)])
}

/// The storage indices of the cells of a region.
fn cells<const D: usize>(region: &Region<D>) -> impl Iterator<Item = [usize; D]> + use<D> {
    let region = *region;
    (0..region.rows()).flat_map(move |n| {
        let Row { at, len, .. } = region.row(n);
        (0..len).map(move |i| {
            let mut cell = at;
            cell[0] += i;
            cell
        })
    })
}

/// What a body closes of the faces of a cell.
struct Area<T, const D: usize> {
    /// Σ ±(1 − F) along each axis: into the body.
    closed: [T; D],
    /// The flow out through these parts by the body's speed at the centres of faces.
    flow: T,
}

/// What a body closes of a cell, `None` where it closes nothing.
fn area<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    solids: &Solids<T, D>,
    body: &Body<T, D>,
    number: usize,
    cell: [usize; D],
) -> Option<Area<T, D>> {
    let mut area = Area { closed: [T::zero(); D], flow: T::zero() };
    let mut any = false;
    for axis in 0..D {
        let open = solids.open()[axis].as_slice();
        for end in 0..2 {
            let mut face = cell;
            face[axis] += end;
            let place: usize = (0..D).map(|a| face[a] * grid.strides()[a]).sum();
            let closed = T::one() - open[place];
            if closed <= T::zero() || solids.nearest_body(axis, face) != Some(number) {
                continue;
            }
            any = true;
            let part = if end == 1 { closed } else { -closed };
            let mut arm = [T::zero(); 3];
            for a in 0..D {
                let half = if a == axis { T::zero() } else { T::of(0.5) };
                let at = T::of_index(face[a] as i32 - 1) + half;
                arm[a] = grid.origin()[a] + at * grid.dx() - body.position[a];
            }
            area.closed[axis] += part;
            let speed = body.velocity[axis] + cross(body.angular_velocity, arm)[axis];
            area.flow += part * speed;
        }
    }
    any.then_some(area)
}

impl<T: Real, const D: usize> Area<T, D> {
    /// h·J: what a motion of the body with a unit of speed along each degree of freedom pushes out of
    /// the cell. A rotation moves the surface where it is and as it stands there: a ball that turns
    /// pushes nothing.
    fn row(&self, wall: &Wall<T, D>, axes: &[[T; 3]; 3]) -> [T; COLUMNS] {
        let mut row = [T::zero(); COLUMNS];
        row[..D].copy_from_slice(&self.closed);
        let along = (0..D).fold(T::zero(), |sum, a| sum + self.closed[a] * wall.normal[a]);
        for k in 0..turns(D) {
            let speed = cross(axes[k], wall.arm);
            row[D + k] = along * (0..D).fold(T::zero(), |sum, a| sum + speed[a] * wall.normal[a]);
        }
        row
    }
}

/// The surface of a body beside the centre of a cell.
struct Wall<T, const D: usize> {
    /// Out of the body; nothing where it has no direction.
    normal: [T; D],
    /// The distance of the centre, at most a cell.
    away: T,
    /// From the body's position to the surface.
    arm: [T; 3],
}

impl<T: Real, const D: usize> Wall<T, D> {
    fn near(grid: &Grid<T, D>, body: &Body<T, D>, cell: [usize; D]) -> Self {
        let center = grid.center(cell.map(|i| i - 1));
        let step = grid.dx() * T::of(0.05);
        let mut normal = [T::zero(); D];
        let mut square = T::zero();
        for a in 0..D {
            let (mut below, mut above) = (center, center);
            below[a] -= step;
            above[a] += step;
            normal[a] = body.signed_distance(above) - body.signed_distance(below);
            square += normal[a] * normal[a];
        }
        let length = square.sqrt();
        normal = normal.map(|n| if square > T::zero() { n / length } else { n });
        let away = body.signed_distance(center).at_most(grid.dx()).at_least(-grid.dx());
        let mut arm = [T::zero(); 3];
        for a in 0..D {
            arm[a] = center[a] - away * normal[a] - body.position[a];
        }
        Self { normal, away, arm }
    }

    /// g·(x_s − x): how much deeper than the centre the surface lies, times gravity.
    fn head(&self, gravity: [T; D]) -> T {
        -self.away * (0..D).fold(T::zero(), |sum, a| sum + gravity[a] * self.normal[a])
    }
}
