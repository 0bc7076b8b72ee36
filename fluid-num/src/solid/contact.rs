//! Contacts among bodies and with walls: enough for crates and balls in a pool.
//!
//! ```text
//! v_n' = −e v_n,   |j_t| ≤ μ j_n        impulses at the points of contact, one after the other
//! ```
//! Corners of a body and the ball within a box, its ball or the balls at a capsule's ends touch what has
//! a signed distance: other bodies, and the walls of a box. Impulses after Mirtich and Canny; what overlaps is moved apart, in
//! proportion to mobility. Each pair is looked at in both directions, several times in turn, always in
//! the same order.
//!
//! Not modelled: edges of boxes that cross in space, contacts of images but by their outermost corners,
//! stacks of many bodies at rest (they sag and slide).
//!
//! Reference: B. Mirtich, J. Canny, *Impulse-based simulation of rigid bodies*, 1995,
//! <https://doi.org/10.1145/199404.199436>.

use super::shape::dot;
use super::{Body, Shape};
use crate::base::error::check;
use crate::{Error, Real};

/// How bodies touch.
///
/// ```
/// use fluid_num::solid::{Body, Contacts, Shape};
/// let ball = Body::new(Shape::ball(0.5)?, [0.0, 0.4])?.with_mass(2.0, [0.0, 0.0, 0.25])?;
/// let mut bodies = [ball.with_velocity([0.0, -1.0])?];
/// let floor = [[None, None], [Some(0.0), None]];
/// let contacts = Contacts { restitution: 0.5, ..Default::default() };
/// contacts.resolve(&mut bodies, floor)?;
/// assert!((bodies[0].velocity[1] - 0.5_f64).abs() < 1e-12);
/// assert!(bodies[0].position[1] > 0.45);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contacts<T> {
    /// The part e of the speed with which bodies part again, 0 to 1; default 0.1.
    pub restitution: T,
    /// Coulomb's friction μ ≥ 0; default 0.4.
    pub friction: T,
    /// How often all contacts are looked at, at least 1; default 8. More: stacks are stiffer.
    pub rounds: usize,
}

impl<T: Real> Default for Contacts<T> {
    fn default() -> Self {
        Self { restitution: T::of(0.1), friction: T::of(0.4), rounds: 8 }
    }
}

/// Where two bodies, or a body and a wall, touch.
struct Touch<T, const D: usize> {
    point: [T; D],
    /// Away from what is touched.
    normal: [T; D],
    depth: T,
}

