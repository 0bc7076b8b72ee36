//! The same bits for any number of threads, any build and any repetition.
//!
//! The golden digests below are compared in every build: debug and release, with `parallel` and
//! without, on every platform. A change of numerics changes them: run the tests, and write the new
//! ones in together with a line under "Numerics" in the changelog.

use fluid_num::advection::{Advection, Interpolation, PathOrder};
use fluid_num::base::digest::Digest;
use fluid_num::level_set::{
    BandTransport, DistanceOrder, Extrapolation, FastIterative, JumpFlooding, MarkerParams,
    MarkerParticles,
};
use fluid_num::particles::{CellStructure, Domain, Emitter};
use fluid_num::poisson::{Budget, End, PoissonSolver, Problem, Solver, SolverKind};
use fluid_num::schemes::lbm::{Bounce, Collision};
use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::schemes::stam2003::{Diffusion, Sweep};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, EncodedD2Q9, Faces, Field, Grid, Gusts, LbmD2Q9, LbmD3Q19, LbmParams,
    LevelSet, Motor, Pbf, PbfParams, QuantityParams, ShallowWater, ShallowWaterParams, Side,
    Simulation, Source, StableFluids, StableFluidsParams, Stam2003, Stam2003Params, Stepping,
    Wcsph, WcsphParams, Wind3, WindParams,
};
use fluid_tests::{Random, dam_with_bodies};

/// What every digest must be, on every machine.
const STABLE_FLUIDS_2D: u64 = 0x2277_ce9c_98d4_9ff5;
const STABLE_FLUIDS_3D: u64 = 0xed8d_b459_7936_3ec9;
const STAM_2D: u64 = 0x546d_a88f_eb7a_fb6b;
const STAM_3D: u64 = 0xcc9a_1de3_42cd_68f6;
const WCSPH_2D: u64 = 0xb1db_b00f_d6e0_e028;
const PBF_3D: u64 = 0xf5a3_3a6a_4efa_99cf;
const LBM_2D: u64 = 0xe6a6_dc5d_e75e_1f5d;
const LBM_3D: u64 = 0x7f8b_a2fe_92c5_60ec;
const LBM_MOMENTS: u64 = 0x2ae8_b8cb_03bb_11a7;
const WATER_WITH_BODIES: u64 = 0xb0b5_3225_3c06_a0ad;
const SHALLOW_WATER: u64 = 0xe2a3_5b41_1620_d72a;
const WIND_3D: u64 = 0x8e15_4932_d340_508d;
const LEVEL_SET_2D: u64 = 0xcc23_0c56_054b_3bd0;
const LEVEL_SET_3D: u64 = 0x5730_4dd9_5843_0b91;
const LIQUID_2D: u64 = 0xe413_78e8_f4b9_c4b8;
const LIQUID_3D: u64 = 0x5c59_8007_5269_c7a2;
const SOLVERS: u64 = 0x9c03_fe18_1990_8e38;

