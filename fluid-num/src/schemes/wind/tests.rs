//! Wind against what is known exactly.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::{Simulation, Wind2, Wind3};

/// Still air in which nothing decays or spreads.
fn still<const D: usize>(cells: [usize; D]) -> WindParams<f64, D> {
    WindParams { cells, viscosity: 0.0, relaxation_time: f64::INFINITY, ..Default::default() }
}

/// Numbers from −1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn noise<const D: usize>(seed: u64, scale: f64) -> impl FnMut([f64; D]) -> [f64; D] {
    let mut random = Random(seed);
    move |_| core::array::from_fn(|_| scale * random.next())
}

/// Σ of every component over all cells, and of its magnitudes.
fn sums<const D: usize>(wind: &Wind<f64, D>) -> [[f64; 2]; D] {
    let cells = wind.grid.interior().places().map(|i| wind.grid.cell_at(i));
    cells.fold([[0.0; 2]; D], |mut sums, cell| {
        for (sum, e) in sums.iter_mut().zip(wind.excess(cell).unwrap()) {
            sum[0] += e;
            sum[1] += e.abs();
        }
        sums
    })
}

#[test]
fn the_forward_pass_keeps_the_sum_of_any_field() {
    for scale in [0.1, 5.0, 1e4] {
        let mut wind = Wind3::new(still([12, 9, 10]), [0.0; 3]).unwrap();
        wind.set_excess(noise(7, scale)).unwrap();
        let before = sums(&wind);
        wind.unroll();
        wind.find_base(0.0);
        wind.find_path(1.0 / 60.0);
        exec::wide(Forward {
            carried: wind.work.each_ref().map(Field::as_slice),
            path: wind.path.each_ref().map(Field::as_slice),
            lattice: Lattice::clamped(&wind.grid, Location::Center),
            region: wind.grid.interior(),
            out: &mut wind.packed,
        });
        for a in 0..3 {
            let after: f64 = wind.grid.interior().places().map(|i| wind.packed[i][a]).sum();
            assert!((after - before[a][0]).abs() < 1e-12 * before[a][1], "{after}");
        }
    }
}

#[test]
fn nothing_grows_beyond_what_was_there_however_long_the_step() {
    for time_step in [1e-4, 1.0 / 30.0, 1.0, 10.0] {
        for scale in [1.0, 1e3] {
            let params = WindParams { time_step, viscosity: 2.0, ..still([10, 8, 12]) };
            let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
            wind.set_excess(noise(3, scale)).unwrap();
            let mut before = sums(&wind);
            for _ in 0..20 {
                wind.advance();
                let after = sums(&wind);
                for a in 0..3 {
                    assert!(after[a][1] <= before[a][1] * (1.0 + 1e-12), "step {time_step}");
                }
                before = after;
            }
        }
    }
}

#[test]
fn uniform_wind_stays_and_what_drifts_in_it_keeps_its_sum() {
    let params = WindParams { ambient: [6.0, -3.0], ..still([24, 20]) };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    wind.step(1.0).unwrap();
    assert_eq!(wind.sample([3.3, -2.1]), [6.0, -3.0]);
    assert_eq!(wind.report().max_speed, 6.0);
    // A whiff so weak that it does not carry itself moves with the ambient wind.
    let mean = |wind: &Wind2<f64>| {
        let mut sum = [0.0; 3];
        for i in wind.grid.interior().places() {
            let cell = wind.grid.cell_at(i);
            let (e, x) = (wind.excess(cell).unwrap()[0], wind.grid.center(cell));
            sum = [sum[0] + e, sum[1] + e * x[0], sum[2] + e * x[1]];
        }
        [sum[0], sum[1] / sum[0], sum[2] / sum[0]]
    };
    wind.set_excess(|[x, y]| {
        [if (x + 6.0).abs() < 2.0 && (y - 5.0).abs() < 2.0 { 1e-6 } else { 0.0 }, 0.0]
    })
    .unwrap();
    let [sum, x, y] = mean(&wind);
    wind.step(0.5).unwrap();
    let [sum_after, x_after, y_after] = mean(&wind);
    let time = wind.report().time;
    assert!((sum_after / sum - 1.0).abs() < 1e-6);
    assert!((x_after - x - 6.0 * time).abs() < 1e-3 && (y_after - y + 3.0 * time).abs() < 1e-3);
}

