//! Lattice Boltzmann that stores moments instead of populations.
//!
//! ```text
//! h_k(x, t + 1) = w_k Σ_n H⁽ⁿ⁾(c_k) : a⁽ⁿ⁾(x − c_k, t) / (n! c_s²ⁿ)     a of δρ, ρu, Σcch, collided
//! δρ = Σh   ρu = Σch   Σcch                                          stored: 6 values, 10 in space
//! ```
//!
//! A regularised collision makes all populations of the first three moments: nothing else need be kept.
//! The results are those of [`Lbm`](super::Lbm) with the same collision, bit for bit; impulses alone are
//! rounded otherwise.
//!
//! **Method.** Layers (rows in the plane, planes in space) are worked on one after the other: each is
//! expanded into populations once, and as soon as both its neighbours are, its moments are summed anew
//! and take the place of the old ones. So one copy of the moments is enough. Bands of 64 layers are
//! independent of each other, but for their outermost layers, of which copies are made before.
//!
//! What comes back from solids is made of the moments before a sweep and takes its place in it; open
//! sides are made anew after it.
//!
//! **Memory.** 6 values a cell (10 in space), two more layers of them for each 64, and three layers of
//! populations for each thread. Where there are solids, 4 or 5 bytes a cell, some 30 for a covered one
//! and some 60 for each velocity that meets a surface.
//!
//! **Sides**, solids and forces are those of [`Lbm`](super::Lbm), but for convective outlets: they
//! carry populations on, which are not kept.
//!
//! References: M. Vardhan et al., *Moment representation in the lattice Boltzmann method on massively
//! parallel hardware*, 2019, <https://doi.org/10.1145/3295500.3356204>; W. Li et al., *High-order
//! moment-encoded kinetic simulation of turbulent flows*, 2023, <https://doi.org/10.1145/3618341>.

mod input;
mod simulation;
mod sweep;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::collide::{Regularising, Shear};
use super::expansion::{Moments, Tensor};
use super::force::{self, Push, push};
use super::input::make;
use super::lattice::Lattice;
use super::observe::Scales;
use super::open::{Opening, Sites};
use super::params::{Collision, LbmParams, Outlet};
use super::solids::{Obstacles, Refill};
use super::{WATCH, sides};
use crate::base::error::check;
use crate::base::exec;
use crate::solid::Body;
use crate::{Error, Field, Grid, Real, Side, StepReport};
use sweep::{BAND, Counted, Entry, Extremes, Layers, Sweep};

/// A lattice Boltzmann simulation on the lattice `L` of `Q` velocities in `D` dimensions that stores
/// moments.
///
/// ```
/// use fluid_num::schemes::lbm::{Collision, LbmParams};
/// use fluid_num::{Boundary, EncodedD2Q9, Grid2};
/// let params = LbmParams {
///     collision: Collision::Regularised,
///     boundary: Boundary::periodic(),
///     ..Default::default()
/// };
/// let mut flow = EncodedD2Q9::<f32>::new(Grid2::new([64, 64], 1.0 / 64.0)?, params)?;
/// flow.set_flow(|[_, y]| ([if y < 0.5 { 1.0 } else { -1.0 }, 0.0], 0.0))?;
/// flow.step(0.1)?;
/// // Half a metre of fluid to the right, half to the left, and what mixes between them.
/// assert!(flow.velocity([32, 16]).is_some_and(|u| u[0] > 0.9));
/// assert!(flow.velocity([32, 32]).is_some_and(|u| u[0] > -0.2 && u[0] < 0.2));
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EncodedLbm<T, L, const D: usize, const Q: usize> {
    params: LbmParams<T, D>,
    grid: Grid<T, D>,
    lattice: PhantomData<L>,
    // State: the moments before the next collision.
    moments: Vec<T>,
    force: Option<[Field<T, D>; D]>,
    time: T,
    pending: T,
    steps_done: u64,
    report: StepReport<T>,
    // What follows from the parameters.
    scales: Scales<T>,
    layers: Layers<D>,
    entries: Vec<Entry<T, D>>,
    steps: [isize; Q],
    openings: Vec<Opening<T, D>>,
    // What stands in the way.
    obstacles: Obstacles<T, D>,
    // Scratch: the outermost layers of bands, and populations.
    edges: Vec<T>,
    populations: Vec<T>,
}

