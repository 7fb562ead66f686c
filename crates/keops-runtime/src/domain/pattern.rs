//! [`Pattern`]: which columns each row of a batch element is reduced over.

use super::Offsets;
use core::iter::once;
use core::ops::Range;

/// Consecutive segments of rows, each with a list of column ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// First row of each segment, and the number of rows.
    starts: Vec<usize>,
    /// First range of each segment, and the number of ranges.
    slices: Vec<usize>,
    /// Column ranges, none of them empty; those of a segment increase and do not touch.
    ranges: Vec<Range<usize>>,
    /// Columns in all ranges before each one, and in all.
    before: Vec<usize>,
    columns: usize,
    /// Is each segment a problem of its own, cut as if there were no other?
    independent: bool,
}

impl Pattern {
    /// All rows with all columns.
    pub(crate) fn dense(rows: usize, columns: usize) -> Self {
        let mut builder = Builder::new(columns, true);
        builder.segment(rows, once(0..columns));
        builder.finish()
    }

    /// The rows of each segment with the columns of the same segment. Both have the same number of segments.
    pub(crate) fn segments(rows: &Offsets, columns: &Offsets) -> Self {
        let mut builder = Builder::new(columns.rows(), true);
        for segment in 0..rows.segments() {
            builder.push(rows.segment(segment).len(), once(columns.segment(segment)));
        }
        builder.finish()
    }

    /// Row clusters with the column clusters that `kept` lists for each, in increasing order.
    ///
    /// Neighbouring clusters that see the same columns become one segment, so that a pattern that keeps everything is the
    /// dense one.
    pub(crate) fn clusters<I: IntoIterator<Item = Range<usize>>>(
        rows: &Offsets,
        columns: usize,
        mut kept: impl FnMut(usize) -> I,
    ) -> Self {
        let mut builder = Builder::new(columns, false);
        for cluster in 0..rows.segments() {
            builder.segment(rows.segment(cluster).len(), kept(cluster));
        }
        builder.finish()
    }

    /// The part that lies in `rows` × `columns`, counted from there.
    ///
    /// Of segments that are problems of their own each stays one, even one without rows; neighbours that now see the same
    /// columns are not joined, since the rows of a result do not depend on what is joined.
    pub(crate) fn window(&self, rows: Range<usize>, columns: Range<usize>) -> Self {
        let mut builder = Builder::new(columns.len(), self.independent);
        // Segments in front of the window and behind it have no rows in it.
        let first = self.starts.partition_point(|&start| start <= rows.start).saturating_sub(1);
        for segment in (first..self.len()).take_while(|&segment| self.starts[segment] < rows.end) {
            let here = self.segment_rows(segment);
            let count = here.end.min(rows.end).saturating_sub(here.start.max(rows.start));
            let seen = &self.ranges[self.slices[segment]..self.slices[segment + 1]];
            let seen = &seen[seen.partition_point(|range| range.end <= columns.start)..];
            let seen = seen.iter().take_while(|range| range.start < columns.end);
            builder.push(
                count,
                seen.map(|range| {
                    range.start.max(columns.start) - columns.start..range.end.min(columns.end) - columns.start
                }),
            );
        }
        builder.pattern
    }

    /// Does any of `rows` see any of `columns`?
    pub(crate) fn meets(&self, rows: Range<usize>, columns: Range<usize>) -> bool {
        let first = self.starts.partition_point(|&start| start <= rows.start).saturating_sub(1);
        (first..self.len()).take_while(|&segment| self.starts[segment] < rows.end).any(|segment| {
            let seen = &self.ranges[self.slices[segment]..self.slices[segment + 1]];
            let next = seen.partition_point(|range| range.end <= columns.start);
            let here = self.segment_rows(segment);
            let overlap = here.start.max(rows.start) < here.end.min(rows.end) && !columns.is_empty();
            overlap && seen.get(next).is_some_and(|range| range.start < columns.end)
        })
    }

