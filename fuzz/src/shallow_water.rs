//! Shallow water that is made, poured, dented, given bodies, broken and run.

use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayDrop, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::{Error, Field, Grid, Real, ShallowWater, ShallowWaterParams, Simulation};

use crate::input::Input;
use crate::scene;

/// Water of any parameters over any bed and up to ten things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn shallow_water_step(data: &[u8]) {
    let (choice, rest) = data.split_first().unwrap_or((&0, &[]));
    let mut input = Input::new(rest);
    if choice % 2 == 0 { run::<f32>(&mut input) } else { run::<f64>(&mut input) }
}

fn side<T: Real>(input: &mut Input<'_>) -> WaterSide<T> {
    match input.byte() % 5 {
        0 => WaterSide::Open,
        1 => WaterSide::Surface { level: input.number(-2.0, 2.0) },
        2 => WaterSide::Discharge { rate: input.number(-1.0, 1.0) },
        3 => {
            WaterSide::Waves { amplitude: input.number(0.0, 0.5), period: input.number(0.1, 10.0) }
        }
        _ => WaterSide::Wall,
    }
}

fn sides<T: Real>(input: &mut Input<'_>) -> [[WaterSide<T>; 2]; 2] {
    core::array::from_fn(|_| match input.chance(60) {
        true => [WaterSide::Periodic; 2],
        false => [side(input), side(input)],
    })
}

fn params<T: Real>(input: &mut Input<'_>) -> ShallowWaterParams<T> {
    let sponge = input.chance(60).then(|| Sponge {
        width: core::array::from_fn(|_| core::array::from_fn(|_| input.within(0, 9))),
        strength: input.number(0.0, 3.0),
    });
    let spray = input.chance(80).then(|| SprayParams {
        breaking: input.number(1e-3, 1.0),
        radius: input.number(1e-3, 0.5),
        lift: input.number(0.0, 4.0),
        drag: input.coefficient(),
        capacity: input.within(0, 50),
    });
    let waves = input
        .chance(80)
        .then(|| SurfaceWaves { depth: input.number(0.01, 5.0), levels: input.within(0, 5) });
    let foam = input.chance(80).then(|| FoamParams {
        breaking: input.number(1e-3, 1.0),
        rate: input.coefficient(),
        decay: input.coefficient(),
    });
    ShallowWaterParams {
        gravity: input.number(0.1, 20.0),
        sides: sides(input),
        rest_level: input.number(-1.0, 1.0),
        current: input.vector(-1.0, 1.0),
        momentum_advection: input.flag(),
        manning: input.pick(&[T::zero(), T::of(0.03), T::one()]),
        coriolis: input.pick(&[T::zero(), T::of(0.1), T::of(-50.0)]),
        eddy_viscosity: input.pick(&[T::zero(), T::of(1e-3), T::of(0.5)]),
        rain: input.pick(&[T::zero(), T::of(1e-3), T::of(0.5)]),
        water_density: input.number(1.0, 2000.0),
        hull_drag: input.coefficient(),
        sponge,
        waves,
        foam,
        spray,
        dry_depth: input.pick(&[T::of(1e-5), T::of(1e-9), T::of(0.1)]),
        courant: input.number(0.01, 0.5),
        max_substeps: input.within(0, 40),
    }
}

fn run<T: Real>(input: &mut Input<'_>) {
    let cells = core::array::from_fn(|_| input.within(1, 14));
    let dx = T::of(input.pick(&[1.0, 0.1, 1e-3, 7.0]));
    let grid = Grid::<T, 2>::new(cells, dx).expect("a few cells are a grid");
    let params = params(input);
    let scale = input.pick(&[1.0, 0.01, 100.0]);
    let bed = Field::from_fn(grid, |_| input.number(-scale, 0.5 * scale));
    let mut water = match ShallowWater::new(bed, params) {
        Ok(water) => water,
        Err(error) => return assert!(error.to_string().len() > 20, "{error}"),
    };
    for _ in 0..input.within(1, 11) {
        let before = water.digest();
        let done = match input.byte() % 20 {
            0 => water.set_depth(|_| input.number(0.0, 2.0)),
            1 => water.set_surface(|_| input.number(-1.0, 1.0)),
            2 => {
                let (at, radius) = (input.point(&grid), input.length(&grid));
                water.dent(at, radius, input.number(-1.0, 1.0))
            }
            3 => water.edit_bed(|_, z| z + input.number(-0.5, 0.5)),
            4 => {
                let (center, radius) = (input.point(&grid), input.length(&grid));
                let rate = input.number(-2.0, 2.0);
                water.sources_mut().push(WaterSource { center, radius, rate });
                Ok(())
            }
            5 => {
                let [x, y] = input.point(&grid);
                let position = [x, y, input.number(-1.0, 3.0)];
                let (velocity, volume) = (input.vector(-5.0, 5.0), input.number(0.0, 0.01));
                water.throw(SprayDrop { position, velocity, volume }).map(drop)
            }
            6 | 7 => {
                float(input, &grid, &mut water);
                Ok(())
            }
            8 => {
                water.bodies_mut().clear();
                Ok(())
            }
            9 => {
                water.velocity_mut()[0].fill(input.number(-3.0, 3.0));
                Ok(())
            }
            10 => water.set_params(self::params(input)),
            11 => water.sample(input.point(&grid)).map(|sample| {
                assert!(sample.depth >= T::zero() && sample.surface.is_finite(), "{sample:?}");
            }),
            12 => {
                let mut ahead = water.clone();
                // What is wrong with a step is wrong with a forecast.
                let _ = water.forecast(&mut ahead, input.time_step(), 2);
                assert_eq!(water.digest(), before, "a forecast changed what it looked at");
                Ok(())
            }
            13 => restore_damaged(input, &mut water),
            _ => {
                step(&mut water, input.time_step());
                Ok(())
            }
        };
        if let Err(error) = done {
            refused(&water, &error, before);
        }
    }
    step(&mut water, T::zero());
    step(&mut water, T::of(0.02));
    repeat(&water);
}

