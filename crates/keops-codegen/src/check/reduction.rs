//! Rules of the outermost operation.

use super::scope::{Scope, count};
use super::{Body, keep_of};
use crate::ast::{Derivative, Kind, Reduction, ReductionKind, Size};
use crate::emit::Variable;
use crate::ir::{Dim, NodeId};
use crate::mistakes::Mistakes;
use crate::ops;

/// A reduction that has been checked.
pub(super) struct Reduced {
    pub(super) kind: ReductionKind,
    /// Number of smallest values.
    pub(super) k: Option<Dim>,
    pub(super) body: Body,
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
    let derivatives: Vec<_> =
        reduction.derivatives.iter().map(|d| derivative_arguments(scope, reduction, d, mistakes)).collect();
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
    let mut body = Body { variables: variables(scope)?, value, weight, keep };
    for (derivative, arguments) in reduction.derivatives.iter().zip(derivatives) {
        body = differentiate(scope, body, derivative, arguments?, mistakes)?;
    }
    let out = scope.ir.dim(body.weight.unwrap_or(body.value)).clone();
    let seed = match &k {
        Some(k) => k.lit().zip(out.lit()).and_then(|(k, out)| k.checked_mul(out)).map(Dim::Lit),
        None => Some(out.clone()),
    };
    Some(Reduced { kind: reduction.kind, k, body, out, seed })
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

/// The variable and the covector (or direction) of a derivative.
fn derivative_arguments(
    scope: &mut Scope<'_>,
    reduction: &Reduction,
    derivative: &Derivative,
    mistakes: &mut Mistakes,
) -> Option<(usize, NodeId)> {
    let name = if derivative.reverse { "Grad" } else { "Diff" };
    scope.mark_used(&derivative.variable);
    if reduction.kind != ReductionKind::Sum {
        scope.mark_used(&derivative.along);
        mistakes.add(
            derivative.at,
            format!("`{name}` of a whole reduction is for sums only; for the gradients of other reductions write `#[grad(x_i)]` before the formula, which adds `NAME::grad_x_i`"),
        );
        return None;
    }
    let along = scope.lower(&derivative.along, mistakes);
    let variable = match &derivative.variable.kind {
        Kind::Name(variable) => match scope.find(variable) {
            Some(position) => Some(position),
            None => {
                scope.complain_about_unknown(variable, mistakes);
                None
            }
        },
        Kind::Unreadable => None,
        _ => {
            mistakes.add(derivative.variable.at, format!("`{name}` differentiates towards a variable, not a formula"));
            None
        }
    };
    Some((variable?, along?))
}

fn differentiate(
    scope: &mut Scope<'_>,
    body: Body,
    derivative: &Derivative,
    (position, along): (usize, NodeId),
    mistakes: &mut Mistakes,
) -> Option<Body> {
    let variable = scope.node(position)?;
    let name = if derivative.reverse { "Grad" } else { "Diff" };
    let value = match ops::find(name)?.apply(&mut scope.ir, &[body.value, variable, along], &[]) {
        Ok(value) => value,
        Err(message) => {
            mistakes.add(derivative.at, message);
            return None;
        }
    };
    let keep = if derivative.reverse { keep_of(body.variables[position].category) } else { body.keep };
    Some(Body { value, keep, ..body })
}
