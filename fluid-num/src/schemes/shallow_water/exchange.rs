//! What waves of the layer and the water exchange: the passes over cells and faces that do it.

use super::basins::Basins;
use super::kernel::depth_and_surface;
use super::layer::{Layer, close};
use super::{ShallowWater, sides};
use crate::Real;
use crate::base::exec::{self, Row, RowPass};

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
        if change == Change::Out {
            self.open(layer);
        }
        self.limit(layer, change);
        self.find_gains(layer);
        let gains = layer.gains.each_ref().map(|gains| gains.as_slice());
        layer.basins.settle(&self.grid.interior(), gains, change);
        self.add(layer, change);
    }

    /// Finds the faces through which the layer works, and its basins. Leaves 1 in `share` there.
    fn open(&self, layer: &mut Layer<T>) {
        let least = layer.least_depth();
        for (axis, stride) in self.grid.strides().into_iter().enumerate() {
            let region = layer.faces(axis);
            let Layer { root, depth, share, .. } = &mut *layer;
            let pass =
                Works { root: root[axis].as_slice(), depth: depth.as_slice(), stride, least };
            exec::rows(&region, [share[axis].as_mut_slice()], &pass);
        }
        layer.basins.find(&self.grid.interior(), &layer.share, layer.periodic);
        for axis in 0..2 {
            let region = layer.faces(axis);
            let (u, root) = (self.velocity[axis].as_slice(), layer.root[axis].as_slice());
            layer.basins.set_current(axis, &region, [u, root]);
        }
    }

    /// Makes `flow` and `wave` of the layer what is to be added: what flows between wet cells, no more
    /// than they hold, and its velocity. Leaves the share of it in `share`.
    fn limit(&self, layer: &mut Layer<T>, change: Change) {
        let strides = self.grid.strides();
        let (still, displacement) = (self.still.as_slice(), self.displacement.as_slice());
        let sign = if change == Change::Out { -T::one() } else { T::one() };
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

    /// The energies that these bring, by cells. Leaves what they add to depths in `cells`.
    fn find_gains(&self, layer: &mut Layer<T>) {
        let Layer { flow, wave, root, basins, gains, cells, .. } = layer;
        let pass = Gains {
            flow: flow.slices(),
            wave: wave.slices(),
            velocity: self.velocity.slices(),
            root: root.slices(),
            basins,
            still: self.still.as_slice(),
            displacement: self.displacement.as_slice(),
            strides: self.grid.strides(),
            gravity: self.params.gravity,
        };
        let [first, second] = gains;
        let out = [cells, first, second].map(|out| out.as_mut_slice());
        exec::rows(&self.grid.interior(), out, &pass);
    }

    /// Adds the part of these that each basin lets happen.
    fn add(&mut self, layer: &mut Layer<T>, change: Change) {
        let Layer { cells, wave, share, basins, periodic, .. } = layer;
        let came = Parts { values: cells.as_slice(), basins };
        exec::rows(&self.grid.interior(), [self.displacement.as_mut_slice()], &came);
        for axis in 0..2 {
            let region = match periodic[axis] {
                true => self.grid.interior(),
                false => self.grid.inner_faces(axis),
            };
            let u = &mut self.velocity[axis];
            let came = Parts { values: wave[axis].as_slice(), basins };
            exec::rows(&region, [u.as_mut_slice()], &came);
            if periodic[axis] {
                sides::close(u, axis);
            }
            if change == Change::Out {
                exec::rows(&region, [share[axis].as_mut_slice()], &Times { basins });
            }
        }
        self.fill_ghosts();
    }
}

/// 1 at faces through which waves may go in water that is deep enough, else 0.
struct Works<'a, T> {
    root: &'a [T],
    depth: &'a [T],
    stride: usize,
    least: T,
}

impl<T: Real> RowPass<T, 2, 1> for Works<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [works]: [&mut [T]; 1]) {
        let (works, root) = (&mut works[..row.len], row.of(self.root));
        let (below, above) = (row.before(self.depth, self.stride), row.of(self.depth));
        let (zero, one, half, least) = (T::zero(), T::one(), T::of(0.5), self.least);
        for i in 0..row.len {
            let deep = half * (below[i] + above[i]) > least;
            works[i] = if deep && root[i] > zero { one } else { zero };
        }
    }
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
            share[i] *= part;
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

/// What flows add to depths, and the energies of first and of second order that a cell gains by that
/// and by the velocities before it.
struct Gains<'a, T> {
    flow: [&'a [T]; 2],
    wave: [&'a [T]; 2],
    velocity: [&'a [T]; 2],
    root: [&'a [T]; 2],
    basins: &'a Basins<T>,
    still: &'a [T],
    displacement: &'a [T],
    strides: [usize; 2],
    gravity: T,
}

impl<T: Real> RowPass<T, 2, 3> for Gains<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [came, first, second]: [&mut [T]; 3]) {
        let len = row.len;
        let (came, first, second) = (&mut came[..len], &mut first[..len], &mut second[..len]);
        let [x, y] = self.flow;
        let (x0, x1) = (row.of(x), row.after(x, self.strides[0]));
        let (y0, y1) = (row.of(y), row.after(y, self.strides[1]));
        let (d, s) = (row.of(self.still), row.of(self.displacement));
        let (half, gravity) = (T::of(0.5), self.gravity);
        for i in 0..len {
            came[i] = (x0[i] - x1[i]) + (y0[i] - y1[i]);
            let lift = gravity * came[i];
            first[i] = depth_and_surface(d[i], s[i]).1 * lift;
            second[i] = half * lift * came[i];
        }
        for axis in 0..2 {
            let (u, wave) = (row.of(self.velocity[axis]), row.of(self.wave[axis]));
            let root = row.of(self.root[axis]);
            for (basin, range) in self.basins.of(row) {
                let current = basin.current[axis];
                for i in range {
                    let push = root[i] * root[i] * wave[i];
                    first[i] += (u[i] - current) * push;
                    second[i] += half * push * wave[i];
                }
            }
        }
    }
}

/// Adds the parts of values that basins let happen.
struct Parts<'a, T> {
    values: &'a [T],
    basins: &'a Basins<T>,
}

impl<T: Real> RowPass<T, 2, 1> for Parts<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        let values = row.of(self.values);
        for (basin, range) in self.basins.of(row) {
            let part = basin.part;
            for (out, value) in out[range.clone()].iter_mut().zip(&values[range]) {
                *out += part * *value;
            }
        }
    }
}

/// Multiplies by the parts that basins let happen.
struct Times<'a, T> {
    basins: &'a Basins<T>,
}

impl<T: Real> RowPass<T, 2, 1> for Times<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        for (basin, range) in self.basins.of(row) {
            out[range].iter_mut().for_each(|out| *out *= basin.part);
        }
    }
}
