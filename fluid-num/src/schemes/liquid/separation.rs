//! Walls that the liquid comes off: a wall pushes, and never pulls.
//!
//! ```text
//! p ≥ 0 and liquid at the wall,   or   p = 0 and a gap g > 0 between them;   dg/dt = −u·n
//! ```
//! Which of both holds is found by trying: where a wall would pull it is let go, where liquid would go into a
//! wall it is held, and the pressure is solved anew, a few times. The gap begins thinner than any grid sees;
//! once the liquid is half a cell away the cell is air, and the surface what φ says.
//!
//! Reference: N. Chentanez, M. Müller, *A multigrid fluid pressure solver handling separating solid boundary
//! conditions*, 2011, <https://doi.org/10.1145/2019406.2019418>.

use alloc::vec::Vec;

use super::pressure::Pressure;
use crate::base::digest::Digest;
use crate::grid::{Boundary, Faces, Field, Grid, Side};
use crate::{LevelSet, Real};

/// How often it is tried which walls hold.
pub(super) const TRIALS: usize = 4;

/// How many cells behind a new piece of surface know of it at once.
const NEW: usize = 4;

/// A face of a wall.
#[derive(Debug, Clone, Copy)]
struct Contact<T> {
    /// The cell at it, and the face.
    cell: u32,
    face: u32,
    axis: usize,
    /// Outwards, 1 or −1.
    outwards: T,
    /// The gap, m; negative where the liquid touches the wall.
    gap: T,
    /// u·n of the liquid at the gap, m/s.
    speed: T,
    /// How much φ grows at a cell of air that the liquid goes away from: beyond a wall there is no φ that
    /// could come in.
    rise: T,
}

/// The faces of all walls.
#[derive(Debug, Clone)]
pub(super) struct Separation<T, const D: usize> {
    contacts: Vec<Contact<T>>,
    /// The velocity and the right-hand side before a trial.
    pub(super) velocity: Faces<T, D>,
    pub(super) rhs: Field<T, D>,
}

impl<T: Real> Contact<T> {
    fn is_loose(&self) -> bool {
        self.gap >= T::zero()
    }

    /// The face of its cell on the other side, along an axis with this stride.
    fn inner(&self, strides: &[usize]) -> usize {
        let cell = self.cell as usize;
        if self.outwards > T::zero() { cell } else { cell + strides[self.axis] }
    }

    /// The cell so many cells farther away from the wall.
    fn behind(&self, strides: &[usize], cells: usize) -> usize {
        let (cell, way) = (self.cell as usize, cells * strides[self.axis]);
        if self.outwards > T::zero() { cell - way } else { cell + way }
    }

    /// The speed after the pressure has acted.
    fn driven(&self, p: &[T], per_length: T, fraction: T) -> T {
        self.speed + per_length * p[self.cell as usize] / fraction
    }

    /// The distance of the cell's centre from the liquid's end, in cells, not less than `least`.
    fn fraction(&self, dx: T, least: T) -> T {
        (T::of(0.5) - self.gap / dx).at_least(least)
    }
}

/// Whether a side is a wall.
fn is_wall<T: Real, const D: usize>(side: Side<T, D>) -> bool {
    matches!(side, Side::FreeSlip | Side::NoSlip | Side::Moving { .. })
}

/// The sides as liquid sees them that comes off walls: what holds it is told face by face.
pub(super) fn opened<T: Real, const D: usize>(boundary: &Boundary<T, D>) -> Boundary<T, D> {
    let side = |side| if is_wall(side) { Side::Open } else { side };
    Boundary { sides: boundary.sides.map(|ends| ends.map(side)) }
}

impl<T: Real, const D: usize> Separation<T, D> {
    pub(super) fn new(grid: Grid<T, D>, boundary: &Boundary<T, D>) -> Self {
        let mut contacts = Vec::new();
        for axis in 0..D {
            for end in 0..2 {
                if !is_wall(boundary.sides[axis][end]) {
                    continue;
                }
                let mut plane = grid.interior();
                let at = if end == 0 { 1 } else { grid.cells()[axis] };
                (plane.lo[axis], plane.hi[axis]) = (at, at + 1);
                contacts.extend(plane.places().map(|place| Contact {
                    cell: place as u32,
                    face: (place + end * grid.strides()[axis]) as u32,
                    axis,
                    outwards: if end == 0 { -T::one() } else { T::one() },
                    gap: -T::one(),
                    speed: T::zero(),
                    rise: T::zero(),
                }));
            }
        }
        Self { contacts, velocity: Faces::zeros(grid), rhs: Field::zeros(grid) }
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        self.velocity.fill(value);
        self.rhs.fill(value);
    }

    /// The volume between liquid and walls.
    pub(super) fn void(&self, dx: T) -> f64 {
        let area = (1..D).fold(1.0, |area, _| area * dx.to_f64());
        let gaps = self.contacts.iter().filter(|c| c.is_loose()).map(|c| c.gap.to_f64());
        gaps.sum::<f64>() * area
    }

    /// Forgets gaps beside what is no liquid, and lets what is loose go on as fast as the liquid does on the
    /// other side of its cell.
    pub(super) fn begin(&mut self, pressure: &Pressure<T, D>, u: &Faces<T, D>) {
        let strides = u.grid().strides();
        for contact in &mut self.contacts {
            if !pressure.is_liquid(contact.cell as usize) {
                contact.gap = -T::one();
            }
            contact.speed = u[contact.axis].as_slice()[contact.inner(&strides)] * contact.outwards;
        }
    }

