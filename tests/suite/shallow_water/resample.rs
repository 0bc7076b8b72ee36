//! The same water on another grid.

use fluid_num::schemes::shallow_water::{FoamParams, SprayDrop, SprayParams};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Field, Grid, Real, ShallowWater, ShallowWaterParams, Simulation};

use super::balance::everything;
use super::{depths, hills, water};

/// A bed of `hills` with other cells, all of the old extent stretched to the new one.
fn stretched<T: Real>(water: &ShallowWater<T>, cells: [usize; 2], dx: f64) -> ShallowWater<T> {
    let (grid, from) = (Grid::new(cells, T::of(dx)).unwrap(), water.grid().size());
    let back = |p: [T; 2]| [0, 1].map(|a| (p[a] * from[a] / grid.size()[a]).to_f64());
    water.resampled(Field::from_fn(grid, |p| T::of(hills(back(p))))).unwrap()
}

/// All there is, with drops in the air, foam and a body.
fn busy<T: Real>() -> ShallowWater<T> {
    let mut water = everything::<T>();
    let (spray, foam) = (Some(SprayParams::default()), Some(FoamParams::default()));
    water.set_params(ShallowWaterParams { spray, foam, ..*water.params() }).unwrap();
    let ball = Body::new(Shape::ball(T::of(0.1)).unwrap(), [0.9, 0.39, 0.5].map(T::of)).unwrap();
    water.bodies_mut().push(ball);
    for n in 0..30 {
        let position = [0.05 * f64::from(n), 0.65, 3.0].map(T::of);
        let drop = SprayDrop { position, velocity: [T::one(); 3], volume: T::of(1e-3) };
        assert!(water.throw(drop).unwrap());
    }
    for _ in 0..60 {
        water.step(T::of(0.004)).unwrap();
    }
    water
}

fn goes_over<T: Real>(rounding: f64) {
    let old = busy::<T>();
    assert!(old.spray().len() >= 30);
    // Finer, coarser and stretched, of 1.5 by 1.3 m; one of twice the area.
    for (cells, dx) in [([60, 52], 0.025), ([15, 13], 0.1), ([39, 20], 0.05), ([30, 26], 0.1)] {
        let new = stretched(&old, cells, dx);
        let (a, b) = (old.balance(), new.balance());
        assert!(
            (b.volume / a.volume - 1.0).abs() < rounding,
            "{cells:?}: {} {}",
            a.volume,
            b.volume
        );
        let parts = |w: fluid_num::schemes::shallow_water::WaterBalance| {
            [w.spray, w.rain, w.sources, w.drains, w.sides, w.sponge, w.unexplained()]
        };
        for (a, b) in parts(a).into_iter().zip(parts(b)) {
            assert!((a - b).abs() < 1e-12 * old.volume(), "{cells:?}: {a} {b}");
        }
        assert!(depths(&new).iter().all(|h| *h >= 0.0));
        assert_eq!((new.time(), new.report()), (old.time(), old.report()));
        let stretch = [0, 1].map(|n| new.grid().size()[n] / old.grid().size()[n]);
        let moved = |p: [T; 2]| [0, 1].map(|n| (p[n] * stretch[n]).to_f64());
        let near = |p: [T; 2], q: [T; 2]| {
            let (p, q) = (moved(p), q.map(T::to_f64));
            (p[0] - q[0]).abs().max((p[1] - q[1]).abs()) < 1e-5
        };
        for (a, b) in old.spray().iter().zip(new.spray()) {
            assert!(near([a.position[0], a.position[1]], [b.position[0], b.position[1]]));
            assert_eq!(
                (a.position[2], a.velocity, a.volume),
                (b.position[2], b.velocity, b.volume)
            );
        }
        assert_eq!(new.spray().len(), old.spray().len());
        for (a, b) in old.sources().iter().zip(new.sources()) {
            assert!(near(a.center, b.center) && (a.rate, a.radius) == (b.rate, b.radius));
        }
        let (a, b) = (old.bodies()[0].position, new.bodies()[0].position);
        assert!(near([a[0], a[1]], [b[0], b[1]]) && a[2] == b[2]);
        // Foam and velocity at the same places, between the cells of either.
        for at in [[0.3, 0.4], [0.62, 0.9], [1.1, 0.2]] {
            let to = moved(at.map(T::of)).map(T::of);
            let foam = |w: &ShallowWater<T>, p| w.foam().unwrap().sample(p).to_f64();
            let (a, b) = (foam(&old, at.map(T::of)), foam(&new, to));
            assert!((a - b).abs() < 0.1, "{cells:?}: {a} {b}");
        }
    }
}

#[test]
fn water_on_another_grid_keeps_all_it_has() {
    goes_over::<f64>(1e-14);
    goes_over::<f32>(1e-6);
}

#[test]
fn water_on_its_own_grid_is_the_same() {
    let mut old = everything::<f64>();
    for _ in 0..60 {
        old.step(0.004).unwrap();
    }
    let new = old.resampled(old.bed().clone()).unwrap();
    for (a, b) in depths(&old).into_iter().zip(depths(&new)) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
    for (a, b) in old.velocity().components().iter().zip(new.velocity().components()) {
        for (a, b) in a.values().zip(b.values()) {
            // Rounded places, and velocities that differ by metres a second from face to face.
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn water_that_falls_between_the_cells_of_a_coarse_grid_lies_on_all_of_it() {
    let bed = |[x, _]: [f64; 2]| if (3.0..4.0).contains(&x) { -1.0 } else { 1.0 };
    let pit = water::<f64>([64, 4], 0.125, ShallowWaterParams::default(), bed);
    assert_eq!(pit.volume(), 0.5);
    let grid = Grid::new([4, 1], 2.0).unwrap();
    let flooded = pit.resampled(Field::from_fn(grid, |_| 1.0)).unwrap();
    // Centres at 1, 3, 5 and 7 m; that at 3 m is wet.
    assert!((flooded.volume() - pit.volume()).abs() < 1e-14);
    let wide = Grid::new([2, 1], 4.0).unwrap();
    let flooded = pit.resampled(Field::from_fn(wide, |_| 1.0)).unwrap();
    assert_eq!(depths(&flooded), [0.5 / 32.0; 2]);
}
