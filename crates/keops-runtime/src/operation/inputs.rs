//! [`Inputs`]: the data of a call, checked against the variables of its formula.

use crate::domain::{Domain, Origin, Pattern, Scope, Table, on_host};
use crate::error::Error;
use crate::located::DeviceMemory;
use crate::rows::{Resolved, RowsView};
use crate::stream::Source;
use core::ops::Range;
use keops_core::{Category, Keep, Scalar, Variable};
use ndarray::{CowArray, Ix3};
use std::sync::Arc;

/// Checked data: one table per variable, in the order of the formula, and which pairs they are for.
pub struct Inputs<'a, T: Scalar> {
    tables: Vec<Owned<'a, T>>,
    /// Lengths of the batch axes.
    batch: Vec<usize>,
    /// The batch elements to run.
    elements: Range<usize>,
    /// Rows i with their columns j.
    i: Arc<Pattern>,
    /// Rows j with their columns i.
    j: Arc<Pattern>,
}

/// Data of a variable, possibly a copy of what was given.
struct Owned<'a, T> {
    data: CowArray<'a, T, Ix3>,
    /// Its own batch axes.
    batch: Vec<usize>,
    /// See [`Table::steps`].
    steps: Vec<usize>,
    /// See [`Table::device`].
    device: Option<&'a DeviceMemory>,
    /// See [`Table::stored`].
    stored: Option<&'a dyn Source<T>>,
}

impl<'a, T: Scalar> Inputs<'a, T> {
    /// Checks arguments against the variables they stand for. `batched`: may they have leading axes?
    pub(crate) fn bind(
        formula: &'static str,
        variables: &[Variable],
        arguments: Vec<RowsView<'a, T>>,
        batched: bool,
        scope: &Scope,
    ) -> Result<Self, Error> {
        if arguments.len() != variables.len() {
            return Err(Error::Arguments { formula, expected: variables.len(), got: arguments.len() });
        }
        let mut resolved = Vec::with_capacity(variables.len());
        for (variable, argument) in variables.iter().zip(arguments) {
            resolved.push(argument.resolve(formula, variable, batched)?);
        }
        for (variable, table) in variables.iter().zip(&resolved) {
            let got = table.data.dim().1;
            if variable.category == Category::Pm && got != 1 {
                return Err(Error::ParameterRows { formula, variable: variable.name, dim: variable.dim, got });
            }
        }
        let m = rows(formula, variables, &resolved, Category::Vi)?;
        let n = rows(formula, variables, &resolved, Category::Vj)?;
        let batch = broadcast(formula, variables, &resolved)?;
        let [i, j] = patterns(formula, scope, m, n)?;
        let tables = resolved
            .into_iter()
            .map(|Resolved { data, batch: own, device, stored }| Owned {
                data,
                steps: steps(&own, batch.len()),
                batch: own,
                device,
                stored,
            })
            .collect();
        let elements = 0..batch.iter().product();
        Ok(Inputs { tables, batch, elements, i, j })
    }

