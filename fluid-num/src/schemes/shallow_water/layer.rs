//! The layer of surface waves: its transforms, its tables, and what is short in a step.

use alloc::vec;
use alloc::vec::Vec;

use super::sides;
use super::spectrum::Spectrum;
use super::waves::SurfaceWaves;
use crate::{Error, Field, Grid, Location, Real};

/// What a mode does in a step.
#[derive(Debug, Clone, Copy)]
struct Turn<T> {
    /// The share that is short.
    short: T,
    cos: T,
    /// k tanh kh·sin ωΔt/ω and g·sin ωΔt/ω.
    rise: T,
    fall: T,
}

/// Tables and scratch of the layer.
#[derive(Debug, Clone)]
pub(super) struct Layer<T> {
    pub(super) params: SurfaceWaves<T>,
    pub(super) gravity: T,
    pub(super) periodic: [bool; 2],
    pub(super) spectrum: Spectrum<T>,
    /// The transformed surface and potential.
    pub(super) eta: Vec<T>,
    pub(super) phi: Vec<T>,
    /// One level, in Fourier space.
    pub(super) level: Vec<T>,
    /// For one level after another, for the time step that `time` says.
    turns: Vec<Turn<T>>,
    pub(super) time: Option<T>,
    /// The depth of the water when waves were taken out, and that below which they may not be.
    pub(super) depth: Field<T, 2>,
    pub(super) least: T,
    /// How fast waves die out along each axis, over their speed, 1/m.
    pub(super) dies: [Vec<T>; 2],
    /// The potentials of the flow that makes η, and of the velocity.
    pub(super) flow: Field<T, 2>,
    pub(super) potential: Field<T, 2>,
    pub(super) carried: Field<T, 2>,
    /// Both as they were.
    pub(super) before: [Field<T, 2>; 2],
    /// The share of them that was taken out at each face.
    pub(super) share: [Field<T, 2>; 2],
    /// The share of its outflow that a cell can pay for.
    pub(super) paid: Field<T, 2>,
}

impl<T: Real> Layer<T> {
    pub(super) fn new(
        grid: Grid<T, 2>,
        params: SurfaceWaves<T>,
        gravity: T,
        periodic: [bool; 2],
    ) -> Result<Self, Error> {
        let zeros = vec![T::zero(); grid.cell_count()];
        let field = Field::zeros(grid);
        let still = Turn { short: T::zero(), cos: T::one(), rise: T::zero(), fall: T::zero() };
        Ok(Self {
            params,
            gravity,
            periodic,
            spectrum: Spectrum::new(&grid, periodic)?,
            eta: zeros.clone(),
            phi: zeros.clone(),
            level: zeros.clone(),
            turns: vec![still; grid.cell_count() * params.levels],
            time: None,
            depth: field.clone(),
            least: T::zero(),
            dies: grid.cells().map(|n| vec![T::zero(); n]),
            share: [0, 1].map(|axis| Field::zeros_at(grid, Location::Face(axis))),
            before: [field.clone(), field.clone()],
            flow: field.clone(),
            potential: field.clone(),
            carried: field.clone(),
            paid: field,
        })
    }

    pub(super) fn fits(&self, params: &SurfaceWaves<T>, gravity: T, periodic: [bool; 2]) -> bool {
        (self.params, self.gravity, self.periodic) == (*params, gravity, periodic)
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
                let steep = k * libm::tanh(k * depth);
                let omega = libm::sqrt(g * steep);
                let sine = if omega > 0.0 { libm::sin(omega * dt) / omega } else { dt };
                *turn = Turn {
                    short: T::of(-libm::expm1(-2.0 * k * k * depth * depth)),
                    cos: T::of(left * libm::cos(omega * dt)),
                    rise: T::of(left * steep * sine),
                    fall: T::of(left * g * sine),
                };
            }
        }
    }

    /// The potentials of what is short, as it was (`after` none) or as it is at the end of the time.
    pub(super) fn build(&mut self, after: bool) -> Result<(), Error> {
        if after {
            core::mem::swap(&mut self.flow, &mut self.before[0]);
            core::mem::swap(&mut self.potential, &mut self.before[1]);
        }
        self.flow.fill(T::zero());
        self.potential.fill(T::zero());
        let modes = self.eta.len();
        for n in 0..self.params.levels {
            for which in 0..2 {
                let turns = &self.turns[n * modes..][..modes];
                for (mode, turn) in turns.iter().enumerate() {
                    let (eta, phi) = (self.eta[mode], self.phi[mode]);
                    let [eta, phi] = match after {
                        true => {
                            [eta * turn.cos + phi * turn.rise, phi * turn.cos - eta * turn.fall]
                        }
                        false => [eta, phi],
                    };
                    let flow = eta * self.spectrum.inverse_laplacian(mode);
                    self.level[mode] = turn.short * if which == 0 { flow } else { phi };
                }
                let values = self.spectrum.back(&mut self.level)?;
                let out = if which == 0 { &mut self.flow } else { &mut self.potential };
                let (depth, before) = (&self.depth, after.then_some(&self.before[which]));
                let level = Level { params: &self.params, least: self.least, n };
                level.add(out, values, depth, before);
            }
        }
        for field in [&mut self.flow, &mut self.potential] {
            sides::fill_cells(field, self.periodic);
        }
        Ok(())
    }
}

/// A depth of the layer.
struct Level<'a, T> {
    params: &'a SurfaceWaves<T>,
    /// Water that is shallower than this has waves in part, down to half of it.
    least: T,
    n: usize,
}

impl<T: Real> Level<'_, T> {
    /// Adds the level's values as much as they count. Where the water is shallower than the last
    /// level, waves get on for a part of the time only: the rest is as `before`.
    fn add(
        &self,
        out: &mut Field<T, 2>,
        values: &[T],
        depth: &Field<T, 2>,
        before: Option<&Field<T, 2>>,
    ) {
        let region = out.grid().interior();
        let (last, one) = (self.params.last(), T::one());
        let half = self.least * T::of(0.5);
        for (value, place) in values.iter().zip(region.places()) {
            let depth = depth.as_slice()[place];
            let fade = ((depth - half) / half).at_least(T::zero()).at_most(one);
            let mut value = fade * self.params.weight(self.n, depth) * *value;
            if let Some(before) = before
                && self.n + 1 == self.params.levels
                && depth < last
            {
                let share = (depth / last).sqrt();
                value = share * value + (one - share) * before.as_slice()[place];
            }
            out.as_mut_slice()[place] += value;
        }
    }
}
