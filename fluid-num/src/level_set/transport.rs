//! Moving a level set along a velocity: ∂φ/∂t + u·∇φ = 0, near the interface.
//!
//! ```text
//! φ'(x) = φ(x − Δt·u)     x − Δt·u along Ralston's third-order path, φ between centres cubic
//! ```
//! **Cost**: proportional to the cells of the band and, where nothing moves, a pass over φ; memory for a
//! velocity and a field.
//!
//! References: A. Ralston, *Runge–Kutta methods with minimum error bounds*, Math. Comp. 16 (1962),
//! <https://doi.org/10.1090/S0025-5718-1962-0150954-0>; the cubic is that of E. Catmull, R. Rom, *A class
//! of local interpolating splines*, 1974, <https://doi.org/10.1016/B978-0-12-079050-0.50020-5>.

use super::LevelSet;
use crate::advection::semi_lagrangian::Trace;
use crate::advection::{Interpolation, PathOrder};
use crate::base::error::check;
use crate::base::exec::{self, Region, Row, RowPass};
use crate::grid::cubic::Limit;
use crate::grid::ops::same_grid;
use crate::grid::sample::{BLOCK, Lattice, Located, linear_block};
use crate::{Boundary, Error, Faces, Field, Grid, Location, Real};

/// The number of neighbouring cells that are moved or left alone together, at most [`BLOCK`].
const RUN: usize = 16;

/// Moves level sets along a velocity, in a band around the interface. All memory is taken at the
/// start.
///
/// Runs of 16 cells that take nothing from where |φ| is below what the last reinitialisation cut it at
/// are left alone; a level set that was never cut is computed everywhere.
///
/// Unconditionally stable. Through a side comes in what stands at the side.
///
/// ```
/// use fluid_num::advection::Interpolation;
/// use fluid_num::level_set::BandTransport;
/// use fluid_num::solid::Shape;
/// use fluid_num::{Boundary, Faces, Grid2, LevelSet};
/// let grid = Grid2::new([32, 32], 1.0 / 32.0)?;
/// let walls = Boundary::walls();
/// let mut drop = LevelSet::from_shape(grid, &walls, &Shape::ball(0.2)?, [0.3, 0.5])?;
/// let wind = Faces::from_fn(grid, |_| [1.0, 0.0]);
/// let mut transport = BandTransport::new(grid, Boundary::periodic(), Interpolation::Cubic)?;
/// let area = drop.measure();
/// for _ in 0..10 {
///     transport.carry(&wind, &mut drop, 0.03)?;
/// }
/// assert!((drop.signed_distance([0.6, 0.6]) + 0.1_f64).abs() < 0.005); // moved by 0.3
/// assert!((drop.signed_distance([0.3, 0.5]) - 0.1_f64).abs() < 0.02); // came in through the side
/// assert!((drop.measure() / area - 1.0_f64).abs() < 1e-3);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BandTransport<T, const D: usize> {
    boundary: Boundary<T, D>,
    interpolation: Interpolation,
    u: Faces<T, D>,
    next: Field<T, D>,
}

impl<T: Real, const D: usize> BandTransport<T, D> {
    /// Moves level sets of `grid` by velocities that have `boundary` at their sides.
    /// Take [`Interpolation::Cubic`], which keeps areas best, see the table in the [module](super);
    /// [`Interpolation::Linear`] costs half and loses them.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub fn new(
        grid: Grid<T, D>,
        boundary: Boundary<T, D>,
        interpolation: Interpolation,
    ) -> Result<Self, Error> {
        boundary.check()?;
        Ok(Self { boundary, interpolation, u: Faces::zeros(grid), next: Field::zeros(grid) })
    }

    /// Moves `phi` along `u` for `dt` seconds.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set or a velocity of another grid,
    /// [`Error::InvalidTimeStep`], [`Error::NotFinite`] for a velocity that is not finite and for a φ so
    /// large that what comes of it is not; `phi` is then untouched.
    pub fn carry(&mut self, u: &Faces<T, D>, phi: &mut LevelSet<T, D>, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        let grid = *self.next.grid();
        same_grid(*u.grid() == grid, "u")?;
        same_grid(*phi.grid() == grid, "phi")?;
        u.check_finite("u")?;
        self.u.copy_from(u)?;
        self.boundary.fill_normal(&mut self.u);
        self.boundary.fill_velocity(&mut self.u);
        let farthest = (self.u.max_abs() * dt / grid.dx()).at_most(T::of(1e6));
        let pass = Carry {
            trace: Trace::new(&self.u, &self.boundary, Location::Center, dt, PathOrder::Ralston),
            phi: phi.field().as_slice(),
            lattice: phi.lattice(),
            grid,
            boundary: *phi.boundary(),
            width: phi.width(),
            // A path's end is read with two cells around it.
            reach: farthest.truncate() as usize + 3,
        };
        let (region, out) = (grid.interior(), [self.next.as_mut_slice()]);
        match self.interpolation {
            Interpolation::Linear => exec::rows(&region, out, &Linear(pass)),
            Interpolation::MonotoneCubic => exec::rows(&region, out, &Cubic(pass, Limit::Monotone)),
            Interpolation::ClampedCubic => exec::rows(&region, out, &Cubic(pass, Limit::Range)),
            Interpolation::Cubic => exec::rows(&region, out, &Cubic(pass, Limit::None)),
        }
        self.next.check_finite("phi")?;
        phi.exchange(&mut self.next);
        Ok(())
    }
}

