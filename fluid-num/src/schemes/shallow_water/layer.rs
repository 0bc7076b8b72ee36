//! The layer of surface waves: its transforms, its tables, and what is short in a step.

use alloc::vec;
use alloc::vec::Vec;

use super::carried::Stencil;
use super::sides;
use super::spectrum::Spectrum;
use super::waves::SurfaceWaves;
use crate::base::exec::{self, Region, Row, RowPass};
use crate::{Error, Faces, Field, Grid, Real};

/// What a mode does in a step: its share that is short, and that times the cosine and the sine of the
/// angle by which it turns.
#[derive(Debug, Clone, Copy)]
struct Turn<T> {
    short: T,
    cos: T,
    sin: T,
}

/// Tables and scratch of the layer.
#[derive(Debug, Clone)]
pub(super) struct Layer<T> {
    params: SurfaceWaves<T>,
    gravity: T,
    pub(super) periodic: [bool; 2],
    spectrum: Spectrum<T>,
    /// The transformed surface, and √(h)·velocity by its divergence.
    pub(super) eta: Vec<T>,
    pub(super) spread: Vec<T>,
    /// One level, in Fourier space.
    mode: Vec<T>,
    /// For one level after another, for the time step that `time` says.
    turns: Vec<Turn<T>>,
    time: Option<T>,
    /// The depth that waves feel.
    pub(super) depth: Field<T, 2>,
    /// The root of the depth at faces through which waves may go, else 0.
    pub(super) root: Faces<T, 2>,
    /// What waves let flow, as a depth of a cell, and √h times their velocity.
    pub(super) flow: Faces<T, 2>,
    pub(super) wave: Faces<T, 2>,
    /// The share of both that was taken out at each face.
    pub(super) share: Faces<T, 2>,
    /// The energy that was taken out, over the density and the area of a cell.
    pub(super) energy: f64,
    // Scratch.
    pub(super) cells: Field<T, 2>,
    carried: Faces<T, 2>,
}

impl<T: Real> Layer<T> {
    pub(super) fn new(
        grid: Grid<T, 2>,
        params: SurfaceWaves<T>,
        gravity: T,
        periodic: [bool; 2],
    ) -> Result<Self, Error> {
        let zeros = vec![T::zero(); grid.cell_count()];
        let (cells, faces) = (Field::zeros(grid), Faces::zeros(grid));
        let still = Turn { short: T::zero(), cos: T::one(), sin: T::zero() };
        Ok(Self {
            params,
            gravity,
            periodic,
            spectrum: Spectrum::new(&grid, periodic)?,
            eta: zeros.clone(),
            spread: zeros.clone(),
            mode: zeros,
            turns: vec![still; grid.cell_count() * params.levels],
            time: None,
            depth: cells.clone(),
            root: faces.clone(),
            flow: faces.clone(),
            wave: faces.clone(),
            share: faces.clone(),
            energy: 0.0,
            cells,
            carried: faces,
        })
    }

    pub(super) fn fits(&self, params: &SurfaceWaves<T>, gravity: T, periodic: [bool; 2]) -> bool {
        (self.params, self.gravity, self.periodic) == (*params, gravity, periodic)
    }

    /// The faces between two cells along an axis, each once.
    pub(super) fn faces(&self, axis: usize) -> Region<2> {
        let grid = self.depth.grid();
        if self.periodic[axis] { grid.interior() } else { grid.inner_faces(axis) }
    }

    /// Sets what all modes do in `dt`.
    pub(super) fn set_time(&mut self, dt: T) {
        /// How fast the waves of two cells fade, 1/s.
        const FINE: f64 = 30.0;
        if self.time == Some(dt) {
            return;
        }
        self.time = Some(dt);
        let (g, dt) = (self.gravity.to_f64(), dt.to_f64());
        let dx = self.depth.grid().dx().to_f64();
        let modes = self.eta.len();
        for (n, turns) in self.turns.chunks_mut(modes).enumerate() {
            let depth = self.params.level(n).to_f64();
            for (mode, turn) in turns.iter_mut().enumerate() {
                let k = self.spectrum.wave_number(mode);
                // Waves of four cells lose at 2/s, those of eight cells at a sixteenth of that.
                let fine = k * dx / core::f64::consts::PI;
                let left = libm::exp(-dt * FINE * fine * fine * fine * fine);
                let angle = libm::sqrt(g * k * libm::tanh(k * depth)) * dt;
                let short = -libm::expm1(-2.0 * k * k * depth * depth);
                *turn = Turn {
                    short: T::of(short),
                    cos: T::of(short * left * libm::cos(angle)),
                    sin: T::of(short * left * libm::sin(angle)),
                };
            }
        }
    }

