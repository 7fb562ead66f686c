//! [`Source`]: where the rows of a variable come from, if not from memory.

use core::fmt::Debug;
use core::ops::Range;
use keops_core::Scalar;
use ndarray::{Array3, ArrayView3, ArrayViewD, IxDyn, ShapeBuilder};

/// Rows that are read when they are needed.
pub(crate) trait Source<T>: Debug + Send + Sync {
    /// Batch axes, rows, numbers per row; without an axis of rows, as arrays of that shape.
    fn shape(&self) -> &[usize];
    /// Some number, which stands for all where only the shape matters.
    fn one(&self) -> &T;
    /// What messages call it.
    fn name(&self) -> String;
    /// Something that reads it from the beginning, as elements of `rows` rows of `columns` numbers.
    fn open(&self, rows: usize, columns: usize) -> Result<Box<dyn Cursor<T> + '_>, String>;
}

/// Reads a source. Going back is possible, but slow for some.
pub(crate) trait Cursor<T>: Send {
    /// Appends `rows` of batch element `element` to `to`, or says what is wrong.
    fn read(&mut self, element: usize, rows: Range<usize>, to: &mut Vec<T>) -> Result<(), String>;
}

impl<'a, T> dyn Source<T> + 'a {
    /// A view with the shape of the data and one number in the place of all.
    pub(crate) fn placeholder(&self) -> ArrayViewD<'_, T> {
        let shape = IxDyn(self.shape());
        let strides = IxDyn(&vec![0; self.shape().len()]);
        // SAFETY: with strides of 0 every index is that of the number, which outlives the view.
        unsafe { ArrayViewD::from_shape_ptr(shape.strides(strides), self.one()) }
    }
}

/// All numbers of a source, where `shape` is that of its elements × rows × numbers.
pub(crate) fn load<T: Scalar>(source: &dyn Source<T>, shape: &ArrayView3<'_, T>) -> Result<Array3<T>, String> {
    let (elements, rows, columns) = shape.dim();
    let mut numbers = Vec::new();
    let count = elements.saturating_mul(rows).saturating_mul(columns);
    numbers.try_reserve_exact(count).map_err(|_| "it does not fit into memory".to_string())?;
    let mut cursor = source.open(rows, columns)?;
    for element in 0..elements {
        cursor.read(element, 0..rows, &mut numbers)?;
    }
    Array3::from_shape_vec((elements, rows, columns), numbers).map_err(|error| error.to_string())
}
