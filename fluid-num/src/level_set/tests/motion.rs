use super::*;
use crate::advection::Interpolation;
use crate::{Error, Faces, Grid2, LevelSet2};
use alloc::vec::Vec;

/// Carries a shape through a flow of the unit square, reinitialised after every `every` steps, and
/// returns the relative change of its area.
fn area_change(
    cells: usize,
    (shape, at): (&Shape<f64, 2>, [f64; 2]),
    (time, steps): (f64, usize),
    (interpolation, every): (Interpolation, usize),
    flow: impl Fn(f64) -> Faces<f64, 2>,
) -> f64 {
    let grid = Grid2::new([cells; 2], 1.0 / cells as f64).unwrap();
    let mut set = LevelSet::from_shape(grid, &Boundary::walls(), shape, at).unwrap();
    let mut transport = BandTransport::new(grid, Boundary::walls(), interpolation).unwrap();
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
    let (before, dt) = (set.measure(), time / steps as f64);
    for n in 0..steps {
        transport.carry(&flow((n as f64 + 0.5) * dt), &mut set, dt).unwrap();
        if n % every == every - 1 {
            solver.reinitialize(&mut set).unwrap();
        }
    }
    set.measure() / before - 1.0
}

const NEVER: usize = usize::MAX;

#[test]
fn the_slotted_disc_of_zalesak_keeps_its_area() {
    let (disc, at) = slotted_disc();
    for cells in [100, 200] {
        let flow = turn(cells);
        // One cell a step.
        let steps = (PI * cells as f64) as usize + 1;
        let change = |how| area_change(cells, (&disc, at), (1.0, steps), how, |_| flow.clone());
        let [alone, by_the_rule] = [NEVER, 5].map(|every| change((Interpolation::Cubic, every)));
        assert!(alone.abs() < 0.03 && by_the_rule.abs() < 0.02, "{cells}: {alone} {by_the_rule}");
        if cells == 100 {
            assert!(change((Interpolation::Linear, NEVER)) < -0.5);
        }
    }
}

#[test]
fn a_disc_in_a_vortex_that_turns_back_keeps_its_area() {
    let (disc, flow) = (Shape::ball(0.15).unwrap(), |time| vortex(128, time));
    let how = (Interpolation::Cubic, NEVER);
    let change = area_change(128, (&disc, [0.5, 0.75]), (8.0, 1024), how, flow);
    assert!(change.abs() < 0.15, "{change}");
}

#[test]
fn a_ball_that_is_deformed_and_comes_back_keeps_its_volume() {
    let (cells, steps) = (48, 144);
    let grid = Grid::new([cells; 3], 1.0 / cells as f32).unwrap();
    let ball = Shape::ball(0.15_f32).unwrap();
    let mut set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, [0.35; 3]).unwrap();
    let mut transport = BandTransport::new(grid, Boundary::walls(), Interpolation::Cubic).unwrap();
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
    let (before, dt) = (set.measure(), 3.0 / f64::from(steps));
    solver.reinitialize(&mut set).unwrap();
    for n in 0..steps {
        let u = deformation(cells, (f64::from(n) + 0.5) * dt);
        transport.carry(&u, &mut set, dt as f32).unwrap();
        if n % 5 == 4 {
            solver.reinitialize(&mut set).unwrap();
        }
    }
    let change = set.measure() / before - 1.0;
    // −9 %, and −2 % at 64³.
    assert!(change.abs() < 0.12, "{change}");
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
fn a_step_between_two_cuts_moves() {
    let grid = Grid2::new([64, 16], 1.0).unwrap();
    let walls = Boundary::walls();
    let mut set = LevelSet2::from_fn(grid, &walls, |[x, _]| x - 20.0).unwrap();
    let mut solver = FastIterative::new(grid, 4.0, DistanceOrder::Second).unwrap();
    solver.reinitialize(&mut set).unwrap();
    // Far from the interface it had, nothing but ±4 on both sides of a jump.
    set.change(|[x, _], _| if x < 48.0 { -9.0 } else { 9.0 });
    let mut transport = BandTransport::new(grid, walls, Interpolation::Linear).unwrap();
    let u = Faces::from_fn(grid, |_| [1.0, 0.0]);
    transport.carry(&u, &mut set, 2.0).unwrap();
    let row: Vec<f64> = (45..54).map(|i| set.field()[[i, 7]]).collect();
    assert_eq!(row, [-4., -4., -4., -4., -4., 4., 4., 4., 4.]);
}

#[test]
fn what_overflows_is_refused_and_what_is_huge_is_a_side() {
    let grid = Grid2::new([32, 32], 0.5_f32).unwrap();
    let walls = Boundary::walls();
    let side = |huge: f32| move |[x, _]: [f32; 2]| if x < 8.0 { -huge } else { huge };
    let expected = LevelSet2::from_fn(grid, &walls, side(1.0)).unwrap();
    let start = LevelSet2::from_fn(grid, &walls, side(f32::MAX)).unwrap();
    assert_eq!(start.measure(), expected.measure());
    let mut solver = FastIterative::new(grid, 4.0, DistanceOrder::Second).unwrap();
    let mut flood = JumpFlooding::new(grid, 4.0).unwrap();
    for method in 0..2 {
        let mut set = start.clone();
        if method == 0 { solver.reinitialize(&mut set) } else { flood.reinitialize(&mut set) }
            .unwrap();
        for i in 12..20 {
            let distance = 0.5 * (i as f32 - 15.5);
            assert!((set.field()[[i, 9]] - distance).abs() < 0.02, "{method}: {i}");
        }
    }
    let mut set = start.clone();
    let u = Faces::from_fn(grid, |_| [0.3, 0.1]);
    let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic).unwrap();
    let refused = transport.carry(&u, &mut set, 1.0);
    assert!(matches!(refused, Err(Error::NotFinite { name: "phi", .. })));
    assert_eq!(set, start);
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
