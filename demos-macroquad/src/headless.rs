//! Scenes without a window: pictures, an animation, and one line of JSON each.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use fluid_adapters::Picture;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::scene::{Scene, Solve};
use crate::workers::Workers;

/// The longest edge of an animation, pixels; larger pictures are halved, thirded, …
const MAX_ANIMATION_EDGE: usize = 320;

/// What a run does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Steps to do.
    pub frames: u64,
    /// A picture of the animation every so many steps, at least 1.
    pub every: u64,
    /// Whether the last picture of every view is written.
    pub all_views: bool,
    /// The folder that pictures go to.
    pub out: PathBuf,
}

/// What is printed for a scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The scene's name.
    pub scene: &'static str,
    /// Cells along x and y.
    pub size: [usize; 2],
    /// Frames asked for.
    pub frames: u64,
    /// Steps done.
    pub steps: u64,
    /// Threads used.
    pub threads: usize,
    /// Wall-clock time of a step, without painting; null without steps.
    pub ms_per_step: Option<f64>,
    /// See [`Stats::max_speed`](crate::scene::Stats::max_speed).
    pub max_speed: f64,
    /// See [`Stats::max_divergence`](crate::scene::Stats::max_divergence).
    pub max_divergence: f64,
    /// See [`Stats::mass`](crate::scene::Stats::mass).
    pub mass: Option<f64>,
    /// See [`Stats::mass_drift`](crate::scene::Stats::mass_drift).
    pub mass_drift: Option<f64>,
    /// See [`Stats::pressure_iterations`](crate::scene::Stats::pressure_iterations).
    pub pressure_iterations: Option<u64>,
    /// See [`Stats::pressure_residual`](crate::scene::Stats::pressure_residual).
    pub pressure_residual: Option<f64>,
    /// See [`Scene::solves`].
    pub solves: Vec<Solve>,
    /// The digest, 16 hexadecimal digits.
    pub digest: String,
    /// See [`Stats::more`](crate::scene::Stats::more).
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, f64>,
}

/// Runs a scene, left to itself, and writes its pictures.
///
/// # Errors
/// What the scene says, and what the file system says of the pictures.
pub fn run(scene: &mut dyn Scene, plan: &Plan, workers: &Workers) -> anyhow::Result<Line> {
    fs::create_dir_all(&plan.out)
        .with_context(|| format!("the folder {} cannot be made", plan.out.display()))?;
    let name = scene.name();
    let [width, height] = scene.picture_size();
    let mut picture = Picture::new(width, height)?;
    let pictures = (plan.frames / plan.every).max(1);
    let path = plan.out.join(format!("{name}.apng"));
    let mut animation = Animation::new(&path, &picture, pictures, plan.every)?;
    let progress = progress_bar(name, plan.frames);
    let mut busy = Duration::ZERO;
    for frame in 1..=plan.frames {
        scene.rehearse();
        let start = Instant::now();
        workers.run(|| scene.step()).with_context(|| format!("{name}, step {frame}"))?;
        busy += start.elapsed();
        if frame % plan.every == 0 {
            scene.paint(0, &mut picture)?;
            animation.add(&picture)?;
        }
        progress.inc(1);
    }
    if plan.frames < plan.every {
        scene.paint(0, &mut picture)?;
        animation.add(&picture)?;
    }
    animation.finish()?;
    for (view, title) in scene.views().iter().enumerate() {
        if view > 0 && !plan.all_views {
            break;
        }
        scene.paint(view, &mut picture)?;
        let file = if view == 0 { format!("{name}.png") } else { format!("{name}-{title}.png") };
        write_png(&plan.out.join(file), &picture)?;
    }
    progress.finish_and_clear();
    let steps = plan.frames;
    let ms_per_step = (steps > 0).then(|| busy.as_secs_f64() * 1e3 / steps as f64);
    let stats = scene.stats();
    Ok(Line {
        scene: name,
        size: stats.size,
        frames: plan.frames,
        steps: stats.steps,
        threads: workers.threads(),
        ms_per_step,
        max_speed: stats.max_speed,
        max_divergence: stats.max_divergence,
        mass: stats.mass,
        mass_drift: stats.mass_drift,
        pressure_iterations: stats.pressure_iterations,
        pressure_residual: stats.pressure_residual,
        solves: scene.solves(),
        digest: format!("{:016x}", stats.digest),
        more: stats.more,
    })
}