    /// Pairs of a row and a column that it sees.
    pub(crate) fn pairs(&self) -> u64 {
        (0..self.len()).map(|segment| self.segment_rows(segment).len() as u64 * self.terms(segment) as u64).sum()
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Number of columns, seen or not.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of segments.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Is each segment a problem of its own?
    pub(crate) fn is_independent(&self) -> bool {
        self.independent
    }

    /// Do all rows see all columns?
    #[cfg(feature = "cuda")]
    pub(crate) fn is_dense(&self) -> bool {
        self.rows() == 0 || (self.len() == 1 && self.terms(0) == self.columns)
    }

    /// Rows of a segment.
    pub(crate) fn segment_rows(&self, segment: usize) -> Range<usize> {
        self.starts[segment]..self.starts[segment + 1]
    }

    /// Number of columns that the rows of a segment see.
    pub(crate) fn terms(&self, segment: usize) -> usize {
        self.before[self.slices[segment + 1]] - self.before[self.slices[segment]]
    }

    /// Columns `part` of those that the rows of a segment see.
    pub(crate) fn span(&self, segment: usize, part: Range<usize>) -> Span<'_> {
        let (first, last) = (self.slices[segment], self.slices[segment + 1]);
        let start = self.before[first] + part.start;
        // The range that holds the first column: the last one that does not begin behind it.
        let at = first + self.before[first..last].partition_point(|&before| before <= start).saturating_sub(1);
        Span { ranges: &self.ranges[at..last], skip: start - self.before[at], len: part.len() }
    }

    /// The first segment whose rows see fewer than `k` columns.
    pub(crate) fn too_short(&self, k: usize) -> Option<usize> {
        (0..self.len()).find(|&segment| self.terms(segment) < k && !self.segment_rows(segment).is_empty())
    }
}

/// Some of the columns that a row sees: parts of consecutive ranges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'p> {
    ranges: &'p [Range<usize>],
    /// Columns of the first range to leave out.
    skip: usize,
    /// Columns in all.
    len: usize,
}

impl<'p> Span<'p> {
    /// Number of columns.
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The first column; 0 if there is none.
    pub(crate) fn first(self) -> usize {
        self.ranges.first().map_or(0, |range| range.start + self.skip)
    }

    /// Columns `part` of a span of one range.
    pub(crate) fn part(self, part: Range<usize>) -> Self {
        Span { ranges: self.ranges, skip: self.skip + part.start, len: part.len() }
    }

    /// From the first column to the last.
    pub(crate) fn extent(self) -> usize {
        self.parts().last().map_or(0, |last| last.end - self.first())
    }

    /// The columns as increasing ranges.
    pub(crate) fn parts(self) -> impl Iterator<Item = Range<usize>> + 'p {
        let Span { ranges, mut skip, len: mut left } = self;
        ranges.iter().map_while(move |range| {
            let start = range.start + skip;
            let end = range.end.min(start + left);
            skip = 0;
            left -= end - start;
            (start < end).then_some(start..end)
        })
    }

    /// The parts as spans of one range each.
    pub(crate) fn split(self) -> impl Iterator<Item = Span<'p>> {
        let Span { ranges, mut skip, len: mut left } = self;
        ranges.chunks(1).map_while(move |range| {
            let len = (range[0].len() - skip).min(left);
            let part = Span { ranges: range, skip, len };
            skip = 0;
            left -= len;
            (len > 0).then_some(part)
        })
    }
}

/// Puts a pattern together, segment by segment.
struct Builder {
    pattern: Pattern,
}

impl Builder {
    fn new(columns: usize, independent: bool) -> Self {
        let pattern =
            Pattern { starts: vec![0], slices: vec![0], ranges: Vec::new(), before: vec![0], columns, independent };
        Builder { pattern }
    }

