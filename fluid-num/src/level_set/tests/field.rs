use super::*;
use crate::{Error, Field, Grid2, LevelSet2, Side};
use alloc::vec::Vec;
use core::f64::consts::PI;

/// The mean error of an area or volume over balls at different places.
fn measure_error<const D: usize>(cells: usize, exact: f64) -> f64 {
    let grid = Grid::new([cells; D], 1.0 / cells as f64).unwrap();
    let ball = Shape::<f64, D>::ball(0.3).unwrap();
    let mut seed = 3;
    let errors = (0..8).map(|_| {
        let at = core::array::from_fn(|_| 0.45 + 0.1 * random(&mut seed));
        let set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, at).unwrap();
        (set.measure() / exact - 1.0).abs()
    });
    errors.sum::<f64>() / 8.0
}

#[test]
fn areas_and_volumes_converge_at_second_order() {
    let discs = [24, 96].map(|n| measure_error::<2>(n, PI * 0.09));
    let balls = [16, 48].map(|n| measure_error::<3>(n, PI * 0.036));
    // A chord cuts off dx²/(6R²) of a disc on average: 0.3 % here. A ball of 4.8 cells has twice the
    // curvature, and diagonals of cubes are √3 long.
    assert!(discs[0] < 5e-3 && discs[1] < discs[0] / 10.0, "{discs:?}");
    assert!(balls[0] < 2.5e-2 && balls[1] < balls[0] / 8.0, "{balls:?}");
}

#[test]
fn the_area_below_a_level_is_exact_to_the_sides() {
    let grid = Grid::new([12, 10], 0.1).unwrap();
    for boundary in
        [Boundary::walls(), Boundary::walls().with(0, 0, Side::Periodic).with(0, 1, Side::Periodic)]
    {
        let half = Shape::<f64, 2>::half_space([0.0, 1.0]).unwrap();
        for height in [0.13, 0.5, 0.77] {
            let set = LevelSet::from_shape(grid, &boundary, &half, [0.0, height]).unwrap();
            assert!((set.measure() - 1.2 * height).abs() < 1e-12);
        }
    }
    let full = LevelSet::from_fn(grid, &Boundary::periodic(), |_| -1.0).unwrap();
    assert!((full.measure() - 1.2).abs() < 1e-12);
    let box3 = Grid::new([4, 5, 6], 0.5_f32).unwrap();
    let tank = LevelSet::from_fn(box3, &Boundary::walls(), |[_, _, z]| z - 1.3).unwrap();
    assert!((tank.measure() - 2.0 * 2.5 * 1.3).abs() < 1e-5);
}

#[test]
fn the_curvature_is_that_of_the_disc_and_of_the_ball_through_the_place() {
    let errors = [32, 128].map(|n| {
        let grid = Grid::new([n; 2], 1.0 / n as f64).unwrap();
        let disc = Shape::<f64, 2>::ball(0.3).unwrap();
        let set = LevelSet::from_shape(grid, &Boundary::walls(), &disc, [0.5; 2]).unwrap();
        let worst = (0..40).map(|k| {
            let (s, c) = libm::sincos(f64::from(k) * 0.157);
            (set.curvature([0.5 + 0.3 * c, 0.5 + 0.3 * s]) * 0.3 - 1.0).abs()
        });
        worst.fold(0.0, f64::max)
    });
    assert!(errors[0] < 0.02 && errors[1] < errors[0] / 10.0, "{errors:?}");
    let grid = Grid::new([40; 3], 0.025).unwrap();
    let ball = Shape::<f64, 3>::ball(0.3).unwrap();
    let set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, [0.5; 3]).unwrap();
    for p in [[0.8, 0.5, 0.5], [0.5, 0.5 + 0.24, 0.5 - 0.18], [0.5 - 0.18, 0.5, 0.5 - 0.24]] {
        assert!((set.curvature(p) - 2.0 / 0.3).abs() < 0.1);
    }
}

#[test]
fn the_curvature_goes_on_through_periodic_sides() {
    let grid = Grid2::new([20, 24], 0.05).unwrap();
    let periodic = Boundary::periodic();
    let disc = Shape::<f64, 2>::ball(0.3).unwrap();
    let set = LevelSet::from_shape(grid, &periodic, &disc, [0.5, 0.6]).unwrap();
    let back = |p: [f64; 2]| [(p[0] / 0.05) as usize + 10, (p[1] / 0.05) as usize + 12];
    let around = |[i, j]: [usize; 2]| set.field()[[i % 20, j % 24]];
    let shifted = LevelSet::from_fn(grid, &periodic, |p| around(back(p))).unwrap();
    for k in 0..40 {
        let (s, c) = libm::sincos(f64::from(k) * 0.157);
        // The middle is at the corner: three quarters of the places lie beyond a side.
        let found = shifted.curvature([0.3 * c, 0.3 * s]);
        let expected = set.curvature([0.5 + 0.3 * c, 0.6 + 0.3 * s]);
        assert!((found - expected).abs() < 1e-8, "{k}: {found} {expected}");
    }
    // Beyond walls the outermost centres tell.
    let walled = LevelSet::from_shape(grid, &Boundary::walls(), &disc, [0.5, 0.6]).unwrap();
    assert_eq!(walled.curvature([-1.0, 9.0]), walled.curvature([0.025, 1.175]));
}

