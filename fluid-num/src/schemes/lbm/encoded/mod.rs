//! Lattice Boltzmann that stores moments instead of populations.
//!
//! ```text
//! h_k(x, t + 1) = w_k Σ_n H⁽ⁿ⁾(c_k) : a⁽ⁿ⁾(x − c_k, t) / (n! c_s²ⁿ)     a of δρ, ρu, Σcch, collided
//! δρ = Σh   ρu = Σch   Σcch                                          stored: 6 values, 10 in space
//! ```
//!
//! A regularised collision makes all populations of the first three moments: nothing else need be kept.
//! The results are those of [`Lbm`](super::Lbm) with the same collision, bit for bit.
//!
//! **Method.** Layers (rows in the plane, planes in space) are worked on one after the other: each is
//! expanded into populations once, and as soon as both its neighbours are, its moments are summed anew
//! and take the place of the old ones. So one copy of the moments is enough. Bands of 64 layers are
//! independent of each other, but for their outermost layers, of which copies are made before.
//!
//! **Memory.** 6 values a cell (10 in space), two more layers of them for each 64, and three layers of
//! populations for each thread.
//!
//! **Sides** are periodic, no slip, moving or free slip. **Not modelled:** openings, bodies, force
//! fields.
//!
//! References: M. Vardhan et al., *Moment representation in the lattice Boltzmann method on massively
//! parallel hardware*, 2019, <https://doi.org/10.1145/3295500.3356204>; W. Li et al., *High-order
//! moment-encoded kinetic simulation of turbulent flows*, 2023, <https://doi.org/10.1145/3618341>.

mod simulation;
mod sweep;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::collide::{Regularising, Shear};
use super::expansion::Moments;
use super::input::make;
use super::lattice::Lattice;
use super::observe::Scales;
use super::params::{Collision, LbmParams};
use super::{WATCH, sides};
use crate::base::error::check;
use crate::base::exec;
use crate::{Error, Grid, Real, Side, StepReport};
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
    time: T,
    pending: T,
    steps: u64,
    report: StepReport<T>,
    // What follows from the parameters.
    scales: Scales<T>,
    layers: Layers<D>,
    entries: Vec<Entry<T, D>>,
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
    /// As [`super::Lbm::new`]; [`Error::UnsuitableSolver`] for a collision that remembers more than
    /// the moments, or an open side.
    pub fn new(grid: Grid<T, D>, params: LbmParams<T, D>) -> Result<Self, Error> {
        let scales = Scales::checked(&grid, &params)?;
        let unsuitable = |reason| {
            let solver = "moment-encoded lattice Boltzmann";
            Err(Error::UnsuitableSolver { solver, reason, instead: "Lbm" })
        };
        if matches!(params.collision, Collision::Bgk | Collision::Trt { .. }) {
            return unsuitable("BGK and TRT remember more than the moments");
        }
        let open = |side: &Side<T, D>| matches!(side, Side::Inflow { .. } | Side::Open);
        if params.boundary.sides.iter().flatten().any(open) {
            return unsuitable("a side is open");
        }
        let layers = Layers::new(&grid);
        let around = true;
        let per_speed = T::one() / scales.velocity;
        let patches = sides::patches::<T, L, D, Q>(&grid, &params.boundary, per_speed, around);
        let bands = layers.count.div_ceil(BAND);
        Ok(Self {
            params,
            grid,
            lattice: PhantomData,
            moments: vec![T::zero(); layers.count * layers.moments_len()],
            time: T::zero(),
            pending: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            scales,
            layers,
            entries: patches.iter().map(|p| Entry::new::<L, Q>(p, &grid)).collect(),
            edges: vec![T::zero(); 2 * bands * layers.moments_len()],
            populations: vec![T::zero(); bands.min(exec::TASKS) * layers.populations_len::<Q>()],
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

    /// The velocity of a cell, m/s, or `None` outside.
    pub fn velocity(&self, cell: [usize; D]) -> Option<[T; D]> {
        let moments = self.moments_at(cell)?;
        let push = self.push();
        let scale = self.scales.velocity / (T::one() + moments.density);
        let half = T::of(0.5);
        Some(core::array::from_fn(|a| (moments.momentum[a] + half * push[a]) * scale))
    }

    /// The pressure of a cell above that of the fluid at rest, Pa (N/m in the plane), or `None`
    /// outside.
    pub fn pressure(&self, cell: [usize; D]) -> Option<T> {
        Some(self.scales.pressure * self.moments_at(cell)?.density)
    }

    /// The memory that state and scratch take, in bytes.
    pub fn memory(&self) -> usize {
        let values = self.moments.len() + self.edges.len() + self.populations.len();
        values * size_of::<T>()
    }

    /// Sets every cell to equilibrium, for the velocity (m/s) and the pressure (Pa) that `flow` gives
    /// for its centre.
    ///
    /// # Errors
    /// As [`super::Lbm::set_flow`]: cells before the one that is wrong are set.
    pub fn set_flow(&mut self, mut flow: impl FnMut([T; D]) -> ([T; D], T)) -> Result<(), Error> {
        for i in self.grid.interior().places() {
            let cell = self.grid.cell_at(i);
            let (density, u) = self.scales.flow(cell, flow(self.grid.center(cell)))?;
            let (push, none) = (self.push(), [[T::zero(); D]; D]);
            let h = make::<T, L, D, Q>(&self.params, density, u, push, &none);
            let moments = Moments::of::<L, Q, true>(&h);
            self.layers.put(&mut self.moments, i, &moments);
        }
        Ok(())
    }

    /// Advances by the whole lattice steps that `dt` seconds, and what was left over before, make
    /// room for; what is left over now waits for the next call.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]: the state is as before. [`Error::Unstable`] with the number of the
    /// lattice step that is no longer finite, to within 64.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
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
        let mut done = 0;
        let mut max_speed = None;
        while done < count {
            let now = WATCH.min(count - done);
            for _ in 0..now {
                self.keep_edges();
                self.sweep();
            }
            done += now;
            self.steps += now as u64;
            max_speed = Some(self.check_flow()?);
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

    /// The force, in lattice units.
    fn push(&self) -> [T; D] {
        self.params.acceleration.map(|a| a * self.scales.acceleration)
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
        if max_speed.worst(density).is_finite() {
            return Ok(max_speed);
        }
        let finite = |cell| self.layers.is_finite(&self.moments, self.grid.index(cell));
        let mut place = [0; 3];
        if let Some(cell) = self.cells().find(|cell| !finite(*cell)) {
            place[..D].copy_from_slice(&cell);
        }
        Err(Error::Unstable { step: self.steps - 1, field: "moments", place })
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
        let forced = self.push().iter().any(|f| *f != T::zero());
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
        let force = self.push();
        let Self { moments, populations, layers, entries, edges, lattice, .. } = self;
        let need = layers.populations_len::<Q>();
        let len = BAND * layers.moments_len();
        let pass = Sweep { rule, force, layers: *layers, entries, edges, lattice: *lattice };
        exec::blocks(moments, len, populations, need, &Counted::<_, Q>(pass));
    }
}
