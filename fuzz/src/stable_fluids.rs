//! Scenes of stable fluids that are built, pushed, broken and run.

use fluid_num::advection::Advection;
use fluid_num::{Effect, Error, Field, Grid, Real, Simulation, StableFluids, StepReport};

use crate::input::{Input, dispatch};
use crate::scene::{self, Hull};

/// A scene of any parameters, sources and bodies, and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn stable_fluids_step(data: &[u8]) {
    dispatch!(data, run);
}

/// A fluid and what is known of it.
struct Scene<T: Real, const D: usize> {
    fluid: StableFluids<T, D>,
    /// The range of each quantity; `None` where something may leave it.
    hulls: Vec<Option<Hull>>,
    steps: usize,
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    let params = scene::stable_fluids_params(input);
    let Ok(fluid) = StableFluids::new(grid, params) else {
        return;
    };
    let mut scene = Scene { fluid, hulls: Vec::new(), steps: 0 };
    scene.set_fields(input);
    scene.add_sources_and_bodies(input, &grid);
    scene.hulls = scene.find_hulls();
    for _ in 0..input.within(1, 8) {
        match input.byte() % 16 {
            0 => scene.move_bodies(input, &grid),
            1 => scene.project(),
            2 => scene.change_params(input),
            3 => scene.splash(input, &grid),
            4 => scene.spoil(input),
            5 => scene.resample(input),
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
            scene::fill(input, &mut self.fluid.velocity_mut()[axis], speed);
        }
        for n in 0..self.fluid.quantity_count() {
            let q = self.fluid.quantity_mut(n).expect("the quantity exists");
            scene::fill(input, q, 1.0);
        }
    }

    fn add_sources_and_bodies(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        for _ in 0..input.within(0, 3) {
            let source = scene::source(input, grid);
            // What has no target is refused; `params` looks at that.
            if source.check(self.fluid.quantity_count()).is_ok() {
                self.fluid.sources_mut().push(source);
            }
        }
        for _ in 0..input.within(0, 2) {
            self.fluid.bodies_mut().extend(scene::body(input, grid));
        }
        if input.chance(64) {
            let every = input.within(1, 9);
            self.fluid.close_cells(|cell| cell.iter().sum::<usize>() % every == 0);
        }
    }

    /// The range of what can get into each quantity, where nothing is added to it and nothing but
    /// a solver within a tolerance changes it.
    fn find_hulls(&self) -> Vec<Option<Hull>> {
        let fluid = &self.fluid;
        let quantities = fluid.params().quantities.iter().zip(fluid.quantities());
        let hull =
            |(index, (params, field)): (usize, (&fluid_num::QuantityParams<T>, &Field<T, D>))| {
                let mut hull = Hull::empty();
                hull.add(params.ambient);
                hull.add(params.inflow);
                hull.add_field(field);
                for source in fluid.sources() {
                    match source.effect {
                        Effect::Add { quantity, .. } if quantity == index => return None,
                        Effect::Hold { quantity, value, .. } if quantity == index => {
                            hull.add(value)
                        }
                        _ => {}
                    }
                }
                let bounded =
                    params.advection != Advection::Scatter && params.diffusivity == T::zero();
                bounded.then_some(hull)
            };
        quantities.enumerate().map(hull).collect()
    }

    fn step(&mut self, dt: T) {
        let before = self.fluid.digest();
        let time = self.fluid.time();
        match self.fluid.step(dt) {
            Ok(report) => {
                if dt == T::zero() {
                    // It need not even look at what was set.
                    let after = self.fluid.digest();
                    assert_eq!(after, before, "a step of 0 s changed something");
                    return;
                }
                assert_eq!(self.fluid.time(), time + dt);
                self.steps += 1;
                self.look(report);
            }
            Err(error) => self.refused(&error, before),
        }
    }

    /// Asserts what holds after a step.
    fn look(&self, report: StepReport<T>) {
        let fluid = &self.fluid;
        assert!(report.max_speed.is_finite(), "{report:?}");
        for u in fluid.velocity().components() {
            u.check_finite("velocity").expect("success means finite");
        }
        for q in fluid.quantities() {
            q.check_finite("quantity").expect("success means finite");
        }
        for (q, hull) in fluid.quantities().iter().zip(&self.hulls) {
            if let Some(hull) = hull {
                hull.assert_holds(q, self.steps);
            }
        }
        if let Some(pressure) = report.pressure {
            assert!(!pressure.converged || pressure.residual.is_finite());
        }
    }

    fn refused(&self, error: &Error, before: u64) {
        assert!(error.to_string().len() > 20, "{error}");
        if !matches!(error, Error::Unstable { .. }) {
            assert_eq!(self.fluid.digest(), before, "changed, although: {error}");
        }
    }

    fn move_bodies(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.fluid.digest();
        let to = input.point(grid);
        if let Some(body) = self.fluid.bodies_mut().first_mut() {
            // A wild point is not finite now and then: the step must refuse it.
            body.position = to;
            self.step(T::of(0.02));
            if self.fluid.bodies().iter().any(|body| body.check().is_err()) {
                self.fluid.bodies_mut().clear();
            }
        } else {
            assert_eq!(self.fluid.digest(), before);
        }
    }

    fn project(&mut self) {
        let before = self.fluid.digest();
        if let Err(error) = self.fluid.project() {
            self.refused(&error, before);
        }
    }

    fn change_params(&mut self, input: &mut Input<'_>) {
        let before = (self.fluid.digest(), self.fluid.params().clone());
        let next = scene::stable_fluids_params(input);
        if self.fluid.set_params(next).is_err() {
            assert_eq!(self.fluid.params(), &before.1);
        }
        assert_eq!(self.fluid.digest(), before.0);
        self.hulls = self.find_hulls();
        self.steps = 0;
    }

    fn splash(&mut self, input: &mut Input<'_>, grid: &Grid<T, D>) {
        let before = self.fluid.digest();
        let source = scene::source(input, grid);
        let result = self.fluid.apply_source(&source, input.time_step());
        if let Err(error) = result {
            self.refused(&error, before);
        }
        self.hulls = self.find_hulls();
        self.steps = 0;
    }

    /// Sets a NaN or an infinity: the next step names it and touches nothing.
    fn spoil(&mut self, input: &mut Input<'_>) {
        let bad = T::of(input.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]));
        let axis = input.within(0, D - 1);
        let kept = core::mem::replace(&mut self.fluid.velocity_mut()[axis][[0; D]], bad);
        let before = self.fluid.digest();
        let error = self.fluid.step(T::of(0.1)).expect_err("a velocity is not finite");
        assert_eq!(self.fluid.digest(), before, "changed, although: {error}");
        self.fluid.velocity_mut()[axis][[0; D]] = kept;
    }

    fn resample(&mut self, input: &mut Input<'_>) {
        let before = self.fluid.digest();
        let grid = input.grid::<T, D>();
        let Ok(mut other) = self.fluid.resampled(grid) else {
            panic!("parameters that were accepted are accepted again");
        };
        if let Ok(report) = other.step(T::of(0.02)) {
            assert!(report.max_speed.is_finite());
        }
        assert_eq!(self.fluid.digest(), before);
    }

    /// The same state gives the same bits.
    fn repeat(&self) {
        let (mut a, mut b) = (self.fluid.clone(), self.fluid.clone());
        let dt = T::of(0.03);
        assert_eq!(a.step(dt).is_ok(), b.step(dt).is_ok());
        assert_eq!(a.digest(), b.digest());
    }
}
