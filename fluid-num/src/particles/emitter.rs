//! A nozzle that emits rows of particles one spacing apart.
//!
//! ```text
//! s += speed dt;   row k = 1 … ⌊s/h⌋ stands at  centre + (s − k h) direction;   s −= ⌊s/h⌋ h
//! ```
//!
//! The remainder s puts each row where it would be had it left the nozzle at its own moment within
//! the step, so that the jet is the same for every sequence of time steps of one duration.

use super::ParticleSet;
use super::set::LIMIT;
use crate::base::error::check;
use crate::{Error, Real};

/// A row leaves this many spacings early, so that the rounding of sums of time steps does not
/// decide whether a row that is due at the end of a step belongs to it.
const EARLY: f64 = 1e-6;

/// A jet of particles.
///
/// ```
/// use fluid_num::particles::{Emitter, ParticleSet};
/// let mut set = ParticleSet::<f64, 2>::new();
/// let mut tap = Emitter::new([0.0, 1.0], [0.0, -1.0], 0.2, 1.0, 0.1)?;
/// assert_eq!(tap.rate(), 40.0); // rows of 4, 10 a second
/// assert_eq!(tap.emit(&mut set, 0.25)?, 8);
/// assert!((set.positions(1)[0] - (1.0 - 0.15)).abs() < 1e-12); // a row that left at 0.1 s
/// assert!((set.positions(1)[7] - (1.0 - 0.05)).abs() < 1e-12);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Emitter<T, const D: usize> {
    /// The centre of the nozzle, m.
    pub center: [T; D],
    /// Where the jet points; any length whose square is a number but 0.
    pub direction: [T; D],
    /// Half the width of the nozzle (its radius in space), m; finite and positive. At least one
    /// particle a row, however narrow.
    pub radius: T,
    /// The speed of the jet, m/s; finite and not negative. Faster emits more.
    pub speed: T,
    /// The distance of rows, and of particles in a row, m; finite and positive.
    pub spacing: T,
    /// The group of the particles; 0 at first.
    pub group: u16,
    /// The lifetime of the particles, s; positive, infinite at first.
    pub lifetime: T,
    /// The total number of particles after which the nozzle is dry; `None` (never) at first.
    pub limit: Option<usize>,
    /// How far the jet has come since the last row, m.
    pub(super) carried: f64,
    pub(super) emitted: usize,
}

impl<T: Real, const D: usize> Emitter<T, D> {
    /// A nozzle without a limit, whose particles are of group 0 and live for ever.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] with the name of a field out of its range.
    pub fn new(
        center: [T; D],
        direction: [T; D],
        radius: T,
        speed: T,
        spacing: T,
    ) -> Result<Self, Error> {
        let lifetime = T::of(f64::INFINITY);
        let (group, limit, carried, emitted) = (0, None, 0.0, 0);
        let emitter = Self {
            center,
            direction,
            radius,
            speed,
            spacing,
            group,
            lifetime,
            limit,
            carried,
            emitted,
        };
        emitter.check()?;
        Ok(emitter)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] with the field's name.
    pub fn check(&self) -> Result<(), Error> {
        self.center.iter().try_for_each(|x| check::moderate("emitter.center", *x))?;
        check::all_finite("emitter.direction", &self.direction)?;
        check::positive("the length of emitter.direction", T::of(self.length()))?;
        check::positive("emitter.radius", self.radius)?;
        check::not_negative("emitter.speed", self.speed)?;
        check::positive("emitter.spacing", self.spacing)?;
        if self.lifetime > T::zero() {
            self.check_count(self.row_estimate())
        } else {
            Err(Error::InvalidParameter {
                name: "emitter.lifetime",
                value: self.lifetime.to_f64(),
                expected: "positive, infinite for ever",
            })
        }
    }

    /// Particles a second while the limit is not reached; 0 where [`Self::check`] fails.
    pub fn rate(&self) -> T {
        if self.check().is_err() {
            return T::zero();
        }
        let mut per_row = 0;
        self.each_in_row(|_| per_row += 1);
        T::of_usize(per_row) * self.speed / self.spacing
    }

    /// How many particles it has emitted.
    pub fn emitted(&self) -> usize {
        self.emitted
    }

