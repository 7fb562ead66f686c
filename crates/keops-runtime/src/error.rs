//! [`Error`]: everything that can be wrong with a call.
//!
//! Every message names the formula and, where one is to blame, the variable, its category, what was expected and what
//! came. A call that returns an error has written nothing to its output.

use crate::options::{Accumulator, Level};
use keops_core::Category;
use std::path::PathBuf;

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Rows of a variable hold the wrong number of numbers.
    #[error(
        "{formula}: variable `{variable}` ({}) must have {expected} number(s) per row, but the data has {got}",
        category_name(*.category)
    )]
    Columns {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its category.
        category: Category,
        /// Its dimension in the formula.
        expected: usize,
        /// Numbers per row of the data.
        got: usize,
    },
    /// A flat list of numbers does not divide into rows.
    #[error(
        "{formula}: variable `{variable}` ({}) takes rows of {expected} number(s), but the flat list of {got} number(s) \
         is not a multiple of {expected}",
        category_name(*.category)
    )]
    Length {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its category.
        category: Category,
        /// Its dimension in the formula.
        expected: usize,
        /// Length of the list.
        got: usize,
    },
    /// An array has more axes than a table of rows.
    #[error(
        "{formula}: variable `{variable}` ({}) must be an array of rows × {expected}, but the data has shape {got:?}",
        category_name(*.category)
    )]
    Axes {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its category.
        category: Category,
        /// Its dimension in the formula.
        expected: usize,
        /// Shape of the data.
        got: Vec<usize>,
    },
    /// Two variables of one category differ in their number of rows.
    #[error(
        "{formula}: variable `{variable}` ({}) must have {expected} row(s) like `{first}`, but the data has {got}",
        category_name(*.category)
    )]
    Rows {
        /// The formula.
        formula: &'static str,
        /// The variable that does not agree.
        variable: &'static str,
        /// Category of both.
        category: Category,
        /// The first variable of that category.
        first: &'static str,
        /// Rows of the first variable.
        expected: usize,
        /// Rows of the other.
        got: usize,
    },
    /// A parameter does not have exactly one row.
    #[error("{formula}: parameter `{variable}` (Pm) must be one row of {dim} number(s), but the data has {got} rows")]
    ParameterRows {
        /// The formula.
        formula: &'static str,
        /// The parameter.
        variable: &'static str,
        /// Its dimension in the formula.
        dim: usize,
        /// Rows of the data.
        got: usize,
    },
    /// A call was built with the wrong number of arguments.
    #[error("{formula}: takes {expected} variable(s), but {got} were given")]
    Arguments {
        /// The formula.
        formula: &'static str,
        /// Number of variables.
        expected: usize,
        /// Number of arguments.
        got: usize,
    },
    /// The output given to `run_into` or `add_into` has the wrong shape.
    #[error("{formula}: the output for the {part} must have shape {expected:?}, but it has {got:?}")]
    OutputShape {
        /// The formula.
        formula: &'static str,
        /// "values" or "indices".
        part: &'static str,
        /// Shape of the result.
        expected: Vec<usize>,
        /// Shape of the output.
        got: Vec<usize>,
    },
    /// A dimension that is a const parameter has no meaning.
    #[error(
        "{formula}: variable `{variable}` has rows of {dim} numbers; they must have at least 1 number and at most {most}"
    )]
    Dimension {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its dimension.
        dim: usize,
        /// The largest dimension.
        most: usize,
    },
    /// More smallest values are asked for than there are terms.
    #[error("{formula}: K = {k} values per row are asked for, but each row has only N = {n} term(s)")]
    TooFewTerms {
        /// The formula.
        formula: &'static str,
        /// How many were asked for.
        k: usize,
        /// Terms per row.
        n: usize,
    },
    /// The backend asked for cannot run here.
    #[error("{formula}: backend {backend} is not available: {reason}")]
    NoBackend {
        /// The formula.
        formula: &'static str,
        /// The backend asked for.
        backend: String,
        /// Why not.
        reason: &'static str,
    },
    /// There is no CUDA driver, or it does not start.
    #[error("{formula}: backend Cuda({device}) needs NVIDIA's driver, but {reason}")]
    NoDriver {
        /// The formula.
        formula: &'static str,
        /// The device asked for.
        device: u32,
        /// What is wrong with the driver.
        reason: String,
    },
    /// There are not that many CUDA devices.
    #[error("{formula}: there is no CUDA device {device}: the driver knows of {count} device(s), numbered from 0")]
    NoDevice {
        /// The formula.
        formula: &'static str,
        /// The device asked for.
        device: u32,
        /// How many there are.
        count: u32,
    },
    /// The formula was compiled without kernels for GPUs.
    #[error("{formula}: no GPU kernels were compiled for this formula: {}", kernel_remedy(*.generic))]
    NoKernels {
        /// The formula.
        formula: &'static str,
        /// Does it have const parameters, so that there can be no kernels?
        generic: bool,
    },
    /// The kernels were compiled for newer devices.
    #[error(
        "{formula}: device {device} ({name}) has compute capability {}.{}, but the kernels were compiled for {}; compile \
         them for sm_{}{} too",
        .capability.0, .capability.1, target_names(.targets), .capability.0, .capability.1
    )]
    Architecture {
        /// The formula.
        formula: &'static str,
        /// The device.
        device: u32,
        /// Its name.
        name: String,
        /// Its compute capability, major and minor.
        capability: (u32, u32),
        /// Compute capabilities of the kernels: 80 for `sm_80`.
        targets: Vec<u32>,
    },
    /// The driver could not compile the kernels.
    #[error("{formula}: the driver cannot compile the PTX of this formula for device {device}: {log}")]
    Jit {
        /// The formula.
        formula: &'static str,
        /// The device.
        device: u32,
        /// What the driver says.
        log: String,
    },
    /// The PTX lacks a kernel.
    #[error(
        "{formula}: its PTX has no kernel {kernel}: it was made by another version of keops or as a plain source, without \
         kernels for exact sums, and is to be made anew"
    )]
    NoKernel {
        /// The formula.
        formula: &'static str,
        /// The kernel.
        kernel: String,
    },
    /// Memory of a device does not suffice.
    #[error("{formula}: device {device} has no memory for {part}: {requested} bytes are needed, {free} bytes are free")]
    DeviceMemory {
        /// The formula.
        formula: &'static str,
        /// The device.
        device: u32,
        /// What it was for.
        part: &'static str,
        /// Bytes needed.
        requested: u64,
        /// Bytes free.
        free: u64,
    },
    /// A kernel failed. What was in the memory of the device is lost; the next call begins anew.
    #[error("{formula}: a kernel failed on device {device} ({kernel}): {reason}")]
    Kernel {
        /// The formula.
        formula: &'static str,
        /// The device.
        device: u32,
        /// The kernel, or those that were launched.
        kernel: String,
        /// What the driver says.
        reason: String,
    },
    /// The driver refused something else.
    #[error("{formula}: the driver of device {device} failed to {doing}: {reason}")]
    Driver {
        /// The formula.
        formula: &'static str,
        /// The device.
        device: u32,
        /// What it was told to do.
        doing: &'static str,
        /// What it says.
        reason: String,
    },
    /// Data is on a device, but the call runs elsewhere.
    #[error(
        "{formula}: the data of variable `{variable}` is on CUDA device {device}, but the call runs on {backend}; choose \
         Backend::Cuda({device}), or download the data"
    )]
    OtherPlace {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Where its data is.
        device: u32,
        /// Where the call runs.
        backend: String,
    },
    /// Data that was on a device is gone.
    #[error(
        "{formula}: the data of variable `{variable}` was lost when a kernel failed on CUDA device {device}; upload it anew"
    )]
    DeviceDataLost {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// The device.
        device: u32,
    },
    /// This processor lacks the instructions asked for.
    #[error("{formula}: this processor has no {level:?} instructions")]
    NoLevel {
        /// The formula.
        formula: &'static str,
        /// The level asked for.
        level: Level,
    },
    /// An accumulator was chosen for a reduction that adds nothing up.
    #[error("{formula}: accumulator {accumulator:?} was asked for, but this reduction adds nothing up")]
    NoAccumulation {
        /// The formula.
        formula: &'static str,
        /// The accumulator asked for.
        accumulator: Accumulator,
    },
    /// A segment has fewer terms than smallest values are asked for.
    #[error(
        "{formula}: K = {k} values per row are asked for, but rows {start}..{end} (segment {segment}) have only {n} term(s)"
    )]
    TooFewTermsInSegment {
        /// The formula.
        formula: &'static str,
        /// How many were asked for.
        k: usize,
        /// Terms per row of the segment.
        n: usize,
        /// The segment; for a block pattern, after neighbouring clusters with the same columns were joined.
        segment: usize,
        /// First row of the segment.
        start: usize,
        /// Row behind its last.
        end: usize,
    },
    /// Offsets of segments are not what they should be.
    #[error("offset {position} is {got}: {reason}")]
    Offsets {
        /// Which of them.
        position: usize,
        /// Its value.
        got: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A pair of clusters names one that is not there.
    #[error("cluster {cluster} of {index} does not exist: there are {clusters}")]
    Cluster {
        /// "i" or "j".
        index: &'static str,
        /// The cluster.
        cluster: usize,
        /// How many there are.
        clusters: usize,
    },
    /// Rows are not those that were clustered.
    #[error("{expected} row(s) were clustered, but {got} were given")]
    ClusterRows {
        /// Rows that were clustered.
        expected: usize,
        /// Rows given.
        got: usize,
    },
    /// Points cannot be sorted into the cells of a grid.
    #[error("clusters of a grid: {reason}")]
    Grid {
        /// Why not.
        reason: String,
    },
    /// Levels of clusters are not nested.
    #[error("level {level} of the clusters of {index} begins a cluster at row {row}, level {} does not", .level + 1)]
    Nesting {
        /// The coarser level.
        level: usize,
        /// "i" or "j".
        index: &'static str,
        /// The row.
        row: usize,
    },
    /// Segments of i and of j are to be paired, but differ in number.
    #[error("the offsets of i have {i} segment(s), those of j have {j}")]
    Segments {
        /// Segments of i.
        i: usize,
        /// Segments of j.
        j: usize,
    },
    /// A block pattern or the offsets of segments are for another number of rows than the data has.
    #[error("{formula}: the {what} are for {expected} row(s) {index}, but the data has {got}")]
    Coverage {
        /// The formula.
        formula: &'static str,
        /// "ranges" or "segments".
        what: &'static str,
        /// "i" or "j".
        index: &'static str,
        /// Rows of the pattern.
        expected: usize,
        /// Rows of the data.
        got: usize,
    },
    /// Leading axes of two variables do not fit together.
    #[error(
        "{formula}: variable `{variable}` ({}) has batch axes {got:?}, which do not broadcast to {expected:?}",
        category_name(*.category)
    )]
    BatchAxes {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its category.
        category: Category,
        /// Batch axes of the variables before it.
        expected: Vec<usize>,
        /// Its own.
        got: Vec<usize>,
    },
    /// The data has batch axes, but the call was not said to be batched.
    #[error(
        "{formula}: variable `{variable}` ({}) must be an array of rows × {expected}, but the data has shape {got:?}; for \
         a result with batch axes say `.batched()` before running",
        category_name(*.category)
    )]
    NotBatched {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// Its category.
        category: Category,
        /// Its dimension in the formula.
        expected: usize,
        /// Shape of the data.
        got: Vec<usize>,
    },
    /// A file of data cannot be used.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Data could not be read while a call ran.
    #[error("{formula}: reading variable `{variable}` from {from}: {reason}")]
    Read {
        /// The formula.
        formula: &'static str,
        /// The variable.
        variable: &'static str,
        /// What it is read from.
        from: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// A memory limit is too small for the smallest pieces.
    #[error("{formula}: a memory limit of {limit} bytes is too small: at least {needed} are needed")]
    MemoryLimit {
        /// The formula.
        formula: &'static str,
        /// The limit.
        limit: usize,
        /// Bytes that would do.
        needed: usize,
    },
    /// Memory for a result could not be had.
    #[error("{formula}: no memory for {rows} × {columns} number(s) of {part}")]
    Memory {
        /// The formula.
        formula: &'static str,
        /// What it was for.
        part: &'static str,
        /// Rows needed.
        rows: usize,
        /// Numbers per row.
        columns: usize,
    },
}

/// The category as it is written in a formula, with its meaning.
fn category_name(category: Category) -> &'static str {
    match category {
        Category::Vi => "Vi, one row per i",
        Category::Vj => "Vj, one row per j",
        Category::Pm => "Pm, one row in all",
    }
}

/// How to get kernels.
fn kernel_remedy(generic: bool) -> &'static str {
    if generic {
        "its dimensions are const parameters or follow from the data, and kernels need numbers; write them into the formula"
    } else {
        "call `keops_build::compile()` in the build script (build.rs) of the crate that declares it, or run \
         `cargo xtask build-ptx`, which writes kernels to the folder `keops-ptx` beside Cargo.toml"
    }
}

/// Targets as compilers call them.
fn target_names(targets: &[u32]) -> String {
    targets.iter().map(|target| format!("sm_{target}")).collect::<Vec<_>>().join(", ")
}
