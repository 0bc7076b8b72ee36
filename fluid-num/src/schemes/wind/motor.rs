//! Motors: what blows.
//!
//! ```text
//! ∂e/∂t = a · f(t) · w(x) · d(x)        a strength, f fade, w falloff, d direction
//! ```
//!
//! f rises from 0 to 1 over the fade-in, stays, and falls over the fade-out at the end of the lifetime;
//! a step adds its exact integral, so that what a motor gives does not depend on the frame rate. A
//! motor that moves is swept along its way. Motors that overlap add up.

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
        /// The radius, m.
        radius: T,
    },
    /// A cylinder around the axis (a rectangle in the plane), its middle at the place.
    Cylinder {
        /// The radius, m.
        radius: T,
        /// Half of the length, m.
        half_length: T,
    },
    /// A cone along the axis (a triangle in the plane), its tip at the place.
    Cone {
        /// The length, m.
        length: T,
        /// The tangent of half of the opening angle.
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
    fn integral<T: Real>(self, s: T) -> T {
        let half = T::of(0.5);
        match self {
            Self::Linear => half * s * s,
            Self::Smooth => s * s * s * (T::one() - half * s),
        }
    }
}

/// What blows at a place, for a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor<T, const D: usize> {
    /// Where the wind goes.
    pub flow: Flow,
    /// How far it reaches.
    pub reach: Reach<T>,
    /// How it falls off.
    pub falloff: Falloff,
    /// The place, m.
    pub place: [T; D],
    /// How fast the place moves, m/s.
    pub velocity: [T; D],
    /// The direction of the axis; need not have length 1. Without any, nothing blows along it or
    /// around it.
    pub axis: [T; D],
    /// The acceleration at the core, m/s².
    pub strength: T,
    /// The time after which it is over, s; infinite for ever.
    pub lifetime: T,
    /// The time in which it comes to full strength, s.
    pub fade_in: T,
    /// The time before its end in which it fades, s.
    pub fade_out: T,
    /// The curve of both fades.
    pub fade: Fade,
    /// Its age, s.
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

    /// A blast that gives `speed` m/s at its core within a tenth of a second.
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
    /// [`Error::InvalidParameter`] for a number that is not finite or beyond 1e9, a size below 1e-6,
    /// or fades that are longer than the lifetime.
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
        check::not_negative("motor.fade_in", self.fade_in)?;
        check::not_negative("motor.fade_out", self.fade_out)?;
        check::not_negative("motor.age", self.age)?;
        if self.lifetime >= self.fade_in + self.fade_out {
            return Ok(());
        }
        Err(Error::InvalidParameter {
            name: "motor.lifetime",
            value: self.lifetime.to_f64(),
            expected: "at least its fades together",
        })
    }

    /// Whether its lifetime is over.
    pub fn is_over(&self) -> bool {
        self.age >= self.lifetime
    }

    /// ∫ f dt from the beginning to `time`.
    fn given_until(&self, time: T) -> T {
        let Self { lifetime, fade_in, fade_out, fade, .. } = *self;
        let (time, half) = (time.at_most(lifetime), T::of(0.5));
        if time < fade_in {
            return fade_in * fade.integral(time / fade_in);
        }
        let rest = lifetime - time;
        let full = time - half * fade_in;
        if rest < fade_out {
            // What is missing from full strength; both curves fall as they rise.
            return full - fade_out * fade.integral((fade_out - rest) / fade_out);
        }
        full
    }

    /// ∫ f dt over the next `dt` seconds.
    pub(super) fn given_within(&self, dt: T) -> T {
        self.given_until(self.age + dt) - self.given_until(self.age)
    }

    /// The smallest size that matters.
    fn size(&self) -> T {
        match self.reach {
            Reach::Sphere { radius } => radius,
            Reach::Cylinder { radius, half_length } => radius.at_most(half_length),
            Reach::Cone { length, slope } => length.at_most(length * slope),
        }
    }

    /// How often the motor is set down on its way through `dt` seconds.
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

fn size<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    check::within(name, value, 1e-6, 1e9, "from 1e-6 to 1e9")
}
