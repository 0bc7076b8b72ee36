use super::*;
use crate::advection::Interpolation;
use crate::base::digest::Digest;
use crate::base::snapshot::Snapshot;
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
    // Of two cells nine tenths come back: what is deeper than half a cell has the largest balls, which
    // overlap up to where the interface was.
    let mut lost = set.clone();
    lost.change(|_, phi| phi + 2.0);
    let before = lost.measure() / set.measure() - 1.0;
    markers.correct(&mut lost).unwrap();
    let after = lost.measure() / set.measure() - 1.0;
    assert!(before < -0.3 && after.abs() < 0.1 * before.abs(), "{before} {after}");
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
    // Where the disc has gone by half a cell those of its rim have escaped and stay; where all of it
    // has gone none are of use.
    let mut less = set.clone();
    less.change(|_, phi| phi + 0.5);
    markers.reseed(&less).unwrap();
    assert!(markers.correct(&mut less).unwrap() > 100);
    markers.reseed(&LevelSet::empty(*set.grid(), &Boundary::walls()).unwrap()).unwrap();
    assert!(markers.is_empty());
}

#[test]
fn what_finds_no_room_is_counted() {
    let (set, mut all) = disc_and_markers(MarkerParams::default());
    let params = MarkerParams { capacity: 500, ..MarkerParams::default() };
    let mut few = MarkerParticles::new(*set.grid(), Boundary::walls(), params).unwrap();
    assert_eq!(all.seed(&set), Ok(0));
    assert_eq!(few.seed(&set), Ok(all.len() - 500));
}

#[test]
fn seeding_forgets_what_was_before() {
    let (set, fresh) = disc_and_markers(MarkerParams::default());
    let mut used = fresh.clone();
    used.reseed(&set).unwrap();
    used.seed(&set).unwrap();
    assert!(used.iter().eq(fresh.iter()));
}

#[test]
fn where_a_level_set_is_cut_there_are_none() {
    for band in [2.0, 3.0] {
        let (mut set, mut markers) = disc_and_markers(MarkerParams::default());
        let mut solver = FastIterative::new(*set.grid(), band, DistanceOrder::Second).unwrap();
        solver.reinitialize(&mut set).unwrap();
        markers.seed(&set).unwrap();
        let away = |p: [f64; 2]| ((p[0] - 20.0).powi(2) + (p[1] - 20.0).powi(2)).sqrt() - 12.0;
        let farthest = markers.iter().map(|(p, _)| away(p).abs()).fold(0.0, f64::max);
        // A cell whose centre is nearer than the cut reaches 0.71 beyond it.
        assert!(markers.len() > 1000 && farthest < band + 0.75, "{band}: {farthest}");
        markers.reseed(&set).unwrap();
        let farthest = markers.iter().map(|(p, _)| away(p).abs()).fold(0.0, f64::max);
        assert!(farthest < band + 0.75, "{band}: {farthest}");
    }
}

#[test]
fn liquid_that_is_added_is_not_taken_away_after_a_reseed() {
    let (mut set, mut markers) = disc_and_markers(MarkerParams::default());
    // A second disc that grows out of the first.
    set.unite(&Shape::ball(8.0).unwrap(), [30.0, 20.0]).unwrap();
    let before = set.measure();
    let mut at_once = set.clone();
    markers.clone().correct(&mut at_once).unwrap();
    markers.reseed(&set).unwrap();
    markers.correct(&mut set).unwrap();
    let [lost, kept] = [at_once, set].map(|set| set.measure() / before - 1.0);
    // Those less than a cell deep stay, in what was the rim of the new disc.
    assert!(lost < -0.08 && kept.abs() < 0.03, "{lost} {kept}");
}

