//! The scheduled form of what changes from pair to pair.

use super::product::{Factor, Product};
use super::stage::{Stage, Stager};
use crate::ir::{NodeId, Op};

impl Stager<'_> {
    /// The pair-stage form of a node: leaves are staged values. `exact`: computed as it is written.
    pub(super) fn build(&mut self, id: NodeId, exact: bool) -> NodeId {
        if self.stage(id) != Stage::Pair || (!self.hoist && matches!(self.ir.op(id), Op::Var { .. } | Op::Index { .. }))
        {
            return self.leaf(id);
        }
        let exact = exact || !self.hoist;
        if let Some(&built) = self.built.get(&(id, exact)) {
            return built;
        }
        let built = if exact { self.rebuilt(id, true) } else { self.regrouped(id) };
        self.built.insert((id, exact), built);
        built
    }

    /// The same operation on scheduled arguments.
    fn rebuilt(&mut self, id: NodeId, exact: bool) -> NodeId {
        let exact = exact
            || match self.ir.op(id) {
                Op::Map(m, _) => m.0.elementwise().is_some_and(|e| e.jumps),
                Op::Extreme { arg, .. } => *arg,
                _ => false,
            };
        let args: Vec<NodeId> = self.ir.args(id).to_vec();
        let args: Vec<NodeId> = args.into_iter().map(|a| self.build(a, exact)).collect();
        self.ir.with_args(id, &args)
    }

    fn regrouped(&mut self, id: NodeId) -> NodeId {
        if self.ir.map_name(id) == Some("Exp") {
            return self.exponential(id);
        }
        let p = self.factored(id);
        if p.single() == Some(id) {
            return self.rebuilt(id, false);
        }
        let dim = self.ir.dim(id).clone();
        let value = match self.scaled_dot(&p) {
            Some(dot) => dot,
            None => self.assembled(p),
        };
        self.ir.broadcast(value, dim)
    }

    /// `Exp(c · q)` with staged `c` is `2^(q · c log₂ e)`, the constant being part of what is staged.
    fn exponential(&mut self, id: NodeId) -> NodeId {
        let arg = self.ir.args(id)[0];
        let Product { coefficient, factors } = self.factored(arg);
        let (pair, staged): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|f| self.stage(f.node) == Stage::Pair);
        if pair.is_empty() || (coefficient == 1.0 && staged.is_empty()) {
            return self.rebuilt(id, false);
        }
        let q = self.assembled(Product { coefficient: 1.0, factors: pair });
        let c = self.staged_product(coefficient * std::f64::consts::LOG2_E, &staged);
        let power = self.ir.map("Exp2Mul", &[q, c]);
        let dim = self.ir.dim(id).clone();
        self.ir.broadcast(power, dim)
    }

    /// The product of staged factors: one staged value if they are of one stage, else one multiplication of two.
    fn staged_product(&mut self, coefficient: f64, factors: &[Factor]) -> NodeId {
        let (col, row): (Vec<Factor>, Vec<Factor>) = factors.iter().partition(|f| self.stage(f.node) == Stage::Col);
        let groups = if row.iter().any(|f| self.stage(f.node) == Stage::Row) || col.is_empty() {
            [(coefficient, row), (1.0, col)]
        } else {
            // Parameters join the columns.
            [(coefficient, [row, col].concat()), (1.0, vec![])]
        };
        let mut product = None;
        for (c, factors) in groups {
            if c == 1.0 && factors.is_empty() {
                continue;
            }
            let node = self.node_of(c, &factors);
            let leaf = self.leaf(node);
            product = Some(match product {
                Some(p) => self.ir.mul(p, leaf),
                None => leaf,
            });
        }
        product.unwrap_or_else(|| self.ir.constant(1.0))
    }

    /// A staged number times a scalar product of a row vector and a column vector: the number joins a vector.
    fn scaled_dot(&mut self, p: &Product) -> Option<NodeId> {
        let (pair, numbers) = p.clone().split(|f| self.stage(f.node) == Stage::Pair);
        let &[Factor { node: dot, inverse: false }] = &pair[..] else { return None };
        let one_number = numbers.iter().all(|f| self.ir.dim(f.node).is_one());
        if *self.ir.op(dot) != Op::Sum || self.is_shared(dot) || !one_number {
            return None;
        }
        let inner = self.factored(self.ir.args(dot)[0]);
        let stages: Vec<Stage> = inner.factors.iter().map(|f| self.stage(f.node)).collect();
        if stages.contains(&Stage::Pair) || !stages.contains(&Stage::Row) || !stages.contains(&Stage::Col) {
            return None;
        }
        let coefficient = p.coefficient * inner.coefficient;
        let (col, row): (Vec<Factor>, Vec<Factor>) =
            inner.factors.into_iter().chain(numbers).partition(|f| self.stage(f.node) == Stage::Col);
        let (row, col) = (self.node_of(coefficient, &row), self.node_of(1.0, &col));
        let (row, col) = (self.leaf(row), self.leaf(col));
        let terms = self.ir.mul(row, col);
        Some(self.ir.sum(terms))
    }

    /// A product with its numbers multiplied before its vectors, and staged factors of one stage multiplied beforehand.
    pub(super) fn assembled(&mut self, p: Product) -> NodeId {
        let (scalar, vector) = self.assembled_parts(p);
        match (scalar, vector) {
            (Some(s), Some(v)) if self.ir.const_value(s) == Some(-1.0) => self.ir.neg(v),
            (Some(s), Some(v)) => self.ir.mul(s, v),
            (Some(s), None) => s,
            (None, Some(v)) => v,
            (None, None) => self.ir.constant(1.0),
        }
    }

    /// The numbers and the vectors of a product, in scheduled form.
    pub(super) fn assembled_parts(&mut self, p: Product) -> (Option<NodeId>, Option<NodeId>) {
        let Product { coefficient, factors } = p;
        let (mut numbers, mut vectors): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|f| self.ir.dim(f.node).is_one());
        // Numbers of the one stage that also has a vector cost nothing there, if there is nothing else to multiply them with.
        let mut coefficient = coefficient;
        if !vectors.is_empty() && !numbers.iter().any(|f| self.stage(f.node) == Stage::Pair) {
            for stage in [Stage::Row, Stage::Col] {
                let fits = |s: Stage| s == stage || s == Stage::Param;
                let has_vector = vectors.iter().any(|f| self.stage(f.node) == stage);
                let all_fit = numbers.iter().all(|f| fits(self.stage(f.node)));
                if has_vector && all_fit && (coefficient != 1.0 || !numbers.is_empty()) {
                    let (own, others): (Vec<Factor>, Vec<Factor>) =
                        vectors.iter().partition(|f| self.stage(f.node) == stage);
                    let joined: Vec<Factor> = numbers.drain(..).chain(own).collect();
                    let node = self.node_of(coefficient, &joined);
                    coefficient = 1.0;
                    vectors = others;
                    vectors.push(Factor { node, inverse: false });
                }
            }
        }
        (self.assembled_group(coefficient, &numbers), self.assembled_group(1.0, &vectors))
    }

    /// Factors of one width.
    fn assembled_group(&mut self, coefficient: f64, factors: &[Factor]) -> Option<NodeId> {
        let (pair, staged): (Vec<Factor>, Vec<Factor>) =
            factors.iter().partition(|f| self.stage(f.node) == Stage::Pair);
        let mut sides = [Vec::new(), Vec::new()];
        for f in pair {
            let built = self.build(f.node, false);
            sides[usize::from(f.inverse)].push(built);
        }
        let negative = coefficient == -1.0 && staged.is_empty() && !(sides[0].is_empty() && sides[1].is_empty());
        if !negative && (coefficient != 1.0 || !staged.is_empty()) {
            let c = self.staged_product(coefficient, &staged);
            sides[0].insert(0, c);
        }
        let [above, below] = sides.map(|side| side.into_iter().reduce(|a, b| self.ir.mul(a, b)));
        let value = match (above, below) {
            (above, None) => above,
            (Some(a), Some(b)) => Some(self.ir.div(a, b)),
            (None, Some(b)) => Some(self.ir.map("Inv", &[b])),
        };
        if negative { value.map(|v| self.ir.neg(v)) } else { value }
    }
}