impl<T: Real> Contacts<T> {
    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for one that is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        check::within("contacts.restitution", self.restitution, 0.0, 1.0, "from 0 to 1")?;
        check::not_negative("contacts.friction", self.friction)?;
        if self.rounds == 0 {
            let expected = "at least 1";
            return Err(Error::InvalidParameter { name: "contacts.rounds", value: 0.0, expected });
        }
        Ok(())
    }

    /// Lets bodies that touch push each other and be pushed by walls, where there are any: those of a
    /// box, the lower and the upper one along each axis. Bodies that share no layer pass through each
    /// other.
    ///
    /// # Errors
    /// As [`Self::check`] and [`Body::check`]; nothing is changed then.
    pub fn resolve<const D: usize>(
        &self,
        bodies: &mut [Body<T, D>],
        walls: [[Option<T>; 2]; D],
    ) -> Result<(), Error> {
        self.check()?;
        bodies.iter().try_for_each(Body::check)?;
        for _ in 0..self.rounds {
            for n in 0..bodies.len() {
                self.touch_walls(&mut bodies[n], &walls);
                for m in 0..bodies.len() {
                    let [a, b] = match (n, m) {
                        (n, m) if n < m => {
                            let (head, tail) = bodies.split_at_mut(m);
                            [&mut head[n], &mut tail[0]]
                        }
                        (n, m) if m < n => {
                            let (head, tail) = bodies.split_at_mut(n);
                            [&mut tail[0], &mut head[m]]
                        }
                        _ => continue,
                    };
                    self.touch_body(a, b);
                }
            }
        }
        Ok(())
    }

    fn touch_walls<const D: usize>(&self, body: &mut Body<T, D>, walls: &[[Option<T>; 2]; D]) {
        if !body.is_dynamic() {
            return;
        }
        for axis in 0..D {
            for end in 0..2 {
                let Some(wall) = walls[axis][end] else { continue };
                let sign = if end == 0 { T::one() } else { -T::one() };
                let mut normal = [T::zero(); D];
                normal[axis] = sign;
                let touch =
                    deepest(body, |p, radius| Some((sign * (p[axis] - wall) - radius, normal)));
                if let Some(touch) = touch {
                    self.push(body, None, &touch);
                }
            }
        }
    }

    fn touch_body<const D: usize>(&self, body: &mut Body<T, D>, other: &mut Body<T, D>) {
        let apart = body.layers & other.layers == 0;
        if apart || !(body.is_dynamic() || other.is_dynamic()) || !overlap(body, other) {
            return;
        }
        let touch = deepest(body, |p, radius| {
            let distance = other.signed_distance(p) - radius;
            if distance >= T::zero() {
                return None;
            }
            Some((distance, normal_of(other, p)?))
        });
        if let Some(touch) = touch {
            self.push(body, Some(other), &touch);
        }
    }

    /// Impulses and displacements at a contact, away from `other` or a wall.
    fn push<const D: usize>(
        &self,
        body: &mut Body<T, D>,
        mut other: Option<&mut Body<T, D>>,
        touch: &Touch<T, D>,
    ) {
        let still = [T::zero(); D];
        let there = other.as_ref().map_or(still, |other| other.velocity_at(touch.point));
        let here = body.velocity_at(touch.point);
        let relative: [T; D] = core::array::from_fn(|a| here[a] - there[a]);
        let mobility = |direction: [T; D], body: &Body<T, D>| {
            let kick = response(body, touch.point, direction);
            dot(kick, direction)
        };
        let total = |direction: [T; D], body: &Body<T, D>, other: &Option<&mut Body<T, D>>| {
            let of_other = other.as_ref().map_or(T::zero(), |other| mobility(direction, other));
            mobility(direction, body) + of_other
        };
        let along = dot(relative, touch.normal);
        let normal_mobility = total(touch.normal, body, &other);
        if normal_mobility <= T::zero() {
            return;
        }
        if along < T::zero() {
            let size = -(T::one() + self.restitution) * along / normal_mobility;
            let mut impulse = touch.normal.map(|n| n * size);
            let slide: [T; D] = core::array::from_fn(|a| relative[a] - along * touch.normal[a]);
            let speed = dot(slide, slide).sqrt();
            if speed > T::NEGLIGIBLE {
                let direction = slide.map(|s| s / speed);
                let stop = speed / total(direction, body, &other);
                let friction = stop.at_most(self.friction * size);
                for a in 0..D {
                    impulse[a] -= friction * direction[a];
                }
            }
            apply(body, touch.point, impulse);
            if let Some(other) = other.as_deref_mut() {
                apply(other, touch.point, impulse.map(|j| -j));
            }
        }
        // Most of the overlap goes at once; what is left keeps them in touch.
        let share = |body: &Body<T, D>| {
            if body.is_dynamic() { T::one() / body.mass } else { T::zero() }
        };
        let of_other = other.as_ref().map_or(T::zero(), |other| share(other));
        let away = touch.depth * T::of(0.5) / (share(body) + of_other);
        let own = away * share(body);
        for a in 0..D {
            body.position[a] += own * touch.normal[a];
        }
        if let Some(other) = other {
            for a in 0..D {
                other.position[a] -= away * of_other * touch.normal[a];
            }
        }
    }
}

/// The feature of a body that lies deepest, where any is below 0 by what `look` says of it.
fn deepest<T: Real, const D: usize>(
    body: &Body<T, D>,
    look: impl Fn([T; D], T) -> Option<(T, [T; D])>,
) -> Option<Touch<T, D>> {
    let mut found: Option<Touch<T, D>> = None;
    features(&body.shape, [T::zero(); D], &mut |local, radius| {
        let p = body.to_world(local);
        let Some((distance, normal)) = look(p, radius) else { return };
        let least = found.as_ref().map_or(T::zero(), |touch| -touch.depth);
        if distance < least {
            let point = core::array::from_fn(|a| p[a] - radius * normal[a]);
            found = Some(Touch { point, normal, depth: -distance });
        }
    });
    found
}

