//! [`Waves`]: batches, block patterns and calls that do not fit the memory of a device, as lists of work for launches.
//!
//! A wave is what one launch works on. Rows are cut into blocks and the columns that they see into chunks; each pair is an item
//! of a block of threads, and leaves a record for each of its rows. Waves hold as many records as there is memory for.

use crate::domain::Domain;
use core::ops::Range;
use keops_gpu_kernels::abi::{Item, Merge, Range as Columns};

/// How work is cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Rows of an item at most.
    pub(super) block: usize,
    /// Columns of a tile: chunks are multiples of it.
    pub(super) tile: usize,
    /// Items to aim at in all, so that the device is busy.
    pub(super) items: usize,
    /// Records of a wave at most.
    pub(super) records: usize,
    /// Does each batch element have parameters of its own, and hence launches of its own?
    pub(super) separate: bool,
}

/// Rows of a wave at most, which bounds the lists.
const ROWS: usize = 1 << 20;

/// Columns from the first to the last of an item at most: within it they are counted in 32 bits.
const SPAN: usize = 1 << 30;

/// Work of one launch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wave {
    pub(super) items: Vec<Item>,
    pub(super) merges: Vec<Merge>,
    pub(super) ranges: Vec<Columns>,
    pub(super) records: usize,
    /// The batch elements it works on; those of the lists are counted from the first of them.
    pub(super) elements: Range<usize>,
}

/// The waves of a call, one after the other.
pub(super) struct Waves<'d> {
    domain: &'d Domain<'d>,
    cut: Cut,
    /// Chunks to cut the columns of a row into.
    chunks: usize,
    /// Where the next wave begins: batch element, segment, row of the segment.
    element: usize,
    segment: usize,
    row: usize,
}

impl<'d> Waves<'d> {
    pub(super) fn new(domain: &'d Domain<'d>, cut: Cut) -> Self {
        let pattern = domain.pattern;
        let blocks = (0..pattern.len()).map(|s| pattern.segment_rows(s).len().div_ceil(cut.block)).sum::<usize>();
        let chunks = cut.items.div_ceil((blocks * domain.elements.len()).max(1));
        Waves { domain, cut, chunks, element: domain.elements.start, segment: 0, row: 0 }
    }

    /// Chunks of the columns that a segment sees: whole tiles, none of which spans too many columns.
    fn chunks(&self, segment: usize) -> Vec<Vec<Range<usize>>> {
        let terms = self.domain.pattern.terms(segment);
        let wanted = self.chunks.min((self.cut.records / self.cut.block).max(1));
        let length = terms.div_ceil(wanted).next_multiple_of(self.cut.tile).max(self.cut.tile);
        let mut chunks: Vec<Vec<Range<usize>>> = Vec::new();
        let mut room = 0;
        for part in self.domain.pattern.span(segment, 0..terms).parts() {
            let mut start = part.start;
            while start < part.end {
                let begun = chunks.last().and_then(|chunk| chunk.first()).map_or(0, |first| first.start);
                if room == 0 || start - begun >= SPAN {
                    chunks.push(Vec::new());
                    room = length.min(SPAN);
                }
                let begun = chunks.last().and_then(|chunk| chunk.first()).map_or(start, |first| first.start);
                let end = part.end.min(start + room).min(begun + SPAN);
                room -= end - start;
                if let Some(chunk) = chunks.last_mut() {
                    chunk.push(start..end);
                }
                start = end;
            }
        }
        chunks
    }
}