    /// Opens the faces of loose walls to p = 0 at the liquid's end.
    pub(super) fn open(&self, open: &mut Faces<T, D>, part: Option<&Faces<T, D>>, least: T) {
        let dx = open.grid().dx();
        for contact in &self.contacts {
            let face = contact.face as usize;
            let part = part.map_or(T::one(), |part| part[contact.axis].as_slice()[face]);
            open[contact.axis].as_mut_slice()[face] = match contact.is_loose() {
                // The problem doubles what stands at an end.
                true => part * T::of(0.5) / contact.fraction(dx, least),
                false => T::zero(),
            };
        }
    }

    /// Adds what flows through gaps to a divergence.
    pub(super) fn add_flow(&self, div: &mut Field<T, D>) {
        let dx = div.grid().dx();
        for contact in self.contacts.iter().filter(|c| c.is_loose()) {
            div.as_mut_slice()[contact.cell as usize] += contact.speed / dx;
        }
    }

    /// Lets go of walls that pull, and holds where liquid would go into one; tells whether anything has changed. `per` is Δt/ρ.
    pub(super) fn settle(&mut self, pressure: &Pressure<T, D>, per: T, dt: T, least: T) -> bool {
        let (p, dx) = (pressure.p.as_slice(), pressure.p.grid().dx());
        // Less is the rounding of the solve.
        let noise = pressure.p.max_abs() * T::of(1e-4);
        let mut changed = false;
        for contact in &mut self.contacts {
            let cell = contact.cell as usize;
            if !pressure.is_liquid(cell) || pressure.problem.singular_region(cell).is_some() {
                continue;
            }
            if contact.is_loose() {
                let speed = contact.driven(p, per / dx, contact.fraction(dx, least));
                if contact.gap - speed * dt < T::zero() {
                    (contact.gap, changed) = (-T::one(), true);
                }
            } else if p[cell] < -noise {
                (contact.gap, changed) = (T::zero(), true);
            }
        }
        changed
    }

    /// Takes the gradient of the pressure off the speeds at gaps. `per` is Δt/ρ.
    pub(super) fn finish(&mut self, pressure: &Pressure<T, D>, per: T, least: T) {
        let (p, dx) = (pressure.p.as_slice(), pressure.p.grid().dx());
        for contact in self.contacts.iter_mut().filter(|c| c.is_loose()) {
            contact.speed = contact.driven(p, per / dx, contact.fraction(dx, least));
        }
    }

    /// Lets the velocity at walls that hold nothing be what leads away from them, for `dt`.
    pub(super) fn free(&mut self, surface: &LevelSet<T, D>, u: &mut Faces<T, D>, dt: T) {
        let phi = surface.field().as_slice();
        let (strides, dx) = (u.grid().strides(), u.grid().dx());
        for contact in &mut self.contacts {
            let (cell, face, axis) = (contact.cell as usize, contact.face as usize, contact.axis);
            let (inner, beside) = (contact.inner(&strides), contact.behind(&strides, 1));
            let u = u[axis].as_mut_slice();
            let away = -u[inner] * contact.outwards;
            let dry = phi[cell] >= T::zero();
            let leaves = away > T::zero() && (dry || contact.is_loose());
            u[face] = if leaves { u[inner] } else { T::zero() };
            let slope = ((phi[cell] - phi[beside]) / dx).at_least(T::zero()).at_most(T::one());
            contact.rise = if leaves && dry { slope * away * dt } else { T::zero() };
        }
    }

    /// Lets gaps grow for `dt`; cells that the liquid has left by half become air. Tells whether any has.
    pub(super) fn grow(&mut self, dt: T, surface: &mut LevelSet<T, D>) -> bool {
        let (dx, grid) = (surface.grid().dx(), *surface.grid());
        let half = T::of(0.5) * dx;
        let mut opened = false;
        for contact in &self.contacts {
            surface.values_mut()[contact.cell as usize] += contact.rise;
        }
        for contact in self.contacts.iter_mut().filter(|c| c.is_loose()) {
            contact.gap = (contact.gap - contact.speed * dt).at_least(T::zero());
            if contact.gap >= half {
                let cell = contact.cell as usize;
                let phi = (contact.gap - half).at_most(half);
                surface.values_mut()[cell] = phi;
                // The cells behind it are as far from the new surface.
                for n in 1..NEW.min(grid.cells()[contact.axis]) {
                    let inner = contact.behind(&grid.strides(), n);
                    let distance = phi - T::of_usize(n) * dx;
                    let old = surface.values_mut()[inner];
                    surface.values_mut()[inner] = old.at_least(distance);
                }
                (contact.gap, opened) = (-T::one(), true);
            }
        }
        surface.fill_ghosts();
        opened
    }

    pub(super) fn digest(&self, digest: Digest) -> Digest {
        self.contacts.iter().fold(digest, |d, c| d.values(&[c.gap]))
    }

    pub(super) fn gaps(&self) -> impl Iterator<Item = T> + '_ {
        self.contacts.iter().map(|c| c.gap)
    }

    pub(super) fn count(&self) -> usize {
        self.contacts.len()
    }

    pub(super) fn set_gaps(&mut self, gaps: &[T]) {
        for (contact, gap) in self.contacts.iter_mut().zip(gaps) {
            contact.gap = *gap;
        }
    }
}
