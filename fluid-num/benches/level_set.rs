//! Level sets: reinitialisation, advection, extrapolation and surfaces around a disc or ball of a
//! quarter of the domain. Cells counted: all of the grid, though the work is in the band; bytes
//! counted: φ read and written (and the velocity where there is one).
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::advection::Interpolation;
use fluid_num::level_set::{
    BandTransport, Border, DistanceOrder, Extrapolation, FastIterative, JumpFlooding, MarkerParams,
    MarkerParticles, SurfaceMesh,
};
use fluid_num::solid::Shape;
use fluid_num::{Boundary, Error, Faces, Grid, LevelSet, Real};

/// The width of the band, in cells.
const BAND: f64 = 5.0;

fn cases<T: Real, const D: usize>(
    c: &mut Criterion,
    n: usize,
    threads: usize,
) -> Result<(), Error> {
    let grid = Grid::new([n; D], T::of(1.0 / n as f64))?;
    let walls = Boundary::walls();
    let ball = Shape::<T, D>::ball(T::of(0.25))?;
    let mut start = LevelSet::from_shape(grid, &walls, &ball, [T::of(0.5); D])?;
    let label = format!("f{} {n}^{D}", 8 * size_of::<T>());
    let bytes = size_of::<T>();
    let run = |c: &mut Criterion, name: &str, fields: usize, f: &mut (dyn FnMut() + Send)| {
        let name = format!("{name} {label}");
        Case { name: &name, cells: grid.cell_count(), bytes_per_cell: fields * bytes, threads }
            .run(c, f);
    };

    for order in [DistanceOrder::First, DistanceOrder::Second] {
        let mut solver = FastIterative::new(grid, T::of(BAND), order)?;
        let mut set = start.clone();
        run(c, &format!("fast iterative {order:?}"), 2, &mut || {
            assert!(solver.reinitialize(&mut set).is_ok());
        });
    }
    let mut flood = JumpFlooding::new(grid, T::of(BAND))?;
    flood.reinitialize(&mut start)?;
    let mut set = start.clone();
    run(c, "jump flooding", 2, &mut || assert!(flood.reinitialize(&mut set).is_ok()));

    let turn = |p: [T; D]| {
        core::array::from_fn(|a| match a {
            0 => T::of(0.5) - p[1],
            1 => p[0] - T::of(0.5),
            _ => T::zero(),
        })
    };
    let u = Faces::from_fn(grid, turn);
    let back = Faces::from_fn(grid, |p| turn(p).map(|v: T| -v));
    for how in [Interpolation::Linear, Interpolation::Cubic] {
        let mut transport = BandTransport::new(grid, walls, how)?;
        let mut set = start.clone();
        let dt = grid.dx();
        // There and back, so that every run finds the interface in its place.
        let mut ways = [&u, &back].into_iter().cycle();
        run(c, &format!("advection {how:?}"), 2 + D, &mut || {
            let way = ways.next();
            assert!(way.is_some_and(|u| transport.carry(u, &mut set, dt).is_ok()));
        });
    }

    let mut markers = MarkerParticles::new(grid, walls, MarkerParams::default())?;
    markers.seed(&start)?;
    let mut set = start.clone();
    // There and back again: none escapes.
    let mut ways = [&u, &back].into_iter().cycle();
    run(c, &format!("{} particles", markers.len()), 2 + D, &mut || {
        let way = ways.next();
        assert!(way.is_some_and(|u| markers.carry(u, grid.dx()).is_ok()));
        assert_eq!(markers.correct(&mut set), Ok(0));
    });

    let (mut extrapolation, mut extended) = (Extrapolation::new(grid), u.clone());
    run(c, "extrapolation of velocity, 4 cells", 1 + 2 * D, &mut || {
        assert!(extrapolation.velocity(&start, &mut extended, T::of(4.0)).is_ok());
    });
    run(c, "area or volume", 1, &mut || assert!(start.measure() > 0.0));
    Ok(())
}

fn surface(c: &mut Criterion) -> Result<(), Error> {
    let grid = Grid::new([64; 3], 1.0_f32 / 64.0)?;
    let ball = Shape::ball(0.25)?;
    let set = LevelSet::from_shape(grid, &Boundary::walls(), &ball, [0.5; 3])?;
    let mut mesh = SurfaceMesh::new();
    mesh.extract(&set, Border::Open)?;
    let name = format!("surface of {} triangles f32 64^3", mesh.triangles().len());
    Case { name: &name, cells: grid.cell_count(), bytes_per_cell: 4, threads: 1 }
        .run(c, || assert!(mesh.extract(&set, Border::Open).is_ok()));
    Ok(())
}

fn level_set(c: &mut Criterion) {
    for threads in [1, 2] {
        assert!(cases::<f32, 2>(c, 512, threads).is_ok());
        assert!(cases::<f64, 2>(c, 512, threads).is_ok());
        assert!(cases::<f32, 3>(c, 64, threads).is_ok());
    }
    assert!(surface(c).is_ok());
}

criterion_group!(benches, level_set);
criterion_main!(benches);
