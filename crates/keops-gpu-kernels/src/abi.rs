//! What host and device agree on: names of kernels, their arguments, layout of memory.
//!
//! # Kernel files
//! A generated kernel crate has one reduction body `Body` and, for each reduction and number type it is used with, a call
//! such as
//!
//! ```text
//! keops_gpu_kernels::kernels!(Body, ArgKMin<10>, f32, "keops_ArgKMin_10_f32", reduce, merge);
//! ```
//!
//! which expands to the entry points `keops_ArgKMin_10_f32_reduce` and `keops_ArgKMin_10_f32_merge`. The last arguments
//! name the steps; [`has`] says which ones there are. All entry points take [`Arguments`] by value. The crate calls
//! [`kernel_file!`](crate::kernel_file) once.
//!
//! # Memory
//! All addresses are device addresses, 0 where there is nothing. `T` is the number type of the kernels.
//!
//! **States.** A row has one *record* for each chunk of columns, and for each of the [`Arguments::lanes`] that share the
//! chunk. Value `k` of record `q` lies at `state_values + (k · records + q) · size_of::<T>()`, index `k` at
//! `state_indices + (k · records + q) · 8`. In a dense launch record `(chunk · lanes + lane) · rows + row` belongs to
//! `row`; in a listed launch [`Item::record`] says where the records of an item begin.
//!
//! **Results.** Value `e` of output row `r` lies at `values + (r · value_stride + e) · size_of::<T>()`, index `e` at
//! `indices + (r · index_stride + e) · 8`. [`NONE`] is the index where no column was selected.
//!
//! # Dense and listed launches
//! Without a list ([`Arguments::items`] = 0) all rows meet all columns. With one, [`Item`]s say which rows meet which
//! columns: one item is what one block of threads works on at a time. Batches and block-sparse ranges are such lists. A
//! [`Merge`] list then says which records belong to which rows.

use crate::reduction::Kind;
use core::fmt;
use keops_core::{Keep, Scalar};

/// Threads of a block, for all kernels.
pub const THREADS: u32 = 128;

/// Variables that a formula may have at most.
pub const MOST_VARIABLES: usize = 32;

/// The index of "no column".
pub const NONE: u64 = u64::MAX;

/// Name of the `extern .shared` array of dynamic shared memory.
pub const SHARED: &str = "keops_shared";

/// What a kernel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Rows × columns → states.
    Reduce,
    /// The same with [`Accumulator::Kahan`] and [`Accumulator::F64`]. There is one for reductions that accumulate.
    ReduceExactly,
    /// States → results.
    Merge,
    /// Rows of results → one row. There is one for formulas with [`Keep::None`].
    Total,
}

impl Step {
    /// What the names of such kernels end in.
    pub const fn suffix(self) -> &'static str {
        match self {
            Step::Reduce => "reduce",
            Step::ReduceExactly => "reduce_exactly",
            Step::Merge => "merge",
            Step::Total => "total",
        }
    }
}

/// The name of a kernel: `keops_{reduction}_{number type}_{step}`, such as `keops_Sum_f32_reduce` or
/// `keops_ArgKMin_10_f64_merge`. The formula is not part of it: each formula has a PTX file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    reduction: &'static str,
    k: usize,
    number: &'static str,
    step: Step,
}

impl Name {
    /// The kernel of `R` on numbers `T` that does `step`.
    pub fn of<R: Kind, T: Scalar>(step: Step) -> Name {
        Name { reduction: R::NAME, k: R::K, number: T::NAME, step }
    }

    /// The kernel of the reduction called `reduction` (with `k` = 0 where it has no K) on numbers called `number`.
    pub fn new(reduction: &'static str, k: usize, number: &'static str, step: Step) -> Name {
        Name { reduction, k, number, step }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keops_{}_", self.reduction)?;
        if self.k > 0 {
            write!(f, "{}_", self.k)?;
        }
        write!(f, "{}_{}", self.number, self.step.suffix())
    }
}

/// Is there a kernel for `step` of a reduction that adds terms up (`accumulates`, [`Kind::ACCUMULATES`]) and keeps `keep`?
pub const fn has(step: Step, accumulates: bool, keep: Keep) -> bool {
    match step {
        Step::Reduce | Step::Merge => true,
        Step::ReduceExactly => accumulates,
        Step::Total => matches!(keep, Keep::None),
    }
}

