//! Dam breaks, bowls, standing waves, rivers and run-up against exact solutions.

use fluid_num::schemes::shallow_water::WaterSide;
use fluid_num::{ShallowWater, ShallowWaterParams, Simulation};

use super::{GRAVITY, depths, run, surfaces, water};

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
            // The cell in which the front is begins before it.
            let front = |least: f64| {
                let cell = depths(&water).iter().rposition(|h| *h > least).unwrap();
                cell as f64 * length / n as f64 - 0.5 * length
            };
            let exact = 2.0 * GRAVITY.sqrt() * water.time();
            assert!(front(1e-3) <= exact);
            // What is thinner is smeared over a cell or two before it.
            let ahead = (front(water.params().dry_depth) - exact) * n as f64 / length;
            assert!(ahead < 2.0, "{ahead}");
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
