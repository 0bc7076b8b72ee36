//! Glue between [`fluid_num`] and what surrounds it in a game; every feature is off by default.
//!
//! | feature | brings |
//! | --- | --- |
//! | `color` | `ColorMap`: values to colours by a table |
//! | `picture` | `Picture`: fields and particles painted into RGBA bytes on the CPU |
//! | `macroquad` | `Screen`: a picture in a macroquad 0.4 window |
//! | `glam027`, `glam032`, `glam033`, `glam034` | `EngineVector` for that version of glam |
//! | `nalgebra` | `EngineVector` for the vectors and points of nalgebra 0.35 |
//! | `mint` | `EngineVector` for the vectors and points of mint 0.5 |
//!
//! The library speaks arrays only, because the versions of glam in one game differ: macroquad 0.4
//! has 0.27, Bevy 0.19 has 0.32, rapier 0.36 has 0.33. Any set of features works together.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "picture")]
extern crate alloc;

#[cfg(feature = "color")]
pub mod color;
#[cfg(feature = "picture")]
pub mod picture;
#[cfg(feature = "macroquad")]
pub mod screen;
pub mod vector;

#[cfg(feature = "color")]
pub use color::ColorMap;
#[cfg(feature = "picture")]
pub use picture::Picture;
#[cfg(feature = "macroquad")]
pub use screen::Screen;
pub use vector::EngineVector;
