//! Lattice Boltzmann: populations of a few velocities stream from cell to cell and collide.
//!
//! ```text
//! f_k(x + c_k, t + 1) = f_k(x, t) + Ω_k(f)(x, t)           c_s² = 1/3, p = c_s²δρ
//! f_k^eq = w_k ρ(1 + 3c·u + 4.5(c·u)² − 1.5u²)             ν = c_s²(τ − ½)Δx²/Δt
//! ∂ρ/∂t + ∇·(ρu) = 0,  ∂(ρu)/∂t + ∇·(ρuu) = −∇p + ∇·(ρν(∇u + ∇uᵀ)) + F    for |u| ≪ c_s
//! ```
//!
//! **Method.** Second order in space and in time where the Mach number falls with the size of cells.
//! Collisions: BGK, two relaxation times, recursive regularised, central moments, each with
//! Smagorinsky's eddies if wanted; forces after Guo. Populations are stored as deviations from the
//! fluid at rest, each velocity's as a ring that streams by moving its head: one array a velocity,
//! read and written once a step.
//!
//! **Steps.** A step of the lattice takes [`LbmParams::time_step`], fixed. [`Lbm::step`] does as many
//! whole ones as time has come for and keeps the rest for the next call.
//!
//! **Stability.** |u| below about 0.3 cells a step (0.1 for accuracy), and a cell's Reynolds number
//! |u|Δx/ν below about 10 (BGK) to 1000 (central moments; scenes carry some thousand); see [`LatticeUnits`].
//!
//! **Fields.** Pressure above that at rest, Pa, and velocity, m/s, both of the end of the last step,
//! at centres of cells.
//!
//! **Cost.** 2·Q·`size_of::<T>()` bytes of memory traffic a cell and lattice step.
//!
//! **Solids** are cells whose centre a body covers or that are closed by hand; fluid sticks to them
//! half-way between cells or at the surface ([`Bounce`]), and pushes bodies by momentum exchange.
//!
//! **Not modelled.** Heat, phases; slip at bodies.
//!
//! **Validated by** Taylor–Green vortices, Poiseuille and Couette flow, the lid-driven cavity, the
//! cylinder of Schäfer and Turek and a plain two-array implementation.
//!
//! References: T. Krüger et al., *The Lattice Boltzmann Method*, Springer 2017,
//! <https://doi.org/10.1007/978-3-319-44649-3>; that of the periodic shift: M. Mohrhard et al., *An
//! auto-vectorization friendly parallel lattice Boltzmann streaming scheme for direct addressing*,
//! 2019, <https://doi.org/10.1016/j.compfluid.2019.01.001>; see the parts for theirs.

mod carried;
mod change;
mod collide;
mod encoded;
mod expansion;
mod force;
mod input;
mod lattice;
mod observe;
mod open;
mod params;
mod sides;
mod simulation;
mod solids;
#[cfg(test)]
mod tests;
mod units;
mod views;

use alloc::vec::Vec;
use core::marker::PhantomData;

pub use carried::Carried;
pub use encoded::EncodedLbm;
pub use lattice::{D2Q9, D3Q19, D3Q27, Lattice, opposite};
pub use params::{Bounce, Collision, LbmParams, Outlet};
pub use units::LatticeUnits;

use crate::base::error::check;
use crate::base::exec;
use crate::base::ring::Ring;
use crate::solid::Body;
use crate::{Error, Field, Grid, Real, StepReport};
use collide::{Collide, Regularising, Rule, Shear, TwoRates};
use expansion::{Moments, Tensor};
use force::{Push, push};
use input::make;
use observe::{Observe, Scales};
use open::{Opening, Sites};
use sides::Patch;
use solids::{Link, Obstacles, Refill};

/// How many steps may pass before the run is looked at.
const WATCH: usize = 64;

