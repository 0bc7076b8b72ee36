//! What a step depends on: the state, the parameters and nothing else.

use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayDrop, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Real, ShallowWater, ShallowWaterParams, Simulation};

use super::balance::everything;
use super::{GRAVITY, depths, hills, water};

/// All that there is: a crate, spray, foam, waves of a layer, and a spring.
fn busy(params: ShallowWaterParams<f64>) -> ShallowWater<f64> {
    let mut water = water::<f64>([24, 20], 0.1, params, |[x, y]| 0.5 * hills([x, y]) - 0.4);
    let crate_ = Body::new(Shape::cuboid([0.2, 0.15, 0.1]).unwrap(), [1.4, 1.2, 0.05]).unwrap();
    water.bodies_mut().push(crate_.with_mass(10.0, [0.2; 3]).unwrap());
    water.sources_mut().push(WaterSource { center: [0.6, 1.5], radius: 0.2, rate: 0.05 });
    water.set_surface(|[x, y]| if x + y < 1.0 { 0.4 } else { 0.0 }).unwrap();
    for _ in 0..25 {
        water.step(0.02).unwrap();
        water.advance_bodies(0.02).unwrap();
    }
    water
}

/// Where the water, the drops and the bodies are, how fast they are, and the foam: a digest alone would
/// tell momentum advection by what flowed, which nobody keeps without it.
fn outcome(water: &ShallowWater<f64>) -> Vec<f64> {
    let speeds = water.velocity().components().iter().flat_map(|u| u.values());
    let foam = water.foam().into_iter().flat_map(|foam| foam.values());
    let drops = water.spray().iter().flat_map(|d| d.position.into_iter().chain(d.velocity));
    let bodies = water.bodies().iter().flat_map(|b| b.position.into_iter().chain(b.velocity));
    depths(water).into_iter().chain(speeds).chain(foam).chain(drops).chain(bodies).collect()
}

#[test]
fn every_parameter_changes_what_comes() {
    let sides = [
        [WaterSide::Waves { amplitude: 0.05, period: 1.0 }, WaterSide::Surface { level: 0.4 }],
        [WaterSide::Discharge { rate: 0.05 }, WaterSide::Open],
    ];
    let sponge = Sponge { width: [[0, 3], [0, 4]], strength: 1.0 };
    let spray = SprayParams { breaking: 0.1, radius: 0.02, capacity: 60, ..Default::default() };
    let waves = SurfaceWaves { depth: 0.3, levels: 2 };
    let foam = FoamParams { breaking: 0.05, ..Default::default() };
    let base = ShallowWaterParams {
        sides,
        current: [0.05, 0.1],
        rest_level: 0.05,
        manning: 0.02,
        coriolis: 0.3,
        eddy_viscosity: 1e-3,
        rain: 1e-3,
        sponge: Some(sponge),
        waves: Some(waves),
        foam: Some(foam),
        spray: Some(spray),
        dry_depth: 1e-4,
        courant: 0.25,
        ..Default::default()
    };
    let with_side = |axis: usize, end: usize, side| {
        let mut sides = sides;
        sides[axis][end] = side;
        ShallowWaterParams { sides, ..base }
    };
    let with_sponge = |sponge| ShallowWaterParams { sponge: Some(sponge), ..base };
    let with_spray = |spray| ShallowWaterParams { spray: Some(spray), ..base };
    let with_waves = |waves| ShallowWaterParams { waves: Some(waves), ..base };
    let with_foam = |foam| ShallowWaterParams { foam: Some(foam), ..base };
    let doubled = [
        ("gravity", ShallowWaterParams { gravity: 2.0 * base.gravity, ..base }),
        ("amplitude", with_side(0, 0, WaterSide::Waves { amplitude: 0.1, period: 1.0 })),
        ("period", with_side(0, 0, WaterSide::Waves { amplitude: 0.05, period: 2.0 })),
        ("level", with_side(0, 1, WaterSide::Surface { level: 0.8 })),
        ("rate", with_side(1, 0, WaterSide::Discharge { rate: 0.1 })),
        ("a wall", with_side(1, 1, WaterSide::Wall)),
        ("rest_level", ShallowWaterParams { rest_level: 0.1, ..base }),
        ("current along x", ShallowWaterParams { current: [0.1, 0.1], ..base }),
        ("current along y", ShallowWaterParams { current: [0.05, 0.2], ..base }),
        ("momentum_advection", ShallowWaterParams { momentum_advection: false, ..base }),
        ("manning", ShallowWaterParams { manning: 0.04, ..base }),
        ("coriolis", ShallowWaterParams { coriolis: 0.6, ..base }),
        ("eddy_viscosity", ShallowWaterParams { eddy_viscosity: 2e-3, ..base }),
        ("rain", ShallowWaterParams { rain: 2e-3, ..base }),
        ("water_density", ShallowWaterParams { water_density: 2000.0, ..base }),
        ("hull_drag", ShallowWaterParams { hull_drag: 1.0, ..base }),
        ("sponge.width", with_sponge(Sponge { width: [[0, 6], [0, 4]], ..sponge })),
        ("sponge.strength", with_sponge(Sponge { strength: 2.0, ..sponge })),
        ("waves.depth", with_waves(SurfaceWaves { depth: 0.6, ..waves })),
        ("waves.levels", with_waves(SurfaceWaves { levels: 4, ..waves })),
        ("foam.breaking", with_foam(FoamParams { breaking: 0.1, ..foam })),
        ("foam.rate", with_foam(FoamParams { rate: 12.0, ..foam })),
        ("foam.decay", with_foam(FoamParams { decay: 0.8, ..foam })),
        ("spray.breaking", with_spray(SprayParams { breaking: 0.2, ..spray })),
        ("spray.radius", with_spray(SprayParams { radius: 0.04, ..spray })),
        ("spray.lift", with_spray(SprayParams { lift: 4.0, ..spray })),
        ("spray.drag", with_spray(SprayParams { drag: 0.6, ..spray })),
        ("spray.capacity", with_spray(SprayParams { capacity: 120, ..spray })),
        ("dry_depth", ShallowWaterParams { dry_depth: 2e-4, ..base }),
        ("courant", ShallowWaterParams { courant: 0.5, ..base }),
        ("max_substeps", ShallowWaterParams { max_substeps: 1, ..base }),
    ];
    let same = outcome(&busy(base));
    assert_eq!(outcome(&busy(base)), same);
    for (name, params) in doubled {
        assert_ne!(outcome(&busy(params)), same, "{name}");
    }
}

