//! A snapshot, written as text and read back into a simulation built anew, continues bit for bit;
//! one that does not fit is refused by name, and changes nothing.

use fluid_num::advection::Advection;
use fluid_num::particles::{CellStructure, Domain, Emitter, ParticleId, ParticleSet};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::schemes::lbm::{Bounce, Collision, D2Q9, D3Q19, D3Q27, Lattice, Outlet};
use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayDrop, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::schemes::stam2003::{Stam2003Boundary, Sweep};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, EncodedLbm, Error, Field, Grid, Gusts, Lbm, LbmD2Q9, LbmD3Q19, LbmD3Q27,
    LbmParams, Motor, Pbf, PbfParams, QuantityParams, Real, ShallowWater, ShallowWaterParams, Side,
    Simulation, Snapshot, Source, StableFluids, StableFluidsParams, Stam2003, Stam2003Params,
    Stepping, Wcsph, WcsphParams, Wind, WindParams,
};
use fluid_tests::Random;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A scalar that can be written as text.
trait Scalar: Real + Serialize + DeserializeOwned {}
impl<T: Real + Serialize + DeserializeOwned> Scalar for T {}

/// A simulation in the middle of something.
trait Scene<T: Scalar>: Simulation<T> {
    /// What a user does from one step to the next, the step among it.
    fn live(&mut self, n: usize);
    /// The bits of all that can be read beside the digest.
    fn readings(&self) -> Vec<u64>;
}

fn bits<T: Real>(values: impl IntoIterator<Item = T>) -> Vec<u64> {
    values.into_iter().map(T::bits).collect()
}

fn text<T: Scalar>(snapshot: &Snapshot<T>) -> String {
    serde_json::to_string(snapshot).unwrap()
}

/// All that is known of a simulation.
fn all_of<T: Scalar>(scene: &impl Scene<T>) -> (u64, u64, Vec<u64>, String) {
    (scene.digest(), scene.time().bits(), scene.readings(), text(&scene.snapshot()))
}

/// Simulations from `make` continue identically after a snapshot, whatever their own past was.
#[track_caller]
fn continues<T: Scalar, S: Scene<T>>(make: impl Fn() -> S) {
    let mut whole = make();
    (0..4).for_each(|n| whole.live(n));
    let saved = serde_json::from_str(&text(&whole.snapshot())).unwrap();
    let [mut fresh, mut worn] = [make(), make()];
    (0..6).for_each(|n| worn.live(n + 1));
    for scene in [&mut fresh, &mut worn] {
        assert_ne!(scene.digest(), whole.digest());
        scene.restore(&saved).unwrap();
        assert_eq!(all_of(scene), all_of(&whole));
        assert_eq!(scene.report().time, T::zero());
    }
    for n in 4..7 {
        whole.live(n);
        for scene in [&mut fresh, &mut worn] {
            scene.live(n);
            assert_eq!(all_of(scene), all_of(&whole), "step {n}");
            assert_eq!(scene.report(), whole.report(), "step {n}");
        }
    }
}

// ---- Grids ---------------------------------------------------------------------------------------

impl<T: Scalar, const D: usize> Scene<T> for StableFluids<T, D> {
    /// The body moves after the step and uncovers cells in the next one; every third time the flow
    /// is stirred too, which the next step has to project.
    fn live(&mut self, n: usize) {
        self.step(T::of(0.05)).unwrap();
        if n % 2 == 1 {
            self.bodies_mut()[0].advance(T::of(0.1)).unwrap();
        }
        if n.is_multiple_of(3) {
            let effect = Effect::Accelerate([T::of(3.0); D]);
            let stir = Source { center: [T::of(0.3); D], radius: T::of(0.2), effect };
            self.apply_source(&stir, T::of(0.1)).unwrap();
            let dye = Effect::Add { quantity: 1, rate: T::one() };
            self.apply_source(&Source { effect: dye, ..stir }, T::one()).unwrap();
        }
    }

    fn readings(&self) -> Vec<u64> {
        let body = &self.bodies()[0];
        let body = [&body.position[..], &body.velocity, body.rotation().as_flattened()].concat();
        bits(body.into_iter().chain(self.pressure().values()))
    }
}

