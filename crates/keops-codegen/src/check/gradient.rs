//! `#[grad(v)]`: the gradients that an item asks for, and theirs.

use super::Gradient;
use super::derive::{Along, Step, derive, not_differentiable, seed};
use super::reduction::Reduced;
use super::scope::Scope;
use crate::ast::{Item, Towards};
use crate::mistakes::Mistakes;
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
        let step = Step { reverse: true, towards: *position, along: Along::New(&covector) };
        let derived = derive(scope, reduced, step).and_then(|derived| Ok((derived, seed(reduced)?)));
        let (derived, seed) = derived.map_err(|message| mistakes.add(name, message)).ok()?;
        let gradients_of_it = of(scope, item, &derived, order + 1, then, mistakes)?;
        gradients.push(Gradient { towards: *position, seed, task: derived.task, gradients: gradients_of_it });
    }
    Some(gradients)
}
