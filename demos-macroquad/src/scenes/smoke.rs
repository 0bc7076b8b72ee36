//! Warm smoke that rises around a disc, or around what a picture says.
//!
//! A box of 1.5 m², open on top. A nozzle at the bottom holds smoke and temperature; warm fluid
//! rises, smoke weighs a little; vorticity confinement keeps the small whirls.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::advection::Advection;
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Boundary, Effect, Error, QuantityParams, Real, Side, Source, StableFluidsParams};

use crate::ledger;
use crate::paint::{byte, lay_over, paint_cells};
use crate::scene::{
    Choice, DT, Image, Knob, PRESSURE_SOLVER, Parameter, Pointer, SOR, Scene, Setup, Solve, Stats,
    knob, read_knobs, solver_choice, solver_of, turn_knob,
};
use crate::stage::Stage;

/// The name on the command line.
pub const NAME: &str = "smoke";
/// What it shows.
pub const TITLE: &str = "Smoke: a warm plume around a disc";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [192, 288];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [256, 384];

const AREA: f64 = 1.5;
const SMOKE: usize = 0;
const HEAT: usize = 1;
const RADIUS: f64 = 0.1;
/// The fastest that the disc follows the pointer, m/s.
const MAX_DRAG: f64 = 2.0;
const VIEWS: &[&str] = &["smoke", "temperature", "speed", "pressure", "vorticity", "divergence"];
const SOLID_COLOR: [u8; 3] = [70, 84, 104];

#[derive(Debug)]
struct Settings {
    buoyancy: f64,
    weight: f64,
    cooling: f64,
    fade: f64,
    confinement: f64,
    drag: f64,
    nozzle: f64,
    iterations: f64,
    solver: SolverKind<f32>,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(buoyancy, "buoyancy, m/s²", [0.0, 20.0]),
    knob!(weight, "weight of smoke, m/s²", [0.0, 5.0]),
    knob!(cooling, "cooling, 1/s", [0.0, 5.0]),
    knob!(fade, "fade, 1/s", [0.0, 2.0]),
    knob!(confinement, "confinement", [0.0, 8.0]),
    knob!(drag, "drag, 1/s", [0.0, 2.0]),
    knob!(nozzle, "nozzle radius, m", [0.01, 0.3]),
    knob!(iterations, "most iterations", [1.0, 1000.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            buoyancy: 1.2,
            weight: 0.1,
            cooling: 0.25,
            fade: 0.12,
            confinement: 0.4,
            drag: 0.0,
            nozzle: 0.055,
            iterations: 200.0,
            solver: SOR,
        }
    }
}

