#![allow(
    clippy::disallowed_methods,
    reason = "the tests compare with the platform's own functions"
)]

use alloc::vec::Vec;

use super::*;
use crate::{Grid2, Grid3};

const TAU: f64 = core::f64::consts::TAU;

fn params<T: Real>() -> Stam2003Params<T> {
    Stam2003Params::default()
}

fn jacobi_params<T: Real>() -> Stam2003Params<T> {
    Stam2003Params { pressure: Sweep::Jacobi, diffusion: Diffusion::Jacobi, ..params() }
}

/// Any state: velocity and density from a small generator, magnitudes up to `size`.
fn stirred<T: Real, const D: usize>(
    cells: [usize; D],
    size: f64,
    params: Stam2003Params<T>,
) -> Stam2003<T, D> {
    let dx = T::of(1.0 / 16.0);
    let mut fluid = Stam2003::new(Grid::new(cells, dx).unwrap(), params).unwrap();
    let mut seed = 1_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * size
    };
    for a in 0..D {
        fluid.velocity_mut(a).set_from_fn(|_| T::of(random()));
    }
    fluid.density_mut().set_from_fn(|_| T::of(random()));
    fluid
}

fn assert_finite<T: Real, const D: usize>(fluid: &Stam2003<T, D>) {
    for a in 0..D {
        assert_eq!(fluid.velocity(a).check_finite("velocity"), Ok(()));
    }
    assert_eq!(fluid.density().check_finite("density"), Ok(()));
    assert_eq!(fluid.pressure().check_finite("pressure"), Ok(()));
}

// ---- the projection ----

/// u = cos(2πm·i/64), v = 0 on a periodic square.
fn wave(m: usize, params: Stam2003Params<f64>) -> Stam2003<f64, 2> {
    let grid = Grid2::new([64, 64], 1.0 / 64.0).unwrap();
    let params = Stam2003Params { boundary: Stam2003Boundary::Periodic, ..params };
    let mut fluid = Stam2003::new(grid, params).unwrap();
    for i in 0..64 {
        let u = (TAU * (m * i) as f64 / 64.0).cos();
        for j in 0..64 {
            fluid.velocity_mut(0)[[i, j]] = u;
        }
    }
    fluid
}

#[test]
fn case_o1_a_mode_keeps_sin_squared_of_half_its_wave_number_of_its_divergence() {
    for (m, expected) in [(1, 0.0024), (8, 0.146), (16, 0.5)] {
        // A sweep cuts the error of m = 1 by half a per cent: 6000 sweeps by e⁻²⁸.
        let mut fluid = wave(m, Stam2003Params { iterations: 6000, ..params() });
        let before = fluid.divergence().max_abs();
        let solve = fluid.project().unwrap();
        assert!(solve.residual < 1e-10, "m = {m}: {solve:?}");
        let kept = fluid.divergence().max_abs() / before;
        let half = core::f64::consts::PI * m as f64 / 64.0;
        assert!((kept - half.sin().powi(2)).abs() < 1e-9, "m = {m}: {kept}");
        assert!((kept - expected).abs() < 1e-3, "m = {m}: {kept}");
    }
}

#[test]
fn case_o1_the_checkerboard_that_the_projection_cannot_see_does_not_grow() {
    for sweep in [Sweep::GaussSeidel, Sweep::Jacobi] {
        let mut fluid = wave(32, Stam2003Params { pressure: sweep, ..params() });
        assert_eq!(fluid.divergence().max_abs(), 0.0);
        for _ in 0..200 {
            let report = fluid.step(1.0 / 60.0).unwrap();
            assert!(report.max_speed <= 1.0);
        }
    }
}

