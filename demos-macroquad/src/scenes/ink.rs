//! Coloured ink that a pointer stirs.
//!
//! A square of 500 × 500 units with a step of 1/60 s: what is pressed pushes the fluid along its
//! movement and leaves dye, both as Gaussians; three dyes are red, green and blue light; dye fades.

use fluid_adapters::Picture;
use fluid_num::advection::{Advection, Interpolation};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::{
    Effect, Error, QuantityParams, Real, Simulation, Source, StableFluids2, StableFluidsParams,
};

use crate::ledger::{self, Ledger};
use crate::paint::{Painter, amount_of, byte, glow, paint_cells};
use crate::scene::{
    Button, Choice, Image, Knob, PRESSURE_SOLVER, Parameter, Pointer, SOR, Scene, Setup, Stats,
    grid_of_area, read_knobs, solver_choice, solver_of, turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "ink";
/// What it shows.
pub const TITLE: &str = "Ink: stir coloured dye";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [512, 512];

const AREA: f64 = 500.0 * 500.0;
const DT: f64 = 1.0 / 60.0;
const VIEWS: &[&str] = &["dye", "speed", "pressure", "vorticity", "divergence"];
const CARRYING: &str = "dye advection";
const CARRIERS: [(&str, Advection); 3] = [
    ("MacCormack", Advection::MacCormack),
    ("linear", Advection::SemiLagrangian(Interpolation::Linear)),
    ("cubic", Advection::SemiLagrangian(Interpolation::ClampedCubic)),
];

#[derive(Debug)]
struct Settings {
    push: f64,
    push_radius: f64,
    dye: f64,
    dye_radius: f64,
    fade: f64,
    viscosity: f64,
    confinement: f64,
    iterations: f64,
    exposure: f64,
    solver: SolverKind<f32>,
    carrier: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    Knob { name: "push, 1/s", range: [0.0, 100.0], get: |s| s.push, set: |s, v| s.push = v },
    Knob {
        name: "push radius",
        range: [2.0, 60.0],
        get: |s| s.push_radius,
        set: |s, v| s.push_radius = v,
    },
    Knob { name: "dye, 1/s", range: [0.0, 200.0], get: |s| s.dye, set: |s, v| s.dye = v },
    Knob {
        name: "dye radius",
        range: [2.0, 60.0],
        get: |s| s.dye_radius,
        set: |s, v| s.dye_radius = v,
    },
    Knob { name: "fade, 1/s", range: [0.0, 2.0], get: |s| s.fade, set: |s, v| s.fade = v },
    Knob {
        name: "viscosity",
        range: [0.0, 500.0],
        get: |s| s.viscosity,
        set: |s, v| s.viscosity = v,
    },
    Knob {
        name: "confinement",
        range: [0.0, 8.0],
        get: |s| s.confinement,
        set: |s, v| s.confinement = v,
    },
    Knob {
        name: "iterations",
        range: [10.0, 400.0],
        get: |s| s.iterations,
        set: |s, v| s.iterations = v,
    },
    Knob { name: "exposure", range: [0.05, 5.0], get: |s| s.exposure, set: |s, v| s.exposure = v },
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            push: 30.0,
            push_radius: 13.0,
            dye: 18.0,
            dye_radius: 13.0,
            fade: 0.15,
            viscosity: 0.0,
            confinement: 0.0,
            iterations: 40.0,
            exposure: 0.8,
            // The scene is known with 100 Jacobi iterations. At 512² they leave so much divergence
            // that in two seconds stirring makes four times the dye that was put in; 40 of SOR make
            // a few hundredths in the same time of computing.
            solver: SOR,
            carrier: 0,
        }
    }
}

impl Settings {
    fn params(&self) -> StableFluidsParams<f32, 2> {
        let dye = QuantityParams {
            decay: self.fade as f32,
            advection: CARRIERS[self.carrier].1,
            ..QuantityParams::dye()
        };
        StableFluidsParams {
            kinematic_viscosity: self.viscosity as f32,
            vorticity_confinement: self.confinement as f32,
            velocity_advection: Advection::MacCormack,
            pressure_solver: self.solver,
            pressure_budget: Budget::iterations(self.iterations as usize),
            quantities: vec![dye; 3],
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Ink {
    settings: Settings,
    fluid: StableFluids2<f32>,
    painter: Painter,
    pointers: Vec<Pointer>,
    dye: Option<Image>,
    ledger: Ledger,
    steps: u64,
}

impl Ink {
    /// Still, clear water, or the picture that `setup` brings.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let grid = grid_of_area(setup.size.unwrap_or(SIZE), AREA)?;
        let settings = Settings::default();
        let mut ink = Self {
            fluid: StableFluids2::new(grid, settings.params())?,
            settings,
            painter: Painter::new(grid),
            pointers: Vec::new(),
            dye: setup.dye.clone(),
            ledger: Ledger::default(),
            steps: 0,
        };
        ink.pour_picture()?;
        Ok(ink)
    }

    /// Makes the dye look like the picture.
    fn pour_picture(&mut self) -> Result<(), Error> {
        let Some(image) = &self.dye else {
            return Ok(());
        };
        let cells = self.fluid.grid().cells();
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let color = image.under([i, j], cells);
                for (n, brightness) in color.into_iter().enumerate() {
                    let amount = amount_of(brightness) / self.settings.exposure;
                    self.fluid.quantity_mut(n)?[[i, j]] = amount as f32;
                }
            }
        }
        self.ledger.give(ledger::mass(self.fluid.quantities()));
        Ok(())
    }

