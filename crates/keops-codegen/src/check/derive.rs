//! Derivatives of whole reductions, whether `#[grad]` asks for them or `Grad(reduction, …)` and `Diff(reduction, …)`.
//!
//! What is differentiated is one of three things, and so is its derivative: a sum over pairs; rows made of exponential sums
//! ([`Sums`]); terms at selected pairs ([`Chosen`]).

use super::chosen::Chosen;
use super::reduction::Reduced;
use super::scope::Scope;
use super::sums::Sums;
use super::{Body, MOST_VARIABLES, Operation, Task, category_of, exponential, keep_of};
use crate::ast::{Expr, ReductionKind};
use crate::emit::Variable;
use crate::ir::{Category, Dim, NodeId, Op};
use crate::ops;
use crate::schedule::Keep;

/// What a reduction, or a derivative of one, is a function of.
pub(super) enum State {
    /// It is a reduction.
    Reduction(ReductionKind, Option<Dim>),
    /// Rows made of exponential sums, or their gradient; why not, if their derivatives cannot be had.
    Sums(Result<Sums, String>),
    /// Values at selected pairs, or their gradient.
    Chosen(Chosen),
}

/// The covector of `Grad`, the direction of `Diff`.
#[derive(Clone, Copy)]
pub(super) enum Along<'a> {
    /// One more variable, which is called so.
    New(&'a str),
    /// A formula.
    Given(NodeId, &'a Expr),
}

/// One derivative.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    /// `Grad` rather than `Diff`?
    pub(super) reverse: bool,
    /// Position of the variable in the body.
    pub(super) towards: usize,
    pub(super) along: Along<'a>,
}

impl Step<'_> {
    pub(super) fn name(&self) -> &'static str {
        if self.reverse { "Grad" } else { "Diff" }
    }
}