#[test]
fn the_potential_of_a_wave_is_the_exact_one() {
    // ∇²p = ∇·u in the scheme's operators: p = sin(k)/(2 − 2 cos k)·h·sin(k i).
    let mut fluid = wave(8, Stam2003Params { iterations: 8000, ..params() });
    fluid.project().unwrap();
    let k = TAU / 8.0;
    let amplitude = k.sin() / (2.0 - 2.0 * k.cos()) / 64.0;
    let shift = fluid.pressure()[[0, 0]];
    for i in 0..64 {
        let expected = amplitude * (k * i as f64).sin();
        assert!((fluid.pressure()[[i, 7]] - shift - expected).abs() < 1e-12);
    }
}

/// Largest mirror error over the largest component after one projection of an upward jet in the
/// lower half.
fn mirror_error(n: usize, params: Stam2003Params<f64>) -> f64 {
    let grid = Grid2::new([n, n], 1.0 / n as f64).unwrap();
    let mut fluid = Stam2003::new(grid, params).unwrap();
    let width = 2 + n % 2;
    for i in (n - width) / 2..(n + width) / 2 {
        for j in n / 4 - 1..n / 4 + 3 {
            fluid.velocity_mut(1)[[i, j]] = 1.0;
        }
    }
    fluid.project().unwrap();
    let (mut error, mut speed) = (0.0_f64, 0.0_f64);
    for i in 0..n {
        for j in 0..n {
            let (a, b) = ([i, j], [n - 1 - i, j]);
            let (u, v) = (fluid.velocity(0), fluid.velocity(1));
            error = error.max((u[a] + u[b]).abs()).max((v[a] - v[b]).abs());
            speed = speed.max(u[a].abs()).max(v[a].abs());
        }
    }
    error / speed
}

#[test]
fn case_o2_jacobi_keeps_the_mirror_symmetry_of_a_jet() {
    for n in [32, 33] {
        for iterations in [4, 20, 200] {
            let params = Stam2003Params { iterations, ..jacobi_params() };
            let error = mirror_error(n, params);
            assert!(error <= 1e-12, "{n}, {iterations}: {error}");
        }
    }
}

#[test]
fn case_o2_gauss_seidel_breaks_the_mirror_symmetry_by_the_documented_amounts() {
    for (iterations, documented) in [(4, 3.4e-2), (20, 5.6e-3), (200, 4.6e-4)] {
        let params = Stam2003Params { iterations, ..params() };
        let error = mirror_error(32, params);
        // Two digits are documented.
        assert!((error / documented - 1.0).abs() < 0.02, "{iterations}: {error}");
    }
}

#[test]
fn case_o2_a_centred_plume_with_jacobi_sweeps_does_not_drift_sideways() {
    let grid = Grid2::new([32, 32], 1.0 / 32.0).unwrap();
    let mut fluid = Stam2003::new(grid, jacobi_params::<f64>()).unwrap();
    for _ in 0..300 {
        fluid.add_force([0.5, 0.1], 0.06, [0.0, 5.0]).unwrap();
        fluid.step(1.0 / 60.0).unwrap();
    }
    let total: f64 =
        (0..2).flat_map(|a| fluid.velocity(a).values().map(f64::abs).collect::<Vec<_>>()).sum();
    assert!(total > 1.0);
    assert!(fluid.velocity(0).sum().abs() <= 1e-3 * total);
}

// ---- corners ----

/// The run of case O3 with the force in the corner `at`.
fn corner_run(at: [bool; 2]) -> Stam2003<f64, 2> {
    let n = 64;
    let grid = Grid2::new([n, n], 1.0 / n as f64).unwrap();
    let mut fluid = Stam2003::new(grid, jacobi_params()).unwrap();
    // A blob of dye in every corner.
    fluid.density_mut().set_from_fn(|[x, y]| {
        let (x, y) = (x.min(1.0 - x), y.min(1.0 - y));
        if x + y < 0.3 { 1.0 } else { 0.0 }
    });
    let place = |up: bool, s: usize| if up { n - 1 - s } else { s };
    let mut energy = f64::INFINITY;
    for step in 0..360 {
        if step < 60 {
            for (i, j) in (0..9).map(|c| (c % 3, c / 3)) {
                let cell = [place(at[0], i), place(at[1], j)];
                for a in 0..2 {
                    fluid.force_mut(a)[cell] = if at[a] { 50.0 } else { -50.0 };
                }
            }
        }
        fluid.step(1.0 / 60.0).unwrap();
        let (lo, hi) = fluid.density().min_max();
        assert!(lo >= 0.0 && hi <= 1.0, "step {step}: dye {lo} to {hi}");
        let square = |a: usize| fluid.velocity(a).values().map(|v| v * v).sum::<f64>();
        let now = square(0) + square(1);
        assert!(step <= 60 || now <= energy * 1.001, "step {step}: {energy} to {now}");
        energy = now;
    }
    assert_finite(&fluid);
    fluid
}

