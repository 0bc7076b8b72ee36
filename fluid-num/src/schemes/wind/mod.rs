//! Wind: a volume that follows the player, which vegetation, cloth, hair and particles sample.
//!
//! ```text
//! u = A + e                        A ambient wind with its gusts, behind obstacles weaker
//! ∂e/∂t + u·∇e = ν∇²e − e/τ + Σ motors                  each component of e by itself
//! ```
//!
//! There is no pressure: wind goes where motors blow it and dies down, without the whirls that nobody
//! asked for. What deviates from the ambient wind is carried, so uniform wind stays so.
//!
//! **Method.** A step of fixed length: motors give the exact integral of their strength over the
//! step; e spreads and decays, explicit and exact; it is carried forward for half of the step, every
//! cell pushing its value where its wind blows, which keeps Σe exactly, and backward for the other
//! half, every cell reading where its wind comes from. Forward alone tears holes, backward alone never
//! enters still air: the front of a gust of 10 m/s is 5.5 m ahead after a second with both, and
//! where it was with the backward pass alone. Backward may read a value more often than it is there;
//! it is scaled down by whatever Σ|e| grew by.
//!
//! **The volume follows a centre** by whole cells: rings of memory are turned, new slabs take the
//! ambient wind, and every value stays at its place in the world, bit for bit.
//!
//! **Stability.** Unconditional: no step and no motor makes e larger than what motors gave.
//!
//! **Sampling** is trilinear, between the last two steps in time, and joins the ambient wind smoothly
//! within a margin at the sides; see [`Wind::sample`].
//!
//! **Not modelled.** Pressure, and so whirls behind obstacles; the weight of air.
//!
//! Reference: R. Renard, *Wind Simulation in God of War*, Game Developers Conference 2019,
//! <https://gdcvault.com/play/1026404>.

mod export;
mod gusts;
mod motor;
mod params;
mod passes;
mod sample;
mod simulation;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use gusts::Gusts;
pub use motor::{Falloff, Flow, Motor, Reach};
pub use params::WindParams;

use crate::base::error::check;
use crate::base::exec::{self, Region};
use crate::base::ring::Ring;
use crate::grid::field::max_abs;
use crate::grid::sample::{Lattice, linear};
use crate::solid::Shape;
use crate::{Error, Field, Grid, Location, Real, StepReport};
use gusts::Waves;
use passes::{Backward, Forward, Magnitudes, Packed, Path, Scale, Spread, Unpack};