/// The derivative of `of`.
pub(super) fn derive(scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Reduced, String> {
    let mut derived = derivative_of(scope, of, step)?;
    let Task { body, forward, rows, .. } = &derived.task;
    let most = [Some(body), forward.as_ref(), rows.as_ref()].into_iter().flatten().map(|b| b.variables.len()).max();
    if let Some(count) = most.filter(|&count| count > MOST_VARIABLES) {
        return Err(format!(
            "with the covector and what it saves, this derivative has {count} variables, and at most {MOST_VARIABLES} are possible; \
             pass several variables as one, and take parts of it, as in `x_i[0..3]`"
        ));
    }
    derived.task.towards = if step.reverse { Some(step.towards) } else { of.task.towards };
    Ok(derived)
}

fn derivative_of(scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Reduced, String> {
    match &of.state {
        State::Reduction(kind, k) => match kind {
            ReductionKind::Sum => sum(scope, of, step),
            ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight => exponential::derive(scope, of, *kind, step),
            kind => match not_differentiable(*kind) {
                Some(reason) => Err(reason.into()),
                None => Chosen::of(of, *kind, k.as_ref()).derive(scope, of, step),
            },
        },
        State::Sums(sums) => sums.clone()?.derive(scope, of, step),
        State::Chosen(chosen) => chosen.clone().derive(scope, of, step),
    }
}

/// Why a reduction has no derivative.
pub(super) fn not_differentiable(kind: ReductionKind) -> Option<&'static str> {
    match kind {
        ReductionKind::ArgMin | ReductionKind::ArgMax | ReductionKind::ArgKMin => Some(
            "an index has no derivative (that of the value has one: `Min_Reduction`, `Max_Reduction`, `KMin_Reduction`)",
        ),
        ReductionKind::Zero => Some("the derivative of zeros is zero"),
        ReductionKind::MaxSumShiftExp => {
            Some("the raw sums of `Max_SumShiftExp` have no derivative of their own (`LogSumExp_Reduction` has)")
        }
        _ => None,
    }
}

/// The derivative of a sum is a sum.
fn sum(scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Reduced, String> {
    let mut body = of.task.body.clone();
    let along = match step.along {
        Along::New(name) => {
            let covector = Variable { name: name.into(), category: category_of(body.keep), dim: seed(of)? };
            push(scope, &mut body.variables, covector)
        }
        Along::Given(node, _) => node,
    };
    body.value = derivative(scope, step, body.value, &body.variables, along)?;
    if step.reverse {
        body.keep = keep_of(body.variables[step.towards].category);
    }
    let out = scope.ir.dim(body.value).clone();
    let task = Task::new(Operation::Reduce(ReductionKind::Sum, None), body);
    Ok(reduced(task, State::Reduction(ReductionKind::Sum, None), out))
}

/// A derivative whose rows have `out` numbers.
pub(super) fn reduced(task: Task, state: State, out: Dim) -> Reduced {
    Reduced { task, state, seed: Some(out.clone()), out }
}

/// The mean of `weight` under the soft-max of the body's value.
pub(super) fn mean(scope: &Scope<'_>, body: Body, weight: NodeId) -> Reduced {
    let out = scope.ir.dim(weight).clone();
    let body = Body { weight: Some(weight), ..body };
    let kind = ReductionKind::SumSoftMaxWeight;
    reduced(Task::new(Operation::Reduce(kind, None), body), State::Reduction(kind, None), out)
}

/// `Grad` or `Diff` of the node `of`.
pub(super) fn derivative(
    scope: &mut Scope<'_>,
    step: Step<'_>,
    of: NodeId,
    variables: &[Variable],
    along: NodeId,
) -> Result<NodeId, String> {
    let variable = node(scope, variables, step.towards);
    let operation = ops::find(step.name()).ok_or("there is no such operation")?;
    operation.apply(&mut scope.ir, &[of, variable, along], &[])
}

/// The node of a variable.
pub(super) fn node(scope: &mut Scope<'_>, variables: &[Variable], position: usize) -> NodeId {
    let Variable { category, dim, .. } = variables[position].clone();
    scope.ir.var(position, category, dim)
}

/// One more variable.
pub(super) fn push(scope: &mut Scope<'_>, variables: &mut Vec<Variable>, variable: Variable) -> NodeId {
    variables.push(variable);
    node(scope, variables, variables.len() - 1)
}

/// Numbers per row of a covector.
pub(super) fn seed(of: &Reduced) -> Result<Dim, String> {
    of.seed.clone().ok_or_else(|| {
        "the gradient needs to know how many numbers a result has: write K and the dimensions of the formula as numbers"
            .into()
    })
}

/// The variable that is the covector of results with a row per index of `keep`.
pub(super) fn covector(
    scope: &Scope<'_>,
    of: &Reduced,
    keep: Keep,
    given: NodeId,
    written: &Expr,
) -> Result<usize, String> {
    let category = category_of(keep);
    let position = match scope.ir.op(given) {
        Op::Var { position, category: c } if *c == category => *position,
        _ => {
            return Err(format!(
                "the covector of this reduction's gradient must be a variable with a row per result, and `{written}` is not; \
                 declare one, `e: {category:?}<…>`, and pass the numbers in it"
            ));
        }
    };
    let (seed, got) = (seed(of)?, scope.ir.dim(given));
    if seed != *got {
        return Err(format!(
            "the covector has the shape of the result, {seed} number(s) per row, but `{written}` has {got}"
        ));
    }
    Ok(position)
}

/// Is it the same for all terms of a row?
pub(super) fn follows_rows(scope: &Scope<'_>, node: NodeId, keep: Keep) -> bool {
    scope.ir.reachable(&[node]).iter().all(|&n| match scope.ir.op(n) {
        Op::Var { category, .. } | Op::Index { category, .. } => {
            *category == Category::Pm || keep_of(*category) == keep
        }
        _ => true,
    })
}

/// Does a node depend on the variable at `position`?
pub(super) fn mentions(scope: &Scope<'_>, roots: &[NodeId], position: usize) -> bool {
    scope.ir.reachable(roots).iter().any(|&n| matches!(scope.ir.op(n), Op::Var { position: p, .. } if *p == position))
}