#[test]
fn parameters_that_are_refused_change_nothing_of_what_comes() {
    let (mut water, mut untouched) = (everything::<f64>(), everything::<f64>());
    for _ in 0..20 {
        let bad = ShallowWaterParams { courant: f64::NAN, ..*water.params() };
        assert!(water.set_params(bad).is_err());
        water.step(0.01).unwrap();
        untouched.step(0.01).unwrap();
    }
    assert_eq!(water.digest(), untouched.digest());
}

#[test]
fn to_look_at_the_velocity_that_may_be_changed_changes_nothing() {
    // As many sub-steps as the fastest water asks for: wide enough for several tiles.
    let make = || {
        let mut water = water::<f32>([1100, 3], 0.1, ShallowWaterParams::default(), |[x, _]| {
            (0.1 * x).sin() - 0.9
        });
        water.set_surface(|[x, _]| if x < 40.0 { 0.4 } else { 0.1 }).unwrap();
        water
    };
    let (mut looked_at, mut alone) = (make(), make());
    for step in 0..60 {
        looked_at.velocity_mut();
        looked_at.step(0.1).unwrap();
        alone.step(0.1).unwrap();
        assert_eq!(looked_at.digest(), alone.digest(), "step {step}");
    }
    assert!(alone.report().substeps > 2);
}

#[test]
fn water_that_is_set_anew_remembers_nothing() {
    let make = || {
        let bed = |[x, y]: [f64; 2]| hills([x, y]) - 0.6;
        water::<f64>([20, 20], 0.05, ShallowWaterParams::default(), bed)
    };
    let set = |water: &mut ShallowWater<f64>| {
        water.set_surface(|[x, y]| 0.1 * x - 0.2 * y).unwrap();
        for u in water.velocity_mut().components_mut() {
            u.fill(0.1);
        }
    };
    let (mut used, mut fresh) = (make(), make());
    used.set_surface(|[x, _]| 0.5 * x).unwrap();
    for _ in 0..30 {
        used.step(0.01).unwrap();
    }
    set(&mut used);
    set(&mut fresh);
    for _ in 0..10 {
        used.step(0.01).unwrap();
        fresh.step(0.01).unwrap();
        assert_eq!(depths(&used), depths(&fresh));
    }
    // And what is carried along no more has not flowed when it is carried along again.
    let mut pausing = [make(), make()];
    for (n, water) in pausing.iter_mut().enumerate() {
        set(water);
        let carried = *water.params();
        let still = ShallowWaterParams { momentum_advection: false, ..carried };
        for _ in 0..5 * n {
            water.step(0.01).unwrap();
        }
        water.set_params(still).unwrap();
        set(water);
        water.step(0.01).unwrap();
        water.set_params(carried).unwrap();
        water.step(0.01).unwrap();
    }
    assert_eq!(depths(&pausing[0]), depths(&pausing[1]));
}

