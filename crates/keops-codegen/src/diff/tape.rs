//! [`Tape`]: arithmetic on seeds, and the rule that a branch not taken has no influence.
//!
//! A selection (IfElse, Clamp, the largest component) passes its seed to the operand taken and zero to the others. The
//! derivatives of an operand not taken may be infinite or NaN, and `0 · NaN` would leak. Seeds that come through a selection
//! are therefore *guarded*: a product with a guarded seed is zero wherever the seed is zero. In the usual case the
//! selection is simply moved outwards, `select(m, t, 0) · p = select(m, t · p, 0)`, at no cost.

use crate::ir::{Ir, NodeId, Op};
use std::collections::HashSet;

/// A tangent or cotangent: a node of the dimension of the value that it belongs to (in forward mode possibly 1).
pub type Seed = NodeId;

/// An elementwise node that is being differentiated.
pub struct At<'a> {
    /// Its arguments.
    pub x: &'a [NodeId],
    /// The node.
    pub y: NodeId,
    /// Its integer.
    pub int: i64,
}

/// A graph, and which of its nodes are guarded seeds.
pub struct Tape<'a> {
    /// The graph.
    pub ir: &'a mut Ir,
    guarded: HashSet<NodeId>,
}

impl<'a> Tape<'a> {
    /// No seed is guarded yet.
    pub fn new(ir: &'a mut Ir) -> Self {
        Tape { ir, guarded: HashSet::new() }
    }

    /// Marks a seed as guarded.
    pub fn guard(&mut self, t: Seed) -> Seed {
        self.guarded.insert(t);
        t
    }

    /// Is this seed guarded?
    pub fn is_guarded(&self, t: Seed) -> bool {
        self.guarded.contains(&t)
    }

    /// `to`, guarded if `from` is.
    pub fn like(&mut self, from: Seed, to: Seed) -> Seed {
        if self.is_guarded(from) { self.guard(to) } else { to }
    }

    /// t · p
    pub fn times(&mut self, t: Seed, p: NodeId) -> Seed {
        self.scaled(t, p, &|ir, t, p| ir.mul(t, p))
    }

    /// t / q
    pub fn over(&mut self, t: Seed, q: NodeId) -> Seed {
        self.scaled(t, q, &|ir, t, q| ir.div(t, q))
    }

    /// −t
    pub fn negate(&mut self, t: Seed) -> Seed {
        let minus = self.ir.constant(-1.0);
        self.scaled(t, minus, &|ir, t, _| ir.neg(t))
    }

    /// t where `mask` equals `taken`, else 0.
    pub fn keep_if(&mut self, mask: NodeId, taken: bool, t: Seed) -> Seed {
        let zero = self.ir.constant(0.0);
        let kept = if taken { self.ir.choose(mask, t, zero) } else { self.ir.choose(mask, zero, t) };
        self.guard(kept)
    }

    /// a + b
    pub fn plus(&mut self, a: Seed, b: Seed) -> Seed {
        let sum = self.ir.add(a, b);
        let sum = self.like(a, sum);
        self.like(b, sum)
    }

    /// Σ of the components.
    pub fn total(&mut self, t: Seed) -> Seed {
        if self.is_guarded(t)
            && let Some((mask, kept, taken)) = self.selection(t)
            && self.ir.dim(mask).is_one()
        {
            let sum = self.total(kept);
            return self.keep_if(mask, taken, sum);
        }
        let sum = self.ir.sum(t);
        self.like(t, sum)
    }

    /// `t` as (mask, value, taken where the mask is true) if it is a selection between a value and zero.
    fn selection(&self, t: Seed) -> Option<(NodeId, NodeId, bool)> {
        if self.ir.map_name(t) != Some("Where") {
            return None;
        }
        let &[mask, a, b] = self.ir.args(t) else { return None };
        match (self.ir.const_value(a), self.ir.const_value(b)) {
            (_, Some(0.0)) => Some((mask, a, true)),
            (Some(0.0), _) => Some((mask, b, false)),
            _ => None,
        }
    }

    /// `apply(t, p)` for a product or quotient, zero where a guarded `t` is zero.
    fn scaled(&mut self, t: Seed, p: NodeId, apply: &dyn Fn(&mut Ir, NodeId, NodeId) -> NodeId) -> Seed {
        // Zeros that are known as such stay zeros.
        if self.ir.const_value(t) == Some(0.0) {
            return t;
        }
        if let Op::Pad { start, step } = *self.ir.op(t) {
            let (inner, len) = (self.ir.args(t)[0], self.ir.dim(t).clone());
            let p = match self.ir.dim(inner).lit() {
                Some(n) if !self.ir.dim(p).is_one() => self.ir.slice(p, start, step, n),
                _ => p,
            };
            let inner = self.scaled(inner, p, apply);
            let out = self.ir.pad(inner, start, step, len);
            return self.like(t, out);
        }
        if !self.is_guarded(t) {
            return apply(self.ir, t, p);
        }
        if let Some((mask, kept, taken)) = self.selection(t) {
            let inner = self.scaled(kept, p, apply);
            return self.keep_if(mask, taken, inner);
        }
        let product = apply(self.ir, t, p);
        // A finite constant maps zero to zero.
        if self.ir.const_value(p).is_some_and(f64::is_finite) {
            return self.guard(product);
        }
        let zero = self.ir.constant(0.0);
        let vanished = self.ir.map("Equal", &[t, zero]);
        let out = self.ir.choose(vanished, zero, product);
        self.guard(out)
    }
}
