//! Surface waves that are as fast as water of their depth lets them be.
//!
//! Shallow water takes all waves to be long. A step therefore takes out what is short (the share
//! 1 − e^(−2(kh)²) of the surface η and of the potential φ of the velocity), lets the rest flow, and
//! puts the short waves back where Airy's theory says that they are by then:
//!
//! ```text
//! η' = η cos ωΔt + (k tanh kh) φ sin ωΔt/ω       ω² = g k tanh kh
//! φ' = φ cos ωΔt − g η sin ωΔt/ω
//! ```
//!
//! exact in Fourier space for a few depths, between which every cell interpolates, and carried along
//! by what flows. Nothing is kept from one step to the next. Both parts of η are brought about by
//! flows through faces, so that no water is lost or made; no cell gives more than it holds. Waves
//! whose water is faster than 0.3 √(gh) break, and lose height; so do those over steep ground, where
//! no single depth tells how fast they are.

use super::carried::cubic;
use super::kernel::depth_and_surface;
use super::layer::Layer;
use super::{ShallowWater, WaterSide, sides};
use crate::base::error::check;
use crate::{Error, Field, Real};

/// A layer of surface waves that disperse; see [`ShallowWaterParams`](super::ShallowWaterParams).
///
/// The depths between which cells interpolate are `depth`, `depth`/2, `depth`/4, …; in water that is
/// shallower than the last one waves are slower by the root of its share of that. Water so shallow
/// that its waves cross less than a quarter of a cell in a step, (Δx/4Δt)²/g deep, flows without the
/// layer. Short waves die out within eight cells of open sides, and in sponges.
///
/// **Known fault.** Drops beside an island with steep banks of few cells have made waves of the layer
/// grow without bound: look at [`StepReport::max_speed`](crate::StepReport).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceWaves<T> {
    /// The largest depth, m, positive; deeper water counts as that deep. Default 4.
    pub depth: T,
    /// The number of depths, from 1 to 8. Each takes four transforms a step. Default 3.
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

    /// The depth of the last level.
    pub(super) fn last(&self) -> T {
        self.level(self.levels - 1)
    }

    /// How much a level counts where the water is `depth` deep, if it is deep enough for waves.
    pub(super) fn weight(&self, n: usize, depth: T) -> T {
        let (own, one) = (self.level(n), T::one());
        let below = own * T::of(0.5);
        if depth >= own {
            return if n == 0 { one } else { ((own + own - depth) / own).at_least(T::zero()) };
        }
        if n + 1 == self.levels { one } else { ((depth - below) / below).at_least(T::zero()) }
    }
}

/// What happens to the waves of the layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Out,
    Back,
}