/// Smoke and heat in a channel behind a turning plate, everything switched on.
fn channel() -> StableFluids<f32, 2> {
    let grid = Grid::new([256, 192], 1.0 / 128.0).unwrap();
    let params = StableFluidsParams {
        boundary: Boundary::walls()
            .with(0, 0, Side::Inflow { velocity: [0.8, 0.0] })
            .with(0, 1, Side::Open)
            .with(1, 0, Side::NoSlip),
        kinematic_viscosity: 1e-4,
        drag: 0.05,
        vorticity_confinement: 0.3,
        path_order: PathOrder::Ralston,
        velocity_advection: Advection::MacCormack,
        stepping: Stepping::Reflection,
        pressure_budget: Budget::tolerance(1e-3, 60),
        quantities: vec![
            QuantityParams { diffusivity: 1e-4, ..QuantityParams::smoke() },
            QuantityParams {
                advection: Advection::SemiLagrangian(Interpolation::MonotoneCubic),
                ..QuantityParams::temperature(0.2, 0.5, 0.1)
            },
            QuantityParams { advection: Advection::Scatter, ..QuantityParams::dye() },
        ],
        ..Default::default()
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    let source = |quantity| Source {
        center: [0.4, 0.6],
        radius: 0.15,
        effect: Effect::Add { quantity, rate: 2.0 },
    };
    fluid.sources_mut().extend((0..3).map(source));
    let plate = Body::new(Shape::cuboid([0.05, 0.2]).unwrap(), [0.8, 0.7])
        .unwrap()
        .with_angular_velocity([0.0, 0.0, 1.5])
        .unwrap()
        .with_slip(Slip::No);
    fluid.bodies_mut().push(plate);
    fluid
}

fn run_channel(fluid: &mut StableFluids<f32, 2>, steps: usize) -> u64 {
    for _ in 0..steps {
        fluid.bodies_mut()[0].advance(1.0 / 60.0).unwrap();
        fluid.step(1.0 / 60.0).unwrap();
    }
    fluid.digest()
}

/// A plume in space past a ball.
fn plume() -> StableFluids<f32, 3> {
    let grid = Grid::new([40; 3], 1.0 / 40.0).unwrap();
    let params = StableFluidsParams {
        boundary: Boundary::walls().with(1, 1, Side::Open),
        kinematic_viscosity: 1e-3,
        vorticity_confinement: 0.2,
        velocity_advection: Advection::SemiLagrangian(Interpolation::MonotoneCubic),
        quantities: vec![QuantityParams {
            advection: Advection::MacCormack,
            ..QuantityParams::smoke()
        }],
        ..Default::default()
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    fluid.sources_mut().push(Source {
        center: [0.45, 0.2, 0.5],
        radius: 0.1,
        effect: Effect::Add { quantity: 0, rate: 20.0 },
    });
    let ball = Body::new(Shape::ball(0.12).unwrap(), [0.5, 0.5, 0.5]).unwrap();
    fluid.bodies_mut().push(ball);
    fluid
}

fn run_plume(fluid: &mut StableFluids<f32, 3>, steps: usize) -> u64 {
    for _ in 0..steps {
        fluid.step(1.0 / 30.0).unwrap();
    }
    fluid.digest()
}

fn stam<const D: usize>() -> Stam2003<f32, D> {
    let cells = core::array::from_fn(|a| [[256, 192, 0], [40, 40, 40]][D - 2][a]);
    let grid = Grid::new(cells, 1.0 / cells[0] as f32).unwrap();
    let params = Stam2003Params {
        kinematic_viscosity: 1e-4,
        diffusivity: 1e-4,
        diffusion: Diffusion::Jacobi,
        pressure: if D == 2 { Sweep::GaussSeidel } else { Sweep::Jacobi },
        ..Default::default()
    };
    Stam2003::new(grid, params).unwrap()
}

fn run_stam<const D: usize>(fluid: &mut Stam2003<f32, D>, steps: usize) -> u64 {
    for _ in 0..steps {
        fluid.add_force([0.3; D], 0.1, [4.0; D]).unwrap();
        fluid.add_source([0.3; D], 0.1, 3.0).unwrap();
        fluid.step(1.0 / 60.0).unwrap();
    }
    fluid.digest()
}

/// Every solver that takes `problem`, a few iterations of each.
fn solve_by_all(problem: &Problem<f64, 2>, iterations: usize, digest: Digest) -> Digest {
    let grid = *problem.grid();
    let mut random = Random::new(6);
    let rhs = Field::from_fn(grid, |_| random.within(-1.0, 1.0));
    let solve = |digest: Digest, kind| {
        let mut p = Field::zeros(grid);
        let mut solver = Solver::new(grid, kind).unwrap();
        solver.solve(problem, &rhs, &mut p, Budget::iterations(iterations)).unwrap();
        p.digest(digest)
    };
    let kinds = SolverKind::all().into_iter().filter(|kind| kind.suits(problem).is_ok());
    kinds.fold(digest, solve)
}

/// Boxes large enough to be split among threads: with a seam, closed, and with a wall inside.
fn solvers() -> u64 {
    let walls = [End::Neumann; 2];
    let grid = Grid::new([300, 220], 0.01).unwrap();
    let seam = Problem::new(grid, [[End::Neumann, End::Dirichlet], [End::Periodic; 2]]).unwrap();
    let closed = Problem::new(Grid::new([700, 400], 1.0).unwrap(), [walls; 2]).unwrap();
    let mut walled = Problem::new(grid, [walls; 2]).unwrap();
    let open = |x: f64, y: f64| f64::from(u8::from((x - 1.5).abs() > 0.1 || y > 1.0));
    let beta = Faces::from_fn(grid, |[x, y]| [open(x, y), 0.5 + 0.5 * open(x, y)]);
    walled.set_coefficients(&beta, None).unwrap();
    let digest = solve_by_all(&seam, 40, Digest::new());
    solve_by_all(&walled, 6, solve_by_all(&closed, 6, digest)).finish()
}

/// A dam breaks around a ball in a periodic tank, with everything switched on.
fn wcsph() -> u64 {
    let domain = Domain::new([0.0; 2], [2.0, 1.0]).unwrap().with_periodic(0);
    let params =
        WcsphParams { spacing: 0.0125, kinematic_viscosity: 1e-4, xsph: 0.1, ..Default::default() };
    let mut water = Wcsph::<f32, 2>::new(domain, params).unwrap();
    water.particles_mut().add_block([0.0; 2], [0.8, 0.7], 0.0125, [0.5, 0.0], 0, &[]).unwrap();
    let ball = Body::new(Shape::ball(0.12).unwrap(), [0.95, 0.3]).unwrap().with_slip(Slip::No);
    water.bodies_mut().push(ball.with_mass(20.0, [0.1; 3]).unwrap());
    for _ in 0..4 {
        water.step(0.01).unwrap();
        water.bodies_mut()[0].advance(0.01).unwrap();
    }
    let body = &water.bodies()[0];
    Digest::new().word(water.digest()).values(&body.position).values(&body.force).finish()
}

/// A dam breaks in space, with everything switched on and an emitter.
fn pbf() -> u64 {
    let params = PbfParams {
        spacing: 0.05,
        confinement: 0.2,
        tolerance: 1e-3,
        cells: CellStructure::Hashed,
        ..Default::default()
    };
    let mut water = Pbf::<f32, 3>::new(Domain::new([0.0; 3], [1.0; 3]).unwrap(), params).unwrap();
    water.particles_mut().add_block([0.0; 3], [0.4, 0.8, 1.0], 0.05, [0.0; 3], 0, &[]).unwrap();
    let jet = Emitter::new([0.8, 0.9, 0.5], [-1.0, -1.0, 0.0], 0.1, 2.0, 0.05).unwrap();
    water.emitters_mut().push(jet);
    for _ in 0..8 {
        water.step(1.0 / 60.0).unwrap();
    }
    water.digest()
}

/// Waves break on a beach, with everything switched on.
fn shore() -> ShallowWater<f32> {
    let grid = Grid::new([384, 256], 0.1).unwrap();
    let bed = Field::from_fn(grid, |[x, y]| {
        let island = 4.0 - (x - 14.0) * (x - 14.0) - (y - 12.0) * (y - 12.0);
        0.1 * (x - 28.0) + if island > 0.0 { island } else { 0.0 }
    });
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: 0.3, period: 3.0 }, WaterSide::Wall],
            [WaterSide::Open, WaterSide::Discharge { rate: 0.1 }],
        ],
        manning: 0.02,
        coriolis: 0.01,
        eddy_viscosity: 1e-2,
        rain: 1e-4,
        sponge: Some(Sponge { width: [[0; 2], [10, 0]], ..Default::default() }),
        spray: Some(SprayParams { breaking: 0.1, ..Default::default() }),
        ..Default::default()
    };
    let mut water = ShallowWater::new(bed, params).unwrap();
    water.sources_mut().push(WaterSource { center: [30.0, 5.0], radius: 1.0, rate: 0.5 });
    water
}

