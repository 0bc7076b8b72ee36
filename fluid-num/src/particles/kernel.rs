//! Smoothing kernels: how much of a particle is felt at a distance.
//!
//! ```text
//! ∫ W dV = 1       W(r) = 0 for r ≥ h       ∇W(x) = f(|x|)·x
//!
//!                 W                                      in the plane   in space
//! cubic spline    σ(2(1 − q)³ − 8(½ − q)³), q = r/h      40/(7πh²)      8/(πh³)
//! poly6           σ(h² − r²)³                            4/(πh⁸)        315/(64πh⁹)
//! spiky           σ(h − r)³                              10/(πh⁵)       15/(πh⁶)
//! Wendland C2     σ(1 − q)⁴(1 + 4q)                      7/(πh²)        21/(2πh³)
//! ```
//!
//! Every bracket is 0 where it would be negative. h is the support radius, never half of it. The functions
//! have no branches, so that loops over neighbours run in lanes.
//!
//! References: J. J. Monaghan, *Smoothed particle hydrodynamics*, 2005,
//! <https://doi.org/10.1088/0034-4885/68/8/R01>; M. Müller, D. Charypar, M. Gross, *Particle-based
//! fluid simulation for interactive applications*, 2003, <https://doi.org/10.2312/SCA03/154-159>;
//! W. Dehnen, H. Aly, *Improving convergence in smoothed particle hydrodynamics simulations without
//! pairing instability*, 2012, <https://doi.org/10.1111/j.1365-2966.2012.21439.x>.

use core::f64::consts::PI;

use crate::base::error::check;
use crate::{Error, Real};

/// A radial function of unit integral that vanishes beyond its support radius.
pub trait Kernel<T: Real>: Copy + Sync {
    /// W at a distance r ≥ 0.
    fn value(&self, r: T) -> T;

    /// f at a distance r ≥ 0: the gradient of W at x is f(|x|)·x. Finite everywhere.
    fn gradient(&self, r: T) -> T;

    /// The distance from which on W is 0, m.
    fn support_radius(&self) -> T;

    /// W(0), a particle's own part.
    #[inline(always)]
    fn at_zero(&self) -> T {
        self.value(T::zero())
    }

    /// The mass of each particle of a lattice of cubes (squares in the plane) with the rest density
    /// inside, kg: nearly ρ₀·spacing^D.
    ///
    /// ```
    /// use fluid_num::particles::kernel::{CubicSpline, Kernel};
    /// let kernel = CubicSpline::<f64, 2>::new(0.025)?;
    /// let mass = kernel.particle_mass::<2>(0.01, 1000.0)?;
    /// assert!((mass / 0.1 - 1.0).abs() < 1e-3);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a spacing or a density that is not finite and positive, or a
    /// spacing below 1/64 of the support radius.
    fn particle_mass<const D: usize>(&self, spacing: T, rest_density: T) -> Result<T, Error> {
        check::positive("spacing", spacing)?;
        check::positive("rest_density", rest_density)?;
        let ratio = self.support_radius() / spacing;
        check::within("support radius / spacing", ratio, 0.0, 64.0, "at most 64")?;
        let mut sum = 0.0;
        over_lattice::<T, D>(ratio, spacing, |r| sum += self.value(r).to_f64());
        let mass = rest_density / T::of(sum);
        check::positive("particle mass", mass)?;
        Ok(mass)
    }
}

/// Calls `visit` with the distance of every point of a lattice of cubes from one of them, that one
/// included, as far as `ratio` spacings along each axis.
pub(crate) fn over_lattice<T: Real, const D: usize>(
    ratio: T,
    spacing: T,
    mut visit: impl FnMut(T),
) {
    let most = ratio.ceil().truncate();
    let side = 2 * most + 1;
    for n in 0..side.pow(D as u32) {
        let (mut rest, mut squared) = (n, T::zero());
        for _ in 0..D {
            let x = T::of_index(rest % side - most) * spacing;
            squared += x * x;
            rest /= side;
        }
        visit(squared.sqrt());
    }
}

