//! What wind has in common with every scheme: digests and snapshots.

use alloc::vec::Vec;

use super::gusts::Drift;
use super::motor::{Fade, Falloff, Flow, Motor, Reach};
use super::{MOST_CELLS_AWAY, Wind};
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::ring::Ring;
use crate::{Error, Real, Simulation, Snapshot, StepReport};

impl<T: Real, const D: usize> Simulation<T> for Wind<T, D> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        Wind::step(self, dt)
    }

    fn time(&self) -> T {
        T::of(self.steps as f64) * self.params.time_step
    }

    fn digest(&self) -> u64 {
        let region = self.grid.interior();
        let digest = Digest::new().word(self.steps).values(&[self.pending]);
        let mut digest = drift_words(&self.drift).fold(digest, Digest::word);
        for corner in self.corner {
            digest = digest.word(corner as u64);
        }
        for i in region.places().filter(|i| self.closed.get(*i)) {
            digest = digest.word(i as u64);
        }
        for ring in self.excess.iter().chain(&self.before) {
            for row in (0..region.rows()).map(|n| region.row(n)) {
                for part in ring.span(row.start, row.len) {
                    digest = digest.values(part);
                }
            }
        }
        self.motors.iter().flat_map(words).fold(digest, Digest::word).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let cells = |ring| self.grid.interior().places().map(move |i| Ring::get(ring, i));
        let snapshot = Snapshot::new("wind", D, Simulation::time(self));
        self.grid
            .snapshot(snapshot)
            .with_words("corner", self.corner.map(|c| c as u64))
            .with_words("steps", [self.steps])
            .with_values("pending time", [self.pending])
            .with_words("drift", drift_words(&self.drift))
            .with_bits("closed", self.grid.interior().places().map(|i| self.closed.get(i)))
            .with_values("wind", self.excess.iter().flat_map(cells))
            .with_values("wind before", self.before.iter().flat_map(cells))
            .with_words("motors", self.motors.iter().flat_map(words))
    }

    /// Motors and closed cells are restored too; the parameters and the obstacles are not.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("wind", D)?;
        self.grid.check_snapshot(snapshot)?;
        let corner = snapshot.words_exactly("corner", D)?;
        let steps = snapshot.word("steps")?;
        let pending = snapshot.values_exactly("pending time", 1)?[0];
        let drift = snapshot.words_exactly("drift", D + 1)?;
        let closed = snapshot.bits("closed", self.grid.cell_count())?;
        let count = D * self.grid.cell_count();
        let now = snapshot.values_exactly("wind", count)?;
        let before = snapshot.values_exactly("wind before", count)?;
        now.iter().try_for_each(|e| check::moderate("wind", *e))?;
        before.iter().try_for_each(|e| check::moderate("wind before", *e))?;
        let list = snapshot.words("motors")?;
        let wrong = |name| Error::WrongSnapshot { name, reason: "is damaged" };
        for (corner, cells) in corner.iter().zip(self.params.cells) {
            let middle = (*corner as i64).saturating_add((cells / 2) as i64);
            if middle.unsigned_abs() > MOST_CELLS_AWAY as u64 {
                return Err(wrong("corner"));
            }
        }
        // A step may come a hair too early.
        if !pending.is_finite() || pending.magnitude() > self.params.time_step {
            return Err(wrong("pending time"));
        }
        let mut displacement = [0.0; D];
        for (displacement, bits) in displacement.iter_mut().zip(drift) {
            *displacement = f64::from_bits(*bits);
        }
        let drift = Drift { displacement, unrest: f64::from_bits(drift[D]) };
        if !(drift.unrest.is_finite() && displacement.iter().all(|w| w.is_finite())) {
            return Err(wrong("drift"));
        }
        if list.len() % size::<D>() != 0 {
            return Err(wrong("motors"));
        }
        let motors: Option<Vec<Motor<T, D>>> = list.chunks(size::<D>()).map(motor).collect();
        let motors = motors.ok_or(wrong("motors"))?;
        motors.iter().try_for_each(Motor::check)?;
        for (rings, values) in [(&mut self.excess, now), (&mut self.before, before)] {
            let mut values = values.iter();
            for ring in rings {
                let places = self.grid.interior().places();
                places.zip(&mut values).for_each(|(i, value)| ring.set(i, *value));
            }
        }
        for (i, closed) in self.grid.interior().places().zip(closed) {
            self.closed.set(i, closed);
        }
        self.drift = drift;
        for a in 0..D {
            self.corner[a] = corner[a] as i64;
            self.first[a] = T::of(self.corner[a] as f64);
        }
        (self.motors, self.pending, self.steps) = (motors, pending, steps);
        self.find_open();
        self.refresh();
        self.report = StepReport::nothing(self.max_speed);
        Ok(())
    }
}

