//! `#[grad(v)]`: the bodies that pull a covector back to a variable.

use super::reduction::Reduced;
use super::scope::Scope;
use super::whole::mean;
use super::{Body, Gradient, Operation, keep_of};
use crate::ast::{Item, ReductionKind, Towards};
use crate::emit::Variable;
use crate::ir::{Category, Dim, NodeId};
use crate::mistakes::Mistakes;
use crate::ops;
use crate::schedule::Keep;
use proc_macro2::Ident;

/// A gradient that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The variable, as it is written there.
    pub(crate) name: Ident,
    /// Its position among the variables and the covectors of the gradients around this one.
    pub(crate) position: usize,
    /// Its own gradients.
    pub(crate) then: Vec<Wanted>,
}

/// The variables named by `#[grad]`, with their positions.
pub(super) fn wanted(scope: &mut Scope<'_>, item: &Item, mistakes: &mut Mistakes) -> Vec<Wanted> {
    if let (Some(reduction), Some(first)) = (&item.reduction, item.gradients.first()) {
        let reason = not_differentiable(reduction.kind).filter(|_| reduction.derivatives.is_empty());
        if let Some(reason) = reason {
            mistakes.add(&first.name, format!("{reason}; remove `#[grad(…)]`"));
        }
    }
    find(scope, item, &item.gradients, 0, mistakes)
}

fn find(scope: &mut Scope<'_>, item: &Item, all: &[Towards], covectors: usize, mistakes: &mut Mistakes) -> Vec<Wanted> {
    let mut found = Vec::new();
    for Towards { name, then } in all {
        let of_variables = item.variables.iter().position(|v| v.name == *name);
        let of_covectors = || (0..covectors).find(|&k| *name == covector_name(item, k));
        let position = of_variables.or_else(|| Some(item.variables.len() + of_covectors()?));
        let then = find(scope, item, then, covectors + 1, mistakes);
        match position {
            Some(position) => found.push(Wanted { name: name.clone(), position, then }),
            None => scope.complain_about_unknown(name, mistakes),
        }
    }
    found
}

/// The name of the covector of the k-th derivative, counted from 0: `e`, `u`, `v`, `w`, `e5` and so on, unless a variable
/// has that name.
pub(crate) fn covector_name(item: &Item, k: usize) -> String {
    let mut name = match ["e", "u", "v", "w"].get(k) {
        Some(name) => (*name).to_string(),
        None => format!("e{}", k + 1),
    };
    while item.variables.iter().any(|v| v.name == name) {
        name.push('_');
    }
    name
}

fn not_differentiable(kind: ReductionKind) -> Option<&'static str> {
    match kind {
        ReductionKind::ArgMin | ReductionKind::ArgMax | ReductionKind::ArgKMin => Some(
            "an index has no gradient (that of the value has one: `Min_Reduction`, `Max_Reduction`, `KMin_Reduction`)",
        ),
        ReductionKind::Zero => Some("the gradient of zeros is zero"),
        ReductionKind::MaxSumShiftExp => {
            Some("the raw sums of `Max_SumShiftExp` have no gradient of their own (`LogSumExp_Reduction` has)")
        }
        _ => None,
    }
}

/// All gradients that were asked for; none if one of them cannot be had.
pub(super) fn all(
    scope: &mut Scope<'_>,
    item: &Item,
    reduced: &Reduced,
    wanted: &[Wanted],
    mistakes: &mut Mistakes,
) -> Option<Vec<Gradient>> {
    of(scope, item, reduced, 0, wanted, mistakes)
}

