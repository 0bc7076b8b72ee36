//! The kernel of n Jacobi sweeps, and its sums of products of 1D kernels.

use alloc::vec;
use alloc::vec::Vec;

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// One term of a sum of products: weight · v ⊗ v (⊗ v), v even.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) weight: f64,
    /// v(0), v(1), …
    pub(super) taps: Vec<f64>,
}

/// A kernel as a sum of products.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    /// By falling weight.
    pub(super) terms: Vec<Term>,
    /// ‖A − Σ terms‖ / ‖A‖, the norms those of Frobenius.
    pub(super) error: f64,
}

/// A = Σ_{k<order} L^k in `D` dimensions as `rank` products.
pub(super) fn decompose<const D: usize>(order: usize, rank: usize) -> Terms {
    let len = significant::<D>(order);
    let kernel = isometric::<D>(order, len);
    if D == 2 { eigenvectors(len, rank, kernel) } else { cubes(len, rank, &kernel) }
}

/// The number of taps along an axis beyond which all together are below 1e-20: of a random walk of
/// n steps no more than 2 exp(−m²D/2n) ends beyond m. The squares of what is left do not underflow.
fn significant<const D: usize>(order: usize) -> usize {
    let n = order as f64;
    let reach = libm::sqrt(2.0 * n / D as f64 * libm::log(2.0 * n * 1e20));
    order.min(reach as usize + 2)
}

/// The part of A with indices 0 … len − 1, x fastest: all there is to know of an even kernel.
pub(super) fn octant<const D: usize>(order: usize, len: usize) -> Vec<f64> {
    let mut power = vec![0.0; len.pow(D as u32)];
    power[0] = 1.0;
    let mut sum = power.clone();
    let mut next = sum.clone();
    for _ in 1..order {
        for (n, next) in next.iter_mut().enumerate() {
            let mut stride = 1;
            let mut neighbours = 0.0;
            for _ in 0..D {
                let i = n / stride % len;
                // Below 0 lies what lies above.
                neighbours += if i == 0 { 0.0 } else { power[n - stride] };
                let above = if i + 1 < len { power[n + stride] } else { 0.0 };
                neighbours += if i == 0 { above + above } else { above };
                stride *= len;
            }
            *next = neighbours / (2 * D) as f64;
        }
        core::mem::swap(&mut power, &mut next);
        for (sum, power) in sum.iter_mut().zip(&power) {
            *sum += power;
        }
    }
    sum
}

/// How often a tap at distance i stands in the whole kernel, as a factor of the norm.
fn multiplicity(i: usize) -> f64 {
    if i == 0 { 1.0 } else { core::f64::consts::SQRT_2 }
}

/// The octant, scaled so that its Euclidean norm is that of the whole kernel.
fn isometric<const D: usize>(order: usize, len: usize) -> Vec<f64> {
    let mut kernel = octant::<D>(order, len);
    for (n, value) in kernel.iter_mut().enumerate() {
        let mut rest = n;
        for _ in 0..D {
            *value *= multiplicity(rest % len);
            rest /= len;
        }
    }
    kernel
}

/// The taps that an isometric vector stands for.
fn taps(isometric: impl Iterator<Item = f64>) -> Vec<f64> {
    isometric.enumerate().map(|(i, v)| v / multiplicity(i)).collect()
}

/// In the plane the best sum of products is that of the largest eigenvalues. An even matrix takes
/// odd vectors to 0, so the others are the eigenvectors of the isometric quadrant.
fn eigenvectors(len: usize, rank: usize, kernel: Vec<f64>) -> Terms {
    let eigen = SymmetricEigen::new(DMatrix::from_vec(len, len, kernel));
    let values = &eigen.eigenvalues;
    let mut by_size: Vec<usize> = (0..len).collect();
    by_size.sort_by(|a, b| values[*b].abs().total_cmp(&values[*a].abs()));
    let kept = rank.min(len);
    let square = |indices: &[usize]| indices.iter().map(|i| values[*i] * values[*i]).sum::<f64>();
    let error = libm::sqrt(square(&by_size[kept..]) / square(&by_size));
    let term = |i: &usize| Term {
        weight: values[*i],
        taps: taps(eigen.eigenvectors.column(*i).iter().copied()),
    };
    Terms { terms: by_size[..kept].iter().map(term).collect(), error }
}

