//! Drops that fly and come back.

use fluid_num::schemes::shallow_water::{SprayParams, WaterSide};
use fluid_num::{ShallowWater, ShallowWaterParams};

use super::{depths, water};
use crate::measure::water::{round_trip, thrown};

#[test]
fn spray_comes_back_with_all_its_water_and_momentum() {
    for (part, off) in ["volume", "momentum x", "momentum y"].into_iter().zip(round_trip()) {
        assert!(off < 1e-9, "{part}: {off:.1e}");
    }
}

#[test]
fn breaking_waves_throw_drops_that_fall_back() {
    let spray = SprayParams { radius: 0.02, capacity: 500, ..Default::default() };
    let params = ShallowWaterParams { spray: Some(spray), ..Default::default() };
    let mut water =
        water::<f64>(
            [100, 8],
            0.2,
            params,
            |[x, _]| if x > 12.0 { 0.1 * (x - 12.0) - 1.0 } else { -1.0 },
        );
    water.set_surface(|[x, _]| if x < 4.0 { 1.0 } else { 0.0 }).unwrap();
    let before = water.balance();
    let mut most = 0;
    for _ in 0..300 {
        water.step(0.02).unwrap();
        most = most.max(water.spray().len());
        assert!(water.spray().len() <= 500);
        let balance = water.balance();
        let drift = (balance.unexplained() - before.unexplained()).abs();
        assert!(drift < 1e-12 * balance.volume, "{drift:.1e}");
        // Nothing but rounding is booked as poured in.
        let edits = (balance.edits - before.edits).abs();
        assert!(edits < 1e-12 * balance.volume, "{edits:.1e}");
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    assert!(most > 50);
    // Still water throws nothing.
    let mut still = self::water::<f64>([10, 10], 0.2, params, |_| -1.0);
    still.step(0.1).unwrap();
    assert!(still.spray().is_empty());
}

#[test]
fn a_bore_throws_as_much_in_steps_of_any_length() {
    let whole = thrown(0.02, 0.2);
    assert!(whole > 0.1, "{whole}");
    for dt in [0.1, 0.01, 0.005] {
        let other = thrown(dt, 0.2);
        assert!((other / whole - 1.0).abs() < 0.2, "{dt}: {other} of {whole}");
    }
    // A finer grid shows the bore steeper, and so more of it above the threshold; it converges, since
    // no more than all of the rise goes up.
    let [coarse, fine] = [0.4, 0.1].map(|dx| thrown(0.02, dx) / whole);
    assert!((0.6..1.0).contains(&coarse) && (1.0..1.3).contains(&fine), "{coarse} {fine}");
}

/// A basin in which every other cell fills in one sub-step with the water of those around: `columns`
/// by `rows` cells of 1 m, 1 m deep and 2 m where they filled; drops of `depth` metres of a cell.
fn heaps(cells: [usize; 2], depth: f64, capacity: usize) -> ShallowWater<f64> {
    let radius = (depth * 0.75 / core::f64::consts::PI).cbrt();
    let spray = SprayParams { breaking: 0.1, radius, lift: 1e3, capacity, ..Default::default() };
    let params = ShallowWaterParams {
        sides: [[WaterSide::Periodic; 2], [WaterSide::Wall; 2]],
        gravity: 1e-6,
        momentum_advection: false,
        spray: Some(spray),
        ..Default::default()
    };
    let mut water = water::<f64>(cells, 1.0, params, |_| -1.0);
    water.velocity_mut()[0]
        .set_from_fn(|[x, _]| if (x as usize).is_multiple_of(2) { 1.0 } else { -1.0 });
    // Water that crosses half a cell: none of it is left where it came from.
    assert_eq!(water.step(0.4995).unwrap().substeps, 1);
    water
}

#[test]
fn a_cell_that_may_throw_a_part_of_a_drop_throws_one_now_and_then() {
    // Cells that fill to 2 m may throw half of that: 0.7 drops, 1.6 drops and 5.3 drops.
    for (depth, expected) in [(1.0 / 0.7, 0.7), (1.0 / 1.6, 1.6), (1.0 / 5.3, 5.3)] {
        let water = heaps([200, 40], depth, 1 << 20);
        let mean = water.spray().len() as f64 / 4000.0;
        // What rises above the threshold is 1 m less a little; chance is off by 0.5/√4000 at most.
        assert!((mean - expected).abs() < 0.03 + 0.01 * expected, "{expected}: {mean}");
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    // Drops that are larger than a cell are not thrown.
    assert!(heaps([200, 40], 2.1, 1 << 20).spray().is_empty());
}

#[test]
fn where_there_is_not_room_for_all_every_place_throws_its_share() {
    let water = heaps([200, 40], 0.2, 2000);
    // Of 20,000.
    let count = water.spray().len();
    assert!((1900..=2000).contains(&count), "{count}");
    let mut quarters = [0; 4];
    for drop in water.spray() {
        let [x, y, _] = drop.position;
        quarters[usize::from(x > 100.0) + 2 * usize::from(y > 20.0)] += 1;
    }
    // 500 each, within four times the root of that.
    assert!(quarters.iter().all(|n| (410..590).contains(n)), "{quarters:?}");
    let mut full = water.clone();
    full.step(0.1).unwrap();
    assert!(full.spray().len() <= 2000);
}
