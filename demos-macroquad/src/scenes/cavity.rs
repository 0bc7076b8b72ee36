//! A square box whose lid drags the fluid along: the classic of flow solvers.

use fluid_adapters::Picture;
use fluid_num::advection::Advection;
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::{Boundary, Error, Side, StableFluidsParams};

use crate::scene::{
    Choice, Knob, PRESSURE_SOLVER, Parameter, Pointer, Scene, Setup, Solve, Stats, knob,
    read_knobs, solver_choice, solver_of, turn_knob,
};
use crate::stage::Stage;

/// The name on the command line.
pub const NAME: &str = "cavity";
/// What it shows.
pub const TITLE: &str = "Cavity: a lid drags the fluid round";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [192, 192];

const AREA: f64 = 1.0;
const VIEWS: &[&str] = &["speed", "vorticity", "pressure", "divergence"];
const REYNOLDS: &str = "Reynolds number";
const NUMBERS: [(&str, f64); 6] = [
    ("100", 100.0),
    ("400", 400.0),
    ("1000", 1000.0),
    ("3200", 3200.0),
    ("5000", 5000.0),
    ("10000", 10000.0),
];

#[derive(Debug)]
struct Settings {
    lid: f64,
    iterations: f64,
    reynolds: usize,
    solver: SolverKind<f32>,
}

const KNOBS: &[Knob<Settings>] =
    &[knob!(lid, "lid, m/s", [-4.0, 4.0]), knob!(iterations, "most iterations", [1.0, 1000.0])];

impl Default for Settings {
    fn default() -> Self {
        Self {
            lid: 2.0,
            iterations: 300.0,
            reynolds: 3,
            solver: SolverKind::ConjugateGradient(Default::default()),
        }
    }
}

impl Settings {
    fn params(&self) -> StableFluidsParams<f32, 2> {
        let lid = Side::Moving { velocity: [self.lid as f32, 0.0] };
        StableFluidsParams {
            boundary: Boundary::all(Side::NoSlip).with(1, 1, lid),
            kinematic_viscosity: (self.lid.abs() / NUMBERS[self.reynolds].1) as f32,
            velocity_advection: Advection::MacCormack,
            pressure_solver: self.solver,
            pressure_budget: Budget::tolerance(1e-3, self.iterations as usize),
            quantities: Vec::new(),
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Cavity {
    settings: Settings,
    stage: Stage,
}

impl Cavity {
    /// A box of fluid at rest whose lid starts to move.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let stage = Stage::new(setup.size.unwrap_or(SIZE), AREA, settings.params())?;
        Ok(Self { settings, stage })
    }

    fn adopt(&mut self) -> Result<(), Error> {
        self.stage.adopt(self.settings.params())
    }
}

impl Scene for Cavity {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag sideways: the lid's velocity"
    }

    fn size(&self) -> [usize; 2] {
        self.stage.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.stage.extent()
    }

    fn step(&mut self) -> Result<(), Error> {
        self.stage.step().map(|_| ())
    }

    fn rehearse(&mut self) {}

    fn pointer(&mut self, pointer: Pointer) {
        let lid = self.settings.lid + 4.0 * pointer.delta[0];
        // The only error is a lid that is not finite, which the range of the knob excludes.
        let _ = self.set_parameter(KNOBS[0].name, lid);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let view = VIEWS.get(view).unwrap_or(&VIEWS[0]);
        self.stage.paint(view, picture).map(|_| ())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.adopt()
    }

    fn choices(&self) -> Vec<Choice> {
        let options = NUMBERS.iter().map(|n| n.0).collect();
        vec![
            Choice { name: REYNOLDS, options, chosen: self.settings.reynolds },
            solver_choice(self.settings.solver, false),
        ]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        match (name, solver_of(option)) {
            (PRESSURE_SOLVER, Some(kind)) => self.settings.solver = kind,
            (REYNOLDS, _) if option < NUMBERS.len() => self.settings.reynolds = option,
            _ => {}
        }
        self.adopt()
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.stage.restart(self.settings.params())
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        self.stage.resize(size)
    }

    fn stats(&mut self) -> Stats {
        self.stage.stats()
    }

    fn solves(&mut self) -> Vec<Solve> {
        self.stage.solve().into_iter().collect()
    }
}