/// Where the front of a gust of 10 m/s, 4 m deep, in still air is after a second: the last cell with
/// more than 1 m/s.
fn front(backward_alone: bool) -> f64 {
    let mut wind = Wind2::new(still([48, 6]), [0.0; 2]).unwrap();
    wind.set_excess(|[x, _]| [if (-20.0..-16.0).contains(&x) { 10.0 } else { 0.0 }, 0.0]).unwrap();
    let dt = wind.params.time_step;
    for _ in 0..30 {
        if backward_alone {
            wind.unroll();
            wind.find_base(0.0);
            for i in wind.grid.interior().places() {
                wind.packed[i] = [wind.work[0].as_slice()[i], wind.work[1].as_slice()[i], 0.0, 0.0];
            }
            wind.find_path(-dt);
            let pass = Backward {
                from: &wind.packed,
                path: wind.path.each_ref().map(Field::as_slice),
                lattice: Lattice::clamped(&wind.grid, Location::Center),
                strides: wind.grid.strides(),
            };
            let out = wind.work.each_mut().map(Field::as_mut_slice);
            exec::rows(&wind.grid.interior(), out, &pass);
            wind.roll();
        } else {
            wind.advance();
        }
    }
    let last = (0..48).rev().find(|i| wind.excess([*i, 3]).unwrap()[0] > 1.0).unwrap();
    last as f64 + 1.0 - 24.0 + 16.0
}

#[test]
fn a_gust_reaches_further_by_both_passes_than_by_the_backward_one_alone() {
    let (both, backward) = (front(false), front(true));
    // In the limit of small cells the front of a gust u in still air moves at u/2: 5 m.
    assert!((5.0..=7.0).contains(&both), "{both}");
    assert!(backward <= 0.0, "{backward}");
}

#[test]
fn case_o29_what_is_scrolled_away_and_back_is_at_its_place_bit_for_bit() {
    let params = WindParams { cells: [32, 16, 32], ..still([32, 16, 32]) };
    let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
    wind.set_excess(noise(5, 3.0)).unwrap();
    let value = |wind: &Wind3<f64>, world: [i64; 3]| {
        let cell: [i64; 3] = core::array::from_fn(|a| world[a] - wind.corner[a]);
        if cell.iter().any(|c| *c < 0) {
            return None;
        }
        wind.excess(cell.map(|c| c as usize))
    };
    let at_first: Vec<_> = (-16..16).map(|x| value(&wind, [x, 3, -7]).unwrap()).collect();
    let mut centre = 0.0;
    for _ in 0..50 {
        centre += 0.3;
        wind.follow([centre, 0.0, 0.0]).unwrap();
    }
    for _ in 0..50 {
        centre -= 0.3;
        wind.follow([centre, 0.0, 0.0]).unwrap();
    }
    assert!(centre.abs() < 0.5);
    wind.follow([0.0; 3]).unwrap();
    for (x, before) in (-16..16).zip(&at_first) {
        // 15 cells were left behind on the way.
        let expected = if x < -1 { [0.0; 3] } else { *before };
        assert_eq!(value(&wind, [x, 3, -7]), Some(expected), "{x}");
    }
    // Shift by (5, −3): the overlap stays, the rest is ambient.
    let mut wind = Wind2::new(still([32, 32]), [0.0; 2]).unwrap();
    wind.set_excess(noise(6, 3.0)).unwrap();
    let all = |wind: &Wind2<f64>| -> Vec<[f64; 2]> {
        (0..32 * 32).map(|n| wind.excess([n % 32, n / 32]).unwrap()).collect()
    };
    let before = all(&wind);
    wind.follow([5.0, -3.0]).unwrap();
    for (n, e) in all(&wind).into_iter().enumerate() {
        let (x, y) = (n % 32 + 5, (n / 32).wrapping_sub(3));
        let expected = if x < 32 && y < 32 { before[y * 32 + x] } else { [0.0; 2] };
        assert_eq!(e, expected, "cell {n}");
    }
    // Further than the volume is wide nothing is left.
    wind.follow([4000.0, 0.0]).unwrap();
    assert!(all(&wind).iter().all(|e| *e == [0.0; 2]));
}

