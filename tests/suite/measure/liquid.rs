//! A liquid with a free surface: rest, waves, drops, and what becomes of its volume.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

use core::f64::consts::PI;

use fluid_num::level_set::MarkerParams;
use fluid_num::poisson::Budget;
use fluid_num::schemes::liquid::VolumeCorrection;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Grid, LevelSet, Liquid, Liquid2, LiquidParams, Real, StepReport};

pub(crate) const GRAVITY: f64 = 9.81;
pub(crate) const FRAME: f64 = 1.0 / 60.0;

/// Water whose pressure is solved nearly to rounding.
pub(crate) fn exact<T: Real>() -> LiquidParams<T, 2> {
    let tolerance = if T::EPSILON.to_f64() < 1e-10 { 1e-10 } else { 1e-5 };
    LiquidParams { pressure_budget: Budget::tolerance(T::of(tolerance), 200), ..Default::default() }
}

/// Water where a function of place is negative.
pub(crate) fn water<T: Real>(
    cells: [usize; 2],
    dx: f64,
    params: LiquidParams<T, 2>,
    phi: impl Fn([f64; 2]) -> f64,
) -> Liquid<T, 2> {
    let grid = Grid::new(cells, T::of(dx)).unwrap();
    let phi = |p: [T; 2]| T::of(phi(p.map(T::to_f64)));
    let surface = LevelSet::from_fn(grid, &params.boundary, phi).unwrap();
    Liquid::new(surface, params).unwrap()
}

/// Where the surface of the column at `x` is that is near `y`.
pub(crate) fn level<T: Real>(water: &Liquid<T, 2>, x: f64, y: f64) -> f64 {
    let distance = |y: f64| water.surface().signed_distance([x, y].map(T::of)).to_f64();
    (0..8).fold(y, |y, _| y - distance(y))
}

/// A step of a tank of 32 by 32 cells at rest whose highest liquid cells have φ = `phi` cells: the
/// fastest speed over g·Δt, and by what part the pressure at the bottom is off ρgH.
pub(crate) fn touched<T: Real>(phi: f64) -> [f64; 2] {
    let dx = 1.0 / 32.0;
    let height = (15.5 - phi) * dx;
    let mut water = water::<T>([32; 2], dx, exact(), |[_, y]| y - height);
    let speed = water.step(T::of(FRAME)).unwrap().max_speed.to_f64();
    let off = |i: usize| -> f64 {
        let bottom = water.pressure()[[i, 0]].to_f64() + 500.0 * GRAVITY * dx;
        (bottom / (1000.0 * GRAVITY * height) - 1.0).abs()
    };
    [speed / (GRAVITY * FRAME), (0..32).map(off).fold(0.0, f64::max)]
}

/// How a tank of 64 by 32 cells, half full, has stayed at rest.
pub(crate) struct Rest {
    /// The fastest speed of all steps over √(gH).
    pub(crate) speed: f64,
    /// How far the surface is from where it was, in cells, two cells and more away from the ground.
    pub(crate) level: f64,
    /// The smallest open part of a cell.
    pub(crate) sliver: f64,
}

/// A tank at rest on ground that rises by so many degrees (0: the bottom of the box).
pub(crate) fn rest<T: Real>(degrees: f64, viscosity: f64, steps: usize) -> Rest {
    let (dx, height) = (1.0 / 32.0, 0.5);
    let params = LiquidParams { kinematic_viscosity: T::of(viscosity), ..exact() };
    let mut water = water::<T>([64, 32], dx, params, |[_, y]| y - height);
    if degrees > 0.0 {
        let ground = Shape::half_space([T::zero(), T::one()]).unwrap();
        let ground = Body::new(ground, [1.0, 0.2].map(T::of)).unwrap();
        water.bodies_mut().push(ground.with_angle(T::of(degrees.to_radians())).unwrap());
    }
    let mut speed = 0.0_f64;
    for _ in 0..steps {
        speed = speed.max(water.step(T::of(FRAME)).unwrap().max_speed.to_f64());
    }
    let away = |p: [f64; 2]| {
        let away = |body: &Body<T, 2>| body.signed_distance(p.map(T::of)).to_f64();
        water.bodies().first().is_none_or(|body| away(body) > 2.0 * dx)
    };
    let places = (0..64).map(|i| [(f64::from(i) + 0.5) * dx, height]).filter(|p| away(*p));
    let off = |p: [f64; 2]| water.surface().signed_distance(p.map(T::of)).to_f64().abs() / dx;
    let open = water.solids().cell_fraction().values().map(T::to_f64);
    Rest {
        speed: speed / (GRAVITY * height).sqrt(),
        level: places.map(off).fold(0.0, f64::max),
        sliver: open.filter(|part| *part > 0.0).fold(1.0, f64::min),
    }
}

