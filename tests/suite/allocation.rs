//! After its first step no scheme takes memory in a step, whatever is switched on.
#![allow(unsafe_code, reason = "a global allocator cannot be written without")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;

use fluid_num::advection::{Advection, Interpolation, PathOrder};
use fluid_num::level_set::{
    BandTransport, DistanceOrder, Extrapolation, FastIterative, JumpFlooding, MarkerParams,
    MarkerParticles,
};
use fluid_num::particles::kernel::Poly6;
use fluid_num::particles::surface::{Border, Outlines, Splat, contour};
use fluid_num::particles::{CellStructure, Domain, ParticleSet};
use fluid_num::poisson::{Preconditioner, SolverKind};
use fluid_num::schemes::lbm::{Bounce, Carried, Collision, D2Q9, D3Q19, D3Q27, Lattice, Outlet};
use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::schemes::stam2003::{Diffusion, Stam2003Boundary, Sweep};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, EncodedLbm, Faces, Field, Grid, Gusts, Lbm, LbmParams, LevelSet, Motor, Pbf,
    PbfParams, QuantityParams, ShallowWater, ShallowWaterParams, Side, Source, StableFluids,
    StableFluidsParams, Stam2003, Stam2003Params, Stepping, Wcsph, WcsphParams, Wind, WindParams,
};
use fluid_tests::dam_with_bodies;

/// The system's allocator; what watched threads take is counted.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

