//! Shapes carried by a prescribed flow: Zalesak's disc and the single vortex.

use core::f64::consts::{PI, TAU};

use fluid_num::advection::{Advection, PathOrder, Transport};
use fluid_num::{Boundary, Error, Faces, Field, Grid2};

/// The area where φ < 0, linear within cells, by a 4×4 subdivision of every cell.
pub(crate) fn area(phi: &Field<f64, 2>) -> f64 {
    let [nx, ny] = phi.grid().cells();
    let h = phi.grid().dx();
    let mut inside = 0_usize;
    for j in 0..ny * 4 {
        for i in 0..nx * 4 {
            let p = [(i as f64 + 0.5) * h / 4.0, (j as f64 + 0.5) * h / 4.0];
            inside += usize::from(phi.sample(p) < 0.0);
        }
    }
    inside as f64 * h * h / 16.0
}

/// The slotted disc: radius 0.15 about (0.5, 0.75), a slot 0.05 wide and 0.25 long from below.
pub(crate) fn slotted_disc([x, y]: [f64; 2]) -> f64 {
    let disc = libm::hypot(x - 0.5, y - 0.75) - 0.15;
    // The slot as a box from well below the disc up to 0.85.
    let (qx, qy) = ((x - 0.5).abs() - 0.025, (y - 0.7).abs() - 0.15);
    let outside = libm::hypot(qx.max(0.0), qy.max(0.0));
    let slot = outside + qx.max(qy).min(0.0);
    disc.max(-slot)
}

/// The disc of the single vortex: radius 0.15 about (0.5, 0.75).
pub(crate) fn disc([x, y]: [f64; 2]) -> f64 {
    libm::hypot(x - 0.5, y - 0.75) - 0.15
}

/// Relative change of area after one turn of Zalesak's disc at a CFL number of about 1.
///
/// # Errors
/// As the transport.
pub(crate) fn zalesak(n: usize, scheme: Advection) -> Result<f64, Error> {
    let grid = Grid2::new([n, n], 1.0 / n as f64)?;
    let mut phi = Field::from_fn(grid, slotted_disc);
    let start = area(&phi);
    let u = Faces::from_fn(grid, |[x, y]| [TAU * (0.5 - y), TAU * (x - 0.5)]);
    let steps = (PI * n as f64).ceil() as usize;
    let mut transport = Transport::new(grid, Boundary::walls(), PathOrder::Midpoint)?;
    // Walls stop the normal flow at the sides, far from the disc.
    for _ in 0..steps {
        transport.carry(&u, &mut phi, scheme, 1.0 / steps as f64)?;
    }
    Ok(area(&phi) / start - 1.0)
}

/// Relative change of area after the single vortex has wound up a disc and back, T = 8.
///
/// # Errors
/// As the transport.
pub(crate) fn single_vortex(n: usize, scheme: Advection) -> Result<f64, Error> {
    let grid = Grid2::new([n, n], 1.0 / n as f64)?;
    let mut phi = Field::from_fn(grid, disc);
    let start = area(&phi);
    let period = 8.0;
    let flow = Faces::from_fn(grid, |[x, y]| {
        let (sx, sy) = (libm::sin(PI * x), libm::sin(PI * y));
        [-sx * sx * libm::sin(2.0 * PI * y), sy * sy * libm::sin(2.0 * PI * x)]
    });
    let steps = (period * n as f64).ceil() as usize;
    let dt = period / steps as f64;
    let mut u = Faces::zeros(grid);
    let mut transport = Transport::new(grid, Boundary::walls(), PathOrder::Midpoint)?;
    for step in 0..steps {
        let strength = libm::cos(PI * (step as f64 + 0.5) * dt / period);
        for axis in 0..2 {
            let to = u[axis].as_mut_slice();
            for (u, f) in to.iter_mut().zip(flow[axis].as_slice()) {
                *u = f * strength;
            }
        }
        transport.carry(&u, &mut phi, scheme, dt)?;
    }
    Ok(area(&phi) / start - 1.0)
}
