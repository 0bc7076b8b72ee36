//! Wind as its users see it: what must hold of it, and what users ran into with other programs.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

use fluid_num::schemes::wind::{Fade, Falloff, Flow, Reach};
use fluid_num::solid::Shape;
use fluid_num::{Gusts, Motor, Real, Simulation, Wind, Wind2, Wind3, WindParams};
use fluid_tests::Random;

/// Still air in which nothing decays or spreads.
fn still<T: Real, const D: usize>(cells: [usize; D]) -> WindParams<T, D> {
    let forever = T::one() / T::zero();
    WindParams { cells, viscosity: T::zero(), relaxation_time: forever, ..Default::default() }
}

/// Numbers from −`scale` to `scale`, as a field.
fn noise<const D: usize>(seed: u64, scale: f64) -> impl FnMut([f64; D]) -> [f64; D] {
    let mut random = Random::new(seed);
    move |_| core::array::from_fn(|_| random.within(-scale, scale))
}

fn cells<T: Real, const D: usize>(
    wind: &Wind<T, D>,
) -> impl Iterator<Item = [usize; D]> + use<T, D> {
    let n = wind.params().cells;
    (0..n.iter().product()).map(move |mut k: usize| {
        n.map(|n| {
            let i = k % n;
            k /= n;
            i
        })
    })
}

/// Σ|e| of every component.
fn magnitudes<const D: usize>(wind: &Wind<f64, D>) -> [f64; D] {
    let mut sums = [0.0; D];
    for cell in cells(wind) {
        let e = wind.excess(cell).unwrap();
        (0..D).for_each(|a| sums[a] += e[a].abs());
    }
    sums
}

#[test]
fn for_any_step_wind_stays_finite_and_never_exceeds_what_motors_put_in() {
    for time_step in [1e-4, 1e-3, 1.0 / 30.0, 0.4, 1.0, 10.0] {
        for (gusts, swirl_sweeps) in [(None, 0), (Some(Gusts::default()), 0), (None, 3)] {
            let params = WindParams {
                time_step,
                gusts,
                swirl_sweeps,
                ambient: [20.0, -3.0],
                viscosity: 40.0,
                ..still([24, 20])
            };
            let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
            wind.set_obstacles(vec![Shape::ball(1.5).unwrap()]).unwrap();
            let (axis, strength) = ([0.6, 0.8], 200.0);
            let motor = Motor::directional([-4.1, 2.2], 5.0, axis, strength);
            wind.motors_mut().push(Motor { falloff: Falloff::None, ..motor });
            // The centres within reach are all that the motor blows at.
            let inside = |cell: &[usize; 2]| {
                let [x, y] = [cell[0] as f64 - 11.5 + 4.1, cell[1] as f64 - 9.5 - 2.2];
                x * x + y * y < 25.0
            };
            let blown = cells(&wind).filter(inside).count() as f64;
            assert!(blown > 70.0);
            for n in 1..=25 {
                wind.step(time_step).unwrap();
                let put_in = strength * f64::from(n) * time_step * blown;
                let [x, y] = magnitudes(&wind);
                if swirl_sweeps == 0 {
                    assert!(x <= axis[0] * put_in * (1.0 + 1e-12), "{time_step}: {x}");
                    assert!(y <= axis[1] * put_in * (1.0 + 1e-12), "{time_step}: {y}");
                } else {
                    assert!(x + y <= 1.4 * put_in * (1.0 + 1e-12), "{time_step}: {x} {y}");
                }
                assert!(wind.report().max_speed.is_finite());
            }
        }
    }
}

