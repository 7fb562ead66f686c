//! Rules of the outermost operation.

use super::derive::State;
use super::scope::{Scope, count};
use super::{Body, Operation, Task, keep_of, whole};
use crate::ast::{Reduction, ReductionKind, Size};
use crate::emit::Variable;
use crate::ir::{Dim, NodeId};
use crate::mistakes::Mistakes;

/// A reduction that has been checked, or a derivative of one.
pub(super) struct Reduced {
    pub(super) task: Task,
    /// What it is, for its own derivatives.
    pub(super) state: State,
    /// Numbers per row and index.
    pub(super) out: Dim,
    /// Numbers per row of a covector of the values, if they can be written.
    pub(super) seed: Option<Dim>,
}

/// Checks a reduction; none if something is wrong.
pub(super) fn check(scope: &mut Scope<'_>, reduction: &Reduction, mistakes: &mut Mistakes) -> Option<Reduced> {
    let before = mistakes.count();
    let value = scope.lower(&reduction.formula, mistakes);
    let weight = reduction.weight.as_ref().map(|w| scope.lower(w, mistakes));
    if let Some(Size::Named(name)) = &reduction.k {
        scope.find(name);
    }
    let k = reduction.k.as_ref().map(|k| check_k(scope, k, mistakes));
    complain_if_nothing_is_reduced(scope, reduction, mistakes);
    if let Some(value) = value {
        complain_unless_exponent_is_scalar(scope, reduction, value, mistakes);
    }
    let derivatives: Vec<_> = reduction.derivatives.iter().map(|d| whole::arguments(scope, d, mistakes)).collect();
    if mistakes.count() != before {
        return None;
    }
    let (value, tag) = (value?, reduction.tag?);
    let weight = match weight {
        Some(weight) => Some(weight?),
        None => None,
    };
    let k = match k {
        Some(k) => Some(k?),
        None => None,
    };
    let keep = keep_of(tag.kept());
    let body = Body { variables: variables(scope)?, value, weight, keep };
    let out = scope.ir.dim(body.weight.unwrap_or(body.value)).clone();
    let seed = match &k {
        Some(k) => k.lit().zip(out.lit()).and_then(|(k, out)| k.checked_mul(out)).map(Dim::Lit),
        None => Some(out.clone()),
    };
    let state = State::Reduction(reduction.kind, k.clone());
    let task = Task::new(Operation::Reduce(reduction.kind, k), body);
    let mut reduced = Reduced { task, state, out, seed };
    for (derivative, arguments) in reduction.derivatives.iter().zip(derivatives) {
        reduced = whole::differentiate(scope, &reduced, derivative, arguments?, mistakes)?;
    }
    Some(reduced)
}

/// All variables; none if one of them is wrong.
fn variables(scope: &Scope<'_>) -> Option<Vec<Variable>> {
    scope
        .variables
        .iter()
        .map(|v| {
            let (category, dim) = v.meaning.clone()?;
            Some(Variable { name: v.name.to_string(), category, dim })
        })
        .collect()
}

fn check_k(scope: &Scope<'_>, k: &Size, mistakes: &mut Mistakes) -> Option<Dim> {
    count("K, the number of smallest values,", k, |name| scope.is_const(name), mistakes)
}

/// K where it is right, without a word where it is not.
pub(super) fn known_k(scope: &Scope<'_>, k: &Size) -> Option<Dim> {
    check_k(scope, k, &mut Mistakes::new())
}

/// Over an index without a variable nobody knows how many terms there are.
fn complain_if_nothing_is_reduced(scope: &Scope<'_>, reduction: &Reduction, mistakes: &mut Mistakes) {
    let Some(tag) = reduction.tag else { return };
    if reduction.kind == ReductionKind::Zero || scope.may_have(tag.reduced()) {
        return;
    }
    let (index, category) = match tag.reduced() {
        crate::ir::Category::Vi => ("i", "Vi"),
        _ => ("j", "Vj"),
    };
    mistakes.add(
        reduction.at,
        format!(
            "this reduces over {index}, but no variable is declared as `{category}`, so nobody knows how many terms there are; \
             declare one (the formula need not use it: its rows are what counts), or choose the other tag"
        ),
    );
}

fn complain_unless_exponent_is_scalar(
    scope: &Scope<'_>,
    reduction: &Reduction,
    value: NodeId,
    mistakes: &mut Mistakes,
) {
    let exponential = matches!(
        reduction.kind,
        ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight | ReductionKind::MaxSumShiftExp
    );
    let dim = scope.ir.dim(value);
    if exponential && !dim.is_one() {
        mistakes.add(
            reduction.formula.at,
            format!(
                "the exponent must be one number (dimension 1), but `{}` has dimension {dim}; reduce it to a number, for instance by `Sum(…)`",
                reduction.formula
            ),
        );
    }
}
