//! Marker particles that tell a level set where its interface has been lost: the particle level set.
//!
//! ```text
//! dx/dt = u(x)      φ_p(x) = s (r − |x − x_p|)      s = ±1 the side, r the radius, as much as fits
//! φ⁺ = max(φ, φ_p, s > 0)      φ⁻ = min(φ, φ_p, s < 0)      φ = the one of smaller magnitude
//! ```
//! A φ on a grid cannot hold what is thinner than two cells: sheets vanish, corners get round. Particles
//! on both sides, within a band of three cells, are carried along exact paths. One that is found on the
//! other side by more than its radius has escaped: there φ has moved wrongly, and the ball of the
//! particle corrects it at the centres around.
//!
//! **Cost**: about 0.2 µs a particle and step; memory for D + 2 numbers a particle of
//! [`MarkerParams::capacity`], and for D + 3 arrays of the grid. **Limits**: where liquids merge, and
//! where liquid is added or taken away, φ is right and particles resist it. [`MarkerParticles::reseed`]
//! removes those that are more than a cell on the other side, [`MarkerParticles::seed`] all.
//!
//! Reference: D. Enright, R. Fedkiw, J. Ferziger, I. Mitchell, *A hybrid particle level set method for
//! improved interface capturing*, J. Comput. Phys. 183 (2002),
//! <https://doi.org/10.1006/jcph.2002.7166>; paths after A. Ralston, *Runge–Kutta methods with minimum
//! error bounds*, Math. Comp. 16 (1962), <https://doi.org/10.1090/S0025-5718-1962-0150954-0>.

use alloc::vec;
use alloc::vec::Vec;

use super::LevelSet;
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec::{self, ChunkPass};
use crate::base::snapshot::{Snapshot, wrong_count};
use crate::grid::ops::same_grid;
use crate::grid::sample::Lattice;
use crate::{Boundary, Error, Faces, Grid, Location, Real};

/// How many particles, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarkerParams {
    /// The number in each cell of the band, from 1 to 1000. More hold thinner sheets, at their cost.
    /// Default: 16, in space too, where Enright and others take 64.
    pub per_cell: usize,
    /// How far from the interface they are, in cells, from 1 to 100; default: 3. None are where φ is
    /// cut ([`LevelSet::width`]): reinitialise in a wider band.
    pub band: f64,
    /// The most that there can be, for which memory is taken. Cells that come last stay empty when it
    /// is reached. Default: 2²⁰.
    pub capacity: usize,
}

impl Default for MarkerParams {
    fn default() -> Self {
        Self { per_cell: 16, band: 3.0, capacity: 1 << 20 }
    }
}

/// Radii, in cells.
const RADII: [f64; 2] = [0.1, 0.5];

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Marker<T, const D: usize> {
    position: [T; D],
    /// m, of the sign of the side that it belongs to.
    radius: T,
    /// φ at its place, m.
    phi: T,
}

impl<T: Real, const D: usize> Marker<T, D> {
    /// How far it is on the wrong side, m; negative on its own.
    #[inline(always)]
    fn beyond(&self) -> T {
        if self.radius < T::zero() { self.phi } else { -self.phi }
    }

    /// Whether it is on the wrong side by more than its radius.
    #[inline(always)]
    fn has_escaped(&self) -> bool {
        self.beyond() > self.radius.magnitude()
    }
}

