//! [`Work`]: which rows meet which columns in an item, and where its states go.

use crate::abi::{Arguments, Item, Range};
use crate::access::global;
use crate::pairs::Strip;
use crate::reduction::strip;
use crate::tiling::Tiling;
use core::ops::Range as Numbers;
use keops_core::Formula;

/// One item.
pub(super) struct Work {
    /// Number of the first row.
    pub(super) first_row: u64,
    /// Rows.
    pub(super) rows: u32,
    /// Record of the first row, for the lane.
    pub(super) record: u64,
    /// The first column.
    pub(super) base: u64,
    /// Components of the outer vector.
    pub(super) strip: Strip,
    /// Row offsets of the batch.
    pub(super) offsets: *const u64,
    whole: Range,
    ranges: *const Range,
    range_count: u32,
}

impl Work {
    /// Number of items of a launch whose blocks have `block` rows.
    #[inline(always)]
    pub(super) fn items(arguments: &Arguments, tiling: &Tiling, block: u32) -> u64 {
        let groups =
            if arguments.items == 0 { blocks(arguments.rows, block) * arguments.chunks } else { arguments.item_count };
        groups * tiling.strips as u64
    }

    /// Item `number`, for thread lane `lane`.
    ///
    /// # Safety
    /// The arguments must be those of a launch with so many items.
    #[inline(always)]
    pub(super) unsafe fn new<F: Formula>(
        arguments: &Arguments,
        tiling: &Tiling,
        block: u32,
        number: u64,
        lane: u32,
    ) -> Work {
        let (number, strip) = if tiling.strips == 1 {
            (number, Strip { first: 0, count: if F::OUTER.len > 0 { F::OUTER.len } else { F::ACC } })
        } else {
            let (length, first) = (strip::<F>(), (number % tiling.strips as u64) as usize * strip::<F>());
            (number / tiling.strips as u64, Strip { first, count: length.min(F::OUTER.len - first) })
        };
        if arguments.items == 0 {
            let blocks = blocks(arguments.rows, block);
            // SAFETY: there is an item, hence a row.
            unsafe { core::hint::assert_unchecked(blocks > 0) };
            let chunk = number / blocks;
            let first_row = (number - chunk * blocks) * u64::from(block);
            let first = chunk * arguments.chunk;
            Work {
                first_row,
                rows: (arguments.rows - first_row).min(block.into()) as u32,
                record: (chunk * u64::from(arguments.lanes) + u64::from(lane)) * arguments.rows + first_row,
                base: first,
                strip,
                offsets: global(arguments.offsets),
                whole: Range { first, last: (first + arguments.chunk).min(arguments.columns) },
                ranges: core::ptr::null(),
                range_count: 1,
            }
        } else {
            // SAFETY: promised by the caller.
            unsafe {
                let item = *global::<Item>(arguments.items).add(number as usize);
                let ranges = global::<Range>(arguments.ranges).add(item.first_range as usize);
                let offsets = global::<u64>(arguments.offsets).add(item.batch as usize * F::VARIABLES.len());
                Work {
                    first_row: item.first_row,
                    rows: item.rows,
                    record: item.record + u64::from(lane) * u64::from(item.rows),
                    base: (*ranges).first,
                    strip,
                    offsets,
                    whole: Range { first: 0, last: 0 },
                    ranges,
                    range_count: item.ranges,
                }
            }
        }
    }

    /// Number of its column ranges.
    #[inline(always)]
    pub(super) fn ranges(&self) -> u32 {
        self.range_count
    }

    /// Column range `q`.
    #[inline(always)]
    pub(super) fn range(&self, q: u32) -> Numbers<u64> {
        let range = if self.ranges.is_null() {
            self.whole
        } else {
            // SAFETY: the item has so many ranges.
            unsafe { *self.ranges.add(q as usize) }
        };
        range.first..range.last
    }
}

/// Blocks of `block` rows, a power of two.
#[inline(always)]
fn blocks(rows: u64, block: u32) -> u64 {
    (rows + u64::from(block) - 1) >> block.trailing_zeros()
}
