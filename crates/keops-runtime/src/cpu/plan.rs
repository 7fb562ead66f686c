//! How a reduction is cut into work items: (row block × chunk of the columns that these rows see).
//!
//! The cut depends on the numbers of rows and columns and on the pattern only. Neither the number of threads nor the formula moves the
//! boundaries between chunks and tiles, so that results are the same bit by bit for any number of threads, and column
//! `e` of a sum with many right-hand sides is the same as the sum with that right-hand side alone.

use crate::domain::{Domain, Span};
use core::iter::Peekable;
use core::ops::Range;

/// Columns per tile: the length of the sums that are formed without compensation.
pub(super) const TILE: usize = 256;

/// Columns that are staged at a time: a tile, or a part of it where a column is so wide that a tile fits no cache. At least 32, however
/// wide a column is.
pub(super) const fn staged_columns(width: usize) -> usize {
    if width <= WIDE { TILE } else { (TILE * WIDE).div_ceil(width).next_multiple_of(32) }
}

/// Numbers per staged column from which on tiles shrink.
const WIDE: usize = 1024;

/// Rows that share a chunk's staged columns, for the purpose of choosing chunks.
const NOMINAL_ROWS: usize = 512;

/// Work items to aim at, so that any number of cores up to about a third of it is kept busy.
const ITEMS: usize = 64;

/// Columns per chunk at least.
const CHUNK: usize = 2 * TILE;

/// Pairs per work item at least, where there are as many.
const PAIRS: usize = 1 << 18;

/// Indices within a chunk are 32-bit lane integers.
pub(super) const LONGEST_CHUNK: usize = 1 << 30;

/// Bytes of staged rows and states that a work item may hold, and bytes of states waiting to be merged.
const SCRATCH: usize = 256 << 10;
const WAITING: usize = 2 << 20;

/// How a segment of rows is cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Rows per block.
    block: usize,
    /// Columns per chunk.
    chunk: usize,
    /// Chunks.
    chunks: usize,
}

impl Cut {
    /// Cuts `rows` × `columns`, where `all_rows` rows are reduced at the same time and a row takes `row_bytes` while it is
    /// worked on.
    fn new(rows: usize, columns: usize, all_rows: usize, row_bytes: usize) -> Cut {
        let wanted = ITEMS.div_ceil(all_rows.div_ceil(NOMINAL_ROWS).max(1));
        let chunks = wanted.min(columns / CHUNK).max(columns.div_ceil(LONGEST_CHUNK)).max(1);
        let chunk = columns.div_ceil(chunks).next_multiple_of(TILE).max(TILE);
        let chunks = columns.div_ceil(chunk).max(1);

        let by_memory = (SCRATCH / row_bytes.max(1)).max(32);
        let by_work = (PAIRS / columns.clamp(1, chunk)).max(NOMINAL_ROWS);
        let block = by_memory.min(by_work).min(rows.max(1).next_multiple_of(64)).next_multiple_of(32);
        Cut { block, chunk, chunks }
    }
}

/// A block of rows with all the columns that they see: a work item for each chunk of the columns.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The batch element.
    pub(super) element: usize,
    segment: usize,
    /// Rows of the batch element.
    pub(super) rows: Range<usize>,
    /// Columns that they see.
    terms: usize,
    chunk: usize,
    /// Work items.
    pub(super) chunks: usize,
}

impl Group {
    /// Columns of a work item.
    pub(super) fn columns<'d>(&self, domain: &Domain<'d>, chunk: usize) -> Span<'d> {
        let part = (chunk * self.chunk).min(self.terms)..((chunk + 1) * self.chunk).min(self.terms);
        domain.pattern.span(self.segment, part)
    }

    /// Pairs of rows and columns.
    pub(super) fn pairs(&self) -> usize {
        self.rows.len() * self.terms
    }

    /// States that wait to be merged.
    pub(super) fn records(&self) -> usize {
        self.rows.len() * self.chunks
    }
}

/// The groups of a reduction, in the order of their results: element by element, segment by segment, block by block.
///
/// Segments that are problems of their own are cut as if there were no other, so that a batch element has the very bits
/// of a call of its own. The segments of a block pattern share rows' worth of work, hence their chunks are those of a
/// reduction of as many rows as there are in all.
#[derive(Debug, Clone)]
pub(super) struct Groups<'d> {
    domain: &'d Domain<'d>,
    row_bytes: usize,
    element: usize,
    segment: usize,
    /// The first row that no group has yet, and how its segment is cut.
    row: usize,
    cut: Option<Cut>,
}

impl<'d> Groups<'d> {
    pub(super) fn new(domain: &'d Domain<'d>, row_bytes: usize) -> Self {
        Groups { domain, row_bytes, element: domain.elements.start, segment: 0, row: 0, cut: None }
    }

    /// Is there at most one work item?
    pub(super) fn is_single(&self) -> bool {
        let mut groups = self.clone();
        groups.next().is_none_or(|group| group.chunks <= 1) && groups.next().is_none()
    }
}

/// Fills `wave` with the next groups of which `belongs` is true: as many as may wait at the same time, with `state_bytes` for
/// each state. False if there is none.
pub(super) fn next_wave(
    groups: &mut Peekable<Groups<'_>>,
    wave: &mut Vec<Group>,
    state_bytes: usize,
    belongs: impl Fn(&Group) -> bool,
) -> bool {
    wave.clear();
    let mut bytes = 0;
    while let Some(group) =
        groups.next_if(|group| belongs(group) && (bytes == 0 || bytes + group.records() * state_bytes <= WAITING))
    {
        bytes += group.records() * state_bytes;
        wave.push(group);
    }
    !wave.is_empty()
}

impl Iterator for Groups<'_> {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        let pattern = self.domain.pattern;
        loop {
            if self.element >= self.domain.elements.end {
                return None;
            }
            if self.segment >= pattern.len() {
                (self.element, self.segment, self.row) = (self.element + 1, 0, 0);
                continue;
            }
            let rows = pattern.segment_rows(self.segment);
            if self.row >= rows.end {
                (self.segment, self.cut) = (self.segment + 1, None);
                continue;
            }
            let terms = pattern.terms(self.segment);
            let all_rows = if pattern.is_independent() { rows.len() } else { pattern.rows() };
            let cut = *self.cut.get_or_insert_with(|| Cut::new(rows.len(), terms, all_rows, self.row_bytes));
            let block = self.row..(self.row + cut.block).min(rows.end);
            self.row = block.end;
            let Cut { chunk, chunks, .. } = cut;
            return Some(Group { element: self.element, segment: self.segment, rows: block, terms, chunk, chunks });
        }
    }
}
