//! Contours as lines from point to point.

use alloc::vec::Vec;

use super::Border;
use super::contour::{Inside, JOINTS, check_input, march};
use crate::{Error, Field, Real};

/// No segment.
const NONE: u32 = u32::MAX;

/// One line of a contour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline<'a, T> {
    /// Its points in order, what is inside on the left, m. A closed line names its first point once.
    pub points: &'a [[T; 2]],
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

/// The lines on which a field in the plane has a given value, joined from the segments of
/// [`contour`](super::contour()).
///
/// Open lines come before closed ones, each kind by its first segment. No memory is taken for no more
/// points and no larger a field than ever before.
///
/// ```
/// use fluid_num::level_set::{Border, Outlines};
/// use fluid_num::{Field, Grid2};
/// let slope = Field::from_fn(Grid2::new([8, 4], 0.25)?, |[x, _]: [f64; 2]| x);
/// let mut outlines = Outlines::new();
/// outlines.trace(&slope, 0.75, Border::Open)?;
/// let line = outlines.iter().next().unwrap();
/// assert!(!line.closed);
/// assert_eq!(line.points.first(), Some(&[0.75, 0.875])); // downwards: more is on the left
/// assert_eq!(line.points.last(), Some(&[0.75, 0.125]));
/// outlines.trace(&slope, 0.75, Border::Closed)?;
/// assert!(outlines.iter().all(|line| line.closed));
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Outlines<T> {
    points: Vec<[T; 2]>,
    /// Where each line ends in `points`, and whether it is closed.
    lines: Vec<(usize, bool)>,
    // Scratch.
    segments: Vec<Segment<T>>,
    /// The segment that begins at each joint.
    begins: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Segment<T> {
    ends: [[T; 2]; 2],
    /// The key of the joint at its end.
    to: usize,
    /// The segment that begins there, or [`NONE`].
    next: u32,
    /// Whether another segment ends where it begins.
    led_to: bool,
    taken: bool,
}

impl<T: Real> Outlines<T> {
    /// No lines.
    pub fn new() -> Self {
        Self { points: Vec::new(), lines: Vec::new(), segments: Vec::new(), begins: Vec::new() }
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines.
    pub fn iter(&self) -> impl Iterator<Item = Outline<'_, T>> {
        let begin = |n: usize| if n == 0 { 0 } else { self.lines[n - 1].0 };
        self.lines.iter().enumerate().map(move |(n, (end, closed))| Outline {
            points: &self.points[begin(n)..*end],
            closed: *closed,
        })
    }

    /// Finds the lines on which `field` is `level`, in place of those before.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a field and [`Error::InvalidParameter`] for a level that is not finite;
    /// the lines are as before then.
    pub fn trace(&mut self, field: &Field<T, 2>, level: T, border: Border) -> Result<(), Error> {
        check_input(field, level)?;
        self.follow_all(field, Inside::Above(level), border);
        Ok(())
    }

    /// The same for a field and a level that are finite.
    pub(super) fn follow_all(&mut self, field: &Field<T, 2>, within: Inside<T>, border: Border) {
        let Self { segments, begins, .. } = self;
        segments.clear();
        begins.clear();
        begins.resize(JOINTS * field.grid().array_len(), NONE);
        march(field, within, border, |from, to| {
            begins[from.key] = segments.len() as u32;
            let ends = [from.at, to.at];
            segments.push(Segment { ends, to: to.key, next: NONE, led_to: false, taken: false });
        });
        for n in 0..segments.len() {
            let next = begins[segments[n].to];
            segments[n].next = next;
            if let Some(next) = segments.get_mut(next as usize) {
                next.led_to = true;
            }
        }
        self.points.clear();
        self.lines.clear();
        for n in 0..self.segments.len() {
            if !self.segments[n].led_to {
                self.follow(n);
            }
        }
        for n in 0..self.segments.len() {
            if !self.segments[n].taken {
                self.follow(n);
            }
        }
    }

    /// Makes a line of segment `first` and those that follow it.
    fn follow(&mut self, first: usize) {
        let mut n = first;
        while let Some(segment) = self.segments.get_mut(n).filter(|s| !s.taken) {
            segment.taken = true;
            let [from, to] = segment.ends;
            self.points.push(from);
            if segment.next == NONE {
                self.points.push(to);
            }
            n = segment.next as usize;
        }
        self.lines.push((self.points.len(), n == first));
    }
}

#[cfg(test)]
mod tests {
    use super::super::contour;
    use super::*;
    use crate::Grid2;
    use core::f64::consts::PI;

    fn area(points: &[[f64; 2]]) -> f64 {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
    }

    /// Values that rise and fall a few times, with saddles.
    fn hills(cells: [usize; 2], seed: u64) -> Field<f64, 2> {
        let mut state = seed;
        Field::from_fn(Grid2::new(cells, 0.1).unwrap(), |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
        })
    }

    #[test]
    fn a_ring_has_an_outer_line_and_a_hole() {
        let grid = Grid2::new([60, 60], 1.0 / 60.0).unwrap();
        let ring = Field::from_fn(grid, |[x, y]: [f64; 2]| {
            0.1 - (((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt() - 0.3).abs()
        });
        let mut outlines = Outlines::new();
        outlines.trace(&ring, 0.0, Border::Open).unwrap();
        let mut areas: Vec<f64> = outlines.iter().map(|line| area(line.points)).collect();
        areas.sort_by(f64::total_cmp);
        assert!(outlines.iter().all(|line| line.closed));
        assert_eq!(areas.len(), 2);
        assert!((areas[0] + PI * 0.04).abs() < 1e-3 && (areas[1] - PI * 0.16).abs() < 1e-3);
    }

    #[test]
    fn lines_hold_every_segment_once_and_end_at_the_border_alone() {
        for seed in 1..20 {
            let field = hills([3 + seed as usize, 17], seed);
            let (mut outlines, mut segments) = (Outlines::new(), Vec::new());
            for (level, border) in
                [(0.0, Border::Open), (0.1, Border::Closed), (-0.2, Border::Closed)]
            {
                contour(&field, level, border, &mut segments).unwrap();
                outlines.trace(&field, level, border).unwrap();
                let mut parts = Vec::new();
                for Outline { points, closed } in outlines.iter() {
                    parts.extend(points.windows(2).map(|p| [p[0], p[1]]));
                    let (first, last) = (points[0], points[points.len() - 1]);
                    if closed {
                        parts.push([last, first]);
                        continue;
                    }
                    assert_eq!(border, Border::Open);
                    let size = field.grid().size();
                    for p in [first, last] {
                        let on = |a: usize| p[a] == 0.05 || (p[a] - (size[a] - 0.05)).abs() < 1e-12;
                        assert!(on(0) || on(1), "{p:?}");
                    }
                }
                let key = |s: &[[f64; 2]; 2]| s.map(|p| p.map(f64::to_bits));
                parts.sort_by_key(key);
                segments.sort_by_key(key);
                assert_eq!(parts, segments);
            }
        }
    }

    #[test]
    fn the_area_of_closed_lines_grows_as_the_level_falls_to_that_of_all() {
        let field = hills([25, 31], 5);
        let mut outlines = Outlines::new();
        let areas = [0.45, 0.2, 0.0, -0.2, -0.45, -0.6].map(|level| {
            outlines.trace(&field, level, Border::Closed).unwrap();
            outlines.iter().map(|line| area(line.points)).sum::<f64>()
        });
        assert!(areas.is_sorted(), "{areas:?}");
        assert!((areas[5] - 2.4 * 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_refused_field_leaves_the_lines_as_they_were() {
        let mut field = hills([9, 9], 3);
        let mut outlines = Outlines::new();
        outlines.trace(&field, 0.0, Border::Open).unwrap();
        let before: Vec<_> = outlines.iter().map(|line| line.points.to_vec()).collect();
        field[[2, 2]] = f64::NEG_INFINITY;
        assert!(outlines.trace(&field, 0.0, Border::Open).is_err());
        assert!(!before.is_empty());
        assert!(outlines.iter().map(|line| line.points.to_vec()).eq(before));
    }
}
