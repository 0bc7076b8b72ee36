//! Carrying fields along: the paths, the scratch memory and the choice of a scheme.

use super::mac_cormack::Correction;
use super::scatter::scatter;
use super::semi_lagrangian::{interpolate, trace};
use super::visibility::{cut_paths, reread_beside_solids};
use super::{Advection, Interpolation, PathOrder};
use crate::base::error::check;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::ops::same_grid;
use crate::grid::sample::Lattice;
use crate::grid::{Boundary, Faces, Field, Grid, Location, Side};
use crate::{Error, Real};

/// Carries fields along a velocity on one grid. All memory is taken at the start.
///
/// ```
/// use fluid_num::advection::{Advection, PathOrder, Transport};
/// use fluid_num::{Boundary, Faces, Field, Grid2};
/// let grid = Grid2::new([8, 8], 1.0_f64)?;
/// let wind = Faces::from_fn(grid, |_| [1.0, 0.0]);
/// let mut smoke = Field::zeros(grid);
/// smoke[[2, 4]] = 1.0;
/// let mut transport = Transport::new(grid, Boundary::periodic(), PathOrder::Euler)?;
/// transport.carry(&wind, &mut smoke, Advection::default(), 3.0)?;
/// assert_eq!(smoke[[5, 4]], 1.0); // three cells on, exactly
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Transport<T, const D: usize> {
    carrier: Carrier<T, D>,
    u: Faces<T, D>,
    next: Field<T, D>,
}

impl<T: Real, const D: usize> Transport<T, D> {
    /// Transport on `grid` within `boundary`, along paths of the given order.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub fn new(
        grid: Grid<T, D>,
        boundary: Boundary<T, D>,
        order: PathOrder,
    ) -> Result<Self, Error> {
        boundary.check()?;
        let carrier = Carrier::new(grid, boundary, order);
        Ok(Self { carrier, u: Faces::zeros(grid), next: Field::zeros(grid) })
    }

    /// Carries `q` along `u` for `dt` seconds. Nothing comes in through inflow and open sides.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for fields of another grid, [`Error::InvalidTimeStep`],
    /// [`Error::NotFinite`] for a velocity with NaN or infinities; `q` is then untouched.
    pub fn carry(
        &mut self,
        u: &Faces<T, D>,
        q: &mut Field<T, D>,
        scheme: Advection,
        dt: T,
    ) -> Result<(), Error> {
        check::time_step(dt)?;
        let Carrier { grid, boundary, .. } = self.carrier;
        same_grid(*u.grid() == grid, "u")?;
        same_grid(*q.grid() == grid && q.location() == Location::Center, "q")?;
        u.check_finite("u")?;
        self.u.copy_from(u)?;
        boundary.fill_normal(&mut self.u);
        boundary.fill_velocity(&mut self.u);
        self.carrier.aim(&self.u, Location::Center, dt, scheme, None);
        let fill = |q: &mut Field<T, D>| boundary.fill_scalar(q, T::zero(), T::zero());
        fill(q);
        self.carrier.move_along(q, (scheme, T::zero()), None, fill, &mut self.next);
        q.swap_values(&mut self.next);
        Ok(())
    }
}

/// The paths of one step and the memory that moving along them needs.
#[derive(Debug, Clone)]
pub(crate) struct Carrier<T, const D: usize> {
    pub(crate) grid: Grid<T, D>,
    pub(crate) boundary: Boundary<T, D>,
    pub(crate) order: PathOrder,
    back: [Field<T, D>; D],
    forth: [Field<T, D>; D],
    first: Field<T, D>,
}

impl<T: Real, const D: usize> Carrier<T, D> {
    pub(crate) fn new(grid: Grid<T, D>, boundary: Boundary<T, D>, order: PathOrder) -> Self {
        let paths = || core::array::from_fn(|_| Field::zeros(grid));
        Self { grid, boundary, order, back: paths(), forth: paths(), first: Field::zeros(grid) }
    }

    #[cfg(test)]
    pub(crate) fn poison(&mut self, value: T) {
        self.back.iter_mut().chain(&mut self.forth).for_each(|f| f.fill(value));
        self.first.fill(value);
    }

    /// Finds the paths that `scheme` needs to carry what lives at `at`. The ghosts of `u` are set.
    pub(crate) fn aim(
        &mut self,
        u: &Faces<T, D>,
        at: Location,
        dt: T,
        scheme: Advection,
        solid: Option<&[u8]>,
    ) {
        let find = |dt: T, paths: &mut [Field<T, D>; D]| {
            trace(u, &self.boundary, at, dt, self.order, paths.each_mut().map(Field::as_mut_slice));
            if let Some(solid) = solid {
                let paths = paths.each_mut().map(Field::as_mut_slice);
                cut_paths(&self.grid, &self.boundary, solid, at, paths);
            }
        };
        if scheme != Advection::Scatter {
            find(dt, &mut self.back);
        }
        if scheme == Advection::MacCormack || scheme == Advection::Scatter {
            find(-dt, &mut self.forth);
        }
    }