fn fluid<T: Scalar, const D: usize>(
    boundary: Boundary<T, D>,
    stepping: Stepping,
    pressure_solver: SolverKind<T>,
    advection: Advection,
) -> StableFluids<T, D> {
    let params = StableFluidsParams {
        boundary,
        kinematic_viscosity: T::of(1e-3),
        vorticity_confinement: T::of(0.3),
        velocity_advection: advection,
        stepping,
        pressure_solver,
        pressure_budget: Budget::tolerance(T::of(1e-4), 20),
        quantities: vec![
            QuantityParams { diffusivity: T::of(1e-3), advection, ..QuantityParams::smoke() },
            QuantityParams { advection: Advection::Scatter, ..QuantityParams::dye() },
        ],
        ..Default::default()
    };
    let cells = core::array::from_fn(|a| 10 - a);
    let mut fluid = StableFluids::new(Grid::new(cells, T::of(0.1)).unwrap(), params).unwrap();
    let effect = Effect::Add { quantity: 0, rate: T::of(4.0) };
    fluid.sources_mut().push(Source { center: [T::of(0.4); D], radius: T::of(0.2), effect });
    let body = Body::new(Shape::ball(T::of(0.22)).unwrap(), [T::of(0.6); D]).unwrap();
    let mut velocity = [T::zero(); D];
    velocity[0] = T::of(1.5);
    let spin = [T::zero(), T::zero(), T::one()];
    fluid.bodies_mut().push(
        body.with_velocity(velocity)
            .unwrap()
            .with_angular_velocity(spin)
            .unwrap()
            .with_slip(Slip::No),
    );
    fluid.close_cells(|cell| cell == [1; D]);
    fluid
}

fn stable_fluids_continue<T: Scalar, const D: usize>() {
    let open = Boundary::walls().with(1, 1, Side::Open);
    let [mac, sl] = [Advection::MacCormack, Advection::default()];
    continues(|| {
        let solver = SolverKind::Multigrid(Default::default());
        fluid::<T, D>(open, Stepping::Projection, solver, mac)
    });
    continues(|| {
        fluid::<T, D>(Boundary::periodic(), Stepping::Reflection, SolverKind::GaussSeidel, sl)
    });
}

#[test]
fn stable_fluids_continue_from_text_bit_for_bit() {
    stable_fluids_continue::<f32, 2>();
    stable_fluids_continue::<f64, 2>();
    stable_fluids_continue::<f32, 3>();
    stable_fluids_continue::<f64, 3>();
}

#[test]
fn closed_cells_and_fluid_without_solids_are_restored_too() {
    let make = || {
        let grid = Grid::<f64, 2>::new([8, 8], 0.125).unwrap();
        StableFluids::new(grid, StableFluidsParams::default()).unwrap()
    };
    let (mut open, mut walled) = (make(), make());
    let before = open.snapshot();
    walled.close_cells(|[x, _]| x == 3);
    walled.step(0.1).unwrap();
    open.restore(&walled.snapshot()).unwrap();
    open.step(0.1).unwrap();
    assert!(open.solids().unwrap().is_solid([3, 5]));
    for fluid in [&mut open, &mut walled] {
        fluid.restore(&before).unwrap();
        fluid.step(0.1).unwrap();
        assert!(!fluid.solids().unwrap().any());
    }
    assert_eq!(open.digest(), walled.digest());
}

impl<T: Scalar, const D: usize> Scene<T> for Stam2003<T, D> {
    /// Forces for the next step wait when a snapshot is taken.
    fn live(&mut self, n: usize) {
        self.step(T::of(0.02)).unwrap();
        self.add_force([T::of(0.4); D], T::of(0.3), [T::of(2.0); D]).unwrap();
        self.add_source([T::of(0.3); D], T::of(0.2), T::of(3.0)).unwrap();
        if n == 3 {
            self.density_mut()[[2; D]] = T::of(0.7);
        }
    }

    fn readings(&self) -> Vec<u64> {
        bits(self.pressure().values())
    }
}

fn stam_continues<T: Scalar, const D: usize>(boundary: Stam2003Boundary, pressure: Sweep) {
    let params = Stam2003Params {
        boundary,
        pressure,
        kinematic_viscosity: T::of(1e-3),
        diffusivity: T::of(1e-3),
        ..Default::default()
    };
    let cells = core::array::from_fn(|a| 9 - a);
    continues(|| Stam2003::new(Grid::<T, D>::new(cells, T::of(0.1)).unwrap(), params).unwrap());
}

#[test]
fn stam2003_continues_from_text_bit_for_bit() {
    stam_continues::<f32, 2>(Stam2003Boundary::Walls, Sweep::GaussSeidel);
    stam_continues::<f64, 2>(Stam2003Boundary::Periodic, Sweep::Jacobi);
    stam_continues::<f32, 3>(Stam2003Boundary::Periodic, Sweep::GaussSeidel);
    stam_continues::<f64, 3>(Stam2003Boundary::Walls, Sweep::Jacobi);
}

impl<T: Scalar> Scene<T> for ShallowWater<T> {
    /// The surface is dented after some steps, and the bed edited after others; a crate drifts.
    fn live(&mut self, n: usize) {
        self.step(T::of(0.03)).unwrap();
        self.advance_bodies(T::of(0.03)).unwrap();
        if n % 2 == 1 {
            self.dent([T::of(0.5); 2], T::of(0.3), T::of(0.1)).unwrap();
        }
        if n.is_multiple_of(3) {
            self.edit_bed(|[x, y], z| z + x * y * T::of(0.02)).unwrap();
        }
    }

