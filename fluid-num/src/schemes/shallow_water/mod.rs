//! Shallow water: lakes, rivers and shores as a depth on a map, with wet and dry ground.
//!
//! ```text
//! ∂h/∂t + ∇·(h u) = rain + sources
//! ∂u/∂t + (u·∇)u = −g∇η − g n² |u| u/h^(4/3) + f u⊥ + (1/h)∇·(h ν ∇u)       η = h + bed
//! ```
//!
//! **Discretisation.** Arakawa C: the depth at centres, velocities on faces. A sub-step is explicit
//! and goes forward and backward: velocities by the surface that was, then depths by the velocities
//! that are; √(gh)·Δt/Δx ≤ ½ is stable. First order in time where it is carried along.
//! - *Continuity* by the depth upstream, above the sill between two cells; where the surface is
//!   smooth (it rises less than 5 % of the depth in a cell) of second order. What flows out of a cell
//!   is limited to what it holds, all its faces together: no depth is ever negative, and no water is
//!   lost or made.
//! - *Momentum* is carried in the form that conserves it (Stelling and Duinmeijer 2003), upwind, with
//!   the very flows that moved the depths: bores have the right speed, and since no more than a
//!   cell's water flows out of it, no velocity leaves the range of those around it, however thin the
//!   film.
//! - *Wet and dry*: a face is open where the water upstream stands higher above the sill than
//!   `dry_depth`. A waterfall falls with the slope between both surfaces, but no slope makes water
//!   faster than it falls freely from the speed with which it comes, u² + 2g|Δη|.
//! - *Friction, eddies and the Coriolis force* come before: the first implicit; the last in a form
//!   that keeps ½Σh|u|² but for taking one component after the other, stable however thin a film.
//!
//! **At rest exactly.** The state is not the depth but the displacement s of the surface: with the
//! still depth D = rest level − bed, b = max(D, 0) and z = max(−D, 0), the depth is b + s and the
//! surface z + s above the rest level. Below the rest level a lake at rest has the same s everywhere,
//! and small waves on deep water keep all their digits; above it s is the depth, and thin films keep
//! theirs. Two surfaces that differ by no more than the rounding of these sums, 4ε of their height
//! above the rest level, are level. So water at rest has velocities of exactly 0, around islands, in
//! cut-off pools and beside dry steps. Rain that is less than a tenth of `dry_depth` is saved up.
//!
//! **Fields.** [`depth`](ShallowWater::depth) and [`surface`](ShallowWater::surface) m at centres,
//! [`velocity`](ShallowWater::velocity) m/s on faces, 0 where nothing flows.
//!
//! **Spray** leaves where the surface rises faster than a share of √(gh), see [`SprayParams`], flies
//! as drops, and gives the cell that it falls on its volume and momentum.
//!
//! **Bodies** float by the water that their hull columns displace, lie on the ground, are braked by
//! the water and take it along; they lift the bed, so that the water of their columns flows aside:
//! what is under water acts too. Nothing of the water is lost: the volume of the water stays, and the
//! mean surface rises by what is displaced. Light ones are stable, since what holds them is taken as at
//! the end of the step. They are coupled once a step, and moved by
//! [`ShallowWater::advance_bodies`]; they do not feel one another.
//!
//! **Surface waves** that are not long disperse in a layer of their own where
//! [`waves`](ShallowWaterParams::waves) asks for it (Jeschke and Wojtan 2023), split off once a step:
//! phase speeds within 3 % of Airy's √(g/k·tanh kh) at the depths of its levels, 5 % between them, on
//! currents as on lakes.
//! **Foam** is born where the flow runs together, see [`FoamParams`].
//!
//! **Cost.** One pass over memory a sub-step, reading four and writing three fields (six and five
//! with advection); another one with friction, eddies or Coriolis force; one over the layers with a
//! sponge. Spray, foam and the layer of waves go over all cells once a step, on one thread; the layer
//! takes 2 + 4 n transforms for the n of its depths that there are, and five functions a mode and depth
//! whenever the time step changes: keep it constant. A body costs some 25 signed distances for each of nine lines
//! through every cell beneath it, when it moves.
//!
//! **Not modelled.** Dispersion without the layer (waves shorter than some twenty depths travel too
//! fast then), overhangs, water on decks and in hulls, forces of wind. Speeds are kept below half a
//! cell in a sub-step, which is the most that the fastest wave of the last one moves by; `f32` loses what is below 1e-7 of the displacement.
//!
//! **Validated by** the dam breaks of Ritter and Stoker, Thacker's bowls, standing waves, a river over
//! a bump and one down a slope, the run-up of a solitary wave that Synolakis measured, lakes at rest,
//! the eight symmetries of the square, and balances of water to 1e-12; bodies by draughts and lifts
//! after Archimedes, lakes at rest around them, and five that stir a pool; waves by Airy's speeds at
//! rest and on currents, and by the energies of ponds with steep banks.
//!
//! **References.** G. S. Stelling, S. P. A. Duinmeijer, *A staggered conservative scheme for every
//! Froude number in rapidly varied shallow water flows*, 2003, <https://doi.org/10.1002/fld.537>.
//! N. Chentanez, M. Müller, *Real-time simulation of large bodies of water with small scale details*,
//! 2010, <https://doi.org/10.2312/SCA/SCA10/197-206>. S. Jeschke, C. Wojtan, *Generalizing shallow
//! water simulations with dispersive surface waves*, 2023, <https://doi.org/10.1145/3592098>. A. B. Kennedy et al., *Boussinesq modeling of
//! wave transformation, breaking, and runup*, 2000,
//! <https://doi.org/10.1061/(ASCE)0733-950X(2000)126:1(39)>.

