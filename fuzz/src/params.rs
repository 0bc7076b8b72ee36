//! Every check of parameters against an independent statement of the ranges.

use fluid_num::poisson::SolverKind;
use fluid_num::schemes::stam2003::{Diffusion, Stam2003Boundary, Sweep};
use fluid_num::{
    Boundary, Effect, Grid, QuantityParams, Real, Side, Simulation, Source, StableFluids,
    StableFluidsParams, Stam2003, Stam2003Params, Stepper,
};

use crate::input::{Input, dispatch};
use crate::scene;

/// `check`, constructors and setters accept exactly what the documentation says, and leave
/// everything as it was where they refuse.
///
/// # Panics
/// Where a property does not hold.
pub fn params(data: &[u8]) {
    dispatch!(data, run);
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    grids::<T, D>(input);
    clocks::<T>(input);
    let grid = input.grid::<T, D>();
    let boundary = scene::boundary::<T, D>(input);
    assert_eq!(boundary.check().is_ok(), boundary_is_valid(&boundary));
    let source = scene::source(input, &grid);
    assert_eq!(source.check(2).is_ok(), source_is_valid(&source, 2), "{source:?}");
    stable_fluids(input, grid);
    stam2003(input, grid);
}

fn not_negative<T: Real>(v: T) -> bool {
    (0.0..=f64::MAX).contains(&v.to_f64())
}

/// Whether dx² and its inverse are numbers to calculate with.
fn moderate_square<T: Real>(dx: T) -> bool {
    let square = dx * dx;
    dx > T::zero() && square >= T::NEGLIGIBLE && square <= T::one() / T::NEGLIGIBLE
}

fn finite<T: Real>(v: &T) -> bool {
    v.to_f64().abs() <= f64::MAX
}

/// Any number of cells, any edge: nothing is allocated here.
fn grids<T: Real, const D: usize>(input: &mut Input<'_>) {
    let sizes = [0, 1, 5, 24, 1 << 10, 1 << 21, (1 << 21) + 1, usize::MAX / 2, usize::MAX];
    let cells: [usize; D] = core::array::from_fn(|_| input.pick(&sizes));
    let dx: T = input.number(0.1, 10.0);
    let places = cells.iter().try_fold(1_usize, |n, c| n.checked_mul(*c));
    match Grid::new(cells, dx) {
        Ok(grid) => {
            assert!(!cells.contains(&0) && dx > T::zero() && moderate_square(dx));
            assert!(places.is_some_and(|n| n <= grid.array_len()));
            let last = cells.map(|n| n - 1);
            assert!(grid.index(last) < grid.array_len());
            assert_eq!(grid.cell_at(grid.index(last)), last);
        }
        // With a good edge only what is empty or too large is refused; ghosts at most treble a
        // side, and padding at most makes eight of one.
        Err(_) if moderate_square(dx) => {
            let room = cells.iter().try_fold(1_usize, |n, c| n.checked_mul(c.checked_add(10)?));
            let large = room.is_none_or(|n| n > 1 << 29) || cells.iter().any(|n| *n > 1 << 21);
            assert!(cells.contains(&0) || large, "{cells:?}");
        }
        Err(_) => {}
    }
}

fn clocks<T: Real>(input: &mut Input<'_>) {
    let (dt, cap): (T, usize) = (input.number(0.01, 1.0), input.within(0, 9));
    let clock = Stepper::new(dt, cap);
    assert_eq!(clock.is_ok(), dt > T::zero() && finite(&dt) && cap > 0);
    let Ok(mut clock) = clock else { return };
    for _ in 0..4 {
        let steps = clock.advance(input.number(0.0, 5.0));
        assert!(steps <= cap && clock.dropped() >= T::zero());
    }
}

fn boundary_is_valid<T: Real, const D: usize>(boundary: &Boundary<T, D>) -> bool {
    (0..D).all(|axis| {
        let ends = boundary.sides[axis];
        let periodic = ends.map(|s| s == Side::Periodic);
        periodic[0] == periodic[1]
            && ends.iter().all(|side| match side {
                Side::Moving { velocity } => {
                    velocity.iter().all(finite) && velocity[axis] == T::zero()
                }
                Side::Inflow { velocity } => velocity.iter().all(finite),
                _ => true,
            })
    })
}

