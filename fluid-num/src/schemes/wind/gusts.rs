//! The unrest of the ambient wind: a few waves that it carries along.
//!
//! ```text
//! g(x, t) = v √(2/M) Σ_m d_m cos(k_m·(x − ∫A dt) + ω_m ∫v dt + φ_m)        d_m ∥ A, or d_m ⟂ k_m
//! ```
//!
//! A is the ambient wind, v the speed of gusts, and M = 8. Directions, lengths and phases come from a
//! seed. Along A gusts are stronger and weaker wind; with every d_m at right angles to its k_m they
//! have no divergence, as curl noise has none, and whirl. The integrals are kept, so that the speed of
//! gusts and the ambient wind may change at any time and the pattern goes on from where it is; another
//! length, seed or kind is another pattern.
//!
//! Reference: J. C. H. Fung et al., *Kinematic simulation of homogeneous turbulence by unsteady random
//! Fourier modes*, 1992, <https://doi.org/10.1017/S0022112092001423>.

use core::f64::consts::TAU;

use alloc::vec::Vec;

use super::WindParams;
use crate::base::error::check;
use crate::base::exec::{self, Wide};
use crate::{Error, Grid, Real};

/// The number of waves.
const WAVES: usize = 8;

/// Unrest of the ambient wind. Default: 1 m/s, 12 m long, free of divergence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gusts<T> {
    /// v: the root of their mean square, m/s, from 0 to 1e9. Larger: stronger, and they change faster.
    pub speed: T,
    /// The mean wave length, m, from 1e-6 to 1e9: the size of gusts.
    pub length: T,
    /// What makes them differ: the same seed, the same gusts.
    pub seed: u64,
    /// Whether they have no divergence and whirl, or are stronger and weaker wind along the
    /// ambient one (in still air there are none then).
    pub divergence_free: bool,
}

impl<T: Real> Default for Gusts<T> {
    fn default() -> Self {
        Self { speed: T::one(), length: T::of(12.0), seed: 0, divergence_free: true }
    }
}

impl<T: Real> Gusts<T> {
    pub(super) fn check(&self) -> Result<(), Error> {
        super::speeds("gusts.speed", &[self.speed])?;
        check::not_negative("gusts.speed", self.speed)?;
        check::within("gusts.length", self.length, 1e-6, 1e9, "from 1e-6 to 1e9")
    }
}

/// How far the pattern of gusts has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Drift<const D: usize> {
    /// ∫A dt, m.
    pub(super) displacement: [f64; D],
    /// ∫v dt, m: by this the pattern changes.
    pub(super) unrest: f64,
}

impl<const D: usize> Drift<D> {
    pub(super) const NONE: Self = Self { displacement: [0.0; D], unrest: 0.0 };

    /// The drift after `dt` seconds of this wind.
    pub(super) fn after<T: Real>(mut self, params: &WindParams<T, D>, dt: f64) -> Self {
        for a in 0..D {
            self.displacement[a] += params.ambient[a].to_f64() * dt;
        }
        self.unrest += params.gusts.map_or(0.0, |gusts| gusts.speed.to_f64()) * dt;
        self
    }
}

/// A wave: everything in metres and radians.
#[derive(Debug, Clone, Copy)]
struct Wave<T, const D: usize> {
    /// k.
    number: [f64; D],
    /// ω: the phase for every metre of unrest.
    turning: f64,
    phase: f64,
    amplitude: [T; D],
}

/// The waves, and the tables of one of them: cosine and sine at every storage index along an axis.
#[derive(Debug, Clone)]
pub(super) struct Waves<T, const D: usize> {
    waves: [Wave<T, D>; WAVES],
    blowing: bool,
    cosines: [Vec<T>; D],
    sines: [Vec<T>; D],
}

impl<T: Real, const D: usize> Waves<T, D> {
    pub(super) fn new(params: &WindParams<T, D>) -> Self {
        let still = Wave { number: [0.0; D], turning: 0.0, phase: 0.0, amplitude: [T::zero(); D] };
        let table = || params.cells.map(|n| alloc::vec![T::zero(); n + 2]);
        let (cosines, sines) = (table(), table());
        let mut waves = Self { waves: [still; WAVES], blowing: false, cosines, sines };
        waves.set(params);
        waves
    }