std::thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if WATCHED.try_with(Cell::get).unwrap_or(false) {
        TAKEN.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise about `place` and `layout` is passed on.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `place` and `layout` is passed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often memory was taken in `work`.
fn taken(work: impl FnOnce()) -> usize {
    let before = TAKEN.load(Ordering::Relaxed);
    work();
    TAKEN.load(Ordering::Relaxed) - before
}

const SCHEMES: [Advection; 4] = [
    Advection::SemiLagrangian(Interpolation::Linear),
    Advection::SemiLagrangian(Interpolation::MonotoneCubic),
    Advection::MacCormack,
    Advection::Scatter,
];

/// Everything on: two quantities, sources, viscosity, diffusion, confinement, a body that moves.
fn fluid<const D: usize>(
    stepping: Stepping,
    advection: Advection,
    solver: SolverKind<f32>,
) -> StableFluids<f32, D> {
    let cells = if D == 2 { 40 } else { 14 };
    let grid = Grid::new([cells; D], 1.0 / cells as f32).unwrap();
    let mut wind = [0.0; D];
    wind[0] = 0.5;
    let quantity =
        QuantityParams { diffusivity: 1e-3, decay: 0.1, advection, ..QuantityParams::smoke() };
    let params = StableFluidsParams {
        boundary: Boundary::walls()
            .with(0, 0, Side::Inflow { velocity: wind })
            .with(0, 1, Side::Open)
            .with(1, 0, Side::NoSlip),
        kinematic_viscosity: 1e-2,
        drag: 0.1,
        vorticity_confinement: 0.3,
        path_order: PathOrder::Ralston,
        velocity_advection: advection,
        stepping,
        pressure_solver: solver,
        quantities: vec![quantity, QuantityParams { advection: SCHEMES[2], ..quantity }],
        ..Default::default()
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    let source = |effect| Source { center: [0.3; D], radius: 0.1, effect };
    fluid.sources_mut().extend([
        source(Effect::Accelerate([1.0; D])),
        source(Effect::Add { quantity: 0, rate: 1.0 }),
        source(Effect::Hold { quantity: 1, value: 1.0, rate: 1.0 }),
    ]);
    let body = Body::new(Shape::cuboid([0.1; D]).unwrap(), [0.5; D])
        .unwrap()
        .with_velocity([0.3; D])
        .unwrap()
        .with_angular_velocity([0.0, 0.0, 2.0])
        .unwrap()
        .with_slip(Slip::No);
    fluid.bodies_mut().push(body);
    fluid
}

/// The memory taken in four steps after the first one, the body moving.
fn taken_by_stable_fluids<const D: usize>(mut fluid: StableFluids<f32, D>) -> usize {
    let step = |fluid: &mut StableFluids<f32, D>| {
        fluid.bodies_mut()[0].advance(0.02).unwrap();
        fluid.step(0.02).unwrap();
    };
    step(&mut fluid);
    taken(|| (0..4).for_each(|_| step(&mut fluid)))
}

/// The memory taken in four steps after the first one, no body in the way.
fn taken_without_body<const D: usize>(kind: SolverKind<f32>) -> usize {
    let mut fluid = fluid::<D>(Stepping::Projection, SCHEMES[0], kind);
    fluid.bodies_mut().clear();
    fluid.step(0.02).unwrap();
    taken(|| (0..4).for_each(|_| assert!(fluid.step(0.02).is_ok())))
}

fn taken_by_stam<const D: usize>(params: Stam2003Params<f32>) -> usize {
    let cells = if D == 2 { 40 } else { 14 };
    let grid = Grid::new([cells; D], 1.0 / cells as f32).unwrap();
    let mut fluid = Stam2003::<f32, D>::new(grid, params).unwrap();
    let mut step = || {
        fluid.add_force([0.4; D], 0.1, [3.0; D]).unwrap();
        fluid.add_source([0.4; D], 0.1, 3.0).unwrap();
        fluid.step(0.01).unwrap();
    };
    step();
    taken(|| (0..4).for_each(|_| step()))
}

/// Each scene by name, and what its steps took.
fn every_scene() -> Vec<(String, usize)> {
    let mut scenes = Vec::new();
    for stepping in [Stepping::Projection, Stepping::Reflection] {
        for advection in SCHEMES {
            let kind = SolverKind::ConjugateGradient(Preconditioner::Jacobi);
            let name = format!("{stepping:?}, {advection:?}");
            scenes.push((
                format!("2D, {name}"),
                taken_by_stable_fluids(fluid::<2>(stepping, advection, kind)),
            ));
            scenes.push((
                format!("3D, {name}"),
                taken_by_stable_fluids(fluid::<3>(stepping, advection, kind)),
            ));
        }
    }
    for kind in SolverKind::general() {
        let taken = taken_by_stable_fluids(fluid::<2>(Stepping::Projection, SCHEMES[0], kind));
        scenes.push((kind.name().to_owned(), taken));
    }
    for kind in SolverKind::all() {
        let name = |dimension| format!("{dimension}, {}, no body", kind.name());
        scenes.push((name("2D"), taken_without_body::<2>(kind)));
        scenes.push((name("3D"), taken_without_body::<3>(kind)));
    }
    for diffusion in [Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit] {
        for pressure in [Sweep::GaussSeidel, Sweep::Jacobi] {
            for boundary in [Stam2003Boundary::Walls, Stam2003Boundary::Periodic] {
                let params = Stam2003Params {
                    kinematic_viscosity: 1e-3,
                    diffusivity: 1e-3,
                    iterations: 10,
                    diffusion,
                    pressure,
                    boundary,
                };
                scenes.push((format!("2D, {params:?}"), taken_by_stam::<2>(params)));
                scenes.push((format!("3D, {params:?}"), taken_by_stam::<3>(params)));
            }
        }
    }
    scenes.push(("copy_from".to_owned(), taken_by_copies()));
    scenes_of_particles::<2>(&mut scenes);
    scenes_of_lattices::<D2Q9, 2, 9>(&mut scenes);
    scenes_of_lattices::<D3Q19, 3, 19>(&mut scenes);
    scenes_of_lattices::<D3Q27, 3, 27>(&mut scenes);
    scenes_of_particles::<3>(&mut scenes);
    scenes.push(("a surface".to_owned(), taken_by_a_surface()));
    scenes.push(("shallow water".to_owned(), taken_by_shallow_water()));
    scenes.push(("wind, 2D".to_owned(), taken_by_wind::<2>()));
    scenes.push(("wind, 3D".to_owned(), taken_by_wind::<3>()));
    scenes.push(("a level set in the plane".to_owned(), taken_by_a_level_set::<2>()));
    scenes.push(("a level set in space".to_owned(), taken_by_a_level_set::<3>()));
    scenes.push(("a liquid in the plane".to_owned(), taken_by_a_liquid::<2>(48)));
    scenes.push(("a liquid in space".to_owned(), taken_by_a_liquid::<3>(16)));
    scenes
}

/// The memory taken in moving a level set and all that goes with it.
fn taken_by_a_level_set<const D: usize>() -> usize {
    let grid = Grid::new([24; D], 1.0_f32 / 24.0).unwrap();
    let walls = Boundary::walls();
    let ball = Shape::ball(0.3).unwrap();
    let mut set = LevelSet::from_shape(grid, &walls, &ball, [0.5; D]).unwrap();
    let mut u = Faces::from_fn(grid, |p| p);
    let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic).unwrap();
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second).unwrap();
    let mut flood = JumpFlooding::new(grid, 5.0).unwrap();
    let mut extrapolation = Extrapolation::new(grid);
    let mut markers = MarkerParticles::new(grid, walls, MarkerParams::default()).unwrap();
    taken(|| {
        markers.reseed(&set).unwrap();
        extrapolation.velocity(&set, &mut u, 3.0).unwrap();
        transport.carry(&u, &mut set, 0.01).unwrap();
        markers.carry(&u, 0.01).unwrap();
        markers.correct(&mut set).unwrap();
        markers.resize(&set).unwrap();
        solver.reinitialize(&mut set).unwrap();
        flood.reinitialize(&mut set).unwrap();
        set.unite(&ball, [0.7; D]).unwrap();
        assert!(set.measure() > 0.0);
    })
}

