//! Motors: what blows.
//!
//! ```text
//! ∂e/∂t = a · f(t) · w(x) · d(x)        a strength, f fade, w falloff, d direction
//! ```
//!
//! f rises from 0 to 1 over the fade-in, stays, and falls over the fade-out at the end of the lifetime;
//! a step adds its exact integral, so that what a motor gives does not depend on the frame rate. Motors
//! that overlap add up.
//!
//! A motor that moves is swept along its way of a step: it is set down at every quarter of its smallest
//! size, and at most 32 times, so that beyond eight sizes a step there are gaps. One that ends within
//! the step is swept as far as it comes.

use crate::base::error::check;
use crate::{Error, Real};

/// Where a motor's wind goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Along the axis.
    Directional,
    /// Away from the place (towards it for a negative strength): explosions.
    Omni,
    /// Around the axis, counter-clockwise seen from its tip; in the plane around the place.
    Vortex,
}

/// How far a motor reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach<T> {
    /// A ball.
    Sphere {
        /// The radius, m, from 1e-6 to 1e9.
        radius: T,
    },
    /// A cylinder around the axis (a rectangle in the plane), its middle at the place.
    Cylinder {
        /// The radius, m, from 1e-6 to 1e9.
        radius: T,
        /// Half of the length, m, from 1e-6 to 1e9.
        half_length: T,
    },
    /// A cone along the axis (a triangle in the plane), its tip at the place.
    Cone {
        /// The length, m, from 1e-6 to 1e9.
        length: T,
        /// The tangent of half of the opening angle, from 1e-6 to 1e9.
        slope: T,
    },
}

/// How a motor's strength falls from its core to where its reach ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Falloff {
    /// The same everywhere within reach.
    None,
    /// 1 − q, for q from 0 at the core to 1 at the end.
    Linear,
    /// (1 − q²)².
    #[default]
    Smooth,
}

/// The curve by which a motor comes and goes, of the part s of its fade that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fade {
    /// s.
    #[default]
    Linear,
    /// s²(3 − 2s): without a kink at either end.
    Smooth,
}

impl Fade {
    /// The integral of the curve up to `s`; one half at 1 for either.
    fn integral(self, s: f64) -> f64 {
        match self {
            Self::Linear => 0.5 * s * s,
            Self::Smooth => s * s * s * (1.0 - 0.5 * s),
        }
    }
}

/// What blows at a place, for a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor<T, const D: usize> {
    /// Where the wind goes.
    pub flow: Flow,
    /// How far it reaches. [`Motor::new`] gives a ball.
    pub reach: Reach<T>,
    /// How it falls off. Default smoothly.
    pub falloff: Falloff,
    /// The place, m, at most 1e9 from the origin along each axis. A motor that moves further is
    /// removed.
    pub place: [T; D],
    /// How fast the place moves, m/s, at most 1e9. Default 0.
    pub velocity: [T; D],
    /// The direction of the axis, at most 1e9; need not have length 1. Without any, nothing blows
    /// along it or around it. Default the last axis of the world.
    pub axis: [T; D],
    /// The acceleration at the core, m/s², at most 1e9 in magnitude; negative: the other way. Away
    /// from a place and around an axis there is none in the middle and the most, 0.88 times this of
    /// a smooth ball, a quarter of the smallest size from there.
    pub strength: T,
    /// The time after which it is over, s, from its fades together to 1e9; infinite, the default, for
    /// ever. In `f32` one of more than 2²⁴ steps, six days of 1/30 s, never ends either.
    pub lifetime: T,
    /// The time in which it comes to full strength, s, from 0 to 1e9. Default 0.
    pub fade_in: T,
    /// The time before its end in which it fades, s, from 0 to 1e9. Default 0.
    pub fade_out: T,
    /// The curve of both fades. Default linear.
    pub fade: Fade,
    /// Its age, s, from 0 to 1e9. Default 0. That of a motor without end stays where its fade-in is
    /// over.
    pub age: T,
}

