use super::*;
use crate::advection::Interpolation;
use crate::{Error, Grid2, LevelSet2, Side};
use alloc::vec::Vec;

/// Carries a shape with its particles through a flow of the unit square (cube), reinitialised at every
/// fifth step and reseeded at every twentieth, and returns the relative change of its area (volume).
fn change_with_particles<const D: usize>(
    cells: usize,
    (shape, at): (&Shape<f32, D>, [f32; D]),
    (time, steps): (f64, usize),
    flow: impl Fn(f64) -> Faces<f32, D>,
) -> f64 {
    let grid = Grid::new([cells; D], 1.0 / cells as f32).unwrap();
    let walls = Boundary::walls();
    let mut set = LevelSet::from_shape(grid, &walls, shape, at).unwrap();
    let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic).unwrap();
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
    let mut markers = MarkerParticles::new(grid, walls, MarkerParams::default()).unwrap();
    let (before, dt) = (set.measure(), time / steps as f64);
    solver.reinitialize(&mut set).unwrap();
    markers.seed(&set).unwrap();
    for n in 0..steps {
        let u = flow((n as f64 + 0.5) * dt);
        transport.carry(&u, &mut set, dt as f32).unwrap();
        markers.carry(&u, dt as f32).unwrap();
        markers.correct(&mut set).unwrap();
        if n % 5 == 4 {
            solver.reinitialize(&mut set).unwrap();
            markers.correct(&mut set).unwrap();
        }
        markers.resize(&set).unwrap();
        if n % 20 == 19 {
            markers.reseed(&set).unwrap();
        }
    }
    set.measure() / before - 1.0
}

#[test]
fn with_particles_the_slotted_disc_keeps_its_area_to_a_hundredth() {
    let ((disc, at), flow) = (slotted_disc(), turn(100));
    let change = change_with_particles(100, (&disc, at), (1.0, 315), |_| flow.clone());
    assert!(change.abs() < 0.01, "{change}");
}

#[test]
fn with_particles_a_disc_comes_back_from_a_vortex() {
    let disc = (&Shape::ball(0.15).unwrap(), [0.5, 0.75]);
    let change = change_with_particles(128, disc, (8.0, 1024), |time| vortex(128, time));
    assert!(change.abs() < 0.03, "{change}");
}

#[test]
fn with_particles_a_ball_comes_back_from_its_deformation() {
    let ball = (&Shape::ball(0.15).unwrap(), [0.35; 3]);
    let change = change_with_particles(40, ball, (3.0, 120), |time| deformation(40, time));
    assert!(change.abs() < 0.08, "{change}");
}

fn disc_and_markers(params: MarkerParams) -> (LevelSet2<f64>, MarkerParticles<f64, 2>) {
    let grid = Grid2::new([40, 40], 1.0).unwrap();
    let disc = Shape::ball(12.0).unwrap();
    let walls = Boundary::walls();
    let set = LevelSet2::from_shape(grid, &walls, &disc, [20.0; 2]).unwrap();
    let mut markers = MarkerParticles::new(grid, walls, params).unwrap();
    markers.seed(&set).unwrap();
    (set, markers)
}

#[test]
fn particles_fill_the_band_on_both_sides_and_have_room_to_the_interface() {
    let (set, mut markers) = disc_and_markers(MarkerParams::default());
    // 16 a cell in a ring of six cells, and in the part of a cell that the ring cuts some more.
    let expected = 16.0 * PI * (15.0 * 15.0 - 9.0 * 9.0);
    let share = markers.len() as f64 / expected;
    assert!(share > 1.0 && share < 1.1, "{share}");
    for (p, inside) in markers.iter() {
        let away = ((p[0] - 20.0).powi(2) + (p[1] - 20.0).powi(2)).sqrt() - 12.0;
        assert_eq!(away < 0.0, inside);
        assert!(away.abs() < 3.02 && away.abs() > 0.08, "{away}");
    }
    let mut same = set.clone();
    assert_eq!(markers.correct(&mut same), Ok(0));
    assert_eq!(same, set);
}