/// The memory taken in ten steps of a breaking dam with two bodies, after as many as make both wet.
fn taken_by_a_liquid<const D: usize>(cells: usize) -> usize {
    let mut water = dam_with_bodies::<D>(cells);
    let mut steps = |count| {
        for _ in 0..count {
            water.step(1.0 / 60.0).unwrap();
            water.advance_bodies(1.0 / 60.0).unwrap();
        }
    };
    steps(40);
    taken(|| steps(10))
}

/// The memory taken in showing a drop again, elsewhere.
fn taken_by_a_surface() -> usize {
    let mut drop = ParticleSet::<f32, 2>::new();
    drop.add_block([0.2; 2], [0.6; 2], 0.02, [0.0; 2], 0, &[]).unwrap();
    let mut density = Field::zeros(Grid::new([50, 40], 0.02).unwrap());
    let mut splat = Splat::new(Poly6::<f32, 2>::new(0.05).unwrap()).unwrap();
    let (mut outlines, mut segments) = (Outlines::new(), Vec::new());
    let mut show = |drop: &ParticleSet<f32, 2>| {
        splat.density(drop.position_arrays(), 4e-4, &mut density).unwrap();
        contour(&density, 0.5, Border::Closed, &mut segments).unwrap();
        outlines.trace(&density, 0.5, Border::Closed).unwrap();
        assert_eq!(outlines.len(), 1);
    };
    show(&drop);
    drop.positions_mut(0).iter_mut().for_each(|x| *x += 0.1);
    taken(|| show(&drop))
}

/// The memory taken by waves on a shore with everything switched on, and by looking at them.
fn taken_by_shallow_water() -> usize {
    let bed = Field::from_fn(Grid::new([60, 40], 0.1).unwrap(), |[x, _]| 0.3 * (x - 3.0));
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: 0.1, period: 1.0 }, WaterSide::Wall],
            [WaterSide::Open, WaterSide::Discharge { rate: 0.1 }],
        ],
        manning: 0.02,
        coriolis: 0.1,
        eddy_viscosity: 1e-2,
        rain: 1e-2,
        sponge: Some(Sponge { width: [[0; 2], [5, 0]], ..Default::default() }),
        spray: Some(SprayParams { breaking: 0.05, radius: 0.01, ..Default::default() }),
        waves: Some(SurfaceWaves { depth: 0.8, levels: 2 }),
        foam: Some(FoamParams::default()),
        ..Default::default()
    };
    let mut water = ShallowWater::<f32>::new(bed, params).unwrap();
    let body = Body::new(Shape::cuboid([0.4, 0.2, 0.2]).unwrap(), [1.5, 2.0, 0.0]).unwrap();
    water.bodies_mut().push(body.with_mass(50.0, [2.0; 3]).unwrap());
    water.sources_mut().push(WaterSource { center: [2.0; 2], radius: 0.3, rate: 0.1 });
    let mut ahead = water.clone();
    let mut samples = [water.sample([1.0; 2]).unwrap(); 3];
    let mut step = || {
        water.dent([1.0, 2.0], 0.4, 0.1).unwrap();
        water.edit_bed(|[x, y], z| z + 0.01 * x * y).unwrap();
        water.step(0.05).unwrap();
        water.bodies_mut()[0].angular_velocity[2] = 1.0;
        water.advance_bodies(0.05).unwrap();
        water.sample_all(&[[0.3; 2], [1.0; 2], [2.0; 2]], &mut samples).unwrap();
        water.forecast(&mut ahead, 0.05, 2).unwrap();
    };
    step();
    let taken = taken(|| (0..4).for_each(|_| step()));
    assert!(!water.spray().is_empty());
    taken
}