#[test]
fn case_o3_all_four_corners_behave_alike_and_never_run_away() {
    let first = corner_run([false, false]);
    assert!(first.velocity(0).max_abs() > 1e-3, "the force did nothing");
    for at in [[true, false], [false, true], [true, true]] {
        let other = corner_run(at);
        for (i, j) in (0..64 * 64).map(|c| (c % 64, c / 64)) {
            let place = |up: bool, s: usize| if up { 63 - s } else { s };
            let cell = [place(at[0], i), place(at[1], j)];
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5, "{a} and {b}");
            close(first.density()[[i, j]], other.density()[cell]);
            for a in 0..2 {
                let sign = if at[a] { -1.0 } else { 1.0 };
                close(first.velocity(a)[[i, j]], sign * other.velocity(a)[cell]);
            }
        }
    }
}

#[test]
fn case_o3_places_beyond_a_corner_read_the_value_of_the_corner() {
    let fluid = stirred([8, 8], 1.0, params::<f64>());
    let rho = fluid.density();
    assert_eq!(rho.sample([-0.3, -0.3]), rho[[0, 0]]);
    // The back-trace too: everything comes from far beyond the lower corner.
    let mut fluid = stirred([8, 8], 1.0, params::<f64>());
    let corner = fluid.density()[[0, 0]];
    for a in 0..2 {
        fluid.velocity[a].fill(1e6);
    }
    set_ghosts(&mut fluid.density, None, Stam2003Boundary::Walls);
    fluid.advect_density(1.0);
    assert!(fluid.density().values().all(|v| v == corner));
}

// ---- advection ----

#[test]
fn a_periodic_shift_by_whole_cells_is_exact_in_2d_and_3d() {
    fn shifted<const D: usize>(cells: [usize; D], by: [i32; D]) {
        let periodic = Stam2003Params { boundary: Stam2003Boundary::Periodic, ..params() };
        let mut fluid = stirred::<f64, D>(cells, 1.0, periodic);
        let before = fluid.density().clone();
        // dx = 1/16, Δt = 1: exact in binary.
        for a in 0..D {
            fluid.velocity_mut(a).fill(f64::from(by[a]) / 16.0);
        }
        fluid.step(1.0).unwrap();
        for at in 0..before.as_slice().len() {
            let cell = fluid.grid().cell_at(at);
            if before.get(cell.map(|c| c.min(1 << 20))).is_none() {
                continue;
            }
            let from = core::array::from_fn(|a| {
                (cell[a] as i32 - by[a]).rem_euclid(cells[a] as i32) as usize
            });
            assert_eq!(fluid.density()[cell], before[from]);
        }
    }
    shifted([100, 7], [3, -2]);
    shifted([9, 6, 5], [-4, 1, 13]);
}

#[test]
fn advection_never_makes_a_value_outside_the_range_it_read() {
    fn check<T: Real, const D: usize>(cells: [usize; D]) {
        for boundary in [Stam2003Boundary::Walls, Stam2003Boundary::Periodic] {
            let mut fluid = stirred::<T, D>(cells, 3.0, Stam2003Params { boundary, ..params() });
            let (lo, hi) = fluid.density().min_max();
            for _ in 0..50 {
                fluid.step(T::of(0.05)).unwrap();
                let (l, h) = fluid.density().min_max();
                assert!(l >= lo && h <= hi);
            }
        }
    }
    check::<f32, 2>([37, 21]);
    check::<f64, 3>([9, 12, 7]);
}