fn run_shore(water: &mut ShallowWater<f32>, steps: usize) -> u64 {
    for _ in 0..steps {
        water.dent([8.0, 8.0], 1.0, 0.3).unwrap();
        water.step(0.05).unwrap();
    }
    water.digest()
}

/// A street of vortices behind a disc: inflow, outlet, walls, eddies, a force.
fn lbm_2d() -> u64 {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [1.0, 0.0] })
        .with(0, 1, Side::Open);
    let params = LbmParams {
        boundary,
        kinematic_viscosity: 1e-3,
        smagorinsky: 0.1,
        acceleration: [0.1, -0.2],
        bounce: Bounce::Interpolated,
        ..Default::default()
    };
    let grid = Grid::new([300, 128], 1.0 / 100.0).unwrap();
    let mut flow = LbmD2Q9::<f32>::new(grid, params).unwrap();
    flow.bodies_mut().push(Body::new(Shape::ball(0.1).unwrap(), [0.6, 0.63]).unwrap());
    flow.step(0.2).unwrap();
    let body = &flow.bodies()[0];
    let digest = Digest::new().word(flow.digest()).values(&body.force).values(&body.torque);
    digest.finish()
}

/// A stirred box.
fn lbm_3d() -> u64 {
    let params = LbmParams { collision: Collision::CentralMoments, ..Default::default() };
    let mut flow =
        LbmD3Q19::<f32>::new(Grid::new([40, 33, 28], 1.0 / 64.0).unwrap(), params).unwrap();
    flow.add_impulse([0.3; 3], 0.2, [2.0, -1.0, 0.5]).unwrap();
    flow.step(0.06).unwrap();
    flow.digest()
}

