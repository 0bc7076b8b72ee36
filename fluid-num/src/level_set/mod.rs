//! Level sets: a region as the sign of a field, its distance, its motion, its surface.
//!
//! ```text
//! φ < 0 inside      φ ≥ 0 outside      |∇φ| = 1: φ is the signed distance      n = ∇φ/|∇φ|
//! ```
//!
//! - [`LevelSet`]: φ at cell centres; made from shapes, images, functions; distance, normal,
//!   curvature, area or volume.
//! - [`FastIterative`] and [`JumpFlooding`] make φ a distance again (reinitialisation), in a band.
//! - [`BandTransport`] moves φ along a velocity, [`Extrapolation`] extends what is known inside
//!   beyond the interface.
//! - [`MarkerParticles`] correct φ where it has lost what is thinner than two cells.
//! - [`contour()`] and [`Outlines`] are lines in the plane on which a field has a value,
//!   [`SurfaceMesh`] the interface in space as triangles.
//!
//! # A step of a liquid
//! Extend the velocity by some cells more than it moves until φ is a distance again, move φ; reinitialise
//! at every fifth step, in a band wider than that.
//!
//! ```
//! use fluid_num::advection::Interpolation;
//! use fluid_num::level_set::{BandTransport, DistanceOrder, Extrapolation, FastIterative};
//! use fluid_num::solid::Shape;
//! use fluid_num::{Boundary, Faces, Grid2, LevelSet};
//! let (grid, walls) = (Grid2::new([48, 48], 1.0 / 48.0)?, Boundary::walls());
//! let mut drop = LevelSet::from_shape(grid, &walls, &Shape::ball(0.2)?, [0.5, 0.6])?;
//! let mut extrapolation = Extrapolation::new(grid);
//! let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic)?;
//! let mut distance = FastIterative::new(grid, 8.0, DistanceOrder::Second)?;
//! let area = drop.measure();
//! for step in 0..10 {
//!     let mut u = Faces::from_fn(grid, |_| [0.0, -0.1 * f64::from(step)]); // falls
//!     extrapolation.velocity(&drop, &mut u, 7.0)?;
//!     transport.carry(&u, &mut drop, 0.05)?;
//!     if step % 5 == 4 {
//!         distance.reinitialize(&mut drop)?;
//!     }
//! }
//! assert!((drop.measure() / area - 1.0).abs() < 0.01);
//! # Ok::<(), fluid_num::Error>(())
//! ```
//!
//! # Which interpolation, and how often to reinitialise
//! Change of area or volume by Ralston paths, about one cell a step (two in space): Zalesak's slotted
//! disc after one turn, the single vortex with T = 8, Enright's deformation of a ball with T = 3.
//!
//! | interpolation | Zalesak 50² | 100² | 200² | vortex 64² | 128² | Enright 48³ | 64³ |
//! |---|---|---|---|---|---|---|---|
//! | linear | −100 % | −68 % | −26 % | −100 % | −100 % | −100 % | −100 % |
//! | monotone cubic | +9.5 % | +6.7 % | −0.8 % | −100 % | −60 % | | |
//! | clamped cubic | +18 % | +2.9 % | −0.9 % | −67 % | −11 % | −44 % | −32 % |
//! | **cubic** | +18 % | +1.3 % | −0.9 % | −37 % | −0.5 % | −43 % | −30 % |
//! | cubic, reinitialised every 5 steps | | −0.9 % | −0.2 % | +86 % | +17 % | −9 % | −2 % |
//! | cubic, reinitialised every step | | +2.5 % | +1.7 % | +89 % | +19 % | −11 % | −2 % |
//! | **with particles**, every 5 steps | | −0.2 % | +0.2 % | +0.8 % | −0.1 % | +0.1 % | +0.5 % |
//! | with particles, every step | | +1.6 % | +0.5 % | +1.9 % | +0.5 % | +0.9 % | +0.6 % |
//!
//! **The rule**: [`Interpolation::Cubic`](crate::advection::Interpolation::Cubic), steps of about a cell,
//! reinitialised at every fifth. It keeps the slotted disc to a hundredth from 100² on. What gets thinner
//! than two cells it does not keep: reinitialisation keeps sheets of a cell alive, which then are a cell
//! thick where they should be thinner, so that the disc in the vortex gains 17 % at 128² and 86 % at 64².
//! Only particles ([`MarkerParticles`]) hold such areas, to a hundredth.
//!
//! # How exact a distance is
//! Errors in cells within ten cells of the interface, 64², for φ that was a distance before (and for one
//! whose slope was from 0.6 to 2.4 and changed by a tenth a cell):
//!
//! | | disc, R = 12 | square | L | square turned by 0.6 | hexagon | kite of 53° |
//! |---|---|---|---|---|---|---|
//! | [`FastIterative`] | 0.03 (0.09) | 0.015 (0.10) | 0.02 (0.14) | 0.04 (0.19) | 0.04 (0.20) | 0.02 (0.30) |
//!
//! behind corners and on ridges too. The zero line moves by less than 0.001 cells in 100 calls (by 0.02
//! at discs and 0.06 at corners).
//!
//! References: S. Osher, R. Fedkiw, *Level Set Methods and Dynamic Implicit Surfaces*, 2003,
//! <https://doi.org/10.1007/b98879>; D. Enright, R. Fedkiw, J. Ferziger, I. Mitchell, *A hybrid
//! particle level set method*, J. Comput. Phys. 183 (2002), <https://doi.org/10.1006/jcph.2002.7166>;
//! S. T. Zalesak, J. Comput. Phys. 31 (1979), <https://doi.org/10.1016/0021-9991(79)90051-2>.

mod contour;
mod extrapolate;
mod fast_iterative;
mod feet;
mod field;
mod halo;
mod interface;
mod jump_flooding;
mod mesh;
mod outlines;
mod particles;
#[cfg(test)]
mod tests;
mod transport;

pub use contour::{Border, contour};
pub use extrapolate::Extrapolation;
pub use fast_iterative::{DistanceOrder, FastIterative, ReinitializeReport};
pub use field::LevelSet;
pub(crate) use field::curvature;
pub use jump_flooding::JumpFlooding;
pub use mesh::SurfaceMesh;
pub use outlines::{Outline, Outlines};
pub use particles::{MarkerParams, MarkerParticles};
pub use transport::BandTransport;