/// A lattice Boltzmann simulation on the lattice `L` of `Q` velocities in `D` dimensions.
///
/// ```
/// use fluid_num::schemes::lbm::LbmParams;
/// use fluid_num::{Boundary, Grid2, LbmD2Q9, Side};
/// let lid = Side::Moving { velocity: [1.0, 0.0] };
/// let params = LbmParams {
///     boundary: Boundary::all(Side::NoSlip).with(1, 1, lid),
///     ..Default::default()
/// };
/// let mut cavity = LbmD2Q9::<f32>::new(Grid2::new([64, 64], 1.0 / 64.0)?, params)?;
/// let report = cavity.step(0.2)?;
/// assert_eq!(report.substeps, 200);
/// assert!(cavity.velocity()[0][[32, 63]] > 0.5); // the lid drags the fluid along
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lbm<T, L, const D: usize, const Q: usize> {
    params: LbmParams<T, D>,
    grid: Grid<T, D>,
    lattice: PhantomData<L>,
    // State: the populations before the next collision.
    populations: [Ring<T>; Q],
    force: Option<[Field<T, D>; D]>,
    time: T,
    pending: T,
    steps: u64,
    report: StepReport<T>,
    // What follows from the state.
    pressure: Field<T, D>,
    velocity: [Field<T, D>; D],
    // What follows from the parameters.
    scales: Scales<T>,
    patches: Vec<Patch<T, D>>,
    openings: Vec<Opening<T, D>>,
    // What stands in the way.
    obstacles: Obstacles<T, D>,
}

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Fluid at rest.
    ///
    /// # Errors
    /// As [`LbmParams::check`]; [`Error::InvalidParameter`] where cells, step and viscosity make
    /// lattice units that are no finite numbers, or a side is faster than sound.
    pub fn new(grid: Grid<T, D>, params: LbmParams<T, D>) -> Result<Self, Error> {
        let scales = Scales::checked(&grid, &params)?;
        let per_speed = T::one() / scales.velocity;
        let openings = Opening::all::<Q>(&grid, &params, &scales);
        Ok(Self {
            params,
            grid,
            lattice: PhantomData,
            populations: core::array::from_fn(|_| Ring::new(grid.array_len(), T::zero())),
            force: None,
            time: T::zero(),
            pending: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            pressure: Field::zeros(grid),
            velocity: core::array::from_fn(|_| Field::zeros(grid)),
            scales,
            patches: sides::patches::<T, L, D, Q>(&grid, &params.boundary, per_speed, false),
            openings,
            obstacles: Obstacles::new(),
        })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// The parameters.
    pub fn params(&self) -> &LbmParams<T, D> {
        &self.params
    }

    /// The pressure above that of the fluid at rest, Pa (N/m in the plane).
    pub fn pressure(&self) -> &Field<T, D> {
        &self.pressure
    }

    /// The velocity, m/s.
    pub fn velocity(&self) -> &[Field<T, D>; D] {
        &self.velocity
    }

    /// The density of a cell, kg/m³ (kg/m² in the plane), or `None` outside.
    pub fn density(&self, cell: [usize; D]) -> Option<T> {
        let pressure = self.pressure.get(cell)?;
        Some(self.params.rest_density * (T::one() + pressure / self.scales.pressure))
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body<T, D>] {
        &self.obstacles.bodies
    }

    /// The bodies, to be changed. Fluid sticks to all of them, whatever their slip and layers. `step`
    /// adds the mean force and torque of its lattice steps to theirs. Cells that a body has left are
    /// filled with fluid that moves as it did; what cells that it covers or leaves have of momentum is
    /// part of the force, but for a body that is new or whose shape is. A step after a change takes
    /// memory.
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, D>> {
        &mut self.obstacles.bodies
    }

    /// Makes the cells where `mask` holds solid, and the others no longer. What flowed there is lost.
    pub fn close_cells(&mut self, mask: impl FnMut([usize; D]) -> bool) {
        self.obstacles.close_cells(&self.grid, mask);
    }

    /// Whether a cell was solid in the last step.
    pub fn is_solid(&self, cell: [usize; D]) -> bool {
        (0..D).all(|a| cell[a] < self.grid.cells()[a])
            && self.obstacles.is_solid(self.grid.index(cell))
    }

    /// The mean force on the cells closed by hand, all together, in the last call of `step` or
    /// `advance` that did a lattice step, N; 0 before and after a snapshot was restored.
    pub fn force_on_closed_cells(&self) -> [T; D] {
        self.obstacles.on_closed()
    }

    /// The force on every cell, N/m³ (N/m² in the plane), beside that of
    /// [`LbmParams::acceleration`]; 0 until set. The first call takes memory for it.
    pub fn force_mut(&mut self) -> &mut [Field<T, D>; D] {
        let grid = self.grid;
        self.force.get_or_insert_with(|| core::array::from_fn(|_| Field::zeros(grid)))
    }

    /// The population number `k` of a cell as deviation from the fluid at rest, f_k − w_k; `None`
    /// where there is no such cell or velocity.
    pub fn population(&self, k: usize, cell: [usize; D]) -> Option<T> {
        let inside = (0..D).all(|a| cell[a] < self.grid.cells()[a]);
        let ring = self.populations.get(k)?;
        inside.then(|| ring.get(self.grid.index(cell)))
    }

    /// Takes over the state and the parameters of a simulation of the same grid. Populations are copied
    /// without allocating; bodies and openings as their `clone_from` does.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for another grid; nothing is changed then.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid {
            return Err(Error::GridMismatch { name: "the source" });
        }
        (self.params, self.scales) = (other.params, other.scales);
        self.patches.clone_from(&other.patches);
        for (own, other) in self.populations.iter_mut().zip(&other.populations) {
            own.copy_from(other);
        }
        self.force.clone_from(&other.force);
        self.pressure.copy_from(&other.pressure)?;
        for (own, other) in self.velocity.iter_mut().zip(&other.velocity) {
            own.copy_from(other)?;
        }
        self.openings.clone_from(&other.openings);
        self.obstacles.clone_from(&other.obstacles);
        (self.time, self.pending) = (other.time, other.pending);
        (self.steps, self.report) = (other.steps, other.report);
        Ok(())
    }

    /// Advances by the whole lattice steps that `dt` seconds, and what was left over before, make
    /// room for; what is left over now waits for the next call.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]; [`Error::GridMismatch`] or [`Error::NotFinite`] for a force that
    /// was replaced or is not finite; what [`Body::check`] says: the state is as before.
    /// [`Error::Unstable`] with the number of the lattice step that is no longer finite, to within 64.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.check_inputs()?;
        if dt == T::zero() {
            return Ok(StepReport::nothing(self.report.max_speed));
        }
        let count = self.params.due(&mut self.pending, dt);
        self.advance(count)
    }

    /// Advances by `count` lattice steps, whatever is left over from [`Self::step`].
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn advance(&mut self, count: usize) -> Result<StepReport<T>, Error> {
        self.check_inputs()?;
        if count > 0 {
            self.look_at_solids();
        }
        let mut done = 0;
        while done < count {
            let now = WATCH.min(count - done);
            for _ in 0..now {
                self.remember();
                self.collide();
                self.stream();
                self.enter();
            }
            done += now;
            self.steps += now as u64;
            self.observe();
            self.check_flow()?;
        }
        if count > 0 {
            self.obstacles.push_bodies(&self.grid, &self.params, count, self.steps - 1)?;
        }
        let max_speed = self.max_speed();
        self.report = StepReport {
            time: T::of_usize(count) * self.params.time_step,
            substeps: count,
            cfl: max_speed / self.scales.velocity,
            ..StepReport::nothing(max_speed)
        };
        self.time += self.report.time;
        Ok(self.report)
    }

    /// The largest velocity component, m/s.
    fn max_speed(&self) -> T {
        self.velocity.iter().fold(T::zero(), |most, u| most.worst(u.max_abs()))
    }

    fn check_inputs(&self) -> Result<(), Error> {
        self.bodies().iter().try_for_each(Body::check)?;
        force::check(&self.grid, &self.force)
    }

    /// Whether the last steps stayed within the range of numbers.
    fn check_flow(&self) -> Result<(), Error> {
        for field in self.velocity.iter().chain([&self.pressure]) {
            let name = "populations";
            field.check_finite(name).map_err(|e| e.into_unstable(self.steps - 1))?;
        }
        Ok(())
    }

    /// Every site's populations collide.
    fn collide(&mut self) {
        let forced = !push(&self.params, &self.scales, &self.force).is_nothing();
        match (forced, self.params.smagorinsky > T::zero()) {
            (false, false) => self.collide_with::<false, false>(),
            (false, true) => self.collide_with::<false, true>(),
            (true, false) => self.collide_with::<true, false>(),
            (true, true) => self.collide_with::<true, true>(),
        }
    }

    fn collide_with<const FORCED: bool, const EDDIES: bool>(&mut self) {
        let shear = Shear::of(&self.params, self.grid.dx());
        match self.params.collision {
            Collision::Bgk => self.run(TwoRates::<T, FORCED, EDDIES>::new(shear, None)),
            Collision::Trt { magic } => {
                self.run(TwoRates::<T, FORCED, EDDIES>::new(shear, Some(magic)));
            }
            Collision::Regularised => {
                self.run(Regularising::<T, FORCED, EDDIES> { shear, central: false });
            }
            Collision::CentralMoments => {
                self.run(Regularising::<T, FORCED, EDDIES> { shear, central: true });
            }
        }
    }

    fn run(&mut self, rule: impl Rule<T, L, D, Q>) {
        let Self { params, scales, force, populations, lattice, .. } = self;
        let pass = Collide { rule, push: push(params, scales, force), lattice: *lattice };
        let arcs = populations.each_mut().map(Ring::as_arc);
        exec::ring_rows(&self.grid.interior(), arcs, &pass);
    }

    /// Keeps what convective outlets need of the populations before the collision.
    fn remember(&mut self) {
        for opening in &mut self.openings {
            opening.remember(&self.populations);
        }
    }

    /// Every population moves on by its velocity.
    fn stream(&mut self) {
        for (k, ring) in self.populations.iter_mut().enumerate() {
            ring.shift(sides::step::<T, L, D, Q>(&self.grid, k));
        }
    }

    /// What comes in from the sides takes its place.
    fn enter(&mut self) {
        let Self { params, scales, force, populations, patches, openings, obstacles, .. } = self;
        for patch in patches {
            patch.apply(populations);
        }
        let grid = &self.grid;
        obstacles.exchange::<L, Q>(|from, k| {
            populations[k].get(from.wrapping_add_signed(sides::step::<T, L, D, Q>(grid, k)))
        });
        for Link { to, k, back, .. } in obstacles.links() {
            populations[*k].set(*to, *back);
        }
        let push = push(params, scales, force);
        for opening in openings {
            opening.carry_out::<L, Q>(populations, |i| obstacles.is_solid(i), |i| push.at(i));
            let lattice = self.lattice;
            opening.apply(&mut Streamed { params, populations, obstacles, push, lattice });
        }
    }

    /// Finds the cells of solids where they have changed, and fills those that they have left.
    fn look_at_solids(&mut self) {
        if self.obstacles.prepare() {
            return;
        }
        let Self { params, grid, scales, force, populations, obstacles, .. } = self;
        let (per_speed, push) = (T::one() / scales.velocity, push(params, scales, force));
        let refills = obstacles.update::<L, Q>(grid, params, per_speed, |i| {
            let moments = Moments::of::<L, Q, false>(&site(populations, i));
            (moments.density, moments.momentum(push.at(i)))
        });
        for Refill { place, density, velocity } in refills {
            let (f, none) = (push.at(place), [[T::zero(); D]; D]);
            let h = make::<T, L, D, Q>(params, density, velocity, f, &none);
            set_site(populations, place, h);
        }
        obstacles.clear(populations);
    }

    /// Sets pressure and velocity to what the populations say.
    fn observe(&mut self) {
        self.obstacles.clear(&mut self.populations);
        let Self { params, scales, force, populations, lattice, pressure, velocity, .. } = self;
        let push = push(params, scales, force);
        let pass = Observe { populations, push, scales: *scales, lattice: *lattice };
        let region = self.grid.interior();
        let mut fields = core::iter::once(pressure).chain(velocity);
        let mut next = |_| fields.next().map(Field::as_mut_slice).unwrap_or_default();
        if D == 2 {
            exec::rows::<T, D, 3>(&region, core::array::from_fn(&mut next), &pass);
        } else {
            exec::rows::<T, D, 4>(&region, core::array::from_fn(&mut next), &pass);
        }
        self.obstacles.clear_fields(&mut self.pressure, &mut self.velocity);
    }
}

