//! Wind over a meadow: grass that bends, leaves, somebody who runs, and explosions.
//!
//! The volume of wind follows the runner by whole cells; whoever watches from the side sees nothing of
//! that, from above it shows as a frame.

use core::ops::Range;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::{Error, Gusts, Motor, Real, Simulation, Wind3, WindParams};

use crate::liquid::{map_color, mix};
use crate::meadow::{Meadow, ellipse, glow, hash, part, stroke};
use crate::paint::{blend, byte, shade};
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
/// The sky at its top and at the horizon, and what distance fades to.
const SKY: [[f32; 3]; 2] = [[0.36, 0.58, 0.82], [0.99, 0.88, 0.70]];
const HAZE: [f32; 3] = [0.80, 0.79, 0.63];
const CLOTHES: [[f32; 3]; 3] = [[0.16, 0.17, 0.26], [0.82, 0.22, 0.16], [0.85, 0.66, 0.52]];
const LEAF: [[f32; 3]; 3] = [[0.80, 0.36, 0.10], [0.90, 0.64, 0.16], [0.62, 0.18, 0.10]];

#[derive(Debug)]
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

/// What looks at the meadow from the side.
struct Eye {
    place: [f32; 3],
    focus: f32,
    middle: f32,
    horizon: f32,
}

impl Eye {
    fn new(place: [f32; 3], picture: &Picture) -> Self {
        let [width, height] = [picture.width(), picture.height()].map(|n| n as f32);
        Self { place, focus: 0.9 * height, middle: 0.5 * width, horizon: 0.40 * height }
    }

    fn scale(&self, z: f32) -> f32 {
        self.focus / (z - self.place[2]).max(0.3)
    }

    fn see(&self, [x, y, z]: [f32; 3]) -> [f32; 2] {
        let scale = self.scale(z);
        [self.middle + scale * (x - self.place[0]), self.horizon - scale * (y - self.place[1])]
    }

    /// How much of the haze is before something, 0 to 1.
    fn haze(&self, z: f32) -> f32 {
        let far = ((z - self.place[2]) / 48.0).clamp(0.0, 1.0);
        0.85 * far.sqrt() * far
    }