/// The number of cells before an open side within which short waves die out.
const SHORE: usize = 8;

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
        if let Some(layer) = &mut self.waves {
            for (axis, dies) in layer.dies.iter_mut().enumerate() {
                let n = dies.len();
                let width = |end: usize| {
                    let sponge = self.params.sponge.map_or(0, |s| s.width[axis][end]);
                    match self.params.sides[axis][end] {
                        WaterSide::Wall => sponge,
                        WaterSide::Periodic => 0,
                        _ => sponge.max(SHORE),
                    }
                };
                // 3·ξ²/(w·Δx), as sponges have it.
                let rate = |from: usize, width: usize| {
                    if from >= width {
                        return T::zero();
                    }
                    let part = T::of_usize(width - from) / T::of_usize(width);
                    T::of(3.0) * part * part / (T::of_usize(width) * self.grid.dx())
                };
                for (i, dies) in dies.iter_mut().enumerate() {
                    *dies = rate(i, width(0)).at_least(rate(n - 1 - i, width(1)));
                }
            }
        }
        Ok(())
    }

    /// Takes short waves out of the surface and the velocity. Tells whether there are any.
    pub(super) fn take_waves_out(&mut self, dt: T) -> Result<bool, Error> {
        let Some(mut layer) = self.waves.take() else { return Ok(false) };
        let moves = !self.is_level();
        let result = if moves { self.look_for_waves(&mut layer, dt) } else { Ok(()) };
        if moves && result.is_ok() {
            self.shift(&mut layer, Change::Out);
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
            self.carry(&mut layer, time);
            self.shift(&mut layer, Change::Back);
        }
        self.waves = Some(layer);
        result?;
        Ok(self.measure())
    }

    /// Transforms surface and velocity, and finds what is short in them.
    fn look_for_waves(&mut self, layer: &mut Layer<T>, dt: T) -> Result<(), Error> {
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let [u, v] = self.velocity.slices();
        let (dx, stride, dry) = (self.grid.dx(), self.grid.strides()[1], self.params.dry_depth);
        let region = self.grid.interior();
        for (n, place) in region.places().enumerate() {
            let (depth, surface) = depth_and_surface(d[place], s[place]);
            layer.depth.as_mut_slice()[place] = depth;
            let wet = depth > dry;
            layer.eta[n] = if wet { surface } else { T::zero() };
            let spread = (u[place + 1] - u[place]) + (v[place + stride] - v[place]);
            layer.phi[n] = if wet { spread / dx } else { T::zero() };
        }
        self.extend_surface(&mut layer.eta, &layer.depth);
        layer.spectrum.forward(&mut layer.eta)?;
        layer.spectrum.forward(&mut layer.phi)?;
        for (mode, phi) in layer.phi.iter_mut().enumerate() {
            *phi = -(*phi * layer.spectrum.inverse_laplacian(mode));
        }
        layer.set_time(dt);
        let crossed = T::of(0.25) * dx / dt;
        layer.least = crossed * crossed / self.params.gravity;
        layer.build(false)
    }

    /// Gives dry cells the surface of the wet ones nearest in their row, or in their column where
    /// the row is dry: a lake has no waves at its shore.
    fn extend_surface(&self, eta: &mut [T], depth: &Field<T, 2>) {
        let [nx, ny] = self.grid.cells();
        let wet = |i: usize, j: usize| depth[[i, j]] > self.params.dry_depth;
        let row_is_wet = |j: usize| (0..nx).any(|i| wet(i, j));
        for j in 0..ny {
            fill_gaps(nx, |i| wet(i, j), |i| i + j * nx, eta);
        }
        for i in 0..nx {
            fill_gaps(ny, row_is_wet, |j| i + j * nx, eta);
        }
    }

    /// Takes the flow and the velocity of the layer out of the water, or puts them back where it was
    /// taken.
    fn shift(&mut self, layer: &mut Layer<T>, change: Change) {
        let (dx, dry, one) = (self.grid.dx(), self.params.dry_depth, T::one());
        let sign = if change == Change::Out { -one } else { one };
        let Layer { flow, potential, paid, share, periodic, .. } = layer;
        let (strides, periodic) = (self.grid.strides(), *periodic);
        let (f, p) = (flow.as_slice(), potential.as_slice());
        let (d, s) = (self.still.as_slice(), self.displacement.as_slice());
        let region = self.grid.interior();
        let faces = |axis: usize| if periodic[axis] { region } else { self.grid.inner_faces(axis) };
        // What flows between wet cells, as a depth.
        for axis in 0..2 {
            let flows = &mut self.next_velocity[axis];
            flows.fill(T::zero());
            for place in faces(axis).places() {
                let below = place - strides[axis];
                let [h0, h1] = [below, place].map(|i| depth_and_surface(d[i], s[i]).0);
                let open = if h0.at_most(h1) > dry { one } else { T::zero() };
                let share = &mut share[axis].as_mut_slice()[place];
                *share = if change == Change::Out { open } else { open * *share };
                flows.as_mut_slice()[place] = *share * (sign * (f[place] - f[below]) / (dx * dx));
            }
            close_faces(flows, axis, periodic);
        }
        let flows = self.next_velocity.slices();
        for place in region.places() {
            let out = (0..2).fold(T::zero(), |out, axis| {
                let (low, high) = (flows[axis][place], flows[axis][place + strides[axis]]);
                out + (high.at_least(T::zero()) - low.at_most(T::zero()))
            });
            let held = depth_and_surface(d[place], s[place]).0 * (one - T::of(8.0) * T::EPSILON);
            paid.as_mut_slice()[place] = held / out.at_least(held).at_least(T::NEGLIGIBLE);
        }
        sides::fill_cells(paid, periodic);
        let paid = paid.as_slice();
        for axis in 0..2 {
            let flows = &mut self.next_velocity[axis];
            let u = self.velocity[axis].as_mut_slice();
            for place in faces(axis).places() {
                let below = place - strides[axis];
                let flow = &mut flows.as_mut_slice()[place];
                let part = if *flow > T::zero() { paid[below] } else { paid[place] };
                *flow *= part;
                let share = &mut share[axis].as_mut_slice()[place];
                if change == Change::Out {
                    *share *= part;
                }
                let wave = *share * (sign * (p[place] - p[below]) / dx);
                // No wave has water that is faster than itself.
                let most = match change {
                    Change::Out => wave.magnitude(),
                    Change::Back => {
                        let [h0, h1] = [below, place].map(|i| depth_and_surface(d[i], s[i]).0);
                        (self.params.gravity * h0.at_least(h1)).sqrt()
                    }
                };
                u[place] += wave.at_most(most).at_least(-most);
            }
            close_faces(flows, axis, periodic);
        }
        let flows = self.next_velocity.slices();
        let s = self.displacement.as_mut_slice();
        for place in region.places() {
            for (flow, stride) in flows.iter().zip(strides) {
                s[place] += flow[place] - flow[place + stride];
            }
        }
        for (axis, u) in self.velocity.components_mut().iter_mut().enumerate() {
            if periodic[axis] {
                sides::close(u, axis);
            }
        }
        self.fill_ghosts();
    }

    /// Carries the waves along with the flow beneath them for `time`. Where they break, or where the
    /// depth changes within a wave, they lose height.
    fn carry(&self, layer: &mut Layer<T>, time: T) {
        let [u, v] = self.velocity.slices();
        let (half, stride) = (T::of(0.5), self.grid.strides()[1]);
        let scale = half * time / self.grid.dx();
        let region = self.grid.interior();
        self.find_losses(layer, time);
        for which in 0..2 {
            let Layer { flow, potential, carried, periodic, paid: left, .. } = layer;
            let field = if which == 0 { flow } else { potential };
            for row in (0..region.rows()).map(|n| region.row(n)) {
                for i in 0..row.len {
                    let place = row.start + i;
                    let from = [
                        T::of_usize(row.at[0] + i) - scale * (u[place] + u[place + 1]),
                        T::of_usize(row.at[1]) - scale * (v[place] + v[place + stride]),
                    ];
                    let left = left.as_slice()[place];
                    carried.as_mut_slice()[place] = left * cubic(field, *periodic, from);
                }
            }
            field.swap_values(carried);
            sides::fill_cells(field, *periodic);
        }
    }

    /// The share of the waves in each cell that is left after `time`.
    fn find_losses(&self, layer: &mut Layer<T>, time: T) {
        /// The speed of the water over that of waves from which on they break, and how fast.
        const BREAKS: [f64; 2] = [0.3, 20.0];
        /// How fast waves fade where the depth doubles within it.
        const SLOPE: f64 = 0.25;
        /// How fast waves fade in a cell beside a dry one, over the time that they take to cross it.
        const SHORES: f64 = 1.0;
        let Layer { depth, potential, dies, paid: left, periodic, .. } = layer;
        sides::fill_cells(depth, *periodic);
        let (zero, one, half) = (T::zero(), T::one(), T::of(0.5));
        let (h, p) = (depth.as_slice(), potential.as_slice());
        let dry = self.params.dry_depth;
        let per_cell = half / self.grid.dx();
        let region = self.grid.interior();
        for (n, place) in region.places().enumerate() {
            let [i, j] = [n % region.len(0), n / region.len(0)];
            let dies = dies[0][i].at_least(dies[1][j]);
            let here = h[place].at_least(dry);
            let wave = (self.params.gravity * here).sqrt();
            let (mut speed, mut slope, mut shores) = (zero, zero, zero);
            for stride in self.grid.strides() {
                let [low, high] = [place - stride, place + stride];
                let rise = (p[high] - p[low]) * per_cell;
                speed += rise * rise;
                for beside in [low, high] {
                    if h[beside] <= dry {
                        shores += T::of(SHORES) / self.grid.dx();
                    }
                }
                let beside = |i: usize| if h[i] > dry { h[i] } else { here };
                let rise = (beside(high) - beside(low)) * per_cell;
                slope += rise * rise;
            }
            let breaking = (speed.sqrt() / wave - T::of(BREAKS[0])).at_least(zero);
            let rate = T::of(BREAKS[1]) * breaking + T::of(SLOPE) * slope.sqrt();
            left.as_mut_slice()[place] = one / (one + time * wave * (rate / here + dies + shores));
        }
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
                    !wet || below.1 == above.1
                })
            })
    }
}

/// Sets the faces beyond the seam of a periodic axis.
fn close_faces<T: Real>(faces: &mut Field<T, 2>, axis: usize, periodic: [bool; 2]) {
    if periodic[axis] {
        sides::close(faces, axis);
    }
}

/// Gives places that do not count the mean of the nearest ones on both sides that do.
fn fill_gaps<T: Real>(
    len: usize,
    counts: impl Fn(usize) -> bool,
    at: impl Fn(usize) -> usize,
    values: &mut [T],
) {
    let mut start = 0;
    while start < len {
        if counts(start) {
            start += 1;
            continue;
        }
        let end = (start..len).find(|i| counts(*i)).unwrap_or(len);
        let low = start.checked_sub(1).map(|i| values[at(i)]);
        let high = (end < len).then(|| values[at(end)]);
        let value = match (low, high) {
            // Exact where both are equal.
            (Some(low), Some(high)) => low + T::of(0.5) * (high - low),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        (start..end).for_each(|i| values[at(i)] = value);
        start = end;
    }
}
