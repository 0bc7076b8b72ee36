//! Every fuzz body on fixed inputs: pseudo-random strings, and what once went wrong.

use std::fs;
use std::panic;
use std::path::Path;

use fluid_fuzz::{BODIES, Fuzz};

/// Strings of each body.
const COUNT: u64 = 600;

/// The string number `n`: up to 300 bytes of a linear congruential generator.
fn bytes(n: u64) -> Vec<u8> {
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let len = 20 + usize::from(next()) + usize::from(next()) / 10;
    (0..len).map(|_| next()).collect()
}

/// Runs the body on every string and names those on which a property does not hold.
fn replay(body: Fuzz) {
    let wrong: Vec<u64> =
        (0..COUNT).filter(|n| panic::catch_unwind(|| body(&bytes(*n))).is_err()).collect();
    assert!(wrong.is_empty(), "strings {wrong:?} of {COUNT}");
}

#[test]
fn parameters_are_accepted_exactly_where_they_are_valid() {
    replay(fluid_fuzz::params);
}

#[test]
fn stable_fluids_survive_any_scene() {
    replay(fluid_fuzz::stable_fluids_step);
}

#[test]
fn stam2003_survives_any_scene() {
    replay(fluid_fuzz::stam2003_step);
}

#[test]
fn particles_survive_any_scene() {
    replay(fluid_fuzz::particles_step);
}

#[test]
fn lattice_boltzmann_survives_any_scene() {
    replay(fluid_fuzz::lbm_step);
}

#[test]
fn wind_survives_any_scene() {
    replay(fluid_fuzz::wind_step);
}

#[test]
fn shallow_water_survives_any_scene() {
    replay(fluid_fuzz::shallow_water_step);
}

#[test]
fn poisson_solvers_survive_any_problem() {
    replay(fluid_fuzz::poisson);
}

#[test]
fn level_sets_survive_any_values() {
    replay(fluid_fuzz::level_set);
}

#[test]
fn shapes_survive_any_numbers() {
    replay(fluid_fuzz::shapes);
}

#[test]
fn what_once_went_wrong_stays_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of regressions is there") {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if name == "README.md" {
            continue;
        }
        let body = BODIES.iter().find(|(body, _)| name.starts_with(&format!("{body}-")));
        let (_, body) = body.unwrap_or_else(|| panic!("{name} begins with no body's name"));
        let data = fs::read(&path).expect("the file can be read");
        if panic::catch_unwind(|| body(&data)).is_err() {
            wrong.push(name.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
