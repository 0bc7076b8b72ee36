//! Who made the dye: the sources, or advection?

use fluid_num::{Error, Field, Grid2, StableFluids2};

/// Follows the sum of carried quantities through sources, decay and steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    given: f64,
    drift: f64,
}

impl Ledger {
    /// Books what sources have put in.
    pub fn give(&mut self, amount: f64) {
        self.given += amount.abs();
    }

    /// Books a step over which the sum went from `before` to `after`, where `expected` of it was
    /// to remain.
    pub fn step(&mut self, expected: f64, after: f64) {
        self.drift += after - expected;
    }

    /// What advection has made, as a part of all that was put in; 0 where nothing was.
    pub fn drift(&self) -> f64 {
        if self.given > 0.0 { self.drift / self.given } else { 0.0 }
    }
}

/// Σ q·h² over `fields`.
pub fn mass(fields: &[Field<f32, 2>]) -> f64 {
    let sums = fields.iter().map(|q| {
        let h = f64::from(q.grid().dx());
        q.sum() * h * h
    });
    sums.sum()
}

/// The same scene on another grid of the same area: everything is stretched to it. The velocity
/// stays free of divergence, since what an edge gains the other one loses, and every quantity
/// keeps its sum.
///
/// # Errors
/// As [`StableFluids2::resampled`].
pub fn stretched(
    fluid: &StableFluids2<f32>,
    grid: Grid2<f32>,
) -> Result<StableFluids2<f32>, Error> {
    let mut next = fluid.resampled(grid)?;
    let (from, to) = (fluid.grid().size(), grid.size());
    if from != to {
        let scale = [from[0] / to[0], from[1] / to[1]];
        let back = |p: [f32; 2]| [p[0] * scale[0], p[1] * scale[1]];
        for axis in 0..2 {
            let u = &fluid.velocity()[axis];
            next.velocity_mut()[axis].set_from_fn(|p| u.sample(back(p)) / scale[axis]);
        }
        for (n, q) in fluid.quantities().iter().enumerate() {
            next.quantity_mut(n)?.set_from_fn(|p| q.sample(back(p)));
        }
        for source in next.sources_mut() {
            source.center = [source.center[0] / scale[0], source.center[1] / scale[1]];
        }
        for body in next.bodies_mut() {
            body.position = [body.position[0] / scale[0], body.position[1] / scale[1]];
        }
    }
    for (n, q) in fluid.quantities().iter().enumerate() {
        keep_sum(q, next.quantity_mut(n)?);
    }
    Ok(next)
}

/// Scales `to` so that its sum over the area is that of `from`; where sampling missed all that
/// `from` holds, its mean goes everywhere.
pub fn keep_sum(from: &Field<f32, 2>, to: &mut Field<f32, 2>) {
    let wanted = mass(core::slice::from_ref(from));
    let found = mass(core::slice::from_ref(to));
    let factor = (wanted / found) as f32;
    if wanted > 0.0 && found > 0.0 && factor.is_finite() {
        for v in to.as_mut_slice() {
            *v *= factor;
        }
    } else if wanted > 0.0 {
        let area: f32 = to.grid().size().iter().product();
        to.fill((wanted / f64::from(area)) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::grid_of_area;
    use fluid_num::StableFluidsParams;

    #[test]
    fn a_stretched_flow_stays_free_of_divergence_and_keeps_its_dye() {
        let grid = grid_of_area([64, 64], 1.0).unwrap();
        let mut fluid = StableFluids2::new(grid, StableFluidsParams::default()).unwrap();
        // A whirl that vanishes at the walls, u = ∇ψ turned, ψ = x²(1 − x)² y²(1 − y)².
        let f = |x: f32| (x * (1.0 - x)).powi(2);
        let d = |x: f32| 2.0 * x * (1.0 - x) * (1.0 - 2.0 * x);
        fluid.velocity_mut()[0].set_from_fn(|[x, y]| 100.0 * f(x) * d(y));
        fluid.velocity_mut()[1].set_from_fn(|[x, y]| -100.0 * d(x) * f(y));
        let q = fluid.quantity_mut(0).unwrap();
        q.set_from_fn(|[x, y]| f(x) * f(y));
        let before = mass(fluid.quantities());
        let mut next = stretched(&fluid, grid_of_area([100, 37], 1.0).unwrap()).unwrap();
        // Linear sampling of a smooth field: the error is of second order in 1/37; speeds are
        // near 1 and gradients near 10.
        let divergence = next.max_divergence();
        assert!(divergence < 0.2, "{divergence}");
        let after = mass(next.quantities());
        assert!((after / before - 1.0).abs() < 1e-5, "{before} {after}");
    }
}