    /// Where on the ground something is seen, m along x and z.
    fn ground(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let below = (y - self.horizon).max(0.02 * self.focus);
        let away = (self.focus * self.place[1] / below).min(40.0);
        [self.place[0] + (x - self.middle) * away / self.focus, self.place[2] + away]
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

    /// The eye of the view from the side.
    fn eye(&self, picture: &Picture) -> Eye {
        Eye::new([self.focus[0], 1.75, self.focus[1] - 6.2], picture)
    }

    fn paint_side(&mut self, picture: &mut Picture) -> Result<(), Error> {
        let (eye, time) = (self.eye(picture), self.time());
        paint_sky(picture, &eye, time);
        self.meadow.clear();
        let aspect = eye.middle / eye.focus;
        for (range, spacing) in [(14.0..46.0, 0.42), (6.5..14.0, 0.24), (1.6..6.5, 0.15)] {
            let Range { start, end } = range;
            let row = |z: f32| ((eye.place[2] + z) / spacing).floor() as i64;
            for k in (row(start)..row(end)).rev() {
                let half = (k as f32 * spacing - eye.place[2] + spacing) * aspect + 1.0;
                let ends = [eye.place[0] - half, eye.place[0] + half];
                self.meadow.add_row(k, ends, spacing, 0.62 + 0.5 * spacing);
            }
        }
        self.meadow.feel(&self.wind)?;
        self.order.clear();
        for n in 0..LEAVES {
            self.order.push((self.leaves.at[2][n], n));
        }
        self.order.push((self.runner.place[2], LEAVES));
        self.order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut next = 0;
        for n in 0..self.meadow.blades.len() {
            let z = self.meadow.blades[n].root[2];
            while next < self.order.len() && self.order[next].0 > z {
                self.paint_thing(picture, self.order[next].1, &eye);
                next += 1;
            }
            let scale = eye.scale(z);
            let width = (0.02 * scale).max(1.1);
            let widths = [width, 0.35 * width];
            self.meadow.paint(picture, n, time, |p| eye.see(p), (widths, (HAZE, eye.haze(z))));
        }
        for k in next..self.order.len() {
            if self.order[k].0 > eye.place[2] + 0.8 {
                self.paint_thing(picture, self.order[k].1, &eye);
            }
        }
        for ([x, z], step) in &self.blasts {
            let age = (self.steps - step) as f32 / FLASH as f32;
            let scale = eye.scale(*z);
            let rest = (1.0 - age) * (1.0 - age);
            for (radius, color, strength) in
                [(1.4 + 6.0 * age, [0.93, 0.80, 0.60], 0.55), (0.9 + age, [1.0, 0.95, 0.8], 1.0)]
            {
                let at = eye.see([*x, 0.4 + age, *z]);
                glow(picture, at, radius * scale, color, strength * rest);
            }
        }
        Ok(())
    }

    /// A leaf, or the runner.
    fn paint_thing(&self, picture: &mut Picture, n: usize, eye: &Eye) {
        if n == LEAVES {
            return self.paint_runner(picture, eye);
        }
        let place = [0, 1, 2].map(|a| self.leaves.at[a][n]);
        let scale = eye.scale(place[2]);
        paint_leaf(picture, n, eye.see(place), 0.16 * scale, self.time(), eye.haze(place[2]));
    }

    /// A figure whose limbs swing with its strides, and a scarf that streams in the wind.
    fn paint_runner(&self, picture: &mut Picture, eye: &Eye) {
        let [x, _, z] = self.runner.place;
        let (scale, haze) = (eye.scale(z), eye.haze(z));
        let [forth, _] = self.runner.heading;
        let [cloth, scarf, skin] = CLOTHES.map(|c| mix(c, HAZE, haze));
        let phase = f64::from(self.runner.way / STRIDE) * core::f64::consts::TAU;
        let swing = |shift: f64| (phase + shift).portable_sin_cos().0 as f32;
        let hop = 0.05 * swing(0.0).abs();
        let at = |dx: f32, y: f32| eye.see([x + dx * forth, y + hop, z]);
        let limb = |picture: &mut Picture, joints: [[f32; 2]; 3], width: f32, color| {
            for k in 0..2 {
                let ends = [joints[k], joints[k + 1]].map(|[dx, y]| at(dx, y));
                stroke(picture, ends, [width * scale; 2], [color; 2], 1.0);
            }
        };
        let half = core::f64::consts::PI;
        for side in [half, 0.0] {
            let s = swing(side);
            let lift = swing(side + 0.5 * half).max(0.0);
            let knee = [0.10 + 0.26 * s, 0.52 + 0.12 * lift];
            let foot = [knee[0] - 0.16 - 0.22 * lift + 0.12 * s, 0.06 + 0.42 * lift];
            let shade = if side > 0.0 { 0.7 } else { 1.0 };
            limb(picture, [[0.0, 0.95], knee, foot], 0.15, cloth.map(|c| c * shade));
            let elbow = [0.10 - 0.24 * s, 1.12];
            let hand = [elbow[0] + 0.24, 1.20 + 0.1 * s];
            limb(picture, [[0.10, 1.42], elbow, hand], 0.10, scarf.map(|c| 0.72 * c * shade));
        }
        limb(picture, [[0.0, 0.92], [0.05, 1.18], [0.12, 1.46]], 0.27, scarf.map(|c| 0.72 * c));
        let head = 0.15 * scale;
        let [hx, hy] = at(0.17, 1.66);
        ellipse(picture, [hx, hy], [0.0, head], 0.84, skin);
        ellipse(picture, [hx - 0.05 * scale * forth, hy - 0.055 * scale], [head, 0.0], 0.7, cloth);
        // Every link hangs where the wind that it feels blows it.
        let pace = self.settings.pace as f32;
        let [u, w] = self.runner.velocity(pace);
        let mut from = [x + 0.10 * forth, 1.50 + hop, z];
        for k in 0..9 {
            let air = self.wind.sample(from);
            let flap = (self.time() * 13.0 - 0.8 * f64::from(k)).portable_sin_cos().0 as f32;
            let blow = [0.5 * air[0] - 1.2 * u, air[1] - 1.0 + 1.6 * flap, air[2] - w];
            let size = blow.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-3);
            let mut to = from;
            for a in 0..3 {
                to[a] += 0.13 * blow[a] / size;
            }
            let ends = [eye.see(from), eye.see(to)];
            stroke(picture, ends, [0.10 * scale; 2], [scarf; 2], 1.0);
            from = to;
        }
    }

