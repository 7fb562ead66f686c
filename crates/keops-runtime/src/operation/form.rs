//! [`Form`]: what the results of an operation look like to the user.
//!
//! An engine writes two plain tables: rows × values and rows × indices. A form says which of them there are and how
//! they are handed out.

use ndarray::{Array2, Array3};

/// Shape of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Rows.
    pub rows: usize,
    /// Entries per row, for the reductions that keep several.
    pub k: Option<usize>,
    /// Numbers per entry.
    pub dim: usize,
}

impl Extent {
    /// Numbers per row.
    pub(crate) fn columns(&self) -> usize {
        self.k.unwrap_or(1) * self.dim
    }

    /// The shape as the user sees it.
    pub(crate) fn shape(&self) -> Vec<usize> {
        match self.k {
            Some(k) => vec![self.rows, k, self.dim],
            None => vec![self.rows, self.dim],
        }
    }
}

/// What results look like.
pub trait Form: 'static {
    /// What `run` returns.
    type Output<T>;
    /// Are there values?
    const VALUES: bool;
    /// Are there indices?
    const INDICES: bool;

    /// The output made of these tables, of which an absent one has no columns. `None` if they lack the shape.
    fn assemble<T>(extent: Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>>;
}

/// A table of values.
pub struct Values;
/// A table of indices.
pub struct Indices;
/// A table of values and one of indices.
pub struct ValuesAndIndices;
/// Rows × K × dim values.
pub struct KValues;
/// Rows × K × dim indices.
pub struct KIndices;
/// Rows × K × dim values, and as many indices.
pub struct KValuesAndIndices;

fn blocks<A>(extent: Extent, table: Array2<A>) -> Option<Array3<A>> {
    table.into_shape_with_order((extent.rows, extent.k?, extent.dim)).ok()
}

impl Form for Values {
    type Output<T> = Array2<T>;
    const VALUES: bool = true;
    const INDICES: bool = false;
    fn assemble<T>(_: Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Output<T>> {
        Some(values)
    }
}

impl Form for Indices {
    type Output<T> = Array2<u64>;
    const VALUES: bool = false;
    const INDICES: bool = true;
    fn assemble<T>(_: Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some(indices)
    }
}

impl Form for ValuesAndIndices {
    type Output<T> = (Array2<T>, Array2<u64>);
    const VALUES: bool = true;
    const INDICES: bool = true;
    fn assemble<T>(_: Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some((values, indices))
    }
}

impl Form for KValues {
    type Output<T> = Array3<T>;
    const VALUES: bool = true;
    const INDICES: bool = false;
    fn assemble<T>(extent: Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Output<T>> {
        blocks(extent, values)
    }
}

impl Form for KIndices {
    type Output<T> = Array3<u64>;
    const VALUES: bool = false;
    const INDICES: bool = true;
    fn assemble<T>(extent: Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        blocks(extent, indices)
    }
}

impl Form for KValuesAndIndices {
    type Output<T> = (Array3<T>, Array3<u64>);
    const VALUES: bool = true;
    const INDICES: bool = true;
    fn assemble<T>(extent: Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some((blocks(extent, values)?, blocks(extent, indices)?))
    }
}
