//! [`Parameters`]: what depends on parameters only, evaluated before anything else.

use super::access::{ParameterSource, Rounded};
use super::scheme::positions;
use crate::domain::{Domain, Table};
use keops_core::{Category, Formula, Scalar};

/// Staged parameters of the batch elements.
pub(super) struct Parameters<T> {
    staged: Vec<T>,
    /// Numbers per element.
    each: usize,
    /// Numbers from one element to the next: 0 if all share one record.
    step: usize,
    first: usize,
}

impl<T: Scalar> Parameters<T> {
    pub(super) fn stage<F: Formula>(tables: &[Table<'_, T>], domain: &Domain<'_>) -> Self {
        let mut parameters = tables.iter().zip(F::VARIABLES).filter(|(_, variable)| variable.category == Category::Pm);
        let shared = parameters.all(|(table, _)| table.is_shared());
        let elements = if shared { domain.elements.len().min(1) } else { domain.elements.len() };
        let mut staged = vec![T::default(); elements * F::PARAM];
        if F::PARAM > 0 {
            for (record, element) in staged.chunks_exact_mut(F::PARAM).zip(domain.elements.clone()) {
                let positions = positions(tables, domain.batch, element);
                F::param(&ParameterSource { tables, positions }, &mut Rounded(record));
            }
        }
        Parameters { staged, each: F::PARAM, step: if shared { 0 } else { F::PARAM }, first: domain.elements.start }
    }

    /// Those of an element.
    pub(super) fn of(&self, element: usize) -> &[T] {
        &self.staged[(element - self.first) * self.step..][..self.each]
    }
}
