//! A plain evaluator in `f64` for one pair: the reference that derivatives, simplification and schedule are tested against.

use crate::ir::{Axes, CARRY, Category, Dim, Ir, NodeId, Op, Space};
use crate::ops::alignment;
use std::collections::HashMap;
use std::rc::Rc;

/// What the leaves of a graph stand for.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Each variable, by position.
    pub variables: Vec<Vec<f64>>,
    /// The row numbers i and j.
    pub rows: (u64, u64),
    /// Staged values, by space and slot.
    pub staged: HashMap<(Space, usize), Vec<f64>>,
    /// Values of const generic parameters.
    pub params: HashMap<Rc<str>, usize>,
}

/// The values of `roots`. A leaf that has no value in `inputs` is NaN.
pub fn eval(ir: &Ir, roots: &[NodeId], inputs: &Inputs) -> Vec<Vec<f64>> {
    let mut values: HashMap<NodeId, Vec<f64>> = HashMap::new();
    for id in ir.reachable(roots) {
        let v = eval_node(ir, id, &values, inputs);
        values.insert(id, v);
    }
    roots.iter().map(|r| values[r].clone()).collect()
}

fn eval_node(ir: &Ir, id: NodeId, values: &HashMap<NodeId, Vec<f64>>, inputs: &Inputs) -> Vec<f64> {
    let node = ir.node(id);
    let len = match &node.dim {
        Dim::Lit(n) => *n,
        Dim::Param(p) => inputs.params.get(p).copied().unwrap_or(0),
    };
    let arg = |k: usize| values[&node.args[k]].as_slice();
    // A component, broadcast if there is only one.
    let at = |k: usize, c: usize| if arg(k).len() == 1 { arg(k)[0] } else { arg(k)[c] };
    let missing = || vec![f64::NAN; len];
    match &node.op {
        Op::Var { position, .. } => inputs.variables.get(*position).cloned().unwrap_or_else(missing),
        Op::Staged { space, slot } => inputs.staged.get(&(*space, *slot)).cloned().unwrap_or_else(missing),
        Op::Const(b) => vec![b.value(); len],
        Op::Index { category, high } => {
            let row = if *category == Category::Vj { inputs.rows.1 } else { inputs.rows.0 } as f64;
            let multiple = (row / CARRY).floor();
            vec![if *high { multiple } else { row - multiple * CARRY }]
        }
        Op::Iota => (0..len).map(|k| k as f64).collect(),
        Op::Map(m, int) => {
            let Some(e) = m.0.elementwise() else { return missing() };
            (0..len)
                .map(|c| {
                    let x: Vec<f64> = (0..node.args.len()).map(|k| at(k, c)).collect();
                    (e.eval)(&x, *int)
                })
                .collect()
        }
        Op::Sum => vec![arg(0).iter().sum()],
        Op::Broadcast => vec![arg(0)[0]; len],
        Op::Slice { start, step } => (0..len).map(|c| arg(0)[start + step * c]).collect(),
        Op::Pad { start, step } => {
            let mut out = vec![0.0; len];
            for (c, v) in arg(0).iter().enumerate() {
                out[start + step * c] = *v;
            }
            out
        }
        Op::Concat => [arg(0), arg(1)].concat(),
        Op::Recurrence { lags, reverse } => {
            let mut y = arg(0).to_vec();
            for step in 0..len {
                let k = if *reverse { len - 1 - step } else { step };
                for (r, &lag) in lags.iter().enumerate() {
                    if *reverse && k + lag < len {
                        y[k] += at(r + 1, k + lag) * y[k + lag];
                    } else if !*reverse && k >= lag {
                        y[k] += at(r + 1, k) * y[k - lag];
                    }
                }
            }
            y
        }
        Op::Alignment { width } => {
            let mut y: Vec<f64> = Vec::with_capacity(len);
            for k in 0..len {
                let before = alignment::before(k, *width).map(|p| p.map_or(f64::INFINITY, |p| y[p]));
                let least = if k == 0 { 0.0 } else { alignment::soft_least(&before, arg(1)[0]) };
                y.push(at(0, k) + least);
            }
            y
        }
        Op::Contract(axes) => contract(axes, arg(0), arg(1)),
        Op::Extreme { max, arg: want_position } => {
            let x = arg(0);
            let mut best = 0;
            for (k, v) in x.iter().enumerate() {
                let better = if *max { *v > x[best] } else { *v < x[best] };
                if better || (x[best].is_nan() && !v.is_nan()) {
                    best = k;
                }
            }
            vec![if *want_position { best as f64 } else { x[best] }]
        }
    }
}

fn contract(axes: &Axes, f: &[f64], g: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; axes.len_of(&axes.out)];
    for (o, l, r) in axes.terms() {
        out[o] += f[l] * g[r];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{self, Literal};

    fn value(op: &str, args: &[&[f64]], lits: &[Literal]) -> Vec<f64> {
        let mut ir = Ir::new();
        let nodes: Vec<NodeId> =
            args.iter().enumerate().map(|(k, a)| ir.var(k, Category::Vi, Dim::Lit(a.len()))).collect();
        let root = ops::find(op).unwrap().apply(&mut ir, &nodes, lits).unwrap();
        let inputs = Inputs { variables: args.iter().map(|a| a.to_vec()).collect(), ..Inputs::default() };
        eval(&ir, &[root], &inputs).remove(0)
    }

    #[test]
    fn tensors_follow_numpy() {
        // numpy: A = [[1,2,3],[4,5,6]]; A @ [1,0,2]; [1,2] @ A
        let a: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(value("MatVecMult", &[a, &[1.0, 0.0, 2.0]], &[]), [7.0, 16.0]);
        assert_eq!(value("VecMatMult", &[&[1.0, 2.0], a], &[]), [9.0, 12.0, 15.0]);
        assert_eq!(value("TensorProd", &[&[1.0, 2.0], &[3.0, 4.0]], &[]), [3.0, 4.0, 6.0, 8.0]);
        // numpy.kron([[1,2]], [[3],[4]])
        let (f, g) = (Literal::List(vec![1, 2]), Literal::List(vec![2, 1]));
        assert_eq!(value("Kron", &[&[1.0, 2.0], &[3.0, 4.0]], &[f, g]), [3.0, 6.0, 4.0, 8.0]);
    }

    #[test]
    fn extremal_components_ignore_nan_and_take_the_first() {
        let x: &[f64] = &[f64::NAN, 2.0, 7.0, 7.0];
        assert_eq!(value("Max", &[x], &[]), [7.0]);
        assert_eq!(value("ArgMax", &[x], &[]), [2.0]);
        assert_eq!(value("ArgMin", &[x], &[]), [1.0]);
        assert!(value("Max", &[&[f64::NAN, f64::NAN]], &[])[0].is_nan());
    }

    #[test]
    fn one_hot_rounds_and_leaves_out_what_is_out_of_range() {
        let row = |v: f64| value("OneHot", &[&[v]], &[Literal::Int(3)]);
        assert_eq!(row(-0.3), [1.0, 0.0, 0.0]);
        assert_eq!(row(1.5), [0.0, 0.0, 1.0]);
        assert_eq!(row(-1.0), [0.0; 3]);
        assert_eq!(row(3.0), [0.0; 3]);
    }
}