/// Particles on both sides of the interface of a level set. All memory is taken at the start.
///
/// A step: carry φ and the particles, correct, reinitialise, correct again, [`Self::resize`]; a
/// [`Self::reseed`] every few dozen steps.
///
/// ```
/// use fluid_num::advection::Interpolation;
/// use fluid_num::level_set::{BandTransport, MarkerParams, MarkerParticles};
/// use fluid_num::solid::Shape;
/// use fluid_num::{Boundary, Faces, Grid2, LevelSet};
/// let (grid, walls) = (Grid2::new([32, 32], 1.0 / 32.0)?, Boundary::walls());
/// // A sheet 1.6 cells thin, turned once around, alone and with particles.
/// let sheet = Shape::cuboid([0.3, 0.025])?;
/// let mut phi = LevelSet::from_shape(grid, &walls, &sheet, [0.5, 0.515])?;
/// let (area, mut alone) = (phi.measure(), phi.clone());
/// let mut markers = MarkerParticles::new(grid, walls, MarkerParams::default())?;
/// markers.seed(&phi)?;
/// let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic)?;
/// let u = Faces::from_fn(grid, |[x, y]: [f64; 2]| [0.5 - y, x - 0.5]);
/// for _ in 0..314 {
///     transport.carry(&u, &mut alone, 0.02)?;
///     transport.carry(&u, &mut phi, 0.02)?;
///     markers.carry(&u, 0.02)?;
///     markers.correct(&mut phi)?;
///     markers.resize(&phi)?;
/// }
/// assert!(alone.measure() < 0.4 * area && phi.measure() > 0.8 * area);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MarkerParticles<T, const D: usize> {
    params: MarkerParams,
    boundary: Boundary<T, D>,
    markers: Vec<Marker<T, D>>,
    /// How often particles were seeded: what the places of new ones depend on.
    generation: u64,
    // Scratch.
    u: Faces<T, D>,
    /// φ⁺ and φ⁻, m.
    corrected: [Vec<T>; 2],
    /// The number of particles in each cell.
    count: Vec<u32>,
}

impl<T: Real, const D: usize> MarkerParticles<T, D> {
    /// No particles, carried by velocities that have `boundary` at their sides.
    ///
    /// # Errors
    /// As [`Boundary::check`]; [`Error::InvalidParameter`] for parameters out of their range and for a
    /// capacity that memory has no room for.
    pub fn new(
        grid: Grid<T, D>,
        boundary: Boundary<T, D>,
        params: MarkerParams,
    ) -> Result<Self, Error> {
        boundary.check()?;
        let count = T::of_usize(params.per_cell);
        check::within("markers.per_cell", count, 1.0, 1e3, "from 1 to 1000")?;
        check::within("markers.band", T::of(params.band), 1.0, 1e2, "from 1 to 100 cells")?;
        let capacity = T::of_usize(params.capacity);
        check::within("markers.capacity", capacity, 1.0, 4e9, "from 1 to 4·10⁹")?;
        let mut markers = Vec::new();
        markers.try_reserve_exact(params.capacity).map_err(|_| Error::InvalidParameter {
            name: "markers.capacity",
            value: params.capacity as f64,
            expected: "no more than memory has room for",
        })?;
        Ok(Self {
            params,
            boundary,
            markers,
            generation: 0,
            u: Faces::zeros(grid),
            corrected: [vec![T::zero(); grid.array_len()], vec![T::zero(); grid.array_len()]],
            count: vec![0; grid.array_len()],
        })
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.markers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }

    /// Removes the particles that belong outside: where nothing but a vacuum is there, they hold nothing
    /// that must not vanish.
    pub(crate) fn remove_outside(&mut self) {
        self.markers.retain(|marker| marker.radius < T::zero());
    }

    /// The place of every particle, m, and whether it belongs inside.
    pub fn iter(&self) -> impl Iterator<Item = ([T; D], bool)> {
        self.markers.iter().map(|m| (m.position, m.radius < T::zero()))
    }

    /// Adds the whole state to a digest.
    #[must_use]
    pub fn digest(&self, digest: Digest) -> Digest {
        let each =
            |digest: Digest, m: &Marker<T, D>| digest.values(&m.position).values(&[m.radius]);
        self.markers.iter().fold(digest.word(self.generation), each)
    }

    /// Adds the whole state to a snapshot.
    #[must_use]
    pub fn snapshot(&self, snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot
            .with_words("marker generation", [self.generation])
            .with_values("marker position", self.markers.iter().flat_map(|m| m.position))
            .with_values("marker radius", self.markers.iter().map(|m| m.radius))
    }

