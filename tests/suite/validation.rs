//! Exact solutions and reference data. Longer runs, with plots: the example `validation_report`.

use crate::measure::level_set::{Care, enright, vortex, zalesak};
use crate::measure::{cavity, shapes, taylor_green};
use fluid_num::Stepping;
use fluid_num::advection::{Advection, Interpolation};

#[test]
fn a_decaying_vortex_converges_with_second_order_and_decays_at_its_rate() {
    for (name, advection) in taylor_green::SECOND_ORDER {
        let mut before = None;
        // The cubic is as good and slower: its finest grid is left to the report.
        let sizes: &[usize] =
            if advection == Advection::MacCormack { &[32, 64, 128] } else { &[32, 64] };
        for n in sizes.iter().copied() {
            let params = taylor_green::params(advection, 0.01, Stepping::Projection);
            let steps = (0.25 / taylor_green::fine_step(n)).ceil() as usize;
            let run = taylor_green::run(n, params, 0.25 / steps as f64, steps).unwrap();
            if let Some(before) = before {
                let order = f64::log2(before / run.error);
                assert!(order >= 1.9, "{name} {n}: order {order}");
            }
            before = Some(run.error);
            if n == 128 {
                assert!((run.rate - 1.0).abs() <= 0.01, "{name}: decay rate {}", run.rate);
            }
        }
    }
}

#[test]
fn advection_reflection_keeps_the_energy_that_projection_loses_at_equal_cost() {
    // Two pressure solves a step at twice the step: the same cost.
    let plain = taylor_green::energies(64, Stepping::Projection, 0.05, 200).unwrap();
    let mirror = taylor_green::energies(64, Stepping::Reflection, 0.1, 100).unwrap();
    let (plain, mirror) = (plain[199], mirror[99]);
    println!("energy left at t = 10: projection {plain:.4}, reflection {mirror:.4}");
    assert!(mirror > 0.98 && mirror <= 1.0 + 1e-9);
    assert!(1.0 - mirror < 0.1 * (1.0 - plain));
}

#[test]
fn the_cavity_at_re_100_is_within_2_percent_of_marchi() {
    let scheme = (Advection::MacCormack, Stepping::Reflection);
    let fluid = cavity::run(128, 100.0, scheme, 4.0, 12.0).unwrap();
    let (found, exact) = (cavity::extrema(&fluid), cavity::MARCHI_100);
    for (a, b) in
        [(found.u_min, exact.u_min), (found.v_max, exact.v_max), (found.v_min, exact.v_min)]
    {
        assert!((a / b - 1.0).abs() <= 0.02, "{found:?}");
    }
}

#[test]
fn the_cavity_at_re_400_is_within_4_percent_of_ghia() {
    let scheme = (Advection::MacCormack, Stepping::Reflection);
    let fluid = cavity::run(128, 400.0, scheme, 4.0, 25.0).unwrap();
    let worst = cavity::worst_of_ghia_400(&fluid);
    assert!(worst <= 0.04, "{worst}");
}

/// Reference areas are those of independent programs; ± 3 points.
fn within_3_points(found: f64, percent: f64) {
    let found = 100.0 * found;
    assert!((found - percent).abs() <= 3.0, "{found} instead of {percent}");
}

#[test]
fn linear_interpolation_loses_the_area_that_it_must() {
    let linear = Advection::SemiLagrangian(Interpolation::Linear);
    within_3_points(shapes::zalesak(100, linear).unwrap(), -68.0);
    within_3_points(shapes::single_vortex(128, linear).unwrap(), -100.0);
}

#[test]
fn a_level_set_keeps_the_shapes_that_it_carries() {
    // A liquid makes φ a distance again after one cell of motion.
    for care in [Care::None, Care::Distance(1.0)] {
        let disc = zalesak(100, care).unwrap();
        assert!(disc.abs() <= 0.03, "{care:?}: {disc}");
    }
    let disc = vortex(128, Care::None).unwrap();
    assert!(disc.abs() <= 0.15, "{disc}");
    // A distance makes filaments of a cell as thick as two.
    let disc = vortex(128, Care::Distance(1.0)).unwrap();
    assert!(disc.abs() <= 0.25, "{disc}");
    let ball = enright(48, Care::Distance(1.0)).unwrap();
    assert!(ball.abs() <= 0.25, "{ball}");
}

#[test]
fn particles_hold_the_shapes_that_a_level_set_carries() {
    let disc = zalesak(100, Care::Particles).unwrap();
    assert!(disc.abs() <= 0.01, "{disc}");
    let disc = vortex(128, Care::Particles).unwrap();
    assert!(disc.abs() <= 0.03, "{disc}");
    let ball = enright(32, Care::Particles).unwrap();
    assert!(ball.abs() <= 0.08, "{ball}");
}