fn progress_bar(name: &'static str, frames: u64) -> ProgressBar {
    let bar = ProgressBar::new(frames).with_message(name);
    match ProgressStyle::with_template("{msg:>9} {wide_bar} {pos}/{len} steps, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Writes a picture as PNG.
///
/// # Errors
/// What the file system says.
pub fn write_png(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    let unwritable = || format!("the picture {} cannot be written", path.display());
    let file = BufWriter::new(File::create(path).with_context(unwritable)?);
    let mut encoder = png::Encoder::new(file, picture.width() as u32, picture.height() as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().with_context(unwritable)?;
    writer.write_image_data(&shrunk(picture, 1).1).with_context(unwritable)?;
    writer.finish().with_context(unwritable)
}

/// An animated PNG in the making.
struct Animation {
    writer: png::Writer<BufWriter<File>>,
    factor: usize,
}

impl Animation {
    /// An animation of `pictures` such pictures, one every `every` sixtieths of a second.
    fn new(path: &Path, picture: &Picture, pictures: u64, every: u64) -> anyhow::Result<Self> {
        let file = File::create(path)
            .with_context(|| format!("the animation {} cannot be written", path.display()))?;
        let longest = picture.width().max(picture.height());
        let factor = longest.div_ceil(MAX_ANIMATION_EDGE);
        let size = [picture.width(), picture.height()].map(|n| n.div_ceil(factor) as u32);
        let mut encoder = png::Encoder::new(BufWriter::new(file), size[0], size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_animated(u32::try_from(pictures)?, 0)?;
        encoder.set_frame_delay(u16::try_from(every).unwrap_or(u16::MAX), 60)?;
        Ok(Self { writer: encoder.write_header()?, factor })
    }

    fn add(&mut self, picture: &Picture) -> anyhow::Result<()> {
        Ok(self.writer.write_image_data(&shrunk(picture, self.factor).1)?)
    }

    fn finish(self) -> anyhow::Result<()> {
        Ok(self.writer.finish()?)
    }
}

/// The picture without its opacity, every `factor` × `factor` pixels averaged into one; its size
/// and bytes.
fn shrunk(picture: &Picture, factor: usize) -> ([usize; 2], Vec<u8>) {
    let (width, height) = (picture.width(), picture.height());
    let size = [width, height].map(|n| n.div_ceil(factor));
    let mut out = Vec::with_capacity(size[0] * size[1] * 3);
    for y in 0..size[1] {
        let rows = y * factor..((y + 1) * factor).min(height);
        for x in 0..size[0] {
            let columns = x * factor..((x + 1) * factor).min(width);
            let count = rows.len() * columns.len();
            for channel in 0..3 {
                let at = |y: usize, x: usize| picture.bytes()[(y * width + x) * 4 + channel];
                let sum: usize = rows
                    .clone()
                    .flat_map(|y| columns.clone().map(move |x| usize::from(at(y, x))))
                    .sum();
                out.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    (size, out)
}

/// Prints a line of JSON.
///
/// # Errors
/// What `out` says.
pub fn print(line: &Line, out: &mut impl Write) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_averages_and_keeps_the_rim() {
        let mut picture = Picture::new(3, 2).unwrap();
        for (n, pixel) in picture.bytes_mut().chunks_exact_mut(4).enumerate() {
            pixel.copy_from_slice(&[10 * n as u8, 1, 2, 255]);
        }
        let (size, bytes) = shrunk(&picture, 2);
        assert_eq!(size, [2, 1]);
        assert_eq!(bytes, [20, 1, 2, 35, 1, 2]);
    }
}
