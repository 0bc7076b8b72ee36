//! The problem that every solver solves, and what its sides and coefficients mean.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::coupling::Coupling;
use super::look::{Look, look};
use super::regions::{Links, Regions};
use super::stencil::{Coefficients, Stencil};
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::base::exec::{self, BandPass, Banded, Extent, Region, Row, RowPass, Spans};
use crate::base::reduction::{GRAIN, Largest, Total};
use crate::grid::field::max_abs;
use crate::grid::{Boundary, Faces, Field, Grid, Location, Side};
use crate::{Error, Real};

/// What holds for p at one end of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// ∂p/∂n = 0: a wall.
    Neumann,
    /// p = 0 on the side itself, half a cell from the outermost centres: an open side.
    Dirichlet,
    /// p = 0 at the first place beyond the outermost unknown, one cell away.
    DirichletNode,
    /// The opposite end lies beyond.
    Periodic,
}

/// ∇·(β∇p) − σp = b on a grid, in the five-point (seven-point) discretisation
///
/// ```text
/// Σ_f a_f (p_neighbour − p) − σh² p = h² b,    a_f = β_f
/// ```
///
/// with β on faces (1 everywhere until [`Problem::set_coefficients`]), 0 at a closed face, and σ ≥ 0
/// ([`Problem::set_shift`]). Cells that are not active hold p = 0: next to an active one they are
/// a Dirichlet condition at their centre (a free surface); behind β = 0 they are solid.
///
/// Where a connected region of cells has no Dirichlet condition (and σ = 0), the problem is
/// singular: the mean of b over the region is removed and reported, and the mean of p is 0. Cells
/// without any open face hold p = 0.
#[derive(Debug, Clone)]
pub struct Problem<T, const D: usize> {
    grid: Grid<T, D>,
    region: Region<D>,
    ends: [[End; 2]; D],
    shift: T,
    variable: Option<Variable<T, D>>,
    coupling: Coupling<T>,
    singular: bool,
    fingerprint: u64,
}

/// Coefficients that differ from place to place.
#[derive(Debug, Clone)]
pub(super) struct Variable<T, const D: usize> {
    /// a_f on faces.
    pub(super) coefficients: Faces<T, D>,
    /// Non-zero where p is sought.
    active: Vec<u8>,
    /// Σ a_f + σh², 0 where a place is not active.
    pub(super) diagonal: Vec<T>,
    /// 1/diagonal, 0 where a place is not active or has no open face.
    pub(super) inverse: Vec<T>,
    pub(super) regions: Regions,
    /// Of 1/diagonal.
    spans: Spans,
}

impl<T: Real, const D: usize> Problem<T, D> {
    /// ∇²p = b on all cells of `grid`.
    ///
    /// # Errors
    /// [`Error::HalfPeriodic`] where only one end of an axis is periodic.
    pub fn new(grid: Grid<T, D>, ends: [[End; 2]; D]) -> Result<Self, Error> {
        for (axis, pair) in ends.iter().enumerate() {
            if (pair[0] == End::Periodic) != (pair[1] == End::Periodic) {
                return Err(Error::HalfPeriodic { axis });
            }
        }
        Ok(Self::with_ends(grid, ends))
    }

    /// The same for ends that are known to be periodic in pairs.
    fn with_ends(grid: Grid<T, D>, ends: [[End; 2]; D]) -> Self {
        let region = grid.interior();
        let shift = T::zero();
        let variable = None;
        let coupling = Coupling::default();
        let mut problem =
            Self { grid, region, ends, shift, variable, coupling, singular: false, fingerprint: 0 };
        problem.refresh();
        problem
    }