/// A fit that is this good is exact: the principal vectors are no better.
const EXACT: f64 = 1e-8;
/// The most steps of a joint fit.
const FIT_STEPS: usize = 200;
/// A fit is over when a step improves the error by less than this part of it.
const FIT_GAIN: f64 = 1e-6;

/// In space the kernel is a sum of cubes u ⊗ u ⊗ u: one after the other, the best cube of what is
/// left is added and all are fitted anew.
fn cubes(len: usize, rank: usize, kernel: &[f64]) -> Terms {
    let basis = principal_vectors(len, kernel);
    let core = Cubic::reduced(len, kernel, &basis);
    let norm = core.norm();
    let mut fit = Fit { cubes: Vec::new(), error: norm };
    while fit.cubes.len() < rank && fit.error > EXACT * norm {
        let left = core.without(&fit.cubes);
        fit.cubes.push(left.best_cube());
        fit.improve(&core);
    }
    let mut terms: Vec<Term> = fit.cubes.iter().map(|u| cube_term(&basis, u)).collect();
    terms.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    Terms { terms, error: fit.error / norm }
}

/// The term of the cube whose coordinates in the basis are `u`, with taps of norm 1.
fn cube_term(basis: &DMatrix<f64>, u: &DVector<f64>) -> Term {
    let length = u.norm();
    let v = basis * u / length;
    Term { weight: length * length * length, taps: taps(v.iter().copied()) }
}

/// The few vectors whose products make up the kernel but for about 1e-8 of its norm.
fn principal_vectors(len: usize, kernel: &[f64]) -> DMatrix<f64> {
    let unfolded = DMatrix::from_column_slice(len, len * len, kernel);
    let mut gram = DMatrix::zeros(len, len);
    for column in unfolded.column_iter() {
        gram.ger(1.0, &column, &column, 1.0);
    }
    let eigen = SymmetricEigen::new(gram);
    let mut by_size: Vec<usize> = (0..len).collect();
    by_size.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    // They are squares, known to the rounding of the largest.
    let least = eigen.eigenvalues[by_size[0]] * f64::EPSILON;
    let count = by_size.iter().filter(|i| eigen.eigenvalues[**i] > least).count();
    let columns: Vec<_> = by_size[..count].iter().map(|i| eigen.eigenvectors.column(*i)).collect();
    DMatrix::from_columns(&columns)
}

/// A symmetric array of three equal axes.
struct Cubic {
    len: usize,
    values: Vec<f64>,
}

impl Cubic {
    /// The coordinates of `kernel` in `basis`.
    fn reduced(len: usize, kernel: &[f64], basis: &DMatrix<f64>) -> Self {
        let size = basis.ncols();
        let mut values = kernel.to_vec();
        // Takes the fastest axis to the basis and puts it last, three times.
        for _ in 0..3 {
            let others = values.len() / len;
            let mut next = vec![0.0; others * size];
            for (row, line) in values.chunks_exact(len).enumerate() {
                for (axis, column) in basis.column_iter().enumerate() {
                    let sum = column.iter().zip(line).map(|(a, b)| a * b).sum();
                    next[axis * others + row] = sum;
                }
            }
            values = next;
        }
        Self { len: size, values }
    }

    fn norm(&self) -> f64 {
        libm::sqrt(self.values.iter().map(|v| v * v).sum())
    }

