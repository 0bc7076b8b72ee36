//! Winds that are built, blown, moved about, walled in, sampled and restored.

use fluid_num::schemes::wind::{Fade, Falloff, Flow, Reach};
use fluid_num::{Error, Grid, Gusts, Motor, Real, Simulation, Wind, WindParams};

use crate::input::{Input, dispatch};
use crate::scene;

/// A wind of any parameters and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn wind_step(data: &[u8]) {
    dispatch!(data, run);
}

fn params<T: Real, const D: usize>(input: &mut Input<'_>) -> WindParams<T, D> {
    let gusts = Gusts {
        speed: input.coefficient(),
        length: input.number(0.5, 20.0),
        seed: u64::from(input.byte()),
        divergence_free: input.flag(),
    };
    WindParams {
        cells: core::array::from_fn(|_| input.within(3, if D == 2 { 14 } else { 8 })),
        cell_size: T::of(input.pick(&[1.0, 0.1, 7.0, 1e-6, 1e6])),
        time_step: input.pick(&[T::of(1.0 / 30.0), T::of(1e-4), T::of(10.0), T::of(1e6)]),
        max_substeps: input.within(0, 6),
        ambient: input.vector(-20.0, 20.0),
        relaxation_time: input.number(0.1, 10.0),
        viscosity: input.coefficient(),
        swirl_sweeps: input.within(0, 3),
        margin: input.number(0.9, 3.0),
        shadow_length: input.number(0.9, 12.0),
        gusts: input.flag().then_some(gusts),
    }
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let params = params::<T, D>(input);
    let mut wind = match Wind::new(params, input.vector(-1e3, 1e3)) {
        Ok(wind) => wind,
        Err(error) => return assert!(error.to_string().len() > 20, "{error}"),
    };
    for _ in 0..input.within(1, 8) {
        match input.byte() % 12 {
            0 | 1 => {
                let motor = motor(input, &wind);
                wind.motors_mut().push(motor);
            }
            2 => follow(input, &mut wind),
            3 => wind.close_cells(|_| input.chance(30)),
            4 => {
                let grid =
                    Grid::new(params.cells, params.cell_size).expect("cells that a wind has");
                let shapes = scene::body(input, &grid).map(|body| body.shape);
                let (before, had) = (wind.digest(), wind.obstacles().to_vec());
                if let Err(error) = wind.set_obstacles(shapes.into_iter().collect()) {
                    refused(&wind, &error, before);
                    assert_eq!(wind.obstacles(), had);
                }
            }
            5 => set_params(input, &mut wind),
            6 => {
                let before = wind.digest();
                if let Err(error) = wind.set_excess(|_| input.vector(-30.0, 30.0)) {
                    refused(&wind, &error, before);
                }
            }
            7 => look(input, &wind),
            _ => {
                let dt = input.time_step::<T>() * params.time_step * T::of(20.0);
                step(&mut wind, dt);
            }
        }
    }
    step(&mut wind, T::zero());
    step(&mut wind, params.time_step);
    look(input, &wind);
    repeat(&wind);
}

fn motor<T: Real, const D: usize>(input: &mut Input<'_>, wind: &Wind<T, D>) -> Motor<T, D> {
    let (corner, cell) = (wind.lower_corner(), wind.params().cell_size);
    let size = |input: &mut Input<'_>| input.number::<T>(0.3, 8.0) * cell;
    let reach = match input.byte() % 3 {
        0 => Reach::Sphere { radius: size(input) },
        1 => Reach::Cylinder { radius: size(input), half_length: size(input) },
        _ => Reach::Cone { length: size(input), slope: input.number(0.1, 2.0) },
    };
    let mut place = corner;
    for x in &mut place {
        *x += input.number::<T>(-2.0, 10.0) * cell;
    }
    Motor {
        flow: input.pick(&[Flow::Directional, Flow::Omni, Flow::Vortex]),
        reach,
        falloff: input.pick(&[Falloff::None, Falloff::Linear, Falloff::Smooth]),
        place,
        velocity: input.vector(-30.0, 30.0),
        axis: input.vector(-1.0, 1.0),
        strength: input.number(-100.0, 100.0),
        lifetime: input.pick(&[T::one() / T::zero(), T::of(0.3), T::of(2.0)]),
        fade_in: input.number(0.0, 0.2),
        fade_out: input.number(0.0, 0.2),
        fade: input.pick(&[Fade::Linear, Fade::Smooth]),
        age: T::zero(),
    }
}

fn refused<T: Real, const D: usize>(wind: &Wind<T, D>, error: &Error, before: u64) {
    scene::assert_refused(error, before, wind.digest());
}

