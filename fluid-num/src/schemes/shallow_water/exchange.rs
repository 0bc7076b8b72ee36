//! What waves of the layer and the water exchange: the passes over cells and faces that do it.

use core::ops::Range;

use super::kernel::depth_and_surface;
use super::layer::{Layer, close};
use super::{ShallowWater, sides};
use crate::Real;
use crate::base::exec::{self, BandPass, Banded, Region, Row, RowPass};

/// The direction of an exchange.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Out,
    Back,
}

impl<T: Real> ShallowWater<T> {
    /// Takes the flow and the velocity of the layer out of the water, or puts them back where it was
    /// taken, so far as that makes no energy.
    pub(super) fn exchange(&mut self, layer: &mut Layer<T>, change: Change) {
        self.limit(layer, change);
        let gains = self.gains(layer);
        let limit = if change == Change::Out { 0.0 } else { layer.energy };
        let part = affordable(gains, limit);
        if change == Change::Out {
            layer.energy = -(gains[0] * part + gains[1] * part * part);
        }
        self.add(layer, T::of(part));
    }

    /// Makes `flow` and `wave` of the layer what is to be added: what flows between wet cells, no more
    /// than they hold, and its velocity. Leaves the share of it in `share`.
    fn limit(&self, layer: &mut Layer<T>, change: Change) {
        let strides = self.grid.strides();
        let (still, displacement) = (self.still.as_slice(), self.displacement.as_slice());
        let sign = if change == Change::Out { -T::one() } else { T::one() };
        if change == Change::Out {
            layer.share.fill(T::one());
        }
        for axis in 0..2 {
            let region = layer.faces(axis);
            let Layer { flow, wave, share, .. } = &mut *layer;
            let pass = Open {
                share: share[axis].as_slice(),
                still,
                displacement,
                stride: strides[axis],
                sign,
                dry_depth: self.params.dry_depth,
            };
            exec::rows(&region, [flow[axis].as_mut_slice(), wave[axis].as_mut_slice()], &pass);
        }
        close(&mut layer.flow, layer.periodic);
        let pass = Paid { flow: layer.flow.slices(), still, displacement, strides };
        exec::rows(&self.grid.interior(), [layer.cells.as_mut_slice()], &pass);
        sides::fill_cells(&mut layer.cells, layer.periodic);
        for axis in 0..2 {
            let region = layer.faces(axis);
            let Layer { flow, wave, share, cells, root, .. } = &mut *layer;
            let pass = Pay {
                paid: cells.as_slice(),
                root: root[axis].as_slice(),
                still,
                displacement,
                stride: strides[axis],
                gravity: self.params.gravity,
            };
            let out = [&mut flow[axis], &mut wave[axis], &mut share[axis]];
            exec::rows(&region, out.map(|out| out.as_mut_slice()), &pass);
        }
        close(&mut layer.flow, layer.periodic);
        close(&mut layer.wave, layer.periodic);
    }

    /// The energy that these bring, over the density and the area of a cell: of the first order in
    /// them, and not less than that of higher ones. Leaves what they add to depths in `cells`.
    fn gains(&self, layer: &mut Layer<T>) -> [f64; 2] {
        let strides = self.grid.strides();
        let (still, displacement) = (self.still.as_slice(), self.displacement.as_slice());
        let region = self.grid.interior();
        let pass = Lift {
            flow: layer.flow.slices(),
            still,
            displacement,
            strides,
            gravity: self.params.gravity,
            region,
        };
        let out = [Banded::on(&region, layer.cells.as_mut_slice())];
        let mut gains = exec::bands(&region, out, &pass).unwrap_or([0.0; 2]);
        sides::fill_cells(&mut layer.cells, layer.periodic);
        for axis in 0..2 {
            let region = layer.faces(axis);
            let pass = Hasten {
                came: layer.cells.as_slice(),
                wave: layer.wave[axis].as_slice(),
                velocity: self.velocity[axis].as_slice(),
                still,
                displacement,
                stride: strides[axis],
                region,
            };
            let gained = exec::reduce(&region, &pass).unwrap_or([0.0; 2]);
            gains = sum(gains, gained);
        }
        gains
    }

