//! Writes the validation report: tables and plots of every comparison with exact solutions and
//! reference data.
//!
//! ```sh
//! cargo run --release -p fluid-tests --features report --example validation_report -- docs/validation
//! cargo run --release -p fluid-tests --features report --example validation_report -- --quick target/validation
//! cargo run --release -p fluid-tests --features report --example validation_report -- --only=liquid docs/validation
//! ```

use core::error::Error;
use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use epaint_default_fonts::HACK_REGULAR;
use fluid_num::advection::{Advection, Interpolation};
use fluid_num::schemes::lbm::Bounce;
use fluid_num::schemes::shallow_water::{SurfaceWaves, WaterSide};
use fluid_num::{StableFluids2, Stepping};
use measure::{cavity, lattice, shapes, taylor_green, water};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

#[path = "report/liquid.rs"]
mod liquid;
#[path = "../suite/measure/mod.rs"]
mod measure;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let (flags, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let quick = flags.iter().any(|f| f == "--quick");
    let only: Vec<&str> = flags.iter().filter_map(|f| f.strip_prefix("--only=")).collect();
    let known = |name: &str| SECTIONS.iter().any(|(section, _)| *section == name);
    let wrong = |f: &&String| *f != "--quick" && !f.strip_prefix("--only=").is_some_and(known);
    if let Some(unknown) = flags.iter().find(wrong) {
        let names = SECTIONS.map(|(name, _)| name).join(", ");
        return Err(format!("{unknown} is no option; there are --quick and --only= {names}").into());
    }
    let folder = PathBuf::from(folders.first().map_or("docs/validation", String::as_str));
    fs::create_dir_all(&folder)?;
    register_font("sans-serif", FontStyle::Normal, HACK_REGULAR)
        .map_err(|_| "the font is broken")?;
    let mut text = String::from(
        "# Validation\n\nWritten by `cargo run --release -p fluid-tests --features report --example validation_report`.\n\n",
    );
    if !only.is_empty() {
        text = fs::read_to_string(folder.join("README.md"))?;
    }
    for (_, section) in SECTIONS.iter().filter(|(name, _)| only.is_empty() || only.contains(name)) {
        let mut new = String::new();
        section(&mut new, &folder, quick)?;
        replace(&mut text, &new);
    }
    fs::write(folder.join("README.md"), &text)?;
    println!("{text}");
    Ok(())
}

type Section = fn(&mut String, &Path, bool) -> Outcome;

/// Every section by its name, in order.
const SECTIONS: [(&str, Section); 8] = [
    ("vortex", vortex),
    ("inviscid", inviscid),
    ("lid", lid),
    ("carried", carried),
    ("level_sets", liquid::level_sets),
    ("liquid", liquid::section),
    ("lattices", lattices),
    ("shallow", shallow),
];

/// Puts a section in the place of that of the same title, or at the end.
fn replace(text: &mut String, new: &str) {
    let title = new.split_inclusive('\n').next().unwrap_or_default();
    let Some(start) = text.find(title) else { return text.push_str(new) };
    let rest = start + title.len();
    let end = text[rest..].find("\n## ").map_or(text.len(), |at| rest + at + 1);
    text.replace_range(start..end, new);
}

/// One curve of a plot: its name and its points.
type Curve = (String, Vec<(f64, f64)>);

