//! Shapes, bodies and how they cut a grid.

use fluid_num::solid::{Body, Shape, Solids};
use fluid_num::{Grid, Location, Real};

use crate::input::{Input, dispatch};
use crate::scene;

/// A tree of shapes, its distances, bodies of it in motion, and the grid that they cut.
///
/// # Panics
/// Where a property does not hold.
pub fn shapes(data: &[u8]) {
    dispatch!(data, run);
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    if let Some(shape) = scene::shape(input, &grid, 3) {
        shape.check().expect("what a constructor made is valid");
        distances(input, &grid, &shape);
    }
    let mut bodies: Vec<Body<T, D>> = Vec::new();
    for _ in 0..input.within(0, 3) {
        bodies.extend(scene::body(input, &grid));
    }
    motion(input, &grid, &mut bodies);
    cut(input, &grid, &mut bodies);
}

/// Whether the distance is one everywhere: images are sampled, within a cell of theirs.
fn is_exact<T: Real, const D: usize>(shape: &Shape<T, D>) -> bool {
    match shape {
        Shape::Mask(_) => false,
        Shape::Moved { part, .. } => is_exact(part),
        Shape::Union(parts) => parts.iter().all(is_exact),
        Shape::Difference(whole, hole) => is_exact(whole) && is_exact(hole),
        _ => true,
    }
}

fn distances<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    shape: &Shape<T, D>,
) {
    let bounds = shape.bounds();
    let size = grid.size().iter().fold(T::zero(), |m, s| m.worst(*s)) + T::of(100.0);
    // The roundings of positions of this size.
    let slack = size.to_f64() * T::EPSILON.to_f64() * 64.0;
    for _ in 0..6 {
        // Anything may be asked.
        let anywhere: [T; D] = input.vector(-10.0, 10.0);
        let _ = shape.signed_distance(anywhere);
        if !input.is_tame() {
            continue;
        }
        let mut near = || input.point::<T, D>(grid);
        let (p, q) = (near(), near());
        let (dp, dq) = (shape.signed_distance(p), shape.signed_distance(q));
        assert!(dp.is_finite() && dq.is_finite());
        let apart: f64 = (0..D).map(|a| (p[a] - q[a]).to_f64().powi(2)).sum::<f64>().sqrt();
        let change = (dp - dq).to_f64().abs();
        if is_exact(shape) {
            assert!(change <= apart + slack, "{shape:?}: {p:?} {dp}, {q:?} {dq}");
        }
        if let Some([lo, hi]) = bounds {
            let outside = (0..D).any(|a| {
                p[a].to_f64() < lo[a].to_f64() - slack || p[a].to_f64() > hi[a].to_f64() + slack
            });
            assert!(!outside || dp.to_f64() > -slack, "{shape:?}: {p:?} {dp} {bounds:?}");
        }
    }
}

/// Bodies in motion keep finite numbers and proper rotations, or are refused and stay.
fn motion<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    bodies: &mut [Body<T, D>],
) {
    for body in bodies {
        if input.flag() {
            body.mass = input.number(0.0, 5.0);
            body.inertia = input.vector(0.0, 5.0);
        }
        let before = body.clone();
        let (point, force) = (input.point(grid), input.vector(-10.0, 10.0));
        if body.add_force_at(point, force).is_err() {
            assert_same(body, &before);
        }
        for _ in 0..2 {
            let before = body.clone();
            let dt: T = input.time_step();
            let done = body.advance(dt);
            if done.is_err() || dt == T::zero() {
                assert_same(body, &before);
                continue;
            }
            body.check().expect("an advanced body is valid");
            let r = body.rotation();
            for i in 0..D {
                for j in 0..D {
                    let dot = (0..D).fold(T::zero(), |s, k| s + r[i][k] * r[j][k]);
                    let expected = if i == j { 1.0 } else { 0.0 };
                    // A few roundings of sums of three products.
                    let error = (dot.to_f64() - expected).abs();
                    assert!(error < 64.0 * T::EPSILON.to_f64(), "{r:?}");
                }
            }
        }
    }
}

/// Equal also where a number is NaN, which differs from itself.
fn assert_same<T: Real, const D: usize>(a: &Body<T, D>, b: &Body<T, D>) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

fn cut<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    bodies: &mut [Body<T, D>],
) {
    let mut solids = Solids::new(*grid);
    if input.chance(64) {
        let every = input.within(1, 9);
        solids.close_cells(|cell| cell.iter().sum::<usize>() % every == 0);
    }
    for _ in 0..3 {
        let before = (solids.open().clone(), solids.generation());
        let valid = bodies.iter().all(|b| b.check().is_ok());
        assert_eq!(solids.update(bodies).is_ok(), valid);
        assert!(solids.generation() >= before.1);
        if !valid || solids.generation() == before.1 {
            assert_eq!(solids.open(), &before.0);
        }
        look(grid, &solids, bodies);
        if let Some(body) = bodies.first_mut() {
            body.position = input.point(grid);
        }
    }
}

/// Fractions lie within 0 to 1, and a cell is solid exactly where all its faces are closed.
fn look<T: Real, const D: usize>(grid: &Grid<T, D>, solids: &Solids<T, D>, bodies: &[Body<T, D>]) {
    let part = |v: T| v >= T::zero() && v <= T::one();
    assert!(solids.open().components().iter().all(|c| c.values().all(part)), "{bodies:?}");
    assert!(solids.cell_fraction().values().all(part), "{bodies:?}");
    let region = grid.region(Location::Center);
    for n in 0..region.rows() {
        let row = region.row(n);
        for place in row.start..row.start + row.len {
            let closed = (0..D).all(|a| {
                let open = solids.open()[a].as_slice();
                open[place] == T::zero() && open[place + grid.strides()[a]] == T::zero()
            });
            assert_eq!(closed, solids.solid_cells()[place] != 0, "{bodies:?}");
        }
    }
}