#[test]
fn case_o29_a_gust_that_is_over_falls_to_a_third_in_its_time_at_any_frame_rate() {
    for time_step in [1.0 / 30.0, 1.0 / 144.0] {
        let params = WindParams { time_step, relaxation_time: 0.5, ..still([16, 16]) };
        let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
        wind.set_excess(|_| [2.0, 1.0]).unwrap();
        let steps = (0.5_f64 / time_step).round() as usize;
        (0..steps).for_each(|_| wind.advance());
        let [x, y] = wind.excess([8, 8]).unwrap();
        let left = libm::exp(-1.0);
        assert!((x / 2.0 / left - 1.0).abs() < 1e-6 && (y / left - 1.0).abs() < 1e-6);
    }
}

#[test]
fn case_o28_tracers_in_a_whirl_stay_on_their_circle() {
    let whirl = |omega: f64, far: f64| {
        let mut wind = Wind2::new(still([64, 64]), [0.0; 2]).unwrap();
        wind.set_excess(|[x, y]| [-omega * y, omega * x]).unwrap();
        let (mut x, mut y) = ([far], [0.0]);
        let steps = if omega > 1.0 { 600 } else { 1000 };
        let dt = if omega > 1.0 { 1.0 / 60.0 } else { 0.1 };
        let mut taken = 0;
        for _ in 0..steps {
            taken = wind.carry([&mut x, &mut y], dt).unwrap();
        }
        (libm::hypot(x[0], y[0]) / far, taken)
    };
    // 100 rad at 1 rad/s, and 200 rad at 20 rad/s.
    let (radius, _) = whirl(1.0, 10.0);
    assert!((radius - 1.0).abs() < 1e-4, "{radius}");
    let (radius, taken) = whirl(20.0, 10.0);
    assert!((radius - 1.0).abs() < 1e-2 && taken > 1, "{radius} in {taken}");
}

#[test]
fn samples_are_continuous_linear_between_centres_and_ambient_outside() {
    let ambient = [1.0, 2.0, -0.5];
    let params = WindParams { ambient, margin: 2.0, ..still([16, 12, 14]) };
    let mut wind = Wind3::new(params, [100.0, -40.0, 7.0]).unwrap();
    wind.set_excess(|[x, y, z]| [0.1 * x, y - z, 3.0]).unwrap();
    // Two cells within the sides the field is as it was set.
    let [x, y, z] = [101.3, -39.2, 8.9];
    let sample = wind.sample([x, y, z]);
    for (u, exact) in sample.iter().zip([1.0 + 0.1 * x, 2.0 + y - z, 2.5]) {
        assert!((u - exact).abs() < 1e-12);
    }
    let gradient = wind.gradient([x, y, z]);
    let exact = [[0.1, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0; 3]];
    for (row, exact) in gradient.iter().flatten().zip(exact.iter().flatten()) {
        assert!((row - exact).abs() < 1e-11);
    }
    // Along a line through everything, margins and sides too: no jumps, and the slope is right.
    let line = |s: f64| [90.0 + 20.0 * s, -47.0 + 14.0 * s, -1.0 + 16.0 * s];
    let step = 1e-5;
    for n in 0..2000 {
        let s = f64::from(n) * 5e-4;
        let [here, next] = [wind.sample(line(s)), wind.sample(line(s + step))];
        let g = wind.gradient(line(s + 0.5 * step));
        for c in 0..3 {
            let slope = g[c][0] * 20.0 + g[c][1] * 14.0 + g[c][2] * 16.0;
            // Twice the bend of the margin, and where a cell begins within the step.
            assert!((next[c] - here[c] - step * slope).abs() < 0.02, "{s}");
            assert!((next[c] - here[c]).abs() < 0.02);
        }
    }
    for far in [1e9, -1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 108.0, 92.0] {
        assert_eq!(wind.sample([far, -40.0, 7.0]), ambient);
    }
    assert_eq!(wind.sample([100.0, f64::NAN, 7.0]), ambient);
}

