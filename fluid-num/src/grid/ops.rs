//! Difference operators on a MAC grid, all second order.

use super::{Faces, Field};
use crate::base::exec::{self, Region, Row, RowPass};
use crate::{Error, Real};

/// ∇·u at every centre: the sum over axes of (u at the upper face − u at the lower face)/dx.
///
/// # Errors
/// [`Error::GridMismatch`] where `out` belongs to another grid.
pub fn divergence<T: Real, const D: usize>(
    u: &Faces<T, D>,
    out: &mut Field<T, D>,
) -> Result<(), Error> {
    same_grid(u.grid() == out.grid(), "out")?;
    let grid = *u.grid();
    let pass = Divergence { u: u.slices(), strides: grid.strides(), scale: T::one() / grid.dx() };
    exec::rows(&grid.interior(), [out.as_mut_slice()], &pass);
    Ok(())
}

/// ∇p at every face between two cells; faces on the sides of the domain are left alone.
///
/// # Errors
/// [`Error::GridMismatch`] where `out` belongs to another grid.
pub fn gradient<T: Real, const D: usize>(
    p: &Field<T, D>,
    out: &mut Faces<T, D>,
) -> Result<(), Error> {
    same_grid(p.grid() == out.grid(), "out")?;
    let grid = *p.grid();
    for axis in 0..D {
        let pass =
            Slope { p: p.as_slice(), stride: grid.strides()[axis], scale: T::one() / grid.dx() };
        exec::rows(&grid.inner_faces(axis), [out[axis].as_mut_slice()], &pass);
    }
    Ok(())
}

/// ∇²p at every centre, reading the ghost layer.
///
/// # Errors
/// [`Error::GridMismatch`] where `out` belongs to another grid.
pub fn laplacian<T: Real, const D: usize>(
    p: &Field<T, D>,
    out: &mut Field<T, D>,
) -> Result<(), Error> {
    same_grid(p.grid() == out.grid(), "out")?;
    let scale = T::one() / (p.grid().dx() * p.grid().dx());
    scaled_laplacian(p, &p.region(), scale, out);
    Ok(())
}

/// scale·h²∇²p over `region`.
pub(crate) fn scaled_laplacian<T: Real, const D: usize>(
    p: &Field<T, D>,
    region: &Region<D>,
    scale: T,
    out: &mut Field<T, D>,
) {
    let pass = Laplacian { p: p.as_slice(), strides: p.grid().strides(), scale };
    exec::rows(region, [out.as_mut_slice()], &pass);
}

/// The number of components of a curl: 1 in 2D, 3 in 3D.
pub const fn curl_components(dimension: usize) -> usize {
    if dimension == 2 { 1 } else { 3 }
}

/// Component `k` of ∇×u at every centre, reading the ghost layer: the only component in 2D, x, y
/// or z in 3D. With axes (a, b) cyclic after k it is ∂u_b/∂a − ∂u_a/∂b, by central differences of
/// the velocities at centres.
///
/// # Errors
/// [`Error::GridMismatch`] where `out` belongs to another grid, [`Error::NoSuchEntry`] for a
/// component that does not exist.
pub fn curl<T: Real, const D: usize>(
    u: &Faces<T, D>,
    k: usize,
    out: &mut Field<T, D>,
) -> Result<(), Error> {
    same_grid(u.grid() == out.grid(), "out")?;
    let count = curl_components(D);
    if k >= count {
        return Err(Error::NoSuchEntry { name: "curl component", index: k, count });
    }
    let (a, b) = if D == 2 { (0, 1) } else { ((k + 1) % 3, (k + 2) % 3) };
    let grid = *u.grid();
    let s = grid.strides();
    let scale = T::of(0.25) / grid.dx();
    let pass = Curl { ua: u[a].as_slice(), ub: u[b].as_slice(), sa: s[a], sb: s[b], scale };
    exec::rows(&grid.interior(), [out.as_mut_slice()], &pass);
    Ok(())
}

pub(crate) fn same_grid(same: bool, name: &'static str) -> Result<(), Error> {
    if same { Ok(()) } else { Err(Error::GridMismatch { name }) }
}

struct Divergence<'a, T, const D: usize> {
    u: [&'a [T]; D],
    strides: [usize; D],
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Divergence<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, scale) = (&mut out[..row.len], self.scale);
        let (x0, x1) = (row.of(self.u[0]), row.after(self.u[0], 1));
        let (y0, y1) = (row.of(self.u[1]), row.after(self.u[1], self.strides[1]));
        if D == 2 {
            for i in 0..row.len {
                out[i] = ((x1[i] - x0[i]) + (y1[i] - y0[i])) * scale;
            }
        } else {
            let (z0, z1) = (row.of(self.u[D - 1]), row.after(self.u[D - 1], self.strides[D - 1]));
            for i in 0..row.len {
                let flow = (x1[i] - x0[i]) + (y1[i] - y0[i]) + (z1[i] - z0[i]);
                out[i] = flow * scale;
            }
        }
    }
}

