//! Derivatives: reverse mode ([`grad`]) and forward mode ([`diff`]) over the nodes of a graph.
//!
//! Both walk the nodes that depend on the variable and apply one rule per node: the partial derivatives of the table for
//! elementwise operations, and for the few operations on vectors the linear map or its transpose. The results are
//! ordinary nodes, so derivatives nest to any order. No node is made for derivatives that are zero for structural reasons.

mod forward;
mod reverse;
mod tape;

pub use forward::diff;
pub use reverse::grad;
pub use tape::{At, Seed, Tape};

use crate::ir::{Ir, NodeId};

/// Which of `order` depend on `v` (indexed by node).
fn dependents(ir: &Ir, order: &[NodeId], v: NodeId) -> Vec<bool> {
    let mut depends = vec![false; ir.len()];
    for &id in order {
        depends[id.index()] = id == v || ir.args(id).iter().any(|a| depends[a.index()]);
    }
    depends
}

#[cfg(test)]
mod tests {
    use crate::eval::{Inputs, eval};
    use crate::ir::{Category, Dim, Ir, NodeId};
    use crate::ops::{self, Literal};

    fn apply(ir: &mut Ir, name: &str, args: &[NodeId], lits: &[Literal]) -> NodeId {
        ops::find(name).unwrap().apply(ir, args, lits).unwrap()
    }

    /// Σ of the components of the gradient of `build` by its argument, at `x`, with seed 1.
    fn gradient(x: &[f64], build: &dyn Fn(&mut Ir, NodeId) -> NodeId) -> Vec<f64> {
        let mut ir = Ir::new();
        let v = ir.var(0, Category::Vi, Dim::Lit(x.len()));
        let f = build(&mut ir, v);
        let dim = ir.dim(f).clone();
        let one = ir.constant_vector(1.0, dim);
        let g = apply(&mut ir, "Grad", &[f, v, one], &[]);
        eval(&ir, &[g], &Inputs { variables: vec![x.to_vec()], ..Inputs::default() }).remove(0)
    }

    fn of(name: &'static str, x: f64) -> f64 {
        gradient(&[x], &|ir, v| apply(ir, name, &[v], &[]))[0]
    }

    #[test]
    fn conventions_at_special_points() {
        assert_eq!(of("Abs", 0.0), 0.0);
        assert_eq!(of("Sign", 0.0), 0.0);
        assert_eq!(of("ReLU", 0.0), 1.0);
        assert_eq!(of("Sqrt", 0.0), 0.0);
        assert_eq!(of("Rsqrt", 0.0), 0.0);
        assert_eq!(of("SinXDivX", 0.0), 0.0);
        assert_eq!(of("XLogX", 0.0), f64::NEG_INFINITY);
        assert_eq!(of("Asin", 1.0), 0.0);
        assert_eq!(of("Acos", -1.0), 0.0);
        assert_eq!(of("Norm2", 0.0), 0.0);
        assert_eq!(of("Normalize", 0.0), 0.0);
    }

    #[test]
    fn a_branch_not_taken_has_no_influence() {
        // x³ for x < 0, √x else: the square root of −1 and its derivative are NaN.
        let f = |ir: &mut Ir, x: NodeId| {
            let (root, cube) = (apply(ir, "Sqrt", &[x], &[]), apply(ir, "Pow", &[x], &[Literal::Int(3)]));
            apply(ir, "IfElse", &[x, root, cube], &[])
        };
        assert_eq!(gradient(&[-1.0], &f), [3.0]);
        assert_eq!(gradient(&[4.0], &f), [0.25]);
        // Through a norm, where the seeds of the components meet.
        let f = |ir: &mut Ir, x: NodeId| {
            let root = apply(ir, "Sqrt", &[x], &[]);
            let norm = apply(ir, "Norm2", &[root], &[]);
            apply(ir, "IfElse", &[x, norm, x], &[])
        };
        assert_eq!(gradient(&[-1.0], &f), [1.0]);
        // min(e^x, 1) with an overflowing e^x.
        let f = |ir: &mut Ir, x: NodeId| {
            let (e, zero, one) = (apply(ir, "Exp", &[x], &[]), ir.constant(0.0), ir.constant(1.0));
            apply(ir, "Clamp", &[e, zero, one], &[])
        };
        assert_eq!(gradient(&[2000.0], &f), [0.0]);
    }

    #[test]
    fn components_not_taken_have_no_influence() {
        let largest_log = |ir: &mut Ir, x: NodeId| {
            let log = apply(ir, "Log", &[x], &[]);
            apply(ir, "Max", &[log], &[])
        };
        assert_eq!(gradient(&[0.0, 2.0, -1.0], &largest_log), [0.0, 0.5, 0.0]);
        let second_root = |ir: &mut Ir, x: NodeId| {
            let root = apply(ir, "Log", &[x], &[]);
            apply(ir, "Elem", &[root], &[Literal::Int(1)])
        };
        assert_eq!(gradient(&[0.0, 4.0], &second_root), [0.0, 0.25]);
    }

    #[test]
    fn clamp_gives_a_bound_the_gradient_outside_and_the_value_inside() {
        let mut ir = Ir::new();
        let [f, a, b] = [0, 1, 2].map(|k| ir.var(k, Category::Vi, Dim::ONE));
        let clamp = apply(&mut ir, "Clamp", &[f, a, b], &[]);
        let one = ir.constant(1.0);
        let roots = [f, a, b].map(|v| apply(&mut ir, "Grad", &[clamp, v, one], &[]));
        let at = |x: [f64; 3]| -> Vec<f64> {
            let variables = x.iter().map(|&x| vec![x]).collect();
            eval(&ir, &roots, &Inputs { variables, ..Inputs::default() }).concat()
        };
        assert_eq!(at([0.5, 0.0, 1.0]), [1.0, 0.0, 0.0]);
        assert_eq!(at([0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]);
        assert_eq!(at([-2.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
        assert_eq!(at([3.0, 0.0, 1.0]), [0.0, 0.0, 1.0]);
        assert_eq!(at([3.0, 3.0, 3.0]), [1.0, 0.0, 0.0]);
        assert_eq!(at([3.0, 0.0, f64::INFINITY]), [1.0, 0.0, 0.0]);
    }

    /// div(x e^(−|x|²)) = (n − 2|x|²) e^(−|x|²), Δ e^(−|x|²) = (4|x|² − 2n) e^(−|x|²)
    #[test]
    fn divergence_and_laplacian_in_closed_form() {
        let mut ir = Ir::new();
        let x = ir.var(0, Category::Vi, Dim::Lit(3));
        let s = apply(&mut ir, "SqNorm2", &[x], &[]);
        let minus = ir.neg(s);
        let e = ir.map("Exp", &[minus]);
        let field = ir.mul(x, e);
        let roots = [apply(&mut ir, "Divergence", &[field, x], &[]), apply(&mut ir, "Laplacian", &[e, x], &[])];
        let point = vec![0.3, -0.7, 0.5];
        let q: f64 = point.iter().map(|v| v * v).sum();
        let got = eval(&ir, &roots, &Inputs { variables: vec![point], ..Inputs::default() });
        assert!((got[0][0] - (3.0 - 2.0 * q) * (-q).exp()).abs() < 1e-14);
        assert!((got[1][0] - (4.0 * q - 6.0) * (-q).exp()).abs() < 1e-14);
    }
}
