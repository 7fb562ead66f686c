//! What the names of a formula mean.

use super::infer::Inferred;
use crate::ast::{Expr, Item, Kind, Place, Size};
use crate::ir::{Category, Dim, Ir, NodeId};
use crate::mistakes::Mistakes;
use crate::spelling::nearest;
use proc_macro2::Ident;

/// More numbers per row than this are taken for a slip of the pen.
const MAX_DIM: i64 = 1 << 18;

/// A variable with its meaning.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) name: Ident,
    /// Category and dimension; none if the declaration is wrong, which has been reported.
    pub(crate) meaning: Option<(Category, Dim)>,
}

/// The names that a formula may use, and the graph that is built from it.
pub(super) struct Scope<'a> {
    pub(super) ir: Ir,
    pub(super) variables: Vec<Declared>,
    consts: &'a [Ident],
    /// Const parameters that stand for dimensions that are not stated, each with a variable that has it.
    open: Vec<(Ident, usize)>,
    used: Vec<bool>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(item: &'a Item, inferred: &Inferred, mistakes: &mut Mistakes) -> Self {
        let mut variables = Vec::new();
        for (variable, inferred) in item.variables.iter().zip(&inferred.dims) {
            if item.consts.contains(&variable.name) {
                mistakes.add(
                    &variable.name,
                    format!("`{}` names a variable and a const parameter; give them different names", variable.name),
                );
            }
            let meaning = variable.declared.as_ref().and_then(|(category, size)| {
                let dim = match size {
                    Some(size) => dimension(&variable.name, size, &item.consts, mistakes)?,
                    None => inferred.clone()?,
                };
                Some((*category, dim))
            });
            variables.push(Declared { name: variable.name.clone(), meaning });
        }
        let used = vec![false; variables.len()];
        Scope { ir: Ir::new(), variables, consts: &item.consts, open: inferred.open.clone(), used }
    }

    /// The position of a variable, which counts as used from now on.
    pub(super) fn find(&mut self, name: &Ident) -> Option<usize> {
        let position = self.variables.iter().position(|v| v.name == *name)?;
        self.used[position] = true;
        Some(position)
    }

    /// The node of a variable; none if its declaration is wrong.
    pub(super) fn node(&mut self, position: usize) -> Option<NodeId> {
        let (category, dim) = self.variables[position].meaning.clone()?;
        Some(self.ir.var(position, category, dim))
    }

    pub(super) fn is_const(&self, name: &Ident) -> bool {
        self.consts.contains(name)
    }

    /// What to do about a dimension that must be a number and is not.
    pub(super) fn advice_on_dimension(&self, dim: &Dim) -> Option<String> {
        let Dim::Param(name) = dim else { return None };
        let Some(variable) = self.told_by(dim) else {
            return Some(format!("; declare the variables with a number in place of `{name}`, as in `x_i: Vi<3>`"));
        };
        let Declared { name, meaning } = &self.variables[variable];
        let category = match meaning {
            Some((Category::Vj, _)) => "Vj",
            Some((Category::Pm, _)) => "Pm",
            _ => "Vi",
        };
        Some(format!(
            "; only the data would tell how many numbers `{name}` has, so declare it with a number, as in `{name}: {category}<3>`"
        ))
    }

    /// The variable whose data tell this dimension, if nothing else does.
    pub(super) fn told_by(&self, dim: &Dim) -> Option<usize> {
        let Dim::Param(name) = dim else { return None };
        self.open.iter().find(|(open, _)| *open == **name).map(|(_, variable)| *variable)
    }

    /// Reports a name that means nothing.
    pub(super) fn complain_about_unknown(&mut self, name: &Ident, mistakes: &mut Mistakes) {
        // Of two that are equally near the one that is not used yet was meant.
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by_key(|&k| self.used[k]);
        let names: Vec<String> = order.iter().map(|&k| self.variables[k].name.to_string()).collect();
        let advice = match nearest(&name.to_string(), &names) {
            Some(near) => {
                // What was meant here is not unused.
                if let Some(k) = names.iter().position(|n| *n == near) {
                    self.used[order[k]] = true;
                }
                format!("did you mean `{near}`?")
            }
            None if names.is_empty() => "no variable is declared".to_string(),
            None => {
                let all: Vec<String> = self.variables.iter().map(|v| format!("`{}`", v.name)).collect();
                format!("declared are {}", all.join(", "))
            }
        };
        mistakes.add(name, format!("`{name}` is not declared; {advice}"));
    }

    /// Counts what occurs in a formula that is in the wrong place as used.
    pub(super) fn mark_used(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Name(name) => {
                self.find(name);
            }
            Kind::List(items) => items.iter().for_each(|e| self.mark_used(e)),
            Kind::Call(call) => call.arguments.iter().for_each(|a| self.mark_used(&a.value)),
            Kind::Number(_) | Kind::Unreadable => {}
        }
    }

    /// Reports variables that the formula does not use. The first variable of a category of which none is used is welcome:
    /// it tells how many rows there are.
    pub(super) fn complain_about_unused(&self, mistakes: &mut Mistakes) {
        for (k, variable) in self.variables.iter().enumerate() {
            let Some((category, _)) = &variable.meaning else { continue };
            let counts = *category != Category::Pm
                && !self.variables.iter().enumerate().any(|(other, v)| {
                    other != k
                        && v.meaning.as_ref().is_some_and(|(c, _)| c == category)
                        && (self.used[other] || other < k)
                });
            if !self.used[k] && !counts {
                mistakes
                    .add(&variable.name, format!("the formula does not use `{}`; remove the variable", variable.name));
            }
        }
    }

    /// Is there a variable of this category, or one whose category is not known?
    pub(super) fn may_have(&self, category: Category) -> bool {
        self.variables.iter().any(|v| v.meaning.as_ref().is_none_or(|(c, _)| *c == category))
    }
}

