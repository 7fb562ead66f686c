//! `Grad(reduction, v, e)` and `Diff(reduction, v, u)`.

use super::derive::{Along, Step, derive};
use super::reduction::Reduced;
use super::scope::Scope;
use crate::ast::{Derivative, Kind};
use crate::ir::NodeId;
use crate::mistakes::Mistakes;

/// The variable and the covector (or direction) of a derivative.
pub(super) fn arguments(
    scope: &mut Scope<'_>,
    derivative: &Derivative,
    mistakes: &mut Mistakes,
) -> Option<(usize, NodeId)> {
    let name = if derivative.reverse { "Grad" } else { "Diff" };
    scope.mark_used(&derivative.variable);
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
            mistakes.add(
                derivative.variable.at,
                format!(
                    "`{name}` differentiates towards a variable, and `{}` is a formula; write the name of a variable",
                    derivative.variable
                ),
            );
            None
        }
    };
    Some((variable?, along?))
}

/// The derivative; none if it cannot be had, which is reported.
pub(super) fn differentiate(
    scope: &mut Scope<'_>,
    reduced: &Reduced,
    derivative: &Derivative,
    (towards, along): (usize, NodeId),
    mistakes: &mut Mistakes,
) -> Option<Reduced> {
    let step = Step { reverse: derivative.reverse, towards, along: Along::Given(along, &derivative.along) };
    let result = derive(scope, reduced, step);
    let name = format!("{}: ", step.name());
    let report = |message: String| {
        // Those of operations begin with the name already.
        let message = if message.starts_with(&name) { message } else { name.clone() + &message };
        mistakes.add(derivative.at, message);
    };
    result.map_err(report).ok()
}
