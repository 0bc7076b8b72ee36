//! Sums over neighbours, for as many particles at once as there are lanes.
//!
//! A lane belongs to a particle: the n-th neighbours of the particles of a group lie side by side, so
//! that no sum has to be added up over lanes, and what is done once a particle is done for all of a
//! group. Particles in the order of their cells have much the same number of neighbours as those
//! beside them: measured, lanes without a neighbour are as rare as where lists of single particles
//! are padded to whole blocks.
//!
//! What belongs to the neighbours is first gathered, a batch at a time; then the sums run over it.
//! Gathering and arithmetic in one loop is what compilers do not vectorise.

use super::domain::Images;
use super::neighbors::{LANES, Neighbors};
use crate::Real;

/// A value for each particle of a group.
pub(crate) type Lanes<T> = [T; LANES];

/// The most neighbours of a particle that are gathered at once.
pub(crate) const BATCH: usize = 48;

/// A value for each neighbour of a batch.
pub(crate) type Gathered<T> = [Lanes<T>; BATCH];

/// A group of particles and their neighbours, a batch at a time.
#[derive(Debug)]
pub(crate) struct Around<'a, T, const D: usize, const V: usize, const S: usize> {
    neighbors: &'a Neighbors<T, D>,
    particles: [&'a [T]; D],
    velocities: [&'a [T]; V],
    scalars: [&'a [T]; S],
    images: Images<T, D>,
    reach_squared: T,
    /// The least distance.
    apart: T,
    /// The first particle of the group.
    first: usize,
    /// The neighbours that are yet to come, the number of those that came, and of all.
    rest: &'a [Lanes<u32>],
    came: T,
    count: Lanes<T>,
    /// x_i along each axis; what belongs to no particle repeats the first one.
    pub(crate) at: [Lanes<T>; D],
    /// x_i − x_j along each axis.
    pub(crate) offset: [Gathered<T>; D],
    /// |x_i − x_j|²; at least the squared reach in lanes without a neighbour.
    pub(crate) squared: Gathered<T>,
    /// The neighbours' velocities along each axis, and scalars.
    pub(crate) velocity: [Gathered<T>; V],
    pub(crate) scalar: [Gathered<T>; S],
    /// The number of neighbours in the batch.
    pub(crate) len: usize,
}

impl<'a, T: Real, const D: usize, const V: usize, const S: usize> Around<'a, T, D, V, S> {
    /// Neighbours of particles at given places, with their velocities and scalars where they are
    /// needed.
    #[inline(always)]
    pub(crate) fn new(
        neighbors: &'a Neighbors<T, D>,
        particles: [&'a [T]; D],
        velocities: [&'a [T]; V],
        scalars: [&'a [T]; S],
    ) -> Self {
        Self {
            neighbors,
            particles,
            velocities,
            scalars,
            images: neighbors.domain().images(),
            reach_squared: neighbors.reach() * neighbors.reach(),
            apart: neighbors.reach() * T::of(1e-3),
            first: 0,
            rest: &[],
            came: T::zero(),
            count: [T::zero(); LANES],
            at: [[T::zero(); LANES]; D],
            offset: [[[T::zero(); LANES]; BATCH]; D],
            squared: [[T::zero(); LANES]; BATCH],
            velocity: [[[T::zero(); LANES]; BATCH]; V],
            scalar: [[[T::zero(); LANES]; BATCH]; S],
            len: 0,
        }
    }

    /// Turns to the group that begins with particle `first`, a multiple of the number of lanes.
    #[inline(always)]
    pub(crate) fn enter(&mut self, first: usize) {
        let (list, count) = self.neighbors.group(first);
        self.first = first;
        self.rest = list;
        self.came = T::zero();
        for k in 0..LANES {
            self.count[k] = T::of_index(count[k] as i32);
        }
        self.at = vectors(self.particles, first);
    }

    /// Takes in the next batch of neighbours, if there is one.
    ///
    /// Two particles at the same place are taken to lie a little apart along x, the one that comes first
    /// below the other: else nothing would ever part them.
    #[inline(always)]
    pub(crate) fn load(&mut self) -> bool {
        let (batch, rest) = self.rest.split_at(self.rest.len().min(BATCH));
        self.rest = rest;
        self.len = batch.len();
        if batch.is_empty() {
            return false;
        }
        self.gather(batch);
        let (at, count, reach_squared) = (self.at, self.count, self.reach_squared);
        let mut number = self.came;
        let mut nearest = [reach_squared; LANES];
        for n in 0..batch.len().min(BATCH) {
            let mut squared = [T::zero(); LANES];
            for k in 0..LANES {
                squared[k] = if number < count[k] { T::zero() } else { reach_squared };
            }
            for a in 0..D {
                let (at, offset) = (&at[a], &mut self.offset[a][n]);
                for k in 0..LANES {
                    offset[k] = at[k] - offset[k];
                }
                self.images.nearest(a, offset);
                for k in 0..LANES {
                    squared[k] += offset[k] * offset[k];
                }
            }
            for k in 0..LANES {
                nearest[k] = nearest[k].at_most(squared[k]);
            }
            self.squared[n] = squared;
            number += T::one();
        }
        self.came = number;
        let limit = self.apart * self.apart;
        let mut close = false;
        for k in 0..LANES {
            close |= nearest[k] < limit;
        }
        if close {
            self.part(batch);
        }
        true
    }

    #[inline(always)]
    fn gather(&mut self, batch: &[Lanes<u32>]) {
        let Self { mut particles, mut velocities, mut scalars, .. } = *self;
        let Some(first) = particles.first() else { return };
        // One length, and one comparison with it, for all arrays.
        let len = first.len();
        let arrays = particles.iter_mut().chain(&mut velocities).chain(&mut scalars);
        arrays.for_each(|array| *array = &array[..len]);
        for (n, neighbors) in batch.iter().enumerate().take(BATCH) {
            for k in 0..LANES {
                let j = neighbors[k] as usize;
                for a in 0..D {
                    self.offset[a][n][k] = particles[a][j];
                }
                for a in 0..V {
                    self.velocity[a][n][k] = velocities[a][j];
                }
                for s in 0..S {
                    self.scalar[s][n][k] = scalars[s][j];
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn part(&mut self, batch: &[Lanes<u32>]) {
        for (n, others) in batch.iter().enumerate() {
            for k in 0..LANES {
                if self.squared[n][k] < self.apart * self.apart {
                    let below = self.first + k < others[k] as usize;
                    self.offset[0][n][k] = if below { -self.apart } else { self.apart };
                    self.squared[n][k] = self.apart * self.apart;
                }
            }
        }
    }
}

/// What is in one lane of some vectors.
#[inline(always)]
pub(crate) fn lane<T: Real, const D: usize>(vectors: &[Lanes<T>; D], k: usize) -> [T; D] {
    let mut lane = [T::zero(); D];
    for a in 0..D {
        lane[a] = vectors[a][k];
    }
    lane
}

/// The values of the particles of the group that begins with `first`; what belongs to no particle
/// repeats the first one.
#[inline(always)]
pub(crate) fn lanes<T: Real>(values: &[T], first: usize) -> Lanes<T> {
    let values = &values[first..];
    if let Some(lanes) = values.first_chunk() {
        return *lanes;
    }
    let mut lanes = [values.first().copied().unwrap_or(T::zero()); LANES];
    lanes[..values.len()].copy_from_slice(values);
    lanes
}

/// The vectors of the particles of the group that begins with `first`, given axis by axis.
#[inline(always)]
pub(crate) fn vectors<T: Real, const D: usize>(axes: [&[T]; D], first: usize) -> [Lanes<T>; D] {
    let mut vectors = [[T::zero(); LANES]; D];
    for a in 0..D {
        vectors[a] = lanes(axes[a], first);
    }
    vectors
}

/// Writes what belongs to the particles of a group from `first` on.
#[inline(always)]
pub(crate) fn put<T: Real>(out: &mut [T], first: usize, lanes: Lanes<T>) {
    let out = &mut out[first..];
    if let Some(out) = out.first_chunk_mut() {
        *out = lanes;
    } else {
        out.copy_from_slice(&lanes[..out.len()]);
    }
}

/// The largest squared length of the vectors whose components are given; NaN where one is NaN.
pub(crate) fn largest_square<T: Real, const D: usize>(components: [&[T]; D]) -> T {
    let count = components.iter().map(|c| c.len()).min().unwrap_or(0);
    let mut worst = [T::zero(); LANES];
    for first in (0..count).step_by(LANES) {
        let held = (count - first).min(LANES);
        let mut squared = [T::zero(); LANES];
        for component in components {
            for (s, v) in squared.iter_mut().zip(&component[first..first + held]) {
                *s += *v * *v;
            }
        }
        for k in 0..LANES {
            worst[k] = worst[k].worst(squared[k]);
        }
    }
    worst.iter().fold(T::zero(), |worst, v| worst.worst(*v))
}
