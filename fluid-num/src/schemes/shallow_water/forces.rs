//! What acts on the velocity beside slopes and what it carries along: eddies, the turning of the
//! Earth, the bed.

use super::ShallowWaterParams;
use super::kernel::depth_and_surface;
use crate::Real;
use crate::base::exec::{Row, RowPass};

/// The velocity normal to `axis` after eddy viscosity, Coriolis force and friction.
pub(super) struct Forces<'a, T> {
    pub(super) params: &'a ShallowWaterParams<T>,
    pub(super) axis: usize,
    pub(super) displacement: &'a [T],
    pub(super) still: &'a [T],
    pub(super) velocity: [&'a [T]; 2],
    pub(super) stride: usize,
    pub(super) dx: T,
    pub(super) dt: T,
}

/// The largest ν·Δt/Δx² of eddy viscosity: neighbours weigh at most 2, 2, 1 and 1.
pub(super) const EDDY_LIMIT: f64 = 0.125;

impl<T: Real> ShallowWaterParams<T> {
    /// Whether anything acts on the velocity beside slopes.
    pub(super) fn has_forces(&self) -> bool {
        let zero = T::zero();
        self.manning > zero || self.eddy_viscosity > zero || self.coriolis != zero
    }
}

/// ∛x to 3e-6 for x from 1e-6 to 1e4, by roots that are the same bits everywhere.
#[inline(always)]
fn cube_root<T: Real>(x: T) -> T {
    // 1/3 = 1/4 + 1/16 + 1/48: two roots, and the cube root of what is near 1.
    let fourth = x.sqrt().sqrt();
    let w = fourth.sqrt().sqrt();
    let two = T::of(2.0);
    let guess = (T::one() + two * w) / (two + w);
    let cube = guess * guess * guess;
    fourth * w * (guess * (cube + two * w) / (two * cube + w))
}

impl<T: Real> Forces<'_, T> {
    /// The depth at a face: the mean of both cells.
    #[inline(always)]
    fn depths<'a>(&'a self, place: usize, len: usize) -> impl Fn(usize) -> T + 'a {
        let (s, d) = (&self.displacement[place..][..len], &self.still[place..][..len]);
        move |i| depth_and_surface(d[i], s[i]).0
    }

    #[inline(always)]
    fn eddies(&self, place: usize, out: &mut [T]) {
        let (along, across, len) = self.strides(out);
        let own = self.velocity[self.axis];
        let u = &own[place..][..len];
        let (u0, u1) = (&own[place - along..][..len], &own[place + along..][..len]);
        let (u2, u3) = (&own[place - across..][..len], &own[place + across..][..len]);
        let (below, above) = (self.depths(place - along, len), self.depths(place, len));
        let (below2, above2) =
            (self.depths(place - across - along, len), self.depths(place - across, len));
        let (below3, above3) =
            (self.depths(place + across - along, len), self.depths(place + across, len));
        let (half, dry) = (T::of(0.5), self.params.dry_depth);
        let scale = self.params.eddy_viscosity * self.dt / (self.dx * self.dx);
        for i in 0..len {
            let (h0, h1) = (below(i), above(i));
            let here = half * (h0 + h1);
            let left = here.at_most(half * (below2(i) + above2(i)));
            let right = here.at_most(half * (below3(i) + above3(i)));
            let brought = (h0 * (u0[i] - u[i]) + h1 * (u1[i] - u[i]))
                + (left * (u2[i] - u[i]) + right * (u3[i] - u[i]));
            out[i] = u[i] + scale * brought / here.at_least(dry);
        }
    }

    /// ±f times the other component, averaged so that h·u² + h·v² stays: each pair of faces of a
    /// cell acts on one another alike. What flows beside is spread over the water of the cell, but
    /// over no less than half of that at either face: a film beside deep water is not torn away.
    #[inline(always)]
    fn turn(&self, place: usize, out: &mut [T]) {
        let (along, across, len) = self.strides(out);
        let other = self.velocity[1 - self.axis];
        let sign = if self.axis == 0 { T::one() } else { -T::one() };
        let (quarter, half, dry) = (T::of(0.25), T::of(0.5), self.params.dry_depth);
        let scale = sign * self.params.coriolis * self.dt * quarter;
        for side in [0, along] {
            // A cell beside the face, and those on both of its other sides.
            let cell = place - along + side;
            let here = self.depths(cell, len);
            let (before, after) =
                (self.depths(cell - across, len), self.depths(cell + across, len));
            let beyond = self.depths(place - side, len);
            let (v0, v1) = (&other[cell..][..len], &other[cell + across..][..len]);
            for i in 0..len {
                let h = here(i);
                let (h0, h1) = (half * (before(i) + h), half * (h + after(i)));
                let own = h.at_least(half * (half * (beyond(i) + h))).at_least(dry);
                let turned =
                    v0[i] * h0 / own.at_least(half * h0) + v1[i] * h1 / own.at_least(half * h1);
                out[i] += scale * turned;
            }
        }
    }

    #[inline(always)]
    fn rub(&self, place: usize, out: &mut [T]) {
        let (along, across, len) = self.strides(out);
        let other = self.velocity[1 - self.axis];
        let (v0, v1) = (&other[place - along..][..len], &other[place..][..len]);
        let v2 = &other[place + across - along..][..len];
        let v3 = &other[place + across..][..len];
        let (below, above) = (self.depths(place - along, len), self.depths(place, len));
        let (half, quarter, dry) = (T::of(0.5), T::of(0.25), self.params.dry_depth);
        let n = self.params.manning;
        let scale = self.dt * self.params.gravity * n * n;
        for i in 0..len {
            let depth = (half * (below(i) + above(i))).at_least(dry);
            let v = quarter * ((v0[i] + v1[i]) + (v2[i] + v3[i]));
            let speed = (out[i] * out[i] + v * v).sqrt();
            let slowed = out[i] / (T::one() + scale * speed / (depth * cube_root(depth)));
            out[i] = slowed.or_nothing();
        }
    }

    #[inline(always)]
    fn strides(&self, out: &[T]) -> (usize, usize, usize) {
        let (along, across) = if self.axis == 0 { (1, self.stride) } else { (self.stride, 1) };
        (along, across, out.len())
    }
}

impl<T: Real> RowPass<T, 2, 1> for Forces<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<2>, [out]: [&mut [T]; 1]) {
        let (params, zero) = (self.params, T::zero());
        if params.eddy_viscosity > zero {
            self.eddies(row.start, out);
        } else {
            out.copy_from_slice(row.of(self.velocity[self.axis]));
        }
        if params.coriolis != zero {
            self.turn(row.start, out);
        }
        if params.manning > zero {
            self.rub(row.start, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_root_is_one_to_three_millionths() {
        for n in -60..=40 {
            let x = libm::pow(10.0, f64::from(n) / 10.0);
            let error = cube_root(x) / libm::cbrt(x) - 1.0;
            assert!(error.abs() < 3e-6, "{x}: {error}");
        }
    }
}
