//! What a flow on cells carries along: dyes and tracers.
//!
//! ```text
//! ∂q/∂t + u·∇q = 0,  dx/dt = u(x)
//! ```
//!
//! The velocity at a face is the mean of the two cells beside it; walls, and faces of solid cells,
//! let nothing through. Dyes move with [`crate::advection`], tracers by the midpoint rule; both read
//! velocities between faces linearly: second order in space. Several lattice steps are taken at once,
//! with the velocity at their end: first order in time where the flow changes.

use alloc::vec;
use alloc::vec::Vec;

use super::Lbm;
use super::lattice::Lattice;
use crate::advection::{Advection, PathOrder, transport::Carrier};
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::sample;
use crate::{Boundary, Error, Faces, Field, Grid, Location, Real, Side};

/// Dyes and tracers in a flow whose velocity is known at centres of cells.
///
/// ```
/// use fluid_num::advection::Advection;
/// use fluid_num::schemes::lbm::{Carried, LbmParams};
/// use fluid_num::{Boundary, Grid2, LbmD2Q9};
/// let params = LbmParams { boundary: Boundary::periodic(), ..Default::default() };
/// let mut lbm = LbmD2Q9::<f64>::new(Grid2::new([32, 32], 1.0 / 64.0)?, params)?;
/// lbm.set_flow(|_| ([1.0, 0.0], 0.0))?;
/// let mut carried = Carried::new(&lbm, 1, Advection::MacCormack)?;
/// carried.dye_mut(0)?[[4, 8]] = 1.0;
/// carried.add_tracer([0.1, 0.2])?;
/// let time = lbm.step(0.25)?.time;
/// carried.follow(&lbm, time)?;
/// assert!((carried.dye(0)?[[20, 8]] - 1.0).abs() < 1e-9); // sixteen cells on
/// assert!((carried.tracers()[0][0] - 0.35).abs() < 1e-9);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Carried<T, const D: usize> {
    // State.
    dyes: Vec<Field<T, D>>,
    tracers: [Vec<T>; D],
    // Scratch.
    faces: Faces<T, D>,
    solid: Vec<u8>,
    carrier: Carrier<T, D>,
    moved: Field<T, D>,
    advection: Advection,
}

impl<T: Real, const D: usize> Carried<T, D> {
    /// So many clear dyes, and no tracer, in a lattice flow.
    ///
    /// # Errors
    /// None for a simulation without fault.
    pub fn new<L: Lattice<D, Q>, const Q: usize>(
        flow: &Lbm<T, L, D, Q>,
        dyes: usize,
        advection: Advection,
    ) -> Result<Self, Error> {
        Self::on(*flow.grid(), flow.params().boundary, dyes, advection)
    }

