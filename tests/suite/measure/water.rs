//! Water on the move, against exact solutions.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

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
