//! The stage schedule: what is computed how often.
//!
//! The graph of a reduction body is split by how often a value changes: once per call (parameters), once per row (the
//! index that is kept), once per column (the index that is reduced), and only the rest for every pair. Factors of a sum
//! that do not depend on the column leave the sum. Exponents get their constant factor, times log₂ e, from a staged
//! value. See [`Schedule`] for the result and the sub-modules for the rules.
//!
//! Products are regrouped, which changes roundings, and for infinite factors also which of NaN and infinity comes out;
//! both are inherent in evaluating a product in another order. Sums are never regrouped: their order decides about
//! cancellation. Arguments of operations that jump (comparisons, rounding) are computed exactly as they are written.

mod pair;
mod product;
mod root;
mod stage;

use crate::ir::{Dim, Ir, NodeId};
use stage::Stager;

/// Which index a reduction keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Rows are i.
    I,
    /// Rows are j.
    J,
    /// Rows are i, and the finished rows are summed.
    None,
}

/// How a reduction uses its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Σ of the body.
    Sum,
    /// Σ of exponentials of the body (one number), with or without weights.
    Exponential,
    /// Smallest or largest values of each component.
    Select,
}

/// One delivery of the pair stage: `left` (· `right`), components at `at` and following.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Position of the first component.
    pub at: usize,
    /// A value, or the first factor.
    pub left: NodeId,
    /// The second factor of a product that the sum may fuse.
    pub right: Option<NodeId>,
}

/// The stages of one body. Leaves are variables in `param`, `row` and `col`, and staged values everywhere.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Values staged once per call, by slot.
    pub param: Vec<NodeId>,
    /// Values staged once per row, by slot.
    pub row: Vec<NodeId>,
    /// Values staged once per column, by slot.
    pub col: Vec<NodeId>,
    /// What the pair stage delivers.
    pub pair: Vec<Delivery>,
    /// Number of values that the pair stage delivers.
    pub dim: Dim,
    /// Slot of the column vector that multiplies pair value 0, or that is the weight.
    pub outer: Option<usize>,
    /// Number of accumulated values.
    pub acc: Dim,
    /// The result of a row, from the accumulated values (slot 0 of [`Space::Acc`](crate::ir::Space::Acc)).
    pub finish: NodeId,
}

/// A body to schedule.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// The formula.
    pub root: NodeId,
    /// Weights of an exponential reduction.
    pub weights: Option<NodeId>,
    /// How it is reduced.
    pub kind: Kind,
    /// Which index is kept.
    pub keep: Keep,
    /// Off (for tests): variables are staged as they are and everything else is computed for every pair.
    pub hoist: bool,
}

