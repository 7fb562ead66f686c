//! [`Sums`]: rows made of exponential sums, which is what log-sum-exp, soft-max and all their derivatives are.
//!
//! A row is a function h of sums S_c = Σ exp(F − m) q_c over its terms, where the shift m makes no difference. Its
//! derivative along u is h'(S) · Ṡ with Ṡ_c = Σ exp(F − m) (Ḟ q_c + q̇_c): a function of twice as many sums. Its gradient along a
//! covector e is the sum over pairs of α · exp(F − m) q pulled back, where α = h'(S)ᵀ e is one vector per row. And the
//! derivative of a gradient is the gradient of a derivative.

use super::derive::{Along, State, Step, covector, follows_rows, mentions, node, push, reduced, seed};
use super::reduction::Reduced;
use super::scope::Scope;
use super::{Body, Operation, Task, category_of, keep_of};
use crate::ast::ReductionKind;
use crate::diff;
use crate::emit::Variable;
use crate::ir::{Dim, NodeId, Op};

/// Rows made of exponential sums, or the gradient of their sum.
#[derive(Clone)]
pub(super) struct Sums {
    /// What is summed: the exponent F, and the terms q as its weight.
    terms: Body,
    q: NodeId,
    /// The variable S. It follows the others.
    sums: NodeId,
    /// h; one number if there is a gradient.
    value: NodeId,
    /// The variable of the gradient.
    towards: Option<usize>,
    /// A variable that is the covector of the gradient towards itself, which was held while differentiating.
    held: Option<usize>,
}

impl Sums {
    /// A reduction. The value of a log-sum-exp lacks the constant m; nothing but its derivatives are used.
    pub(super) fn of(scope: &mut Scope<'_>, kind: ReductionKind, body: &Body) -> Result<Self, String> {
        let ir = &mut scope.ir;
        let one = ir.constant(1.0);
        let q = match (kind, body.weight) {
            (ReductionKind::SumSoftMaxWeight, Some(w)) => {
                known(ir.dim(w))?;
                ir.concat(one, w)?
            }
            (_, Some(w)) => w,
            (_, None) => one,
        };
        let dim = ir.dim(q).clone();
        let sums = ir.var(body.variables.len(), category_of(body.keep), dim.clone());
        let value = match (kind, dim.lit()) {
            (ReductionKind::SumSoftMaxWeight, Some(n)) => {
                let (plain, weighted) = (ir.slice(sums, 0, 1, 1), ir.slice(sums, 1, 1, n - 1));
                let plain = or_one(scope, plain);
                scope.ir.div(weighted, plain)
            }
            _ => {
                let sums = or_one(scope, sums);
                scope.ir.map("Log", &[sums])
            }
        };
        Ok(Sums { terms: body.clone(), q, sums, value, towards: None, held: None })
    }

