//! [`Form`]: what the results of an operation look like to the user.
//!
//! An engine writes two plain tables: rows × values and rows × indices. A form says which of them there are and how
//! they are handed out.

use ndarray::{Array2, Array3, ArrayD};

/// Shape of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Lengths of the batch axes.
    pub batch: Vec<usize>,
    /// Rows of a batch element.
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

    /// Rows of all batch elements. Their number fits, unless data of no size is broadcast.
    pub(crate) fn table_rows(&self) -> usize {
        self.batch.iter().fold(self.rows, |rows, &len| rows.saturating_mul(len))
    }

    /// The shape as the user sees it.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let mut shape = self.batch.clone();
        shape.push(self.rows);
        shape.extend(self.k);
        shape.push(self.dim);
        shape
    }
}

/// What results look like.
pub trait Form: 'static {
    /// What `run` returns.
    type Output<T>;
    /// What `run` of a batched call returns.
    type Batched<T>;
    /// Are there values?
    const VALUES: bool;
    /// Are there indices?
    const INDICES: bool;

    /// The output made of these tables, of which an absent one has no columns. `None` if they lack the shape.
    fn assemble<T>(extent: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>>;
    /// The same with batch axes.
    fn assemble_batched<T>(extent: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Batched<T>>;
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

fn blocks<A>(extent: &Extent, table: Array2<A>) -> Option<Array3<A>> {
    table.into_shape_with_order((extent.rows, extent.k?, extent.dim)).ok()
}

fn batched<A>(extent: &Extent, table: Array2<A>) -> Option<ArrayD<A>> {
    table.into_shape_with_order(extent.shape()).ok()
}

impl Form for Values {
    type Output<T> = Array2<T>;
    type Batched<T> = ArrayD<T>;
    const VALUES: bool = true;
    const INDICES: bool = false;
    fn assemble<T>(_: &Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Output<T>> {
        Some(values)
    }
    fn assemble_batched<T>(extent: &Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Batched<T>> {
        batched(extent, values)
    }
}

impl Form for Indices {
    type Output<T> = Array2<u64>;
    type Batched<T> = ArrayD<u64>;
    const VALUES: bool = false;
    const INDICES: bool = true;
    fn assemble<T>(_: &Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some(indices)
    }
    fn assemble_batched<T>(extent: &Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Batched<T>> {
        batched(extent, indices)
    }
}

impl Form for ValuesAndIndices {
    type Output<T> = (Array2<T>, Array2<u64>);
    type Batched<T> = (ArrayD<T>, ArrayD<u64>);
    const VALUES: bool = true;
    const INDICES: bool = true;
    fn assemble<T>(_: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some((values, indices))
    }
    fn assemble_batched<T>(extent: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Batched<T>> {
        Some((batched(extent, values)?, batched(extent, indices)?))
    }
}

impl Form for KValues {
    type Output<T> = Array3<T>;
    type Batched<T> = ArrayD<T>;
    const VALUES: bool = true;
    const INDICES: bool = false;
    fn assemble<T>(extent: &Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Output<T>> {
        blocks(extent, values)
    }
    fn assemble_batched<T>(extent: &Extent, values: Array2<T>, _: Array2<u64>) -> Option<Self::Batched<T>> {
        batched(extent, values)
    }
}

impl Form for KIndices {
    type Output<T> = Array3<u64>;
    type Batched<T> = ArrayD<u64>;
    const VALUES: bool = false;
    const INDICES: bool = true;
    fn assemble<T>(extent: &Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        blocks(extent, indices)
    }
    fn assemble_batched<T>(extent: &Extent, _: Array2<T>, indices: Array2<u64>) -> Option<Self::Batched<T>> {
        batched(extent, indices)
    }
}

impl Form for KValuesAndIndices {
    type Output<T> = (Array3<T>, Array3<u64>);
    type Batched<T> = (ArrayD<T>, ArrayD<u64>);
    const VALUES: bool = true;
    const INDICES: bool = true;
    fn assemble<T>(extent: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Output<T>> {
        Some((blocks(extent, values)?, blocks(extent, indices)?))
    }
    fn assemble_batched<T>(extent: &Extent, values: Array2<T>, indices: Array2<u64>) -> Option<Self::Batched<T>> {
        Some((batched(extent, values)?, batched(extent, indices)?))
    }
}
