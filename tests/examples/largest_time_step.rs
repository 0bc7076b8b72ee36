//! Finds the longest time step that WCSPH and position-based fluids (PBF) survive on one scene, and
//! times both.
//!
//! ```sh
//! cargo run --release -p fluid-tests --features report --example largest_time_step
//! ```
//!
//! The scene: three blocks of water, 12,320 particles 5 cm apart, fall in a box of 10.24 × 10.24 m for
//! two seconds.
//!
//! WCSPH shortens its sub-steps by itself: the shortest at a Courant number of 1 is the longest time
//! step that it would take whole throughout. Of PBF, whose sub-steps are as long as one likes, the
//! longest is sought up to which the water stays finite, has no more than a quarter more energy than
//! at first, and is compressed by no more than a tenth in the mean. Speeds would tell nothing: where
//! blocks meet the floor and one another, jets are three times as fast as anything has fallen, in
//! both schemes and with the shortest steps.
//!
//! PBF survives longer steps again, but they are good for little: a particle moves at most one support
//! radius in a sub-step, so that beyond that radius over the speed of the fall water falls too
//! slowly, and it keeps bouncing where in short steps it comes to rest.

use core::error::Error;
use core::fmt;
use std::time::Instant;

use fluid_num::particles::{Domain, ParticleSet};
use fluid_num::{Pbf2, PbfParams, StepReport, Stiffness, Wcsph2, WcsphParams};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const SIDE: f32 = 10.24;
const SPACING: f32 = 0.05;
const BLOCKS: [[[f32; 2]; 2]; 3] =
    [[[6.0, 2.0], [9.0, 7.0]], [[3.0, 1.0], [5.0, 7.0]], [[1.0, 3.0], [2.9, 5.0]]];
/// m/s².
const GRAVITY: f64 = 9.81;
/// What the highest water has fallen with when it meets the floor, √(2·9.81·7), m/s.
const FALL: f64 = 11.72;
/// Six times that: the liquid gives way by a few hundredths.
const SOUND: f32 = 70.0;
/// How long a run is, s.
const LENGTH: f64 = 2.0;
/// The largest mean of ρ/ρ₀ − 1, over all particles where it is positive, that is accepted.
const COMPRESSION: f64 = 0.1;
/// The energy that may be added, as a part of what there was at first: particles that have run into
/// one another are pushed apart.
const GAIN: f64 = 0.25;
/// A frame, s.
const FRAME: f32 = 1.0 / 60.0;

fn main() -> Outcome<()> {
    let count = Water::wcsph(0.4, 1)?.particles().len();
    println!("{count} particles {SPACING} m apart in three blocks, {LENGTH} s\n");
    println!("{:<32}{:>10}", "longest step in one sub-step", "ms");
    shortest("WCSPH, Courant number 1", Water::wcsph(1.0, 1)?)?;
    longest("PBF, 4 iterations", [4e-3, 8e-3], |dt| Water::pbf(4, dt))?;
    let whole = f64::from(PbfParams::<f32, 2>::default().support_ratio * SPACING) / FALL * 1e3;
    println!("PBF slows the fall in sub-steps above {whole:.1} ms");
    println!("\n{:<32}{:>10}{:>10}   outcome", "", "step, ms", "sub-steps");
    let mut rows = vec![
        ("WCSPH, Courant number 0.4", Water::wcsph(0.4, 1000)?, FRAME),
        ("PBF, 6 iterations, one sub-step", Water::pbf(6, FRAME)?, FRAME),
    ];
    for dt in [0.25, 0.5, 1.0, 2.0, 4.0].map(|frames| frames * FRAME) {
        rows.push(("PBF, 4 iterations, one sub-step", Water::pbf(4, dt)?, dt));
    }
    for (name, water, dt) in rows {
        let run = run(water, dt)?;
        println!("{name:<32}{:>10.2}{:>10}   {run}", f64::from(dt) * 1e3, run.substeps);
    }
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(time_both)
}

/// Either scheme.
#[derive(Clone)]
enum Water {
    Wcsph(Box<Wcsph2<f32>>),
    Pbf(Box<Pbf2<f32>>),
}

