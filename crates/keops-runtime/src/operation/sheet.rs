//! [`Sheet`]: one part of an output as the table an engine writes.

use crate::error::Error;
use crate::memory;
use ndarray::{Array2, ArrayViewMut, ArrayViewMut2, Axis, Ix2, IxDyn};

/// A rows × columns table in front of an output of two or three axes: the output itself where its strides allow that,
/// otherwise a buffer that is copied to it in the end.
pub(crate) enum Sheet<'v, A> {
    Direct(ArrayViewMut2<'v, A>),
    Buffered(Array2<A>, ArrayViewMut<'v, A, IxDyn>),
}

impl<'v, A: Copy + Default> Sheet<'v, A> {
    /// A table of `rows` × `columns` in front of `output` (or in front of nothing, where there is no such part; then
    /// `columns` is 0). `aside`: is the output to be left alone until everything is there?
    pub(crate) fn new(
        formula: &'static str,
        part: &'static str,
        output: Option<ArrayViewMut<'v, A, IxDyn>>,
        rows: usize,
        columns: usize,
        aside: bool,
    ) -> Result<Self, Error> {
        let Some(mut output) = output else {
            return Ok(Sheet::Buffered(
                memory::table(formula, part, rows, columns)?,
                ArrayViewMut2::from(&mut [] as &mut [[A; 0]]).into_dyn(),
            ));
        };
        if aside {
            return Ok(Sheet::Buffered(memory::table(formula, part, rows, columns)?, output));
        }
        if output.ndim() == 3 {
            if !output.merge_axes(Axis(1), Axis(2)) {
                return Ok(Sheet::Buffered(memory::table(formula, part, rows, columns)?, output));
            }
            output = output.index_axis_move(Axis(1), 0);
        }
        let shape = output.shape().to_vec();
        output.into_dimensionality::<Ix2>().map(Sheet::Direct).map_err(|_| Error::OutputShape {
            formula,
            part,
            expected: vec![rows, columns],
            got: shape,
        })
    }

    /// The table.
    pub(crate) fn view(&mut self) -> ArrayViewMut2<'_, A> {
        match self {
            Sheet::Direct(view) => view.view_mut(),
            Sheet::Buffered(table, _) => table.view_mut(),
        }
    }

    /// Brings the numbers to the output.
    pub(crate) fn finish(self) {
        if let Sheet::Buffered(table, mut output) = self {
            output.iter_mut().zip(table.iter()).for_each(|(to, from)| *to = *from);
        }
    }
}