/// The dimension of a variable; none if it is wrong.
pub(super) fn dimension(variable: &Ident, size: &Size, consts: &[Ident], mistakes: &mut Mistakes) -> Option<Dim> {
    match size {
        Size::Literal(n, _) if (1..=MAX_DIM).contains(n) => Some(Dim::Lit(usize::try_from(*n).ok()?)),
        Size::Literal(n, at) => {
            mistakes.add(
                *at,
                format!("the dimension of `{variable}` is {n}, but a row has at least 1 number and at most {MAX_DIM}"),
            );
            None
        }
        Size::Named(name) if consts.contains(name) => Some(Dim::param(&name.to_string())),
        Size::Named(name) => {
            mistakes.add(
                name,
                format!("`{name}` is not a const parameter; declare it, `fn name<const {name}: usize>(…)`, or write a number"),
            );
            None
        }
    }
}

/// A count that is known when the formula is compiled.
pub(crate) fn count(
    what: &str,
    size: &Size,
    scope_has: impl Fn(&Ident) -> bool,
    mistakes: &mut Mistakes,
) -> Option<Dim> {
    let at: Place = match size {
        Size::Literal(_, at) => *at,
        Size::Named(name) => name.into(),
    };
    match size {
        Size::Literal(n, _) if (1..=MAX_DIM).contains(n) => Some(Dim::Lit(usize::try_from(*n).ok()?)),
        Size::Literal(n, _) => {
            mistakes.add(at, format!("{what} is at least 1 and at most {MAX_DIM}, and here it is {n}"));
            None
        }
        Size::Named(name) if scope_has(name) => Some(Dim::param(&name.to_string())),
        Size::Named(name) => {
            mistakes.add(
                at,
                format!("{what} must be known when the formula is compiled: a whole number or a const parameter, and `{name}` is neither"),
            );
            None
        }
    }
}
