//! What needs a look inside.

use super::*;
use crate::Simulation;

fn everything(periodic: bool) -> ShallowWater<f64> {
    let grid = Grid::new([21, 17], 0.1).unwrap();
    let bed = Field::from_fn(grid, |[x, y]| 0.4 * (x - 1.0) + 0.3 * libm::sin(7.0 * x * y) - 0.2);
    let across = if periodic { WaterSide::Periodic } else { WaterSide::Wall };
    let params = ShallowWaterParams {
        sides: [[WaterSide::Waves { amplitude: 0.1, period: 2.0 }, WaterSide::Open], [across; 2]],
        manning: 0.02,
        coriolis: 0.3,
        eddy_viscosity: 1e-2,
        rain: 1e-2,
        sponge: Some(Sponge { width: [[0, 5], [4, 0]], ..Default::default() }),
        spray: Some(SprayParams { breaking: 0.05, radius: 0.01, ..Default::default() }),
        ..Default::default()
    };
    let mut water = ShallowWater::new(bed, params).unwrap();
    water.sources_mut().push(WaterSource { center: [0.5; 2], radius: 0.2, rate: 0.05 });
    water
}

fn poison(water: &mut ShallowWater<f64>) {
    water.next_displacement.fill(f64::NAN);
    water.next_velocity.fill(f64::NAN);
    water.next_moved.fill(f64::NAN);
    for edge in water.edges.iter_mut().flatten() {
        edge.moved.fill(f64::NAN);
        edge.velocity.fill(f64::NAN);
    }
}

#[test]
fn scratch_does_not_matter() {
    for periodic in [false, true] {
        let (mut clean, mut dirty) = (everything(periodic), everything(periodic));
        for step in 0..30 {
            poison(&mut dirty);
            clean.step(0.03).unwrap();
            dirty.step(0.03).unwrap();
            assert_eq!(dirty.digest(), clean.digest(), "step {step}");
        }
        assert!(!clean.spray().is_empty());
    }
}

#[test]
fn a_sponge_acts_in_its_layer_and_grows_to_the_side_alike_on_all_sides() {
    let n = 24;
    let grid = Grid::new([n, n], 0.5).unwrap();
    let bed = Field::from_fn(grid, |_| -2.0);
    let sponge = Some(Sponge { width: [[7; 2]; 2], strength: 1.0 });
    let params = ShallowWaterParams { sponge, ..Default::default() };
    let water = ShallowWater::<f64>::new(bed, params).unwrap();
    let rate = water.sponge.as_ref().unwrap().cells();
    for y in 0..n {
        for x in 0..n {
            let value = rate[[x, y]];
            let inside = (7..n - 7).contains(&x) && (7..n - 7).contains(&y);
            assert_eq!(value == 0.0, inside, "{x} {y}");
            for seen in [[n - 1 - x, y], [x, n - 1 - y], [y, x]] {
                assert_eq!(rate[seen], value);
            }
        }
    }
    for x in 0..6 {
        assert!(rate[[x, 12]] > rate[[x + 1, 12]]);
    }
    // 3·strength·c·ξ²/(w·Δx) at the outermost centre.
    let exact = 3.0 * (9.81_f64 * 2.0).sqrt() * (6.5_f64 / 7.0).powi(2) / 3.5;
    assert!((rate[[0, 12]] / exact - 1.0).abs() < 1e-14);
}

#[test]
fn tiles_and_bands_do_not_show() {
    // Wider than a tile, and alike along y: every row is the same, wherever a band ends.
    let bed = |[x, _]: [f32; 2]| (libm::sin(0.05 * f64::from(x)) - 0.9) as f32;
    let surface = |[x, _]: [f32; 2]| if x < 400.0 { 0.4 } else { 0.1 };
    for side in [WaterSide::Periodic, WaterSide::Wall] {
        let params = ShallowWaterParams { sides: [[side; 2]; 2], ..Default::default() };
        let make = |ny| {
            let grid = Grid::new([1100, ny], 1.0).unwrap();
            let mut water = ShallowWater::<f32>::new(Field::from_fn(grid, bed), params).unwrap();
            water.set_surface(surface).unwrap();
            for _ in 0..20 {
                water.step(0.1).unwrap();
            }
            water
        };
        let (wide, narrow) = (make(140), make(1));
        let row: Vec<f32> = narrow.displacement.values().collect();
        for (y, own) in wide.displacement.rows().enumerate() {
            assert!(own == row, "row {y}, {side:?}");
        }
    }
}

#[test]
fn drops_take_their_volume_and_their_momentum_along() {
    let grid = Grid::new([10, 8], 0.5).unwrap();
    let spray = SprayParams { breaking: 0.1, radius: 0.03, ..Default::default() };
    let sides = [[WaterSide::Periodic; 2]; 2];
    let params = ShallowWaterParams { sides, spray: Some(spray), ..Default::default() };
    let bed = Field::from_fn(grid, |[x, y]| -1.0 - 0.2 * libm::sin(x + 2.0 * y));
    let mut water = ShallowWater::<f64>::new(bed, params).unwrap();
    for (axis, u) in water.velocity.components_mut().iter_mut().enumerate() {
        u.set_from_fn(|[x, y]| libm::sin(3.0 * x - y + axis as f64));
        sides::close(u, axis);
    }
    water.fill_ghosts();
    let momentum = |water: &ShallowWater<f64>| {
        let mut sum = [0.0; 2];
        for place in grid.interior().places() {
            for (axis, sum) in sum.iter_mut().enumerate() {
                let depth = |place: usize| {
                    depth_and_surface(
                        water.still.as_slice()[place],
                        water.displacement.as_slice()[place],
                    )
                    .0
                };
                let mean = 0.5 * (depth(place) + depth(place - grid.strides()[axis]));
                *sum += 0.25 * mean * water.velocity[axis].as_slice()[place];
            }
        }
        for drop in &water.spray {
            sum[0] += drop.volume * drop.velocity[0];
            sum[1] += drop.volume * drop.velocity[1];
        }
        sum
    };
    // The surface as it was: some cells rose by 10 cm, to the last one along both axes.
    water.next_displacement.copy_from(&water.displacement).unwrap();
    for cell in [[0, 0], [3, 4], [4, 4], [9, 7], [9, 2], [5, 0]] {
        let place = grid.index(cell);
        water.next_displacement.as_mut_slice()[place] -= 0.1;
    }
    let (before, volume) = (momentum(&water), water.volume());
    water.throw_spray(0.05);
    water.fill_ghosts();
    assert!(water.spray.len() > 20 && water.spray.len() < 4096, "{}", water.spray.len());
    let after = momentum(&water);
    for axis in 0..2 {
        assert!((after[axis] / before[axis] - 1.0).abs() < 1e-9, "{before:?} {after:?}");
    }
    assert!((water.volume() + water.spray_volume() - volume).abs() < 1e-12 * volume);
}