#[test]
fn a_plane_has_its_normal_and_its_distance_away_from_the_sides() {
    let grid = Grid::new([9; 3], 0.1).unwrap();
    let plane = Shape::<f64, 3>::half_space([1.0, -2.0, 2.0]).unwrap();
    let set = LevelSet::from_shape(grid, &Boundary::walls(), &plane, [0.4, 0.5, 0.45]).unwrap();
    let mut seed = 5;
    for _ in 0..200 {
        let p: [f64; 3] = core::array::from_fn(|_| 0.15 + 0.6 * random(&mut seed));
        let expected = (p[0] - 0.4 - 2.0 * (p[1] - 0.5) + 2.0 * (p[2] - 0.45)) / 3.0;
        assert!((set.signed_distance(p) - expected).abs() < 1e-12);
        for (n, expected) in set.normal(p).into_iter().zip([1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0]) {
            assert!((n - expected).abs() < 1e-12);
        }
        assert!(set.curvature(p).abs() < 1e-10);
    }
    let flat = LevelSet::from_fn(grid, &Boundary::walls(), |_| 0.5).unwrap();
    assert_eq!(flat.normal([0.4; 3]), [0.0; 3]);
    assert_eq!(flat.curvature([0.4; 3]), 0.0);
}

#[test]
fn shapes_and_images_are_added_and_taken_away() {
    let grid = Grid2::new([40, 20], 0.1_f64).unwrap();
    let mut set = LevelSet2::empty(grid, &Boundary::walls()).unwrap();
    assert_eq!(set.measure(), 0.0);
    set.unite(&Shape::cuboid([1.0, 0.5]).unwrap(), [1.5, 1.0]).unwrap();
    assert!((set.measure() - 2.0).abs() < 0.02);
    set.subtract(&Shape::cuboid([0.5, 2.0]).unwrap(), [1.0, 1.0]).unwrap();
    assert!((set.measure() - 1.0).abs() < 0.02);
    // An image of an L, five of nine squares, whose pixels are as large as the cells.
    let solid: Vec<bool> = (0..225).map(|n| n % 15 < 5 || n / 15 < 5).collect();
    let image = Shape::mask([15, 15], &solid, 0.1).unwrap();
    let letter = LevelSet2::from_shape(grid, &Boundary::walls(), &image, [3.0, 1.0]).unwrap();
    // Five corners lose up to half a cell each.
    assert!((letter.measure() - 5.0 * 0.25).abs() < 0.025, "{}", letter.measure());
    assert!(letter.contains([2.5, 1.5]) && !letter.contains([3.3, 1.2]));
    set.change(|_, phi| -phi);
    assert!((set.measure() - 7.0).abs() < 0.02);
    set.change(|_, _| f64::NAN);
    assert!((set.measure() - 7.0).abs() < 0.02);
}

#[test]
fn outlines_run_around_the_inside() {
    let grid = Grid2::new([40, 40], 0.05_f64).unwrap();
    let disc = Shape::ball(0.6).unwrap();
    let set = LevelSet2::from_shape(grid, &Boundary::walls(), &disc, [1.0, 1.0]).unwrap();
    let mut lines = Outlines::new();
    set.outlines(Border::Open, &mut lines).unwrap();
    assert_eq!(lines.len(), 1);
    let points = lines.iter().next().unwrap().points.to_vec();
    let next = points.iter().cycle().skip(1);
    let area: f64 = points.iter().zip(next).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum();
    assert!((area - PI * 0.36).abs() < 2e-3);
}

#[test]
fn what_makes_no_level_set_is_refused() {
    let grid = Grid2::new([8, 8], 0.1).unwrap();
    let walls = Boundary::walls();
    let nan = LevelSet::from_fn(grid, &walls, |[x, _]| if x > 0.4 { f64::NAN } else { x });
    assert_eq!(nan, Err(Error::NotFinite { name: "phi", place: [4, 0, 0] }));
    let half = Boundary::walls().with(0, 0, Side::Periodic);
    assert_eq!(LevelSet::empty(grid, &half), Err(Error::HalfPeriodic { axis: 0 }));
    let disc = Shape::ball(0.2).unwrap();
    assert!(LevelSet::from_shape(grid, &walls, &disc, [f64::NAN, 0.0]).is_err());
    assert!(LevelSet::from_shape(grid, &walls, &Shape::Ball { radius: -1.0 }, [0.0; 2]).is_err());
    let faces = Field::zeros_at(grid, crate::Location::Face(0));
    assert!(LevelSet::from_field(faces, &walls).is_err());
    for band in [f64::NAN, 1.0, f64::INFINITY] {
        assert!(FastIterative::new(grid, band, DistanceOrder::Second).is_err());
        assert!(JumpFlooding::new(grid, band).is_err());
    }
    let other = Grid2::new([8, 9], 0.1).unwrap();
    let mut set = LevelSet::empty(other, &walls).unwrap();
    let mut solver = FastIterative::new(grid, 4.0, DistanceOrder::Second).unwrap();
    assert!(solver.reinitialize(&mut set).is_err());
    assert!(JumpFlooding::new(grid, 4.0).unwrap().reinitialize(&mut set).is_err());
}
