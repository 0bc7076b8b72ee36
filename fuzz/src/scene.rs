//! Parts of scenes that several bodies build, and what several assert.

use fluid_num::advection::{Advection, Interpolation, PathOrder};
use fluid_num::poisson::{
    Budget, Cycle, FilterParams, MultigridParams, Preconditioner, SolverKind, SpectralMethod,
};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, Error, Field, Grid, QuantityParams, Real, Side, Source, StableFluidsParams,
    Stepping,
};

use crate::input::Input;

/// The range that values may lie in, rounding allowed for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hull {
    lo: f64,
    hi: f64,
}

impl Hull {
    pub(crate) fn empty() -> Self {
        Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY }
    }

    pub(crate) fn add<T: Real>(&mut self, value: T) {
        self.lo = self.lo.min(value.to_f64());
        self.hi = self.hi.max(value.to_f64());
    }

    pub(crate) fn add_field<T: Real, const D: usize>(&mut self, field: &Field<T, D>) {
        field.values().for_each(|v| self.add(v));
    }

    /// Asserts that every value lies within, but for 16 roundings of the largest in each of
    /// `steps` steps (an interpolation in 3D is 7 mixes, MacCormack two of them).
    pub(crate) fn assert_holds<T: Real, const D: usize>(&self, field: &Field<T, D>, steps: usize) {
        let largest = self.lo.abs().max(self.hi.abs());
        let slack = largest * T::EPSILON.to_f64() * 16.0 * (steps + 1) as f64
            + T::NEGLIGIBLE.to_f64() * (steps + 1) as f64;
        for v in field.values().map(Real::to_f64) {
            assert!(
                v >= self.lo - slack && v <= self.hi + slack,
                "{v} is beyond {} to {} after {steps} steps",
                self.lo,
                self.hi
            );
        }
    }
}

/// A field of one of four patterns, up to `size` in magnitude.
pub(crate) fn fill<T: Real, const D: usize>(
    input: &mut Input<'_>,
    field: &mut Field<T, D>,
    size: f64,
) {
    let a: T = input.number(-size, size);
    let b: T = input.number(-size, size);
    let pattern = input.byte();
    let mut count = 0_usize;
    field.set_from_fn(|_| {
        count += 1;
        match pattern % 4 {
            0 => a,
            1 if count.is_multiple_of(2) => a,
            2 if count % 7 < 3 => a,
            3 => a * T::of_usize(count * 37 % 101) * T::of(0.01),
            _ => b,
        }
    });
}

pub(crate) fn side<T: Real, const D: usize>(input: &mut Input<'_>, axis: usize) -> Side<T, D> {
    match input.byte() % 6 {
        0 => Side::FreeSlip,
        1 => Side::NoSlip,
        2 => {
            let mut velocity = input.vector(-5.0, 5.0);
            // Seldom out of its plane, which is refused.
            if !input.chance(8) {
                velocity[axis] = T::zero();
            }
            Side::Moving { velocity }
        }
        3 => Side::Inflow { velocity: input.vector(-5.0, 5.0) },
        _ => Side::Open,
    }
}

pub(crate) fn boundary<T: Real, const D: usize>(input: &mut Input<'_>) -> Boundary<T, D> {
    let mut boundary = Boundary::walls();
    for axis in 0..D {
        if input.chance(64) {
            boundary.sides[axis] = [Side::Periodic; 2];
        } else {
            for end in 0..2 {
                boundary.sides[axis][end] = side(input, axis);
            }
        }
        if !input.is_tame() && input.chance(4) {
            boundary.sides[axis][0] = Side::Periodic;
        }
    }
    boundary
}

pub(crate) fn advection(input: &mut Input<'_>) -> Advection {
    input.pick(&[
        Advection::SemiLagrangian(Interpolation::Linear),
        Advection::SemiLagrangian(Interpolation::MonotoneCubic),
        Advection::SemiLagrangian(Interpolation::ClampedCubic),
        Advection::MacCormack,
        Advection::Scatter,
    ])
}

pub(crate) fn path_order(input: &mut Input<'_>) -> PathOrder {
    input.pick(&[PathOrder::Euler, PathOrder::Midpoint, PathOrder::Ralston])
}

pub(crate) fn solver_kind<T: Real>(input: &mut Input<'_>) -> SolverKind<T> {
    let cycle = |n: u8| match n % 3 {
        0 => Cycle::V,
        1 => Cycle::W,
        _ => Cycle::F,
    };
    match input.byte() % 12 {
        0 => SolverKind::Jacobi,
        1 => SolverKind::GaussSeidel,
        2 => SolverKind::Sor { relaxation: None },
        3 => SolverKind::Sor { relaxation: Some(input.number(0.1, 1.99)) },
        4 => SolverKind::ConjugateGradient(Preconditioner::None),
        5 => SolverKind::ConjugateGradient(Preconditioner::Jacobi),
        6 => SolverKind::ConjugateGradient(Preconditioner::IncompleteCholesky),
        7 => SolverKind::ConjugateGradient(Preconditioner::Multigrid(MultigridParams::default())),
        8 => SolverKind::ConjugateGradient(Preconditioner::Spectral),
        9 => SolverKind::Multigrid(MultigridParams {
            cycle: cycle(input.byte()),
            sweeps: input.within(0, 9),
        }),
        10 => SolverKind::Filter(FilterParams {
            order: input.within(0, 40),
            rank: input.within(0, 5),
        }),
        _ => SolverKind::Spectral(match input.byte() % 2 {
            0 => SpectralMethod::Tridiagonal,
            _ => SpectralMethod::FullTransform,
        }),
    }
}

