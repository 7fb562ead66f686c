//! [`Chosen`]: values at selected pairs, which is what minima, maxima, K smallest values and all their derivatives are.
//!
//! Which pairs are selected does not change under small changes, so a derivative is that of the formula at these pairs.

use super::derive::{Along, State, Step, covector, mentions, node, push, reduced, seed};
use super::reduction::Reduced;
use super::scope::Scope;
use super::{Body, Operation, Task, category_of, keep_of};
use crate::ast::ReductionKind;
use crate::diff;
use crate::emit::Variable;
use crate::ir::{Dim, NodeId, Op};
use crate::schedule::Keep;

/// Values at selected pairs, or their gradient.
///
/// A covector of the values is read component by component in the bodies. One that is a variable of the call already is
/// therefore passed once more; the copies follow the `declared` variables, and further covectors follow the copies.
#[derive(Clone)]
pub(super) struct Chosen {
    kind: ReductionKind,
    k: Option<Dim>,
    /// What is selected by.
    selected: Body,
    declared: usize,
    copies: Vec<usize>,
    variables: Vec<Variable>,
    /// The value, whose components are selected each by itself.
    value: NodeId,
    /// Numbers per row of all selected values.
    slots: Option<Dim>,
    /// The covector, and the variable of the gradient.
    gradient: Option<(usize, usize)>,
}

impl Chosen {
    /// A reduction.
    pub(super) fn of(of: &Reduced, kind: ReductionKind, k: Option<&Dim>) -> Self {
        let body = &of.task.body;
        Chosen {
            kind,
            k: k.cloned(),
            selected: body.clone(),
            declared: body.variables.len(),
            copies: Vec::new(),
            variables: body.variables.clone(),
            value: body.value,
            slots: of.seed.clone(),
            gradient: None,
        }
    }

    /// The derivative that `step` asks for.
    pub(super) fn derive(mut self, scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>) -> Result<Reduced, String> {
        let towards = self.position(scope, step.towards)?;
        if step.reverse {
            self.grad(scope, of, step, towards)?
        } else {
            self.diff(scope, of, step, towards)?
        }
        let out = match self.gradient {
            Some((covector, towards)) if covector != towards => self.variables[towards].dim.clone(),
            _ => seed_of(self.slots.clone())?,
        };
        let mut task = self.task(scope)?;
        if matches!(step.along, Along::Given(..)) {
            task.forward = Some(self.selected.clone());
        }
        Ok(reduced(task, State::Chosen(self), out))
    }

    /// Where a variable of the call is in the bodies.
    fn position(&self, scope: &Scope<'_>, of_call: usize) -> Result<usize, String> {
        if of_call >= self.declared {
            return Ok(of_call + self.copies.len());
        }
        let Some(copy) = self.copies.iter().rposition(|&c| c == of_call) else { return Ok(of_call) };
        if mentions(scope, &[self.value], of_call) {
            let name = &self.variables[of_call].name;
            return Err(format!(
                "`{name}` is the covector of one derivative and part of the formula too; declare another variable for the \
                 covector, and pass the same numbers in it"
            ));
        }
        Ok(self.declared + copy)
    }

    /// The index whose rows a covector has.
    fn keep(&self) -> Keep {
        match self.gradient {
            Some((_, towards)) => keep_of(self.variables[towards].category),
            None => self.selected.keep,
        }
    }

    /// The gradient towards a variable.
    fn grad(&mut self, scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>, towards: usize) -> Result<(), String> {
        let keep = self.keep();
        if let Along::Given(along, written) = step.along {
            covector(scope, of, keep, along, written)?;
        }
        let covector = match self.gradient {
            Some((covector, v)) if covector != v => {
                let along = match step.along {
                    Along::New(name) => {
                        let dim = seed(of)?;
                        self.push(scope, name, keep, dim)
                    }
                    Along::Given(along, _) => along,
                };
                let v = node(scope, &self.variables, v);
                self.value = diff::diff(&mut scope.ir, self.value, v, along)?;
                covector
            }
            _ => self.covector(scope, step.along)?,
        };
        self.gradient = Some((covector, towards));
        Ok(())
    }

    /// The derivative along a direction.
    fn diff(&mut self, scope: &mut Scope<'_>, of: &Reduced, step: Step<'_>, towards: usize) -> Result<(), String> {
        let Along::Given(along, written) = step.along else {
            return Err("the direction has no name".into());
        };
        if let Some((old, v)) = self.gradient
            && old == towards
        {
            // The gradient is linear in its covector.
            covector(scope, of, self.selected.keep, along, written)?;
            let new = self.covector(scope, step.along)?;
            self.gradient = Some((new, if v == old { new } else { v }));
            return Ok(());
        }
        let v = node(scope, &self.variables, towards);
        if scope.ir.dim(v) != scope.ir.dim(along) {
            return Err(format!(
                "the direction has the dimension of the variable, {}, but `{written}` has {}",
                scope.ir.dim(v),
                scope.ir.dim(along)
            ));
        }
        self.value = diff::diff(&mut scope.ir, self.value, v, along)?;
        Ok(())
    }

    /// A new covector of the values; the one before is no longer read.
    fn covector(&mut self, scope: &mut Scope<'_>, along: Along<'_>) -> Result<usize, String> {
        if let Some((before, _)) = self.gradient {
            self.variables[before].dim = seed_of(self.slots.clone())?;
        }
        let dim = scope.ir.dim(self.selected.value).clone();
        let name = match along {
            Along::New(name) => name.to_string(),
            Along::Given(along, _) => {
                let Op::Var { position, .. } = scope.ir.op(along) else {
                    return Err("the covector must be a variable".into());
                };
                self.copies.push(*position);
                self.variables[*position].name.clone()
            }
        };
        self.push(scope, &name, self.selected.keep, dim);
        Ok(self.variables.len() - 1)
    }

    fn push(&mut self, scope: &mut Scope<'_>, name: &str, keep: Keep, dim: Dim) -> NodeId {
        push(scope, &mut self.variables, Variable { name: name.into(), category: category_of(keep), dim })
    }

    /// How the engine computes it.
    fn task(&self, scope: &mut Scope<'_>) -> Result<Task, String> {
        let body = |value, keep| Body { variables: self.variables.clone(), value, weight: None, keep };
        let task = match self.gradient {
            Some((covector, towards)) if covector != towards => {
                let (e, v) = (node(scope, &self.variables, covector), node(scope, &self.variables, towards));
                let value = diff::grad(&mut scope.ir, &[(self.value, e)], v)?;
                let operation = Operation::GradSelected(self.kind, self.k.clone(), covector);
                Task::new(operation, body(value, keep_of(self.variables[towards].category)))
            }
            _ => {
                let mut body = body(self.value, self.selected.keep);
                if let Some((covector, _)) = self.gradient {
                    // Nothing reads it, and the call passes all of it.
                    body.variables[covector].dim = seed_of(self.slots.clone())?;
                }
                Task::new(Operation::DiffSelected(self.kind, self.k.clone()), body)
            }
        };
        Ok(Task { copies: self.copies.clone(), ..task })
    }
}

fn seed_of(slots: Option<Dim>) -> Result<Dim, String> {
    slots.ok_or_else(|| "the number of results must be known: write K and the dimensions as numbers".into())
}