    fn readings(&self) -> Vec<u64> {
        let drops = self.spray().iter().flat_map(|drop| drop.position);
        let bodies =
            self.bodies().iter().flat_map(|body| body.position.into_iter().chain(body.velocity));
        let drops = drops.chain(bodies).chain(self.foam().unwrap().values());
        let mut surface = Field::zeros(*self.grid());
        self.write_surface(&mut surface).unwrap();
        bits(drops.chain(surface.values()).chain(self.bed().values()))
    }
}

fn shore<T: Scalar>(across: WaterSide<T>) -> ShallowWater<T> {
    let grid = Grid::new([12, 9], T::of(0.1)).unwrap();
    let bed = Field::from_fn(grid, |[x, _]| (x - T::of(0.8)) * T::of(0.7));
    let wave = WaterSide::Waves { amplitude: T::of(0.1), period: T::one() };
    let params = ShallowWaterParams {
        sides: [[wave, WaterSide::Open], [across; 2]],
        manning: T::of(0.02),
        coriolis: T::of(0.1),
        eddy_viscosity: T::of(1e-3),
        rain: T::of(1e-3),
        sponge: Some(Sponge { width: [[0, 3], [2, 0]], ..Default::default() }),
        spray: Some(SprayParams {
            breaking: T::of(0.1),
            radius: T::of(0.01),
            ..Default::default()
        }),
        waves: Some(SurfaceWaves { depth: T::of(0.5), levels: 2 }),
        foam: Some(FoamParams { breaking: T::of(0.05), ..Default::default() }),
        ..Default::default()
    };
    let mut water = ShallowWater::new(bed, params).unwrap();
    let crate_ = Body::new(Shape::cuboid([T::of(0.15); 3]).unwrap(), [0.4, 0.5, 0.05].map(T::of));
    let crate_ = crate_.unwrap().with_mass(T::of(15.0), [T::of(0.2); 3]).unwrap();
    water.bodies_mut().push(crate_);
    let (center, radius, rate) = ([T::of(0.3); 2], T::of(0.2), T::of(0.1));
    water.sources_mut().push(WaterSource { center, radius, rate });
    let (x, up) = (T::of(0.4), T::of(3.0));
    let drop = SprayDrop { position: [x, x, up], velocity: [T::zero(), x, x], volume: T::of(1e-4) };
    assert!(water.throw(drop).unwrap());
    water
}

impl<T: Scalar, const D: usize> Scene<T> for Wind<T, D> {
    /// The wind follows somebody, and every other time something explodes.
    fn live(&mut self, n: usize) {
        self.step(T::of(0.05)).unwrap();
        let there = T::of(0.7 * n as f64);
        self.follow([there; D]).unwrap();
        if n % 2 == 1 {
            let mut motor = Motor::explosion([there; D], T::of(3.0), T::of(8.0));
            motor.velocity = [T::one(); D];
            self.motors_mut().push(motor);
        }
    }

    fn readings(&self) -> Vec<u64> {
        let places = (0..40).map(|n| [T::of(0.3 * f64::from(n) - 4.0); D]);
        bits(places.flat_map(|place| self.sample(place)).chain(self.lower_corner()))
    }
}

fn breeze<T: Scalar, const D: usize>() -> Wind<T, D> {
    let mut ambient = [T::zero(); D];
    (ambient[0], ambient[1]) = (T::of(3.0), T::one());
    let params = WindParams {
        cells: core::array::from_fn(|a| 10 - a),
        ambient,
        gusts: Some(Gusts::default()),
        swirl_sweeps: 1,
        ..Default::default()
    };
    let mut wind = Wind::new(params, [T::zero(); D]).unwrap();
    wind.motors_mut().push(Motor::vortex([T::one(); D], T::of(4.0), [T::one(); D], T::of(9.0)));
    wind.close_cells(|x| x[0] + x[1] < T::of(-4.0));
    wind
}

#[test]
fn wind_continues_from_text_bit_for_bit() {
    continues(breeze::<f32, 3>);
    continues(breeze::<f64, 2>);
}

#[test]
fn no_array_of_wind_may_be_missing_short_long_or_not_finite() {
    let grid = Grid::new([6, 5], 0.2).unwrap();
    let stam = Stam2003::<f64, 2>::new(grid, Stam2003Params::default()).unwrap();
    every_array_is_checked(breeze::<f64, 2>(), &stam.snapshot());
    let mut wind = breeze::<f64, 2>();
    let saved = wind.snapshot();
    let broken = saved.clone().with_words("drift", [f64::NAN.to_bits(), 0, 0]);
    refused(&mut wind, &broken, "a drift that is no number");
    let broken = saved.clone().with_values("pending time", [1.0]);
    refused(&mut wind, &broken, "time for more than a step");
    let broken = saved.clone().with_words("corner", [(1 << 21) + 1, 0]);
    refused(&mut wind, &broken, "a corner too far away");
    let mut words = saved.words("motors").unwrap().to_vec();
    words[0] = 9;
    refused(&mut wind, &saved.clone().with_words("motors", words), "a motor of no kind");
    for name in ["wind", "wind before"] {
        let mut values = saved.values(name).unwrap().to_vec();
        values[0] = f64::MAX;
        refused(&mut wind, &saved.clone().with_values(name, values), "more than can be added");
    }
}

