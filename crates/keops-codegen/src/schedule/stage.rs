//! [`Stager`]: how often each node changes, and the values that earlier stages hand to later ones.

use super::product::Product;
use super::root::Body;
use super::{Keep, Schedule};
use crate::ir::{Category, Ir, NodeId, Op, Space};
use std::collections::HashMap;

/// How often a value changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Never.
    Const,
    /// From call to call.
    Param,
    /// From row to row.
    Row,
    /// From column to column.
    Col,
    /// From pair to pair.
    Pair,
}

impl Stage {
    fn join(self, other: Stage) -> Stage {
        match (self, other) {
            (Stage::Row, Stage::Col) | (Stage::Col, Stage::Row) => Stage::Pair,
            _ => self.max(other),
        }
    }

    fn space(self) -> Option<Space> {
        match self {
            Stage::Param => Some(Space::Param),
            Stage::Row => Some(Space::Row),
            Stage::Col => Some(Space::Col),
            Stage::Const | Stage::Pair => None,
        }
    }
}

/// The state of scheduling one body.
pub(super) struct Stager<'a> {
    pub(super) ir: &'a mut Ir,
    pub(super) keep: Keep,
    pub(super) hoist: bool,
    /// How many nodes of the body use each node.
    uses: HashMap<NodeId, usize>,
    stages: HashMap<NodeId, Stage>,
    /// Scheduled form of pair nodes, by node and whether it must be computed as written.
    pub(super) built: HashMap<(NodeId, bool), NodeId>,
    /// Nodes written as products.
    pub(super) products: HashMap<NodeId, Product>,
    /// Row and column expressions over staged parameters.
    staged: HashMap<NodeId, NodeId>,
    slots: HashMap<Space, Vec<NodeId>>,
}

impl<'a> Stager<'a> {
    pub(super) fn new(ir: &'a mut Ir, keep: Keep, hoist: bool, roots: &[NodeId]) -> Self {
        let mut uses = HashMap::new();
        for id in ir.reachable(roots) {
            for &a in ir.args(id) {
                *uses.entry(a).or_insert(0) += 1;
            }
        }
        Stager {
            ir,
            keep,
            hoist,
            uses,
            stages: HashMap::new(),
            built: HashMap::new(),
            products: HashMap::new(),
            staged: HashMap::new(),
            slots: HashMap::new(),
        }
    }

    /// Do several nodes of the body need this one?
    pub(super) fn is_shared(&self, id: NodeId) -> bool {
        self.uses.get(&id).is_some_and(|&n| n > 1)
    }

    /// How often a node changes.
    pub(super) fn stage(&mut self, id: NodeId) -> Stage {
        if let Some(&s) = self.stages.get(&id) {
            return s;
        }
        let stage = match self.ir.op(id) {
            Op::Var { category, .. } | Op::Index { category, .. } => match (category, self.keep) {
                (Category::Pm, _) => Stage::Param,
                (Category::Vi, Keep::I | Keep::None) | (Category::Vj, Keep::J) => Stage::Row,
                (Category::Vj, Keep::I | Keep::None) | (Category::Vi, Keep::J) => Stage::Col,
            },
            _ => {
                let mut stage = Stage::Const;
                for a in self.ir.args(id).to_vec() {
                    stage = stage.join(self.stage(a));
                }
                // With hoisting off, only variables are staged.
                if self.hoist || stage == Stage::Const { stage } else { Stage::Pair }
            }
        };
        self.stages.insert(id, stage);
        stage
    }

    /// The staged value of a node that does not change from pair to pair; constants stay what they are.
    pub(super) fn leaf(&mut self, id: NodeId) -> NodeId {
        // One number in every component is staged once.
        if let (Op::Broadcast, &[inner]) = (self.ir.op(id), self.ir.args(id)) {
            let (dim, inner) = (self.ir.dim(id).clone(), self.leaf(inner));
            return self.ir.broadcast(inner, dim);
        }
        // So is a vector that is repeated along an axis.
        if let (Op::Contract(axes), &[inner, ones]) = (self.ir.op(id).clone(), self.ir.args(id))
            && self.ir.const_value(ones).is_some()
            && self.ir.dim(inner) < self.ir.dim(id)
            && self.stage(id).space().is_some()
        {
            let axes = (*axes).clone();
            let inner = self.leaf(inner);
            return self.ir.contract(inner, ones, axes);
        }
        match self.stage(id).space() {
            Some(space) => {
                let slot = self.slot(space, id);
                let dim = self.ir.dim(id).clone();
                self.ir.staged(space, slot, dim)
            }
            None => id,
        }
    }

    /// The slot of a value, new or old.
    pub(super) fn slot(&mut self, space: Space, id: NodeId) -> usize {
        let slots = self.slots.entry(space).or_default();
        slots.iter().position(|&s| s == id).unwrap_or_else(|| {
            slots.push(id);
            slots.len() - 1
        })
    }

    /// A row or column expression with what depends on parameters only replaced by staged values.
    fn over_params(&mut self, id: NodeId) -> NodeId {
        if let Some(&known) = self.staged.get(&id) {
            return known;
        }
        let staged = self.newly_over_params(id);
        self.staged.insert(id, staged);
        staged
    }

    fn newly_over_params(&mut self, id: NodeId) -> NodeId {
        match self.stage(id) {
            Stage::Const => id,
            Stage::Param => self.leaf(id),
            _ => {
                let args: Vec<NodeId> = self.ir.args(id).to_vec();
                if args.is_empty() {
                    return id;
                }
                let args: Vec<NodeId> = args.into_iter().map(|a| self.over_params(a)).collect();
                self.ir.with_args(id, &args)
            }
        }
    }

    /// Collects the stages around a scheduled body.
    pub(super) fn finished(mut self, body: Body) -> Schedule {
        let mut stages = [Space::Row, Space::Col].map(|space| {
            let values = self.slots.get(&space).cloned().unwrap_or_default();
            values.into_iter().map(|id| self.over_params(id)).collect::<Vec<_>>()
        });
        let (row, col) = (std::mem::take(&mut stages[0]), std::mem::take(&mut stages[1]));
        let param = self.slots.remove(&Space::Param).unwrap_or_default();
        let Body { pair, dim, outer, acc, finish } = body;
        Schedule { param, row, col, pair, dim, outer, acc, finish }
    }
}