    /// Adds a segment; touching ranges become one.
    fn push(&mut self, rows: usize, ranges: impl IntoIterator<Item = Range<usize>>) {
        let Pattern { starts, slices, ranges: all, before, .. } = &mut self.pattern;
        let first = all.len();
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let count = before[before.len() - 1] + range.len();
            match all[first..].last_mut() {
                Some(last) if last.end == range.start => {
                    last.end = range.end;
                    before.pop();
                }
                _ => all.push(range),
            }
            before.push(count);
        }
        starts.push(starts[starts.len() - 1] + rows);
        slices.push(all.len());
    }

    /// Adds a segment, as part of the one before it if that sees the same columns.
    fn segment(&mut self, rows: usize, ranges: impl IntoIterator<Item = Range<usize>>) {
        self.push(rows, ranges);
        let Pattern { starts, slices, ranges, before, .. } = &mut self.pattern;
        let len = starts.len() - 1;
        if rows == 0 {
            // Nobody sees them.
            starts.pop();
            slices.pop();
        } else if len > 1 && ranges[slices[len - 2]..slices[len - 1]] == ranges[slices[len - 1]..slices[len]] {
            starts.remove(len - 1);
            slices.pop();
        }
        let used = slices[slices.len() - 1];
        ranges.truncate(used);
        before.truncate(used + 1);
    }

    fn finish(self) -> Pattern {
        let mut pattern = self.pattern;
        // One segment is a problem of its own, whatever it was cut from.
        pattern.independent |= pattern.starts.len() <= 2;
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::{Offsets, Pattern};

    fn offsets<const N: usize>(offsets: [usize; N]) -> Offsets {
        Offsets::new(offsets.to_vec()).unwrap()
    }

    #[test]
    fn a_pattern_that_keeps_everything_is_the_dense_one() {
        let (rows, columns) = (offsets([0, 1, 129, 129, 1000]), offsets([0, 5, 5, 700]));
        let all = Pattern::clusters(&rows, 700, |_| (0..3).map(|c| columns.segment(c)));
        assert_eq!(all, Pattern::dense(1000, 700));
    }

    #[test]
    fn neighbours_become_one() {
        let rows = offsets([0, 2, 4, 6]);
        let kept = [vec![0..3, 3..5, 9..10], vec![0..5, 9..10], vec![]];
        let pattern = Pattern::clusters(&rows, 10, |cluster| kept[cluster].clone());
        assert_eq!((pattern.len(), pattern.rows(), pattern.columns()), (2, 6, 10));
        assert_eq!((pattern.segment_rows(0), pattern.segment_rows(1)), (0..4, 4..6));
        assert_eq!((pattern.terms(0), pattern.terms(1)), (6, 0));
        assert_eq!(pattern.too_short(6), Some(1));
        assert_eq!(pattern.too_short(0), None);
    }

    #[test]
    fn spans_are_parts_of_the_ranges_of_a_segment() {
        let rows = offsets([0, 1, 2]);
        let kept = [vec![1..4, 6..7], vec![2..5, 7..8, 20..24]];
        let pattern = Pattern::clusters(&rows, 30, |cluster| kept[cluster].clone());
        let columns: Vec<usize> = kept[1].iter().cloned().flatten().collect();
        for start in 0..=columns.len() {
            for end in start..=columns.len() {
                let span = pattern.span(1, start..end);
                assert_eq!(span.len(), end - start);
                assert_eq!(span.parts().flatten().collect::<Vec<_>>(), columns[start..end]);
                let split: Vec<usize> = span.split().flat_map(|span| span.parts().flatten()).collect();
                assert_eq!(split, columns[start..end]);
                assert!(start == end || span.first() == columns[start]);
            }
        }
    }

    #[test]
    fn windows_hold_the_pairs_within() {
        let rows = offsets([0, 2, 3, 3, 7]);
        let kept = [&[0..3, 5..9][..], &[4..6, 6..6], &[1..2, 3..3], &[8..9, 9..10]];
        let pattern = Pattern::clusters(&rows, 10, |cluster| kept[cluster].to_vec());
        let pairs = |pattern: &Pattern, r: usize, c: usize| {
            let mut all = std::collections::BTreeSet::new();
            for segment in 0..pattern.len() {
                for column in pattern.span(segment, 0..pattern.terms(segment)).parts().flatten() {
                    all.extend(pattern.segment_rows(segment).map(|row| (row + r, column + c)));
                }
            }
            all
        };
        let all = pairs(&pattern, 0, 0);
        assert_eq!((all.len() as u64, pattern.pairs()), (14 + 2 + 8, 14 + 2 + 8));
        for (r0, r1, c0, c1) in [(0, 7, 0, 10), (1, 4, 2, 6), (2, 3, 0, 4), (3, 7, 8, 9), (5, 5, 0, 10), (0, 7, 3, 3)] {
            let window = pattern.window(r0..r1, c0..c1);
            assert_eq!((window.rows(), window.columns()), (r1 - r0, c1 - c0));
            let expected =
                all.iter().copied().filter(|&(r, c)| (r0..r1).contains(&r) && (c0..c1).contains(&c)).collect();
            assert_eq!(pairs(&window, r0, c0), expected);
            assert_eq!(pattern.meets(r0..r1, c0..c1), !expected.is_empty());
        }
    }

    #[test]
    fn segments_are_kept_as_they_are() {
        let pattern = Pattern::segments(&offsets([0, 3, 3, 8]), &offsets([0, 2, 6, 6]));
        assert_eq!(pattern.len(), 3);
        assert_eq!((0..3).map(|s| pattern.terms(s)).collect::<Vec<_>>(), [2, 4, 0]);
        assert_eq!(pattern.too_short(1), Some(2), "segment 1 has no row that could miss anything");
    }
}
