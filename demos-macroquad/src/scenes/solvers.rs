//! One stirred fluid under six pressure solvers, side by side.
//!
//! Every panel is stirred alike and its solver may do the same work in a step, counted in sweeps
//! over the grid. What a solver leaves undone can be seen: where the pressure has not come far, fluid
//! piles up before the hand instead of making way, and dye appears from nowhere. The residual alone
//! does not tell: it is relative to what is to be solved, and a poor solver leaves itself much.

use fluid_adapters::Picture;
use fluid_num::advection::Advection;
use fluid_num::base::digest::Digest;
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::{Error, Field, QuantityParams, Real, StableFluidsParams};

use crate::lettering::Lettering;
use crate::paint::{byte, glow, lay_tile, paint_cells, part, shade};
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    solvers, turn_knob,
};
use crate::stage::Stage;

/// The name on the command line.
pub const NAME: &str = "solvers";
/// What it shows.
pub const TITLE: &str = "Solvers: one fluid under six pressure solvers";
/// Its own number of cells: of each panel.
pub const SIZE: [usize; 2] = [192, 192];
/// The same in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [320, 320];

const AREA: f64 = 1.0;
const VIEWS: &[&str] = &["dye", "speed", "pressure", "vorticity", "divergence"];
const WHITE: [u8; 3] = [255; 3];
const PALE: [u8; 3] = [196, 206, 222];
const RULE: [u8; 3] = [44, 49, 60];
/// Columns and rows of panels.
const PANELS: [usize; 2] = [3, 2];
/// The dye of the first and of the second hand: warm and cold light.
const DYES: [[f32; 3]; 2] = [[1.0, 0.24, 0.02], [0.02, 0.26, 1.0]];

/// Which solvers are worth a panel, in order of preference, and the work of an iteration of each, in
/// sweeps: products with the matrix or relaxations of all cells, and as much for a few sums. What is
/// not listed comes last, at one sweep.
const WANTED: [(&str, f64); 6] = [
    ("Jacobi", 1.0),
    ("Poisson filter", 16.0),
    ("SOR", 1.0),
    ("CG (Jacobi)", 2.0),
    ("multigrid", 8.0),
    ("spectral", 16.0),
];

/// The solvers that get a panel, in the order of [`SolverKind::all`].
fn shown() -> Vec<SolverKind<f32>> {
    let rank = |kind: &SolverKind<f32>| {
        WANTED.iter().position(|(name, _)| *name == kind.name()).unwrap_or(WANTED.len())
    };
    let mut ranked: Vec<_> = solvers().enumerate().collect();
    ranked.sort_by_key(|(_, kind)| rank(kind));
    ranked.truncate(PANELS[0] * PANELS[1]);
    ranked.sort_by_key(|(place, _)| *place);
    ranked.into_iter().map(|(_, kind)| kind).collect()
}