/// A snapshot of which a number is another one is refused, or gives a state that goes on.
fn restore_damaged<T: Real>(
    input: &mut Input<'_>,
    water: &mut ShallowWater<T>,
) -> Result<(), Error> {
    let name = input.pick(&["displacement", "velocity", "moved", "bed", "spray", "pending rain"]);
    let Ok(good) = water.snapshot().values(name).map(<[T]>::to_vec) else { return Ok(()) };
    let mut values = good;
    let last = values.len().saturating_sub(1);
    match values.get_mut(input.within(0, last)) {
        Some(value) => *value = input.number(-10.0, 10.0),
        None => values.push(T::one()),
    }
    water.restore(&water.snapshot().with_values(name, values))
}

/// A body near the water, of any shape and weight.
fn float<T: Real>(input: &mut Input<'_>, grid: &Grid<T, 2>, water: &mut ShallowWater<T>) {
    let [nx, ny] = grid.cells();
    let space = Grid::<T, 3>::new([nx, ny, 4], grid.dx()).expect("a few cells are a grid");
    let Some(mut body) = scene::body(input, &space) else { return };
    body.position[2] = input.number(-1.0, 1.0);
    let (mass, inertia) = (input.pick(&[0.0, 1e-3, 10.0, 1e5]), input.pick(&[0.0, 1e-4, 10.0]));
    if let Ok(body) = body.with_mass(T::of(mass), [T::of(inertia); 3]) {
        water.bodies_mut().push(body);
    }
}

fn step<T: Real>(water: &mut ShallowWater<T>, dt: T) {
    let before = water.digest();
    match water.step(dt) {
        Ok(report) => {
            if dt == T::zero() {
                assert_eq!(water.digest(), before, "a step of 0 s changed something");
                return;
            }
            assert!(report.substeps <= water.params().max_substeps, "{report:?}");
            assert!(report.max_speed.is_finite(), "{report:?}");
            let mut depth = Field::zeros(*water.grid());
            water.write_depth(&mut depth).expect("the grids are one");
            assert!(depth.values().all(|h| h.is_finite() && h >= T::zero()), "{depth:?}");
            water.velocity().check_finite("velocity").expect("success means finite");
            // What flies out of the range of numbers is gone.
            if water.advance_bodies(dt).is_err() {
                water.bodies_mut().clear();
            }
        }
        Err(Error::Unstable { place, .. }) => {
            assert!(place[0] < water.grid().array_len().max(1 << 16));
            *water = ShallowWater::new(water.bed().clone(), *water.params())
                .expect("what was accepted is accepted again");
        }
        Err(error) => {
            refused(water, &error, before);
            water.bodies_mut().clear();
            water.sources_mut().clear();
            water.velocity_mut().fill(T::zero());
        }
    }
}

fn refused<T: Real>(water: &ShallowWater<T>, error: &Error, before: u64) {
    scene::assert_refused(error, before, water.digest());
}

/// The same state gives the same bits, copied or from a snapshot.
fn repeat<T: Real>(water: &ShallowWater<T>) {
    let fresh = || {
        ShallowWater::new(water.bed().clone(), *water.params())
            .expect("what was accepted is accepted again")
    };
    let (mut copy, mut restored, mut own) = (fresh(), fresh(), water.clone());
    copy.copy_from(water).expect("the grids are one");
    restored.bodies_mut().extend(water.bodies().iter().cloned());
    restored.sources_mut().extend(water.sources().iter().copied());
    let read = restored.restore(&water.snapshot());
    let whole = read.is_ok();
    let dt = T::of(0.01);
    let after = [&mut own, &mut copy, &mut restored].map(|w| (w.step(dt).is_ok(), w.digest()));
    assert_eq!(after[1], after[0]);
    assert!(whole || !after[0].0, "a good state has no snapshot: {read:?}");
    if whole {
        assert_eq!(after[2], after[0]);
    }
}