#[test]
fn what_is_carried_beyond_all_numbers_is_gone() {
    let grid = Grid2::new([16, 16], 1.0_f32).unwrap();
    let all = Boundary::periodic();
    let set = LevelSet::from_shape(grid, &all, &Shape::ball(4.0).unwrap(), [8.0; 2]).unwrap();
    for speed in [1e10, 1e20, -1e20, f32::MAX] {
        let mut markers = MarkerParticles::new(grid, all, MarkerParams::default()).unwrap();
        markers.seed(&set).unwrap();
        // The sum of the path's velocities leaves the range of numbers at the last of these.
        markers.carry(&Faces::from_fn(grid, |_| [speed, 0.0]), 1.0).unwrap();
        assert!(speed < f32::MAX || markers.is_empty());
        assert!(markers.iter().flat_map(|(p, _)| p).all(|x| (0.0..=16.0).contains(&x)));
    }
    // Turns that numbers can count are turns.
    let mut markers = MarkerParticles::new(grid, all, MarkerParams::default()).unwrap();
    markers.seed(&set).unwrap();
    let before: Vec<_> = markers.iter().collect();
    markers.carry(&Faces::from_fn(grid, |_| [-16.0 * 64.0, 16.0 * 32.0]), 1.0).unwrap();
    assert_eq!(markers.len(), before.len());
    for ((p, _), (q, _)) in markers.iter().zip(&before) {
        // Rounding of numbers up to 1024, in a few operations.
        assert!((0..2).all(|a| (p[a] - q[a]).abs() < 1e-3), "{p:?} {q:?}");
    }
}

#[test]
fn a_liquid_goes_on_from_a_snapshot_with_the_same_bits() {
    let (mut set, mut markers) = disc_and_markers(MarkerParams::default());
    let grid = *set.grid();
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
    let mut transport = BandTransport::new(grid, Boundary::walls(), Interpolation::Cubic).unwrap();
    let u = Faces::from_fn(grid, |[x, y]| [0.05 * (20.0 - y), 0.03 * (x - 20.0)]);
    let mut go_on = |set: &mut LevelSet2<f64>, markers: &mut MarkerParticles<f64, 2>| {
        for _ in 0..3 {
            transport.carry(&u, set, 1.0).unwrap();
            markers.carry(&u, 1.0).unwrap();
            markers.correct(set).unwrap();
            markers.resize(set).unwrap();
        }
        solver.reinitialize(set).unwrap();
        markers.reseed(set).unwrap();
        markers.digest(set.digest(Digest::new())).finish()
    };
    go_on(&mut set, &mut markers);
    let saved = markers.snapshot(set.snapshot(Snapshot::new("liquid", 2, 0.0)));
    let mut other = LevelSet2::empty(grid, &Boundary::walls()).unwrap();
    let mut others =
        MarkerParticles::new(grid, Boundary::walls(), MarkerParams::default()).unwrap();
    other.restore(&saved).unwrap();
    others.restore(&saved).unwrap();
    assert_eq!(other.width(), Some(5.0));
    assert_eq!(go_on(&mut other, &mut others), go_on(&mut set, &mut markers));
    // What does not fit changes nothing.
    let small = MarkerParams { capacity: 100, ..MarkerParams::default() };
    let mut few = MarkerParticles::new(grid, Boundary::walls(), small).unwrap();
    assert!(matches!(few.restore(&saved), Err(Error::WrongCount { .. })));
    let outside = saved
        .clone()
        .with_values("marker position", [50.0, 1.0])
        .with_values("marker radius", [0.1])
        .with_values("phi width", [-1.0]);
    let count = others.len();
    assert!(matches!(others.restore(&outside), Err(Error::InvalidParameter { .. })));
    assert!(matches!(other.restore(&outside), Err(Error::InvalidParameter { .. })));
    assert_eq!((other.width(), others.len()), (Some(5.0), count));
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
    let disc = LevelSet::from_shape(grid, &walls, &Shape::ball(2.0).unwrap(), [4.0; 2]).unwrap();
    markers.seed(&disc).unwrap();
    let count = markers.len();
    assert!(count > 0);
    for refused in [markers.seed(&set), markers.reseed(&set)] {
        assert!(matches!(refused, Err(Error::GridMismatch { .. })));
    }
    assert_eq!(markers.len(), count);
    let mut u = Faces::zeros(grid);
    assert!(matches!(markers.carry(&u, f64::NAN), Err(Error::InvalidTimeStep { .. })));
    u[0][[3, 3]] = f64::INFINITY;
    assert!(matches!(markers.carry(&u, 0.1), Err(Error::NotFinite { .. })));
}