    /// Adds a part of these.
    fn add(&mut self, layer: &mut Layer<T>, part: T) {
        let came = Scaled { values: layer.cells.as_slice(), part };
        exec::rows(&self.grid.interior(), [self.displacement.as_mut_slice()], &came);
        for axis in 0..2 {
            let region = layer.faces(axis);
            let u = &mut self.velocity[axis];
            let came = Scaled { values: layer.wave[axis].as_slice(), part };
            exec::rows(&region, [u.as_mut_slice()], &came);
            if layer.periodic[axis] {
                sides::close(u, axis);
            }
            if part < T::one() {
                exec::rows(&region, [layer.share[axis].as_mut_slice()], &Times { part });
            }
        }
        self.fill_ghosts();
    }
}

/// The largest part, up to 1, whose energy, `first`·part + `second`·part², is no more than a limit.
fn affordable([first, second]: [f64; 2], limit: f64) -> f64 {
    if first + second <= limit {
        return 1.0;
    }
    let root = libm::sqrt((first * first + 4.0 * second * limit).max(0.0));
    // Of the two forms of the root the one that subtracts nothing.
    let part =
        if first > 0.0 { 2.0 * limit / (first + root) } else { (root - first) / (2.0 * second) };
    part.clamp(0.0, 1.0)
}

fn sum(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// Closes faces beside dry cells.
struct Open<'a, T> {
    share: &'a [T],
    still: &'a [T],
    displacement: &'a [T],
    stride: usize,
    sign: T,
    dry_depth: T,
}

impl<T: Real> RowPass<T, 2, 2> for Open<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [flow, wave]: [&mut [T]; 2]) {
        let (flow, wave, share) = (&mut flow[..row.len], &mut wave[..row.len], row.of(self.share));
        let (d0, d1) = (row.before(self.still, self.stride), row.of(self.still));
        let (s0, s1) = (row.before(self.displacement, self.stride), row.of(self.displacement));
        let (sign, dry, zero) = (self.sign, self.dry_depth, T::zero());
        for i in 0..row.len {
            let h0 = depth_and_surface(d0[i], s0[i]).0;
            let h1 = depth_and_surface(d1[i], s1[i]).0;
            let share = if h0.at_most(h1) > dry { sign * share[i] } else { zero };
            flow[i] *= share;
            wave[i] *= share;
        }
    }
}

/// The share of its outflow that a cell can pay for.
struct Paid<'a, T> {
    flow: [&'a [T]; 2],
    still: &'a [T],
    displacement: &'a [T],
    strides: [usize; 2],
}

impl<T: Real> RowPass<T, 2, 1> for Paid<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [paid]: [&mut [T]; 1]) {
        let paid = &mut paid[..row.len];
        let [x, y] = self.flow;
        let (x0, x1) = (row.of(x), row.after(x, self.strides[0]));
        let (y0, y1) = (row.of(y), row.after(y, self.strides[1]));
        let (d, s) = (row.of(self.still), row.of(self.displacement));
        let (zero, tiny) = (T::zero(), T::NEGLIGIBLE);
        let most = T::one() - T::of(8.0) * T::EPSILON;
        for i in 0..row.len {
            let out = (x1[i].at_least(zero) - x0[i].at_most(zero))
                + (y1[i].at_least(zero) - y0[i].at_most(zero));
            let held = depth_and_surface(d[i], s[i]).0 * most;
            paid[i] = held / out.at_least(held).at_least(tiny);
        }
    }
}

/// Lets flow what can be paid for, and makes velocities of √h times that.
struct Pay<'a, T> {
    paid: &'a [T],
    root: &'a [T],
    still: &'a [T],
    displacement: &'a [T],
    stride: usize,
    gravity: T,
}

impl<T: Real> RowPass<T, 2, 3> for Pay<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [flow, wave, share]: [&mut [T]; 3]) {
        let len = row.len;
        let (flow, wave, share) = (&mut flow[..len], &mut wave[..len], &mut share[..len]);
        let (paid0, paid1) = (row.before(self.paid, self.stride), row.of(self.paid));
        let (d0, d1) = (row.before(self.still, self.stride), row.of(self.still));
        let (s0, s1) = (row.before(self.displacement, self.stride), row.of(self.displacement));
        let (root, gravity, zero, tiny) =
            (row.of(self.root), self.gravity, T::zero(), T::NEGLIGIBLE);
        for i in 0..len {
            let part = if flow[i] > zero { paid0[i] } else { paid1[i] };
            flow[i] *= part;
            share[i] = part;
            let speed = if root[i] > zero { part * wave[i] } else { zero };
            let speed = speed / root[i].at_least(tiny);
            // No wave has water that is faster than itself.
            let h0 = depth_and_surface(d0[i], s0[i]).0;
            let h1 = depth_and_surface(d1[i], s1[i]).0;
            let most = (gravity * h0.at_least(h1)).at_least(zero).sqrt();
            wave[i] = speed.at_most(most).at_least(-most);
        }
    }
}

