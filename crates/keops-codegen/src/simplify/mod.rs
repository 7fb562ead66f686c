//! Exact rewrites, applied while nodes are made (unless the graph was made
//! [`without_simplification`](crate::ir::Ir::without_simplification)).
//!
//! A rewrite keeps the value for every input, NaN and infinities included. In particular `0 · x`, `x − x` and `0 / x` stay,
//! and products are not regrouped. The exceptions, each for its reason:
//! * a constant expression is computed in `f64` and rounded once to the type of the data;
//! * `Σ` of n equal numbers is n times the number: one rounding instead of n − 1;
//! * `Pow(f, 0)` is 1 for every f: this is its definition.

mod arithmetic;
mod layout;

use crate::ir::{Ir, Node, NodeId, Op};

/// A simpler node that has the same value, if there is one.
pub(crate) fn rewrite(ir: &mut Ir, node: &Node) -> Option<NodeId> {
    match &node.op {
        Op::Map(op, int) => arithmetic::rewrite(ir, node, *op, *int),
        _ => layout::rewrite(ir, node),
    }
}
