//! Water that is let go, as WCSPH and as position-based fluid (PBF) side by side.
//!
//! Two boxes of 10.24 × 10.24 m (another shape of the same area for another number of particles)
//! with the same water under the same gravity: a column at the left wall, or three falling blocks.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::particles::{Domain, ParticleSet};
use fluid_num::{Error, Pbf2, PbfParams, Simulation, Stiffness, Wcsph2, WcsphParams};
use macroquad::miniquad::date;

use crate::lettering::Lettering;
use crate::liquid::{
    Canvas, NEWEST, Window, drag_along, map_color, max_speed, mean_excess, outside, paint_air,
    pixels_of, speed, water_color,
};
use crate::paint::{part, shade};
use crate::scene::{
    Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs, turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "dam-break";
/// What it shows.
pub const TITLE: &str = "Dam break: WCSPH and PBF side by side";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [80, 80];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [112, 112];

const SIDE: f64 = 10.24;
const VIEWS: &[&str] = &["water", "speed", "density", "blocks"];
/// The radius about a pointer that follows it, m.
const HAND: f64 = 1.2;
const START: &str = "start";
/// Lower and upper corners of the blocks, in parts of the box, by the start.
const STARTS: [(&str, &[[[f64; 2]; 2]]); 2] = [
    ("column", &[[[0.0, 0.0], [0.45, 0.7]]]),
    (
        "falling blocks",
        &[
            [[6.0 / SIDE, 2.0 / SIDE], [9.0 / SIDE, 7.0 / SIDE]],
            [[3.0 / SIDE, 1.0 / SIDE], [5.0 / SIDE, 7.0 / SIDE]],
            [[1.0 / SIDE, 3.0 / SIDE], [2.9 / SIDE, 5.0 / SIDE]],
        ],
    ),
];
const BLOCK_COLORS: [[f32; 3]; 3] = [[0.16, 0.55, 0.85], [0.95, 0.62, 0.22], [0.35, 0.75, 0.45]];

#[derive(Debug)]
struct Settings {
    gravity: f64,
    sound: f64,
    artificial: f64,
    iterations: f64,
    evening: f64,
    start: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [0.0, 20.0]),
    knob!(sound, "speed of sound (WCSPH), m/s", [30.0, 200.0]),
    knob!(artificial, "artificial viscosity (WCSPH)", [0.0, 0.5]),
    knob!(iterations, "iterations (PBF)", [1.0, 20.0]),
    knob!(evening, "viscosity (PBF), 1/s", [0.0, 20.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: 9.81,
            // Six times what the water falls with: it gives way by a few hundredths, and a step
            // takes half as long as at the textbook's ten.
            sound: 70.0,
            artificial: 0.05,
            iterations: 5.0,
            evening: 2.0,
            start: 0,
        }
    }
}

impl Settings {
    fn wcsph(&self, spacing: f64) -> WcsphParams<f32, 2> {
        WcsphParams {
            spacing: spacing as f32,
            stiffness: Stiffness::SoundSpeed(self.sound as f32),
            gravity: [0.0, -self.gravity as f32],
            artificial_viscosity: self.artificial as f32,
            ..Default::default()
        }
    }

    fn pbf(&self, spacing: f64) -> PbfParams<f32, 2> {
        PbfParams {
            spacing: spacing as f32,
            gravity: [0.0, -self.gravity as f32],
            iterations: self.iterations as usize,
            viscosity: self.evening as f32,
            ..Default::default()
        }
    }
}

/// Both boxes, with the time of a step, s, as a running mean.
#[derive(Debug)]
struct Boxes {
    wcsph: Wcsph2<f32>,
    pbf: Pbf2<f32>,
    seconds: [f64; 2],
    steps: u64,
}