    /// Reads three quantities at cell centres along the paths back, with one lookup of each place;
    /// the same bits as one by one. `spare` takes their old values.
    pub(crate) fn move_three(
        &self,
        q: [&mut Field<T, D>; 3],
        how: Interpolation,
        solid: Option<&[u8]>,
        spare: [&mut Field<T, D>; 3],
    ) {
        let lattice = Lattice::new(&self.grid, Location::Center, &self.boundary);
        let back = self.back.each_ref().map(Field::as_slice);
        let from = q.each_ref().map(|q| q.as_slice());
        let [a, b, c] = spare;
        let out = [a.as_mut_slice(), b.as_mut_slice(), c.as_mut_slice()];
        interpolate(from, &lattice, &self.grid, &self.grid.interior(), back, how, out);
        for (q, moved) in q.into_iter().zip([a, b, c]) {
            if let Some(solid) = solid {
                let moved = moved.as_mut_slice();
                reread_beside_solids(q.as_slice(), &self.grid, &lattice, solid, back, moved);
            }
            q.swap_values(moved);
        }
    }

    /// Sets `q` to `outside` wherever the path came in through an open side.
    pub(crate) fn bring_in(&self, outside: T, q: &mut Field<T, D>) {
        let region = q.region();
        let open = |axis: usize, end: usize| self.boundary.sides[axis][end] == Side::Open;
        for axis in (0..D).filter(|axis| open(*axis, 0) || open(*axis, 1)) {
            let far = T::of_index(i32::MAX);
            let half = match q.location() {
                Location::Face(normal) if normal == axis => T::zero(),
                _ => T::of(0.5),
            };
            // The sides in storage indices of the place.
            let (lower, upper) = (T::one() - half, T::of_usize(region.hi[axis] - 1) + half);
            let pass = BringIn {
                path: self.back[axis].as_slice(),
                axis,
                lo: if open(axis, 0) { lower } else { -far },
                hi: if open(axis, 1) { upper } else { far },
                outside,
                at_side: half == T::zero(),
            };
            exec::rows(&region, [q.as_mut_slice()], &pass);
        }
    }

    /// Carries `q`, whose ghosts are set, along the paths that [`Carrier::aim`] found; `fill` sets
    /// the ghosts of a first pass. Scattering pushes the excess over `ambient`.
    pub(crate) fn move_along(
        &mut self,
        q: &Field<T, D>,
        (scheme, ambient): (Advection, T),
        solid: Option<&[u8]>,
        fill: impl Fn(&mut Field<T, D>),
        out: &mut Field<T, D>,
    ) {
        let region = q.region();
        let lattice = Lattice::new(&self.grid, q.location(), &self.boundary);
        let back = self.back.each_ref().map(Field::as_slice);
        let forth = self.forth.each_ref().map(Field::as_slice);
        let beside = solid.filter(|_| q.location() == Location::Center);
        let read = |q: &Field<T, D>, how: Interpolation, out: &mut Field<T, D>| {
            let slice = q.as_slice();
            let target = [out.as_mut_slice()];
            interpolate([slice], &lattice, &self.grid, &region, back, how, target);
            if let Some(solid) = beside {
                reread_beside_solids(slice, &self.grid, &lattice, solid, back, out.as_mut_slice());
            }
        };
        match scheme {
            Advection::SemiLagrangian(how) => read(q, how, out),
            Advection::MacCormack => {
                read(q, Interpolation::Linear, &mut self.first);
                self.first.relocate(q.location());
                fill(&mut self.first);
                let correction = Correction {
                    q: q.as_slice(),
                    first: self.first.as_slice(),
                    lattice,
                    grid: self.grid,
                    back,
                    forth,
                    solid: beside,
                };
                correction.apply(&region, out);
            }
            Advection::Scatter => {
                scatter((q, ambient), &self.boundary, forth, beside, out);
            }
        }
    }
}

/// What lies beyond an open side, for places whose path leaves [lo, hi] along an axis.
struct BringIn<'a, T> {
    path: &'a [T],
    axis: usize,
    lo: T,
    hi: T,
    outside: T,
    /// Whether places lie on the sides themselves.
    at_side: bool,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for BringIn<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, path) = (&mut out[..row.len], row.of(self.path));
        let (lo, hi, outside) = (self.lo, self.hi, self.outside);
        let (first, step) = (row.at[self.axis] as i32, i32::from(self.axis == 0));
        for i in 0..row.len {
            let from = T::of_index(first + step * i as i32) + path[i];
            // Between the outermost sample and the ghost beyond, which is `outside`, in proportion.
            let beyond = if self.at_side {
                T::one() - T::of_index(i32::from(from >= lo && from <= hi))
            } else {
                (from - hi).at_least(lo - from) + T::of(0.5)
            };
            let part = beyond.at_least(T::zero()).at_most(T::one());
            out[i] = out[i] + (outside - out[i]) * part;
        }
    }
}