impl Settings {
    fn params(&self) -> StableFluidsParams<f32, 2> {
        let carried = |buoyancy: f64, decay: f64| QuantityParams {
            buoyancy: buoyancy as f32,
            decay: decay as f32,
            advection: Advection::MacCormack,
            ..QuantityParams::dye()
        };
        StableFluidsParams {
            boundary: Boundary::walls().with(1, 1, Side::Open),
            drag: self.drag as f32,
            vorticity_confinement: self.confinement as f32,
            velocity_advection: Advection::MacCormack,
            pressure_solver: self.solver,
            pressure_budget: Budget::tolerance(1e-2, self.iterations as usize),
            quantities: vec![
                carried(-self.weight, self.fade),
                carried(self.buoyancy, self.cooling),
            ],
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Smoke {
    settings: Settings,
    stage: Stage,
    obstacles: Option<Image>,
    /// Where the disc is drawn to.
    target: Option<[f64; 2]>,
}

impl Smoke {
    /// Clear, still air around a disc, or around the dark parts of the picture that `setup` brings.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let stage = Stage::new(setup.size.unwrap_or(SIZE), AREA, settings.params())?;
        let obstacles = setup.obstacles.clone();
        let mut smoke = Self { settings, stage, obstacles, target: None };
        smoke.build()?;
        Ok(smoke)
    }

    /// Puts the solids into a fluid that has none.
    fn build(&mut self) -> Result<(), Error> {
        let [width, height] = self.extent();
        if self.obstacles.is_some() {
            self.close_cells();
        } else {
            let place = [0.5 * width, 0.42 * height].map(|x| x as f32);
            let disc = Body::new(Shape::ball((RADIUS * width) as f32)?, place)?;
            self.stage.fluid.bodies_mut().push(disc);
        }
        Ok(())
    }

    fn close_cells(&mut self) {
        if let Some(image) = &self.obstacles {
            let cells = self.stage.cells();
            self.stage.fluid.close_cells(|cell| {
                let [r, g, b] = image.under(cell, cells);
                r + g + b < 1.5
            });
        }
    }

    /// Gives the disc the velocity that takes it towards its target.
    fn draw_disc(&mut self) -> Result<(), Error> {
        let target = self.target.take();
        let resting = |b: &Body<f32, 2>| b.velocity == [0.0; 2];
        if self.stage.fluid.bodies().is_empty()
            || (target.is_none() && self.stage.fluid.bodies().iter().all(resting))
        {
            return Ok(());
        }
        let disc = &mut self.stage.fluid.bodies_mut()[0];
        disc.velocity = match target {
            None => [0.0; 2],
            Some(target) => {
                let way = [0, 1].map(|a| (target[a] - f64::from(disc.position[a])) / DT);
                let speed = (way[0] * way[0] + way[1] * way[1]).sqrt();
                let part = if speed > MAX_DRAG { MAX_DRAG / speed } else { 1.0 };
                way.map(|v| (v * part) as f32)
            }
        };
        disc.advance(DT as f32)
    }

    /// The nozzle: it holds smoke and heat, and sways a little.
    fn light(&mut self) {
        let [width, height] = self.extent();
        let (sway, _) = (self.stage.steps as f64 * DT * 2.3).portable_sin_cos();
        let center = [width * (0.5 + 0.012 * sway), height * 0.05].map(|x| x as f32);
        let radius = (self.settings.nozzle * width) as f32;
        let sources = self.stage.fluid.sources_mut();
        for quantity in [SMOKE, HEAT] {
            let effect = Effect::Hold { quantity, value: 1.0, rate: 20.0 };
            sources.push(Source { center, radius, effect });
        }
    }

    /// Lays the solids over a picture.
    fn paint_solids(&self, picture: &mut Picture) {
        if let Some(solids) = self.stage.fluid.solids() {
            let fluid_part = solids.cell_fraction();
            let cells = self.stage.cells();
            lay_over(picture, cells, SOLID_COLOR, |i, j| 1.0 - fluid_part[[i, j]]);
        }
    }
}

impl Scene for Smoke {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: move the disc"
    }

    fn size(&self) -> [usize; 2] {
        self.stage.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.stage.extent()
    }

    fn step(&mut self) -> Result<(), Error> {
        self.light();
        self.draw_disc()?;
        self.stage.step().map(|_| ())
    }

    fn rehearse(&mut self) {
        // From the middle slowly to the left and to the right.
        let [width, height] = self.extent();
        let (sway, _) = ((self.stage.steps + 1) as f64 * DT * 0.5).portable_sin_cos();
        self.target = Some([width * (0.5 - 0.12 * sway), height * 0.42]);
    }

    fn pointer(&mut self, pointer: Pointer) {
        let extent = self.extent();
        self.target = Some([0, 1].map(|a| pointer.position[a].clamp(0.0, extent[a])));
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
            "temperature" => {
                let heat = self.stage.fluid.quantity(HEAT)?;
                picture.paint_field(heat, &ColorMap::inferno(), 0.0..1.0);
            }
            flow if self.stage.paint(flow, picture)? => {}
            _ => {
                let fluid = &self.stage.fluid;
                let (smoke, heat) = (fluid.quantity(SMOKE)?, fluid.quantity(HEAT)?);
                paint_cells(picture, self.stage.cells(), |i, j| {
                    smoke_color(smoke[[i, j]], heat[[i, j]])
                });
            }
        }
        self.paint_solids(picture);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.stage.adopt(self.settings.params())
    }

    fn choices(&self) -> Vec<Choice> {
        vec![solver_choice(self.settings.solver, true)]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if let (PRESSURE_SOLVER, Some(kind)) = (name, solver_of(option)) {
            self.settings.solver = kind;
        }
        self.stage.adopt(self.settings.params())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.stage.restart(self.settings.params())?;
        self.target = None;
        self.build()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        self.stage.resize(size)?;
        self.close_cells();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        // The nozzle holds a value and the top is open: there is nothing to be kept.
        let mass = ledger::mass(&self.stage.fluid.quantities()[SMOKE..=SMOKE]);
        Stats { mass: Some(mass), ..self.stage.stats() }
    }

    fn solves(&mut self) -> Vec<Solve> {
        self.stage.solve().into_iter().collect()
    }
}

/// Grey smoke that glows where it is hot, before a dark sky.
fn smoke_color(smoke: f32, heat: f32) -> [u8; 3] {
    let thick = smoke.max(0.0);
    // What a layer of this thickness covers: 1 − 1/(1 + 2x + 2x²), close to 1 − e^(−2x).
    let cover = 1.0 - 1.0 / (1.0 + 2.0 * thick + 2.0 * thick * thick);
    let hot = heat.clamp(0.0, 1.0);
    let ember = hot * hot * hot;
    let sky = [0.035, 0.045, 0.07];
    let grey = [0.80, 0.82, 0.86];
    let fire = [1.0, 0.72, 0.38];
    [0, 1, 2].map(|n| {
        let body = grey[n] + (fire[n] - grey[n]) * ember;
        byte(sky[n] + (body - sky[n]) * cover)
    })
}