#[test]
fn shallow_water_continues_from_text_bit_for_bit() {
    continues(|| shore::<f32>(WaterSide::Wall));
    continues(|| shore::<f64>(WaterSide::Periodic));
}

#[test]
fn no_array_of_shallow_water_may_be_missing_short_long_or_not_finite() {
    let grid = Grid::new([6, 5], 0.2).unwrap();
    let stam = Stam2003::<f64, 2>::new(grid, Stam2003Params::default()).unwrap();
    every_array_is_checked(shore::<f64>(WaterSide::Wall), &stam.snapshot());
    let mut water = shore::<f64>(WaterSide::Wall);
    let mut values: Vec<_> = water.snapshot().values("displacement").unwrap().to_vec();
    values[5] = -100.0;
    let drained = water.snapshot().with_values("displacement", values);
    let reason = "says that a depth is negative";
    let wrong = Error::WrongSnapshot { name: "displacement", reason };
    assert_eq!(refused(&mut water, &drained, "a negative depth"), wrong);
}

impl<T: Scalar, L: Lattice<D, Q>, const D: usize, const Q: usize> Scene<T> for Lbm<T, L, D, Q> {
    /// The body, the wind and the force change after the step, for the next one to find; time is
    /// left over.
    fn live(&mut self, n: usize) {
        self.step(T::of(0.0155)).unwrap();
        self.bodies_mut()[0].advance(T::of(0.01)).unwrap();
        self.add_impulse([T::of(0.3); D], T::of(0.2), [T::of(0.3); D]).unwrap();
        let wind = |p: [T; D]| core::array::from_fn(|a| T::of(0.1 * (n % 3) as f64) * p[1 - a % 2]);
        self.set_inflow(0, 0, wind).unwrap();
        if n % 2 == 1 {
            self.force_mut()[1].fill(T::of(0.1 * n as f64));
        }
    }

    fn readings(&self) -> Vec<u64> {
        let body = &self.bodies()[0];
        let body = [&body.position[..], &body.velocity, &body.force, &body.torque].concat();
        let solid = Field::from_fn(*self.grid(), |p| {
            T::of_usize(usize::from(self.is_solid(p.map(|x| (x / T::of(0.1)).to_f64() as usize))))
        });
        bits(body.into_iter().chain(self.pressure().values()).chain(solid.values()))
    }
}

fn lattice<T: Scalar, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    collision: Collision<T>,
    outlet: Outlet,
) -> Lbm<T, L, D, Q> {
    let params = LbmParams {
        collision,
        outlet,
        bounce: if outlet == Outlet::Convective { Bounce::Interpolated } else { Bounce::HalfWay },
        boundary: Boundary::all(Side::NoSlip)
            .with(0, 0, Side::Inflow { velocity: [T::zero(); D] })
            .with(0, 1, Side::Open)
            .with(1, 1, Side::FreeSlip),
        time_step: T::of(1e-2),
        smagorinsky: T::of(0.1),
        ..Default::default()
    };
    let cells = core::array::from_fn(|a| 11 - a);
    let mut flow = Lbm::new(Grid::new(cells, T::of(0.1)).unwrap(), params).unwrap();
    let body = Body::new(Shape::ball(T::of(0.22)).unwrap(), [T::of(0.5); D]).unwrap();
    let spin = [T::zero(), T::zero(), T::one()];
    let body = body.with_velocity([T::of(1.5); D]).unwrap().with_angular_velocity(spin).unwrap();
    flow.bodies_mut().push(body);
    flow.close_cells(|cell| cell == [1; D]);
    flow
}

fn lattice_continues<T: Scalar, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
    continues(|| lattice::<T, L, D, Q>(Collision::trt(), Outlet::Pressure));
    continues(|| lattice::<T, L, D, Q>(Collision::CentralMoments, Outlet::Convective));
}

#[test]
fn lattice_boltzmann_continues_from_text_bit_for_bit() {
    lattice_continues::<f32, D2Q9, 2, 9>();
    lattice_continues::<f64, D2Q9, 2, 9>();
    lattice_continues::<f32, D3Q19, 3, 19>();
    lattice_continues::<f64, D3Q27, 3, 27>();
}

impl<T: Scalar, L: Lattice<D, Q>, const D: usize, const Q: usize> Scene<T>
    for EncodedLbm<T, L, D, Q>
{
    /// Time is left over.
    fn live(&mut self, _: usize) {
        self.step(T::of(0.0155)).unwrap();
    }

    fn readings(&self) -> Vec<u64> {
        let cells = self.grid().interior().places().map(|i| self.grid().cell_at(i));
        bits(cells.flat_map(|cell| self.velocity(cell).unwrap()))
    }
}