    /// Makes these the particles that [`Self::snapshot`] wrote, of the same grid and parameters.
    ///
    /// # Errors
    /// Those of the snapshot, [`Error::WrongCount`] for more than there is room for,
    /// [`Error::InvalidParameter`] for a particle outside the grid; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        let generation = snapshot.word("marker generation")?;
        let radii = snapshot.values("marker radius")?;
        if radii.len() > self.params.capacity {
            return Err(wrong_count("marker radius", radii.len()));
        }
        let positions = snapshot.values_exactly("marker position", D * radii.len())?;
        let grid = *self.u.grid();
        let place = |n: usize| core::array::from_fn(|a| positions[D * n + a]);
        if let Some(n) = (0..radii.len()).find(|n| cell_of(&grid, place(*n)).is_none()) {
            return Err(Error::InvalidParameter {
                name: "marker position",
                value: positions[D * n].to_f64(),
                expected: "within the grid",
            });
        }
        let markers = radii.iter().enumerate().map(|(n, radius)| Marker {
            position: place(n),
            radius: *radius,
            phi: T::zero(), // is read before it is used
        });
        self.generation = generation;
        self.markers.clear();
        self.markers.extend(markers);
        Ok(())
    }

    /// Puts new particles in place of all, the same whatever was before; returns how many found no
    /// room.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set of another grid; the particles stay then.
    pub fn seed(&mut self, phi: &LevelSet<T, D>) -> Result<usize, Error> {
        self.check_grid(phi)?;
        self.markers.clear();
        self.generation = 0;
        self.reseed(phi)
    }

    /// Removes particles that have left the band and those that are too many in a cell, unless they
    /// have escaped by no more than a cell, and puts new ones where they are too few. Returns how many
    /// found no room within [`MarkerParams::capacity`].
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set of another grid; the particles stay then.
    pub fn reseed(&mut self, phi: &LevelSet<T, D>) -> Result<usize, Error> {
        self.look(phi)?;
        let grid = *phi.grid();
        let (band, width) = (T::of(self.params.band) * grid.dx(), phi.width());
        // What is cut says nothing of where the interface is.
        let told = |value: T| width.is_none_or(|width| value.magnitude() < width);
        let near = |value: T| value.magnitude() <= band && told(value);
        let most = self.params.per_cell as u32;
        let Self { markers, count, .. } = self;
        count.fill(0);
        markers.retain(|marker| {
            let Some(place) = cell_of(&grid, marker.position) else { return false };
            let stays = if marker.has_escaped() {
                marker.beyond() <= grid.dx()
            } else {
                near(marker.phi) && count[place] < most
            };
            count[place] += u32::from(stays);
            stays
        });
        self.generation += 1;
        let values = phi.field().as_slice();
        let mut left_out = 0;
        for place in grid.interior().places() {
            // No point of a cell is farther from its centre than √D/2 < 0.9.
            if values[place].magnitude() > band + grid.dx() * T::of(0.9) || !told(values[place]) {
                continue;
            }
            for n in self.count[place]..most {
                if let Some(marker) = self.fresh(phi, place, n, near) {
                    if self.markers.len() < self.params.capacity {
                        self.markers.push(marker);
                    } else {
                        left_out += 1;
                    }
                }
            }
        }
        Ok(left_out)
    }

    /// Moves the particles along `u` for `dt` seconds, by Ralston's method of third order. What leaves
    /// the domain is removed.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a velocity of another grid, [`Error::InvalidTimeStep`],
    /// [`Error::NotFinite`] for a velocity that is not finite; the particles stay then.
    pub fn carry(&mut self, u: &Faces<T, D>, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        let grid = *self.u.grid();
        same_grid(*u.grid() == grid, "u")?;
        u.check_finite("u")?;
        self.u.copy_from(u)?;
        self.boundary.fill_normal(&mut self.u);
        self.boundary.fill_velocity(&mut self.u);
        let lattices =
            core::array::from_fn(|a| Lattice::new(&grid, Location::Face(a), &self.boundary));
        let pass = Carry { u: self.u.slices(), lattices, grid, boundary: &self.boundary, dt };
        exec::chunks([&mut self.markers], &pass);
        self.markers.retain(|marker| cell_of(&grid, marker.position).is_some());
        Ok(())
    }

    /// Corrects φ where particles have escaped; returns how many have.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set of another grid.
    pub fn correct(&mut self, phi: &mut LevelSet<T, D>) -> Result<usize, Error> {
        self.look(phi)?;
        let escaped = self.markers.iter().filter(|marker| marker.has_escaped()).count();
        if escaped == 0 {
            return Ok(0);
        }
        let grid = *phi.grid();
        let [outer, inner] = &mut self.corrected;
        outer.copy_from_slice(phi.field().as_slice());
        inner.copy_from_slice(phi.field().as_slice());
        // The largest and the smallest of all: their order does not matter.
        for marker in self.markers.iter().filter(|marker| marker.has_escaped()) {
            around(&grid, phi.boundary(), marker.position, |place, away| {
                if marker.radius > T::zero() {
                    outer[place] = outer[place].at_least(marker.radius - away);
                } else {
                    inner[place] = inner[place].at_most(marker.radius + away);
                }
            });
        }
        for ((value, outer), inner) in phi.values_mut().iter_mut().zip(&*outer).zip(&*inner) {
            *value = if outer.magnitude() <= inner.magnitude() { *outer } else { *inner };
        }
        phi.fill_ghosts();
        Ok(escaped)
    }

    /// Gives every particle the radius that fits between it and the interface, from 0.1 to 0.5 cells.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set of another grid.
    pub fn resize(&mut self, phi: &LevelSet<T, D>) -> Result<(), Error> {
        self.look(phi)?;
        let dx = phi.grid().dx();
        for marker in &mut self.markers {
            marker.radius = radius(marker.phi, marker.radius < T::zero(), dx);
        }
        Ok(())
    }

    fn check_grid(&self, phi: &LevelSet<T, D>) -> Result<(), Error> {
        same_grid(*phi.grid() == *self.u.grid(), "phi")
    }

    /// Reads φ at every particle.
    fn look(&mut self, phi: &LevelSet<T, D>) -> Result<(), Error> {
        self.check_grid(phi)?;
        exec::chunks([&mut self.markers], &Look(phi));
        Ok(())
    }

    /// Particle number `n` of a cell, at a place of its own where φ is `near` and not too near to the
    /// interface.
    fn fresh(
        &self,
        phi: &LevelSet<T, D>,
        place: usize,
        n: u32,
        near: impl Fn(T) -> bool,
    ) -> Option<Marker<T, D>> {
        let grid = *phi.grid();
        let cell = grid.cell_at(place);
        let seed = mix(self.generation << 40 ^ u64::from(n) << 32 ^ place as u64);
        // A few tries, for cells that the interface passes.
        for attempt in 0..4 {
            let mut position = grid.center(cell);
            for a in 0..D {
                let bits = mix(seed ^ ((attempt * D + a) as u64) << 56) >> 40;
                position[a] += (T::of(bits as f64 / f64::from(1 << 24)) - T::of(0.5)) * grid.dx();
            }
            let value = phi.signed_distance(position);
            if value.magnitude() >= T::of(RADII[0]) * grid.dx() && near(value) {
                let radius = radius(value, value < T::zero(), grid.dx());
                return Some(Marker { position, radius, phi: value });
            }
        }
        None
    }
}

