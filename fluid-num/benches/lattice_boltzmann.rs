//! Steps of the lattice in a closed box. Bytes counted: every population read and written once, 72 a
//! site in the plane and 152 on 19 velocities (f32); of the moment-encoded solver every moment, 48.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::schemes::lbm::{Collision, D2Q9, D3Q19, D3Q27, Lattice};
use fluid_num::{EncodedLbm, Grid, Lbm, LbmParams};

/// As many steps as the article's scene does a frame.
const STEPS: usize = 24;

fn params<const D: usize>(cells: usize, collision: Collision<f32>) -> LbmParams<f32, D> {
    let time_step = 0.1 / cells as f32;
    LbmParams { collision, time_step, kinematic_viscosity: 1e-3, ..Default::default() }
}

fn flow<const D: usize>(p: [f32; D]) -> ([f32; D], f32) {
    let bump = |x: f32| x * (1.0 - x);
    (core::array::from_fn(|a| bump(p[(a + 1) % D])), 0.0)
}

fn populations<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    c: &mut Criterion,
    cells: [usize; D],
    collision: Collision<f32>,
    threads: usize,
) {
    let Ok(grid) = Grid::new(cells, 1.0 / cells[0] as f32) else { return };
    let Ok(mut lbm) = Lbm::<f32, L, D, Q>::new(grid, params(cells[0], collision)) else { return };
    assert!(lbm.set_flow(flow).is_ok());
    let name = format!("{} {collision:?} {cells:?}", L::NAME);
    let sites = STEPS * grid.cell_count();
    let case = Case { name: &name, cells: sites, bytes_per_cell: 8 * Q, threads };
    case.run(c, || assert!(lbm.advance(STEPS).is_ok()));
}

fn moments<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    c: &mut Criterion,
    cells: [usize; D],
    threads: usize,
) {
    let Ok(grid) = Grid::new(cells, 1.0 / cells[0] as f32) else { return };
    let params = params(cells[0], Collision::Regularised);
    let Ok(mut lbm) = EncodedLbm::<f32, L, D, Q>::new(grid, params) else { return };
    assert!(lbm.set_flow(flow).is_ok());
    let name = format!("{} moments {cells:?}", L::NAME);
    let sites = STEPS * grid.cell_count();
    let bytes_per_cell = if D == 2 { 48 } else { 80 };
    let case = Case { name: &name, cells: sites, bytes_per_cell, threads };
    case.run(c, || assert!(lbm.advance(STEPS).is_ok()));
}

fn lattice_boltzmann(c: &mut Criterion) {
    for threads in [1, 2] {
        for n in [512, 1024, 2048] {
            populations::<D2Q9, 2, 9>(c, [n; 2], Collision::Bgk, threads);
        }
        for collision in [Collision::trt(), Collision::Regularised, Collision::CentralMoments] {
            populations::<D2Q9, 2, 9>(c, [1024; 2], collision, threads);
        }
        moments::<D2Q9, 2, 9>(c, [1024; 2], threads);
        moments::<D2Q9, 2, 9>(c, [2048; 2], threads);
        populations::<D3Q19, 3, 19>(c, [128; 3], Collision::Bgk, threads);
        populations::<D3Q19, 3, 19>(c, [128; 3], Collision::CentralMoments, threads);
        populations::<D3Q27, 3, 27>(c, [96; 3], Collision::Regularised, threads);
        moments::<D3Q27, 3, 27>(c, [96; 3], threads);
    }
}

criterion_group!(benches, lattice_boltzmann);
criterion_main!(benches);
