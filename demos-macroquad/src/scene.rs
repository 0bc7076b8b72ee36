//! What a scene is: a plain type that steps a scheme and paints into a picture, without a window.

use std::collections::BTreeMap;
use std::fmt;

use fluid_adapters::Picture;
use fluid_num::poisson::SolverKind;
use fluid_num::{Error, Grid2, Real};

/// The time of one step, s.
pub const DT: f64 = 1.0 / 60.0;

/// A mouse button, or what a finger stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// The left button, or a finger.
    Primary,
    /// The right button.
    Secondary,
}

/// A pointer that is pressed and moves over the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    /// Where it is now, in scene units from the lower left corner.
    pub position: [f64; 2],
    /// How far it has moved, in scene units.
    pub delta: [f64; 2],
    /// The time that the movement took, s.
    pub seconds: f64,
    /// What is pressed.
    pub button: Button,
    /// Which finger it is; 0 for the mouse. Each may bring a colour of its own.
    pub finger: u64,
}

impl Pointer {
    /// What a hand does in step number `step` that follows `path`, the place at the start of a step.
    pub(crate) fn along(path: impl Fn(u64) -> [f64; 2], step: u64, finger: u64) -> Self {
        let (from, position) = (path(step), path(step + 1));
        Self {
            position,
            delta: [position[0] - from[0], position[1] - from[1]],
            seconds: DT,
            button: Button::Primary,
            finger,
        }
    }

    /// What two hands on Lissajous paths of different colours do in step number `step`, `pace` times
    /// as fast as time; they rest a while now and then, for as long as they move twice.
    pub(crate) fn hands(
        extent: [f64; 2],
        step: u64,
        pace: f64,
        rest: u64,
    ) -> impl Iterator<Item = Self> {
        let moving = move |finger: &u64| (step / rest + finger) % 3 != 2;
        (0..2).filter(moving).map(move |finger| {
            let path = |step: u64| {
                let t = step as f64 * DT * pace;
                let (x, _) = (1.3 * t + 3.1 * finger as f64).portable_sin_cos();
                let (y, _) = (1.9 * t + 1.2 + 2.0 * finger as f64).portable_sin_cos();
                [extent[0] * (0.5 + 0.33 * x), extent[1] * (0.5 + 0.33 * y)]
            };
            Self::along(path, step, finger)
        })
    }
}

/// A number that the panel can change.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// What it is, with its unit.
    pub name: &'static str,
    /// The smallest and the largest value.
    pub range: [f64; 2],
    /// The value now.
    pub value: f64,
}

/// A choice of one among a few.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What is chosen.
    pub name: &'static str,
    /// The options.
    pub options: Vec<&'static str>,
    /// The option now.
    pub chosen: usize,
}

/// What a run is judged by; `None` where the scene has no such thing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// Cells along x and y.
    pub size: [usize; 2],
    /// Steps since the start or the last reset.
    pub steps: u64,
    /// The largest velocity component, scene units a second.
    pub max_speed: f64,
    /// The largest divergence, 1/s.
    pub max_divergence: f64,
    /// What the fluid carries in all.
    pub mass: Option<f64>,
    /// What advection has made (or lost, if negative) of it, as a part of all that was put in.
    pub mass_drift: Option<f64>,
    /// Iterations of the last pressure solve.
    pub pressure_iterations: Option<u64>,
    /// Relative residual of the last pressure solve.
    pub pressure_residual: Option<f64>,
    /// A digest of the state's bits.
    pub digest: u64,
    /// Further numbers of this scene alone.
    pub more: BTreeMap<&'static str, f64>,
}

/// The last pressure solve of a fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(not(target_arch = "wasm32"), derive(serde::Serialize))]
pub struct Solve {
    /// The solver's name.
    pub solver: &'static str,
    /// Iterations done.
    pub iterations: u64,
    /// The relative residual that was left.
    pub residual: f64,
    /// The largest divergence that was left, 1/s.
    pub divergence: f64,
    /// How long it took by the wall clock, ms, as a running mean over steps.
    pub ms: f64,
}

/// A scene.
///
/// Scene units are metres or what the scene calls so; the origin is the lower left corner and
/// [`Scene::extent`] the upper right one.
pub trait Scene: fmt::Debug + Send {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// What the mouse does here.
    fn hint(&self) -> &'static str;