#[test]
fn many_samples_are_those_of_one_bit_for_bit() {
    let params = WindParams::<f32, 3> { ambient: [1.0, 0.5, 0.0], ..Default::default() };
    let mut wind = Wind3::new(params, [3.0, 2.0, 1.0]).unwrap();
    wind.motors_mut().push(Motor::vortex([3.0, 2.0, 1.0], 6.0, [0.0, 1.0, 0.0], 30.0));
    wind.step(0.4).unwrap();
    let mut random = Random(9);
    let x: [Vec<f32>; 3] =
        core::array::from_fn(|_| (0..10_000).map(|_| (20.0 * random.next()) as f32).collect());
    let mut out = [vec![0.0; 10_000], vec![0.0; 10_000], vec![0.0; 10_000]];
    let [u, v, w] = &mut out;
    wind.sample_all([&x[0], &x[1], &x[2]], [u, v, w]).unwrap();
    for n in 0..10_000 {
        let one = wind.sample([x[0][n], x[1][n], x[2][n]]);
        assert!((0..3).all(|a| one[a].to_bits() == out[a][n].to_bits()), "{n}");
    }
    let [u, v, _] = &mut out;
    assert!(wind.sample_all([&x[0], &x[1], &x[2][1..]], [u, v, &mut [0.0]]).is_err());
}

#[test]
fn what_a_motor_gives_does_not_depend_on_the_step() {
    let motor = Motor::new(Flow::Directional, [0.0_f64, 0.0], 5.0, 8.0);
    let motor = motor.for_time(1.0, 0.3, 0.5);
    // The area of the trapezium 0.3, 0.2, 0.5 s.
    let whole = motor.given_within(2.0);
    assert!((whole - (0.15 + 0.2 + 0.25)).abs() < 1e-15);
    for count in [3, 10, 77] {
        let dt = 2.0 / f64::from(count);
        let mut sum = 0.0;
        for n in 0..count {
            sum += Motor { age: f64::from(n) * dt, ..motor }.given_within(dt);
        }
        assert!((sum - whole).abs() < 1e-14);
    }
    let mut wind = Wind2::new(still([16, 16]), [0.0; 2]).unwrap();
    wind.motors_mut().push(Motor { axis: [0.0, 3.0], falloff: Falloff::None, ..motor });
    let far = Motor::explosion([500.0, 0.0], 5.0, 100.0);
    wind.motors_mut().push(far);
    wind.blow(1.0);
    assert!((wind.work[1][[8, 8]] - 8.0 * whole).abs() < 1e-12);
    assert_eq!(wind.work[0][[8, 8]], 0.0);
    assert_eq!(wind.work[1][[0, 0]], 0.0); // out of reach
}

