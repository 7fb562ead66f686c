//! A graph taken apart into numbers: every component of every value by itself, equal ones shared.

use super::Output;
use crate::ir::{Bits, Ir, MapOp, NodeId, Op};
use crate::ops::{self, alignment};
use std::collections::HashMap;

/// One number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    /// A component of a leaf.
    Leaf(NodeId, usize),
    /// A constant.
    Number(Bits),
    /// An operation on earlier numbers of the pool, with its integer.
    Map(MapOp, i64, Vec<usize>),
}

/// The numbers made so far.
pub(super) struct Scalars<'a> {
    ir: &'a Ir,
    /// How many nodes and outputs use each node.
    uses: HashMap<NodeId, usize>,
    /// All numbers; what a number is computed from comes before it.
    pub(super) pool: Vec<Scalar>,
    index: HashMap<Scalar, usize>,
    done: HashMap<NodeId, Vec<usize>>,
}

impl<'a> Scalars<'a> {
    pub(super) fn new(ir: &'a Ir, outputs: &[Output]) -> Self {
        let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
        let mut uses = HashMap::new();
        for id in ir.reachable(&roots).iter().flat_map(|&id| ir.args(id)).chain(&roots) {
            *uses.entry(*id).or_insert(0) += 1;
        }
        Scalars { ir, uses, pool: vec![], index: HashMap::new(), done: HashMap::new() }
    }

    fn intern(&mut self, s: Scalar) -> usize {
        *self.index.entry(s).or_insert_with_key(|s| {
            self.pool.push(s.clone());
            self.pool.len() - 1
        })
    }

    fn number(&mut self, v: f64) -> usize {
        self.intern(Scalar::Number(Bits::of(v)))
    }

    fn value(&self, s: usize) -> Option<f64> {
        match self.pool[s] {
            Scalar::Number(b) => Some(b.value()),
            _ => None,
        }
    }

    fn named(&mut self, name: &str, args: Vec<usize>) -> usize {
        self.map(MapOp(ops::elementwise(name)), 0, args)
    }

    /// An operation on numbers; what is known when the code is written is computed now.
    fn map(&mut self, op: MapOp, int: i64, args: Vec<usize>) -> usize {
        let known: Vec<Option<f64>> = args.iter().map(|&a| self.value(a)).collect();
        match (op.0.name, &known[..]) {
            // Zeros of a padding (a sum with 0 only loses the sign of −0).
            ("Add", [Some(0.0), None]) => return args[1],
            ("Add" | "Subtract", [None, Some(0.0)]) => return args[0],
            ("Where", [Some(m), ..]) => return args[if *m != 0.0 { 1 } else { 2 }],
            _ => {}
        }
        let all: Option<Vec<f64>> = known.into_iter().collect();
        match (all, op.0.elementwise()) {
            (Some(x), Some(e)) => self.number((e.eval)(&x, int)),
            _ => self.intern(Scalar::Map(op, int, args)),
        }
    }

    /// The components of a node.
    pub(super) fn components(&mut self, id: NodeId) -> Vec<usize> {
        if let Some(done) = self.done.get(&id) {
            return done.clone();
        }
        let components = self.fresh_components(id);
        self.done.insert(id, components.clone());
        components
    }