    /// Pixels for a metre, and where a point of the ground is, seen from above.
    fn map(&self, picture: &Picture) -> (f32, [f32; 2]) {
        let scale = picture.width() as f32 / 56.0;
        let middle = [picture.width(), picture.height()].map(|n| 0.5 * n as f32);
        (scale, middle)
    }

    fn paint_above(&mut self, picture: &mut Picture) -> Result<(), Error> {
        let (scale, middle) = self.map(picture);
        let (focus, time) = (self.focus, self.time());
        let see = |[x, y, z]: [f32; 3]| {
            // A hair from the side, so that grass that stands is seen too.
            let up = z - focus[1] + 0.35 * y;
            [middle[0] + scale * (x - focus[0]), middle[1] - scale * up]
        };
        picture.fill([30, 54, 20, 255]);
        self.meadow.clear();
        let spacing = 0.27;
        let half = [middle[0] / scale + 1.0, middle[1] / scale + 1.0];
        let row = |z: f32| (z / spacing).floor() as i64;
        for k in (row(focus[1] - half[1])..row(focus[1] + half[1])).rev() {
            self.meadow.add_row(k, [focus[0] - half[0], focus[0] + half[0]], spacing, 0.95);
        }
        self.meadow.feel(&self.wind)?;
        for n in 0..self.meadow.blades.len() {
            let widths = [0.13, 0.11].map(|w| (w * scale).max(0.8));
            self.meadow.paint(picture, n, time, see, (widths, (HAZE, 0.0)));
        }
        self.paint_frame(picture, see);
        for n in 0..LEAVES {
            let place = [0, 1, 2].map(|a| self.leaves.at[a][n]);
            let shadow = see([place[0] - 0.4 * place[1], 0.0, place[2] + 0.3 * place[1]]);
            glow(picture, shadow, 0.35 * scale, [0.03, 0.06, 0.02], 0.35);
            paint_leaf(picture, n, see(place), 0.34 * scale, time, 0.0);
        }
        let [x, _, z] = self.runner.place;
        let [forth, aside] = self.runner.heading;
        // Larger than life, to be found at all.
        let at = |forward: f32, left: f32, y: f32| {
            see([x + forward * forth - left * aside, y, z + forward * aside + left * forth])
        };
        glow(picture, see([x - 0.8, 0.0, z + 0.5]), 1.6 * scale, [0.02, 0.05, 0.02], 0.7);
        let swing = f64::from(self.runner.way / STRIDE) * core::f64::consts::TAU;
        let swing = 0.7 * swing.portable_sin_cos().0 as f32;
        for (side, forward) in [(0.75, swing), (-0.75, -swing)] {
            let arm = [at(0.0, side, 1.2), at(forward, 0.9 * side, 1.0)];
            stroke(picture, arm, [0.4 * scale; 2], [CLOTHES[2]; 2], 1.0);
        }
        let shoulders = [at(0.0, 0.8, 1.3), at(0.0, -0.8, 1.3)];
        stroke(picture, shoulders, [0.7 * scale; 2], [CLOTHES[1]; 2], 1.0);
        ellipse(picture, at(0.1, 0.0, 1.6), [0.5 * scale, 0.0], 1.0, CLOTHES[0]);
        for ([x, z], step) in &self.blasts {
            let age = (self.steps - step) as f32 / FLASH as f32;
            let rest = (1.0 - age) * (1.0 - age);
            let at = see([*x, 0.0, *z]);
            glow(picture, at, (1.4 + 6.0 * age) * scale, [0.93, 0.82, 0.62], 0.6 * rest);
            glow(picture, at, (1.2 + age) * scale, [1.0, 0.95, 0.8], rest);
        }
        Ok(())
    }

