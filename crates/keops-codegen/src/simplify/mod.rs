//! Exact rewrites, applied while nodes are made (unless the graph was made
//! [`without_simplification`](crate::ir::Ir::without_simplification)).
//!
//! A rewrite keeps the value for every input, NaN and infinities included. In particular `0 · x`, `x − x` and `0 / x` stay,
//! and products are not regrouped. The exceptions, each for its reason:
//! * a constant expression is computed in `f64` and rounded once to the type of the data;
//! * `Σ` of n equal numbers is n times the number: one rounding instead of n − 1;
//! * `Pow(f, 0)` is 1 for every f: this is its definition.

mod arithmetic;
mod index;
mod layout;

use crate::ir::{Ir, Node, NodeId, Op};

/// A simpler node that has the same value, if there is one.
pub(crate) fn rewrite(ir: &mut Ir, node: &Node) -> Option<NodeId> {
    match &node.op {
        Op::Map(op, int) => index::rewrite(ir, node, *op).or_else(|| arithmetic::rewrite(ir, node, *op, *int)),
        _ => layout::rewrite(ir, node),
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{Category, Dim, Ir, NodeId};

    fn graph() -> (Ir, NodeId, NodeId) {
        let mut ir = Ir::new();
        let (x, v) = (ir.var(0, Category::Vi, Dim::ONE), ir.var(1, Category::Vj, Dim::Lit(3)));
        (ir, x, v)
    }

    #[test]
    fn neutral_operations_vanish() {
        let (mut ir, x, v) = graph();
        let one = ir.constant(1.0);
        assert_eq!(ir.mul(x, one), x);
        assert_eq!(ir.div(x, one), x);
        let (minus, wide) = (ir.neg(x), ir.broadcast(x, Dim::Lit(1)));
        assert_eq!((ir.neg(minus), wide), (x, x));
        assert_eq!(ir.slice(v, 0, 1, 3), v);
        let padded = ir.pad(v, 2, 1, Dim::Lit(7));
        assert_eq!(ir.slice(padded, 2, 1, 3), v);
        let product = ir.mul(v, v);
        assert_eq!(product, ir.square(v));
    }

    #[test]
    fn what_would_hide_a_nan_stays() {
        let (mut ir, x, _) = graph();
        let zero = ir.constant(0.0);
        for value in [ir.mul(zero, x), ir.sub(x, x), ir.div(zero, x), ir.add(x, zero)] {
            assert!(ir.const_value(value).is_none() && value != x, "{}", ir.text(&[value]));
        }
    }

    #[test]
    fn constants_are_folded() {
        let (mut ir, ..) = graph();
        let (a, b) = (ir.constant(2.0), ir.constant(3.0));
        let q = ir.div(a, b);
        assert_eq!(ir.const_value(q), Some(2.0 / 3.0));
        let many = ir.constant_vector(2.0, Dim::Lit(5));
        let sum = ir.sum(many);
        assert_eq!(ir.const_value(sum), Some(10.0));
    }

    #[test]
    fn repeated_numbers_are_computed_once() {
        let (mut ir, x, v) = graph();
        let wide = ir.broadcast(x, Dim::Lit(3));
        assert_eq!(ir.mul(wide, v), ir.mul(x, v));
        let exp = ir.map("Exp", &[wide]);
        let narrow = ir.map("Exp", &[x]);
        assert_eq!(exp, ir.broadcast(narrow, Dim::Lit(3)));
    }

    #[test]
    fn it_can_be_switched_off() {
        let mut ir = Ir::without_simplification();
        let (x, one) = (ir.var(0, Category::Vi, Dim::ONE), ir.constant(1.0));
        assert_ne!(ir.mul(x, one), x);
    }
}
