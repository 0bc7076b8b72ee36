//! A liquid with a free surface and bodies: what users ran into with other programs, theory, and
//! experiment.

mod bodies;
mod motion;
mod rest;
