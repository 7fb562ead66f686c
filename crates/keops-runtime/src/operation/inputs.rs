//! [`Inputs`]: the data of a call, checked against the variables of its formula.

use crate::error::Error;
use crate::rows::RowsView;
use keops_core::{Category, Keep, Scalar, Variable};
use ndarray::{ArrayView2, CowArray, Ix2};

/// Checked data: one table per variable, in the order of the formula, and how many i and j there are.
pub struct Inputs<'a, T: Scalar> {
    tables: Vec<CowArray<'a, T, Ix2>>,
    /// Rows of the i-variables (1 without any).
    m: usize,
    /// Rows of the j-variables (1 without any).
    n: usize,
}

impl<'a, T: Scalar> Inputs<'a, T> {
    /// Checks arguments against the variables they stand for.
    pub(crate) fn bind(
        formula: &'static str,
        variables: &[Variable],
        arguments: Vec<RowsView<'a, T>>,
    ) -> Result<Self, Error> {
        if arguments.len() != variables.len() {
            return Err(Error::Arguments { formula, expected: variables.len(), got: arguments.len() });
        }
        let mut tables = Vec::with_capacity(variables.len());
        for (variable, argument) in variables.iter().zip(arguments) {
            tables.push(argument.resolve(formula, variable)?);
        }
        for (variable, table) in variables.iter().zip(&tables) {
            if variable.category == Category::Pm && table.nrows() != 1 {
                return Err(Error::ParameterRows {
                    formula,
                    variable: variable.name,
                    dim: variable.dim,
                    got: table.nrows(),
                });
            }
        }
        let m = rows(formula, variables, &tables, Category::Vi)?;
        let n = rows(formula, variables, &tables, Category::Vj)?;
        Ok(Inputs { tables, m, n })
    }

    /// Views of the tables, in the order of the variables.
    pub(crate) fn views(&self) -> Vec<ArrayView2<'_, T>> {
        self.tables.iter().map(|table| table.view()).collect()
    }

    /// How many rows are reduced over and written, for a reduction that keeps `keep`.
    ///
    /// With [`Keep::None`] the rows i are reduced one by one and summed up in the end.
    pub(crate) fn rows(&self, keep: Keep) -> usize {
        if keep == Keep::J { self.n } else { self.m }
    }

    /// How many terms each row has.
    pub(crate) fn cols(&self, keep: Keep) -> usize {
        if keep == Keep::J { self.m } else { self.n }
    }

    /// How many rows the result has.
    pub(crate) fn results(&self, keep: Keep) -> usize {
        if keep == Keep::None { 1 } else { self.rows(keep) }
    }
}

/// The number of rows that all variables of a category agree on; 1 without any.
fn rows<T: Scalar>(
    formula: &'static str,
    variables: &[Variable],
    tables: &[CowArray<'_, T, Ix2>],
    category: Category,
) -> Result<usize, Error> {
    let mut of_category = variables.iter().zip(tables).filter(|(variable, _)| variable.category == category);
    let Some((first, table)) = of_category.next() else { return Ok(1) };
    let expected = table.nrows();
    match of_category.find(|(_, table)| table.nrows() != expected) {
        None => Ok(expected),
        Some((variable, table)) => Err(Error::Rows {
            formula,
            variable: variable.name,
            category,
            first: first.name,
            expected,
            got: table.nrows(),
        }),
    }
}
