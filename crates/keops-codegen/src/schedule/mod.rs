//! The stage schedule: what is computed how often.
//!
//! The graph of a reduction body is split by how often a value changes: once per call (parameters), once per row (the
//! index that is kept), once per column (the index that is reduced), and only the rest for every pair. Factors of a sum
//! that do not depend on the column leave the sum. Exponents get their constant factor, times log₂ e, from a staged
//! value. See [`Schedule`] for the result and the sub-modules for the rules.
//!
//! Products are regrouped, which changes roundings, and for infinite factors also which of NaN and infinity comes out;
//! both are inherent in evaluating a product in another order. Sums are never regrouped: their order decides about
//! cancellation. Arguments of operations that jump (comparisons, rounding) are computed exactly as they are written.

mod pair;
mod product;
mod root;
mod stage;

use crate::ir::{Dim, Ir, NodeId};
use stage::Stager;

/// Which index a reduction keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Rows are i.
    I,
    /// Rows are j.
    J,
    /// Rows are i, and the finished rows are summed.
    None,
}

/// How a reduction uses its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Σ of the body.
    Sum,
    /// Σ of exponentials of the body (one number), with or without weights.
    Exponential,
    /// Smallest or largest values of each component.
    Select,
}

/// One delivery of the pair stage: `left` (· `right`), components at `at` and following.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Position of the first component.
    pub at: usize,
    /// A value, or the first factor.
    pub left: NodeId,
    /// The second factor of a product that the sum may fuse.
    pub right: Option<NodeId>,
}

/// The stages of one body. Leaves are variables in `param`, `row` and `col`, and staged values everywhere.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Values staged once per call, by slot.
    pub param: Vec<NodeId>,
    /// Values staged once per row, by slot.
    pub row: Vec<NodeId>,
    /// Values staged once per column, by slot.
    pub col: Vec<NodeId>,
    /// What the pair stage delivers.
    pub pair: Vec<Delivery>,
    /// Number of values that the pair stage delivers.
    pub dim: Dim,
    /// Slot of the column vector that multiplies pair value 0, or that is the weight.
    pub outer: Option<usize>,
    /// Number of accumulated values.
    pub acc: Dim,
    /// The result of a row, from the accumulated values (slot 0 of [`Space::Acc`](crate::ir::Space::Acc)).
    pub finish: NodeId,
}

/// A body to schedule.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// The formula.
    pub root: NodeId,
    /// Weights of an exponential reduction.
    pub weights: Option<NodeId>,
    /// How it is reduced.
    pub kind: Kind,
    /// Which index is kept.
    pub keep: Keep,
    /// Off (for tests): variables are staged as they are and everything else is computed for every pair.
    pub hoist: bool,
}

/// Schedules one body.
pub fn schedule(ir: &mut Ir, task: Task) -> Result<Schedule, String> {
    let mut roots = vec![task.root];
    roots.extend(task.weights);
    let mut stager = Stager::new(ir, task.keep, task.hoist, &roots);
    let body = match task.kind {
        Kind::Sum => root::sum(&mut stager, task.root),
        Kind::Exponential => root::exponential(&mut stager, task.root, task.weights)?,
        Kind::Select => root::select(&mut stager, task.root),
    };
    Ok(stager.finished(body))
}