/// How the terms of a sum are added up; as [`Arguments::accumulator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Accumulator {
    /// Plain sums of tiles, added up with compensation: the kernel [`Step::Reduce`].
    Block = 0,
    /// Neumaier's compensated sum of all terms: [`Step::ReduceExactly`].
    Kahan = 1,
    /// Terms in the type of the data, sums of tiles in `f64`: [`Step::ReduceExactly`].
    F64 = 2,
}

/// The rows of a variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Table {
    /// Address of the first number.
    pub data: u64,
    /// Numbers from one row to the next.
    pub stride: u64,
}

/// The arguments of all kernels, passed by value.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Arguments {
    /// The variables, in the order of the formula. Those of parameters are not read.
    pub variables: [Table; MOST_VARIABLES],
    /// The `PARAM` staged parameters: evaluated on the host in `f64` and rounded to `T`.
    pub parameters: u64,
    /// Rows of the reduction (of all batches together, for a listed launch).
    pub rows: u64,
    /// Columns of the reduction (dense launches).
    pub columns: u64,
    /// Columns of a chunk: at most 2³¹ (dense launches).
    pub chunk: u64,
    /// Chunks (dense launches).
    pub chunks: u64,
    /// Records of states.
    pub records: u64,
    /// The states.
    pub state_values: u64,
    /// Their indices.
    pub state_indices: u64,
    /// Memory of the blocks, [`crate::tiling::Tiling::scratch`] bytes for each block of the grid.
    pub scratch: u64,
    /// Results; with [`Keep::None`] the single row that *total* writes.
    pub values: u64,
    /// Numbers from one row of results to the next.
    pub value_stride: u64,
    /// Indices in the results.
    pub indices: u64,
    /// Indices from one row of results to the next.
    pub index_stride: u64,
    /// Results of the single rows with [`Keep::None`], `rows × OUT`: what *merge* writes and *total* reads.
    pub parts: u64,
    /// List of [`Item`]s for *reduce*, of [`Merge`]s for *merge*; 0 for a dense launch.
    pub items: u64,
    /// Their number.
    pub item_count: u64,
    /// List of [`Range`]s that items refer to.
    pub ranges: u64,
    /// Table of row offsets that items refer to: `VARIABLES.len()` of them for each batch. A dense launch has one batch, with
    /// offsets 0.
    pub offsets: u64,
    /// Threads of a block that share a row, each with its part of the columns of a tile: a power of two up to
    /// [`THREADS`]. More than one where there are few rows.
    pub lanes: u32,
    /// An [`Accumulator`].
    pub accumulator: u32,
    /// Threads that merge the records of a row: 1, or [`THREADS`] where rows have many.
    pub mergers: u32,
    /// Makes the size a multiple of 8.
    pub reserved: u32,
}

/// Columns `first..last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// The first of them.
    pub first: u64,
    /// One past the last of them.
    pub last: u64,
}

/// Some rows × some columns: the work of one block in a listed launch.
///
/// Rows and columns are numbered within their batch, from 0: the row `i` of variable `v` is read at row
/// `offset[v] + i` of its table, while `i` is what an index in the formula or in a result means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    /// First row within the batch.
    pub first_row: u64,
    /// First record of the states: row `first_row + r` has record `record + r`; with several lanes, lane `l` has record
    /// `record + l · rows + r`.
    pub record: u64,
    /// First of its column ranges: in increasing order, without overlap, and spanning fewer than 2³¹ columns.
    pub first_range: u64,
    /// Number of its column ranges.
    pub ranges: u32,
    /// Rows: at most [`crate::tiling::Tiling::block`].
    pub rows: u32,
    /// Its batch: which row of the table of offsets counts.
    pub batch: u64,
}

/// Some rows whose records are to be merged in a listed launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Merge {
    /// The row within the batch.
    pub row: u64,
    /// First of its records, in the order of the columns.
    pub record: u64,
    /// Records from one of them to the next.
    pub step: u64,
    /// Number of its records; without any the result is that of no columns.
    pub records: u64,
    /// The row of results.
    pub output: u64,
    /// Its batch.
    pub batch: u64,
}