#[test]
fn in_space_and_single_precision_too_nothing_exceeds_what_motors_put_in() {
    for time_step in [1e-4_f32, 1.0 / 30.0, 10.0] {
        let params = WindParams {
            time_step,
            ambient: [15.0, 0.0, -8.0],
            viscosity: 20.0,
            ..still([16, 12, 14])
        };
        let mut wind = Wind3::new(params, [0.0; 3]).unwrap();
        wind.set_obstacles(vec![Shape::ball(1.5).unwrap()]).unwrap();
        let whirl = Motor::vortex([3.1, 0.2, 1.0], 4.0, [0.3, 1.0, -0.2], 150.0);
        let blast = Motor::new(Flow::Omni, [-4.2, 1.1, -2.0], 4.0, -90.0);
        for motor in [whirl, blast] {
            wind.motors_mut().push(Motor { falloff: Falloff::None, ..motor });
        }
        let within = |cell: &[usize; 3], place: [f64; 3]| {
            let r =
                [7.5, 5.5, 6.5].iter().zip(cell).zip(place).map(|((h, c), p)| *c as f64 - h - p);
            r.map(|r| r * r).sum::<f64>() < 16.001
        };
        let blown = |place| cells(&wind).filter(|cell| within(cell, place)).count() as f64;
        let rate = 150.0 * blown([3.1, 0.2, 1.0]) + 90.0 * blown([-4.2, 1.1, -2.0]);
        for n in 1..=20 {
            wind.step(time_step).unwrap();
            let put_in = rate * f64::from(n) * f64::from(time_step);
            for a in 0..3 {
                let sum: f64 =
                    cells(&wind).map(|c| f64::from(wind.excess(c).unwrap()[a].abs())).sum();
                assert!(sum > 0.0 && sum <= put_in * (1.0 + 1e-5), "{time_step}: {sum} {put_in}");
            }
        }
    }
}

#[test]
fn sweeps_make_a_gust_curl_back_beside_itself() {
    // A jet into still air for a second: the wind beside it, on the way back.
    let back = |swirl_sweeps: usize| {
        let params = WindParams { swirl_sweeps, viscosity: 0.5, ..still([40, 32]) };
        let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
        wind.motors_mut().push(Motor::directional([-8.0, 0.0], 3.0, [1.0, 0.0], 12.0));
        for _ in 0..30 {
            wind.step(1.0 / 30.0).unwrap();
        }
        let least = cells(&wind).map(|cell| wind.excess(cell).unwrap()[0]).fold(0.0, f64::min);
        let aside = cells(&wind).map(|cell| wind.excess(cell).unwrap()[1]).fold(0.0, f64::max);
        (least, aside)
    };
    assert_eq!(back(0), (0.0, 0.0)); // without them nothing ever turns
    let (least, aside) = back(8);
    assert!(least < -0.3 && aside > 0.3, "{least} {aside}");
}

#[test]
fn motors_that_overlap_add_up() {
    let [a, b] = [([1.0, 0.5], 4.0), ([-1.0, 1.5], 3.0)].map(|(place, strength)| {
        let reach = Reach::Cylinder { radius: 3.0, half_length: 4.0 };
        Motor { reach, ..Motor::new(Flow::Omni, place, 1.0, strength) }
    });
    let blown = |motors: &[Motor<f64, 2>]| {
        let mut wind = Wind2::new(still([16, 16]), [0.0; 2]).unwrap();
        wind.motors_mut().extend_from_slice(motors);
        wind.step(0.5 * wind.params().time_step).unwrap(); // none yet
        assert!(cells(&wind).all(|cell| wind.excess(cell) == Some([0.0; 2])));
        // So short a step carries nothing away.
        let mut short =
            Wind2::new(WindParams { time_step: 1e-9, ..still([16, 16]) }, [0.0; 2]).unwrap();
        *short.motors_mut() = motors.to_vec();
        short.step(1e-9).unwrap();
        cells(&short).flat_map(|cell| short.excess(cell).unwrap()).collect::<Vec<_>>()
    };
    let [one, other, both] = [blown(&[a]), blown(&[b]), blown(&[a, b])];
    for n in 0..both.len() {
        assert!((one[n] + other[n] - both[n]).abs() < 1e-20);
    }
    assert!(both.iter().any(|e| *e > 1e-9));
}

/// A wind in which every parameter matters, after some steps.
fn digest_of(params: WindParams<f64, 2>, motor: Motor<f64, 2>) -> [u64; 3] {
    let mut wind = Wind2::new(params, [0.3, 0.2]).unwrap();
    let stone = Shape::ball(1.5).unwrap().moved([1.0, -2.0]).unwrap();
    wind.set_obstacles(vec![stone]).unwrap();
    wind.motors_mut().push(motor);
    wind.step(0.31).unwrap();
    let sample = |x: f64, y: f64| wind.sample([x, y])[0].to_bits();
    [wind.digest(), sample(2.0, -1.0), sample(-4.6, 1.0)]
}

