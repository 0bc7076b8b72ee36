//! What holds at the sides of a grid, and the ghost values that say so.

use super::{Faces, Field, Grid, Location};
use crate::base::{error::check, exec::Region};
use crate::{Error, Real};

/// What holds at one side of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side<T, const D: usize> {
    /// A wall along which the fluid slides freely: u·n = 0, ∂u_t/∂n = 0.
    FreeSlip,
    /// A wall that holds the fluid: u = 0.
    NoSlip,
    /// A wall that moves within its own plane and drags the fluid: u = velocity.
    Moving {
        /// The wall's velocity, m/s; its normal component must be 0.
        velocity: [T; D],
    },
    /// Fluid is blown in: u = velocity. Carried quantities enter with their inflow value.
    Inflow {
        /// The velocity at the side, m/s.
        velocity: [T; D],
    },
    /// Fluid leaves and enters freely: p = 0 at the side. What enters is ambient.
    Open,
    /// The opposite side lies beyond; both sides of an axis must say so.
    Periodic,
}

/// What holds at each side: `sides[axis][0]` is the lower one, `sides[axis][1]` the upper one.
///
/// ```
/// use fluid_num::{Boundary, Side};
/// let lid = Side::Moving { velocity: [1.0, 0.0] };
/// let cavity = Boundary::all(Side::NoSlip).with(1, 1, lid);
/// assert!(cavity.check().is_ok());
/// let half = Boundary::<f64, 2>::walls().with(0, 0, Side::Periodic);
/// assert!(half.check().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary<T, const D: usize> {
    /// `sides[axis][end]`, end 0 the lower and end 1 the upper one.
    pub sides: [[Side<T, D>; 2]; D],
}

impl<T: Real, const D: usize> Default for Boundary<T, D> {
    fn default() -> Self {
        Self::walls()
    }
}

impl<T: Real, const D: usize> Boundary<T, D> {
    /// The same side all round.
    pub fn all(side: Side<T, D>) -> Self {
        Self { sides: [[side; 2]; D] }
    }

    /// A closed box of free-slip walls.
    pub fn walls() -> Self {
        Self::all(Side::FreeSlip)
    }

    /// Periodic along every axis.
    pub fn periodic() -> Self {
        Self::all(Side::Periodic)
    }

    /// The same with `side` at one end of one axis (no change for an axis or end that is not
    /// there).
    #[must_use]
    pub fn with(mut self, axis: usize, end: usize, side: Side<T, D>) -> Self {
        if let Some(place) = self.sides.get_mut(axis).and_then(|ends| ends.get_mut(end)) {
            *place = side;
        }
        self
    }