impl<T, L, const D: usize, const Q: usize> EncodedLbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// Fluid at rest.
    ///
    /// # Errors
    /// As [`super::Lbm::new`]; [`Error::UnsuitableSolver`] for a collision or an outlet that remembers
    /// more than the moments.
    pub fn new(grid: Grid<T, D>, params: LbmParams<T, D>) -> Result<Self, Error> {
        let scales = Self::checked(&grid, &params)?;
        let layers = Layers::new(&grid);
        let bands = layers.count.div_ceil(BAND);
        Ok(Self {
            params,
            grid,
            lattice: PhantomData,
            moments: vec![T::zero(); layers.count * layers.moments_len()],
            force: None,
            time: T::zero(),
            pending: T::zero(),
            steps_done: 0,
            report: StepReport::nothing(T::zero()),
            scales,
            layers,
            entries: Self::entries(&grid, &params, &scales),
            steps: core::array::from_fn(|k| sides::step::<T, L, D, Q>(&grid, k)),
            openings: Opening::all::<Q>(&grid, &params, &scales),
            obstacles: Obstacles::new(),
            edges: vec![T::zero(); 2 * bands * layers.moments_len()],
            populations: vec![T::zero(); bands.min(exec::TASKS) * layers.populations_len::<Q>()],
        })
    }

    /// The scales of a simulation, where moments can hold it.
    fn checked(grid: &Grid<T, D>, params: &LbmParams<T, D>) -> Result<Scales<T>, Error> {
        let scales = Scales::checked(grid, params)?;
        let unsuitable = |reason| {
            let solver = "moment-encoded lattice Boltzmann";
            Err(Error::UnsuitableSolver { solver, reason, instead: "Lbm" })
        };
        if params.collision.remembers() {
            return unsuitable("BGK and TRT remember more than the moments");
        }
        let open = params.boundary.sides.as_flattened().contains(&Side::Open);
        if open && params.outlet == Outlet::Convective {
            return unsuitable("convective outlets remember more than the moments");
        }
        Ok(scales)
    }

    /// What comes in at the sides.
    fn entries(
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        scales: &Scales<T>,
    ) -> Vec<Entry<T, D>> {
        let (around, per_speed) = (true, T::one() / scales.velocity);
        let patches = sides::patches::<T, L, D, Q>(grid, &params.boundary, per_speed, around);
        patches.iter().map(|patch| Entry::new::<L, Q>(patch, grid)).collect()
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// The parameters.
    pub fn params(&self) -> &LbmParams<T, D> {
        &self.params
    }

    /// The velocity of a cell, m/s, or `None` outside; 0 in solids.
    pub fn velocity(&self, cell: [usize; D]) -> Option<[T; D]> {
        let moments = self.moments_at(cell)?;
        let i = self.grid.index(cell);
        if self.obstacles.is_solid(i) {
            return Some([T::zero(); D]);
        }
        Some(moments.velocity(self.push().at(i)).map(|u| self.scales.velocity * u))
    }

    /// The pressure of a cell above that of the fluid at rest, Pa (N/m in the plane), or `None`
    /// outside; 0 in solids.
    pub fn pressure(&self, cell: [usize; D]) -> Option<T> {
        let moments = self.moments_at(cell)?;
        let solid = self.obstacles.is_solid(self.grid.index(cell));
        Some(if solid { T::zero() } else { self.scales.pressure * moments.density })
    }

    /// Writes the pressure and the velocity of all cells into fields at their centres.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid or place; nothing is written then.
    pub fn fields_into(
        &self,
        pressure: &mut Field<T, D>,
        velocity: &mut [Field<T, D>; D],
    ) -> Result<(), Error> {
        for field in core::iter::once(&*pressure).chain(velocity.iter()) {
            field.check_shape(&self.grid, crate::Location::Center, "the target")?;
        }
        for cell in self.cells() {
            let i = self.grid.index(cell);
            pressure.as_mut_slice()[i] = self.pressure(cell).unwrap_or_default();
            let u = self.velocity(cell).unwrap_or([T::zero(); D]);
            velocity.iter_mut().zip(u).for_each(|(field, u)| field.as_mut_slice()[i] = u);
        }
        Ok(())
    }

    /// The memory that state and scratch take, in bytes.
    pub fn memory(&self) -> usize {
        let values = self.moments.len() + self.edges.len() + self.populations.len();
        let forces: usize = self.force.iter().flatten().map(|f| f.as_slice().len()).sum();
        (values + forces) * size_of::<T>() + self.obstacles.memory()
    }

    /// The bodies; see [`super::Lbm::bodies_mut`].
    pub fn bodies(&self) -> &[Body<T, D>] {
        &self.obstacles.bodies
    }

    /// The bodies, to be changed; see [`super::Lbm::bodies_mut`].
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, D>> {
        &mut self.obstacles.bodies
    }

    /// Makes the cells where `mask` holds solid, and the others no longer.
    pub fn close_cells(&mut self, mask: impl FnMut([usize; D]) -> bool) {
        self.obstacles.close_cells(&self.grid, mask);
    }

    /// Whether a cell was solid in the last step.
    pub fn is_solid(&self, cell: [usize; D]) -> bool {
        (0..D).all(|a| cell[a] < self.grid.cells()[a])
            && self.obstacles.is_solid(self.grid.index(cell))
    }

    /// The mean force on the cells closed by hand; see [`super::Lbm::force_on_closed_cells`].
    pub fn force_on_closed_cells(&self) -> [T; D] {
        self.obstacles.on_closed()
    }

    /// The force on every cell; see [`super::Lbm::force_mut`].
    pub fn force_mut(&mut self) -> &mut [Field<T, D>; D] {
        let grid = self.grid;
        self.force.get_or_insert_with(|| core::array::from_fn(|_| Field::zeros(grid)))
    }

    /// Takes over the state and the parameters of a simulation of the same grid; see
    /// [`super::Lbm::copy_from`].
    ///
    /// # Errors
    /// As there; nothing is changed then.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid {
            return Err(Error::GridMismatch { name: "the source" });
        }
        (self.params, self.scales) = (other.params, other.scales);
        self.entries.clone_from(&other.entries);
        self.moments.copy_from_slice(&other.moments);
        self.force.clone_from(&other.force);
        self.openings.clone_from(&other.openings);
        self.obstacles.clone_from(&other.obstacles);
        (self.time, self.pending) = (other.time, other.pending);
        (self.steps_done, self.report) = (other.steps_done, other.report);
        Ok(())
    }

    /// Advances by the whole lattice steps that `dt` seconds, and what was left over before, make
    /// room for; what is left over now waits for the next call.
    ///
    /// # Errors
    /// As [`super::Lbm::step`].
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
        let mut max_speed = None;
        while done < count {
            let now = WATCH.min(count - done);
            for _ in 0..now {
                self.keep_edges();
                self.sweep();
                self.enter();
            }
            done += now;
            self.steps_done += now as u64;
            self.clear_solids();
            max_speed = Some(self.check_flow()?);
        }
        if count > 0 {
            self.obstacles.push_bodies(&self.grid, &self.params, count, self.steps_done - 1)?;
        }
        let max_speed = max_speed.unwrap_or_else(|| self.extremes()[0]);
        self.report = StepReport {
            time: T::of_usize(count) * self.params.time_step,
            substeps: count,
            cfl: max_speed / self.scales.velocity,
            ..StepReport::nothing(max_speed)
        };
        self.time += self.report.time;
        Ok(self.report)
    }

    fn moments_at(&self, cell: [usize; D]) -> Option<Moments<T, D>> {
        let inside = (0..D).all(|a| cell[a] < self.grid.cells()[a]);
        inside.then(|| self.layers.get(&self.moments, self.grid.index(cell)))
    }

    fn push(&self) -> Push<'_, T, D> {
        push(&self.params, &self.scales, &self.force)
    }

    fn check_inputs(&self) -> Result<(), Error> {
        self.bodies().iter().try_for_each(Body::check)?;
        force::check(&self.grid, &self.force)
    }

    /// Finds the cells of solids where they have changed, and fills those that they have left.
    fn look_at_solids(&mut self) {
        if self.obstacles.prepare() {
            return;
        }
        let Self { params, grid, scales, force, moments, layers, obstacles, .. } = self;
        let per_speed = T::one() / scales.velocity;
        let push = push(params, scales, force);
        let refills = obstacles.update::<L, Q>(grid, params, per_speed, |i| {
            let moments = layers.get(moments, i);
            (moments.density, moments.momentum(push.at(i)))
        });
        for Refill { place, density, velocity } in refills {
            let (f, none) = (push.at(place), [[T::zero(); D]; D]);
            let h = make::<T, L, D, Q>(params, density, velocity, f, &none);
            layers.put(moments, place, &Moments::of::<L, Q, true>(&h));
        }
        self.clear_solids();
    }

    /// Fluid in solid cells is at rest.
    fn clear_solids(&mut self) {
        let Self { params, scales, force, moments, layers, obstacles, .. } = self;
        let push = push(params, scales, force);
        for i in obstacles.covered() {
            // The first half of a force is yet to come.
            let momentum = push.at(i).map(|f| -T::of(0.5) * f);
            let at_rest = Moments { density: T::zero(), momentum, flux: [[T::zero(); D]; D] };
            layers.put(moments, i, &at_rest);
        }
    }

    /// Makes open sides anew.
    fn enter(&mut self) {
        let Self { params, scales, force, moments, layers, openings, obstacles, lattice, .. } =
            self;
        let push = push(params, scales, force);
        let mut sites = Swept { params, moments, layers, obstacles, push, lattice: *lattice };
        for opening in openings {
            opening.apply(&mut sites);
        }
    }

    fn cells(&self) -> impl Iterator<Item = [usize; D]> + use<'_, T, L, D, Q> {
        self.grid.interior().places().map(|i| self.grid.cell_at(i))
    }

    /// The largest velocity component, m/s, and the largest |δρ|.
    fn extremes(&self) -> [T; 2] {
        let Self { moments, layers, .. } = self;
        let scale = self.scales.velocity;
        exec::wide(Extremes { moments, layers, push: self.push(), scale })
    }

    /// The largest velocity component, m/s, where the last steps stayed within the range of numbers.
    fn check_flow(&self) -> Result<T, Error> {
        let [max_speed, density] = self.extremes();
        if max_speed.worst(density * self.scales.pressure).is_finite() {
            return Ok(max_speed);
        }
        let finite = |cell| self.layers.is_finite(&self.moments, self.grid.index(cell));
        let mut place = [0; 3];
        if let Some(cell) = self.cells().find(|cell| !finite(*cell)) {
            place[..D].copy_from_slice(&cell);
        }
        Err(Error::Unstable { step: self.steps_done - 1, field: "moments", place })
    }

    /// Copies the layers that bands need of each other.
    fn keep_edges(&mut self) {
        let len = self.layers.moments_len();
        let count = self.layers.count;
        for (band, edges) in self.edges.chunks_exact_mut(2 * len).enumerate() {
            let before = (band * BAND + count - 1) % count;
            let after = ((band + 1) * BAND).min(count) % count;
            let (below, above) = edges.split_at_mut(len);
            below.copy_from_slice(&self.moments[before * len..][..len]);
            above.copy_from_slice(&self.moments[after * len..][..len]);
        }
    }

    /// Every layer collides and streams.
    fn sweep(&mut self) {
        let forced = !self.push().is_nothing();
        match (forced, self.params.smagorinsky > T::zero()) {
            (false, false) => self.sweep_with::<false, false>(),
            (false, true) => self.sweep_with::<false, true>(),
            (true, false) => self.sweep_with::<true, false>(),
            (true, true) => self.sweep_with::<true, true>(),
        }
    }

    fn sweep_with<const FORCED: bool, const EDDIES: bool>(&mut self) {
        let shear = Shear::of(&self.params, self.grid.dx());
        let central = self.params.collision == Collision::CentralMoments;
        self.run(Regularising::<T, FORCED, EDDIES> { shear, central });
    }

    fn run<const FORCED: bool, const EDDIES: bool>(
        &mut self,
        rule: Regularising<T, FORCED, EDDIES>,
    ) {
        let Self { params, scales, force, moments, populations, layers, .. } = self;
        let Self { entries, edges, obstacles, steps, lattice, .. } = self;
        let push = push(params, scales, force);
        // Links lead to a cell one after the other, some by way of another one.
        let mut last = [(0, [T::zero(); Q]); 2];
        obstacles.exchange::<L, Q>(|from, k| {
            if last[0].0 != from {
                last.swap(0, 1);
            }
            if last[0].0 != from {
                let moments = layers.get(moments, from);
                let expansion = rule.expansion::<L, D, Q>(moments, push.at(from));
                expansion.expand::<L, Q, true>(&mut last[0].1);
                last[0].0 = from;
            }
            last[0].1[k]
        });
        let need = layers.populations_len::<Q>();
        let len = BAND * layers.moments_len();
        let (layers, links) = (*layers, obstacles.links());
        let pass = Sweep { rule, push, layers, entries, links, steps, edges, lattice: *lattice };
        exec::blocks(moments, len, populations, need, &Counted::<_, Q>(pass));
    }
}

/// What openings see of moments that have been summed.
struct Swept<'a, T, L, const D: usize, const Q: usize> {
    params: &'a LbmParams<T, D>,
    moments: &'a mut [T],
    layers: &'a Layers<D>,
    obstacles: &'a Obstacles<T, D>,
    push: Push<'a, T, D>,
    lattice: PhantomData<L>,
}

impl<T, L, const D: usize, const Q: usize> Sites<T, D> for Swept<'_, T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    fn moments(&self, i: usize) -> Moments<T, D> {
        self.layers.get(self.moments, i)
    }

    fn is_solid(&self, i: usize) -> bool {
        self.obstacles.is_solid(i)
    }

    fn force(&self, i: usize) -> [T; D] {
        self.push.at(i)
    }

    fn make(&mut self, i: usize, density: T, u: [T; D], deviation: &Tensor<T, D>) {
        let h = make::<T, L, D, Q>(self.params, density, u, self.push.at(i), deviation);
        self.layers.put(self.moments, i, &Moments::of::<L, Q, true>(&h));
    }

    fn reflected(&self, _: usize, _: T, _: [T; D], _: [usize; 2]) -> Option<Tensor<T, D>> {
        None
    }
}