#[test]
fn every_parameter_and_every_number_of_a_motor_changes_the_result() {
    let gusts = Gusts { speed: 1.0, length: 5.0, seed: 1, divergence_free: true };
    let params = WindParams {
        cells: [12, 10],
        time_step: 0.1,
        max_substeps: 2,
        ambient: [2.0, 0.5],
        swirl_sweeps: 1,
        shadow_length: 4.0,
        gusts: Some(gusts),
        ..Default::default()
    };
    let cone = Reach::Cone { length: 5.0, slope: 1.0 };
    let motor = Motor {
        velocity: [1.0, 0.5],
        axis: [1.0, 0.2],
        reach: cone,
        ..Motor::new(Flow::Directional, [-3.0, 0.0], 1.0, 8.0)
    };
    let motor = motor.for_time(0.9, 0.25, 0.4);
    let first = digest_of(params, motor);
    let with = |gusts: Gusts<f64>| WindParams { gusts: Some(gusts), ..params };
    for (name, changed) in [
        ("cells", WindParams { cells: [14, 10], ..params }),
        ("cell_size", WindParams { cell_size: 2.0, ..params }),
        ("time_step", WindParams { time_step: 0.2, ..params }),
        ("max_substeps", WindParams { max_substeps: 4, ..params }),
        ("ambient", WindParams { ambient: [4.0, 1.0], ..params }),
        ("relaxation_time", WindParams { relaxation_time: 4.0, ..params }),
        ("viscosity", WindParams { viscosity: 1.0, ..params }),
        ("swirl_sweeps", WindParams { swirl_sweeps: 2, ..params }),
        ("margin", WindParams { margin: 4.0, ..params }),
        ("shadow_length", WindParams { shadow_length: 8.0, ..params }),
        ("speed", with(Gusts { speed: 2.0, ..gusts })),
        ("length", with(Gusts { length: 10.0, ..gusts })),
        ("seed", with(Gusts { seed: 2, ..gusts })),
        ("divergence_free", with(Gusts { divergence_free: false, ..gusts })),
    ] {
        assert_ne!(digest_of(changed, motor), first, "{name} changes nothing");
    }
    for (name, changed) in [
        ("flow", Motor { flow: Flow::Vortex, ..motor }),
        ("reach", Motor { reach: Reach::Sphere { radius: 5.0 }, ..motor }),
        ("length", Motor { reach: Reach::Cone { length: 10.0, slope: 1.0 }, ..motor }),
        ("slope", Motor { reach: Reach::Cone { length: 5.0, slope: 2.0 }, ..motor }),
        ("falloff", Motor { falloff: Falloff::Linear, ..motor }),
        ("place", Motor { place: [-2.0, 0.0], ..motor }),
        ("velocity", Motor { velocity: [2.0, 1.0], ..motor }),
        ("axis", Motor { axis: [1.0, 0.4], ..motor }),
        ("strength", Motor { strength: 16.0, ..motor }),
        ("lifetime", Motor { lifetime: 1.8, ..motor }),
        ("fade_in", Motor { fade_in: 0.5, ..motor }),
        ("fade_out", Motor { fade_out: 0.6, ..motor }),
        ("fade", Motor { fade: Fade::Smooth, ..motor }),
        ("age", Motor { age: 0.2, ..motor }),
    ] {
        assert_ne!(digest_of(params, changed), first, "{name} changes nothing");
    }
}

#[test]
fn a_step_of_zero_changes_nothing() {
    let mut wind = Wind2::<f64>::new(still([16, 16]), [0.0; 2]).unwrap();
    wind.motors_mut().push(Motor::explosion([0.0; 2], 4.0, 10.0));
    wind.step(0.05).unwrap();
    let before = (wind.digest(), wind.sample([2.0, 0.3]), wind.time());
    assert_eq!(wind.step(0.0).unwrap().substeps, 0);
    assert_eq!((wind.digest(), wind.sample([2.0, 0.3]), wind.time()), before);
}

