//! Runs a few operations of `fluid-num` without std, libc or an operating system's start code, on
//! x86-64 Linux, and exits with 0 where the results are right.
//!
//! `cargo run --release --manifest-path tests/no_std_link/Cargo.toml` from the repository's root.
//! With `--features std` it must not compile: two panic handlers, E0152.

#![no_std]
#![no_main]

extern crate alloc;

mod platform;

use fluid_num::grid::ops::{divergence, laplacian};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid2, Grid3, Source, StableFluids2, StableFluidsParams,
    Stam2003, Stam2003Params,
};

/// The exit status: 0, or the number of the check that failed.
fn run() -> i32 {
    let checks: [fn() -> Result<bool, Error>; 6] = [
        a_lone_face_flows_out_of_one_cell_into_the_next,
        a_parabola_has_a_constant_laplacian,
        a_field_in_space_samples_a_plane_exactly,
        a_bad_grid_is_refused,
        smoke_rises,
        stam_2003_carries_its_density,
    ];
    for (n, check) in checks.iter().enumerate() {
        if check() != Ok(true) {
            return n as i32 + 1;
        }
    }
    0
}

fn smoke_rises() -> Result<bool, Error> {
    let grid = Grid2::new([12, 16], 1.0_f32 / 12.0)?;
    let mut fluid = StableFluids2::new(grid, StableFluidsParams::default())?;
    let effect = Effect::Add { quantity: 0, rate: 5.0 };
    fluid.sources_mut().push(Source { center: [0.5, 0.3], radius: 0.15, effect });
    for _ in 0..5 {
        fluid.step(0.05)?;
    }
    Ok(fluid.velocity().sample([0.5, 0.4])[1] > 0.0 && fluid.max_divergence() < 0.1)
}

fn stam_2003_carries_its_density() -> Result<bool, Error> {
    let grid = Grid2::new([12, 12], 1.0_f64 / 12.0)?;
    let mut solver = Stam2003::<f64, 2>::new(grid, Stam2003Params::default())?;
    solver.density_mut()[[5, 5]] = 1.0;
    solver.velocity_mut(0)[[5, 5]] = 0.2;
    solver.step(0.1)?;
    Ok(solver.density().sum() > 0.1 && solver.density().max_abs() <= 1.0)
}

fn a_lone_face_flows_out_of_one_cell_into_the_next() -> Result<bool, Error> {
    let grid = Grid2::new([8, 6], 0.5_f32)?;
    let mut u = Faces::zeros(grid);
    u[0][[3, 2]] = 1.0;
    Boundary::walls().fill_normal(&mut u);
    let mut div = Field::zeros(grid);
    divergence(&u, &mut div)?;
    Ok(div[[2, 2]] == 2.0 && div[[3, 2]] == -2.0 && div.sum() == 0.0)
}

fn a_parabola_has_a_constant_laplacian() -> Result<bool, Error> {
    let grid = Grid2::new([8, 8], 0.25_f64)?;
    let p = Field::from_fn(grid, |[x, y]| x * x + y * y);
    let mut out = Field::zeros(grid);
    laplacian(&p, &mut out)?;
    Ok((out[[4, 4]] - 4.0).abs() < 1e-12)
}

fn a_field_in_space_samples_a_plane_exactly() -> Result<bool, Error> {
    let grid = Grid3::new([4, 4, 4], 1.0_f64)?;
    let mut field = Field::from_fn(grid, |[x, y, z]| x + 2.0 * y + 4.0 * z);
    Boundary::periodic().fill_scalar(&mut field, 0.0, 0.0);
    Ok(field.sample([1.25, 2.0, 3.0]) == 1.25 + 4.0 + 12.0 && field.check_finite("field").is_ok())
}

fn a_bad_grid_is_refused() -> Result<bool, Error> {
    Ok(Grid2::new([0, 4], 1.0_f32).is_err() && Grid2::new([4, 4], f32::NAN).is_err())
}
