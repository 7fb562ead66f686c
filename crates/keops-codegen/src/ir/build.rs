//! Building nodes. Dimensions are the caller's duty here: formulas come through
//! [`Operation::apply`](crate::ops::Operation::apply), which checks them, and the compiler's own passes keep them right.

use super::{Axes, Bits, CARRY, Category, Dim, Ir, MapOp, NodeId, Op, Space};
use crate::ops;
use std::collections::HashMap;
use std::rc::Rc;

impl Ir {
    /// The variable at `position` of the call.
    pub fn var(&mut self, position: usize, category: Category, dim: Dim) -> NodeId {
        self.intern(Op::Var { position, category }, vec![], dim)
    }

    /// A number.
    pub fn constant(&mut self, v: f64) -> NodeId {
        self.constant_vector(v, Dim::ONE)
    }

    /// The same number `dim` times.
    pub fn constant_vector(&mut self, v: f64, dim: Dim) -> NodeId {
        self.intern(Op::Const(Bits::of(v)), vec![], dim)
    }

    /// The row number of an index.
    pub fn index(&mut self, category: Category) -> NodeId {
        let part = |ir: &mut Ir, high| ir.intern(Op::Index { category, high }, vec![], Dim::ONE);
        let (high, low) = (part(self, true), part(self, false));
        self.index_of(high, low)
    }

    /// A row number, or a difference of some, from its parts.
    pub(crate) fn index_of(&mut self, high: NodeId, low: NodeId) -> NodeId {
        let multiple = self.scale(CARRY, high);
        self.add(multiple, low)
    }

    /// 0, 1, 2, … as a vector.
    pub fn iota(&mut self, dim: Dim) -> NodeId {
        self.intern(Op::Iota, vec![], dim)
    }

    /// A staged value.
    pub fn staged(&mut self, space: Space, slot: usize, dim: Dim) -> NodeId {
        self.intern(Op::Staged { space, slot }, vec![], dim)
    }

    /// The elementwise operation called `name`.
    pub fn map(&mut self, name: &str, args: &[NodeId]) -> NodeId {
        self.map_with(name, args, 0)
    }

    /// The elementwise operation called `name`, with its integer.
    pub fn map_with(&mut self, name: &str, args: &[NodeId], int: i64) -> NodeId {
        self.map_op(MapOp(ops::elementwise(name)), args, int)
    }

    /// An elementwise operation.
    pub fn map_op(&mut self, op: MapOp, args: &[NodeId], int: i64) -> NodeId {
        let dim = args.iter().map(|&a| self.dim(a)).find(|d| !d.is_one()).cloned().unwrap_or(Dim::ONE);
        self.intern(Op::Map(op, int), args.to_vec(), dim)
    }