#[test]
fn moments_continue_from_text_bit_for_bit() {
    fn continued<T: Scalar, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        continues(|| {
            let params = LbmParams {
                collision: Collision::Regularised,
                time_step: T::of(1e-2),
                ..Default::default()
            };
            let cells = core::array::from_fn(|a| 11 - a);
            let grid = Grid::new(cells, T::of(0.1)).unwrap();
            let mut flow = EncodedLbm::<T, L, D, Q>::new(grid, params).unwrap();
            flow.set_flow(|p| (p.map(|x| T::of(0.2) * x), T::of(0.1))).unwrap();
            flow
        });
    }
    continued::<f32, D2Q9, 2, 9>();
    continued::<f64, D3Q19, 3, 19>();
}

#[test]
fn a_run_of_lattice_boltzmann_that_broke_can_go_back() {
    let make = || {
        let params = LbmParams { kinematic_viscosity: 0.0, ..Default::default() };
        let mut flow = LbmD2Q9::new(Grid::new([16, 16], 1.0 / 64.0).unwrap(), params).unwrap();
        let body = Body::new(Shape::ball(0.03).unwrap(), [0.1; 2]).unwrap();
        flow.bodies_mut().push(body);
        flow
    };
    let mut broken = make();
    broken.step(0.01).unwrap();
    let saved = broken.snapshot();
    broken.set_flow(|_| ([60.0, -50.0], 0.0)).unwrap();
    assert!(matches!(broken.step(2.0), Err(Error::Unstable { .. })));
    // What is not finite is in no snapshot.
    let error = make().restore(&broken.snapshot()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { name: "populations", .. }), "{error}");
    let mut good = make();
    for flow in [&mut broken, &mut good] {
        flow.restore(&saved).unwrap();
        flow.add_impulse([0.2; 2], 0.1, [0.5, 0.1]).unwrap();
        flow.step(0.03).unwrap();
    }
    assert_eq!(text(&broken.snapshot()), text(&good.snapshot()));
}

// ---- Particles -----------------------------------------------------------------------------------

/// What a user does with a liquid: steps, moves the body, marks some particles and gives others a
/// lifetime. When a snapshot is taken there are marks that the next step acts on, free slots that
/// the jet takes, and some of all lifetimes.
fn live_with<T: Scalar, const D: usize>(
    n: usize,
    set: &mut ParticleSet<T, D>,
    bodies: &mut [Body<T, D>],
) {
    bodies[0].advance(T::of(0.01)).unwrap();
    if n % 2 == 1 {
        bodies[0].clear_wrench();
    }
    let ids: Vec<ParticleId> = set.ids().iter().skip(n % 3).step_by(7).copied().collect();
    for id in ids {
        set.remove(id).unwrap();
    }
    if n == 1 {
        for (i, lifetime) in set.lifetimes_mut().iter_mut().enumerate().filter(|(i, _)| i % 5 == 0)
        {
            *lifetime = T::of(if i % 2 == 0 { 0.05 } else { f64::NAN });
        }
    }
}

fn readings_of<T: Scalar, const D: usize>(
    set: &ParticleSet<T, D>,
    emitters: &[Emitter<T, D>],
    body: &Body<T, D>,
    others: impl Iterator<Item = T>,
) -> Vec<u64> {
    let motion = [body.position, body.force, body.velocity].concat();
    let turning = [body.torque, body.angular_velocity].concat();
    let rotation = body.rotation().concat();
    // Of particles that came after the last step nothing is known.
    let others = others.chain(core::iter::repeat(T::zero())).take(set.len());
    let mut all = bits([motion, turning, rotation].concat().into_iter().chain(others));
    all.extend(set.ids().iter().flat_map(|id| [u64::from(id.slot), u64::from(id.generation)]));
    all.extend(set.ids().iter().map(|id| set.index_of(*id).unwrap() as u64));
    all.extend(emitters.iter().map(|e| e.emitted() as u64));
    // The handles that the next particles will have.
    let mut set = set.clone();
    set.apply_removals();
    let next = (0..9).map(|_| set.add([T::one(); D], [T::zero(); D], 0).unwrap());
    all.extend(next.flat_map(|id| [u64::from(id.slot), u64::from(id.generation)]));
    all
}

macro_rules! liquid_scene {
    ($scheme:ident) => {
        impl<T: Scalar, const D: usize> Scene<T> for $scheme<T, D> {
            fn live(&mut self, n: usize) {
                self.step(T::of(0.01)).unwrap();
                let mut bodies = core::mem::take(self.bodies_mut());
                live_with(n, self.particles_mut(), &mut bodies);
                *self.bodies_mut() = bodies;
            }

            fn readings(&self) -> Vec<u64> {
                let density = self.density().into_iter().map(|d| d.clone());
                readings_of(self.particles(), self.emitters(), &self.bodies()[0], density)
            }
        }
    };
}
liquid_scene!(Wcsph);
liquid_scene!(Pbf);

