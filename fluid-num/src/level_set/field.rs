//! A region of the domain as the sign of a field.

use core::ops::Range;

use super::contour::Inside;
use super::halo::FAR;
use super::{Border, Outlines};
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec::{self, BandPass, Region};
use crate::base::snapshot::{Snapshot, wrong_count};
use crate::grid::ops::same_grid;
use crate::grid::sample::Lattice;
use crate::solid::Shape;
use crate::solid::simplex::{cube_fraction, quad_fraction};
use crate::{Boundary, Error, Field, Grid, Location, Real, Side};

/// A region whose points have φ < 0, given by φ at the centres of cells, m.
///
/// Best φ is the signed distance to the interface (see [`FastIterative`](super::FastIterative)), but
/// any φ of the right sign is one. Between centres it is read linearly; beyond the sides it is
/// mirrored, beyond periodic ones repeated.
///
/// ```
/// use fluid_num::solid::Shape;
/// use fluid_num::{Boundary, Grid2, LevelSet};
/// let grid = Grid2::new([64, 64], 1.0 / 64.0)?;
/// let mut liquid = LevelSet::from_shape(grid, &Boundary::walls(), &Shape::ball(0.25)?, [0.5, 0.4])?;
/// assert!((liquid.signed_distance([0.5, 0.75]) - 0.1_f64).abs() < 1e-3);
/// assert!((liquid.measure() - core::f64::consts::PI * 0.0625).abs() < 3e-4);
/// assert!((liquid.curvature([0.75, 0.4]) - 4.0).abs() < 0.05);
/// let [x, y] = liquid.normal([0.5, 0.2]);
/// assert!(x.abs() < 1e-2 && y < -0.999);
/// liquid.subtract(&Shape::cuboid([1.0, 0.1])?, [0.5, 0.4])?; // a bar of air across it
/// assert!(!liquid.contains([0.5, 0.4]));
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSet<T, const D: usize> {
    phi: Field<T, D>,
    /// Periodic sides, and free slip at all others: how φ goes on beyond them.
    boundary: Boundary<T, D>,
    /// What |φ| is cut at, m.
    width: Option<T>,
}

impl<T: Real, const D: usize> LevelSet<T, D> {
    /// The region where `f`, of a position, is negative. Of `boundary` only counts which sides are
    /// periodic.
    ///
    /// # Errors
    /// As [`Boundary::check`]; [`Error::NotFinite`] where `f` is not.
    pub fn from_fn(
        grid: Grid<T, D>,
        boundary: &Boundary<T, D>,
        f: impl FnMut([T; D]) -> T,
    ) -> Result<Self, Error> {
        Self::from_field(Field::from_fn(grid, f), boundary)
    }

    /// The region where a field at cell centres is negative.
    ///
    /// # Errors
    /// As [`Boundary::check`]; [`Error::GridMismatch`] for a field on faces, [`Error::NotFinite`] for
    /// one that is not finite.
    pub fn from_field(phi: Field<T, D>, boundary: &Boundary<T, D>) -> Result<Self, Error> {
        boundary.check()?;
        same_grid(phi.location() == Location::Center, "phi")?;
        phi.check_finite("phi")?;
        let sides = boundary.sides.map(|ends| {
            ends.map(|side| if side == Side::Periodic { side } else { Side::FreeSlip })
        });
        let mut level_set = Self { phi, boundary: Boundary { sides }, width: None };
        level_set.fill_ghosts();
        Ok(level_set)
    }

    /// What a shape covers whose own origin stands at `position`: also an image, a
    /// [`Mask`](crate::solid::Mask).
    ///
    /// # Errors
    /// As [`Boundary::check`] and [`Shape::check`]; [`Error::InvalidParameter`] for a position that is
    /// not finite.
    pub fn from_shape(
        grid: Grid<T, D>,
        boundary: &Boundary<T, D>,
        shape: &Shape<T, D>,
        position: [T; D],
    ) -> Result<Self, Error> {
        let distance = distance_to(shape, position)?;
        Self::from_fn(grid, boundary, distance)
    }