    /// Adds the rows that leave within `dt` to the set; returns how many particles.
    ///
    /// Call it after the particles have moved through the same `dt`: each row is put where it is
    /// at the end of it, with the age it has then.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`], [`Error::InvalidParameter`] as [`Self::check`] and for more
    /// than 2³¹ − 1 particles a step, [`Error::WrongCount`] where they do not fit into the set.
    /// Nothing is emitted then.
    pub fn emit(&mut self, set: &mut ParticleSet<T, D>, dt: T) -> Result<usize, Error> {
        check::time_step(dt)?;
        self.check()?;
        let left = self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.emitted));
        let [h, speed] = [self.spacing, self.speed].map(T::to_f64);
        let distance = self.carried + speed * dt.to_f64();
        check::moderate("the distance of the jet in a step", T::of(distance))?;
        let rows = libm::floor(distance / h + EARLY);
        if left == 0 || rows < 1.0 || speed == 0.0 {
            self.carried = if left == 0 { 0.0 } else { distance };
            return Ok(0);
        }
        let most = rows * self.row_estimate();
        self.check_count(most.min(left as f64))?;
        set.check_room((most as usize).min(left))?;
        let unit = self.unit();
        let velocity = unit.map(|v| T::of(v * speed));
        let before = set.len();
        for k in 1..=rows as usize {
            if set.len() - before >= left {
                break;
            }
            let ahead = distance - k as f64 * h;
            let age = T::of((ahead / speed).max(0.0));
            let start: [f64; D] =
                core::array::from_fn(|a| self.center[a].to_f64() + ahead * unit[a]);
            self.each_in_row(|offset| {
                if set.len() - before < left {
                    let point = core::array::from_fn(|a| T::of(start[a] + offset[a]));
                    set.push(point, velocity, self.group, age, self.lifetime);
                }
            });
        }
        self.carried = distance - rows * h;
        let added = set.len() - before;
        self.emitted = self.emitted.saturating_add(added);
        Ok(added)
    }

    /// Calls `put` with each point of a row, as its offset from the centre.
    fn each_in_row(&self, mut put: impl FnMut([f64; D])) {
        let [s, t] = self.across();
        let [h, radius] = [self.spacing, self.radius].map(T::to_f64);
        let n = self.row_width();
        let along_t = if D == 2 { 1.0 } else { n };
        let middle = |n: f64| 0.5 * (n - 1.0);
        for j in 0..along_t as usize {
            for i in 0..n as usize {
                let (x, y) = ((i as f64 - middle(n)) * h, (j as f64 - middle(along_t)) * h);
                if D == 2 || x * x + y * y <= radius * radius {
                    put(core::array::from_fn(|a| x * s[a] + y * t[a]));
                }
            }
        }
    }

    /// Points of a row along one direction.
    fn row_width(&self) -> f64 {
        libm::round(2.0 * self.radius.to_f64() / self.spacing.to_f64()).max(1.0)
    }

    /// No fewer points than a row has.
    fn row_estimate(&self) -> f64 {
        let n = self.row_width();
        if D == 2 { n } else { n * n }
    }

    fn check_count(&self, count: f64) -> Result<(), Error> {
        if count <= LIMIT as f64 {
            return Ok(());
        }
        Err(Error::InvalidParameter {
            name: "emitter.spacing",
            value: self.spacing.to_f64(),
            expected: "large enough for fewer than 2^31 particles a step",
        })
    }

    fn length(&self) -> f64 {
        libm::sqrt(self.direction.iter().map(|v| v.to_f64() * v.to_f64()).sum())
    }

    fn unit(&self) -> [f64; D] {
        let length = self.length();
        self.direction.map(|v| v.to_f64() / length)
    }

    /// Two unit vectors at right angles to the jet and each other; the plane uses the first alone.
    fn across(&self) -> [[f64; 3]; 2] {
        let unit = self.unit();
        let d: [f64; 3] = core::array::from_fn(|a| unit.get(a).copied().unwrap_or(0.0));
        if D == 2 {
            return [[-d[1], d[0], 0.0], [0.0; 3]];
        }
        // The axis that the jet is least along.
        let axis = (1..3).fold(0, |m, a| if d[a].abs() < d[m].abs() { a } else { m });
        let mut e = [0.0; 3];
        e[axis] = 1.0;
        let s = cross(d, e);
        let length = libm::sqrt(s.iter().map(|v| v * v).sum());
        let s = s.map(|v| v / length);
        [s, cross(d, s)]
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Emits over the steps, each after moving what is there; the positions, sorted along the jet.
    fn jet(steps: &[f64]) -> Vec<[f64; 2]> {
        let mut set = ParticleSet::<f64, 2>::new();
        let mut tap = Emitter::new([0.1, 0.2], [3.0, 4.0], 0.15, 2.0, 0.1).unwrap();
        for dt in steps {
            for a in 0..2 {
                let (x, u) = set.axis_mut(a);
                x.iter_mut().zip(u).for_each(|(x, u)| *x += *u * dt);
            }
            set.advance_ages(*dt).unwrap();
            tap.emit(&mut set, *dt).unwrap();
        }
        for i in 0..set.len() {
            // Age times speed is the way since the nozzle.
            let p = set.position(i).unwrap();
            let way = (p[0] - 0.1) * 0.6 + (p[1] - 0.2) * 0.8;
            assert!((way - 2.0 * set.ages()[i]).abs() < 1e-9);
        }
        (0..set.len()).map(|i| set.position(i).unwrap()).collect()
    }

    #[test]
    fn the_jet_is_the_same_for_every_sequence_of_steps() {
        let once = jet(&[1.0]);
        assert_eq!(once.len(), 20 * 3); // 2 m in rows of 3, 0.1 m apart
        let mixed = [[0.013, 0.0, 0.037, 0.05].as_slice(), &[0.3; 3]].concat();
        for steps in [mixed.as_slice(), &[0.1; 10], &[1e-3; 1000], &[1.0 / 7.0; 7]] {
            let many = jet(steps);
            assert_eq!(many.len(), once.len());
            for (a, b) in once.iter().zip(&many) {
                assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_row_in_space_is_a_disc_across_the_jet() {
        let direction = [1.0_f32, 2.0, -0.5];
        let mut set = ParticleSet::<f32, 3>::new();
        let mut tap = Emitter::new([0.0; 3], direction, 1.0, 1.0, 0.05).unwrap();
        let n = tap.emit(&mut set, 0.06).unwrap();
        assert_eq!(n as f32 * 20.0, tap.rate());
        let area = n as f64 * 0.05 * 0.05;
        assert!((area / core::f64::consts::PI - 1.0).abs() < 0.02, "{area}");
        for i in 0..n {
            let p = set.position(i).unwrap();
            let along = (p[0] * 1.0 + p[1] * 2.0 - p[2] * 0.5) / 5.25_f32.sqrt();
            assert!((along - 0.01).abs() < 1e-5); // 0.06 less one spacing
            let nearest = (0..n).filter(|j| *j != i).map(|j| {
                let q = set.position(j).unwrap();
                (0..3).map(|a| (p[a] - q[a]).powi(2)).sum::<f32>().sqrt()
            });
            assert!((nearest.fold(9.0, f32::min) - 0.05).abs() < 1e-5);
        }
    }

    #[test]
    fn a_limited_nozzle_runs_dry_and_its_particles_expire() {
        let mut set = ParticleSet::<f64, 2>::new();
        let mut tap = Emitter::new([0.0; 2], [1.0, 0.0], 0.2, 1.0, 0.1).unwrap();
        (tap.limit, tap.lifetime, tap.group) = (Some(10), 0.5, 3);
        assert_eq!(tap.emit(&mut set, 0.2), Ok(8));
        assert_eq!(tap.emit(&mut set, 0.2), Ok(2));
        assert_eq!(tap.emit(&mut set, 0.2), Ok(0));
        assert_eq!((tap.emitted(), set.len()), (10, 10));
        assert!(set.groups().iter().all(|g| *g == 3));
        set.advance_ages(1.0).unwrap();
        assert_eq!(set.apply_removals(), 10);
    }

    #[test]
    fn bad_nozzles_and_steps_emit_nothing() {
        let nozzle = |d, r, u, h| Emitter::<f64, 2>::new([0.0; 2], d, r, u, h).is_err();
        assert!(nozzle([0.0, 0.0], 1.0, 1.0, 0.1));
        assert!(nozzle([f64::NAN, 0.0], 1.0, 1.0, 0.1));
        assert!(nozzle([1.0, 0.0], 0.0, 1.0, 0.1));
        assert!(nozzle([1.0, 0.0], 1.0, -1.0, 0.1));
        assert!(nozzle([1.0, 0.0], 1.0, 1.0, 0.0));
        assert!(nozzle([1.0, 0.0], 1.0, 1.0, 1e-12));
        let mut set = ParticleSet::<f64, 2>::new();
        let mut tap = Emitter::new([0.0; 2], [1.0, 0.0], 0.2, 1.0, 0.1).unwrap();
        let before = tap.clone();
        for dt in [f64::NAN, -1.0, f64::INFINITY, 1e12, f64::MAX] {
            assert!(tap.emit(&mut set, dt).is_err());
        }
        assert_eq!(tap, before);
        tap.lifetime = f64::NAN;
        assert!(tap.emit(&mut set, 1.0).is_err());
        assert!(set.is_empty());
    }
}
