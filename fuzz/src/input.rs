//! Bytes to numbers, grids and choices. Where the bytes end, zeros follow.

use arbitrary::Unstructured;
use fluid_num::{Grid, Real};

/// A source of choices.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    bytes: Unstructured<'a>,
    /// How many of 256 numbers are wild.
    wildness: u8,
}

/// What no formula expects.
const WILD: [f64; 22] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f32::MAX as f64,
    f32::MIN as f64,
    f32::MIN_POSITIVE as f64,
    -1e-300,
    1e20,
    -1e20,
    1e-20,
    1e30,
    1e-30,
    1e150,
];

impl<'a> Input<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        let mut input = Self { bytes: Unstructured::new(data), wildness: 0 };
        input.wildness = input.pick(&[0, 0, 2, 8, 40]);
        input
    }

    /// Whether all numbers of this input are ordinary.
    pub(crate) fn is_tame(&self) -> bool {
        self.wildness == 0
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Whether `n` times in 256.
    pub(crate) fn chance(&mut self, n: u8) -> bool {
        u16::from(self.byte()) + u16::from(n) > 255
    }

    /// A whole number of `lo..=hi`.
    pub(crate) fn within(&mut self, lo: usize, hi: usize) -> usize {
        self.bytes.int_in_range(lo..=hi).unwrap_or(lo)
    }

    pub(crate) fn pick<V: Copy>(&mut self, from: &[V]) -> V {
        from[self.within(0, from.len() - 1)]
    }

    /// An ordinary number of [lo, hi], or a wild one.
    pub(crate) fn number<T: Real>(&mut self, lo: f64, hi: f64) -> T {
        if self.chance(self.wildness) {
            return T::of(self.pick(&WILD));
        }
        T::of(self.unit() * (hi - lo) + lo)
    }

    pub(crate) fn vector<T: Real, const N: usize>(&mut self, lo: f64, hi: f64) -> [T; N] {
        core::array::from_fn(|_| self.number(lo, hi))
    }

    fn unit(&mut self) -> f64 {
        f64::from(self.bytes.arbitrary::<u16>().unwrap_or(0)) / f64::from(u16::MAX)
    }

    /// Something that must not be negative: often 0, else of several magnitudes.
    pub(crate) fn coefficient<T: Real>(&mut self) -> T {
        match self.byte() % 4 {
            0 | 1 => T::zero(),
            2 => self.number(0.0, 1.0),
            _ => self.number(0.0, 1e4),
        }
    }

    /// A time step: mostly one of a game, sometimes far too long, sometimes none.
    pub(crate) fn time_step<T: Real>(&mut self) -> T {
        match self.byte() % 8 {
            0 => T::zero(),
            1 => self.number(0.0, 100.0),
            _ => self.number(0.0, 0.1),
        }
    }

    /// A grid of 1 to 24 cells a side, fewer than 4096 in all.
    pub(crate) fn grid<T: Real, const D: usize>(&mut self) -> Grid<T, D> {
        let mut cells: [usize; D] = core::array::from_fn(|_| self.within(1, 24));
        while cells.iter().product::<usize>() > 4096 {
            let longest = (0..D).max_by_key(|a| cells[*a]).unwrap_or(0);
            cells[longest] = cells[longest].div_ceil(2);
        }
        let dx = T::of(self.pick(&[0.1, 1.0, 1e-3, 7.0]));
        let corner = core::array::from_fn(|_| T::of(self.pick(&[0.0, 0.0, -3.0, 50.0])));
        let grid = Grid::new(cells, dx).and_then(|g| g.with_origin(corner));
        grid.expect("from 1 to 24 cells a side are a grid")
    }

    /// A point in or near a grid.
    pub(crate) fn point<T: Real, const D: usize>(&mut self, grid: &Grid<T, D>) -> [T; D] {
        let (origin, size) = (grid.origin(), grid.size());
        core::array::from_fn(|a| origin[a] + self.number::<T>(-0.2, 1.2) * size[a])
    }

    /// A length between a fifth of a cell and twice the grid's first side.
    pub(crate) fn length<T: Real, const D: usize>(&mut self, grid: &Grid<T, D>) -> T {
        let cells = grid.cells()[0] as f64;
        self.number::<T>(0.2, (0.5 * cells).max(0.4)) * grid.dx()
    }
}

/// Runs a generic body with the scalar and the dimension that the first byte chooses.
macro_rules! dispatch {
    ($data:expr, $body:ident) => {{
        let (choice, rest) = $data.split_first().unwrap_or((&0, &[]));
        let mut input = $crate::input::Input::new(rest);
        match choice % 4 {
            0 => $body::<f32, 2>(&mut input),
            1 => $body::<f64, 2>(&mut input),
            2 => $body::<f32, 3>(&mut input),
            _ => $body::<f64, 3>(&mut input),
        }
    }};
}
pub(crate) use dispatch;
