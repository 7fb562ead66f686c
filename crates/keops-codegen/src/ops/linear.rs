//! Linear maps, written as formulas that are linear in a variable: trace, transpose and sum of their matrices.

use super::calculus::{divergence, same, variable};
use super::vector::op;
use super::{Dims, Operation};
use crate::diff;
use crate::ir::{Dim, Ir, NodeId, Op};

pub(super) static OPERATIONS: &[Operation] = &[
    op(
        "TraceOperator",
        "trace_operator",
        &["L", "v"],
        &[],
        Dims::Custom(|d, _| if d[0].is_one() { Ok(Dim::ONE) } else { same(&d[1], &d[0], "L", "v").map(|()| Dim::ONE) }),
        "the trace of the matrix of L, which is linear in the variable v; a single number L = Σ_k m_k v_k gives Σ_k m_k; with weights w it is TraceOperator(w · L, v)",
        |ir, x, _| {
            linear(ir, x[0], x[1])?;
            if ir.dim(x[0]).is_one() { at_ones(ir, x[0], x[1]) } else { divergence(ir, x[0], x[1]) }
        },
    ),
    op(
        "AdjointOperator",
        "adjoint_operator",
        &["L", "v", "u"],
        &[],
        Dims::Custom(|d, _| same(&d[0], &d[2], "u", "L").map(|()| d[1].clone())),
        "the transpose of the matrix of L, which is linear in the variable v, applied to u",
        |ir, x, _| {
            linear(ir, x[0], x[1])?;
            diff::grad(ir, &[(x[0], x[2])], x[1])
        },
    ),
    op(
        "SumLinOperator",
        "sum_lin_operator",
        &["L", "v"],
        &[],
        Dims::ToScalar,
        "the sum of all entries of the matrix of L, which is linear in the variable v; with weights it is Scalprod(a, Diff(L, v, b))",
        |ir, x, _| {
            linear(ir, x[0], x[1])?;
            let rows = at_ones(ir, x[0], x[1])?;
            Ok(ir.sum(rows))
        },
    ),
];

/// L at v = (1, …, 1).
fn at_ones(ir: &mut Ir, f: NodeId, v: NodeId) -> Result<NodeId, String> {
    let dim = ir.dim(v).clone();
    let ones = ir.constant_vector(1.0, dim);
    diff::diff(ir, f, v, ones)
}

/// How a value depends on the variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Degree {
    /// It is 0.
    Zero,
    /// It does not.
    Constant,
    /// Linearly.
    Linear,
}

/// Is `f` linear in `v`, whatever the other variables are? A product of two values that depend on `v` is not, nor is a sum
/// of one that does and one that does not, even where the values would happen to make it so.
fn linear(ir: &Ir, f: NodeId, v: NodeId) -> Result<(), String> {
    variable(ir, v)?;
    let order = ir.reachable(&[f]);
    let mut degrees = vec![Degree::Constant; ir.len()];
    for &id in &order {
        let of: Vec<Degree> = ir.args(id).iter().map(|a| degrees[a.index()]).collect();
        degrees[id.index()] = if id == v { Degree::Linear } else { degree(ir, id, &of)? };
    }
    match degrees[f.index()] {
        Degree::Constant => Err("`L` does not depend on the variable `v`, so it is not linear in it".into()),
        Degree::Zero | Degree::Linear => Ok(()),
    }
}

fn degree(ir: &Ir, id: NodeId, of: &[Degree]) -> Result<Degree, String> {
    use Degree::{Constant, Linear, Zero};
    if !of.contains(&Linear) {
        let is_zero = ir.const_value(id) == Some(0.0)
            || (matches!(ir.op(id), Op::Broadcast | Op::Pad { .. } | Op::Slice { .. } | Op::Sum) && of == [Zero]);
        return Ok(if is_zero { Zero } else { Constant });
    }
    let nonlinear = |name: &str| {
        Err(format!(
            "`L` must be linear in the variable `v`, but it contains `{name}` of something that depends on `v`"
        ))
    };
    let affine = |parts: &[Degree]| {
        if parts.contains(&Constant) {
            return Err("`L` must be linear in the variable `v`, but it adds (or joins) something that depends on `v` and something that does not".to_string());
        }
        Ok(Linear)
    };
    match ir.op(id) {
        Op::Sum | Op::Broadcast | Op::Slice { .. } | Op::Pad { .. } => Ok(Linear),
        Op::Concat => affine(of),
        Op::Contract(_) => product(of),
        Op::Map(op, int) => match (op.0.name, *int) {
            ("Add" | "Subtract", _) => affine(of),
            ("Minus", _) | ("Pow", 1) => Ok(Linear),
            ("Mult", _) => product(of),
            ("Divide", _) if of[1] != Linear => Ok(Linear),
            ("Where", _) if of[0] != Linear => affine(&of[1..]),
            (name, _) => nonlinear(name),
        },
        Op::Extreme { .. } => nonlinear("a largest or smallest component"),
        _ => nonlinear("an operation"),
    }
}

