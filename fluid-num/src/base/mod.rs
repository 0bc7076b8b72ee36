//! What every layer stands on: the scalar, errors, how loops run, arrays that move, reports, digests,
//! snapshots.

pub mod digest;
pub mod error;
pub mod exec;
pub mod real;
pub(crate) mod reduction;
pub mod report;
pub mod ring;
pub(crate) mod sets;
pub mod simulation;
pub mod snapshot;
