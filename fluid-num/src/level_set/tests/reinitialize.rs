use super::*;
use crate::solid::Polygon;
use crate::{Field, Grid2, LevelSet2};
use alloc::vec::Vec;

/// Where the interface crosses the lines between centres.
fn crossings(set: &LevelSet2<f64>) -> Vec<[f64; 2]> {
    let mut lines = Outlines::new();
    set.outlines(Border::Open, &mut lines).unwrap();
    lines.iter().flat_map(|line| line.points.to_vec()).collect()
}

/// How far the points of one line are from another that has the given points.
fn farthest(from: &[[f64; 2]], to: &[[f64; 2]]) -> f64 {
    let to = Polygon::new(to).unwrap();
    from.iter().map(|p| to.signed_distance(*p).abs()).fold(0.0, f64::max)
}

fn fast(cells: usize, band: f64) -> FastIterative<f64, 2> {
    let grid = Grid2::new([cells; 2], 1.0).unwrap();
    FastIterative::new(grid, band, DistanceOrder::Second).unwrap()
}

fn jump(cells: usize, band: f64) -> JumpFlooding<f64, 2> {
    JumpFlooding::new(Grid2::new([cells; 2], 1.0).unwrap(), band).unwrap()
}

type Distortion = fn([f64; 2], f64) -> f64;
const DISTORTIONS: [Distortion; 2] = [exact, wavy];

/// The largest way of the interface over 1, 10 and 100 calls, from the line on which the exact distance
/// is zero.
fn moved(shape: &Shape<f64, 2>, at: [f64; 2], distort: Distortion) -> f64 {
    let walls = Boundary::walls();
    let start = distorted(64, &walls, shape, at, distort);
    let before = crossings(&distorted(64, &walls, shape, at, exact));
    let mut worst: f64 = 0.0;
    for method in 0..2 {
        let (mut set, mut fast, mut jump) = (start.clone(), fast(64, 8.0), jump(64, 8.0));
        let mut call = || {
            if method == 0 { fast.reinitialize(&mut set) } else { jump.reinitialize(&mut set) }
                .unwrap();
            crossings(&set)
        };
        for number in 1..=100 {
            let after = call();
            if [1, 10, 100].contains(&number) {
                worst = worst.max(farthest(&after, &before)).max(farthest(&before, &after));
            }
        }
    }
    worst
}

const PLACES: [[f64; 2]; 3] = [[32.3, 31.6], [32.0, 32.0], [31.87, 32.45]];

#[test]
fn the_interface_of_a_disc_stays_in_any_number_of_calls() {
    for radius in [5.0, 12.4, 20.3] {
        let disc = Shape::ball(radius).unwrap();
        for at in PLACES {
            let worst = moved(&disc, at, exact);
            assert!(worst < 1e-3, "radius {radius}: {worst}");
            let worst = moved(&disc, at, wavy);
            assert!(worst < 0.02, "radius {radius}: {worst}");
        }
    }
}

#[test]
fn the_corners_of_a_square_stay_in_any_number_of_calls() {
    let square = Shape::cuboid([16.2, 15.7]).unwrap();
    let corners = [[0.0, -20.0], [20.0, 0.0], [0.0, 20.0], [-20.0, 0.0]];
    let turned = Shape::polygon(&corners).unwrap();
    for shape in [square, turned] {
        for at in PLACES {
            let worst = moved(&shape, at, exact);
            assert!(worst < 0.02, "{shape:?}: {worst}");
            let worst = moved(&shape, at, wavy);
            assert!(worst < 0.1, "{shape:?}: {worst}");
        }
    }
}

/// The largest error within `band`, where the slope of the exact distance is one all round (no ridge),
/// and the largest error of the slope from two cells on.
fn errors<const D: usize>(set: &LevelSet<f64, D>, exact: &LevelSet<f64, D>, band: f64) -> [f64; 2] {
    let steepness =
        |set: &LevelSet<f64, D>, p| set.gradient(p).iter().map(|g| g * g).sum::<f64>().sqrt();
    let (mut worst, mut slope) = (0.0_f64, 0.0_f64);
    let grid = *set.grid();
    for place in grid.interior().places() {
        let cell = grid.cell_at(place);
        let away = exact.field()[cell].abs();
        let aside = (0..D).all(|a| (3..grid.cells()[a] - 3).contains(&cell[a]));
        let p = grid.center(cell);
        if away < band && aside && (steepness(exact, p) - 1.0).abs() < 0.01 {
            worst = worst.max((set.field()[cell] - exact.field()[cell]).abs());
            if away >= 2.0 && away < band - 1.5 {
                slope = slope.max((steepness(set, p) - 1.0).abs());
            }
        }
    }
    [worst, slope]
}