    /// Cells along x and y.
    fn size(&self) -> [usize; 2];

    /// The edges of what the picture shows, in scene units.
    fn extent(&self) -> [f64; 2];

    /// The pixels of the picture that [`Scene::paint`] fills best.
    fn picture_size(&self) -> [usize; 2] {
        self.size()
    }

    /// The time of one step, s.
    fn dt(&self) -> f64 {
        DT
    }

    /// Does one step.
    ///
    /// # Errors
    /// What the scheme says.
    fn step(&mut self) -> Result<(), Error>;

    /// Does with the next step what a practised hand would do: the show without a user.
    fn rehearse(&mut self);

    /// Takes in a pressed pointer; it acts in the next step.
    fn pointer(&mut self, pointer: Pointer);

    /// The names of what can be shown.
    fn views(&self) -> &'static [&'static str];

    /// Paints view number `view` (the first for a number beyond the end).
    ///
    /// # Errors
    /// None for a scene without fault.
    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error>;

    /// The numbers that can be changed.
    fn parameters(&self) -> Vec<Parameter>;

    /// Changes the parameter of this name, within its range (nothing for another name).
    ///
    /// # Errors
    /// What the scheme says.
    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error>;

    /// The choices that can be made.
    fn choices(&self) -> Vec<Choice>;

    /// Makes a choice (nothing for another name or an option beyond the end).
    ///
    /// # Errors
    /// What the scheme says.
    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error>;

    /// Starts anew, with parameters, choices and size as they are.
    ///
    /// # Errors
    /// What the scheme says.
    fn reset(&mut self) -> Result<(), Error>;

    /// Goes on with another number of cells: the state is stretched to it.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error>;

    /// The numbers that a run is judged by.
    fn stats(&mut self) -> Stats;

    /// The last pressure solves, one for each fluid that is watched; none before the first step.
    fn solves(&mut self) -> Vec<Solve>;
}

/// A decoded picture, row 0 on top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    size: [usize; 2],
    rgba: Vec<u8>,
}

impl Image {
    /// An image of `size` pixels, four bytes each; `None` for another number of bytes or no pixel.
    pub fn new(size: [usize; 2], rgba: Vec<u8>) -> Option<Self> {
        let bytes = size[0].checked_mul(size[1])?.checked_mul(4)?;
        (bytes > 0 && bytes == rgba.len()).then_some(Self { size, rgba })
    }

    /// Pixels along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The mean colour, 0 to 1, over opaque white, of what lies under cell `cell` of a grid of
    /// `cells` that the image is stretched over.
    pub fn under(&self, cell: [usize; 2], cells: [usize; 2]) -> [f64; 3] {
        let span = |axis: usize, n: usize| {
            let lo = n * self.size[axis] / cells[axis];
            let hi = (n + 1) * self.size[axis] / cells[axis];
            let lo = lo.min(self.size[axis] - 1);
            lo..hi.clamp(lo + 1, self.size[axis])
        };
        let from_top = cells[1] - 1 - cell[1];
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for y in span(1, from_top) {
            for x in span(0, cell[0]) {
                let pixel = &self.rgba[(y * self.size[0] + x) * 4..][..4];
                let opacity = f64::from(pixel[3]) / 255.0;
                for (sum, channel) in sum.iter_mut().zip(pixel) {
                    *sum += f64::from(*channel) / 255.0 * opacity + 1.0 - opacity;
                }
                count += 1.0;
            }
        }
        sum.map(|s| s / count)
    }
}

/// What a scene starts from.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Cells along x and y; the scene's own number where `None`.
    pub size: Option<[usize; 2]>,
    /// A picture whose dark parts are solid, for scenes that have obstacles.
    pub obstacles: Option<Image>,
    /// A picture that is the first dye, for scenes that have coloured dye.
    pub dye: Option<Image>,
    /// A picture of the ground, for scenes with a shore: the lighter the higher.
    pub ground: Option<Image>,
}

/// A number of a scene of type `S`, for its panel.
pub(crate) struct Knob<S> {
    pub(crate) name: &'static str,
    pub(crate) range: [f64; 2],
    pub(crate) get: fn(&S) -> f64,
    pub(crate) set: fn(&mut S, f64),
}

