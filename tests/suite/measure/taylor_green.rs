//! The Taylor–Green vortex: u = (sin x cos y, −cos x sin y)·exp(−2νt) on a periodic square of 2π.

use core::f64::consts::TAU;

use fluid_num::advection::{Advection, Interpolation, PathOrder};
use fluid_num::poisson::Budget;
use fluid_num::{Boundary, Error, Faces, Grid2, StableFluids2, StableFluidsParams, Stepping};

/// A run: what is measured at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decay {
    /// Root mean square error of the velocity relative to that of the exact velocity.
    pub(crate) error: f64,
    /// Measured decay rate of the velocity (from the kinetic energy) relative to 2ν.
    pub(crate) rate: f64,
}

/// The second-order transports of a velocity.
pub(crate) const SECOND_ORDER: [(&str, Advection); 2] = [
    ("MacCormack", Advection::MacCormack),
    ("clamped cubic", Advection::SemiLagrangian(Interpolation::ClampedCubic)),
];

/// The parameters of a periodic square whose solves are tight.
pub(crate) fn params(
    advection: Advection,
    viscosity: f64,
    stepping: Stepping,
) -> StableFluidsParams<f64, 2> {
    StableFluidsParams {
        boundary: Boundary::periodic(),
        kinematic_viscosity: viscosity,
        path_order: PathOrder::Midpoint,
        velocity_advection: advection,
        stepping,
        pressure_budget: Budget::tolerance(1e-8, 1000),
        diffusion_budget: Budget::tolerance(1e-10, 1000),
        quantities: Vec::new(),
        ..Default::default()
    }
}

/// Runs `steps` steps of `dt` on n² cells.
///
/// # Errors
/// As the scheme.
pub(crate) fn run(
    n: usize,
    params: StableFluidsParams<f64, 2>,
    dt: f64,
    steps: usize,
) -> Result<Decay, Error> {
    let grid = Grid2::new([n, n], TAU / n as f64)?;
    let viscosity = params.kinematic_viscosity;
    let exact = |t: f64| {
        let a = libm::exp(-2.0 * viscosity * t);
        Faces::from_fn(grid, move |[x, y]| {
            [a * libm::sin(x) * libm::cos(y), -a * libm::cos(x) * libm::sin(y)]
        })
    };
    let mut fluid = StableFluids2::new(grid, params)?;
    fluid.velocity_mut().copy_from(&exact(0.0))?;
    let start = fluid.kinetic_energy();
    for _ in 0..steps {
        fluid.step(dt)?;
    }
    let time = dt * steps as f64;
    let reference = exact(time);
    let (mut error, mut norm) = (0.0, 0.0);
    for axis in 0..2 {
        for (a, b) in fluid.velocity()[axis].values().zip(reference[axis].values()) {
            error += (a - b) * (a - b);
            norm += b * b;
        }
    }
    let energy = fluid.kinetic_energy() / start;
    let rate =
        if viscosity > 0.0 { -0.5 * libm::log(energy) / (2.0 * viscosity * time) } else { 0.0 };
    Ok(Decay { error: libm::sqrt(error / norm), rate })
}

/// The step for which the first-order error of the splitting is below that of space: dt ∝ dx².
pub(crate) fn fine_step(n: usize) -> f64 {
    0.0007 * (128.0 / n as f64) * (128.0 / n as f64)
}

/// The kinetic energy left of an inviscid vortex after each of `steps` steps on n² cells.
///
/// # Errors
/// As the scheme.
pub(crate) fn energies(
    n: usize,
    stepping: Stepping,
    dt: f64,
    steps: usize,
) -> Result<Vec<f64>, Error> {
    let grid = Grid2::new([n, n], TAU / n as f64)?;
    let mut fluid = StableFluids2::new(grid, params(Advection::MacCormack, 0.0, stepping))?;
    fluid.velocity_mut().copy_from(&Faces::from_fn(grid, |[x, y]| {
        [libm::sin(x) * libm::cos(y), -libm::cos(x) * libm::sin(y)]
    }))?;
    let start = fluid.kinetic_energy();
    (0..steps).map(|_| fluid.step(dt).map(|_| fluid.kinetic_energy() / start)).collect()
}
