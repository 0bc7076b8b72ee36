//! Integration tests of the library in one program, so that what is generic is compiled once.

mod allocation;
mod bad_input;
mod cases;
mod conservation;
mod contract;
mod determinism;
mod lattice_boltzmann;
mod layers;
mod liquid;
mod measure;
mod particles;
mod regressions;
mod shallow_water;
mod snapshots;
mod solvers;
mod validation;
mod wind;
