//! Fuzz bodies: plain functions from bytes to a scene, with what must hold whatever the bytes are.
//!
//! Every body builds its input with `input::Input`: small grids in 2D and 3D, `f32` and `f64`, and
//! numbers that are ordinary, huge, tiny, negative, infinite or NaN. It then asserts that
//!
//! - nothing panics;
//! - an error leaves the state, bit for bit, as it was (but [`fluid_num::Error::Unstable`], which
//!   says that a step blew up);
//! - a step that reports success leaves finite state behind;
//! - `dt = 0` changes nothing;
//! - without sources, advection makes no dye beyond the range that was there.
//!
//! `cargo test -p fluid-fuzz` replays fixed pseudo-random inputs and `fuzz/regressions/` on stable
//! Rust. With `cargo-fuzz` installed,
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run stable_fluids_step --features libfuzzer` searches for more; a
//! crash goes into `fuzz/regressions/<body>-<what>` as it is.

mod input;
mod lbm;
mod level_set;
mod liquid;
mod params;
mod particles;
mod poisson;
mod scene;
mod shallow_water;
mod shapes;
mod stable_fluids;
mod stam2003;
mod wind;

pub use lbm::lbm_step;
pub use level_set::level_set;
pub use liquid::liquid_step;
pub use params::params;
pub use particles::particles_step;
pub use poisson::poisson;
pub use shallow_water::shallow_water_step;
pub use shapes::shapes;
pub use stable_fluids::stable_fluids_step;
pub use stam2003::stam2003_step;
pub use wind::wind_step;

/// A fuzz body.
pub type Fuzz = fn(&[u8]);

/// Every body with its name, as regression files are named after it.
pub const BODIES: [(&str, Fuzz); 11] = [
    ("params", params),
    ("stable_fluids_step", stable_fluids_step),
    ("stam2003_step", stam2003_step),
    ("particles_step", particles_step),
    ("lbm_step", lbm_step),
    ("wind_step", wind_step),
    ("shallow_water_step", shallow_water_step),
    ("level_set", level_set),
    ("liquid_step", liquid_step),
    ("poisson", poisson),
    ("shapes", shapes),
];
