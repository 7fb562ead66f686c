//! Sums, differences and comparisons of row numbers, part by part, so that they are exact where a row number is not.
//!
//! `i − j` is `2²⁰ · (high i − high j) + (low i − low j)`: the parts are exact, so the sum is rounded once; its sign and whether
//! it is 0 are exact. A comparison of row numbers is a comparison of their difference with 0.

use crate::ir::{CARRY, Ir, MapOp, Node, NodeId, Op};

/// A value as (multiple of [`CARRY`], rest).
type Parts = (NodeId, NodeId);

/// A simpler node for an operation on row numbers.
pub(super) fn rewrite(ir: &mut Ir, node: &Node, op: MapOp) -> Option<NodeId> {
    if !node.dim.is_one() {
        return None;
    }
    match (op.0.name, &node.args[..]) {
        ("Add" | "Subtract", &[a, b]) => {
            let (high, low) = combined(ir, op.0.name, a, b)?;
            Some(ir.index_of(high, low))
        }
        ("Minus", &[a]) => {
            let (high, low) = parts(ir, a)?;
            let (high, low) = (ir.neg(high), ir.neg(low));
            Some(ir.index_of(high, low))
        }
        ("Equal" | "NotEqual" | "LessThan" | "LessOrEqual", &[a, b]) => {
            let is_zero = |id: NodeId| ir.const_value(id) == Some(0.0);
            if is_zero(a) || is_zero(b) {
                return None;
            }
            let (high, low) = combined(ir, "Subtract", a, b)?;
            let (difference, zero) = (ir.index_of(high, low), ir.constant(0.0));
            Some(ir.map_op(op, &[difference, zero], 0))
        }
        _ => None,
    }
}

/// The parts of `a + b` or `a − b`, if one of them is made of row numbers and the other too, or a number.
fn combined(ir: &mut Ir, name: &str, a: NodeId, b: NodeId) -> Option<Parts> {
    let (pa, pb) = (parts(ir, a), parts(ir, b));
    let (pa, pb) = match (pa, pb) {
        (Some(pa), Some(pb)) => (pa, pb),
        (Some(pa), None) => (pa, number(ir, b)?),
        (None, Some(pb)) => (number(ir, a)?, pb),
        (None, None) => return None,
    };
    let mut each = |x: NodeId, y: NodeId| match (ir.const_value(x), ir.const_value(y)) {
        (_, Some(0.0)) => x,
        (Some(0.0), _) if name == "Add" => y,
        (Some(0.0), _) => ir.neg(y),
        _ => ir.map(name, &[x, y]),
    };
    Some((each(pa.0, pb.0), each(pa.1, pb.1)))
}

/// The parts of a number.
fn number(ir: &mut Ir, id: NodeId) -> Option<Parts> {
    let v = ir.const_value(id).filter(|v| v.abs() < CARRY * CARRY)?;
    let high = (v / CARRY).trunc();
    Some((ir.constant(high), ir.constant(v - high * CARRY)))
}

/// The parts of a value that [`Ir::index_of`] has made.
fn parts(ir: &Ir, id: NodeId) -> Option<Parts> {
    let arguments = |id: NodeId, name: &str| match (ir.map_name(id), ir.args(id)) {
        (Some(n), &[a, b]) if n == name => Some([(a, b), (b, a)]),
        _ => None,
    };
    let (multiple, low) = arguments(id, "Add")?.into_iter().find(|(_, low)| is_part(ir, *low, false))?;
    let (_, high) = arguments(multiple, "Mult")?.into_iter().find(|(c, _)| ir.const_value(*c) == Some(CARRY))?;
    is_part(ir, high, true).then_some((high, low))
}

/// Is it a sum of parts of one kind, and of numbers?
fn is_part(ir: &Ir, id: NodeId, kind: bool) -> bool {
    match ir.op(id) {
        Op::Index { high, .. } => *high == kind,
        Op::Map(op, _) if matches!(op.0.name, "Add" | "Subtract" | "Minus") => {
            ir.args(id).iter().any(|&a| is_part(ir, a, kind))
                && ir.args(id).iter().all(|&a| ir.const_value(a).is_some() || is_part(ir, a, kind))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::{Inputs, eval};
    use crate::ir::{Category, Ir, NodeId};

    fn text(build: &dyn Fn(&mut Ir, NodeId, NodeId) -> NodeId) -> String {
        let mut ir = Ir::new();
        let (i, j) = (ir.index(Category::Vi), ir.index(Category::Vj));
        let f = build(&mut ir, i, j);
        ir.text(&[f])
    }

    #[test]
    fn differences_are_taken_part_by_part() {
        assert_eq!(
            text(&|ir, i, j| ir.sub(i, j)),
            "%0 = Index(Vi, low); %1 = Index(Vj, low); %2 = Subtract(%0, %1); %3 = Const(1048576.0, 1); %4 = Index(Vi, high); \
             %5 = Index(Vj, high); %6 = Subtract(%4, %5); %7 = Mult(%3, %6); %8 = Add(%2, %7); return %8"
        );
    }

    #[test]
    fn comparisons_are_of_differences() {
        let difference = text(&|ir, i, j| {
            let (d, zero) = (ir.sub(i, j), ir.constant(0.0));
            ir.map("LessThan", &[d, zero])
        });
        assert_eq!(text(&|ir, i, j| ir.map("LessThan", &[i, j])), difference);
        let ahead = |ir: &mut Ir, i: NodeId, j: NodeId, by: f64| {
            let by = ir.constant(by);
            let shifted = ir.add(i, by);
            ir.map("Equal", &[shifted, j])
        };
        let (i, j) = (40_000_001u64, 60_000_003u64);
        for (by, want) in [(20_000_001.0, 0.0), (20_000_002.0, 1.0), (20_000_003.0, 0.0)] {
            let mut ir = Ir::new();
            let (ni, nj) = (ir.index(Category::Vi), ir.index(Category::Vj));
            let f = ahead(&mut ir, ni, nj, by);
            assert_eq!(eval(&ir, &[f], &Inputs { rows: (i, j), ..Inputs::default() }), [[want]]);
        }
    }
}