/// The radius of a particle that belongs inside or not, of the sign of its side.
fn radius<T: Real>(phi: T, inside: bool, dx: T) -> T {
    let depth = if inside { -phi } else { phi };
    let size = depth.at_least(T::of(RADII[0]) * dx).at_most(T::of(RADII[1]) * dx);
    if inside { -size } else { size }
}

/// Bits that look like chance (the finaliser of SplitMix64).
fn mix(bits: u64) -> u64 {
    let z = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The place in an array of the cell that holds a position; `None` beyond the sides.
fn cell_of<T: Real, const D: usize>(grid: &Grid<T, D>, position: [T; D]) -> Option<usize> {
    let mut place = 0;
    for a in 0..D {
        let x = (position[a] - grid.origin()[a]) / grid.dx();
        if !(x >= T::zero() && x <= T::of_usize(grid.cells()[a])) {
            return None;
        }
        place += ((x.truncate() as usize).min(grid.cells()[a] - 1) + 1) * grid.strides()[a];
    }
    Some(place)
}

/// Calls `visit` with the place of each of the 2ᴰ centres around a position and how far away it is.
fn around<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    position: [T; D],
    mut visit: impl FnMut(usize, T),
) {
    for corner in 0..1_usize << D {
        let (mut place, mut square, mut within) = (0, T::zero(), true);
        for a in 0..D {
            let n = grid.cells()[a] as i32;
            let x = (position[a] - grid.origin()[a]) / grid.dx() - T::of(0.5);
            let i = x.floor_index() + (corner >> a & 1) as i32;
            let away = x - T::of_index(i);
            square += away * away;
            within &= boundary.is_periodic(a) || (0..n).contains(&i);
            place += (i.rem_euclid(n) + 1) as usize * grid.strides()[a];
        }
        if within {
            visit(place, square.sqrt() * grid.dx());
        }
    }
}