/// The gradients of a reduction that already takes `order` covectors.
fn of(
    scope: &mut Scope<'_>,
    item: &Item,
    reduced: &Reduced,
    order: usize,
    wanted: &[Wanted],
    mistakes: &mut Mistakes,
) -> Option<Vec<Gradient>> {
    let mut gradients = Vec::new();
    let covector = covector_name(item, order);
    for Wanted { name, position, then } in wanted {
        let Some(seed) = reduced.seed.clone() else {
            mistakes.add(
                name,
                "the gradient needs to know how many numbers a result has: write K and the dimensions of the formula as numbers",
            );
            return None;
        };
        let mut report = |message: String| mistakes.add(name, message);
        let (operation, body) = pull_back(scope, reduced, *position, &covector).map_err(&mut report).ok()?;
        let mut gradients_of_it = Vec::new();
        let mut forward = None;
        if !then.is_empty() {
            let as_reduction =
                as_reduction(scope, reduced, *position, &operation, &body, &covector).map_err(report).ok()?;
            gradients_of_it = of(scope, item, &as_reduction, order + 1, then, mistakes)?;
            // What the next gradients pass over first is not the body that this one sums.
            if !matches!(operation, Operation::Reduce(..)) {
                forward = Some(as_reduction.body);
            }
        }
        gradients.push(Gradient { towards: *position, seed, operation, body, forward, gradients: gradients_of_it });
    }
    Some(gradients)
}

/// The gradient as a reduction that can be differentiated again.
///
/// That of a sum is a sum. That of a `LogSumExp` towards a variable of the kept index is the mean of the pulled back
/// covector under the soft-max.
fn as_reduction(
    scope: &mut Scope<'_>,
    reduced: &Reduced,
    position: usize,
    operation: &Operation,
    body: &Body,
    covector: &str,
) -> Result<Reduced, String> {
    let out = scope.ir.dim(body.value).clone();
    match (operation, &reduced.operation) {
        (Operation::Reduce(..), _) => Ok(Reduced {
            operation: operation.clone(),
            body: body.clone(),
            forward: None,
            covector: None,
            seed: Some(out.clone()),
            out,
        }),
        (_, Operation::Reduce(ReductionKind::LogSumExp, _))
            if reduced.body.weight.is_none() && keep_of(reduced.body.variables[position].category) == reduced.body.keep =>
        {
            let mut pull = Pull::new(scope, &reduced.body, position);
            let e = pull.saved(covector, &reduced.out);
            let weight = pull.grad(reduced.body.value, e)?;
            let variables = pull.backward;
            Ok(mean(scope, Body { variables, ..reduced.body.clone() }, weight))
        }
        (Operation::GradExponential(..), Operation::Reduce(ReductionKind::LogSumExp, _)) if reduced.body.weight.is_some() => {
            Err("second derivatives of `LogSumExp_Reduction` with a weight are not composed; move a positive weight `w` into \
                 the exponent, `LogSumExp_Reduction(F + Log(w), tag)`, or write the sums by hand: the gradient is the quotient \
                 of `Sum_Reduction(Grad(Exp(F) * w, v, e), tag)` and `Sum_Reduction(Exp(F) * w, tag)`, both of which `#[grad]` \
                 differentiates"
                .into())
        }
        (Operation::GradExponential(ReductionKind::LogSumExp), _) => Err(
            "second derivatives of `LogSumExp_Reduction` begin with a variable of the kept index: a mixed derivative is \
             symmetric, so ask for `x_i(y_j)` in place of `y_j(x_i)`; for others write by hand what is differentiated, \
             `Sum_Reduction(Grad(Exp(F - m), v, e), tag)` with the maximum `m` as a variable"
                .into(),
        ),
        (Operation::GradExponential(..), _) => Err(
            "second derivatives of `SumSoftMaxWeight_Reduction` are not composed; write the mean by hand as the quotient of \
             `Sum_Reduction(Exp(F - m) * w, tag)` and `Sum_Reduction(Exp(F - m), tag)`, with the maximum `m` as a variable: \
             `#[grad]` differentiates these sums to any order"
                .into(),
        ),
        _ => Err(
            "second derivatives of a reduction that selects terms are not composed; select with `ArgMin_Reduction` (or \
             `ArgMax_Reduction`, `ArgKMin_Reduction`), gather the rows that it names, and differentiate a `Sum_Reduction` of \
             the formula there"
                .into(),
        ),
    }
}

