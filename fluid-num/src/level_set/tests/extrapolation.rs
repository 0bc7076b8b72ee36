use super::*;
use crate::{Error, Faces, Field, Grid2, Grid3};
use alloc::vec::Vec;

/// The largest error of a quantity that is constant along rays, up to four cells outside a disc.
fn ray_error(cells: usize) -> f64 {
    let grid = Grid2::new([cells; 2], 1.0 / cells as f64).unwrap();
    let disc = Shape::ball(0.25).unwrap();
    let set = LevelSet::from_shape(grid, &Boundary::walls(), &disc, [0.5; 2]).unwrap();
    // cos 2α of the angle around the centre.
    let ray = |[x, y]: [f64; 2]| {
        let (x, y) = (x - 0.5, y - 0.5);
        (x * x - y * y) / (x * x + y * y).max(1e-9)
    };
    let mut q = Field::from_fn(grid, |p| if set.contains(p) { ray(p) } else { 77.0 });
    Extrapolation::new(grid).scalar(&set, &mut q, 4.0).unwrap();
    let mut worst: f64 = 0.0;
    for place in grid.interior().places() {
        let cell = grid.cell_at(place);
        let distance = set.field()[cell];
        if distance > 0.0 && distance < 4.0 / cells as f64 {
            worst = worst.max((q[cell] - ray(grid.center(cell))).abs());
        } else if distance > 4.0 / cells as f64 {
            assert_eq!(q[cell], 0.0);
        }
    }
    worst
}

#[test]
fn a_quantity_goes_on_along_normals_at_first_order() {
    let [coarse, fine] = [32, 128].map(ray_error);
    // The slope along the interface is 2/R a metre: 0.25 a cell of the coarse grid.
    assert!(coarse < 0.15 && fine < 0.35 * coarse, "{coarse} {fine}");
}

#[test]
fn a_uniform_velocity_goes_on_unchanged_in_the_plane_and_in_space() {
    let grid = Grid3::new([16; 3], 1.0_f32).unwrap();
    let ball = Shape::ball(4.0).unwrap();
    let set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, [8.0; 3]).unwrap();
    let mut u = Faces::zeros(grid);
    // Nonsense at all faces but those of inside cells.
    let inside = |p: [f32; 3], a: usize, half: f32| {
        let mut q = p;
        q[a] += half;
        set.contains(q)
    };
    for a in 0..3 {
        u[a].set_from_fn(|p| {
            let known = inside(p, a, 0.5) || inside(p, a, -0.5);
            if known { [1.0, 2.0, 3.0][a] } else { 55.0 }
        });
    }
    Extrapolation::new(grid).velocity(&set, &mut u, 3.0).unwrap();
    for a in 0..3 {
        let expected = [1.0, 2.0, 3.0][a];
        for place in u[a].region().places() {
            let cell = grid.cell_at(place);
            let distance = set.signed_distance(grid.position(crate::Location::Face(a), cell));
            let value = u[a][cell];
            if distance < 2.9 {
                assert!((value - expected).abs() < 1e-5, "{a} {cell:?}: {value}");
            } else if distance > 3.1 {
                assert_eq!(value, 0.0);
            }
        }
    }
}

#[test]
fn on_periodic_axes_values_go_on_through_the_side() {
    let grid = Grid2::new([16, 8], 1.0_f64).unwrap();
    let periodic = Boundary::periodic();
    // Inside from 10 to 15: nearer through the side for what lies below 4.
    let set =
        LevelSet::from_fn(grid, &periodic, |[x, _]| (x - 12.5).abs().min((x + 3.5).abs()) - 2.5)
            .unwrap();
    let mut q = Field::from_fn(grid, |[x, _]| if x > 12.0 { 1.0 } else { 5.0 });
    Extrapolation::new(grid).scalar(&set, &mut q, 4.0).unwrap();
    for j in 0..8 {
        let row: Vec<f64> = (0..16).map(|i| q[[i, j]]).collect();
        let expected = [1., 1., 1., 0., 0., 0., 5., 5., 5., 5., 5., 5., 1., 1., 1., 1.];
        assert_eq!(row, expected);
    }
    let mut u = Faces::from_fn(grid, |[x, _]| [if x > 12.0 { 1.0 } else { 5.0 }; 2]);
    Extrapolation::new(grid).velocity(&set, &mut u, 4.0).unwrap();
    assert_eq!([0, 1, 2, 3, 16].map(|i| u[0][[i, 3]]), [1.0; 5]);
    assert_eq!([7, 8, 9].map(|i| u[0][[i, 3]]), [5.0; 3]);
}