/// The populations of a place.
fn site<T: Copy, const Q: usize>(populations: &[Ring<T>; Q], i: usize) -> [T; Q] {
    core::array::from_fn(|k| populations[k].get(i))
}

fn set_site<T: Copy, const Q: usize>(populations: &mut [Ring<T>; Q], i: usize, h: [T; Q]) {
    for (ring, h) in populations.iter_mut().zip(h) {
        ring.set(i, h);
    }
}

/// What openings see of populations that have streamed.
struct Streamed<'a, T, L, const D: usize, const Q: usize> {
    params: &'a LbmParams<T, D>,
    populations: &'a mut [Ring<T>; Q],
    obstacles: &'a Obstacles<T, D>,
    push: Push<'a, T, D>,
    lattice: PhantomData<L>,
}

impl<T, L, const D: usize, const Q: usize> Sites<T, D> for Streamed<'_, T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    fn moments(&self, i: usize) -> Moments<T, D> {
        Moments::of::<L, Q, true>(&site(self.populations, i))
    }

    fn is_solid(&self, i: usize) -> bool {
        self.obstacles.is_solid(i)
    }

    fn force(&self, i: usize) -> [T; D] {
        self.push.at(i)
    }

    fn make(&mut self, i: usize, density: T, u: [T; D], deviation: &Tensor<T, D>) {
        let h = make::<T, L, D, Q>(self.params, density, u, self.push.at(i), deviation);
        set_site(self.populations, i, h);
    }

    fn reflected(&self, i: usize, density: T, u: [T; D], side: [usize; 2]) -> Option<Tensor<T, D>> {
        let none = [[T::zero(); D]; D];
        self.params.collision.remembers().then(|| {
            let still = make::<T, L, D, Q>(self.params, density, u, self.push.at(i), &none);
            open::reflected::<T, L, D, Q>(&site(self.populations, i), &still, side)
        })
    }
}
