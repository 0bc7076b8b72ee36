//! Measurements against exact solutions and reference data, shared by tests and the report.

pub mod cavity;
pub mod shapes;
pub mod taylor_green;
