//! The command line.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;

use crate::scene::{Image, Scene, Setup};
use crate::scenes::{self, SCENES};

/// Fluid scenes in a window, or headless as pictures.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
pub struct Options {
    /// Open no window: write pictures and print one line of JSON a scene
    #[arg(long)]
    pub headless: bool,

    /// The scene; without it the menu, or headless all of them
    #[arg(long, value_name = "NAME", value_parser = known_scene)]
    pub scene: Option<String>,

    /// Steps to do headless [default: 120], or frames after which the window closes
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,

    /// Cells along x and y, such as 256x384 [default: the scene's own]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<Size>,

    /// Where headless pictures go
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,

    /// Headless: a picture of the animation every K steps
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,

    /// Headless: write the last picture of every view, not of the first alone
    #[arg(long)]
    pub views: bool,

    /// A picture (PNG or JPEG) whose dark parts are solid, for smoke, karman and porous
    #[arg(long, value_name = "IMAGE")]
    pub obstacles: Option<PathBuf>,

    /// A picture (PNG or JPEG) that is the first dye, for ink and lbm-ink
    #[arg(long, value_name = "IMAGE")]
    pub dye: Option<PathBuf>,

    /// A picture (PNG or JPEG) of the ground, for shore: black lies 3 m under water, white 3 m above
    #[arg(long, value_name = "IMAGE")]
    pub ground: Option<PathBuf>,

    /// A parameter or choice of the panel, such as fade=0.3 or "pressure solver=SOR"; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,

    /// Threads; 0 for one a core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,

    /// List the scenes and end
    #[arg(long)]
    pub list: bool,
}

/// Cells along x and y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub [usize; 2]);

impl Options {
    /// What the scenes start from, pictures read.
    ///
    /// # Errors
    /// A picture that is not there or cannot be decoded.
    pub fn setup(&self) -> anyhow::Result<Setup> {
        let image = |path: &Option<PathBuf>| path.as_ref().map(read_image).transpose();
        Ok(Setup {
            size: self.size.map(|s| s.0),
            obstacles: image(&self.obstacles)?,
            dye: image(&self.dye)?,
            ground: image(&self.ground)?,
        })
    }
}

/// Decodes a picture file.
///
/// # Errors
/// A file that is not there or holds no picture.
pub fn read_image(path: &PathBuf) -> anyhow::Result<Image> {
    let decoded = image::open(path)
        .with_context(|| format!("the picture {} cannot be read", path.display()))?
        .into_rgba8();
    let size = [decoded.width(), decoded.height()].map(|n| n as usize);
    Image::new(size, decoded.into_raw())
        .with_context(|| format!("the picture {} has no pixels", path.display()))
}

/// A name of the panel (or the start of one) and what it is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    name: String,
    value: String,
}

impl Setting {
    /// Sets it in the scene, where there is a parameter or choice that starts with the name.
    ///
    /// # Errors
    /// A name or value that the scene does not have.
    pub fn apply(&self, scene: &mut dyn Scene) -> anyhow::Result<()> {
        let Self { name, value } = self;
        if let Some(p) = scene.parameters().iter().find(|p| p.name.starts_with(name.as_str())) {
            let [lo, hi] = p.range;
            let number: f64 =
                value.parse().ok().filter(|v| (lo..=hi).contains(v)).with_context(|| {
                    format!("{value} is no value of {}: give a number from {lo} to {hi}", p.name)
                })?;
            return Ok(scene.set_parameter(p.name, number)?);
        }
        let choices = scene.choices();
        let choice = choices.iter().find(|c| c.name.starts_with(name.as_str()));
        let choice =
            choice.with_context(|| format!("the scene {} has no {name} to set", scene.name()))?;
        let option = choice.options.iter().position(|o| o == value).with_context(|| {
            format!("{value} is no {}: there are {}", choice.name, choice.options.join(", "))
        })?;
        Ok(scene.choose(choice.name, option)?)
    }
}

fn setting(text: &str) -> Result<Setting, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            Ok(Setting { name: name.to_owned(), value: value.to_owned() })
        }
        _ => Err("give a name and a value, such as fade=0.3".to_owned()),
    }
}

fn known_scene(name: &str) -> Result<String, String> {
    if scenes::find(name).is_some() {
        return Ok(name.to_owned());
    }
    let names: Vec<_> = SCENES.iter().map(|s| s.name).collect();
    Err(format!("there is no such scene; there are {}", names.join(", ")))
}

fn size(text: &str) -> Result<Size, String> {
    let parse = || {
        let (width, height) = text.split_once(['x', 'X', '×'])?;
        Some([width.parse::<usize>().ok()?, height.parse().ok()?])
    };
    match parse() {
        Some(size) if !size.contains(&0) => Ok(Size(size)),
        Some(_) => Err("give at least one cell along each axis".to_owned()),
        None => Err("give two whole numbers, such as 256x384".to_owned()),
    }
}

/// More threads than any machine has would only fail late.
const MAX_THREADS: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count <= MAX_THREADS => Ok(count),
        _ => Err(format!("give a whole number from 0 to {MAX_THREADS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_whole_positive_numbers() {
        assert_eq!(size("256x384"), Ok(Size([256, 384])));
        assert_eq!(size("1X1"), Ok(Size([1, 1])));
        for text in ["0x5", "5x0", "5", "x", "axb", "-1x4", "1.5x2", "", "99999999999999999999x1"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Options::command().debug_assert();
    }

    #[test]
    fn unknown_scenes_and_senseless_counts_are_refused() {
        for arguments in [
            ["--scene", "lava"],
            ["--every", "0"],
            ["--threads", "-1"],
            ["--frames", "many"],
            ["--size", "0x0"],
        ] {
            let line = ["gallery"].into_iter().chain(arguments);
            assert!(Options::try_parse_from(line).is_err(), "{arguments:?}");
        }
    }
}