#[test]
fn motors_blow_where_their_kind_says() {
    let at = |motor: Motor<f64, 3>, r: [f64; 3]| motor.push(motor.unit_axis(), r);
    let close = |a: [f64; 3], b: [f64; 3]| {
        assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-12), "{a:?} {b:?}");
    };
    let omni = Motor { falloff: Falloff::Linear, ..Motor::new(Flow::Omni, [0.0; 3], 4.0, 1.0) };
    close(at(omni, [2.0, 0.0, 0.0]), [0.5, 0.0, 0.0]);
    close(at(omni, [0.0, 0.0, -5.0]), [0.0; 3]);
    close(at(omni, [0.0; 3]), [0.0; 3]);
    let whirl = Motor { flow: Flow::Vortex, axis: [0.0, 0.0, 2.0], ..omni };
    close(at(whirl, [2.0, 0.0, 0.0]), [0.0, 0.5, 0.0]);
    close(at(whirl, [0.0, 2.0, 0.0]), [-0.5, 0.0, 0.0]);
    let reach = Reach::Cylinder { radius: 2.0, half_length: 4.0 };
    let tube = Motor { flow: Flow::Directional, reach, axis: [3.0, 0.0, 0.0], ..omni };
    close(at(tube, [3.0, 0.0, 0.0]), [0.25, 0.0, 0.0]);
    close(at(tube, [0.0, 1.5, 0.0]), [0.25, 0.0, 0.0]);
    let cone = Motor { reach: Reach::Cone { length: 4.0, slope: 0.5 }, ..tube };
    close(at(cone, [-0.1, 0.0, 0.0]), [0.0; 3]);
    close(at(cone, [2.0, 0.0, 0.0]), [0.5, 0.0, 0.0]);
    close(at(cone, [2.0, 0.75, 0.0]), [0.25, 0.0, 0.0]);
    close(at(cone, [2.0, 1.01, 0.0]), [0.0; 3]);
}

