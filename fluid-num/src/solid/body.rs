//! Rigid bodies: a shape with a pose, a motion, and the force and torque that act on it.
//!
//! ```text
//! u(p) = v + ω × (p − x)          velocity of the point p of the body
//! dv/dt = F/m,  dL/dt = τ         L = R I Rᵀ ω, I diagonal in the body's frame
//! dx/dt = v,    dR/dt = [ω]× R
//! ```
//!
//! [`Body::advance`] is semi-implicit Euler (first order): the twist first, the pose with the new
//! twist. It advances the angular momentum and turns by an exact rotation with the angular velocity
//! of the middle of the step, so that a free body keeps its angular momentum to rounding and its
//! energy to second order, however it tumbles.

use alloc::vec::Vec;

use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::snapshot::{Snapshot, wrong_count};
use crate::{Error, Real};

use super::shape::{Shape, dot, length};

/// Whether fluid slides along a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slip {
    /// Fluid slides freely: only its normal velocity is the body's.
    #[default]
    Free,
    /// Fluid sticks: it has the body's velocity.
    No,
}

/// A rigid body. The origin of its shape's frame is its centre of mass.
///
/// ```
/// use fluid_num::solid::{Body, Shape};
/// let mut wheel = Body::<f64, 2>::new(Shape::ball(0.5)?, [2.0, 1.0])?
///     .with_velocity([1.0, 0.0])?
///     .with_angular_velocity([0.0, 0.0, 2.0])?;
/// assert_eq!(wheel.signed_distance([3.0, 1.0]), 0.5);
/// assert_eq!(wheel.velocity_at([2.0, 1.5]), [0.0, 0.0]);
/// wheel.advance(0.5)?;
/// assert_eq!(wheel.position, [2.5, 1.0]);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Body<T, const D: usize> {
    /// The shape in the body's frame.
    pub shape: Shape<T, D>,
    /// The centre of mass, m.
    pub position: [T; D],
    rotation: [[T; D]; D],
    /// The velocity of the centre of mass, m/s; default 0.
    pub velocity: [T; D],
    /// The angular velocity about x, y and z of the world, rad/s; in the plane only the last
    /// counts; default 0.
    pub angular_velocity: [T; 3],
    /// Whether fluid slides along the body; default [`Slip::Free`].
    pub slip: Slip,
    /// The mass, kg (kg/m in the plane); 0 (the default) or infinite: forces do not move the body.
    pub mass: T,
    /// The moments of inertia about the body's own axes, kg·m² (kg·m in the plane, where only the
    /// last counts); where one is 0 (the default) or infinite, torques do not turn the body.
    pub inertia: [T; 3],
    /// The layers that the body is on, a bit each; default all.
    pub layers: u32,
    /// The force that acts on the centre of mass, N.
    pub force: [T; D],
    /// The torque about the centre of mass, N·m, about x, y and z of the world.
    pub torque: [T; 3],
}

impl<T: Real, const D: usize> Body<T, D> {
    /// A body at rest that no force moves.
    ///
    /// # Errors
    /// What [`Body::check`] says of the shape and the position.
    pub fn new(shape: Shape<T, D>, position: [T; D]) -> Result<Self, Error> {
        Self {
            shape,
            position,
            rotation: block(turn([T::zero(); 3])),
            velocity: [T::zero(); D],
            angular_velocity: [T::zero(); 3],
            slip: Slip::Free,
            mass: T::zero(),
            inertia: [T::zero(); 3],
            layers: u32::MAX,
            force: [T::zero(); D],
            torque: [T::zero(); 3],
        }
        .checked()
    }

    /// The same, turned by `angle` radians anticlockwise (in space: about z) from its frame.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an angle that is not finite.
    pub fn with_angle(self, angle: T) -> Result<Self, Error> {
        self.with_rotation([T::zero(), T::zero(), T::one()], angle)
    }

