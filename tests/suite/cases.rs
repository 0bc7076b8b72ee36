//! Faults that users of other solvers met, as requirements: one test or a few for each case.
//!
//! Each name starts with the case's number. Where the first number of a bound was a guess, the
//! reason for the one that stands here is beside it.

use fluid_num::advection::{Advection, Interpolation, PathOrder, Transport};
use fluid_num::grid::ops;
use fluid_num::poisson::{Budget, PoissonSolver, Preconditioner, Problem, Solver, SolverKind};
use fluid_num::solid::{Body, Shape};
use fluid_num::{
    Boundary, Effect, Faces, Field, Grid, QuantityParams, Real, Side, Simulation, Source,
    StableFluids, StableFluidsParams, Stepper, Stepping,
};
use fluid_tests::{Random, random_faces};

type Fluid = StableFluids<f64, 2>;
type Params = StableFluidsParams<f64, 2>;

const FRAME: f64 = 1.0 / 60.0;

/// Every way to carry a quantity.
const SCHEMES: [Advection; 5] = [
    Advection::SemiLagrangian(Interpolation::Linear),
    Advection::SemiLagrangian(Interpolation::MonotoneCubic),
    Advection::SemiLagrangian(Interpolation::ClampedCubic),
    Advection::MacCormack,
    Advection::Scatter,
];

/// A closed box without quantities, its pressure solved to rounding.
fn bare() -> Params {
    Params {
        quantities: Vec::new(),
        pressure_budget: Budget::tolerance(1e-10, 3000),
        ..Default::default()
    }
}

fn fluid<const D: usize>(
    cells: [usize; D],
    dx: f64,
    params: StableFluidsParams<f64, D>,
) -> StableFluids<f64, D> {
    StableFluids::new(Grid::new(cells, dx).unwrap(), params).unwrap()
}

fn total_momentum(fluid: &Fluid, axis: usize) -> f64 {
    fluid.velocity()[axis].sum() * fluid.grid().dx().powi(2)
}

fn assert_finite<const D: usize>(fluid: &StableFluids<f64, D>, what: &str) {
    assert!(fluid.velocity().max_abs().is_finite(), "{what}: velocity");
    assert!(fluid.pressure().max_abs().is_finite(), "{what}: pressure");
    for q in fluid.quantities() {
        assert!(q.max_abs().is_finite(), "{what}: quantity");
    }
}

/// The largest difference between `b` and the mirror image of `a` along the axes of `flip`.
fn mirror_error(a: &Faces<f64, 2>, b: &Faces<f64, 2>, flip: [bool; 2]) -> f64 {
    let n = a.grid().cells();
    let mut worst = 0.0_f64;
    for axis in 0..2 {
        let faces: [usize; 2] = core::array::from_fn(|d| n[d] + usize::from(d == axis));
        let sign = if flip[axis] { -1.0 } else { 1.0 };
        for j in 0..faces[1] {
            for i in 0..faces[0] {
                let at = [i, j];
                let image =
                    core::array::from_fn(|d| if flip[d] { faces[d] - 1 - at[d] } else { at[d] });
                worst = worst.max((b[axis][image] - sign * a[axis][at]).abs());
            }
        }
    }
    worst
}

// ---- O1: the projection -------------------------------------------------------------------

#[test]
fn case_o1_projection_keeps_nothing_on_a_mac_grid() {
    for mode in 1..=32 {
        let params = Params { boundary: Boundary::periodic(), ..bare() };
        let mut fluid = fluid([64, 64], 1.0, params);
        let k = core::f64::consts::TAU * f64::from(mode) / 64.0;
        *fluid.velocity_mut() =
            Faces::from_fn(*fluid.grid(), |[x, _]| [(k * x).portable_sin_cos().1, 0.0]);
        let before = fluid.max_divergence();
        fluid.project().unwrap();
        let kept = fluid.max_divergence() / before;
        assert!(before > 0.09, "mode {mode} has a divergence of {before}");
        assert!(kept <= 1e-6, "mode {mode} keeps {kept} of its divergence");
        // A mode along its own direction is all gradient: nothing of the velocity is left.
        assert!(fluid.velocity().max_abs() <= 1e-6, "mode {mode}");
    }
}