// ---- diffusion ----

/// cos(k (i + ½)) along each axis, k = π·m/n: a mode of the walls; and the eigenvalue λ > 0 of −∇².
fn cosine<const D: usize>(
    cells: [usize; D],
    m: usize,
    params: Stam2003Params<f64>,
) -> (Stam2003<f64, D>, f64) {
    let dx = 0.1;
    let mut fluid = Stam2003::new(Grid::new(cells, dx).unwrap(), params).unwrap();
    let k: [f64; D] = cells.map(|n| core::f64::consts::PI * m as f64 / n as f64);
    fluid.density_mut().set_from_fn(|p| (0..D).map(|a| (k[a] * p[a] / dx).cos()).product());
    let lambda = k.iter().map(|k| 2.0 - 2.0 * k.cos()).sum::<f64>() / (dx * dx);
    (fluid, lambda)
}

fn decays<const D: usize>(cells: [usize; D], diffusion: Diffusion) {
    let (kappa, dt, iterations) = (0.02, 0.05, 100);
    let params = Stam2003Params { diffusivity: kappa, diffusion, iterations, ..params() };
    let (mut fluid, lambda) = cosine(cells, 2, params);
    let before = fluid.density().clone();
    let steps = 5;
    for _ in 0..steps {
        fluid.step(dt).unwrap();
    }
    // The exact factor of the time scheme; a = 0.1, so a sweep cuts the error by 2Da/(1 + 2Da) < 0.4
    // and 100 sweeps leave rounding.
    let factor = match diffusion {
        Diffusion::Explicit => 1.0 - kappa * dt * lambda,
        _ => 1.0 / (1.0 + kappa * dt * lambda),
    };
    let factor = factor.powi(steps);
    for (now, before) in fluid.density().values().zip(before.values()) {
        assert!((now - factor * before).abs() < 1e-13);
    }
    // And the exact one of the continuous equation, to first order in time.
    let exact = (-kappa * lambda * dt * f64::from(steps)).exp();
    assert!(
        (factor / exact - 1.0).abs() < 0.5 * f64::from(steps) * (kappa * lambda * dt).powi(2) * 1.1
    );
}

#[test]
fn a_cosine_decays_by_the_exact_factor_of_each_scheme() {
    for diffusion in [Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit] {
        decays([16, 12], diffusion);
        decays([8, 12, 10], diffusion);
    }
}

#[test]
fn shear_between_walls_decays_by_the_implicit_factor() {
    let nu = 0.5;
    let params = Stam2003Params { kinematic_viscosity: nu, iterations: 2000, ..params() };
    let mut fluid = Stam2003::new(
        Grid2::new([16, 16], 1.0 / 16.0).unwrap(),
        Stam2003Params { boundary: Stam2003Boundary::Periodic, ..params },
    )
    .unwrap();
    let k = TAU / 16.0;
    fluid.velocity_mut(0).set_from_fn(|[_, y]: [f64; 2]| (TAU * y).cos());
    let before = fluid.velocity(0).clone();
    fluid.step(0.1).unwrap();
    let factor = 1.0 / (1.0 + nu * 0.1 * (2.0 - 2.0 * k.cos()) * 256.0);
    for (now, before) in fluid.velocity(0).values().zip(before.values()) {
        assert!((now - factor * before).abs() < 1e-10);
    }
    assert!(fluid.velocity(1).max_abs() < 1e-12);
}

