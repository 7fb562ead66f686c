//! The intermediate representation: a hash-consed graph of typed nodes.
//!
//! Equal expressions are one node, so common sub-expressions are shared from the start and comparing two expressions is
//! comparing two numbers. Nodes are created through the methods of [`Ir`], which also apply the exact rewrites of
//! [`crate::simplify`]; arguments always have smaller numbers than the nodes that use them, so the order of creation is
//! a topological order. There are no source positions here: mistakes are reported before, by
//! [`Operation::apply`](crate::ops::Operation::apply).

mod build;
mod dim;
mod text;

pub use dim::Dim;

use crate::ops::Operation;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Which index a variable follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// One row per i.
    Vi,
    /// One row per j.
    Vj,
    /// One row in all.
    Pm,
}

/// Row numbers are taken apart into multiples of this and the rest, because `f32` has exact integers up to 2²⁴ only.
pub const CARRY: f64 = 1_048_576.0;

/// A node of an [`Ir`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// Position in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant, compared by its bits (so that NaN equals itself and −0 differs from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits(u64);

impl Bits {
    /// The bits of `v`.
    pub fn of(v: f64) -> Self {
        Bits(v.to_bits())
    }
    /// The number.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// Where staged values live; see [`crate::schedule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Staged once per call.
    Param,
    /// Staged once per row.
    Row,
    /// Staged once per column.
    Col,
    /// Accumulated by the sum.
    Acc,
}

/// An elementwise operation of the table.
#[derive(Clone, Copy)]
pub struct MapOp(pub &'static Operation);

impl PartialEq for MapOp {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for MapOp {}
impl Hash for MapOp {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.0.name.hash(h);
    }
}
impl std::fmt::Debug for MapOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

/// A sum of products over labelled axes (an "einsum" of two row-major tensors): every axis has a size, each operand and
/// the result carry a list of axes, and axes that the result lacks are summed.
///
/// Every axis of the result occurs in an operand; every axis of an operand occurs in the other operand or the result.
/// The class is closed under differentiation: the pull-back to one operand exchanges it with the result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Axes {
    /// Size of each axis.
    pub sizes: Vec<usize>,
    /// Axes of the first operand.
    pub left: Vec<usize>,
    /// Axes of the second operand.
    pub right: Vec<usize>,
    /// Axes of the result.
    pub out: Vec<usize>,
}

impl Axes {
    /// Number of entries of a tensor with these axes.
    pub fn len_of(&self, axes: &[usize]) -> usize {
        axes.iter().map(|&a| self.sizes[a]).product()
    }
    /// Row-major stride of `axis` in a tensor with these axes (0 if it does not occur).
    pub fn stride(&self, axes: &[usize], axis: usize) -> usize {
        match axes.iter().position(|&a| a == axis) {
            Some(p) => self.len_of(&axes[p + 1..]),
            None => 0,
        }
    }
}

impl Axes {
    /// Every term of the sums: positions in the result and in the two operands.
    pub fn terms(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let all: Vec<usize> = (0..self.sizes.len()).collect();
        (0..self.len_of(&all)).map(move |flat| {
            let position = |of: &[usize]| -> usize {
                all.iter().map(|&a| flat / self.stride(&all, a) % self.sizes[a] * self.stride(of, a)).sum()
            };
            (position(&self.out), position(&self.left), position(&self.right))
        })
    }
}

