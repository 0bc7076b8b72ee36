use super::*;
use crate::{Error, Field, Grid3, LevelSet3};
use core::f64::consts::PI;
use std::collections::HashMap;

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|n| a[n] * b[n]).sum()
}

/// The area of the surface and, by the divergence theorem, the volume within.
fn area_and_volume(mesh: &SurfaceMesh<f64>) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.positions()[v as usize]);
        let edge = |p: [f64; 3]| core::array::from_fn(|n| p[n] - a[n]);
        let normal = cross(edge(b), edge(c));
        sums[0] += 0.5 * dot(normal, normal).sqrt();
        sums[1] += dot(a, normal) / 6.0;
    }
    sums
}

/// How often each edge is run through in each direction.
fn is_closed<T: Real>(mesh: &SurfaceMesh<T>) -> bool {
    let mut edges = HashMap::new();
    for t in mesh.triangles() {
        for n in 0..3 {
            let (a, b) = (t[n], t[(n + 1) % 3]);
            let count: &mut [u32; 2] = edges.entry((a.min(b), a.max(b))).or_default();
            count[usize::from(a > b)] += 1;
        }
    }
    edges.values().all(|count| *count == [1, 1])
}

#[test]
fn the_surface_and_the_volume_of_a_ball_converge_at_second_order() {
    let ball = Shape::<f64, 3>::ball(0.3).unwrap();
    let exact = [4.0 * PI * 0.09, 4.0 / 3.0 * PI * 0.027];
    let errors = [16, 48].map(|n| {
        let grid = Grid3::new([n; 3], 1.0 / n as f64).unwrap();
        let set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, [0.51, 0.48, 0.5]).unwrap();
        let mut mesh = SurfaceMesh::new();
        mesh.extract(&set, Border::Open).unwrap();
        assert!(is_closed(&mesh));
        for (p, n) in mesh.positions().iter().zip(mesh.normals()) {
            let away = [p[0] - 0.51, p[1] - 0.48, p[2] - 0.5];
            assert!(dot(away, *n) / dot(away, away).sqrt() > 0.99);
        }
        let measured = area_and_volume(&mesh);
        [0, 1].map(|k| (measured[k] / exact[k] - 1.0).abs())
    });
    for k in 0..2 {
        assert!(errors[0][k] < 0.03 && errors[1][k] < errors[0][k] / 7.5, "{errors:?}");
    }
}

#[test]
fn any_values_give_a_closed_surface_of_edges_with_two_triangles() {
    let mut seed = 17;
    for round in 0..20 {
        let grid = Grid3::new([7, 6, 8], 0.5).unwrap();
        let coarse = round % 2 == 0;
        let noise = Field::from_fn(grid, |_| {
            let value = random(&mut seed) - 0.5;
            // Many values alike: ties, and the interface through centres.
            if coarse { libm::round(value * 4.0) } else { value }
        });
        let set = LevelSet3::from_field(noise, &Boundary::walls()).unwrap();
        let mut mesh = SurfaceMesh::new();
        mesh.extract(&set, Border::Closed).unwrap();
        assert!(mesh.triangles().len() > 100);
        assert!(is_closed(&mesh));
        let [_, volume] = area_and_volume(&mesh);
        assert!(volume > 0.0 && volume < 7.0 * 6.0 * 8.0 * 0.125);
    }
}

#[test]
fn what_fills_the_domain_is_closed_at_its_sides() {
    let grid = Grid3::new([4, 5, 6], 0.5).unwrap();
    let full = LevelSet3::from_fn(grid, &Boundary::walls(), |_| -1.0).unwrap();
    let mut mesh = SurfaceMesh::new();
    mesh.extract(&full, Border::Closed).unwrap();
    assert!(is_closed(&mesh));
    // A box with edges and corners cut off at half a cell.
    let [_, volume] = area_and_volume(&mesh);
    assert!(volume > 13.0 && volume < 15.0, "{volume}");
    let tank = LevelSet3::from_fn(grid, &Boundary::walls(), |[_, y, _]| y - 1.1).unwrap();
    mesh.extract(&tank, Border::Closed).unwrap();
    assert!(is_closed(&mesh));
    for (p, n) in mesh.positions().iter().zip(mesh.normals()) {
        let on_top = (p[1] - 1.1).abs() < 1e-9;
        let side = p.iter().zip([2.0, 2.5, 3.0]).any(|(x, size)| *x == 0.0 || *x == size);
        assert!(on_top || side, "{p:?} {n:?}");
    }
    mesh.extract(&full, Border::Open).unwrap();
    assert!(mesh.triangles().is_empty() && mesh.positions().is_empty());
}

#[test]
fn periodic_sides_are_closed_like_others() {
    let mut seed = 23;
    let grid = Grid3::new([7, 6, 8], 0.5).unwrap();
    let noise = Field::from_fn(grid, |_| random(&mut seed) - 0.5);
    let set = LevelSet3::from_field(noise, &Boundary::periodic()).unwrap();
    let mut mesh = SurfaceMesh::new();
    mesh.extract(&set, Border::Closed).unwrap();
    assert!(is_closed(&mesh));
    let sizes = grid.size();
    let beyond = |p: &&[f64; 3]| (0..3).any(|a| !(0.0..=sizes[a]).contains(&p[a]));
    assert_eq!(mesh.positions().iter().find(beyond), None);
}

#[test]
fn what_is_not_finite_is_refused() {
    let grid = Grid3::new([4; 3], 0.5).unwrap();
    let ball = Shape::ball(0.6).unwrap();
    let set = LevelSet3::from_shape(grid, &Boundary::walls(), &ball, [1.0; 3]).unwrap();
    let mut broken = set.clone();
    broken.values_mut()[grid.index([1, 2, 3])] = f32::NAN;
    let mut mesh = SurfaceMesh::new();
    mesh.extract(&set, Border::Open).unwrap();
    let before = mesh.triangles().to_vec();
    let refused = mesh.extract(&broken, Border::Open);
    assert_eq!(refused, Err(Error::NotFinite { name: "phi", place: [1, 2, 3] }));
    assert_eq!(mesh.triangles(), before);
}
