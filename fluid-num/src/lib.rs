#![no_std]
#![forbid(unsafe_code)]
//! Fluid simulation for real-time applications.
#![cfg_attr(test, allow(clippy::std_instead_of_core, reason = "tests have std"))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod advection;
pub mod base;
pub mod grid;
pub mod poisson;
pub mod solid;

pub use base::error::Error;
pub use base::real::Real;
pub use base::report::{SolveReport, StepReport};
pub use base::simulation::{Simulation, Stepper};
pub use grid::{Boundary, Faces, Field, Grid, Location, Side};

/// A grid in the plane.
pub type Grid2<T> = Grid<T, 2>;
/// A grid in space.
pub type Grid3<T> = Grid<T, 3>;
