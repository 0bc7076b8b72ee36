//! Shallow water against exact solutions, and what users ran into with other programs.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

mod balance;
mod bodies;
mod exact;
mod forces;
mod query;
mod resample;
mod rest;
mod sides;
mod spray;
mod state;
mod waves;

use crate::measure::water::{GRAVITY, depths, run, surfaces, water};

/// A hilly bed with an island, two cut-off pools above and below the level, and a dry step.
fn hills([x, y]: [f64; 2]) -> f64 {
    let bump = |cx: f64, cy: f64, r: f64, h: f64| {
        let d2 = ((x - cx).powi(2) + (y - cy).powi(2)) / (r * r);
        h * (-d2).exp()
    };
    let rough = 0.05 * (7.3 * x).sin() * (5.1 * y).cos();
    let ring = |cx: f64, cy: f64| {
        let d = ((x - cx).powi(2) + (y - cy).powi(2)).sqrt();
        if (0.1..0.2).contains(&d) { 1.7 } else { 0.0 }
    };
    let step = if x > 0.85 { 1.3 } else { 0.0 };
    rough + bump(0.5, 0.5, 0.12, 0.9) + ring(0.2, 0.2) + ring(0.2, 0.75) + step
}