/// Draws curves with axes named `x` and `y`, logarithmic where `log` says so.
fn plot(path: &Path, title: &str, [x, y]: [&str; 2], log: bool, curves: &[Curve]) -> Outcome {
    let root = SVGBackend::new(path, (640, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let points = || curves.iter().flat_map(|c| c.1.iter().copied());
    let range = |f: fn((f64, f64)) -> f64| {
        let (lo, hi) = points().map(f).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        let pad = 0.05 * (hi - lo).max(1e-12);
        if log { lo * 0.8..hi * 1.25 } else { lo - pad..hi + pad }
    };
    let mut builder = ChartBuilder::on(&root);
    builder
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64);
    macro_rules! draw {
        ($chart:expr) => {{
            let mut chart = $chart;
            chart.configure_mesh().x_desc(x).y_desc(y).light_line_style(TRANSPARENT).draw()?;
            for (n, (name, points)) in curves.iter().enumerate() {
                let color = Palette99::pick(n).to_rgba();
                let line = points.iter().copied();
                if !name.starts_with("reference") {
                    chart.draw_series(LineSeries::new(line.clone(), color.stroke_width(2)))?;
                }
                let marks = line.map(|p| Circle::new(p, 3, color.filled()));
                let legend = move |(x, y)| Circle::new((x + 10, y), 4, color.filled());
                let reference = name.starts_with("reference");
                let shown = if reference || points.len() < 12 { marks.collect() } else { vec![] };
                chart.draw_series(shown)?.label(name.as_str()).legend(legend);
            }
            chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
        }};
    }
    if log {
        draw!(builder.build_cartesian_2d(range(|p| p.0).log_scale(), range(|p| p.1).log_scale())?);
    } else {
        draw!(builder.build_cartesian_2d(range(|p| p.0), range(|p| p.1))?);
    }
    root.present()?;
    Ok(())
}

fn vortex(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    writeln!(text, "## Decaying Taylor–Green vortex\n")?;
    writeln!(text, "Periodic square of 2π, ν = 0.01, f64, midpoint paths, Δt ∝ dx², t = 0.25.\n")?;
    writeln!(text, "| transport | cells | velocity error | order | decay rate / 2ν |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    let linear = ("linear", Advection::default());
    let sizes: &[usize] = if quick { &[16, 32] } else { &[32, 64, 128] };
    let mut curves = Vec::new();
    for (name, advection) in taylor_green::SECOND_ORDER.into_iter().chain([linear]) {
        let mut points = Vec::new();
        for n in sizes.iter().copied() {
            let params = taylor_green::params(advection, 0.01, Stepping::Projection);
            let steps = (0.25 / taylor_green::fine_step(n)).ceil() as usize;
            let run = taylor_green::run(n, params, 0.25 / steps as f64, steps)?;
            let order = points.last().map_or(String::new(), |(_, before): &(f64, f64)| {
                format!("{:.2}", f64::log2(before / run.error))
            });
            writeln!(text, "| {name} | {n}² | {:.3e} | {order} | {:.4} |", run.error, run.rate)?;
            points.push((n as f64, run.error));
        }
        curves.push((name.to_string(), points));
    }
    let axes = ["cells along a side", "relative velocity error"];
    plot(&folder.join("taylor_green.svg"), "Taylor–Green vortex", axes, true, &curves)?;
    writeln!(text, "\n![error against resolution](taylor_green.svg)\n")?;
    Ok(())
}

fn inviscid(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    let n = if quick { 32 } else { 64 };
    let plain = taylor_green::energies(n, Stepping::Projection, 0.05, 200)?;
    let mirror = taylor_green::energies(n, Stepping::Reflection, 0.1, 100)?;
    writeln!(text, "## Inviscid vortex\n")?;
    writeln!(
        text,
        "Kinetic energy left of a steady vortex without viscosity on {n}², MacCormack, at equal \
         cost (two pressure solves a step at twice the step), t = 10: projection **{:.4}**, \
         advection–reflection **{:.4}**. The exact value is 1.\n",
        plain[199], mirror[99],
    )?;
    let curve = |name: &str, dt: f64, values: &[f64]| -> Curve {
        let at = |(i, e): (usize, &f64)| ((i + 1) as f64 * dt, *e);
        (name.to_string(), values.iter().enumerate().map(at).collect())
    };
    let curves = [curve("projection", 0.05, &plain), curve("reflection", 0.1, &mirror)];
    let axes = ["time", "kinetic energy left"];
    plot(&folder.join("inviscid.svg"), "Inviscid vortex", axes, false, &curves)?;
    writeln!(text, "![energy over time](inviscid.svg)\n")?;
    Ok(())
}

fn lid(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    let (n, shorter) = if quick { (32, 0.3) } else { (128, 1.0) };
    let steppings = [("projection", Stepping::Projection), ("reflection", Stepping::Reflection)];
    writeln!(text, "## Lid-driven cavity\n")?;
    writeln!(text, "{n}² cells, MacCormack, 4 cells a step at the lid's speed.\n")?;
    writeln!(text, "Re 100, extrema on the centre lines (Marchi, Suero and Araki 2009):\n")?;
    writeln!(text, "| stepping | u min | v max | v min |")?;
    writeln!(text, "|---|---|---|---|")?;
    let row = |text: &mut String, name: &str, c: cavity::Cavity| {
        writeln!(text, "| {name} | {:.5} | {:.5} | {:.5} |", c.u_min, c.v_max, c.v_min)
    };
    row(text, "reference", cavity::MARCHI_100)?;
    for (name, stepping) in steppings {
        let fluid = cavity::run(n, 100.0, (Advection::MacCormack, stepping), 4.0, 12.0 * shorter)?;
        row(text, name, cavity::extrema(&fluid))?;
    }
    writeln!(text, "\nRe 400, largest difference from the table of Ghia, Ghia and Shin 1982:\n")?;
    let mut curves: Vec<Curve> = vec![("reference (Ghia)".into(), cavity::GHIA_400_U.to_vec())];
    for (name, stepping) in steppings {
        let fluid = cavity::run(n, 400.0, (Advection::MacCormack, stepping), 4.0, 25.0 * shorter)?;
        let worst = cavity::worst_of_ghia_400(&fluid);
        writeln!(text, "- {name}: {:.2} % of the lid's speed", 100.0 * worst)?;
        curves.push((name.to_string(), centre_line(&fluid)));
    }
    let axes = ["y", "u on the vertical centre line"];
    plot(&folder.join("cavity_400.svg"), "Lid-driven cavity, Re 400", axes, false, &curves)?;
    writeln!(text, "\n![centre line](cavity_400.svg)\n")?;
    Ok(())
}

fn centre_line(fluid: &StableFluids2<f64>) -> Vec<(f64, f64)> {
    (1..64)
        .map(|i| f64::from(i) / 64.0)
        .map(|y| (y, fluid.velocity().sample([0.5, y])[0]))
        .collect()
}

fn carried(text: &mut String, _: &Path, quick: bool) -> Outcome {
    let schemes = [
        ("linear", Advection::SemiLagrangian(Interpolation::Linear), ["-68", "-100"]),
        ("clamped cubic", Advection::SemiLagrangian(Interpolation::ClampedCubic), ["+2.3", "-11"]),
        ("monotone cubic", Advection::SemiLagrangian(Interpolation::MonotoneCubic), ["", ""]),
        ("MacCormack", Advection::MacCormack, ["", ""]),
        ("scatter", Advection::Scatter, ["", ""]),
    ];
    writeln!(text, "## Carried shapes\n")?;
    writeln!(
        text,
        "Change of the area inside a level set, without reinitialisation: Zalesak's slotted disc \
         after one turn and the single vortex with T = 8, about one cell a step, midpoint paths. \
         An independent NumPy program gives the same digits for the first four schemes; the \
         reference is another program with the same schemes.\n",
    )?;
    writeln!(
        text,
        "| scheme | Zalesak 50² | 100² | 200² | vortex 64² | 128² | reference 100², 128² |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for (name, scheme, reference) in schemes {
        write!(text, "| {name} ")?;
        for n in [50, 100, 200] {
            if quick && n > 50 {
                write!(text, "| ")?;
            } else {
                write!(text, "| {:+.1} % ", 100.0 * shapes::zalesak(n, scheme)?)?;
            }
        }
        for n in [64, 128] {
            if quick {
                write!(text, "| ")?;
            } else {
                write!(text, "| {:+.1} % ", 100.0 * shapes::single_vortex(n, scheme)?)?;
            }
        }
        let [disc, vortex] = reference;
        let shown = if disc.is_empty() { String::new() } else { format!("{disc} %, {vortex} %") };
        writeln!(text, "| {shown} |")?;
    }
    writeln!(text)?;
    Ok(())
}

/// Lattice Boltzmann: the cavity, the cylinder of Schäfer and Turek, and a long run near τ = ½.
fn lattices(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    writeln!(text, "## Lattice Boltzmann\n")?;
    writeln!(text, "D2Q9, f64. Lid-driven cavity, TRT, the lid moves 0.1 cells a step:\n")?;
    writeln!(text, "| Reynolds number | cells | u min | v max | v min |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    let n = if quick { 32 } else { 128 };
    for (reynolds, name, exact, time) in [
        (100.0, "100 (Marchi)", cavity::MARCHI_100, 12.0),
        (1000.0, "1000 (Botella, Peyret)", cavity::BOTELLA_1000, 60.0),
    ] {
        let time = if quick { 2.0 } else { time };
        let rows = [
            ("reference".to_owned(), exact),
            (format!("{n}²"), lattice::cavity(n, reynolds, 0.1, time)?),
        ];
        for (cells, c) in rows {
            writeln!(
                text,
                "| {name} | {cells} | {:.5} | {:.5} | {:.5} |",
                c.u_min, c.v_max, c.v_min
            )?;
        }
    }
    let heights: &[usize] = if quick { &[50] } else { &[60, 100, 200] };
    writeln!(
        text,
        "\nCylinder in a channel (Schäfer, Turek 1996), TRT, its surface half-way between cells or \
         interpolated, all numbers as they come. 2D-1, Re 20, 0.05 cells a step, after 13 s \
         (references: drag 5.5795, lift 0.0106, Δp 0.11752 Pa):\n"
    )?;
    writeln!(text, "| cells across | surface | drag | lift | Δp |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    let bounces = [Bounce::HalfWay, Bounce::Interpolated];
    for (height, bounce) in heights.iter().flat_map(|h| bounces.map(|b| (*h, b))) {
        let mut channel = lattice::Channel::new(height, 20.0, 0.05, bounce)?;
        channel.coefficients(channel.steps(if quick { 2.0 } else { 12.0 }))?;
        let [drag, lift] = channel.coefficients(channel.steps(1.0))?;
        let pressure = channel.pressure_difference();
        writeln!(text, "| {height} | {bounce:?} | {drag:.4} | {lift:.4} | {pressure:.5} |")?;
    }
    writeln!(
        text,
        "\n2D-2, Re 100, interpolated, 0.1 cells a step, of the last 1 of 5 s (references: St 0.295–0.305, largest \
         drag 3.22–3.24, largest lift 0.99–1.01):\n"
    )?;
    writeln!(
        text,
        "| cells across | Strouhal number | largest drag | smallest drag | largest lift |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    let mut curves = Vec::new();
    for height in heights.iter().copied() {
        let mut channel = lattice::Channel::new(height, 100.0, 0.1, Bounce::Interpolated)?;
        channel.coefficients(channel.steps(if quick { 0.5 } else { 4.0 }))?;
        let street = channel.street(1.0, 10)?;
        let lattice::Street { strouhal, drag_max, drag_min, lift_max, .. } = street;
        writeln!(
            text,
            "| {height} | {strouhal:.4} | {drag_max:.4} | {drag_min:.4} | {lift_max:.4} |"
        )?;
        curves.push((format!("{height} cells"), street.lifts));
    }
    let axes = ["time, s", "lift coefficient"];
    plot(&folder.join("cylinder.svg"), "Cylinder at Re 100", axes, false, &curves)?;
    writeln!(text, "\n![lift over time](cylinder.svg)\n")?;
    let (cells, radius, steps) =
        if quick { ([160, 64], 10.0, 500) } else { ([800, 320], 50.0, 20_000) };
    let fastest = lattice::fast_street(cells, radius, steps)?;
    writeln!(
        text,
        "Central moments at τ = 0.5003: a disc of {} cells in {}×{}, wind 0.1 cells a step (Re {:.0}), \
         {steps} steps; the largest speed at their end is {fastest:.3} cells a step.\n",
        2.0 * radius,
        cells[0],
        cells[1],
        0.1 * 2.0 * radius / 1e-4,
    )?;
    Ok(())
}

/// Shallow water: breaking dams, bowls, a standing wave, a river, run-up.
fn shallow(text: &mut String, _: &Path, quick: bool) -> Outcome {
    writeln!(text, "## Shallow water\n\nMomentum advection on, f64.\n")?;
    let [at_dam, l1] = water::ritter(400, 20.0, 0.5, |_| ());
    writeln!(
        text,
        "A dam of 1 m that breaks on dry ground (Ritter), 20 m in 400 cells: after 1.2 s the depth where it \
         stood is {at_dam:.4} m (exact: 4/9), and Σ|h − exact|·Δx is {l1:.4} m².\n"
    )?;
    writeln!(text, "Dams that break on wet ground (Stoker), 1000 cells:\n")?;
    writeln!(text, "| depths | | depth between | velocity between | speed of the bore |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    let cases = if quick { &water::STOKER[..1] } else { &water::STOKER };
    for case in cases {
        let ([left, right], exact) = *case;
        for (name, [h, u, speed]) in [("exact", exact), ("found", water::stoker(*case))] {
            writeln!(text, "| {left}, {right} | {name} | {h:.4} | {u:.4} | {speed:.4} |")?;
        }
    }
    bowls(text, quick)?;
    writeln!(text, "\nA standing wave of 1e-7 m in a basin 1 m long and 0.1 m deep:\n")?;
    writeln!(
        text,
        "| cells | error over amplitude after a period | order | period over 2L/√(gh) |"
    )?;
    writeln!(text, "|---|---|---|---|")?;
    let mut before = None;
    for n in [32, 64, 128] {
        let (error, period) = water::standing_wave(n, 1e-7, false);
        let order = order(&mut before, error);
        writeln!(text, "| {n} | {error:.2e} | {order} | {period:.5} |")?;
    }
    let [discharge, head] = water::river_over_a_bump();
    let found = water::run_up(if quick { 0.1 } else { 0.025 });
    writeln!(
        text,
        "\nA river over a bump: the discharge is off by {:.2} % at most, the head by {:.1} mm.\n\n\
         A solitary wave of 0.019 depths runs up a beach of 1:19.85 to {found:.4} depths \
         (Synolakis: 0.0909).\n",
        100.0 * discharge,
        1e3 * head,
    )?;
    sponges(text, quick)?;
    airy(text, quick)?;
    afloat(text, quick)
}

/// The order of convergence from the error of a grid of half as many cells to this one.
fn order(before: &mut Option<f64>, error: f64) -> String {
    before.replace(error).map_or(String::new(), |coarse| format!("{:.2}", (coarse / error).log2()))
}

/// Thacker's bowls.
fn bowls(text: &mut String, quick: bool) -> Outcome {
    writeln!(
        text,
        "\nThacker's bowls: the planar surface after a turn, the round one after a swing:\n"
    )?;
    writeln!(
        text,
        "| surface | cells | error of the period | loss of amplitude | L1 error | order |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    let mut before = None;
    for n in if quick { [20, 40] } else { [60, 120] } {
        let [period, loss, l1] = water::planar_bowl(n);
        let order = order(&mut before, l1);
        writeln!(text, "| planar | {n}² | {period:.4} | {loss:.4} | {l1:.4} | {order} |")?;
    }
    for n in if quick { [50, 60] } else { [100, 200] } {
        let [period, loss] = water::radial_bowl(n);
        writeln!(text, "| round | {n}² | {period:.4} | {loss:.4} | | |")?;
    }
    Ok(())
}

/// What sponge layers and open sides throw back.
fn sponges(text: &mut String, quick: bool) -> Outcome {
    let [wall, open] = [WaterSide::Wall, WaterSide::Open];
    let mut cases = vec![
        ("20 cells, a pulse of 4 cells", 20, 4.0, false, wall),
        ("8 cells, a pulse of 4 cells", 8, 4.0, false, wall),
        ("8 cells, a pulse of 8 cells", 8, 8.0, false, wall),
        ("none, an open side", 0, 6.0, false, open),
    ];
    if !quick {
        cases.push(("20 cells, a pulse of 8 cells", 20, 8.0, false, wall));
        cases.push(("20 cells, waves at 45°", 20, 16.0, true, wall));
    }
    writeln!(text, "| sponge layer | energy thrown back |\n|---|---|")?;
    for (name, width, length, oblique, side) in cases {
        let back = water::thrown_back(width, length, oblique, side);
        writeln!(text, "| {name} | {:.3} % |", 100.0 * back)?;
    }
    Ok(())
}

/// Phase speeds with the layer of waves.
fn airy(text: &mut String, quick: bool) -> Outcome {
    writeln!(text, "\nWith the layer of surface waves, in water as deep as one of its levels:\n")?;
    writeln!(
        text,
        "| length over depth | phase speed over √(g/k·tanh kh) | height after 3 periods |"
    )?;
    writeln!(text, "|---|---|---|")?;
    let layer = SurfaceWaves { depth: 1.0, levels: 1 };
    for length in if quick { &[2.0][..] } else { &[2.0, 5.0, 20.0] } {
        let [speed, height] = water::standing(*length, 1.0, layer, true);
        writeln!(text, "| {length} | {speed:.4} | {height:.3} |")?;
    }
    Ok(())
}

/// Bodies and spray.
fn afloat(text: &mut String, quick: bool) -> Outcome {
    writeln!(text, "\nA crate of 16 by 12 by 8 cells that floats, against Archimedes:\n")?;
    writeln!(
        text,
        "| density over water's | draught, cells too deep | volume displaced, cells too deep |"
    )?;
    writeln!(text, "|---|---|---|")?;
    for ratio in if quick { &[0.5][..] } else { &[0.02, 0.25, 0.5, 0.75] } {
        let water = water::afloat(*ratio, if quick { 300 } else { 1200 });
        let [draught, displaced] = water::draught(&water, *ratio);
        writeln!(text, "| {ratio} | {draught:.3} | {displaced:.3} |")?;
    }
    let [volume, x, y] = water::round_trip();
    writeln!(
        text,
        "\nDrops that are thrown and fall back bring their volume to {volume:.0e} and their momentum to \
         {:.0e} of it. A bore of 1.5 m in 0.5 m of water throws up in 1.5 s:\n",
        x.max(y)
    )?;
    writeln!(text, "| step, s | cell, m | spray, m³ per metre of its crest |\n|---|---|---|")?;
    let cases = [(0.02, 0.2), (0.1, 0.2), (0.005, 0.2), (0.02, 0.4), (0.02, 0.1)];
    for (dt, dx) in &cases[..if quick { 1 } else { cases.len() }] {
        writeln!(text, "| {dt} | {dx} | {:.3} |", water::thrown(*dt, *dx))?;
    }
    writeln!(text)?;
    Ok(())
}