struct Carry<'a, T, const D: usize> {
    trace: Trace<'a, T, D>,
    phi: &'a [T],
    lattice: Lattice<T, D>,
    grid: Grid<T, D>,
    boundary: Boundary<T, D>,
    /// What |φ| is cut at.
    width: Option<T>,
    /// How far from a cell its new value may come from, in cells.
    reach: usize,
}

impl<T: Real, const D: usize> Carry<'_, T, D> {
    /// Locates where the cells of a row come from, block by block, and lets `read` take their values.
    #[inline(always)]
    fn row(&self, row: Row<D>, out: &mut [T], read: impl Fn(&Located<T, D>, &mut [T])) {
        let (mut located, mut path) = (Located::new(), [[T::zero(); BLOCK]; D]);
        for first in (0..row.len).step_by(RUN) {
            let len = RUN.min(row.len - first);
            let mut at = row.at;
            at[0] += first;
            let part = Row { at, start: row.start + first, len };
            let out = &mut out[first..first + len];
            if self.width.is_some_and(|width| self.is_far(part, width)) {
                out.copy_from_slice(part.of(self.phi));
                continue;
            }
            self.trace.row(part, path.each_mut().map(|p| &mut p[..len]));
            let back = path.each_ref().map(|p| &p[..len]);
            self.lattice.locate_block(at, back, [T::zero(); D], &mut located);
            read(&located, out);
            // A cubic overshoots where the slope ends at the cut.
            if let Some(width) = self.width {
                out.iter_mut().for_each(|v| *v = v.at_most(width).at_least(-width));
            }
        }
    }

    /// Whether all values within reach of a part of a row are what φ was cut at on one side, or beyond.
    fn is_far(&self, part: Row<D>, width: T) -> bool {
        let (cells, reach) = (self.grid.cells(), self.reach);
        let inside = self.phi[part.start] < T::zero();
        let far = |values: &[T]| {
            if inside {
                values.iter().fold(true, |far, v| far & (*v <= -width))
            } else {
                values.iter().fold(true, |far, v| far & (*v >= width))
            }
        };
        // Most of what is not far is seen here.
        if !far(part.of(self.phi)) {
            return false;
        }
        let mut around = Region { lo: part.at, hi: part.at, strides: self.grid.strides() };
        for a in 0..D {
            let last = part.at[a] + if a == 0 { part.len - 1 } else { 0 };
            if self.boundary.is_periodic(a) && (part.at[a] <= reach || last + reach > cells[a]) {
                return false;
            }
            around.lo[a] = part.at[a].saturating_sub(reach).max(1);
            around.hi[a] = (last + reach).min(cells[a]) + 1;
        }
        (0..around.rows()).all(|n| far(around.row(n).of(self.phi)))
    }
}

struct Linear<'a, T, const D: usize>(Carry<'a, T, D>);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Linear<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (phi, strides) = (self.0.phi, self.0.grid.strides());
        self.0.row(row, out, |located, out| linear_block(phi, strides, located, out));
    }
}

struct Cubic<'a, T, const D: usize>(Carry<'a, T, D>, Limit);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Cubic<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let Carry { phi, lattice, .. } = &self.0;
        // A limit that is known when compiling lets the loops fill the lanes.
        self.0.row(row, out, |located, out| match self.1 {
            Limit::Monotone => lattice.cubic_block(phi, located, Limit::Monotone, out),
            Limit::Range => lattice.cubic_block(phi, located, Limit::Range, out),
            Limit::None => lattice.cubic_block(phi, located, Limit::None, out),
        });
    }
}
