//! Sections about level sets, and about a liquid with a free surface and bodies.

use core::fmt::Write as _;
use std::path::Path;

use fluid_num::Side;

use crate::measure::afloat::{self, Around};
use crate::measure::dam::{DOUBTFUL, KOSHIZUKA_OKA, MARTIN_MOYCE, ahead, delay, fronts, slope};
use crate::measure::level_set;
use crate::measure::liquid::{self, Care};
use crate::{Curve, Outcome, plot};

/// Level sets in given flows.
pub(crate) fn level_sets(text: &mut String, _: &Path, quick: bool) -> Outcome {
    writeln!(text, "## Level sets\n")?;
    writeln!(
        text,
        "Change of the area or volume of a shape, cubic interpolation, f32: Zalesak's slotted disc after one turn and \
         the single vortex with T = 8, one cell a step; Enright's ball with T = 3, up to two cells a step. A \
         liquid reinitialises after 1 cell unless it is told otherwise. Particles: with reinitialisation after \
         5 cells.\n"
    )?;
    let disc: &[usize] = if quick { &[50] } else { &[50, 100, 200] };
    let vortex: &[usize] = if quick { &[64] } else { &[64, 128] };
    let ball: &[usize] = if quick { &[24] } else { &[32, 64] };
    let of = |name: &str, power: char, sizes: &[usize]| -> String {
        sizes.iter().map(|n| format!(" {name} {n}{power} |")).collect()
    };
    let (a, b, c) = (of("Zalesak", '²', disc), of("vortex", '²', vortex), of("ball", '³', ball));
    writeln!(text, "| |{a}{b}{c}")?;
    let columns = disc.len() + vortex.len() + ball.len();
    writeln!(text, "|---|{}", "---|".repeat(columns))?;
    let cares = [
        ("φ alone", level_set::Care::None),
        ("reinitialised after 5 cells", level_set::Care::Distance(5.0)),
        ("reinitialised after 1 cell", level_set::Care::Distance(1.0)),
        ("with particles", level_set::Care::Particles),
    ];
    for (name, care) in cares {
        write!(text, "| {name} |")?;
        for n in disc {
            write!(text, " {:+.1} % |", 100.0 * level_set::zalesak(*n, care)?)?;
        }
        for n in vortex {
            write!(text, " {:+.1} % |", 100.0 * level_set::vortex(*n, care)?)?;
        }
        for n in ball {
            write!(text, " {:+.1} % |", 100.0 * level_set::enright(*n, care)?)?;
        }
        writeln!(text)?;
    }
    writeln!(text)?;
    Ok(())
}

/// A liquid with a free surface.
pub(crate) fn section(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    writeln!(text, "## Liquid with a free surface\n")?;
    rest(text, quick)?;
    waves(text, quick)?;
    dam(text, folder, quick)?;
    volume(text, quick)?;
    bodies(text, quick)
}

