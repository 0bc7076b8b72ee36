//! Marching squares: the lines on which a field in the plane has a given value.

use alloc::vec::Vec;

use crate::base::error::check;
use crate::{Error, Field, Grid, Location, Real};

/// What a contour does at the outermost places of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Border {
    /// It ends there. The default.
    #[default]
    Open,
    /// It follows them around what is inside, as though all beyond were outside: every line is closed.
    Closed,
}

/// Finds the segments of the line on which `field` is `level`, with what is **inside**, where the field
/// is greater, on their left: the outline of a drop runs counterclockwise, and its area by the
/// shoelace formula is positive.
///
/// Each square of four neighbouring places is cut on its own (marching squares). Points lie on the
/// edges between places, where the linear interpolant has the level: a smooth outline is met
/// to second order. Where inside and outside lie crosswise, the square's middle belongs to the side
/// of the mean of its four values. Segments come by rows of squares; those of neighbouring squares
/// share their points to the bit; some have no length where a value is exactly the level.
/// [`Outlines`](super::Outlines) joins them.
///
/// **Cost**, f32, one core: 4 ns a place and 16 ns a segment. No memory is taken as long as `segments` has
/// room.
///
/// ```
/// use fluid_num::level_set::{Border, contour};
/// use fluid_num::{Field, Grid2};
/// let hill = Field::from_fn(Grid2::new([40, 40], 0.05)?, |[x, y]: [f64; 2]| {
///     1.0 - (x - 1.0).powi(2) - (y - 1.0).powi(2)
/// });
/// let mut segments = Vec::new();
/// contour(&hill, 0.75, Border::Open, &mut segments)?;
/// let cross = |[a, b]: &[[f64; 2]; 2]| 0.5 * (a[0] * b[1] - a[1] * b[0]);
/// let area: f64 = segments.iter().map(cross).sum();
/// assert!((area / (core::f64::consts::PI * 0.25) - 1.0).abs() < 0.01);
/// # Ok::<(), fluid_num::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotFinite`] for a field and [`Error::InvalidParameter`] for a level that is not finite;
/// `segments` is as before then.
pub fn contour<T: Real>(
    field: &Field<T, 2>,
    level: T,
    border: Border,
    segments: &mut Vec<[[T; 2]; 2]>,
) -> Result<(), Error> {
    check_input(field, level)?;
    segments.clear();
    march(field, Inside::Above(level), border, |from, to| segments.push([from.at, to.at]));
    Ok(())
}

pub(super) fn check_input<T: Real>(field: &Field<T, 2>, level: T) -> Result<(), Error> {
    check::finite("contour level", level)?;
    field.check_finite("the contoured field")
}

/// Which values are inside.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inside<T> {
    /// Those above a level.
    Above(T),
    /// Those below it.
    Below(T),
}

impl<T: Real> Inside<T> {
    fn holds(self, value: T) -> bool {
        match self {
            Self::Above(level) => value > level,
            Self::Below(level) => value < level,
        }
    }

    fn level(self) -> T {
        match self {
            Self::Above(level) | Self::Below(level) => level,
        }
    }
}

/// The number of different joints at each place.
pub(super) const JOINTS: usize = 3;

/// An end of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint<T> {
    /// [`JOINTS`] times the storage index of a place, and 0 or 1 for a point on the edge from there
    /// along x or y, 2 for the place itself.
    pub(super) key: usize,
    pub(super) at: [T; 2],
}

