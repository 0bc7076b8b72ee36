//! Shallow water on a stage: what all scenes of it do alike.

use std::fmt;

use fluid_adapters::Picture;
use fluid_num::schemes::shallow_water::SurfaceWaves;
use fluid_num::{Error, Faces, Field, Grid2, Real, ShallowWater, ShallowWaterParams, Simulation};

use crate::paint::Painter;
use crate::relief::{Look, Relief};
use crate::scene::{
    Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs, turn_knob,
};

const VIEWS: &[&str] = &["water", "surface", "speed"];
const WAVES: &str = "waves";

/// What the panel of every such scene changes.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    gravity: f64,
    friction: f64,
    rain: f64,
    dispersive: bool,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [1.0, 20.0]),
    knob!(friction, "Manning's friction", [0.0, 0.1]),
    knob!(rain, "rain, mm/s", [0.0, 5.0]),
];

/// What one scene has of its own. Places are shares of the extent, so that any number of cells shows
/// the same.
pub trait Site: fmt::Debug + Send + Sized {
    const NAME: &'static str;
    const HINT: &'static str;
    const SIZE: [usize; 2];
    /// The area, m².
    const AREA: f64;
    /// Pixels along the edge of a cell.
    const PIXELS: usize;
    const LOOK: Look;
    /// How far a pointer reaches, m, and how deep it presses in a step.
    const PRESS: [f64; 2];
    /// The depth of deep water, m, for the layer of waves.
    const DEEP: f64;

    fn new(setup: &Setup) -> Self;

    /// The same, as it was at the start.
    fn anew(&self) -> Self;

    /// The ground at a share of the extent, m.
    fn bed(&self, at: [f64; 2]) -> f64;

    /// The parameters but for those of the panel.
    fn params(&self) -> ShallowWaterParams<f64>;

    /// The surface at the start, m.
    fn surface(&self, at: [f64; 2]) -> f64;

    /// The velocity at the start at a share of the extent, by the depth and the surface there, m/s.
    fn start(&self, _: [f64; 2], _depth: f64, _surface: f64) -> [f64; 2] {
        [0.0; 2]
    }

    /// Makes what else there is at the start.
    fn begin(&mut self, _: &mut ShallowWater<f64>) -> Result<(), Error> {
        Ok(())
    }

    /// What happens before step number `step`.
    fn live(&mut self, _: &mut ShallowWater<f64>, _step: u64) -> Result<(), Error> {
        Ok(())
    }

    /// What a hand does before step number `step` where nobody watches: where it presses.
    fn hand(_step: u64) -> Option<[f64; 2]> {
        None
    }
}

/// A scene of shallow water.
#[derive(Debug)]
pub struct Lake<S> {
    site: S,
    settings: Settings,
    pub(crate) water: ShallowWater<f64>,
    relief: Relief,
    painter: Painter,
    view: Field<f32, 2>,
    steps: u64,
    pressed: Vec<[f64; 2]>,
    /// What the balance did not explain at the start.
    unexplained: f64,
    /// The least depth that was ever seen, m.
    least: f64,
}

fn grid(cells: [usize; 2], area: f64) -> Result<Grid2<f64>, Error> {
    let count = (cells[0] as f64 * cells[1] as f64).max(1.0);
    Grid2::new(cells, (area / count).sqrt())
}

fn params<S: Site>(site: &S, settings: &Settings) -> ShallowWaterParams<f64> {
    let params = site.params();
    ShallowWaterParams {
        gravity: settings.gravity,
        manning: settings.friction,
        rain: settings.rain * 1e-3,
        waves: settings.dispersive.then_some(SurfaceWaves { depth: S::DEEP, levels: 2 }),
        ..params
    }
}

impl<S: Site> Lake<S> {
    /// The scene, of the number of cells that `setup` asks for.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let site = S::new(setup);
        let friction = site.params().manning;
        let settings = Settings { gravity: 9.81, friction, rain: 0.0, dispersive: false };
        Self::with(site, settings, setup.size.unwrap_or(S::SIZE))
    }

    fn with(mut site: S, settings: Settings, cells: [usize; 2]) -> Result<Self, Error> {
        let grid = grid(cells, S::AREA)?;
        let size = grid.size();
        let share = |p: [f64; 2]| [p[0] / size[0], p[1] / size[1]];
        let bed = Field::from_fn(grid, |p| site.bed(share(p)));
        let mut water = ShallowWater::new(bed, params(&site, &settings))?;
        site.begin(&mut water)?;
        water.set_surface(|p| site.surface(share(p)))?;
        let mut velocity = Faces::zeros(grid);
        for axis in 0..2 {
            let sample = |p: [f64; 2]| water.sample(p).map_or([0.0; 2], |s| [s.depth, s.surface]);
            velocity[axis].set_from_fn(|p| {
                let [depth, surface] = sample(p);
                if depth > 0.0 { site.start(share(p), depth, surface)[axis] } else { 0.0 }
            });
        }
        *water.velocity_mut() = velocity;
        let flat = Grid2::new(cells, grid.dx() as f32)?;
        let mut scene = Self {
            relief: Relief::new(&water),
            painter: Painter::new(flat),
            view: Field::zeros(flat),
            unexplained: water.balance().unexplained(),
            site,
            settings,
            water,
            steps: 0,
            pressed: Vec::new(),
            least: f64::INFINITY,
        };
        scene.look_at_depths();
        Ok(scene)
    }

    fn look_at_depths(&mut self) {
        let [nx, ny] = self.water.grid().cells();
        for j in 0..ny {
            for i in 0..nx {
                self.least = self.least.min(self.water.depth([i, j]).unwrap_or(0.0));
            }
        }
    }

    fn press(&mut self, at: [f64; 2]) {
        self.pressed.push(at);
    }
}