fn tank<T: Scalar, const D: usize>() -> Domain<T, D> {
    Domain::new([T::zero(); D], [T::one(); D]).unwrap().with_periodic(0)
}

/// A block of liquid, two jets, one of them short-lived, and a ball that moves and is moved.
fn fill<T: Scalar, const D: usize>(
    spacing: f64,
    set: &mut ParticleSet<T, D>,
    emitters: &mut Vec<Emitter<T, D>>,
    bodies: &mut Vec<Body<T, D>>,
) {
    let [h, half] = [spacing, 0.5].map(T::of);
    set.add_block([T::zero(); D], [half; D], h, [T::of(0.5); D], 3, &[]).unwrap();
    let mut down = [T::of(0.2); D];
    down[1] = -T::one();
    let jet = |x: f64| Emitter::new([T::of(x); D], down, h, T::of(2.9), h).unwrap();
    emitters.extend([jet(0.8), jet(0.7)]);
    (emitters[1].lifetime, emitters[1].limit) = (T::of(0.03), Some(40));
    let ball = Body::new(Shape::ball(T::of(0.15)).unwrap(), [T::of(0.4); D]).unwrap();
    let spin = [T::zero(), T::zero(), T::of(2.0)];
    let ball = ball.with_mass(T::of(30.0), [T::of(0.3); 3]).unwrap();
    bodies.push(ball.with_angular_velocity(spin).unwrap());
}

fn wcsph<T: Scalar, const D: usize>() -> Wcsph<T, D> {
    let h = [0.05, 0.1][D - 2];
    let params = WcsphParams { spacing: T::of(h), xsph: T::of(0.1), ..Default::default() };
    let mut water = Wcsph::new(tank(), params).unwrap();
    let (mut emitters, mut bodies) = Default::default();
    fill(h, water.particles_mut(), &mut emitters, &mut bodies);
    (*water.emitters_mut(), *water.bodies_mut()) = (emitters, bodies);
    water
}

fn pbf<T: Scalar, const D: usize>() -> Pbf<T, D> {
    let h = [0.05, 0.1][D - 2];
    let params = PbfParams {
        spacing: T::of(h),
        confinement: T::of(0.2),
        cells: CellStructure::Hashed,
        ..Default::default()
    };
    let mut water = Pbf::new(tank(), params).unwrap();
    let (mut emitters, mut bodies) = Default::default();
    fill(h, water.particles_mut(), &mut emitters, &mut bodies);
    (*water.emitters_mut(), *water.bodies_mut()) = (emitters, bodies);
    water
}

#[test]
fn wcsph_continues_from_text_bit_for_bit() {
    continues(wcsph::<f32, 2>);
    continues(wcsph::<f64, 2>);
    continues(wcsph::<f32, 3>);
    continues(wcsph::<f64, 3>);
}

#[test]
fn position_based_fluids_continue_from_text_bit_for_bit() {
    continues(pbf::<f32, 2>);
    continues(pbf::<f64, 2>);
    continues(pbf::<f32, 3>);
    continues(pbf::<f64, 3>);
}

#[test]
fn handles_from_before_stay_good_and_stale_ones_stay_stale() {
    let mut set = ParticleSet::<f32, 3>::new();
    let ids: Vec<_> = (0..6).map(|n| set.add([n as f32; 3], [0.5; 3], n).unwrap()).collect();
    set.remove(ids[1]).unwrap();
    set.remove(ids[4]).unwrap();
    set.apply_removals();
    set.reorder(&[3, 1, 0, 2]).unwrap();
    set.remove(ids[5]).unwrap(); // a mark that is pending
    let mut twin = ParticleSet::new();
    twin.add([9.0; 3], [9.0; 3], 9).unwrap();
    twin.restore(&set.snapshot(Snapshot::new("a set", 3, 0.0))).unwrap();
    for id in &ids {
        assert_eq!(twin.index_of(*id), set.index_of(*id));
    }
    assert!(twin.index_of(ids[1]).is_err() && twin.remove(ids[5]).is_err());
    assert_eq!((twin.apply_removals(), set.apply_removals()), (1, 1));
    for n in 0..5 {
        let new = set.add([n as f32; 3], [0.0; 3], 0).unwrap();
        assert_eq!(twin.add([n as f32; 3], [0.0; 3], 0), Ok(new));
    }
}

// ---- What does not fit -----------------------------------------------------------------------------

/// Refused with the state as before; gives the error.
#[track_caller]
fn refused<T: Scalar, S: Scene<T>>(scene: &mut S, snapshot: &Snapshot<T>, what: &str) -> Error {
    let before = all_of(scene);
    let Err(error) = scene.restore(snapshot) else { panic!("{what} was accepted") };
    assert_eq!(all_of(scene), before, "{what}: {error}");
    assert!(error.to_string().len() > 20, "{error}");
    error
}