    /// The same for any flow on `grid` within `boundary`.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub fn on(
        grid: Grid<T, D>,
        boundary: Boundary<T, D>,
        dyes: usize,
        advection: Advection,
    ) -> Result<Self, Error> {
        boundary.check()?;
        Ok(Self {
            dyes: vec![Field::zeros(grid); dyes],
            tracers: core::array::from_fn(|_| Vec::new()),
            faces: Faces::zeros(grid),
            solid: vec![0; grid.array_len()],
            carrier: Carrier::new(grid, boundary, PathOrder::Midpoint),
            moved: Field::zeros(grid),
            advection,
        })
    }

    /// The dyes.
    pub fn dyes(&self) -> &[Field<T, D>] {
        &self.dyes
    }

    /// Dye number `n`.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`].
    pub fn dye(&self, n: usize) -> Result<&Field<T, D>, Error> {
        let count = self.dyes.len();
        self.dyes.get(n).ok_or(Error::NoSuchEntry { name: "dye", index: n, count })
    }

    /// Dye number `n`, to be changed.
    ///
    /// # Errors
    /// [`Error::NoSuchEntry`].
    pub fn dye_mut(&mut self, n: usize) -> Result<&mut Field<T, D>, Error> {
        let count = self.dyes.len();
        self.dyes.get_mut(n).ok_or(Error::NoSuchEntry { name: "dye", index: n, count })
    }

    /// The tracers' places, m: an array for each axis.
    pub fn tracers(&self) -> &[Vec<T>; D] {
        &self.tracers
    }

    /// Adds a tracer.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a place outside the domain.
    pub fn add_tracer(&mut self, position: [T; D]) -> Result<(), Error> {
        let (origin, size) = (self.carrier.grid.origin(), self.carrier.grid.size());
        for a in 0..D {
            let (lo, hi) = (origin[a].to_f64(), (origin[a] + size[a]).to_f64());
            check::within("a tracer's position", position[a], lo, hi, "within the domain")?;
        }
        for (list, x) in self.tracers.iter_mut().zip(position) {
            list.push(x);
        }
        Ok(())
    }

    /// Removes all tracers; their memory is kept.
    pub fn clear_tracers(&mut self) {
        self.tracers.iter_mut().for_each(Vec::clear);
    }

    /// The velocity that was followed last, at faces.
    pub fn faces(&self) -> &Faces<T, D> {
        &self.faces
    }

    /// Carries all along a lattice flow, as it is now, for `dt` seconds.
    ///
    /// # Errors
    /// As [`Self::follow_velocity`].
    pub fn follow<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        flow: &Lbm<T, L, D, Q>,
        dt: T,
    ) -> Result<(), Error> {
        self.follow_velocity(flow.velocity(), |cell| flow.is_solid(cell), dt)
    }

    /// Carries all along `velocity`, given at centres, for `dt` seconds. Nothing comes in through
    /// inflow and open sides; tracers that leave there are gone.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a velocity or a dye on another grid, [`Error::InvalidTimeStep`],
    /// [`Error::NotFinite`] for a velocity or a dye that is not finite; all is then as before.
    pub fn follow_velocity(
        &mut self,
        velocity: &[Field<T, D>; D],
        solid: impl FnMut([usize; D]) -> bool,
        dt: T,
    ) -> Result<(), Error> {
        check::time_step(dt)?;
        for u in velocity {
            u.check_shape(&self.carrier.grid, Location::Center, "the velocity")?;
            u.check_finite("velocity")?;
        }
        for dye in &self.dyes {
            dye.check_shape(&self.carrier.grid, Location::Center, "a dye")?;
            dye.check_finite("dye")?;
        }
        self.look(velocity, solid);
        self.carry_dyes(dt);
        self.carry_tracers(dt);
        Ok(())
    }

    /// Adds dyes and tracers to a digest.
    pub fn digest(&self) -> u64 {
        let digest = self.dyes.iter().fold(Digest::new(), |digest, q| q.digest(digest));
        self.tracers.iter().fold(digest, |digest, list| digest.values(list)).finish()
    }

    /// Finds solid cells, and the velocity at faces.
    fn look(&mut self, velocity: &[Field<T, D>; D], mut solid: impl FnMut([usize; D]) -> bool) {
        let Carrier { grid, boundary, .. } = self.carrier;
        super::solids::for_each_cell(&grid, |cell, i| self.solid[i] = u8::from(solid(cell)));
        boundary.fill_mask(&grid, &mut self.solid);
        for (axis, u) in velocity.iter().enumerate() {
            let face = &mut self.faces[axis];
            let stride = grid.strides()[axis];
            let pass = Mean { u: u.as_slice(), solid: &self.solid, stride };
            exec::rows(&grid.inner_faces(axis), [face.as_mut_slice()], &pass);
            self.cross_sides(axis, u);
        }
        boundary.fill_normal(&mut self.faces);
        boundary.fill_velocity(&mut self.faces);
    }

    /// Sets the faces on open and periodic sides.
    fn cross_sides(&mut self, axis: usize, u: &Field<T, D>) {
        let Carrier { grid, boundary, .. } = self.carrier;
        let (n, stride) = (grid.cells()[axis], grid.strides()[axis]);
        for end in 0..2 {
            let mut plane = grid.interior();
            let at = if end == 0 { 1 } else { n };
            (plane.lo[axis], plane.hi[axis]) = (at, at + 1);
            let (from, face) = (u.as_slice(), self.faces[axis].as_mut_slice());
            for i in plane.places() {
                let open = self.solid[i] == 0;
                match boundary.sides[axis][end] {
                    Side::Open => face[i + end * stride] = if open { from[i] } else { T::zero() },
                    Side::Periodic if end == 0 => {
                        let opposite = i + (n - 1) * stride;
                        let free = open && self.solid[opposite] == 0;
                        let mean = T::of(0.5) * (from[i] + from[opposite]);
                        face[i] = if free { mean } else { T::zero() };
                    }
                    _ => {}
                }
            }
        }
    }

    fn carry_dyes(&mut self, dt: T) {
        if self.dyes.is_empty() {
            return;
        }
        let Self { dyes, faces, solid, carrier, moved, advection, .. } = self;
        let solid = solid.contains(&1).then_some(solid.as_slice());
        carrier.aim(faces, Location::Center, dt, *advection, solid);
        let boundary = carrier.boundary;
        let fill = |q: &mut Field<T, D>| boundary.fill_scalar(q, T::zero(), T::zero());
        for q in dyes {
            fill(q);
            carrier.move_along(q, (*advection, T::zero()), solid, fill, moved);
            q.swap_values(moved);
        }
    }

    /// x ← x + Δt·u(x + ½Δt·u(x)).
    fn carry_tracers(&mut self, dt: T) {
        let Self { tracers, faces, carrier, .. } = self;
        let Carrier { grid, boundary, .. } = *carrier;
        let lattices: [_; D] =
            core::array::from_fn(|a| sample::Lattice::new(&grid, Location::Face(a), &boundary));
        let velocity = |x: [T; D]| -> [T; D] {
            core::array::from_fn(|a| lattices[a].linear_at(faces[a].as_slice(), x))
        };
        let moved = |x: [T; D], u: [T; D], dt: T| core::array::from_fn(|a| x[a] + dt * u[a]);
        let mut n = 0;
        while n < tracers[0].len() {
            let x: [T; D] = core::array::from_fn(|a| tracers[a][n]);
            let middle = moved(x, velocity(x), T::of(0.5) * dt);
            let mut end: [T; D] = moved(x, velocity(middle), dt);
            if keep_inside(&grid, &boundary, &mut end) {
                for (list, x) in tracers.iter_mut().zip(end) {
                    list[n] = x;
                }
                n += 1;
            } else {
                for list in tracers.iter_mut() {
                    list.swap_remove(n);
                }
            }
        }
    }
}