    /// Nothing inside.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub fn empty(grid: Grid<T, D>, boundary: &Boundary<T, D>) -> Result<Self, Error> {
        // Farther than any two points of the domain are apart.
        let far = grid.size().iter().fold(T::zero(), |sum, edge| sum + *edge);
        Self::from_fn(grid, boundary, |_| far)
    }

    /// Adds what a shape covers, its own origin at `position`. φ is then no distance inside where
    /// the two meet: reinitialise.
    ///
    /// # Errors
    /// As [`Self::from_shape`]; nothing is changed then.
    pub fn unite(&mut self, shape: &Shape<T, D>, position: [T; D]) -> Result<(), Error> {
        let distance = distance_to(shape, position)?;
        self.change(|p, phi| distance(p).at_most(phi));
        Ok(())
    }

    /// Takes away what a shape covers, its own origin at `position`. φ is then no distance outside
    /// where the two meet: reinitialise.
    ///
    /// # Errors
    /// As [`Self::from_shape`]; nothing is changed then.
    pub fn subtract(&mut self, shape: &Shape<T, D>, position: [T; D]) -> Result<(), Error> {
        let distance = distance_to(shape, position)?;
        self.change(|p, phi| (-distance(p)).at_least(phi));
        Ok(())
    }

    /// Sets φ at every centre to `f` of its position and of φ there. What is not finite stays as it
    /// was.
    pub fn change(&mut self, f: impl Fn([T; D], T) -> T) {
        let width = self.width;
        let region = self.phi.region();
        let grid = *self.phi.grid();
        let values = self.phi.as_mut_slice();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            let mut cell = row.at.map(|i| i - 1);
            for i in 0..row.len {
                cell[0] = row.at[0] - 1 + i;
                let place = &mut values[row.start + i];
                let value = f(grid.center(cell), *place);
                if value.is_finite() {
                    let cut = |width: T| value.at_most(width).at_least(-width);
                    *place = width.map_or(value, cut);
                }
            }
        }
        self.fill_ghosts();
    }

    /// Takes over the state of another of the same grid, without allocating.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for one of another grid.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        self.phi.copy_from(&other.phi)?;
        (self.boundary, self.width) = (other.boundary, other.width);
        Ok(())
    }

    /// Adds the whole state to a digest.
    #[must_use]
    pub fn digest(&self, digest: Digest) -> Digest {
        self.phi.digest(digest).values(self.width.as_slice())
    }

    /// Adds the whole state to a snapshot.
    #[must_use]
    pub fn snapshot(&self, snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot.with_values("phi", self.phi.values()).with_values("phi width", self.width)
    }

    /// Makes this level set the one that [`Self::snapshot`] wrote, on the same grid with the same
    /// periodic sides.
    ///
    /// # Errors
    /// Those of the snapshot, [`Error::WrongCount`] for one of another grid,
    /// [`Error::InvalidParameter`] for a negative width; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        let [phi] = Field::restored(*self.grid(), [Location::Center], snapshot, "phi")?;
        let width = match *snapshot.values("phi width")? {
            [] => None,
            [width] => Some(width),
            [_, _, ..] => return Err(wrong_count("phi width", 2)),
        };
        width.map_or(Ok(()), |width| check::not_negative("phi width", width))?;
        (self.phi, self.width) = (phi, width);
        self.fill_ghosts();
        Ok(())
    }

    /// φ at the centres of cells, m, ghosts included.
    #[inline(always)]
    pub fn field(&self) -> &Field<T, D> {
        &self.phi
    }

    /// The grid.
    #[inline(always)]
    pub fn grid(&self) -> &Grid<T, D> {
        self.phi.grid()
    }

    /// What |φ| was cut at by the last reinitialisation, m.
    pub fn width(&self) -> Option<T> {
        self.width
    }

    /// φ at a position, linear between centres.
    pub fn signed_distance(&self, position: [T; D]) -> T {
        self.lattice().linear_at(self.phi.as_slice(), position)
    }

    /// Whether a position is inside.
    pub fn contains(&self, position: [T; D]) -> bool {
        self.signed_distance(position) < T::zero()
    }

    /// ∇φ at a position: differences over a cell of the linear interpolant, second order. Within a cell
    /// of a side that is not periodic the slope across it fades, since φ is mirrored there.
    pub fn gradient(&self, position: [T; D]) -> [T; D] {
        let (lattice, dx) = (self.lattice(), self.grid().dx());
        let half = dx * T::of(0.5);
        core::array::from_fn(|a| {
            let (mut below, mut above) = (position, position);
            below[a] -= half;
            above[a] += half;
            let value = |p| lattice.linear_at(self.phi.as_slice(), p);
            (value(above) - value(below)) / dx
        })
    }

    /// The unit vector away from the inside at a position; zero where φ has no slope.
    pub fn normal(&self, position: [T; D]) -> [T; D] {
        let gradient = self.gradient(position);
        let length = gradient.iter().fold(T::zero(), |sum, g| sum + *g * *g).sqrt();
        if length > T::NEGLIGIBLE { gradient.map(|g| g / length) } else { [T::zero(); D] }
    }

    /// The curvature ∇·(∇φ/|∇φ|) of the level line through a position, 1/m: 1/R for a disc, 2/R for a
    /// ball, positive where the inside is convex. Second order, away from sides that are not periodic.
    pub fn curvature(&self, position: [T; D]) -> T {
        let grid = self.grid();
        let half = T::of(0.5);
        // Up to the outermost centres, so that no ghost is asked, and round on periodic axes.
        let at = core::array::from_fn(|a| {
            let x = (position[a] - grid.origin()[a]) / grid.dx() + half;
            let last = T::of_usize(grid.cells()[a]);
            if self.boundary.is_periodic(a) { x } else { x.at_least(T::one()).at_most(last) }
        });
        let (index, fraction) = self.lattice().locate([0; D], at);
        let lower = grid.cell_at(index);
        let mut sum = T::zero();
        for corner in 0..1_usize << D {
            let (mut weight, mut place) = (T::one(), index);
            for a in 0..D {
                let (upper, last) = (corner >> a & 1 == 1, grid.cells()[a] - 1);
                weight *= if upper { fraction[a] } else { T::one() - fraction[a] };
                if upper && lower[a] == last {
                    place -= last * grid.strides()[a];
                } else if upper {
                    place += grid.strides()[a];
                }
            }
            if weight > T::zero() {
                sum += weight * curvature(self.phi.as_slice(), grid.strides(), place) / grid.dx();
            }
        }
        sum
    }

    /// The area (in space the volume) of the inside, m² or m³, to second order: exact for straight
    /// interfaces away from the sides.
    ///
    /// The squares (cubes) between centres are cut by the linear interpolant on triangles
    /// (tetrahedra).
    pub fn measure(&self) -> f64 {
        let grid = *self.grid();
        let mut region = grid.interior();
        for a in 0..D {
            // Between periodic sides one square begins at each centre; else one more at the side.
            region.lo[a] = usize::from(self.boundary.is_periodic(a));
        }
        let far = T::of(FAR) * grid.dx();
        let pass = Measure { phi: self.phi.as_slice(), region, grid, far };
        let cells = exec::reduce(&region, &pass).unwrap_or(0.0);
        cells * (0..D).fold(1.0, |size, _| size * grid.dx().to_f64())
    }

    pub(super) fn lattice(&self) -> Lattice<T, D> {
        Lattice::new(self.grid(), Location::Center, &self.boundary)
    }

    pub(super) fn boundary(&self) -> &Boundary<T, D> {
        &self.boundary
    }

    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        self.phi.as_mut_slice()
    }

    /// Says that |φ| is cut at `width`, and fills the ghosts.
    pub(crate) fn cut_at(&mut self, width: T) {
        self.width = Some(width);
        self.fill_ghosts();
    }

    /// Takes over the values of a field of the same grid, which gets the old ones.
    pub(crate) fn exchange(&mut self, other: &mut Field<T, D>) {
        self.phi.swap_values(other);
        self.fill_ghosts();
    }

    pub(crate) fn fill_ghosts(&mut self) {
        self.boundary.fill_scalar(&mut self.phi, T::zero(), T::zero());
    }
}