/// The fastest speed in a tank of 32 by 32 cells, half full, whose surface is let go where it rises from
/// a fifth to four fifths of the height, over √(2gH).
pub(crate) fn fastest_slosh(steps: usize) -> f64 {
    let slope = |[x, y]: [f64; 2]| y - 0.5 + 0.3 * (PI * x).cos();
    let mut water = water::<f64>([32; 2], 1.0 / 32.0, LiquidParams::default(), slope);
    let speeds = (0..steps).map(|_| water.step(FRAME).unwrap().max_speed);
    speeds.fold(0.0, f64::max) / (2.0 * GRAVITY * 0.5).sqrt()
}

/// The first mode of a tank 1 m long, `depth` deep and `cells` cells long: its period over that of
/// linear theory, and what is left of its height after two periods.
pub(crate) fn sloshing(cells: usize, depth: f64) -> [f64; 2] {
    let dx = 1.0 / cells as f64;
    let params = LiquidParams { pressure_budget: Budget::tolerance(1e-6, 100), ..exact() };
    let (amplitude, wave) = (0.01 * depth, |x: f64| (PI * x).cos());
    let rows = ((depth + 0.25) / dx) as usize;
    let start = |[x, y]: [f64; 2]| y - depth - amplitude * wave(x);
    let mut water = water::<f64>([cells, rows], dx, params, start);
    let exact = 2.0 * PI / (GRAVITY * PI * (PI * depth).tanh()).sqrt();
    let dt = FRAME;
    let mode = |water: &Liquid2<f64>| -> f64 {
        let places = (0..cells).map(|i| (i as f64 + 0.5) * dx);
        places.map(|x| 2.0 * dx * (level(water, x, depth) - depth) * wave(x)).sum()
    };
    let (mut time, mut before, mut peak, mut crossings) = (0.0, amplitude, 0.0_f64, Vec::new());
    while crossings.len() < 5 {
        water.step(dt).unwrap();
        time += dt;
        let now = mode(&water);
        if crossings.len() == 4 {
            peak = peak.max(now.abs());
        }
        if now * before < 0.0 {
            crossings.push(time - dt * now / (now - before));
        }
        before = now;
    }
    [(crossings[4] - crossings[0]) / (2.0 * exact), peak / amplitude]
}

/// A drop after its fall.
pub(crate) struct Drop {
    /// The relative change of its area.
    pub(crate) area: f64,
    /// How far its centre has come, over ½gt².
    pub(crate) way: f64,
    /// Its largest radius over its smallest.
    pub(crate) roundness: f64,
}

/// A drop 6 cells in radius that falls for 20 steps of 1/60 s, on cells `dx` wide.
pub(crate) fn drop(dx: f64) -> Drop {
    let (radius, start) = (6.0 * dx, [32.0 * dx, 54.0 * dx]);
    let ball = |[x, y]: [f64; 2]| (x - start[0]).hypot(y - start[1]) - radius;
    let mut water = water::<f64>([64; 2], dx, LiquidParams::default(), ball);
    let before = water.surface().measure();
    for _ in 0..20 {
        water.step(FRAME).unwrap();
    }
    let phi = water.surface();
    let (mut count, mut sum) = (0.0, [0.0; 2]);
    for n in 0..256 * 256_u32 {
        let p = [n % 256, n / 256].map(|k| (f64::from(k) + 0.5) * 0.25 * dx);
        if phi.contains(p) {
            count += 1.0;
            sum = [sum[0] + p[0], sum[1] + p[1]];
        }
    }
    let center = sum.map(|x| x / count);
    let (mut near, mut far) = (f64::MAX, 0.0_f64);
    for n in 0..64 {
        let (sin, cos) = (PI * f64::from(n) / 32.0).sin_cos();
        let out = |r: f64| phi.signed_distance([center[0] + r * cos, center[1] + r * sin]);
        let r = (0..8).fold(radius, |r, _| r - out(r));
        (near, far) = (near.min(r), far.max(r));
    }
    let fallen = 0.5 * GRAVITY * (20.0 * FRAME).powi(2);
    Drop {
        area: phi.measure() / before - 1.0,
        way: (start[1] - center[1]) / fallen,
        roundness: far / near,
    }
}

