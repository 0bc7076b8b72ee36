//! The schemes: parameters, state, step.

pub mod lbm;
pub mod liquid;
pub mod pbf;
pub mod shallow_water;
pub mod stable_fluids;
pub mod stam2003;
pub mod wcsph;
pub mod wind;
