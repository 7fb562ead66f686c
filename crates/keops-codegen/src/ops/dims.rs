//! Dimension rules.

use super::Literal;
use crate::ir::Dim;

/// Which dimensions an operation takes, and which it gives.
pub enum Dims {
    /// All arguments have the same dimension or 1; so has the result.
    Broadcast,
    /// Any dimension to one number.
    ToScalar,
    /// Two vectors (of the same dimension, or one of them of 1) to one number.
    Pairing,
    /// Any dimension, kept.
    Same,
    /// A rule of its own: the result's dimension from the arguments'.
    Custom(fn(&[Dim], &[Literal]) -> Result<Dim, String>),
    /// Left to the builder, because it depends on more than dimensions.
    Free,
}

impl Dims {
    /// The dimension of the result (`None`: left to the builder), or what is wrong.
    pub fn check(&self, names: &[&str], dims: &[Dim], lits: &[Literal]) -> Result<Option<Dim>, String> {
        match self {
            Dims::Broadcast => broadcast(names, dims).map(Some),
            Dims::ToScalar => Ok(Some(Dim::ONE)),
            Dims::Pairing => broadcast(names, dims).map(|_| Some(Dim::ONE)),
            Dims::Same => Ok(dims.first().cloned()),
            Dims::Custom(rule) => rule(dims, lits).map(Some),
            Dims::Free => Ok(None),
        }
    }
}

/// The common dimension of arguments that broadcast.
fn broadcast(names: &[&str], dims: &[Dim]) -> Result<Dim, String> {
    let mut wide: Option<(usize, &Dim)> = None;
    for (k, dim) in dims.iter().enumerate().filter(|(_, d)| !d.is_one()) {
        match wide {
            Some((w, d)) if d != dim => {
                return Err(format!(
                    "dimensions must be equal, or 1 to broadcast, but `{}` has dimension {d} and `{}` has dimension {dim}",
                    names[w], names[k]
                ));
            }
            _ => wide = Some((k, dim)),
        }
    }
    Ok(wide.map_or(Dim::ONE, |(_, d)| d.clone()))
}

/// The integer literal `k`, as a count or position.
pub(super) fn count(lits: &[Literal], k: usize, what: &str) -> Result<usize, String> {
    match lits.get(k) {
        Some(Literal::Int(n)) => usize::try_from(*n).map_err(|_| format!("{what} must not be negative, but it is {n}")),
        _ => Err(format!("{what} must be an integer")),
    }
}

/// The integer literal `k`.
pub(super) fn int(lits: &[Literal], k: usize) -> Result<i64, String> {
    match lits.get(k) {
        Some(Literal::Int(n)) => Ok(*n),
        _ => Err("an integer is needed here".into()),
    }
}

/// The number literal `k`.
pub(super) fn number(lits: &[Literal], k: usize) -> Result<f64, String> {
    match lits.get(k) {
        Some(Literal::Int(n)) => Ok(*n as f64),
        Some(Literal::Float(v)) => Ok(*v),
        _ => Err("a number is needed here".into()),
    }
}
