//! Measurements against exact solutions and reference data, shared by tests and the report.

pub(crate) mod afloat;
pub(crate) mod cavity;
pub(crate) mod dam;
pub(crate) mod lattice;
pub(crate) mod level_set;
pub(crate) mod liquid;
pub(crate) mod shapes;
pub(crate) mod taylor_green;
pub(crate) mod water;
