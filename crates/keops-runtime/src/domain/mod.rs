//! [`Domain`]: which pairs a reduction is over.
//!
//! Everything that an engine runs is the same reduction over a different set of pairs. Leading axes of the data are batch
//! elements, each a reduction of its own; within an element a [`Pattern`] says which columns each row is reduced over. A
//! plain call is one element whose rows all see all columns.

mod batch;
mod offsets;
mod pattern;
mod ranges;

pub(crate) use batch::{Table, on_host, position, row_major};
pub use offsets::Offsets;
pub(crate) use pattern::{Pattern, Span};
pub use ranges::Ranges;

use core::ops::Range;
use keops_core::Category;
use std::sync::Arc;

/// The pairs of a reduction.
#[derive(Debug, Clone)]
pub(crate) struct Domain<'d> {
    /// Lengths of the batch axes.
    pub(crate) batch: &'d [usize],
    /// The batch elements to run, counted row-major over the axes. Results are written for these only.
    pub(crate) elements: Range<usize>,
    /// The columns of each row, the same in all elements.
    pub(crate) pattern: &'d Pattern,
    /// Where the tables begin in the arrays that they are parts of.
    pub(crate) origin: Origin,
}

/// Number of row 0 of the tables among all rows i, and among all rows j.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) i: usize,
    pub(crate) j: usize,
}

impl Origin {
    /// That of the rows of a category.
    pub(crate) fn of(self, category: Category) -> usize {
        match category {
            Category::Vi => self.i,
            Category::Vj => self.j,
            Category::Pm => 0,
        }
    }
}

impl Domain<'_> {
    /// Rows in all elements.
    pub(crate) fn rows(&self) -> usize {
        self.elements.len() * self.pattern.rows()
    }
}

/// Which pairs a call asks for, before the sizes of its data are known.
#[derive(Debug, Clone, Default)]
pub(crate) enum Scope {
    /// All.
    #[default]
    Dense,
    /// Those of a block pattern.
    Ranges(Ranges),
    /// Rows i of a segment with columns j of the same segment.
    Segments(Arc<Pattern>, Arc<Pattern>),
}
