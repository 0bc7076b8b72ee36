//! Wind over a meadow: grass that bends, leaves, somebody who runs, and explosions.
//!
//! The volume of wind follows the runner by whole cells; whoever watches from the side sees nothing of
//! that, from above it shows as a frame.

mod paint;

use fluid_adapters::Picture;
use fluid_num::base::digest::Digest;
use fluid_num::{Error, Gusts, Motor, Real, Simulation, Wind3, WindParams};

use crate::meadow::{Meadow, hash, part};
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "wind";
/// What it shows.
pub const TITLE: &str = "Wind: a meadow, a runner and explosions (a volume that follows)";
/// Its own number of cells along x and y.
pub const SIZE: [usize; 2] = [32, 16];

/// The area of the volume seen from the side, m².
const AREA: f64 = 48.0 * 24.0;
/// The most cells along z.
const DEEPEST: usize = 32;
const PICTURE: [usize; 2] = [800, 450];
const VIEWS: &[&str] = &["side", "above", "speed"];
const GUSTS: &str = "gusts";
const KINDS: [&str; 2] = ["waves", "whirls"];
const LEAVES: usize = 320;
/// Half of the box around the runner in which leaves are, m.
const AROUND: [f32; 3] = [22.0, 10.0, 20.0];
/// How long an explosion glows, and the least time between two, steps.
const FLASH: u64 = 45;
const PAUSE: u64 = 15;
/// The blast's reach, m.
const BLAST: f32 = 7.0;
/// A stride of the runner, m.
const STRIDE: f32 = 1.5;

#[derive(Debug, Clone, Copy)]
struct Settings {
    wind: f64,
    gusts: f64,
    relaxation: f64,
    sweeps: f64,
    pace: f64,
    blast: f64,
    whirls: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(wind, "wind, m/s", [0.0, 15.0]),
    knob!(gusts, "strength of gusts, m/s", [0.0, 6.0]),
    knob!(relaxation, "relaxation, s", [0.2, 6.0]),
    knob!(sweeps, "swirl sweeps", [0.0, 16.0]),
    knob!(pace, "pace of the runner, m/s", [0.0, 9.0]),
    knob!(blast, "blast, m/s", [5.0, 60.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            wind: 4.0,
            gusts: 3.0,
            relaxation: 1.6,
            sweeps: 0.0,
            pace: 5.5,
            blast: 30.0,
            whirls: 0,
        }
    }
}

impl Settings {
    fn params(&self, cells: [usize; 2]) -> WindParams<f32, 3> {
        let [nx, ny] = cells.map(|n| n.max(4));
        let gusts = Gusts {
            speed: self.gusts as f32,
            length: 9.0,
            seed: 12,
            divergence_free: self.whirls == 1,
        };
        WindParams {
            cells: [nx, ny, nx.min(DEEPEST)],
            cell_size: (AREA / (nx * ny) as f64).sqrt() as f32,
            ambient: [0.92, 0.0, -0.39].map(|d| d * self.wind as f32),
            relaxation_time: self.relaxation as f32,
            viscosity: 0.6,
            swirl_sweeps: self.sweeps as usize,
            gusts: Some(gusts),
            ..Default::default()
        }
    }
}

/// Somebody who runs.
#[derive(Debug, Clone, Copy)]
struct Runner {
    place: [f32; 3],
    /// The direction along x and z.
    heading: [f32; 2],
    way: f32,
    /// Where a pointer sent them.
    target: Option<[f32; 2]>,
}

impl Runner {
    const START: Self = Self { place: [0.0; 3], heading: [1.0, 0.0], way: 0.0, target: None };

    fn step(&mut self, pace: f32, time: f64) {
        let turn = 0.45 * (0.31 * time).portable_sin_cos().0;
        let (sin, cos) = turn.portable_sin_cos();
        let mut wanted = [cos as f32, sin as f32];
        if let Some(target) = self.target {
            let to = [target[0] - self.place[0], target[1] - self.place[2]];
            let far = (to[0] * to[0] + to[1] * to[1]).sqrt();
            if far < 0.5 {
                self.target = None;
            } else {
                wanted = to.map(|v| v / far);
            }
        }
        for a in 0..2 {
            self.heading[a] += 0.08 * (wanted[a] - self.heading[a]);
        }
        let [x, z] = self.velocity(pace);
        self.place[0] += x * DT as f32;
        self.place[2] += z * DT as f32;
        self.way += pace * DT as f32;
    }

    fn velocity(&self, pace: f32) -> [f32; 2] {
        self.heading.map(|h| h * pace)
    }
}

