//! Syntax tree → reductions over nodes, or everything that is wrong.

mod chosen;
mod derive;
mod exponential;
mod expression;
mod gradient;
mod infer;
mod reduction;
mod scope;
mod sums;
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

/// The category of a variable with a row for each result.
fn category_of(keep: Keep) -> Category {
    match keep {
        Keep::I => Category::Vi,
        Keep::J => Category::Vj,
        Keep::None => Category::Pm,
    }
}

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
    /// Derivative of rows made of exponential sums: the body is evaluated once per row, and takes the sums of the forward
    /// pass as a further variable.
    DiffSums,
    /// Gradient of such rows: `rows` gives the factor of each sum, and the body is the sum of the pulled back terms. It
    /// takes the largest exponent and the factors as further variables.
    GradSums,
    /// Derivative of a reduction that selects values: the body is evaluated at the selected pairs.
    DiffSelected(ReductionKind, Option<Dim>),
    /// Gradient of a reduction that selects values: the body is the pulled back term of a selected pair, and the variable at
    /// this position is the covector.
    GradSelected(ReductionKind, Option<Dim>, usize),
}

/// A reduction or a derivative of one, as the engine runs it.
#[derive(Debug, Clone)]
pub struct Task {
    /// What is done with the body.
    pub operation: Operation,
    /// What is evaluated.
    pub body: Body,
    /// What the forward pass of a derivative evaluates, if that is not the body of the reduction that was written.
    pub forward: Option<Body>,
    /// What [`Operation::GradSums`] evaluates once per row, between the two passes.
    pub rows: Option<Body>,
    /// Positions of the variables that are passed once more: covectors that are read component by component. Their copies
    /// follow the variables that were declared.
    pub copies: Vec<usize>,
    /// If the result has the shape of a variable, the position of that one among all that are passed but copies.
    pub towards: Option<usize>,
}

impl Task {
    /// A reduction, or a derivative that needs nothing else.
    pub(crate) fn new(operation: Operation, body: Body) -> Self {
        Task { operation, body, forward: None, rows: None, copies: Vec::new(), towards: None }
    }

    /// How many values per component each row keeps, if the result is of a reduction that keeps several.
    pub fn k(&self) -> Option<&Dim> {
        match &self.operation {
            Operation::Reduce(_, k) => k.as_ref(),
            _ => None,
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
    pub task: Task,
    /// Its own gradients.
    pub gradients: Vec<Gradient>,
}

/// An item without mistakes.
#[derive(Debug, Clone)]
pub struct Checked {
    /// All nodes.
    pub ir: Ir,
    /// The reduction.
    pub task: Task,
    /// Numbers per row of the result (per index, and per entry of the K family).
    pub out: Dim,
    /// Gradients that were asked for.
    pub gradients: Vec<Gradient>,
}

/// Variables of a body, those included that derivatives add: the engines have room for so many.
pub const MOST_VARIABLES: usize = 32;

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
    if let Some(extra) = item.variables.get(MOST_VARIABLES) {
        mistakes.add(
            &extra.name,
            format!(
                "a formula has at most {MOST_VARIABLES} variables, and `{}` has {}; pass several as one, and take parts of it, as in \
                 `x_i[0..3]`",
                item.name,
                item.variables.len()
            ),
        );
    }
    let right = item.complete && mistakes.count() == before;
    let checked = reduced.filter(|_| right).and_then(|reduced| {
        let gradients = gradient::all(&mut scope, item, &reduced, &wanted, mistakes)?;
        Some((reduced, gradients))
    });
    let mut consts = item.consts.clone();
    consts.extend(inferred.open.iter().map(|(name, _)| name.clone()));
    let telling = inferred.open.iter().map(|(_, variable)| *variable).collect();
    let signature = Signature { variables: scope.variables, k, seed, gradients: wanted, consts, telling };
    let checked =
        checked.map(|(reduced, gradients)| Checked { ir: scope.ir, task: reduced.task, out: reduced.out, gradients });
    (signature, checked)
}