    /// The same, turned by `angle` radians about `axis` (of any length) from its frame. In the
    /// plane only an axis along z is a rotation.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an axis that is zero, not finite or (in the plane) not
    /// along z, or an angle that is not finite.
    pub fn with_rotation(mut self, axis: [T; 3], angle: T) -> Result<Self, Error> {
        check::finite("body.angle", angle)?;
        check::all_finite("body.axis", &axis)?;
        let largest = axis.iter().fold(T::zero(), |m, v| m.worst(v.magnitude()));
        check::positive("the length of body.axis", largest)?;
        if D == 2 && (axis[0] != T::zero() || axis[1] != T::zero()) {
            return Err(Error::InvalidParameter {
                name: "body.axis",
                value: largest.to_f64(),
                expected: "along z in the plane",
            });
        }
        let scaled = axis.map(|v| v / largest);
        let by = angle / length(scaled);
        self.rotation = orthonormal(block(turn(scaled.map(|v| v * by))));
        Ok(self)
    }

    /// The same with another velocity, m/s.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a velocity that is not finite.
    pub fn with_velocity(self, velocity: [T; D]) -> Result<Self, Error> {
        Self { velocity, ..self }.checked()
    }

    /// The same with another angular velocity, rad/s, about x, y and z.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an angular velocity that is not finite.
    pub fn with_angular_velocity(self, angular_velocity: [T; 3]) -> Result<Self, Error> {
        Self { angular_velocity, ..self }.checked()
    }

    /// The same with a mass and moments of inertia, so that forces move it; see
    /// [`Body::mass`] and [`Body::inertia`].
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for one that is NaN or negative.
    pub fn with_mass(self, mass: T, inertia: [T; 3]) -> Result<Self, Error> {
        Self { mass, inertia, ..self }.checked()
    }

    /// The same with another slip.
    #[must_use]
    pub fn with_slip(self, slip: Slip) -> Self {
        Self { slip, ..self }
    }

