//! The solver of 2003 on the left and the staggered one on the right, stirred alike.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::advection::{Advection, Interpolation};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::schemes::stam2003::{Stam2003, Stam2003Params, Sweep};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid2, QuantityParams, Real, Simulation, Source,
    StableFluidsParams,
};

use crate::ledger::{self, Ledger};
use crate::paint::{Painter, lay_tile, paint_cells};
use crate::scene::{
    Button, Choice, DT, Knob, PRESSURE_SOLVER, Parameter, Pointer, SOR, Scene, Setup, Solve, Stats,
    grid_of_area, knob, read_knobs, solver_choice, solver_of, turn_knob,
};
use crate::stage::Stage;

/// The name on the command line.
pub const NAME: &str = "stam";
/// What it shows.
pub const TITLE: &str = "Stam 2003 (left) and a staggered grid (right)";
/// Its own number of cells: of each half.
pub const SIZE: [usize; 2] = [192, 192];

const AREA: f64 = 1.0;
const VIEWS: &[&str] = &["dye", "speed", "pressure", "vorticity", "divergence"];
const SWEEPS: &str = "sweeps of 2003";

#[derive(Debug)]
struct Settings {
    push: f64,
    dye: f64,
    radius: f64,
    viscosity: f64,
    iterations: f64,
    sweep: Sweep,
    solver: SolverKind<f32>,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(push, "push, 1/s", [0.0, 100.0]),
    knob!(dye, "dye, 1/s", [0.0, 100.0]),
    knob!(radius, "radius, m", [0.01, 0.2]),
    knob!(viscosity, "viscosity, m²/s", [0.0, 0.01]),
    knob!(iterations, "iterations", [1.0, 400.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            push: 20.0,
            dye: 12.0,
            radius: 0.03,
            viscosity: 0.0,
            iterations: 40.0,
            sweep: Sweep::GaussSeidel,
            solver: SOR,
        }
    }
}

impl Settings {
    fn collocated(&self) -> Stam2003Params<f32> {
        Stam2003Params {
            kinematic_viscosity: self.viscosity as f32,
            iterations: self.iterations as usize,
            pressure: self.sweep,
            ..Default::default()
        }
    }

