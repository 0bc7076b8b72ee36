//! The collapse of a column of water twice as high as wide, against experiments.
#![allow(clippy::disallowed_methods, reason = "experiments need no equal bits")]

use fluid_num::{Boundary, LiquidParams, Side};

use super::liquid::{GRAVITY, water};

/// The width a of the column, m: 2.25 in.
const WIDTH: f64 = 0.057_15;

/// Where the front is, Z = z/a, at T = t·√(2g/a), by J. C. Martin and W. J. Moyce, 1952.
pub(crate) const MARTIN_MOYCE: [[f64; 2]; 13] = [
    [0.832, 1.217],
    [1.219, 1.474],
    [1.997, 2.292],
    [2.547, 2.995],
    [3.345, 4.134],
    [4.034, 4.944],
    [4.418, 5.881],
    [5.091, 6.980],
    [5.685, 7.945],
    [6.306, 8.966],
    [6.822, 9.986],
    [7.439, 10.963],
    [8.031, 11.977],
];

/// The same by S. Koshizuka and Y. Oka, 1996.
pub(crate) const KOSHIZUKA_OKA: [[f64; 2]; 8] = [
    [0.381, 1.111],
    [0.769, 1.252],
    [1.153, 1.505],
    [1.537, 1.892],
    [1.935, 2.241],
    [2.323, 2.615],
    [2.719, 3.003],
    [3.096, 3.624],
];

/// The number of a point of [`MARTIN_MOYCE`] that cannot be: from it to the next the front would be
/// faster than 2√(2ga), which no water from a column of this height is.
pub(crate) const DOUBTFUL: usize = 5;

/// Where the front of a column that has collapsed was, Z at T.
pub(crate) struct Fronts {
    /// The front of any water.
    pub(crate) tip: Vec<[f64; 2]>,
    /// That of water deeper than a twentieth of a: what is ahead of it is a film of less than 3 mm.
    pub(crate) deep: Vec<[f64; 2]>,
}

/// A column `cells` cells wide that collapses over a floor sixteen times as long, until T = 8.1.
pub(crate) fn fronts(cells: usize, floor: Side<f64, 2>) -> Fronts {
    let (dx, unit) = (WIDTH / cells as f64, (WIDTH / (2.0 * GRAVITY)).sqrt());
    let params =
        LiquidParams { boundary: Boundary::walls().with(1, 0, floor), ..Default::default() };
    let block = |[x, y]: [f64; 2]| (x - WIDTH).max(y - 2.0 * WIDTH);
    let (nx, ny) = (16 * cells, 5 * cells / 2);
    let mut water = water([nx, ny], dx, params, block);
    let mut fronts = Fronts { tip: vec![[0.0, 1.0]], deep: vec![[0.0, 1.0]] };
    let step = 0.05;
    for n in 1..=162 {
        water.step(step * unit).unwrap();
        let phi = water.surface().field();
        // Where a measure of columns, positive behind the front, is 0, in cells.
        let front = |measure: &dyn Fn(usize) -> f64| -> f64 {
            let last = (0..nx - 1).rev().find(|i| measure(*i) > 0.0).unwrap();
            let (here, next) = (measure(last), measure(last + 1));
            last as f64 + 0.5 + here / (here - next)
        };
        let lowest = |i: usize| (0..ny).fold(f64::MAX, |least, j| least.min(phi[[i, j]]));
        let part = |i: usize, j: usize| (0.5 - phi[[i, j]] / dx).clamp(0.0, 1.0);
        let depth = |i: usize| (0..ny).map(|j| part(i, j)).sum::<f64>();
        let places = [front(&|i| -lowest(i)), front(&|i| depth(i) - 0.05 * cells as f64)];
        for (to, place) in [&mut fronts.tip, &mut fronts.deep].into_iter().zip(places) {
            to.push([f64::from(n) * step, place / cells as f64]);
        }
    }
    fronts
}

/// A curve at `x`, linear between its points.
fn at(curve: impl Iterator<Item = [f64; 2]> + Clone, x: f64) -> f64 {
    let pairs = curve.clone().zip(curve.skip(1));
    let mut found = f64::NAN;
    for ([x0, y0], [x1, y1]) in pairs {
        if x >= x0 && x <= x1 {
            found = y0 + (y1 - y0) * (x - x0) / (x1 - x0);
        }
    }
    found
}

/// By how much the clock of an experiment is ahead of that of a front, by its first point: it ran before
/// the water was free.
pub(crate) fn delay(front: &[[f64; 2]], data: &[[f64; 2]]) -> f64 {
    let [time, place] = data[0];
    time - at(front.iter().map(|[t, z]| [*z, *t]), place)
}

/// How far a front is ahead of every point of an experiment whose clock is `delay` ahead, as a part of
/// the way of that.
pub(crate) fn ahead(front: &[[f64; 2]], data: &[[f64; 2]], delay: f64) -> Vec<f64> {
    data.iter().map(|[t, z]| at(front.iter().copied(), t - delay) / z - 1.0).collect()
}

/// The speed of a front between two times, dZ/dT.
pub(crate) fn slope(front: &[[f64; 2]], [from, to]: [f64; 2]) -> f64 {
    let z = |t: f64| at(front.iter().copied(), t);
    (z(to) - z(from)) / (to - from)
}
