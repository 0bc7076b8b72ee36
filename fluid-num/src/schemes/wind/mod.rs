//! Wind: a volume that follows the player, which vegetation, cloth, hair and particles sample.
//!
//! ```text
//! u = A + e                        A ambient wind with its gusts, behind obstacles weaker
//! ∂e/∂t + u·∇e + ½ e ∇·u = ν∇²e − e/τ + Σ motors        each component of e by itself
//! ```
//!
//! There is no pressure: wind goes where motors blow it and dies down, without the whirls that nobody
//! asked for. What deviates from the ambient wind is carried, so uniform wind stays so. Half of the
//! way it is carried as a density is and half as a value is, hence the ½: where wind spreads, e falls.
//!
//! **Method.** A step of fixed length: motors give the exact integral of their strength over the
//! step; e spreads (explicit, second order) and decays (exact); it is carried forward for half of the
//! step, every cell pushing its value where its wind blows, which keeps Σe exactly, and backward for
//! the other half, every cell reading where its wind comes from. Forward alone tears holes, backward
//! alone never enters still air, as nothing there reads where the wind comes from. After a second the
//! front of a gust of 10 m/s, 4 m deep, in still air, on cells of 1 m, is 9 m ahead with the forward pass
//! alone, not ahead at all with the backward one, and 6 m with both (5.5 to 6 m on finer cells);
//! Σe has fallen by 24 % then. Backward may read a value more often than it is there; all of a component
//! is scaled down by whatever its Σ|e| grew by. First order in space and time: wind is meant to be
//! felt, not measured.
//!
//! **Swirl on request.** With [`WindParams::swirl_sweeps`] every step sweeps that often
//! e ← e + Δx²/D ∇(∇·e), which turns what piles up aside into whirls. No sweep raises Σe².
//!
//! **The volume follows a centre** by whole cells: rings of memory are turned, new slabs take the
//! ambient wind, and every value stays at its place in the world, bit for bit.
//!
//! **Stability.** Unconditional: no step and no motor makes Σ|e| of a component larger than what
//! motors gave; with sweeps, that of all components together.
//!
//! **Sampling** is trilinear, between the last two steps in time, and joins the ambient wind smoothly
//! within a margin at the sides; see [`Wind::sample`].
//!
//! **Fields**, at the centres of cells, each component an array of its own: e now and a step before,
//! m/s; how open a cell is, 0 to 1. Components depend on one another only by the path along which
//! they are carried: three of them ride in the lanes of one vector, which does for all of them at once
//! what a pass each on a thread of its own would do.
//!
//! **Cost.** A step of 32×16×32 cells in `f32` takes 0.7 ms on one core (0.8 ms with gusts), a million
//! samples in any order 9 ms, a frame without a step or a move by a cell 0.2 ms; where there are
//! obstacles or closed cells, a move, other parameters and [`Wind::close_cells`] take 3.5 ms each, as all
//! shadows are found anew. About 100 bytes a cell. Spreading, sweeps, paths, the backward pass, samples and
//! tracers run on all cores; motors, gusts, the forward pass, rings, what is sampled, moves, shadows and
//! textures on one.
//!
//! **Limits.** What the backward pass adds is taken off the whole volume: a wide blast (60 m/s, 8 m)
//! weakens a jet 25 m away by some 2 %, and waves of 3 m/s in 4 m/s of ambient wind lose a fifth of
//! Σ|e| in 5 s. Obstacles stop what is in their cells: what goes more than a cell a step may pass a thin
//! one.
//!
//! **Not modelled.** Pressure, and so air that flows around obstacles; the weight of air; walls that
//! keep a motor's wind off: it blows at all within its reach, behind obstacles too.
//!
//! **Validated by** sums over any field, a front of known speed, exact decay, circular paths of
//! tracers, and patterns that scroll away and back.
//!
//! References: R. Renard, *Wind Simulation in God of War*, Game Developers Conference 2019,
//! <https://gdcvault.com/play/1026404>; the gusts are those of Fung et al. 1992.

mod export;
mod gusts;
mod motor;
mod obstacles;
mod params;
mod passes;
mod sample;
mod simulation;
mod step;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use gusts::Gusts;
pub use motor::{Fade, Falloff, Flow, Motor, Reach};
pub use params::WindParams;