/// The gradient towards the variable at `position`, for a covector that is one more variable.
pub(super) fn pull_back(
    scope: &mut Scope<'_>,
    reduced: &Reduced,
    position: usize,
    covector: &str,
) -> Result<(Operation, Body), String> {
    let Operation::Reduce(kind, k) = &reduced.operation else {
        return Err(
            "a gradient that takes a forward pass of its own has no `#[grad]`; put `#[grad(…)]` on the reduction \
                    itself, and what is differentiated again in brackets, `#[grad(x_i(y_j))]`"
                .into(),
        );
    };
    let mut pull = Pull::new(scope, &reduced.body, position);
    match kind {
        ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight => {
            let value = pull.exponential(*kind, &reduced.out, covector)?;
            Ok((Operation::GradExponential(*kind), pull.body(value)))
        }
        kind => {
            let e = pull.saved(covector, &reduced.out);
            let value = pull.grad(reduced.body.value, e)?;
            let operation = match kind {
                ReductionKind::Sum => Operation::Reduce(*kind, None),
                _ => Operation::GradSelected(*kind, k.clone()),
            };
            Ok((operation, pull.body(value)))
        }
    }
}

/// Builds one pull-back.
struct Pull<'s, 'a> {
    scope: &'s mut Scope<'a>,
    forward: &'s Body,
    /// The variable that is differentiated towards.
    position: usize,
    /// Variables of the backward body.
    backward: Vec<Variable>,
}

impl<'s, 'a> Pull<'s, 'a> {
    fn new(scope: &'s mut Scope<'a>, forward: &'s Body, position: usize) -> Self {
        Pull { scope, forward, position, backward: forward.variables.clone() }
    }

    /// A further variable of the kept index.
    fn saved(&mut self, name: &str, dim: &Dim) -> NodeId {
        let category = match self.forward.keep {
            Keep::I => Category::Vi,
            Keep::J => Category::Vj,
            Keep::None => Category::Pm,
        };
        self.backward.push(Variable { name: name.to_string(), category, dim: dim.clone() });
        self.scope.ir.var(self.backward.len() - 1, category, dim.clone())
    }

    /// The covector `e` of the formula `f`, pulled back to the variable.
    fn grad(&mut self, f: NodeId, e: NodeId) -> Result<NodeId, String> {
        let Variable { category, dim, .. } = self.backward[self.position].clone();
        let variable = self.scope.ir.var(self.position, category, dim);
        match ops::find("Grad") {
            Some(grad) => grad.apply(&mut self.scope.ir, &[f, variable, e], &[]),
            None => Err("there is no operation `Grad`".to_string()),
        }
    }

    /// With m the saved maximum, s the saved sums and p_c = e_c exp(F − m) / s_c, the sum over pairs of
    ///
    /// * `LogSumExp`: Σ_c p_c w_c pulled back through F, and p pulled back through w;
    /// * `SumSoftMaxWeight` (one s, result O): Σ_c p_c (w_c − O_c) pulled back through F, and p through w.
    ///
    /// The variable of e / s has the name of e, which is what messages are about.
    fn exponential(&mut self, kind: ReductionKind, out: &Dim, covector: &str) -> Result<NodeId, String> {
        let Body { value, weight, .. } = *self.forward;
        let m = self.saved("m", &Dim::ONE);
        let scaled_seed = self.saved(covector, out);
        let result = (kind == ReductionKind::SumSoftMaxWeight).then(|| self.saved("O", out));
        let ir = &mut self.scope.ir;
        let exponent = ir.sub(value, m);
        let term = ir.map("Exp", &[exponent]);
        let centred = match (weight, result) {
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
        let mut pulled = self.grad(value, through_exponent)?;
        if let Some(w) = weight {
            let other = self.grad(w, through_weight)?;
            pulled = self.scope.ir.add(pulled, other);
        }
        Ok(pulled)
    }

    /// The finished body.
    fn body(self, value: NodeId) -> Body {
        let keep = keep_of(self.backward[self.position].category);
        Body { variables: self.backward, value, weight: None, keep }
    }
}
