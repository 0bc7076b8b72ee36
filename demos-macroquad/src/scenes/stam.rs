//! The solver of 2003 on the left and the staggered one on the right, stirred alike.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::advection::{Advection, Interpolation};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::schemes::stam2003::{Stam2003, Stam2003Params, Sweep};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid2, QuantityParams, Real, Simulation, Source,
    StableFluids2, StableFluidsParams,
};

use crate::ledger::{self, Ledger};
use crate::paint::{Painter, paint_cells};
use crate::scene::{
    Button, Choice, Knob, PRESSURE_SOLVER, Parameter, Pointer, SOR, Scene, Setup, Stats,
    grid_of_area, read_knobs, solver_choice, solver_of, turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "stam";
/// What it shows.
pub const TITLE: &str = "Stam 2003 (left) and a staggered grid (right)";
/// Its own number of cells: of each half.
pub const SIZE: [usize; 2] = [192, 192];

const AREA: f64 = 1.0;
const DT: f64 = 1.0 / 60.0;
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
    Knob { name: "push, 1/s", range: [0.0, 100.0], get: |s| s.push, set: |s, v| s.push = v },
    Knob { name: "dye, 1/s", range: [0.0, 100.0], get: |s| s.dye, set: |s, v| s.dye = v },
    Knob { name: "radius, m", range: [0.01, 0.2], get: |s| s.radius, set: |s, v| s.radius = v },
    Knob {
        name: "viscosity, m²/s",
        range: [0.0, 0.01],
        get: |s| s.viscosity,
        set: |s, v| s.viscosity = v,
    },
    Knob {
        name: "iterations",
        range: [1.0, 400.0],
        get: |s| s.iterations,
        set: |s, v| s.iterations = v,
    },
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
    right: StableFluids2<f32>,
    /// The left velocity on faces, for the painter.
    shown: Faces<f32, 2>,
    painter: Painter,
    half: Picture,
    pointers: Vec<Pointer>,
    ledger: Ledger,
    steps: u64,
}

impl Stam {
    /// Two boxes of clear fluid at rest.
    ///
    /// # Errors
    /// A number of cells that no grid or picture has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let grid = grid_of_area(setup.size.unwrap_or(SIZE), AREA)?;
        let settings = Settings::default();
        Ok(Self {
            left: Stam2003::new(grid, settings.collocated())?,
            right: StableFluids2::new(grid, settings.staggered())?,
            shown: Faces::zeros(grid),
            settings,
            painter: Painter::new(grid),
            half: Picture::of_grid(&grid, 1)?,
            pointers: Vec::new(),
            ledger: Ledger::default(),
            steps: 0,
        })
    }

    /// The edges of one half.
    fn half_extent(&self) -> [f64; 2] {
        self.right.grid().size().map(f64::from)
    }

    /// Stirs both halves where the pointer is in either.
    fn stir(&mut self, pointer: Pointer) -> Result<(), Error> {
        let width = self.half_extent()[0];
        let [mut x, y] = pointer.position;
        if x > width {
            x -= width;
        }
        let (center, radius) = ([x as f32, y as f32], self.settings.radius as f32);
        let push = pointer.delta.map(|d| (d * self.settings.push / DT) as f32);
        let rate = match pointer.button {
            Button::Primary => (self.settings.dye * pointer.seconds / DT) as f32,
            Button::Secondary => 0.0,
        };
        let sources = self.right.sources_mut();
        sources.push(Source { center, radius, effect: Effect::Accelerate(push) });
        sources.push(Source { center, radius, effect: Effect::Add { quantity: 0, rate } });
        let weights = Weights::new(self.left.grid(), center, radius);
        for axis in 0..2 {
            weights.add(self.left.force_mut(axis), push[axis]);
        }
        weights.add(self.left.source_mut(), rate);
        Ok(())
    }

    fn adopt(&mut self) -> Result<(), Error> {
        self.left.set_params(self.settings.collocated())?;
        self.right.set_params(self.settings.staggered())
    }

    /// Paints one half of a view into the small picture.
    fn paint_half(&mut self, view: usize, right: bool) -> Result<(), Error> {
        let picture = &mut self.half;
        if !right {
            // Faces lie between centres: the mean of both neighbours.
            for axis in 0..2 {
                let u = self.left.velocity(axis);
                self.shown[axis].set_from_fn(|p| u.sample(p));
            }
            Boundary::walls().fill_normal(&mut self.shown);
            Boundary::walls().fill_velocity(&mut self.shown);
        }
        let u = if right { self.right.velocity() } else { &self.shown };
        match view {
            1 => self.painter.speed(u, picture),
            2 if right => self.painter.signed_field(self.right.pressure(), picture)?,
            2 => self.painter.signed_field(self.left.pressure(), picture)?,
            3 => self.painter.vorticity(u, picture)?,
            4 if right => self.painter.divergence(u, picture)?,
            4 => self.painter.signed_field(self.left.divergence(), picture)?,
            _ => {
                let dye = if right { self.right.quantity(0)? } else { self.left.density() };
                let map = ColorMap::magma();
                let cells = dye.grid().cells();
                paint_cells(picture, cells, |i, j| {
                    let x = dye[[i, j]].max(0.0);
                    let [r, g, b, _] = map.color((255.0 * x / (1.0 + x)) as u8);
                    [r, g, b]
                });
            }
        }
        Ok(())
    }
}