#[test]
fn the_last_face_of_a_periodic_axis_is_its_first_to_the_bit() {
    let grid = Grid2::new([12, 10], 1.0_f64).unwrap();
    let mut seed = 5;
    let noise = Field::from_fn(grid, |_| random(&mut seed) - 0.2);
    let set = LevelSet::from_field(noise, &Boundary::periodic()).unwrap();
    let mut u = Faces::from_fn(grid, |_| [random(&mut seed), random(&mut seed)]);
    for j in 0..10 {
        u[0][[12, j]] = u[0][[0, j]];
    }
    for i in 0..12 {
        u[1][[i, 10]] = u[1][[i, 0]];
    }
    Extrapolation::new(grid).velocity(&set, &mut u, 4.0).unwrap();
    assert!((0..10).all(|j| u[0][[12, j]] == u[0][[0, j]]));
    assert!((0..12).all(|i| u[1][[i, 10]] == u[1][[i, 0]]));
}

#[test]
fn in_double_precision_the_nearest_come_first_however_near() {
    // φ rises from cell to cell by less than single precision sees, and against the order of places.
    let grid = Grid2::new([9, 3], 1.0_f64).unwrap();
    let phi = |[x, _]: [f64; 2]| if x > 8.0 { -1.0 } else { 1.0 - 1e-12 * x };
    let set = LevelSet::from_fn(grid, &Boundary::walls(), phi).unwrap();
    let mut q = Field::from_fn(grid, |[x, y]| if x > 8.0 { y } else { 55.0 });
    Extrapolation::new(grid).scalar(&set, &mut q, 4.0).unwrap();
    for j in 0..3 {
        assert!((0..9).all(|i| q[[i, j]] == j as f64 + 0.5), "{j}");
    }
}

#[test]
fn what_is_known_may_be_said_place_by_place() {
    let grid = Grid2::new([9, 3], 1.0_f64).unwrap();
    let set = LevelSet::from_fn(grid, &Boundary::walls(), |[x, _]| x - 3.0).unwrap();
    let mut q = Field::from_fn(grid, |[x, _]| x);
    // Inside, all but the second column is known; it takes from its neighbours.
    let values = set.field().as_slice();
    let hole = |i: usize| grid.cell_at(i)[0] == 1;
    Extrapolation::new(grid).extend(&set, &mut q, 2.0, |i| values[i] < 0.0 && !hole(i)).unwrap();
    let row: Vec<f64> = (0..9).map(|i| q[[i, 1]]).collect();
    assert_eq!(row, [0.5, 0.5, 2.5, 2.5, 2.5, 0.0, 0.0, 0.0, 0.0]);
    // Nothing known: nothing comes of it.
    Extrapolation::new(grid).extend(&set, &mut q, 2.0, |_| false).unwrap();
    assert!(q.values().all(|v| v == 0.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let grid = Grid2::new([8, 8], 1.0_f64).unwrap();
    let set = LevelSet::from_fn(grid, &Boundary::walls(), |[x, _]| x - 3.0).unwrap();
    let mut extrapolation = Extrapolation::new(grid);
    let mut q = Field::zeros(grid);
    for reach in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(extrapolation.scalar(&set, &mut q, reach).is_err());
    }
    let mut other = Field::zeros(Grid2::new([8, 7], 1.0).unwrap());
    assert!(extrapolation.scalar(&set, &mut other, 1.0).is_err());
    q[[1, 1]] = f64::NAN;
    let refused = extrapolation.scalar(&set, &mut q, 1.0);
    assert_eq!(refused, Err(Error::NotFinite { name: "q", place: [1, 1, 0] }));
}