#[test]
fn a_motor_that_moves_is_swept_along_its_way() {
    let mut wind = Wind2::new(still([40, 16]), [0.0; 2]).unwrap();
    let motor = Motor::directional([-15.0, 0.0], 2.0, [0.0, 1.0], 10.0);
    wind.motors_mut().push(Motor { velocity: [30.0, 0.0], ..motor });
    wind.blow(1.0); // from −15 to 15
    let along: Vec<f64> = (8..32).map(|i| wind.work[1][[i, 8]]).collect();
    let (least, most) =
        along.iter().fold((f64::MAX, 0.0_f64), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    assert!(least > 0.0 && most / least < 1.05, "{least} {most}");
}

#[test]
fn obstacles_have_no_wind_and_a_shadow_behind_them() {
    let params = WindParams { ambient: [5.0, 0.0], shadow_length: 6.0, ..still([32, 32]) };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    let house = Shape::cuboid([2.0, 3.0]).unwrap().moved([-4.0, 0.0]).unwrap();
    wind.set_obstacles(vec![house]).unwrap();
    wind.step(0.2).unwrap();
    assert_eq!(wind.sample([-4.5, 0.5]), [0.0, 0.0]);
    let behind: Vec<f64> = (0..8).map(|n| wind.sample([-1.5 + f64::from(n), 0.5])[0]).collect();
    assert!(behind.windows(2).all(|w| w[0] <= w[1]) && behind[0] < 1.0, "{behind:?}");
    assert_eq!(behind[7], 5.0);
    assert_eq!(wind.sample([-10.5, 0.5])[0], 5.0); // before it
    assert_eq!(wind.sample([-1.5, 8.5])[0], 5.0); // beside it
    // The house stays where it is when the volume moves.
    wind.follow([6.0, 0.0]).unwrap();
    assert_eq!(wind.sample([-4.5, 0.5]), [0.0, 0.0]);
    assert!(wind.sample([-1.5, 0.5])[0] < 1.0);
}

#[test]
fn gusts_have_their_strength_and_no_divergence_where_that_is_wanted() {
    for divergence_free in [true, false] {
        let gusts = Some(Gusts { speed: 2.0, length: 8.0, seed: 11, divergence_free });
        let params = WindParams { ambient: [3.0, 0.0, 4.0], gusts, ..still([48, 32, 48]) };
        let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
        let (mut squares, mut worst, mut count) = (0.0, 0.0_f64, 0.0);
        for _ in 0..3 {
            wind.step(1.7).unwrap();
            for i in wind.grid.interior().places() {
                let cell = wind.grid.cell_at(i);
                let d = wind.view[i];
                squares += d.iter().map(|d| d * d).sum::<f64>();
                count += 1.0;
                if (0..3).all(|a| cell[a] > 0 && cell[a] + 1 < wind.grid.cells()[a]) {
                    let s = wind.grid.strides();
                    let change = |a: usize| wind.view[i + s[a]][a] - wind.view[i - s[a]][a];
                    let slopes = [0, 1, 2].map(|a| 0.5 * change(a));
                    worst = worst.max(slopes.iter().sum::<f64>().abs());
                }
            }
        }
        let rms = libm::sqrt(squares / count);
        assert!((1.5..2.5).contains(&rms), "{rms}");
        // 2π/8 m · 2 m/s is the size of a slope; central differences of waves leave a tenth.
        assert!((worst < 0.5) == divergence_free, "{worst}");
    }
}

#[test]
fn textures_hold_the_wind_as_their_documentation_says() {
    let params = WindParams::<f64, 3> { ambient: [2.0, 0.0, -1.0], ..still([8, 6, 7]) };
    let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
    wind.set_excess(noise(21, 4.0)).unwrap();
    let block = Shape::ball(1.6).unwrap();
    wind.set_obstacles(vec![block]).unwrap();
    let (mut bytes, mut halves) = (vec![0; 4 * 8 * 6 * 7], vec![0; 4 * 8 * 6 * 7]);
    wind.pack_rgba8(8.0, &mut bytes).unwrap();
    wind.pack_rgba16f(&mut halves).unwrap();
    let corner = wind.lower_corner();
    for (n, i) in wind.grid.interior().places().enumerate() {
        let cell = wind.grid.cell_at(i);
        let position = core::array::from_fn(|a| corner[a] + cell[a] as f64 + 0.5);
        let sample = wind.sample(position);
        for a in 0..3 {
            let byte = (f64::from(bytes[4 * n + a]) - 128.0) / 127.0 * 8.0;
            assert!((byte - sample[a].clamp(-8.0, 8.0)).abs() <= 4.0 / 127.0 + 1e-12);
            let half = half::f16::from_bits(halves[4 * n + a]).to_f64();
            assert!((half - sample[a]).abs() <= sample[a].abs() / 2048.0 + 1e-7);
        }
        let open = wind.open[cell];
        assert!((f64::from(bytes[4 * n + 3]) / 255.0 - open).abs() < 0.5 / 255.0 + 1e-12);
        assert_eq!(open == 0.0, libm::sqrt(position.iter().map(|x| x * x).sum()) < 1.6);
    }
    assert!(wind.pack_rgba8(0.0, &mut bytes).is_err());
    assert!(wind.pack_rgba16f(&mut halves[1..]).is_err());
}

#[test]
fn what_is_sampled_lies_between_the_last_two_steps() {
    let params = WindParams { time_step: 0.1, ..still([16, 16]) };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    wind.motors_mut().push(Motor {
        falloff: Falloff::None,
        ..Motor::directional([0.0; 2], 40.0, [1.0, 0.0], 10.0)
    });
    // After 0.25 s two steps are done, of 1 m/s each, and half of the next has passed.
    let report = wind.step(0.25).unwrap();
    assert_eq!(report.substeps, 2);
    assert!((wind.sample([0.3, 0.2])[0] - 1.5).abs() < 1e-9);
    wind.step(0.04).unwrap();
    assert!((wind.sample([0.3, 0.2])[0] - 1.9).abs() < 1e-9);
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let good = WindParams::<f64, 3>::default();
    let bad = [
        WindParams { cells: [3, 8, 8], ..good },
        WindParams { cell_size: 0.0, ..good },
        WindParams { time_step: f64::NAN, ..good },
        WindParams { ambient: [f64::INFINITY, 0.0, 0.0], ..good },
        WindParams { relaxation_time: 0.0, ..good },
        WindParams { viscosity: -1.0, ..good },
        WindParams { margin: 9.0, ..good },
        WindParams { shadow_length: 0.5, ..good },
        WindParams { max_substeps: 0, ..good },
        WindParams {
            gusts: Some(Gusts { speed: 1.0, length: 0.0, seed: 0, divergence_free: true }),
            ..good
        },
    ];
    for params in bad {
        assert!(Wind3::new(params, [0.0; 3]).is_err(), "{params:?}");
    }
    let mut wind = Wind3::new(good, [0.0; 3]).unwrap();
    wind.set_excess(noise(2, 1.0)).unwrap();
    let before = wind.digest();
    for centre in [f64::NAN, f64::INFINITY, 1e12] {
        assert!(wind.follow([0.0, centre, 0.0]).is_err());
        assert!(Wind3::new(good, [centre, 0.0, 0.0]).is_err());
    }
    for dt in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(wind.step(dt).is_err());
        assert!(wind.carry([&mut [0.0], &mut [0.0], &mut [0.0]], dt).is_err());
    }
    assert!(wind.set_excess(|_| [0.0, f64::NAN, 0.0]).is_err());
    assert!(wind.set_ambient([f64::NAN; 3], None).is_err());
    assert_eq!(wind.digest(), before);
    let motor = Motor::new(Flow::Omni, [0.0; 3], 1.0, 1.0);
    for bad in [
        Motor { strength: f64::NAN, ..motor },
        Motor { place: [f64::INFINITY, 0.0, 0.0], ..motor },
        Motor { reach: Reach::Cone { length: 0.0, slope: 1.0 }, ..motor },
        motor.for_time(1.0, 0.7, 0.7),
        motor.for_time(f64::NAN, 0.0, 0.0),
    ] {
        wind.motors_mut().push(bad);
        assert!(wind.step(0.1).is_err());
        wind.motors_mut().clear();
    }
    assert_eq!(wind.digest(), before);
}