#[test]
fn diffusion_conserves_the_density_between_walls_and_keeps_a_constant_to_the_last_bit() {
    for diffusion in [Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit] {
        let params = Stam2003Params { diffusivity: 0.01, diffusion, iterations: 200, ..params() };
        let (mut fluid, _) = cosine([9, 14], 1, params);
        let value = 0.1 + 0.2;
        fluid.density_mut().fill(value);
        fluid.step(0.1).unwrap();
        assert!(fluid.density().values().all(|v| v == value));
        fluid.density_mut()[[3, 4]] = 5.0;
        let before = fluid.density().sum();
        fluid.step(0.1).unwrap();
        assert!((fluid.density().sum() / before - 1.0).abs() < 1e-13);
    }
}

#[test]
fn explicit_diffusion_is_stable_up_to_its_limit_and_refused_beyond_it() {
    fn check<T: Real, const D: usize>(cells: [usize; D]) {
        let params = Stam2003Params {
            kinematic_viscosity: T::of(0.2),
            diffusivity: T::of(0.7),
            diffusion: Diffusion::Explicit,
            ..params()
        };
        let mut fluid = stirred::<T, D>(cells, 1.0, params);
        let limit = fluid.max_explicit_step();
        let expected = 1.0 / 256.0 / (2.0 * D as f64 * 0.7);
        assert!((limit.to_f64() / expected - 1.0).abs() < 1e-6);
        let (lo, hi) = fluid.density().min_max();
        for _ in 0..20 {
            fluid.step(limit).unwrap();
        }
        let (l, h) = fluid.density().min_max();
        // A convex combination, up to the rounding of its weights.
        let slack = T::EPSILON * T::of(20.0);
        assert!(l >= lo - slack && h <= hi + slack);
        let before = fluid.digest();
        let error = fluid.step(limit * T::of(1.001)).unwrap_err();
        assert!(matches!(error, Error::BeyondStabilityLimit { .. }), "{error}");
        assert_eq!(fluid.digest(), before);
        let implicit = Stam2003Params { diffusion: Diffusion::Jacobi, ..params };
        fluid.set_params(implicit).unwrap();
        assert!(fluid.step(limit * T::of(100.0)).is_ok());
    }
    check::<f32, 2>([12, 9]);
    check::<f64, 3>([6, 5, 7]);
}

// ---- zero, extremes, bad input ----

#[test]
fn case_o39_zero_means_off_on_grids_down_to_one_cell() {
    fn run<T: Real, const D: usize>(cells: [usize; D]) {
        for boundary in [Stam2003Boundary::Walls, Stam2003Boundary::Periodic] {
            for diffusion in [Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit] {
                for (nu, kappa) in [(0.0, 0.0), (0.01, 0.0), (0.0, 0.01)] {
                    let params = Stam2003Params {
                        kinematic_viscosity: T::of(nu),
                        diffusivity: T::of(kappa),
                        diffusion,
                        boundary,
                        ..params()
                    };
                    let mut fluid = stirred::<T, D>(cells, 1.0, params);
                    for _ in 0..5 {
                        fluid.step(T::of(0.01)).unwrap();
                    }
                    assert_finite(&fluid);
                    let before = fluid.digest();
                    let report = fluid.step(T::zero()).unwrap();
                    assert_eq!((report.substeps, fluid.digest()), (0, before));
                }
            }
        }
    }
    run::<f32, 2>([1, 1]);
    run::<f64, 2>([1, 9]);
    run::<f32, 2>([9, 1]);
    run::<f64, 3>([1, 1, 1]);
    run::<f32, 3>([1, 5, 2]);
    let fluid = Stam2003::new(Grid2::new([4, 4], 1.0).unwrap(), params::<f64>()).unwrap();
    assert_eq!(fluid.max_explicit_step(), f64::INFINITY);
}

#[test]
fn fluid_at_rest_stays_at_rest_to_the_last_bit() {
    let grid = Grid3::new([5, 6, 4], 0.5_f32).unwrap();
    let params = Stam2003Params { kinematic_viscosity: 1.0, ..params() };
    let mut fluid = Stam2003::new(grid, params).unwrap();
    fluid.density_mut().set_from_fn(|[x, y, z]| x * y - z);
    let before = fluid.density().clone();
    let report = fluid.step(0.1).unwrap();
    assert_eq!(fluid.density(), &{
        let mut with_ghosts = before;
        set_ghosts(&mut with_ghosts, None, Stam2003Boundary::Walls);
        with_ghosts
    });
    assert_eq!((report.max_speed, report.cfl), (0.0, 0.0));
    assert_eq!(report.pressure.map(|p| p.residual), Some(0.0));
}

