//! What adds liquid and what takes it.

use alloc::vec::Vec;

use super::Liquid;
use crate::base::error::check;
use crate::base::exec::Region;
use crate::solid::Shape;
use crate::{Error, Location, Real, Side};

/// What a source does where its shape is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow<T, const D: usize> {
    /// It is full of liquid, always, which has this velocity, m/s: a faucet, a hose.
    Fill {
        /// The velocity of what comes out.
        velocity: [T; D],
    },
    /// It is empty, always: what comes in is gone.
    Drain,
    /// The liquid that is there gains this volume in a second, m³/s (m²/s in the plane); it loses where
    /// negative. Nothing happens as long as no liquid is there.
    Rate(T),
}

/// A source or a drain that acts in every step.
#[derive(Debug, Clone, PartialEq)]
pub struct LiquidSource<T, const D: usize> {
    /// Its shape; at least two cells thick.
    pub shape: Shape<T, D>,
    /// Where the shape's origin stands, m.
    pub position: [T; D],
    /// What it does.
    pub flow: Flow<T, D>,
}

impl<T: Real, const D: usize> LiquidSource<T, D> {
    /// Checks every number.
    ///
    /// # Errors
    /// As [`Shape::check`]; [`Error::InvalidParameter`] for a number that is not finite.
    pub fn check(&self) -> Result<(), Error> {
        self.shape.check()?;
        check::all_finite("source.position", &self.position)?;
        match &self.flow {
            Flow::Fill { velocity } => check::all_finite("source.velocity", velocity),
            Flow::Drain => Ok(()),
            Flow::Rate(rate) => check::finite("source.rate", *rate),
        }
    }

    /// The signed distance of a place to the shape.
    fn distance(&self, place: [T; D]) -> T {
        self.shape.signed_distance(core::array::from_fn(|a| place[a] - self.position[a]))
    }
}

impl<T: Real, const D: usize> Liquid<T, D> {
    /// The sources and drains.
    pub fn sources(&self) -> &[LiquidSource<T, D>] {
        &self.sources
    }

    /// The sources and drains, to be changed; `step` checks them.
    pub fn sources_mut(&mut self) -> &mut Vec<LiquidSource<T, D>> {
        &mut self.sources
    }

    /// Pours a shape full of liquid at once, which has a velocity, m/s. It counts as entered.
    ///
    /// # Errors
    /// As [`Shape::check`]; [`Error::InvalidParameter`] for a number that is not finite. Nothing is
    /// changed then.
    pub fn pour(
        &mut self,
        shape: &Shape<T, D>,
        position: [T; D],
        velocity: [T; D],
    ) -> Result<(), Error> {
        let source = LiquidSource { shape: shape.clone(), position, flow: Flow::Fill { velocity } };
        source.check()?;
        self.surface.unite(shape, position)?;
        self.set_velocity_within(&source, velocity);
        (self.surface_changed, self.velocity_changed) = (true, true);
        Ok(())
    }

    /// Lets sources, drains and sides act for `dt`, and books what they did.
    ///
    /// Afterwards every source that fills is full, and every drain empty.
    ///
    /// # Errors
    /// None now.
    pub fn exchange(&mut self, dt: T) -> Result<(), Error> {
        self.book_sides(dt);
        let changes = |source: &LiquidSource<T, D>| !matches!(source.flow, Flow::Rate(_));
        if !self.sources.iter().any(changes) {
            return Ok(());
        }
        let before = self.measure();
        let sources = core::mem::take(&mut self.sources);
        for source in &sources {
            match source.flow {
                Flow::Fill { velocity } => {
                    self.change_within(source, |distance, phi| distance.at_most(phi));
                    self.set_velocity_within(source, velocity);
                }
                Flow::Drain => {
                    self.change_within(source, |distance, phi| (-distance).at_least(phi));
                }
                Flow::Rate(_) => {}
            }
        }
        self.sources = sources;
        self.surface.fill_ghosts();
        let change = self.measure() - before;
        self.ledger.book(change);
        Ok(())
    }