use crate::base::error::check;
use crate::base::exec::Region;
use crate::base::ring::Ring;
use crate::base::simulation::due;
use crate::solid::Shape;
use crate::{Error, Field, Grid, Real, StepReport};
use gusts::{Drift, Waves};
use passes::Packed;

/// How far from the origin the middle of the volume may be, cells: with half of the most cells that
/// is as far as positions have an index.
const MOST_CELLS_AWAY: i32 = 1 << 21;

/// A wind field around a moving centre.
///
/// ```
/// use fluid_num::{Motor, Wind3, WindParams};
/// let params = WindParams { ambient: [2.0, 0.0, 0.0], ..Default::default() };
/// let mut wind = Wind3::<f32>::new(params, [0.0; 3])?;
/// wind.motors_mut().push(Motor::explosion([4.0, 0.0, 0.0], 5.0, 20.0));
/// wind.step(0.1)?;
/// assert!(wind.sample([6.0, 0.0, 0.0])[0] > 5.0); // away from the blast
/// wind.follow([100.0, 0.0, 0.0])?; // the blast is left behind
/// assert_eq!(wind.sample([106.0, 0.0, 0.0]), [2.0, 0.0, 0.0]);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Wind<T, const D: usize> {
    params: WindParams<T, D>,
    /// The shape of all arrays; its origin is the lower corner of the cell `corner`.
    grid: Grid<T, D>,
    // State.
    /// The number of the first cell along each axis, counted from the origin of the world.
    corner: [i64; D],
    /// e now and one step before.
    excess: [Ring<T>; D],
    before: [Ring<T>; D],
    /// The cells that are closed beside those in obstacles.
    closed: Ring<bool>,
    drift: Drift<D>,
    motors: Vec<Motor<T, D>>,
    obstacles: Vec<Shape<T, D>>,
    pending: T,
    steps: u64,
    report: StepReport<T>,
    // What follows from it.
    /// How much of the ambient wind reaches each cell: 0 in obstacles, 1 in the open.
    open: Field<T, D>,
    /// Whether any cell is closed.
    sheltered: bool,
    waves: Waves<T, D>,
    /// The difference from the ambient wind, of this moment.
    view: Vec<Packed<T>>,
    per_dx: T,
    per_margin: T,
    first: [T; D],
    size: [T; D],
    max_speed: T,
    // Scratch.
    work: [Field<T, D>; D],
    base: [Field<T, D>; D],
    path: [Field<T, D>; D],
    packed: Vec<Packed<T>>,
}

impl<T: Real, const D: usize> Wind<T, D> {
    /// Ambient wind around `centre`.
    ///
    /// # Errors
    /// As [`WindParams::check`], [`Grid::new`] and [`Self::follow`].
    pub fn new(params: WindParams<T, D>, centre: [T; D]) -> Result<Self, Error> {
        params.check()?;
        let grid = Grid::new(params.cells, params.cell_size)?;
        let corner = corner_around(&params, centre)?;
        let fields = || core::array::from_fn(|_| Field::zeros(grid));
        let rings = || core::array::from_fn(|_| Ring::new(grid.array_len(), T::zero()));
        let mut open = Field::zeros(grid);
        open.fill(T::one());
        let mut wind = Self {
            params,
            grid,
            corner,
            excess: rings(),
            before: rings(),
            closed: Ring::new(grid.array_len(), false),
            drift: Drift::NONE,
            motors: Vec::new(),
            obstacles: Vec::new(),
            pending: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            open,
            sheltered: false,
            waves: Waves::new(&params),
            view: alloc::vec![[T::zero(); 4]; grid.array_len()],
            per_dx: T::one() / params.cell_size,
            per_margin: T::one() / params.margin,
            first: [T::zero(); D],
            size: params.cells.map(T::of_usize),
            max_speed: T::zero(),
            work: fields(),
            base: fields(),
            path: fields(),
            packed: alloc::vec![[T::zero(); 4]; grid.array_len()],
        };
        wind.first = corner.map(|c| T::of(c as f64));
        wind.refresh();
        Ok(wind)
    }

