//! The eigenvectors of the second difference along one axis: which transform they are, for every
//! pair of ends, and their eigenvalues.
//!
//! ```text
//! ends                        transform   −λ_m = 4 sin² of      unknowns j = 0 … N − 1
//! Neumann, Neumann            DCT-II      πm/2N
//! Dirichlet, Dirichlet        DST-II      π(m + 1)/2N
//! node, node                  DST-I       π(m + 1)/2(N + 1)
//! periodic                    real FFT    πk/N                  k = 0, 1, 1, 2, 2, …
//! Neumann, Dirichlet          DCT-IV      π(2m + 1)/4N
//! Neumann, node               DCT-II      π(2m + 1)/2(2N + 1)   of 2N + 1 values, odd at j = N
//! Dirichlet, node             DST-II      π(m + 1)/(2N + 1)     of 2N + 1 values, odd at j = N
//! ```
//!
//! Pairs in the other order run backwards. The sin² form keeps every eigenvalue to its last bits,
//! which 2 cos θ − 2 would lose where λ is small.

use alloc::vec::Vec;

use super::super::End;
use crate::Real;
use crate::transform::cosine::{Cosine, Cosine4, Extended};
use crate::transform::lanes::root_of_unity;
use crate::transform::plan::{Buffers, Kernel};
use crate::transform::real::RealFourier;
use crate::transform::sine::Sine1;

/// The eigenvectors along one axis.
#[derive(Debug, Clone)]
pub(super) struct Axis<T> {
    len: usize,
    reversed: bool,
    basis: Basis<T>,
    /// −λ_m ≥ 0, in the order of the transform's rows.
    pub(super) eigenvalues: Vec<T>,
}

#[derive(Debug, Clone)]
enum Basis<T> {
    Fourier(RealFourier<T>),
    Cosine(Cosine<T, false>),
    Sine(Cosine<T, true>),
    NodeSine(Sine1<T>),
    Quarter(Cosine4<T>),
    NodeCosine(Extended<T, false>),
    HalfNodeSine(Extended<T, true>),
}

/// Calls a method of whatever basis it is.
macro_rules! each {
    ($basis:expr, $b:ident => $call:expr) => {
        match $basis {
            Basis::Fourier($b) => $call,
            Basis::Cosine($b) => $call,
            Basis::Sine($b) => $call,
            Basis::NodeSine($b) => $call,
            Basis::Quarter($b) => $call,
            Basis::NodeCosine($b) => $call,
            Basis::HalfNodeSine($b) => $call,
        }
    };
}

impl<T: Real> Axis<T> {
    /// The eigenvectors of `len` unknowns between `ends`.
    pub(super) fn new(ends: [End; 2], len: usize) -> Self {
        use End::{Dirichlet, DirichletNode, Neumann, Periodic};
        let basis = match ends {
            [Periodic, _] | [_, Periodic] => Basis::Fourier(RealFourier::plan(len)),
            [Neumann, Neumann] => Basis::Cosine(Cosine::plan(len)),
            [Dirichlet, Dirichlet] => Basis::Sine(Cosine::plan(len)),
            [DirichletNode, DirichletNode] => Basis::NodeSine(Sine1::plan(len)),
            [Neumann, Dirichlet] | [Dirichlet, Neumann] => Basis::Quarter(Cosine4::plan(len)),
            [Neumann, DirichletNode] | [DirichletNode, Neumann] => {
                Basis::NodeCosine(Extended::new(len, 2 * len + 1))
            }
            [Dirichlet, DirichletNode] | [DirichletNode, Dirichlet] => {
                Basis::HalfNodeSine(Extended::new(len, 2 * len + 1))
            }
        };
        let reversed = matches!(ends, [Dirichlet, Neumann] | [DirichletNode, Neumann | Dirichlet]);
        let eigenvalues = (0..len).map(|m| T::of(eigenvalue(ends, len, m))).collect();
        Self { len, reversed, basis, eigenvalues }
    }

    /// The rows of a buffer.
    pub(super) fn rows(&self) -> usize {
        each!(&self.basis, b => b.rows())
    }

    /// What a forward and a backward transform must be multiplied by.
    pub(super) fn scale(&self) -> T {
        each!(&self.basis, b => b.scale())
    }

    /// From values to coefficients.
    #[inline(always)]
    pub(super) fn forward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        if self.reversed {
            a[..self.len].reverse();
        }
        each!(&self.basis, basis => basis.forward([a, b]))
    }

    /// From coefficients to values.
    #[inline(always)]
    pub(super) fn backward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        let [a, b] = each!(&self.basis, basis => basis.backward(buffers));
        if self.reversed {
            a[..self.len].reverse();
        }
        [a, b]
    }
}

/// −λ of row `m` of the transform of `len` unknowns between `ends`.
fn eigenvalue(ends: [End; 2], len: usize, m: usize) -> f64 {
    use End::{Dirichlet, DirichletNode, Neumann, Periodic};
    let (over, under) = match ends {
        [Periodic, _] | [_, Periodic] => (m.div_ceil(2), len),
        [Neumann, Neumann] => (m, 2 * len),
        [Dirichlet, Dirichlet] => (m + 1, 2 * len),
        [DirichletNode, DirichletNode] => (m + 1, 2 * (len + 1)),
        [Neumann, Dirichlet] | [Dirichlet, Neumann] => (2 * m + 1, 4 * len),
        [Neumann, DirichletNode] | [DirichletNode, Neumann] => (2 * m + 1, 2 * (2 * len + 1)),
        [Dirichlet, DirichletNode] | [DirichletNode, Dirichlet] => (m + 1, 2 * len + 1),
    };
    let [_, sin] = root_of_unity(over, 2 * under);
    4.0 * sin * sin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_in_f32_are_those_of_f64_to_4_units_in_the_last_place() {
        use End::{Dirichlet, DirichletNode, Neumann, Periodic};
        let pi = core::f64::consts::PI;
        for len in [1, 2, 7, 64, 511, 512, 1023, 4095] {
            let n = len as f64;
            let angle = |ends: [End; 2], m: f64| match ends {
                [Neumann, Neumann] => pi * m / (2.0 * n),
                [Dirichlet, Dirichlet] => pi * (m + 1.0) / (2.0 * n),
                [DirichletNode, DirichletNode] => pi * (m + 1.0) / (2.0 * (n + 1.0)),
                [Neumann, Dirichlet] => pi * (2.0 * m + 1.0) / (4.0 * n),
                [Neumann, DirichletNode] => pi * (2.0 * m + 1.0) / (2.0 * (2.0 * n + 1.0)),
                [Dirichlet, DirichletNode] => pi * (m + 1.0) / (2.0 * n + 1.0),
                _ => pi * libm::floor((m + 1.0) / 2.0) / n,
            };
            let pairs = [
                [Neumann; 2],
                [Dirichlet; 2],
                [DirichletNode; 2],
                [Periodic; 2],
                [Neumann, Dirichlet],
                [Neumann, DirichletNode],
                [Dirichlet, DirichletNode],
            ];
            for ends in pairs {
                let axis = Axis::<f32>::new(ends, len);
                for (m, value) in axis.eigenvalues.iter().enumerate() {
                    let sin = libm::sin(angle(ends, m as f64));
                    let exact = (4.0 * sin * sin) as f32;
                    assert!(value.to_bits().abs_diff(exact.to_bits()) <= 4, "{ends:?} {len} {m}");
                }
            }
        }
    }
}