    /// The same on other layers.
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }

    fn checked(self) -> Result<Self, Error> {
        self.check()?;
        Ok(self)
    }

    /// Checks the shape and every number of the body.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] with the parameter's name.
    pub fn check(&self) -> Result<(), Error> {
        self.shape.check()?;
        check::all_finite("body.position", &self.position)?;
        check::all_finite("body.velocity", &self.velocity)?;
        check::all_finite("body.angular_velocity", &self.angular_velocity)?;
        check::all_finite("body.force", &self.force)?;
        check::all_finite("body.torque", &self.torque)?;
        weight("body.mass", self.mass)?;
        self.inertia.iter().try_for_each(|i| weight("body.inertia", *i))
    }

    /// The rotation matrix, row by row: world = position + rotation · local.
    pub fn rotation(&self) -> [[T; D]; D] {
        self.rotation
    }

    /// Where a point of the body's frame lies in the world.
    pub fn to_world(&self, local: [T; D]) -> [T; D] {
        core::array::from_fn(|a| self.position[a] + dot(self.rotation[a], local))
    }

    /// Where a point of the world lies in the body's frame.
    #[inline]
    pub fn to_local(&self, world: [T; D]) -> [T; D] {
        let r: [T; D] = core::array::from_fn(|a| world[a] - self.position[a]);
        apply_transposed(&self.rotation, r)
    }

    /// The signed distance of a point of the world to the surface, m; negative inside.
    #[inline]
    pub fn signed_distance(&self, world: [T; D]) -> T {
        self.shape.signed_distance(self.to_local(world))
    }

    /// The lower and upper corner of a box of the world around the body; `None` where it has no
    /// end.
    pub fn bounds(&self) -> Option<[[T; D]; 2]> {
        let [lo, hi] = self.shape.bounds()?;
        let half = T::of(0.5);
        let centre = self.to_world(core::array::from_fn(|a| (lo[a] + hi[a]) * half));
        let extent: [T; D] = core::array::from_fn(|a| (hi[a] - lo[a]) * half);
        let reach: [T; D] =
            core::array::from_fn(|a| dot(self.rotation[a].map(|v| v.magnitude()), extent));
        Some([
            core::array::from_fn(|a| centre[a] - reach[a]),
            core::array::from_fn(|a| centre[a] + reach[a]),
        ])
    }

    /// The velocity that the body has at a point of the world: v + ω × r.
    #[inline]
    pub fn velocity_at(&self, world: [T; D]) -> [T; D] {
        let r = embed::<T, D>(core::array::from_fn(|a| world[a] - self.position[a]));
        let spin = cross(self.spin(), r);
        core::array::from_fn(|a| self.velocity[a] + spin[a])
    }

    /// Adds a force that acts at a point of the world.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a point or a force that is not finite.
    pub fn add_force_at(&mut self, point: [T; D], force: [T; D]) -> Result<(), Error> {
        check::all_finite("point", &point)?;
        check::all_finite("force", &force)?;
        let r = embed::<T, D>(core::array::from_fn(|a| point[a] - self.position[a]));
        let torque = cross(r, embed(force));
        for a in 0..D {
            self.force[a] += force[a];
        }
        for a in 0..3 {
            self.torque[a] += torque[a];
        }
        Ok(())
    }

    /// Takes over everything but the shape and the layers from a body of the same shape.
    pub(crate) fn follow(&mut self, other: &Self) {
        self.position = other.position;
        self.rotation = other.rotation;
        self.velocity = other.velocity;
        self.angular_velocity = other.angular_velocity;
        self.slip = other.slip;
        self.mass = other.mass;
        self.inertia = other.inertia;
        self.clear_wrench();
    }

    /// Adds what changes of bodies in time to a snapshot.
    pub(crate) fn snapshot_all(bodies: &[Self], snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot
            .with_words("bodies", [bodies.len() as u64])
            .with_values("body motion", bodies.iter().flat_map(Self::motion).flatten().copied())
    }

    /// Adds what changes of bodies in time to a digest.
    pub(crate) fn digest_all(bodies: &[Self], digest: Digest) -> Digest {
        bodies.iter().flat_map(Self::motion).fold(digest, Digest::values)
    }

    /// These bodies as they moved when a snapshot was taken.
    pub(crate) fn restored_all(
        bodies: &[Self],
        snapshot: &Snapshot<T>,
    ) -> Result<Vec<Self>, Error> {
        let count = snapshot.word("bodies")? as usize;
        if count != bodies.len() {
            return Err(wrong_count("bodies", count));
        }
        let mut bodies = bodies.to_vec();
        let mut places: Vec<&mut T> =
            bodies.iter_mut().flat_map(Self::motion_mut).flatten().collect();
        let values = snapshot.values_exactly("body motion", places.len())?;
        places.iter_mut().zip(values).for_each(|(place, value)| **place = *value);
        if bodies.iter().all(|body| is_rotation(&body.rotation)) {
            return Ok(bodies);
        }
        Err(Error::WrongSnapshot {
            name: "body motion",
            reason: "holds a matrix that is no rotation",
        })
    }

    /// What changes in time.
    fn motion(&self) -> [&[T]; 6] {
        let rotation = self.rotation.as_flattened();
        let Self { position, velocity, angular_velocity, force, torque, .. } = self;
        [position, rotation, velocity, angular_velocity, force, torque]
    }

    fn motion_mut(&mut self) -> [&mut [T]; 6] {
        let Self { position, rotation, velocity, angular_velocity, force, torque, .. } = self;
        [position, rotation.as_flattened_mut(), velocity, angular_velocity, force, torque]
    }

    /// Sets the force and the torque to zero.
    pub fn clear_wrench(&mut self) {
        self.force = [T::zero(); D];
        self.torque = [T::zero(); 3];
    }

    /// Whether forces change its velocity: the mass is positive and finite.
    pub fn is_dynamic(&self) -> bool {
        self.mass > T::zero() && self.mass.is_finite()
    }

    /// Whether torques change its angular velocity: every moment of inertia that counts is
    /// positive and finite.
    pub fn turns_freely(&self) -> bool {
        let first = if D == 2 { 2 } else { 0 };
        self.inertia[first..].iter().all(|i| *i > T::zero() && i.is_finite())
    }

    /// Advances the motion by the force and torque, then the pose by the motion, for `dt` seconds;
    /// the force and torque stay, until [`Body::clear_wrench`].
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`] for NaN, infinite or negative `dt`, what [`Body::check`] says,
    /// and [`Error::InvalidParameter`] where the motion would leave the range of numbers; the body
    /// is as before.
    pub fn advance(&mut self, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        self.check()?;
        if dt == T::zero() {
            return Ok(());
        }
        let mut velocity = self.velocity;
        if self.is_dynamic() {
            for a in 0..D {
                velocity[a] += dt * self.force[a] / self.mass;
            }
        }
        let position: [T; D] = core::array::from_fn(|a| self.position[a] + dt * velocity[a]);
        let (spin, rotation) = self.turned(dt);
        check::all_finite("body.velocity", &velocity)?;
        check::all_finite("body.position", &position)?;
        check::all_finite("body.angular_velocity", &spin)?;
        check::all_finite("body.rotation", rotation.as_flattened())?;
        self.velocity = velocity;
        self.position = position;
        self.rotation = rotation;
        // Components that do not count in the plane are the user's; they stay.
        let first = if D == 2 { 2 } else { 0 };
        self.angular_velocity[first..].copy_from_slice(&spin[first..]);
        Ok(())
    }

    /// The angular velocity and the rotation after `dt`.
    fn turned(&self, dt: T) -> ([T; 3], [[T; D]; D]) {
        let rotate = |spin: [T; 3], time: T| {
            let step: [[T; D]; D] = block(turn(spin.map(|w| w * time)));
            orthonormal(product(&step, &self.rotation))
        };
        let spin = self.spin();
        if !self.turns_freely() {
            return (spin, rotate(spin, dt));
        }
        if D == 2 {
            let spin = [T::zero(), T::zero(), spin[2] + dt * self.torque[2] / self.inertia[2]];
            return (spin, rotate(spin, dt));
        }
        let before = square(&self.rotation);
        let local = apply_transposed(&before, spin);
        let momentum = apply(&before, core::array::from_fn(|a| self.inertia[a] * local[a]));
        let momentum = core::array::from_fn(|a| momentum[a] + dt * self.torque[a]);
        let spin_of = |rotation: &[[T; 3]; 3]| {
            let local = apply_transposed(rotation, momentum);
            apply(rotation, core::array::from_fn(|a| local[a] / self.inertia[a]))
        };
        // The angular velocity half-way: the energy of a free body then drifts at second order.
        let half_way = rotate(spin_of(&before), dt * T::of(0.5));
        let rotation = rotate(spin_of(&square(&half_way)), dt);
        (spin_of(&square(&rotation)), rotation)
    }

    /// The angular velocity without the components that do not count.
    #[inline]
    fn spin(&self) -> [T; 3] {
        let w = self.angular_velocity;
        if D == 2 { [T::zero(), T::zero(), w[2]] } else { w }
    }
}

fn weight<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    if value >= T::zero() {
        return Ok(());
    }
    Err(Error::InvalidParameter {
        name,
        value: value.to_f64(),
        expected: "0, positive or infinite",
    })
}

/// The rotation by |v| radians about v, after Rodrigues: I + sin θ [k]× + (1 − cos θ) [k]×².
fn turn<T: Real>(v: [T; 3]) -> [[T; 3]; 3] {
    let (one, zero) = (T::one(), T::zero());
    let angle = length(v);
    if angle <= zero {
        return [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    }
    let [x, y, z] = v.map(|c| c / angle);
    let (s, c) = angle.portable_sin_cos();
    let t = one - c;
    [
        [c + t * x * x, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, c + t * y * y, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, c + t * z * z],
    ]
}

/// The columns made orthonormal, from the first on (Gram–Schmidt).
fn orthonormal<T: Real, const D: usize>(matrix: [[T; D]; D]) -> [[T; D]; D] {
    let mut columns: [[T; D]; D] = transpose(&matrix);
    for c in 0..D {
        for before in 0..c {
            let along = dot(columns[c], columns[before]);
            for a in 0..D {
                let part = along * columns[before][a];
                columns[c][a] -= part;
            }
        }
        let size = length(columns[c]);
        columns[c] = columns[c].map(|v| v / size);
    }
    transpose(&columns)
}

/// Whether a matrix is a rotation, but for some rounding.
fn is_rotation<T: Real, const D: usize>(m: &[[T; D]; D]) -> bool {
    let [x, y, z] = square(m);
    let third = cross(x, y);
    let off = [dot(x, x) - T::one(), dot(y, y) - T::one(), dot(x, y)];
    off.into_iter().chain((0..3).map(|a| third[a] - z[a])).all(|v| v.magnitude() <= T::of(1e-4))
}

fn transpose<T: Real, const D: usize>(m: &[[T; D]; D]) -> [[T; D]; D] {
    core::array::from_fn(|i| core::array::from_fn(|j| m[j][i]))
}

fn product<T: Real, const D: usize>(a: &[[T; D]; D], b: &[[T; D]; D]) -> [[T; D]; D] {
    let columns = transpose(b);
    core::array::from_fn(|i| core::array::from_fn(|j| dot(a[i], columns[j])))
}

fn apply<T: Real, const D: usize>(m: &[[T; D]; D], v: [T; D]) -> [T; D] {
    core::array::from_fn(|i| dot(m[i], v))
}

#[inline(always)]
fn apply_transposed<T: Real, const D: usize>(m: &[[T; D]; D], v: [T; D]) -> [T; D] {
    core::array::from_fn(|i| (1..D).fold(m[0][i] * v[0], |sum, j| sum + m[j][i] * v[j]))
}

/// The upper left D × D block.
fn block<T: Real, const D: usize>(m: [[T; 3]; 3]) -> [[T; D]; D] {
    core::array::from_fn(|i| core::array::from_fn(|j| m[i][j]))
}

/// The matrix that turns about z as `m` does where `m` is of the plane, else `m`.
fn square<T: Real, const D: usize>(m: &[[T; D]; D]) -> [[T; 3]; 3] {
    core::array::from_fn(|i| {
        core::array::from_fn(|j| match m.get(i).and_then(|row| row.get(j)) {
            Some(v) => *v,
            None if i == j => T::one(),
            None => T::zero(),
        })
    })
}

#[inline(always)]
fn embed<T: Real, const D: usize>(v: [T; D]) -> [T; 3] {
    core::array::from_fn(|a| v.get(a).copied().unwrap_or(T::zero()))
}

#[inline(always)]
fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{FRAC_PI_2, TAU};

    fn crate_2d() -> Body<f64, 2> {
        Body::new(Shape::cuboid([2.0, 0.5]).unwrap(), [1.0, 1.0]).unwrap()
    }

    fn close<const N: usize>(a: [f64; N], b: [f64; N], tolerance: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
    }

    #[test]
    fn a_quarter_turn_lays_the_long_side_along_y() {
        let body = crate_2d().with_angle(FRAC_PI_2).unwrap();
        assert!((body.signed_distance([1.0, 3.5]) - 0.5).abs() < 1e-14);
        assert!((body.signed_distance([2.0, 1.0]) - 0.5).abs() < 1e-14);
        assert!(close(body.to_world([2.0, 0.0]), [1.0, 3.0], 1e-14));
        assert!(close(body.to_local([1.0, 3.0]), [2.0, 0.0], 1e-14));
        let [lo, hi] = body.bounds().unwrap();
        assert!(close(lo, [0.5, -1.0], 1e-14) && close(hi, [1.5, 3.0], 1e-14));
        // x → y → z → x about the diagonal of space.
        let cuboid = Shape::cuboid([3.0, 2.0, 1.0]).unwrap();
        let body = Body::new(cuboid, [0.0; 3]).unwrap().with_rotation([5.0; 3], TAU / 3.0).unwrap();
        assert!(close(body.to_world([1.0, 2.0, 3.0]), [3.0, 1.0, 2.0], 1e-14));
    }

    #[test]
    fn a_rotating_body_returns_after_a_full_turn() {
        let steps = 1000;
        let mut body =
            crate_2d().with_angle(0.3).unwrap().with_angular_velocity([0.0, 0.0, TAU]).unwrap();
        let start = body.clone();
        for n in 0..steps {
            body.advance(1.0 / f64::from(steps)).unwrap();
            if n + 1 == steps / 4 {
                let quarter = crate_2d().with_angle(0.3 + FRAC_PI_2).unwrap();
                assert!(close(body.rotation[0], quarter.rotation[0], 1e-12));
            }
        }
        // A rounding of ε a step.
        for a in 0..2 {
            assert!(close(body.rotation[a], start.rotation[a], 1e-12));
        }
        let mut body = Body::<f64, 3>::new(Shape::ball(1.0).unwrap(), [0.0; 3])
            .unwrap()
            .with_rotation([0.0, 1.0, 1.0], 1.0)
            .unwrap()
            .with_angular_velocity([TAU / 3.0, TAU * 2.0 / 3.0, -TAU * 2.0 / 3.0])
            .unwrap();
        let start = body.clone();
        for _ in 0..steps {
            body.advance(1.0 / f64::from(steps)).unwrap();
        }
        for a in 0..3 {
            assert!(close(body.rotation[a], start.rotation[a], 1e-12));
        }
    }

    #[test]
    fn a_long_tumble_keeps_the_matrix_orthonormal_and_the_angular_momentum() {
        let mut body = Body::<f32, 3>::new(Shape::ball(1.0).unwrap(), [0.0; 3])
            .unwrap()
            .with_mass(1.0, [1.0, 2.0, 3.0])
            .unwrap()
            .with_angular_velocity([0.01, 3.0, 0.02])
            .unwrap();
        let momentum = |b: &Body<f32, 3>| {
            let local = apply_transposed(&b.rotation, b.angular_velocity);
            apply(&b.rotation, [local[0], 2.0 * local[1], 3.0 * local[2]])
        };
        let before = momentum(&body);
        let mut turned_over = false;
        for _ in 0..20_000 {
            body.advance(1e-3).unwrap();
            // About the middle axis rotation is unstable: the body flips over and back.
            turned_over |= apply_transposed(&body.rotation, body.angular_velocity)[1] < -2.0;
        }
        assert!(turned_over);
        let square = product(&transpose(&body.rotation), &body.rotation);
        for (i, row) in square.iter().enumerate() {
            for (j, v) in row.iter().enumerate() {
                assert!((v - f32::from(u8::from(i == j))).abs() < 1e-6);
            }
        }
        // 20 000 steps that each round |L| by at most 1 ε, in the worst case the same way.
        for (a, b) in before.iter().zip(momentum(&body)) {
            assert!((a - b).abs() < 20_000.0 * f32::EPSILON * 6.0, "{a} {b}");
        }
    }

    #[test]
    fn a_free_tumble_keeps_its_energy_to_second_order() {
        let drift = |steps: u32| {
            let mut body = Body::<f64, 3>::new(Shape::ball(1.0).unwrap(), [0.0; 3])
                .unwrap()
                .with_mass(1.0, [1.0, 2.0, 3.0])
                .unwrap()
                .with_angular_velocity([0.5, 3.0, 0.2])
                .unwrap();
            let energy = |b: &Body<f64, 3>| {
                let w = apply_transposed(&b.rotation, b.angular_velocity);
                0.5 * (w[0] * w[0] + 2.0 * w[1] * w[1] + 3.0 * w[2] * w[2])
            };
            let before = energy(&body);
            for _ in 0..steps {
                body.advance(4.0 / f64::from(steps)).unwrap();
            }
            (energy(&body) / before - 1.0).abs()
        };
        let (coarse, fine) = (drift(200), drift(400));
        assert!(coarse < 1e-2 && fine < coarse / 3.5, "{coarse} {fine}");
    }

    #[test]
    fn velocity_and_torque_follow_the_cross_product() {
        let mut body = crate_2d()
            .with_velocity([1.0, 2.0])
            .unwrap()
            .with_angular_velocity([9.0, 9.0, 3.0])
            .unwrap();
        assert_eq!(body.velocity_at([2.0, 3.0]), [1.0 - 6.0, 2.0 + 3.0]);
        body.add_force_at([3.0, 1.0], [7.0, 5.0]).unwrap();
        body.add_force_at([1.0, 2.0], [1.0, 0.0]).unwrap();
        assert_eq!((body.force, body.torque), ([8.0, 5.0], [0.0, 0.0, 9.0]));
        body.clear_wrench();
        assert_eq!((body.force, body.torque), ([0.0; 2], [0.0; 3]));
        let body = Body::new(Shape::ball(1.0).unwrap(), [0.0; 3])
            .unwrap()
            .with_angular_velocity([1.0, 2.0, 3.0])
            .unwrap();
        assert_eq!(body.velocity_at([4.0, 5.0, 6.0]), [-3.0, 6.0, -3.0]);
    }

    #[test]
    fn forces_move_what_has_a_mass_and_nothing_else() {
        let push = |mass: f64, inertia: f64| {
            let mut body = crate_2d()
                .with_mass(mass, [0.0, 0.0, inertia])
                .unwrap()
                .with_velocity([1.0, 0.0])
                .unwrap();
            body.add_force_at([1.0, 0.0], [4.0, 0.0]).unwrap();
            body.advance(0.5).unwrap();
            (body.velocity[0], body.angular_velocity[2], body.position[0])
        };
        assert_eq!(push(2.0, 8.0), (2.0, 0.25, 2.0));
        for heavy in [0.0, f64::INFINITY] {
            assert_eq!(push(heavy, heavy), (1.0, 0.0, 1.5));
        }
    }

    #[test]
    fn no_time_changes_nothing_and_bad_time_is_refused() {
        let mut body =
            crate_2d().with_mass(1.0, [1.0; 3]).unwrap().with_velocity([1.0, 1.0]).unwrap();
        body.force = [1.0, 1.0];
        let before = body.clone();
        body.advance(0.0).unwrap();
        assert_eq!(body, before);
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(body.advance(bad).is_err());
        }
        body.velocity = [f64::MAX, 0.0];
        let before = body.clone();
        assert!(body.advance(10.0).is_err());
        assert_eq!(body, before);
    }

    #[test]
    fn bad_numbers_are_refused_by_name() {
        let good = crate_2d();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Body::new(Shape::ball(1.0).unwrap(), [bad, 0.0]).is_err());
            assert!(good.clone().with_velocity([0.0, bad]).is_err());
            assert!(good.clone().with_angular_velocity([0.0, 0.0, bad]).is_err());
            assert!(good.clone().with_angle(bad).is_err());
            assert!(good.clone().with_rotation([0.0, 0.0, bad], 1.0).is_err());
            assert!(good.clone().add_force_at([0.0, bad], [0.0; 2]).is_err());
            assert!(good.clone().add_force_at([0.0; 2], [bad, 0.0]).is_err());
        }
        for bad in [f64::NAN, -1.0] {
            assert!(good.clone().with_mass(bad, [1.0; 3]).is_err());
            assert!(good.clone().with_mass(1.0, [1.0, 1.0, bad]).is_err());
        }
        assert!(good.clone().with_rotation([0.0; 3], 1.0).is_err());
        assert!(good.clone().with_rotation([1.0, 0.0, 0.0], 1.0).is_err());
        let mut broken = good;
        broken.shape = Shape::Ball { radius: 0.0 };
        assert!(broken.check().is_err() && broken.advance(1.0).is_err());
    }
}