/// What a node computes. Arguments of [`Op::Map`] have the node's dimension or dimension 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    /// A variable: position in the order of the call.
    Var {
        /// Position in the order of the call.
        position: usize,
        /// Which index it follows.
        category: Category,
    },
    /// The same number in every component.
    Const(Bits),
    /// A part of the row number of an index: the multiple of [`CARRY`] in it, or the rest. Both are exact in every type of data.
    Index {
        /// Which index (not [`Category::Pm`]).
        category: Category,
        /// The multiple, else the rest.
        high: bool,
    },
    /// 0, 1, 2, …
    Iota,
    /// A staged value (only in scheduled graphs).
    Staged {
        /// Where it lives.
        space: Space,
        /// Which of the values of that space.
        slot: usize,
    },
    /// An elementwise operation, with its integer (exponent, digits), 0 if it has none.
    Map(MapOp, i64),
    /// Σ of the components.
    Sum,
    /// One number in every component.
    Broadcast,
    /// Components `start`, `start + step`, …
    Slice {
        /// First component taken.
        start: usize,
        /// Distance of components taken.
        step: usize,
    },
    /// Transpose of [`Op::Slice`]: components placed at `start`, `start + step`, … among zeros.
    Pad {
        /// Where the first component goes.
        start: usize,
        /// Distance of places.
        step: usize,
    },
    /// One vector after another.
    Concat,
    /// A sum of products over axes.
    Contract(Rc<Axes>),
    /// A linear recurrence: `y_k = b_k + Σ_r w_(r,k) y_(k − lag_r)` for arguments b, w_1, w_2, …; terms before the first
    /// component are 0. Its transpose if `reverse`: `y_k = b_k + Σ_r w_(r, k + lag_r) y_(k + lag_r)`.
    Recurrence {
        /// How far back each weight reaches, at least 1.
        lags: Rc<[usize]>,
        /// From the last component to the first.
        reverse: bool,
    },
    /// Costs of the best alignments, in the sense of a soft minimum, of all beginnings of two series: a table, row by row,
    /// from the table of local costs and the temperature. See [`crate::ops`] for SoftDTW_SqDist.
    Alignment {
        /// Numbers per row of the table.
        width: usize,
    },
    /// Largest or smallest component, or its index; NaN loses against any number, the first index wins ties.
    Extreme {
        /// Largest, else smallest.
        max: bool,
        /// Index, else value.
        arg: bool,
    },
}

/// One value of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// From what.
    pub args: Vec<NodeId>,
    /// How many numbers.
    pub dim: Dim,
}

/// A graph of nodes.
#[derive(Debug, Clone)]
pub struct Ir {
    nodes: Vec<Node>,
    index: HashMap<Node, NodeId>,
    simplify: bool,
}

impl Default for Ir {
    fn default() -> Self {
        Self::new()
    }
}

impl Ir {
    /// An empty graph that simplifies what is built in it.
    pub fn new() -> Self {
        Ir { nodes: Vec::new(), index: HashMap::new(), simplify: true }
    }

    /// An empty graph that keeps everything as it is written, for tests that compare.
    pub fn without_simplification() -> Self {
        Ir { simplify: false, ..Self::new() }
    }

    /// Reads a node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What a node computes.
    pub fn op(&self, id: NodeId) -> &Op {
        &self.node(id).op
    }

    /// Arguments of a node.
    pub fn args(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).args
    }

    /// Dimension of a node.
    pub fn dim(&self, id: NodeId) -> &Dim {
        &self.node(id).dim
    }

    /// Number of nodes made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Has nothing been built?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The name of an elementwise node's operation.
    pub fn map_name(&self, id: NodeId) -> Option<&'static str> {
        match self.op(id) {
            Op::Map(m, _) => Some(m.0.name),
            _ => None,
        }
    }

    /// The number of a constant node.
    pub fn const_value(&self, id: NodeId) -> Option<f64> {
        match self.op(id) {
            Op::Const(b) => Some(b.value()),
            _ => None,
        }
    }

    /// The nodes that `roots` depend on, themselves included, in topological order.
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                stack.extend_from_slice(self.args(id));
            }
        }
        (0..self.nodes.len()).filter(|&k| seen[k]).map(|k| NodeId(k as u32)).collect()
    }

    /// Adds a node, or finds the one that is already there.
    fn intern(&mut self, op: Op, args: Vec<NodeId>, dim: Dim) -> NodeId {
        let node = Node { op, args, dim };
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        if self.simplify
            && let Some(id) = crate::simplify::rewrite(self, &node)
        {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }
}