impl<T: Real> LevelSet<T, 2> {
    /// Finds the outlines of the inside, which they have on their left.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a level set that is not finite; `out` is as before then.
    pub fn outlines(&self, border: Border, out: &mut Outlines<T>) -> Result<(), Error> {
        self.phi.check_finite("phi")?;
        out.follow_all(&self.phi, Inside::Below(T::zero()), border);
        Ok(())
    }
}

/// The signed distance to a shape whose own origin stands at `position`.
fn distance_to<T: Real, const D: usize>(
    shape: &Shape<T, D>,
    position: [T; D],
) -> Result<impl Fn([T; D]) -> T, Error> {
    shape.check()?;
    check::all_finite("position", &position)?;
    Ok(move |p: [T; D]| shape.signed_distance(core::array::from_fn(|a| p[a] - position[a])))
}

/// The curvature of the level line through place `i`, 1/cell.
///
/// ```text
/// κ = (|∇φ|² tr ∇∇φ − ∇φᵀ ∇∇φ ∇φ)/|∇φ|³
/// ```
pub(crate) fn curvature<T: Real, const D: usize>(phi: &[T], s: [usize; D], i: usize) -> T {
    let quarter = T::of(0.25);
    let gradient: [T; D] = core::array::from_fn(|a| (phi[i + s[a]] - phi[i - s[a]]) * T::of(0.5));
    let square = gradient.iter().fold(T::zero(), |sum, g| sum + *g * *g);
    if square <= T::NEGLIGIBLE {
        return T::zero();
    }
    let mut curve = T::zero();
    for a in 0..D {
        let second = (phi[i + s[a]] - phi[i]) + (phi[i - s[a]] - phi[i]);
        curve += (square - gradient[a] * gradient[a]) * second;
        for b in 0..a {
            let along = |j: usize| phi[j + s[b]] - phi[j - s[b]];
            let mixed = (along(i + s[a]) - along(i - s[a])) * quarter;
            curve -= (gradient[a] + gradient[a]) * gradient[b] * mixed;
        }
    }
    curve / (square * square.sqrt())
}