    /// Σ_jk T_ijk u_j u_k.
    fn twice(&self, u: &DVector<f64>) -> DVector<f64> {
        let len = self.len;
        DVector::from_fn(len, |i, _| {
            let plane = &self.values[i * len * len..][..len * len];
            let rows = plane.chunks_exact(len).zip(u.iter());
            rows.map(|(row, uj)| uj * row.iter().zip(u.iter()).map(|(t, uk)| t * uk).sum::<f64>())
                .sum()
        })
    }

    /// What is left after taking off the cubes.
    fn without(&self, cubes: &[DVector<f64>]) -> Self {
        let len = self.len;
        let mut values = self.values.clone();
        for u in cubes {
            for (n, value) in values.iter_mut().enumerate() {
                *value -= u[n / (len * len)] * u[n / len % len] * u[n % len];
            }
        }
        Self { len, values }
    }

    /// The cube that takes the most off the norm: the higher-order power method from every axis.
    fn best_cube(&self) -> DVector<f64> {
        let mut best = DVector::zeros(self.len);
        let mut most = 0.0_f64;
        for axis in 0..self.len {
            let mut v = DVector::from_fn(self.len, |i, _| f64::from(u8::from(i == axis)));
            for _ in 0..30 {
                let next = self.twice(&v);
                let length = next.norm();
                if length == 0.0 {
                    break;
                }
                v = next / length;
            }
            let weight = self.twice(&v).dot(&v);
            if weight.abs() > most {
                most = weight.abs();
                best = v * libm::cbrt(weight);
            }
        }
        best
    }
}

/// A sum of cubes and its distance from what it is fitted to.
struct Fit {
    cubes: Vec<DVector<f64>>,
    error: f64,
}

impl Fit {
    /// Lowers the error by Levenberg–Marquardt steps of all cubes together; it never rises.
    fn improve(&mut self, target: &Cubic) {
        let len = target.len;
        self.error = target.without(&self.cubes).norm();
        let mut damping = 1e-3;
        let mut idle = 0;
        for _ in 0..FIT_STEPS {
            let (mut matrix, slope) = self.normal_equations(target);
            let scale = matrix.diagonal().max();
            for i in 0..matrix.nrows() {
                matrix[(i, i)] += damping * scale;
            }
            let Some(factors) = matrix.cholesky() else {
                damping *= 4.0;
                continue;
            };
            let step = factors.solve(&slope);
            let moved = |(r, u): (usize, &DVector<f64>)| u + step.rows(r * len, len);
            let cubes: Vec<_> = self.cubes.iter().enumerate().map(moved).collect();
            let error = target.without(&cubes).norm();
            if error < self.error {
                idle = if error > self.error * (1.0 - FIT_GAIN) { idle + 1 } else { 0 };
                (self.cubes, self.error) = (cubes, error);
                damping = (damping / 3.0).max(1e-15);
            } else {
                damping *= 4.0;
            }
            if idle > 3 || damping > 1.0 {
                return;
            }
        }
    }

    /// JᵀJ and −Jᵀe of the fit, J the derivative of the sum of cubes.
    fn normal_equations(&self, target: &Cubic) -> (DMatrix<f64>, DVector<f64>) {
        let (len, count) = (target.len, self.cubes.len());
        let mut matrix = DMatrix::zeros(len * count, len * count);
        let mut slope = DVector::zeros(len * count);
        for (r, u) in self.cubes.iter().enumerate() {
            let mut part = target.twice(u);
            for (s, v) in self.cubes.iter().enumerate() {
                let dot = u.dot(v);
                part.axpy(-dot * dot, v, 1.0);
                let mut block = matrix.view_mut((r * len, s * len), (len, len));
                block.ger(6.0 * dot, v, u, 1.0);
                for i in 0..len {
                    block[(i, i)] += 3.0 * dot * dot;
                }
            }
            slope.rows_mut(r * len, len).axpy(3.0, &part, 1.0);
        }
        (matrix, slope)
    }
}