impl Water {
    fn wcsph(courant: f32, max_substeps: usize) -> Outcome<Self> {
        let params = WcsphParams {
            spacing: SPACING,
            stiffness: Stiffness::SoundSpeed(SOUND),
            courant,
            max_substeps,
            ..Default::default()
        };
        let domain = Domain::new([0.0; 2], [SIDE; 2])?;
        Self::Wcsph(Box::new(Wcsph2::new(domain, params)?)).filled()
    }

    fn pbf(iterations: usize, longest_substep: f32) -> Outcome<Self> {
        let params =
            PbfParams { spacing: SPACING, iterations, longest_substep, ..Default::default() };
        let domain = Domain::new([0.0; 2], [SIDE; 2])?;
        Self::Pbf(Box::new(Pbf2::new(domain, params)?)).filled()
    }

    fn filled(mut self) -> Outcome<Self> {
        for [lo, hi] in BLOCKS {
            self.particles_mut().add_block(lo, hi, SPACING, [0.0; 2], 0, &[])?;
        }
        Ok(self)
    }

    fn particles(&self) -> &ParticleSet<f32, 2> {
        match self {
            Self::Wcsph(water) => water.particles(),
            Self::Pbf(water) => water.particles(),
        }
    }

    fn particles_mut(&mut self) -> &mut ParticleSet<f32, 2> {
        match self {
            Self::Wcsph(water) => water.particles_mut(),
            Self::Pbf(water) => water.particles_mut(),
        }
    }

    fn step(&mut self, dt: f32) -> Result<StepReport<f32>, fluid_num::Error> {
        match self {
            Self::Wcsph(water) => water.step(dt),
            Self::Pbf(water) => water.step(dt),
        }
    }

    /// The mean of ρ/ρ₀ − 1 where that is positive, over all particles.
    fn compression(&self) -> f64 {
        let excess = |density: f32| f64::from(density / 1000.0 - 1.0).max(0.0);
        let sum: f64 = match self {
            Self::Wcsph(water) => water.density().iter().map(|d| excess(*d)).sum(),
            Self::Pbf(water) => water.density().map(excess).sum(),
        };
        sum / self.particles().len() as f64
    }

    /// The kinetic and potential energy of all particles, J/kg.
    fn energy(&self) -> f64 {
        let particles = self.particles();
        let square = |a: usize| particles.velocities(a).iter().map(|v| 0.5 * f64::from(*v).powi(2));
        let height = particles.positions(1).iter().map(|y| GRAVITY * f64::from(*y));
        square(0).chain(square(1)).chain(height).sum::<f64>() / particles.len() as f64
    }
}

/// What became of a run.
struct Run {
    /// What ended it, and when, s.
    end: Option<(End, f64)>,
    max_speed: f32,
    /// The largest of all steps.
    compression: f64,
    /// The most energy of all steps, and that after the last, as a part of that at first.
    energy: [f64; 2],
    /// The most of all steps.
    substeps: usize,
}

/// Why a run is not a good one.
enum End {
    NotFinite,
    Gaining,
    Compressed,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.end {
            None => write!(f, "stable: ")?,
            Some((End::NotFinite, t)) => write!(f, "not finite at {t:.3} s: ")?,
            Some((End::Gaining, t)) => write!(f, "gains energy at {t:.3} s: ")?,
            Some((End::Compressed, t)) => write!(f, "compressed at {t:.3} s: ")?,
        }
        let [compression, most, last] =
            [self.compression, self.energy[0], self.energy[1]].map(|part| 100.0 * part);
        write!(f, "up to {:.1} m/s, compressed by {compression:.1} %, ", self.max_speed)?;
        write!(f, "energy up to {most:.0} %, {last:.0} % at last")
    }
}