/// What a run has done to the volume, and what it has cost.
#[derive(Default)]
pub(crate) struct Run {
    /// The part of the volume that has come or gone by the end.
    pub(crate) drift: f64,
    /// The most of it at any time.
    pub(crate) most: f64,
    /// The fastest speed, m/s.
    pub(crate) speed: f64,
    /// Iterations of the last pressure solve of each step.
    pub(crate) iterations: Vec<usize>,
}

impl Run {
    fn watch<T: Real>(&mut self, water: &mut Liquid<T, 2>, report: &StepReport<T>) {
        self.drift = water.volume().drift();
        self.most = self.most.max(self.drift.abs());
        self.speed = self.speed.max(report.max_speed.to_f64());
        self.iterations.extend(report.pressure.map(|solve| solve.iterations));
    }

    /// The mean and the largest number of iterations.
    pub(crate) fn cost(&self) -> (f64, usize) {
        let sum: usize = self.iterations.iter().sum();
        let most = self.iterations.iter().max().copied().unwrap_or(0);
        (sum as f64 / self.iterations.len() as f64, most)
    }
}

/// How the volume is looked after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Care {
    /// Not at all.
    None,
    /// [`MarkerParams`].
    Markers,
    /// [`VolumeCorrection`].
    Correction,
}

impl Care {
    fn params<T: Real>(self) -> LiquidParams<T, 2> {
        LiquidParams {
            markers: (self == Self::Markers).then(MarkerParams::default),
            volume_correction: (self == Self::Correction).then(VolumeCorrection::default),
            ..Default::default()
        }
    }
}

/// A block of 24 by 32 cells that collapses in the corner of a box of 64 by 64, each `dx` wide.
pub(crate) fn collapse(dx: f64, care: Care, steps: usize) -> Run {
    let block = |[x, y]: [f64; 2]| (x - 24.0 * dx).max(y - 32.0 * dx);
    let mut water = water::<f64>([64; 2], dx, care.params(), block);
    let mut run = Run::default();
    for _ in 0..steps {
        let report = water.step(FRAME).unwrap();
        run.watch(&mut water, &report);
    }
    run
}

/// A column that falls into a pool, and ten bodies from 0.1 to 1.5 times as heavy as water, in a box of
/// 32 m² of `cells`.
pub(crate) fn pool_party(cells: [usize; 2], care: Care, steps: usize) -> Run {
    let dx = (32.0 / (cells[0] as f64 * cells[1] as f64)).sqrt();
    let [width, height] = cells.map(|n| n as f64 * dx);
    let params = LiquidParams { most_cells: 3.0, ..care.params() };
    let start = |[x, y]: [f64; 2]| (x - 0.26 * width).max(y - 0.8 * height).min(y - 0.22 * height);
    let mut water = water::<f32>(cells, dx, params, start);
    for (n, ratio) in [0.3, 0.5, 0.15, 0.8, 0.6, 0.4, 1.5, 0.2, 0.7, 0.1].into_iter().enumerate() {
        let half = ((0.046 + 0.008 * (n % 3) as f64) * height).max(1.3 * dx);
        let at = [0.36 + 0.065 * n as f64, 0.26 + 0.16 * (n % 2) as f64];
        let side = half as f32;
        let (shape, area, inertia) = match n % 2 {
            0 => (Shape::ball(side), PI * half * half, 0.5),
            _ => (Shape::cuboid([side; 2]), 4.0 * half * half, 2.0 / 3.0),
        };
        let mass = 1000.0 * ratio * area;
        let inertia = [0.0, 0.0, (inertia * mass * half * half) as f32];
        let body = Body::new(shape.unwrap(), [(at[0] * width) as f32, (at[1] * height) as f32]);
        let body = body.unwrap().with_angle(0.4 * n as f32).unwrap();
        water.bodies_mut().push(body.with_mass(mass as f32, inertia).unwrap());
    }
    let mut run = Run::default();
    for _ in 0..steps {
        let report = water.step(FRAME as f32).unwrap();
        water.advance_bodies(FRAME as f32).unwrap();
        run.watch(&mut water, &report);
    }
    run
}