    /// The pressure problem of a fluid with these sides: walls and inflow sides are Neumann, open
    /// sides Dirichlet.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub fn pressure(grid: Grid<T, D>, boundary: &Boundary<T, D>) -> Result<Self, Error> {
        boundary.check()?;
        Self::new(
            grid,
            boundary.sides.map(|ends| {
                ends.map(|side| match side {
                    Side::Open => End::Dirichlet,
                    Side::Periodic => End::Periodic,
                    _ => End::Neumann,
                })
            }),
        )
    }

    /// The problem for a change of velocity component `component` by viscosity: zero on the sides
    /// themselves for the faces there, zero at no-slip sides and free at the others.
    pub(crate) fn viscosity(grid: Grid<T, D>, boundary: &Boundary<T, D>, component: usize) -> Self {
        let mut ends = [[End::Neumann; 2]; D];
        for axis in 0..D {
            for end in 0..2 {
                ends[axis][end] = match boundary.sides[axis][end] {
                    Side::Periodic => End::Periodic,
                    _ if axis == component => End::DirichletNode,
                    Side::NoSlip | Side::Moving { .. } | Side::Inflow { .. } => End::Dirichlet,
                    Side::FreeSlip | Side::Open => End::Neumann,
                };
            }
        }
        let mut problem = Self::with_ends(grid, ends);
        if !boundary.is_periodic(component) {
            problem.region = grid.inner_faces(component);
            problem.refresh();
        }
        problem
    }

    /// The problem for a change of a carried quantity by diffusion: nothing passes a wall.
    pub(crate) fn diffusion(grid: Grid<T, D>, boundary: &Boundary<T, D>) -> Self {
        let end = |side| match side {
            Side::Inflow { .. } => End::Dirichlet,
            Side::Periodic => End::Periodic,
            _ => End::Neumann,
        };
        Self::with_ends(grid, boundary.sides.map(|ends| ends.map(end)))
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<T, D> {
        &self.grid
    }

    /// The places of the unknowns (active or not).
    pub fn region(&self) -> Region<D> {
        self.region
    }

    /// What holds at the ends of each axis.
    pub fn ends(&self) -> [[End; 2]; D] {
        self.ends
    }

    /// σ, 1/m².
    pub fn shift(&self) -> T {
        self.shift
    }

    /// Whether β or the set of active cells varies.
    pub fn is_variable(&self) -> bool {
        self.variable.is_some()
    }

    /// Whether some region has no Dirichlet condition, so that p is known up to a constant there.
    pub fn is_singular(&self) -> bool {
        self.singular
    }

    /// Which axes are periodic.
    pub(super) fn periodic(&self) -> [bool; D] {
        self.ends.map(|pair| pair[0] == End::Periodic)
    }

    /// A number that differs where grid, ends, shift, coefficients or active cells do.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether the operator is the same everywhere but at the ends, in the plane, and no axis is
    /// periodic.
    pub(super) fn is_plain_2d(&self) -> bool {
        D == 2 && self.variable.is_none() && !self.periodic().contains(&true)
    }

    /// Sets σ ≥ 0 of ∇·(β∇p) − σp = b.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a σ that is negative or not finite.
    pub fn set_shift(&mut self, shift: T) -> Result<(), Error> {
        check::not_negative("shift", shift)?;
        if shift != self.shift {
            self.shift = shift;
            self.refresh();
        }
        Ok(())
    }

    /// Sets β on every face and which cells are active (`active` in the padded layout of the grid,
    /// non-zero where active; all cells where `None`). Allocates at the first call only.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] where sizes differ, [`Error::InvalidParameter`] for a β that is
    /// negative or not finite.
    pub fn set_coefficients(
        &mut self,
        beta: &Faces<T, D>,
        active: Option<&[u8]>,
    ) -> Result<(), Error> {
        let grid = self.grid;
        crate::grid::ops::same_grid(*beta.grid() == grid, "beta")?;
        crate::grid::ops::same_grid(active.is_none_or(|a| a.len() == grid.array_len()), "active")?;
        for (axis, c) in beta.components().iter().enumerate() {
            let faces = grid.region(Location::Face(axis));
            let right = exec::reduce(&faces, &Right { beta: c.as_slice(), region: faces });
            if right == Some(false)
                && let Some(bad) = c.values().find(|b| !(b.is_finite() && *b >= T::zero()))
            {
                check::not_negative("beta", bad)?;
            }
        }
        let variable = self.variable.get_or_insert_with(|| Variable::new(grid));
        variable.coefficients.copy_from(beta)?;
        close_ends(&mut variable.coefficients, &self.region, &self.ends);
        variable.set_active(&self.region, active);
        self.refresh();
        Ok(())
    }

    /// Goes back to β = 1 on all cells.
    pub fn clear_coefficients(&mut self) {
        self.variable = None;
        self.refresh();
    }

    /// What couples places beside the faces between them: only conjugate gradients solve with it. Its
    /// rows are those of unknowns, and add up to nothing over each singular region.
    pub(crate) fn coupling_mut(&mut self) -> &mut Coupling<T> {
        &mut self.coupling
    }

    pub(super) fn coupling(&self) -> Option<&Coupling<T>> {
        Some(&self.coupling).filter(|coupling| !coupling.is_empty())
    }

    /// Whether p is sought at a place.
    pub(crate) fn is_unknown(&self, place: usize) -> bool {
        self.variable.as_ref().is_none_or(|v| v.inverse[place] > T::zero())
    }

    /// A number for the singular region that an unknown lies in, where coefficients vary.
    pub(crate) fn singular_region(&self, place: usize) -> Option<u32> {
        let v = self.variable.as_ref().filter(|v| v.inverse[place] > T::zero())?;
        v.regions.singular_at(place)
    }

    /// The largest |b − A·p|, where `rhs` has been made compatible; NaN if any value is.
    pub fn residual(&self, p: &Field<T, D>, rhs: &Field<T, D>) -> T {
        let stencil = self.stencil(p.as_slice(), rhs.as_slice());
        look(Stencil { spans: None, ..stencil }, Some(self.h2())).residual / self.h2()
    }

    /// h², by which the solvers multiply the equation.
    pub(super) fn h2(&self) -> T {
        self.grid.dx() * self.grid.dx()
    }

    /// Writes h²·`rhs` to `b`, zero where nothing is active and without its mean over each singular
    /// region; gives the largest such mean of `rhs` and max|b|, 0 where nothing is left to solve.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a right-hand side with NaN or infinities, or that overflows when
    /// multiplied by h².
    pub(super) fn compatible(
        &self,
        rhs: &Field<T, D>,
        b: &mut Field<T, D>,
    ) -> Result<(T, T), Error> {
        crate::grid::ops::same_grid(rhs.grid() == &self.grid, "rhs")?;
        let (h2, region) = (self.h2(), self.region);
        let (given, sum) =
            exec::reduce(&region, &Size { rhs: rhs.as_slice(), region }).unwrap_or_default();
        if !given.is_finite() {
            rhs.check_finite("rhs")?;
        }
        let uniform = self.singular && self.variable.is_none();
        let mean = if uniform { sum / self.region.count() as f64 } else { 0.0 };
        let scaled = Scaled { rhs: rhs.as_slice(), region, mean: T::of(mean), h2 };
        let out = [Banded::on(&region, b.as_mut_slice())];
        let most = exec::bands(&region, out, &scaled).unwrap_or_default();
        if !most.is_finite() {
            let place = b.first_not_finite().unwrap_or([0; 3]);
            return Err(Error::NotFinite { name: "rhs times the square of dx", place });
        }
        let (mean, most, given) = match &self.variable {
            None => (T::of(mean).magnitude(), most, given * h2),
            Some(v) => {
                exec::rows(&self.region, [b.as_mut_slice()], &Mask(&v.inverse));
                let given = max_abs(&self.region, b.as_slice());
                let mean = self.remove_means(b) / h2;
                (mean, max_abs(&self.region, b.as_slice()), given)
            }
        };
        // What is left of a constant right-hand side is its rounding, not a problem to solve.
        let noise = if self.singular { given * T::EPSILON * T::of(4.0) } else { T::zero() };
        Ok((mean, if most > noise { most.or_nothing() } else { T::zero() }))
    }

    /// Makes `p` a valid initial guess: 0 wherever it is not unknown, periodic ghosts set.
    pub(super) fn prepare(&self, p: &mut Field<T, D>) {
        self.extent().clear_around(p.as_mut_slice());
        if let Some(v) = &self.variable {
            exec::rows_within(self.extent(), [p.as_mut_slice()], &Mask(&v.inverse));
        }
        self.wrap(p);
    }

    /// Gives p its mean of 0 over each singular region, and its periodic ghosts.
    pub(super) fn pin(&self, p: &mut Field<T, D>, look: Option<Look<T>>) {
        match look.and_then(|look| look.sum) {
            Some(sum) if self.variable.is_none() && self.singular => {
                self.take_off(sum, p);
            }
            _ => {
                self.remove_means(p);
            }
        }
        self.wrap(p);
    }

    /// Takes the mean off `q`, whose sum is given; tells its magnitude.
    fn take_off(&self, sum: f64, q: &mut Field<T, D>) -> T {
        let mean = T::of(sum / self.region.count() as f64);
        exec::rows(&self.region, [q.as_mut_slice()], &Add(-mean));
        mean.magnitude()
    }

    /// Takes the mean over each singular region off `q`; gives the largest magnitude of one.
    pub(super) fn remove_means(&self, q: &mut Field<T, D>) -> T {
        match &self.variable {
            Some(v) => T::of(v.regions.remove_means(q.as_mut_slice())),
            None if self.singular => self.take_off(q.sum(), q),
            None => T::zero(),
        }
    }

    /// Sets the ghosts of periodic axes.
    pub(super) fn wrap(&self, p: &mut Field<T, D>) {
        for axis in 0..D {
            if self.ends[axis][0] == End::Periodic {
                crate::grid::boundary::wrap_axis(p, axis);
            }
        }
    }

    pub(super) fn stencil<'a>(&'a self, p: &'a [T], b: &'a [T]) -> Stencil<'a, T, D> {
        let coefficients = match &self.variable {
            None => Coefficients::Uniform,
            Some(v) => Coefficients::Variable {
                a: v.coefficients.slices(),
                diagonal: &v.diagonal,
                inverse: &v.inverse,
            },
        };
        Stencil {
            p,
            b,
            region: self.region,
            shift: self.shift * self.h2(),
            ends: self.end_weights(),
            coefficients,
            spans: self.variable.as_ref().map(|v| &v.spans),
        }
    }

    /// Where p is sought, and what lies between.
    pub(super) fn extent(&self) -> Extent<'_, D> {
        self.variable.as_ref().map_or(self.region.into(), |v| v.spans.of(self.region))
    }

    /// What an end adds to the diagonal of an outermost place in place of a neighbour's 1.
    fn end_weights(&self) -> [[T; 2]; D] {
        self.ends.map(|pair| {
            pair.map(|end| match end {
                End::Neumann => T::zero(),
                End::Dirichlet => T::of(2.0),
                End::DirichletNode | End::Periodic => T::one(),
            })
        })
    }

    /// Rebuilds what depends on the ends, β, σ and the active places.
    fn refresh(&mut self) {
        self.find_regions();
        self.fingerprint = self.digest();
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::new().values(&[self.grid.dx(), self.shift]);
        for a in 0..D {
            digest = digest.word(self.region.lo[a] as u64).word(self.region.hi[a] as u64);
            digest = self.ends[a].iter().fold(digest, |d, end| d.word(*end as u64));
        }
        let Some(v) = &self.variable else {
            return digest.finish();
        };
        let arrays =
            Arrays { a: v.coefficients.slices(), inverse: &v.inverse, region: self.region };
        digest.word(exec::reduce(&self.region, &arrays).unwrap_or(0)).finish()
    }

    fn find_regions(&mut self) {
        let held = |end: &End| matches!(end, End::Dirichlet | End::DirichletNode);
        let closed = !self.ends.iter().flatten().any(held);
        let shift = self.shift * self.h2();
        let Some(v) = &mut self.variable else {
            self.singular = closed && self.shift == T::zero();
            return;
        };
        v.set_diagonal(&self.region, &self.ends, shift);
        v.regions.clear();
        if self.shift == T::zero() {
            let links = Links {
                coefficients: v.coefficients.slices(),
                inverse: &v.inverse,
                periodic: self.ends.map(|pair| pair[0] == End::Periodic),
            };
            v.regions.find(&v.spans.of(self.region), &links);
        }
        self.singular = v.regions.any_singular();
    }
}