/// The part of a number above 0.
#[inline(always)]
fn positive<T: Real>(x: T) -> T {
    x.at_least(T::zero())
}

/// The least distance that anything is divided by, in support radii.
const LEAST: f64 = 1e-9;

macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $plane:expr, $space:expr, $power:expr,
     |$k:ident, $r:ident| $value:expr, $gradient:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name<T, const D: usize> {
            support_radius: T,
            inverse_radius: T,
            /// σ of W, and of f with all constants.
            scale: [T; 2],
            least: T,
        }

        impl<T: Real, const D: usize> $name<T, D> {
            /// The kernel with a support radius in metres.
            ///
            /// # Errors
            /// [`Error::InvalidParameter`] for a radius that is not finite and positive, or so small or
            /// large that the constants of the kernel are no longer numbers.
            pub fn new(support_radius: T) -> Result<Self, Error> {
                check::positive("support_radius", support_radius)?;
                let h = support_radius.to_f64();
                // All kernels are functions of q = r/h here: σ grows as h to the power −D.
                let [plane, space]: [f64; 2] = [$plane, $space];
                let sigma = if D == 2 { plane / (h * h) } else { space / (h * h * h) };
                let scale = [sigma, $power * sigma / (h * h)].map(T::of);
                let least = T::of(LEAST);
                for constant in [scale[0], scale[1], scale[1] / least] {
                    if !(constant.is_finite() && constant > T::zero()) {
                        return Err(Error::InvalidParameter {
                            name: "support_radius",
                            value: h,
                            expected: "such that its fifth power is within the range of numbers",
                        });
                    }
                }
                Ok(Self {
                    support_radius,
                    inverse_radius: T::of(1.0 / h),
                    scale,
                    least,
                })
            }
        }

        impl<T: Real, const D: usize> Kernel<T> for $name<T, D> {
            #[inline(always)]
            fn value(&self, r: T) -> T {
                let ($k, $r) = (self, r * self.inverse_radius);
                let _ = $k;
                self.scale[0] * $value
            }

            #[inline(always)]
            fn gradient(&self, r: T) -> T {
                let ($k, $r) = (self, r * self.inverse_radius);
                let _ = $k;
                self.scale[1] * $gradient
            }

            #[inline(always)]
            fn support_radius(&self) -> T {
                self.support_radius
            }
        }
    };
}

