//! The lid-driven cavity: unit square, no-slip walls, the lid moving at 1 along x.

use fluid_num::advection::Advection;
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::{Boundary, Error, Grid2, Side, StableFluids2, StableFluidsParams, Stepping};

/// The extrema on the centre lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cavity {
    /// Smallest u on the vertical centre line.
    pub(crate) u_min: f64,
    /// Largest v on the horizontal centre line.
    pub(crate) v_max: f64,
    /// Smallest v on the horizontal centre line.
    pub(crate) v_min: f64,
}

/// Marchi, Suero and Araki 2009, Re 100.
pub(crate) const MARCHI_100: Cavity =
    Cavity { u_min: -0.214_041_7, v_max: 0.179_572_8, v_min: -0.253_803_0 };

/// Botella and Peyret 1998, Re 1000.
#[allow(dead_code, reason = "for the report alone")]
pub(crate) const BOTELLA_1000: Cavity =
    Cavity { u_min: -0.388_569_8, v_max: 0.376_944_7, v_min: -0.527_077_1 };

/// Ghia, Ghia and Shin 1982, Re 400: (y, u(½, y)) and (x, v(x, ½)); the point that is widely taken
/// for a misprint (x = 0.9063) is left out.
pub(crate) const GHIA_400_U: [(f64, f64); 15] = [
    (0.0547, -0.08186),
    (0.0625, -0.09266),
    (0.0703, -0.10338),
    (0.1016, -0.14612),
    (0.1719, -0.24299),
    (0.2813, -0.32726),
    (0.4531, -0.17119),
    (0.5, -0.11477),
    (0.6172, 0.02135),
    (0.7344, 0.16256),
    (0.8516, 0.29093),
    (0.9531, 0.55892),
    (0.9609, 0.61756),
    (0.9688, 0.68439),
    (0.9766, 0.75837),
];
/// See [`GHIA_400_U`].
pub(crate) const GHIA_400_V: [(f64, f64); 14] = [
    (0.0625, 0.18360),
    (0.0703, 0.19713),
    (0.0781, 0.20920),
    (0.0938, 0.22965),
    (0.1563, 0.28124),
    (0.2266, 0.30203),
    (0.2344, 0.30174),
    (0.5, 0.05186),
    (0.8047, -0.38598),
    (0.8594, -0.44993),
    (0.9453, -0.22847),
    (0.9531, -0.19254),
    (0.9609, -0.15663),
    (0.9688, -0.12146),
];

/// The largest difference from the table of Ghia, Ghia and Shin at Re 400, in units of the lid's
/// speed.
pub(crate) fn worst_of_ghia_400(fluid: &StableFluids2<f64>) -> f64 {
    let u = GHIA_400_U.map(|(y, u)| (fluid.velocity().sample([0.5, y])[0] - u).abs());
    let v = GHIA_400_V.map(|(x, v)| (fluid.velocity().sample([x, 0.5])[1] - v).abs());
    u.into_iter().chain(v).fold(0.0, f64::max)
}

/// Runs the cavity to `time` in steps of `cfl` cells at the lid's speed.
///
/// # Errors
/// As the scheme.
pub(crate) fn run(
    n: usize,
    reynolds: f64,
    (advection, stepping): (Advection, Stepping),
    cfl: f64,
    time: f64,
) -> Result<StableFluids2<f64>, Error> {
    let grid = Grid2::new([n, n], 1.0 / n as f64)?;
    let lid = Side::Moving { velocity: [1.0, 0.0] };
    let params = StableFluidsParams {
        boundary: Boundary::all(Side::NoSlip).with(1, 1, lid),
        kinematic_viscosity: 1.0 / reynolds,
        velocity_advection: advection,
        stepping,
        pressure_solver: SolverKind::Sor { relaxation: None },
        pressure_budget: Budget::tolerance(1e-4, 400),
        diffusion_budget: Budget::tolerance(1e-6, 400),
        quantities: Vec::new(),
        ..Default::default()
    };
    let mut fluid = StableFluids2::new(grid, params)?;
    let dt = cfl / n as f64;
    let steps = (time / dt).round() as usize;
    for _ in 0..steps {
        fluid.step(dt)?;
    }
    Ok(fluid)
}

/// The extrema of a run on its centre lines, between samples by a parabola.
pub(crate) fn extrema(fluid: &StableFluids2<f64>) -> Cavity {
    let n = fluid.grid().cells()[0];
    let h = fluid.grid().dx();
    let along =
        |f: &dyn Fn(f64) -> f64| -> Vec<f64> { (0..n).map(|i| f((i as f64 + 0.5) * h)).collect() };
    let u = along(&|y| fluid.velocity().sample([0.5, y])[0]);
    let v = along(&|x| fluid.velocity().sample([x, 0.5])[1]);
    Cavity { u_min: -peak(&u, -1.0), v_max: peak(&v, 1.0), v_min: -peak(&v, -1.0) }
}

/// The extreme value of this sign, between samples by a parabola.
pub(crate) fn peak(values: &[f64], sign: f64) -> f64 {
    let mut best = 1;
    for i in 1..values.len() - 1 {
        if sign * values[i] > sign * values[best] {
            best = i;
        }
    }
    let [a, b, c] = [best - 1, best, best + 1].map(|i| sign * values[i]);
    let bend = a - 2.0 * b + c;
    if bend < 0.0 { b - (c - a) * (c - a) / (8.0 * bend) } else { b }
}
