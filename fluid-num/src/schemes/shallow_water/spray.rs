//! Drops that breaking waves throw up, and that fall back.

use alloc::vec::Vec;

use super::kernel::depth_and_surface;
use super::params::moderate;
use super::{ShallowWater, WaterSide};
use crate::base::error::check;
use crate::{Error, Real};

/// How breaking waves throw drops.
///
/// The surface of a cell breaks where it rises faster than `breaking`·√(gh) (Kennedy et al. 2000 find
/// 0.65 at the onset and 0.15 at the end), √(gh) being the speed of waves there. What rises above the
/// threshold goes up as drops, in every sub-step, up to half of the depth. They have the horizontal
/// velocity of the water and `lift` times the speed of the rise upwards (that of waves, where it rises
/// faster). Chance rounds to whole drops, so that the mean is right; a cell that does not hold a whole
/// one throws none. Where there is not room for all, every cell throws the same share of its own. How
/// much goes up does not depend on the time step; a finer grid shows bores steeper, and so throws more,
/// up to all that rises. Foam has another measure of breaking, how fast the water runs together: see
/// [`FoamParams`](super::FoamParams). The waves of the layer
/// [`waves`](super::ShallowWaterParams::waves) throw nothing: they are not part of what rises within a
/// step, and lose height where they break.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprayParams<T> {
    /// The rise over √(gh) from which on the surface breaks, positive. Less makes more spray.
    /// Default 0.3.
    pub breaking: T,
    /// The radius r of a drop, m, positive: it holds 4/3·π·r³. Default 0.05.
    pub radius: T,
    /// The speed of drops upwards over that of the rise, from 0. Default 2.
    pub lift: T,
    /// The rate at which the air slows drops down, 1/s, from 0. Default 0.3.
    pub drag: T,
    /// The largest number of drops; where there are as many, no more are thrown. Default 4096.
    pub capacity: usize,
}

impl<T: Real> Default for SprayParams<T> {
    fn default() -> Self {
        Self {
            breaking: T::of(0.3),
            radius: T::of(0.05),
            lift: T::of(2.0),
            drag: T::of(0.3),
            capacity: 4096,
        }
    }
}

impl<T: Real> SprayParams<T> {
    pub(super) fn check(&self) -> Result<(), Error> {
        check::positive("spray.breaking", self.breaking)?;
        check::within("spray.radius", self.radius, 1e-6, 1e3, "from 1e-6 to 1000")?;
        check::within("spray.lift", self.lift, 0.0, 1e3, "from 0 to 1000")?;
        check::within("spray.drag", self.drag, 0.0, 1e6, "from 0 to 1e6")?;
        if self.capacity > 1 << 24 {
            let expected = "at most 16777216";
            let count = self.capacity;
            return Err(Error::WrongCount { name: "spray.capacity", count, expected });
        }
        Ok(())
    }

    fn volume(&self) -> T {
        let r = self.radius;
        T::of(4.0 / 3.0 * core::f64::consts::PI) * r * r * r
    }
}

/// A drop in the air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprayDrop<T> {
    /// Where, m; the third component is the height.
    pub position: [T; 3],
    /// The velocity, m/s.
    pub velocity: [T; 3],
    /// The volume, m³.
    pub volume: T,
}

impl<T: Real> SprayDrop<T> {
    /// The number of scalars in a snapshot.
    pub(super) const SCALARS: usize = 7;

    pub(super) fn scalars(&self) -> [T; 7] {
        let ([x, y, z], [u, v, w]) = (self.position, self.velocity);
        [x, y, z, u, v, w, self.volume]
    }

    pub(super) fn of_scalars(list: &[T]) -> Option<Self> {
        let [x, y, z, u, v, w, volume] = *list else { return None };
        Some(Self { position: [x, y, z], velocity: [u, v, w], volume })
    }

    fn check(&self) -> Result<(), Error> {
        let all = self.position.iter().chain(&self.velocity);
        all.copied().try_for_each(|x| moderate("a drop", x))?;
        check::within("drop.volume", self.volume, 0.0, 1e9, "from 0 to 1e9")
    }
}

impl<T: Real> ShallowWater<T> {
    /// The drops in the air.
    pub fn spray(&self) -> &[SprayDrop<T>] {
        &self.spray
    }

    /// Throws a drop of your own: water that is added. Tells whether there was room for it.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for numbers that are not finite or beyond 1e9 in magnitude, and for
    /// a volume below 0.
    pub fn throw(&mut self, drop: SprayDrop<T>) -> Result<bool, Error> {
        drop.check()?;
        let room = self.params.spray.is_some_and(|spray| self.spray.len() < spray.capacity);
        if room {
            self.spray.push(drop);
            self.tally.edits += drop.volume.to_f64() / self.cell_area();
        }
        Ok(room)
    }

    /// The water in the air, m³.
    pub(super) fn spray_volume(&self) -> f64 {
        self.spray.iter().fold(0.0, |sum, drop| sum + drop.volume.to_f64())
    }

