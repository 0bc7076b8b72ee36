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
        wind.carry_forward();
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

#[test]
fn the_backward_pass_keeps_sums_in_uniform_wind_and_never_leaves_the_range_that_it_read() {
    let mut wind = Wind3::new(still([20, 18, 16]), [0.0; 3]).unwrap();
    let mut random = noise(8, 3.0);
    let cells: Vec<usize> = wind.grid.interior().places().collect();
    let inner = |cell: [usize; 3]| cell.iter().all(|c| (5..11).contains(c));
    let mut before = [0.0; 3];
    for i in &cells {
        let value: [f64; 3] = random([0.0; 3]);
        let whole = inner(wind.grid.cell_at(*i));
        for a in 0..3 {
            wind.packed[*i][a] = if whole { value[a] } else { 0.0 };
            before[a] += wind.packed[*i][a];
            wind.path[a].as_mut_slice()[*i] = [1.3, -2.6, 0.45][a];
        }
    }
    wind.carry_backward();
    for a in 0..3 {
        let after: f64 = cells.iter().map(|i| wind.work[a].as_slice()[*i]).sum();
        // 216 cells of up to 3 m/s.
        assert!((after - before[a]).abs() < 1e-12 * 648.0, "{after} {}", before[a]);
    }
    // Along any paths, however long, nothing beyond what is there comes out.
    for scale in [0.3, 5.0, 1e6] {
        let mut path = noise::<3>(9, scale);
        for i in &cells {
            let (value, path) = (random([0.0; 3]), path([0.0; 3]));
            for a in 0..3 {
                wind.packed[*i][a] = value[a];
                wind.path[a].as_mut_slice()[*i] = path[a];
            }
        }
        wind.carry_backward();
        for a in 0..3 {
            let range = |of: &dyn Fn(usize) -> f64| {
                cells
                    .iter()
                    .fold((f64::MAX, f64::MIN), |(lo, hi), i| (lo.min(of(*i)), hi.max(of(*i))))
            };
            let (lo, hi) = range(&|i| wind.packed[i][a]);
            let (least, most) = range(&|i| wind.work[a].as_slice()[i]);
            assert!(least >= lo - 1e-14 && most <= hi + 1e-14);
        }
    }
}

#[test]
fn no_sweep_for_swirl_raises_the_energy_and_divergence_falls() {
    let mut wind =
        Wind3::new(WindParams { swirl_sweeps: 1, ..still([9, 8, 7]) }, [0.0; 3]).unwrap();
    wind.set_excess(noise(12, 2.0)).unwrap();
    wind.unroll();
    let energy = |wind: &Wind3<f64>| -> f64 {
        let cells = wind.grid.interior().places();
        cells
            .map(|i| wind.work.iter().map(|w| w.as_slice()[i] * w.as_slice()[i]).sum::<f64>())
            .sum()
    };
    // The sum of squares of central differences in the middle.
    let divergence = |wind: &Wind3<f64>| -> f64 {
        let mut sum = 0.0;
        for i in wind.grid.interior().places() {
            let cell = wind.grid.cell_at(i);
            if (0..3).all(|a| cell[a] > 0 && cell[a] + 1 < wind.grid.cells()[a]) {
                let s = wind.grid.strides();
                let slope = |a: usize| {
                    let w = wind.work[a].as_slice();
                    0.5 * (w[i + s[a]] - w[i - s[a]])
                };
                let all = slope(0) + slope(1) + slope(2);
                sum += all * all;
            }
        }
        sum
    };
    let first = divergence(&wind);
    for _ in 0..40 {
        let before = energy(&wind);
        wind.swirl();
        assert!(energy(&wind) <= before * (1.0 + 1e-14));
    }
    assert!(divergence(&wind) < 0.05 * first, "{} {first}", divergence(&wind));
}

/// Everything that wind can do at once.
fn everything() -> Wind3<f64> {
    let gusts = Some(Gusts { speed: 1.5, length: 9.0, seed: 2, divergence_free: true });
    let params =
        WindParams { swirl_sweeps: 2, ambient: [4.0, 0.5, -1.0], gusts, ..still([14, 8, 12]) };
    let mut wind = Wind3::new(WindParams { viscosity: 3.0, ..params }, [0.0; 3]).unwrap();
    wind.set_obstacles(vec![Shape::ball(2.0).unwrap()]).unwrap();
    wind.close_cells(|[_, y, _]| y < -3.0);
    wind.motors_mut().push(Motor::vortex([3.0, 0.0, 1.0], 4.0, [0.0, 1.0, 0.0], 20.0));
    wind.motors_mut().push(Motor::directional([-4.0, 0.0, 0.0], 3.0, [1.0, 0.0, 0.0], 30.0));
    wind
}