impl Scene for Stam {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn hint(&self) -> &'static str {
        "drag in either half: push and dye; right button: push only"
    }

    fn size(&self) -> [usize; 2] {
        self.right.grid().cells()
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
        for n in 0..self.pointers.len() {
            self.stir(self.pointers[n])?;
        }
        self.pointers.clear();
        let h = f64::from(self.left.grid().dx());
        let given = self.left.source_mut().sum() * DT * h * h;
        let before = ledger::mass(core::slice::from_ref(self.left.density()));
        self.left.step(DT as f32)?;
        let done = self.right.step(DT as f32);
        self.right.sources_mut().clear();
        done?;
        let after = ledger::mass(core::slice::from_ref(self.left.density()));
        self.ledger.give(given);
        self.ledger.step(before + given, after);
        self.steps += 1;
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
        let (from, position) = (at(self.steps), at(self.steps + 1));
        if self.steps % 240 < 200 {
            self.pointer(Pointer {
                position,
                delta: [position[0] - from[0], position[1] - from[1]],
                seconds: DT,
                button: Button::Primary,
                finger: 0,
            });
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let (width, height) = (picture.width(), picture.height());
        for right in [false, true] {
            self.paint_half(view, right)?;
            let (w, h) = (self.half.width(), self.half.height());
            let bytes = self.half.bytes();
            for (y, row) in picture.bytes_mut().chunks_exact_mut(width * 4).enumerate() {
                let from = &bytes[y * h / height * w * 4..][..w * 4];
                for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                    let column = x * 2 * w / width;
                    if (column >= w) == right {
                        pixel.copy_from_slice(&from[column % w * 4..][..4]);
                    }
                }
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
        let chosen = usize::from(self.settings.sweep == Sweep::Jacobi);
        vec![
            Choice { name: SWEEPS, options: vec!["Gauss-Seidel", "Jacobi"], chosen },
            solver_choice(self.settings.solver),
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
        self.right = ledger::stretched(&self.right, grid)?;
        self.left = left;
        self.half = half;
        self.shown = Faces::zeros(grid);
        self.painter = Painter::new(grid);
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let report = self.left.report();
        let max_speed =
            [0, 1].map(|a| self.left.velocity(a).max_abs()).into_iter().fold(0.0, f32::worst);
        let mut more = std::collections::BTreeMap::new();
        more.insert("mac_max_speed", f64::from(self.right.velocity().max_abs()));
        more.insert("mac_max_divergence", f64::from(self.right.max_divergence()));
        more.insert("mac_mass", ledger::mass(self.right.quantities()));
        Stats {
            size: self.size(),
            steps: self.steps,
            max_speed: f64::from(max_speed),
            max_divergence: f64::from(self.left.divergence().max_abs()),
            mass: Some(ledger::mass(core::slice::from_ref(self.left.density()))),
            mass_drift: Some(self.ledger.drift()),
            pressure_iterations: report.pressure.map(|p| p.iterations as u64),
            pressure_residual: report.pressure.map(|p| f64::from(p.residual)),
            digest: self.left.digest() ^ self.right.digest().rotate_left(1),
            more,
        }
    }
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
