//! Surface waves that are as fast as water of their depth lets them be.
//!
//! Shallow water takes all waves to be long. A step therefore takes out what is short (the share
//! 1 − e^(−2(kh)²) of the surface η and of the potential of √h·u), lets the rest flow, and puts the
//! short waves back where Airy's theory says that they are by then:
//!
//! ```text
//! a' = a cos ωΔt + b sin ωΔt       a = η       b = √(k²/g) ψ       ∇ψ = √h u
//! b' = b cos ωΔt − a sin ωΔt       ω² = g k tanh kh
//! ```
//!
//! in Fourier space for a few depths, between which every face interpolates, and carried along by
//! what flows. Nothing is kept from one step to the next. The velocity is such that ½h u² + ½g η² is
//! the energy that Airy's waves have (the geometric mean of the velocity at the surface and the mean
//! over the depth), which is what shallow water takes it for: a mode that is partly short turns in one
//! norm by two angles, and never grows, whatever the step is.
//!
//! Both parts of η are brought about by flows through faces, so that no water is lost or made; no
//! cell gives more than it holds. Where the depth changes within a wave, flows that end there would
//! heap up water. So the depth that counts rises gently from every shore, see `reach`. What is left
//! of that, and of the flow that carries waves, may not make energy: in each basin of its own what is
//! taken out leaves no more than there was, and what comes back brings no more than was taken out, to
//! who floats along, see `basins`. Nor does a current count as part of a wave: √h above is that of
//! the water without the wave's own height where it is the mean flow that runs over it. Waves whose water is faster
//! than 0.3 √(gh) break, and lose height.

use super::exchange::Change;
use super::kernel::{depth_and_surface, rise};
use super::layer::{Layer, Weight, close};
use super::{ShallowWater, WaterSide, reach, sides};
use crate::base::error::check;
use crate::{Error, Field, Real};

/// A layer of surface waves that disperse; see [`ShallowWaterParams`](super::ShallowWaterParams).
///
/// The depths between which faces interpolate are `depth`, `depth`/2, `depth`/4, …; water that is
/// shallower than three eighths of the last one flows without the layer, and so does water nearer to
/// shores, steps of the bed and hulls than four times that: there waves are long. They leave through
/// open sides, and die in sponges, as long ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceWaves<T> {
    /// The largest depth, m, positive; deeper water counts as that deep. Default 4.
    pub depth: T,
    /// The number of depths, from 1 to 8. Each that there is takes four transforms a step. Default 3.
    pub levels: usize,
}

impl<T: Real> Default for SurfaceWaves<T> {
    fn default() -> Self {
        Self { depth: T::of(4.0), levels: 3 }
    }
}

impl<T: Real> SurfaceWaves<T> {
    pub(super) fn check(&self) -> Result<(), Error> {
        check::within("waves.depth", self.depth, 1e-6, 1e6, "from 1e-6 to 1e6")?;
        if !(1..=8).contains(&self.levels) {
            let (count, expected) = (self.levels, "from 1 to 8");
            return Err(Error::WrongCount { name: "waves.levels", count, expected });
        }
        Ok(())
    }

    /// The depth of a level.
    pub(super) fn level(&self, n: usize) -> T {
        (0..n).fold(self.depth, |depth, _| depth * T::of(0.5))
    }

    /// How much a level counts.
    pub(super) fn weight(&self, n: usize) -> Weight<T> {
        Weight { own: self.level(n), deepest: n == 0, shallowest: n + 1 == self.levels }
    }
}

impl<T: Real> ShallowWater<T> {
    /// Takes memory for the layer where there is to be one.
    pub(super) fn set_waves(&mut self) -> Result<(), Error> {
        let Some(params) = self.params.waves else {
            self.waves = None;
            return Ok(());
        };
        let (gravity, periodic) = (self.params.gravity, self.params.periodic());
        if !self.waves.as_ref().is_some_and(|layer| layer.fits(&params, gravity, periodic)) {
            self.waves = Some(Layer::new(self.grid, params, gravity, periodic)?);
        }
        Ok(())
    }

