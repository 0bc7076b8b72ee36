//! Scenes of the 2003 scheme that are built, pushed, broken and run.

use fluid_num::{Error, Grid, Real, Simulation, Stam2003};

use crate::input::{Input, dispatch};
use crate::params::stam2003_params;
use crate::scene::{self, Hull};

/// A box of any parameters and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn stam2003_step(data: &[u8]) {
    dispatch!(data, run);
}

struct Scene<T: Real, const D: usize> {
    fluid: Stam2003<T, D>,
    /// The range of the density; `None` once something was added.
    hull: Option<Hull>,
    steps: usize,
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    let Ok(fluid) = Stam2003::<T, D>::new(grid, stam2003_params(input)) else {
        return;
    };
    let mut scene = Scene { fluid, hull: None, steps: 0 };
    scene.set_fields(input);
    for _ in 0..input.within(1, 8) {
        match input.byte() % 16 {
            0..3 => scene.push(input, &grid),
            3 => scene.feed(input, &grid),
            4 => scene.spoil(input),
            5 => scene.change_params(input),
            6 => scene.project(),
            7 => scene.set_fields(input),
            _ => scene.step(input.time_step()),
        }
    }
    scene.step(T::zero());
    scene.step(T::of(1.0 / 60.0));
    scene.repeat();
}

impl<T: Real, const D: usize> Scene<T, D> {
    fn set_fields(&mut self, input: &mut Input<'_>) {
        let speed = input.pick(&[0.0, 1.0, 30.0, 1e4]);
        for axis in 0..D {
            scene::fill(input, self.fluid.velocity_mut(axis), speed);
        }
        scene::fill(input, self.fluid.density_mut(), 1.0);
        // What was fed before waits for the next step.
        self.fluid.clear_sources();
        // What is negligible is cut to 0, and magnitudes end at a limit.
        let mut hull = Hull::empty();
        hull.add(T::zero());
        hull.add_field(self.fluid.density());
        self.hull = Some(hull);
        self.steps = 0;
    }

    fn push(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.fluid.digest();
        let (center, radius) = (input.point(grid), input.length(grid));
        if let Err(error) = self.fluid.add_force(center, radius, input.vector(-50.0, 50.0)) {
            self.refused(&error, before);
        }
    }

    fn feed(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.fluid.digest();
        let (center, radius) = (input.point(grid), input.length(grid));
        match self.fluid.add_source(center, radius, input.number(-10.0, 10.0)) {
            Ok(()) => self.hull = None,
            Err(error) => self.refused(&error, before),
        }
    }

    fn step(&mut self, dt: T) {
        let before = self.fluid.digest();
        match self.fluid.step(dt) {
            Ok(report) => {
                if dt == T::zero() {
                    assert_eq!(self.fluid.digest(), before, "a step of 0 s changed something");
                    // It need not even look at what was set.
                    return;
                }
                self.steps += 1;
                assert!(report.max_speed.is_finite(), "{report:?}");
                self.look();
            }
            Err(error) => {
                self.refused(&error, before);
                // Sums of forces overflow: start the next step without them.
                self.fluid.clear_sources();
                if self.fluid.density().check_finite("density").is_err() {
                    self.fluid.density_mut().fill(T::zero());
                    self.hull = None;
                }
                for axis in 0..D {
                    if self.fluid.velocity(axis).check_finite("velocity").is_err() {
                        self.fluid.velocity_mut(axis).fill(T::zero());
                    }
                }
            }
        }
    }

    fn look(&self) {
        for axis in 0..D {
            let u = self.fluid.velocity(axis);
            u.check_finite("velocity").expect("success means finite");
        }
        let density = self.fluid.density();
        density.check_finite("density").expect("success means finite");
        if let Some(hull) = &self.hull {
            // A sweep of diffusion is a mix of 2D + 1 values.
            hull.assert_holds(density, self.steps * (1 + self.fluid.params().iterations));
        }
    }

    fn refused(&self, error: &Error, before: u64) {
        scene::assert_refused(error, before, self.fluid.digest());
    }

    /// Sets a NaN or an infinity: the next step names it and touches nothing.
    fn spoil(&mut self, input: &mut Input<'_>) {
        let bad = T::of(input.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]));
        let field = match input.byte() % 4 {
            0 => self.fluid.velocity_mut(D - 1),
            1 => self.fluid.density_mut(),
            2 => self.fluid.force_mut(0),
            _ => self.fluid.source_mut(),
        };
        field[[0; D]] = bad;
        let before = self.fluid.digest();
        let error = self.fluid.step(T::of(0.1)).expect_err("a field is not finite");
        self.refused(&error, before);
        self.fluid.clear_sources();
        self.set_fields(&mut Input::new(&[]));
    }

    fn change_params(&mut self, input: &mut Input<'_>) {
        let before = (self.fluid.digest(), *self.fluid.params());
        if self.fluid.set_params(stam2003_params(input)).is_err() {
            assert_eq!(self.fluid.params(), &before.1);
        }
        assert_eq!(self.fluid.digest(), before.0);
    }

    fn project(&mut self) {
        let before = self.fluid.digest();
        match self.fluid.project() {
            Ok(report) => assert!(!report.converged || report.residual.is_finite()),
            Err(error) => self.refused(&error, before),
        }
    }

    /// The same state gives the same bits, whatever scratch holds.
    fn repeat(&self) {
        let Ok(mut fresh) = Stam2003::new(*self.fluid.grid(), *self.fluid.params()) else {
            panic!("parameters that were accepted are accepted again");
        };
        fresh.copy_from(&self.fluid).expect("the grids are one");
        let mut fluid = self.fluid.clone();
        assert_eq!(fresh.digest(), fluid.digest());
        let dt = T::of(0.03);
        assert_eq!(fresh.step(dt).is_ok(), fluid.step(dt).is_ok());
        assert_eq!(fresh.digest(), fluid.digest());
    }
}
