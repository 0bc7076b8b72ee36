//! What of the rows of a region matters, and what is rare in them.

use alloc::vec::Vec;

use super::{Region, Row};

/// Spans begin and end at multiples of this many places: whole vectors, and pairs of siblings.
const ALIGN: usize = 16;

/// For each row of a region the first place that matters and the last, in whole groups.
#[derive(Debug, Clone, Default)]
pub struct Spans(Vec<[u32; 2]>);

impl Spans {
    /// With room for `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        Self(Vec::with_capacity(rows))
    }

    /// Finds the spans of `values` that are not zero.
    pub fn find<T: Default + PartialEq, const D: usize>(
        &mut self,
        region: &Region<D>,
        values: &[T],
    ) {
        let zero = T::default();
        let matters = |part: &[T]| part.iter().fold(false, |any, v| any | (*v != zero));
        self.0.clear();
        self.0.extend((0..region.rows()).map(|n| {
            let row = region.row(n).of(values);
            let first = row.chunks(ALIGN).position(matters);
            let last = row.chunks(ALIGN).rposition(matters);
            let (first, end) = (first.unwrap_or(0), last.map_or(0, |last| last + 1));
            [first * ALIGN, (end * ALIGN).min(row.len())].map(|n| n as u32)
        }));
    }

    /// A region, and these spans of its rows.
    pub fn of<const D: usize>(&self, region: Region<D>) -> Extent<'_, D> {
        Extent { region, spans: Some(&self.0) }
    }
}

/// A region, or spans of its rows.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a, const D: usize> {
    /// The region.
    pub region: Region<D>,
    spans: Option<&'a [[u32; 2]]>,
}

impl<const D: usize> From<Region<D>> for Extent<'_, D> {
    fn from(region: Region<D>) -> Self {
        Self { region, spans: None }
    }
}

impl<const D: usize> Extent<'_, D> {
    /// What matters of row number `n`; nothing is a row without places.
    #[inline(always)]
    pub fn row(&self, n: usize) -> Row<D> {
        let row = self.region.row(n);
        let Some([first, end]) = self.spans.and_then(|spans| spans.get(n)) else { return row };
        let (first, len) = (*first as usize, (*end - *first) as usize);
        let mut at = row.at;
        at[0] += first;
        Row { at, start: row.start + first, len }
    }

    /// Writes zero to all other places of an array.
    pub fn clear_around<T: Default + Clone>(&self, values: &mut [T]) {
        let mut done = 0;
        for n in 0..self.region.rows() {
            let row = self.row(n);
            if row.len > 0 {
                values[done..row.start].fill(T::default());
                done = row.start + row.len;
            }
        }
        values[done..].fill(T::default());
    }
}

/// Visits where `marks` is `mark`, which is rare.
#[inline(always)]
pub fn for_each_marked(marks: &[u8], mark: u8, mut f: impl FnMut(usize)) {
    for (block, marks) in marks.chunks(ALIGN).enumerate() {
        if marks.iter().fold(false, |any, m| any | (*m == mark)) {
            let marked = marks.iter().enumerate().filter(|(_, m)| **m == mark);
            marked.for_each(|(i, _)| f(ALIGN * block + i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RowPass, rows_within};
    use super::*;

    struct Count;
    impl RowPass<u32, 2, 1> for Count {
        fn row(&self, _: Row<2>, [out]: [&mut [u32]; 1]) {
            out.iter_mut().for_each(|v| *v += 1);
        }
    }

    #[test]
    fn spans_hold_what_is_not_zero_and_the_rest_is_cleared() {
        let region = Region { lo: [1, 1], hi: [600, 70], strides: [1, 608] };
        let mut values = alloc::vec![0_u32; 608 * 72];
        let set = [[40, 3], [200, 3], [1, 30], [599, 69], [350, 50]];
        set.iter().for_each(|[x, y]| values[y * 608 + x] = 7);
        let mut spans = Spans::default();
        spans.find(&region, &values);
        let extent = spans.of(region);
        let wanted = [(2, 32, 176), (29, 0, 16), (49, 336, 16), (68, 592, 7), (5, 0, 0)];
        for (n, first, len) in wanted {
            let row = extent.row(n);
            assert_eq!((row.at[0] - 1, row.len), (first, len), "{n}");
            assert_eq!(row.start, region.row(n).start + first);
        }
        let mut visits = alloc::vec![0_u32; values.len()];
        rows_within(extent, [&mut visits], &Count);
        let visited: usize = visits.iter().map(|n| *n as usize).sum();
        assert_eq!(visited, wanted.iter().map(|(.., len)| len).sum());
        assert!(set.iter().all(|[x, y]| visits[y * 608 + x] == 1));
        let mut all = alloc::vec![1_u32; values.len()];
        extent.clear_around(&mut all);
        assert_eq!(all, visits);
        all.fill(1);
        Extent::from(region).clear_around(&mut all);
        assert_eq!(all.iter().sum::<u32>() as usize, region.count());
    }
}