    /// Turns the surface and the divergence of √h·velocity to modes: η/√k², and the same of the
    /// potential's √(k²/g).
    pub(super) fn transform(&mut self) -> Result<(), Error> {
        self.spectrum.forward(&mut self.eta)?;
        self.spectrum.forward(&mut self.spread)?;
        let per_root = self.gravity.sqrt().recip();
        for (mode, (eta, spread)) in self.eta.iter_mut().zip(&mut self.spread).enumerate() {
            let root = self.spectrum.inverse_root(mode);
            *eta *= root;
            *spread *= -(root * root * per_root);
        }
        Ok(())
    }

    /// What is short at faces, as it was (`after` none) or as it is at the end of the time.
    pub(super) fn build(&mut self, after: bool) -> Result<(), Error> {
        self.flow.fill(T::zero());
        self.wave.fill(T::zero());
        let dx = self.depth.grid().dx();
        let (per_area, per_length) = ((dx * dx).recip(), self.gravity.sqrt() / dx);
        let modes = self.eta.len();
        for n in 0..self.params.levels {
            let weight = self.params.weight(n);
            if !self.depth.values().any(|depth| weight.of(depth) > T::zero()) {
                continue;
            }
            let turns = &self.turns[n * modes..][..modes];
            for which in 0..2 {
                let (own, other, sign) = match which {
                    0 => (&self.eta, &self.spread, T::one()),
                    _ => (&self.spread, &self.eta, -T::one()),
                };
                let pairs = own.iter().zip(other).zip(turns);
                for (mode, ((own, other), turn)) in self.mode.iter_mut().zip(pairs) {
                    *mode = match after {
                        true => *own * turn.cos + sign * (*other * turn.sin),
                        false => *own * turn.short,
                    };
                }
                if which == 0 {
                    for (place, mode) in self.mode.iter_mut().enumerate() {
                        *mode *= self.spectrum.inverse_root(place);
                    }
                }
                let values = self.spectrum.back(&mut self.mode)?;
                let (out, scale) = match which {
                    0 => (&mut self.flow, per_area),
                    _ => (&mut self.wave, per_length),
                };
                let (depth, periodic) = (&self.depth, self.periodic);
                spread_out(values, &mut self.cells, periodic);
                add_slopes(out, &self.cells, depth, periodic, (weight, scale));
            }
        }
        for field in [&mut self.flow, &mut self.wave] {
            close(field, self.periodic);
        }
        Ok(())
    }

    /// Carries the waves along with `velocity`, by `ratio`, s/m, times that in cells. `left` is the
    /// share that is left in each cell.
    pub(super) fn carry(&mut self, velocity: [&[T]; 2], ratio: T) {
        let grid = *self.depth.grid();
        let (strides, periodic) = (grid.strides(), self.periodic);
        for axis in 0..2 {
            let mut counts = grid.cells();
            counts[axis] += usize::from(!periodic[axis]);
            let region = self.faces(axis);
            for field in [&mut self.flow, &mut self.wave] {
                let out = &mut self.carried[axis];
                let pass = Carry {
                    from: field[axis].as_slice(),
                    left: self.cells.as_slice(),
                    velocity,
                    axis,
                    strides,
                    counts,
                    periodic,
                    ratio,
                };
                exec::rows(&region, [out.as_mut_slice()], &pass);
                field[axis].swap_values(out);
            }
        }
        close(&mut self.flow, periodic);
        close(&mut self.wave, periodic);
    }
}