#[test]
fn scratch_does_not_matter() {
    let [mut clean, mut dirty] = [everything(), everything()];
    for n in 0..12 {
        for a in 0..3 {
            for field in [&mut dirty.work[a], &mut dirty.base[a], &mut dirty.path[a]] {
                field.fill(f64::NAN);
            }
        }
        dirty.packed.fill([f64::NAN; 4]);
        for wind in [&mut clean, &mut dirty] {
            wind.follow([0.4 * f64::from(n), 0.0, -0.3 * f64::from(n)]).unwrap();
            wind.step(0.04).unwrap();
        }
        assert_eq!(dirty.digest(), clean.digest(), "step {n}");
        let position = [1.0 + 0.4 * f64::from(n), 2.0, 0.3];
        assert_eq!(dirty.sample(position), clean.sample(position));
    }
}

#[test]
fn a_wind_taken_over_continues_identically() {
    let (mut wind, mut other) = (everything(), everything());
    for _ in 0..5 {
        wind.step(0.05).unwrap();
    }
    wind.follow([3.0, 1.0, 0.0]).unwrap();
    other.set_params(WindParams { ambient: [0.0; 3], margin: 3.0, ..other.params }).unwrap();
    other.copy_from(&wind).unwrap();
    for _ in 0..3 {
        assert_eq!(other.digest(), wind.digest());
        assert_eq!(other.sample([2.0, 1.5, 1.0]), wind.sample([2.0, 1.5, 1.0]));
        for wind in [&mut wind, &mut other] {
            wind.step(0.05).unwrap();
            wind.follow([7.0, 1.0, 0.0]).unwrap();
        }
    }
    let small = Wind3::new(still([8, 8, 8]), [0.0; 3]).unwrap();
    assert!(other.copy_from(&small).is_err());
}

#[test]
fn gusts_go_on_from_where_they_are_when_the_weather_changes() {
    let gusts = Gusts { speed: 2.0, length: 6.0, seed: 3, divergence_free: true };
    let params = WindParams { ambient: [5.0, 0.0], gusts: Some(gusts), ..still([32, 32]) };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    for _ in 0..1000 {
        wind.step(0.1).unwrap();
    }
    let before: Vec<_> = wind.view.clone();
    // A little more of everything after 100 s: what blew 500 m of wind ago must not matter.
    let stronger = Gusts { speed: 2.0001, ..gusts };
    wind.set_params(WindParams { ambient: [5.001, 0.0], gusts: Some(stronger), ..params }).unwrap();
    for i in wind.grid.interior().places() {
        for a in 0..2 {
            // By 1 part in 5000 or 20,000, and a thirtieth of a second of it.
            assert!(
                (wind.view[i][a] - before[i][a]).abs() < 2e-3,
                "{:?} {:?}",
                wind.view[i],
                before[i]
            );
        }
    }
    assert!(before.iter().any(|v| v[1].abs() > 1.0));
}

/// The passes that carry in a step.
#[derive(Clone, Copy)]
enum Passes {
    Forward,
    Backward,
    Both,
}

/// How far ahead the front of a gust of 10 m/s, 4 m deep, in still air is after a second, the last cell
/// with more than 1 m/s, and how much of Σe there is then.
fn front(passes: Passes) -> [f64; 2] {
    let mut wind = Wind2::new(still([48, 6]), [0.0; 2]).unwrap();
    wind.set_excess(|[x, _]| [if (-20.0..-16.0).contains(&x) { 10.0 } else { 0.0 }, 0.0]).unwrap();
    let dt = wind.params.time_step;
    let before = sums(&wind)[0][0];
    let cells: Vec<usize> = wind.grid.interior().places().collect();
    for _ in 0..30 {
        if matches!(passes, Passes::Both) {
            wind.advance();
            continue;
        }
        wind.unroll();
        wind.find_base(0.0);
        if matches!(passes, Passes::Forward) {
            wind.find_path(dt);
            wind.carry_forward();
            cells.iter().for_each(|i| wind.work[0].as_mut_slice()[*i] = wind.packed[*i][0]);
        } else {
            cells
                .iter()
                .for_each(|i| wind.packed[*i] = [wind.work[0].as_slice()[*i], 0.0, 0.0, 0.0]);
            wind.find_path(-dt);
            wind.carry_backward();
        }
        wind.roll();
    }
    let last = (0..48).rev().find(|i| wind.excess([*i, 3]).unwrap()[0] > 1.0).unwrap();
    [last as f64 + 1.0 - 24.0 + 16.0, sums(&wind)[0][0] / before]
}

