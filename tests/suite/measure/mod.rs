//! Measurements against exact solutions and reference data, shared by tests and the report.

pub(crate) mod cavity;
pub(crate) mod lattice;
pub(crate) mod shapes;
pub(crate) mod taylor_green;
pub(crate) mod water;