impl Iterator for Waves<'_> {
    type Item = Wave;

    fn next(&mut self) -> Option<Wave> {
        let (domain, block) = (self.domain, self.cut.block);
        let mut wave = Wave { elements: self.element..self.element, ..Wave::default() };
        while self.element < domain.elements.end {
            let batch = (self.element - wave.elements.start) as u64;
            while self.segment < domain.pattern.len() {
                let rows = domain.pattern.segment_rows(self.segment);
                let chunks = if self.row < rows.len() { self.chunks(self.segment) } else { Vec::new() };
                let first_range = wave.ranges.len();
                let mut ranges_listed = false;
                while self.row < rows.len() {
                    let count = block.min(rows.len() - self.row);
                    let records = chunks.len() * count;
                    let is_full = wave.records + records > self.cut.records || wave.merges.len() + count > ROWS;
                    if is_full && !wave.merges.is_empty() {
                        return Some(wave);
                    }
                    if !ranges_listed {
                        wave.ranges.extend(chunks.iter().flatten().map(columns));
                        ranges_listed = true;
                    }
                    let first_row = rows.start + self.row;
                    let mut range = first_range;
                    for (k, chunk) in chunks.iter().enumerate() {
                        wave.items.push(Item {
                            first_row: first_row as u64,
                            record: (wave.records + k * count) as u64,
                            first_range: range as u64,
                            ranges: chunk.len() as u32,
                            rows: count as u32,
                            batch,
                        });
                        range += chunk.len();
                    }
                    let before = (self.element - domain.elements.start) * domain.pattern.rows();
                    wave.merges.extend((0..count).map(|r| Merge {
                        row: (first_row + r) as u64,
                        record: (wave.records + r) as u64,
                        step: count as u64,
                        records: chunks.len() as u64,
                        output: (before + first_row + r) as u64,
                        batch,
                    }));
                    wave.records += records;
                    wave.elements.end = self.element + 1;
                    self.row += count;
                }
                self.segment += 1;
                self.row = 0;
            }
            self.element += 1;
            self.segment = 0;
            if self.cut.separate && !wave.merges.is_empty() {
                return Some(wave);
            }
        }
        (!wave.merges.is_empty()).then_some(wave)
    }
}

fn columns(range: &Range<usize>) -> Columns {
    Columns { first: range.start as u64, last: range.end as u64 }
}

#[cfg(test)]
mod tests {
    use super::{Cut, Wave, Waves};
    use crate::domain::{Domain, Offsets, Pattern};
    use std::collections::BTreeSet;

    const CUT: Cut = Cut { block: 4, tile: 2, items: 6, records: 1000, separate: false };

    /// The pairs (output row, column) of all waves, each of which must appear once.
    fn pairs(domain: &Domain<'_>, cut: Cut) -> (usize, BTreeSet<(u64, u64)>) {
        let waves: Vec<Wave> = Waves::new(domain, cut).collect();
        let mut pairs = BTreeSet::new();
        let mut outputs = BTreeSet::new();
        for wave in &waves {
            for merge in &wave.merges {
                assert!(outputs.insert(merge.output), "row {} is written twice", merge.output);
                for k in 0..merge.records {
                    let record = merge.record + k * merge.step;
                    let found = |item: &&keops_gpu_kernels::abi::Item| {
                        (item.record..item.record + u64::from(item.rows)).contains(&record)
                    };
                    let item = wave.items.iter().find(found).expect("the record is left by an item");
                    assert_eq!((item.first_row + record - item.record, item.batch), (merge.row, merge.batch));
                    for q in 0..u64::from(item.ranges) {
                        let range = wave.ranges[(item.first_range + q) as usize];
                        assert!((range.first..range.last).all(|column| pairs.insert((merge.output, column))));
                    }
                }
            }
            assert!(wave.items.iter().all(|item| item.record + u64::from(item.rows) <= wave.records as u64));
        }
        assert_eq!(outputs.len(), domain.rows(), "all rows are written");
        (waves.len(), pairs)
    }

    #[test]
    fn every_pair_is_in_one_item() {
        let offsets = |offsets: &[usize]| Offsets::new(offsets.to_vec()).unwrap();
        let dense = Pattern::dense(11, 7);
        let ragged = Pattern::segments(&offsets(&[0, 5, 5, 6, 20]), &offsets(&[0, 3, 9, 9, 30]));
        for pattern in [&dense, &ragged, &Pattern::dense(3, 0), &Pattern::dense(0, 3)] {
            let want: BTreeSet<(u64, u64)> = (0..3)
                .flat_map(|element| (0..pattern.len()).map(move |segment| (element, segment)))
                .flat_map(|(element, segment)| {
                    let columns: Vec<_> = pattern.span(segment, 0..pattern.terms(segment)).parts().flatten().collect();
                    let rows = pattern.segment_rows(segment);
                    rows.flat_map(move |row| columns.clone().into_iter().map(move |column| (row, column)))
                        .map(move |(row, column)| ((element * pattern.rows() + row) as u64, column as u64))
                })
                .collect();
            let domain = Domain { batch: &[2, 3], elements: 2..5, pattern, origin: Default::default() };
            for cut in [CUT, Cut { items: 1000, ..CUT }, Cut { records: 5, ..CUT }, Cut { separate: true, ..CUT }] {
                assert_eq!(pairs(&domain, cut).1, want, "{cut:?}");
            }
            assert!(pattern.rows() < 5 || pairs(&domain, Cut { records: 5, ..CUT }).0 > 3, "memory bounds waves");
        }
    }
}