    fn fresh_components(&mut self, id: NodeId) -> Vec<usize> {
        let node = self.ir.node(id);
        let len = node.dim.lit().unwrap_or(0);
        match &node.op {
            Op::Var { .. } | Op::Index { .. } | Op::Staged { .. } => {
                (0..len).map(|k| self.intern(Scalar::Leaf(id, k))).collect()
            }
            Op::Const(b) => vec![self.number(b.value()); len],
            Op::Iota => (0..len).map(|k| self.number(k as f64)).collect(),
            Op::Map(op, int) => {
                if let Some(seeded) = self.seeded_sum(*op, &node.args) {
                    return vec![seeded];
                }
                let args: Vec<Vec<usize>> = node.args.iter().map(|&a| self.components(a)).collect();
                (0..len)
                    .map(|k| {
                        let x = args.iter().map(|a| a[if a.len() == 1 { 0 } else { k }]).collect();
                        self.map(*op, *int, x)
                    })
                    .collect()
            }
            Op::Sum => {
                let terms = self.components(node.args[0]);
                vec![self.chain(None, &terms)]
            }
            Op::Broadcast => vec![self.components(node.args[0])[0]; len],
            Op::Slice { start, step } => {
                let x = self.components(node.args[0]);
                (0..len).map(|k| x[start + step * k]).collect()
            }
            Op::Pad { start, step } => {
                let x = self.components(node.args[0]);
                let mut out = vec![self.number(0.0); len];
                for (k, v) in x.into_iter().enumerate() {
                    out[start + step * k] = v;
                }
                out
            }
            Op::Concat => {
                let mut x = self.components(node.args[0]);
                x.extend(self.components(node.args[1]));
                x
            }
            Op::Contract(axes) => {
                let (f, g) = (self.components(node.args[0]), self.components(node.args[1]));
                let mut terms = vec![Vec::new(); len];
                for (o, l, r) in axes.terms() {
                    terms[o].push(self.named("Mult", vec![f[l], g[r]]));
                }
                terms.iter().map(|t| self.chain(None, t)).collect()
            }
            Op::Recurrence { lags, reverse } => {
                let parts: Vec<Vec<usize>> = node.args.iter().map(|&a| self.components(a)).collect();
                let mut y = parts[0].clone();
                for step in 0..len {
                    let k = if *reverse { len - 1 - step } else { step };
                    for (w, &lag) in parts[1..].iter().zip(lags.iter()).filter(|(_, lag)| **lag <= k) {
                        let (from, to) = if *reverse { (k, k - lag) } else { (k - lag, k) };
                        let product = self.named("Mult", vec![w[k], y[from]]);
                        y[to] = self.named("Add", vec![y[to], product]);
                    }
                }
                y
            }
            Op::Alignment { width } => {
                let (costs, g) = (self.components(node.args[0]), self.components(node.args[1])[0]);
                let infinity = self.number(f64::INFINITY);
                let mut y: Vec<usize> = vec![costs[0]];
                for k in 1..len {
                    let mut x: Vec<usize> =
                        alignment::before(k, *width).into_iter().map(|p| p.map_or(infinity, |p| y[p])).collect();
                    x.push(g);
                    let least = self.named("SoftLeast", x);
                    y.push(self.named("Add", vec![costs[k], least]));
                }
                y
            }
            Op::Extreme { max, arg } => {
                let x = self.components(node.args[0]);
                vec![self.extreme(&x, *max, *arg)]
            }
        }
    }

    /// `Σ v + c` starts at `c`, which saves an addition, if the sum is needed for nothing else.
    fn seeded_sum(&mut self, op: MapOp, args: &[NodeId]) -> Option<usize> {
        if op.0.name != "Add" || !args.iter().all(|&a| self.ir.dim(a).is_one()) {
            return None;
        }
        let k = args.iter().position(|a| *self.ir.op(*a) == Op::Sum && self.uses[a] == 1)?;
        let seed = self.components(args[1 - k])[0];
        let terms = self.components(self.ir.args(args[k])[0]);
        Some(self.chain(Some(seed), &terms))
    }

    fn chain(&mut self, seed: Option<usize>, terms: &[usize]) -> usize {
        let mut sum = seed;
        for &t in terms {
            sum = Some(match sum {
                Some(s) => self.named("Add", vec![s, t]),
                None => t,
            });
        }
        sum.unwrap_or_else(|| self.number(0.0))
    }

    /// A running extremum: NaN gives way to anything, equal values to nothing.
    fn extreme(&mut self, x: &[usize], max: bool, arg: bool) -> usize {
        let (mut best, mut at) = (x[0], self.number(0.0));
        for (k, &v) in x.iter().enumerate().skip(1) {
            let better = if max { vec![best, v] } else { vec![v, best] };
            let better = self.named("LessThan", better);
            let ordered = self.named("Equal", vec![best, best]);
            let kept = self.named("Where", vec![ordered, best, v]);
            if arg {
                let here = self.number(k as f64);
                let number = self.named("Equal", vec![v, v]);
                let first = self.named("Where", vec![number, here, at]);
                let stay = self.named("Where", vec![ordered, at, first]);
                at = self.named("Where", vec![better, here, stay]);
            }
            best = self.named("Where", vec![better, v, kept]);
        }
        if arg { at } else { best }
    }
}