/// Two seconds in steps of `dt`, or up to the first step that is not survived.
fn run(mut water: Water, dt: f32) -> Outcome<Run> {
    let mut run =
        Run { end: None, max_speed: 0.0, compression: 0.0, energy: [0.0; 2], substeps: 0 };
    let first = water.energy();
    let steps = (LENGTH / f64::from(dt)).ceil() as usize;
    for n in 0..steps {
        let end = match water.step(dt) {
            Err(fluid_num::Error::Unstable { .. }) => Some(End::NotFinite),
            Err(other) => return Err(other.into()),
            Ok(report) => {
                let compression = water.compression();
                run.max_speed = run.max_speed.max(report.max_speed);
                run.compression = run.compression.max(compression);
                let energy = water.energy() / first;
                run.energy = [run.energy[0].max(energy), energy];
                run.substeps = run.substeps.max(report.substeps);
                if energy > 1.0 + GAIN {
                    Some(End::Gaining)
                } else if compression > COMPRESSION {
                    Some(End::Compressed)
                } else {
                    None
                }
            }
        };
        if let Some(end) = end {
            run.end = Some((end, (n + 1) as f64 * f64::from(dt)));
            break;
        }
    }
    Ok(run)
}

/// Prints the shortest sub-step that a liquid takes by itself in two seconds, and the mean.
fn shortest(name: &str, mut water: Water) -> Outcome<()> {
    let (mut shortest, mut time, mut count) = (f32::INFINITY, 0.0, 0);
    while time < LENGTH {
        // One sub-step of what would be many.
        let taken = water.step(1.0)?.time;
        shortest = shortest.min(taken);
        time += f64::from(taken);
        count += 1;
    }
    let [shortest, mean] = [f64::from(shortest), time / f64::from(count)].map(|s| s * 1e3);
    println!("{name:<32}{shortest:>10.3}   its shortest sub-step; {mean:.3} in the mean");
    Ok(())
}

/// Finds the longest time step between `lo` and `hi` to a tenth, and prints it.
fn longest(
    name: &str,
    [mut lo, mut hi]: [f32; 2],
    water: impl Fn(f32) -> Outcome<Water>,
) -> Outcome<()> {
    let mut stopped = run(water(hi)?, hi)?;
    if stopped.end.is_none() {
        println!("{name:<32}{:>10.3}   {stopped}", f64::from(hi) * 1e3);
        return Ok(());
    }
    let mut survived = false;
    while hi > 1.1 * lo {
        let dt = (lo * hi).sqrt();
        let run = run(water(dt)?, dt)?;
        if run.end.is_none() {
            (lo, survived) = (dt, true);
        } else {
            (hi, stopped) = (dt, run);
        }
    }
    let least = if survived { "" } else { "no more than " };
    let [lo, hi] = [lo, hi].map(|dt| f64::from(dt) * 1e3);
    println!("{name:<32}{least}{lo:>10.3}   {hi:.3}: {stopped}");
    Ok(())
}

/// Prints what a frame costs while the water falls, and when as many particles lie still.
fn time_both() -> Outcome<()> {
    let mut pool = ParticleSet::new();
    pool.add_block([0.0; 2], [SIDE, 3.0], SPACING, [0.0; 2], 0, &[])?;
    let frames = |water: &mut Water, count: usize| -> Outcome<(f64, usize)> {
        let (start, mut substeps) = (Instant::now(), 0);
        for _ in 0..count {
            substeps += water.step(FRAME)?.substeps;
        }
        Ok((start.elapsed().as_secs_f64() * 1e3, substeps))
    };
    println!("\n{:<32}{:>22}{:>22}", "one thread, ms a frame (sub-step)", "falling", "at rest");
    for (name, water, count) in [
        ("WCSPH, Courant number 0.4", Water::wcsph(0.4, 1000)?, 6),
        ("PBF, 6 iterations, one sub-step", Water::pbf(6, FRAME)?, 30),
        ("PBF, 4 iterations, as it comes", Water::pbf(4, 1.0 / 240.0)?, 15),
    ] {
        let mut line = format!("{name:<33}");
        let mut resting = water.clone();
        resting.particles_mut().copy_from(&pool);
        for mut water in [water, resting] {
            frames(&mut water, 1)?;
            let (ms, substeps) = frames(&mut water, count)?;
            line += &format!("{:>13.1} ({:>6.2})", ms / count as f64, ms / substeps as f64);
        }
        println!("{line}");
    }
    Ok(())
}