/// A cavity whose lid moves, stored as moments.
fn lbm_moments() -> u64 {
    let lid = Side::Moving { velocity: [1.0, 0.0] };
    let params = LbmParams {
        collision: Collision::Regularised,
        boundary: Boundary::all(Side::NoSlip).with(1, 1, lid),
        ..Default::default()
    };
    let grid = Grid::new([150, 190], 1.0 / 100.0).unwrap();
    let mut flow = EncodedD2Q9::<f32>::new(grid, params).unwrap();
    flow.step(0.3).unwrap();
    flow.digest()
}

/// A crate and a ball on waves that disperse, with foam.
fn boats() -> u64 {
    let grid = Grid::new([200, 150], 0.05).unwrap();
    let bed = Field::from_fn(grid, |[x, y]| 0.02 * x * y - 1.2);
    let params = ShallowWaterParams {
        sides: [[WaterSide::Periodic; 2], [WaterSide::Wall, WaterSide::Open]],
        waves: Some(SurfaceWaves { depth: 1.2, levels: 2 }),
        foam: Some(FoamParams { breaking: 0.01, ..Default::default() }),
        ..Default::default()
    };
    let mut water = ShallowWater::<f32>::new(bed, params).unwrap();
    let shapes = [Shape::cuboid([0.6, 0.3, 0.2]).unwrap(), Shape::ball(0.4).unwrap()];
    for (shape, x) in shapes.into_iter().zip([1.0, 9.8]) {
        let body = Body::new(shape, [x, 2.5, 0.2]).unwrap().with_mass(70.0, [3.0; 3]).unwrap();
        water.bodies_mut().push(body.with_rotation([0.2, 0.1, 1.0], x).unwrap());
    }
    let mut digest = Digest::new();
    for _ in 0..12 {
        water.step(1.0 / 60.0).unwrap();
        for body in water.bodies() {
            digest = digest.values(&body.position).values(&body.torque);
        }
        water.advance_bodies(1.0 / 60.0).unwrap();
    }
    digest.word(water.digest()).finish()
}