/// Leaves in the air and on the ground.
#[derive(Debug, Clone)]
struct Leaves {
    at: [Vec<f32>; 3],
}

impl Leaves {
    fn new() -> Self {
        let place = |n: usize, a: usize| {
            let part = part(hash(n as i64, 1, 7), a as u32);
            if a == 1 { 3.0 * part * part } else { AROUND[a] * (2.0 * part - 1.0) }
        };
        Self { at: core::array::from_fn(|a| (0..LEAVES).map(|n| place(n, a)).collect()) }
    }

    /// The wind carries them, they sink, and gusts over the ground lift them; those that are left
    /// behind come in on the other side.
    fn step(&mut self, wind: &Wind3<f32>, runner: &Runner) -> Result<(), Error> {
        let [x, y, z] = &mut self.at;
        wind.carry([x, y, z], DT as f32)?;
        for n in 0..LEAVES {
            let place = [0, 1, 2].map(|a| self.at[a][n]);
            let [u, _, w] = wind.sample(place);
            let own = part(hash(n as i64, 1, 7), 3);
            let lift = 0.34 * (u * u + w * w).sqrt() * (1.0 - place[1] / 5.0);
            let sink = 0.6 + 1.3 * own;
            let up = (place[1] + DT as f32 * (lift - sink)).clamp(0.05, AROUND[1]);
            self.at[1][n] = up;
            for a in [0, 2] {
                let off = self.at[a][n] - runner.place[a];
                let turns = (off / (2.0 * AROUND[a]) + 0.5).floor();
                self.at[a][n] -= 2.0 * AROUND[a] * turns;
            }
        }
        Ok(())
    }
}

/// The scene.
#[derive(Debug)]
pub struct Wind {
    settings: Settings,
    cells: [usize; 2],
    wind: Wind3<f32>,
    runner: Runner,
    leaves: Leaves,
    /// Where there were explosions, and in which step.
    blasts: Vec<([f32; 2], u64)>,
    /// Where the next one will be.
    ordered: Option<[f32; 2]>,
    /// What is in the middle of the picture, m along x and z.
    focus: [f32; 2],
    steps: u64,
    view: usize,
    meadow: Meadow,
    order: Vec<(f32, usize)>,
}

impl Wind {
    /// A breeze over a meadow.
    ///
    /// # Errors
    /// A number of cells that no volume has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        let wind = Wind3::new(settings.params(cells), [0.0; 3])?;
        let mut scene = Self {
            settings,
            cells,
            wind,
            runner: Runner::START,
            leaves: Leaves::new(),
            blasts: Vec::new(),
            ordered: None,
            focus: [0.0; 2],
            steps: 0,
            view: 0,
            meadow: Meadow::default(),
            order: Vec::new(),
        };
        scene.follow()?;
        Ok(scene)
    }

    fn time(&self) -> f64 {
        self.steps as f64 * DT
    }

    /// Changes the settings, unless the wind refuses them.
    fn set(&mut self, settings: Settings) -> Result<(), Error> {
        self.wind.set_params(settings.params(self.cells))?;
        self.settings = settings;
        Ok(())
    }

    /// The ground is the lower side of the volume.
    fn follow(&mut self) -> Result<bool, Error> {
        let params = self.wind.params();
        let height = params.cell_size * (params.cells[1] / 2) as f32;
        self.wind.follow([self.runner.place[0], height, self.runner.place[2]])
    }

    /// The runner's motor is the first; it pushes where they run.
    fn push(&mut self) {
        let pace = self.settings.pace as f32;
        let [u, w] = self.runner.velocity(pace);
        let [x, _, z] = self.runner.place;
        let wake = Motor::directional([x, 0.9, z], 2.4, [u, 0.0, w], 7.0 * pace);
        let wake = Motor { velocity: [u, 0.0, w], ..wake };
        match self.wind.motors_mut().first_mut() {
            Some(motor) => *motor = wake,
            None => self.wind.motors_mut().push(wake),
        }
    }

    /// Sets off what was ordered.
    fn explode(&mut self) {
        self.blasts.retain(|(_, step)| self.steps < step + FLASH);
        let early = self.blasts.last().is_some_and(|(_, step)| self.steps < step + PAUSE);
        if let Some([x, z]) = self.ordered.take()
            && !early
        {
            let blast = Motor::explosion([x, 0.6, z], BLAST, self.settings.blast as f32);
            self.wind.motors_mut().push(blast);
            self.blasts.push(([x, z], self.steps));
        }
    }
}

