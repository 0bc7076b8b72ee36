use super::*;
use crate::advection::Interpolation;
use crate::{Error, Faces, Grid2, LevelSet2};
use core::f64::consts::PI;

/// Carries a shape through a flow of the unit square and returns the relative change of its area.
fn area_change(
    cells: usize,
    (shape, at): (&Shape<f64, 2>, [f64; 2]),
    (time, steps): (f64, usize),
    interpolation: Interpolation,
    flow: impl Fn(f64) -> Faces<f64, 2>,
) -> f64 {
    let grid = Grid2::new([cells; 2], 1.0 / cells as f64).unwrap();
    let mut set = LevelSet::from_shape(grid, &Boundary::walls(), shape, at).unwrap();
    let mut transport = BandTransport::new(grid, Boundary::walls(), interpolation).unwrap();
    let (before, dt) = (set.measure(), time / steps as f64);
    for n in 0..steps {
        transport.carry(&flow((n as f64 + 0.5) * dt), &mut set, dt).unwrap();
    }
    set.measure() / before - 1.0
}

#[test]
fn the_slotted_disc_of_zalesak_keeps_its_area() {
    // A slot of 0.05 × 0.25 from below; one turn at one cell a step.
    let slot = Shape::cuboid([0.025, 0.125]).unwrap().moved([0.0, -0.025]).unwrap();
    let disc = Shape::difference(Shape::ball(0.15).unwrap(), slot).unwrap();
    for cells in [100, 200] {
        let grid = Grid2::new([cells; 2], 1.0 / cells as f64).unwrap();
        let turn = Faces::from_fn(grid, |[x, y]| [2.0 * PI * (0.5 - y), 2.0 * PI * (x - 0.5)]);
        let steps = (PI * cells as f64) as usize + 1;
        let change =
            |how| area_change(cells, (&disc, [0.5, 0.75]), (1.0, steps), how, |_| turn.clone());
        let cubic = change(Interpolation::Cubic);
        assert!(cubic.abs() < 0.03, "{cells}: {cubic}");
        if cells == 100 {
            assert!(change(Interpolation::Linear) < -0.5);
        }
    }
}

#[test]
fn a_disc_in_a_vortex_that_turns_back_keeps_its_area() {
    let cells = 128;
    let grid = Grid2::new([cells; 2], 1.0 / 128.0).unwrap();
    let square = |v: f64| libm::sin(PI * v) * libm::sin(PI * v);
    // From the stream function at the corners of cells: no divergence.
    let stream = |x: f64, y: f64| square(x) * square(y) / PI;
    let half = 0.5 / 128.0;
    let vortex = Faces::from_fn(grid, |[x, y]| {
        let along =
            [stream(x, y - half) - stream(x, y + half), stream(x + half, y) - stream(x - half, y)];
        along.map(|v| v * 128.0)
    });
    let flow = |t: f64| {
        let mut u = vortex.clone();
        let factor = libm::cos(PI * t / 8.0);
        u.components_mut()
            .iter_mut()
            .for_each(|c| c.as_mut_slice().iter_mut().for_each(|v| *v *= factor));
        u
    };
    let disc = Shape::ball(0.15).unwrap();
    let change = area_change(cells, (&disc, [0.5, 0.75]), (8.0, 1024), Interpolation::Cubic, flow);
    assert!(change.abs() < 0.15, "{change}");
}

#[test]
fn whole_cells_are_whole_cells() {
    let grid = Grid2::new([24, 16], 0.5_f32).unwrap();
    let periodic = Boundary::periodic();
    let shape = Shape::ball(2.1).unwrap();
    let start = LevelSet2::from_shape(grid, &periodic, &shape, [6.0, 4.0]).unwrap();
    let u = Faces::from_fn(grid, |_| [0.5, -1.0]);
    for how in [Interpolation::Linear, Interpolation::Cubic, Interpolation::ClampedCubic] {
        let mut set = start.clone();
        BandTransport::new(grid, periodic, how).unwrap().carry(&u, &mut set, 3.0).unwrap();
        for i in 0..24 {
            for j in 0..16 {
                let moved: f32 = set.field()[[(i + 3) % 24, (j + 10) % 16]];
                // The weights of the path add up to one but for rounding.
                assert!((moved - start.field()[[i, j]]).abs() < 1e-5);
            }
        }
        set.copy_from(&start).unwrap();
        BandTransport::new(grid, periodic, how).unwrap().carry(&u, &mut set, 0.0).unwrap();
        assert_eq!(set, start);
    }
}

#[test]
fn a_cut_level_set_goes_on_where_nothing_was_near_before() {
    // Far beyond the band it was cut at, without another reinitialisation.
    for boundary in [Boundary::walls(), Boundary::periodic()] {
        let grid = Grid2::new([160, 40], 1.0).unwrap();
        let shape = Shape::ball(9.0).unwrap();
        let mut set = LevelSet2::from_shape(grid, &boundary, &shape, [20.0, 20.0]).unwrap();
        FastIterative::new(grid, 5.0, DistanceOrder::Second)
            .unwrap()
            .reinitialize(&mut set)
            .unwrap();
        let u = Faces::from_fn(grid, |_| [1.0, 0.0]);
        let mut transport =
            BandTransport::new(grid, Boundary::periodic(), Interpolation::Cubic).unwrap();
        let before = set.measure();
        for _ in 0..80 {
            transport.carry(&u, &mut set, 1.4).unwrap();
        }
        assert!((set.measure() / before - 1.0).abs() < 5e-3);
        for (p, expected) in [([132.0, 20.0], -5.0), ([141.0, 20.0], 0.0), ([132.0, 12.0], -1.0)] {
            let distance: f64 = set.signed_distance(p);
            assert!((distance - expected).abs() < 0.1, "{p:?}: {distance}");
        }
    }
}

#[test]
fn a_velocity_that_is_none_changes_nothing() {
    let grid = Grid2::new([8, 8], 1.0).unwrap();
    let shape = Shape::ball(2.0).unwrap();
    let start = LevelSet2::from_shape(grid, &Boundary::walls(), &shape, [4.0, 4.0]).unwrap();
    let mut set = start.clone();
    let mut transport = BandTransport::new(grid, Boundary::walls(), Interpolation::Cubic).unwrap();
    let mut u = Faces::zeros(grid);
    for dt in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(transport.carry(&u, &mut set, dt), Err(Error::InvalidTimeStep { .. })));
    }
    u[1][[3, 4]] = f64::NAN;
    assert!(matches!(transport.carry(&u, &mut set, 0.1), Err(Error::NotFinite { .. })));
    let other = Faces::zeros(Grid2::new([8, 9], 1.0).unwrap());
    assert!(matches!(transport.carry(&other, &mut set, 0.1), Err(Error::GridMismatch { .. })));
    assert_eq!(set, start);
}
