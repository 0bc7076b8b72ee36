//! Shallow water against exact solutions, and what users ran into with other programs.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

use fluid_num::schemes::shallow_water::{Drop, Sponge, SprayParams, WaterSide, WaterSource};
use fluid_num::{Error, Field, Grid, Real, ShallowWater, ShallowWaterParams, Simulation};

const GRAVITY: f64 = 9.81;

/// Water over a bed given by a function.
fn water<T: Real>(
    cells: [usize; 2],
    dx: f64,
    params: ShallowWaterParams<T>,
    bed: impl Fn([f64; 2]) -> f64,
) -> ShallowWater<T> {
    let grid = Grid::new(cells, T::of(dx)).unwrap();
    let bed = Field::from_fn(grid, |p| T::of(bed(p.map(T::to_f64))));
    ShallowWater::new(bed, params).unwrap()
}

fn depths<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_depth(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

fn surfaces<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_surface(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

/// Steps to the time `end` in steps of at most `dt`.
fn run<T: Real>(water: &mut ShallowWater<T>, end: f64, dt: f64) {
    while water.time().to_f64() < end - 1e-9 {
        let rest = end - water.time().to_f64();
        let report = water.step(T::of(rest.min(dt))).unwrap();
        assert!(report.time > T::zero());
    }
}

/// A channel one cell wide with a dam at x = 0.
fn dam(n: usize, length: f64, [left, right]: [f64; 2]) -> ShallowWater<f64> {
    let mut water = water([n, 1], length / n as f64, ShallowWaterParams::default(), |_| 0.0);
    water.set_depth(|[x, _]| if x < 0.5 * length { left } else { right }).unwrap();
    water
}

#[test]
fn a_dam_break_on_dry_ground_is_that_of_ritter() {
    for (n, cfl) in [(400, 0.5), (400, 0.25)] {
        let length = 20.0;
        let mut water = dam(n, length, [1.0, 0.0]);
        water.set_params(ShallowWaterParams { courant: cfl, ..*water.params() }).unwrap();
        let volume = water.volume();
        let time = 1.2;
        while water.time() < time {
            water.step(0.02).unwrap();
            let front = depths(&water).iter().rposition(|h| *h > 1e-3).unwrap();
            let front = (front as f64) * length / n as f64 - 0.5 * length;
            // The cell in which the front is begins before it.
            assert!(front <= 2.0 * GRAVITY.sqrt() * water.time());
        }
        let h = depths(&water);
        let at_dam = 0.5 * (h[n / 2 - 1] + h[n / 2]);
        let exact = |x: f64| {
            let c = GRAVITY.sqrt();
            let xi = x / water.time();
            if xi < -c {
                1.0
            } else if xi > 2.0 * c {
                0.0
            } else {
                (2.0 * c - xi).powi(2) / (9.0 * GRAVITY)
            }
        };
        let dx = length / n as f64;
        let l1: f64 = h
            .iter()
            .enumerate()
            .map(|(i, h)| (h - exact((i as f64 + 0.5) * dx - 0.5 * length)).abs() * dx)
            .sum();
        assert!(l1 < 0.09, "{l1}");
        assert!((at_dam * 9.0 / 4.0 - 1.0).abs() < 0.02);
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(h.iter().all(|h| *h >= 0.0));
    }
}

#[test]
fn a_dam_break_on_wet_ground_is_that_of_stoker() {
    // Left and right depth; depth and velocity between, speed of the bore.
    let cases = [
        ([1.0, 0.1], [0.396175, 2.321355, 3.105134]),
        ([1.0, 0.5], [0.726920, 0.923364, 2.957918]),
        ([10.0, 1.0], [3.961748, 7.340769, 9.819295]),
    ];
    for (depth, [h_m, u_m, speed]) in cases {
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
        let (h, u) = (depths(&water)[i], water.velocity()[0][[i, 0]]);
        for (found, exact) in [(h, h_m), (u, u_m), (found, speed)] {
            assert!((found / exact - 1.0).abs() < 0.015, "{depth:?}: {found} {exact}");
        }
    }
}

/// A standing wave in a basin `n` cells long: the largest error of the surface after one period
/// over the amplitude, and the period over the exact one.
fn standing_wave(n: usize, amplitude: f64, along_y: bool) -> (f64, f64) {
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

#[test]
fn a_standing_wave_has_its_period_and_second_order() {
    let (coarse, _) = standing_wave(32, 1e-7, false);
    let (fine, period) = standing_wave(64, 1e-7, false);
    let order = (coarse / fine).log2();
    assert!(order > 1.7);
    assert!((period - 1.0).abs() < 0.005);
    assert_eq!(standing_wave(32, 1e-7, true).0, coarse);
    let (_, period) = standing_wave(64, 1e-3, false);
    assert!((period - 1.0).abs() < 0.005);
}

/// Thacker's planar surface in a parabolic bowl: errors of the period, loss of amplitude and L1
/// error over the volume.
fn planar_bowl(n: usize) -> [f64; 3] {
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

#[test]
fn water_turns_in_a_bowl_as_thacker_found() {
    let [_, _, coarse] = planar_bowl(60);
    let [period, loss, fine] = planar_bowl(120);
    let order = (coarse / fine).log2();
    assert!(period.abs() < 0.01);
    assert!(order >= 1.0);
    // First order at the shore loses 5.1 % in a turn.
    assert!((0.0..0.06).contains(&loss), "{loss}");
}

#[test]
fn water_swings_in_a_bowl_as_thacker_found() {
    let (a, h0, r0) = (1.0, 0.1, 0.8);
    let (n, size) = (200, 4.0);
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
    assert!((found / period - 1.0).abs() < 0.01);
    // First order loses 8 % of the amplitude of this violent swing.
    assert!((0.0..0.1).contains(&(1.0 - (peak - mid) / (start - mid))));
    assert!(depths(&water).iter().all(|h| *h >= 0.0));
}

#[test]
fn a_river_over_a_bump_carries_the_same_everywhere() {
    let bump = |x: f64| (0.2 - 0.05 * (x - 10.0).powi(2)).max(0.0);
    // Subcritical: q = 4.42 m²/s and 2 m downstream; the bed lies below the rest level.
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
    let mut worst = 0.0_f64;
    for i in 1..n {
        let mean = 0.5 * (h[i - 1] + h[i]);
        let q = u[[i, 0]] * mean;
        worst = worst.max((q / 4.42 - 1.0).abs());
    }
    // Bernoulli: q²/(2gh²) + h + z is the same everywhere.
    let head = |x: f64, h: f64| 4.42 * 4.42 / (2.0 * GRAVITY * h * h) + h + bump(x);
    let far = head(25.0, 2.0);
    let error =
        (0..n).map(|i| (head((i as f64 + 0.5) * 0.1, h[i]) - far).abs()).fold(0.0, f64::max);
    assert!(worst < 0.02 && error < 0.01, "{worst} {error}");
}

#[test]
fn a_solitary_wave_runs_up_a_plane_beach_as_synolakis_measured() {
    let dx = 0.025;
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
    assert!((highest / 0.0909 - 1.0).abs() < 0.05);
}

/// A hilly bed with an island, two cut-off pools above and below the level, and a dry step.
fn hills([x, y]: [f64; 2]) -> f64 {
    let bump = |cx: f64, cy: f64, r: f64, h: f64| {
        let d2 = ((x - cx).powi(2) + (y - cy).powi(2)) / (r * r);
        h * (-d2).exp()
    };
    let rough = 0.05 * (7.3 * x).sin() * (5.1 * y).cos();
    let ring = |cx: f64, cy: f64| {
        let d = ((x - cx).powi(2) + (y - cy).powi(2)).sqrt();
        if (0.1..0.2).contains(&d) { 1.7 } else { 0.0 }
    };
    let step = if x > 0.85 { 1.3 } else { 0.0 };
    rough + bump(0.5, 0.5, 0.12, 0.9) + ring(0.2, 0.2) + ring(0.2, 0.75) + step
}

fn stays_at_rest<T: Real>(rest_level: f64, momentum_advection: bool) {
    let n = 24;
    let params = ShallowWaterParams {
        rest_level: T::of(rest_level),
        momentum_advection,
        manning: T::of(0.02),
        ..Default::default()
    };
    let mut water = water::<T>([n, n], 1.0 / n as f64, params, hills);
    // Two pools of their own in the rings; the rest at 0.537.
    water
        .set_surface(|p| {
            let [x, y] = p.map(T::to_f64);
            let near = |cy: f64| (x - 0.2).powi(2) + (y - cy).powi(2) < 0.0225;
            T::of(if near(0.2) {
                1.113
            } else if near(0.75) {
                0.291
            } else {
                0.537
            })
        })
        .unwrap();
    let before = depths(&water);
    assert!(before.contains(&0.0) && before.iter().any(|h| *h > 0.0));
    for _ in 0..10_000 {
        water.step(T::of(0.002)).unwrap();
        assert_eq!(water.report().max_speed, T::zero());
    }
    assert_eq!(depths(&water), before);
}

#[test]
fn o25_a_lake_at_rest_around_an_island_never_moves() {
    for advection in [true, false] {
        stays_at_rest::<f32>(0.0, advection);
        stays_at_rest::<f64>(0.3, advection);
    }
    for rest_level in [0.537, 2.0] {
        stays_at_rest::<f32>(rest_level, true);
        stays_at_rest::<f64>(rest_level, true);
    }
}

#[test]
fn o25_films_on_a_steep_ramp_never_fall_faster_than_freely() {
    for film in [1e-6, 1e-4, 1e-2] {
        let n = 64;
        let mut water = water::<f64>([n, 1], 1.0, ShallowWaterParams::default(), |[x, _]| 64.0 - x);
        water.set_depth(|_| film).unwrap();
        let volume = water.volume();
        let deepest = 0.5 / (GRAVITY * film).sqrt();
        let mut fastest = 0.0_f64;
        let mut shortest = f64::INFINITY;
        for _ in 0..200 {
            let report = water.step(0.05).unwrap();
            fastest = fastest.max(report.max_speed);
            shortest = shortest.min(report.time / report.substeps as f64);
            // At each face: what fell from the top, and from the surface of the film.
            for i in 1..n {
                let fall = i as f64;
                let u = water.velocity()[0][[i, 0]];
                assert!(u * u <= 2.0 * GRAVITY * (fall + 0.25), "{film}: {u} after {fall}");
            }
            let h = depths(&water);
            assert!(h.iter().all(|h| *h >= 0.0));
        }
        assert!(fastest <= (2.0 * GRAVITY * 64.0).sqrt());
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(shortest > 1e-3 * deepest.min(0.05));
    }
}

#[test]
fn o25_a_dam_breaks_down_a_step() {
    let n = 400;
    let bed = |[x, _]: [f64; 2]| if x < 10.0 { 5.0 } else { 0.0 };
    let mut water = water::<f64>([n, 1], 0.05, ShallowWaterParams::default(), bed);
    water.set_depth(|[x, _]| if x < 10.0 { 1.0 } else { 0.0 }).unwrap();
    let volume = water.volume();
    let mut fastest = 0.0_f64;
    for _ in 0..60 {
        fastest = fastest.max(water.step(0.02).unwrap().max_speed);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
    }
    let bound = (2.0 * GRAVITY * 6.0).sqrt();
    // Free fall from the surface of the lake, and what the front of a dam break gains on it.
    assert!(fastest <= bound + 2.0 * GRAVITY.sqrt());
}

/// Energy over ρ: of the surface about the rest level 0, and of motion.
fn energy(water: &ShallowWater<f64>) -> f64 {
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
fn thrown_back(width: usize, length: f64, oblique: bool, side: WaterSide<f64>) -> f64 {
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

#[test]
fn sponges_take_waves_up() {
    for (width, length, most) in [(20, 4.0, 0.01), (20, 8.0, 0.01), (8, 4.0, 0.05), (8, 8.0, 0.05)]
    {
        let back = thrown_back(width, length, false, WaterSide::Wall);
        assert!(back < most, "{width}, {length}: {back}");
    }
    let back = thrown_back(20, 16.0, true, WaterSide::Wall);
    assert!(back < 0.03, "{back}");
}

#[test]
fn open_sides_let_waves_out() {
    let back = thrown_back(0, 6.0, false, WaterSide::Open);
    let wall = thrown_back(0, 6.0, false, WaterSide::Wall);
    assert!(back < 5e-3 && wall > 0.9);
}

/// The state of a square seen in one of its eight symmetries.
fn seen<T: Real>(water: &ShallowWater<T>, symmetry: usize) -> Vec<f64> {
    let n = water.grid().cells()[0];
    let h = depths(water);
    let mut out = Vec::new();
    for y in 0..n {
        for x in 0..n {
            let (mut a, mut b) = (x, y);
            if symmetry & 1 == 1 {
                a = n - 1 - a;
            }
            if symmetry & 2 == 2 {
                b = n - 1 - b;
            }
            if symmetry & 4 == 4 {
                (a, b) = (b, a);
            }
            out.push(h[a + b * n]);
        }
    }
    out
}

#[test]
fn o26_a_sponge_acts_in_its_layer_alone_and_on_all_sides_alike() {
    let n = 64;
    let make = |sponge| {
        let params = ShallowWaterParams { sponge, ..Default::default() };
        let mut water = water::<f64>([n, n], 1.0, params, |_| -1.0);
        let middle = 0.5 * n as f64;
        water
            .set_surface(|[x, y]| {
                0.01 * (-((x - middle).powi(2) + (y - middle).powi(2)) / 4.0).exp()
            })
            .unwrap();
        water
    };
    let mut free = make(None);
    let mut damped = make(Some(Sponge { width: [[16; 2]; 2], ..Default::default() }));
    let start = energy(&damped);
    for step in 0..600 {
        for symmetry in (1..8).filter(|_| step % 20 == 0) {
            assert_eq!(
                seen(&damped, symmetry),
                seen(&damped, 0),
                "symmetry {symmetry}, step {step}"
            );
        }
        let substeps = free.step(0.05).unwrap().substeps;
        assert_eq!((substeps, damped.step(0.05).unwrap().substeps), (1, 1));
        // The pulse is 8 cells wide and moves by 0.16 cells a step.
        if step < 50 {
            let (a, b) = (depths(&free), depths(&damped));
            let inside = |i: usize| (16..n - 16).contains(&i);
            for i in (0..n * n).filter(|i| inside(i % n) && inside(i / n)) {
                assert!((a[i] - b[i]).abs() < 1e-12, "step {step}: {:e}", a[i] - b[i]);
            }
        }
    }
    let left = energy(&damped) / start;
    assert!(left < 0.01);
}

#[test]
fn sponges_keep_the_level_and_the_current() {
    let sides = [[WaterSide::Open; 2], [WaterSide::Wall; 2]];
    let params = ShallowWaterParams {
        sides,
        current: [0.3, 0.0],
        sponge: Some(Sponge { width: [[8, 8], [0, 0]], ..Default::default() }),
        ..Default::default()
    };
    let mut water = water::<f64>([40, 3], 1.0, params, |_| -1.0);
    water.velocity_mut()[0].set_from_fn(|_| 0.3);
    for _ in 0..10_000 {
        water.step(0.1).unwrap();
    }
    let off = surfaces(&water).iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    let [u, v] = water.velocity().components();
    let slow = u.values().fold(0.0_f64, |m, u| m.max((u - 0.3).abs()));
    assert!(off < 1e-6 && slow < 1e-6 && v.max_abs() < 1e-6);
}

/// Everything at once: rain, a spring, a drain, friction, eddies, the turning Earth, a wave maker, an
/// open side, a sponge, a beach and an island.
fn everything<T: Real>() -> ShallowWater<T> {
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: T::of(0.05), period: T::of(3.0) }, WaterSide::Wall],
            [WaterSide::Open, WaterSide::Discharge { rate: T::of(0.05) }],
        ],
        rest_level: T::of(0.537),
        manning: T::of(0.03),
        coriolis: T::of(0.1),
        eddy_viscosity: T::of(1e-3),
        rain: T::of(1e-3),
        sponge: Some(Sponge { width: [[0, 6], [5, 0]], ..Default::default() }),
        ..Default::default()
    };
    let mut water = water::<T>([30, 26], 0.05, params, hills);
    let source = |x: f64, y: f64, rate: f64| WaterSource {
        center: [T::of(x), T::of(y)],
        radius: T::of(0.08),
        rate: T::of(rate),
    };
    water.sources_mut().extend([source(0.5, 0.5, 0.01), source(0.9, 0.9, -0.02)]);
    water
}

#[test]
fn water_is_never_lost_or_made_with_everything_switched_on() {
    let mut water = everything::<f64>();
    let before = water.balance().unexplained();
    for step in 0..10_000 {
        if step % 1000 == 500 {
            water.edit_bed(|[x, y], z| z + 0.02 * (40.0 * x * y).sin()).unwrap();
        }
        water.step(0.004).unwrap();
        if step % 500 == 0 {
            let balance = water.balance();
            let drift = (balance.unexplained() - before).abs() / balance.volume;
            assert!(drift < 1e-12, "step {step}: {drift:.1e}");
            assert!(depths(&water).iter().all(|h| *h >= 0.0));
        }
    }
    let b = water.balance();
    for part in [b.rain, b.sources, -b.drains, b.sides.abs(), b.sponge.abs()] {
        assert!(part > 0.0, "{b:?}");
    }
}

#[test]
fn samples_are_exact_for_planes_and_the_same_in_batches() {
    let mut water = water::<f64>([20, 16], 0.5, ShallowWaterParams::default(), |[x, y]| {
        0.1 * x - 0.05 * y - 3.0
    });
    water.set_surface(|[x, y]| 0.02 * x + 0.01 * y).unwrap();
    water.velocity_mut()[0].set_from_fn(|[x, y]| x - 2.0 * y);
    water.velocity_mut()[1].set_from_fn(|[x, y]| 0.5 * x + y);
    let positions: Vec<_> =
        (0..50).map(|i| [0.5 + 0.17 * f64::from(i), 0.6 + 0.13 * f64::from(i)]).collect();
    let mut batch = vec![water.sample([0.0; 2]).unwrap(); positions.len()];
    water.sample_all(&positions, &mut batch).unwrap();
    for ([x, y], sample) in positions.iter().copied().zip(&batch) {
        assert_eq!(*sample, water.sample([x, y]).unwrap());
        if x > 9.5 || y > 7.5 {
            continue;
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(sample.surface, 0.02 * x + 0.01 * y);
        close(sample.depth, 3.0 - 0.08 * x + 0.06 * y);
        close(sample.velocity[0], x - 2.0 * y);
        close(sample.velocity[1], 0.5 * x + y);
        let length = (1.0 + 0.02_f64.powi(2) + 0.01_f64.powi(2)).sqrt();
        close(sample.normal[0], -0.02 / length);
        close(sample.normal[1], -0.01 / length);
        close(sample.normal[2], 1.0 / length);
        assert!(sample.wet);
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(
            water.sample([bad, 1.0]),
            Err(Error::NotFinite { name: "position", place: [0; 3] })
        );
    }
    let before = batch.clone();
    let mut bad = positions.clone();
    bad[7][1] = f64::NAN;
    let error = water.sample_all(&bad, &mut batch);
    assert_eq!(error, Err(Error::NotFinite { name: "position", place: [7, 0, 0] }));
    assert!(water.sample_all(&positions[1..], &mut batch).is_err());
    assert_eq!(batch, before);
    // Anywhere: the nearest place inside.
    for far in [1e9, -1e30, f64::MAX] {
        let sample = water.sample([far, far]).unwrap();
        assert!(sample.surface.is_finite() && sample.normal[2] > 0.9);
    }
}

#[test]
fn a_shore_is_level_up_to_the_ground_and_dry_beyond() {
    let water =
        water::<f64>([30, 4], 1.0, ShallowWaterParams::default(), |[x, _]| 0.1 * (x - 15.0));
    for i in 0..300 {
        let x = 0.1 * f64::from(i);
        let sample = water.sample([x, 2.0]).unwrap();
        let bed = 0.1 * (x.clamp(0.5, 29.5) - 15.0);
        if sample.wet {
            assert_eq!(sample.surface, 0.0);
            assert_eq!(sample.normal, [-0.0, -0.0, 1.0]);
            assert!((sample.depth + bed).abs() < 1e-12 && x < 15.0);
        } else {
            assert!((sample.surface - bed).abs() < 1e-12 && sample.depth <= 1e-5);
            assert!(x > 14.9);
        }
    }
}

#[test]
fn samples_wrap_on_periodic_axes() {
    let params = ShallowWaterParams { sides: [[WaterSide::Periodic; 2]; 2], ..Default::default() };
    let k = 2.0 * core::f64::consts::PI / 8.0;
    let mut water = water::<f64>([16, 16], 0.5, params, |_| -1.0);
    water.set_surface(|[x, y]| 0.1 * (k * x).sin() * (k * y).cos()).unwrap();
    water.step(0.1).unwrap();
    for i in 0..64 {
        let p = [0.125 * f64::from(i), 0.3 + 0.0625 * f64::from(i)];
        let here = water.sample(p).unwrap();
        let there = water.sample([p[0] - 16.0, p[1] + 24.0]).unwrap();
        assert!((here.surface - there.surface).abs() < 1e-12);
        assert!((here.velocity[0] - there.velocity[0]).abs() < 1e-12);
    }
}

#[test]
fn a_forecast_is_what_comes_and_changes_nothing() {
    let mut water = everything::<f64>();
    for _ in 0..20 {
        water.step(0.01).unwrap();
    }
    let mut ahead = everything::<f64>();
    let before = water.digest();
    water.forecast(&mut ahead, 0.01, 5).unwrap();
    assert_eq!(water.digest(), before);
    for _ in 0..5 {
        water.step(0.01).unwrap();
    }
    assert_eq!(ahead.digest(), water.digest());
    assert!(water.forecast(&mut ahead, f64::NAN, 1).is_err());
    assert_eq!(ahead.digest(), water.digest());
}

#[test]
fn dents_and_edits_keep_the_volume() {
    let mut water =
        water::<f64>([40, 40], 0.1, ShallowWaterParams::default(), |[x, _]| 0.3 * (x - 2.5));
    let volume = water.volume();
    for n in 0..200 {
        let t = f64::from(n);
        let center = [2.0 + 1.5 * (0.3 * t).sin(), 2.0 + 1.5 * (0.7 * t).cos()];
        water.dent(center, 0.3, if n % 3 == 0 { -0.1 } else { 0.2 }).unwrap();
        if n % 50 == 20 {
            water
                .edit_bed(|[x, y], z| {
                    z + 0.3 * (-((x - 1.0).powi(2) + (y - 2.0).powi(2)) * 9.0).exp()
                })
                .unwrap();
        }
        water.step(0.02).unwrap();
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    assert!(water.report().max_speed > 0.01);
}

#[test]
fn a_river_flows_as_manning_says() {
    let (slope, n, depth) = (0.002, 0.03, 1.0);
    let rate = depth * f64::sqrt(slope) / n;
    let params = ShallowWaterParams {
        manning: n,
        rest_level: 10.0,
        sides: [
            [WaterSide::Discharge { rate }, WaterSide::Surface { level: 1.0 }],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let length = 1000.0;
    let mut water = water::<f64>([100, 1], 10.0, params, |[x, _]| slope * (length - x));
    water.set_depth(|_| 1.0).unwrap();
    run(&mut water, 3000.0, 5.0);
    let h = depths(&water);
    assert!((h[50] - depth).abs() < 0.01);
}

#[test]
fn the_turning_of_the_earth_neither_gives_nor_takes_energy() {
    let sides = [[WaterSide::Periodic; 2]; 2];
    let params = ShallowWaterParams {
        sides,
        coriolis: 1.0,
        momentum_advection: false,
        ..Default::default()
    };
    let mut water = water::<f64>([8, 8], 1e4, params, |[x, y]| {
        -1.0 - 0.3 * (x * 2e-4).sin() * (y * 3e-4).cos()
    });
    water.velocity_mut()[0].set_from_fn(|_| 1e-6);
    let before = energy(&water);
    let mut turned = 0.0;
    for step in 0..10_000 {
        water.step(0.01).unwrap();
        if step == 156 {
            turned = water.velocity()[1][[3, 3]];
        }
        if step % 100 == 0 {
            assert!((energy(&water) / before - 1.0).abs() < 0.05, "{}", energy(&water) / before);
        }
    }
    // After a quarter of a turn it flows to the right of where it flowed: −y.
    assert!((turned / 1e-6 + 1.0).abs() < 0.1, "{turned}");
}

#[test]
fn a_wave_maker_makes_waves_of_its_height_and_lets_others_out() {
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: 0.01, period: 8.0 }, WaterSide::Open],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let mut water = water::<f64>([200, 1], 0.5, params, |_| -1.0);
    run(&mut water, 60.0, 0.1);
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    while water.time() < 76.0 {
        water.step(0.1).unwrap();
        let s = surfaces(&water)[100];
        (least, most) = (least.min(s), most.max(s));
    }
    assert!((most - 0.01).abs() < 5e-4 && (least + 0.01).abs() < 5e-4);
}

#[test]
fn a_tide_fills_a_harbour() {
    let mut params = ShallowWaterParams {
        sides: [[WaterSide::Surface { level: 0.0 }, WaterSide::Wall], [WaterSide::Wall; 2]],
        manning: 0.06,
        ..Default::default()
    };
    let mut water = water::<f64>([40, 3], 1.0, params, |[x, _]| 0.05 * x - 1.5);
    params.sides[0][0] = WaterSide::Surface { level: 0.4 };
    water.set_params(params).unwrap();
    run(&mut water, 1000.0, 0.5);
    let s = surfaces(&water);
    assert!((0..38).all(|i| (s[i] - 0.4).abs() < 0.02), "{:?}", &s[..40]);
    let balance = water.balance();
    assert!(balance.sides > 0.0);
}

#[test]
fn spray_comes_back_with_all_its_water_and_momentum() {
    let sides = [[WaterSide::Periodic; 2]; 2];
    let spray = SprayParams { drag: 0.0, ..Default::default() };
    let params = ShallowWaterParams { sides, spray: Some(spray), ..Default::default() };
    let mut water = water::<f64>([12, 10], 0.5, params, |[x, y]| -1.0 - 0.1 * (x + y).sin());
    let momentum = |water: &ShallowWater<f64>| {
        let h = depths(water);
        let [nx, ny] = water.grid().cells();
        let mut sum = [0.0; 2];
        for j in 0..ny {
            for i in 0..nx {
                let here = h[i + j * nx];
                let left = h[(i + nx - 1) % nx + j * nx];
                let below = h[i + (j + ny - 1) % ny * nx];
                sum[0] += 0.125 * (here + left) * water.velocity()[0][[i, j]];
                sum[1] += 0.125 * (here + below) * water.velocity()[1][[i, j]];
            }
        }
        for drop in water.spray() {
            sum[0] += drop.volume * drop.velocity[0];
            sum[1] += drop.volume * drop.velocity[1];
        }
        sum
    };
    // Drops that fall within one step, on all kinds of cells; the corner ones at the seams.
    let mut expected = momentum(&water);
    let before = water.balance().unexplained();
    for (x, y, u, v) in [(0.1, 0.1, 1.0, -2.0), (5.9, 4.9, 0.3, 0.7), (3.0, 2.0, -4.0, 1.0)] {
        let drop = Drop { position: [x, y, 0.0], velocity: [u, v, -1.0], volume: 2e-3 };
        assert!(water.throw(drop).unwrap());
        expected = [expected[0] + 2e-3 * u, expected[1] + 2e-3 * v];
    }
    let found = momentum(&water);
    assert!((found[0] - expected[0]).abs() < 1e-15 && (found[1] - expected[1]).abs() < 1e-15);
    water.step(1e-11).unwrap();
    assert!(water.spray().is_empty());
    let found = momentum(&water);
    // In so short a time slopes of the surface do 1e-11·g·h·slope.
    for a in 0..2 {
        assert!((found[a] / expected[a] - 1.0).abs() < 1e-9, "{found:?} {expected:?}");
    }
    assert!((water.balance().unexplained() - before).abs() < 1e-12 * water.volume());
}

#[test]
fn breaking_waves_throw_drops_that_fall_back() {
    let spray = SprayParams { radius: 0.02, capacity: 500, ..Default::default() };
    let params = ShallowWaterParams { spray: Some(spray), ..Default::default() };
    let mut water =
        water::<f64>(
            [100, 8],
            0.2,
            params,
            |[x, _]| if x > 12.0 { 0.1 * (x - 12.0) - 1.0 } else { -1.0 },
        );
    water.set_surface(|[x, _]| if x < 4.0 { 1.0 } else { 0.0 }).unwrap();
    let before = water.balance().unexplained();
    let mut most = 0;
    for _ in 0..300 {
        water.step(0.02).unwrap();
        most = most.max(water.spray().len());
        assert!(water.spray().len() <= 500);
        let balance = water.balance();
        assert!((balance.unexplained() - before).abs() < 1e-12 * balance.volume);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    assert!(most > 50);
    // Still water throws nothing.
    let mut still = self::water::<f64>([10, 10], 0.2, params, |_| -1.0);
    still.step(0.1).unwrap();
    assert!(still.spray().is_empty());
}