/// Puts values in the order of cells into a field with ghosts.
fn spread_out<T: Real>(values: &[T], out: &mut Field<T, 2>, periodic: [bool; 2]) {
    let region = out.grid().interior();
    let nx = region.len(0);
    for (n, values) in values.chunks_exact(nx).enumerate() {
        let row = region.row(n);
        out.as_mut_slice()[row.start..row.start + row.len].copy_from_slice(values);
    }
    sides::fill_cells(out, periodic);
}

/// Sets the ghosts of what is known at all faces between cells.
pub(super) fn close<T: Real>(faces: &mut Faces<T, 2>, periodic: [bool; 2]) {
    for (axis, field) in faces.components_mut().iter_mut().enumerate() {
        if periodic[axis] {
            sides::close(field, axis);
        }
        sides::fill_faces(field, axis, periodic);
    }
}

/// How much a level counts, by the depth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight<T> {
    /// The depth of the level.
    pub(super) own: T,
    /// Whether there is no deeper one.
    pub(super) deepest: bool,
}

impl<T: Real> Weight<T> {
    /// All at its own depth, nothing from half of that down and from twice that up.
    #[inline(always)]
    pub(super) fn of(&self, depth: T) -> T {
        let per = self.own.recip();
        let rise = (depth * per + depth * per - T::one()).at_most(T::one());
        let fall = if self.deepest { T::one() } else { T::of(2.0) - depth * per };
        rise.at_most(fall).at_least(T::zero())
    }
}

/// Adds the slopes of values between cells times a scale, as much as they count.
fn add_slopes<T: Real>(
    out: &mut Faces<T, 2>,
    values: &Field<T, 2>,
    depth: &Field<T, 2>,
    periodic: [bool; 2],
    (weight, scale): (Weight<T>, T),
) {
    let grid = *depth.grid();
    for axis in 0..2 {
        let region = if periodic[axis] { grid.interior() } else { grid.inner_faces(axis) };
        let stride = grid.strides()[axis];
        let (values, depth) = (values.as_slice(), depth.as_slice());
        let pass = Slopes { values, depth, stride, weight, scale };
        exec::rows(&region, [out[axis].as_mut_slice()], &pass);
    }
}

struct Slopes<'a, T> {
    values: &'a [T],
    depth: &'a [T],
    stride: usize,
    weight: Weight<T>,
    scale: T,
}

impl<T: Real> RowPass<T, 2, 1> for Slopes<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        let (out, half, weight, scale) = (&mut out[..row.len], T::of(0.5), self.weight, self.scale);
        let (above, below) = (row.of(self.values), row.before(self.values, self.stride));
        let (deep, beside) = (row.of(self.depth), row.before(self.depth, self.stride));
        for i in 0..row.len {
            let counts = weight.of(half * (deep[i] + beside[i]));
            out[i] += counts * (scale * (above[i] - below[i]));
        }
    }
}

struct Carry<'a, T> {
    from: &'a [T],
    left: &'a [T],
    velocity: [&'a [T]; 2],
    axis: usize,
    strides: [usize; 2],
    counts: [usize; 2],
    periodic: [bool; 2],
    ratio: T,
}

impl<T: Real> RowPass<T, 2, 1> for Carry<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        /// What moves by less of a cell in a step stays.
        const LEAST: f64 = 1e-4;
        let (least, quarter, half) = (T::of(LEAST), T::of(0.25), T::of(0.5));
        let [along, across] = [self.axis, 1 - self.axis];
        let (own, other) = (self.velocity[along], self.velocity[across]);
        let [back, up] = [self.strides[along], self.strides[across]];
        for (i, out) in out.iter_mut().enumerate() {
            let place = row.start + i;
            let sum = (other[place] + other[place + up])
                + (other[place - back] + other[place - back + up]);
            let mut moved = [self.ratio * own[place], self.ratio * (quarter * sum)];
            let value = if moved[0].magnitude().at_least(moved[1].magnitude()) > least {
                if self.axis == 1 {
                    moved.swap(0, 1);
                }
                let at = [T::of_usize(row.at[0] + i) - moved[0], T::of_usize(row.at[1]) - moved[1]];
                Stencil::new(self.counts, self.strides[1], self.periodic, at).of(self.from)
            } else {
                self.from[place]
            };
            *out = half * (self.left[place] + self.left[place - back]) * value;
        }
    }
}