impl<T: Real, const D: usize> Variable<T, D> {
    fn new(grid: Grid<T, D>) -> Self {
        let len = grid.array_len();
        Self {
            coefficients: Faces::zeros(grid),
            active: vec![0; len],
            diagonal: vec![T::zero(); len],
            inverse: vec![T::zero(); len],
            regions: Regions::new(len),
            spans: Spans::default(),
        }
    }

    fn set_active(&mut self, region: &Region<D>, active: Option<&[u8]>) {
        self.active.fill(0);
        for n in 0..region.rows() {
            let row = region.row(n);
            let own = &mut self.active[row.start..][..row.len];
            match active {
                Some(active) => own.copy_from_slice(row.of(active)),
                None => own.fill(1),
            }
        }
    }

    fn set_diagonal(&mut self, region: &Region<D>, ends: &[[End; 2]; D], shift: T) {
        let Self { coefficients, active, diagonal, inverse, spans, .. } = self;
        let pass = Diagonal { a: coefficients.slices(), active, strides: region.strides, shift };
        exec::rows(region, [diagonal.as_mut_slice(), inverse.as_mut_slice()], &pass);
        spans.find(region, inverse);
        for axis in (0..D).filter(|a| ends[*a][0] == End::Periodic) {
            let mut below = *region;
            (below.lo[axis], below.hi[axis]) = (region.lo[axis] - 1, region.lo[axis]);
            let (stride, len) = (region.strides[axis], region.len(axis));
            for place in below.places() {
                inverse[place] = inverse[place + len * stride];
                inverse[place + (len + 1) * stride] = inverse[place + stride];
            }
        }
    }
}