#[test]
fn a_gust_reaches_further_by_both_passes_than_by_the_backward_one_alone() {
    // What the documentation says, to the cell: forward alone at its own speed, backward alone not
    // at all, both in between, at the price of some of Σe.
    let [both, left] = front(Passes::Both);
    assert_eq!(both, 6.0);
    assert!((0.761..0.762).contains(&left), "{left}");
    let [forward, left] = front(Passes::Forward);
    assert_eq!(forward, 9.0);
    assert!((left - 1.0).abs() < 1e-12, "{left}");
    let [backward, _] = front(Passes::Backward);
    assert!(backward <= 0.0, "{backward}");
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
    // Along a line through everything, margins and sides too: no jumps.
    let line = |s: f64| [90.0 + 20.0 * s, -47.0 + 14.0 * s, -1.0 + 16.0 * s];
    for n in 0..2000 {
        let s = f64::from(n) * 5e-4;
        let [here, next] = [wind.sample(line(s)), wind.sample(line(s + 1e-5))];
        for c in 0..3 {
            assert!((next[c] - here[c]).abs() < 0.02, "{s}");
        }
    }
    for far in [1e9, -1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 108.0, 92.0] {
        assert_eq!(wind.sample([far, -40.0, 7.0]), ambient);
    }
    assert_eq!(wind.sample([100.0, f64::NAN, 7.0]), ambient);
}

#[test]
fn gradients_are_the_slopes_of_samples_in_the_margins_too_and_within_their_bound() {
    let params = WindParams { ambient: [1.0, 2.0, -0.5], margin: 2.0, ..still([8, 7, 9]) };
    let mut wind = Wind3::new(params, [4.0, -3.0, 11.0]).unwrap();
    wind.set_excess(noise(31, 3.0)).unwrap();
    let (mut random, h, steepest) = (Random(32), 1e-4, wind.steepest());
    let (corner, mut largest) = (wind.lower_corner(), 0.0_f64);
    for _ in 0..3000 {
        // Off the centres, the sides of cells and the ends of margins, where slopes jump.
        let place: [f64; 3] = core::array::from_fn(|a| {
            let half = (wind.size[a] * (random.next() + 1.0)).floor();
            corner[a] + 0.5 * half + 0.25 + 0.2 * random.next()
        });
        let gradient = wind.gradient(place);
        for a in 0..3 {
            let [mut below, mut above] = [place; 2];
            (below[a], above[a]) = (place[a] - h, place[a] + h);
            let [below, above] = [wind.sample(below), wind.sample(above)];
            for c in 0..3 {
                let slope = (above[c] - below[c]) / (2.0 * h);
                // h²/6 of a third derivative of up to 60, rounded up.
                assert!((slope - gradient[c][a]).abs() < 1e-6, "{place:?}: {slope}");
                assert!(slope.abs() <= steepest + 1e-6);
                largest = largest.max(slope.abs());
            }
        }
    }
    assert!(largest > 0.3 * steepest, "{largest} {steepest}");
}

#[test]
fn values_beyond_what_numbers_hold_are_told() {
    let params = WindParams::<f32, 2> { cells: [8, 6], ..Default::default() };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    wind.step(params.time_step).unwrap();
    let i = wind.grid.index([3, 4]);
    wind.excess[1].set(i, f32::MAX);
    wind.before[1].set(i, -f32::MAX);
    let error = Error::Unstable { step: 1, field: "wind", place: [3, 4, 0] };
    assert_eq!(wind.step(0.5 * params.time_step), Err(error));
}

#[test]
fn a_motor_without_end_gives_the_same_however_long_it_has_blown() {
    let dt = 1.0_f32 / 30.0;
    let mut motor = Motor::new(Flow::Directional, [0.0_f32; 2], 5.0, 8.0);
    for age in [0.0, 3600.0, 1e6, 2e6, 1e9] {
        assert_eq!(Motor { age, ..motor }.given_within(dt), dt);
        assert_eq!(
            Motor { age, lifetime: 1e9, ..motor }.given_within(dt),
            if age < 1e9 { dt } else { 0.0 }
        );
    }
    // One that fades in does so to the end, and its age stays then.
    motor.fade_in = 100.0;
    let mut given = 0.0;
    for _ in 0..30 * 101 {
        given += f64::from(motor.given_within(dt));
        motor.advance(dt);
    }
    // 3030 times the rounding of an age of 100 s.
    assert!((given - 51.0).abs() < 0.01, "{given}");
    let age = motor.age;
    assert!((100.0..100.1).contains(&age), "{age}");
    motor.advance(dt);
    assert_eq!(motor.age, age);
    assert_eq!(motor.given_within(dt), dt);
    // One with an end ages to it.
    let mut motor = Motor { lifetime: 1.0, fade_in: 0.0, age: 0.99, ..motor };
    motor.advance(dt);
    assert!(motor.is_over());
}

