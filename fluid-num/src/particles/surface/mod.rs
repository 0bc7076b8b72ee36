//! The surface of a liquid of particles: their density on a grid, and the lines on which a field has
//! a given value.
//!
//! ```
//! use fluid_num::particles::kernel::{Kernel, Poly6};
//! use fluid_num::particles::surface::{Border, Outlines, Splat};
//! use fluid_num::particles::ParticleSet;
//! use fluid_num::solid::Shape;
//! use fluid_num::{Field, Grid2};
//! let spacing = 0.02;
//! let mut drop = ParticleSet::<f64, 2>::new();
//! drop.add_shape(&Shape::ball(0.25)?, [0.5, 0.5], spacing, [0.0, 0.0], 0, &[])?;
//!
//! // The part of space that is liquid: half of it at the surface.
//! let kernel = Poly6::<f64, 2>::new(2.5 * spacing)?;
//! let volume = kernel.particle_mass::<2>(spacing, 1.0)?;
//! let mut liquid = Field::zeros(Grid2::new([64, 64], 1.0 / 64.0)?);
//! Splat::new(kernel)?.density(drop.position_arrays(), volume, &mut liquid)?;
//! let mut outlines = Outlines::new();
//! outlines.trace(&liquid, 0.5, Border::Open)?;
//!
//! assert_eq!(outlines.len(), 1);
//! for outline in outlines.iter() {
//!     assert!(outline.closed);
//!     for [x, y] in outline.points {
//!         let radius = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt();
//!         assert!((radius - 0.25).abs() < 0.5 * spacing);
//!     }
//! }
//! # Ok::<(), fluid_num::Error>(())
//! ```

mod splat;

pub use crate::level_set::{Border, Outline, Outlines, contour};
pub use splat::Splat;
