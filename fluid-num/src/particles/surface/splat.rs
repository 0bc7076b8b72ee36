//! Sums over particles at the places of a field.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::error::check;
use crate::base::exec::{self, Row, RowPass};
use crate::particles::at;
use crate::particles::kernel::Kernel;
use crate::{Error, Field, Real};

/// The number of kernel values that are computed before they are used.
const BLOCK: usize = 64;

/// Spreads what particles carry over a field by a kernel (splatting).
///
/// ```text
/// q(p) = Σ_j q_j W(|p − x_j|)
/// ```
///
/// Particles are sorted by the row of the field that they lie above, then each row gathers from the
/// rows within reach, in that order: the same bits on any number of threads. Where the
/// support radius is at least two cells, sums over the field times cell volume keep Σ q_j to a few
/// thousandths for each particle whose support lies inside the field. Particles outside count as far
/// as they reach in; periodic images do not.
///
/// **Cost.** A kernel value for each particle and place within its support, and a sort. Each particle,
/// f32, one core, with a support radius of 2, 4 and 8 cells: 0.14, 0.3 and 0.7 µs in the plane; of 2
/// and 4 cells 0.4 and 1.5 µs in space. No memory is taken for no more particles and no larger a
/// field than ever before.
///
/// ```
/// use fluid_num::particles::kernel::Poly6;
/// use fluid_num::particles::surface::Splat;
/// use fluid_num::{Field, Grid2};
/// let mut field = Field::zeros(Grid2::new([10, 10], 0.1)?);
/// let mut splat = Splat::new(Poly6::<f64, 2>::new(0.4)?)?;
/// let mass = 3.0;
/// splat.density([&[0.52], &[0.47]], mass, &mut field)?;
/// assert!((field.sum() * 0.01 / mass - 1.0).abs() < 1e-3);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Splat<T, K, const D: usize> {
    kernel: K,
    // Scratch.
    /// The strip of each particle.
    strip_of: Vec<u32>,
    /// Where the particles of each strip begin in `order`.
    starts: Vec<u32>,
    /// The particles by strip.
    order: Vec<u32>,
    /// The x of the places of a row, m.
    across: Vec<T>,
    /// The mass of each particle.
    mass: Vec<T>,
}