impl Scene for Wind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "click: explosion; right click: run there"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    /// Of the picture, whose height is 1: what a pointer points at depends on the view.
    fn extent(&self) -> [f64; 2] {
        [PICTURE[0] as f64 / PICTURE[1] as f64, 1.0]
    }

    fn picture_size(&self) -> [usize; 2] {
        PICTURE
    }

    fn step(&mut self) -> Result<(), Error> {
        self.runner.step(self.settings.pace as f32, self.time());
        self.follow()?;
        self.push();
        self.explode();
        self.wind.step(DT as f32)?;
        self.leaves.step(&self.wind, &self.runner)?;
        let ahead = self.runner.velocity(0.35 * self.settings.pace as f32);
        for a in 0..2 {
            let wanted = self.runner.place[2 * a] + ahead[a];
            self.focus[a] += 0.04 * (wanted - self.focus[a]);
        }
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        if self.steps % 150 == 5 {
            let part = |n| part(hash(self.steps as i64, 0, 3), n) - 0.5;
            let [x, _, z] = self.runner.place;
            self.ordered = Some([x + 4.0 + 8.0 * part(0), z + 6.0 + 6.0 * part(1)]);
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        let height = PICTURE[1] as f32;
        let [x, y] = pointer.position.map(|x| x as f32 * height);
        let (seen, (scale, middle)) = ([x, height - y], self.map(PICTURE));
        let place = if self.view == 0 {
            self.eye(PICTURE).ground(seen)
        } else {
            let [dx, dz] = [(seen[0] - middle[0]) / scale, (middle[1] - seen[1]) / scale];
            [self.focus[0] + dx, self.focus[1] + dz]
        };
        match pointer.button {
            Button::Primary => self.ordered = Some(place),
            Button::Secondary => self.runner.target = Some(place),
        }
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        self.view = if view < VIEWS.len() { view } else { 0 };
        match self.view {
            0 => self.paint_side(picture),
            1 => self.paint_above(picture),
            _ => {
                self.paint_speed(picture);
                Ok(())
            }
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let mut settings = self.settings;
        turn_knob(KNOBS, &mut settings, name, value);
        self.set(settings)
    }

    fn choices(&self) -> Vec<Choice> {
        vec![Choice { name: GUSTS, options: KINDS.to_vec(), chosen: self.settings.whirls }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == GUSTS && option < KINDS.len() {
            self.set(Settings { whirls: option, ..self.settings })?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.wind = Wind3::new(self.settings.params(self.cells), [0.0; 3])?;
        (self.runner, self.leaves) = (Runner::START, Leaves::new());
        self.blasts.clear();
        (self.ordered, self.focus, self.steps) = (None, [0.0; 2], 0);
        self.follow()?;
        Ok(())
    }

    /// What motors did stays; gusts begin anew, another pattern at once.
    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let params = self.settings.params(size);
        let mut next = Wind3::new(params, [0.0; 3])?;
        // Without its gusts the old wind is ambient wind and what motors did.
        self.wind.set_params(WindParams { gusts: None, ..*self.wind.params() })?;
        core::mem::swap(&mut self.wind, &mut next);
        self.cells = size;
        self.follow()?;
        *self.wind.motors_mut() = next.motors().to_vec();
        self.wind.set_excess(|place| {
            let wind = next.sample(place);
            [0, 1, 2].map(|a| wind[a] - params.ambient[a])
        })
    }

    fn stats(&mut self) -> Stats {
        let runner = [&self.runner.place[..], &self.runner.heading, &self.focus].concat();
        let mut digest = Digest::new().word(self.wind.digest()).values(&runner);
        for list in &self.leaves.at {
            digest = digest.values(list);
        }
        let near = |n: &usize| {
            let off = [0, 1, 2].map(|a| self.leaves.at[a][*n] - self.runner.place[a]);
            (0..3).all(|a| off[a].abs() <= 1.01 * AROUND[a]) && off[1] > 0.0
        };
        let mut stats = Stats {
            size: self.cells,
            steps: self.steps,
            max_speed: f64::from(self.wind.report().max_speed),
            digest: digest.finish(),
            ..Stats::default()
        };
        let [corner, _, _] = self.wind.lower_corner();
        let first =
            -0.5 * f64::from(self.wind.params().cell_size) * self.wind.params().cells[0] as f64;
        stats.more.insert("leaves", (0..LEAVES).filter(near).count() as f64);
        stats.more.insert("scrolled_m", f64::from(corner) - first);
        stats.more.insert("motors", self.wind.motors().len() as f64);
        stats
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