#[test]
fn any_finite_state_stays_finite_for_any_time_step() {
    fn run<T: Real, const D: usize>(cells: [usize; D], largest: f64) {
        for size in [largest, 1e30, 1e3, 1e-30] {
            for dt in [1e-6, 1.0, 1e3] {
                for (pressure, diffusion) in [
                    (Sweep::GaussSeidel, Diffusion::GaussSeidel),
                    (Sweep::Jacobi, Diffusion::Jacobi),
                ] {
                    for boundary in [Stam2003Boundary::Walls, Stam2003Boundary::Periodic] {
                        let params = Stam2003Params {
                            kinematic_viscosity: T::of(1e3),
                            diffusivity: T::of(size),
                            pressure,
                            diffusion,
                            boundary,
                            iterations: 20,
                        };
                        let mut fluid = stirred::<T, D>(cells, size, params);
                        fluid.force_mut(0).fill(T::of(size));
                        fluid.source_mut().fill(T::of(-size));
                        for _ in 0..5 {
                            fluid.step(T::of(dt)).unwrap();
                            assert_finite(&fluid);
                        }
                    }
                }
            }
        }
    }
    run::<f32, 2>([17, 12], f64::from(f32::MAX));
    run::<f64, 2>([17, 12], f64::MAX);
    run::<f32, 3>([5, 6, 7], f64::from(f32::MAX));
}

#[test]
fn bad_input_is_a_named_error_and_changes_nothing() {
    let grid = Grid2::new([8, 8], 0.125_f64).unwrap();
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        for p in [
            Stam2003Params { kinematic_viscosity: bad, ..params() },
            Stam2003Params { diffusivity: bad, ..params() },
        ] {
            let error = Stam2003::new(grid, p).unwrap_err();
            assert!(matches!(error, Error::InvalidParameter { .. }));
            let mut fluid = Stam2003::new(grid, params()).unwrap();
            assert!(fluid.set_params(p).is_err());
            assert_eq!(fluid.params(), &params());
        }
        let mut fluid = stirred([8, 8], 1.0, params::<f64>());
        let before = fluid.digest();
        assert!(matches!(fluid.step(bad), Err(Error::InvalidTimeStep { .. })));
        assert!(fluid.add_source([0.5, 0.5], bad, 1.0).is_err());
        assert!(fluid.add_force([0.5, 0.5], bad, [1.0; 2]).is_err());
        if bad != -1.0 {
            assert!(fluid.add_source([0.5, bad], 0.1, 1.0).is_err());
            assert!(fluid.add_source([0.5, 0.5], 0.1, bad).is_err());
            assert!(fluid.add_force([bad, 0.5], 0.1, [1.0; 2]).is_err());
            assert!(fluid.add_force([0.5, 0.5], 0.1, [1.0, bad]).is_err());
        }
        assert_eq!(fluid.digest(), before);
    }
    for iterations in [0, 1_000_001] {
        let p = Stam2003Params { iterations, ..params::<f64>() };
        assert!(matches!(p.check(), Err(Error::WrongCount { .. })));
    }
}