/// Calls `emit` with the ends of each segment. Each joint begins one segment at most and ends one at
/// most.
pub(super) fn march<T: Real>(
    field: &Field<T, 2>,
    within: Inside<T>,
    border: Border,
    mut emit: impl FnMut(Joint<T>, Joint<T>),
) {
    let lines = Lines { grid: field.grid(), location: field.location(), within };
    let region = field.region();
    let [across, up] = [region.len(0), region.len(1)];
    if across < 2 || up < 2 {
        return;
    }
    for j in 0..up - 1 {
        let [lower, upper] = [j, j + 1].map(|j| region.row(j).of(field.as_slice()));
        for i in 0..across - 1 {
            // Counterclockwise from the lower left; the place, and whether it is inside.
            let corners = [lower[i], lower[i + 1], upper[i + 1], upper[i]];
            let inside = corners.map(|v| within.holds(v));
            if inside == [inside[0]; 4] {
                continue;
            }
            let places = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
            let point = |edge: usize| {
                let next = (edge + 1) % 4;
                lines.crossing([places[edge], places[next]], [corners[edge], corners[next]])
            };
            // Around the square inside ends at one edge and begins at another. The line runs from
            // where it ends to where it begins: back where it began, or, between two inside
            // corners that the middle joins, on to where it begins next.
            let ends = |edge: &usize| inside[*edge] && !inside[(*edge + 1) % 4];
            let begins = |edge: &usize| !inside[*edge] && inside[(*edge + 1) % 4];
            let [a, b, c, d] = corners;
            let joined = within.holds((a + b + c + d) * T::of(0.25));
            for edge in (0..4).filter(ends) {
                let back = (1..4).map(|n| (edge + if joined { n } else { 4 - n }) % 4).find(begins);
                if let Some(back) = back {
                    emit(point(edge), point(back));
                }
            }
        }
    }
    if border == Border::Closed {
        follow_border(field, &lines, [across - 1, up - 1], emit);
    }
}

/// Emits the parts of the border that are inside, counterclockwise.
fn follow_border<T: Real>(
    field: &Field<T, 2>,
    lines: &Lines<'_, T>,
    [right, top]: [usize; 2],
    mut emit: impl FnMut(Joint<T>, Joint<T>),
) {
    let around = (0..right)
        .map(|i| [i, 0])
        .chain((0..top).map(|j| [right, j]))
        .chain((1..=right).rev().map(|i| [i, top]))
        .chain((1..=top).rev().map(|j| [0, j]));
    let next = around.clone().cycle().skip(1);
    for (from, to) in around.zip(next) {
        let values = [field[from], field[to]];
        match values.map(|v| lines.within.holds(v)) {
            [true, true] => emit(lines.place(from), lines.place(to)),
            [true, false] => emit(lines.place(from), lines.crossing([from, to], values)),
            [false, true] => emit(lines.crossing([from, to], values), lines.place(to)),
            [false, false] => {}
        }
    }
}

/// Where the points of a contour lie.
struct Lines<'a, T> {
    grid: &'a Grid<T, 2>,
    location: Location,
    within: Inside<T>,
}