mod balance;
mod basins;
mod buoyancy;
mod carried;
mod exchange;
mod foam;
mod forces;
mod hulls;
mod kernel;
mod layer;
mod level;
mod params;
mod query;
mod reach;
mod resample;
mod sides;
mod simulation;
mod sources;
mod spectrum;
mod sponge;
mod spray;
mod substeps;
#[cfg(test)]
mod tests;
mod tiles;
mod waves;

use alloc::vec::Vec;

use crate::base::error::check;
use crate::{Error, Faces, Field, Grid, Location, Real, StepReport};
use balance::Tally;
pub use balance::WaterBalance;
pub use foam::FoamParams;
use hulls::{Hulls, Keeps};
use kernel::{Edge, depth_and_surface};
use layer::Layer;
use params::moderate;
pub use params::{ShallowWaterParams, Sponge, WaterSide};
pub use query::WaterSample;
pub use sources::WaterSource;
use sponge::Rates;
pub use spray::{SprayDrop, SprayParams};
pub use waves::SurfaceWaves;

/// A shallow-water simulation.
///
/// ```
/// use fluid_num::{Field, Grid2, ShallowWater, ShallowWaterParams};
/// let grid = Grid2::new([64, 48], 0.5)?;
/// let beach = Field::from_fn(grid, |[x, _]| 0.1 * (x - 24.0));
/// let mut water = ShallowWater::<f32>::new(beach, ShallowWaterParams::default())?;
/// let volume = water.volume();
/// water.dent([10.0, 12.0], 2.0, 0.5)?; // a hand presses the surface down
/// for _ in 0..60 {
///     water.step(1.0 / 60.0)?;
/// }
/// let boat = water.sample([14.0, 12.0])?;
/// assert!(boat.wet && boat.surface.abs() < 0.5);
/// assert!(!water.sample([30.0, 12.0])?.wet); // the top of the beach
/// assert!((water.volume() / volume - 1.0).abs() < 1e-6);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ShallowWater<T> {
    params: ShallowWaterParams<T>,
    grid: Grid<T, 2>,
    // State.
    bed: Field<T, 2>,
    /// b + s is the depth and z + s the surface above the rest level, where b = max(D, 0) and
    /// z = max(−D, 0).
    displacement: Field<T, 2>,
    velocity: Faces<T, 2>,
    /// What flowed through each face in the last sub-step: the depth it makes in a cell, m.
    moved: Faces<T, 2>,
    sources: Vec<WaterSource<T>>,
    /// What each source gave and is too little yet to be poured, m³.
    pending_sources: Vec<T>,
    hulls: Hulls<T>,
    /// What rained and has not come down yet, m.
    pending_rain: T,
    spray: Vec<SprayDrop<T>>,
    /// How often chance decided about spray so far.
    draws: u64,
    tally: Tally,
    /// In double precision: sums of many short steps in single precision run off within hours.
    time: f64,
    steps: u64,
    report: StepReport<T>,
    // Derived.
    /// D: what the rest level lies above the bed.
    still: Field<T, 2>,
    /// Not less than the largest sum of a velocity and the speed of waves, m/s, where it is known.
    fastest: Option<T>,
    /// Whether the caller may have changed the velocity since it was checked.
    touched: bool,
    sponge: Option<Rates<T>>,
    waves: Option<Layer<T>>,
    /// What there is, and room for what comes.
    foam: Option<[Field<T, 2>; 2]>,
    // Scratch.
    edges: [[Edge<T>; 2]; 2],
    next_displacement: Field<T, 2>,
    next_velocity: Faces<T, 2>,
    next_moved: Faces<T, 2>,
}

