//! The unrest of the ambient wind: a few waves that it carries along.
//!
//! ```text
//! g(x, t) = Σ_m a_m cos(k_m·(x − A t) + ω_m t + φ_m)        a_m ∥ A, or a_m ⟂ k_m
//! ```
//!
//! A is the ambient wind. Directions, lengths and phases come from a seed. Along A gusts are stronger
//! and weaker wind; with every a_m at right angles to its k_m they have no divergence, as curl noise
//! has none, and whirl.
//!
//! Reference: J. C. H. Fung et al., *Kinematic simulation of homogeneous turbulence by unsteady random
//! Fourier modes*, 1992, <https://doi.org/10.1017/S0022112092001423>.

use core::f64::consts::TAU;

use alloc::vec::Vec;

use crate::base::error::check;
use crate::{Error, Grid, Real};

/// The number of waves.
const WAVES: usize = 8;

/// Unrest of the ambient wind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gusts<T> {
    /// The root of the mean square, m/s, at least 0.
    pub speed: T,
    /// The mean wave length, m: the size of gusts.
    pub length: T,
    /// What makes them differ.
    pub seed: u64,
    /// Whether they have no divergence and whirl, or are stronger and weaker wind along the
    /// ambient one.
    pub divergence_free: bool,
}

impl<T: Real> Gusts<T> {
    pub(super) fn check(&self) -> Result<(), Error> {
        super::speeds("the speed of gusts", &[self.speed])?;
        check::not_negative("the speed of gusts", self.speed)?;
        check::positive("the length of gusts", self.length)?;
        check::moderate("the length of gusts", self.length)
    }
}

/// A wave: everything in cells, metres a second and seconds.
#[derive(Debug, Clone, Copy)]
struct Wave<const D: usize> {
    /// k, per cell.
    number: [f64; D],
    /// The rate of its phase at a fixed place, per second.
    rate: f64,
    phase: f64,
    amplitude: [f64; D],
}

/// The waves, and their tables along the axes.
#[derive(Debug, Clone)]
pub(super) struct Waves<T, const D: usize> {
    waves: Vec<Wave<D>>,
    /// cos and sin along each axis at every storage index, of the wave that is looked at.
    tables: [Vec<[T; 2]>; D],
}

impl<T: Real, const D: usize> Waves<T, D> {
    pub(super) fn new(gusts: Option<Gusts<T>>, ambient: [T; D], grid: &Grid<T, D>) -> Self {
        let mut waves = Vec::new();
        if let Some(gusts) = gusts {
            let mut random = Random(gusts.seed);
            waves.extend((0..WAVES).map(|_| wave(&gusts, ambient, grid, &mut random)));
        }
        let tables = grid.cells().map(|n| alloc::vec![[T::zero(); 2]; n + 2]);
        Self { waves, tables }
    }

    /// Adds the waves at `time` to the fields `out`, row by row; `corner` is the first cell.
    pub(super) fn add(
        &mut self,
        grid: &Grid<T, D>,
        corner: [i64; D],
        time: f64,
        out: [&mut [T]; D],
    ) {
        let Self { waves, tables } = self;
        for wave in waves.iter() {
            for a in 0..D {
                let start = if a == 0 { wave.phase + wave.rate * time } else { 0.0 };
                for (i, entry) in tables[a].iter_mut().enumerate() {
                    let cell = corner[a] as f64 + i as f64 - 0.5;
                    let (sin, cos) = libm::sincos(start + wave.number[a] * cell);
                    *entry = [T::of(cos), T::of(sin)];
                }
            }
            let amplitude = wave.amplitude.map(T::of);
            let region = grid.interior();
            for n in 0..region.rows() {
                let row = region.row(n);
                let [mut cos, mut sin] = tables[1][row.at[1]];
                if D == 3 {
                    let [c, s] = tables[D - 1][row.at[D - 1]];
                    [cos, sin] = [cos * c - sin * s, sin * c + cos * s];
                }
                let along = &tables[0][row.at[0]..][..row.len];
                for a in 0..D {
                    let (scale, out) = (amplitude[a], &mut out[a][row.start..][..row.len]);
                    for i in 0..row.len {
                        let [c, s] = along[i];
                        out[i] += scale * (c * cos - s * sin);
                    }
                }
            }
        }
    }
}

fn wave<T: Real, const D: usize>(
    gusts: &Gusts<T>,
    ambient: [T; D],
    grid: &Grid<T, D>,
    random: &mut Random,
) -> Wave<D> {
    let (dx, ambient) = (grid.dx().to_f64(), ambient.map(Real::to_f64));
    let length = gusts.length.to_f64() * (0.5 + random.next());
    let direction: [f64; D] = random.direction();
    let number = direction.map(|d| d * TAU / length);
    // Each wave has the same share of the mean square; the mean of cos² is a half.
    let size = gusts.speed.to_f64() * libm::sqrt(2.0 / WAVES as f64);
    let mut amplitude = if gusts.divergence_free { random.direction() } else { ambient };
    if gusts.divergence_free {
        let along: f64 = (0..D).map(|a| amplitude[a] * direction[a]).sum();
        for a in 0..D {
            amplitude[a] -= along * direction[a];
        }
    }
    let norm = libm::sqrt(amplitude.iter().map(|v| v * v).sum());
    let scale = if norm > 1e-9 { size / norm } else { 0.0 };
    let carried: f64 = (0..D).map(|a| number[a] * ambient[a]).sum();
    // In still air waves change over the time that it takes at their own speed to pass.
    let own = gusts.speed.to_f64() * TAU / length * (random.next() - 0.5);
    Wave {
        number: number.map(|k| k * dx),
        rate: own - carried,
        phase: TAU * random.next(),
        amplitude: amplitude.map(|v| v * scale),
    }
}

/// Numbers from 0 to 1 (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A unit vector, all directions alike.
    fn direction<const D: usize>(&mut self) -> [f64; D] {
        loop {
            let mut v = [0.0; D];
            v.iter_mut().for_each(|v| *v = 2.0 * self.next() - 1.0);
            let square: f64 = v.iter().map(|v| v * v).sum();
            if (0.01..1.0).contains(&square) {
                let size = libm::sqrt(square);
                return v.map(|v| v / size);
            }
        }
    }
}