/// The memory taken by wind on the move with everything switched on, and by looking at it.
fn taken_by_wind<const D: usize>() -> usize {
    let gusts = Some(Gusts::default());
    let cells = [24; D];
    let params =
        WindParams { cells, ambient: [2.0; D], gusts, swirl_sweeps: 2, ..Default::default() };
    let mut wind = Wind::<f32, D>::new(params, [0.0; D]).unwrap();
    wind.set_obstacles(vec![Shape::ball(3.0).unwrap()]).unwrap();
    wind.motors_mut().push(Motor::vortex([4.0; D], 5.0, [1.0; D], 15.0));
    wind.motors_mut().push(Motor::explosion([-4.0; D], 5.0, 15.0));
    let mut ahead = wind.clone();
    let mut tracers: [Vec<f32>; D] = core::array::from_fn(|_| vec![1.0; 3000]);
    let mut samples = tracers.clone();
    let mut texture = vec![0; 4 * cells.iter().product::<usize>()];
    let mut halves = vec![0; texture.len()];
    let mut gradients = vec![[[0.0; D]; D]; 3000];
    let mut centre = 0.0;
    let mut step = || {
        centre += 0.7;
        wind.follow([centre; D]).unwrap();
        wind.close_cells(|x| x[1] < -6.0);
        wind.set_params(WindParams { ambient: [2.0 + 0.1 * centre; D], ..params }).unwrap();
        wind.step(0.06).unwrap();
        wind.carry(tracers.each_mut().map(Vec::as_mut_slice), 0.06).unwrap();
        let out = samples.each_mut().map(Vec::as_mut_slice);
        wind.sample_all(tracers.each_ref().map(Vec::as_slice), out).unwrap();
        wind.gradient_all(tracers.each_ref().map(Vec::as_slice), &mut gradients).unwrap();
        wind.pack_rgba8(20.0, &mut texture).unwrap();
        wind.pack_rgba16f(&mut halves).unwrap();
    };
    step();
    let taken_by_steps = taken(|| (0..4).for_each(|_| step()));
    wind.set_obstacles(Vec::new()).unwrap();
    ahead.set_obstacles(Vec::new()).unwrap();
    taken_by_steps + taken(|| ahead.copy_from(&wind).unwrap())
}

/// The memory taken in four steps of a dam break around a body after the first ones.
fn taken_by_particles<const D: usize>(mut scheme: impl Particles<D>) -> usize {
    let spacing = 0.05;
    let mut top = [0.6; D];
    top[0] = 0.4;
    scheme.set().add_block([0.0; D], top, spacing, [0.0; D], 0, &[]).unwrap();
    let body = Body::new(Shape::ball(0.12).unwrap(), [0.6; D]).unwrap().with_slip(Slip::No);
    scheme.bodies().push(body.with_mass(5.0, [0.1; 3]).unwrap());
    let mut step = || {
        scheme.advance(0.01);
        for body in scheme.bodies() {
            body.advance(0.01).unwrap();
            body.clear_wrench();
        }
    };
    (0..3).for_each(|_| step());
    taken(|| (0..4).for_each(|_| step()))
}

/// A scheme of particles, as far as this test drives it.
trait Particles<const D: usize> {
    fn set(&mut self) -> &mut ParticleSet<f32, D>;
    fn bodies(&mut self) -> &mut Vec<Body<f32, D>>;
    fn advance(&mut self, dt: f32);
}

macro_rules! particles {
    ($($scheme:ident),*) => {$(
        impl<const D: usize> Particles<D> for $scheme<f32, D> {
            fn set(&mut self) -> &mut ParticleSet<f32, D> {
                self.particles_mut()
            }
            fn bodies(&mut self) -> &mut Vec<Body<f32, D>> {
                self.bodies_mut()
            }
            fn advance(&mut self, dt: f32) {
                self.step(dt).unwrap();
            }
        }
    )*};
}
particles!(Wcsph, Pbf);

fn scenes_of_particles<const D: usize>(scenes: &mut Vec<(String, usize)>) {
    let domain = Domain::new([0.0; D], [1.0; D]).unwrap();
    for cells in
        [CellStructure::Sorted, CellStructure::Fixed { capacity: 4 }, CellStructure::Hashed]
    {
        let params = WcsphParams { spacing: 0.05, xsph: 0.1, cells, ..Default::default() };
        let taken = taken_by_particles(Wcsph::<f32, D>::new(domain, params).unwrap());
        scenes.push((format!("WCSPH, {D}D, {cells:?}"), taken));
        let params = PbfParams { spacing: 0.05, confinement: 0.1, cells, ..Default::default() };
        let taken = taken_by_particles(Pbf::<f32, D>::new(domain, params).unwrap());
        scenes.push((format!("PBF, {D}D, {cells:?}"), taken));
    }
}