/// Schedules one body.
pub fn schedule(ir: &mut Ir, task: Task) -> Result<Schedule, String> {
    let mut roots = vec![task.root];
    roots.extend(task.weights);
    let mut stager = Stager::new(ir, task.keep, task.hoist, &roots);
    let body = match task.kind {
        Kind::Sum => root::sum(&mut stager, task.root),
        Kind::Exponential => root::exponential(&mut stager, task.root, task.weights)?,
        Kind::Select => root::select(&mut stager, task.root),
    };
    Ok(stager.finished(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Category;
    use crate::ops;

    /// A graph with x (rows), y (columns) of dimension 3, numbers a (rows), b (columns), p (parameter).
    struct Graph {
        ir: Ir,
        x: NodeId,
        y: NodeId,
        a: NodeId,
        b: NodeId,
        p: NodeId,
    }

    impl Graph {
        fn new() -> Self {
            let mut ir = Ir::new();
            let mut var = |k, category, n| ir.var(k, category, Dim::Lit(n));
            let (x, y) = (var(0, Category::Vi, 3), var(1, Category::Vj, 3));
            let (a, b, p) = (var(2, Category::Vi, 1), var(3, Category::Vj, 1), var(4, Category::Pm, 1));
            Graph { ir, x, y, a, b, p }
        }
        fn op(&mut self, name: &str, args: &[NodeId]) -> NodeId {
            ops::find(name).unwrap().apply(&mut self.ir, args, &[]).unwrap()
        }
        fn schedule(&mut self, root: NodeId, kind: Kind) -> Schedule {
            schedule(&mut self.ir, Task { root, weights: None, kind, keep: Keep::I, hoist: true }).unwrap()
        }
        fn pair(&self, s: &Schedule) -> String {
            let d = s.pair[0];
            let roots: Vec<NodeId> = [Some(d.left), d.right].into_iter().flatten().collect();
            self.ir.text(&roots)
        }
    }

    #[test]
    fn row_factors_leave_the_sum_and_column_factors_are_the_outer_vector() {
        let mut g = Graph::new();
        let (d, ab) = (g.op("SqDist", &[g.x, g.y]), g.ir.mul(g.a, g.b));
        let root = g.ir.mul(ab, d);
        let s = g.schedule(root, Kind::Sum);
        assert_eq!(
            g.pair(&s),
            "%0 = row[0](3); %1 = col[0](3); %2 = Subtract(%0, %1); %3 = Square(%2); %4 = Sum(%3); return %4"
        );
        assert_eq!(g.ir.text(&[s.finish]), "%0 = acc[0](1); %1 = row[1](1); %2 = Mult(%0, %1); return %2");
        assert_eq!(s.outer.map(|k| s.col[k]), Some(g.b));
    }

    #[test]
    fn a_row_vector_leaves_the_sum_too() {
        let mut g = Graph::new();
        let dot = g.op("Scalprod", &[g.x, g.y]);
        let root = g.ir.mul(dot, g.x);
        let s = g.schedule(root, Kind::Sum);
        assert_eq!((s.dim, s.acc), (Dim::ONE, Dim::ONE));
        assert_eq!(*g.ir.dim(s.finish), Dim::Lit(3));
    }

    #[test]
    fn common_factors_of_terms_leave_together() {
        let mut g = Graph::new();
        let (d, dot) = (g.op("SqDist", &[g.x, g.y]), g.op("Scalprod", &[g.x, g.y]));
        let (left, right) = (g.ir.mul(g.a, d), g.ir.mul(dot, g.a));
        let root = g.ir.add(left, right);
        let s = g.schedule(root, Kind::Sum);
        assert!(g.ir.text(&[s.finish]).contains("Mult(%0, %1)"));
        assert!(!g.pair(&s).contains("Mult(%5"), "{}", g.pair(&s));
        assert_eq!(s.row.len(), 2);
    }

    #[test]
    fn exponents_take_their_factor_from_the_staged_values() {
        let mut g = Graph::new();
        let d = g.op("SqDist", &[g.x, g.y]);
        let q = g.ir.div(d, g.p);
        let q = g.ir.neg(q);
        let root = g.ir.map("Exp", &[q]);
        let s = g.schedule(root, Kind::Sum);
        assert!(g.pair(&s).ends_with("%5 = param[0](1); %6 = Exp2Mul(%4, %5); return %6"), "{}", g.pair(&s));
        // −log₂ e / p, once per call.
        let c = -std::f64::consts::LOG2_E;
        assert_eq!(g.ir.text(&s.param), format!("%0 = Const({c:?}, 1); %1 = Pm(4, 1); %2 = Divide(%0, %1); return %2"));
    }

    #[test]
    fn a_factor_of_a_scalar_product_joins_the_row_vector() {
        let mut g = Graph::new();
        let dot = g.op("Scalprod", &[g.x, g.y]);
        let root = g.ir.mul(g.p, dot);
        let s = g.schedule(root, Kind::Exponential);
        assert_eq!(g.pair(&s), "%0 = row[0](3); %1 = col[0](3); %2 = Mult(%0, %1); %3 = Sum(%2); return %3");
        assert_eq!(g.ir.text(&s.row), "%0 = Vi(0, 3); %1 = param[0](1); %2 = Mult(%0, %1); return %2");
    }

    #[test]
    fn distances_are_never_scaled() {
        let mut g = Graph::new();
        let d = g.op("SqDist", &[g.x, g.y]);
        let root = g.ir.mul(g.p, d);
        let s = g.schedule(root, Kind::Exponential);
        assert_eq!(g.ir.text(&s.row), "%0 = Vi(0, 3); return %0");
    }

    #[test]
    fn quotients_by_staged_values_become_products_unless_the_result_jumps() {
        let mut g = Graph::new();
        let d = g.op("SqDist", &[g.x, g.y]);
        let q = g.ir.div(d, g.p);
        let floor = g.ir.map("Floor", &[q]);
        let (smooth, jumping) = (g.schedule(q, Kind::Select), g.schedule(floor, Kind::Select));
        assert!(!g.pair(&smooth).contains("Divide"), "{}", g.pair(&smooth));
        assert!(g.pair(&jumping).contains("Divide"), "{}", g.pair(&jumping));
    }

    #[test]
    fn column_weights_are_the_outer_vector() {
        let mut g = Graph::new();
        let dot = g.op("Scalprod", &[g.x, g.y]);
        let mut of = |weights: NodeId| {
            let task = Task { root: dot, weights: Some(weights), kind: Kind::Exponential, keep: Keep::I, hoist: true };
            let s = schedule(&mut g.ir, task).unwrap();
            (s.outer.is_some(), s.dim.clone(), s.acc.clone())
        };
        assert_eq!(of(g.y), (true, Dim::ONE, Dim::Lit(3)));
        assert_eq!(of(g.x), (false, Dim::Lit(4), Dim::Lit(3)));
        assert_eq!(of(g.p), (true, Dim::ONE, Dim::ONE));
    }
}
