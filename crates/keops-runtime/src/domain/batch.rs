//! Batch axes: tables with a leading axis, and where the data of an element is in each of them.

use crate::error::Error;
use crate::located::DeviceMemory;
use crate::stream::{self, Source};
use keops_core::Scalar;
use ndarray::{ArrayView3, Axis, CowArray, Ix3};

/// Data of a variable: distinct batch elements × rows × numbers.
#[derive(Debug, Clone)]
pub(crate) struct Table<'a, T> {
    pub(crate) data: ArrayView3<'a, T>,
    /// For each batch axis of the domain, elements of `data` from one index to the next: 0 where it is shared.
    pub(crate) steps: Vec<usize>,
    /// Position at which `data` starts, for tables that hold only some elements.
    pub(crate) skip: usize,
    /// Where the numbers are, if not on the host; then `data` has their shape only.
    pub(crate) device: Option<&'a DeviceMemory>,
    /// What they are read from, if they are not in memory; then `data` has their shape only.
    pub(crate) stored: Option<&'a dyn Source<T>>,
}

impl<'a, T> Table<'a, T> {
    /// Data in memory; the first of its elements is number `skip`.
    pub(crate) fn new(data: ArrayView3<'a, T>, steps: Vec<usize>, skip: usize) -> Self {
        Table { data, steps, skip, device: None, stored: None }
    }

    /// The same data, borrowed for a shorter time.
    pub(crate) fn view(&self) -> Table<'_, T> {
        Table { data: self.data.view(), steps: self.steps.clone(), ..*self }
    }

    /// Is the same data used by all batch elements?
    pub(crate) fn is_shared(&self) -> bool {
        self.steps.iter().all(|&step| step == 0)
    }

    /// Where in `data` an element is, for batch axes of these lengths.
    pub(crate) fn position(&self, batch: &[usize], element: usize) -> usize {
        position(batch, &self.steps, element) - self.skip
    }
}

/// Numbers of a table in memory: downloaded if they are on a device, read if they are stored.
pub(crate) fn on_host<'v, T: Scalar>(
    formula: &'static str,
    variable: &'static str,
    data: ArrayView3<'v, T>,
    device: Option<&DeviceMemory>,
    stored: Option<&dyn Source<T>>,
) -> Result<CowArray<'v, T, Ix3>, Error> {
    if let Some(source) = stored {
        let error = |reason| Error::Read { formula, variable, from: source.name(), reason };
        return Ok(CowArray::from(stream::load(source, &data).map_err(error)?));
    }
    let Some(memory) = device else { return Ok(CowArray::from(data)) };
    let (_, rows, columns) = data.dim();
    // SAFETY: the numbers are `f32` or `f64`, and as many as the shape says.
    let table = unsafe { memory.download::<T>(formula, rows, columns)? };
    Ok(CowArray::from(table.insert_axis(Axis(0))))
}

/// Where an element is: Σ (its index on an axis) · (step of the axis).
pub(crate) fn position(batch: &[usize], steps: &[usize], element: usize) -> usize {
    let (mut rest, mut position) = (element, 0);
    for (&len, &step) in batch.iter().zip(steps).rev() {
        position += rest % len * step;
        rest /= len;
    }
    position
}

/// The steps of data that has all batch axes.
pub(crate) fn row_major(batch: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; batch.len()];
    for axis in (1..batch.len()).rev() {
        steps[axis - 1] = steps[axis] * batch[axis];
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn elements_are_counted_row_major() {
        let batch = [2, 3];
        let at = |steps: [usize; 2]| (0..6).map(|element| position(&batch, &steps, element)).collect::<Vec<_>>();
        assert_eq!(at([3, 1]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(at([0, 1]), [0, 1, 2, 0, 1, 2], "shared along the first axis");
        assert_eq!(at([1, 0]), [0, 0, 0, 1, 1, 1], "shared along the second axis");
        assert_eq!(position(&[], &[], 0), 0);
    }
}