fn product(of: &[Degree]) -> Result<Degree, String> {
    if of.iter().all(|d| *d == Degree::Linear) {
        return Err(
            "`L` must be linear in the variable `v`, but it contains a product of two things that depend on `v`".into(),
        );
    }
    Ok(Degree::Linear)
}

#[cfg(test)]
mod tests {
    use crate::eval::{Inputs, eval};
    use crate::ir::{Category, Dim, Ir, NodeId};
    use crate::ops::find;

    fn apply(ir: &mut Ir, name: &str, args: &[NodeId]) -> Result<NodeId, String> {
        find(name).unwrap().apply(ir, args, &[])
    }

    /// A 3 × 3 matrix A, a vector v and a vector u.
    fn graph() -> (Ir, NodeId, NodeId, NodeId) {
        let mut ir = Ir::new();
        let a = ir.var(0, Category::Vi, Dim::Lit(9));
        let (v, u) = (ir.var(1, Category::Vj, Dim::Lit(3)), ir.var(2, Category::Vj, Dim::Lit(3)));
        (ir, a, v, u)
    }

    #[test]
    fn a_matrix_has_its_trace_its_transpose_and_its_sum() {
        let (mut ir, a, v, u) = graph();
        let l = apply(&mut ir, "MatVecMult", &[a, v]).unwrap();
        let roots = [
            apply(&mut ir, "TraceOperator", &[l, v]).unwrap(),
            apply(&mut ir, "AdjointOperator", &[l, v, u]).unwrap(),
            apply(&mut ir, "SumLinOperator", &[l, v]).unwrap(),
        ];
        let variables = vec![(1..10).map(f64::from).collect(), vec![0.0; 3], vec![1.0, 0.0, 2.0]];
        let got = eval(&ir, &roots, &Inputs { variables, ..Inputs::default() });
        assert_eq!(got, [vec![15.0], vec![15.0, 18.0, 21.0], vec![45.0]]);
    }

    #[test]
    fn one_number_is_the_sum_of_its_coefficients() {
        let (mut ir, _, v, u) = graph();
        let l = apply(&mut ir, "Scalprod", &[u, v]).unwrap();
        let trace = apply(&mut ir, "TraceOperator", &[l, v]).unwrap();
        let variables = vec![vec![0.0; 9], vec![9.0; 3], vec![1.0, 0.5, 2.0]];
        assert_eq!(eval(&ir, &[trace], &Inputs { variables, ..Inputs::default() }), [[3.5]]);
    }

    #[test]
    fn what_is_not_linear_is_refused() {
        let (mut ir, _, v, u) = graph();
        let mut refused = |build: &dyn Fn(&mut Ir) -> NodeId| {
            let l = build(&mut ir);
            apply(&mut ir, "TraceOperator", &[l, v]).unwrap_err()
        };
        let exp = refused(&|ir| {
            let e = ir.map("Exp", &[v]);
            ir.mul(v, e)
        });
        assert_eq!(
            exp,
            "TraceOperator: `L` must be linear in the variable `v`, but it contains `Exp` of something that depends on `v`"
        );
        assert!(refused(&|ir| ir.div(v, v)).contains("`Divide`"));
        assert!(refused(&|ir| ir.add(v, u)).contains("it adds"));
        assert!(
            refused(&|ir| {
                let product = ir.mul(u, v);
                ir.mul(product, v)
            })
            .contains("product of two things")
        );
        assert!(refused(&|_| u).contains("does not depend"));
    }
}
