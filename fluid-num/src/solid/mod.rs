//! Solid bodies: their shapes, their motion, and how they cut a grid.
//!
//! A [`Shape`] is a signed distance, a [`Body`] gives it a pose and a motion, and [`Solids`] holds
//! what any set of bodies does to a grid: the open part of every face, the velocity of the solid
//! there, and the fluid part of every cell.

pub mod body;
pub mod contact;
mod cut;
pub(crate) mod flux;
pub mod fraction;
pub mod mask;
pub mod polygon;
pub mod shape;
pub(crate) mod simplex;

pub use body::{Body, Slip};
pub use contact::Contacts;
pub use fraction::Solids;
pub use mask::Mask;
pub use polygon::Polygon;
pub use shape::Shape;
