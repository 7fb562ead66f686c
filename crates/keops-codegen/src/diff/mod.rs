//! Derivatives: reverse mode ([`grad`]) and forward mode ([`diff`]) over the nodes of a graph.
//!
//! Both walk the nodes that depend on the variable and apply one rule per node: the partial derivatives of the table for
//! elementwise operations, and for the few operations on vectors the linear map or its transpose. The results are
//! ordinary nodes, so derivatives nest to any order. No node is made for derivatives that are zero for structural reasons.

mod forward;
mod reverse;
mod tape;

pub use forward::diff;
pub use reverse::grad;
pub use tape::{At, Seed, Tape};

use crate::ir::{Ir, NodeId};

/// Which of `order` depend on `v` (indexed by node).
fn dependents(ir: &Ir, order: &[NodeId], v: NodeId) -> Vec<bool> {
    let mut depends = vec![false; ir.len()];
    for &id in order {
        depends[id.index()] = id == v || ir.args(id).iter().any(|a| depends[a.index()]);
    }
    depends
}