/// The points of a shape that can touch first, each with a radius.
fn features<T: Real, const D: usize>(
    shape: &Shape<T, D>,
    offset: [T; D],
    f: &mut dyn FnMut([T; D], T),
) {
    let at = |p: [T; D]| core::array::from_fn(|a| offset[a] + p[a]);
    let corners = |lo: [T; D], hi: [T; D], f: &mut dyn FnMut([T; D], T)| {
        for corner in 0..1_usize << D {
            let pick = |a: usize| if corner >> a & 1 == 1 { hi[a] } else { lo[a] };
            f(at(core::array::from_fn(pick)), T::zero());
        }
    };
    match shape {
        Shape::Ball { radius } => f(offset, *radius),
        Shape::Cuboid { half_extents } => {
            corners(half_extents.map(|e| -e), *half_extents, f);
            // A ball within, not so large that it would touch before corners do, parts boxes that lie in
            // one another.
            let least = half_extents.iter().fold(half_extents[0], |least, e| least.at_most(*e));
            f(offset, least * T::of(0.95));
        }
        Shape::Capsule { half_length, radius } => {
            for end in [-*half_length, *half_length] {
                let mut p = [T::zero(); D];
                p[0] = end;
                f(at(p), *radius);
            }
        }
        Shape::HalfSpace { .. } => {}
        Shape::Polygon(polygon) => {
            for vertex in polygon.vertices() {
                let mut p = [T::zero(); D];
                p[..2].copy_from_slice(vertex);
                f(at(p), T::zero());
            }
        }
        Shape::Mask(_) => {
            if let Some([lo, hi]) = shape.bounds() {
                corners(lo, hi, f);
            }
        }
        Shape::Moved { offset: by, part } => features(part, at(*by), f),
        Shape::Union(parts) => parts.iter().for_each(|part| features(part, offset, f)),
        Shape::Difference(part, _) => features(part, offset, f),
    }
}

/// Whether the boxes around two bodies overlap.
fn overlap<T: Real, const D: usize>(a: &Body<T, D>, b: &Body<T, D>) -> bool {
    let (Some(a), Some(b)) = (a.bounds(), b.bounds()) else { return true };
    (0..D).all(|n| a[0][n] < b[1][n] && b[0][n] < a[1][n])
}

/// The direction away from a body at a point.
fn normal_of<T: Real, const D: usize>(body: &Body<T, D>, p: [T; D]) -> Option<[T; D]> {
    let extent = body.bounds().map_or(T::one(), |[lo, hi]| hi[0] - lo[0]);
    let step = extent * T::of(1e-3);
    let slope: [T; D] = core::array::from_fn(|a| {
        let (mut below, mut above) = (p, p);
        below[a] -= step;
        above[a] += step;
        body.signed_distance(above) - body.signed_distance(below)
    });
    let length = dot(slope, slope).sqrt();
    (length > T::NEGLIGIBLE).then(|| slope.map(|s| s / length))
}

/// What the velocity at a point gains from an impulse there.
fn response<T: Real, const D: usize>(body: &Body<T, D>, point: [T; D], impulse: [T; D]) -> [T; D] {
    let mut moved = ([T::zero(); D], [T::zero(); 3]);
    kick(body, point, impulse, &mut moved);
    let arm = spatial(core::array::from_fn::<T, D, _>(|a| point[a] - body.position[a]));
    let spin = cross(moved.1, arm);
    core::array::from_fn(|a| moved.0[a] + spin[a])
}

/// Changes a body's motion by an impulse at a point.
fn apply<T: Real, const D: usize>(body: &mut Body<T, D>, point: [T; D], impulse: [T; D]) {
    let mut motion = (body.velocity, body.angular_velocity);
    kick(body, point, impulse, &mut motion);
    (body.velocity, body.angular_velocity) = motion;
}

fn kick<T: Real, const D: usize>(
    body: &Body<T, D>,
    point: [T; D],
    impulse: [T; D],
    motion: &mut ([T; D], [T; 3]),
) {
    if body.is_dynamic() {
        for a in 0..D {
            motion.0[a] += impulse[a] / body.mass;
        }
    }
    if !body.turns_freely() {
        return;
    }
    let arm = spatial(core::array::from_fn::<T, D, _>(|a| point[a] - body.position[a]));
    let torque = cross(arm, spatial(impulse));
    if D == 2 {
        motion.1[2] += torque[2] / body.inertia[2];
        return;
    }
    let r = body.rotation();
    for k in 0..D {
        let axis: [T; 3] = spatial(core::array::from_fn::<T, D, _>(|a| r[a][k]));
        let spin = dot(axis, torque) / body.inertia[k.min(2)];
        for a in 0..3 {
            motion.1[a] += axis[a] * spin;
        }
    }
}