    /// Takes short waves out of the surface and the velocity. Tells whether there are any.
    pub(super) fn take_waves_out(&mut self, dt: T) -> Result<bool, Error> {
        let Some(mut layer) = self.waves.take() else { return Ok(false) };
        let moves = !self.is_level();
        let result = if moves { self.look_for_waves(&mut layer, dt) } else { Ok(()) };
        if moves && result.is_ok() {
            self.exchange(&mut layer, Change::Out);
        }
        self.waves = Some(layer);
        result.map(|()| moves)
    }

    /// Puts the waves back, `time` later; gives the largest speed.
    pub(super) fn put_waves_back(&mut self, time: T) -> Result<T, Error> {
        let Some(mut layer) = self.waves.take() else { return Ok(T::zero()) };
        layer.set_time(time);
        let result = layer.build(true);
        if result.is_ok() {
            self.find_losses(&mut layer, time);
            layer.carry(self.velocity.slices(), time / self.grid.dx());
            self.exchange(&mut layer, Change::Back);
        }
        self.waves = Some(layer);
        result?;
        Ok(self.measure())
    }

    /// Transforms surface and velocity, and finds what is short in them.
    fn look_for_waves(&mut self, layer: &mut Layer<T>, dt: T) -> Result<(), Error> {
        let (zero, quarter, half) = (T::zero(), T::of(0.25), T::of(0.5));
        let dry = self.params.dry_depth;
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let region = self.grid.interior();
        for (n, place) in region.places().enumerate() {
            let (depth, surface) = depth_and_surface(d[place], s[place]);
            let wet = depth > dry;
            layer.depth.as_mut_slice()[place] = if wet { depth } else { zero };
            layer.eta[n] = if wet { surface } else { zero };
        }
        extend(&mut layer.eta, &layer.depth, layer.periodic, &mut layer.spread);
        sides::fill_cells(&mut layer.depth, layer.periodic);
        for (axis, stride) in self.grid.strides().into_iter().enumerate() {
            for place in layer.faces(axis).places() {
                let [below, above] = [place - stride, place].map(|i| layer.depth.as_slice()[i]);
                let open = below.at_most(above) > zero;
                let root = if open { (half * (below + above)).sqrt() } else { zero };
                layer.root[axis].as_mut_slice()[place] = root;
            }
        }
        close(&mut layer.root, layer.periodic);
        let per_length = self.grid.dx().recip();
        for (n, place) in region.places().enumerate() {
            let mut spread = zero;
            for (axis, stride) in self.grid.strides().into_iter().enumerate() {
                let (u, root) = (self.velocity[axis].as_slice(), layer.root[axis].as_slice());
                let [u, root] = [u, root].map(|of| [of[place], of[place + stride]]);
                spread += root[1] * u[1] - root[0] * u[0];
                // What a current carries along is no wave: √h counts without the waves' own height.
                if root[0].at_most(root[1]) > zero {
                    let [before, after] =
                        [place - stride, place + stride].map(|i| depth_and_surface(d[i], s[i]).1);
                    spread -= quarter * (u[0] + u[1]) * (after - before) / (root[0] + root[1]);
                }
            }
            layer.spread[n] = spread * per_length;
        }
        reach::limit_rise(&mut layer.depth, layer.periodic, self.lets_waves_out());
        layer.transform()?;
        layer.set_time(dt);
        layer.build(false)
    }

    /// At which sides waves go out.
    fn lets_waves_out(&self) -> [[bool; 2]; 2] {
        core::array::from_fn(|axis| {
            core::array::from_fn(|end| {
                let sponge = self.params.sponge.is_some_and(|s| s.width[axis][end] > 0);
                match self.params.sides[axis][end] {
                    WaterSide::Wall => sponge,
                    WaterSide::Periodic => false,
                    _ => true,
                }
            })
        })
    }