kernel!(
    /// The cubic spline: the standard kernel of SPH.
    CubicSpline, 40.0 / (7.0 * PI), 8.0 / PI, 6.0,
    |k, q| {
        let (u, v) = (positive(T::one() - q), positive(T::of(0.5) - q));
        T::of(2.0) * (u * u * u) - T::of(8.0) * (v * v * v)
    },
    {
        let (u, v) = (positive(T::one() - q), positive(T::of(0.5) - q));
        (T::of(4.0) * (v * v) - u * u) / q.at_least(k.least)
    }
);
kernel!(
    /// The kernel of Müller et al. 2003 for densities: smooth, and needs no square root.
    Poly6, 4.0 / PI, 315.0 / (64.0 * PI), 6.0,
    |k, q| {
        let u = positive(T::one() - q * q);
        u * u * u
    },
    {
        let u = positive(T::one() - q * q);
        -(u * u)
    }
);
kernel!(
    /// The kernel of Müller et al. 2003 for pressure: its slope does not vanish near 0, so that
    /// particles never clump.
    Spiky, 10.0 / PI, 15.0 / PI, 3.0,
    |k, q| {
        let u = positive(T::one() - q);
        u * u * u
    },
    {
        let u = positive(T::one() - q);
        -(u * u) / q.at_least(k.least)
    }
);
kernel!(
    /// The kernel of Wendland with two continuous derivatives: no pairing of particles, however
    /// many neighbours.
    WendlandC2, 7.0 / PI, 21.0 / (2.0 * PI), 20.0,
    |k, q| {
        let u = positive(T::one() - q);
        (u * u) * (u * u) * (T::one() + T::of(4.0) * q)
    },
    {
        let u = positive(T::one() - q);
        -(u * u * u)
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ W dV by the midpoint rule over shells.
    fn integral<const D: usize>(kernel: impl Kernel<f64>) -> f64 {
        let (n, h) = (4000, kernel.support_radius());
        let dr = h / f64::from(n);
        let shell = |r: f64| if D == 2 { 2.0 * PI * r } else { 4.0 * PI * r * r };
        (0..n).map(|i| (f64::from(i) + 0.5) * dr).map(|r| kernel.value(r) * shell(r) * dr).sum()
    }

    #[track_caller]
    fn check_kernel<const D: usize>(kernel: impl Kernel<f64>, single: impl Kernel<f32>) {
        let h = kernel.support_radius();
        assert!((integral::<D>(kernel) - 1.0).abs() < 1e-5);
        let mut last = f64::INFINITY;
        for n in 1..200 {
            let r = f64::from(n) / 180.0 * h;
            let value = kernel.value(r);
            assert!(value <= last && value >= 0.0, "W rises at {r}");
            last = value;
            let step = 1e-6 * h;
            let slope = (kernel.value(r + step) - kernel.value(r - step)) / (2.0 * step);
            let scale = kernel.at_zero() / h;
            assert!((kernel.gradient(r) * r - slope).abs() < 1e-5 * scale, "slope at {r}");
            let error = f64::from(single.value(r as f32)) - value;
            assert!(error.abs() < 1e-6 * kernel.at_zero(), "f32 at {r}");
            if r >= h {
                assert_eq!((value, kernel.gradient(r)), (0.0, 0.0));
                assert_eq!(single.value(r as f32 * 1.0001), 0.0);
            }
        }
        assert!(kernel.gradient(0.0).is_finite() && kernel.gradient(0.0) * 0.0 == 0.0);
    }

    #[test]
    fn kernels_integrate_to_one_and_have_the_gradient_of_their_value() {
        let h = 0.3;
        macro_rules! check {
            ($($name:ident),*) => {$(
                check_kernel::<2>($name::<f64, 2>::new(h).unwrap(), $name::<f32, 2>::new(0.3).unwrap());
                check_kernel::<3>($name::<f64, 3>::new(h).unwrap(), $name::<f32, 3>::new(0.3).unwrap());
            )*};
        }
        check!(CubicSpline, Poly6, Spiky, WendlandC2);
    }

    #[test]
    fn case_o18_the_density_of_a_lattice_with_and_without_the_particle_itself() {
        let table = [
            (1.0, 1.0009, 0.546),
            (1.2, 0.9998, 0.684),
            (1.3, 1.0000, 0.731),
            (1.5, 1.0034, 0.801),
            (2.0, 1.0000, 0.886),
        ];
        for (ratio, with, without) in table {
            // In the case's words the support is 2h, and h/dx the ratio.
            let kernel = CubicSpline::<f64, 2>::new(2.0 * ratio).unwrap();
            let density = 1.0 / kernel.particle_mass::<2>(1.0, 1.0).unwrap();
            // The case gives four digits; that of 1.3 is 0.99995.
            assert!((density - with).abs() < 6e-5, "{ratio}: {density}");
            assert!((density - kernel.at_zero() - without).abs() < 5.1e-4, "{ratio}");
        }
    }

    #[test]
    fn radii_and_spacings_that_make_no_sense_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(CubicSpline::<f64, 2>::new(bad).is_err());
            assert!(WendlandC2::<f64, 3>::new(bad).is_err());
            let kernel = Poly6::<f64, 2>::new(1.0).unwrap();
            assert!(kernel.particle_mass::<2>(bad, 1.0).is_err());
            assert!(kernel.particle_mass::<2>(1.0, bad).is_err());
        }
        assert!(Spiky::<f64, 3>::new(1.0).unwrap().particle_mass::<3>(1e-3, 1.0).is_err());
        // Powers of these leave the range of f32.
        assert!(CubicSpline::<f32, 3>::new(1e-8).is_err());
        assert!(Spiky::<f32, 3>::new(1e-6).is_err());
        assert!(CubicSpline::<f32, 3>::new(1e15).is_err());
        assert!(CubicSpline::<f32, 3>::new(1e-3).is_ok());
    }
}