fn drift_words<const D: usize>(drift: &Drift<D>) -> impl Iterator<Item = u64> {
    drift.displacement.into_iter().chain([drift.unrest]).map(f64::to_bits)
}

/// The number of words of a motor.
const fn size<const D: usize>() -> usize {
    4 + 7 + 3 * D
}

fn words<T: Real, const D: usize>(motor: &Motor<T, D>) -> impl Iterator<Item = u64> {
    let flow = match motor.flow {
        Flow::Directional => 0,
        Flow::Omni => 1,
        Flow::Vortex => 2,
    };
    let falloff = match motor.falloff {
        Falloff::None => 0,
        Falloff::Linear => 1,
        Falloff::Smooth => 2,
    };
    let fade = match motor.fade {
        Fade::Linear => 0,
        Fade::Smooth => 1,
    };
    let (reach, sizes) = match motor.reach {
        Reach::Sphere { radius } => (0, [radius, radius]),
        Reach::Cylinder { radius, half_length } => (1, [radius, half_length]),
        Reach::Cone { length, slope } => (2, [length, slope]),
    };
    let Motor { strength, lifetime, fade_in, fade_out, age, .. } = *motor;
    let vectors = [motor.place, motor.velocity, motor.axis];
    let numbers = sizes.into_iter().chain([strength, lifetime, fade_in, fade_out, age]);
    let numbers = numbers.chain(vectors.into_iter().flatten());
    [flow, falloff, fade, reach].into_iter().chain(numbers.map(Real::bits))
}

/// The motor whose [`words`] these are.
fn motor<T: Real, const D: usize>(words: &[u64]) -> Option<Motor<T, D>> {
    let (kinds, numbers) = words.split_at_checked(4)?;
    let mut numbers = numbers.iter().map(|bits| T::of_bits(*bits));
    let mut next = || numbers.next();
    let flow = match kinds[0] {
        0 => Flow::Directional,
        1 => Flow::Omni,
        2 => Flow::Vortex,
        _ => return None,
    };
    let falloff = match kinds[1] {
        0 => Falloff::None,
        1 => Falloff::Linear,
        2 => Falloff::Smooth,
        _ => return None,
    };
    let fade = match kinds[2] {
        0 => Fade::Linear,
        1 => Fade::Smooth,
        _ => return None,
    };
    let [first, second] = [next()?, next()?];
    let reach = match kinds[3] {
        0 => Reach::Sphere { radius: first },
        1 => Reach::Cylinder { radius: first, half_length: second },
        2 => Reach::Cone { length: first, slope: second },
        _ => return None,
    };
    let [strength, lifetime, fade_in, fade_out, age] =
        [next()?, next()?, next()?, next()?, next()?];
    let mut vectors = [[T::zero(); D]; 3];
    for v in vectors.iter_mut().flatten() {
        *v = next()?;
    }
    let [place, velocity, axis] = vectors;
    Some(Motor {
        flow,
        reach,
        falloff,
        place,
        velocity,
        axis,
        strength,
        lifetime,
        fade_in,
        fade_out,
        fade,
        age,
    })
}
