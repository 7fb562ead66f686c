//! Derivatives as operations of formulas.

use super::vector::op;
use super::{Dims, Operation};
use crate::diff;
use crate::ir::{Dim, Ir, NodeId, Op};

pub(super) static OPERATIONS: &[Operation] = &[
    op(
        "Grad",
        "grad",
        &["F", "v", "e"],
        &[],
        Dims::Custom(|d, _| same(&d[0], &d[2], "e", "F").map(|()| d[1].clone())),
        "the transpose of the derivative of F by the variable v, applied to e",
        |ir, x, _| {
            variable(ir, x[1])?;
            diff::grad(ir, &[(x[0], x[2])], x[1])
        },
    ),
    op(
        "Diff",
        "diff",
        &["F", "v", "u"],
        &[],
        Dims::Custom(|d, _| same(&d[1], &d[2], "u", "v").map(|()| d[0].clone())),
        "the derivative of F by the variable v, applied to u",
        |ir, x, _| {
            variable(ir, x[1])?;
            diff::diff(ir, x[0], x[1], x[2])
        },
    ),
    op(
        "Divergence",
        "divergence",
        &["F", "v"],
        &[],
        Dims::Custom(|d, _| same(&d[0], &d[1], "v", "F").map(|()| Dim::ONE)),
        "Σ_k ∂F_k / ∂v_k",
        |ir, x, _| {
            variable(ir, x[1])?;
            divergence(ir, x[0], x[1])
        },
    ),
    op(
        "Laplacian",
        "laplacian",
        &["F", "v"],
        &[],
        Dims::Custom(|d, _| scalar(&d[0])),
        "Σ_k ∂²F / ∂v_k²",
        |ir, x, _| {
            variable(ir, x[1])?;
            let one = ir.constant(1.0);
            let gradient = diff::grad(ir, &[(x[0], one)], x[1])?;
            divergence(ir, gradient, x[1])
        },
    ),
    op(
        "GradMatrix",
        "grad_matrix",
        &["F", "v"],
        &[],
        Dims::Custom(|d, _| {
            Ok(Dim::Lit(d[0].known("there is a row for each component")? * d[1].known("rows are joined")?))
        }),
        "∂F_k / ∂v_l, row by row",
        |ir, x, _| {
            variable(ir, x[1])?;
            let n = ir.dim(x[0]).known("there is a row for each component")?;
            let one = ir.constant(1.0);
            let mut rows = Vec::with_capacity(n);
            for k in 0..n {
                let unit = ir.pad(one, k, 1, Dim::Lit(n));
                rows.push(diff::grad(ir, &[(x[0], unit)], x[1])?);
            }
            let mut all = rows[0];
            for &row in &rows[1..] {
                all = ir.concat(all, row)?;
            }
            Ok(all)
        },
    ),
    op(
        "Factorize",
        "factorize",
        &["f", "g"],
        &[],
        Dims::Custom(|d, _| Ok(d[0].clone())),
        "f (common sub-expressions are always evaluated once)",
        |_, x, _| Ok(x[0]),
    ),
    op(
        "AutoFactorize",
        "auto_factorize",
        &["f"],
        &[],
        Dims::Same,
        "f (common sub-expressions are always evaluated once)",
        |_, x, _| Ok(x[0]),
    ),
];

/// Derivatives are by variables.
pub(super) fn variable(ir: &Ir, v: NodeId) -> Result<(), String> {
    match ir.op(v) {
        Op::Var { .. } => Ok(()),
        _ => Err("derivatives are taken by a variable, but the second argument is an expression".into()),
    }
}

fn scalar(f: &Dim) -> Result<Dim, String> {
    if f.is_one() {
        Ok(Dim::ONE)
    } else {
        Err(format!("`F` must be one number (dimension 1), but its dimension is {f}"))
    }
}

pub(super) fn same(a: &Dim, b: &Dim, which: &str, like: &str) -> Result<(), String> {
    if a == b {
        return Ok(());
    }
    Err(format!("`{which}` must have the dimension of `{like}`, but they are {b} and {a}"))
}

pub(super) fn divergence(ir: &mut Ir, f: NodeId, v: NodeId) -> Result<NodeId, String> {
    let n = ir.dim(v).known("the components are differentiated one by one")?;
    let one = ir.constant(1.0);
    let mut sum = None;
    for k in 0..n {
        let unit = ir.pad(one, k, 1, Dim::Lit(n));
        let tangent = diff::diff(ir, f, v, unit)?;
        let entry = ir.slice(tangent, k, 1, 1);
        sum = Some(match sum {
            Some(s) => ir.add(s, entry),
            None => entry,
        });
    }
    Ok(sum.unwrap_or_else(|| ir.constant(0.0)))
}
