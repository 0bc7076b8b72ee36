//! Fields of a plane as sums of waves: cosines between sides, Fourier's around periodic axes.

use alloc::vec;
use alloc::vec::Vec;

use crate::transform::{Dct, RealFft};
use crate::{Error, Grid, Real};

/// The transform along one axis.
#[derive(Debug, Clone)]
enum Basis<T> {
    Cosine(Dct<T>),
    Fourier(RealFft<T>),
}

impl<T: Real> Basis<T> {
    fn new(len: usize, periodic: bool) -> Result<Self, Error> {
        Ok(match periodic {
            true => Self::Fourier(RealFft::new(len)?),
            false => Self::Cosine(Dct::new(len)?),
        })
    }

    fn forward(&mut self, data: &mut [T], lanes: usize) -> Result<(), Error> {
        match self {
            Self::Cosine(plan) => plan.forward_lanes(data, lanes, lanes),
            Self::Fourier(plan) => plan.forward_lanes(data, lanes, lanes),
        }
    }

    fn inverse(&mut self, data: &mut [T], lanes: usize) -> Result<(), Error> {
        match self {
            Self::Cosine(plan) => plan.inverse_lanes(data, lanes, lanes),
            Self::Fourier(plan) => plan.inverse_lanes(data, lanes, lanes),
        }
    }
}

/// The transform of rows of cells, one after the other, to modes, column after column, and back.
#[derive(Debug, Clone)]
pub(super) struct Spectrum<T> {
    cells: [usize; 2],
    along: Basis<T>,
    across: Basis<T>,
    /// What is being turned.
    turned: Vec<T>,
    /// k² by the number along each axis.
    squares: [Vec<f64>; 2],
    inverse_roots: Vec<T>,
}

impl<T: Real> Spectrum<T> {
    pub(super) fn new(grid: &Grid<T, 2>, periodic: [bool; 2]) -> Result<Self, Error> {
        let cells = grid.cells();
        let dx = grid.dx().to_f64();
        // Half the angle from one cell to the next.
        let half_angle = |axis: usize, m: usize| {
            let n = cells[axis] as f64;
            let pi = core::f64::consts::PI;
            if periodic[axis] { pi * m.div_ceil(2) as f64 / n } else { pi * m as f64 / (2.0 * n) }
        };
        let table = |axis: usize, f: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..cells[axis]).map(|m| f(half_angle(axis, m))).map(|k| k * k).collect()
        };
        let squares = [0, 1].map(|axis| table(axis, &|angle| 2.0 * angle / dx));
        let steps = [0, 1].map(|axis| table(axis, &|angle| 2.0 * libm::sin(angle) / dx));
        let sums = steps[0].iter().flat_map(|x| steps[1].iter().map(move |y| x + y));
        let inverse = |sum: f64| if sum > 0.0 { 1.0 / libm::sqrt(sum) } else { 0.0 };
        let inverse_roots = sums.map(|sum| T::of(inverse(sum))).collect();
        Ok(Self {
            cells,
            along: Basis::new(cells[0], periodic[0])?,
            across: Basis::new(cells[1], periodic[1])?,
            turned: vec![T::zero(); grid.cell_count()],
            squares,
            inverse_roots,
        })
    }

    /// The wave number of a mode, rad/m.
    pub(super) fn wave_number(&self, mode: usize) -> f64 {
        let ny = self.cells[1];
        libm::sqrt(self.squares[0][mode / ny] + self.squares[1][mode % ny])
    }

    /// 1/k of every mode by the five-point Laplacian, 0 for the mean.
    pub(super) fn inverse_roots(&self) -> &[T] {
        &self.inverse_roots
    }

    /// Values to modes.
    pub(super) fn forward(&mut self, values: &mut [T]) -> Result<(), Error> {
        let [nx, ny] = self.cells;
        self.across.forward(values, nx)?;
        turn(values, &mut self.turned, nx);
        self.along.forward(&mut self.turned, ny)?;
        values.copy_from_slice(&self.turned);
        Ok(())
    }

    /// Modes to values, which are lent until the next call.
    pub(super) fn back(&mut self, modes: &mut [T]) -> Result<&[T], Error> {
        let [nx, ny] = self.cells;
        self.along.inverse(modes, ny)?;
        turn(modes, &mut self.turned, ny);
        self.across.inverse(&mut self.turned, nx)?;
        Ok(&self.turned)
    }
}

/// Rows of `len` become columns.
fn turn<T: Real>(from: &[T], to: &mut [T], len: usize) {
    /// The edge of a square that stays in the nearest cache.
    const EDGE: usize = 32;
    let rows = from.len() / len;
    for top in (0..rows).step_by(EDGE) {
        for left in (0..len).step_by(EDGE) {
            for i in left..(left + EDGE).min(len) {
                for j in top..(top + EDGE).min(rows) {
                    to[i * rows + j] = from[j * len + i];
                }
            }
        }
    }
}
