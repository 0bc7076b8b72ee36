//! Vectors of engines to and from the arrays that the library speaks.

/// A vector or point of an engine that stands for an array: `[f32; 2]`, `[f32; 3]`, `[f64; 2]` or
/// `[f64; 3]`.
///
/// Both directions copy the components in the order x, y, z and change no bit.
///
/// ```
/// use fluid_adapters::EngineVector;
/// use fluid_num::{Faces, Grid2};
///
/// /// The flow at a position, in whatever vectors the engine has.
/// fn wind<V: EngineVector<Array = [f32; 2]>>(flow: &Faces<f32, 2>, position: V) -> V {
///     V::of_array(flow.sample(position.into_array()))
/// }
///
/// let flow = Faces::from_fn(Grid2::new([8, 8], 0.125_f32)?, |_| [1.0, 0.5]);
/// assert_eq!(wind(&flow, [0.5_f32, 0.5]), [1.0, 0.5]);
/// # #[cfg(feature = "glam027")]
/// assert_eq!(wind(&flow, glam027::Vec2::splat(0.5)), glam027::vec2(1.0, 0.5));
/// # Ok::<(), fluid_num::Error>(())
/// ```
pub trait EngineVector: Copy {
    /// The array of the same components.
    type Array;

    /// The components.
    fn into_array(self) -> Self::Array;

    /// The vector of these components.
    fn of_array(array: Self::Array) -> Self;
}

macro_rules! engine_vectors {
    ($($vector:ty, $scalar:ty, $dimension:literal;)*) => {$(
        impl EngineVector for $vector {
            type Array = [$scalar; $dimension];

            #[inline]
            fn into_array(self) -> Self::Array {
                self.into()
            }

            #[inline]
            fn of_array(array: Self::Array) -> Self {
                array.into()
            }
        }
    )*};
}

engine_vectors! {
    [f32; 2], f32, 2;
    [f32; 3], f32, 3;
    [f64; 2], f64, 2;
    [f64; 3], f64, 3;
}

macro_rules! glam_vectors {
    ($($feature:literal, $glam:ident;)*) => {$(
        #[cfg(feature = $feature)]
        engine_vectors! {
            $glam::Vec2, f32, 2;
            $glam::Vec3, f32, 3;
            $glam::Vec3A, f32, 3;
            $glam::DVec2, f64, 2;
            $glam::DVec3, f64, 3;
        }
    )*};
}

glam_vectors! {
    "glam027", glam027;
    "glam032", glam032;
    "glam033", glam033;
    "glam034", glam034;
}

#[cfg(feature = "nalgebra")]
engine_vectors! {
    nalgebra::Vector2<f32>, f32, 2;
    nalgebra::Vector3<f32>, f32, 3;
    nalgebra::Vector2<f64>, f64, 2;
    nalgebra::Vector3<f64>, f64, 3;
    nalgebra::Point2<f32>, f32, 2;
    nalgebra::Point3<f32>, f32, 3;
    nalgebra::Point2<f64>, f64, 2;
    nalgebra::Point3<f64>, f64, 3;
}

#[cfg(feature = "mint")]
engine_vectors! {
    mint::Vector2<f32>, f32, 2;
    mint::Vector3<f32>, f32, 3;
    mint::Vector2<f64>, f64, 2;
    mint::Vector3<f64>, f64, 3;
    mint::Point2<f32>, f32, 2;
    mint::Point3<f32>, f32, 3;
    mint::Point2<f64>, f64, 2;
    mint::Point3<f64>, f64, 3;
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Debug;

    /// A vector whose components are known by name gives `array`, and `array` gives the vector.
    fn keeps<V>(vector: V, array: V::Array)
    where
        V: EngineVector<Array: Copy + PartialEq + Debug> + PartialEq + Debug,
    {
        assert_eq!(vector.into_array(), array);
        assert_eq!(V::of_array(array), vector);
    }

    // Values that a detour through the other precision would change.
    const F: [f32; 3] = [0.1, -2.5, 1e-30];
    const D: [f64; 3] = [0.1, -2.5, 1e-300];

    #[test]
    fn arrays_are_their_own_vectors() {
        keeps([F[0], F[1]], [F[0], F[1]]);
        keeps(D, D);
    }

    macro_rules! glam_test {
        ($name:ident, $feature:literal, $glam:ident) => {
            #[cfg(feature = $feature)]
            #[test]
            fn $name() {
                keeps($glam::vec2(F[0], F[1]), [F[0], F[1]]);
                keeps($glam::vec3(F[0], F[1], F[2]), F);
                keeps($glam::vec3a(F[0], F[1], F[2]), F);
                keeps($glam::dvec2(D[0], D[1]), [D[0], D[1]]);
                keeps($glam::dvec3(D[0], D[1], D[2]), D);
            }
        };
    }
    glam_test!(vectors_of_glam_0_27_go_there_and_back, "glam027", glam027);
    glam_test!(vectors_of_glam_0_32_go_there_and_back, "glam032", glam032);
    glam_test!(vectors_of_glam_0_33_go_there_and_back, "glam033", glam033);
    glam_test!(vectors_of_glam_0_34_go_there_and_back, "glam034", glam034);

    #[cfg(feature = "nalgebra")]
    #[test]
    fn vectors_and_points_of_nalgebra_go_there_and_back() {
        use nalgebra::{Point2, Point3, Vector2, Vector3};
        keeps(Vector2::new(F[0], F[1]), [F[0], F[1]]);
        keeps(Vector3::new(F[0], F[1], F[2]), F);
        keeps(Vector2::new(D[0], D[1]), [D[0], D[1]]);
        keeps(Vector3::new(D[0], D[1], D[2]), D);
        keeps(Point2::new(F[0], F[1]), [F[0], F[1]]);
        keeps(Point3::new(F[0], F[1], F[2]), F);
        keeps(Point2::new(D[0], D[1]), [D[0], D[1]]);
        keeps(Point3::new(D[0], D[1], D[2]), D);
    }

    #[cfg(feature = "mint")]
    #[test]
    fn vectors_and_points_of_mint_go_there_and_back() {
        use mint::{Point2, Point3, Vector2, Vector3};
        let ([x, y, z], [dx, dy, dz]) = (F, D);
        keeps(Vector2 { x, y }, [x, y]);
        keeps(Vector3 { x, y, z }, F);
        keeps(Vector2 { x: dx, y: dy }, [dx, dy]);
        keeps(Vector3 { x: dx, y: dy, z: dz }, D);
        keeps(Point2 { x, y }, [x, y]);
        keeps(Point3 { x, y, z }, F);
        keeps(Point2 { x: dx, y: dy }, [dx, dy]);
        keeps(Point3 { x: dx, y: dy, z: dz }, D);
    }
}
