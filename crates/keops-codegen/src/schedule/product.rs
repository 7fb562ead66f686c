//! [`Product`]: an expression as a number times factors, so that factors can be grouped by stage.

use super::stage::{Stage, Stager};
use crate::ir::{NodeId, Op};

/// A factor, or the inverse of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Factor {
    pub(super) node: NodeId,
    pub(super) inverse: bool,
}

/// `coefficient · Π factors`; its dimension is that of the expression it came from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Product {
    pub(super) coefficient: f64,
    pub(super) factors: Vec<Factor>,
}

impl Product {
    fn of(node: NodeId) -> Self {
        Product { coefficient: 1.0, factors: vec![Factor { node, inverse: false }] }
    }

    fn number(v: f64) -> Self {
        Product { coefficient: v, factors: vec![] }
    }

    fn times(mut self, other: Product) -> Self {
        self.coefficient *= other.coefficient;
        self.factors.extend(other.factors);
        self
    }

    fn inverse(mut self) -> Self {
        self.coefficient = 1.0 / self.coefficient;
        for f in &mut self.factors {
            f.inverse = !f.inverse;
        }
        self
    }

    /// The factors that `take` accepts, and the rest.
    pub(super) fn split(self, mut take: impl FnMut(&Factor) -> bool) -> (Vec<Factor>, Vec<Factor>) {
        self.factors.into_iter().partition(|f| take(f))
    }

    /// Is it one node as it is?
    pub(super) fn single(&self) -> Option<NodeId> {
        match self.factors[..] {
            [Factor { node, inverse: false }] if self.coefficient == 1.0 => Some(node),
            _ => None,
        }
    }
}

