//! What a solve has come to: the norms that it is judged by, in one pass.

use core::ops::Range;

use super::stencil::{RESIDUAL, Stencil, Weight};
use crate::Real;
use crate::base::exec::{self, BandPass, Row};
use crate::base::reduction::{COLUMNS, GRAIN, Largest, Total};

/// What p has come to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<T> {
    /// max|b − A·p|.
    pub(super) residual: T,
    /// Σ p, where it is known.
    pub(super) sum: Option<f64>,
}

/// max|b·scale − A·p| and Σ p.
struct Looking<'a, T, const D: usize> {
    stencil: Stencil<'a, T, D>,
    /// `None` for 1.
    scale: Option<T>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Looking<'_, T, D> {
    type Output = (T, f64);
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, _: [&mut [()]; 0]) -> (T, f64) {
        let (mut worst, mut sum) = (Largest::new(), Total::new());
        let (mut b, mut residual) = ([T::zero(); COLUMNS], [T::zero(); COLUMNS]);
        let extent = self.stencil.extent();
        for n in rows {
            let row = extent.row(n);
            let mut first = 0;
            while first < row.len {
                let len = (row.len - first).min(COLUMNS);
                let mut at = row.at;
                at[0] += first;
                let part = Row { at, start: row.start + first, len };
                let mut of = self.stencil.reads(part);
                if let Some(scale) = self.scale {
                    for i in 0..len {
                        b[i] = of.b[i] * scale;
                    }
                    of.b = &b[..len];
                }
                let unused = Weight::all(T::one());
                self.stencil.compute_from::<RESIDUAL>(part, of, unused, &mut residual);
                worst.take(&residual[..len]);
                sum.take(&of.p[..len]);
                first += len;
            }
        }
        (worst.value(), sum.value())
    }

    fn join(a: (T, f64), b: (T, f64)) -> (T, f64) {
        (a.0.worst(b.0), a.1 + b.1)
    }
}

/// What p has come to, b multiplied by `scale` where it is given.
pub(super) fn look<T: Real, const D: usize>(
    stencil: Stencil<'_, T, D>,
    scale: Option<T>,
) -> Look<T> {
    let looking = Looking { stencil, scale };
    let (residual, sum) = exec::reduce(&stencil.region, &looking).unwrap_or_default();
    Look { residual, sum: Some(sum) }
}