    /// The sides of the volume.
    fn paint_frame(&self, picture: &mut Picture, see: impl Fn([f32; 3]) -> [f32; 2]) {
        let (corner, params) = (self.wind.lower_corner(), self.wind.params());
        let far = [0, 1, 2].map(|a| corner[a] + params.cell_size * params.cells[a] as f32);
        let ends =
            [[corner[0], corner[2]], [far[0], corner[2]], [far[0], far[2]], [corner[0], far[2]]];
        for k in 0..4 {
            let [a, b] = [ends[k], ends[(k + 1) % 4]].map(|[x, z]| see([x, 0.0, z]));
            stroke(picture, [a, b], [1.5; 2], [[1.0; 3]; 2], 0.35);
        }
    }

    fn paint_speed(&self, picture: &mut Picture) {
        let (scale, middle) = self.map(picture);
        let (width, height) = (picture.width(), picture.height());
        let see = |[x, _, z]: [f32; 3]| {
            [middle[0] + scale * (x - self.focus[0]), middle[1] - scale * (z - self.focus[1])]
        };
        let wind = |x: f32, y: f32| {
            let [dx, dz] = [(x - middle[0]) / scale, (middle[1] - y) / scale];
            self.wind.sample([self.focus[0] + dx, 0.9, self.focus[1] + dz])
        };
        let map = ColorMap::inferno();
        let most = (1.2 * self.settings.wind + 1.4 * self.settings.gusts + 3.0) as f32;
        picture.fill([0, 0, 0, 255]);
        // One sample for four by four pixels: cells have many more.
        for y in (0..height).step_by(4) {
            for x in (0..width).step_by(4) {
                let [u, _, w] = wind(x as f32 + 2.0, y as f32 + 2.0);
                let color = map_color(&map, (u * u + w * w).sqrt() / most).map(byte);
                shade(picture, [x..x + 4, y..y + 4], color, 1.0);
            }
        }
        let apart = (1.5 * scale).max(4.0);
        for j in 0..(height as f32 / apart) as usize {
            for i in 0..(width as f32 / apart) as usize {
                let [x, y] = [i, j].map(|n| (n as f32 + 0.5) * apart);
                let [u, _, w] = wind(x, y);
                let to = [x + 1.5 * apart * u / most, y - 1.5 * apart * w / most];
                stroke(picture, [[x, y], to], [2.4, 0.6], [[1.0; 3]; 2], 0.75);
            }
        }
        self.paint_frame(picture, see);
    }
}