    /// The derivative that `step` asks for.
    pub(super) fn derive(self, scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Reduced, String> {
        let next = if step.reverse { self.grad(scope, of, step)? } else { self.diff(scope, step)? };
        next.refuse_held()?;
        let (task, out) = next.task(scope)?;
        Ok(reduced(task, State::Sums(Ok(next)), out))
    }

    /// The gradient towards a variable.
    pub(super) fn grad(mut self, scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Self, String> {
        self.refuse_held()?;
        let keep = match self.towards {
            Some(v) => keep_of(self.terms.variables[v].category),
            None => self.terms.keep,
        };
        let (position, along) = match step.along {
            Along::New(name) => {
                let covector = Variable { name: name.into(), category: category_of(keep), dim: seed(of)? };
                (self.terms.variables.len(), self.add_variable(scope, covector))
            }
            Along::Given(along, written) => (covector(scope, of, keep, along, written)?, along),
        };
        self.held = (position == step.towards).then_some(position);
        match self.towards {
            Some(v) => self.move_along(scope, v, along)?,
            None => {
                let product = scope.ir.mul(along, self.value);
                self.value = scope.ir.sum(product);
            }
        }
        self.towards = Some(step.towards);
        Ok(self)
    }

    /// The derivative along a direction.
    fn diff(mut self, scope: &mut Scope<'_>, step: Step<'_>) -> Result<Self, String> {
        self.refuse_held()?;
        let Along::Given(along, written) = step.along else {
            return Err("the direction has no name".into());
        };
        match scope.ir.op(along) {
            Op::Var { position, .. } => self.held = (Some(*position) == self.towards).then_some(*position),
            _ => {
                return Err(format!(
                    "the direction must be a variable here, and `{written}` is not; declare one, and pass the numbers in it"
                ));
            }
        }
        let v = node(scope, &self.terms.variables, step.towards);
        if scope.ir.dim(v) != scope.ir.dim(along) {
            return Err(format!(
                "the direction has the dimension of the variable, {}, but `{written}` has {}",
                scope.ir.dim(v),
                scope.ir.dim(along)
            ));
        }
        self.move_along(scope, step.towards, along)?;
        Ok(self)
    }

    fn refuse_held(&self) -> Result<(), String> {
        let Some(position) = self.held else { return Ok(()) };
        let name = &self.terms.variables[position].name;
        Err(format!(
            "`{name}` is differentiated towards and is the covector of the same derivative; declare another variable for the \
             covector, and pass the same numbers in it"
        ))
    }

    /// One more variable of the call, before S.
    fn add_variable(&mut self, scope: &mut Scope<'_>, variable: Variable) -> NodeId {
        let node = push(scope, &mut self.terms.variables, variable);
        let dim = scope.ir.dim(self.sums).clone();
        let sums = scope.ir.var(self.terms.variables.len(), category_of(self.terms.keep), dim);
        self.value = scope.ir.replace(self.value, &[(self.sums, sums)]);
        self.sums = sums;
        node
    }

    /// The value becomes its derivative by the variable at `position` along `u`.
    fn move_along(&mut self, scope: &mut Scope<'_>, position: usize, u: NodeId) -> Result<(), String> {
        let v = node(scope, &self.terms.variables, position);
        let depends = |scope: &Scope<'_>, nodes: &[NodeId]| mentions(scope, nodes, position);
        let direct = diff::diff(&mut scope.ir, self.value, v, u)?;
        if depends(scope, &[self.value]) && !follows_rows(scope, u, self.terms.keep) {
            return Err("the direction must be the same for all terms of a row here".into());
        }
        if !depends(scope, &[self.terms.value, self.q]) {
            self.value = direct;
            return Ok(());
        }
        let ir = &mut scope.ir;
        let (of_exponent, of_terms) = (diff::diff(ir, self.terms.value, v, u)?, diff::diff(ir, self.q, v, u)?);
        let scaled = ir.mul(of_exponent, self.q);
        let moved = if is_zero(scope, of_terms) { scaled } else { scope.ir.add(scaled, of_terms) };
        let ir = &mut scope.ir;
        let n = known(ir.dim(self.q))?;
        let (at, category) = (self.terms.variables.len(), category_of(self.terms.keep));
        // Never part of a formula: it is replaced at once.
        let tangent = ir.var(at + 1, category, Dim::Lit(n));
        let through_sums = diff::diff(ir, self.value, self.sums, tangent)?;
        self.q = ir.concat(self.q, moved)?;
        let sums = ir.var(at, category, Dim::Lit(2 * n));
        let (low, high) = (ir.slice(sums, 0, 1, n), ir.slice(sums, n, 1, n));
        let value = if is_zero(scope, direct) { through_sums } else { scope.ir.add(through_sums, direct) };
        self.value = scope.ir.replace(value, &[(self.sums, low), (tangent, high)]);
        self.sums = sums;
        Ok(())
    }

    /// How the engine computes it, and the numbers per row.
    fn task(&self, scope: &mut Scope<'_>) -> Result<(Task, Dim), String> {
        let forward = Some(Body { weight: Some(self.q), ..self.terms.clone() });
        let of_rows = |value: NodeId, scope: &Scope<'_>| {
            let mut variables = self.terms.variables.clone();
            let (category, dim) = (category_of(self.terms.keep), scope.ir.dim(self.sums).clone());
            variables.push(Variable { name: "sums".into(), category, dim });
            Body { variables, value, weight: None, keep: self.terms.keep }
        };
        let Some(towards) = self.towards else {
            let task = Task::new(Operation::DiffSums, of_rows(self.value, scope));
            return Ok((Task { forward, ..task }, scope.ir.dim(self.value).clone()));
        };
        let v = node(scope, &self.terms.variables, towards);
        let out = scope.ir.dim(v).clone();
        let one = scope.ir.constant(1.0);
        let factors = diff::grad(&mut scope.ir, &[(self.value, one)], self.sums)?;
        let direct = diff::grad(&mut scope.ir, &[(self.value, one)], v)?;
        let keep = keep_of(self.terms.variables[towards].category);
        if !mentions(scope, &[self.terms.value, self.q], towards) && keep == self.terms.keep {
            let task = Task::new(Operation::DiffSums, of_rows(direct, scope));
            return Ok((Task { forward, ..task }, out));
        }
        let mut variables = self.terms.variables.clone();
        let category = category_of(self.terms.keep);
        let m = push(scope, &mut variables, Variable { name: "m".into(), category, dim: Dim::ONE });
        let dim = scope.ir.dim(self.sums).clone();
        let alpha = push(scope, &mut variables, Variable { name: "factors".into(), category, dim });
        let ir = &mut scope.ir;
        let product = ir.mul(alpha, self.q);
        let (factor, exponent) = (ir.sum(product), ir.sub(self.terms.value, m));
        let exponential = ir.map("Exp", &[exponent]);
        let term = ir.mul(factor, exponential);
        let value = diff::grad(ir, &[(term, one)], v)?;
        let rows = if is_zero(scope, direct) { factors } else { scope.ir.concat(factors, direct)? };
        let body = Body { variables, value, weight: None, keep };
        let task = Task::new(Operation::GradSums, body);
        Ok((Task { forward, rows: Some(of_rows(rows, scope)), ..task }, out))
    }
}

/// How many sums there are.
fn known(sums: &Dim) -> Result<usize, String> {
    sums.lit().ok_or_else(|| {
        format!(
            "derivatives of an exponential reduction beyond its gradient need to know how many numbers its weight has, but it \
             has the parameter `{sums}`; declare it with a number in place of `{sums}`"
        )
    })
}

fn is_zero(scope: &Scope<'_>, node: NodeId) -> bool {
    scope.ir.const_value(node) == Some(0.0)
}

/// The sums, and 1 in place of those that are 0: a row without mass has derivative 0.
fn or_one(scope: &mut Scope<'_>, sums: NodeId) -> NodeId {
    let ir = &mut scope.ir;
    let (zero, one) = (ir.constant(0.0), ir.constant(1.0));
    let none = ir.map("Equal", &[sums, zero]);
    ir.choose(none, one, sums)
}