/// Wraps a place that left through a periodic side and stops it at walls; false where it left
/// through another side, or is no place.
fn keep_inside<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    x: &mut [T; D],
) -> bool {
    if x.iter().any(|x| !x.is_finite()) {
        return false;
    }
    for a in 0..D {
        let (lo, size) = (grid.origin()[a], grid.size()[a]);
        let hi = lo + size;
        for (end, beyond) in [x[a] < lo, x[a] > hi].into_iter().enumerate() {
            match boundary.sides[a][end] {
                _ if !beyond => {}
                Side::Periodic => {
                    let turns = ((x[a] - lo) / size).floor();
                    x[a] = (x[a] - turns * size).at_least(lo).at_most(hi);
                }
                Side::Open | Side::Inflow { .. } => return false,
                _ => x[a] = if end == 0 { lo } else { hi },
            }
        }
    }
    true
}

/// The mean of the cells beside each face, 0 beside a solid one.
struct Mean<'a, T> {
    u: &'a [T],
    solid: &'a [u8],
    stride: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Mean<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let out = &mut out[..row.len];
        let (here, below) = (row.of(self.u), row.before(self.u, self.stride));
        let (solid, solid_below) = (row.of(self.solid), row.before(self.solid, self.stride));
        let half = T::of(0.5);
        for i in 0..row.len {
            let mean = half * (here[i] + below[i]);
            out[i] = if solid[i] | solid_below[i] == 0 { mean } else { T::zero() };
        }
    }
}
