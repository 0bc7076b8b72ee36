//! Level sets: a region as the sign of a field, its distance, its motion, its surface.

mod contour;
mod extrapolate;
mod fast_iterative;
mod field;
mod halo;
mod interface;
mod jump_flooding;
mod mesh;
mod outlines;
#[cfg(test)]
mod tests;
mod transport;

pub use contour::{Border, contour};
pub use extrapolate::Extrapolation;
pub use fast_iterative::{EikonalOrder, FastIterative, ReinitializeReport};
pub use field::LevelSet;
pub use jump_flooding::JumpFlooding;
pub use mesh::SurfaceMesh;
pub use outlines::{Outline, Outlines};
pub use transport::BandTransport;