/// The number of squares or cubes that are inside.
struct Measure<'a, T, const D: usize> {
    phi: &'a [T],
    /// The lower centre of each square.
    region: Region<D>,
    grid: Grid<T, D>,
    /// What |φ| is cut at, m.
    far: T,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Measure<'_, T, D> {
    type Output = f64;

    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> f64 {
        let (cells, s) = (self.grid.cells(), self.grid.strides());
        // Half of a square lies outside where one of its centres is a ghost beyond a side.
        let within = |a: usize, i: usize| {
            let beside = self.region.lo[a] == 0 && (i == 0 || i == cells[a]);
            if beside { 0.5 } else { 1.0 }
        };
        let mut sum = 0.0;
        for row in rows.map(|n| self.region.row(n)) {
            let weight = (1..D).fold(1.0, |w, a| w * within(a, row.at[a]));
            for i in 0..row.len {
                let square = |first: usize| {
                    [0, 1, s[1] + 1, s[1]].map(|offset| {
                        let value = -self.phi[row.start + i + first + offset];
                        value.at_most(self.far).at_least(-self.far)
                    })
                };
                let lower = square(0);
                let share = if D == 2 {
                    quad_fraction(lower)
                } else {
                    cube_fraction(lower, square(s[D - 1]))
                };
                sum += weight * within(0, row.at[0] + i) * share.to_f64();
            }
        }
        sum
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}
