//! `#[grad(v)]`: the bodies that pull a covector back to a variable.

use super::reduction::Reduced;
use super::scope::Scope;
use super::{Body, Gradient, Operation, keep_of};
use crate::ast::{Item, ReductionKind};
use crate::emit::Variable;
use crate::ir::{Category, Dim, NodeId};
use crate::mistakes::Mistakes;
use crate::ops;
use crate::schedule::Keep;
use proc_macro2::Ident;

/// The variables named by `#[grad]`, with their positions.
pub(super) fn wanted(scope: &mut Scope<'_>, item: &Item, mistakes: &mut Mistakes) -> Vec<(Ident, usize)> {
    if let (Some(reduction), Some(first)) = (&item.reduction, item.gradients.first())
        && let Some(reason) = not_differentiable(reduction.kind)
    {
        mistakes.add(first, format!("{reason}; remove `#[grad(…)]`"));
    }
    item.gradients
        .iter()
        .filter_map(|name| {
            let position = scope.variables.iter().position(|v| v.name == *name);
            if position.is_none() {
                scope.complain_about_unknown(name, mistakes);
            }
            Some((name.clone(), position?))
        })
        .collect()
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
    reduced: Reduced,
    wanted: &[(Ident, usize)],
    mistakes: &mut Mistakes,
) -> Option<(Reduced, Vec<Gradient>)> {
    let mut gradients = Vec::new();
    for (name, position) in wanted {
        let Some(seed) = reduced.seed.clone() else {
            mistakes.add(
                name,
                "the gradient needs to know how many numbers a result has: write K and the dimensions of the formula as numbers",
            );
            return None;
        };
        match gradient(scope, &reduced, *position) {
            Ok((operation, body)) => gradients.push(Gradient { towards: *position, seed, operation, body }),
            Err(message) => {
                mistakes.add(name, message);
                return None;
            }
        }
    }
    Some((reduced, gradients))
}

fn gradient(scope: &mut Scope<'_>, reduced: &Reduced, position: usize) -> Result<(Operation, Body), String> {
    let forward = &reduced.body;
    let mut pull = Pull { scope, forward, position, backward: forward.variables.clone() };
    match reduced.kind {
        ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight => {
            let value = pull.exponential(reduced.kind, &reduced.out)?;
            Ok((Operation::GradExponential(reduced.kind), pull.body(value)))
        }
        kind => {
            let seed = pull.saved("e", &reduced.out);
            let value = pull.grad(forward.value, seed)?;
            let operation = match kind {
                ReductionKind::Sum => Operation::Reduce(kind, None),
                _ => Operation::GradSelected(kind, reduced.k.clone()),
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

impl Pull<'_, '_> {
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
    fn exponential(&mut self, kind: ReductionKind, out: &Dim) -> Result<NodeId, String> {
        let Body { value, weight, .. } = *self.forward;
        let m = self.saved("m", &Dim::ONE);
        let scaled_seed = self.saved("e/s", out);
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