/// The most passes in which a step spreads what motors did.
const MOST_SPREADS: usize = 64;

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
    motors: Vec<Motor<T, D>>,
    obstacles: Vec<Shape<T, D>>,
    pending: T,
    steps: u64,
    report: StepReport<T>,
    // What follows from it.
    /// How much of the ambient wind reaches each cell: 0 in obstacles, 1 in the open.
    open: Field<T, D>,
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
            motors: Vec::new(),
            obstacles: Vec::new(),
            pending: T::zero(),
            steps: 0,
            report: StepReport::nothing(T::zero()),
            open,
            waves: Waves::new(params.gusts, params.ambient, &grid),
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

    /// Changes the ambient wind and its gusts, m/s.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`]; nothing is changed then.
    pub fn set_ambient(&mut self, ambient: [T; D], gusts: Option<Gusts<T>>) -> Result<(), Error> {
        let params = WindParams { ambient, gusts, ..self.params };
        params.check()?;
        self.params = params;
        self.waves = Waves::new(gusts, ambient, &self.grid);
        self.find_open();
        self.refresh();
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

    /// The motors, to be changed; `step` checks them, and removes those whose lifetime is over.
    pub fn motors_mut(&mut self) -> &mut Vec<Motor<T, D>> {
        &mut self.motors
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Shape<T, D>] {
        &self.obstacles
    }

    /// Sets what stands in the way of the wind, such as terrain, at its place in the world: cells whose
    /// centre it covers have no wind, and those behind less of the ambient one.
    ///
    /// # Errors
    /// What [`Shape::check`] says; nothing is changed then.
    pub fn set_obstacles(&mut self, obstacles: Vec<Shape<T, D>>) -> Result<(), Error> {
        obstacles.iter().try_for_each(Shape::check)?;
        self.obstacles = obstacles;
        self.find_open();
        self.refresh();
        Ok(())
    }

    /// What is added to the ambient wind at the centre of a cell, counted from the lower corner of the
    /// volume, m/s; `None` outside.
    pub fn excess(&self, cell: [usize; D]) -> Option<[T; D]> {
        let inside = (0..D).all(|a| cell[a] < self.grid.cells()[a]);
        let i = self.grid.index(cell);
        inside.then(|| self.excess.each_ref().map(|ring| ring.get(i)))
    }

    /// Sets what is added to the ambient wind to a function of the position, m/s.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; nothing is changed then.
    pub fn set_excess(&mut self, mut f: impl FnMut([T; D]) -> [T; D]) -> Result<(), Error> {
        let corner = self.lower_corner();
        let region = self.grid.interior();
        for i in region.places() {
            let cell = self.grid.cell_at(i);
            let mut position = self.grid.center(cell);
            for a in 0..D {
                position[a] += corner[a];
            }
            let value = f(position);
            if !value.iter().all(|v| v.is_finite()) {
                let mut place = [0; 3];
                place[..D].copy_from_slice(&cell);
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

    /// Moves the volume so that `centre` is in its middle, by whole cells. What was there keeps its
    /// place in the world; new cells have the ambient wind.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a centre that is not finite or more than 2²¹ cells from the
    /// origin; nothing is changed then.
    pub fn follow(&mut self, centre: [T; D]) -> Result<(), Error> {
        let corner = corner_around(&self.params, centre)?;
        if corner == self.corner {
            return Ok(());
        }
        for a in 0..D {
            self.scroll(a, corner[a] - self.corner[a]);
        }
        self.corner = corner;
        self.first = corner.map(|c| T::of(c as f64));
        self.find_open();
        self.refresh();
        Ok(())
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
        for ring in self.excess.iter_mut().chain(&mut self.before) {
            if far < n {
                ring.shift(-(by as isize) * stride as isize);
            }
            for i in fresh.places() {
                ring.set(i, T::zero());
            }
        }
    }

    /// Advances by the whole fixed steps that `dt` seconds, and what was left over before, make room
    /// for. What is sampled lies as far between the last two of them as time is left over.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]; what [`Motor::check`] says; the state is as before.
    pub fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        check::time_step(dt)?;
        self.motors.iter().try_for_each(Motor::check)?;
        let count = self.due(dt);
        for _ in 0..count {
            self.advance();
        }
        self.refresh();
        let time = T::of_usize(count) * self.params.time_step;
        let max_speed = self.max_speed;
        let cfl = max_speed * self.params.time_step * self.per_dx;
        self.report = StepReport { time, substeps: count, cfl, ..StepReport::nothing(max_speed) };
        Ok(self.report)
    }

    /// How many steps to do now.
    fn due(&mut self, dt: T) -> usize {
        let step = self.params.time_step;
        self.pending += dt;
        // A hair's tolerance: 60 frames of 1/60 s are 30 steps, whatever the rounding of the sum.
        let whole = (self.pending / step + T::of(1e-4)).floor();
        if whole > T::of_usize(self.params.max_substeps) {
            self.pending = T::zero();
            return self.params.max_substeps;
        }
        self.pending = (self.pending - whole * step).at_least(T::zero());
        whole.truncate().max(0) as usize
    }

    /// One fixed step.
    fn advance(&mut self) {
        let dt = self.params.time_step;
        self.unroll();
        self.blow(dt);
        self.spread(dt);
        self.stop_in_obstacles();
        self.find_base(dt);
        self.carry_forward_and_backward(dt * T::of(0.5));
        self.stop_in_obstacles();
        self.roll();
        self.motors.iter_mut().for_each(|motor| {
            *motor = motor.moved(dt);
            motor.age += dt;
        });
        self.motors.retain(|motor| !motor.is_over());
        self.steps += 1;
    }

    /// Takes e out of its rings, and remembers it.
    fn unroll(&mut self) {
        let region = self.grid.interior();
        for a in 0..D {
            self.before[a].copy_from(&self.excess[a]);
            let work = self.work[a].as_mut_slice();
            for row in (0..region.rows()).map(|n| region.row(n)) {
                self.excess[a].read(row.start, &mut work[row.start..][..row.len]);
            }
        }
    }

    /// Puts e back into its rings.
    fn roll(&mut self) {
        let region = self.grid.interior();
        for (ring, work) in self.excess.iter_mut().zip(&self.work) {
            let mut arc = ring.as_arc();
            for row in (0..region.rows()).map(|n| region.row(n)) {
                arc.write(row.start, row.of(work.as_slice()));
            }
        }
    }

    /// Motors blow.
    fn blow(&mut self, dt: T) {
        let corner = self.lower_corner();
        for motor in &self.motors {
            let stations = motor.stations(dt);
            let share = T::one() / T::of_usize(stations);
            let given = motor.strength * motor.given_within(dt) * share;
            let axis = motor.unit_axis();
            for n in 0..stations {
                let motor = motor.moved(dt * share * (T::of_usize(n) + T::of(0.5)));
                let region = self.grid.within(motor.bounds().map(|p| {
                    let mut local = p;
                    for a in 0..D {
                        local[a] -= corner[a];
                    }
                    local
                }));
                for i in region.places() {
                    let mut r = self.grid.center(self.grid.cell_at(i));
                    for a in 0..D {
                        r[a] += corner[a] - motor.place[a];
                    }
                    let push = motor.push(axis, r);
                    for a in 0..D {
                        self.work[a].as_mut_slice()[i] += given * push[a];
                    }
                }
            }
        }
    }

    /// What motors did spreads out and decays.
    fn spread(&mut self, dt: T) {
        let params = &self.params;
        let decay = -dt / params.relaxation_time;
        let wanted = params.viscosity * dt * self.per_dx * self.per_dx;
        let most = T::of(1.0 / (4 * D) as f64);
        let passes = (wanted / most).ceil().at_most(T::of_usize(MOST_SPREADS)).truncate().max(1);
        let alpha = (wanted / T::of_index(passes)).at_most(most);
        let region = self.grid.interior();
        for n in 0..passes {
            let kept = if n == 0 { decay.portable_exp() } else { T::one() };
            for (work, next) in self.work.iter_mut().zip(&mut self.path) {
                let pass = Spread {
                    from: work.as_slice(),
                    strides: self.grid.strides(),
                    cells: self.grid.cells(),
                    alpha,
                    kept,
                };
                exec::rows(&region, [next.as_mut_slice()], &pass);
                core::mem::swap(work, next);
            }
        }
    }

    fn stop_in_obstacles(&mut self) {
        if self.obstacles.is_empty() {
            return;
        }
        let open = self.open.as_slice();
        for work in &mut self.work {
            for (e, open) in work.as_mut_slice().iter_mut().zip(open) {
                if *open == T::zero() {
                    *e = T::zero();
                }
            }
        }
    }

    /// The ambient wind with its gusts, behind obstacles, `ahead` seconds after the last step.
    fn find_base(&mut self, ahead: T) {
        let time = (self.steps as f64) * self.params.time_step.to_f64() + ahead.to_f64();
        for a in 0..D {
            self.base[a].fill(self.params.ambient[a]);
        }
        let base = self.base.each_mut().map(Field::as_mut_slice);
        self.waves.add(&self.grid, self.corner, time, base);
        if !self.obstacles.is_empty() {
            for base in &mut self.base {
                let cells = base.as_mut_slice().iter_mut().zip(self.open.as_slice());
                cells.for_each(|(b, open)| *b *= *open);
            }
        }
    }

    fn carry_forward_and_backward(&mut self, dt: T) {
        let (grid, region) = (self.grid, self.grid.interior());
        let lattice = Lattice::clamped(&grid, Location::Center);
        let sum = |work: &Field<T, D>| {
            exec::reduce(&region, &Magnitudes { values: work.as_slice(), region }).unwrap_or(0.0)
        };
        let had = self.work.each_ref().map(sum);
        self.find_path(dt);
        exec::wide(Forward {
            carried: self.work.each_ref().map(Field::as_slice),
            path: self.path.each_ref().map(Field::as_slice),
            lattice,
            region,
            out: &mut self.packed,
        });
        exec::rows(&region, self.work.each_mut().map(Field::as_mut_slice), &Unpack(&self.packed));
        self.find_path(-dt);
        let path = self.path.each_ref().map(Field::as_slice);
        let pass = Backward { from: &self.packed, path, lattice, strides: grid.strides() };
        exec::rows(&region, self.work.each_mut().map(Field::as_mut_slice), &pass);
        for (work, had) in self.work.iter_mut().zip(had) {
            let has = sum(work);
            if has > had {
                exec::rows(&region, [work.as_mut_slice()], &Scale(T::of(had / has)));
            }
        }
    }

    /// How far every cell's wind goes in `dt` seconds, in cells.
    fn find_path(&mut self, dt: T) {
        let region = self.grid.interior();
        for a in 0..D {
            let pass = Path {
                base: self.base[a].as_slice(),
                carried: self.work[a].as_slice(),
                scale: dt * self.per_dx,
            };
            exec::rows(&region, [self.path[a].as_mut_slice()], &pass);
        }
    }

    /// Finds how much of the ambient wind reaches each cell.
    fn find_open(&mut self) {
        self.open.fill(T::one());
        if self.obstacles.is_empty() {
            return;
        }
        let (grid, corner) = (self.grid, self.lower_corner());
        let region = grid.interior();
        let speed = self.params.ambient.iter().fold(T::zero(), |s, a| s + *a * *a).sqrt();
        let against =
            self.params.ambient.map(|a| if speed > T::NEGLIGIBLE { -a / speed } else { T::zero() });
        let solid = |i: usize| {
            let mut position = grid.center(grid.cell_at(i));
            for a in 0..D {
                position[a] += corner[a];
            }
            self.obstacles.iter().any(|o| o.signed_distance(position) < T::zero())
        };
        for i in region.places() {
            if solid(i) {
                self.open.as_mut_slice()[i] = T::zero();
            }
        }
        // Behind an obstacle the wind comes back by the same share in every cell.
        let lattice = Lattice::clamped(&grid, Location::Center);
        let recovered = T::one() / self.params.shadow_length;
        let reach = self.params.shadow_length.ceil().truncate().max(1);
        for _ in 0..reach.min(grid.cells().iter().sum::<usize>() as i32) {
            let (from, to) = (&self.open, &mut self.path[0]);
            for i in region.places() {
                let mut at = grid.cell_at(i);
                at.iter_mut().for_each(|c| *c += 1);
                let (index, f) = lattice.locate(at, against);
                let upwind = linear(from.as_slice(), grid.strides(), index, f);
                let here = from.as_slice()[i];
                to.as_mut_slice()[i] = here.at_most((upwind + recovered).at_most(T::one()));
            }
            core::mem::swap(&mut self.open, &mut self.path[0]);
        }
    }

    /// Makes what is sampled that of this moment.
    fn refresh(&mut self) {
        let behind = self.pending - self.params.time_step;
        self.find_base(behind);
        let share = (self.pending * (T::one() / self.params.time_step)).at_most(T::one());
        let region = self.grid.interior();
        for a in 0..D {
            let ambient = self.params.ambient[a];
            let (now, before) = (self.work[a].as_mut_slice(), self.path[a].as_mut_slice());
            for row in (0..region.rows()).map(|n| region.row(n)) {
                let range = row.start..row.start + row.len;
                let (now, before) = (&mut now[range.clone()], &mut before[range.clone()]);
                self.excess[a].read(row.start, now);
                self.before[a].read(row.start, before);
                let wind = &mut self.base[a].as_mut_slice()[range.clone()];
                let view = &mut self.view[range];
                for i in 0..row.len {
                    wind[i] += before[i] + share * (now[i] - before[i]);
                    view[i][a] = wind[i] - ambient;
                }
            }
        }
        let most = self.base.each_ref().map(|wind| max_abs(&region, wind.as_slice()));
        self.max_speed = most.into_iter().fold(T::zero(), Real::worst);
    }
}

/// The first cell of a volume around a centre.
fn corner_around<T: Real, const D: usize>(
    params: &WindParams<T, D>,
    centre: [T; D],
) -> Result<[i64; D], Error> {
    let mut corner = [0; D];
    for a in 0..D {
        let cells = centre[a] / params.cell_size;
        let far = f64::from(1 << 21);
        check::within("the centre in cells", cells, -far, far, "at most 2²¹ from the origin")?;
        corner[a] = i64::from(cells.floor().truncate()) - (params.cells[a] / 2) as i64;
    }
    Ok(corner)
}

/// Checks numbers that are squared.
fn speeds<T: Real>(name: &'static str, values: &[T]) -> Result<(), Error> {
    let expected = "at most 1e9 in magnitude";
    values.iter().try_for_each(|v| check::within(name, *v, -1e9, 1e9, expected))
}