#[test]
fn case_o1_projecting_twice_is_projecting_once() {
    let channel = Boundary::walls().with(0, 1, Side::Open);
    let mut failures = Vec::new();
    for boundary in [Boundary::walls(), Boundary::periodic(), channel] {
        let params = Params { boundary, ..bare() };
        let mut fluid = fluid([64, 64], 1.0, params);
        *fluid.velocity_mut() = random_faces(*fluid.grid(), 1, 1.0);
        let before = fluid.max_divergence();
        fluid.project().unwrap();
        assert!(fluid.max_divergence() <= 1e-9 * before);
        let once = fluid.velocity().clone();
        let report = fluid.project().unwrap();
        // The first solve left 1e-10 of the divergence; over 64 cells that is 1e-8 of the speed.
        let change = mirror_error(&once, fluid.velocity(), [false; 2]);
        // The second starts 1e10 times above what is asked of it, and stops at its own rounding.
        let reached = report.residual / report.residual_before;
        if change > 1e-8 || reached > 1e-12 {
            failures.push(format!("{boundary:?}: changes {change:e}, {report:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn case_o1_a_checkerboard_does_not_grow() {
    for advection in SCHEMES {
        let params =
            Params { boundary: Boundary::periodic(), velocity_advection: advection, ..bare() };
        let mut fluid = fluid([64, 64], 1.0, params);
        let k = core::f64::consts::PI;
        let wave = |[x, y]: [f64; 2]| {
            [(k * x).portable_sin_cos().1 * (k * (y - 0.5)).portable_sin_cos().1, 0.0]
        };
        *fluid.velocity_mut() = Faces::from_fn(*fluid.grid(), wave);
        let first = fluid.velocity().max_abs();
        assert!(first > 0.9);
        for _ in 0..200 {
            fluid.step(FRAME).unwrap();
            assert!(fluid.velocity().max_abs() <= first * (1.0 + 1e-9), "{advection:?}");
        }
    }
}

// ---- O2: symmetry -------------------------------------------------------------------------

/// An upward impulse on the centre line, projected once; gives the largest mirror error relative
/// to the largest speed.
fn impulse_mirror_error(n: usize, pressure_solver: SolverKind<f64>, budget: Budget<f64>) -> f64 {
    let params = Params { pressure_solver, pressure_budget: budget, ..bare() };
    let mut fluid = fluid([n, n], 1.0, params);
    let width = if n.is_multiple_of(2) { 2 } else { 3 };
    let left = (n - width) / 2;
    for j in n / 2 - 2..n / 2 + 2 {
        for i in left..left + width {
            fluid.velocity_mut()[1][[i, j]] = 1.0;
        }
    }
    fluid.project().unwrap();
    let u = fluid.velocity();
    mirror_error(u, u, [true, false]) / u.max_abs()
}

#[test]
fn case_o2_jacobi_keeps_a_mirror_symmetric_scene_symmetric() {
    for n in [32, 33] {
        for sweeps in [1, 4, 20, 200, 201] {
            let error = impulse_mirror_error(n, SolverKind::Jacobi, Budget::iterations(sweeps));
            assert!(error <= 1e-12, "{n} cells, {sweeps} sweeps: {error}");
        }
    }
}

#[test]
fn case_o2_every_other_solver_is_symmetric_to_its_tolerance() {
    for n in [32, 33] {
        for solver in SolverKind::general() {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let budget = Budget::tolerance(tolerance, 20_000);
                let error = impulse_mirror_error(n, solver, budget);
                let bound = 10.0 * tolerance;
                assert!(error <= bound, "{n}, {}: {error}", solver.name());
            }
        }
    }
}

/// |Σu| / Σ(|u| + |v|) after five seconds of a centred plume.
fn plume_drift(n: usize, pressure_solver: SolverKind<f64>, stepping: Stepping) -> f64 {
    let params = Params { pressure_solver, stepping, ..Default::default() };
    let dx = 1.0 / n as f64;
    let mut fluid = fluid([n, n], dx, params);
    fluid.sources_mut().push(Source {
        center: [0.5, 0.15],
        radius: 0.06,
        effect: Effect::Add { quantity: 0, rate: 4.0 },
    });
    for _ in 0..300 {
        fluid.step(FRAME).unwrap();
    }
    let u = fluid.velocity();
    let total: f64 = (0..2).map(|a| u[a].values().map(f64::abs).sum::<f64>()).sum();
    assert!(total * dx * dx > 0.05, "there is a plume: {}", total * dx * dx);
    u[0].sum().abs() / total
}

#[test]
fn case_o2_a_centred_plume_does_not_drift() {
    let mut cases = SolverKind::general().map(|s| (48, s, Stepping::Projection)).to_vec();
    let default = Params::default().pressure_solver;
    cases.push((64, default, Stepping::Projection));
    cases.push((65, default, Stepping::Projection));
    cases.push((48, SolverKind::GaussSeidel, Stepping::Reflection));
    for (n, solver, stepping) in cases {
        let drift = plume_drift(n, solver, stepping);
        assert!(drift <= 1e-3, "{n}, {}, {stepping:?}: {drift}", solver.name());
    }
}

// ---- O3: corners --------------------------------------------------------------------------

/// Adds `kick` to the velocity of the 3×3 cells in a corner.
fn push_corner(fluid: &mut Fluid, corner: [usize; 2], kick: [f64; 2]) {
    let n = fluid.grid().cells();
    for axis in 0..2 {
        let faces: [usize; 2] = core::array::from_fn(|d| 3 + usize::from(d == axis));
        let from: [usize; 2] = core::array::from_fn(|d| corner[d] * (n[d] - 3));
        let u = &mut fluid.velocity_mut()[axis];
        for j in 0..faces[1] {
            for i in 0..faces[0] {
                u[[from[0] + i, from[1] + j]] += kick[axis];
            }
        }
    }
}

/// Pushes into `corner` for a second, then lets go for five; checks all on the way.
fn drag_into(corner: [usize; 2], advection: Advection, solver: SolverKind<f64>) -> Fluid {
    let params = Params {
        quantities: vec![QuantityParams { advection, ..QuantityParams::dye() }],
        velocity_advection: advection,
        pressure_solver: solver,
        pressure_budget: match solver {
            SolverKind::Jacobi => Budget::iterations(200),
            _ => Budget::tolerance(1e-5, 1000),
        },
        ..bare()
    };
    let mut fluid = fluid([64, 64], 1.0, params);
    let near = |d: usize, x: f64| if corner[d] == 0 { x < 10.0 } else { x > 54.0 };
    fluid
        .quantity_mut(0)
        .unwrap()
        .set_from_fn(|[x, y]| f64::from(u8::from(near(0, x) && near(1, y))));
    let kick = corner.map(|end| (end as f64 * 2.0 - 1.0) * 50.0 * FRAME);
    for _ in 0..60 {
        push_corner(&mut fluid, corner, kick);
        fluid.step(FRAME).unwrap();
    }
    let mut lowest = fluid.kinetic_energy();
    for step in 0..300 {
        fluid.step(FRAME).unwrap();
        let energy = fluid.kinetic_energy();
        assert!(
            energy <= lowest * 1.001,
            "{corner:?} {advection:?} step {step}: {energy} after {lowest}"
        );
        lowest = lowest.min(energy);
        let (least, most) = fluid.quantities()[0].min_max();
        assert!(least >= 0.0 && most <= 1.0, "dye in [{least}, {most}]");
    }
    assert_finite(&fluid, "corner");
    fluid
}

#[test]
fn case_o3_dragging_into_a_corner_stays_calm_and_all_corners_are_alike() {
    for advection in [Advection::default(), Advection::MacCormack] {
        let first = drag_into([0, 0], advection, SolverKind::Jacobi);
        assert!(first.kinetic_energy() > 1e-3, "{}", first.kinetic_energy());
        for corner in [[1, 0], [0, 1], [1, 1]] {
            let other = drag_into(corner, advection, SolverKind::Jacobi);
            let flip = corner.map(|end| end == 1);
            let error = mirror_error(first.velocity(), other.velocity(), flip);
            assert!(error <= 1e-5, "{corner:?}: {error}");
        }
    }
}

#[test]
fn case_o3_no_scheme_runs_away_in_a_corner() {
    // A velocity that is to be scattered is carried with linear interpolation instead.
    for advection in SCHEMES.into_iter().filter(|s| *s != Advection::Scatter) {
        drag_into([0, 0], advection, Params::default().pressure_solver);
    }
}

#[test]
fn case_o3_sampling_beyond_a_corner_gives_the_border_value() {
    let grid = Grid::new([8, 8], 1.0).unwrap();
    let q = Field::from_fn(grid, |[x, y]| 3.0 + x + 10.0 * y);
    let u = Faces::from_fn(grid, |[x, y]| [3.0 + x + 10.0 * y, 5.0 - x + 2.0 * y]);
    assert_eq!(q.sample([-0.3, -0.3]), q[[0, 0]]);
    assert_eq!(q.sample([8.3, 8.3]), q[[7, 7]]);
    assert_eq!(u.sample([-0.3, -0.3]), [u[0][[0, 0]], u[1][[0, 0]]]);
    assert_eq!(u.sample([8.3, 8.3]), [u[0][[8, 7]], u[1][[7, 8]]]);
}

// ---- O4: vorticity confinement --------------------------------------------------------------

const STRONGEST: f64 = Params::MAX_CONFINEMENT;

#[test]
fn case_o4a_no_curl_gives_no_force() {
    for velocity in [[0.0, 0.0], [0.75, -0.5]] {
        let params =
            Params { boundary: Boundary::periodic(), vorticity_confinement: STRONGEST, ..bare() };
        let mut fluid = fluid([16, 16], 0.25, params);
        *fluid.velocity_mut() = Faces::from_fn(*fluid.grid(), |_| velocity);
        let start = fluid.velocity().clone();
        for _ in 0..20 {
            fluid.step(FRAME).unwrap();
        }
        assert_eq!(mirror_error(&start, fluid.velocity(), [false; 2]), 0.0);
    }
    let params = StableFluidsParams {
        boundary: Boundary::periodic(),
        vorticity_confinement: STRONGEST,
        quantities: Vec::new(),
        ..Default::default()
    };
    let mut space = fluid([8, 8, 8], 0.25, params);
    *space.velocity_mut() = Faces::from_fn(*space.grid(), |_| [0.5, 0.25, -1.0]);
    space.step(FRAME).unwrap();
    for (u, expected) in space.velocity().components().iter().zip([0.5, 0.25, -1.0]) {
        assert!(u.values().all(|v| v == expected));
    }
}

/// The largest speed over 2000 steps after one impulse, relative to that of the first second.
fn growth_under_confinement(strength: f64, dx: f64, impulse: f64, advection: Advection) -> f64 {
    let params = Params {
        vorticity_confinement: strength,
        velocity_advection: advection,
        pressure_budget: Budget::tolerance(1e-3, 200),
        ..bare()
    };
    let mut fluid = fluid([64, 64], dx, params);
    let source = Source {
        center: [32.0 * dx, 20.0 * dx],
        radius: 4.0 * dx,
        effect: Effect::Accelerate([0.3 * impulse, impulse]),
    };
    fluid.apply_source(&source, 1.0).unwrap();
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    for step in 0..2000 {
        let speed = match fluid.step(FRAME) {
            Ok(report) => report.max_speed,
            Err(_) => return f64::INFINITY,
        };
        let most = if step < 60 { &mut early } else { &mut late };
        *most = most.max(speed);
    }
    late / early
}

#[test]
fn case_o4b_the_documented_maximum_strength_stays_bounded() {
    // From a push of a cell a step on; a weaker one has further to grow until it meets the bound.
    for dx in [1.0 / 64.0, 1.0] {
        let growth = growth_under_confinement(STRONGEST, dx, 60.0 * dx, Advection::default());
        assert!(growth <= 20.0, "dx {dx}: {growth} times the first second");
    }
    for advection in [Advection::MacCormack, Advection::SemiLagrangian(Interpolation::ClampedCubic)]
    {
        let growth = growth_under_confinement(STRONGEST, 1.0, 60.0, advection);
        assert!(growth <= 20.0, "{advection:?}: {growth} times the first second");
    }
}

/// The energy that confinement puts into a vortex of given size, per second.
fn energy_input(n: usize) -> f64 {
    let energy = |strength: f64| {
        let params =
            Params { boundary: Boundary::periodic(), vorticity_confinement: strength, ..bare() };
        let mut fluid = fluid([n, n], 1.0 / n as f64, params);
        let whirl = |[x, y]: [f64; 2]| {
            let (x, y) = (x - 0.5, y - 0.5);
            let turn = 20.0 * (-(x * x + y * y) / 0.01).portable_exp();
            [-y * turn, x * turn]
        };
        *fluid.velocity_mut() = Faces::from_fn(*fluid.grid(), whirl);
        for _ in 0..6 {
            fluid.step(0.1 * FRAME).unwrap();
        }
        fluid.kinetic_energy()
    };
    (energy(1.0) - energy(0.0)) / (0.6 * FRAME)
}

#[test]
fn case_o4c_energy_input_scales_with_the_cell() {
    // f = ε·h·(N × ω): the force is proportional to the cell, so the ratio tends to 2 from below.
    let (coarse, fine) = (energy_input(64), energy_input(128));
    assert!(coarse > 0.0 && fine > 0.0);
    let ratio = coarse / fine;
    assert!((0.5..=2.0).contains(&ratio), "64² over 128²: {ratio}");
}

#[test]
fn case_o4d_cells_that_touch_a_wall_get_no_force() {
    // Corridors of two cells: every fluid cell touches a solid. Of three: the middle one is free.
    let run = |width: usize, strength: f64| {
        let params = Params { vorticity_confinement: strength, ..bare() };
        let mut fluid = fluid([width * 4 + 3, 32], 1.0, params);
        fluid.close_cells(|[i, _]| i % (width + 1) == width);
        *fluid.velocity_mut() = random_faces(*fluid.grid(), 4, 1.0);
        for _ in 0..3 {
            fluid.step(FRAME).unwrap();
        }
        fluid.digest()
    };
    assert_eq!(run(2, STRONGEST), run(2, 0.0));
    assert_ne!(run(3, STRONGEST), run(3, 0.0));
}

// ---- O5: rates ------------------------------------------------------------------------------

const RATES: [usize; 4] = [30, 60, 144, 240];

#[test]
fn case_o5_fading_is_a_rate_and_not_a_factor_for_each_frame() {
    for rate in RATES {
        let params = Params {
            drag: 2.0,
            boundary: Boundary::periodic(),
            quantities: vec![QuantityParams { decay: 1.0, ..QuantityParams::dye() }],
            ..bare()
        };
        let mut fluid = fluid([16, 16], 1.0, params);
        fluid.quantity_mut(0).unwrap().fill(1.0);
        fluid.velocity_mut().fill(0.5);
        for _ in 0..rate {
            fluid.step(1.0 / rate as f64).unwrap();
        }
        let left = fluid.quantities()[0].sum() / 256.0;
        let speed = fluid.velocity().max_abs() / 0.5;
        // The decay is exponential in each step: exact but for rounding.
        assert!((left - (-1.0_f64).portable_exp()).abs() < 1e-12, "{rate}/s: {left}");
        assert!((speed - (-2.0_f64).portable_exp()).abs() < 1e-12, "{rate}/s: {speed}");
    }
}

#[test]
fn case_o5_holding_a_value_is_a_rate() {
    for rate in RATES {
        let mut fluid = fluid([16, 16], 1.0, Params::default());
        fluid.sources_mut().push(Source {
            center: [8.0, 8.0],
            radius: 1e6,
            effect: Effect::Hold { quantity: 0, value: 1.0, rate: 1.0 },
        });
        for _ in 0..rate {
            fluid.step(1.0 / rate as f64).unwrap();
        }
        let (least, most) = fluid.quantities()[0].min_max();
        let expected = 1.0 - (-1.0_f64).portable_exp();
        assert!((least - expected).abs() < 1e-6 && (most - expected).abs() < 1e-6);
    }
}

/// The momentum and the dye that a pointer held for half a second leaves in a box of 1 m.
fn held_pointer(n: usize, rate: usize) -> [f64; 2] {
    let params = Params {
        boundary: Boundary::periodic(),
        quantities: vec![QuantityParams::dye()],
        ..bare()
    };
    let mut fluid = fluid([n, n], 1.0 / n as f64, params);
    let source = |effect| Source { center: [0.4, 0.5], radius: 0.05, effect };
    fluid.sources_mut().push(source(Effect::Accelerate([3.0, 0.0])));
    fluid.sources_mut().push(source(Effect::Add { quantity: 0, rate: 2.0 }));
    for _ in 0..rate / 2 {
        fluid.step(1.0 / rate as f64).unwrap();
    }
    let dye = fluid.quantities()[0].sum() * fluid.grid().dx().powi(2);
    [total_momentum(&fluid, 0), dye]
}

#[test]
fn case_o5_a_held_pointer_gives_the_same_push_at_every_rate_and_resolution() {
    // ∫ exp(−r²/R²) = πR²: the acceleration times the area times half a second.
    let area = core::f64::consts::PI * 0.05 * 0.05;
    for (n, rate) in [(64, 30), (64, 60), (64, 144), (64, 240), (128, 60), (128, 240)] {
        let [momentum, dye] = held_pointer(n, rate);
        let expected = 1.5 * area;
        assert!((momentum / expected - 1.0).abs() <= 0.05, "{n}, {rate}/s: {momentum}");
        assert!((dye / area - 1.0).abs() <= 0.05, "{n}, {rate}/s: {dye}");
    }
}

#[test]
fn case_o5_one_splat_has_the_same_momentum_at_twice_the_resolution() {
    let splat = |n: usize, radius: f64| {
        let mut fluid = fluid([n, n], 1.0 / n as f64, bare());
        let source = Source { center: [0.5, 0.5], radius, effect: Effect::Accelerate([0.0, 2.0]) };
        fluid.apply_source(&source, 0.1).unwrap();
        total_momentum(&fluid, 1)
    };
    for radius in [0.03, 0.1] {
        let ratio = splat(128, radius) / splat(64, radius);
        assert!((ratio - 1.0).abs() <= 0.05, "radius {radius}: {ratio}");
    }
}

// ---- O6: samples and walls of a MAC grid -----------------------------------------------------

#[test]
fn case_o6_linear_fields_are_sampled_exactly_up_to_every_side() {
    let grid = Grid::new([8, 8], 0.5).unwrap();
    let field = |[x, y]: [f64; 2]| [x + 2.0 * y, 3.0 * x - y];
    let faces = Faces::from_fn(grid, field);
    let mut random = Random::new(6);
    for _ in 0..1000 {
        let p: [f64; 2] = core::array::from_fn(|_| random.within(-1.0, 5.0));
        // Component a ends at the outermost faces along a and at the outermost centres across.
        let ends = |a: usize, d: usize| if a == d { (0.0, 4.0) } else { (0.25, 3.75) };
        for a in 0..2 {
            let cut = core::array::from_fn(|d| p[d].clamp(ends(a, d).0, ends(a, d).1));
            let (got, expected) = (faces.sample(p)[a], field(cut)[a]);
            assert!((got - expected).abs() <= 1e-12, "{a} at {p:?}: {got}, {expected}");
        }
    }
}

#[test]
fn case_o6_mirrored_fields_give_mirrored_samples() {
    let grid = Grid::new([8, 8], 0.5).unwrap();
    let faces = random_faces(grid, 66, 1.0);
    for flip in [[true, false], [false, true], [true, true]] {
        let mut image = Faces::zeros(grid);
        for axis in 0..2 {
            let n: [usize; 2] = core::array::from_fn(|d| 8 + usize::from(d == axis));
            let sign = if flip[axis] { -1.0 } else { 1.0 };
            for j in 0..n[1] {
                for i in 0..n[0] {
                    let at = [i, j];
                    let to =
                        core::array::from_fn(|d| if flip[d] { n[d] - 1 - at[d] } else { at[d] });
                    image[axis][to] = sign * faces[axis][at];
                }
            }
        }
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let p: [f64; 2] = core::array::from_fn(|_| random.within(-1.0, 5.0));
            let q = core::array::from_fn(|d| if flip[d] { 4.0 - p[d] } else { p[d] });
            let (a, b) = (faces.sample(p), image.sample(q));
            for d in 0..2 {
                let sign = if flip[d] { -1.0 } else { 1.0 };
                assert!((b[d] - sign * a[d]).abs() <= 1e-12, "{flip:?} at {p:?}");
            }
        }
    }
}

#[test]
fn case_o6_a_wall_face_adds_no_flux() {
    let grid = Grid::new([8, 8], 0.5).unwrap();
    for (side, inner, cell) in [([0, 3], [1, 3], [0, 3]), ([8, 3], [7, 3], [7, 3])] {
        let mut u = Faces::zeros(grid);
        // What a ghost that mirrors the inner face would leave on the wall.
        u[0][side] = -1.0;
        u[0][inner] = 1.0;
        Boundary::walls().fill_normal(&mut u);
        let mut divergence = Field::zeros(grid);
        ops::divergence(&u, &mut divergence).unwrap();
        let expected = if cell[0] == 0 { 2.0 } else { -2.0 }; // ±1/h, h = ½
        assert_eq!(divergence[cell], expected);
    }
}

#[test]
fn case_o6_what_stands_on_a_wall_face_is_nothing_to_the_flow() {
    let run = |on_the_wall: f64| {
        let mut fluid = fluid([8, 8], 0.5, bare());
        *fluid.velocity_mut() = random_faces(*fluid.grid(), 61, 1.0);
        let u = fluid.velocity_mut();
        for n in 0..8 {
            (u[0][[0, n]], u[0][[8, n]]) = (on_the_wall, -on_the_wall);
            (u[1][[n, 0]], u[1][[n, 8]]) = (on_the_wall, on_the_wall);
        }
        fluid.step(FRAME).unwrap();
        assert!((0..8).all(|n| fluid.velocity()[0][[0, n]] == 0.0));
        assert!((0..8).all(|n| fluid.velocity()[1][[n, 8]] == 0.0));
        fluid.digest()
    };
    assert_eq!(run(0.0), run(5.0));
}

// ---- O7: what is closed stays closed ---------------------------------------------------------

/// A jet and dye below a diagonal chain of closed cells; gives the dye and the largest speed
/// above it, as shares of all dye and of the largest speed.
fn through_a_diagonal(params: Params) -> [f64; 2] {
    let mut fluid = fluid([64, 64], 1.0, params);
    fluid.close_cells(|[i, j]| i == j);
    let source = |effect| Source {
        center: [40.0, 24.0],
        radius: 2.0, // and none beyond 8 cells, where the chain is
        effect,
    };
    // Straight at the chain, which runs from the lower left to the upper right.
    fluid.sources_mut().push(source(Effect::Accelerate([-60.0, 60.0])));
    fluid.sources_mut().push(source(Effect::Hold { quantity: 0, value: 1.0, rate: 10.0 }));
    for cell in (0..64).flat_map(|j| (j + 1..64).map(move |i| [i, j])) {
        fluid.quantity_mut(0).unwrap()[cell] = 0.5;
    }
    for q in fluid.quantity_mut(0).unwrap().as_mut_slice() {
        *q = q.min(0.5);
    }
    for _ in 0..200 {
        fluid.step(FRAME).unwrap();
    }
    assert_finite(&fluid, "diagonal");
    let (mut dye, mut speed) = (0.0_f64, 0.0_f64);
    for (i, j) in (0..64).flat_map(|j| (0..j).map(move |i| (i, j))) {
        dye += fluid.quantities()[0][[i, j]].abs();
        let [u, v] = fluid.velocity().components();
        for face in [u[[i, j]], u[[i + 1, j]], v[[i, j]], v[[i, j + 1]]] {
            speed = speed.max(face.abs());
        }
    }
    let below: f64 = (0..64)
        .flat_map(|j| (j + 1..64).map(move |i| [i, j]))
        .map(|cell| fluid.quantities()[0][cell].abs())
        .sum();
    assert!(fluid.velocity().max_abs() > 5.0, "{}", fluid.velocity().max_abs());
    [dye / (dye + below), speed / fluid.velocity().max_abs()]
}

#[test]
fn case_o7a_nothing_passes_a_diagonal_chain_of_closed_cells() {
    for advection in SCHEMES {
        for stepping in [Stepping::Projection, Stepping::Reflection] {
            let params = Params {
                velocity_advection: advection,
                stepping,
                path_order: match stepping {
                    Stepping::Projection => PathOrder::Midpoint,
                    Stepping::Reflection => PathOrder::Ralston,
                },
                kinematic_viscosity: 0.1,
                vorticity_confinement: 0.2,
                quantities: vec![QuantityParams {
                    diffusivity: 0.1,
                    advection,
                    ..QuantityParams::dye()
                }],
                pressure_budget: Budget::tolerance(1e-4, 300),
                ..bare()
            };
            let [dye, speed] = through_a_diagonal(params);
            assert!(dye <= 1e-6, "{advection:?} {stepping:?}: dye {dye}");
            assert!(speed <= 1e-6, "{advection:?} {stepping:?}: speed {speed}");
        }
    }
}

#[test]
fn case_o7a_nothing_passes_a_diagonal_plane_in_space() {
    for advection in SCHEMES {
        let params = StableFluidsParams::<f64, 3> {
            velocity_advection: advection,
            quantities: vec![QuantityParams { advection, ..QuantityParams::dye() }],
            pressure_budget: Budget::tolerance(1e-3, 200),
            ..Default::default()
        };
        let mut fluid = fluid([20; 3], 1.0, params);
        // Cells that touch at edges and corners only, and cut the box in two.
        let side = |cell: [usize; 3]| cell.iter().sum::<usize>().cmp(&28);
        fluid.close_cells(|cell| side(cell).is_eq());
        let source = |effect| Source {
            center: [5.0; 3],
            radius: 0.9, // and none beyond 3.6 cells, well before the plane
            effect,
        };
        fluid.sources_mut().push(source(Effect::Accelerate([80.0; 3])));
        fluid.sources_mut().push(source(Effect::Hold { quantity: 0, value: 1.0, rate: 10.0 }));
        for _ in 0..100 {
            fluid.step(FRAME).unwrap();
        }
        assert_finite(&fluid, "diagonal plane");
        let (mut dye, mut all, mut speed) = (0.0_f64, 0.0_f64, 0.0_f64);
        for n in 0..8000 {
            let cell = [n % 20, n / 20 % 20, n / 400];
            let q = fluid.quantities()[0][cell].abs();
            all += q;
            if side(cell).is_gt() {
                dye += q;
                for (axis, u) in fluid.velocity().components().iter().enumerate() {
                    let mut above = cell;
                    above[axis] += 1;
                    speed = speed.max(u[cell].abs()).max(u[above].abs());
                }
            }
        }
        let fastest = fluid.velocity().max_abs();
        assert!(fastest > 2.0 && all > 1.0, "the jet blows: {fastest}");
        assert!(dye <= 1e-6 * all && speed <= 1e-6 * fastest, "{advection:?}: {dye}, {speed}");
    }
}

#[test]
fn case_o7b_blowing_into_a_sealed_room_is_reported_and_stays_there() {
    for solver in SolverKind::general() {
        let inflow = Side::Inflow { velocity: [1.0, 0.0] };
        let params = Params {
            boundary: Boundary::walls().with(0, 0, inflow),
            pressure_solver: solver,
            pressure_budget: Budget::tolerance(1e-4, 300),
            quantities: vec![QuantityParams::dye()],
            ..bare()
        };
        // A nozzle of one cell, a room of 16×16, a wall, and a second room.
        let mut fluid = fluid([34, 16], 0.5, params);
        fluid.close_cells(|[i, j]| (i == 0 && j != 8) || i == 17);
        for _ in 0..200 {
            let report = fluid.step(FRAME).unwrap().pressure.unwrap();
            // One face of 0.5 m lets in 1 m/s: spread over 257 cells of 0.25 m².
            let expected = 0.5 / (257.0 * 0.25);
            let found = report.incompatibility;
            assert!((found / expected - 1.0).abs() < 1e-9, "{}: {found}", solver.name());
            let [u, v] = fluid.velocity().components();
            // Coarse grids, transforms and filters see both rooms at once, and keep them apart to
            // the tolerance of the solve; all other solvers keep them apart to the bit.
            let slack = match solver {
                SolverKind::Multigrid(_)
                | SolverKind::Filter(_)
                | SolverKind::ConjugateGradient(
                    Preconditioner::Multigrid(_) | Preconditioner::Spectral,
                ) => 1e-3,
                _ => 0.0,
            };
            for j in 0..16 {
                assert!((18..=34).all(|i| u[[i, j]].abs() <= slack), "{}", solver.name());
                assert!((18..34).all(|i| v[[i, j]].abs() <= slack), "{}", solver.name());
            }
        }
        assert_finite(&fluid, "sealed room");
        assert!(fluid.velocity().max_abs() <= 1.5, "{}", fluid.velocity().max_abs());
        // All that came in and cannot leave is spread over the room evenly.
        let left_over = fluid.max_divergence() * 257.0 * 0.5;
        let slack = if solver == SolverKind::Jacobi {
            0.05 // 300 sweeps are few for a room
        } else {
            1e-3
        };
        assert!((left_over - 1.0).abs() < slack, "{}: {left_over}", solver.name());
    }
}

#[test]
fn case_o7b_a_room_with_a_way_out_reports_nothing() {
    let inflow = Side::Inflow { velocity: [1.0, 0.0] };
    let boundary = Boundary::walls().with(0, 0, inflow).with(0, 1, Side::Open);
    let mut fluid = fluid([32, 16], 0.5, Params { boundary, ..bare() });
    for _ in 0..10 {
        let report = fluid.step(FRAME).unwrap().pressure.unwrap();
        assert_eq!(report.incompatibility, 0.0);
    }
    assert!(fluid.max_divergence() < 1e-6);
}

// ---- O8: no new extrema ----------------------------------------------------------------------

fn square(grid: Grid<f64, 2>) -> Field<f64, 2> {
    let inside = |x: f64, at: f64| (x - at).abs() < 5.0;
    Field::from_fn(grid, |[x, y]| f64::from(u8::from(inside(x, 32.0) && inside(y, 46.0))))
}

#[test]
fn case_o8_a_turning_square_keeps_its_range() {
    let grid = Grid::new([64, 64], 1.0).unwrap();
    let spin = Faces::from_fn(grid, |[x, y]| [32.0 - y, x - 32.0]);
    for advection in SCHEMES {
        for order in [PathOrder::Euler, PathOrder::Midpoint, PathOrder::Ralston] {
            let mut q = square(grid);
            let before = q.sum();
            let mut transport = Transport::new(grid, Boundary::all(Side::Open), order).unwrap();
            let steps = 200;
            for _ in 0..steps {
                let dt = core::f64::consts::TAU / f64::from(steps);
                transport.carry(&spin, &mut q, advection, dt).unwrap();
                let (least, most) = q.min_max();
                assert!(least >= -1e-6, "{advection:?} {order:?}: {least}");
                // Scatter conserves the sum instead of the range, as its documentation says: where
                // weights overlap, values pile up by about 1e-6.
                let slack = if advection == Advection::Scatter { 1e-4 } else { 1e-6 };
                assert!(most <= 1.0 + slack, "{advection:?} {order:?}: {most}");
            }
            let sum = q.sum() / before;
            let (_, most) = q.min_max();
            if advection == Advection::Scatter {
                // No more than was there; what Euler's outward spiral carries off is gone.
                assert!(sum <= 1.0 + 1e-9 && sum > 0.95, "{order:?}: {sum}");
            }
            assert!(most > 0.3, "{advection:?}: {most}");
        }
    }
}

#[test]
fn case_o8_moving_by_one_cell_a_step_is_exact() {
    let grid = Grid::new([64, 64], 1.0).unwrap();
    for (velocity, advection) in
        [[1.0, 0.0], [0.0, -1.0], [1.0, 1.0]].into_iter().flat_map(|v| SCHEMES.map(|s| (v, s)))
    {
        let wind = Faces::from_fn(grid, |_| velocity);
        let start = square(grid);
        let mut q = start.clone();
        let mut transport =
            Transport::new(grid, Boundary::periodic(), PathOrder::Midpoint).unwrap();
        for step in 1..=64 {
            transport.carry(&wind, &mut q, advection, 1.0).unwrap();
            let from = |i: usize, u: f64| (i as i64 - step * u as i64).rem_euclid(64) as usize;
            for (i, j) in (0..64).flat_map(|j| (0..64).map(move |i| (i, j))) {
                let expected = start[[from(i, velocity[0]), from(j, velocity[1])]];
                assert_eq!(q[[i, j]], expected, "{advection:?} {velocity:?} step {step}");
            }
        }
    }
}

/// The least and the greatest temperature in ten seconds above a heater of 100 degrees in air of 20.
fn temperatures(advection: Advection, boundary: Boundary<f64, 2>, diffusivity: f64) -> [f64; 2] {
    let params = Params {
        boundary,
        velocity_advection: advection,
        quantities: vec![QuantityParams {
            advection,
            diffusivity,
            ..QuantityParams::temperature(20.0, 0.03, 0.1)
        }],
        pressure_budget: Budget::tolerance(1e-3, 200),
        ..bare()
    };
    let mut fluid = fluid([64, 64], 0.25, params);
    fluid.sources_mut().push(Source {
        center: [8.0, 1.5],
        radius: 1.0,
        effect: Effect::Hold { quantity: 0, value: 100.0, rate: 5.0 },
    });
    let (mut least, mut most) = (20.0_f64, 20.0_f64);
    for _ in 0..300 {
        fluid.step(1.0 / 30.0).unwrap();
        let (lo, hi) = fluid.quantities()[0].min_max();
        (least, most) = (least.min(lo), most.max(hi));
    }
    assert!(fluid.velocity().max_abs() > 1.0 && most > 50.0);
    [least, most]
}

#[test]
fn case_o8_temperature_stays_between_ambient_and_source() {
    let mut failures = Vec::new();
    // Scatter conserves the sum instead of the range, as its documentation says.
    for advection in SCHEMES.into_iter().filter(|s| *s != Advection::Scatter) {
        for boundary in [Boundary::walls(), Boundary::walls().with(1, 1, Side::Open)] {
            let [least, most] = temperatures(advection, boundary, 0.0);
            if least < 20.0 - 1e-9 || most > 100.0 + 1e-9 {
                let top = boundary.sides[1][1];
                failures.push(format!("{advection:?}, top {top:?}: {least} to {most}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn case_o8_temperature_that_diffuses_stays_there_to_the_tolerance_of_its_solve() {
    let [least, most] = temperatures(Advection::default(), Boundary::walls(), 0.01);
    // 1e-4 of the 80 degrees between the two.
    let slack = 80.0 * Params::default().diffusion_budget.tolerance;
    assert!(least >= 20.0 - slack && most <= 100.0 + slack, "{least} to {most}");
}

// ---- O9: singular problems -------------------------------------------------------------------

fn pressure_mean(fluid: &Fluid) -> f64 {
    let p = fluid.pressure();
    (p.sum() / p.grid().cell_count() as f64).abs()
}

#[test]
fn case_o9b_the_mean_pressure_does_not_wander() {
    for pressure_solver in SolverKind::general() {
        let params = Params {
            pressure_solver,
            pressure_budget: Budget::tolerance(1e-3, 50),
            ..Default::default()
        };
        let mut fluid = fluid([32, 32], 1.0 / 32.0, params);
        fluid.sources_mut().push(Source {
            center: [0.4, 0.2],
            radius: 0.1,
            effect: Effect::Add { quantity: 0, rate: 4.0 },
        });
        for _ in 0..1000 {
            fluid.step(FRAME).unwrap();
            let (mean, most) = (pressure_mean(&fluid), fluid.pressure().max_abs());
            assert!(mean <= 1e-12 * most, "{}: {mean} of {most}", pressure_solver.name());
        }
    }
}

#[test]
fn case_o9a_every_solver_converges_in_a_closed_box() {
    let mut failures = Vec::new();
    for boundary in [Boundary::walls(), Boundary::periodic()] {
        let grid = Grid::new([32, 32], 1.0).unwrap();
        let problem = Problem::pressure(grid, &boundary).unwrap();
        let mut rhs = Field::<f64, 2>::zeros(grid);
        rhs[[5, 7]] = 1.0;
        for kind in SolverKind::general() {
            let mut p = Field::zeros(grid);
            let mut solver = Solver::new(grid, kind).unwrap();
            let report =
                solver.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-6, 20_000)).unwrap();
            let mean = (p.sum() / 1024.0).abs();
            if !report.converged || mean > 1e-6 {
                let side = boundary.sides[0][0];
                failures.push(format!("{}, {side:?}: {report:?}, mean {mean}", kind.name()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn case_o9c_two_rooms_and_a_walled_in_cell() {
    for solver in SolverKind::general() {
        let params = Params {
            pressure_solver: solver,
            pressure_budget: Budget::tolerance(1e-9, 20_000),
            ..bare()
        };
        let mut fluid = fluid([25, 16], 1.0, params);
        let around = |i: usize, j: usize| i.abs_diff(5) + j.abs_diff(5) == 1;
        fluid.close_cells(|[i, j]| i == 12 || around(i, j));
        *fluid.velocity_mut() = random_faces(*fluid.grid(), 9, 1.0);
        let report = fluid.project().unwrap();
        assert!(report.converged, "{}: {report:?}", solver.name());
        assert!(fluid.max_divergence() < 1e-7, "{}", solver.name());
        assert_eq!(fluid.pressure()[[5, 5]], 0.0);
        // The mean of each room is 0, not only that of both.
        let mean = |room: core::ops::Range<usize>| {
            let cells = room.flat_map(|i| (0..16).map(move |j| [i, j]));
            cells.map(|c| fluid.pressure()[c]).sum::<f64>().abs() / 192.0
        };
        let largest = fluid.pressure().max_abs();
        assert!(largest > 0.1);
        assert!(mean(0..12) < 1e-12 * largest && mean(13..25) < 1e-12 * largest);
    }
}

#[test]
fn case_o9d_a_solid_crosses_the_box() {
    for pressure_solver in SolverKind::general() {
        let params = Params {
            pressure_solver,
            pressure_budget: Budget::tolerance(1e-3, 200),
            ..Default::default()
        };
        let mut fluid = fluid([64, 64], 1.0, params);
        fluid.quantity_mut(0).unwrap().fill(0.2);
        let block = Body::new(Shape::cuboid([2.5, 2.5]).unwrap(), [4.5, 31.3])
            .unwrap()
            .with_velocity([0.27 / FRAME, 0.02 / FRAME])
            .unwrap();
        fluid.bodies_mut().push(block);
        for step in 0..200 {
            let report = fluid.step(FRAME).unwrap().pressure.unwrap();
            let (mean, most) = (pressure_mean(&fluid), fluid.pressure().max_abs());
            let name = pressure_solver.name();
            assert!(mean <= 1e-12 * most, "{name} step {step}: {mean} of {most}");
            // What the front pushes away the back draws in: nothing is left over.
            assert!(report.incompatibility < 1e-12, "{name} step {step}: {report:?}");
            // No faster than potential flow around a square's corners.
            assert!(fluid.velocity().max_abs() < 10.0 * 0.27 / FRAME, "{name} step {step}");
            fluid.bodies_mut()[0].advance(FRAME).unwrap();
        }
        assert_finite(&fluid, "moving solid");
        let smoke = fluid.quantities()[0].min_max();
        assert!(smoke.0 >= 0.0 && smoke.1 <= 0.2 + 1e-12, "{smoke:?}");
        assert!(fluid.bodies()[0].position[0] > 58.0);
    }
}

// ---- O35: the clock ---------------------------------------------------------------------------

fn stirred() -> Fluid {
    let mut fluid = fluid([24, 24], 1.0 / 24.0, Params::default());
    fluid.sources_mut().push(Source {
        center: [0.5, 0.3],
        radius: 0.1,
        effect: Effect::Add { quantity: 0, rate: 3.0 },
    });
    fluid
}

#[test]
fn case_o35_the_same_time_and_states_at_every_frame_rate() {
    let run = |rate: usize| {
        let (mut fluid, mut clock) = (stirred(), Stepper::new(FRAME, 8).unwrap());
        let mut states = vec![fluid.digest()];
        for _ in 0..10 * rate {
            for _ in 0..clock.advance(1.0 / rate as f64) {
                fluid.step(clock.dt()).unwrap();
                states.push(fluid.digest());
            }
        }
        assert_eq!(clock.dropped(), 0.0);
        states
    };
    let first = run(60);
    assert_eq!(first.len(), 601);
    for rate in [30, 90, 240] {
        let states = run(rate);
        assert!(states.len().abs_diff(601) <= 1, "{rate}/s: {}", states.len());
        let both = states.len().min(601);
        assert_eq!(states[..both], first[..both], "{rate}/s");
    }
}

#[test]
fn case_o35_a_long_pause_is_dropped_and_counted() {
    let (mut fluid, mut clock) = (stirred(), Stepper::new(FRAME, 8).unwrap());
    let mut lost = 0.0;
    for pause in [5.0, 1000.0, 1e9] {
        let steps = clock.advance(pause);
        assert_eq!(steps, 8);
        lost += pause - 8.0 * FRAME;
        assert!((clock.dropped() / lost - 1.0).abs() < 1e-9, "{}", clock.dropped());
        for _ in 0..steps {
            fluid.step(clock.dt()).unwrap();
        }
    }
    assert_finite(&fluid, "after a pause");
    // No catching up: the next frame is an ordinary one.
    assert_eq!(clock.advance(FRAME), 1);
    let before = clock;
    for nothing in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(clock.advance(nothing), 0, "{nothing}");
    }
    assert_eq!(clock, before);
}

// ---- O37: no subnormal numbers ----------------------------------------------------------------

fn subnormals<const D: usize>(field: &Field<f32, D>) -> usize {
    field.as_slice().iter().filter(|v| v.is_subnormal()).count()
}

fn subnormals_in<const D: usize>(fluid: &StableFluids<f32, D>) -> [usize; 3] {
    let velocity = fluid.velocity().components().iter().map(subnormals).sum();
    let carried = fluid.quantities().iter().map(subnormals).sum();
    [velocity, carried, subnormals(fluid.pressure())]
}

/// The largest number of subnormal values of velocity, quantities and pressure after any step,
/// where there are any.
fn most_subnormals(fluid: &mut StableFluids<f32, 2>, steps: usize) -> Option<[usize; 3]> {
    let mut most = [0; 3];
    for _ in 0..steps {
        fluid.step(1.0 / 60.0).unwrap();
        let found = subnormals_in(fluid);
        most = core::array::from_fn(|n| most[n].max(found[n]));
    }
    (most != [0; 3]).then_some(most)
}

fn assert_none(found: impl Iterator<Item = (String, Option<[usize; 3]>)>) {
    let found: Vec<_> = found.filter(|(_, n)| n.is_some()).collect();
    assert!(found.is_empty(), "subnormal values in velocity, quantities, pressure: {found:#?}");
}

fn fading(advection: Advection) -> StableFluidsParams<f32, 2> {
    StableFluidsParams {
        velocity_advection: advection,
        // × 0.9 a step: subnormal from about step 830 on, if nothing cuts it.
        drag: 6.32,
        quantities: vec![QuantityParams { decay: 6.32, advection, ..QuantityParams::dye() }],
        ..Default::default()
    }
}

#[test]
fn case_o37_dye_and_motion_that_fade_end_in_zero() {
    assert_none(SCHEMES.into_iter().map(|advection| {
        let grid = Grid::new([48, 48], 1.0 / 48.0).unwrap();
        let mut fluid = StableFluids::new(grid, fading(advection)).unwrap();
        let blob = Source {
            center: [0.5, 0.4],
            radius: 0.1,
            effect: Effect::Add { quantity: 0, rate: 1.0 },
        };
        fluid.apply_source(&blob, 1.0).unwrap();
        let push = Source { effect: Effect::Accelerate([0.3, 0.5]), ..blob };
        fluid.apply_source(&push, 1.0).unwrap();
        let found = most_subnormals(&mut fluid, 1000);
        assert_eq!(fluid.quantities()[0].max_abs(), 0.0);
        assert_eq!(fluid.velocity().max_abs(), 0.0);
        (format!("{advection:?}"), found)
    }));
}

#[test]
fn case_o37_the_front_of_slow_dye_is_no_subnormal_number() {
    // A thousandth of a cell a step: the front falls by 1000 from cell to cell.
    assert_none(SCHEMES.into_iter().map(|advection| {
        let grid = Grid::new([64, 32], 1.0).unwrap();
        let params = StableFluidsParams {
            boundary: Boundary::periodic(),
            velocity_advection: advection,
            quantities: vec![QuantityParams { advection, ..QuantityParams::dye() }],
            ..Default::default()
        };
        let mut fluid = StableFluids::new(grid, params).unwrap();
        fluid.velocity_mut().fill(0.06);
        fluid.quantity_mut(0).unwrap()[[10, 10]] = 1.0;
        (format!("{advection:?}"), most_subnormals(&mut fluid, 60))
    }));
}

#[test]
fn case_o37_the_front_of_slow_diffusion_is_no_subnormal_number() {
    let grid = Grid::new([64, 64], 1.0).unwrap();
    let params = StableFluidsParams {
        kinematic_viscosity: 0.06,
        quantities: vec![QuantityParams { diffusivity: 0.06, ..QuantityParams::dye() }],
        ..Default::default()
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    fluid.quantity_mut(0).unwrap()[[10, 10]] = 1.0;
    fluid.velocity_mut()[0][[10, 10]] = 0.1;
    assert_eq!(most_subnormals(&mut fluid, 60), None);
}

#[test]
fn case_o37_a_pressure_far_from_its_source_is_no_subnormal_number() {
    let all = SolverKind::general().into_iter().flat_map(|solver| {
        [Side::FreeSlip, Side::Open].map(|side| {
            let params = StableFluidsParams {
                boundary: Boundary::all(side),
                pressure_solver: solver,
                pressure_budget: Budget::iterations(100),
                ..Default::default()
            };
            let grid = Grid::new([256, 256], 1.0).unwrap();
            let mut fluid = StableFluids::<f32, 2>::new(grid, params).unwrap();
            fluid.velocity_mut()[0][[10, 10]] = 0.1;
            let what = format!("{} {side:?}", solver.name());
            (what, most_subnormals(&mut fluid, 2))
        })
    });
    assert_none(all);
}

// ---- O38: another size -------------------------------------------------------------------------

#[test]
fn case_o38_resizing_keeps_the_scene() {
    let mut small = fluid([64, 64], 1.0 / 64.0, Params::default());
    let q = small.quantity_mut(0).unwrap();
    q.set_from_fn(|[x, y]| (-((x - 0.5).powi(2) + (y - 0.4).powi(2)) / 0.02).portable_exp());
    small.sources_mut().push(Source {
        center: [0.5, 0.2],
        radius: 0.1,
        effect: Effect::Accelerate([0.0, 1.0]),
    });
    small.step(FRAME).unwrap();
    let total = |f: &Fluid| f.quantities()[0].sum() * f.grid().dx().powi(2);
    // 100×37 cells that hold the same square metre.
    let wide = small.resampled(Grid::new([100, 37], 1.0 / 37.0).unwrap()).unwrap();
    let back = wide.resampled(*small.grid()).unwrap();
    for (name, other) in [("100×37", &wide), ("64×64", &back)] {
        let ratio = total(other) / total(&small);
        assert!((ratio - 1.0).abs() <= 0.02, "{name}: {ratio}");
    }
    let mut scenes = vec![wide, back];
    let one = scenes[0].resampled(Grid::new([1, 1], 1.0).unwrap()).unwrap();
    scenes.push(one.resampled(*small.grid()).unwrap());
    scenes.push(one);
    for scene in &mut scenes {
        assert_eq!(scene.time(), small.time());
        assert_eq!(scene.sources(), small.sources());
        for _ in 0..5 {
            scene.step(FRAME).unwrap();
        }
        assert_finite(scene, "resized");
    }
}

#[test]
fn case_o38_resizing_keeps_bodies() {
    let mut start = fluid([32, 32], 1.0, Params::default());
    let ball = Body::new(Shape::ball(5.0).unwrap(), [16.0, 16.0]).unwrap();
    start.bodies_mut().push(ball);
    start.step(FRAME).unwrap();
    let mut next = start.resampled(Grid::new([64, 64], 0.5).unwrap()).unwrap();
    next.step(FRAME).unwrap();
    assert!(next.solids().is_some_and(|s| s.is_solid([32, 32])));
}

// ---- O39: zero means off, and the smallest scenes -----------------------------------------------

/// Everything on, so that each can be turned off alone.
fn everything<const D: usize>(boundary: Boundary<f64, D>) -> StableFluidsParams<f64, D> {
    StableFluidsParams {
        boundary,
        kinematic_viscosity: 0.1,
        drag: 0.1,
        vorticity_confinement: 0.5,
        velocity_advection: Advection::MacCormack,
        quantities: SCHEMES
            .map(|advection| QuantityParams {
                ambient: 0.1,
                inflow: 0.3,
                diffusivity: 0.1,
                decay: 0.2,
                buoyancy: 1.0,
                advection,
            })
            .to_vec(),
        ..Default::default()
    }
}

fn boundaries<const D: usize>() -> Vec<Boundary<f64, D>> {
    let inflow = Side::Inflow { velocity: [0.3; D] };
    let mut lid = [0.0; D];
    lid[0] = 1.0;
    let channel = Boundary::all(Side::NoSlip).with(0, 0, inflow).with(0, 1, Side::Open);
    vec![
        Boundary::walls(),
        Boundary::all(Side::NoSlip).with(1, 1, Side::Moving { velocity: lid }),
        Boundary::periodic(),
        Boundary::all(Side::Open),
        Boundary::all(inflow),
        channel,
        Boundary::walls().with(1, 0, Side::Periodic).with(1, 1, Side::Periodic),
    ]
}

fn runs<const D: usize>(cells: [usize; D], params: StableFluidsParams<f64, D>, what: &str) {
    let mut fluid = fluid(cells, 0.5, params);
    *fluid.velocity_mut() = random_faces(*fluid.grid(), 39, 2.0);
    for quantity in 0..fluid.quantity_count() {
        fluid.sources_mut().push(Source {
            center: [0.25; D],
            radius: 0.5,
            effect: Effect::Add { quantity, rate: 1.0 },
        });
    }
    for _ in 0..10 {
        let report = fluid.step(0.1).unwrap();
        assert!(report.max_speed.is_finite() && report.max_speed < 100.0, "{what}: {report:?}");
    }
    assert_finite(&fluid, what);
}

#[test]
fn case_o39_each_parameter_may_be_zero() {
    type Change = fn(&mut Params);
    let changes: [(&str, Change); 14] = [
        ("nothing", |_| {}),
        ("kinematic_viscosity", |p| p.kinematic_viscosity = 0.0),
        ("drag", |p| p.drag = 0.0),
        ("up", |p| p.up = [0.0; 2]),
        ("vorticity_confinement", |p| p.vorticity_confinement = 0.0),
        ("diffusivity", |p| {
            p.quantities.iter_mut().for_each(|q| q.diffusivity = 0.0);
        }),
        ("decay", |p| p.quantities.iter_mut().for_each(|q| q.decay = 0.0)),
        ("buoyancy", |p| p.quantities.iter_mut().for_each(|q| q.buoyancy = 0.0)),
        ("ambient", |p| p.quantities.iter_mut().for_each(|q| q.ambient = 0.0)),
        ("inflow", |p| p.quantities.iter_mut().for_each(|q| q.inflow = 0.0)),
        ("quantities", |p| p.quantities.clear()),
        ("pressure iterations", |p| p.pressure_budget = Budget::iterations(0)),
        ("diffusion iterations", |p| p.diffusion_budget = Budget::iterations(0)),
        ("everything", |p| {
            *p = Params {
                boundary: p.boundary,
                quantities: vec![QuantityParams::dye()],
                up: [0.0; 2],
                ..Default::default()
            };
        }),
    ];
    for (name, change) in changes {
        for boundary in boundaries() {
            for stepping in [Stepping::Projection, Stepping::Reflection] {
                let mut params = Params { stepping, ..everything(boundary) };
                change(&mut params);
                runs([12, 9], params, name);
            }
        }
    }
}

#[test]
fn case_o39_the_smallest_grids_run() {
    for stepping in [Stepping::Projection, Stepping::Reflection] {
        for cells in [[1, 1], [1, 2], [2, 1], [2, 2], [1, 17], [17, 1]] {
            for pressure_solver in SolverKind::general() {
                for boundary in boundaries() {
                    let params =
                        StableFluidsParams { stepping, pressure_solver, ..everything(boundary) };
                    runs(
                        cells,
                        params,
                        &format!("{cells:?} {boundary:?} {}", pressure_solver.name()),
                    );
                }
            }
        }
        for cells in [[1, 1, 1], [1, 1, 9], [1, 9, 1], [9, 1, 1], [9, 9, 1], [9, 1, 9], [1, 9, 9]] {
            for boundary in boundaries() {
                let params = StableFluidsParams { stepping, ..everything(boundary) };
                runs(cells, params, &format!("{cells:?} {boundary:?}"));
            }
        }
    }
}

#[test]
fn case_o39_a_thin_box_in_space_is_the_plane() {
    // One cell deep between free-slip walls: nothing can move across.
    let plane = {
        let mut fluid = fluid([24, 16], 0.5, bare());
        *fluid.velocity_mut() = random_faces(*fluid.grid(), 5, 1.0);
        fluid.step(FRAME).unwrap();
        fluid
    };
    let mut start = random_faces(*plane.grid(), 5, 1.0);
    Boundary::walls().fill_normal(&mut start);
    let params = StableFluidsParams::<f64, 3> {
        quantities: Vec::new(),
        pressure_budget: bare().pressure_budget,
        ..Default::default()
    };
    let mut thin = fluid([24, 16, 1], 0.5, params);
    for (i, j) in (0..16).flat_map(|j| (0..24).map(move |i| (i, j))) {
        thin.velocity_mut()[0][[i, j, 0]] = start[0][[i, j]];
        thin.velocity_mut()[1][[i, j, 0]] = start[1][[i, j]];
    }
    thin.step(FRAME).unwrap();
    for (i, j) in (0..16).flat_map(|j| (0..24).map(move |i| (i, j))) {
        for axis in 0..2 {
            let (a, b) = (plane.velocity()[axis][[i, j]], thin.velocity()[axis][[i, j, 0]]);
            assert!((a - b).abs() < 1e-8, "{axis} at {i}, {j}: {a} and {b}");
        }
        assert_eq!(thin.velocity()[2][[i, j, 0]], 0.0);
    }
}

#[test]
fn case_o39_no_time_and_empty_sources_change_nothing() {
    let mut fluid = stirred();
    fluid.sources_mut()[0].effect = Effect::Add { quantity: 0, rate: 0.0 };
    fluid.sources_mut().push(Source {
        center: [0.5, 0.5],
        radius: 0.1,
        effect: Effect::Accelerate([0.0, 0.0]),
    });
    fluid.sources_mut().push(Source {
        center: [0.5, 0.5],
        radius: 0.1,
        effect: Effect::Hold { quantity: 0, value: 7.0, rate: 0.0 },
    });
    for _ in 0..3 {
        fluid.step(FRAME).unwrap();
    }
    assert_eq!(fluid.velocity().max_abs(), 0.0);
    assert_eq!(fluid.quantities()[0].max_abs(), 0.0);
    *fluid.velocity_mut() = random_faces(*fluid.grid(), 3, 1.0);
    let before = fluid.digest();
    assert_eq!(fluid.step(0.0).unwrap().time, 0.0);
    assert_eq!(fluid.digest(), before);
    fluid.sources_mut()[1].radius = 0.0;
    assert!(fluid.step(FRAME).is_err());
    assert_eq!(fluid.digest(), before);
}