#[test]
fn shallow_water_with_bodies_and_waves_is_the_same_everywhere() {
    golden("WATER_WITH_BODIES", on_any_threads("boats", boats), WATER_WITH_BODIES);
}

#[test]
fn shallow_water_is_the_same_everywhere() {
    let digest = on_any_threads("shallow water", || run_shore(&mut shore(), 20));
    golden("SHALLOW_WATER", digest, SHALLOW_WATER);
    let mut water = shore();
    run_shore(&mut water, 3);
    let mut copy = shore();
    copy.copy_from(&water).unwrap();
    assert_eq!(run_shore(&mut copy, 3), run_shore(&mut water, 3));
}

/// A whirl and a gust on the move around a rock, and what is sampled and carried.
fn wind_3d() -> u64 {
    let gusts = Some(Gusts { speed: 1.5, length: 9.0, seed: 5, divergence_free: true });
    let params =
        WindParams { ambient: [4.0, 0.0, 1.0], gusts, swirl_sweeps: 2, ..Default::default() };
    let mut wind = Wind3::<f32>::new(params, [0.0; 3]).unwrap();
    wind.set_obstacles(vec![Shape::ball(3.0).unwrap()]).unwrap();
    wind.motors_mut().push(Motor::vortex([6.0, 0.0, 2.0], 5.0, [0.2, 1.0, 0.0], 15.0));
    let gust = Motor::directional([-10.0, -2.0, 4.0], 4.0, [1.0, 0.0, -0.3], 40.0);
    wind.motors_mut().push(Motor { velocity: [6.0, 0.0, 0.0], ..gust }.for_time(2.0, 0.5, 0.5));
    let mut random = Random::new(3);
    let mut tracers: [Vec<f32>; 3] = core::array::from_fn(|a| {
        let far = [15.0, 7.0, 15.0][a];
        (0..4000).map(|_| random.within(-far, far) as f32).collect()
    });
    let mut samples = tracers.clone();
    let mut digest = Digest::new();
    for n in 0..24 {
        wind.follow([0.3 * n as f32, 0.0, -0.2 * n as f32]).unwrap();
        wind.step(0.05).unwrap();
        let [x, y, z] = &mut tracers;
        wind.carry([x, y, z], 0.05).unwrap();
        let [u, v, w] = &mut samples;
        wind.sample_all([&tracers[0], &tracers[1], &tracers[2]], [u, v, w]).unwrap();
        digest = digest.word(wind.digest());
    }
    tracers.iter().chain(&samples).fold(digest, |digest, list| digest.values(list)).finish()
}

#[test]
fn wind_its_samples_and_its_tracers_are_the_same_everywhere() {
    golden("WIND_3D", on_any_threads("wind", wind_3d), WIND_3D);
}

#[test]
fn lattice_boltzmann_is_the_same_everywhere() {
    for (name, run, expected) in [
        ("lattice Boltzmann in the plane", lbm_2d as fn() -> u64, LBM_2D),
        ("lattice Boltzmann in space", lbm_3d, LBM_3D),
        ("lattice Boltzmann of moments", lbm_moments, LBM_MOMENTS),
    ] {
        golden(name, on_any_threads(name, run), expected);
    }
}