/// What flows add to depths, and the energy of height that they bring.
struct Lift<'a, T> {
    flow: [&'a [T]; 2],
    still: &'a [T],
    displacement: &'a [T],
    strides: [usize; 2],
    gravity: T,
    region: Region<2>,
}

impl<T: Real> BandPass<T, 1> for Lift<'_, T> {
    type Output = [f64; 2];

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> [f64; 2] {
        let base = self.region.row(rows.start).start;
        let mut gains = [0.0; 2];
        for row in rows.map(|n| self.region.row(n)) {
            let came = &mut out[row.start - base..][..row.len];
            let [x, y] = self.flow;
            let (x0, x1) = (row.of(x), row.after(x, self.strides[0]));
            let (y0, y1) = (row.of(y), row.after(y, self.strides[1]));
            let (d, s) = (row.of(self.still), row.of(self.displacement));
            for i in 0..row.len {
                came[i] = (x0[i] - x1[i]) + (y0[i] - y1[i]);
            }
            let (mut first, mut second) = (T::zero(), T::zero());
            for i in 0..row.len {
                first += depth_and_surface(d[i], s[i]).1 * came[i];
                second += came[i] * came[i];
            }
            let gravity = self.gravity.to_f64();
            gains = sum(gains, [gravity * first.to_f64(), 0.5 * gravity * second.to_f64()]);
        }
        gains
    }

    fn join(first: [f64; 2], second: [f64; 2]) -> [f64; 2] {
        sum(first, second)
    }
}

/// The energy of motion that waves bring.
struct Hasten<'a, T> {
    came: &'a [T],
    wave: &'a [T],
    velocity: &'a [T],
    still: &'a [T],
    displacement: &'a [T],
    stride: usize,
    region: Region<2>,
}

impl<T: Real> BandPass<(), 0> for Hasten<'_, T> {
    type Output = [f64; 2];

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> [f64; 2] {
        let (half, zero) = (T::of(0.5), T::zero());
        let mut gains = [0.0; 2];
        for row in rows.map(|n| self.region.row(n)) {
            let (d0, d1) = (row.before(self.still, self.stride), row.of(self.still));
            let (s0, s1) = (row.before(self.displacement, self.stride), row.of(self.displacement));
            let (came0, came1) = (row.before(self.came, self.stride), row.of(self.came));
            let (u, wave) = (row.of(self.velocity), row.of(self.wave));
            let (mut first, mut second) = (zero, zero);
            for i in 0..row.len {
                let h0 = depth_and_surface(d0[i], s0[i]).0;
                let h1 = depth_and_surface(d1[i], s1[i]).0;
                let (h, more) = (half * (h0 + h1), half * (came0[i] + came1[i]));
                let (u, wave) = (u[i], wave[i]);
                let square = half * wave * wave;
                first += h * u * wave + half * more * u * u;
                second += h * square + more * u * wave + (more * square).at_least(zero);
            }
            gains = sum(gains, [first.to_f64(), second.to_f64()]);
        }
        gains
    }

    fn join(first: [f64; 2], second: [f64; 2]) -> [f64; 2] {
        sum(first, second)
    }
}

/// Adds a part of values.
struct Scaled<'a, T> {
    values: &'a [T],
    part: T,
}

impl<T: Real> RowPass<T, 2, 1> for Scaled<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        let (values, part) = (row.of(self.values), self.part);
        for (out, value) in out.iter_mut().zip(values) {
            *out += part * *value;
        }
    }
}

/// Multiplies by a part.
struct Times<T> {
    part: T,
}

impl<T: Real> RowPass<T, 2, 1> for Times<T> {
    #[inline(always)]
    fn row(&self, _: Row<2>, [out]: [&mut [T]; 1]) {
        out.iter_mut().for_each(|out| *out *= self.part);
    }
}
