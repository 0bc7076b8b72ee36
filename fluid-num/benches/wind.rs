//! Steps of wind, what else a frame does, and how fast wind is sampled. Bytes counted: of a step and of
//! the rest of a frame, every component now and a step before read and written once; of a sample, its
//! position and the wind there.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::solid::Shape;
use fluid_num::{Gusts, Motor, Real, Wind, WindParams};

/// A breeze with a whirl and a gust, after two seconds.
fn breeze<T: Real, const D: usize>(params: WindParams<T, D>) -> Option<Wind<T, D>> {
    let mut ambient = [T::zero(); D];
    (ambient[0], ambient[D - 1]) = (T::of(3.0), T::one());
    let mut wind = Wind::new(WindParams { ambient, ..params }, [T::zero(); D]).ok()?;
    let mut place = [T::zero(); D];
    place[0] = T::of(5.0);
    let mut axis = [T::zero(); D];
    axis[0] = T::one();
    wind.motors_mut().push(Motor::vortex([T::zero(); D], T::of(6.0), axis, T::of(20.0)));
    wind.motors_mut().push(Motor::directional(place, T::of(4.0), axis, T::of(20.0)));
    for _ in 0..60 {
        wind.step(params.time_step).ok()?;
    }
    Some(wind)
}

fn step<T: Real, const D: usize>(
    c: &mut Criterion,
    label: &str,
    threads: usize,
    params: WindParams<T, D>,
) {
    let Some(mut wind) = breeze(params) else {
        return;
    };
    let case = Case {
        name: label,
        cells: params.cells.iter().product(),
        bytes_per_cell: 4 * D * size_of::<T>(),
        threads,
    };
    case.run(c, || assert!(wind.step(params.time_step).is_ok()));
}

/// A frame without a step, moves with and without a rock in the way, another list of closed cells, a
/// tracer and a texture.
fn frames(c: &mut Criterion, threads: usize) {
    let params = WindParams::<f32, 3>::default();
    let Some(mut wind) = breeze(params) else {
        return;
    };
    let cells = params.cells.iter().product();
    let case = |name| Case { name, cells, bytes_per_cell: 4 * 3 * size_of::<f32>(), threads };
    case("wind f32 32x16x32, no step").run(c, || assert!(wind.step(1e-9).is_ok()));
    let mut tracer = [[0.1], [0.2], [0.3]];
    case("wind f32 32x16x32, one tracer").run(c, || {
        let tracer = tracer.each_mut().map(<[f32; 1]>::as_mut_slice);
        assert!(wind.carry(tracer, 1.0 / 60.0).is_ok());
    });
    let mut texture = vec![0; 4 * cells];
    case("wind f32 32x16x32, RGBA8").run(c, || {
        assert!(wind.pack_rgba8(20.0, &mut texture).is_ok());
    });
    let to_and_fro = |wind: &mut Wind<f32, 3>| {
        let x = if wind.lower_corner()[0] < -16.0 { 0.5 } else { -0.5 };
        assert_eq!(wind.follow([x, 0.0, 0.0]), Ok(true));
    };
    case("wind f32 32x16x32, a move").run(c, || to_and_fro(&mut wind));
    let Ok(rock) = Shape::ball(3.0) else {
        return;
    };
    assert!(wind.set_obstacles(vec![rock]).is_ok());
    case("wind f32 32x16x32, a move with a rock").run(c, || to_and_fro(&mut wind));
    case("wind f32 32x16x32, closed cells").run(c, || wind.close_cells(|x| x[1] < -5.0));
}

fn samples<T: Real, const D: usize>(c: &mut Criterion, label: &str, threads: usize) {
    const COUNT: usize = 1_000_000;
    let Some(wind) = breeze(WindParams::<T, D>::default()) else {
        return;
    };
    let mut state = 1_u64;
    let mut random = |size: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        T::of(((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * size)
    };
    let cells = wind.params().cells;
    let positions: [Vec<T>; D] =
        core::array::from_fn(|a| (0..COUNT).map(|_| random(cells[a] as f64)).collect());
    let mut out = positions.clone();
    let bytes_per_cell = 2 * D * size_of::<T>();
    let case = Case { name: label, cells: COUNT, bytes_per_cell, threads };
    case.run(c, || {
        let out = out.each_mut().map(Vec::as_mut_slice);
        assert!(wind.sample_all(positions.each_ref().map(Vec::as_slice), out).is_ok());
    });
}

fn wind(c: &mut Criterion) {
    for threads in [1, 2] {
        let plain = WindParams::default();
        let gusts = Some(Gusts::default());
        step::<f32, 3>(c, "wind f32 32x16x32", threads, plain);
        step::<f32, 3>(c, "wind f32 32x16x32, gusts", threads, WindParams { gusts, ..plain });
        let swirl = WindParams { swirl_sweeps: 4, ..plain };
        step::<f32, 3>(c, "wind f32 32x16x32, 4 sweeps", threads, swirl);
        step::<f32, 3>(
            c,
            "wind f32 128x32x128",
            threads,
            WindParams { cells: [128, 32, 128], ..plain },
        );
        step::<f64, 3>(c, "wind f64 32x16x32", threads, WindParams::default());
        step::<f32, 2>(c, "wind f32 32x32", threads, WindParams::default());
        frames(c, threads);
        samples::<f32, 3>(c, "wind f32 32x16x32, a million samples", threads);
        samples::<f64, 3>(c, "wind f64 32x16x32, a million samples", threads);
    }
}

criterion_group!(benches, wind);
criterion_main!(benches);