    /// Views of the tables, in the order of the variables.
    pub(crate) fn tables(&self) -> Vec<Table<'_, T>> {
        self.tables
            .iter()
            .map(|t| Table { data: t.data.view(), steps: t.steps.clone(), skip: 0, device: t.device, stored: t.stored })
            .collect()
    }

    /// The device where the data of each variable is, if not on the host.
    pub(crate) fn devices(&self) -> impl Iterator<Item = Option<u32>> {
        self.tables.iter().map(|table| table.device.map(DeviceMemory::ordinal))
    }

    /// Does any of the data have to be read?
    pub(crate) fn are_stored(&self) -> bool {
        self.tables.iter().any(|table| table.stored.is_some())
    }

    /// The pairs, for a reduction that keeps `keep`.
    ///
    /// With [`Keep::None`] the rows i are reduced one by one and summed up in the end.
    pub(crate) fn domain(&self, keep: Keep) -> Domain<'_> {
        Domain {
            batch: &self.batch,
            elements: self.elements.clone(),
            pattern: self.pattern(keep),
            origin: Origin::default(),
        }
    }

    fn pattern(&self, keep: Keep) -> &Pattern {
        if keep == Keep::J { &self.j } else { &self.i }
    }

    /// Lengths of the batch axes of all variables together.
    pub(crate) fn batch(&self) -> &[usize] {
        &self.batch
    }

    /// Lengths of the batch axes of one variable.
    pub(crate) fn batch_of(&self, variable: usize) -> &[usize] {
        &self.tables[variable].batch
    }

    /// See [`Table::steps`].
    pub(crate) fn steps_of(&self, variable: usize) -> &[usize] {
        &self.tables[variable].steps
    }

    /// The batch elements to run.
    pub(crate) fn elements(&self) -> Range<usize> {
        self.elements.clone()
    }

    /// The same data for some of the batch elements.
    pub(crate) fn part(&self, elements: Range<usize>) -> Inputs<'_, T> {
        let tables = self.tables.iter();
        let tables = tables.map(|t| Owned {
            data: t.data.view().into(),
            batch: t.batch.clone(),
            steps: t.steps.clone(),
            device: t.device,
            stored: t.stored,
        });
        let (i, j) = (Arc::clone(&self.i), Arc::clone(&self.j));
        Inputs { tables: tables.collect(), batch: self.batch.clone(), elements, i, j }
    }

    /// The same with all data on the host.
    pub(crate) fn on_host(&self, formula: &'static str) -> Result<Inputs<'_, T>, Error> {
        let mut inputs = self.part(self.elements.clone());
        for (table, from) in inputs.tables.iter_mut().zip(&self.tables) {
            table.data = on_host(formula, "", from.data.view(), from.device, from.stored)?;
            (table.device, table.stored) = (None, None);
        }
        Ok(inputs)
    }

    /// How many rows of an element are reduced and written.
    pub(crate) fn rows(&self, keep: Keep) -> usize {
        self.pattern(keep).rows()
    }

    /// How many rows the result of an element has.
    pub(crate) fn results(&self, keep: Keep) -> usize {
        if keep == Keep::None { 1 } else { self.rows(keep) }
    }

    /// Refuses to look for `k` smallest values where there are fewer terms.
    pub(crate) fn check_terms(&self, formula: &'static str, keep: Keep, k: usize) -> Result<(), Error> {
        let pattern = self.pattern(keep);
        if k > pattern.columns() {
            return Err(Error::TooFewTerms { formula, k, n: pattern.columns() });
        }
        let Some(segment) = pattern.too_short(k) else { return Ok(()) };
        let (rows, n) = (pattern.segment_rows(segment), pattern.terms(segment));
        Err(Error::TooFewTermsInSegment { formula, k, n, segment, start: rows.start, end: rows.end })
    }
}

/// The number of rows that all variables of a category agree on; 1 without any.
fn rows<T: Scalar>(
    formula: &'static str,
    variables: &[Variable],
    tables: &[Resolved<'_, T>],
    category: Category,
) -> Result<usize, Error> {
    let rows = |table: &Resolved<'_, T>| table.data.dim().1;
    let mut of_category = variables.iter().zip(tables).filter(|(variable, _)| variable.category == category);
    let Some((first, table)) = of_category.next() else { return Ok(1) };
    let expected = rows(table);
    match of_category.find(|(_, table)| rows(table) != expected) {
        None => Ok(expected),
        Some((variable, table)) => Err(Error::Rows {
            formula,
            variable: variable.name,
            category,
            first: first.name,
            expected,
            got: rows(table),
        }),
    }
}

/// The batch axes of all variables together: aligned at the last one, an axis of length 1 fits any length.
fn broadcast<T: Scalar>(
    formula: &'static str,
    variables: &[Variable],
    tables: &[Resolved<'_, T>],
) -> Result<Vec<usize>, Error> {
    let axes = tables.iter().map(|table| table.batch.len()).max().unwrap_or(0);
    let mut batch = vec![1; axes];
    for (variable, table) in variables.iter().zip(tables) {
        let expected = batch.clone();
        for (all, &own) in batch[axes - table.batch.len()..].iter_mut().zip(&table.batch) {
            if *all == 1 {
                *all = own;
            } else if own != 1 && own != *all {
                let Variable { name, category, .. } = *variable;
                return Err(Error::BatchAxes { formula, variable: name, category, expected, got: table.batch.clone() });
            }
        }
    }
    Ok(batch)
}

/// Elements from one index of each of `axes` batch axes to the next, for data with the last of them.
fn steps(own: &[usize], axes: usize) -> Vec<usize> {
    let mut steps = vec![0; axes];
    let mut step = 1;
    for (to, &len) in steps.iter_mut().rev().zip(own.iter().rev()) {
        *to = if len == 1 { 0 } else { step };
        step *= len;
    }
    steps
}

/// The patterns of both sides for `m` rows i and `n` rows j.
fn patterns(formula: &'static str, scope: &Scope, m: usize, n: usize) -> Result<[Arc<Pattern>; 2], Error> {
    let (what, i, j) = match scope {
        Scope::Dense => return Ok([Arc::new(Pattern::dense(m, n)), Arc::new(Pattern::dense(n, m))]),
        Scope::Ranges(ranges) => ("ranges", ranges.sides()[0], ranges.sides()[1]),
        Scope::Segments(i, j) => ("segments", i, j),
    };
    for (index, expected, got) in [("i", i.rows(), m), ("j", i.columns(), n)] {
        if expected != got {
            return Err(Error::Coverage { formula, what, index, expected, got });
        }
    }
    Ok([Arc::clone(i), Arc::clone(j)])
}
