//! Matrices and tensors, read row by row from vectors.

use super::vector::op;
use super::{Dims, Literal, LiteralKind, Operation};
use crate::ir::{Axes, Dim, Ir, NodeId};

use LiteralKind::List;

pub(super) static OPERATIONS: &[Operation] = &[
    op(
        "MatVecMult",
        "matvecmult",
        &["a", "f"],
        &[],
        Dims::Custom(|d, _| rows(&d[0], &d[1]).map(Dim::Lit)),
        "Σ_k a_lk f_k, a row by row",
        |ir, x, _| {
            let (n, p) = (rows(ir.dim(x[0]), ir.dim(x[1]))?, length(ir, x[1])?);
            Ok(ir.contract(x[0], x[1], Axes { sizes: vec![n, p], left: vec![0, 1], right: vec![1], out: vec![0] }))
        },
    ),
    op(
        "VecMatMult",
        "vecmatmult",
        &["f", "a"],
        &[],
        Dims::Custom(|d, _| rows(&d[1], &d[0]).map(Dim::Lit)),
        "Σ_k f_k a_kl, a row by row",
        |ir, x, _| {
            let (p, n) = (rows(ir.dim(x[1]), ir.dim(x[0]))?, length(ir, x[0])?);
            Ok(ir.contract(x[0], x[1], Axes { sizes: vec![n, p], left: vec![0], right: vec![0, 1], out: vec![1] }))
        },
    ),
    op(
        "TensorProd",
        "tensorprod",
        &["f", "g"],
        &[],
        Dims::Custom(|d, _| Ok(Dim::Lit(d[0].known("it is multiplied")? * d[1].known("it is multiplied")?))),
        "f_k g_l, row by row",
        |ir, x, _| {
            let (n, m) = (length(ir, x[0])?, length(ir, x[1])?);
            Ok(ir.contract(x[0], x[1], Axes { sizes: vec![n, m], left: vec![0], right: vec![1], out: vec![0, 1] }))
        },
    ),
    Operation {
        optional: 1,
        ..op(
            "TensorDot",
            "keops_tensordot",
            &["f", "g"],
            &[List, List, List, List, List],
            Dims::Free,
            "Σ over the axes contf of f and contg of g (shapes dimsf, dimsg); kept axes: those of f, then those of g, axis a at position permute[a]",
            |ir, x, lits| {
                let lists: Vec<Vec<usize>> = (0..lits.len()).map(|k| list(lits, k)).collect::<Result<_, _>>()?;
                let permute = lists.get(4).map(Vec::as_slice);
                tensor_dot(ir, x, [&lists[0], &lists[1], &lists[2], &lists[3]], permute)
            },
        )
    },
    op(
        "Kron",
        "keops_kron",
        &["f", "g"],
        &[List, List],
        Dims::Free,
        "Kronecker product of tensors of shapes dimsf and dimsg",
        |ir, x, lits| {
            let (f, g) = (list(lits, 0)?, list(lits, 1)?);
            if f.len() != g.len() {
                return Err(format!(
                    "both shapes must have the same number of axes, but they have {} and {}",
                    f.len(),
                    g.len()
                ));
            }
            let permute: Vec<usize> = (0..f.len()).map(|a| 2 * a).chain((0..f.len()).map(|a| 2 * a + 1)).collect();
            tensor_dot(ir, x, [&f, &g, &[], &[]], Some(&permute))
        },
    ),
];

/// Rows of the matrix `a` whose rows are as long as `f`.
fn rows(a: &Dim, f: &Dim) -> Result<usize, String> {
    let (n, p) = (a.known("it is a matrix")?, f.known("it is multiplied by a matrix")?);
    if p == 0 || n % p != 0 {
        return Err(format!(
            "the dimension of the matrix must be a multiple of the vector's, but they are {n} and {p}"
        ));
    }
    Ok(n / p)
}

fn length(ir: &Ir, f: NodeId) -> Result<usize, String> {
    ir.dim(f).known("it is multiplied")
}

fn list(lits: &[Literal], k: usize) -> Result<Vec<usize>, String> {
    match lits.get(k) {
        Some(Literal::List(v)) => {
            v.iter().map(|&n| usize::try_from(n).map_err(|_| format!("lists must not contain {n}"))).collect()
        }
        _ => Err("a list of integers such as `[2, 3]` is needed here".into()),
    }
}

fn tensor_dot(ir: &mut Ir, x: &[NodeId], lists: [&[usize]; 4], permute: Option<&[usize]>) -> Result<NodeId, String> {
    let [dims_f, dims_g, cont_f, cont_g] = lists;
    for (what, id, dims) in [("f", x[0], dims_f), ("g", x[1], dims_g)] {
        let (n, product) = (length(ir, id)?, dims.iter().product::<usize>());
        if n != product {
            return Err(format!("the shape {dims:?} has {product} entries, but `{what}` has dimension {n}"));
        }
    }
    if cont_f.len() != cont_g.len() {
        return Err(format!(
            "as many axes of f as of g must be contracted, but they are {} and {}",
            cont_f.len(),
            cont_g.len()
        ));
    }
    for (n, (&f, &g)) in cont_f.iter().zip(cont_g).enumerate() {
        if f >= dims_f.len() || g >= dims_g.len() || cont_f[..n].contains(&f) || cont_g[..n].contains(&g) {
            return Err(format!("axes {f} and {g} cannot be contracted: axes count from 0 and are contracted once"));
        }
        if dims_f[f] != dims_g[g] {
            return Err(format!(
                "contracted axes must have equal sizes, but axis {f} of f has {} and axis {g} of g has {}",
                dims_f[f], dims_g[g]
            ));
        }
    }
    let mut axes = Axes { sizes: dims_f.to_vec(), left: (0..dims_f.len()).collect(), right: vec![], out: vec![] };
    for (g, &size) in dims_g.iter().enumerate() {
        match cont_g.iter().position(|&c| c == g) {
            Some(n) => axes.right.push(cont_f[n]),
            None => {
                axes.right.push(axes.sizes.len());
                axes.sizes.push(size);
            }
        }
    }
    let kept: Vec<usize> = axes
        .left
        .iter()
        .copied()
        .filter(|a| !cont_f.contains(a))
        .chain(axes.right.iter().copied().filter(|&a| a >= dims_f.len()))
        .collect();
    axes.out = kept.clone();
    if let Some(permute) = permute {
        let mut sorted = permute.to_vec();
        sorted.sort_unstable();
        if sorted != (0..kept.len()).collect::<Vec<_>>() {
            return Err(format!("{permute:?} is no permutation of the {} kept axes", kept.len()));
        }
        for (a, &position) in permute.iter().enumerate() {
            axes.out[position] = kept[a];
        }
    }
    Ok(ir.contract(x[0], x[1], axes))
}