impl Boxes {
    fn new(settings: &Settings, cells: [usize; 2]) -> Result<Self, Error> {
        let spacing = spacing_of(cells);
        let extent = cells.map(|n| n as f64 * spacing);
        let domain = Domain::new([0.0; 2], extent.map(|x| x as f32))?;
        let mut boxes = Self {
            wcsph: Wcsph2::new(domain, settings.wcsph(spacing))?,
            pbf: Pbf2::new(domain, settings.pbf(spacing))?,
            seconds: [0.0; 2],
            steps: 0,
        };
        for particles in boxes.particles_mut() {
            for (group, block) in STARTS[settings.start].1.iter().enumerate() {
                let [lo, hi] = block.map(|c| [0, 1].map(|a| (c[a] * extent[a]) as f32));
                particles.add_block(lo, hi, spacing as f32, [0.0; 2], group as u16, &[])?;
            }
        }
        Ok(boxes)
    }

    fn particles(&self) -> [&ParticleSet<f32, 2>; 2] {
        [self.wcsph.particles(), self.pbf.particles()]
    }

    fn particles_mut(&mut self) -> [&mut ParticleSet<f32, 2>; 2] {
        [self.wcsph.particles_mut(), self.pbf.particles_mut()]
    }

    fn step(&mut self) -> Result<(), Error> {
        let start = date::now();
        self.wcsph.step(DT as f32)?;
        let middle = date::now();
        self.pbf.step(DT as f32)?;
        for (mean, time) in self.seconds.iter_mut().zip([middle - start, date::now() - middle]) {
            *mean += (time - *mean) * if self.steps == 0 { 1.0 } else { NEWEST };
        }
        self.steps += 1;
        Ok(())
    }
}

/// The distance of particles that gives a box of so many of them its area.
fn spacing_of(cells: [usize; 2]) -> f64 {
    SIDE / (cells[0] as f64 * cells[1] as f64).sqrt()
}

/// The scene.
#[derive(Debug)]
pub struct DamBreak {
    settings: Settings,
    cells: [usize; 2],
    boxes: Boxes,
    pointers: Vec<Pointer>,
    canvas: Canvas,
    lettering: Lettering,
}

impl DamBreak {
    /// Water at rest, about to fall.
    ///
    /// # Errors
    /// A number of cells that no box has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        Ok(Self {
            boxes: Boxes::new(&settings, cells)?,
            settings,
            cells,
            pointers: Vec::new(),
            canvas: Canvas::default(),
            lettering: Lettering::new(),
        })
    }

    /// The edges of one box.
    fn box_extent(&self) -> [f64; 2] {
        self.cells.map(|n| n as f64 * spacing_of(self.cells))
    }

    /// Lets a pointer in either box take the water of both along.
    fn stir(&mut self, mut pointer: Pointer) {
        let [width, _] = self.box_extent();
        if pointer.position[0] >= width {
            pointer.position[0] -= width;
        }
        for particles in self.boxes.particles_mut() {
            drag_along(particles, &pointer, HAND);
        }
    }

    /// The colours of a view, of particle `i` in box number `n`.
    fn color(&self, view: &str, n: usize) -> impl Fn(usize) -> [f32; 3] {
        let particles = self.boxes.particles()[n];
        let [_, height] = self.box_extent();
        // What falls from the height of the column.
        let fastest = (2.0 * self.settings.gravity.max(1.0) * 0.7 * height).sqrt() as f32;
        let rest = self.settings.pbf(1.0).rest_density;
        let excess: Vec<f32> = match (view, n) {
            ("density", 0) => self.boxes.wcsph.density().iter().map(|d| d / rest - 1.0).collect(),
            ("density", _) => self.boxes.pbf.density().map(|d| d / rest - 1.0).collect(),
            _ => Vec::new(),
        };
        let view = view.to_owned();
        let (speeds, reds) = (ColorMap::inferno(), ColorMap::red_blue().reversed());
        move |i| match &*view {
            "speed" => map_color(&speeds, 0.15 + 0.85 * speed(particles, i) / fastest),
            // From −10 % to +10 %.
            "density" => map_color(&reds, 0.5 + 5.0 * excess.get(i).copied().unwrap_or(0.0)),
            "blocks" => {
                let group = usize::from(particles.groups()[i]);
                BLOCK_COLORS[group % BLOCK_COLORS.len()]
            }
            _ => water_color(speed(particles, i) / fastest),
        }
    }

    /// Writes which scheme a box is, and what it costs.
    fn label(&self, columns: core::ops::Range<usize>, words: &str, picture: &mut Picture) {
        let size = (columns.len() as f32 / 26.0).max(11.0);
        if columns.len() < 180 || picture.height() < 100 {
            return;
        }
        let place = [columns.start + size as usize, (1.6 * size) as usize];
        self.lettering.write(picture, place, size, [222, 230, 240], words);
    }
}