#[test]
fn a_field_with_nan_or_of_another_grid_is_refused_before_anything_changes() {
    type Fluid = Stam2003<f32, 2>;
    type Write = fn(&mut Fluid) -> &mut Field<f32, 2>;
    let write: [(&str, Write); 4] = [
        ("velocity", |f| f.velocity_mut(1)),
        ("density", |f| f.density_mut()),
        ("force", |f| f.force_mut(0)),
        ("source", |f| f.source_mut()),
    ];
    for (expected, field) in write {
        for bad in [f32::NAN, f32::NEG_INFINITY] {
            let mut fluid = stirred([8, 8], 1.0, params());
            field(&mut fluid)[[3, 5]] = bad;
            let before = fluid.digest();
            let error = fluid.step(0.1).unwrap_err();
            let place = [3, 5, 0];
            assert_eq!(error, Error::NotFinite { name: expected, place });
            assert_eq!(fluid.digest(), before);
            field(&mut fluid)[[3, 5]] = 0.0;
            assert!(fluid.step(0.1).is_ok());
        }
        let mut fluid = stirred([8, 8], 1.0, params());
        *field(&mut fluid) = Field::zeros(Grid2::new([7, 8], 1.0).unwrap());
        let error = fluid.step(0.1).unwrap_err();
        assert_eq!(error, Error::GridMismatch { name: expected });
    }
    let mut fluid = stirred([8, 8], 1.0, params());
    fluid.force_mut(0)[[0, 0]] = f32::NAN;
    fluid.clear_sources();
    assert!(fluid.step(0.1).is_ok());
}

// ---- sources, state and scratch ----

#[test]
fn sources_are_per_second_and_one_step_takes_them_in() {
    let grid = Grid2::new([16, 16], 1.0 / 16.0).unwrap();
    let mut fluid = Stam2003::new(grid, params::<f64>()).unwrap();
    fluid.add_source([0.5, 0.5], 0.0, 4.0).unwrap();
    fluid.step(0.0).unwrap();
    assert_eq!(fluid.density().sum(), 0.0);
    fluid.step(0.25).unwrap();
    fluid.step(0.25).unwrap();
    // The cell that holds the centre, once; on an edge that is the upper cell.
    assert_eq!(fluid.density().sum(), 1.0);
    assert_eq!(fluid.density()[[8, 8]], 1.0);
    // A uniform force along a periodic box is an exact acceleration.
    fluid.set_params(Stam2003Params { boundary: Stam2003Boundary::Periodic, ..params() }).unwrap();
    fluid.add_force([0.5, 0.5], 10.0, [2.0, 0.0]).unwrap();
    fluid.step(0.25).unwrap();
    assert!(fluid.velocity(0).values().all(|u| u == 0.5));
    assert_eq!(fluid.velocity_at([0.3, 0.4]), [0.5, 0.0]);
}

#[test]
fn a_disc_reaches_every_cell_whose_centre_it_covers_and_none_outside_the_domain() {
    let grid = Grid2::new([10, 10], 1.0).unwrap();
    for (center, radius) in [([5.0, 5.0], 2.0_f64), ([0.2, 9.7], 3.0), ([-4.0, 3.0], 1.0)] {
        let mut fluid = Stam2003::new(grid, params()).unwrap();
        fluid.add_source(center, radius, 1.0).unwrap();
        for (i, j) in (0..100).map(|c| (c % 10, c / 10)) {
            let [x, y] = grid.center([i, j]);
            let inside = (x - center[0]).hypot(y - center[1]) <= radius;
            assert_eq!(fluid.source[[i, j]], f64::from(u8::from(inside)));
        }
    }
}

#[test]
fn scratch_and_ghosts_full_of_nan_change_nothing() {
    fn check<T: Real, const D: usize>(cells: [usize; D]) {
        for (pressure, diffusion) in [
            (Sweep::GaussSeidel, Diffusion::GaussSeidel),
            (Sweep::Jacobi, Diffusion::Jacobi),
            (Sweep::Jacobi, Diffusion::Explicit),
        ] {
            for boundary in [Stam2003Boundary::Walls, Stam2003Boundary::Periodic] {
                for iterations in [3, 4] {
                    let params = Stam2003Params {
                        kinematic_viscosity: T::of(0.01),
                        diffusivity: T::of(0.02),
                        pressure,
                        diffusion,
                        boundary,
                        iterations,
                    };
                    let mut clean = stirred::<T, D>(cells, 1.0, params);
                    let mut dirty = clean.clone();
                    for _ in 0..3 {
                        for fluid in [&mut clean, &mut dirty] {
                            fluid.add_force([T::of(0.2); D], T::of(0.1), [T::one(); D]).unwrap();
                        }
                        dirty.poison();
                        clean.step(T::of(0.02)).unwrap();
                        dirty.step(T::of(0.02)).unwrap();
                        assert_eq!(clean.digest(), dirty.digest());
                        assert_finite(&dirty);
                    }
                    dirty.poison();
                    let divergence = clean.divergence().clone();
                    assert!(divergence.values().eq(dirty.divergence().values()));
                }
            }
        }
    }
    check::<f32, 2>([19, 10]);
    check::<f64, 3>([6, 9, 5]);
}