    fn staggered(&self) -> StableFluidsParams<f32, 2> {
        StableFluidsParams {
            kinematic_viscosity: self.viscosity as f32,
            velocity_advection: Advection::SemiLagrangian(Interpolation::Linear),
            pressure_solver: self.solver,
            pressure_budget: Budget::iterations(self.iterations as usize),
            quantities: vec![QuantityParams::dye()],
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Stam {
    settings: Settings,
    left: Stam2003<f32, 2>,
    right: Stage,
    /// The left velocity on faces, for its painter.
    shown: Faces<f32, 2>,
    painter: Painter,
    half: Picture,
    pointers: Vec<Pointer>,
    /// Who made the dye on the left.
    ledger: Ledger,
}

impl Stam {
    /// Two boxes of clear fluid at rest.
    ///
    /// # Errors
    /// A number of cells that no grid or picture has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let right = Stage::new(setup.size.unwrap_or(SIZE), AREA, settings.staggered())?;
        let grid = *right.fluid.grid();
        Ok(Self {
            left: Stam2003::new(grid, settings.collocated())?,
            right,
            shown: Faces::zeros(grid),
            settings,
            painter: Painter::new(grid),
            half: Picture::of_grid(&grid, 1)?,
            pointers: Vec::new(),
            ledger: Ledger::default(),
        })
    }

    /// The edges of one half.
    fn half_extent(&self) -> [f64; 2] {
        self.right.extent()
    }

    /// Stirs both halves where the pointer is in either.
    fn stir(&mut self, mut pointer: Pointer) -> Result<(), Error> {
        let [width, _] = self.half_extent();
        if pointer.position[0] > width {
            pointer.position[0] -= width;
        }
        let Settings { push, dye, radius, .. } = self.settings;
        self.right.push(pointer, push, radius);
        let center = pointer.position.map(|x| x as f32);
        let weights = Weights::new(self.left.grid(), center, radius as f32);
        for axis in 0..2 {
            weights.add(self.left.force_mut(axis), (pointer.delta[axis] * push / DT) as f32);
        }
        if pointer.button == Button::Primary {
            let rate = (dye * pointer.seconds / DT) as f32;
            let effect = Effect::Add { quantity: 0, rate };
            let source = Source { center, radius: radius as f32, effect };
            self.right.fluid.sources_mut().push(source);
            weights.add(self.left.source_mut(), rate);
        }
        Ok(())
    }

    fn adopt(&mut self) -> Result<(), Error> {
        self.left.set_params(self.settings.collocated())?;
        self.right.adopt(self.settings.staggered())
    }

    /// Paints a view of the left half into the small picture.
    fn paint_left(&mut self, view: &str) -> Result<(), Error> {
        // Faces lie between centres: the mean of both neighbours.
        for axis in 0..2 {
            let u = self.left.velocity(axis);
            self.shown[axis].set_from_fn(|p| u.sample(p));
        }
        Boundary::walls().fill_normal(&mut self.shown);
        Boundary::walls().fill_velocity(&mut self.shown);
        if view == "divergence" {
            self.painter.look_at(self.left.divergence())?;
        } else if !self.painter.look(view, &self.shown, self.left.pressure())? {
            paint_dye(self.left.density(), &mut self.half);
            return Ok(());
        }
        self.painter.show(self.painter.scale(), &mut self.half);
        Ok(())
    }

    /// Paints a view of the right half into the small picture.
    fn paint_right(&mut self, view: &str) -> Result<(), Error> {
        if !self.right.paint(view, &mut self.half)? {
            paint_dye(self.right.fluid.quantity(0)?, &mut self.half);
        }
        Ok(())
    }
}

impl Scene for Stam {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag in either half: push and dye; right button: push only"
    }

    fn size(&self) -> [usize; 2] {
        self.right.cells()
    }

    fn extent(&self) -> [f64; 2] {
        let [width, height] = self.half_extent();
        [2.0 * width, height]
    }

    fn picture_size(&self) -> [usize; 2] {
        let [width, height] = self.size();
        [2 * width, height]
    }

    fn step(&mut self) -> Result<(), Error> {
        for pointer in core::mem::take(&mut self.pointers) {
            self.stir(pointer)?;
        }
        let h = f64::from(self.left.grid().dx());
        let given = self.left.source_mut().sum() * DT * h * h;
        let before = ledger::mass(core::slice::from_ref(self.left.density()));
        self.left.step(DT as f32)?;
        self.right.step()?;
        let after = ledger::mass(core::slice::from_ref(self.left.density()));
        self.ledger.give(given);
        self.ledger.step(before + given, after);
        Ok(())
    }

    fn rehearse(&mut self) {
        // An eight on its side, with rests.
        let [width, height] = self.half_extent();
        let at = |step: u64| {
            let t = step as f64 * DT * 1.6;
            let ((x, _), (y, _)) = (t.portable_sin_cos(), (2.0 * t + 0.3).portable_sin_cos());
            [width * (0.5 + 0.3 * x), height * (0.5 + 0.25 * y)]
        };
        if self.right.steps % 240 < 200 {
            self.pointer(Pointer::along(at, self.right.steps, 0));
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let view = VIEWS.get(view).unwrap_or(&VIEWS[0]);
        self.paint_left(view)?;
        lay_tile(picture, [2, 1], [0, 0], &self.half);
        self.paint_right(view)?;
        lay_tile(picture, [2, 1], [1, 0], &self.half);
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
        let chosen = usize::from(self.settings.sweep == Sweep::Jacobi);
        vec![
            Choice { name: SWEEPS, options: vec!["Gauss-Seidel", "Jacobi"], chosen },
            solver_choice(self.settings.solver, false),
        ]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        match (name, option, solver_of(option)) {
            (PRESSURE_SOLVER, _, Some(kind)) => self.settings.solver = kind,
            (SWEEPS, 0, _) => self.settings.sweep = Sweep::GaussSeidel,
            (SWEEPS, 1, _) => self.settings.sweep = Sweep::Jacobi,
            _ => {}
        }
        self.adopt()
    }

    fn reset(&mut self) -> Result<(), Error> {
        let size = Some(self.size());
        let settings = core::mem::take(&mut self.settings);
        *self = Self::new(&Setup { size, ..Setup::default() })?;
        self.settings = settings;
        self.adopt()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let grid = grid_of_area(size, AREA)?;
        let half = Picture::of_grid(&grid, 1)?;
        let mut left = Stam2003::new(grid, self.settings.collocated())?;
        let (from, to) = (self.left.grid().size(), grid.size());
        let scale = [from[0] / to[0], from[1] / to[1]];
        let back = |p: [f32; 2]| [p[0] * scale[0], p[1] * scale[1]];
        for axis in 0..2 {
            let u = self.left.velocity(axis);
            left.velocity_mut(axis).set_from_fn(|p| u.sample(back(p)) / scale[axis]);
        }
        let dye = self.left.density();
        left.density_mut().set_from_fn(|p| dye.sample(back(p)));
        ledger::keep_sum(dye, left.density_mut());
        self.right.resize(size)?;
        self.left = left;
        self.half = half;
        self.shown = Faces::zeros(grid);
        self.painter = Painter::new(grid);
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let (report, right) = (self.left.report(), self.right.stats());
        let max_speed =
            [0, 1].map(|a| self.left.velocity(a).max_abs()).into_iter().fold(0.0, f32::worst);
        let mut more = std::collections::BTreeMap::new();
        more.insert("mac_max_speed", right.max_speed);
        more.insert("mac_max_divergence", right.max_divergence);
        more.insert("mac_mass", self.right.mass());
        Stats {
            size: self.size(),
            steps: right.steps,
            max_speed: f64::from(max_speed),
            max_divergence: f64::from(self.left.divergence().max_abs()),
            mass: Some(ledger::mass(core::slice::from_ref(self.left.density()))),
            mass_drift: Some(self.ledger.drift()),
            pressure_iterations: report.pressure.map(|p| p.iterations as u64),
            pressure_residual: report.pressure.map(|p| f64::from(p.residual)),
            digest: self.left.digest() ^ right.digest.rotate_left(1),
            more,
        }
    }

    fn solves(&mut self) -> Vec<Solve> {
        self.right.solve().into_iter().collect()
    }
}

/// Pale dye on black, which never reaches full white.
fn paint_dye(dye: &Field<f32, 2>, picture: &mut Picture) {
    let map = ColorMap::magma();
    paint_cells(picture, dye.grid().cells(), |i, j| {
        let x = dye[[i, j]].max(0.0);
        let [r, g, b, _] = map.color((255.0 * x / (1.0 + x)) as u8);
        [r, g, b]
    });
}

/// A Gaussian exp(−r²/radius²) about a point, axis by axis: what a [`Source`] does.
struct Weights {
    along: [Vec<f32>; 2],
}

impl Weights {
    fn new(grid: &Grid2<f32>, center: [f32; 2], radius: f32) -> Self {
        let along = [0, 1].map(|axis| {
            let weight = |n: usize| {
                let r = (grid.center([n; 2])[axis] - center[axis]) / radius;
                if r.abs() <= 4.0 { (-r * r).portable_exp() } else { 0.0 }
            };
            (0..grid.cells()[axis]).map(weight).collect()
        });
        Self { along }
    }

    fn add(&self, field: &mut Field<f32, 2>, amount: f32) {
        let [along, across] = &self.along;
        for (j, y) in across.iter().enumerate().filter(|(_, y)| **y > 0.0) {
            for (i, x) in along.iter().enumerate() {
                field[[i, j]] += amount * (x * y);
            }
        }
    }
}