struct Look<'a, T, const D: usize>(&'a LevelSet<T, D>);

impl<T: Real, const D: usize> ChunkPass<Marker<T, D>, 1> for Look<'_, T, D> {
    const GRAIN: usize = 1024;

    #[inline(always)]
    fn chunk(&self, _: usize, [markers]: [&mut [Marker<T, D>]; 1]) {
        let (lattice, phi) = (self.0.lattice(), self.0.field().as_slice());
        for marker in markers {
            marker.phi = lattice.linear_at(phi, marker.position);
        }
    }
}

struct Carry<'a, T, const D: usize> {
    u: [&'a [T]; D],
    lattices: [Lattice<T, D>; D],
    grid: Grid<T, D>,
    boundary: &'a Boundary<T, D>,
    dt: T,
}

impl<T: Real, const D: usize> ChunkPass<Marker<T, D>, 1> for Carry<'_, T, D> {
    const GRAIN: usize = 512;

    #[inline(always)]
    fn chunk(&self, _: usize, [markers]: [&mut [Marker<T, D>]; 1]) {
        for marker in markers {
            marker.position = self.wrapped(self.end(marker.position));
        }
    }
}

impl<T: Real, const D: usize> Carry<'_, T, D> {
    #[inline(always)]
    fn velocity(&self, p: [T; D]) -> [T; D] {
        let mut u = p;
        for a in 0..D {
            u[a] = self.lattices[a].linear_at(self.u[a], p);
        }
        u
    }

    /// Where the path from `p` ends: Ralston's third order.
    #[inline(always)]
    fn end(&self, p: [T; D]) -> [T; D] {
        let dt = self.dt;
        let (half, most) = (dt * T::of(0.5), dt * T::of(0.75));
        let ninth = dt / T::of(9.0);
        let (mut middle, mut late, mut end) = (p, p, p);
        let first = self.velocity(p);
        for a in 0..D {
            middle[a] += half * first[a];
        }
        let second = self.velocity(middle);
        for a in 0..D {
            late[a] += most * second[a];
        }
        let third = self.velocity(late);
        for a in 0..D {
            let mean = T::of(2.0) * first[a] + T::of(3.0) * second[a] + T::of(4.0) * third[a];
            end[a] += ninth * mean;
        }
        end
    }

    /// Back into the domain on periodic axes. What is so far away that rounding leaves it outside becomes
    /// NaN, which no cell holds.
    #[inline(always)]
    fn wrapped(&self, mut p: [T; D]) -> [T; D] {
        for a in (0..D).filter(|a| self.boundary.is_periodic(*a)) {
            let (lo, size) = (self.grid.origin()[a], self.grid.size()[a]);
            let holds = |x: T| x >= lo && x < lo + size;
            if holds(p[a]) {
                continue;
            }
            let mut x = p[a] - ((p[a] - lo) / size).floor() * size;
            // Rounding may miss by a turn.
            if x < lo {
                x += size;
            }
            if x >= lo + size {
                x -= size;
            }
            p[a] = if holds(x) { x } else { T::of(f64::NAN) };
        }
        p
    }
}