impl<T: Real> ShallowWater<T> {
    /// A lake at the rest level over a bed, m.
    ///
    /// # Errors
    /// Those of [`ShallowWaterParams::check`]; [`Error::NotFinite`] and [`Error::InvalidParameter`]
    /// for a bed that is not finite or beyond ±1e9 m; [`Error::GridMismatch`] for one that is not at
    /// centres.
    pub fn new(bed: Field<T, 2>, params: ShallowWaterParams<T>) -> Result<Self, Error> {
        params.check()?;
        let grid = *bed.grid();
        bed.check_shape(&grid, Location::Center, "the bed")?;
        check_bed(&bed)?;
        let mut water = Self {
            params,
            grid,
            bed,
            displacement: Field::zeros(grid),
            velocity: Faces::zeros(grid),
            moved: Faces::zeros(grid),
            sources: Vec::new(),
            pending_sources: Vec::new(),
            hulls: Hulls::none(),
            pending_rain: T::zero(),
            spray: Vec::new(),
            draws: 0,
            tally: Tally::default(),
            time: 0.0,
            steps: 0,
            report: StepReport::nothing(T::zero()),
            still: Field::zeros(grid),
            fastest: None,
            touched: true,
            sponge: None,
            waves: None,
            foam: None,
            edges: Edge::all(&grid),
            next_displacement: Field::zeros(grid),
            next_velocity: Faces::zeros(grid),
            next_moved: Faces::zeros(grid),
        };
        water.set_still();
        water.set_waves()?;
        water.set_foam();
        water.make_room_for_spray();
        water.tally.edits = water.sum_of_depths();
        water.fill_ghosts();
        Ok(water)
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, 2> {
        &self.grid
    }

    /// The parameters.
    pub fn params(&self) -> &ShallowWaterParams<T> {
        &self.params
    }

    /// Replaces the parameters from the next step on; the water stays where it is.
    ///
    /// # Errors
    /// Those of [`ShallowWaterParams::check`] and of the transforms of
    /// [`waves`](ShallowWaterParams::waves), and [`Error::GridMismatch`] where the velocity was replaced
    /// by that of another grid; with the parameters and the water as before.
    pub fn set_params(&mut self, params: ShallowWaterParams<T>) -> Result<(), Error> {
        params.check()?;
        self.check_velocity()?;
        let rest_changes = params.rest_level != self.params.rest_level;
        let ends_change = params.periodic() != self.params.periodic();
        let changes = rest_changes
            || ends_change
            || (params.sponge, params.gravity) != (self.params.sponge, self.params.gravity);
        let before = core::mem::replace(&mut self.params, params);
        if let Err(error) = self.set_waves() {
            self.params = before;
            return Err(error);
        }
        if params.momentum_advection != before.momentum_advection {
            self.moved.fill(T::zero());
        }
        if ends_change {
            self.hulls.look_again();
        }
        if rest_changes {
            self.keep_depths();
        }
        if changes {
            self.set_still();
        }
        self.set_foam();
        self.make_room_for_spray();
        self.fill_ghosts();
        self.fastest = None;
        Ok(())
    }

    /// The ground, m.
    pub fn bed(&self) -> &Field<T, 2> {
        &self.bed
    }

    /// Sets the ground to `f(position, height)` of itself, m. The water on it keeps its depth and is
    /// lifted or lowered.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::InvalidParameter`] for heights that are not finite or beyond
    /// ±1e9 m, with the ground as before.
    pub fn edit_bed(&mut self, mut f: impl FnMut([T; 2], T) -> T) -> Result<(), Error> {
        let old = &self.bed;
        let mut values = old.values();
        let edited = &mut self.next_displacement;
        edited.set_from_fn(|p| f(p, values.next().unwrap_or(T::zero())));
        drop(values);
        check_bed(edited)?;
        self.bed.swap_values(&mut self.next_displacement);
        self.keep_depths();
        self.set_still();
        self.fill_ghosts();
        self.fastest = None;
        Ok(())
    }

    /// The velocity on faces, m/s: 0 where nothing flows.
    pub fn velocity(&self) -> &Faces<T, 2> {
        &self.velocity
    }

    /// The velocity, to be set at will. The next step refuses what is not finite and takes it off
    /// faces on which no water is.
    pub fn velocity_mut(&mut self) -> &mut Faces<T, 2> {
        self.touched = true;
        &mut self.velocity
    }

    /// The depth of a cell, m, or `None` outside.
    pub fn depth(&self, cell: [usize; 2]) -> Option<T> {
        Some(self.levels(cell)?.0)
    }

    /// The surface of a cell, m (the ground where it is dry), or `None` outside.
    pub fn surface(&self, cell: [usize; 2]) -> Option<T> {
        Some(self.params.rest_level + self.levels(cell)?.1)
    }

    fn levels(&self, cell: [usize; 2]) -> Option<(T, T)> {
        Some(depth_and_surface(self.still.get(cell)?, self.displacement.get(cell)?))
    }

    /// Writes all depths, m.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid.
    pub fn write_depth(&self, out: &mut Field<T, 2>) -> Result<(), Error> {
        self.write(out, |depth, _| depth)
    }

    /// Writes all surfaces, m (the ground where it is dry).
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field of another grid.
    pub fn write_surface(&self, out: &mut Field<T, 2>) -> Result<(), Error> {
        let rest = self.params.rest_level;
        self.write(out, |_, surface| rest + surface)
    }

    fn write(&self, out: &mut Field<T, 2>, of: impl Fn(T, T) -> T) -> Result<(), Error> {
        out.check_shape(&self.grid, Location::Center, "the output")?;
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let region = self.grid.interior();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            let (d, s) = (row.of(d), row.of(s));
            for (i, out) in out.as_mut_slice()[row.start..][..row.len].iter_mut().enumerate() {
                let (depth, surface) = depth_and_surface(d[i], s[i]);
                *out = of(depth, surface);
            }
        }
        Ok(())
    }

