//! [`BlockRows`]: rows that a function delivers in blocks.

use super::source::{Cursor, Source};
use crate::rows::{Rows, RowsView};
use core::fmt::{self, Debug, Display};
use core::ops::Range;
use keops_core::Scalar;
use ndarray::{Array2, Axis, s};

type Blocks<'f, T> = Box<dyn Iterator<Item = Result<Array2<T>, String>> + Send + 'f>;

/// Rows that come in blocks from an iterator, for data that is computed, downloaded or decompressed on the way.
///
/// The blocks may have any number of rows, different ones and none. A reduction may need the data more than once (for each slab
/// of rows, for the forward pass of a gradient): `open` gives a new iterator over the same blocks each time. Results do not
/// depend on where one block ends and the next begins.
///
/// ```
/// # use keops_runtime::BlockRows;
/// # use ndarray::Array2;
/// let y = BlockRows::new(1000, 3, || {
///     (0..10).map(|block| Ok::<_, std::io::Error>(Array2::from_elem((100, 3), block as f32)))
/// });
/// ```
pub struct BlockRows<'f, T> {
    shape: [usize; 2],
    open: Box<dyn Fn() -> Blocks<'f, T> + Send + Sync + 'f>,
    one: T,
}

impl<'f, T: Scalar> BlockRows<'f, T> {
    /// `rows` rows of `columns` numbers, in the blocks of the iterators that `open` gives. An error of an iterator, and more or
    /// fewer rows than promised, are errors of the call.
    pub fn new<I, E>(rows: usize, columns: usize, open: impl Fn() -> I + Send + Sync + 'f) -> Self
    where
        I: IntoIterator<Item = Result<Array2<T>, E>>,
        I::IntoIter: Send + 'f,
        E: Display + 'f,
    {
        let open = Box::new(move || {
            Box::new(open().into_iter().map(|block| block.map_err(|error| error.to_string()))) as Blocks<'f, T>
        });
        BlockRows { shape: [rows, columns], open, one: T::default() }
    }
}

impl<T> Debug for BlockRows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockRows").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl<T: Scalar> Source<T> for BlockRows<'_, T> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn one(&self) -> &T {
        &self.one
    }

    fn name(&self) -> String {
        "an iterator of blocks".to_string()
    }

    fn open(&self, _: usize, _: usize) -> Result<Box<dyn Cursor<T> + '_>, String> {
        Ok(Box::new(BlockCursor { rows: self, blocks: (self.open)(), block: None, number: 0, next: 0 }))
    }
}

impl<T: Scalar, const D: usize> Rows<T, D> for BlockRows<'_, T> {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::from_source(self)
    }
}

struct BlockCursor<'s, 'f, T> {
    rows: &'s BlockRows<'f, T>,
    blocks: Blocks<'f, T>,
    /// The block that is being read, and its rows that have been.
    block: Option<(Array2<T>, usize)>,
    /// Blocks that have come.
    number: usize,
    /// The next row.
    next: usize,
}

impl<T: Scalar> BlockCursor<'_, '_, T> {
    /// The next rows of the current block: at most `count`. None behind the last block.
    fn take(
        &mut self,
        count: usize,
        mut with: impl FnMut(ndarray::ArrayView2<'_, T>),
    ) -> Result<Option<usize>, String> {
        loop {
            if let Some((block, read)) = &mut self.block
                && *read < block.nrows()
            {
                let part = *read..block.nrows().min(*read + count);
                with(block.slice(s![part.clone(), ..]));
                *read = part.end;
                self.next += part.len();
                return Ok(Some(part.len()));
            }
            self.block = None;
            let Some(block) = self.blocks.next() else { return Ok(None) };
            let number = self.number;
            self.number += 1;
            let block = block.map_err(|error| format!("block {number} (from row {} on): {error}", self.next))?;
            let [_, columns] = self.rows.shape;
            if block.ncols() != columns {
                let got = block.ncols();
                return Err(format!("block {number} has {got} numbers per row, but {columns} were promised"));
            }
            self.block = Some((block, 0));
        }
    }
}

impl<T: Scalar> Cursor<T> for BlockCursor<'_, '_, T> {
    fn read(&mut self, _: usize, rows: Range<usize>, to: &mut Vec<T>) -> Result<(), String> {
        if rows.start < self.next {
            (self.blocks, self.block, self.number, self.next) = ((self.rows.open)(), None, 0, 0);
        }
        let [all, columns] = self.rows.shape;
        let ended = |number, next| format!("it ended after {number} blocks with {next} rows, but {all} were promised");
        while self.next < rows.start {
            let Some(_) = self.take(rows.start - self.next, |_| {})? else { return Err(ended(self.number, self.next)) };
        }
        to.try_reserve(rows.len() * columns).map_err(|_| format!("no memory for {} rows", rows.len()))?;
        while self.next < rows.end {
            let copy = |part: ndarray::ArrayView2<'_, T>| match part.as_slice() {
                Some(numbers) => to.extend_from_slice(numbers),
                None => part.axis_iter(Axis(0)).for_each(|row| to.extend(row.iter())),
            };
            let Some(_) = self.take(rows.end - self.next, copy)? else { return Err(ended(self.number, self.next)) };
        }
        if rows.end == all && self.take(1, |_| {})?.is_some() {
            return Err(format!("block {} goes beyond the {all} rows that were promised", self.number - 1));
        }
        Ok(())
    }
}