#[test]
fn a_copy_goes_on_with_the_same_bits() {
    let mut fluid = stirred([16, 12], 1.0, params::<f32>());
    fluid.step(0.1).unwrap();
    fluid.add_source([0.5, 0.5], 0.2, 1.0).unwrap();
    let mut copy = Stam2003::new(*fluid.grid(), jacobi_params()).unwrap();
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(copy.step(0.1), fluid.step(0.1));
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(Simulation::time(&copy), 0.2);
    let other = stirred([16, 13], 1.0, params::<f32>());
    assert!(copy.copy_from(&other).is_err());
}

#[test]
fn every_parameter_changes_the_result() {
    let base = Stam2003Params { kinematic_viscosity: 0.01, diffusivity: 0.01, ..params::<f64>() };
    let digest = |p: Stam2003Params<f64>| {
        let mut fluid = stirred([16, 12], 1.0, p);
        fluid.step(0.02).unwrap();
        fluid.digest()
    };
    let mut digests = [
        base,
        Stam2003Params { kinematic_viscosity: 0.02, ..base },
        Stam2003Params { diffusivity: 0.02, ..base },
        Stam2003Params { iterations: 40, ..base },
        Stam2003Params { diffusion: Diffusion::Jacobi, ..base },
        Stam2003Params { diffusion: Diffusion::Explicit, ..base },
        Stam2003Params { pressure: Sweep::Jacobi, ..base },
        Stam2003Params { boundary: Stam2003Boundary::Periodic, ..base },
    ]
    .map(digest);
    digests.sort_unstable();
    assert!(digests.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn two_and_three_dimensions_agree_on_a_flow_that_is_uniform_along_the_third() {
    let grid = Grid2::new([12, 10], 1.0 / 16.0).unwrap();
    let solid = Grid3::new([12, 10, 4], 1.0 / 16.0).unwrap();
    let params = Stam2003Params {
        kinematic_viscosity: 0.01,
        diffusivity: 0.01,
        iterations: 2000,
        ..params::<f64>()
    };
    let mut flat = Stam2003::new(grid, params).unwrap();
    let mut deep = Stam2003::new(solid, params).unwrap();
    let u = |x: f64, y: f64| [(9.0 * x + 4.0 * y).sin(), (3.0 * x - 8.0 * y).cos()];
    for a in 0..2 {
        flat.velocity_mut(a).set_from_fn(|[x, y]| u(x, y)[a]);
        deep.velocity_mut(a).set_from_fn(|[x, y, _]| u(x, y)[a]);
    }
    flat.density_mut().set_from_fn(|[x, y]| x * y);
    deep.density_mut().set_from_fn(|[x, y, _]| x * y);
    for _ in 0..5 {
        flat.step(0.05).unwrap();
        deep.step(0.05).unwrap();
    }
    for (i, j) in (0..120).map(|c| (c % 12, c / 12)) {
        for k in 0..4 {
            // Both solves are down to rounding.
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-11, "{a} and {b}");
            close(flat.density()[[i, j]], deep.density()[[i, j, k]]);
            close(flat.velocity(0)[[i, j]], deep.velocity(0)[[i, j, k]]);
            close(deep.velocity(2)[[i, j, k]], 0.0);
        }
    }
}