    /// Whether `axis` is periodic.
    #[inline]
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.sides[axis][0] == Side::Periodic
    }

    /// Checks every side.
    ///
    /// # Errors
    /// [`Error::HalfPeriodic`], or [`Error::InvalidParameter`] for a velocity that is not finite
    /// or a wall that moves out of its plane.
    pub fn check(&self) -> Result<(), Error> {
        for (axis, ends) in self.sides.iter().enumerate() {
            if (ends[0] == Side::Periodic) != (ends[1] == Side::Periodic) {
                return Err(Error::HalfPeriodic { axis });
            }
            for side in ends {
                match side {
                    Side::Moving { velocity } => {
                        check::all_finite("boundary.moving.velocity", velocity)?;
                        if velocity[axis] != T::zero() {
                            return Err(Error::InvalidParameter {
                                name: "the normal component of boundary.moving.velocity",
                                value: velocity[axis].to_f64(),
                                expected: "0: a wall moves within its own plane",
                            });
                        }
                    }
                    Side::Inflow { velocity } => {
                        check::all_finite("boundary.inflow.velocity", velocity)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Fills the ghost layer of a carried quantity: walls copy (no flux), inflow sides put
    /// `inflow` and open sides put `ambient` on the side itself, periodic sides wrap.
    pub fn fill_scalar(&self, field: &mut Field<T, D>, ambient: T, inflow: T) {
        self.fill(field, |side| match side {
            Side::Inflow { .. } => Ghost::Mirror(inflow),
            Side::Open => Ghost::Mirror(ambient),
            _ => Ghost::Copy,
        });
    }

    /// Fills the ghost layer so that no side lets anything through by diffusion, except inflow
    /// sides, which hold `inflow`.
    pub(crate) fn fill_diffused(&self, field: &mut Field<T, D>, inflow: T) {
        self.fill(field, |side| match side {
            Side::Inflow { .. } => Ghost::Mirror(inflow),
            _ => Ghost::Copy,
        });
    }

    /// Sets the normal velocity on walls and inflow sides, and wraps it on periodic ones.
    pub fn fill_normal(&self, velocity: &mut Faces<T, D>) {
        for axis in 0..D {
            self.fill_normal_component(&mut velocity[axis], axis);
        }
    }

    /// The same for the component along `axis` alone.
    pub(crate) fn fill_normal_component(&self, field: &mut Field<T, D>, axis: usize) {
        let n = field.grid().cells()[axis];
        for (end, side) in self.sides[axis].iter().enumerate() {
            let face = if end == 0 { 1 } else { n + 1 };
            let value = match side {
                Side::Open => continue,
                Side::Periodic => {
                    if end == 1 {
                        affine(field, axis, (n + 1, 1), Ghost::Copy);
                    }
                    continue;
                }
                Side::Inflow { velocity } => velocity[axis],
                Side::FreeSlip | Side::NoSlip | Side::Moving { .. } => T::zero(),
            };
            affine(field, axis, (face, face), Ghost::Fixed(value));
        }
    }

    /// Fills the ghost layer of a velocity whose values on the sides themselves are set.
    pub fn fill_velocity(&self, velocity: &mut Faces<T, D>) {
        for component in 0..D {
            self.fill_component(&mut velocity[component], component);
        }
    }

    /// Fills the ghost layer of one velocity component.
    pub(crate) fn fill_component(&self, field: &mut Field<T, D>, component: usize) {
        self.fill(field, |side| match side {
            Side::NoSlip => Ghost::Mirror(T::zero()),
            Side::Moving { velocity } | Side::Inflow { velocity } => {
                Ghost::Mirror(velocity[component])
            }
            _ => Ghost::Copy,
        });
    }

    /// Makes the ghosts of a mask of cells as the cells beside them, or opposite where periodic.
    pub(crate) fn fill_mask(&self, grid: &Grid<T, D>, mask: &mut [u8]) {
        for axis in 0..D {
            let n = grid.cells()[axis];
            let (lower, upper) = if self.is_periodic(axis) { (n, 1) } else { (1, n) };
            for (to, from) in [(0, lower), (n + 1, upper)] {
                let plane = ghost_plane(grid, axis, to);
                for r in 0..plane.rows() {
                    let row = plane.row(r);
                    for i in row.start..row.start + row.len {
                        mask[i] = mask[i + from * grid.strides()[axis] - to * grid.strides()[axis]];
                    }
                }
            }
        }
    }

    fn fill(&self, field: &mut Field<T, D>, rule: impl Fn(&Side<T, D>) -> Ghost<T>) {
        for axis in 0..D {
            let n = field.grid().cells()[axis];
            let staggered = field.location() == Location::Face(axis);
            for (end, side) in self.sides[axis].iter().enumerate() {
                let (ghost, inner, opposite) = if end == 0 { (0, 1, n) } else { (n + 1, n, 1) };
                match (side, staggered) {
                    (Side::Periodic, _) => affine(field, axis, (ghost, opposite), Ghost::Copy),
                    // The face on the upper side is a value, not a ghost.
                    (_, true) if end == 1 => {}
                    (_, true) => affine(field, axis, (ghost, inner), Ghost::Copy),
                    (side, false) => affine(field, axis, (ghost, inner), rule(side)),
                }
            }
        }
    }
}

/// Sets the ghosts at both ends of a periodic axis.
pub(crate) fn wrap_axis<T: Real, const D: usize>(field: &mut Field<T, D>, axis: usize) {
    let n = field.grid().cells()[axis];
    affine(field, axis, (0, n), Ghost::Copy);
    affine(field, axis, (n + 1, 1), Ghost::Copy);
}

/// What a ghost value is made from.
#[derive(Clone, Copy)]
enum Ghost<T> {
    /// The inner value.
    Copy,
    /// The inner value mirrored about a value on the side: 2·value − inner.
    Mirror(T),
    /// A value of its own.
    Fixed(T),
}

/// Sets the plane `to` of `axis` from the plane `from`, over the whole extent of the other axes.
fn affine<T: Real, const D: usize>(
    field: &mut Field<T, D>,
    axis: usize,
    (to, from): (usize, usize),
    ghost: Ghost<T>,
) {
    let grid = *field.grid();
    let strides = grid.strides();
    let plane = ghost_plane(&grid, axis, to);
    let data = field.as_mut_slice();
    for n in 0..plane.rows() {
        let row = plane.row(n);
        let source = row.start + from * strides[axis] - to * strides[axis];
        for i in 0..row.len {
            let inner = data[source + i];
            data[row.start + i] = match ghost {
                Ghost::Copy => inner,
                Ghost::Mirror(value) => value + (value - inner),
                Ghost::Fixed(value) => value,
            };
        }
    }
}

/// The places with storage index `at` along `axis`, ghosts of the other axes included.
fn ghost_plane<T: Real, const D: usize>(grid: &Grid<T, D>, axis: usize, at: usize) -> Region<D> {
    let hi = grid.cells().map(|n| n + 2);
    let mut plane = Region { lo: [0; D], hi, strides: grid.strides() };
    (plane.lo[axis], plane.hi[axis]) = (at, at + 1);
    plane
}
