//! Scenes of `fluid_num`: in a window, in a browser, or headless as pictures.
//!
//! A [`Scene`] steps a scheme and paints into a picture on the CPU; it knows no window. The
//! gallery shows scenes in a macroquad window; [`headless`] runs them without one, writes PNGs and
//! prints one line of JSON a scene.

#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "demos have std")]

mod basin;
mod bodies;
mod gallery;
mod glass;
#[cfg(not(target_arch = "wasm32"))]
pub mod headless;
mod lake;
pub mod ledger;
pub mod lettering;
mod liquid;
mod meadow;
#[cfg(not(target_arch = "wasm32"))]
pub mod options;
pub mod paint;
pub mod player;
mod raster;
mod relief;
pub mod scene;
pub mod scenes;
mod space;
mod stage;
#[cfg(not(target_arch = "wasm32"))]
mod start;
mod surface;
pub mod workers;

pub use scene::{Button, Choice, Image, Parameter, Pointer, Scene, Setup, Solve, Stats};
#[cfg(not(target_arch = "wasm32"))]
pub use start::run;

/// Starts the gallery in a browser, with the scene of this name or the menu.
#[cfg(target_arch = "wasm32")]
pub fn run(scene: Option<&'static str>) -> std::process::ExitCode {
    gallery::open(gallery::Start {
        scene: scene.map(String::from),
        make: Box::new(|entry| (entry.make)(&Setup::default()).map_err(|e| e.to_string())),
        workers: workers::Workers {},
        frames: None,
    });
    std::process::ExitCode::SUCCESS
}
