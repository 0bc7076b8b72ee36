//! The schemes: parameters, state, step.

pub mod stable_fluids;
pub mod stam2003;
