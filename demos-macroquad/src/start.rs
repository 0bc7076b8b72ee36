//! From the command line to a window or a headless run.

use std::env;
use std::io::{Write, stdout};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Parser;

use crate::gallery;
use crate::headless::{self, Plan};
use crate::options::{Options, Setting};
use crate::scene::{Scene, Setup};
use crate::scenes::{self, Entry, SCENES};
use crate::workers::Workers;

/// The exit code for arguments that make no sense.
const BAD_ARGUMENTS: u8 = 2;
/// Steps of a headless run that does not say how many.
const FRAMES: u64 = 120;

/// Runs the demo program: `scene` is the scene that the program is made for, if for one.
pub fn run(scene: Option<&'static str>) -> ExitCode {
    let mut options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => return usage(&error),
    };
    if let Some(scene) = scene {
        options.scene = Some(scene.to_owned());
    }
    if options.list {
        let lines: String = SCENES.iter().map(|s| format!("{:10}{}\n", s.name, s.title)).collect();
        return finish(stdout().write_all(lines.as_bytes()).map_err(Into::into), 1);
    }
    let ready = match prepare(&options) {
        Ok(ready) => ready,
        Err(error) => return finish(Err(error), BAD_ARGUMENTS),
    };
    let windowless = !has_display();
    if windowless && !options.headless {
        eprintln!(
            "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so pictures go to {}.",
            options.out.display()
        );
    }
    if options.headless || windowless {
        return finish(run_headless(&options, &ready), 1);
    }
    open_window(options, ready);
    ExitCode::SUCCESS
}

/// What the arguments call for, once it is known to exist.
struct Ready {
    setup: Setup,
    workers: Workers,
}

fn open_window(options: Options, ready: Ready) {
    let (scene, frames) = (options.scene.clone(), options.frames);
    let make = move |entry: &Entry| {
        // Settings are for the scene that the command line names; the menu leads to others too.
        let meant = chosen(&options).iter().any(|e| e.name == entry.name);
        let set = if meant { &options.set[..] } else { &[] };
        make(entry, &ready.setup, set).map_err(|e| format!("{e:#}"))
    };
    gallery::open(gallery::Start { scene, make: Box::new(make), workers: ready.workers, frames });
}

/// Whether a window can be opened.
fn has_display() -> bool {
    let set = |name: &str| env::var_os(name).is_some_and(|v| !v.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Everything that bad arguments can spoil.
fn prepare(options: &Options) -> anyhow::Result<Ready> {
    let ready = Ready { setup: options.setup()?, workers: Workers::new(options.threads)? };
    for entry in chosen(options) {
        let scene = make(entry, &headless_setup(entry, &ready.setup), &options.set)?;
        let [width, height] = scene.picture_size();
        fluid_adapters::Picture::new(width, height).context("this size is not possible")?;
    }
    Ok(ready)
}

/// Headless, where no one waits for the next frame, scenes are as fine as they look best.
fn headless_setup(entry: &Entry, setup: &Setup) -> Setup {
    Setup { size: setup.size.or(Some(entry.headless_size)), ..setup.clone() }
}

/// The scenes that are meant.
fn chosen(options: &Options) -> Vec<&'static Entry> {
    match &options.scene {
        Some(name) => scenes::find(name).into_iter().collect(),
        None => SCENES.iter().collect(),
    }
}

/// Makes a scene and sets what the command line says.
fn make(entry: &Entry, setup: &Setup, set: &[Setting]) -> anyhow::Result<Box<dyn Scene>> {
    let mut scene = (entry.make)(setup).context("this size is not possible")?;
    set.iter().try_for_each(|setting| setting.apply(&mut *scene))?;
    Ok(scene)
}

fn run_headless(options: &Options, ready: &Ready) -> anyhow::Result<()> {
    let plan = Plan {
        frames: options.frames.unwrap_or(FRAMES),
        every: options.every,
        all_views: options.views,
        out: options.out.clone(),
    };
    for entry in chosen(options) {
        let mut scene = make(entry, &headless_setup(entry, &ready.setup), &options.set)?;
        let line = headless::run(&mut *scene, &plan, &ready.workers)?;
        headless::print(&line, &mut stdout().lock())?;
    }
    Ok(())
}

/// Help and version in full; of an error, the sentence that says it.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return finish(error.print().map_err(Into::into), 1);
    }
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let sentence = line.strip_prefix("error: ").unwrap_or(line).to_owned();
    finish(Err(anyhow!(sentence)), BAD_ARGUMENTS)
}

fn finish(result: anyhow::Result<()>, code: u8) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(code)
        }
    }
}