impl<T: Real, K: Kernel<T>, const D: usize> Splat<T, K, D> {
    /// Spreads by `kernel`, whose support radius is best two to three times the spacing of the particles,
    /// and never less than two cells.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a support radius that is not finite and positive.
    pub fn new(kernel: K) -> Result<Self, Error> {
        check::positive("support_radius", kernel.support_radius())?;
        Ok(Self {
            kernel,
            strip_of: Vec::new(),
            starts: Vec::new(),
            order: Vec::new(),
            across: Vec::new(),
            mass: Vec::new(),
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// Sets `out` to the density, kg/mᴰ, of particles of `mass` kg. With the mass divided by the rest
    /// density it is the part of space that is liquid, 1 inside (see [`Kernel::particle_mass`]).
    ///
    /// # Errors
    /// As [`Self::sums`]; [`Error::InvalidParameter`] for a mass that is not finite and positive.
    pub fn density(
        &mut self,
        positions: [&[T]; D],
        mass: T,
        out: &mut Field<T, D>,
    ) -> Result<(), Error> {
        check::positive("particle mass", mass)?;
        let mut each = core::mem::take(&mut self.mass);
        each.clear();
        each.resize(positions.first().map_or(0, |x| x.len()), mass);
        let result = self.sums(positions, [&each], [out]);
        self.mass = each;
        result
    }

    /// Sets each of `out` to the sum of one of `values`, which holds an entry for each particle. Ghosts
    /// stay as they are.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with the first particle whose position or value is not finite,
    /// [`Error::WrongCount`] for arrays of different lengths, [`Error::GridMismatch`] for fields that
    /// differ in grid or location. The fields are as before then.
    pub fn sums<const N: usize>(
        &mut self,
        positions: [&[T]; D],
        values: [&[T]; N],
        out: [&mut Field<T, D>; N],
    ) -> Result<(), Error> {
        let Some(field) = out.first() else { return Ok(()) };
        let (grid, location) = (*field.grid(), field.location());
        for field in &out {
            field.check_shape(&grid, location, "a field of sums")?;
        }
        let count = positions.first().map_or(0, |x| x.len());
        check_arrays("particle position", &positions, count)?;
        check_arrays("particle value", &values, count)?;
        let region = grid.region(location);
        let places = Places {
            first: grid.position(location, [0; D]),
            dx: grid.dx(),
            counts: core::array::from_fn(|a| region.len(a)),
        };
        self.sort(positions, &places);
        let pass = Gather { splat: self, places, positions, values };
        exec::rows(&region, out.map(Field::as_mut_slice), &pass);
        Ok(())
    }

    /// The counting sort of particles by strip.
    fn sort(&mut self, positions: [&[T]; D], places: &Places<T, D>) {
        let Self { kernel, strip_of, starts, order, across, .. } = self;
        let reach = kernel.support_radius() / places.dx;
        let count = positions.first().map_or(0, |x| x.len());
        strip_of.clear();
        strip_of.extend((0..count).map(|i| places.strip(at(positions, i), reach) as u32));
        // starts[s + 1] is where the next particle of strip s goes, and in the end where s + 1 begins.
        starts.clear();
        starts.resize(places.strips() + 3, 0);
        for strip in &*strip_of {
            starts[*strip as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        order.resize(count, 0);
        for (particle, strip) in strip_of.iter().enumerate() {
            let next = &mut starts[*strip as usize + 1];
            order[*next as usize] = particle as u32;
            *next += 1;
        }
        across.clear();
        across.extend((0..places.counts[0]).map(|i| places.first[0] + T::of_usize(i) * places.dx));
    }
}

/// Checks that arrays have an entry for each particle, all of them finite.
fn check_arrays<T: Real>(name: &'static str, arrays: &[&[T]], count: usize) -> Result<(), Error> {
    for array in arrays {
        if array.len() != count {
            let expected = "one for each particle";
            return Err(Error::WrongCount { name, count: array.len(), expected });
        }
        if let Some(i) = array.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { name, place: [i, 0, 0] });
        }
    }
    Ok(())
}

/// The places of a field, in strips: one above each row of places, and one below them all, along each
/// axis but x.
struct Places<T, const D: usize> {
    first: [T; D],
    dx: T,
    counts: [usize; D],
}

impl<T: Real, const D: usize> Places<T, D> {
    fn strips(&self) -> usize {
        (1..D).map(|a| self.counts[a] + 1).product()
    }

    /// The number of the strip that a particle at `x` lies in, the outermost for one beyond them;
    /// [`Self::strips`] where it is out of reach, which is given in cells.
    #[inline(always)]
    fn strip(&self, x: [T; D], reach: T) -> usize {
        let (mut strip, mut stride) = (0, 1);
        for a in 0..D {
            let along = (x[a] - self.first[a]) / self.dx;
            let last = T::of_usize(self.counts[a] - 1);
            if !(along > -reach && along < last + reach) {
                return self.strips();
            }
            if a > 0 {
                let above = (along + T::one()).at_least(T::zero()).at_most(last + T::one());
                strip += above.truncate() as usize * stride;
                stride *= self.counts[a] + 1;
            }
        }
        strip
    }

    /// The strips along `axis` from which particles reach places of index `at`.
    #[inline(always)]
    fn near(&self, axis: usize, at: usize, reach: usize) -> Range<usize> {
        // A particle in strip k lies between places k − 1 and k.
        (at + 1).saturating_sub(reach)..(at + 1 + reach).min(self.counts[axis] + 1)
    }
}

/// Each row gathers what particles near it leave there.
struct Gather<'a, T, K, const D: usize, const N: usize> {
    splat: &'a Splat<T, K, D>,
    places: Places<T, D>,
    positions: [&'a [T]; D],
    values: [&'a [T]; N],
}

impl<T: Real, K: Kernel<T>, const D: usize, const N: usize> RowPass<T, D, N>
    for Gather<'_, T, K, D, N>
{
    const GRAIN: usize = 1024;

    #[inline(always)]
    fn row(&self, row: Row<D>, mut out: [&mut [T]; N]) {
        let Self { splat, places, .. } = self;
        out.iter_mut().for_each(|o| o.fill(T::zero()));
        let reach = (splat.kernel.support_radius() / places.dx).ceil().truncate() as usize;
        let index = row.at.map(|i| i - 1);
        let mut at = places.first;
        for a in 1..D {
            at[a] += T::of_usize(index[a]) * places.dx;
        }
        let planes = if D > 2 { places.near(2, index[2], reach) } else { 0..1 };
        let strips = places.near(1, index[1], reach);
        for plane in planes {
            let first = plane * (places.counts[1] + 1);
            let begin = splat.starts[first + strips.start] as usize;
            let end = splat.starts[first + strips.end] as usize;
            for particle in &splat.order[begin..end] {
                self.add(*particle as usize, at, &mut out);
            }
        }
    }
}

impl<T: Real, K: Kernel<T>, const D: usize, const N: usize> Gather<'_, T, K, D, N> {
    /// Adds what particle `i` leaves in the row whose first place is at `first`.
    #[inline(always)]
    fn add(&self, i: usize, first: [T; D], out: &mut [&mut [T]; N]) {
        let Splat { kernel, across, .. } = self.splat;
        let kernel = *kernel;
        let x = at(self.positions, i);
        let mut apart = T::zero();
        for a in 1..D {
            apart += (first[a] - x[a]) * (first[a] - x[a]);
        }
        let chord = kernel.support_radius() * kernel.support_radius() - apart;
        if chord <= T::zero() {
            return;
        }
        // In cells: the place of the particle, and half of what its support covers of the row.
        let middle = (x[0] - first[0]) / self.places.dx;
        let half = chord.sqrt() / self.places.dx;
        let count = T::of_usize(across.len());
        let begin = (middle - half).ceil().at_least(T::zero()).at_most(count);
        let end = ((middle + half).floor() + T::one()).at_least(begin).at_most(count);
        let (begin, end) = (begin.truncate() as usize, end.truncate() as usize);
        let values = self.values.map(|v| v[i]);
        let mut weights = [T::zero(); BLOCK];
        for (n, places) in across[begin..end].chunks(BLOCK).enumerate() {
            let weights = &mut weights[..places.len()];
            for (weight, place) in weights.iter_mut().zip(places) {
                let along = *place - x[0];
                *weight = kernel.value((along * along + apart).sqrt());
            }
            for (out, value) in out.iter_mut().zip(values) {
                let out = &mut out[begin + n * BLOCK..][..weights.len()];
                for (out, weight) in out.iter_mut().zip(&*weights) {
                    *out += value * *weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::ParticleSet;
    use crate::particles::kernel::{CubicSpline, Poly6, WendlandC2};
    use crate::{Grid, Location};

    struct Random(u64);

    impl Random {
        fn within(&mut self, lo: f64, hi: f64) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            lo + (hi - lo) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn list(&mut self, count: usize, lo: f64, hi: f64) -> Vec<f64> {
            (0..count).map(|_| self.within(lo, hi)).collect()
        }
    }

    /// Compares sums over particles in and around a grid with those over all particles at each place.
    fn compare<const D: usize>(cells: [usize; D], location: Location, radius: f64) {
        let mut random = Random(7);
        let origin = core::array::from_fn(|a| a as f64 - 0.7);
        let grid = Grid::new(cells, 0.1).unwrap().with_origin(origin).unwrap();
        let kernel = CubicSpline::<f64, D>::new(radius).unwrap();
        let size = grid.size();
        let x: [Vec<f64>; D] = core::array::from_fn(|a| {
            random.list(300, origin[a] - 2.0 * radius, origin[a] + size[a] + 2.0 * radius)
        });
        let values = [random.list(300, 0.0, 1.0), random.list(300, -1.0, 1.0)];
        let mut out = [0, 1].map(|_| Field::zeros_at(grid, location));
        out.iter_mut().for_each(|field| field.fill(f64::NAN));
        let [a, b] = &mut out;
        let positions = x.each_ref().map(|x| &x[..]);
        let lists = values.each_ref().map(|v| &v[..]);
        Splat::new(kernel).unwrap().sums(positions, lists, [a, b]).unwrap();
        for (out, values) in out.iter().zip(&values) {
            let mut expected = Field::zeros_at(grid, location);
            expected.set_from_fn(|p| {
                let distance =
                    |i: usize| (0..D).map(|a| (p[a] - x[a][i]).powi(2)).sum::<f64>().sqrt();
                (0..300).map(|i| values[i] * kernel.value(distance(i))).sum()
            });
            let most = expected.max_abs();
            for (got, expected) in out.values().zip(expected.values()) {
                assert!((got - expected).abs() < 1e-12 * most, "{got} {expected}");
            }
        }
    }

    #[test]
    fn sums_are_those_over_all_particles_at_each_place() {
        for radius in [0.04, 0.1, 0.17, 0.5, 30.0] {
            compare([9, 14], Location::Center, radius);
            compare([9, 14], Location::Face(0), radius);
            compare([1, 1], Location::Center, radius);
            compare([6, 5, 7], Location::Center, radius);
            compare([6, 5, 7], Location::Face(2), radius);
        }
        // More places across than there are kernel values at once.
        compare([200, 3], Location::Center, 9.0);
    }

    /// The largest deviation from ρ₀ inside a lattice of the spacing 1.
    fn lattice_error<const D: usize>(kernel: impl Kernel<f64>) -> f64 {
        let mut set = ParticleSet::<f64, D>::new();
        set.add_block([0.0; D], [16.0; D], 1.0, [0.0; D], 0, &[]).unwrap();
        let grid = Grid::new([29; D], 0.27).unwrap().with_origin([4.0; D]).unwrap();
        let mut density = Field::zeros(grid);
        let mass = kernel.particle_mass::<D>(1.0, 1000.0).unwrap();
        let mut splat = Splat::new(kernel).unwrap();
        splat.density(set.position_arrays(), mass, &mut density).unwrap();
        density.values().fold(0.0, |most, v| (v / 1000.0 - 1.0).abs().max(most))
    }

    #[test]
    fn a_lattice_at_rest_has_the_rest_density_to_the_kernels_lattice_error() {
        let errors = [
            lattice_error::<2>(CubicSpline::<f64, 2>::new(2.5).unwrap()),
            lattice_error::<2>(Poly6::<f64, 2>::new(2.5).unwrap()),
            lattice_error::<2>(WendlandC2::<f64, 2>::new(4.0).unwrap()),
            lattice_error::<3>(CubicSpline::<f64, 3>::new(2.0).unwrap()),
            lattice_error::<3>(Poly6::<f64, 3>::new(3.0).unwrap()),
        ];
        for (error, most) in errors.into_iter().zip([3.3e-3, 1.1e-2, 2e-3, 2.2e-3, 2.8e-3]) {
            assert!(error < most, "{errors:?}");
        }
    }

    #[test]
    fn mass_is_kept_to_the_quadrature_of_the_places() {
        let mut random = Random(3);
        let grid = Grid::<f64, 2>::new([40, 40], 0.05).unwrap();
        let mut worst = [0.0_f64; 3];
        let mut field = Field::zeros(grid);
        for _ in 0..200 {
            let [x, y] = [0, 1].map(|_| random.within(0.5, 1.5));
            for (worst, cells) in worst.iter_mut().zip([1.0, 2.0, 3.0]) {
                let kernel = CubicSpline::<f64, 2>::new(cells * 0.05).unwrap();
                Splat::new(kernel).unwrap().density([&[x], &[y]], 0.3, &mut field).unwrap();
                *worst = worst.max((field.sum() * 0.05 * 0.05 / 0.3 - 1.0).abs());
            }
        }
        // A support radius of one cell may fall between the places; two and three keep what they carry.
        assert!(worst[0] > 0.5 && worst[1] < 4e-3 && worst[2] < 4e-3, "{worst:?}");
        let mut set = ParticleSet::<f32, 3>::new();
        set.add_block([0.3; 3], [0.7; 3], 0.04, [0.0; 3], 0, &[]).unwrap();
        let mut field = Field::zeros(Grid::<f32, 3>::new([32; 3], 1.0 / 32.0).unwrap());
        let mut splat = Splat::new(Poly6::<f32, 3>::new(0.1).unwrap()).unwrap();
        splat.density(set.position_arrays(), 0.1, &mut field).unwrap();
        let mass = field.sum() / 32.0_f64.powi(3);
        assert!((mass / (0.1 * set.len() as f64) - 1.0).abs() < 1e-3, "{mass}");
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut random = Random(11);
        let x = [0, 1, 2].map(|_| random.list(2000, 0.0, 1.0));
        let positions = x.each_ref().map(|x| &x[..]);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut field = Field::zeros(Grid::<f64, 3>::new([24; 3], 1.0 / 24.0).unwrap());
            let mut splat = Splat::new(Poly6::<f64, 3>::new(0.11).unwrap()).unwrap();
            pool.install(|| splat.density(positions, 1.0, &mut field)).unwrap();
            field
        };
        let alone = on(1);
        assert!(alone.max_abs() > 0.0);
        assert_eq!(on(4), alone);
    }

    #[test]
    fn what_cannot_be_spread_is_refused_and_changes_nothing() {
        #[derive(Debug, Clone, Copy)]
        struct Needle;
        impl Kernel<f64> for Needle {
            fn value(&self, _: f64) -> f64 {
                1.0
            }
            fn gradient(&self, _: f64) -> f64 {
                0.0
            }
            fn support_radius(&self) -> f64 {
                0.0
            }
        }
        assert!(Splat::<_, _, 2>::new(Needle).is_err());
        let grid = Grid::<f64, 2>::new([4, 4], 0.25).unwrap();
        let mut splat = Splat::new(Poly6::<f64, 2>::new(0.5).unwrap()).unwrap();
        let mut field = Field::zeros(grid);
        field.fill(7.0);
        let mut density = |x: &[f64], mass| splat.density([x, &[0.5, 0.5]], mass, &mut field);
        let expected = Error::NotFinite { name: "particle position", place: [1, 0, 0] };
        assert_eq!(density(&[0.1, f64::NAN], 1.0), Err(expected.clone()));
        assert_eq!(density(&[0.1, f64::INFINITY], 1.0), Err(expected));
        for mass in [0.0, -1.0, f64::NAN] {
            assert!(matches!(density(&[0.1, 0.2], mass), Err(Error::InvalidParameter { .. })));
        }
        assert!(matches!(density(&[0.1], 1.0), Err(Error::WrongCount { .. })));
        let other = Grid::<f64, 2>::new([4, 5], 0.25).unwrap();
        let mut fields = [Field::zeros(grid), Field::zeros(other)];
        let [a, b] = &mut fields;
        let sums = splat.sums([&[0.1], &[0.1]], [&[1.0], &[1.0]], [a, b]);
        assert!(matches!(sums, Err(Error::GridMismatch { .. })));
        let sums = splat.sums([&[0.1], &[0.1]], [&[f64::NAN]], [&mut field]);
        assert!(matches!(sums, Err(Error::NotFinite { name: "particle value", .. })));
        assert!(field.values().all(|v| v == 7.0));
        // Nothing to spread, and nothing within reach.
        splat.density([&[], &[]], 1.0, &mut field).unwrap();
        assert_eq!(field.max_abs(), 0.0);
        let far = [1e300, -1e300, 1.6, 0.5];
        splat.density([&far, &[0.5, 0.5, 0.5, -9.0]], 1.0, &mut field).unwrap();
        assert_eq!(field.max_abs(), 0.0);
    }
}