fn rest(text: &mut String, quick: bool) -> Outcome {
    let heights = [-1e-8, -1e-4, -0.01, -0.25, -0.5, -0.99];
    let found = heights.map(liquid::touched::<f64>);
    let worst = |k: usize| found.iter().fold(0.0_f64, |most, found| most.max(found[k]));
    let steps = if quick { 100 } else { 600 };
    writeln!(
        text,
        "A tank of 32² cells at rest, φ of its highest liquid cell from −0.99 to −1e-8 cells: after a step \
         nothing is faster than {:.0e} g·Δt, and the pressure at the bottom is off by {:.2} % at most. Let go \
         with a slope from a fifth to four fifths of the height, nothing is faster than {:.1} √(2gH) in {steps} \
         steps.\n\nTanks at rest, 64×32 cells, half full, {steps} steps:\n",
        worst(0),
        100.0 * worst(1),
        liquid::fastest_slosh(steps),
    )?;
    writeln!(
        text,
        "| ground | ν, m²/s | | smallest open part of a cell | fastest speed over √(gH) | surface off, cells |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    let cases = [(0.0, 0.0), (0.0, 20.0), (10.0, 0.0), (10.0, 20.0), (37.0, 0.0)];
    for (degrees, viscosity) in &cases[..if quick { 1 } else { cases.len() }] {
        let (double, single) = (
            liquid::rest::<f64>(*degrees, *viscosity, steps),
            liquid::rest::<f32>(*degrees, *viscosity, steps),
        );
        for (name, found) in [("f64", double), ("f32", single)] {
            let liquid::Rest { speed, level, sliver } = found;
            writeln!(
                text,
                "| {degrees}° | {viscosity} | {name} | {sliver:.0e} | {speed:.1e} | {level:.1e} |"
            )?;
        }
    }
    Ok(())
}

fn waves(text: &mut String, quick: bool) -> Outcome {
    writeln!(text, "\nThe first mode of a tank 1 m long, against linear theory:\n")?;
    writeln!(text, "| depth, m | cells | period over 2π/√(gk·tanh kh) | height after 2 periods |")?;
    writeln!(text, "|---|---|---|---|")?;
    for depth in [1.0, 0.5, 0.1] {
        for n in if quick { &[16][..] } else { &[16, 32, 64] } {
            let [period, height] = liquid::sloshing(*n, depth);
            writeln!(text, "| {depth} | {n} | {period:.4} | {height:.4} |")?;
        }
    }
    writeln!(text, "\nA drop 6 cells in radius that falls for 20 steps of 1/60 s:\n")?;
    writeln!(text, "| cell, m | area | way over ½gt² | largest radius over smallest |")?;
    writeln!(text, "|---|---|---|---|")?;
    for parts in [64.0, 16.0] {
        let liquid::Drop { area, way, roundness } = liquid::drop(1.0 / parts);
        writeln!(text, "| 1/{parts} | {:+.2} % | {way:.4} | {roundness:.4} |", 100.0 * area)?;
    }
    Ok(())
}

fn dam(text: &mut String, folder: &Path, quick: bool) -> Outcome {
    writeln!(
        text,
        "\nA column of water, a = 57.15 mm wide and twice as high, collapses: where its front is, Z = z/a at \
         T = t√(2g/a), against Martin and Moyce (1952) and Koshizuka and Oka (1996). The front is that of \
         water deeper than a/20, or the tip of all, where φ = 0. Ahead by: at every point of a curve by its own clock; and \
         from the first point of Martin and Moyce on, whose clock ran before the water was free. Their point \
         at T = 4.034 stands apart: from it to the next the front would be faster than 2√(2ga). dZ/dT from 2.547 \
         to 7.439; that of the experiment is {:.2}.\n",
        slope(&MARTIN_MOYCE, [2.547, 7.439]),
    )?;
    writeln!(
        text,
        "| floor | cells in a | front | own clock, M. & M. | own clock, K. & O. | delay | from the first point | \
         and T = 4.034 | dZ/dT |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|---|")?;
    let percents = |ahead: &[f64]| {
        let lo = ahead.iter().fold(f64::MAX, |a, b| a.min(*b));
        let hi = ahead.iter().fold(f64::MIN, |a, b| a.max(*b));
        format!("{:+.1} to {:+.1} %", 100.0 * lo, 100.0 * hi)
    };
    let mut curves: Vec<Curve> = Vec::new();
    let curve = |points: &[[f64; 2]]| points.iter().map(|[t, z]| (*t, *z)).collect();
    let slip = Side::FreeSlip;
    let mut cases = vec![("slips", slip, 10), ("slips", slip, 20)];
    if !quick {
        cases.extend([
            ("slips", slip, 40),
            ("holds", Side::NoSlip, 20),
            ("holds", Side::NoSlip, 40),
        ]);
    }
    let mut set_back = 0.0;
    for (name, floor, cells) in cases {
        let found = fronts(cells, floor);
        for (front, points) in [("a/20", &found.deep), ("tip", &found.tip)] {
            let late = delay(points, &MARTIN_MOYCE);
            let own = percents(&ahead(points, &MARTIN_MOYCE, 0.0));
            let other = percents(&ahead(points, &KOSHIZUKA_OKA, 0.0));
            let mut off = ahead(points, &MARTIN_MOYCE, late);
            let doubtful = 100.0 * off.remove(DOUBTFUL);
            writeln!(
                text,
                "| {name} | {cells} | {front} | {own} | {other} | {late:.2} | {} | {doubtful:+.1} % | {:.2} |",
                percents(&off),
                slope(points, [2.547, 7.439]),
            )?;
            if name == "slips" && cells > 10 && front == "a/20" {
                curves.push((format!("{cells} cells"), curve(points)));
                set_back = late;
            }
        }
    }
    let early: Vec<[f64; 2]> = MARTIN_MOYCE.iter().map(|[t, z]| [t - set_back, *z]).collect();
    curves.push(("reference: Martin, Moyce".into(), curve(&MARTIN_MOYCE)));
    curves.push((format!("reference: the same, {set_back:.2} earlier"), curve(&early)));
    curves.push(("reference: Koshizuka, Oka".into(), curve(&KOSHIZUKA_OKA)));
    let axes = ["T = t√(2g/a)", "front, Z = z/a"];
    plot(&folder.join("dam_break.svg"), "Breaking dam", axes, false, &curves)?;
    writeln!(text, "\n![front over time](dam_break.svg)\n")?;
    Ok(())
}

const CARES: [(&str, Care); 3] =
    [("as it comes", Care::None), ("particles", Care::Markers), ("correction", Care::Correction)];

fn volume(text: &mut String, quick: bool) -> Outcome {
    let steps = if quick { 60 } else { 300 };
    writeln!(
        text,
        "Change of the volume, as it comes, with particles of the surface, and with the correction. A block of \
         24×32 cells that collapses in a corner of 64×64, {steps} steps of 1/60 s; and the demonstration `water`, \
         a dam that falls among ten bodies, f32, {} steps:\n",
        2 * steps
    )?;
    writeln!(
        text,
        "| | | at the end | most at any time | iterations of a pressure solve, mean | most |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    let mut row = |what: &str, care: &str, run: &liquid::Run| {
        let (mean, most) = run.cost();
        let [drift, worst] = [run.drift, run.most].map(|part| 100.0 * part);
        writeln!(text, "| {what} | {care} | {drift:+.2} % | {worst:.2} % | {mean:.1} | {most} |")
    };
    for (what, dx) in
        [("block, cells of 1 m", 1.0), ("of 1/16 m", 0.0625), ("of 1/64 m", 0.015_625)]
    {
        for (name, care) in CARES {
            row(what, name, &liquid::collapse(dx, care, steps))?;
        }
    }
    for cells in if quick { &[[96, 48]][..] } else { &[[128, 64], [192, 96]] } {
        for (name, care) in CARES {
            let run = liquid::pool_party(*cells, care, 2 * steps);
            row(&format!("`water`, {}×{}", cells[0], cells[1]), name, &run)?;
        }
    }
    Ok(())
}

fn bodies(text: &mut String, quick: bool) -> Outcome {
    writeln!(
        text,
        "\nThe force on a block of 16×8 m under water, over the weight of what it displaces:\n"
    )?;
    writeln!(text, "| cell, m | depth of its centre, m | up | across |\n|---|---|---|---|")?;
    for refined in [1, 2] {
        for depth in [14.0, 20.3, 26.77] {
            let [across, up] = afloat::lift(refined, depth, 24.3);
            let dx = 1.0 / refined as f64;
            writeln!(text, "| {dx} | {depth} | {up:.4} | {across:.1e} |")?;
        }
    }
    let (steps, counted) = if quick { (300, 200) } else { (900, 600) };
    writeln!(
        text,
        "\nThe draught of a block of 16×8 cells that is put into the water a cell too high, on average of \
         {counted} steps:\n\n| density over water's | draught, cells | exact | sine of its angle at the end |\n|---|---|---|---|"
    )?;
    for (ratio, draught) in [(0.5, 4.0), (0.75, 6.0)] {
        let found = afloat::afloat(ratio, 25.3 - draught, steps, counted);
        writeln!(text, "| {ratio} | {:.2} | {draught} | {:.3} |", found.draught, found.tilt)?;
    }
    let (hovers, rests) = (afloat::afloat(1.0, 12.0, 120, 1), afloat::afloat(1.25, 12.0, 900, 1));
    writeln!(
        text,
        "\nOne as dense as water drifts by {:.4} cells in 2 s; one of 1.25 times that lies {:.2} cells above \
         the floor after 15 s. A disc that is let go, in a full box twenty times as wide:\n",
        hovers.moved, rests.above
    )?;
    writeln!(text, "| density over water's | acceleration over g(ρ − ρ_s)/(ρ + ρ_s) |\n|---|---|")?;
    for ratio in [2.0, 0.5, 0.001] {
        writeln!(text, "| {ratio} | {:.4} |", afloat::released(ratio))?;
    }
    writeln!(
        text,
        "\nA disc 7 m in radius in liquid without gravity is pushed along x: how far the momentum of both is, at \
         most, from what the push and the walls have given, as a part of what the push gives. Action is \
         reaction; what is lost is lost where velocities carry themselves, and of first order:\n"
    )?;
    writeln!(text, "| around | cell, m | 0.5 s, no way | 2 s, half a metre | 6 s, five metres |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    let places = [
        ("a full box", Around::Walls),
        ("a full box, periodic along x", Around::Periodic),
        ("a drop in air", Around::Air),
    ];
    for (name, around) in places {
        let finest = if around == Around::Walls { 4 } else { 2 };
        for refined in [1, 2, 4].into_iter().filter(|n| *n <= if quick { 1 } else { finest }) {
            write!(text, "| {name} | {} |", 1.0 / refined as f64)?;
            for seconds in [0.5, 2.0, 6.0] {
                let [off, _] = afloat::pushed(around, refined, seconds);
                write!(text, " {:.3} % |", 100.0 * off)?;
            }
            writeln!(text)?;
        }
    }
    writeln!(text)?;
    Ok(())
}