#[test]
fn snapshots_continue_bit_for_bit() {
    let gusts = Some(Gusts { speed: 1.0, length: 5.0, seed: 4, divergence_free: true });
    let params = WindParams::<f32, 3> { ambient: [2.0, 0.0, 1.0], gusts, ..Default::default() };
    let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
    let motor = Motor::vortex([1.0, 0.0, 2.0], 5.0, [0.0, 1.0, 0.2], 12.0);
    wind.motors_mut().push(Motor { velocity: [3.0, 0.0, -1.0], ..motor }.for_time(1.0, 0.2, 0.3));
    wind.motors_mut().push(Motor::explosion([0.0; 3], 4.0, 9.0));
    wind.step(0.05).unwrap();
    wind.follow([7.0, -2.0, 3.0]).unwrap();
    wind.step(0.07).unwrap();
    let snapshot = wind.snapshot();
    let mut other = Wind3::new(params, [900.0, 0.0, 0.0]).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.digest(), wind.digest());
    for n in 0..20 {
        let centre = [7.0 - n as f32, n as f32 * 0.4, 3.0];
        for wind in [&mut wind, &mut other] {
            wind.follow(centre).unwrap();
            wind.step(0.05).unwrap();
        }
        assert_eq!(other.digest(), wind.digest());
        assert_eq!(other.sample([4.0, 1.0, 2.0]), wind.sample([4.0, 1.0, 2.0]));
    }
    assert!(wind.motors().is_empty());
    let small = WindParams { cells: [16, 16, 16], ..params };
    assert!(Wind3::new(small, [0.0; 3]).unwrap().restore(&snapshot).is_err());
}
