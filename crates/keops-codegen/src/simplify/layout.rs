//! Operations that move or sum components.

use crate::ir::{Dim, Ir, Node, NodeId, Op};

/// A simpler node for an operation on vectors.
pub(super) fn rewrite(ir: &mut Ir, node: &Node) -> Option<NodeId> {
    let &first = node.args.first()?;
    let inner = ir.node(first).clone();
    match &node.op {
        Op::Sum => match (&inner.op, &inner.dim) {
            (Op::Const(b), Dim::Lit(n)) => Some(ir.constant(*n as f64 * b.value())),
            (Op::Broadcast, Dim::Lit(n)) => Some(ir.scale(*n as f64, inner.args[0])),
            (Op::Pad { .. }, _) => Some(ir.sum(inner.args[0])),
            _ if ir.map_name(first) == Some("Minus") => {
                let sum = ir.sum(inner.args[0]);
                Some(ir.neg(sum))
            }
            _ => None,
        },
        Op::Broadcast => match &inner.op {
            Op::Const(b) => Some(ir.constant_vector(b.value(), node.dim.clone())),
            Op::Broadcast => Some(ir.broadcast(inner.args[0], node.dim.clone())),
            _ => None,
        },
        Op::Slice { start, step } => slice(ir, node, &inner, *start, *step),
        Op::Pad { .. } => match &inner.op {
            Op::Const(b) if b.value() == 0.0 => Some(ir.constant_vector(0.0, node.dim.clone())),
            _ => None,
        },
        Op::Extreme { arg, .. } if inner.dim.is_one() => Some(if *arg { ir.constant(0.0) } else { first }),
        _ => None,
    }
}

fn slice(ir: &mut Ir, node: &Node, inner: &Node, start: usize, step: usize) -> Option<NodeId> {
    let len = node.dim.lit()?;
    if len == 1
        && let Some(component) = component(ir, inner, start)
    {
        return Some(component);
    }
    match inner.op {
        Op::Const(b) => Some(ir.constant_vector(b.value(), node.dim.clone())),
        Op::Broadcast => Some(ir.broadcast(inner.args[0], node.dim.clone())),
        Op::Slice { start: s, step: t } => Some(ir.slice(inner.args[0], s + t * start, step * t, len)),
        Op::Pad { start: s, step: t } if (s, t) == (start, step) && *ir.dim(inner.args[0]) == node.dim => {
            Some(inner.args[0])
        }
        Op::Concat => {
            let split = ir.dim(inner.args[0]).lit()?;
            if start + step * (len - 1) < split {
                Some(ir.slice(inner.args[0], start, step, len))
            } else if start >= split {
                Some(ir.slice(inner.args[1], start - split, step, len))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// One component of a vector, where it can be had without the vector.
fn component(ir: &mut Ir, vector: &Node, at: usize) -> Option<NodeId> {
    match vector.op {
        Op::Map(op, int) => {
            let mut args = vector.args.clone();
            for a in &mut args {
                if !ir.dim(*a).is_one() {
                    *a = ir.slice(*a, at, 1, 1);
                }
            }
            Some(ir.map_op(op, &args, int))
        }
        Op::Iota => Some(ir.constant(at as f64)),
        Op::Pad { start, step } => {
            let inner = vector.args[0];
            let n = ir.dim(inner).lit()?;
            let k = at.checked_sub(start).filter(|k| k.is_multiple_of(step) && k / step < n);
            Some(match k {
                Some(k) => ir.slice(inner, k / step, 1, 1),
                None => ir.constant(0.0),
            })
        }
        _ => None,
    }
}
