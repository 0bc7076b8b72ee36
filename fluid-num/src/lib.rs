#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("crate.md")]
#![cfg_attr(test, allow(clippy::std_instead_of_core, reason = "tests have std"))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod advection;
pub mod base;
pub mod grid;
pub mod level_set;
pub mod particles;
pub mod poisson;
pub mod schemes;
pub mod solid;
pub mod transform;

pub use base::error::Error;
pub use base::real::Real;
pub use base::report::{SolveReport, StepReport};
pub use base::simulation::{Simulation, Stepper};
pub use base::snapshot::Snapshot;
pub use grid::{Boundary, Faces, Field, Grid, Location, Side};
pub use level_set::LevelSet;
pub use schemes::lbm::{EncodedLbm, Lbm, LbmParams};
pub use schemes::liquid::{Liquid, LiquidParams};
pub use schemes::pbf::{Pbf, PbfParams};
pub use schemes::shallow_water::{ShallowWater, ShallowWaterParams};
pub use schemes::stable_fluids::{
    Effect, QuantityParams, Source, StableFluids, StableFluidsParams, StepPart, Stepping,
};
pub use schemes::stam2003::{Stam2003, Stam2003Params};
pub use schemes::wcsph::{Stiffness, Wcsph, WcsphParams};
pub use schemes::wind::{Gusts, Motor, Wind, WindParams};

/// A grid in the plane.
pub type Grid2<T> = Grid<T, 2>;
/// A grid in space.
pub type Grid3<T> = Grid<T, 3>;
/// A level set in the plane.
pub type LevelSet2<T> = LevelSet<T, 2>;
/// A level set in space.
pub type LevelSet3<T> = LevelSet<T, 3>;
/// A liquid in the plane.
pub type Liquid2<T> = Liquid<T, 2>;
/// A liquid in space.
pub type Liquid3<T> = Liquid<T, 3>;
/// Stable fluids in the plane.
pub type StableFluids2<T> = StableFluids<T, 2>;
/// Stable fluids in space.
pub type StableFluids3<T> = StableFluids<T, 3>;

/// Lattice Boltzmann in the plane, on nine velocities.
pub type LbmD2Q9<T> = Lbm<T, schemes::lbm::D2Q9, 2, 9>;
/// Lattice Boltzmann in space, on 19 velocities.
pub type LbmD3Q19<T> = Lbm<T, schemes::lbm::D3Q19, 3, 19>;
/// Lattice Boltzmann in space, on 27 velocities.
pub type LbmD3Q27<T> = Lbm<T, schemes::lbm::D3Q27, 3, 27>;
/// Lattice Boltzmann of nine velocities in the plane, stored as moments.
pub type EncodedD2Q9<T> = EncodedLbm<T, schemes::lbm::D2Q9, 2, 9>;
/// Lattice Boltzmann of 19 velocities in space, stored as moments.
pub type EncodedD3Q19<T> = EncodedLbm<T, schemes::lbm::D3Q19, 3, 19>;
/// Lattice Boltzmann of 27 velocities in space, stored as moments.
pub type EncodedD3Q27<T> = EncodedLbm<T, schemes::lbm::D3Q27, 3, 27>;

/// Position-based fluids in the plane.
pub type Pbf2<T> = Pbf<T, 2>;
/// Position-based fluids in space.
pub type Pbf3<T> = Pbf<T, 3>;
/// WCSPH in the plane.
pub type Wcsph2<T> = Wcsph<T, 2>;
/// WCSPH in space.
pub type Wcsph3<T> = Wcsph<T, 3>;
/// Wind in the plane.
pub type Wind2<T> = Wind<T, 2>;
/// Wind in space.
pub type Wind3<T> = Wind<T, 3>;

/// The code of the README, tested like any other example.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