    /// Lets a pointer leave its dye now and push in the coming step.
    fn stir(&mut self, pointer: Pointer) -> Result<(), Error> {
        let center = pointer.position.map(|x| x as f32);
        let push = pointer.delta.map(|d| (d * self.settings.push / DT) as f32);
        self.fluid.sources_mut().push(Source {
            center,
            radius: self.settings.push_radius as f32,
            effect: Effect::Accelerate(push),
        });
        if pointer.button == Button::Secondary || pointer.delta == [0.0; 2] {
            return Ok(());
        }
        let before = ledger::mass(self.fluid.quantities());
        let color = hue(self.steps as f64 / 400.0 + pointer.finger as f64 * 0.38);
        for (quantity, part) in color.into_iter().enumerate() {
            let source = Source {
                center,
                radius: self.settings.dye_radius as f32,
                effect: Effect::Add { quantity, rate: (part * self.settings.dye) as f32 },
            };
            self.fluid.apply_source(&source, pointer.seconds as f32)?;
        }
        self.ledger.give(ledger::mass(self.fluid.quantities()) - before);
        Ok(())
    }

    fn adopt(&mut self) -> Result<(), Error> {
        self.fluid.set_params(self.settings.params())
    }
}

impl Scene for Ink {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn hint(&self) -> &'static str {
        "drag: push and dye; right button: push only"
    }

    fn size(&self) -> [usize; 2] {
        self.fluid.grid().cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.fluid.grid().size().map(f64::from)
    }

    fn step(&mut self) -> Result<(), Error> {
        for n in 0..self.pointers.len() {
            self.stir(self.pointers[n])?;
        }
        self.pointers.clear();
        let before = ledger::mass(self.fluid.quantities());
        let done = self.fluid.step(DT as f32);
        self.fluid.sources_mut().clear();
        done?;
        let kept = (-self.settings.fade * DT).portable_exp();
        self.ledger.step(before * kept, ledger::mass(self.fluid.quantities()));
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        // Two hands on Lissajous paths of different colours; they rest a while now and then.
        let extent = self.extent();
        for finger in 0..2 {
            let at = |step: u64| {
                let t = step as f64 * DT * 0.8;
                let (x, _) = (1.3 * t + 3.1 * finger as f64).portable_sin_cos();
                let (y, _) = (1.9 * t + 1.2 + 2.0 * finger as f64).portable_sin_cos();
                [extent[0] * (0.5 + 0.33 * x), extent[1] * (0.5 + 0.33 * y)]
            };
            let (from, position) = (at(self.steps), at(self.steps + 1));
            if (self.steps / 90 + finger) % 3 != 2 {
                self.pointer(Pointer {
                    position,
                    delta: [position[0] - from[0], position[1] - from[1]],
                    seconds: DT,
                    button: Button::Primary,
                    finger,
                });
            }
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let u = self.fluid.velocity();
        match view {
            1 => self.painter.speed(u, picture),
            2 => self.painter.signed_field(self.fluid.pressure(), picture)?,
            3 => self.painter.vorticity(u, picture)?,
            4 => self.painter.divergence(u, picture)?,
            _ => {
                let dyes = self.fluid.quantities();
                let exposure = self.settings.exposure as f32;
                paint_cells(picture, self.fluid.grid().cells(), |i, j| {
                    [0, 1, 2].map(|n| byte(glow(dyes[n][[i, j]] * exposure)))
                });
            }
        }
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.adopt()
    }

    fn choices(&self) -> Vec<Choice> {
        let options = CARRIERS.iter().map(|c| c.0).collect();
        vec![
            solver_choice(self.settings.solver),
            Choice { name: CARRYING, options, chosen: self.settings.carrier },
        ]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        match (name, solver_of(option)) {
            (PRESSURE_SOLVER, Some(kind)) => self.settings.solver = kind,
            (CARRYING, _) if option < CARRIERS.len() => self.settings.carrier = option,
            _ => {}
        }
        self.adopt()
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.fluid = StableFluids2::new(*self.fluid.grid(), self.settings.params())?;
        self.pointers.clear();
        (self.ledger, self.steps) = (Ledger::default(), 0);
        self.pour_picture()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let grid = grid_of_area(size, AREA)?;
        self.fluid = ledger::stretched(&self.fluid, grid)?;
        self.painter = Painter::new(grid);
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let report = self.fluid.report();
        Stats {
            size: self.size(),
            steps: self.steps,
            max_speed: f64::from(self.fluid.velocity().max_abs()),
            max_divergence: f64::from(self.fluid.max_divergence()),
            mass: Some(ledger::mass(self.fluid.quantities())),
            mass_drift: Some(self.ledger.drift()),
            pressure_iterations: report.pressure.map(|p| p.iterations as u64),
            pressure_residual: report.pressure.map(|p| f64::from(p.residual)),
            digest: self.fluid.digest(),
            ..Stats::default()
        }
    }
}

/// The colour of a place on the colour wheel: 0 and 1 are red, 1/3 green, 2/3 blue.
fn hue(place: f64) -> [f64; 3] {
    [0.0, 2.0, 4.0].map(|own| {
        let away = (place.fract() * 6.0 + 6.0 - own) % 6.0;
        (2.0 - away.min(6.0 - away)).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_wheel_passes_through_the_pure_colours() {
        let colors = [0, 1, 2, 3, 4, 5].map(|n| hue(n as f64 / 6.0).map(f64::round));
        let expected = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]];
        assert_eq!(colors, expected.map(|c| c.map(f64::from)));
    }
}
