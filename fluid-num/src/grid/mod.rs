//! Grids, fields on them, what holds at their sides, sampling and difference operators.
//!
//! All arrays of a grid share one layout ([`Grid`]): x fastest, one ghost layer on each side. Cell
//! centres and the lower faces of cells along each axis use the same index, so that one linear
//! index names the same place in every array.

pub mod boundary;
pub(crate) mod cubic;
pub mod faces;
pub mod field;
pub mod layout;
pub mod ops;
pub mod sample;

pub use boundary::{Boundary, Side};
pub use faces::Faces;
pub use field::Field;
pub use layout::{Grid, Location};