    /// Takes memory for as many drops as there may be; what is too many falls down at once.
    pub(super) fn make_room_for_spray(&mut self) {
        let capacity = self.params.spray.map_or(0, |spray| spray.capacity);
        self.spray.reserve_exact(capacity.saturating_sub(self.spray.len()));
        while self.spray.len() > capacity {
            if let Some(drop) = self.spray.pop() {
                self.take_back(&drop);
            }
        }
    }

    /// Moves all drops by `time`; what has come down is water again.
    pub(super) fn move_spray(&mut self, time: T) {
        let Some(spray) = self.params.spray else { return };
        let mut drops = core::mem::take(&mut self.spray);
        let mut kept = 0;
        for n in 0..drops.len() {
            let mut drop = drops[n];
            let slowed = T::one() / (T::one() + spray.drag * time);
            drop.velocity[2] -= self.params.gravity * time;
            for a in 0..3 {
                drop.velocity[a] *= slowed;
                drop.position[a] += time * drop.velocity[a];
            }
            if !self.land(&mut drop) {
                drops[kept] = drop;
                kept += 1;
            }
        }
        if kept < drops.len() {
            self.fastest = None;
        }
        drops.truncate(kept);
        self.spray = drops;
        self.fill_ghosts();
    }

    /// Whether a drop has come down or left; if it has, the water has it.
    fn land(&mut self, drop: &mut SprayDrop<T>) -> bool {
        let (origin, size) = (self.grid.origin(), self.grid.size());
        for a in 0..2 {
            let far = drop.position[a] - origin[a];
            let end = usize::from(far >= T::zero());
            if far >= T::zero() && far < size[a] {
                continue;
            }
            match self.params.sides[a][end] {
                WaterSide::Periodic => {
                    drop.position[a] -= size[a] * (far / size[a]).floor();
                }
                WaterSide::Wall => {
                    self.take_back(drop);
                    return true;
                }
                _ => {
                    self.tally.sides -= drop.volume.to_f64() / self.cell_area();
                    return true;
                }
            }
        }
        let cell = self.cell_below(drop);
        let place = self.grid.index(cell);
        let (_, surface) =
            depth_and_surface(self.still.as_slice()[place], self.displacement.as_slice()[place]);
        let down = drop.position[2] <= self.params.rest_level + surface;
        if down {
            self.take_back(drop);
        }
        down
    }

    fn cell_below(&self, drop: &SprayDrop<T>) -> [usize; 2] {
        core::array::from_fn(|a| {
            let n = self.grid.cells()[a];
            let at = (drop.position[a] - self.grid.origin()[a]) / self.grid.dx();
            (at.at_least(T::zero()).at_most(T::of_usize(n)).truncate().max(0) as usize).min(n - 1)
        })
    }

    /// Gives a drop's volume and momentum to the cell below it: to those of its faces that lie between
    /// wet cells. Where there are none, the ground has the momentum.
    fn take_back(&mut self, drop: &SprayDrop<T>) {
        let cell = self.cell_below(drop);
        let place = self.grid.index(cell);
        let depth = drop.volume / (self.grid.dx() * self.grid.dx());
        let s = &mut self.displacement.as_mut_slice()[place];
        let before = *s;
        *s += depth;
        // What rounding makes of the volume is told as poured in.
        self.tally.edits += (*s - before).to_f64() - drop.volume.to_f64() / self.cell_area();
        for axis in 0..2 {
            self.push(axis, cell, drop.velocity[axis], depth);
        }
    }

    /// Brings the water of a cell that got `depth` the momentum of that along an axis. As much as its
    /// faces move with, on the mean, it has already: they stand for half of the cell each.
    fn push(&mut self, axis: usize, cell: [usize; 2], velocity: T, depth: T) {
        let (half, n) = (T::of(0.5), self.grid.cells()[axis]);
        let stride = self.grid.strides()[axis];
        let periodic = self.params.periodic()[axis];
        let place = self.grid.index(cell);
        let row = place - (cell[axis] + 1) * stride;
        // The face on the upper side of a periodic axis is that on the lower one.
        let upper = if periodic && cell[axis] + 1 == n { row + stride } else { place + stride };
        let inside = [cell[axis] > 0 || periodic, cell[axis] + 1 < n || periodic];
        let (s, d) = (self.displacement.as_slice(), self.still.as_slice());
        // Cells beyond the seam: a ghost may be out of date.
        let before = if periodic && cell[axis] == 0 { row + n * stride } else { place - stride };
        let after = if periodic && cell[axis] + 1 == n { row + stride } else { place + stride };
        let [below, here, above] = [before, place, after].map(|i| depth_and_surface(d[i], s[i]).0);
        let dry = self.params.dry_depth;
        let weight = |open: bool, other: T| {
            if open && other > dry && here > dry { half * (here + other) } else { T::zero() }
        };
        let weights = [weight(inside[0], below), weight(inside[1], above)];
        let sum = weights[0] + weights[1];
        let u = self.velocity[axis].as_mut_slice();
        let mean = half * (u[place] + u[upper]);
        if sum > T::zero() {
            let change = depth * (velocity - mean) / sum;
            for (face, weight) in [place, upper].into_iter().zip(weights) {
                if weight > T::zero() {
                    u[face] += change;
                }
            }
        }
    }