    /// The parameters.
    pub fn params(&self) -> &WindParams<T, D> {
        &self.params
    }

    /// Changes the parameters; gusts go on from where they are while their length, seed and kind stay.
    ///
    /// # Errors
    /// As [`WindParams::check`], and [`Error::GridMismatch`] for other cells or another size of them;
    /// nothing is changed then.
    pub fn set_params(&mut self, params: WindParams<T, D>) -> Result<(), Error> {
        params.check()?;
        if (params.cells, params.cell_size) != (self.params.cells, self.params.cell_size) {
            return Err(Error::GridMismatch { name: "the cells of the wind" });
        }
        self.pending *= params.time_step / self.params.time_step;
        self.params = params;
        self.per_margin = T::one() / params.margin;
        self.waves.set(&params);
        self.find_open();
        self.refresh();
        Ok(())
    }

    /// Takes over the state, the motors, the obstacles and the parameters of a wind of as many cells of
    /// the same size, without allocating where there is room for the motors and no obstacle.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a wind of other cells, with nothing changed.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid {
            return Err(Error::GridMismatch { name: "the other simulation" });
        }
        for a in 0..D {
            self.excess[a].copy_from(&other.excess[a]);
            self.before[a].copy_from(&other.before[a]);
        }
        self.closed.copy_from(&other.closed);
        self.open.copy_from(&other.open)?;
        self.motors.clone_from(&other.motors);
        self.obstacles.clone_from(&other.obstacles);
        self.view.copy_from_slice(&other.view);
        (self.params, self.per_margin) = (other.params, other.per_margin);
        self.waves.set(&other.params);
        (self.corner, self.first) = (other.corner, other.first);
        (self.pending, self.steps, self.drift) = (other.pending, other.steps, other.drift);
        (self.report, self.max_speed) = (other.report, other.max_speed);
        self.sheltered = other.sheltered;
        Ok(())
    }

    /// The lower corner of the volume, m.
    pub fn lower_corner(&self) -> [T; D] {
        self.first.map(|c| c * self.params.cell_size)
    }

    /// The motors.
    pub fn motors(&self) -> &[Motor<T, D>] {
        &self.motors
    }

    /// The motors, to be changed; `step` checks them, and removes those whose lifetime is over and
    /// those that have moved more than 1e9 m away.
    pub fn motors_mut(&mut self) -> &mut Vec<Motor<T, D>> {
        &mut self.motors
    }

    /// What is added to the ambient wind at the centre of a cell, counted from the lower corner of the
    /// volume, m/s; `None` outside.
    pub fn excess(&self, cell: [usize; D]) -> Option<[T; D]> {
        self.place_of(cell).map(|i| self.excess.each_ref().map(|ring| ring.get(i)))
    }

    fn place_of(&self, cell: [usize; D]) -> Option<usize> {
        let inside = (0..D).all(|a| cell[a] < self.grid.cells()[a]);
        inside.then(|| self.grid.index(cell))
    }

    /// Where in the world the centre of the cell at place `i` is, m.
    fn center_in_world(&self, i: usize) -> [T; D] {
        let mut position = self.grid.center(self.grid.cell_at(i));
        for a in 0..D {
            position[a] += self.first[a] * self.params.cell_size;
        }
        position
    }

    /// Sets what is added to the ambient wind to a function of the position in the world, m/s, now and
    /// a step before.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for what is no number or beyond 1e9; nothing is changed then.
    pub fn set_excess(&mut self, mut f: impl FnMut([T; D]) -> [T; D]) -> Result<(), Error> {
        let region = self.grid.interior();
        for i in region.places() {
            let value = f(self.center_in_world(i));
            if speeds("wind", &value).is_err() {
                let mut place = [0; 3];
                place[..D].copy_from_slice(&self.grid.cell_at(i));
                return Err(Error::NotFinite { name: "wind", place });
            }
            for a in 0..D {
                self.work[a].as_mut_slice()[i] = value[a];
            }
        }
        for a in 0..D {
            for i in region.places() {
                self.excess[a].set(i, self.work[a].as_slice()[i]);
            }
            self.before[a].copy_from(&self.excess[a]);
        }
        self.refresh();
        Ok(())
    }

    /// Moves the volume so that `centre` is in its middle, by whole cells, and tells whether it moved.
    /// What was there keeps its place in the world; new cells are open and have the ambient wind.
    /// Costs what the new slabs and the refreshed view do, and where there are obstacles or closed
    /// cells what finding shadows does, once more with [`Self::close_cells`] afterwards.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a centre that is not finite or more than 2²¹ cells from the
    /// origin; nothing is changed then.
    pub fn follow(&mut self, centre: [T; D]) -> Result<bool, Error> {
        let corner = corner_around(&self.params, centre)?;
        if corner == self.corner {
            return Ok(false);
        }
        for a in 0..D {
            self.scroll(a, corner[a] - self.corner[a]);
        }
        self.corner = corner;
        self.first = corner.map(|c| T::of(c as f64));
        self.find_open();
        self.refresh();
        Ok(true)
    }

    /// Moves the volume `by` cells along an axis.
    fn scroll(&mut self, axis: usize, by: i64) {
        let (n, stride) = (self.grid.cells()[axis], self.grid.strides()[axis]);
        let far = by.unsigned_abs().min(n as u64) as usize;
        let mut fresh = Region {
            lo: [0; D],
            hi: self.grid.cells().map(|n| n + 2),
            strides: self.grid.strides(),
        };
        if by > 0 {
            fresh.lo[axis] = n + 1 - far;
        } else {
            fresh.hi[axis] = far + 1;
        }
        let places = (far < n).then(|| -(by as isize) * stride as isize);
        for ring in self.excess.iter_mut().chain(&mut self.before) {
            turn(ring, places, fresh, T::zero());
        }
        turn(&mut self.closed, places, fresh, false);
    }

    /// Advances by the whole fixed steps that `dt` seconds, and what was left over before, make room
    /// for. What is sampled lies as far between the last two of them as time is left over.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]; what [`Motor::check`] says: the state is as before.
    /// [`Error::Unstable`] with the number of steps where motors gave more than numbers hold.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.motors.iter().try_for_each(Motor::check)?;
        if dt == T::zero() {
            self.report = StepReport::nothing(self.max_speed);
            return Ok(self.report);
        }
        let WindParams { time_step, max_substeps, .. } = self.params;
        let count = due(&mut self.pending, dt, time_step, max_substeps);
        for _ in 0..count {
            self.advance();
        }
        self.refresh();
        if !self.max_speed.is_finite() {
            let finite = self.base.iter().try_for_each(|wind| wind.check_finite("wind"));
            finite.map_err(|error| error.into_unstable(self.steps))?;
        }
        let time = T::of_usize(count) * self.params.time_step;
        let max_speed = self.max_speed;
        let cfl = max_speed * self.params.time_step * self.per_dx;
        self.report = StepReport { time, substeps: count, cfl, ..StepReport::nothing(max_speed) };
        Ok(self.report)
    }
}

/// Moves what a ring holds, unless all of it is gone, and puts something fresh where it came in.
fn turn<V: Copy, const D: usize>(
    ring: &mut Ring<V>,
    places: Option<isize>,
    fresh: Region<D>,
    value: V,
) {
    if let Some(places) = places {
        ring.shift(places);
    }
    fresh.places().for_each(|i| ring.set(i, value));
}

/// The first cell of a volume around a centre.
fn corner_around<T: Real, const D: usize>(
    params: &WindParams<T, D>,
    centre: [T; D],
) -> Result<[i64; D], Error> {
    let mut corner = [0; D];
    for a in 0..D {
        let cells = centre[a] / params.cell_size;
        let far = f64::from(MOST_CELLS_AWAY);
        check::within("centre, in cells", cells, -far, far, "at most 2²¹ from the origin")?;
        corner[a] = i64::from(cells.floor().truncate()) - (params.cells[a] / 2) as i64;
    }
    Ok(corner)
}

/// Checks numbers that are squared.
fn speeds<T: Real>(name: &'static str, values: &[T]) -> Result<(), Error> {
    let expected = "at most 1e9 in magnitude";
    values.iter().try_for_each(|v| check::within(name, *v, -1e9, 1e9, expected))
}