impl<T: Real, const D: usize> Motor<T, D> {
    /// A ball of wind of a strength in m/s², at full strength for ever.
    pub fn new(flow: Flow, place: [T; D], radius: T, strength: T) -> Self {
        let mut axis = [T::zero(); D];
        axis[D - 1] = T::one();
        Self {
            flow,
            reach: Reach::Sphere { radius },
            falloff: Falloff::Smooth,
            place,
            velocity: [T::zero(); D],
            axis,
            strength,
            lifetime: T::one() / T::zero(),
            fade_in: T::zero(),
            fade_out: T::zero(),
            fade: Fade::default(),
            age: T::zero(),
        }
    }

    /// A wind along `axis`.
    pub fn directional(place: [T; D], radius: T, axis: [T; D], strength: T) -> Self {
        Self { axis, ..Self::new(Flow::Directional, place, radius, strength) }
    }

    /// A blast that within a tenth of a second gives 0.88 times `speed` m/s a quarter of the radius
    /// from its middle, and less elsewhere.
    pub fn explosion(place: [T; D], radius: T, speed: T) -> Self {
        let lifetime = T::of(0.1);
        Self { lifetime, ..Self::new(Flow::Omni, place, radius, speed / lifetime) }
    }

    /// A whirl around `axis`.
    pub fn vortex(place: [T; D], radius: T, axis: [T; D], strength: T) -> Self {
        Self { axis, ..Self::new(Flow::Vortex, place, radius, strength) }
    }

    /// The same with a lifetime, of which the first and the last part fade.
    #[must_use]
    pub fn for_time(self, lifetime: T, fade_in: T, fade_out: T) -> Self {
        Self { lifetime, fade_in, fade_out, ..self }
    }

    /// Checks the motor.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a number that is not finite (but for a lifetime without end) or
    /// beyond 1e9, a size below 1e-6, or fades that are longer than the lifetime.
    pub fn check(&self) -> Result<(), Error> {
        match self.reach {
            Reach::Sphere { radius } => size("motor.radius", radius)?,
            Reach::Cylinder { radius, half_length } => {
                size("motor.radius", radius)?;
                size("motor.half_length", half_length)?;
            }
            Reach::Cone { length, slope } => {
                size("motor.length", length)?;
                size("motor.slope", slope)?;
            }
        }
        super::speeds("motor.place", &self.place)?;
        super::speeds("motor.velocity", &self.velocity)?;
        super::speeds("motor.axis", &self.axis)?;
        super::speeds("motor.strength", &[self.strength])?;
        time("motor.fade_in", self.fade_in)?;
        time("motor.fade_out", self.fade_out)?;
        time("motor.age", self.age)?;
        if !self.is_endless() {
            time("motor.lifetime", self.lifetime)?;
        }
        if self.lifetime >= self.fade_in + self.fade_out {
            return Ok(());
        }
        Err(Error::InvalidParameter {
            name: "motor.lifetime",
            value: self.lifetime.to_f64(),
            expected: "at least its fades together",
        })
    }

    fn is_endless(&self) -> bool {
        self.lifetime == T::one() / T::zero()
    }

    /// Whether its lifetime is over.
    pub fn is_over(&self) -> bool {
        self.age >= self.lifetime
    }

    /// ∫ f dt from the beginning to `time`.
    fn given_until(&self, time: f64) -> f64 {
        let [lifetime, fade_in, fade_out] =
            [self.lifetime, self.fade_in, self.fade_out].map(Real::to_f64);
        let time = time.at_most(lifetime);
        if time < fade_in {
            return fade_in * self.fade.integral(time / fade_in);
        }
        let rest = lifetime - time;
        let full = time - 0.5 * fade_in;
        if rest < fade_out {
            // What is missing from full strength; both curves fall as they rise.
            return full - fade_out * self.fade.integral((fade_out - rest) / fade_out);
        }
        full
    }

    /// ∫ f dt over the next `dt` seconds.
    pub(super) fn given_within(&self, dt: T) -> T {
        let full = self.lifetime - self.fade_out - self.age;
        if self.age >= self.fade_in && dt <= full {
            return dt; // which the difference of two times would lose
        }
        let age = self.age.to_f64();
        T::of(self.given_until(age + dt.to_f64()) - self.given_until(age))
    }

    /// For how long of the next `dt` seconds it blows.
    pub(super) fn blows_for(&self, dt: T) -> T {
        dt.at_most(self.lifetime - self.age)
    }

    /// Goes on by `dt` seconds.
    pub(super) fn advance(&mut self, dt: T) {
        *self = self.moved(dt);
        if !self.is_endless() || self.age < self.fade_in {
            self.age += dt;
        }
    }