pub(crate) fn budget<T: Real>(input: &mut Input<'_>) -> Budget<T> {
    let iterations = input.within(0, 40);
    match input.byte() % 3 {
        0 => Budget::iterations(iterations),
        1 => Budget::tolerance(input.number(1e-6, 1e-2), iterations),
        _ => Budget::tolerance(T::of(1e-4), 40),
    }
}

pub(crate) fn quantity<T: Real>(input: &mut Input<'_>) -> QuantityParams<T> {
    QuantityParams {
        ambient: input.number(-1.0, 1.0),
        inflow: input.number(-1.0, 1.0),
        diffusivity: input.coefficient(),
        decay: input.coefficient(),
        buoyancy: input.number(-2.0, 2.0),
        advection: advection(input),
    }
}

pub(crate) fn stable_fluids_params<T: Real, const D: usize>(
    input: &mut Input<'_>,
) -> StableFluidsParams<T, D> {
    let quantities = input.within(0, 2);
    StableFluidsParams {
        boundary: boundary(input),
        kinematic_viscosity: input.coefficient(),
        drag: input.coefficient(),
        up: input.vector(-1.0, 1.0),
        vorticity_confinement: if input.flag() { input.number(0.0, 8.0) } else { T::zero() },
        path_order: path_order(input),
        velocity_advection: advection(input),
        stepping: input.pick(&[Stepping::Projection, Stepping::Reflection]),
        pressure_solver: solver_kind(input),
        pressure_budget: budget(input),
        diffusion_budget: budget(input),
        quantities: (0..quantities).map(|_| quantity(input)).collect(),
    }
}

pub(crate) fn source<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
) -> Source<T, D> {
    let quantity = input.within(0, 2);
    let effect = match input.byte() % 4 {
        0 | 1 => Effect::Accelerate(input.vector(-50.0, 50.0)),
        2 => Effect::Add { quantity, rate: input.number(-10.0, 10.0) },
        _ => Effect::Hold { quantity, value: input.number(-1.0, 1.0), rate: input.coefficient() },
    };
    Source { center: input.point(grid), radius: input.length(grid), effect }
}

/// A shape about as large as the grid; `None` where a constructor refused.
pub(crate) fn shape<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    depth: usize,
) -> Option<Shape<T, D>> {
    let kind = input.byte() % if depth == 0 { 6 } else { 9 };
    let made = match kind {
        0 => Shape::ball(input.length(grid)),
        1 => Shape::cuboid(core::array::from_fn(|_| input.length(grid))),
        2 => Shape::capsule(input.length(grid), input.length(grid)),
        3 => Shape::half_space(input.vector(-1.0, 1.0)),
        4 => {
            let count = input.within(0, 7);
            let scale = grid.dx() * T::of_usize(grid.cells()[0]);
            let corner =
                |input: &mut Input<'_>| [0, 1].map(|_| input.number::<T>(-0.5, 0.5) * scale);
            let corners: Vec<[T; 2]> = (0..count).map(|_| corner(input)).collect();
            Shape::polygon(&corners)
        }
        5 => {
            let size = [input.within(0, 5), input.within(0, 5)];
            let solid: Vec<bool> = (0..size[0] * size[1]).map(|_| input.flag()).collect();
            Shape::mask(size, &solid, input.length(grid))
        }
        6 => {
            let offset = core::array::from_fn(|_| input.length(grid));
            return shape(input, grid, depth - 1)?.moved(offset).ok();
        }
        7 => {
            let count = input.within(0, 3);
            let parts = (0..count).filter_map(|_| shape(input, grid, depth - 1));
            Shape::union(parts.collect())
        }
        _ => {
            let (whole, hole) = (shape(input, grid, depth - 1)?, shape(input, grid, depth - 1)?);
            Shape::difference(whole, hole)
        }
    };
    made.ok()
}

/// A body in or near the grid; `None` where a constructor refused.
pub(crate) fn body<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
) -> Option<Body<T, D>> {
    let shape = shape(input, grid, 1)?;
    let mut body = Body::new(shape, input.point(grid)).ok()?;
    body.velocity = input.vector(-3.0, 3.0);
    body.angular_velocity = input.vector(-3.0, 3.0);
    let slip = if input.flag() { Slip::No } else { Slip::Free };
    body.with_angle(input.number(-4.0, 4.0)).ok().map(|b| b.with_slip(slip))
}

/// Asserts what every refusal promises: a sentence, and a state whose digest is as before.
pub(crate) fn assert_refused(error: &Error, before: u64, now: u64) {
    assert!(error.to_string().len() > 20, "{error}");
    assert_eq!(now, before, "changed, although: {error}");
}

/// The bits of a field, to see that nothing changed.
pub(crate) fn bits<T: Real, const D: usize>(field: &Field<T, D>) -> Vec<u64> {
    field.values().map(Real::bits).collect()
}
