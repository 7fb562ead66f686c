//! [`Error`]: everything that can be wrong with a call.
//!
//! Every message names the formula and, where one is to blame, the variable, its category, what was expected and what
//! came. A call that returns an error has written nothing to its output.

use crate::options::{Accumulator, Level};
use keops_core::Category;

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