/// Every collision among a body, an inflow and an outlet, with a force field and eddies.
fn scenes_of_lattices<L: Lattice<D, Q>, const D: usize, const Q: usize>(
    scenes: &mut Vec<(String, usize)>,
) {
    for collision in Collision::all() {
        let mut wind = [0.0; D];
        wind[0] = 0.5;
        let boundary = Boundary::all(Side::NoSlip)
            .with(0, 0, Side::Inflow { velocity: wind })
            .with(0, 1, Side::Open);
        let outlet = if D == 2 { Outlet::Convective } else { Outlet::Pressure };
        let bounce = Bounce::Interpolated;
        let params = LbmParams {
            collision,
            boundary,
            bounce,
            outlet,
            smagorinsky: 0.1,
            ..Default::default()
        };
        let grid = Grid::new([14; D], 1.0 / 64.0).unwrap();
        let kept = LbmParams { outlet: Outlet::Pressure, ..params };
        if let Ok(mut moments) = EncodedLbm::<f32, L, D, Q>::new(grid, kept) {
            moments.force_mut()[0].fill(0.1);
            moments.bodies_mut().push(Body::new(Shape::ball(0.04).unwrap(), [0.1; D]).unwrap());
            moments.step(0.002).unwrap();
            let taken = taken(|| {
                moments.step(0.07).unwrap();
                moments.add_impulse([0.15; D], 0.05, [0.1; D]).unwrap();
            });
            scenes.push((format!("{}, {collision:?}, moments", L::NAME), taken));
        }
        let mut lbm = Lbm::<f32, L, D, Q>::new(grid, params).unwrap();
        lbm.force_mut()[0].fill(0.1);
        lbm.bodies_mut().push(Body::new(Shape::ball(0.04).unwrap(), [0.1; D]).unwrap());
        let mut carried = Carried::new(&lbm, 2, SCHEMES[2]).unwrap();
        carried.add_tracer([0.15; D]).unwrap();
        let mut view = Field::zeros(grid);
        lbm.step(0.002).unwrap();
        carried.follow(&lbm, 0.002).unwrap();
        let taken = taken(|| {
            lbm.step(0.07).unwrap();
            lbm.add_impulse([0.15; D], 0.05, [0.1; D]).unwrap();
            carried.follow(&lbm, 0.07).unwrap();
            lbm.vorticity(0, &mut view).unwrap();
            lbm.q_criterion(&mut view).unwrap();
            lbm.speed(&mut view).unwrap();
        });
        scenes.push((format!("{}, {collision:?}", L::NAME), taken));
    }
}

/// Taking over a state, and going on from it.
fn taken_by_copies() -> usize {
    let mut source = fluid::<2>(
        Stepping::Projection,
        SCHEMES[0],
        SolverKind::ConjugateGradient(Preconditioner::None),
    );
    source.step(0.02).unwrap();
    let mut target = source.clone();
    target.step(0.02).unwrap();
    let mut plain_source = Stam2003::<f32, 2>::new(*source.grid(), Default::default()).unwrap();
    let mut plain_target = plain_source.clone();
    plain_source.step(0.01).unwrap();
    taken(|| {
        target.copy_from(&source).unwrap();
        target.step(0.02).unwrap();
        plain_target.copy_from(&plain_source).unwrap();
        plain_target.step(0.01).unwrap();
    })
}

#[test]
fn no_step_after_the_first_takes_memory() {
    // A pool of its own, all of whose threads are watched and no other.
    let watch = |_| WATCHED.set(true);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(watch).build().unwrap();
    let allocates = || taken(|| drop(core::hint::black_box(vec![1_u8; 100])));
    assert!(pool.install(allocates) >= 1, "nothing is counted");
    // The pool's own queues take their memory when its threads first meet work.
    pool.install(every_scene);
    let scenes = pool.install(every_scene);
    let greedy: Vec<_> = scenes.iter().filter(|(_, taken)| *taken > 0).collect();
    assert!(greedy.is_empty(), "{greedy:#?}");
    let (general, all) = (SolverKind::<f32>::general().len(), SolverKind::<f32>::all().len());
    assert_eq!(scenes.len(), 16 + general + 2 * all + 24 + 1 + 12 + 18 + 8);
}
