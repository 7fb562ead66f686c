//! Syntax tree → reductions over nodes, or everything that is wrong.

mod expression;
mod gradient;
mod infer;
mod reduction;
mod scope;
mod whole;

use crate::ast::{Item, ReductionKind};
use crate::emit::Variable;
use crate::ir::{Category, Dim, Ir, NodeId};
use crate::mistakes::Mistakes;
use crate::schedule::Keep;
pub(crate) use gradient::{Wanted, covector_name};
use proc_macro2::Ident;
pub(crate) use scope::Declared;
use scope::Scope;

/// What a gradient towards a variable of this category keeps.
fn keep_of(category: Category) -> Keep {
    match category {
        Category::Vi => Keep::I,
        Category::Vj => Keep::J,
        Category::Pm => Keep::None,
    }
}

/// What is evaluated for every pair.
#[derive(Debug, Clone)]
pub struct Body {
    /// The variables, by position.
    pub variables: Vec<Variable>,
    /// The value, or the exponent of the exponential reductions.
    pub value: NodeId,
    /// The weight of the exponential reductions.
    pub weight: Option<NodeId>,
    /// Which index is kept.
    pub keep: Keep,
}

/// What the engine does with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Reduces it.
    Reduce(ReductionKind, Option<Dim>),
    /// Gradient of an exponential reduction: the body is the sum of the pulled back terms, and takes what the forward pass
    /// saves as further variables.
    GradExponential(ReductionKind),
    /// Gradient of a reduction that selects values: the body is the pulled back term of a selected pair, and takes the
    /// covector as a further variable.
    GradSelected(ReductionKind, Option<Dim>),
}

impl Operation {
    /// How many values per component each row keeps, if it keeps several.
    pub fn k(&self) -> Option<&Dim> {
        match self {
            Operation::Reduce(_, k) | Operation::GradSelected(_, k) => k.as_ref(),
            Operation::GradExponential(_) => None,
        }
    }
}

/// A gradient towards a variable.
#[derive(Debug, Clone)]
pub struct Gradient {
    /// Position of the variable among those of the item and the covectors of the gradients around this one.
    pub towards: usize,
    /// Numbers per row of the covector.
    pub seed: Dim,
    /// How it is computed.
    pub operation: Operation,
    /// From what.
    pub body: Body,
    /// What its own gradients pass over first, if it is not `body`.
    pub forward: Option<Body>,
    /// Its own gradients.
    pub gradients: Vec<Gradient>,
}

/// An item without mistakes.
#[derive(Debug, Clone)]
pub struct Checked {
    /// All nodes.
    pub ir: Ir,
    /// The reduction.
    pub operation: Operation,
    /// What is reduced.
    pub body: Body,
    /// What the forward pass evaluates, if the reduction is a gradient with one.
    pub forward: Option<Body>,
    /// Position of the variable that is the covector of such a gradient.
    pub covector: Option<usize>,
    /// Numbers per row of the result (per index, and per entry of the K family).
    pub out: Dim,
    /// Gradients that were asked for.
    pub gradients: Vec<Gradient>,
}

/// Everything about an item that does not depend on its formula being right.
pub(crate) struct Signature {
    pub(crate) variables: Vec<Declared>,
    /// K of the K family.
    pub(crate) k: Option<Dim>,
    /// Numbers per row that the gradients take, if known.
    pub(crate) seed: Option<Dim>,
    /// The gradients that were asked for.
    pub(crate) gradients: Vec<Wanted>,
    /// Const parameters: those declared, and those that stand for dimensions that the data tell.
    pub(crate) consts: Vec<Ident>,
    /// Positions of the variables whose data tell a dimension.
    pub(crate) telling: Vec<usize>,
}

/// Checks an item; with a mistake there is only its signature.
pub(crate) fn item(item: &Item, mistakes: &mut Mistakes) -> (Signature, Option<Checked>) {
    let before = mistakes.count();
    let inferred = infer::dimensions(item);
    let mut scope = Scope::new(item, &inferred, mistakes);
    let reduced = item.reduction.as_ref().and_then(|r| reduction::check(&mut scope, r, mistakes));
    let wanted = gradient::wanted(&mut scope, item, mistakes);
    if item.complete {
        scope.complain_about_unused(mistakes);
    }
    let k = item.reduction.as_ref().and_then(|r| r.k.as_ref()).and_then(|k| reduction::known_k(&scope, k));
    let seed = reduced.as_ref().and_then(|r| r.seed.clone());
    let right = item.complete && mistakes.count() == before;
    let checked = reduced.filter(|_| right).and_then(|reduced| {
        let gradients = gradient::all(&mut scope, item, &reduced, &wanted, mistakes)?;
        Some((reduced, gradients))
    });
    let mut consts = item.consts.clone();
    consts.extend(inferred.open.iter().map(|(name, _)| name.clone()));
    let telling = inferred.open.iter().map(|(_, variable)| *variable).collect();
    let signature = Signature { variables: scope.variables, k, seed, gradients: wanted, consts, telling };
    let checked = checked.map(|(reduced, gradients)| Checked {
        ir: scope.ir,
        operation: reduced.operation,
        body: reduced.body,
        forward: reduced.forward,
        covector: reduced.covector,
        out: reduced.out,
        gradients,
    });
    (signature, checked)
}