    /// Goes on with other parameters.
    pub(super) fn set(&mut self, params: &WindParams<T, D>) {
        self.blowing = params.gusts.is_some();
        if let Some(gusts) = params.gusts {
            let mut random = Random(gusts.seed);
            for wave in &mut self.waves {
                *wave = random_wave(&gusts, params.ambient, &mut random);
            }
        }
    }

    /// Adds the waves to the fields `out`, whose first cell is `corner`.
    pub(super) fn add(
        &mut self,
        grid: &Grid<T, D>,
        corner: [i64; D],
        drift: Drift<D>,
        out: [&mut [T]; D],
    ) {
        if self.blowing {
            exec::wide(Adding { waves: self, grid, corner, drift, out });
        }
    }
}

struct Adding<'a, T, const D: usize> {
    waves: &'a mut Waves<T, D>,
    grid: &'a Grid<T, D>,
    corner: [i64; D],
    drift: Drift<D>,
    out: [&'a mut [T]; D],
}

impl<T: Real, const D: usize> Wide for Adding<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { waves: Waves { waves, cosines, sines, .. }, grid, corner, drift, mut out } =
            self;
        for wave in waves.iter() {
            for a in 0..D {
                let start = if a == 0 { wave.phase + wave.turning * drift.unrest } else { 0.0 };
                let ghost = (corner[a] as f64 - 0.5) * grid.dx().to_f64() - drift.displacement[a];
                let step = wave.number[a] * grid.dx().to_f64();
                tabulate(start + wave.number[a] * ghost, step, &mut cosines[a], &mut sines[a]);
            }
            let region = grid.interior();
            for n in 0..region.rows() {
                let row = region.row(n);
                let (mut cos, mut sin) = (cosines[1][row.at[1]], sines[1][row.at[1]]);
                if D == 3 {
                    let (c, s) = (cosines[D - 1][row.at[D - 1]], sines[D - 1][row.at[D - 1]]);
                    (cos, sin) = (cos * c - sin * s, sin * c + cos * s);
                }
                let along = row.at[0]..row.at[0] + row.len;
                let (c, s) = (&cosines[0][along.clone()], &sines[0][along]);
                for (out, amplitude) in out.iter_mut().zip(wave.amplitude) {
                    let (cos, sin) = (amplitude * cos, amplitude * sin);
                    let out = &mut out[row.start..][..row.len];
                    for i in 0..row.len {
                        out[i] += c[i] * cos - s[i] * sin;
                    }
                }
            }
        }
    }
}

/// cos and sin of `start` + i·`step` for every i, by turning further and further.
fn tabulate<T: Real>(start: f64, step: f64, cosines: &mut [T], sines: &mut [T]) {
    let (mut sin, mut cos) = libm::sincos(start);
    let (s, c) = libm::sincos(step);
    for (cosine, sine) in cosines.iter_mut().zip(sines) {
        (*cosine, *sine) = (T::of(cos), T::of(sin));
        (cos, sin) = (cos * c - sin * s, sin * c + cos * s);
    }
}

fn random_wave<T: Real, const D: usize>(
    gusts: &Gusts<T>,
    ambient: [T; D],
    random: &mut Random,
) -> Wave<T, D> {
    let length = gusts.length.to_f64() * (0.5 + random.next());
    let direction: [f64; D] = random.direction();
    // Each wave has the same share of the mean square; the mean of cos² is a half.
    let size = gusts.speed.to_f64() * libm::sqrt(2.0 / WAVES as f64);
    let mut amplitude = ambient.map(Real::to_f64);
    if gusts.divergence_free {
        amplitude = random.direction();
        let along: f64 = (0..D).map(|a| amplitude[a] * direction[a]).sum();
        for a in 0..D {
            amplitude[a] -= along * direction[a];
        }
    }
    let norm = libm::sqrt(amplitude.iter().map(|v| v * v).sum());
    let scale = if norm > 1e-9 { size / norm } else { 0.0 };
    Wave {
        number: direction.map(|d| d * TAU / length),
        // In still air waves change over the time that it takes at their own speed to pass.
        turning: TAU / length * (random.next() - 0.5),
        phase: TAU * random.next(),
        amplitude: amplitude.map(|v| T::of(v * scale)),
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