/// A disc or ball that is sheared, made a distance by both methods, and what it carries extended.
fn level_set<const D: usize>(cells: usize) -> u64 {
    let grid = Grid::new([cells; D], 1.0 / cells as f32).unwrap();
    let walls = Boundary::walls();
    let ball = Shape::ball(0.3).unwrap();
    let mut set = LevelSet::from_shape(grid, &walls, &ball, [0.45; D]).unwrap();
    let shear = |p: [f32; D]| core::array::from_fn(|a| 0.5 - p[(a + 1) % D] * p[(a + 1) % D]);
    let mut u = Faces::from_fn(grid, shear);
    let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic).unwrap();
    let mut solver = FastIterative::new(grid, 6.0, DistanceOrder::Second).unwrap();
    let mut markers = MarkerParticles::new(grid, walls, MarkerParams::default()).unwrap();
    markers.seed(&set).unwrap();
    for _ in 0..4 {
        transport.carry(&u, &mut set, 0.8 / cells as f32).unwrap();
        markers.carry(&u, 0.8 / cells as f32).unwrap();
        markers.correct(&mut set).unwrap();
        solver.reinitialize(&mut set).unwrap();
        markers.resize(&set).unwrap();
        markers.reseed(&set).unwrap();
    }
    let mut flooded = set.clone();
    JumpFlooding::new(grid, 9.0).unwrap().reinitialize(&mut flooded).unwrap();
    Extrapolation::new(grid).velocity(&set, &mut u, 5.0).unwrap();
    let digest = u.digest(flooded.field().digest(set.field().digest(Digest::new())));
    let digest = markers
        .iter()
        .fold(digest, |digest, (p, inside)| digest.word(u64::from(inside)).values(&p));
    digest.finish() ^ set.measure().to_bits()
}

/// What becomes of a breaking dam with bodies.
fn liquid<const D: usize>(cells: usize, steps: usize) -> u64 {
    let mut water = dam_with_bodies::<D>(cells);
    for _ in 0..steps {
        water.step(1.0 / 60.0).unwrap();
        water.advance_bodies(1.0 / 60.0).unwrap();
    }
    water.digest()
}

/// Runs `work` on 1, 2 and 8 threads, and once more; gives the digest that all of them found.
fn on_any_threads(name: &str, work: impl Fn() -> u64 + Sync) -> u64 {
    let first = work();
    assert_eq!(work(), first, "{name}: a second run differs");
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(&work), first, "{name}: {threads} threads differ");
    }
    first
}

#[track_caller]
fn golden(name: &str, digest: u64, expected: u64) {
    assert_eq!(digest, expected, "{name} is {digest:#018x} here");
}

#[test]
fn stable_fluids_in_the_plane_are_the_same_everywhere() {
    let digest = on_any_threads("channel", || run_channel(&mut channel(), 12));
    golden("STABLE_FLUIDS_2D", digest, STABLE_FLUIDS_2D);
}

#[test]
fn stable_fluids_in_space_are_the_same_everywhere() {
    let digest = on_any_threads("plume", || run_plume(&mut plume(), 10));
    golden("STABLE_FLUIDS_3D", digest, STABLE_FLUIDS_3D);
}

#[test]
fn stam2003_in_the_plane_is_the_same_everywhere() {
    let digest = on_any_threads("stam 2D", || run_stam(&mut stam::<2>(), 12));
    golden("STAM_2D", digest, STAM_2D);
}

#[test]
fn stam2003_in_space_is_the_same_everywhere() {
    let digest = on_any_threads("stam 3D", || run_stam(&mut stam::<3>(), 10));
    golden("STAM_3D", digest, STAM_3D);
}

#[test]
fn wcsph_is_the_same_everywhere() {
    golden("WCSPH_2D", on_any_threads("WCSPH", wcsph), WCSPH_2D);
}

#[test]
fn position_based_fluids_are_the_same_everywhere() {
    golden("PBF_3D", on_any_threads("PBF", pbf), PBF_3D);
}

#[test]
fn level_sets_are_the_same_everywhere() {
    golden("LEVEL_SET_2D", on_any_threads("level set 2D", || level_set::<2>(300)), LEVEL_SET_2D);
    golden("LEVEL_SET_3D", on_any_threads("level set 3D", || level_set::<3>(48)), LEVEL_SET_3D);
}

