//! Water on the move, against exact solutions.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

use fluid_num::schemes::shallow_water::{Sponge, SprayDrop, SprayParams, SurfaceWaves, WaterSide};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Field, Grid, Real, ShallowWater, ShallowWaterParams, Simulation};

pub(crate) const GRAVITY: f64 = 9.81;

/// Water over a bed given by a function.
pub(crate) fn water<T: Real>(
    cells: [usize; 2],
    dx: f64,
    params: ShallowWaterParams<T>,
    bed: impl Fn([f64; 2]) -> f64,
) -> ShallowWater<T> {
    let grid = Grid::new(cells, T::of(dx)).unwrap();
    let bed = Field::from_fn(grid, |p| T::of(bed(p.map(T::to_f64))));
    ShallowWater::new(bed, params).unwrap()
}

pub(crate) fn depths<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_depth(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

pub(crate) fn surfaces<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_surface(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

/// Steps to the time `end` in steps of at most `dt`.
pub(crate) fn run<T: Real>(water: &mut ShallowWater<T>, end: f64, dt: f64) {
    while water.time().to_f64() < end - 1e-9 {
        let rest = end - water.time().to_f64();
        let report = water.step(T::of(rest.min(dt))).unwrap();
        assert!(report.time > T::zero());
    }
}

/// A channel one cell wide with a dam at x = 0.
pub(crate) fn dam(n: usize, length: f64, [left, right]: [f64; 2]) -> ShallowWater<f64> {
    let mut water = water([n, 1], length / n as f64, ShallowWaterParams::default(), |_| 0.0);
    water.set_depth(|[x, _]| if x < 0.5 * length { left } else { right }).unwrap();
    water
}

/// A dam of 1 m that breaks on dry ground, watched for 1.2 s: the depth where it stood and Σ|h − exact|·Δx,
/// m and m² (Ritter).
pub(crate) fn ritter(
    n: usize,
    length: f64,
    courant: f64,
    mut watch: impl FnMut(&ShallowWater<f64>),
) -> [f64; 2] {
    let mut water = dam(n, length, [1.0, 0.0]);
    water.set_params(ShallowWaterParams { courant, ..*water.params() }).unwrap();
    let volume = water.volume();
    while water.time() < 1.2 {
        water.step(0.005).unwrap();
        watch(&water);
    }
    assert!((water.volume() / volume - 1.0).abs() < 1e-12);
    let (c, dx) = (GRAVITY.sqrt(), length / n as f64);
    let exact = |x: f64| {
        let xi = (x / water.time()).clamp(-c, 2.0 * c);
        (2.0 * c - xi).powi(2) / (9.0 * GRAVITY)
    };
    let h = depths(&water);
    let off = |i: usize| (h[i] - exact((i as f64 + 0.5) * dx - 0.5 * length)).abs() * dx;
    [0.5 * (h[n / 2 - 1] + h[n / 2]), (0..n).map(off).sum()]
}

/// Dam breaks on wet ground: the depth left and right; and the depth and the velocity between
/// rarefaction and bore, and the speed of the bore (Stoker).
pub(crate) const STOKER: [([f64; 2], [f64; 3]); 3] = [
    ([1.0, 0.1], [0.396175, 2.321355, 3.105134]),
    ([1.0, 0.5], [0.726920, 0.923364, 2.957918]),
    ([10.0, 1.0], [3.961748, 7.340769, 9.819295]),
];

/// What 1000 cells make of the last three.
pub(crate) fn stoker((depth, [h_m, u_m, speed]): ([f64; 2], [f64; 3])) -> [f64; 3] {
    let (n, length) = (1000, 100.0 * f64::sqrt(depth[0]).min(10.0));
    let mut water = dam(n, length, depth);
    let time = 0.3 * length / speed;
    let position = |water: &ShallowWater<f64>| {
        // Where the depth is half way between the two states: between cells, linearly.
        let (h, half) = (depths(water), 0.5 * (h_m + depth[1]));
        let i = h.iter().rposition(|h| *h > half).unwrap();
        (i as f64 + 0.5 + (h[i] - half) / (h[i] - h[i + 1])) * length / n as f64
    };
    run(&mut water, 0.5 * time, 0.05);
    let (first, start) = (position(&water), water.time());
    run(&mut water, time, 0.05);
    let found = (position(&water) - first) / (water.time() - start);
    // In the middle of what lies between rarefaction and bore.
    let from = (u_m - (GRAVITY * h_m).sqrt()) * time;
    let i = ((0.5 * length + 0.5 * (from + speed * time)) / length * n as f64) as usize;
    [depths(&water)[i], water.velocity()[0][[i, 0]], found]
}

/// A standing wave in a basin `n` cells long: the largest error of the surface after one period
/// over the amplitude, and the period over the exact one.
pub(crate) fn standing_wave(n: usize, amplitude: f64, along_y: bool) -> (f64, f64) {
    let (length, depth) = (1.0, 0.1);
    let dx = length / n as f64;
    let cells = if along_y { [1, n] } else { [n, 1] };
    let params = ShallowWaterParams { ..Default::default() };
    let mut water = water::<f64>(cells, dx, params, |_| -depth);
    let k = core::f64::consts::PI / length;
    let axis = usize::from(along_y);
    water.set_surface(|p| amplitude * (k * p[axis]).cos()).unwrap();
    let period = 2.0 * length / (GRAVITY * depth).sqrt();
    let dt = period / (5 * n) as f64;
    let mode = |water: &ShallowWater<f64>| {
        let s = surfaces(water);
        s.iter().enumerate().map(|(i, s)| s * (k * (i as f64 + 0.5) * dx).cos()).sum::<f64>()
    };
    // The mode passes through zero at T/4 and 3T/4.
    let (mut crossings, mut before) = (Vec::new(), mode(&water));
    let mut error = 0.0_f64;
    for step in 1..=5 * n {
        water.step(dt).unwrap();
        let now = mode(&water);
        if before * now < 0.0 {
            crossings.push(water.time() - dt * now / (now - before));
        }
        before = now;
        if step == 5 * n {
            for (i, s) in surfaces(&water).iter().enumerate() {
                error = error.max((s - amplitude * (k * (i as f64 + 0.5) * dx).cos()).abs());
            }
        }
    }
    (error / amplitude, 2.0 * (crossings[1] - crossings[0]) / period)
}

/// Thacker's planar surface in a parabolic bowl: errors of the period, loss of amplitude and L1
/// error over the volume.
pub(crate) fn planar_bowl(n: usize) -> [f64; 3] {
    let (a, h0, sigma) = (1.0, 0.1, 0.5);
    let size = 4.0;
    let half = 0.5 * size;
    let omega = (2.0 * GRAVITY * h0).sqrt() / a;
    let period = 2.0 * core::f64::consts::PI / omega;
    let bed = |[x, y]: [f64; 2]| h0 * (((x - half).powi(2) + (y - half).powi(2)) / (a * a) - 1.0);
    let mut water = water::<f64>([n, n], size / n as f64, ShallowWaterParams::default(), bed);
    let surface = |[x, y]: [f64; 2], t: f64| {
        let (c, s) = ((omega * t).cos(), (omega * t).sin());
        sigma * h0 / (a * a) * (2.0 * (x - half) * c + 2.0 * (y - half) * s - sigma)
    };
    water.set_surface(|p| surface(p, 0.0)).unwrap();
    for (axis, speed) in [0.0, sigma * omega].into_iter().enumerate() {
        water.velocity_mut()[axis].set_from_fn(|_| speed);
    }
    let volume = water.volume();
    // The centre of mass goes round.
    let center = |water: &ShallowWater<f64>| {
        let (h, dx) = (depths(water), size / n as f64);
        let (mut x, mut y) = (0.0, 0.0);
        for (i, h) in h.iter().enumerate() {
            x += h * ((i % n) as f64 + 0.5) * dx;
            y += h * ((i / n) as f64 + 0.5) * dx;
        }
        let sum: f64 = h.iter().sum();
        [x / sum - half, y / sum - half]
    };
    let mut turned = 0.0;
    let mut angle = 0.0;
    let steps = 100;
    for _ in 0..steps {
        water.step(period / f64::from(steps)).unwrap();
        let [x, y] = center(&water);
        let now = y.atan2(x);
        let two_pi = 2.0 * core::f64::consts::PI;
        turned += (now - angle + 0.5 * two_pi).rem_euclid(two_pi) - 0.5 * two_pi;
        angle = now;
    }
    assert!((water.volume() / volume - 1.0).abs() < 1e-12);
    let h = depths(&water);
    assert!(h.iter().all(|h| *h >= 0.0));
    let dx = size / n as f64;
    let l1: f64 = h
        .iter()
        .enumerate()
        .map(|(i, h)| {
            let p = [((i % n) as f64 + 0.5) * dx, ((i / n) as f64 + 0.5) * dx];
            (h - (surface(p, 0.0) - bed(p)).max(0.0)).abs() * dx * dx
        })
        .sum();
    let [x, y] = center(&water);
    [2.0 * core::f64::consts::PI / turned - 1.0, 1.0 - x.hypot(y) / (sigma * a), l1 / volume]
}

/// Thacker's round surface in a parabolic bowl: the error of the period and the loss of amplitude.
pub(crate) fn radial_bowl(n: usize) -> [f64; 2] {
    let (a, h0, r0) = (1.0, 0.1, 0.8);
    let size = 4.0;
    let half = 0.5 * size;
    let omega = (8.0 * GRAVITY * h0).sqrt() / a;
    let period = 2.0 * core::f64::consts::PI / omega;
    let big = (a * a - r0 * r0) / (a * a + r0 * r0);
    let bed = |[x, y]: [f64; 2]| h0 * (((x - half).powi(2) + (y - half).powi(2)) / (a * a) - 1.0);
    let mut water = water::<f64>([n, n], size / n as f64, ShallowWaterParams::default(), bed);
    water
        .set_surface(|[x, y]| {
            let r2 = (x - half).powi(2) + (y - half).powi(2);
            h0 * ((1.0 - big * big).sqrt() / (1.0 - big)
                - 1.0
                - r2 / (a * a) * ((1.0 - big * big) / (1.0 - big).powi(2) - 1.0))
        })
        .unwrap();
    // The depth in the middle swings between two values: its third passage of the mean level.
    let middle = |water: &ShallowWater<f64>| water.depth([n / 2, n / 2]).unwrap();
    let start = middle(&water);
    let (mut crossings, mut before) = (Vec::new(), start);
    let steps = 300;
    let mid = h0 * ((1.0 - big * big).sqrt());
    let mut peak = 0.0_f64;
    for k in 0..steps {
        water.step(1.5 * period / f64::from(steps)).unwrap();
        let now = middle(&water);
        if (before - mid) * (now - mid) < 0.0 {
            let dt = 1.5 * period / f64::from(steps);
            crossings.push(water.time() - dt * (now - mid) / (now - before));
        }
        if k > steps / 2 {
            peak = peak.max(now);
        }
        before = now;
    }
    // The peak at T lies in the middle of its flanks; the first one was at 0.
    let found = 0.5 * (crossings[1] + crossings[2]);
    assert!(depths(&water).iter().all(|h| *h >= 0.0));
    [found / period - 1.0, 1.0 - (peak - mid) / (start - mid)]
}

/// How high a solitary wave of 0.019 depths runs up a beach of 1:19.85, in depths (Synolakis measured
/// 0.0909), on cells of `dx` depths.
pub(crate) fn run_up(dx: f64) -> f64 {
    // In depths: 1:19.85, H/d = 0.019.
    let (slope, height) = (1.0 / 19.85, 0.019_f64);
    let toe = 60.0;
    let n = (90.0 / dx) as usize;
    let bed = |[x, _]: [f64; 2]| if x < toe { -1.0 } else { -1.0 + (x - toe) * slope };
    let mut water = water::<f64>([n, 1], dx, ShallowWaterParams::default(), bed);
    let k = (0.75 * height).sqrt();
    let crest = toe - (1.0 / k) * (20.0_f64.sqrt()).acosh();
    let eta = |x: f64| height / (k * (x - crest)).cosh().powi(2);
    water.set_surface(|[x, _]| eta(x)).unwrap();
    water.velocity_mut()[0].set_from_fn(|[x, _]| {
        let eta = eta(x);
        (GRAVITY * (1.0 + height)).sqrt() * eta / (1.0 + eta)
    });
    let mut highest = 0.0_f64;
    while water.time() < 25.0 {
        water.step(0.1).unwrap();
        let h = depths(&water);
        let s = surfaces(&water);
        let shore = h.iter().rposition(|h| *h > 1e-3 * height).unwrap();
        highest = highest.max(s[shore]);
    }
    highest
}

/// A subcritical river, 4.42 m²/s over a bump of 0.2 m in 2 m of water: how far the discharge is from
/// that at any face, as a part of it, and how far the head is from that downstream, m.
pub(crate) fn river_over_a_bump() -> [f64; 2] {
    let bump = |x: f64| (0.2 - 0.05 * (x - 10.0).powi(2)).max(0.0);
    // The bed lies below the rest level.
    let params = ShallowWaterParams {
        rest_level: 2.0,
        sides: [
            [WaterSide::Discharge { rate: 4.42 }, WaterSide::Surface { level: 2.0 }],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let n = 250;
    let mut water = water::<f64>([n, 1], 25.0 / n as f64, params, |[x, _]| bump(x));
    run(&mut water, 200.0, 0.5);
    let h = depths(&water);
    let u = &water.velocity()[0];
    let off = |i: usize| (u[[i, 0]] * 0.5 * (h[i - 1] + h[i]) / 4.42 - 1.0).abs();
    // Bernoulli: q²/(2gh²) + h + z is the same everywhere.
    let head = |x: f64, h: f64| 4.42 * 4.42 / (2.0 * GRAVITY * h * h) + h + bump(x);
    let far = head(25.0, 2.0);
    let lost = |i: usize| (head((i as f64 + 0.5) * 0.1, h[i]) - far).abs();
    [(1..n).map(off).fold(0.0, f64::max), (0..n).map(lost).fold(0.0, f64::max)]
}

/// Energy over ρ: of the surface about the rest level 0, and of motion.
pub(crate) fn energy(water: &ShallowWater<f64>) -> f64 {
    let [nx, ny] = water.grid().cells();
    let (h, s) = (depths(water), surfaces(water));
    let mut sum = 0.0;
    for j in 0..ny {
        for i in 0..nx {
            let at = i + j * nx;
            let [u, v] = water.velocity().at_center([i, j]);
            sum += 0.5 * (GRAVITY * s[at] * s[at] + h[at] * (u * u + v * v));
        }
    }
    sum
}

/// The share of the energy of a wave packet that comes back from a layer on the right: `length` is
/// the standard deviation in cells across the crests, for an angle of 0 or 45 degrees.
pub(crate) fn thrown_back(width: usize, length: f64, oblique: bool, side: WaterSide<f64>) -> f64 {
    let (n, ny, depth) = (240, if oblique { 40 } else { 1 }, 1.0);
    let vertical = if oblique { [WaterSide::Periodic; 2] } else { [WaterSide::Wall; 2] };
    let sponge = Some(Sponge { width: [[0, width], [0, 0]], ..Default::default() });
    let params = ShallowWaterParams {
        sides: [[WaterSide::Wall, side], vertical],
        sponge,
        ..Default::default()
    };
    let mut water = water::<f64>([n, ny], 1.0, params, |_| -depth);
    let wave = move |[x, y]: [f64; 2]| {
        let envelope = 1e-4 * (-0.5 * ((x - 120.0) / length).powi(2)).exp();
        let k = 2.0 * core::f64::consts::PI / 20.0;
        if oblique { envelope * (k * (x + y)).cos() } else { envelope }
    };
    water.set_surface(wave).unwrap();
    let share = if oblique { 0.5_f64.sqrt() } else { 1.0 };
    let speed = share * (GRAVITY / depth).sqrt();
    water.velocity_mut()[0].set_from_fn(|p| speed * wave(p));
    if oblique {
        water.velocity_mut()[1].set_from_fn(|p| speed * wave(p));
    }
    let before = energy(&water);
    // There and back to where it was.
    run(&mut water, 240.0 / (share * GRAVITY.sqrt()), 0.1);
    energy(&water) / before
}

/// A standing wave of length `length` in a basin `depth` deep; gives its phase speed over Airy's,
/// and its amplitude after three periods over the first.
pub(crate) fn standing(
    length: f64,
    depth: f64,
    waves: SurfaceWaves<f64>,
    periodic: bool,
) -> [f64; 2] {
    let n = 48;
    let k = 2.0 * core::f64::consts::PI / length;
    let side = if periodic { WaterSide::Periodic } else { WaterSide::Wall };
    let params = ShallowWaterParams {
        sides: [[side; 2], [WaterSide::Periodic; 2]],
        waves: Some(waves),
        ..Default::default()
    };
    let amplitude = 1e-4 * depth;
    let mut water = water::<f64>([n, 3], length / n as f64, params, |_| -depth);
    water.set_surface(|[x, _]| amplitude * (k * x).cos()).unwrap();
    let airy = (GRAVITY * k * (k * depth).tanh()).sqrt();
    let period = 2.0 * core::f64::consts::PI / airy;
    let dt = (period / 40.0).min(1.0 / 60.0);
    // The first cosine of the surface.
    let height = |water: &ShallowWater<f64>| {
        let dx = length / n as f64;
        let part = |(i, s): (usize, &f64)| s * (k * dx * (i as f64 + 0.5)).cos();
        surfaces(water)[..n].iter().enumerate().map(part).sum::<f64>() / (0.5 * n as f64)
    };
    let (mut crossings, mut time, mut before) = (Vec::new(), 0.0, height(&water));
    let (first, mut most) = (before, 0.0_f64);
    while crossings.len() < 7 {
        water.step(dt).unwrap();
        time += dt;
        let now = height(&water);
        if now * before < 0.0 {
            crossings.push(time - dt * now / (now - before));
        }
        if crossings.len() == 6 {
            most = most.max(now.abs());
        }
        before = now;
    }
    let found = core::f64::consts::PI * 6.0 / (crossings[6] - crossings[0]);
    [found / airy, most / first]
}

/// Drops that fall within one step on all kinds of cells, the corner ones at the seams: how far the
/// volume and both momenta of cells and drops are from those before, as parts of them.
pub(crate) fn round_trip() -> [f64; 3] {
    let sides = [[WaterSide::Periodic; 2]; 2];
    let spray = SprayParams { drag: 0.0, ..Default::default() };
    let params = ShallowWaterParams { sides, spray: Some(spray), ..Default::default() };
    let mut water = water::<f64>([12, 10], 0.5, params, |[x, y]| -1.0 - 0.1 * (x + y).sin());
    let momentum = |water: &ShallowWater<f64>| {
        let h = depths(water);
        let [nx, ny] = water.grid().cells();
        let mut sum = [0.0; 2];
        for (i, j) in (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j))) {
            let here = h[i + j * nx];
            let left = h[(i + nx - 1) % nx + j * nx];
            let below = h[i + (j + ny - 1) % ny * nx];
            sum[0] += 0.125 * (here + left) * water.velocity()[0][[i, j]];
            sum[1] += 0.125 * (here + below) * water.velocity()[1][[i, j]];
        }
        for drop in water.spray() {
            sum = [0, 1].map(|a| sum[a] + drop.volume * drop.velocity[a]);
        }
        sum
    };
    let (mut given, before) = ([0.0; 2], water.volume());
    for (x, y, u, v) in [(0.1, 0.1, 1.0, -2.0), (5.9, 4.9, 0.3, 0.7), (3.0, 2.0, -4.0, 1.0)] {
        let drop = SprayDrop { position: [x, y, 0.0], velocity: [u, v, -1.0], volume: 2e-3 };
        assert!(water.throw(drop).unwrap());
        given = [given[0] + 2e-3 * u, given[1] + 2e-3 * v];
    }
    // In so short a time slopes of the surface do 1e-11·g·h·slope.
    water.step(1e-11).unwrap();
    assert!(water.spray().is_empty());
    let found = momentum(&water);
    let off = |found: f64, exact: f64| (found / exact - 1.0).abs();
    [off(water.volume() - before, 6e-3), off(found[0], given[0]), off(found[1], given[1])]
}

/// The volume that a bore throws up in 1.5 s, with drops that stay up until then.
pub(crate) fn thrown(dt: f64, dx: f64) -> f64 {
    let spray =
        SprayParams { radius: 0.02, lift: 1e3, drag: 0.0, capacity: 1 << 20, ..Default::default() };
    let params = ShallowWaterParams { spray: Some(spray), ..Default::default() };
    let mut water = water::<f64>([(40.0 / dx) as usize, 4], dx, params, |_| -0.5);
    water.set_surface(|[x, _]| if x < 15.0 { 1.0 } else { 0.0 }).unwrap();
    run(&mut water, 1.5, dt);
    water.balance().spray / (4.0 * dx)
}

/// A crate of a size that is `ratio` times as dense as water, its bottom at `bottom`.
pub(crate) fn block<T: Real>(
    center: [f64; 2],
    size: [f64; 3],
    bottom: f64,
    ratio: f64,
) -> Body<T, 3> {
    let half = size.map(|x| T::of(0.5 * x));
    let mass = 1000.0 * ratio * size.iter().product::<f64>();
    let squares = size.map(|x| x * x);
    let inertia = [squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]];
    let [x, y] = center.map(T::of);
    Body::new(Shape::cuboid(half).unwrap(), [x, y, T::of(bottom + 0.5 * size[2])])
        .unwrap()
        .with_mass(T::of(mass), inertia.map(|i| T::of(mass * i / 12.0)))
        .unwrap()
}

/// A crate of 16 by 12 by 8 cells that is `ratio` times as dense as water and floats upright, put a
/// tenth of a cell too deep into a pool whose rough bed calms it, after some steps.
pub(crate) fn afloat(ratio: f64, steps: usize) -> ShallowWater<f64> {
    let params = ShallowWaterParams { manning: 0.1, ..Default::default() };
    let mut water = water::<f64>([60, 50], 0.1, params, |_| -2.0);
    let crate_ = block([3.03, 2.52], [1.6, 1.2, 0.8], -0.8 * ratio - 0.01, ratio);
    water.bodies_mut().push(crate_);
    water.set_surface(|_| 0.0).unwrap();
    for _ in 0..steps {
        water.step(1.0 / 60.0).unwrap();
        water.advance_bodies(1.0 / 60.0).unwrap();
    }
    water
}

/// How many cells deeper than Archimedes says that crate floats: by its place, and by the volume that
/// it displaces.
pub(crate) fn draught(water: &ShallowWater<f64>, ratio: f64) -> [f64; 2] {
    let dx = water.grid().dx();
    let bottom = water.bodies()[0].position[2] - 0.4;
    let deep = water.sample([1.0, 1.0]).unwrap().surface - bottom;
    [deep / dx - 8.0 * ratio, water.displaced_volume() / (1.6 * 1.2 * dx) - 8.0 * ratio]
}
