//! Particles: what they are, which are near which, and what they feel of one another.

pub mod domain;
mod emitter;
mod fill;
pub mod kernel;
pub(crate) mod liquid;
pub mod neighbors;
pub(crate) mod pairs;
mod removal;
pub(crate) mod samples;
mod set;
mod snapshot;
pub mod surface;
pub(crate) mod wall;

pub use domain::Domain;
pub use emitter::Emitter;
pub use neighbors::{CellStructure, LANES, Neighbors, Pairs};
pub use set::{ParticleId, ParticleSet};

/// Particle `i` of arrays of components.
#[inline(always)]
pub(crate) fn at<T: Copy + Default, const D: usize>(components: [&[T]; D], i: usize) -> [T; D] {
    let mut at = [T::default(); D];
    for a in 0..D {
        at[a] = components[a][i];
    }
    at
}