#[test]
fn liquids_with_bodies_are_the_same_everywhere() {
    golden("LIQUID_2D", on_any_threads("liquid 2D", || liquid::<2>(96, 8)), LIQUID_2D);
    golden("LIQUID_3D", on_any_threads("liquid 3D", || liquid::<3>(20, 4)), LIQUID_3D);
}

#[test]
fn solvers_are_the_same_everywhere() {
    golden("SOLVERS", on_any_threads("solvers", solvers), SOLVERS);
}

#[test]
fn a_clone_continues_identically() {
    let mut fluid = channel();
    run_channel(&mut fluid, 3);
    let mut copy = fluid.clone();
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(run_channel(&mut copy, 3), run_channel(&mut fluid, 3));
    let mut fluid = stam::<3>();
    run_stam(&mut fluid, 3);
    let mut copy = fluid.clone();
    assert_eq!(run_stam(&mut copy, 3), run_stam(&mut fluid, 3));
}

#[test]
fn a_state_taken_over_continues_identically_with_a_moving_body() {
    let mut fluid = channel();
    run_channel(&mut fluid, 3);
    let mut copy = channel();
    run_channel(&mut copy, 5);
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(copy.time(), fluid.time());
    assert_eq!(run_channel(&mut copy, 3), run_channel(&mut fluid, 3));
}

#[test]
fn a_state_taken_over_continues_identically_with_a_body_at_rest() {
    let mut fluid = plume();
    run_plume(&mut fluid, 3);
    let mut copy = plume();
    run_plume(&mut copy, 1);
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(run_plume(&mut copy, 2), run_plume(&mut fluid, 2));
}

#[test]
fn a_state_taken_over_continues_identically_without_bodies() {
    let grid = Grid::<f64, 2>::new([24, 20], 0.05).unwrap();
    let mut fluid = StableFluids::new(grid, StableFluidsParams::default()).unwrap();
    fluid.quantity_mut(0).unwrap().set_from_fn(|[x, y]| if x + y < 0.8 { 1.0 } else { 0.0 });
    let mut copy = fluid.clone();
    for _ in 0..4 {
        fluid.step(0.05).unwrap();
    }
    copy.step(0.3).unwrap();
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    for _ in 0..3 {
        fluid.step(0.05).unwrap();
        copy.step(0.05).unwrap();
        assert_eq!(copy.digest(), fluid.digest());
    }
}

#[test]
fn a_stam2003_state_taken_over_continues_identically() {
    let mut fluid = stam::<2>();
    run_stam(&mut fluid, 3);
    let mut copy = stam::<2>();
    run_stam(&mut copy, 5);
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    assert_eq!(run_stam(&mut copy, 3), run_stam(&mut fluid, 3));
}

#[test]
fn a_digest_sees_a_single_bit() {
    let mut fluid = stam::<2>();
    run_stam(&mut fluid, 1);
    let before = fluid.digest();
    let value = &mut fluid.density_mut()[[200, 100]];
    *value = f32::from_bits(value.to_bits() ^ 1);
    assert_ne!(fluid.digest(), before);
}

#[cfg(feature = "parallel")]
#[test]
fn o36_conjugate_gradients_repeat_on_eight_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let grid = Grid::<f32, 2>::new([512, 384], 0.01).unwrap();
    let problem = Problem::new(grid, [[End::Neumann; 2]; 2]).unwrap();
    let mut random = Random::new(7);
    let rhs = Field::from_fn(grid, |_| random.within(-1.0, 1.0) as f32);
    let solve = || {
        let mut p = Field::zeros(grid);
        let kind = SolverKind::ConjugateGradient(Default::default());
        let mut solver = Solver::new(grid, kind).unwrap();
        solver.solve(&problem, &rhs, &mut p, Budget::iterations(60)).unwrap();
        p.digest(Digest::new()).finish()
    };
    let first = pool.install(solve);
    for repeat in 1..10 {
        assert_eq!(pool.install(solve), first, "repeat {repeat}");
    }
}