/// What is in the overlap stays at its place in the world, bit for bit.
fn follow<T: Real, const D: usize>(input: &mut Input<'_>, wind: &mut Wind<T, D>) {
    let (cells, cell) = (wind.params().cells, wind.params().cell_size);
    let mut centre = wind.lower_corner();
    for a in 0..D {
        centre[a] += (T::of(0.5 * cells[a] as f64) + input.number(-6.0, 6.0)) * cell;
    }
    let before = wind.clone();
    match wind.follow(centre) {
        Ok(_) => {
            let moved: [i64; D] = core::array::from_fn(|a| {
                let way = wind.lower_corner()[a] - before.lower_corner()[a];
                (way / cell).to_f64().round() as i64
            });
            let n = cells.map(|n| n as i64);
            for k in 0..cells.iter().product::<usize>() {
                let mut rest = k as i64;
                let here: [i64; D] = core::array::from_fn(|a| {
                    let i = rest % n[a];
                    rest /= n[a];
                    i
                });
                let there: [i64; D] = core::array::from_fn(|a| here[a] + moved[a]);
                let kept = (0..D).all(|a| (0..n[a]).contains(&there[a]));
                let value = wind.excess(here.map(|i| i as usize));
                let zero = Some([T::zero(); D]);
                let expected = if kept { before.excess(there.map(|i| i as usize)) } else { zero };
                assert_eq!(value, expected, "{here:?} after {moved:?}");
            }
        }
        Err(error) => refused(wind, &error, before.digest()),
    }
}

fn set_params<T: Real, const D: usize>(input: &mut Input<'_>, wind: &mut Wind<T, D>) {
    let before = (wind.digest(), *wind.params());
    let (cells, cell_size) = (before.1.cells, before.1.cell_size);
    let params = WindParams { cells, cell_size, ..params(input) };
    if let Err(error) = wind.set_params(params) {
        refused(wind, &error, before.0);
        assert_eq!(*wind.params(), before.1);
    }
}

fn step<T: Real, const D: usize>(wind: &mut Wind<T, D>, dt: T) {
    let before = wind.digest();
    match wind.step(dt) {
        Ok(report) => {
            assert!(report.substeps <= wind.params().max_substeps, "{report:?}");
            assert!(report.max_speed.is_finite(), "{report:?}");
            assert!(dt > T::zero() || wind.digest() == before, "0 s changed something");
        }
        Err(error) => {
            refused(wind, &error, before);
            wind.motors_mut().clear();
        }
    }
}

/// Whatever is asked for, samples are finite, and many are those of one.
fn look<T: Real, const D: usize>(input: &mut Input<'_>, wind: &Wind<T, D>) {
    const COUNT: usize = 70;
    let corner = wind.lower_corner();
    let mut positions: [Vec<T>; D] = core::array::from_fn(|a| {
        let far = wind.params().cell_size;
        (0..COUNT).map(|_| corner[a] + input.number::<T>(-2.0, 16.0) * far).collect()
    });
    let mut samples = positions.clone();
    wind.sample_all(
        positions.each_ref().map(Vec::as_slice),
        samples.each_mut().map(Vec::as_mut_slice),
    )
    .expect("all arrays are as long");
    let mut gradients = [[[T::zero(); D]; D]; COUNT];
    wind.gradient_all(positions.each_ref().map(Vec::as_slice), &mut gradients)
        .expect("all arrays are as long");
    for n in 0..COUNT {
        let position = core::array::from_fn(|a| positions[a][n]);
        let one = wind.sample(position);
        for (a, value) in one.iter().enumerate() {
            assert!(value.is_finite(), "{position:?}: {one:?}");
            assert_eq!(value.bits(), samples[a][n].bits());
        }
        let gradient = wind.gradient(position);
        assert!(gradient.iter().flatten().all(|g| g.is_finite()), "{position:?}");
        assert_eq!(gradients[n], gradient);
    }
    let carried = wind.carry(positions.each_mut().map(Vec::as_mut_slice), input.number(0.0, 0.1));
    if let Ok(steps) = carried {
        assert!((1..=1000).contains(&steps));
    }
}

/// The same state gives the same bits, copied or from a snapshot.
fn repeat<T: Real, const D: usize>(wind: &Wind<T, D>) {
    let fresh = || {
        Wind::new(*wind.params(), [T::zero(); D])
            .expect("parameters that were accepted are accepted again")
    };
    let (mut copy, mut restored, mut own) = (fresh(), fresh(), wind.clone());
    copy.copy_from(wind).expect("the cells are as many");
    restored.set_obstacles(wind.obstacles().to_vec()).expect("they were accepted before");
    restored.restore(&wind.snapshot()).expect("what a step left is restored");
    let dt = T::of(2.0) * wind.params().time_step;
    let after =
        [&mut own, &mut copy, &mut restored].map(|wind| (wind.step(dt).is_ok(), wind.digest()));
    assert_eq!(after[1], after[0]);
    assert_eq!(after[2], after[0]);
}