#[test]
fn a_clock_in_single_precision_does_not_run_off() {
    let mut water = water::<f32>([1, 1], 1.0, ShallowWaterParams::default(), |_| -1.0);
    let dt = 1e-3_f32;
    for _ in 0..100_000 {
        water.step(dt).unwrap();
    }
    // A sum in single precision is off by 1e-5 of it or more.
    let exact = 1e5 * f64::from(dt);
    assert!((f64::from(water.time()) / exact - 1.0).abs() < 1e-7, "{}", water.time());
}

#[test]
fn water_that_comes_fast_is_crossed_in_steps_that_are_stable() {
    let spray = Some(SprayParams::default());
    let params = ShallowWaterParams { spray, ..Default::default() };
    let make = || water::<f64>([20, 20], 1.0, params, |_| -0.01);
    let crossed = |water: &ShallowWater<f64>| {
        let deepest = depths(water).iter().fold(0.0_f64, |m, h| m.max(*h));
        let report = water.report();
        (GRAVITY * deepest).sqrt() * report.time / report.substeps as f64
    };
    // A spring of 50 m/s in one cell.
    let mut spring = make();
    spring.sources_mut().push(WaterSource { center: [10.5; 2], radius: 0.0, rate: 50.0 });
    for _ in 0..20 {
        spring.step(0.5).unwrap();
        assert!(crossed(&spring) <= 0.5, "{}", crossed(&spring));
    }
    // A drop of 5 m³.
    let mut drop = make();
    let position = [10.5, 10.5, 0.0];
    assert!(drop.throw(SprayDrop { position, velocity: [3.0, 0.0, -1.0], volume: 5.0 }).unwrap());
    drop.step(1e-9).unwrap();
    assert!(drop.spray().is_empty());
    assert!(drop.step(0.5).unwrap().substeps >= 7);
    assert!(drop.report().cfl <= 0.5 + 1e-12, "{:?}", drop.report());
}

#[test]
fn springs_too_weak_for_single_precision_add_up() {
    fn poured<T: Real>() -> f64 {
        // 100 m of water above the rest level, where numbers are 8e-6 m apart.
        let mut water = water::<T>([4, 4], 1.0, ShallowWaterParams::default(), |_| 0.0);
        water.set_depth(|_| T::of(100.0)).unwrap();
        let source = |x, rate| WaterSource { center: [T::of(x); 2], radius: T::zero(), rate };
        water.sources_mut().extend([source(0.5, T::of(1e-4)), source(2.5, T::of(-2e-4))]);
        for _ in 0..2000 {
            water.step(T::of(0.01)).unwrap();
        }
        let balance = water.balance();
        assert!((balance.sources / 2e-3 - 1.0).abs() < 0.01, "{balance:?}");
        assert!((balance.drains / -4e-3 - 1.0).abs() < 0.01, "{balance:?}");
        balance.sources
    }
    poured::<f32>();
    assert!((poured::<f64>() / 2e-3 - 1.0).abs() < 1e-9);
}

#[test]
fn a_snapshot_with_drops_is_refused_where_there_is_no_spray() {
    let with = |spray| {
        let params = ShallowWaterParams { spray, ..Default::default() };
        water::<f64>([6, 5], 0.5, params, |_| -1.0)
    };
    let mut thrower = with(Some(SprayParams::default()));
    let drop = SprayDrop { position: [1.0, 1.0, 3.0], velocity: [0.0; 3], volume: 0.1 };
    let empty = thrower.snapshot();
    assert!(thrower.throw(drop).unwrap());
    let mut calm = with(None);
    calm.restore(&empty).unwrap();
    let before = calm.digest();
    let error = calm.restore(&thrower.snapshot());
    assert!(matches!(error, Err(Error::WrongSnapshot { name: "spray", .. })), "{error:?}");
    assert_eq!(calm.digest(), before);
}

#[test]
fn a_digest_sees_bodies_drops_and_what_came() {
    let mut water = everything::<f64>();
    let params = ShallowWaterParams { spray: Some(SprayParams::default()), ..*water.params() };
    water.set_params(params).unwrap();
    let mut seen = vec![water.digest()];
    let mut look = |water: &ShallowWater<f64>| {
        assert!(!seen.contains(&water.digest()));
        seen.push(water.digest());
    };
    water.bodies_mut().push(Body::new(Shape::ball(0.1).unwrap(), [0.5, 0.5, 3.0]).unwrap());
    look(&water);
    water.bodies_mut()[0].velocity[1] = 0.1;
    look(&water);
    water.bodies_mut()[0].torque[2] = 0.1;
    look(&water);
    let drop = SprayDrop { position: [0.5, 0.5, 3.0], velocity: [0.0; 3], volume: 1e-3 };
    water.throw(drop).unwrap();
    look(&water);
}
