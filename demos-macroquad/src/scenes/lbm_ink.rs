//! Ink on a lattice: 512² cells, 24 lattice steps a frame, stirred by impulses.
//!
//! A square metre of viscous fluid with walls; what is pressed changes the populations by
//! f_eq(u') − f_eq(u), and three dyes are red, green and blue light.

use fluid_adapters::Picture;
use fluid_num::{Error, LbmParams};

use crate::basin::{Basin, lattice_step};
use crate::ledger::{self, Ledger};
use crate::paint::{amount_of, byte, glow, paint_cells};
use crate::scene::{
    Button, Choice, DT, Image, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob,
    read_knobs, turn_knob,
};
use crate::scenes::ink::hue;

/// The name on the command line.
pub const NAME: &str = "lbm-ink";
/// What it shows.
pub const TITLE: &str = "Lattice ink: stir a viscous fluid (lattice Boltzmann)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [512, 512];

const AREA: f64 = 1.0;
const SUBSTEPS: usize = 24;
const VIEWS: &[&str] = &["dye", "speed", "vorticity", "pressure", "Q-criterion"];

#[derive(Debug)]
struct Settings {
    push: f64,
    push_radius: f64,
    dye: f64,
    dye_radius: f64,
    fade: f64,
    relaxation_time: f64,
    exposure: f64,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(push, "push", [0.0, 2.0]),
    knob!(push_radius, "push radius, m", [0.01, 0.2]),
    knob!(dye, "dye, 1/s", [0.0, 100.0]),
    knob!(dye_radius, "dye radius, m", [0.005, 0.1]),
    knob!(fade, "fade, 1/s", [0.0, 2.0]),
    knob!(relaxation_time, "relaxation time, steps", [0.55, 1.5]),
    knob!(exposure, "exposure", [0.05, 5.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            push: 0.5,
            push_radius: 0.05,
            dye: 14.0,
            dye_radius: 0.022,
            fade: 0.1,
            relaxation_time: 0.8,
            exposure: 0.8,
        }
    }
}

impl Settings {
    fn params(&self, dx: f32) -> LbmParams<f32, 2> {
        let time_step = lattice_step(SUBSTEPS);
        let viscosity_lu = (self.relaxation_time - 0.5) as f32 / 3.0;
        LbmParams {
            kinematic_viscosity: viscosity_lu * dx * dx / time_step,
            time_step,
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct LbmInk {
    settings: Settings,
    basin: Basin,
    ledger: Ledger,
    pointers: Vec<Pointer>,
    dye: Option<Image>,
}

impl LbmInk {
    /// Still, clear water, or the picture that `setup` brings.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        let basin = Basin::new(cells, AREA, [3, SUBSTEPS], &|dx| settings.params(dx))?;
        let (ledger, pointers) = (Ledger::default(), Vec::new());
        let mut ink = Self { settings, basin, ledger, pointers, dye: setup.dye.clone() };
        ink.pour_picture()?;
        Ok(ink)
    }

    /// Makes the dye look like the picture.
    fn pour_picture(&mut self) -> Result<(), Error> {
        let Some(image) = &self.dye else {
            return Ok(());
        };
        let cells = self.basin.cells();
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                for (n, brightness) in image.under([i, j], cells).into_iter().enumerate() {
                    let amount = amount_of(brightness) / self.settings.exposure;
                    self.basin.carried.dye_mut(n)?[[i, j]] = amount as f32;
                }
            }
        }
        self.ledger.give(self.mass());
        Ok(())
    }

    fn mass(&self) -> f64 {
        ledger::mass(self.basin.carried.dyes())
    }

    /// Lets a pointer push along its movement and leave its dye.
    fn stir(&mut self, pointer: Pointer) -> Result<(), Error> {
        let Settings { push, push_radius, dye, dye_radius, .. } = self.settings;
        let at = pointer.position.map(|x| x as f32);
        let change = pointer.delta.map(|d| (push * d / DT) as f32);
        self.basin.lbm.add_impulse(at, push_radius as f32, change)?;
        if pointer.button == Button::Secondary || pointer.delta == [0.0; 2] {
            return Ok(());
        }
        let before = self.mass();
        let color = hue(self.basin.steps as f64 / 300.0 + pointer.finger as f64 * 0.38);
        let amounts = color.map(|part| part * dye * pointer.seconds);
        self.basin.pour(pointer, &amounts, dye_radius)?;
        self.ledger.give(self.mass() - before);
        Ok(())
    }

    fn adopt(&mut self) -> Result<(), Error> {
        self.basin.adopt(&|dx| self.settings.params(dx))
    }
}

impl Scene for LbmInk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: push and dye; right button: push only"
    }

    fn size(&self) -> [usize; 2] {
        self.basin.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.basin.extent()
    }

    fn step(&mut self) -> Result<(), Error> {
        for pointer in core::mem::take(&mut self.pointers) {
            self.stir(pointer)?;
        }
        let before = self.mass();
        self.basin.step()?;
        self.ledger.step(before, self.mass());
        self.basin.fade(self.settings.fade)
    }

    fn rehearse(&mut self) {
        self.pointers.extend(Pointer::hands(self.extent(), self.basin.steps, 1.1, 60));
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        if !self.basin.paint(VIEWS.get(view).unwrap_or(&VIEWS[0]), picture)? {
            let dyes = self.basin.carried.dyes();
            let exposure = self.settings.exposure as f32;
            paint_cells(picture, self.basin.cells(), |i, j| {
                [0, 1, 2].map(|n| byte(glow(dyes[n][[i, j]] * exposure)))
            });
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
        Vec::new()
    }

    fn choose(&mut self, _: &str, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.pointers.clear();
        self.ledger = Ledger::default();
        let settings = &self.settings;
        self.basin.restart(&|dx| settings.params(dx))?;
        self.pour_picture()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let settings = &self.settings;
        self.basin.resize(size, &|dx| settings.params(dx))
    }

    fn stats(&mut self) -> Stats {
        Stats {
            mass: Some(self.mass()),
            mass_drift: Some(self.ledger.drift()),
            ..self.basin.stats()
        }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