/// The knob that turns field `$field` of the settings.
macro_rules! knob {
    ($field:ident, $name:expr, $range:expr) => {
        $crate::scene::Knob {
            name: $name,
            range: $range,
            get: |s| s.$field,
            set: |s, v| s.$field = v,
        }
    };
}
pub(crate) use knob;

/// The panel's view of a scene's knobs.
pub(crate) fn read_knobs<S>(knobs: &[Knob<S>], scene: &S) -> Vec<Parameter> {
    let read = |k: &Knob<S>| Parameter { name: k.name, range: k.range, value: (k.get)(scene) };
    knobs.iter().map(read).collect()
}

/// Turns the knob of this name, within its range.
pub(crate) fn turn_knob<S>(knobs: &[Knob<S>], scene: &mut S, name: &str, value: f64) {
    if let Some(knob) = knobs.iter().find(|k| k.name == name)
        && !value.is_nan()
    {
        (knob.set)(scene, value.clamp(knob.range[0], knob.range[1]));
    }
}

/// A grid of `cells` whose area is `area`, whatever its shape: what was on another grid of the
/// same area can be stretched to it without a change of volume.
pub(crate) fn grid_of_area(cells: [usize; 2], area: f64) -> Result<Grid2<f32>, Error> {
    let count = (cells[0] as f64 * cells[1] as f64).max(1.0);
    Grid2::new(cells, (area / count).sqrt() as f32)
}

/// Over-relaxation for a few dozen iterations. The optimum of a fine grid, ω near 2, only pays after
/// as many iterations as the grid has cells along an edge; stopped earlier, it adds energy.
pub(crate) const SOR: SolverKind<f32> = SolverKind::Sor { relaxation: Some(1.9) };

/// Every kind of solver, as it does best in few iterations.
pub(crate) fn solvers() -> impl Iterator<Item = SolverKind<f32>> {
    SolverKind::all().into_iter().map(|kind| match kind {
        SolverKind::Sor { .. } => SOR,
        kind => kind,
    })
}

/// The menu of pressure solvers, or of those alone that solve any problem.
pub(crate) fn solver_choice(now: SolverKind<f32>, solids: bool) -> Choice {
    let count = if solids { SolverKind::<f32>::general().len() } else { usize::MAX };
    let options: Vec<_> = solvers().take(count).map(|kind| kind.name()).collect();
    let chosen = options.iter().position(|name| *name == now.name()).unwrap_or(0);
    Choice { name: PRESSURE_SOLVER, options, chosen }
}

/// The solver that option number `option` of [`solver_choice`] stands for.
pub(crate) fn solver_of(option: usize) -> Option<SolverKind<f32>> {
    solvers().nth(option)
}

/// The name of [`solver_choice`].
pub(crate) const PRESSURE_SOLVER: &str = "pressure solver";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_turned_upright_and_averaged() {
        // 2 × 2 pixels: white, black / red, transparent.
        let rgba = vec![255, 255, 255, 255, 0, 0, 0, 255, 255, 0, 0, 255, 9, 9, 9, 0];
        let image = Image::new([2, 2], rgba).unwrap();
        assert_eq!(image.under([0, 1], [2, 2]), [1.0; 3]);
        assert_eq!(image.under([1, 1], [2, 2]), [0.0; 3]);
        assert_eq!(image.under([0, 0], [2, 2]), [1.0, 0.0, 0.0]);
        assert_eq!(image.under([1, 0], [2, 2]), [1.0; 3]);
        assert_eq!(image.under([0, 0], [1, 1]), [0.75, 0.5, 0.5]);
        assert_eq!(image.under([6, 0], [7, 1]), [0.5; 3]);
        assert_eq!(Image::new([2, 2], vec![0; 15]), None);
        assert_eq!(Image::new([0, 2], vec![]), None);
    }

    #[test]
    fn knobs_stay_within_their_range() {
        let knobs = [Knob { name: "a", range: [0.0, 2.0], get: |s: &f64| *s, set: |s, v| *s = v }];
        let mut scene = 1.0;
        for (value, expected) in [(1.5, 1.5), (9.0, 2.0), (f64::NAN, 2.0), (-1.0, 0.0)] {
            turn_knob(&knobs, &mut scene, "a", value);
            assert_eq!(scene, expected);
        }
        turn_knob(&knobs, &mut scene, "b", 1.0);
        assert_eq!(read_knobs(&knobs, &scene)[0].value, 0.0);
    }
}