#[test]
fn a_motor_that_flies_too_far_is_removed() {
    let params = WindParams::<f32, 2> { time_step: 10.0, ..Default::default() };
    let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
    let motor = Motor::directional([0.0; 2], 2.0, [1.0, 0.0], 1.0);
    wind.motors_mut().push(Motor { velocity: [0.0, -6e7], ..motor });
    wind.step(10.0).unwrap();
    assert_eq!(wind.motors().len(), 1);
    wind.restore(&wind.snapshot()).unwrap();
    wind.step(10.0).unwrap();
    assert!(wind.motors().is_empty());
    wind.step(10.0).unwrap();
    wind.restore(&wind.snapshot()).unwrap();
}

#[test]
fn what_a_motor_gives_does_not_depend_on_the_step() {
    let motor = Motor::new(Flow::Directional, [0.0_f64, 0.0], 5.0, 8.0);
    let motor = motor.for_time(1.0, 0.3, 0.5);
    // The area of the trapezium 0.3, 0.2, 0.5 s.
    let whole = motor.given_within(2.0);
    assert!((whole - (0.15 + 0.2 + 0.25)).abs() < 1e-15);
    for fade in [Fade::Linear, Fade::Smooth] {
        for count in [3, 10, 77] {
            let dt = 2.0 / f64::from(count);
            let mut sum = 0.0;
            for n in 0..count {
                sum += Motor { age: f64::from(n) * dt, fade, ..motor }.given_within(dt);
            }
            assert!((sum - whole).abs() < 1e-14);
        }
        // A third into a fade, the slope of the integral is the curve.
        for (age, exact) in
            [(0.1, [1.0 / 3.0, 7.0 / 27.0]), (1.0 - 0.5 / 3.0, [1.0 / 3.0, 7.0 / 27.0])]
        {
            let slope = Motor { age: age - 1e-6, fade, ..motor }.given_within(2e-6) / 2e-6;
            let exact = if fade == Fade::Linear { exact[0] } else { exact[1] };
            assert!((slope - exact).abs() < 1e-8, "{fade:?} {age}: {slope}");
        }
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
    // In the plane a whirl is counter-clockwise too, and a negative strength turns any motor round.
    let flat = Motor { falloff: Falloff::Linear, ..Motor::new(Flow::Vortex, [0.0; 2], 4.0, 1.0) };
    assert_eq!(flat.push([0.0, 1.0], [2.0, 0.0]), [0.0, 0.5]);
    assert_eq!(flat.push([0.0, 1.0], [0.0, 2.0]), [-0.5, 0.0]);
    for (flow, exact) in [(Flow::Omni, [-1.0, 0.0]), (Flow::Vortex, [0.0, -1.0])] {
        let mut wind = Wind2::new(still([15, 15]), [0.0; 2]).unwrap();
        let motor = Motor::new(flow, [0.5, 0.5], 4.0, -2.0);
        wind.motors_mut().push(Motor { falloff: Falloff::Linear, ..motor });
        wind.blow(1.0);
        for a in 0..2 {
            assert_eq!(wind.work[a][[9, 7]], exact[a]); // two to the right of the middle
        }
    }
    // The most that a smooth ball of wind gives away from its middle.
    let smooth = Motor { falloff: Falloff::Smooth, ..omni };
    let most = (0..400).map(|n| at(smooth, [f64::from(n) * 0.01, 0.0, 0.0])[0]).fold(0.0, f64::max);
    assert!((most - 225.0 / 256.0).abs() < 1e-12, "{most}");
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
    // One that ends half-way comes no further.
    let mut wind = Wind2::new(still([40, 16]), [0.0; 2]).unwrap();
    let ending = Motor { velocity: [30.0, 0.0], ..motor }.for_time(0.5, 0.0, 0.0);
    wind.motors_mut().push(ending);
    wind.blow(1.0); // from −15 to 0
    assert!((8..18).all(|i| wind.work[1][[i, 8]] > 0.9 * least), "{least}");
    assert!((22..40).all(|i| wind.work[1][[i, 8]] == 0.0));
    // Four times for each of its sizes, 32 times at most.
    let stations = |way| Motor { velocity: [way, 0.0], ..motor }.stations(1.0);
    assert_eq!([0.0, 1.9, 16.0, 17.0, 1e9].map(stations), [1, 4, 32, 32, 32]);
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
        let outermost = (0..3).any(|a| cell[a] == 0 || cell[a] + 1 == wind.grid.cells()[a]);
        let sample = if outermost { params.ambient } else { wind.sample(position) };
        for a in 0..3 {
            let byte = (f64::from(bytes[4 * n + a]) - 128.0) / 127.0 * 8.0;
            assert!((byte - sample[a].clamp(-8.0, 8.0)).abs() <= 4.0 / 127.0 + 1e-12);
            let half = half::f16::from_bits(halves[4 * n + a]).to_f64();
            assert!((half - sample[a]).abs() <= sample[a].abs() / 2048.0 * 1.001 + 1e-7);
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