    /// Adds to a divergence what sources of a given rate make of it, and books it.
    pub(super) fn add_rates(&mut self, dt: T) {
        let size = (0..D).fold(T::one(), |size, _| size * self.grid.dx());
        for source in &self.sources {
            let Flow::Rate(rate) = source.flow else { continue };
            let region = within(self, source, T::zero());
            let inside = |place: usize| {
                let center = self.grid.center(self.grid.cell_at(place));
                self.pressure.is_liquid(place) && source.distance(center) < T::zero()
            };
            let count = region.places().filter(|place| inside(*place)).count();
            if count == 0 {
                continue;
            }
            let source = rate / (T::of_usize(count) * size);
            let rhs = &mut self.rates;
            region
                .places()
                .filter(|place| inside(*place))
                .for_each(|place| rhs.push((place as u32, source)));
            self.ledger.book((rate * dt).to_f64());
        }
        for (place, source) in self.rates.drain(..) {
            self.pressure.rhs.as_mut_slice()[place as usize] -= source;
        }
    }

    fn change_within(&mut self, source: &LiquidSource<T, D>, change: impl Fn(T, T) -> T) {
        let margin = self.params.band * self.grid.dx();
        let (grid, width) = (self.grid, self.surface.width());
        let region = within(self, source, margin);
        let values = self.surface.values_mut();
        for place in region.places() {
            let phi = change(source.distance(grid.center(grid.cell_at(place))), values[place]);
            values[place] = width.map_or(phi, |width| phi.at_most(width).at_least(-width));
        }
    }

    fn set_velocity_within(&mut self, source: &LiquidSource<T, D>, velocity: [T; D]) {
        let grid = self.grid;
        for axis in 0..D {
            let mut region = within(self, source, grid.dx());
            region.lo[axis] = region.lo[axis].max(2);
            for place in region.places() {
                let cell = grid.cell_at(place);
                let position = grid.position(Location::Face(axis), cell);
                if source.distance(position) < T::zero() {
                    self.velocity[axis].as_mut_slice()[place] = velocity[axis];
                }
            }
        }
    }

    /// Books what flows through open and inflow sides.
    fn book_sides(&mut self, dt: T) {
        let dx = self.grid.dx();
        let area = (1..D).fold(dt, |area, _| area * dx).to_f64();
        for axis in 0..D {
            for end in 0..2 {
                let side = self.params.boundary.sides[axis][end];
                if !matches!(side, Side::Open | Side::Inflow { .. }) {
                    continue;
                }
                let mut plane = self.grid.interior();
                let at = if end == 0 { 1 } else { self.grid.cells()[axis] };
                (plane.lo[axis], plane.hi[axis]) = (at, at + 1);
                let (u, phi) = (self.velocity[axis].as_slice(), self.wet.field().as_slice());
                let mut inflow = 0.0;
                for place in plane.places() {
                    let speed = u[place + end * self.grid.strides()[axis]].to_f64();
                    let part = (T::of(0.5) - phi[place] / dx).at_least(T::zero());
                    let flow = speed * part.at_most(T::one()).to_f64();
                    inflow += if end == 0 { flow } else { -flow };
                }
                self.ledger.book(inflow * area);
            }
        }
    }
}

/// The cells within a margin of a source.
fn within<T: Real, const D: usize>(
    liquid: &Liquid<T, D>,
    source: &LiquidSource<T, D>,
    margin: T,
) -> Region<D> {
    let at = source.position;
    match source.shape.bounds() {
        None => liquid.grid.interior(),
        Some([lo, hi]) => liquid.grid.within([
            core::array::from_fn(|a| lo[a] + at[a] - margin),
            core::array::from_fn(|a| hi[a] + at[a] + margin),
        ]),
    }
}