    /// a + b
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.map("Add", &[a, b])
    }
    /// a − b
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.map("Subtract", &[a, b])
    }
    /// a · b
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.map("Mult", &[a, b])
    }
    /// a / b
    pub fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.map("Divide", &[a, b])
    }
    /// −a
    pub fn neg(&mut self, a: NodeId) -> NodeId {
        self.map("Minus", &[a])
    }
    /// a²
    pub fn square(&mut self, a: NodeId) -> NodeId {
        self.map("Square", &[a])
    }
    /// c · a
    pub fn scale(&mut self, c: f64, a: NodeId) -> NodeId {
        let c = self.constant(c);
        self.mul(c, a)
    }
    /// `a` where `mask` is not 0, else `b`; the value not taken has no effect. `mask` is a comparison.
    pub fn choose(&mut self, mask: NodeId, a: NodeId, b: NodeId) -> NodeId {
        self.map("Where", &[mask, a, b])
    }

    /// Σ of the components.
    pub fn sum(&mut self, a: NodeId) -> NodeId {
        if self.dim(a).is_one() {
            return a;
        }
        self.intern(Op::Sum, vec![a], Dim::ONE)
    }

    /// One number in every component of a vector.
    pub fn broadcast(&mut self, a: NodeId, dim: Dim) -> NodeId {
        if *self.dim(a) == dim {
            return a;
        }
        self.intern(Op::Broadcast, vec![a], dim)
    }

    /// `len` components from `start` on, `step` apart.
    pub fn slice(&mut self, a: NodeId, start: usize, step: usize, len: usize) -> NodeId {
        if start == 0 && step == 1 && *self.dim(a) == Dim::Lit(len) {
            return a;
        }
        self.intern(Op::Slice { start, step }, vec![a], Dim::Lit(len))
    }

    /// Transpose of [`Ir::slice`]: a vector of `len` with the components of `a` from `start` on, `step` apart, zeros elsewhere.
    pub fn pad(&mut self, a: NodeId, start: usize, step: usize, len: Dim) -> NodeId {
        if start == 0 && step == 1 && *self.dim(a) == len {
            return a;
        }
        self.intern(Op::Pad { start, step }, vec![a], len)
    }

    /// One vector after the other; both lengths are known.
    pub fn concat(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, String> {
        let n = self.dim(a).known("vectors are joined")? + self.dim(b).known("vectors are joined")?;
        Ok(self.intern(Op::Concat, vec![a, b], Dim::Lit(n)))
    }

    /// A sum of products over axes.
    pub fn contract(&mut self, a: NodeId, b: NodeId, axes: Axes) -> NodeId {
        let dim = Dim::Lit(axes.len_of(&axes.out));
        self.intern(Op::Contract(Rc::new(axes)), vec![a, b], dim)
    }

    /// The linear recurrence on `b` with a vector of weights for each lag.
    pub fn recurrence(&mut self, b: NodeId, weights: &[NodeId], lags: Rc<[usize]>, reverse: bool) -> NodeId {
        if self.dim(b).is_one() {
            return b;
        }
        let (dim, mut args) = (self.dim(b).clone(), vec![b]);
        args.extend_from_slice(weights);
        self.intern(Op::Recurrence { lags, reverse }, args, dim)
    }

    /// The table of alignments of a table of `costs` with rows of `width` numbers.
    pub fn alignment(&mut self, costs: NodeId, temperature: NodeId, width: usize) -> NodeId {
        let dim = self.dim(costs).clone();
        if dim.is_one() {
            return costs;
        }
        self.intern(Op::Alignment { width }, vec![costs, temperature], dim)
    }

    /// Component k − lag of a vector of `n` at place k (k + lag if `reverse`), zeros where there is none.
    pub fn shifted(&mut self, a: NodeId, lag: usize, n: usize, reverse: bool) -> NodeId {
        if lag >= n {
            return self.constant_vector(0.0, Dim::Lit(n));
        }
        let (from, to) = if reverse { (lag, 0) } else { (0, lag) };
        let kept = self.slice(a, from, 1, n - lag);
        self.pad(kept, to, 1, Dim::Lit(n))
    }

    /// Largest or smallest component, or its index.
    pub fn extreme(&mut self, a: NodeId, max: bool, arg: bool) -> NodeId {
        self.intern(Op::Extreme { max, arg }, vec![a], Dim::ONE)
    }

    /// `root` with other nodes (of the same dimensions) in place of some.
    pub fn replace(&mut self, root: NodeId, by: &[(NodeId, NodeId)]) -> NodeId {
        let mut now: HashMap<NodeId, NodeId> = by.iter().copied().collect();
        for id in self.reachable(&[root]) {
            if !now.contains_key(&id) {
                let args: Vec<NodeId> = self.args(id).iter().map(|a| now.get(a).copied().unwrap_or(*a)).collect();
                let new = if args == self.args(id) { id } else { self.with_args(id, &args) };
                now.insert(id, new);
            }
        }
        now.get(&root).copied().unwrap_or(root)
    }

    /// The same node with other arguments (of the same dimensions).
    pub fn with_args(&mut self, id: NodeId, args: &[NodeId]) -> NodeId {
        let (op, dim) = (self.op(id).clone(), self.dim(id).clone());
        match op {
            Op::Map(m, int) => {
                let out = self.map_op(m, args, int);
                self.broadcast(out, dim)
            }
            Op::Broadcast => self.broadcast(args[0], dim),
            Op::Sum => self.sum(args[0]),
            _ => self.intern(op, args.to_vec(), dim),
        }
    }
}