/// The snapshot as text, changed.
fn changed(snapshot: &Snapshot<f64>, change: impl FnOnce(&mut Value)) -> Snapshot<f64> {
    let mut value = serde_json::to_value(snapshot).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

/// Every array may be missing, short or long, and hold NaN: never accepted.
fn every_array_is_checked<S: Scene<f64>>(mut scene: S, other: &Snapshot<f64>) {
    (0..3).for_each(|n| scene.live(n));
    let saved = scene.snapshot();
    (3..5).for_each(|n| scene.live(n));
    let wrong = |name| Error::WrongSnapshot { name, reason: "is another one" };
    assert_eq!(refused(&mut scene, other, "another scheme"), wrong("scheme"));
    let three = changed(&saved, |v| v["dimension"] = 3.into());
    assert_eq!(refused(&mut scene, &three, "another dimension"), wrong("dimension"));
    let before_all = changed(&saved, |v| v["time"] = (-1.0).into());
    refused(&mut scene, &before_all, "a time before the beginning");
    let value = serde_json::to_value(&saved).unwrap();
    for kind in ["values", "words"] {
        for (name, array) in value[kind].as_object().unwrap() {
            let list = array.as_array().unwrap();
            assert!(!list.is_empty(), "{name} is empty and tests nothing");
            let without = changed(&saved, |v| {
                v[kind].as_object_mut().unwrap().remove(name);
            });
            let error = refused(&mut scene, &without, name);
            assert!(matches!(error, Error::WrongSnapshot { .. } | Error::WrongCount { .. }));
            let array = |v: &mut Value, list: &[Value]| v[kind][name] = list.into();
            let short = changed(&saved, |v| array(v, &list[..list.len() - 1]));
            refused(&mut scene, &short, &format!("a short {name}"));
            let last = list[list.len() - 1].clone();
            let long = changed(&saved, |v| array(v, &[&list[..], &[last]].concat()));
            refused(&mut scene, &long, &format!("a long {name}"));
            if kind == "values" {
                for bad in [f64::NAN, f64::INFINITY] {
                    let mut values: Vec<f64> = list.iter().map(|v| v.as_f64().unwrap()).collect();
                    *values.last_mut().unwrap() = bad;
                    let place = [values.len() - 1, 0, 0];
                    let name: &'static str = name.clone().leak();
                    let error = refused(&mut scene, &saved.clone().with_values(name, values), name);
                    assert_eq!(error, Error::NotFinite { name, place });
                }
            }
        }
    }
    scene.restore(&saved).unwrap();
    assert_eq!(text(&scene.snapshot()), text(&saved));
}

#[test]
fn no_array_of_a_grid_may_be_missing_short_long_or_not_finite() {
    let fluid = || {
        fluid::<f64, 2>(
            Boundary::walls(),
            Stepping::Reflection,
            SolverKind::Jacobi,
            Advection::default(),
        )
    };
    let grid = Grid::new([6, 5], 0.2).unwrap();
    let stam = || Stam2003::<f64, 2>::new(grid, Stam2003Params::default()).unwrap();
    every_array_is_checked(fluid(), &stam().snapshot());
    every_array_is_checked(stam(), &fluid().snapshot());
    let lattice = || lattice::<f64, D2Q9, 2, 9>(Collision::trt(), Outlet::Pressure);
    every_array_is_checked(lattice(), &stam().snapshot());
}

#[test]
fn no_array_of_particles_may_be_missing_short_long_or_not_finite() {
    every_array_is_checked(wcsph::<f64, 2>(), &pbf::<f64, 2>().snapshot());
    every_array_is_checked(pbf::<f64, 2>(), &wcsph::<f64, 2>().snapshot());
}

#[test]
fn another_size_is_refused_by_name() {
    let make = |cells| Stam2003::<f64, 2>::new(Grid::new(cells, 0.1).unwrap(), Default::default());
    let saved = make([6, 4]).unwrap().snapshot();
    // As many values, another shape.
    let error = refused(&mut make([4, 6]).unwrap(), &saved, "another grid");
    assert_eq!(error, Error::GridMismatch { name: "the snapshot" });
    let small: Grid<f64, 3> = Grid::new([4; 3], 0.1).unwrap();
    let saved = LbmD3Q27::new(small, Default::default()).unwrap().snapshot();
    let error = LbmD3Q19::new(small, Default::default()).unwrap().restore(&saved).unwrap_err();
    assert_eq!(error, Error::WrongSnapshot { name: "lattice", reason: "is another one" });
    let counted = |error| match error {
        Error::WrongCount { name, count, .. } => (name, count),
        other => panic!("{other:?}"),
    };
    let saved = wcsph::<f64, 2>().snapshot();
    let mut water = wcsph::<f64, 2>();
    water.emitters_mut().pop();
    assert_eq!(counted(refused(&mut water, &saved, "more jets")), ("jet", 2));
    let mut water = wcsph::<f64, 2>();
    let second = water.bodies()[0].clone();
    water.bodies_mut().push(second);
    assert_eq!(counted(refused(&mut water, &saved, "fewer bodies")), ("bodies", 1));
    let mut scene = fluid::<f64, 2>(
        Boundary::walls(),
        Stepping::Projection,
        SolverKind::Jacobi,
        Advection::default(),
    );
    let saved = scene.snapshot();
    scene.bodies_mut().clear();
    let body = Body::new(Shape::ball(0.1).unwrap(), [0.3; 2]).unwrap();
    scene.bodies_mut().extend([body.clone(), body]);
    assert_eq!(counted(refused(&mut scene, &saved, "fewer bodies")), ("bodies", 1));
}

#[test]
fn slots_that_contradict_each_other_are_refused() {
    let mut water = pbf::<f64, 2>();
    // With marks, free slots and slots that were used before.
    (0..4).for_each(|n| water.live(n));
    water.particles_mut().apply_removals();
    let saved = water.snapshot();
    let list = |name| saved.words(name).unwrap().to_vec();
    let (slots, free) = (list("particle slot"), list("free slots"));
    assert!(free.len() > 2 && list("slot generation").iter().any(|g| *g > 0));
    let all = slots.len() + free.len();
    let with = |name: &'static str, at: usize, word: u64| {
        let mut words = list(name);
        words[at] = word;
        (name, saved.clone().with_words(name, words))
    };
    for (name, bad) in [
        with("particle slot", 5, slots[6]),
        with("particle slot", 5, free[1]),
        with("particle slot", 5, all as u64),
        with("particle slot", 5, u64::from(u32::MAX)),
        with("particle slot", 5, slots[5] + (1 << 32)),
        with("free slots", 0, free[1]),
        with("free slots", 0, slots[0]),
        with("free slots", 0, u64::MAX),
        with("slot generation", 0, 1 << 32),
        with("particle group", 0, 1 << 16),
        with("jet", 0, f64::NAN.to_bits()),
        with("jet", 1, f64::MAX.to_bits()),
        with("jet", 1, (-1e300_f64).to_bits()),
    ] {
        let error = refused(&mut water, &bad, name);
        let free_instead =
            Error::WrongSnapshot { name: "free slots", reason: "names no slot, or one twice" };
        let named = matches!(error, Error::WrongSnapshot { name: n, .. } if n == name);
        assert!(named || error == free_instead, "{name}: {error}");
    }
    let mut motion = saved.values("body motion").unwrap().to_vec();
    motion[2] = 1.5; // cos φ
    let bent = saved.clone().with_values("body motion", motion);
    refused(&mut water, &bent, "a body that is bent");
    let narrow = wcsph::<f32, 2>().snapshot();
    let mut lifetimes = narrow.words("particle lifetime").unwrap().to_vec();
    lifetimes[0] |= 1 << 40;
    let wide = narrow.with_words("particle lifetime", lifetimes);
    refused(&mut wcsph::<f32, 2>(), &wide, "a lifetime of too many bits");
}

