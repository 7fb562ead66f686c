//! Derivatives of whole reductions: `Grad(reduction, v, e)` and `Diff(reduction, v, u)`.

use super::gradient::pull_back;
use super::reduction::Reduced;
use super::scope::Scope;
use super::{Body, Operation, keep_of};
use crate::ast::{Derivative, Expr, Kind, ReductionKind};
use crate::ir::{Category, NodeId, Op};
use crate::mistakes::Mistakes;
use crate::ops;
use crate::schedule::Keep;

/// The variable and the covector (or direction) of a derivative.
pub(super) fn arguments(
    scope: &mut Scope<'_>,
    derivative: &Derivative,
    mistakes: &mut Mistakes,
) -> Option<(usize, NodeId)> {
    let name = name_of(derivative);
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

fn name_of(derivative: &Derivative) -> &'static str {
    if derivative.reverse { "Grad" } else { "Diff" }
}

/// The derivative; none if it cannot be had, which is reported.
pub(super) fn differentiate(
    scope: &mut Scope<'_>,
    reduced: Reduced,
    derivative: &Derivative,
    (position, along): (usize, NodeId),
    mistakes: &mut Mistakes,
) -> Option<Reduced> {
    let result = if derivative.reverse {
        grad(scope, reduced, position, along, &derivative.along)
    } else {
        diff(scope, reduced, position, along)
    };
    result.map_err(|message| mistakes.add(derivative.at, message)).ok()
}

/// The gradient of a sum is a sum. That of the logarithm of a sum of exponentials towards a variable of the kept index is a
/// mean under the soft-max. Others are operations of their own, for which the covector must be a variable.
fn grad(
    scope: &mut Scope<'_>,
    reduced: Reduced,
    position: usize,
    along: NodeId,
    written: &Expr,
) -> Result<Reduced, String> {
    let keep = keep_of(reduced.body.variables[position].category);
    match &reduced.operation {
        Operation::Reduce(ReductionKind::Sum, _) => {
            let value = derivative(scope, "Grad", reduced.body.value, position, along)?;
            Ok(of_sum(scope, Body { value, keep, ..reduced.body }))
        }
        Operation::Reduce(ReductionKind::LogSumExp, _)
            if reduced.body.weight.is_none() && keep == reduced.body.keep && follows_rows(scope, along, keep) =>
        {
            let weight = derivative(scope, "Grad", reduced.body.value, position, along)?;
            Ok(mean(scope, reduced.body, weight))
        }
        Operation::Reduce(ReductionKind::ArgMin | ReductionKind::ArgMax | ReductionKind::ArgKMin, _) => {
            Err("Grad: an index has no gradient; take that of the value: `Min_Reduction`, `Max_Reduction`, `KMin_Reduction`".into())
        }
        Operation::Reduce(ReductionKind::Zero, _) => Err("Grad: the gradient of zeros is zero; write `Zero_Reduction`".into()),
        Operation::Reduce(ReductionKind::MaxSumShiftExp, _) => {
            Err("Grad: the raw sums of `Max_SumShiftExp` have no gradient of their own; write `LogSumExp_Reduction`".into())
        }
        Operation::Reduce(..) => {
            let covector = match scope.ir.op(along) {
                Op::Var { position, category } if keep_of(*category) == reduced.body.keep => *position,
                _ => {
                    let category = if reduced.body.keep == Keep::J { "Vj" } else { "Vi" };
                    return Err(format!(
                        "Grad: the covector of this reduction's gradient must be a variable with a row per result, and \
                         `{written}` is not; declare one, `e: {category}<…>`, and pass the numbers in it"
                    ));
                }
            };
            let given = scope.ir.dim(along).clone();
            let (operation, body) = pull_back(scope, &reduced, position, "e")?;
            match &reduced.seed {
                Some(seed) if *seed == given => {}
                Some(seed) => {
                    return Err(format!("Grad: the covector has the shape of the result, {seed} number(s) per row, but `{written}` has {given}"));
                }
                None => return Err("Grad: the number of results must be known: write K and the dimensions as numbers".into()),
            }
            let out = scope.ir.dim(body.value).clone();
            let forward = Some(reduced.body);
            Ok(Reduced { operation, body, forward, covector: Some(covector), seed: Some(out.clone()), out })
        }
        Operation::GradExponential(..) | Operation::GradSelected(..) => Err(NOT_AGAIN.into()),
    }
}

/// The derivative of a sum is a sum, that of the logarithm of a sum of exponentials a mean under the soft-max.
fn diff(scope: &mut Scope<'_>, reduced: Reduced, position: usize, along: NodeId) -> Result<Reduced, String> {
    match &reduced.operation {
        Operation::Reduce(ReductionKind::Sum, _) => {
            let value = derivative(scope, "Diff", reduced.body.value, position, along)?;
            Ok(of_sum(scope, Body { value, ..reduced.body }))
        }
        Operation::Reduce(ReductionKind::LogSumExp, _) if reduced.body.weight.is_none() => {
            let weight = derivative(scope, "Diff", reduced.body.value, position, along)?;
            Ok(mean(scope, reduced.body, weight))
        }
        Operation::Reduce(ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight, _) => Err(
            "Diff: of the exponential reductions only a `LogSumExp_Reduction` without weight can be differentiated forwards; \
             write the quotient as two `Sum_Reduction`s and differentiate them, or take `Grad`"
                .into(),
        ),
        Operation::Reduce(..) => Err(
            "Diff: this reduction selects terms and cannot be differentiated forwards; take its `Grad`, or select with \
             `ArgMin_Reduction`, gather the rows that it names and differentiate the formula there"
                .into(),
        ),
        Operation::GradExponential(..) | Operation::GradSelected(..) => Err(NOT_AGAIN.into()),
    }
}

const NOT_AGAIN: &str = "a gradient that takes a forward pass of its own cannot be differentiated again as a whole; write the \
                         inner derivative into the formula of a `Sum_Reduction`, `Sum_Reduction(Grad(F, v, e), tag)`";

fn derivative(scope: &mut Scope<'_>, name: &str, of: NodeId, position: usize, along: NodeId) -> Result<NodeId, String> {
    let variable = scope.node(position).ok_or("the variable has no dimension")?;
    let operation = ops::find(name).ok_or("there is no such operation")?;
    operation.apply(&mut scope.ir, &[of, variable, along], &[])
}

fn of_sum(scope: &Scope<'_>, body: Body) -> Reduced {
    let out = scope.ir.dim(body.value).clone();
    let operation = Operation::Reduce(ReductionKind::Sum, None);
    Reduced { operation, body, forward: None, covector: None, seed: Some(out.clone()), out }
}

/// The mean of `weight` under the soft-max of the body's value.
pub(super) fn mean(scope: &Scope<'_>, body: Body, weight: NodeId) -> Reduced {
    let out = scope.ir.dim(weight).clone();
    let operation = Operation::Reduce(ReductionKind::SumSoftMaxWeight, None);
    let body = Body { weight: Some(weight), ..body };
    Reduced { operation, body, forward: None, covector: None, seed: Some(out.clone()), out }
}

/// Is it the same for all terms of a row?
fn follows_rows(scope: &Scope<'_>, node: NodeId, keep: Keep) -> bool {
    scope.ir.reachable(&[node]).iter().all(|&n| match scope.ir.op(n) {
        Op::Var { category, .. } => *category == Category::Pm || keep_of(*category) == keep,
        _ => true,
    })
}
