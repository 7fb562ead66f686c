//! How a reduction is cut so that it fits the memory: groups of batch elements, slabs of rows, blocks of columns.
//!
//! Of the limit, half goes to two blocks of columns (one that is worked on, one that is read) and a quarter to the rows and states
//! of a slab; the rest is for what the engine needs beside them. Batch elements that fit one block and one slab are taken in
//! groups.

use crate::cpu::{Partial, Reduction, column_category, row_category};
use crate::domain::{Domain, Table};
use crate::error::Error;
use core::ops::Range;
use keops_core::{Category, Formula, Scalar};

/// Blocks are cut at multiples of this, as the tiles of the engine are, unless they are smaller.
const GRAIN: usize = 256;

/// A block has no more columns than this and, of those that are read, no more bytes: enough that a block's overhead does not show.
const COLUMNS: usize = 1 << 20;
const BYTES: usize = 32 << 20;

/// Sizes of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Rows of a slab.
    rows: usize,
    /// Columns of a block.
    columns: usize,
}

impl Sizes {
    pub(super) fn new<F: Formula, R: Reduction, T: Scalar>(
        tables: &[Table<'_, T>],
        domain: &Domain<'_>,
        limit: usize,
    ) -> Result<Self, Error> {
        let read = |category| {
            let variables = tables
                .iter()
                .zip(F::VARIABLES)
                .filter(move |(table, variable)| table.stored.is_some() && variable.category == category);
            variables.map(|(_, variable)| variable.dim * size_of::<T>()).sum::<usize>()
        };
        let (row, column) = (read(row_category::<F>()) + Partial::<F, R, T>::row_bytes(), read(column_category::<F>()));
        let fitting = |bytes: usize, share: usize| share.checked_div(bytes).unwrap_or(usize::MAX);
        let (all_rows, all_columns) = (domain.pattern.rows(), domain.pattern.columns());

        let columns = fitting(column, limit / 4).min(fitting(column, BYTES).max(GRAIN)).min(COLUMNS);
        let rows = fitting(row, limit / 4);
        if columns == 0 || rows == 0 {
            return Err(Error::MemoryLimit { formula: F::TEXT, limit, needed: 4 * row.max(column) });
        }
        let cut = |len: usize, all: usize| if GRAIN < len && len < all { len / GRAIN * GRAIN } else { len };
        Ok(Sizes { rows: cut(rows, all_rows), columns: cut(columns, all_columns) })
    }
}

/// What is done at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Batch elements: one, or some that are taken whole.
    pub(super) elements: Range<usize>,
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    /// Is it the first of its slab, is it the last?
    pub(super) first: bool,
    pub(super) last: bool,
}

/// All steps, in order: element by element, slab by slab, block by block. Blocks of which no row of the slab sees a column are left
/// out; every slab has at least one step.
pub(super) fn steps<'s, T: Scalar>(
    tables: &'s [Table<'_, T>],
    domain: &'s Domain<'_>,
    sizes: Sizes,
) -> impl Iterator<Item = Step> + 's {
    let (all_rows, all_columns) = (domain.pattern.rows(), domain.pattern.columns());
    let mut element = domain.elements.start;
    let groups = core::iter::from_fn(move || {
        let start = element;
        (start < domain.elements.end).then(|| {
            element = group(tables, domain, sizes, start);
            start..element
        })
    });
    let slabs = groups.flat_map(move |elements| {
        let slabs = (0..all_rows).step_by(sizes.rows.max(1));
        slabs.map(move |start| (elements.clone(), start..(start + sizes.rows).min(all_rows)))
    });
    slabs.flat_map(move |(elements, rows)| {
        let blocks = (0..all_columns).step_by(sizes.columns.max(1));
        let blocks = blocks.map(|start| start..(start + sizes.columns).min(all_columns));
        let mut blocks: Vec<_> = blocks.filter(|columns| domain.pattern.meets(rows.clone(), columns.clone())).collect();
        if blocks.is_empty() {
            blocks.push(0..0);
        }
        let last = blocks.len() - 1;
        blocks.into_iter().enumerate().map(move |(at, columns)| Step {
            elements: elements.clone(),
            rows: rows.clone(),
            columns,
            first: at == 0,
            last: at == last,
        })
    })
}

/// The end of the group of batch elements that begins with `start`.
fn group<T: Scalar>(tables: &[Table<'_, T>], domain: &Domain<'_>, sizes: Sizes, start: usize) -> usize {
    let fit = |size: usize, all: usize| size.checked_div(all).unwrap_or(usize::MAX);
    let most = fit(sizes.rows, domain.pattern.rows()).min(fit(sizes.columns, domain.pattern.columns())).max(1);
    let mut end = start + 1;
    let read = || tables.iter().filter(|table| table.stored.is_some());
    // Positions that are read are neighbours; a table that is shared along some axis may jump.
    let mut seen: Vec<Range<usize>> = read().map(|table| positions(table, domain.batch, start..end)).collect();
    while end < domain.elements.end && end - start < most {
        let mut wider = seen.clone();
        for (range, table) in wider.iter_mut().zip(read()) {
            let at = table.position(domain.batch, end);
            *range = range.start.min(at)..range.end.max(at + 1);
        }
        if wider.iter().any(|range| range.len() > end + 1 - start) {
            break;
        }
        (seen, end) = (wider, end + 1);
    }
    end
}

/// From the first position of some batch elements in a table to the last.
pub(super) fn positions<T>(table: &Table<'_, T>, batch: &[usize], elements: Range<usize>) -> Range<usize> {
    let all = || elements.clone().map(|element| table.position(batch, element));
    all().min().unwrap_or(0)..all().max().map_or(0, |last| last + 1)
}

/// The part of a table's rows that a step needs.
pub(super) fn part<F: Formula>(category: Category, step: &Step) -> Range<usize> {
    if category == row_category::<F>() {
        step.rows.clone()
    } else if category == column_category::<F>() {
        step.columns.clone()
    } else {
        0..1
    }
}
