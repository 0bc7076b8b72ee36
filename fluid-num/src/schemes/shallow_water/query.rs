//! What the water is like at any place.

use super::ShallowWater;
use super::kernel::depth_and_surface;
use crate::grid::Field;
use crate::{Error, Location, Real};

/// The water at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaterSample<T> {
    /// The surface, m; the ground where it is dry.
    pub surface: T,
    /// The depth, m.
    pub depth: T,
    /// The velocity, m/s.
    pub velocity: [T; 2],
    /// The unit normal of the surface (of the ground where it is dry); the third component points up.
    pub normal: [T; 3],
    /// Whether there is water that flows.
    pub wet: bool,
}

/// The lower of two places along an axis of storage, and how far beyond it a position lies.
#[derive(Clone, Copy)]
struct Between<T> {
    lower: usize,
    fraction: T,
}

impl<T: Real> ShallowWater<T> {
    /// The water at a world position: linear between centres (velocities: between faces), beyond the
    /// sides as at the nearest place inside, and as opposite on periodic axes. The surface is that of
    /// the wet cells around, so that it is level up to the shore.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a position that is not finite, [`Error::GridMismatch`] for a velocity
    /// that was replaced by one of another grid.
    pub fn sample(&self, position: [T; 2]) -> Result<WaterSample<T>, Error> {
        self.check_positions(&[position])?;
        Ok(self.water_at(position))
    }

    /// The water at many world positions: what [`Self::sample`] gives for each.
    ///
    /// # Errors
    /// [`Error::WrongCount`] for another number of outputs, [`Error::NotFinite`] with the first
    /// position that is not finite, [`Error::GridMismatch`] as [`Self::sample`]; the outputs are as
    /// before then.
    pub fn sample_all(
        &self,
        positions: &[[T; 2]],
        out: &mut [WaterSample<T>],
    ) -> Result<(), Error> {
        if positions.len() != out.len() {
            let expected = "as many as there are positions";
            return Err(Error::WrongCount { name: "the output", count: out.len(), expected });
        }
        self.check_positions(positions)?;
        for (out, position) in out.iter_mut().zip(positions) {
            *out = self.water_at(*position);
        }
        Ok(())
    }

    fn check_positions(&self, positions: &[[T; 2]]) -> Result<(), Error> {
        for (axis, u) in self.velocity.components().iter().enumerate() {
            u.check_shape(&self.grid, Location::Face(axis), "velocity")?;
        }
        let bad = |p: &[T; 2]| p.iter().any(|x| !x.is_finite());
        match positions.iter().position(bad) {
            Some(i) => Err(Error::NotFinite { name: "position", place: [i, 0, 0] }),
            None => Ok(()),
        }
    }

    /// Where a finite position lies along an axis, among centres or among faces.
    fn locate(&self, axis: usize, x: T, faces: bool) -> Between<T> {
        let n = T::of_usize(self.grid.cells()[axis]);
        let mut at = (x - self.grid.origin()[axis]) / self.grid.dx();
        let periodic = self.params.periodic()[axis];
        if periodic {
            at -= n * (at / n).floor();
        }
        at = at.at_least(T::zero()).at_most(n);
        // In indices of storage.
        let place = if faces {
            at + T::one()
        } else if periodic {
            at + T::of(0.5)
        } else {
            (at + T::of(0.5)).at_least(T::one()).at_most(n)
        };
        let lower = (place.truncate().max(0) as usize).min(self.grid.cells()[axis]);
        Between { lower, fraction: place - T::of_usize(lower) }
    }

    fn water_at(&self, position: [T; 2]) -> WaterSample<T> {
        let [x, y] = [0, 1].map(|axis| self.locate(axis, position[axis], false));
        let stride = self.grid.strides()[1];
        let first = x.lower + y.lower * stride;
        let corners = [first, first + 1, first + stride, first + stride + 1];
        let (s, d) = (self.displacement.as_slice(), self.still.as_slice());
        let cells = corners.map(|i| depth_and_surface(d[i], s[i]));
        let dry = self.params.dry_depth;
        // The surface of wet cells goes on over dry ones.
        let (mut wet, mut weights, mut sum) = (None, T::zero(), T::zero());
        for (weight, (depth, surface)) in weights_of(x.fraction, y.fraction).into_iter().zip(cells)
        {
            if depth > dry {
                let base = *wet.get_or_insert(surface);
                weights += weight;
                sum += weight * (surface - base);
            }
        }
        let ground = corners.map(|i| -d[i]);
        let bed = bilinear(ground, x.fraction, y.fraction);
        let level = match wet {
            Some(base) if weights > T::zero() => base + sum / weights,
            _ => bed,
        };
        let depth = (level - bed).at_least(T::zero());
        let is_wet = depth > dry;
        let shape = match is_wet {
            true => cells.map(|(depth, surface)| if depth > dry { surface } else { level }),
            false => ground,
        };
        let speed = |u: &Field<T, 2>| if is_wet { self.between(u, position) } else { T::zero() };
        let velocity = self.velocity.components().each_ref().map(speed);
        WaterSample {
            surface: self.params.rest_level + level.at_least(bed),
            depth,
            velocity,
            normal: self.normal(shape, x.fraction, y.fraction),
            wet: is_wet,
        }
    }

    /// A field of centres or of faces at a world position: linear between its values.
    pub(super) fn between(&self, field: &Field<T, 2>, position: [T; 2]) -> T {
        let on_faces = |axis| field.location() == Location::Face(axis);
        let [x, y] = [0, 1].map(|axis| self.locate(axis, position[axis], on_faces(axis)));
        let (data, stride) = (field.as_slice(), self.grid.strides()[1]);
        let first = x.lower + y.lower * stride;
        let corners = [first, first + 1, first + stride, first + stride + 1];
        bilinear(corners.map(|i| data[i]), x.fraction, y.fraction)
    }

    /// The unit normal of a bilinear surface over a cell.
    fn normal(&self, [a, b, c, d]: [T; 4], fx: T, fy: T) -> [T; 3] {
        let (one, dx) = (T::one(), self.grid.dx());
        let slope_x = ((b - a) * (one - fy) + (d - c) * fy) / dx;
        let slope_y = ((c - a) * (one - fx) + (d - b) * fx) / dx;
        let length = (one + slope_x * slope_x + slope_y * slope_y).sqrt();
        [-slope_x / length, -slope_y / length, one / length]
    }
}

fn weights_of<T: Real>(fx: T, fy: T) -> [T; 4] {
    let (gx, gy) = (T::one() - fx, T::one() - fy);
    [gx * gy, fx * gy, gx * fy, fx * fy]
}

fn bilinear<T: Real>([a, b, c, d]: [T; 4], fx: T, fy: T) -> T {
    let (below, above) = (a + fx * (b - a), c + fx * (d - c));
    below + fy * (above - below)
}
