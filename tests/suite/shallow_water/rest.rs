//! Lakes at rest, and water on steep ground.

use fluid_num::{Real, ShallowWaterParams, Simulation};

use super::{GRAVITY, depths, hills, water};

fn stays_at_rest<T: Real>(rest_level: f64, momentum_advection: bool) {
    let n = 24;
    let params = ShallowWaterParams {
        rest_level: T::of(rest_level),
        momentum_advection,
        manning: T::of(0.02),
        ..Default::default()
    };
    let mut water = water::<T>([n, n], 1.0 / n as f64, params, hills);
    // Two pools of their own in the rings; the rest at 0.537.
    water
        .set_surface(|p| {
            let [x, y] = p.map(T::to_f64);
            let near = |cy: f64| (x - 0.2).powi(2) + (y - cy).powi(2) < 0.0225;
            T::of(if near(0.2) {
                1.113
            } else if near(0.75) {
                0.291
            } else {
                0.537
            })
        })
        .unwrap();
    let before = depths(&water);
    assert!(before.contains(&0.0) && before.iter().any(|h| *h > 0.0));
    for _ in 0..10_000 {
        water.step(T::of(0.002)).unwrap();
        assert_eq!(water.report().max_speed, T::zero());
    }
    assert_eq!(depths(&water), before);
}

#[test]
fn o25_a_lake_at_rest_around_an_island_never_moves() {
    for advection in [true, false] {
        stays_at_rest::<f32>(0.0, advection);
        stays_at_rest::<f64>(0.3, advection);
    }
    for rest_level in [0.537, 2.0] {
        stays_at_rest::<f32>(rest_level, true);
        stays_at_rest::<f64>(rest_level, true);
    }
}

#[test]
fn o25_films_on_a_steep_ramp_never_fall_faster_than_freely() {
    for film in [1e-6, 1e-4, 1e-2] {
        let n = 64;
        let mut water = water::<f64>([n, 1], 1.0, ShallowWaterParams::default(), |[x, _]| 64.0 - x);
        water.set_depth(|_| film).unwrap();
        let volume = water.volume();
        let deepest = 0.5 / (GRAVITY * film).sqrt();
        let mut fastest = 0.0_f64;
        let mut shortest = f64::INFINITY;
        for _ in 0..200 {
            let report = water.step(0.05).unwrap();
            fastest = fastest.max(report.max_speed);
            shortest = shortest.min(report.time / report.substeps as f64);
            // At each face: what fell from the top, and from the surface of the film.
            for i in 1..n {
                let fall = i as f64;
                let u = water.velocity()[0][[i, 0]];
                assert!(u * u <= 2.0 * GRAVITY * (fall + 0.25), "{film}: {u} after {fall}");
            }
            let h = depths(&water);
            assert!(h.iter().all(|h| *h >= 0.0));
        }
        assert!(fastest <= (2.0 * GRAVITY * 64.0).sqrt());
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(shortest > 1e-3 * deepest.min(0.05));
    }
}

#[test]
fn o25_a_dam_breaks_down_a_step() {
    let n = 400;
    let bed = |[x, _]: [f64; 2]| if x < 10.0 { 5.0 } else { 0.0 };
    let mut water = water::<f64>([n, 1], 0.05, ShallowWaterParams::default(), bed);
    water.set_depth(|[x, _]| if x < 10.0 { 1.0 } else { 0.0 }).unwrap();
    let volume = water.volume();
    let mut fastest = 0.0_f64;
    for _ in 0..60 {
        fastest = fastest.max(water.step(0.02).unwrap().max_speed);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
    }
    let bound = (2.0 * GRAVITY * 6.0).sqrt();
    // Free fall from the surface of the lake, and what the front of a dam break gains on it.
    assert!(fastest <= bound + 2.0 * GRAVITY.sqrt());
}
