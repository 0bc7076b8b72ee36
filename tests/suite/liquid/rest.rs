//! Water at rest.

use crate::measure::liquid::{Rest, fastest_slosh, rest, touched};

#[test]
fn case_o13_a_surface_that_touches_a_cell_centre_makes_no_speed() {
    for phi in [-1e-8, -1e-4, -0.01, -0.25, -0.5, -0.99] {
        for [speed, pressure] in [touched::<f64>(phi), touched::<f32>(phi)] {
            assert!(speed <= 1e-4, "{phi}: {speed} g·Δt");
            // Of 16 cells the bound of the fraction adds a hundredth of one.
            assert!(pressure <= 1e-3, "{phi}: {pressure}");
        }
    }
}

#[test]
fn case_o13_a_sloshing_surface_throws_nothing_away() {
    let fastest = fastest_slosh(300);
    assert!(fastest > 0.5 && fastest <= 3.0, "{fastest} √(2gH)");
}

/// Rounding times the √n of a sum over 16 cells, with room for its growth over 600 steps.
const ROUNDING_F32: f64 = 5e-6;

fn is_calm(found: &Rest, bound: f64, what: &str) {
    let Rest { speed, level, .. } = found;
    assert!(*speed <= bound, "{what}: {speed} √(gH)");
    // A surface that does not move at all: 0.1 is what a solver may do.
    assert!(*level <= 1e-3, "{what}: {level} cells");
}

#[test]
fn case_o15a_a_tank_stays_at_rest() {
    is_calm(&rest::<f64>(0.0, 0.0, 600), 1e-9, "f64");
    is_calm(&rest::<f32>(0.0, 0.0, 600), ROUNDING_F32, "f32");
}

#[test]
fn case_o15b_a_tank_on_sloped_ground_stays_at_rest() {
    let found = rest::<f64>(10.0, 0.0, 600);
    is_calm(&found, 1e-9, "f64");
    assert!(found.sliver < 1e-3, "no cell is nearly closed: {}", found.sliver);
    is_calm(&rest::<f32>(10.0, 0.0, 600), ROUNDING_F32, "f32");
}

#[test]
fn case_o15c_viscosity_does_not_move_what_rests() {
    for degrees in [0.0, 10.0] {
        for viscosity in [1.0, 20.0] {
            is_calm(&rest::<f64>(degrees, viscosity, 600), 1e-9, "f64");
        }
        is_calm(&rest::<f32>(degrees, 20.0, 200), ROUNDING_F32, "f32");
    }
}