impl Stager<'_> {
    /// Writes a node as a product. Nodes that do not change from pair to pair stay whole.
    pub(super) fn factored(&mut self, id: NodeId) -> Product {
        if let Some(known) = self.products.get(&id) {
            return known.clone();
        }
        let product = self.newly_factored(id);
        self.products.insert(id, product.clone());
        product
    }

    fn newly_factored(&mut self, id: NodeId) -> Product {
        if let Some(v) = self.ir.const_value(id) {
            return Product::number(v);
        }
        if !self.hoist || self.stage(id) != Stage::Pair {
            return Product::of(id);
        }
        let args = self.ir.args(id).to_vec();
        match (self.ir.op(id).clone(), self.ir.map_name(id)) {
            (Op::Broadcast, _) => self.factored(args[0]),
            (Op::Sum, _) => self.factored_sum(id, args[0]),
            (Op::Map(..), Some("Mult")) => {
                let (a, b) = (self.factored(args[0]), self.factored(args[1]));
                a.times(b)
            }
            (Op::Map(..), Some("Divide")) => {
                let (a, b) = (self.factored(args[0]), self.factored(args[1]));
                a.times(b.inverse())
            }
            (Op::Map(..), Some("Minus")) => Product::number(-1.0).times(self.factored(args[0])),
            (Op::Map(..), Some("Inv")) => self.factored(args[0]).inverse(),
            (Op::Map(..), Some("Square")) => self.factored_square(id, args[0]),
            (Op::Map(_, int), Some("Pow")) => {
                let power = self.multiplied_out(args[0], int.unsigned_abs());
                let p = self.factored(power);
                if int < 0 { p.inverse() } else { p }
            }
            (Op::Map(..), Some("Add")) => self.factored_terms(id, args[0], args[1], 1.0),
            (Op::Map(..), Some("Subtract")) => self.factored_terms(id, args[0], args[1], -1.0),
            _ => Product::of(id),
        }
    }

    /// f · f · … by repeated squaring.
    fn multiplied_out(&mut self, f: NodeId, n: u64) -> NodeId {
        match n {
            0 => self.ir.constant(1.0),
            1 => f,
            _ => {
                let half = self.multiplied_out(f, n / 2);
                let square = self.ir.square(half);
                if n.is_multiple_of(2) { square } else { self.ir.mul(f, square) }
            }
        }
    }

    /// Numbers leave a sum over components.
    fn factored_sum(&mut self, id: NodeId, inner: NodeId) -> Product {
        let Product { coefficient, factors } = self.factored(inner);
        let (outside, inside): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|f| self.ir.dim(f.node).is_one());
        if inside.is_empty() || (outside.is_empty() && coefficient == 1.0) {
            return Product::of(id);
        }
        let inside = self.node_of(1.0, &inside);
        let sum = self.ir.sum(inside);
        Product { coefficient, factors: outside }.times(Product::of(sum))
    }

    /// What is not a single pair value leaves a square.
    fn factored_square(&mut self, id: NodeId, inner: NodeId) -> Product {
        let p = self.factored(inner);
        if p.single().is_some() {
            return Product::of(id);
        }
        let coefficient = p.coefficient * p.coefficient;
        let (pair, staged) = p.split(|f| self.stage(f.node) == Stage::Pair);
        let (below, above): (Vec<Factor>, Vec<Factor>) = pair.into_iter().partition(|f| f.inverse);
        let mut factors = Vec::new();
        for f in staged {
            factors.push(Factor { node: self.ir.square(f.node), inverse: f.inverse });
        }
        for (group, inverse) in [(above, false), (below, true)] {
            if !group.is_empty() {
                let mut upright: Vec<Factor> = group.iter().map(|f| Factor { inverse: false, ..*f }).collect();
                // In one order, so that the square of what comes out is that square again.
                upright.sort_by_key(|f| f.node);
                let node = self.node_of(1.0, &upright);
                factors.push(Factor { node: self.ir.square(node), inverse });
            }
        }
        Product { coefficient, factors }
    }

    /// a ± b with the factors that both have in front: `k·a + k·b = k·(a + b)`.
    fn factored_terms(&mut self, id: NodeId, a: NodeId, b: NodeId, sign: f64) -> Product {
        // Zeros of a derivative (x + 0 only loses the sign of −0).
        match (self.ir.const_value(a), self.ir.const_value(b)) {
            (_, Some(0.0)) => return self.factored(a),
            (Some(0.0), _) => return Product::number(sign).times(self.factored(b)),
            _ => {}
        }
        let (pa, pb) = (self.factored(a), self.factored(b));
        let mut common = Vec::new();
        let mut rest_b = pb.factors.clone();
        let mut rest_a = Vec::new();
        for f in pa.factors {
            match rest_b.iter().position(|g| *g == f) {
                Some(k) => {
                    rest_b.remove(k);
                    common.push(f);
                }
                None => rest_a.push(f),
            }
        }
        if common.is_empty() {
            return Product::of(id);
        }
        let (ca, cb) = (pa.coefficient, sign * pb.coefficient);
        let (front, ca, cb) = if ca.abs() == cb.abs() && ca != 0.0 { (ca, 1.0, cb / ca) } else { (1.0, ca, cb) };
        let (left, right) = (self.node_of(ca, &rest_a), self.node_of(cb.abs(), &rest_b));
        let sum = if cb < 0.0 { self.ir.sub(left, right) } else { self.ir.add(left, right) };
        let dim = self.ir.dim(id).clone();
        // The sum may have lost its components to the common factors.
        let sum = if common.iter().any(|f| *self.ir.dim(f.node) == dim) { sum } else { self.ir.broadcast(sum, dim) };
        Product { coefficient: front, factors: common }.times(self.term(sum))
    }

    fn term(&mut self, id: NodeId) -> Product {
        match self.ir.const_value(id) {
            Some(v) => Product::number(v),
            None => Product::of(id),
        }
    }

    /// The node of a product: numbers first, then vectors; at most one division for each.
    pub(super) fn node_of(&mut self, coefficient: f64, factors: &[Factor]) -> NodeId {
        let (numbers, vectors): (Vec<Factor>, Vec<Factor>) = factors.iter().partition(|f| self.ir.dim(f.node).is_one());
        let number = self.node_of_group(Some(coefficient), &numbers);
        let vector = self.node_of_group(None, &vectors);
        match (number, vector) {
            (Some(s), Some(v)) => self.ir.mul(s, v),
            (Some(s), None) => s,
            (None, Some(v)) => v,
            (None, None) => self.ir.constant(1.0),
        }
    }

    /// Product of factors of one width, `None` if there is nothing to multiply.
    fn node_of_group(&mut self, coefficient: Option<f64>, factors: &[Factor]) -> Option<NodeId> {
        let mut sides = [None, None];
        for f in factors {
            let side = &mut sides[usize::from(f.inverse)];
            *side = Some(match *side {
                Some(before) => self.ir.mul(before, f.node),
                None => f.node,
            });
        }
        let coefficient = coefficient.filter(|&c| c != 1.0);
        let above = match (sides[0], coefficient) {
            (Some(n), Some(-1.0)) => Some(self.ir.neg(n)),
            (Some(n), Some(c)) => Some(self.ir.scale(c, n)),
            (n, None) => n,
            (None, Some(c)) => Some(self.ir.constant(c)),
        };
        match (above, sides[1]) {
            (above, None) => above,
            (Some(n), Some(d)) => Some(self.ir.div(n, d)),
            (None, Some(d)) => Some(self.ir.map("Inv", &[d])),
        }
    }
}