    /// Sets the depth at every centre, m.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::InvalidParameter`] for depths that are not finite, negative
    /// or beyond 1e9 m, with the water as before.
    pub fn set_depth(&mut self, mut f: impl FnMut([T; 2]) -> T) -> Result<(), Error> {
        self.set_water(Keeps::Depth, |p, _| f(p), |depth, basin, _| depth - basin)
    }

    /// Sets the surface at every centre, m; where it lies below the ground it is dry.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::InvalidParameter`] for levels that are not finite or beyond
    /// ±1e9 m, with the water as before.
    pub fn set_surface(&mut self, mut f: impl FnMut([T; 2]) -> T) -> Result<(), Error> {
        let rest = self.params.rest_level;
        let above_rest =
            |surface: T, basin: T, ground: T| ((surface - rest) - ground).at_least(-basin);
        self.set_water(Keeps::Surface, |p, _| f(p), above_rest)
    }

    /// Sets displacements from a value at each centre, the basin and the ground above the rest level.
    fn set_water(
        &mut self,
        keeps: Keeps,
        mut value: impl FnMut([T; 2], T) -> T,
        displacement: impl Fn(T, T, T) -> T,
    ) -> Result<(), Error> {
        let next = &mut self.next_displacement;
        next.set_from_fn(|p| value(p, T::zero()));
        next.check_finite("the water")?;
        let (least, most) = next.min_max();
        moderate("the water", least)?;
        moderate("the water", most)?;
        if keeps == Keeps::Surface {
            self.hulls.check()?;
        }
        let before = self.sum_of_depths();
        let (rest, bed, lifted) =
            (self.params.rest_level, self.bed.as_slice(), self.still.as_slice());
        let region = self.grid.interior();
        let next = self.next_displacement.as_mut_slice();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for place in row.start..row.start + row.len {
                // Bodies make room for a surface afterwards.
                let still = match keeps {
                    Keeps::Surface => rest - bed[place],
                    Keeps::Depth => lifted[place],
                };
                let basin = still.at_least(T::zero());
                next[place] = displacement(next[place], basin, basin - still);
                if next[place] < -basin {
                    let value = (next[place] + basin).to_f64();
                    let expected = "finite and not negative";
                    return Err(Error::InvalidParameter { name: "the depth", value, expected });
                }
            }
        }
        self.displacement.swap_values(&mut self.next_displacement);
        if keeps == Keeps::Surface {
            self.take_bodies_out();
            self.place_bodies(Keeps::Surface);
        }
        // What flowed was other water.
        self.moved.fill(T::zero());
        self.tally.edits += self.sum_of_depths() - before;
        self.fill_ghosts();
        self.fastest = None;
        Ok(())
    }

    /// Presses the surface down by `depth` metres at `center` (lifts it, below 0), less and less up to
    /// `radius`, and brings the water to the ring around, up to twice the radius; the volume stays.
    /// Nothing happens where there is no water to take or to bring it to.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for values that are not finite, a radius that is not positive, or a
    /// depth beyond ±1e9 m.
    pub fn dent(&mut self, center: [T; 2], radius: T, depth: T) -> Result<(), Error> {
        check::all_finite("center", &center)?;
        check::positive("radius", radius)?;
        moderate("depth", depth)?;
        let before = self.displacement.sum();
        sources::dent(&self.still, &mut self.displacement, (center, radius), depth);
        // Rounding.
        self.tally.edits += self.displacement.sum() - before;
        self.fill_ghosts();
        self.fastest = None;
        Ok(())
    }

    /// What comes and goes at points.
    pub fn sources(&self) -> &[WaterSource<T>] {
        &self.sources
    }

    /// What comes and goes at points, to be changed; `step` checks them.
    pub fn sources_mut(&mut self) -> &mut Vec<WaterSource<T>> {
        &mut self.sources
    }

    /// Makes displacements of the depths that were, before D is set anew.
    fn keep_depths(&mut self) {
        let region = self.grid.interior();
        let (s, still) = (self.displacement.as_mut_slice(), self.still.as_slice());
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for i in row.start..row.start + row.len {
                let depth = depth_and_surface(still[i], s[i]).0;
                let bed = self.bed.as_slice()[i] + self.hulls.displaced(i);
                s[i] = depth - (self.params.rest_level - bed).at_least(T::zero());
            }
        }
    }

    /// D from the bed and the rest level, the sponge of that, and what bodies lift the bed by.
    fn set_still(&mut self) {
        let region = self.grid.interior();
        for place in region.places() {
            self.still.as_mut_slice()[place] = self.params.rest_level - self.bed.as_slice()[place];
        }
        sides::fill_cells(&mut self.still, self.params.periodic());
        self.set_sponge();
        if self.hulls.all_displaced().is_empty() {
            return;
        }
        for place in region.places() {
            let bed = self.bed.as_slice()[place] + self.hulls.displaced(place);
            self.still.as_mut_slice()[place] = self.params.rest_level - bed;
        }
        sides::fill_cells(&mut self.still, self.params.periodic());
    }

    fn set_sponge(&mut self) {
        let Some(sponge) = &self.params.sponge else {
            self.sponge = None;
            return;
        };
        let rates = self.sponge.get_or_insert_with(|| Rates::new(self.grid));
        rates.set(&self.params, sponge, &self.still);
    }
}

/// Checks that a bed is finite and moderate.
fn check_bed<T: Real>(bed: &Field<T, 2>) -> Result<(), Error> {
    bed.check_finite("the bed")?;
    let (least, most) = bed.min_max();
    moderate("the bed", least)?;
    moderate("the bed", most)
}