    /// The share of the waves in each cell that is left after `time`: where they break, they lose
    /// height.
    fn find_losses(&self, layer: &mut Layer<T>, time: T) {
        /// The speed of the water over that of waves from which on they break, and how fast.
        const BREAKS: [f64; 2] = [0.3, 20.0];
        let (zero, one, half, gravity) = (T::zero(), T::one(), T::of(0.5), self.params.gravity);
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        for place in self.grid.interior().places() {
            let squares = (0..2).fold(zero, |sum, axis| {
                let wave = layer.wave[axis].as_slice();
                let (low, high) = (wave[place], wave[place + self.grid.strides()[axis]]);
                sum + half * (low * low + high * high)
            });
            let depth = depth_and_surface(d[place], s[place]).0.at_least(self.params.dry_depth);
            let speed = (squares / gravity).sqrt() / depth;
            let breaking = (speed - T::of(BREAKS[0])).at_least(zero);
            let rate = T::of(BREAKS[1]) * breaking * (gravity / depth).sqrt();
            layer.cells.as_mut_slice()[place] = one / (one + time * rate);
        }
        sides::fill_cells(&mut layer.cells, layer.periodic);
    }

    /// Whether nothing moves and no water lies higher than that beside it.
    fn is_level(&self) -> bool {
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let zero = T::zero();
        let still = self.velocity.components().iter().all(|u| u.values().all(|u| u == zero));
        still
            && (0..2).all(|axis| {
                let stride = self.grid.strides()[axis];
                let mut faces = self.grid.inner_faces(axis).places();
                faces.all(|place| {
                    let [below, above] =
                        [place - stride, place].map(|i| depth_and_surface(d[i], s[i]));
                    let wet = below.0.at_most(above.0) > self.params.dry_depth;
                    !wet || rise(below.1, above.1) == zero
                })
            })
    }
}

/// Gives dry cells the surface of the wet ones nearest in their row, or in their column where the row
/// is dry: a lake has no waves at its shore.
fn extend<T: Real>(eta: &mut [T], depth: &Field<T, 2>, periodic: [bool; 2], scratch: &mut [T]) {
    let [nx, ny] = depth.grid().cells();
    let wet = |i: usize, j: usize| depth[[i, j]] > T::zero();
    let rows = &mut scratch[..ny];
    for (j, row) in rows.iter_mut().enumerate() {
        let any = fill_gaps(nx, periodic[0], |i| wet(i, j), |i| i + j * nx, eta);
        *row = if any { T::one() } else { T::zero() };
    }
    if rows.iter().any(|row| *row == T::zero()) {
        for i in 0..nx {
            fill_gaps(ny, periodic[1], |j| rows[j] > T::zero(), |j| i + j * nx, eta);
        }
    }
}

/// Gives places that do not count the mean of the nearest ones on both sides that do. Tells whether
/// there are any that count.
fn fill_gaps<T: Real>(
    len: usize,
    periodic: bool,
    counts: impl Fn(usize) -> bool,
    at: impl Fn(usize) -> usize,
    values: &mut [T],
) -> bool {
    let Some(first) = (0..len).find(|i| counts(*i)) else { return false };
    // Around a periodic axis every gap lies between two that count.
    let from = if periodic { first } else { 0 };
    let around = |i: usize| (from + i) % len;
    let mut start = 0;
    while start < len {
        if counts(around(start)) {
            start += 1;
            continue;
        }
        let end = (start..len).find(|i| counts(around(*i))).unwrap_or(len);
        let low = (start > 0).then(|| values[at(around(start - 1))]);
        let high = (periodic || end < len).then(|| values[at(around(end))]);
        let value = match (low, high) {
            // Exact where both are equal.
            (Some(low), Some(high)) => low + T::of(0.5) * (high - low),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return false,
        };
        (start..end).for_each(|i| values[at(around(i))] = value);
        start = end;
    }
    true
}