#[derive(Debug)]
struct Settings {
    push: f64,
    dye: f64,
    radius: f64,
    fade: f64,
    work: f64,
    exposure: f64,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(work, "work, sweeps a step", [1.0, 200.0]),
    knob!(push, "push, 1/s", [0.0, 100.0]),
    knob!(dye, "dye, 1/s", [0.0, 200.0]),
    knob!(radius, "radius, m", [0.01, 0.2]),
    knob!(fade, "fade, 1/s", [0.0, 2.0]),
    knob!(exposure, "exposure", [0.05, 5.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { push: 30.0, dye: 18.0, radius: 0.035, fade: 0.35, work: 16.0, exposure: 0.8 }
    }
}

impl Settings {
    fn params(&self, solver: SolverKind<f32>) -> StableFluidsParams<f32, 2> {
        let cost = WANTED.iter().find(|(name, _)| *name == solver.name()).map_or(1.0, |w| w.1);
        let dye = QuantityParams {
            decay: self.fade as f32,
            advection: Advection::MacCormack,
            ..QuantityParams::dye()
        };
        StableFluidsParams {
            velocity_advection: Advection::MacCormack,
            pressure_solver: solver,
            pressure_budget: Budget::iterations((self.work / cost).max(1.0) as usize),
            quantities: vec![dye; DYES.len()],
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Solvers {
    settings: Settings,
    panels: Vec<Stage>,
    tile: Picture,
    pointers: Vec<Pointer>,
    lettering: Lettering,
}

impl Solvers {
    /// Six boxes of clear fluid at rest.
    ///
    /// # Errors
    /// A number of cells that no grid or picture has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let cells = setup.size.unwrap_or(SIZE);
        let settings = Settings::default();
        let panel = |solver| Stage::new(cells, AREA, settings.params(solver));
        Ok(Self {
            panels: shown().into_iter().map(panel).collect::<Result<_, _>>()?,
            settings,
            tile: Picture::new(cells[0], cells[1])?,
            pointers: Vec::new(),
            lettering: Lettering::new(),
        })
    }

    /// The edges of one panel.
    fn panel_extent(&self) -> [f64; 2] {
        self.panels[0].extent()
    }

    /// Stirs all panels where the pointer is in any.
    fn stir(&mut self, mut pointer: Pointer) -> Result<(), Error> {
        let extent = self.panel_extent();
        for axis in 0..2 {
            let last = (PANELS[axis] - 1) as f64;
            let panel = (pointer.position[axis] / extent[axis]).floor().clamp(0.0, last);
            pointer.position[axis] -= panel * extent[axis];
        }
        let Settings { push, dye, radius, .. } = self.settings;
        let mut rates = [0.0; DYES.len()];
        rates[pointer.finger as usize % DYES.len()] = dye;
        for panel in &mut self.panels {
            panel.push(pointer, push, radius);
            if pointer.button == Button::Primary && pointer.delta != [0.0; 2] {
                panel.pour(pointer, &rates, radius)?;
            }
        }
        Ok(())
    }

    /// Writes what solves a panel and how well over its lower rim.
    fn label(&self, at: [usize; 2], solve: &Solve, picture: &mut Picture) {
        let columns = part(picture.width(), PANELS[0], at[0]);
        let rows = part(picture.height(), PANELS[1], at[1]);
        let title = (columns.len() as f32 / 20.0).max(11.0);
        let small = title * 0.8;
        let height = (title * 2.9) as usize;
        if columns.len() < 180 || rows.len() < 3 * height {
            return;
        }
        for row in 0..height {
            let opacity = 0.8 * (row as f32 / height as f32).sqrt();
            let y = rows.end - height + row;
            shade(picture, [columns.clone(), y..y + 1], [6, 8, 12], opacity);
        }
        let margin = (title * 0.6) as usize;
        let base = [1.45, 0.45].map(|lines| rows.end - (lines * title) as usize);
        let mut write = |row: usize, size: f32, color, left: &str, right: &str| {
            let end = columns.end - margin - self.lettering.width(small, right) as usize;
            let start = columns.start + margin;
            self.lettering.write(picture, [start, base[row]], size, color, left);
            self.lettering.write(picture, [end, base[row]], small, PALE, right);
        };
        write(0, title, WHITE, solve.solver, &format!("{:.2} ms", solve.ms));
        let residual = format!("residual {}", short(solve.residual));
        write(1, small, PALE, &residual, &format!("∇·u {} /s", short(solve.divergence)));
    }
}

/// The column and row, row 0 on top, of a panel.
fn place_of(panel: usize) -> [usize; 2] {
    [panel % PANELS[0], panel / PANELS[0]]
}

impl Scene for Solvers {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag in any panel: push and dye; right button: push only"
    }

    fn size(&self) -> [usize; 2] {
        self.panels[0].cells()
    }

    fn extent(&self) -> [f64; 2] {
        let [width, height] = self.panel_extent();
        [width * PANELS[0] as f64, height * PANELS[1] as f64]
    }

    fn picture_size(&self) -> [usize; 2] {
        let [width, height] = self.size();
        [width * PANELS[0], height * PANELS[1]]
    }

    fn step(&mut self) -> Result<(), Error> {
        for pointer in core::mem::take(&mut self.pointers) {
            self.stir(pointer)?;
        }
        self.panels.iter_mut().try_for_each(|panel| panel.step_fading(self.settings.fade))
    }

    fn rehearse(&mut self) {
        // Two hands that meet and part.
        let [width, height] = self.panel_extent();
        let step = self.panels[0].steps;
        for finger in 0..2 {
            let side = if finger == 0 { 1.0 } else { -1.0 };
            let at = |step: u64| {
                let t = step as f64 * DT;
                let ((x, _), (y, _)) = ((1.7 * t).portable_sin_cos(), (2.9 * t).portable_sin_cos());
                [width * (0.5 + side * 0.3 * x), height * (0.5 + side * 0.3 * y)]
            };
            self.pointer(Pointer::along(at, step, finger));
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
        // One scale for all: what a panel shows can be compared with its neighbours.
        let mut scale = None;
        for panel in &mut self.panels {
            if panel.look(view)? {
                scale = Some(panel.painter.scale().worst(scale.unwrap_or(0.0)));
            }
        }
        for n in 0..self.panels.len() {
            let (at, panel) = (place_of(n), &self.panels[n]);
            match scale {
                Some(scale) => panel.painter.show(scale, &mut self.tile),
                None => paint_dyes(panel, self.settings.exposure as f32, &mut self.tile),
            }
            lay_tile(picture, PANELS, at, &self.tile);
            if let Some(solve) = self.panels[n].solve() {
                self.label(at, &solve, picture);
            }
        }
        rule_off(picture);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let settings = &self.settings;
        self.panels.iter_mut().try_for_each(|panel| {
            let solver = panel.fluid.params().pressure_solver;
            panel.adopt(settings.params(solver))
        })
    }

    fn choices(&self) -> Vec<Choice> {
        Vec::new()
    }

    fn choose(&mut self, _name: &str, _option: usize) -> Result<(), Error> {
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.pointers.clear();
        self.panels.iter_mut().try_for_each(|panel| panel.restart(panel.fluid.params().clone()))
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let tile = Picture::new(size[0], size[1])?;
        self.panels.iter_mut().try_for_each(|panel| panel.resize(size))?;
        self.tile = tile;
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let panels: Vec<_> = self.panels.iter_mut().map(Stage::stats_with_dye).collect();
        let worst = |what: &dyn Fn(&Stats) -> Option<f64>| {
            panels.iter().filter_map(what).reduce(|a, b| if b.abs() > a.abs() { b } else { a })
        };
        Stats {
            size: self.size(),
            steps: panels[0].steps,
            max_speed: worst(&|s| Some(s.max_speed)).unwrap_or(0.0),
            max_divergence: worst(&|s| Some(s.max_divergence)).unwrap_or(0.0),
            mass: Some(panels.iter().filter_map(|s| s.mass).sum()),
            mass_drift: worst(&|s| s.mass_drift),
            pressure_iterations: panels.iter().filter_map(|s| s.pressure_iterations).max(),
            pressure_residual: worst(&|s| s.pressure_residual),
            digest: panels.iter().fold(Digest::new(), |all, s| all.word(s.digest)).finish(),
            ..Stats::default()
        }
    }

    fn solves(&mut self) -> Vec<Solve> {
        self.panels.iter_mut().filter_map(Stage::solve).collect()
    }
}

/// A positive number in two digits or, where it is large, to the unit.
fn short(x: f64) -> String {
    match x {
        10.0.. => format!("{x:.0}"),
        1.0.. => format!("{x:.1}"),
        0.1.. => format!("{x:.2}"),
        0.01.. => format!("{x:.3}"),
        _ => format!("{x:.1e}"),
    }
}

/// Draws lines between the panels.
fn rule_off(picture: &mut Picture) {
    let (width, height) = (picture.width(), picture.height());
    for column in 1..PANELS[0] {
        let x = part(width, PANELS[0], column).start;
        shade(picture, [x..x + 1, 0..height], RULE, 1.0);
    }
    for row in 1..PANELS[1] {
        let y = part(height, PANELS[1], row).start;
        shade(picture, [0..width, y..y + 1], RULE, 1.0);
    }
}

/// Two dyes as light on black.
fn paint_dyes(panel: &Stage, exposure: f32, picture: &mut Picture) {
    let dyes = panel.fluid.quantities();
    paint_cells(picture, panel.cells(), |i, j| {
        [0, 1, 2].map(|channel| {
            let light = |(dye, color): (&Field<f32, 2>, &[f32; 3])| dye[[i, j]] * color[channel];
            byte(glow(dyes.iter().zip(&DYES).map(light).sum::<f32>() * exposure))
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let numbers = [328.8, 25.04, 2.51, 0.623, 0.0208, 0.00123, 0.0].map(short);
        assert_eq!(numbers, ["329", "25", "2.5", "0.62", "0.021", "1.2e-3", "0.0e0"]);
    }

    #[test]
    fn six_different_solvers_get_a_panel_and_the_same_work() {
        let kinds = shown();
        let mut names: Vec<_> = kinds.iter().map(SolverKind::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 6);
        assert!(["Jacobi", "SOR", "multigrid"].iter().all(|name| names.contains(name)));
        let settings = Settings { work: 32.0, ..Settings::default() };
        let iterations = |name: &str| {
            let kind = kinds.iter().find(|kind| kind.name() == name).unwrap();
            settings.params(*kind).pressure_budget.iterations
        };
        assert_eq!([iterations("Jacobi"), iterations("multigrid")], [32, 4]);
    }
}