    /// Whether it is over, or further away than any wind.
    pub(super) fn is_gone(&self) -> bool {
        self.is_over() || super::speeds("motor.place", &self.place).is_err()
    }

    /// The smallest size that matters.
    fn size(&self) -> T {
        match self.reach {
            Reach::Sphere { radius } => radius,
            Reach::Cylinder { radius, half_length } => radius.at_most(half_length),
            Reach::Cone { length, slope } => length.at_most(length * slope),
        }
    }

    /// How often the motor is set down on its way through `dt` seconds, at most 32 times.
    pub(super) fn stations(&self, dt: T) -> usize {
        let way = length(self.velocity) * dt;
        let wanted = (way / (T::of(0.25) * self.size())).ceil();
        wanted.at_most(T::of(32.0)).truncate().max(1) as usize
    }

    /// The motor `time` seconds further on its way.
    pub(super) fn moved(&self, time: T) -> Self {
        let mut moved = *self;
        for a in 0..D {
            moved.place[a] += self.velocity[a] * time;
        }
        moved
    }

    /// The unit vector along the axis.
    pub(super) fn unit_axis(&self) -> [T; D] {
        let size = length(self.axis);
        let scale = if size > T::NEGLIGIBLE { T::one() / size } else { T::zero() };
        self.axis.map(|v| v * scale)
    }

    /// A box around what it reaches.
    pub(super) fn bounds(&self) -> [[T; D]; 2] {
        let far = match self.reach {
            Reach::Sphere { radius } => radius,
            Reach::Cylinder { radius, half_length } => radius + half_length,
            Reach::Cone { length, slope } => length * (T::one() + slope),
        };
        [self.place.map(|v| v - far), self.place.map(|v| v + far)]
    }

    /// w·d at `r` from the place, for the unit vector along the axis.
    #[inline(always)]
    pub(super) fn push(&self, axis: [T; D], r: [T; D]) -> [T; D] {
        let (zero, one) = (T::zero(), T::one());
        let (mut along, mut square) = (zero, zero);
        for a in 0..D {
            along += r[a] * axis[a];
            square += r[a] * r[a];
        }
        let across = (square - along * along).at_least(zero).sqrt();
        let q = match self.reach {
            Reach::Sphere { radius } => square.sqrt() / radius,
            Reach::Cylinder { radius, half_length } => {
                (across / radius).at_least(along.magnitude() / half_length)
            }
            Reach::Cone { length, slope } => {
                let ahead = along.at_least(T::NEGLIGIBLE);
                let beside = across / (ahead * slope);
                (along / length).at_least(if along > zero { beside } else { one })
            }
        };
        let rest = (one - q).at_least(zero);
        let weight = match self.falloff {
            Falloff::None => {
                if q < one {
                    one
                } else {
                    zero
                }
            }
            Falloff::Linear => rest,
            Falloff::Smooth => {
                let w = (one - q * q).at_least(zero);
                w * w
            }
        };
        // Near the middle, where there is no direction, it grows like the distance from there.
        let core = T::of(0.25) * self.size();
        let mut push = [zero; D];
        match self.flow {
            Flow::Directional => {
                for a in 0..D {
                    push[a] = weight * axis[a];
                }
            }
            Flow::Omni => {
                let scale = weight / square.sqrt().at_least(core);
                for a in 0..D {
                    push[a] = scale * r[a];
                }
            }
            Flow::Vortex if D == 2 => {
                let scale = weight / square.sqrt().at_least(core);
                push[0] = -scale * r[1];
                push[1] = scale * r[0];
            }
            Flow::Vortex => {
                let scale = weight / across.at_least(core);
                for a in 0..D {
                    let (b, c) = ((a + 1) % D, (a + 2) % D);
                    push[a] = scale * (axis[b] * r[c] - axis[c] * r[b]);
                }
            }
        }
        push
    }
}

fn length<T: Real, const D: usize>(v: [T; D]) -> T {
    v.iter().fold(T::zero(), |sum, v| sum + *v * *v).sqrt()
}

fn time<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    check::within(name, value, 0.0, 1e9, "from 0 to 1e9 s")
}

fn size<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    check::within(name, value, 1e-6, 1e9, "from 1e-6 to 1e9")
}
