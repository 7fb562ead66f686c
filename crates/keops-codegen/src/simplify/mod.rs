//! Exact rewrites, applied while nodes are made (unless the graph was made
//! [`without_simplification`](crate::ir::Ir::without_simplification)).

use crate::ir::{Ir, Node, NodeId};

/// A simpler node that has the same value, if there is one.
pub(crate) fn rewrite(_ir: &mut Ir, _node: &Node) -> Option<NodeId> {
    None
}
