//! Transport along a velocity field: ∂q/∂t + u·∇q = 0.
//!
//! - [`semi_lagrangian`]: reads each value where it came from; never makes a new extremum.
//! - [`mac_cormack`]: the same with the error of a round trip taken off; second order.
//! - [`scatter`]: pushes each value where it goes; the sum is conserved exactly.
//!
//! All three take the paths that [`semi_lagrangian::trace`] found, so that any number of fields
//! share one trace.

pub mod mac_cormack;
pub mod scatter;
pub mod semi_lagrangian;
pub mod transport;
pub(crate) mod visibility;

pub use semi_lagrangian::{Interpolation, PathOrder};
pub use transport::Transport;

/// How a quantity is carried along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advection {
    /// Semi-Lagrangian: unconditionally stable, no new extrema, first order, diffusive.
    SemiLagrangian(Interpolation),
    /// MacCormack, limited to the range of the values around the departure point: second order,
    /// no new extrema, twice the cost.
    MacCormack,
    /// Forward scatter: the sum of the quantity is conserved exactly; for carried quantities only
    /// (a velocity component is carried semi-Lagrangian with linear interpolation instead).
    Scatter,
}

impl Default for Advection {
    fn default() -> Self {
        Self::SemiLagrangian(Interpolation::Linear)
    }
}
