//! Shallow water on a stage: what all scenes of it do alike.

use std::fmt;

use fluid_adapters::Picture;
use fluid_num::schemes::shallow_water::{SurfaceWaves, WaterBalance};
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

    /// The ground in the middle of a cell, m: where, and how large the cell is, as shares of the
    /// extent.
    fn bed(&self, at: [f64; 2], cell: [f64; 2]) -> f64;

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
    /// What there is in cells and in the air less what came and went by now, as it was at the start,
    /// m³: nothing that a scene does pours water in but rain and sides.
    start: f64,
    /// The least depth that was ever seen, m.
    least: f64,
}

fn grid(cells: [usize; 2], area: f64) -> Result<Grid2<f64>, Error> {
    let count = (cells[0] as f64 * cells[1] as f64).max(1.0);
    Grid2::new(cells, (area / count).sqrt())
}

/// The ground of a grid.
pub(crate) fn bed<S: Site>(site: &S, grid: Grid2<f64>) -> Field<f64, 2> {
    let (size, cells) = (grid.size(), grid.cells());
    let cell = cells.map(|n| 1.0 / n as f64);
    Field::from_fn(grid, |p| site.bed([0, 1].map(|a| p[a] / size[a]), cell))
}

/// What paints.
fn canvas(water: &ShallowWater<f64>) -> Result<(Relief, Painter, Field<f32, 2>), Error> {
    let grid = water.grid();
    let flat = Grid2::new(grid.cells(), grid.dx() as f32)?;
    Ok((Relief::new(water), Painter::new(flat), Field::zeros(flat)))
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

/// The water that there is less what came: the same at all times. What the balance calls edits does
/// not count as come: dents, drops and hulls move water, and book no more there than rounding.
fn kept(balance: &WaterBalance) -> f64 {
    let came = balance.rain + balance.sources + balance.drains + balance.sides + balance.sponge;
    balance.volume + balance.spray - came
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
        let mut water = ShallowWater::new(bed(&site, grid), params(&site, &settings))?;
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
        let (relief, painter, view) = canvas(&water)?;
        let mut scene = Self {
            relief,
            painter,
            view,
            start: kept(&water.balance()),
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
        let (from, grid) = (self.extent(), grid(cells, S::AREA)?);
        let water = self.water.resampled(bed(&self.site, grid))?;
        (self.relief, self.painter, self.view) = canvas(&water)?;
        self.water = water;
        let to = self.extent();
        for at in &mut self.pressed {
            *at = [0, 1].map(|a| at[a] * to[a] / from[a]);
        }
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        self.look_at_depths();
        let balance = self.water.balance();
        let came = balance.rain + balance.sources - balance.drains + balance.sides.abs();
        let drift = kept(&balance) - self.start;
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

/// Whether what reaches `half` to both sides of `at` stands in a cell around `middle`: the thinnest
/// wall fills the cell in which it stands.
pub(crate) fn stands(middle: f64, cell: f64, at: f64, half: f64) -> bool {
    (middle - at).abs() < half || (middle / cell).floor() == (at / cell).floor()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::dam_burst::Dam;
    use crate::scenes::pond::Island;
    use crate::scenes::river::Valley;
    use crate::scenes::shore::Beach;

    fn of_size<S: Site>(cells: [usize; 2]) -> Lake<S> {
        Lake::new(&Setup { size: Some(cells), ..Setup::default() }).unwrap()
    }

    /// Ten thousand steps with drops, with rain from 3000 on, and with waves that disperse from 6000 on.
    fn keeps_its_water<S: Site>() {
        let mut lake = of_size::<S>([40, 28]);
        let mut fastest = 0.0_f64;
        for step in 0..10_000 {
            if step == 3000 {
                lake.set_parameter("rain, mm/s", 0.5).unwrap();
            }
            if step == 6000 {
                lake.choose(WAVES, 1).unwrap();
            }
            lake.rehearse();
            lake.step().unwrap();
            let stats = lake.stats();
            let drift = stats.mass_drift.unwrap();
            assert!(drift.abs() < 1e-12, "{}, step {step}: {drift:.1e}", S::NAME);
            assert!(lake.least >= 0.0, "{}, step {step}: {} m", S::NAME, lake.least);
            fastest = fastest.max(stats.max_speed);
        }
        // Not faster than the lake falls down its dam, √(2g·10 m).
        assert!(fastest > 0.05 && fastest < 14.0, "{}: {fastest} m/s", S::NAME);
        // 0.5 mm/s for 7000 steps of a 60th of a second.
        let area: f64 = lake.extent().iter().product();
        let (rain, exact) = (lake.water.balance().rain, 0.5e-3 * 7000.0 / 60.0 * area);
        assert!((rain / exact - 1.0).abs() < 1e-3, "{}: {rain} of {exact}", S::NAME);
    }

    #[test]
    fn a_pond_and_a_shore_keep_their_water_for_ten_thousand_steps() {
        keeps_its_water::<Island>();
        keeps_its_water::<Beach>();
    }

    #[test]
    fn a_river_and_a_burst_dam_keep_their_water_for_ten_thousand_steps() {
        keeps_its_water::<Valley>();
        keeps_its_water::<Dam>();
    }

    #[test]
    fn water_that_the_scene_does_not_know_of_shows_as_drift() {
        let mut lake = of_size::<Island>([40, 28]);
        lake.water.set_surface(|_| 1e-9).unwrap();
        let drift = lake.stats().mass_drift.unwrap();
        assert!(drift > 1e-10 && drift < 1e-8, "{drift:.1e}");
    }

    #[test]
    fn a_resized_scene_keeps_its_drops_foam_clock_and_least_depth() {
        let mut lake = of_size::<Beach>([60, 40]);
        while lake.water.spray().len() < 20 {
            lake.step().unwrap();
        }
        lake.press([6.0, 8.0]);
        lake.least = -1.0;
        let foam = |lake: &Lake<Beach>| {
            let foam = lake.water.foam().unwrap();
            foam.sum() / foam.grid().cell_count() as f64
        };
        let seen = |lake: &mut Lake<Beach>| {
            let stats = lake.stats();
            (lake.water.spray().len(), lake.water.time(), stats.steps, stats.more["least_depth"])
        };
        let (before, covered) = (seen(&mut lake), foam(&lake));
        let balance = lake.water.balance();
        assert!(covered > 1e-3, "{covered}");
        lake.resize([90, 45]).unwrap();
        assert_eq!(seen(&mut lake), before);
        assert!((foam(&lake) / covered - 1.0).abs() < 0.1, "{} {covered}", foam(&lake));
        // A tenth and a fifth of the extent.
        let [width, height] = lake.extent();
        let [x, y] = lake.pressed[0];
        assert!((x / width - 0.1).abs() < 1e-12 && (y / height - 0.2).abs() < 1e-12);
        let after = lake.water.balance();
        assert!((after.volume / balance.volume - 1.0).abs() < 1e-14);
        assert_eq!(after.spray, balance.spray);
        for _ in 0..200 {
            lake.step().unwrap();
        }
        assert!(lake.stats().mass_drift.unwrap().abs() < 1e-12);
    }
}
