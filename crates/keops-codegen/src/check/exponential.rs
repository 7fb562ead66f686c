//! First derivatives of log-sum-exp and of the soft-max-weighted mean.

use super::derive::{Along, State, Step, covector, derivative, follows_rows, mean, node, push, reduced, seed};
use super::reduction::Reduced;
use super::scope::Scope;
use super::sums::Sums;
use super::{Body, Operation, Task, category_of, keep_of};
use crate::ast::ReductionKind;
use crate::emit::Variable;
use crate::ir::{Dim, NodeId};

/// The derivative of an exponential reduction.
pub(super) fn derive(
    scope: &mut Scope<'_>,
    of: &Reduced,
    kind: ReductionKind,
    step: Step<'_>,
) -> Result<Reduced, String> {
    let body = &of.task.body;
    let keep = keep_of(body.variables[step.towards].category);
    // Where one row depends on one row only, it is the mean of the terms' derivatives under the soft-max.
    if let Along::Given(along, _) = step.along
        && kind == ReductionKind::LogSumExp
        && body.weight.is_none()
        && (!step.reverse || keep == body.keep && follows_rows(scope, along, keep))
    {
        let weight = derivative(scope, step, body.value, &body.variables, along)?;
        return Ok(mean(scope, body.clone(), weight));
    }
    let sums = Sums::of(scope, kind, body);
    if !step.reverse {
        return sums?.derive(scope, of, step);
    }
    let (name, copies) = match step.along {
        Along::New(name) => (name.to_string(), Vec::new()),
        Along::Given(along, written) => {
            let position = covector(scope, of, body.keep, along, written)?;
            (body.variables[position].name.clone(), vec![position])
        }
    };
    let gradient = pull_back(scope, kind, body, step.towards, &name, &seed(of)?)?;
    let state = match sums {
        Ok(sums) => sums.grad(scope, of, step),
        Err(reason) => Err(reason),
    };
    let out = scope.ir.dim(gradient.value).clone();
    let task = Task { copies, ..Task::new(Operation::GradExponential(kind), gradient) };
    let forward = (!task.copies.is_empty()).then(|| body.clone());
    Ok(reduced(Task { forward, ..task }, State::Sums(state), out))
}

/// With m the saved maximum, s the saved sums and p_c = e_c exp(F − m) / s_c, the sum over pairs of
///
/// * `LogSumExp`: Σ_c p_c w_c pulled back through F, and p pulled back through w;
/// * `SumSoftMaxWeight` (one s, result O): Σ_c p_c (w_c − O_c) pulled back through F, and p through w.
///
/// The variable of e / s has the name of e, which is what messages are about.
fn pull_back(
    scope: &mut Scope<'_>,
    kind: ReductionKind,
    of: &Body,
    towards: usize,
    covector: &str,
    out: &Dim,
) -> Result<Body, String> {
    let mut variables = of.variables.clone();
    let mut saved = |scope: &mut Scope<'_>, name: &str, dim: &Dim| {
        let variable = Variable { name: name.to_string(), category: category_of(of.keep), dim: dim.clone() };
        push(scope, &mut variables, variable)
    };
    let m = saved(scope, "m", &Dim::ONE);
    let scaled_seed = saved(scope, covector, out);
    let result = (kind == ReductionKind::SumSoftMaxWeight).then(|| saved(scope, "O", out));
    let ir = &mut scope.ir;
    let exponent = ir.sub(of.value, m);
    let term = ir.map("Exp", &[exponent]);
    let centred = match (of.weight, result) {
        (Some(w), Some(o)) => Some(ir.sub(w, o)),
        (w, _) => w,
    };
    let factor = match centred {
        Some(w) => {
            let product = ir.mul(scaled_seed, w);
            ir.sum(product)
        }
        None => scaled_seed,
    };
    let through_exponent = ir.mul(factor, term);
    let through_weight = ir.mul(scaled_seed, term);
    let grad = |scope: &mut Scope<'_>, f: NodeId, e: NodeId| {
        let v = node(scope, &variables, towards);
        crate::diff::grad(&mut scope.ir, &[(f, e)], v)
    };
    let mut value = grad(scope, of.value, through_exponent)?;
    if let Some(w) = of.weight {
        let dim = scope.ir.dim(w).clone();
        let through_weight = scope.ir.broadcast(through_weight, dim);
        let other = grad(scope, w, through_weight)?;
        value = scope.ir.add(value, other);
    }
    let keep = keep_of(variables[towards].category);
    Ok(Body { variables, value, weight: None, keep })
}