#[test]
fn closed_cells_keep_their_place_in_the_world_and_new_ones_are_open() {
    let params = WindParams { ambient: [0.0, 0.0, 6.0], ..still([16, 12, 16]) };
    let mut wind = Wind3::<f32>::new(params, [0.0; 3]).unwrap();
    let hill = |[x, y, z]: [f32; 3]| y < 3.0 - 0.1 * (x * x + z * z);
    wind.close_cells(hill);
    let open = |wind: &Wind3<f32>, p: [f32; 3]| {
        let corner = wind.lower_corner();
        wind.openness(core::array::from_fn(|a| (p[a] - corner[a]).floor() as usize)).unwrap()
    };
    assert_eq!(open(&wind, [0.5, 1.5, 0.5]), 0.0);
    assert!(open(&wind, [0.5, 1.5, 4.5]) < 0.5); // in the lee
    assert_eq!(open(&wind, [0.5, 4.5, 0.5]), 1.0); // above
    assert_eq!(wind.follow([5.0, 1.0, 2.0]), Ok(true));
    assert_eq!(wind.follow([5.2, 1.1, 2.3]), Ok(false));
    assert_eq!(open(&wind, [0.5, 1.5, 0.5]), 0.0);
    // The ground that came in is not known yet; told, it is there.
    assert!(open(&wind, [8.5, -4.5, 0.5]) > 0.0);
    wind.close_cells(hill);
    assert_eq!(open(&wind, [8.5, -4.5, 0.5]), 0.0);
    assert!(open(&wind, [10.5, -4.5, 0.5]) > 0.0); // above the hill
    assert_eq!(wind.openness([16, 0, 0]), None);
}

#[test]
fn case_o29_what_is_scrolled_away_and_back_is_at_its_place_bit_for_bit() {
    let mut wind = Wind3::new(still([48, 12, 40]), [0.0; 3]).unwrap();
    wind.set_excess(noise(5, 3.0)).unwrap();
    let before: Vec<_> = cells(&wind).map(|cell| wind.excess(cell).unwrap()).collect();
    // Places that the margins never reach on the way.
    let mut random = Random::new(6);
    let places: Vec<[f64; 3]> = (0..60)
        .map(|_| [(8.5, 21.5), (-3.5, 3.5), (-17.5, -2.5)].map(|(lo, hi)| random.within(lo, hi)))
        .collect();
    let sampled = |wind: &Wind3<f64>| -> Vec<_> {
        places.iter().flat_map(|place| wind.sample(*place).map(f64::to_bits)).collect()
    };
    let samples = sampled(&wind);
    let (mut x, mut most) = (0.0_f64, [0.0_f64; 2]);
    for step in [0.3; 100].into_iter().chain([-0.3; 100]) {
        x += step;
        wind.follow([x, 0.0, -0.6 * x]).unwrap();
        let [left, _, front] = wind.lower_corner();
        most = [most[0].max(left + 24.0), most[1].max(-20.0 - front)];
        assert_eq!(sampled(&wind), samples, "{x}");
    }
    wind.follow([0.0; 3]).unwrap();
    let [left, front] = most.map(|m| m as usize);
    assert!((29..=30).contains(&left) && (18..=19).contains(&front), "{most:?}");
    for (cell, before) in cells(&wind).zip(&before) {
        // What was left behind on the way is gone.
        let kept = cell[0] >= left && cell[2] + front < 40;
        let expected = if kept { *before } else { [0.0; 3] };
        assert_eq!(wind.excess(cell), Some(expected), "{cell:?}");
    }
}