/// Σ a_f + σh² and 1 over it, where a place is active and has an open face.
struct Diagonal<'a, T, const D: usize> {
    a: [&'a [T]; D],
    active: &'a [u8],
    strides: [usize; D],
    shift: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Diagonal<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [diagonal, inverse]: [&mut [T]; 2]) {
        let (diagonal, inverse) = (&mut diagonal[..row.len], &mut inverse[..row.len]);
        let active = row.of(self.active);
        diagonal.fill(self.shift);
        for axis in 0..D {
            let (below, above) =
                (row.of(self.a[axis]), row.after(self.a[axis], self.strides[axis]));
            for i in 0..row.len {
                diagonal[i] += below[i] + above[i];
            }
        }
        for i in 0..row.len {
            let sum = if active[i] != 0 { diagonal[i] } else { T::zero() };
            let unknown = sum > T::zero();
            diagonal[i] = if unknown { sum } else { T::zero() };
            inverse[i] = if unknown { T::one() / sum } else { T::zero() };
        }
    }
}

/// Makes the coefficients on the outermost faces say what the ends say: closed at a wall, doubled
/// where p = 0 half a cell away, equal on both ends of a periodic axis.
fn close_ends<T: Real, const D: usize>(
    a: &mut Faces<T, D>,
    region: &Region<D>,
    ends: &[[End; 2]; D],
) {
    for axis in 0..D {
        let data = a[axis].as_mut_slice();
        for end in 0..2 {
            let mut plane = *region;
            let face = if end == 0 { region.lo[axis] } else { region.hi[axis] };
            (plane.lo[axis], plane.hi[axis]) = (face, face + 1);
            let across = region.len(axis) * region.strides[axis];
            for n in 0..plane.rows() {
                let row = plane.row(n);
                for i in row.start..row.start + row.len {
                    match ends[axis][end] {
                        End::Neumann => data[i] = T::zero(),
                        End::Dirichlet => data[i] += data[i],
                        End::Periodic if end == 1 => data[i] = data[i - across],
                        End::Periodic | End::DirichletNode => {}
                    }
                }
            }
        }
    }
}

