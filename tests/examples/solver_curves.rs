//! Measures every Poisson solver, residual against time, and draws the curves.
//!
//! ```sh
//! cargo run --release -p fluid-tests --features report --example solver_curves -- docs/pictures
//! ```
//!
//! Writes `solvers_box.png` (a closed box of 512² cells) and `solvers_disc.png` (256² cells around a
//! disc, its faces open in part), and prints what each solver takes to 1e-2 and 1e-6, on one thread
//! in `f64`: in `f32` a residual
//! cannot show what a smooth solution is worth.

use core::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use epaint_default_fonts::HACK_REGULAR;
use fluid_num::poisson::{Budget, End, PoissonSolver, Problem, Solver, SolverKind};
use fluid_num::{Faces, Field, Grid};
use fluid_tests::Random;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

/// Time in ms and the relative residual, one pair a look.
type Curve = Vec<(f64, f64)>;

/// What is longer than this is cut off, ms.
const LONGEST: f64 = 200.0;
/// The smallest residual that is drawn.
const LEAST: f64 = 1e-8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("docs/pictures"), Into::into);
    fs::create_dir_all(&folder)?;
    register_font("sans-serif", FontStyle::Normal, HACK_REGULAR)
        .map_err(|_| "the font is broken")?;
    let closed = Problem::new(Grid::new([512, 512], 1.0_f64)?, [[End::Neumann; 2]; 2])?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (problem, name, title) in [
        (closed, "solvers_box.png", "a closed box, 512 x 512 cells, f64, one thread"),
        (
            around_a_disc(256)?,
            "solvers_disc.png",
            "around a disc, 256 x 256 cells, f64, one thread",
        ),
    ] {
        println!("{title}\n{:<18}{:>12}{:>12}", "", "1e-2, ms", "1e-6, ms");
        let curves = pool.install(|| measure_all(&problem))?;
        for (kind, curve) in &curves {
            let to = |goal: f64| match curve.iter().find(|(_, residual)| *residual <= goal) {
                Some((time, _)) => format!("{time:.2}"),
                None => "-".to_owned(),
            };
            println!("{:<18}{:>12}{:>12}", kind.name(), to(1e-2), to(1e-6));
        }
        draw(&folder.join(name), title, &curves)?;
    }
    Ok(())
}

fn around_a_disc(n: usize) -> Result<Problem<f64, 2>, fluid_num::Error> {
    let grid = Grid::new([n, n], 1.0)?;
    let mut problem = Problem::new(grid, [[End::Neumann; 2]; 2])?;
    let middle = 0.5 * n as f64;
    let distance = |x: f64, y: f64| {
        libm::sqrt((x - middle) * (x - middle) + (y - middle) * (y - middle)) - 0.2 * n as f64
    };
    let open = |a: f64, b: f64| {
        let (most, least) = (a.max(b), a.min(b));
        if least >= 0.0 { 1.0 } else { (most / (most - least)).max(0.0) }
    };
    let beta = Faces::from_fn(grid, |[x, y]| {
        [
            open(distance(x, y - 0.5), distance(x, y + 0.5)),
            open(distance(x - 0.5, y), distance(x + 0.5, y)),
        ]
    });
    problem.set_coefficients(&beta, None)?;
    Ok(problem)
}

/// Two whirls' worth of divergence and a little noise: smooth and rough parts alike.
fn right_hand_side(grid: Grid<f64, 2>) -> Field<f64, 2> {
    let mut random = Random::new(3);
    let n = grid.cells()[0] as f64;
    Field::from_fn(grid, |[x, y]| {
        let bump = |cx: f64, cy: f64| {
            let (x, y) = (x / n - cx, y / n - cy);
            libm::exp(-(x * x + y * y) / 0.005)
        };
        bump(0.3, 0.15) - bump(0.7, 0.85) + random.within(-0.1, 0.1)
    })
}

fn measure_all(
    problem: &Problem<f64, 2>,
) -> Result<Vec<(SolverKind<f64>, Curve)>, fluid_num::Error> {
    let kinds = SolverKind::all().into_iter().filter(|kind| kind.suits(problem).is_ok());
    kinds.map(|kind| Ok((kind, measure(problem, kind)?))).collect()
}

/// The best of three runs at each number of iterations, each from p = 0.
fn measure(problem: &Problem<f64, 2>, kind: SolverKind<f64>) -> Result<Curve, fluid_num::Error> {
    let grid = *problem.grid();
    let rhs = right_hand_side(grid);
    let mut solver = Solver::new(grid, kind)?;
    let mut p = Field::zeros(grid);
    let mut curve = Vec::new();
    let mut iterations = 1_usize;
    loop {
        let mut best = (f64::INFINITY, 1.0);
        for _ in 0..3 {
            p.fill(0.0);
            let start = Instant::now();
            let report = solver.solve(problem, &rhs, &mut p, Budget::iterations(iterations))?;
            let time = start.elapsed().as_secs_f64() * 1e3;
            if time < best.0 {
                best = (time, report.residual);
            }
        }
        curve.push(best);
        let stuck = best.1 < 1e-2 && curve.len() > 8 && curve[curve.len() - 4].1 <= best.1 * 1.2;
        if best.0 > LONGEST || best.1 < LEAST || stuck {
            return Ok(curve);
        }
        iterations = (iterations + 1).max(iterations * 4 / 3);
    }
}

fn draw(
    path: &Path,
    title: &str,
    curves: &[(SolverKind<f64>, Curve)],
) -> Result<(), Box<dyn Error>> {
    let root = BitMapBackend::new(path, (960, 640)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .caption(format!("Residual against time: {title}"), ("sans-serif", 18))
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((1.0..LONGEST).log_scale(), (LEAST..10.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("time of a solve from p = 0, ms")
        .y_desc("max|b - A p| / max|b|")
        .x_label_formatter(&|t| format!("{t}"))
        .y_label_formatter(&|r| format!("{r:.0e}"))
        .label_style(("sans-serif", 13))
        .light_line_style(WHITE)
        .draw()?;
    for (n, (kind, curve)) in curves.iter().enumerate() {
        let colour = HSLColor(n as f64 / curves.len() as f64, 0.75, 0.42);
        let style = colour.stroke_width(if curve.len() > 1 { 3 } else { 1 });
        let points = || curve.iter().copied();
        chart
            .draw_series(LineSeries::new(points(), style))?
            .label(kind.name())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], style));
        if curve.len() <= 3 {
            chart.draw_series(points().map(|at| Circle::new(at, 5, colour.filled())))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()?;
    root.present()?;
    Ok(())
}