struct Slope<'a, T> {
    p: &'a [T],
    stride: usize,
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Slope<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, scale) = (&mut out[..row.len], self.scale);
        let (here, below) = (row.of(self.p), row.before(self.p, self.stride));
        for i in 0..row.len {
            out[i] = (here[i] - below[i]) * scale;
        }
    }
}

struct Laplacian<'a, T, const D: usize> {
    p: &'a [T],
    strides: [usize; D],
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Laplacian<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, p, scale) = (&mut out[..row.len], row.of(self.p), self.scale);
        let [sy, sz] = [self.strides[1], self.strides[D - 1]];
        let (x0, x1) = (row.before(self.p, 1), row.after(self.p, 1));
        let (y0, y1) = (row.before(self.p, sy), row.after(self.p, sy));
        let (z0, z1) = (row.before(self.p, sz), row.after(self.p, sz));
        for i in 0..row.len {
            let along_x = (x0[i] - p[i]) + (x1[i] - p[i]);
            let along_y = (y0[i] - p[i]) + (y1[i] - p[i]);
            let mut sum = along_x + along_y;
            if D == 3 {
                sum += (z0[i] - p[i]) + (z1[i] - p[i]);
            }
            out[i] = sum * scale;
        }
    }
}

struct Curl<'a, T> {
    ua: &'a [T],
    ub: &'a [T],
    sa: usize,
    sb: usize,
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Curl<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, scale) = (&mut out[..row.len], self.scale);
        let (sa, sb) = (self.sa, self.sb);
        // u_b at the centres one step up and down along a, and u_a along b.
        let (b0, b1) = (row.after(self.ub, sa), row.after(self.ub, sa + sb));
        let (b2, b3) = (row.before(self.ub, sa), &self.ub[row.start + sb - sa..][..row.len]);
        let (a0, a1) = (row.after(self.ua, sb), row.after(self.ua, sb + sa));
        let (a2, a3) = (row.before(self.ua, sb), &self.ua[row.start + sa - sb..][..row.len]);
        for i in 0..row.len {
            let along_a = (b0[i] + b1[i]) - (b2[i] + b3[i]);
            let along_b = (a0[i] + a1[i]) - (a2[i] + a3[i]);
            out[i] = (along_a - along_b) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boundary, Grid};

    #[test]
    fn flow_out_of_one_face_counts_once() {
        let grid = Grid::new([4, 4], 0.5_f64).unwrap();
        let mut u = Faces::zeros(grid);
        u[0][[1, 2]] = 1.0;
        let mut div = Field::zeros(grid);
        divergence(&u, &mut div).unwrap();
        assert_eq!(div[[0, 2]], 2.0);
        assert_eq!(div[[1, 2]], -2.0);
        assert_eq!(div.sum(), 0.0);
    }

    #[test]
    fn the_divergence_of_a_gradient_is_the_laplacian_in_3d() {
        let grid = Grid::new([5, 6, 7], 0.5_f64).unwrap();
        let mut p = Field::from_fn(grid, |[x, y, z]| x * x + 3.0 * y * z - z * z * z);
        Boundary::walls().fill_scalar(&mut p, 0.0, 0.0);
        let (mut flow, mut div, mut lap) =
            (Faces::zeros(grid), Field::zeros(grid), Field::zeros(grid));
        gradient(&p, &mut flow).unwrap();
        divergence(&flow, &mut div).unwrap();
        laplacian(&p, &mut lap).unwrap();
        for (a, b) in div.values().zip(lap.values()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn rigid_rotation_has_twice_its_rate_as_curl() {
        let grid = Grid::new([6, 6, 6], 0.5_f64).unwrap();
        let mut u = Faces::from_fn(grid, |[x, y, z]| [2.0 * z - 3.0 * y, 3.0 * x - z, y - 2.0 * x]);
        Boundary::walls().fill_velocity(&mut u);
        let mut w = Field::zeros(grid);
        for (k, expected) in [2.0, 4.0, 6.0].into_iter().enumerate() {
            curl(&u, k, &mut w).unwrap();
            assert!((w[[2, 3, 2]] - expected).abs() < 1e-12);
        }
        assert!(curl(&u, 3, &mut w).is_err());
    }
}