/// Zero wherever 1/diagonal is.
struct Mask<'a, T>(&'a [T]);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Mask<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, inverse) = (&mut out[..row.len], row.of(self.0));
        for i in 0..row.len {
            out[i] = if inverse[i] > T::zero() { out[i] } else { T::zero() };
        }
    }
}

/// The largest magnitude and the sum of a right-hand side.
struct Size<'a, T, const D: usize> {
    rhs: &'a [T],
    region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Size<'_, T, D> {
    type Output = (T, f64);
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> (T, f64) {
        let (mut most, mut sum) = (Largest::new(), Total::new());
        for n in rows {
            let row = self.region.row(n).of(self.rhs);
            most.take(row);
            sum.take(row);
        }
        (most.value(), sum.value())
    }

    fn join(a: (T, f64), b: (T, f64)) -> (T, f64) {
        (a.0.worst(b.0), a.1 + b.1)
    }
}

/// The digest of what makes the operator: of each place, and of the faces above it.
struct Arrays<'a, T, const D: usize> {
    a: [&'a [T]; D],
    inverse: &'a [T],
    region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Arrays<'_, T, D> {
    type Output = u64;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> u64 {
        let mut digest = Digest::new();
        let strides = self.region.strides;
        for n in rows {
            let row = self.region.row(n);
            digest = digest.interleaved(row.of(self.inverse));
            for axis in 0..D {
                // Those above the rows that are not the last of an axis are those below the next.
                let len = row.len + if axis == 0 { 1 } else { 0 };
                digest = digest.interleaved(&self.a[axis][row.start..][..len]);
                if axis > 0 && row.at[axis] + 1 == self.region.hi[axis] {
                    digest = digest.interleaved(row.after(self.a[axis], strides[axis]));
                }
            }
        }
        digest.finish()
    }

    fn join(a: u64, b: u64) -> u64 {
        Digest::new().word(a).word(b).finish()
    }
}