#[test]
fn distances_of_a_disc_are_exact_to_a_twentieth_of_a_cell_in_a_band_of_ten() {
    let disc = Shape::ball(20.3).unwrap();
    let true_distance = distorted(72, &Boundary::walls(), &disc, [36.3, 35.6], exact);
    for distort in DISTORTIONS {
        let mut set = distorted(72, &Boundary::walls(), &disc, [36.3, 35.6], distort);
        fast(72, 11.0).reinitialize(&mut set).unwrap();
        let [worst, slope] = errors(&set, &true_distance, 10.0);
        assert!(worst < 0.05 && slope < 0.02, "{worst} {slope}");
        let mut set = distorted(72, &Boundary::walls(), &disc, [36.3, 35.6], distort);
        jump(72, 11.0).reinitialize(&mut set).unwrap();
        let [worst, _] = errors(&set, &true_distance, 10.0);
        assert!(worst < 0.15, "{worst}");
    }
}

/// The largest error within `band`, ridges included.
fn worst_error(set: &LevelSet2<f64>, exact: &LevelSet2<f64>, band: f64) -> f64 {
    let near = exact.field().values().zip(set.field().values()).filter(|(e, _)| e.abs() < band);
    near.map(|(e, v)| (v - e).abs()).fold(0.0, f64::max)
}

/// Shapes with corners of 36° to 270°, in several positions against the grid.
fn cornered() -> Vec<Shape<f64, 2>> {
    let turned = |corners: &[[f64; 2]], angle: f64| {
        let (s, c) = libm::sincos(angle);
        let turn = |p: &[f64; 2]| [c * p[0] - s * p[1], s * p[0] + c * p[1]];
        Shape::polygon(&corners.iter().map(turn).collect::<Vec<_>>()).unwrap()
    };
    let square = [[-15.0, -13.0], [15.0, -13.0], [15.0, 13.0], [-15.0, 13.0]];
    let letter =
        [[-15.0, -15.0], [15.0, -15.0], [15.0, 0.3], [0.4, 0.3], [0.4, 15.0], [-15.0, 15.0]];
    let kite = [[0.0, -22.0], [11.0, 0.0], [0.0, 22.0], [-11.0, 0.0]];
    let hexagon: Vec<[f64; 2]> = (0..6)
        .map(|k| {
            let (s, c) = libm::sincos(f64::from(k) * core::f64::consts::FRAC_PI_3);
            [18.0 * c, 18.0 * s]
        })
        .collect();
    let angles = [0.0, 0.3, 0.6, core::f64::consts::FRAC_PI_4];
    let mut shapes: Vec<_> = angles.iter().map(|a| turned(&square, *a)).collect();
    shapes.push(turned(&letter, 0.0));
    shapes.push(turned(&kite, 0.0));
    shapes.push(turned(&hexagon, 0.13));
    shapes
}

#[test]
fn behind_corners_and_on_ridges_distances_are_as_exact() {
    for shape in cornered() {
        for at in PLACES {
            let true_distance = distorted(64, &Boundary::walls(), &shape, at, exact);
            let (mut by_list, mut by_jumps) = (true_distance.clone(), true_distance.clone());
            fast(64, 11.0).reinitialize(&mut by_list).unwrap();
            jump(64, 11.0).reinitialize(&mut by_jumps).unwrap();
            let [fast, jump] = [by_list, by_jumps].map(|s| worst_error(&s, &true_distance, 10.0));
            assert!(fast < 0.05, "{shape:?} {at:?}: {fast}");
            assert!(jump < 0.1, "{shape:?} {at:?}: {jump}");
            // What was no distance tells less of where its corners are.
            let mut set = distorted(64, &Boundary::walls(), &shape, at, wavy);
            self::fast(64, 11.0).reinitialize(&mut set).unwrap();
            let worst = worst_error(&set, &true_distance, 10.0);
            assert!(worst < 0.4, "{shape:?} {at:?}: {worst}");
        }
    }
}