impl<T: Real> Lines<'_, T> {
    fn place(&self, place: [usize; 2]) -> Joint<T> {
        Joint {
            key: JOINTS * self.grid.index(place) + 2,
            at: self.grid.position(self.location, place),
        }
    }

    /// The point on the edge between two neighbouring places, the same from either side.
    fn crossing(&self, [p, q]: [[usize; 2]; 2], [a, b]: [T; 2]) -> Joint<T> {
        let ([p, q], [a, b]) = if p < q { ([p, q], [a, b]) } else { ([q, p], [b, a]) };
        let axis = usize::from(p[0] == q[0]);
        // On the edge even where differences leave the range of numbers.
        let share = ((self.within.level() - a) / (b - a)).at_least(T::zero()).at_most(T::one());
        let mut at = self.grid.position(self.location, p);
        at[axis] += share * self.grid.dx();
        Joint { key: JOINTS * self.grid.index(p) + axis, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid2;
    use alloc::vec;
    use core::f64::consts::PI;

    const CENTER: [f64; 2] = [1.03, 0.98];

    fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
        ((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)).sqrt()
    }

    fn disc(cells: usize, radius: f64) -> Field<f64, 2> {
        let grid = Grid2::new([cells, cells], 2.0 / cells as f64).unwrap();
        Field::from_fn(grid, |[x, y]| radius - distance([x, y], CENTER))
    }

    fn traced<T: Real>(field: &Field<T, 2>, level: T, border: Border) -> Vec<[[T; 2]; 2]> {
        let mut segments = Vec::new();
        contour(field, level, border, &mut segments).unwrap();
        segments
    }

    fn area(segments: &[[[f64; 2]; 2]]) -> f64 {
        segments.iter().map(|[a, b]| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
    }

    fn length(segments: &[[[f64; 2]; 2]]) -> f64 {
        segments.iter().map(|[a, b]| distance(*a, *b)).sum()
    }

    #[test]
    fn the_outline_of_a_disc_is_its_circle_to_second_order() {
        let radius = 0.62;
        let errors = [24, 96].map(|cells| {
            let segments = traced(&disc(cells, radius), 0.0, Border::Open);
            let off = |p: [f64; 2]| (distance(p, CENTER) - radius).abs();
            let worst = segments.iter().flatten().map(|p| off(*p)).fold(0.0, f64::max);
            let around = 2.0 * PI * radius;
            let square = PI * radius * radius;
            [
                worst,
                (length(&segments) / around - 1.0).abs(),
                (area(&segments) / square - 1.0).abs(),
            ]
        });
        // Interpolation along an edge is off by at most dx²/8 times the curvature.
        let dx = 2.0 / 24.0;
        assert!(errors[0][0] < 0.13 * dx * dx / radius, "{errors:?}");
        for (coarse, fine) in errors[0].into_iter().zip(errors[1]) {
            // Four times as fine: 16 times as near, where the worst edge happens to be comparable.
            assert!(fine < coarse / 10.0, "{errors:?}");
            assert!(fine < 1e-3, "{errors:?}");
        }
    }

    #[test]
    fn inside_is_on_the_left() {
        let drop = disc(32, 0.5);
        assert!((area(&traced(&drop, 0.0, Border::Open)) - 0.25 * PI).abs() < 0.01);
        let mut bubble = drop;
        bubble.as_mut_slice().iter_mut().for_each(|v| *v = -*v);
        assert!((area(&traced(&bubble, 0.0, Border::Open)) + 0.25 * PI).abs() < 0.01);
        // Closed, it is what is left of the rectangle of the outermost places.
        let rectangle = (2.0_f64 - 2.0 / 32.0).powi(2);
        let left = area(&traced(&bubble, 0.0, Border::Closed));
        assert!((left - (rectangle - 0.25 * PI)).abs() < 0.01, "{left}");
    }

    #[test]
    fn each_of_the_sixteen_squares_is_cut_where_its_edges_change_side() {
        let grid = Grid2::new([2, 2], 1.0).unwrap();
        // Inside and outside of different strength: both saddles, joined and not.
        for [within, beyond] in [[3.0, -1.0], [1.0, -3.0]] {
            for case in 0..16_u32 {
                let corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
                let mut square = Field::zeros(grid);
                for (n, corner) in corners.into_iter().enumerate() {
                    square[corner] = if case >> n & 1 == 1 { within } else { beyond };
                }
                let segments = traced(&square, 0.0, Border::Open);
                let mut expected = Vec::new();
                for n in 0..4 {
                    let (p, q) = (corners[n], corners[(n + 1) % 4]);
                    if (square[p] > 0.0) != (square[q] > 0.0) {
                        let share = square[p] / (square[p] - square[q]);
                        expected.push(
                            [0, 1].map(|a| 0.5 + p[a] as f64 + share * (q[a] as f64 - p[a] as f64)),
                        );
                    }
                }
                let ends: Vec<[f64; 2]> = segments.iter().flatten().copied().collect();
                assert_eq!(ends.len(), expected.len(), "case {case}");
                for point in expected {
                    let near = |p: &&[f64; 2]| distance(**p, point) < 1e-12;
                    assert_eq!(ends.iter().filter(near).count(), 1, "case {case}: {point:?}");
                }
                // Each corner lies on its own side of every segment that ends beside it.
                for [a, b] in &segments {
                    for corner in corners {
                        let [x, y] = corner.map(|c| 0.5 + c as f64);
                        let beside = |p: &[f64; 2]| {
                            (p[0] - x).abs() < 1e-9 && (p[1] - y).abs() < 1.0
                                || (p[1] - y).abs() < 1e-9 && (p[0] - x).abs() < 1.0
                        };
                        let left = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                        if beside(a) && beside(b) {
                            assert_eq!(left > 0.0, square[corner] > 0.0, "case {case}: {corner:?}");
                        }
                    }
                }
                if case == 5 || case == 10 {
                    // The middle of the square is inside where the mean of the corners is.
                    let cut_off = |corner: &&[usize; 2]| {
                        let [x, y] = corner.map(|c| 0.5 + c as f64);
                        segments
                            .iter()
                            .any(|[a, b]| (a[0] == x || b[0] == x) && (a[1] == y || b[1] == y))
                    };
                    let cut: Vec<f64> =
                        corners.iter().filter(cut_off).map(|c| square[*c]).collect();
                    assert_eq!(cut, if within > 2.0 { [beyond; 2] } else { [within; 2] });
                }
            }
        }
    }

    #[test]
    fn a_level_that_the_field_never_has_gives_nothing() {
        let field = disc(16, 0.5);
        assert!(traced(&field, 0.6, Border::Open).is_empty());
        assert!(traced(&field, 0.6, Border::Closed).is_empty());
        assert!(traced(&field, -9.0, Border::Open).is_empty());
        // All inside: the border alone, once around.
        let around = traced(&field, -9.0, Border::Closed);
        assert_eq!(around.len(), 4 * 15);
        assert!((area(&around) - (15.0 / 8.0_f64).powi(2)).abs() < 1e-12);
        assert!((length(&around) - 4.0 * 15.0 / 8.0).abs() < 1e-12);
        let single = Field::zeros(Grid2::new([1, 7], 0.1).unwrap());
        assert!(traced(&single, -1.0, Border::Closed).is_empty());
    }

    #[test]
    fn the_level_itself_is_outside_and_is_met_exactly() {
        let grid = Grid2::new([3, 3], 1.0).unwrap();
        let mut field = Field::zeros(grid);
        assert!(traced(&field, 0.0, Border::Closed).is_empty());
        field[[1, 1]] = 1.0_f32;
        // A diamond through its four neighbours.
        let segments = traced(&field, 0.0, Border::Open);
        assert_eq!(segments.len(), 4);
        for [x, y] in segments.into_iter().flatten() {
            assert_eq!((x - 1.5).abs() + (y - 1.5).abs(), 1.0);
        }
        // Values whose differences overflow: still on the edges.
        field.fill(f32::MIN);
        field[[1, 1]] = f32::MAX;
        for [x, y] in traced(&field, 0.0, Border::Open).into_iter().flatten() {
            assert!((0.5..=2.5).contains(&x) && (0.5..=2.5).contains(&y));
        }
    }

    #[test]
    fn what_is_not_finite_is_refused_and_changes_nothing() {
        let mut segments = vec![[[1.0, 2.0], [3.0, 4.0]]];
        let mut field = disc(8, 0.5);
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(contour(&field, bad, Border::Open, &mut segments).is_err());
        }
        field[[3, 5]] = f64::NAN;
        let refused = contour(&field, 0.0, Border::Open, &mut segments);
        let expected = Error::NotFinite { name: "the contoured field", place: [3, 5, 0] };
        assert_eq!(refused, Err(expected));
        assert_eq!(segments, [[[1.0, 2.0], [3.0, 4.0]]]);
    }
}
