//! Elementwise operations.

use crate::ir::{Ir, MapOp, Node, NodeId, Op};

/// A simpler node for an elementwise operation.
pub(super) fn rewrite(ir: &mut Ir, node: &Node, op: MapOp, int: i64) -> Option<NodeId> {
    let narrow = narrow_arguments(ir, node, op, int).or_else(|| folded(ir, node, op, int));
    if narrow.is_some() {
        return narrow;
    }
    // All rules below may lose the components of an argument that they drop.
    let simpler = match node.args[..] {
        [a] => unary(ir, op, int, a),
        [a, b] => binary(ir, op, a, b),
        [m, a, b] if op.0.name == "Where" => choice(ir, m, a, b),
        _ => None,
    }?;
    Some(ir.broadcast(simpler, node.dim.clone()))
}

/// Repeated numbers are repeated after the operation.
fn narrow_arguments(ir: &mut Ir, node: &Node, op: MapOp, int: i64) -> Option<NodeId> {
    let mut changed = false;
    let mut args = node.args.clone();
    for a in &mut args {
        if ir.dim(*a).is_one() {
            continue;
        }
        match (ir.op(*a), ir.const_value(*a)) {
            (Op::Broadcast, _) => *a = ir.args(*a)[0],
            (_, Some(v)) => *a = ir.constant(v),
            _ => continue,
        }
        changed = true;
    }
    if !changed {
        return None;
    }
    let value = ir.map_op(op, &args, int);
    Some(ir.broadcast(value, node.dim.clone()))
}

/// The value of an operation on constants.
fn folded(ir: &mut Ir, node: &Node, op: MapOp, int: i64) -> Option<NodeId> {
    let x: Option<Vec<f64>> = node.args.iter().map(|&a| ir.const_value(a)).collect();
    let value = (op.0.elementwise()?.eval)(&x?, int);
    Some(ir.constant_vector(value, node.dim.clone()))
}

/// The argument of a negation.
fn negated(ir: &Ir, id: NodeId) -> Option<NodeId> {
    (ir.map_name(id) == Some("Minus")).then(|| ir.args(id)[0])
}

fn unary(ir: &mut Ir, op: MapOp, int: i64, a: NodeId) -> Option<NodeId> {
    match (op.0.name, int) {
        ("Minus", _) => negated(ir, a),
        ("Square" | "Abs" | "Cos", _) => {
            let inner = negated(ir, a)?;
            Some(ir.map_op(op, &[inner], 0))
        }
        ("Pow", 0) => Some(ir.constant(1.0)),
        ("Pow", 1) => Some(a),
        ("Pow", 2) => Some(ir.square(a)),
        ("Pow", -1) => Some(ir.map("Inv", &[a])),
        _ => None,
    }
}

fn binary(ir: &mut Ir, op: MapOp, a: NodeId, b: NodeId) -> Option<NodeId> {
    let (va, vb) = (ir.const_value(a), ir.const_value(b));
    let (na, nb) = (negated(ir, a), negated(ir, b));
    match op.0.name {
        "Mult" => match (va, vb, na, nb) {
            (Some(1.0), ..) => Some(b),
            (_, Some(1.0), ..) => Some(a),
            (Some(-1.0), ..) => Some(ir.neg(b)),
            (_, Some(-1.0), ..) => Some(ir.neg(a)),
            (_, _, Some(a), Some(b)) => Some(ir.mul(a, b)),
            (_, _, Some(a), None) => {
                let p = ir.mul(a, b);
                Some(ir.neg(p))
            }
            (_, _, None, Some(b)) => {
                let p = ir.mul(a, b);
                Some(ir.neg(p))
            }
            _ if a == b => Some(ir.square(a)),
            _ => ordered(ir, op, a, b),
        },
        "Add" => match (va, vb, na, nb) {
            // −0 is neutral for every x; 0 is not (−0 + 0 is 0).
            (Some(v), ..) if v == 0.0 && v.is_sign_negative() => Some(b),
            (_, Some(v), ..) if v == 0.0 && v.is_sign_negative() => Some(a),
            (_, _, _, Some(b)) => Some(ir.sub(a, b)),
            (_, _, Some(a), None) => Some(ir.sub(b, a)),
            _ if a == b => Some(ir.scale(2.0, a)),
            _ => same_places(ir, a, b).or_else(|| both_branches(ir, a, b)).or_else(|| ordered(ir, op, a, b)),
        },
        "Subtract" => match (vb, nb) {
            (Some(v), _) if v == 0.0 && v.is_sign_positive() => Some(a),
            (_, Some(b)) => Some(ir.add(a, b)),
            _ => None,
        },
        "Divide" => match (va, vb, na, nb) {
            (_, Some(v), ..) if is_power_of_two(v) => Some(ir.scale(1.0 / v, a)),
            (Some(1.0), ..) => Some(ir.map("Inv", &[b])),
            (_, _, Some(a), Some(b)) => Some(ir.div(a, b)),
            (_, _, Some(a), None) => {
                let q = ir.div(a, b);
                Some(ir.neg(q))
            }
            (_, _, None, Some(b)) => {
                let q = ir.div(a, b);
                Some(ir.neg(q))
            }
            _ => None,
        },
        "Equal" | "NotEqual" => ordered(ir, op, a, b),
        _ => None,
    }
}

/// Arguments of a symmetric operation in the order of their creation, so that `a · b` and `b · a` are one node.
fn ordered(ir: &mut Ir, op: MapOp, a: NodeId, b: NodeId) -> Option<NodeId> {
    (a > b).then(|| ir.map_op(op, &[b, a], 0))
}

/// Is 1 / v exact, and a product with it the same as the quotient?
fn is_power_of_two(v: f64) -> bool {
    v.is_normal() && v.to_bits() << 12 == 0 && (1.0 / v).is_normal() && v.abs() < 1e30 && v.abs() > 1e-30
}

/// Two vectors padded alike.
fn same_places(ir: &mut Ir, a: NodeId, b: NodeId) -> Option<NodeId> {
    let (Op::Pad { start, step }, Op::Pad { start: s, step: t }) = (ir.op(a), ir.op(b)) else { return None };
    let (start, step) = (*start, *step);
    let (x, y) = (ir.args(a)[0], ir.args(b)[0]);
    if (start, step) != (*s, *t) || ir.dim(x) != ir.dim(y) || ir.dim(a) != ir.dim(b) {
        return None;
    }
    let (sum, dim) = (ir.add(x, y), ir.dim(a).clone());
    Some(ir.pad(sum, start, step, dim))
}

/// `select(m, a, 0) + select(m, 0, b)`.
fn both_branches(ir: &mut Ir, a: NodeId, b: NodeId) -> Option<NodeId> {
    if ir.map_name(a) != Some("Where") || ir.map_name(b) != Some("Where") {
        return None;
    }
    let (&[m, a1, a2], &[n, b1, b2]) = (ir.args(a), ir.args(b)) else { return None };
    let zero = |id: NodeId| ir.const_value(id) == Some(0.0);
    if m != n {
        return None;
    }
    if zero(a2) && zero(b1) {
        Some(ir.choose(m, a1, b2))
    } else if zero(a1) && zero(b2) {
        Some(ir.choose(m, b1, a2))
    } else {
        None
    }
}

fn choice(ir: &mut Ir, m: NodeId, a: NodeId, b: NodeId) -> Option<NodeId> {
    match ir.const_value(m) {
        Some(v) => Some(if v != 0.0 { a } else { b }),
        None => (a == b).then_some(a),
    }
}