#[test]
fn first_order_is_worse_than_second() {
    let disc = Shape::ball(12.4).unwrap();
    let true_distance = distorted(48, &Boundary::walls(), &disc, [24.3, 23.6], exact);
    let [first, second] = [DistanceOrder::First, DistanceOrder::Second].map(|order| {
        let mut set = true_distance.clone();
        FastIterative::new(*set.grid(), 11.0, order).unwrap().reinitialize(&mut set).unwrap();
        let pairs = true_distance.field().values().zip(set.field().values());
        let squares =
            pairs.filter(|(e, _)| (-10.0..10.0).contains(e)).map(|(e, v)| (v - e) * (v - e));
        squares.sum::<f64>().sqrt()
    });
    assert!(second < 0.7 * first, "{first} {second}");
}

#[test]
fn sheets_two_cells_thin_survive() {
    let sheet = Shape::cuboid([16.2, 1.0]).unwrap();
    let ring = Shape::difference(Shape::ball(14.0).unwrap(), Shape::ball(12.0).unwrap()).unwrap();
    for shape in [sheet, ring] {
        for distort in DISTORTIONS {
            let start = distorted(64, &Boundary::walls(), &shape, [32.3, 31.6], distort);
            let (mut set, mut solver) = (start.clone(), fast(64, 6.0));
            for _ in 0..100 {
                solver.reinitialize(&mut set).unwrap();
            }
            let change = set.measure() / start.measure() - 1.0;
            assert!(change.abs() < 0.02, "{shape:?}: {change}");
            let signs =
                |set: &LevelSet2<f64>| set.field().values().map(|v| v < 0.0).collect::<Vec<_>>();
            assert_eq!(signs(&set), signs(&start));
        }
    }
}

#[test]
fn in_space_the_same_holds_in_single_precision_too() {
    let ball = Shape::<f64, 3>::ball(9.3).unwrap();
    let true_distance = distorted(32, &Boundary::walls(), &ball, [16.2, 15.7, 16.4], exact);
    let single = Shape::<f32, 3>::ball(9.3).unwrap();
    let mut set = distorted(32, &Boundary::walls(), &single, [16.2, 15.7, 16.4], wavy);
    let grid = *set.grid();
    let mut solver = FastIterative::new(grid, 6.0, DistanceOrder::Second).unwrap();
    for _ in 0..10 {
        solver.reinitialize(&mut set).unwrap();
    }
    let double =
        Field::from_fn(*true_distance.grid(), |p| f64::from(set.field()[p.map(|x| x as usize)]));
    let double = LevelSet::from_field(double, &Boundary::walls()).unwrap();
    let [worst, slope] = errors(&double, &true_distance, 5.0);
    // Half the radius of the disc above: twice the curvature, and two of them.
    assert!(worst < 0.1 && slope < 0.04, "{worst} {slope}");
    let mut set = true_distance.clone();
    JumpFlooding::new(*set.grid(), 6.0).unwrap().reinitialize(&mut set).unwrap();
    let [worst, _] = errors(&set, &true_distance, 5.0);
    assert!(worst < 0.3, "{worst}");
}

#[test]
fn a_periodic_side_is_no_side() {
    let disc = Shape::ball(8.0).unwrap();
    let periodic = Boundary::<f64, 2>::periodic();
    let start = distorted(32, &periodic, &disc, [16.0, 16.0], wavy);
    // The same, half the domain on along both axes.
    let shifted =
        Field::from_fn(*start.grid(), |p| start.field()[p.map(|x| (x as usize + 16) % 32)]);
    let shifted = LevelSet::from_field(shifted, &periodic).unwrap();
    for method in 0..2 {
        let results = [&start, &shifted].map(|start| {
            let (mut set, mut fast, mut jump) = (start.clone(), fast(32, 6.0), jump(32, 6.0));
            if method == 0 { fast.reinitialize(&mut set) } else { jump.reinitialize(&mut set) }
                .unwrap();
            set
        });
        for i in 0..32 {
            for j in 0..32 {
                let (a, b) = (
                    results[0].field()[[i, j]],
                    results[1].field()[[(i + 16) % 32, (j + 16) % 32]],
                );
                assert!((a - b).abs() < 1e-9, "{method}: {i} {j}: {a} {b}");
            }
        }
    }
}