fn spatial<T: Real, const D: usize>(v: [T; D]) -> [T; 3] {
    core::array::from_fn(|a| if a < D { v[a] } else { T::zero() })
}

fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_at(position: [f64; 2]) -> Body<f64, 2> {
        let body = Body::new(Shape::cuboid([0.5, 0.5]).unwrap(), position).unwrap();
        body.with_mass(2.0, [0.0, 0.0, 1.0 / 3.0]).unwrap()
    }

    #[test]
    fn balls_that_meet_exchange_their_velocities() {
        let ball = |x: f64, v: f64| {
            let body = Body::new(Shape::ball(0.5).unwrap(), [x, 0.0]).unwrap();
            body.with_mass(3.0, [0.0, 0.0, 0.4]).unwrap().with_velocity([v, 0.0]).unwrap()
        };
        let mut bodies = [ball(0.0, 2.0), ball(0.99, -1.0)];
        let elastic = Contacts { restitution: 1.0, friction: 0.0, rounds: 8 };
        elastic.resolve(&mut bodies, [[None; 2]; 2]).unwrap();
        assert!((bodies[0].velocity[0] + 1.0).abs() < 1e-12);
        assert!((bodies[1].velocity[0] - 2.0).abs() < 1e-12);
        assert!(bodies[1].position[0] - bodies[0].position[0] > 0.9999);
    }

    #[test]
    fn a_crate_that_falls_askew_comes_to_rest_on_its_side() {
        let mut bodies = [crate_at([0.0, 1.5]).with_angle(0.3).unwrap()];
        let contacts = Contacts::default();
        for _ in 0..1200 {
            bodies[0].force = [0.0, -2.0 * 9.81];
            bodies[0].advance(1.0 / 120.0).unwrap();
            contacts.resolve(&mut bodies, [[None; 2], [Some(0.0), None]]).unwrap();
        }
        let [body] = &bodies;
        assert!((body.position[1] - 0.5).abs() < 0.01, "{:?}", body.position);
        // It rocks from corner to corner, by thousandths.
        let [along, up] = [0, 1].map(|a| body.rotation()[a][0].abs());
        assert!(along.min(up) < 0.01, "{along} {up}");
        let moves = [body.velocity[1], body.angular_velocity[2]];
        assert!(moves.iter().all(|v| v.abs() < 0.3), "{moves:?}");
    }

    #[test]
    fn crates_that_lie_in_one_another_part() {
        // Turned by an eighth, neither has a corner in the other's middle.
        for turn in [0.0, core::f64::consts::FRAC_PI_4] {
            let mut bodies =
                [crate_at([0.0, 0.0]), crate_at([0.05, 0.02]).with_angle(turn).unwrap()];
            for _ in 0..20 {
                Contacts::default().resolve(&mut bodies, [[None; 2]; 2]).unwrap();
            }
            let away: [f64; 2] =
                core::array::from_fn(|a| bodies[1].position[a] - bodies[0].position[a]);
            assert!((away[0] * away[0] + away[1] * away[1]).sqrt() > 0.95, "{turn}: {away:?}");
        }
    }

    #[test]
    fn momentum_is_kept_and_layers_pass() {
        let mut bodies = [
            crate_at([0.0, 0.0]).with_velocity([1.0, 0.2]).unwrap(),
            crate_at([0.9, 0.3]).with_angle(0.7).unwrap(),
        ];
        let before = bodies.clone();
        Contacts::default().resolve(&mut bodies, [[None; 2]; 2]).unwrap();
        assert_ne!(bodies, before);
        for a in 0..2 {
            let sum = |of: &[Body<f64, 2>; 2]| of[0].velocity[a] + of[1].velocity[a];
            assert!((sum(&bodies) - sum(&before)).abs() < 1e-14);
        }
        let mut apart = [before[0].clone().with_layers(1), before[1].clone().with_layers(2)];
        let same = apart.clone();
        Contacts::default().resolve(&mut apart, [[None; 2]; 2]).unwrap();
        assert_eq!(apart, same);
    }
}