    /// Throws drops where the surface rose fast in the last sub-step of `dt`.
    pub(super) fn throw_spray(&mut self, dt: T) {
        let Some(spray) = self.params.spray else { return };
        let count = self.spray.len();
        self.throw_drops(&spray, dt);
        if self.spray.len() > count {
            // The water that they leave behind is lower, also beyond a seam, and no longer as fast.
            self.fill_ghosts();
            self.fastest = None;
        }
    }

    fn throw_drops(&mut self, spray: &SprayParams<T>, dt: T) {
        let room = spray.capacity.saturating_sub(self.spray.len());
        if room == 0 {
            return;
        }
        let drop = spray.volume() / (self.grid.dx() * self.grid.dx());
        let region = self.grid.interior();
        let wanted = region.places().filter_map(|place| self.breaks(spray, drop, place, dt));
        let wanted = wanted.fold(0.0, |sum, (drops, _)| sum + drops.to_f64());
        let share = T::of((room as f64 / wanted).min(1.0));
        for place in region.places() {
            let Some((drops, speed)) = self.breaks(spray, drop, place, dt) else { continue };
            // Whole drops: chance decides about what is left, so that none of it is lost on the mean.
            let [chance] = self.draw();
            for n in 0..(share * drops + chance).truncate().max(0) {
                if self.spray.len() >= spray.capacity {
                    return;
                }
                self.throw_drop(place, drop, speed, n);
            }
        }
    }

    /// How many drops, each `drop` of its depth, a cell would throw after a sub-step of `dt`, and how
    /// fast, if it breaks.
    fn breaks(&self, spray: &SprayParams<T>, drop: T, place: usize, dt: T) -> Option<(T, T)> {
        let now = self.displacement.as_slice()[place];
        let rise = (now - self.next_displacement.as_slice()[place]) / dt;
        let (depth, _) = depth_and_surface(self.still.as_slice()[place], now);
        let waves = (self.params.gravity * depth).sqrt();
        let limit = spray.breaking * waves;
        if !(rise > limit && depth > self.params.dry_depth && depth >= drop) {
            return None;
        }
        let excess = ((rise - limit) * dt).at_most(T::of(0.5) * depth);
        Some((excess / drop, spray.lift * rise.at_most(waves)))
    }

    /// Throws the `n`th drop from a cell, upwards with `speed`, more or less.
    fn throw_drop(&mut self, place: usize, depth: T, speed: T, n: i32) {
        let half = T::of(0.5);
        let radius = self.params.spray.map_or(T::zero(), |spray| spray.radius);
        let (_, surface) =
            depth_and_surface(self.still.as_slice()[place], self.displacement.as_slice()[place]);
        let volume = self.take_drop(place, depth);
        let scatter: [T; 3] = self.draw();
        let center = self.grid.center(self.grid.cell_at(place));
        let [x, y] = [0, 1].map(|a| center[a] + (scatter[a] - half) * self.grid.dx());
        let height = self.params.rest_level + surface + radius * T::of_index(n + 1);
        let [u, v] = [0, 1].map(|axis| {
            let (u, stride) = (self.velocity[axis].as_slice(), self.grid.strides()[axis]);
            half * (u[place] + u[place + stride])
        });
        let velocity = [u, v, speed * (half + scatter[2])];
        self.spray.push(SprayDrop { position: [x, y, height], velocity, volume });
    }

    /// Numbers in [0, 1) that look random.
    fn draw<const N: usize>(&mut self) -> [T; N] {
        let first = self.draws;
        self.draws = first.wrapping_add(N as u64);
        core::array::from_fn(|n| {
            let mut x = first.wrapping_add(n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x ^= x >> 32;
            x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
            T::of((x >> 40) as f64 / (1_u64 << 24) as f64)
        })
    }

    /// Takes a drop's depth from a cell, or what there is; gives the volume, as the cell has lost it.
    fn take_drop(&mut self, place: usize, depth: T) -> T {
        let empty = -self.still.as_slice()[place].at_least(T::zero());
        let s = &mut self.displacement.as_mut_slice()[place];
        let before = *s;
        *s = (*s - depth).at_least(empty);
        let volume = (before - *s) * self.grid.dx() * self.grid.dx();
        let lost = (before - *s).to_f64() - volume.to_f64() / self.cell_area();
        self.tally.edits -= lost;
        volume
    }
}

/// The drops of a snapshot.
pub(super) fn restored<T: Real>(values: &[T], capacity: usize) -> Result<Vec<SprayDrop<T>>, Error> {
    let wrong = |reason| Err(Error::WrongSnapshot { name: "spray", reason });
    if !values.len().is_multiple_of(SprayDrop::<T>::SCALARS) {
        return wrong("is not whole drops");
    }
    if values.len() / SprayDrop::<T>::SCALARS > capacity {
        return wrong("has more drops than there is room for");
    }
    let drops: Vec<_> =
        values.chunks(SprayDrop::<T>::SCALARS).filter_map(SprayDrop::of_scalars).collect();
    drops.iter().try_for_each(SprayDrop::check)?;
    Ok(drops)
}