/// The largest difference that it makes where in a periodic domain the middle of a ball is.
fn shifted_difference<const D: usize>(cells: usize, radius: f64, shift: usize) -> f64 {
    let ball = Shape::ball(radius).unwrap();
    let middle = [0.5 * cells as f64; D];
    let start = distorted(cells, &Boundary::<f64, D>::periodic(), &ball, middle, wavy);
    let back = |p: [usize; D]| p.map(|i| (i + cells - shift) % cells);
    let shifted = Field::from_fn(*start.grid(), |p| start.field()[back(p.map(|x| x as usize))]);
    let shifted = LevelSet::from_field(shifted, &Boundary::periodic()).unwrap();
    let mut worst: f64 = 0.0;
    for method in 0..2 {
        let [here, there] = [&start, &shifted].map(|start| {
            let (mut set, grid) = (start.clone(), *start.grid());
            let mut fast = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
            let mut jump = JumpFlooding::new(grid, 5.0).unwrap();
            if method == 0 { fast.reinitialize(&mut set) } else { jump.reinitialize(&mut set) }
                .unwrap();
            set
        });
        for place in here.grid().interior().places() {
            let cell = here.grid().cell_at(place);
            worst = worst.max((there.field()[cell] - here.field()[back(cell)]).abs());
        }
    }
    worst
}

#[test]
fn an_interface_through_the_corner_of_a_periodic_domain_is_as_any() {
    // 8/√2 and 6/√3 from the middle to the corner.
    for shift in 9..13 {
        let [plane, space] =
            [shifted_difference::<2>(32, 8.0, shift), shifted_difference::<3>(20, 6.0, shift - 3)];
        assert!(plane < 1e-9 && space < 1e-9, "{shift}: {plane} {space}");
    }
}

#[test]
fn a_single_cell_inside_is_half_a_cell_large() {
    // No quadrant around it tells a normal; the interface is halfway to each neighbour.
    let speck = |[x, y]: [f64; 2], _: f64| {
        if (x - 8.5).abs() < 0.5 && (y - 8.5).abs() < 0.5 { -0.5 } else { 0.5 }
    };
    let walls = Boundary::walls();
    let start = distorted(17, &walls, &Shape::ball(1.0).unwrap(), [8.5; 2], speck);
    let (mut by_list, mut by_jumps) = (start.clone(), start);
    let report = fast(17, 5.0).reinitialize(&mut by_list).unwrap();
    assert_eq!(report.unsettled, 0);
    jump(17, 5.0).reinitialize(&mut by_jumps).unwrap();
    for set in [by_list, by_jumps] {
        for away in 0..5 {
            for cell in [[8 + away, 8], [8 - away, 8], [8, 8 + away], [8, 8 - away]] {
                let distance = set.field()[cell];
                assert!((distance - (away as f64 - 0.5)).abs() < 0.1, "{cell:?}: {distance}");
            }
        }
    }
}

#[test]
fn what_was_done_before_leaves_no_trace() {
    let (disc, square) = (Shape::ball(9.0).unwrap(), Shape::cuboid([12.0, 3.0]).unwrap());
    let walls = Boundary::walls();
    let start = distorted(32, &walls, &disc, [15.0, 16.0], wavy);
    let (mut fresh, mut used) = (start.clone(), start);
    let (mut solver, mut flood) = (fast(32, 5.0), jump(32, 5.0));
    solver.reinitialize(&mut fresh).unwrap();
    let mut other = distorted(32, &Boundary::periodic(), &square, [3.0, 16.0], wavy);
    solver.reinitialize(&mut other).unwrap();
    flood.reinitialize(&mut other).unwrap();
    solver.reinitialize(&mut used).unwrap();
    assert_eq!(fresh, used);
}

#[test]
fn without_an_interface_all_is_far() {
    let mut set = distorted(16, &Boundary::walls(), &Shape::ball(99.0).unwrap(), [8.0; 2], exact);
    let report = fast(16, 4.0).reinitialize(&mut set).unwrap();
    assert_eq!(report, ReinitializeReport::default());
    assert!(set.field().values().all(|v| v == -4.0));
    assert_eq!(set.width(), Some(4.0));
    // A function that only says which side: steps of ±1e4.
    let step = |[x, _]: [f64; 2], _| if x < 8.0 { -1e4 } else { 1e4 };
    let mut set = distorted(16, &Boundary::walls(), &Shape::ball(1.0).unwrap(), [8.0; 2], step);
    fast(16, 4.0).reinitialize(&mut set).unwrap();
    for (i, expected) in
        [-4.0, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.0].into_iter().enumerate()
    {
        assert!((set.field()[[i + 3, 7]] - expected).abs() < 0.03);
    }
}