impl Scene for DamBreak {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag in either box: take the water of both along"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    fn extent(&self) -> [f64; 2] {
        let [width, height] = self.box_extent();
        [2.0 * width, height]
    }

    fn picture_size(&self) -> [usize; 2] {
        let pixels = pixels_of(self.cells);
        [2 * pixels * self.cells[0], pixels * self.cells[1]]
    }

    fn step(&mut self) -> Result<(), Error> {
        for pointer in core::mem::take(&mut self.pointers) {
            self.stir(pointer);
        }
        self.boxes.step()
    }

    fn rehearse(&mut self) {}

    fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let view = VIEWS.get(view).unwrap_or(&VIEWS[0]);
        let (extent, spacing) = (self.box_extent(), spacing_of(self.cells) as f32);
        let height = picture.height();
        paint_air(picture);
        let mut canvas = core::mem::take(&mut self.canvas);
        for (n, scheme) in ["WCSPH", "PBF"].into_iter().enumerate() {
            let columns = part(picture.width(), 2, n);
            let window = Window { columns: columns.clone(), height, extent };
            let particles = self.boxes.particles()[n];
            canvas.paint(&window, particles, spacing, self.color(view, n), picture)?;
            let ms = self.boxes.seconds[n] * 1e3;
            let count = self.boxes.particles()[n].len();
            self.label(columns, &format!("{scheme}: {count} particles, {ms:.1} ms"), picture);
        }
        self.canvas = canvas;
        let middle = part(picture.width(), 2, 1).start;
        shade(picture, [middle..middle + 1, 0..height], [96, 108, 128], 1.0);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let spacing = spacing_of(self.cells);
        self.boxes.wcsph.set_params(self.settings.wcsph(spacing))?;
        self.boxes.pbf.set_params(self.settings.pbf(spacing))
    }

    fn choices(&self) -> Vec<Choice> {
        let options = STARTS.iter().map(|s| s.0).collect();
        vec![Choice { name: START, options, chosen: self.settings.start }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == START && option < STARTS.len() && option != self.settings.start {
            self.settings.start = option;
            self.reset()?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.pointers.clear();
        self.boxes = Boxes::new(&self.settings, self.cells)?;
        Ok(())
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // Particles of another size are other particles: the water falls anew.
        self.boxes = Boxes::new(&self.settings, size)?;
        self.cells = size;
        self.pointers.clear();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let Boxes { wcsph, pbf, steps, .. } = &self.boxes;
        let rest = wcsph.params().rest_density;
        let domain = wcsph.domain();
        let particles = self.boxes.particles();
        let left = particles.map(|p| outside(p, domain));
        let more = [
            ("outside", (left[0] + left[1]) as f64),
            ("pbf_density_excess", mean_excess(pbf.density(), rest)),
            ("pbf_max_speed", max_speed(particles[1])),
            ("pbf_particles", particles[1].len() as f64),
            ("pbf_substeps", pbf.report().substeps as f64),
            ("wcsph_density_excess", mean_excess(wcsph.density().iter().copied(), rest)),
            ("wcsph_max_speed", max_speed(particles[0])),
            ("wcsph_particles", particles[0].len() as f64),
            ("wcsph_substeps", wcsph.report().substeps as f64),
        ];
        Stats {
            size: self.cells,
            steps: *steps,
            max_speed: max_speed(particles[0]).max(max_speed(particles[1])),
            digest: Digest::new().word(wcsph.digest()).word(pbf.digest()).finish(),
            more: more.into_iter().collect(),
            ..Stats::default()
        }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