/// Whether all β are finite and none is negative.
struct Right<'a, T, const D: usize> {
    beta: &'a [T],
    region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Right<'_, T, D> {
    type Output = bool;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> bool {
        // What is not finite is not nothing even nought times.
        let finite = |b: T| b * T::zero() == T::zero();
        rows.fold(true, |right, n| {
            let beta = self.region.row(n).of(self.beta);
            right & beta.iter().fold(true, |right, b| right & (*b >= T::zero()) & finite(*b))
        })
    }

    fn join(a: bool, b: bool) -> bool {
        a & b
    }
}

/// b = h²(rhs − mean), and max|b|.
struct Scaled<'a, T, const D: usize> {
    rhs: &'a [T],
    region: Region<D>,
    mean: T,
    h2: T,
}

impl<T: Real, const D: usize> BandPass<T, 1> for Scaled<'_, T, D> {
    type Output = T;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> T {
        let (mean, h2) = (self.mean, self.h2);
        let base = self.region.row(rows.start).start;
        let mut most = Largest::new();
        for n in rows {
            let row = self.region.row(n);
            let rhs = row.of(self.rhs);
            let b = &mut out[row.start - base..][..row.len];
            for i in 0..row.len {
                b[i] = (rhs[i] - mean) * h2;
            }
            most.take(b);
        }
        most.value()
    }

    fn join(a: T, b: T) -> T {
        a.worst(b)
    }
}

struct Add<T>(T);
impl<T: Real, const D: usize> RowPass<T, D, 1> for Add<T> {
    #[inline(always)]
    fn row(&self, _: Row<D>, [out]: [&mut [T]; 1]) {
        let amount = self.0;
        for v in out {
            *v += amount;
        }
    }
}