#[test]
fn garbled_snapshots_are_refused_or_give_a_set_that_holds_together() {
    let mut water = wcsph::<f64, 2>();
    (0..4).for_each(|n| water.live(n));
    let saved = water.snapshot();
    let value = serde_json::to_value(&saved).unwrap();
    let names: Vec<&'static str> =
        value["words"].as_object().unwrap().keys().map(|name| &*name.clone().leak()).collect();
    let mut random = Random::new(11);
    let [mut accepted, mut refusals] = [0; 2];
    for _ in 0..400 {
        let name = names[random.below(names.len())];
        let mut words = saved.words(name).unwrap().to_vec();
        for _ in 0..=random.below(2) {
            let (at, from) = (random.below(words.len()), random.below(words.len()));
            words[at] = match random.below(4) {
                0 => words[from],
                1 => words[at] ^ (1 << random.below(64)),
                2 => random.below(1000) as u64,
                _ => u64::MAX - random.below(3) as u64,
            };
        }
        let before = water.digest();
        if water.restore(&saved.clone().with_words(name, words)).is_err() {
            refusals += 1;
            assert_eq!(water.digest(), before, "{name}");
            continue;
        }
        accepted += 1;
        let set = water.particles();
        assert!((0..set.len()).all(|i| set.index_of(set.ids()[i]) == Ok(i)), "{name}");
        let _ = water.step(0.002);
        let set = water.particles_mut();
        set.apply_removals();
        let new = set.add([0.5; 2], [0.0; 2], 0).unwrap();
        assert_eq!(set.index_of(new), Ok(set.len() - 1), "{name}");
    }
    assert!(accepted > 50 && refusals > 50, "{accepted} {refusals}");
}
