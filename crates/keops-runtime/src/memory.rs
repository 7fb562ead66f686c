//! Fallible allocation of tables.

use crate::error::Error;
use ndarray::Array2;

/// A table of default values, or an error where memory, or the size of an allocation, does not suffice.
pub(crate) fn table<A: Clone + Default>(
    formula: &'static str,
    part: &'static str,
    rows: usize,
    columns: usize,
) -> Result<Array2<A>, Error> {
    let error = || Error::Memory { formula, part, rows, columns };
    let len = rows.checked_mul(columns).ok_or_else(error)?;
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| error())?;
    numbers.resize(len, A::default());
    Array2::from_shape_vec((rows, columns), numbers).map_err(|_| error())
}
