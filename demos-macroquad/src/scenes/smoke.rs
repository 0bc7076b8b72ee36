//! Warm smoke that rises around a disc, or around what a picture says.
//!
//! A box of 1.5 m², open on top. A nozzle at the bottom holds smoke and temperature; warm fluid
//! rises, smoke weighs a little; vorticity confinement keeps the small whirls.

use fluid_adapters::Picture;
use fluid_num::advection::Advection;
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::solid::{Body, Shape};
use fluid_num::{
    Boundary, Effect, Error, QuantityParams, Real, Side, Simulation, Source, StableFluids2,
    StableFluidsParams,
};

use crate::ledger;
use crate::paint::{Painter, byte, lay_over, paint_cells};
use crate::scene::{
    Choice, Image, Knob, PRESSURE_SOLVER, Parameter, Pointer, SOR, Scene, Setup, Stats,
    grid_of_area, read_knobs, solver_choice, solver_of, turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "smoke";
/// What it shows.
pub const TITLE: &str = "Smoke: a warm plume around a disc";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [192, 288];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [256, 384];

const AREA: f64 = 1.5;
const DT: f64 = 1.0 / 60.0;
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
    Knob {
        name: "buoyancy, m/s²",
        range: [0.0, 20.0],
        get: |s| s.buoyancy,
        set: |s, v| s.buoyancy = v,
    },
    Knob {
        name: "weight of smoke, m/s²",
        range: [0.0, 5.0],
        get: |s| s.weight,
        set: |s, v| s.weight = v,
    },
    Knob { name: "cooling, 1/s", range: [0.0, 5.0], get: |s| s.cooling, set: |s, v| s.cooling = v },
    Knob { name: "fade, 1/s", range: [0.0, 2.0], get: |s| s.fade, set: |s, v| s.fade = v },
    Knob {
        name: "confinement",
        range: [0.0, 8.0],
        get: |s| s.confinement,
        set: |s, v| s.confinement = v,
    },
    Knob { name: "drag, 1/s", range: [0.0, 2.0], get: |s| s.drag, set: |s, v| s.drag = v },
    Knob {
        name: "nozzle radius, m",
        range: [0.01, 0.3],
        get: |s| s.nozzle,
        set: |s, v| s.nozzle = v,
    },
    Knob {
        name: "most iterations",
        range: [1.0, 1000.0],
        get: |s| s.iterations,
        set: |s, v| s.iterations = v,
    },
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
    fluid: StableFluids2<f32>,
    painter: Painter,
    obstacles: Option<Image>,
    /// Where the disc is drawn to.
    target: Option<[f64; 2]>,
    steps: u64,
}

impl Smoke {
    /// Clear, still air around a disc, or around the dark parts of the picture that `setup` brings.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let grid = grid_of_area(setup.size.unwrap_or(SIZE), AREA)?;
        let settings = Settings::default();
        let mut smoke = Self {
            fluid: StableFluids2::new(grid, settings.params())?,
            settings,
            painter: Painter::new(grid),
            obstacles: setup.obstacles.clone(),
            target: None,
            steps: 0,
        };
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
            self.fluid.bodies_mut().push(disc);
        }
        Ok(())
    }

    fn close_cells(&mut self) {
        if let Some(image) = &self.obstacles {
            let cells = self.fluid.grid().cells();
            self.fluid.close_cells(|cell| {
                let [r, g, b] = image.under(cell, cells);
                r + g + b < 1.5
            });
        }
    }

    /// Gives the disc the velocity that takes it towards its target.
    fn draw_disc(&mut self) -> Result<(), Error> {
        let target = self.target.take();
        let resting = |b: &Body<f32, 2>| b.velocity == [0.0; 2];
        if self.fluid.bodies().is_empty()
            || (target.is_none() && self.fluid.bodies().iter().all(resting))
        {
            return Ok(());
        }
        let disc = &mut self.fluid.bodies_mut()[0];
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
        let (sway, _) = (self.steps as f64 * DT * 2.3).portable_sin_cos();
        let center = [width * (0.5 + 0.012 * sway), height * 0.05].map(|x| x as f32);
        let radius = (self.settings.nozzle * width) as f32;
        let sources = self.fluid.sources_mut();
        sources.clear();
        for quantity in [SMOKE, HEAT] {
            let effect = Effect::Hold { quantity, value: 1.0, rate: 20.0 };
            sources.push(Source { center, radius, effect });
        }
    }

    /// Lays the solids over a picture.
    fn paint_solids(&self, picture: &mut Picture) {
        if let Some(solids) = self.fluid.solids() {
            let fluid_part = solids.cell_fraction();
            let cells = self.fluid.grid().cells();
            lay_over(picture, cells, SOLID_COLOR, |i, j| 1.0 - fluid_part[[i, j]]);
        }
    }
}

impl Scene for Smoke {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn hint(&self) -> &'static str {
        "drag: move the disc"
    }

    fn size(&self) -> [usize; 2] {
        self.fluid.grid().cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.fluid.grid().size().map(f64::from)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.light();
        self.draw_disc()?;
        self.fluid.step(DT as f32)?;
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        // From the middle slowly to the left and to the right.
        let [width, height] = self.extent();
        let (sway, _) = ((self.steps + 1) as f64 * DT * 0.5).portable_sin_cos();
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
        let u = self.fluid.velocity();
        match view {
            1 => {
                let heat = self.fluid.quantity(HEAT)?;
                let map = fluid_adapters::ColorMap::inferno();
                picture.paint_field(heat, &map, 0.0..1.0);
            }
            2 => self.painter.speed(u, picture),
            3 => self.painter.signed_field(self.fluid.pressure(), picture)?,
            4 => self.painter.vorticity(u, picture)?,
            5 => self.painter.divergence(u, picture)?,
            _ => {
                let (smoke, heat) = (self.fluid.quantity(SMOKE)?, self.fluid.quantity(HEAT)?);
                paint_cells(picture, self.fluid.grid().cells(), |i, j| {
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
        self.fluid.set_params(self.settings.params())
    }

    fn choices(&self) -> Vec<Choice> {
        vec![solver_choice(self.settings.solver)]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if let (PRESSURE_SOLVER, Some(kind)) = (name, solver_of(option)) {
            self.settings.solver = kind;
        }
        self.fluid.set_params(self.settings.params())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.fluid = StableFluids2::new(*self.fluid.grid(), self.settings.params())?;
        (self.target, self.steps) = (None, 0);
        self.build()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let grid = grid_of_area(size, AREA)?;
        self.fluid = ledger::stretched(&self.fluid, grid)?;
        self.painter = Painter::new(grid);
        self.close_cells();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let report = self.fluid.report();
        Stats {
            size: self.size(),
            steps: self.steps,
            max_speed: f64::from(self.fluid.velocity().max_abs()),
            max_divergence: f64::from(self.fluid.max_divergence()),
            mass: Some(ledger::mass(&self.fluid.quantities()[SMOKE..=SMOKE])),
            // The nozzle holds a value and the top is open: there is nothing to be kept.
            mass_drift: None,
            pressure_iterations: report.pressure.map(|p| p.iterations as u64),
            pressure_residual: report.pressure.map(|p| f64::from(p.residual)),
            digest: self.fluid.digest(),
            ..Stats::default()
        }
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