/// Sky, sun, hills and the ground before grass grows on it.
fn paint_sky(picture: &mut Picture, eye: &Eye, time: f64) {
    let (width, height) = (picture.width(), picture.height());
    for (y, row) in picture.bytes_mut().chunks_exact_mut(4 * width).enumerate() {
        let up = (1.0 - (y as f32 + 0.5) / eye.horizon).max(0.0);
        let color = if y as f32 + 0.5 < eye.horizon {
            mix(SKY[1], SKY[0], up * (2.0 - up))
        } else {
            let near = (y as f32 - eye.horizon) / (height as f32 - eye.horizon);
            mix(HAZE, [0.10, 0.17, 0.06], near.sqrt().sqrt())
        };
        let [r, g, b] = color.map(byte);
        row.as_chunks_mut::<4>().0.fill([r, g, b, 255]);
    }
    let sun = [1.56 * eye.middle, 0.36 * eye.horizon];
    for (radius, opacity) in [(3.4, 0.30), (1.5, 0.35), (0.5, 0.5)] {
        glow(picture, sun, radius * eye.horizon, [1.0, 0.94, 0.78], opacity);
    }
    glow(picture, sun, 0.16 * eye.horizon, [1.0, 0.99, 0.94], 1.0);
    // Clouds of a few puffs each, that go by slowly.
    for n in 0..7 {
        let own = hash(n, 5, 1);
        let way = f64::from(part(own, 0)) + 0.0012 * f64::from(eye.place[0]) - 0.004 * time;
        let x = (1.0 - way.rem_euclid(1.0)) as f32 * 2.8 * eye.middle - 0.4 * eye.middle;
        let y = eye.horizon * (0.10 + 0.42 * part(own, 1));
        let size = eye.horizon * (0.12 + 0.14 * part(own, 2));
        for k in 0..26 {
            let puff = hash(n, k, 2);
            let aside = 2.0 * part(puff, 0) - 1.0;
            let rise = (1.0 - aside * aside) * part(puff, 1);
            let at = [x + 2.6 * size * aside, y - 0.8 * size * rise];
            let radius = size * (0.25 + 0.4 * (1.0 - aside * aside)) * (0.6 + 0.6 * part(puff, 2));
            glow(picture, at, radius, mix(SKY[1], [1.0; 3], 0.4 + 0.6 * rise), 0.34);
        }
    }
    // Ranges of hills, the nearer the lower and the greener.
    let ranges = [
        (0.36, [0.60, 0.68, 0.76], 0.0016, 5.0),
        (0.24, [0.55, 0.64, 0.62], 0.0035, 11.0),
        (0.12, [0.46, 0.55, 0.42], 0.010, 24.0),
    ];
    for (n, (high, color, way, waves)) in ranges.into_iter().enumerate() {
        for x in 0..width {
            let along = f64::from(x as f32 / width as f32) + way * f64::from(eye.place[0]);
            let wave = |k: f64| (waves * k * along + 2.0 * n as f64).portable_sin_cos().0;
            let ridge = 0.5 + 0.3 * wave(0.4) + 0.14 * wave(1.1) + 0.06 * wave(2.7);
            let rough = if n == 2 { 0.16 * wave(9.0).abs() + 0.10 * wave(23.0).abs() } else { 0.0 };
            let top = eye.horizon * (1.0 - high * (ridge + rough) as f32);
            let first = top.max(0.0) as usize;
            for y in first..(eye.horizon as usize + 1).min(height) {
                let cover = (y as f32 + 1.0 - top).clamp(0.0, 1.0);
                let low = (y as f32 - top) / (eye.horizon - top).max(1.0);
                let shade = mix(color, SKY[1], 0.45 * low.clamp(0.0, 1.0)).map(byte);
                blend(&mut picture.bytes_mut()[(y * width + x) * 4..][..4], shade, cover);
            }
        }
    }
}

/// A leaf that tumbles.
fn paint_leaf(picture: &mut Picture, n: usize, [x, y]: [f32; 2], size: f32, time: f64, haze: f32) {
    let own = hash(n as i64, 2, 7);
    let turn = f64::from(part(own, 0)) * 6.3 + time * f64::from(1.5 + 3.5 * part(own, 1));
    let ((sin, cos), (flip, _)) = (turn.portable_sin_cos(), (1.7 * turn).portable_sin_cos());
    let [dx, dy] = [cos as f32, sin as f32].map(|v| 0.5 * size * v);
    let lit = 0.75 + 0.35 * (flip as f32).abs();
    let color = LEAF[(own >> 60) as usize % 3].map(|c| (c * lit).min(1.0));
    let color = mix(color, HAZE, haze);
    ellipse(picture, [x, y], [dx, dy], 0.18 + 0.42 * (flip as f32).abs(), color);
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
        let Ok(picture) = Picture::new(PICTURE[0], PICTURE[1]) else {
            return;
        };
        let height = PICTURE[1] as f32;
        let [x, y] = pointer.position.map(|x| x as f32 * height);
        let (seen, (scale, middle)) = ([x, height - y], self.map(&picture));
        let place = if self.view == 0 {
            self.eye(&picture).ground(seen)
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
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.wind.set_params(self.settings.params(self.cells))
    }

    fn choices(&self) -> Vec<Choice> {
        vec![Choice { name: GUSTS, options: KINDS.to_vec(), chosen: self.settings.whirls }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == GUSTS && option < KINDS.len() {
            self.settings.whirls = option;
            self.wind.set_params(self.settings.params(self.cells))?;
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