impl<S: Site> Scene for Lake<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn hint(&self) -> &'static str {
        S::HINT
    }

    fn size(&self) -> [usize; 2] {
        self.water.grid().cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.water.grid().size()
    }

    fn picture_size(&self) -> [usize; 2] {
        self.size().map(|n| S::PIXELS * n)
    }

    fn step(&mut self) -> Result<(), Error> {
        // The ring around the disc that is pressed down holds a cell at least.
        let radius = S::PRESS[0].max(1.5 * self.water.grid().dx());
        for at in std::mem::take(&mut self.pressed) {
            self.water.dent(at, radius, S::PRESS[1])?;
        }
        self.site.live(&mut self.water, self.steps)?;
        let report = self.water.step(DT)?;
        self.water.advance_bodies(report.time)?;
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        if let Some(at) = S::hand(self.steps) {
            let size = self.extent();
            self.press([at[0] * size[0], at[1] * size[1]]);
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.press(pointer.position);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let [nx, ny] = self.size();
        let mut show = |value: &dyn Fn([usize; 2]) -> f64| {
            for j in 0..ny {
                for i in 0..nx {
                    self.view[[i, j]] = value([i, j]) as f32;
                }
            }
        };
        match view {
            1 => {
                let water = &self.water;
                show(&|at| match water.depth(at) {
                    Some(depth) if depth > 1e-3 => water.surface(at).unwrap_or(0.0),
                    _ => 0.0,
                });
                self.painter.look_at(&self.view)?;
            }
            2 => {
                let u = self.water.velocity();
                show(&|at| {
                    let [x, y] = u.at_center(at);
                    (x * x + y * y).sqrt()
                });
                self.painter.look_at_amount(&self.view)?;
            }
            _ => return self.relief.paint(&self.water, &S::LOOK, picture),
        }
        self.painter.show(self.painter.scale(), picture);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.water.set_params(params(&self.site, &self.settings))
    }

    fn choices(&self) -> Vec<Choice> {
        let options = vec!["long", "dispersive"];
        vec![Choice { name: WAVES, options, chosen: usize::from(self.settings.dispersive) }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == WAVES && option < 2 {
            self.settings.dispersive = option == 1;
            self.water.set_params(params(&self.site, &self.settings))?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        *self = Self::with(self.site.anew(), self.settings.clone(), self.size())?;
        Ok(())
    }

    fn resize(&mut self, cells: [usize; 2]) -> Result<(), Error> {
        let mut next = Self::with(self.site.anew(), self.settings.clone(), cells)?;
        let (from, to) = (self.extent(), next.extent());
        let back = |p: [f64; 2]| [0, 1].map(|a| p[a] * from[a] / to[a]);
        let old = &self.water;
        next.water.edit_bed(|p, _| self.site.bed([0, 1].map(|a| p[a] / to[a])))?;
        for (body, old) in next.water.bodies_mut().iter_mut().zip(old.bodies()) {
            *body = old.clone();
            for a in 0..2 {
                body.position[a] *= to[a] / from[a];
            }
        }
        next.water.set_depth(|p| old.sample(back(p)).map_or(0.0, |sample| sample.depth))?;
        let found = next.water.volume();
        if found > 0.0 {
            // As much water as there was.
            let share = old.volume() / found;
            let mut depths = Field::zeros(*next.water.grid());
            next.water.write_depth(&mut depths)?;
            next.water.set_depth(|p| share * depths.sample(p))?;
        } else {
            // Few cells may all lie on dry ground.
            next.water.set_depth(|_| old.volume() / (to[0] * to[1]))?;
        }
        for axis in 0..2 {
            let u = old.velocity();
            next.water.velocity_mut()[axis].set_from_fn(|p| u.sample(back(p))[axis]);
        }
        next.site = std::mem::replace(&mut self.site, next.site);
        next.steps = self.steps;
        next.unexplained = next.water.balance().unexplained();
        *self = next;
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        self.look_at_depths();
        let balance = self.water.balance();
        let came = balance.rain + balance.sources - balance.drains + balance.sides.abs();
        let drift = balance.unexplained() - self.unexplained;
        let mut stats = Stats {
            size: self.size(),
            steps: self.steps,
            max_speed: self.water.report().max_speed,
            mass: Some(balance.volume + balance.spray),
            mass_drift: Some(drift / (balance.volume + came).max(1e-300)),
            digest: self.water.digest(),
            ..Stats::default()
        };
        stats.more.insert("least_depth", self.least);
        stats.more.insert("displaced", self.water.displaced_volume());
        stats.more.insert("drops", self.water.spray().len() as f64);
        stats
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}

/// Gentle hills between −1 and 1, about a unit apart, the same everywhere.
pub(crate) fn bumps([x, y]: [f64; 2]) -> f64 {
    let wave = |a: f64, b: f64, c: f64| sine(a * x + b * y + c);
    (wave(3.1, 1.3, 0.4)
        + wave(-1.7, 3.7, 1.9)
        + wave(4.3, -2.9, 0.7)
        + 0.5 * wave(7.9, 5.1, 2.2)
        + 0.5 * wave(-6.1, 8.3, 0.1))
        / 4.0
}

/// The sine of an angle, the same everywhere.
pub(crate) fn sine(x: f64) -> f64 {
    x.portable_sin_cos().0
}

/// The cosine of an angle, the same everywhere.
pub(crate) fn cosine(x: f64) -> f64 {
    x.portable_sin_cos().1
}

/// e to a power, the same everywhere.
pub(crate) fn exp(x: f64) -> f64 {
    x.portable_exp()
}
