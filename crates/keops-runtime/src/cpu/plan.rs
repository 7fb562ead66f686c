//! How a reduction is cut into work items: (row block × column chunk).
//!
//! The cut depends on the numbers of rows and columns only. Neither the number of threads nor the formula moves the
//! boundaries between chunks and tiles, so that results are the same bit by bit for any number of threads, and column
//! `e` of a sum with many right-hand sides is the same as the sum with that right-hand side alone.

use core::ops::Range;

/// Columns per tile: the length of the sums that are formed without compensation.
pub(super) const TILE: usize = 256;

/// Columns that are staged at a time: a tile, or a part of it where a column is so wide that a tile fits no cache.
pub(super) const fn staged_columns(width: usize) -> usize {
    if width <= WIDE { TILE } else { (TILE * WIDE / width).next_multiple_of(32) }
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
const LONGEST_CHUNK: usize = 1 << 30;

/// Bytes of staged rows and states that a work item may hold, and bytes of states waiting to be merged.
const SCRATCH: usize = 256 << 10;
const WAITING: usize = 2 << 20;

/// The cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    rows: usize,
    columns: usize,
    /// Rows per block.
    pub(super) block: usize,
    /// Columns per chunk.
    chunk: usize,
    /// Chunks.
    pub(super) chunks: usize,
    /// Row blocks whose states may wait to be merged at the same time.
    pub(super) wave: usize,
}

impl Plan {
    /// Cuts `rows` × `columns`; a row takes `row_bytes` while it is worked on and `state_bytes` while it waits.
    pub(super) fn new(rows: usize, columns: usize, row_bytes: usize, state_bytes: usize) -> Plan {
        let wanted = ITEMS.div_ceil(rows.div_ceil(NOMINAL_ROWS).max(1));
        let chunks = wanted.min(columns / CHUNK).max(columns.div_ceil(LONGEST_CHUNK)).max(1);
        let chunk = columns.div_ceil(chunks).next_multiple_of(TILE).max(TILE);
        let chunks = columns.div_ceil(chunk).max(1);

        let by_memory = (SCRATCH / row_bytes.max(1)).max(32);
        let by_work = (PAIRS / columns.clamp(1, chunk)).max(NOMINAL_ROWS);
        let block = by_memory.min(by_work).min(rows.max(1).next_multiple_of(64)).next_multiple_of(32);
        let wave = (WAITING / (block * chunks * state_bytes).max(1)).max(1);
        Plan { rows, columns, block, chunk, chunks, wave }
    }

    /// Number of row blocks.
    pub(super) fn blocks(&self) -> usize {
        self.rows.div_ceil(self.block)
    }

    /// Rows of a block.
    pub(super) fn rows(&self, block: usize) -> Range<usize> {
        block * self.block..((block + 1) * self.block).min(self.rows)
    }

    /// Columns of a chunk.
    pub(super) fn columns(&self, chunk: usize) -> Range<usize> {
        chunk * self.chunk..((chunk + 1) * self.chunk).min(self.columns)
    }
}
