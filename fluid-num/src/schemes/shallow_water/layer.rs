//! The layer of surface waves: its transforms, its tables, and what is short in a step.

use alloc::vec;
use alloc::vec::Vec;

use super::basins::Basins;
use super::carried::Stencil;
use super::sides;
use super::spectrum::Spectrum;
use super::waves::SurfaceWaves;
use crate::base::exec::{self, ChunkPass, Region, Row, RowPass};
use crate::{Error, Faces, Field, Grid, Real};

/// At which share of the depth of the last level the layer is gone.
const FADED: f64 = 0.375;

/// What modes do in a step: their shares that are short, and those times the cosines and the sines of
/// the angles by which they turn.
#[derive(Debug, Clone)]
struct Turns<T> {
    short: Vec<T>,
    cos: Vec<T>,
    sin: Vec<T>,
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
    /// For each level, for the time step that `time` says.
    turns: Vec<Turns<T>>,
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
    pub(super) basins: Basins<T>,
    // Scratch.
    pub(super) cells: Field<T, 2>,
    pub(super) gains: [Field<T, 2>; 2],
    /// Sides stay 0.
    carried: [Faces<T, 2>; 2],
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
        let still = Turns { short: zeros.clone(), cos: zeros.clone(), sin: zeros.clone() };
        Ok(Self {
            params,
            gravity,
            periodic,
            spectrum: Spectrum::new(&grid, periodic)?,
            eta: zeros.clone(),
            spread: zeros.clone(),
            mode: zeros,
            turns: vec![still; params.levels],
            time: None,
            depth: cells.clone(),
            root: faces.clone(),
            flow: faces.clone(),
            wave: faces.clone(),
            share: faces.clone(),
            basins: Basins::new(&grid, cells.as_slice().len()),
            gains: [cells.clone(), cells.clone()],
            carried: [faces.clone(), faces],
            cells,
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

    /// The depth of faces up to which no level counts.
    pub(super) fn least_depth(&self) -> T {
        T::of(FADED) * self.params.level(self.params.levels - 1)
    }

    /// Sets what all modes do in `dt`.
    pub(super) fn set_time(&mut self, dt: T) {
        /// How fast the waves of two cells fade, in √(g/Δx).
        const FINE: f64 = 3.0;
        if self.time == Some(dt) {
            return;
        }
        self.time = Some(dt);
        let (g, dt) = (self.gravity.to_f64(), dt.to_f64());
        let dx = self.depth.grid().dx().to_f64();
        let fading = FINE * libm::sqrt(g / dx);
        for (n, turns) in self.turns.iter_mut().enumerate() {
            let depth = self.params.level(n).to_f64();
            for mode in 0..turns.short.len() {
                let k = self.spectrum.wave_number(mode);
                // Waves of four cells fade 16 times more slowly, those of eight cells 256 times.
                let fine = k * dx / core::f64::consts::PI;
                let left = libm::exp(-dt * fading * fine * fine * fine * fine);
                let angle = libm::sqrt(g * k * libm::tanh(k * depth)) * dt;
                let short = -libm::expm1(-2.0 * k * k * depth * depth);
                turns.short[mode] = T::of(short);
                turns.cos[mode] = T::of(short * left * libm::cos(angle));
                turns.sin[mode] = T::of(short * left * libm::sin(angle));
            }
        }
    }

    /// Turns the surface and the divergence of √h·velocity to modes: η/√k², and the same of the
    /// potential's √(k²/g).
    pub(super) fn transform(&mut self) -> Result<(), Error> {
        self.spectrum.forward(&mut self.eta)?;
        self.spectrum.forward(&mut self.spread)?;
        let per_root = self.gravity.sqrt().recip();
        let roots = self.spectrum.inverse_roots();
        for ((eta, spread), root) in self.eta.iter_mut().zip(&mut self.spread).zip(roots) {
            let root = *root;
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
        for n in 0..self.params.levels {
            let weight = self.params.weight(n);
            if !self.depth.values().any(|depth| weight.of(depth) > T::zero()) {
                continue;
            }
            let turns = &self.turns[n];
            for which in 0..2 {
                let (own, other, sign) = match which {
                    0 => (&self.eta, &self.spread, T::one()),
                    _ => (&self.spread, &self.eta, -T::one()),
                };
                let of_own = if after { &turns.cos } else { &turns.short };
                let of_other = after.then_some((&turns.sin[..], sign));
                let roots = (which == 0).then_some(self.spectrum.inverse_roots());
                let pass = Modes { own, other, of_own, of_other, roots };
                exec::chunks([&mut self.mode], &pass);
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
            let pass = Carry {
                fields: [self.flow[axis].as_slice(), self.wave[axis].as_slice()],
                left: self.cells.as_slice(),
                velocity,
                axis,
                strides,
                counts,
                periodic,
                ratio,
            };
            let [flow, wave] = self.carried.each_mut().map(|faces| &mut faces[axis]);
            exec::rows(&region, [flow.as_mut_slice(), wave.as_mut_slice()], &pass);
            self.flow[axis].swap_values(flow);
            self.wave[axis].swap_values(wave);
        }
        close(&mut self.flow, periodic);
        close(&mut self.wave, periodic);
    }
}

/// The sum of a mode and another one by what each counts, over the wave number where that is known.
struct Modes<'a, T> {
    own: &'a [T],
    other: &'a [T],
    of_own: &'a [T],
    of_other: Option<(&'a [T], T)>,
    roots: Option<&'a [T]>,
}

impl<T: Real> ChunkPass<T, 1> for Modes<'_, T> {
    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [T]; 1]) {
        let len = out.len();
        let (own, of_own) = (&self.own[first..][..len], &self.of_own[first..][..len]);
        for i in 0..len {
            out[i] = own[i] * of_own[i];
        }
        if let Some((of_other, sign)) = self.of_other {
            let (other, of_other) = (&self.other[first..][..len], &of_other[first..][..len]);
            for i in 0..len {
                out[i] += sign * (other[i] * of_other[i]);
            }
        }
        if let Some(roots) = self.roots {
            let roots = &roots[first..][..len];
            for i in 0..len {
                out[i] *= roots[i];
            }
        }
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
    /// Whether there is no deeper one, and no shallower one.
    pub(super) deepest: bool,
    pub(super) shallowest: bool,
}

impl<T: Real> Weight<T> {
    /// All at its own depth, nothing from half of that down (`FADED` of it, where there is no other
    /// level) and from twice that up.
    #[inline(always)]
    pub(super) fn of(&self, depth: T) -> T {
        let (one, two, three) = (T::one(), T::of(2.0), T::of(3.0));
        let share = |x: T| x.at_least(T::zero()).at_most(one);
        // Without kinks: those would show on the water.
        let smooth = |x: T| share(x) * share(x) * (three - two * share(x));
        let depths = depth / self.own;
        // Where there is no other level, the rest flows as long waves, which are so much faster that
        // even little of it counts: did it not begin this gently, waves would show creases there.
        let rise = if self.shallowest {
            let x = share((depths - T::of(FADED)) / T::of(1.0 - FADED));
            let rest = one - x * x;
            one - (rest * rest) * (rest * rest)
        } else {
            smooth(two * depths - one)
        };
        if self.deepest { rise } else { rise.at_most(smooth(two - depths)) }
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
    fields: [&'a [T]; 2],
    left: &'a [T],
    velocity: [&'a [T]; 2],
    axis: usize,
    strides: [usize; 2],
    counts: [usize; 2],
    periodic: [bool; 2],
    ratio: T,
}

impl<T: Real> RowPass<T, 2, 2> for Carry<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [flow, wave]: [&mut [T]; 2]) {
        /// What moves by less of a cell in a step stays, which makes calm ponds cheaper by a quarter.
        /// The jump between what stays and what moves is this part of the slope.
        const LEAST: f64 = 1e-4;
        let (least, quarter, half) = (T::of(LEAST), T::of(0.25), T::of(0.5));
        let [along, across] = [self.axis, 1 - self.axis];
        let (own, other) = (self.velocity[along], self.velocity[across]);
        let [back, up] = [self.strides[along], self.strides[across]];
        for (i, (flow, wave)) in flow.iter_mut().zip(wave).enumerate() {
            let place = row.start + i;
            let sum = (other[place] + other[place + up])
                + (other[place - back] + other[place - back + up]);
            let moved = [self.ratio * own[place], self.ratio * (quarter * sum)];
            let mut values = self.fields.map(|field| field[place]);
            if moved[0].magnitude().at_least(moved[1].magnitude()) > least {
                let [x, y] = [moved[self.axis], moved[1 - self.axis]];
                let at = [T::of_usize(row.at[0] + i) - x, T::of_usize(row.at[1]) - y];
                let stencil = Stencil::new(self.counts, self.strides[1], self.periodic, at);
                values = self.fields.map(|field| stencil.of(field));
            }
            let left = half * (self.left[place] + self.left[place - back]);
            [*flow, *wave] = values.map(|value| left * value);
        }
    }
}