fn source_is_valid<T: Real, const D: usize>(source: &Source<T, D>, quantities: usize) -> bool {
    let effect = match source.effect {
        Effect::Accelerate(a) => a.iter().all(finite),
        Effect::Add { quantity, rate } => quantity < quantities && finite(&rate),
        Effect::Hold { quantity, value, rate } => {
            quantity < quantities && finite(&value) && not_negative(rate)
        }
    };
    source.center.iter().all(finite)
        && source.radius > T::zero()
        && finite(&source.radius)
        && effect
}

fn quantity_is_valid<T: Real>(q: &QuantityParams<T>) -> bool {
    [q.ambient, q.inflow].iter().all(|v| v.magnitude() <= T::one() / T::NEGLIGIBLE)
        && finite(&q.buoyancy)
        && not_negative(q.diffusivity)
        && not_negative(q.decay)
}

fn params_are_valid<T: Real, const D: usize>(p: &StableFluidsParams<T, D>) -> bool {
    let solver = match p.pressure_solver {
        SolverKind::Sor { relaxation: Some(w) } => w >= T::of(1e-6) && w <= T::of(2.0 - 1e-6),
        SolverKind::Multigrid(params) => (1..=8).contains(&params.sweeps),
        SolverKind::Filter(params) => {
            (1..=128).contains(&params.order) && (1..=128).contains(&params.rank)
        }
        _ => true,
    };
    boundary_is_valid(&p.boundary)
        && not_negative(p.kinematic_viscosity)
        && not_negative(p.drag)
        && p.up.iter().all(finite)
        && (0.0..=8.0).contains(&p.vorticity_confinement.to_f64())
        && solver
        && not_negative(p.pressure_budget.tolerance)
        && not_negative(p.diffusion_budget.tolerance)
        && p.quantities.iter().all(quantity_is_valid)
}

fn stable_fluids<T: Real, const D: usize>(input: &mut Input<'_>, grid: Grid<T, D>) {
    let params = scene::stable_fluids_params::<T, D>(input);
    let valid = params_are_valid(&params);
    assert_eq!(params.check().is_ok(), valid, "{params:?}");
    let made = StableFluids::new(grid, params.clone());
    assert_eq!(made.is_ok(), valid);
    let Ok(mut fluid) = made else { return };
    let before = (fluid.digest(), fluid.params().clone());
    let next = scene::stable_fluids_params::<T, D>(input);
    let fits = params_are_valid(&next) && next.quantities.len() == before.1.quantities.len();
    assert_eq!(fluid.set_params(next.clone()).is_ok(), fits);
    assert_eq!(fluid.digest(), before.0);
    assert_eq!(fluid.params(), if fits { &next } else { &before.1 });
}

fn stam2003<T: Real, const D: usize>(input: &mut Input<'_>, grid: Grid<T, D>) {
    let mut made = || stam2003_params::<T>(input);
    let (first, second) = (made(), made());
    let valid = |p: &Stam2003Params<T>| {
        not_negative(p.kinematic_viscosity)
            && not_negative(p.diffusivity)
            && (1..=1_000_000).contains(&p.iterations)
    };
    let fluid = Stam2003::<T, D>::new(grid, first);
    assert_eq!(fluid.is_ok(), valid(&first));
    let Ok(mut fluid) = fluid else { return };
    let before = fluid.digest();
    assert_eq!(fluid.set_params(second).is_ok(), valid(&second));
    assert_eq!(fluid.digest(), before);
    assert_eq!(fluid.params(), if valid(&second) { &second } else { &first });
}

/// Parameters of the 2003 scheme with few sweeps, or with a number that is refused.
pub(crate) fn stam2003_params<T: Real>(input: &mut Input<'_>) -> Stam2003Params<T> {
    let refused = !input.is_tame() && input.chance(8);
    Stam2003Params {
        kinematic_viscosity: input.coefficient(),
        diffusivity: input.coefficient(),
        iterations: match refused {
            true => input.pick(&[0, 1_000_001, usize::MAX]),
            false => input.within(1, 30),
        },
        diffusion: input.pick(&[Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit]),
        pressure: input.pick(&[Sweep::GaussSeidel, Sweep::Jacobi]),
        boundary: input.pick(&[Stam2003Boundary::Walls, Stam2003Boundary::Periodic]),
    }
}