#[test]
fn what_the_level_set_has_lost_comes_back() {
    let (set, mut markers) = disc_and_markers(MarkerParams::default());
    // Half a cell of the disc is gone all round.
    let mut lost = set.clone();
    lost.change(|_, phi| phi + 0.5);
    let before = lost.measure() / set.measure() - 1.0;
    assert!(markers.correct(&mut lost).unwrap() > 100);
    let after = lost.measure() / set.measure() - 1.0;
    // Only particles that were nearer than a quarter of a cell are now off by more than their radius.
    assert!(before < -0.08 && after < 0.0 && after > 0.7 * before, "{before} {after}");
}

#[test]
fn particles_go_round_exactly_and_through_periodic_sides() {
    let grid = Grid2::new([40, 40], 0.025).unwrap();
    let all = Boundary::periodic();
    let disc = Shape::<f64, 2>::ball(0.2).unwrap();
    let set = LevelSet2::from_shape(grid, &all, &disc, [0.5; 2]).unwrap();
    let mut markers =
        MarkerParticles::new(grid, Boundary::walls(), MarkerParams::default()).unwrap();
    markers.seed(&set).unwrap();
    let before: Vec<_> = markers.iter().collect();
    let u = Faces::from_fn(grid, |[x, y]| [0.5 - y, x - 0.5]);
    for _ in 0..200 {
        markers.carry(&u, 2.0 * PI / 200.0).unwrap();
    }
    for ((p, _), (q, _)) in markers.iter().zip(&before) {
        // Third order: (2π/200)³/24 of 2π radii.
        assert!((p[0] - q[0]).abs() < 1e-5 && (p[1] - q[1]).abs() < 1e-5, "{p:?} {q:?}");
    }
    let mut markers = MarkerParticles::new(grid, all, MarkerParams::default()).unwrap();
    markers.seed(&set).unwrap();
    let wind = Faces::from_fn(grid, |_| [1.0, -0.5]);
    for _ in 0..20 {
        markers.carry(&wind, 0.1).unwrap();
    }
    assert_eq!(markers.len(), before.len());
    for ((p, _), (q, _)) in markers.iter().zip(&before) {
        assert!((p[0] - q[0]).abs() < 1e-12 && (p[1] - q[1]).abs() < 1e-12, "{p:?} {q:?}");
    }
}

#[test]
fn there_are_never_more_than_there_is_room_for() {
    let params = MarkerParams { capacity: 500, ..MarkerParams::default() };
    let (set, mut markers) = disc_and_markers(params);
    assert_eq!(markers.len(), 500);
    markers.reseed(&set).unwrap();
    assert_eq!(markers.len(), 500);
    let (set, mut markers) = disc_and_markers(MarkerParams::default());
    let count = markers.len();
    for _ in 0..5 {
        markers.reseed(&set).unwrap();
    }
    // The cells that the band cuts get full.
    assert!(markers.len() >= count && markers.len() < count + count / 7);
    // Without an interface those inside have escaped, and those outside are far from it.
    markers.reseed(&LevelSet::empty(*set.grid(), &Boundary::walls()).unwrap()).unwrap();
    assert!(!markers.is_empty() && markers.iter().all(|(_, inside)| inside));
}

#[test]
fn what_makes_no_particles_is_refused() {
    let grid = Grid2::new([8, 8], 1.0).unwrap();
    let walls = Boundary::walls();
    let default = MarkerParams::default();
    for params in [
        MarkerParams { per_cell: 0, ..default },
        MarkerParams { band: f64::NAN, ..default },
        MarkerParams { band: 0.5, ..default },
        MarkerParams { capacity: 0, ..default },
    ] {
        let refused = MarkerParticles::<f64, 2>::new(grid, walls, params);
        assert!(matches!(refused, Err(Error::InvalidParameter { .. })));
    }
    let half = walls.with(0, 0, Side::Periodic);
    assert!(MarkerParticles::<f64, 2>::new(grid, half, default).is_err());
    let mut markers = MarkerParticles::new(grid, walls, default).unwrap();
    let other = Grid2::new([8, 9], 1.0).unwrap();
    let set = LevelSet::empty(other, &walls).unwrap();
    assert!(markers.seed(&set).is_err());
    let mut u = Faces::zeros(grid);
    assert!(matches!(markers.carry(&u, f64::NAN), Err(Error::InvalidTimeStep { .. })));
    u[0][[3, 3]] = f64::INFINITY;
    assert!(matches!(markers.carry(&u, 0.1), Err(Error::NotFinite { .. })));
}