#[test]
fn case_o29_a_shift_keeps_the_overlap_and_leaks_nothing_around() {
    let mut wind = Wind2::new(still([32, 32]), [0.0; 2]).unwrap();
    wind.set_excess(noise(6, 3.0)).unwrap();
    let all = |wind: &Wind2<f64>| -> Vec<_> {
        cells(wind).map(|cell| wind.excess(cell).unwrap()).collect()
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
fn case_o29_outside_and_for_what_is_no_number_there_is_ambient_wind() {
    let ambient = [3.0_f32, 1.0, -2.0];
    let params = WindParams { ambient, gusts: Some(Gusts::default()), ..still([32, 16, 32]) };
    for centre in [[0.0; 3], [1e5, 200.0, -3e4]] {
        let mut wind = Wind3::<f32>::new(params, centre).unwrap();
        wind.set_excess(|_| [50.0; 3]).unwrap();
        wind.step(0.1).unwrap();
        for axis in 0..3 {
            for far in [1e9, -1e9, 17.0, -17.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut position = centre;
                position[axis] += far;
                assert_eq!(wind.sample(position), ambient, "{axis} {far}");
            }
        }
        assert_ne!(wind.sample(centre), ambient);
    }
}

#[test]
fn case_o29_a_gust_that_is_over_falls_to_a_third_in_its_time_at_any_frame_rate() {
    for time_step in [1.0 / 30.0, 1.0 / 144.0] {
        let params = WindParams { time_step, relaxation_time: 0.5, ..still([16, 16]) };
        let mut wind = Wind2::new(params, [0.0; 2]).unwrap();
        wind.set_excess(|_| [2.0, 1.0]).unwrap();
        let frames = (0.5_f64 / time_step).round() as usize;
        for _ in 0..frames {
            wind.step(time_step).unwrap();
        }
        let [x, y] = wind.excess([8, 8]).unwrap();
        let left = (-1.0_f64).exp();
        assert!((x / 2.0 / left - 1.0).abs() < 1e-6 && (y / left - 1.0).abs() < 1e-6);
    }
}

/// How far from the middle a tracer ends that starts `far` from it in solid rotation, over that.
fn drift<T: Real>(omega: f64, far: f64, (steps, dt): (usize, f64)) -> (f64, usize) {
    let mut wind = Wind2::<T>::new(still([64, 64]), [T::zero(); 2]).unwrap();
    let omega = T::of(omega);
    wind.set_excess(|[x, y]| [-omega * y, omega * x]).unwrap();
    let (mut x, mut y) = ([T::of(far)], [T::zero()]);
    let mut taken = 0;
    for _ in 0..steps {
        taken = wind.carry([&mut x, &mut y], T::of(dt)).unwrap();
    }
    (x[0].to_f64().hypot(y[0].to_f64()) / far, taken)
}

#[test]
fn case_o28_tracers_in_a_whirl_stay_on_their_circle() {
    // 100 rad at 1 rad/s; forward Euler ends at 145 times the radius, midpoint at 1.0126.
    let (radius, _) = drift::<f64>(1.0, 10.0, (1000, 0.1));
    assert!((radius - 1.0).abs() < 1e-4, "{radius}");
    // 200 rad at 20 rad/s in frames of a sixtieth: sub-steps are needed.
    let (radius, taken) = drift::<f64>(20.0, 10.0, (600, 1.0 / 60.0));
    assert!((radius - 1.0).abs() < 1e-2 && taken > 1, "{radius} in {taken}");
    let (radius, _) = drift::<f32>(20.0, 10.0, (600, 1.0 / 60.0));
    assert!((radius - 1.0).abs() < 2e-2, "{radius}");
}

#[test]
fn case_o28_no_tracer_turns_at_right_angles_within_a_step_of_its_path() {
    // The direction of the path from frame to frame turns as the whirl does: 20 rad/s / 60.
    let mut wind = Wind2::<f64>::new(still([64, 64]), [0.0; 2]).unwrap();
    wind.set_excess(|[x, y]| [-20.0 * y, 20.0 * x]).unwrap();
    let (mut x, mut y) = ([6.0], [1.0]);
    let mut before: Option<f64> = None;
    for _ in 0..200 {
        let from = [x[0], y[0]];
        wind.carry([&mut x, &mut y], 1.0 / 60.0).unwrap();
        let angle = (y[0] - from[1]).atan2(x[0] - from[0]);
        if let Some(before) = before {
            let turn = (angle - before).rem_euclid(core::f64::consts::TAU);
            assert!((turn - 1.0 / 3.0).abs() < 1e-3, "{turn}");
        }
        before = Some(angle);
    }
}

/// Reads on both sides of where cells and margins meet, `near` from there.
fn read_across_borders<T: Real>(wind: &Wind3<T>, near: f64, tolerance: f64) {
    let mut random = Random::new(5);
    let ambient = wind.params().ambient;
    let mut outside = 0;
    for n in 0..3000 {
        let axis = n % 3;
        let mut at: [f64; 3] = core::array::from_fn(|_| random.within(-6.5, 6.5));
        // Samples meet at the centres of cells, cells at whole numbers, margins at two within the sides.
        at[axis] = (2.0 * at[axis]).round() * 0.5;
        let [mut below, mut above] = [at; 2];
        (below[axis], above[axis]) = (at[axis] - near, at[axis] + near);
        let [b, a] = [below, above].map(|place| wind.sample(place.map(T::of)));
        (0..3).for_each(|c| assert!((a[c] - b[c]).to_f64().abs() < tolerance, "{at:?}"));
        outside += usize::from(a == ambient || b == ambient);
    }
    assert!((300..2700).contains(&outside), "{outside}");
}

#[test]
fn case_o28_sampling_is_continuous_across_the_borders_of_cells_and_at_the_sides() {
    let mut wind = Wind3::<f64>::new(still([12, 10, 11]), [0.0; 3]).unwrap();
    wind.set_excess(noise(4, 1.0)).unwrap();
    read_across_borders(&wind, 1e-9, 1e-6);
    let mut wind = Wind3::<f32>::new(still([12, 10, 11]), [0.0; 3]).unwrap();
    let mut random = Random::new(4);
    wind.set_excess(|_| core::array::from_fn(|_| random.within(-1.0, 1.0) as f32)).unwrap();
    // Twice the distance, times slopes of up to 8/s.
    read_across_borders(&wind, 1e-4, 2e-3);
    // Gusts, and a rock that reaches through a side.
    let gusts = Some(Gusts { speed: 3.0, length: 5.0, seed: 8, divergence_free: true });
    let params = WindParams { ambient: [4.0, 1.0, -2.0], gusts, ..still([12, 10, 11]) };
    let mut wind = Wind3::<f64>::new(params, [30.0, 0.0, 0.0]).unwrap();
    let rock = Shape::ball(3.0).unwrap().moved([5.0, 0.5, 0.5]).unwrap();
    wind.set_obstacles(vec![rock]).unwrap();
    wind.follow([0.0; 3]).unwrap();
    wind.step(0.1).unwrap();
    assert_eq!(wind.openness([10, 5, 5]), Some(0.0));
    read_across_borders(&wind, 1e-9, 1e-6);
}

#[test]
fn ten_thousand_samples_are_those_of_single_calls_bit_for_bit() {
    let gusts = Some(Gusts { speed: 1.0, ..Default::default() });
    let params = WindParams::<f32, 3> { ambient: [1.0, 0.5, 0.0], gusts, ..Default::default() };
    let mut wind = Wind3::new(params, [3.0, 2.0, 1.0]).unwrap();
    wind.motors_mut().push(Motor::vortex([3.0, 2.0, 1.0], 6.0, [0.0, 1.0, 0.0], 30.0));
    wind.step(0.4).unwrap();
    let mut random = Random::new(9);
    let x: [Vec<f32>; 3] =
        core::array::from_fn(|_| (0..10_000).map(|_| random.within(-20.0, 20.0) as f32).collect());
    let [mut u, mut v, mut w] = [(); 3].map(|()| vec![0.0; 10_000]);
    wind.sample_all([&x[0], &x[1], &x[2]], [&mut u, &mut v, &mut w]).unwrap();
    for n in 0..10_000 {
        let one = wind.sample([x[0][n], x[1][n], x[2][n]]).map(f32::to_bits);
        assert_eq!(one, [u[n], v[n], w[n]].map(f32::to_bits), "{n}");
    }
    let mut gradients = vec![[[0.0; 3]; 3]; 10_000];
    wind.gradient_all([&x[0], &x[1], &x[2]], &mut gradients).unwrap();
    for (n, all) in gradients.iter().enumerate() {
        let one = wind.gradient([x[0][n], x[1][n], x[2][n]]);
        assert_eq!(all.as_flattened(), one.as_flattened(), "{n}");
    }
    assert!(gradients.iter().flatten().flatten().any(|g| *g > 1.0));
}
