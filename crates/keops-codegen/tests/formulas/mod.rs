//! Random formulas drawn from the whole table of operations, and values for their variables.

use keops_codegen::ir::{Category, Dim, Ir, NodeId};
use keops_codegen::ops::{self, Literal, Operation};

/// A small generator (xorshift64*), so that a run can be repeated from its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        r.next();
        r
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
    /// Uniform in [−1.5, 1.5].
    pub(crate) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 3.0 - 1.5
    }
    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

/// Dimensions and categories of the variables that formulas use.
pub(crate) const VARIABLES: &[(Category, usize)] = &[
    (Category::Vi, 3),
    (Category::Vi, 1),
    (Category::Vj, 3),
    (Category::Vj, 1),
    (Category::Pm, 3),
    (Category::Pm, 1),
    (Category::Vi, 6),
    (Category::Vj, 2),
];

/// The node of variable `k`.
pub(crate) fn variable(ir: &mut Ir, k: usize) -> NodeId {
    let (category, dim) = VARIABLES[k];
    ir.var(k, category, Dim::Lit(dim))
}

/// Random values for all variables.
pub(crate) fn values(r: &mut Random) -> Vec<Vec<f64>> {
    VARIABLES.iter().map(|&(_, n)| r.vector(n)).collect()
}

pub(crate) fn apply(ir: &mut Ir, name: &str, args: &[NodeId], lits: &[Literal]) -> NodeId {
    let op = ops::find(name).unwrap_or_else(|| panic!("no operation {name}"));
    op.apply(ir, args, lits).unwrap_or_else(|m| panic!("{m}"))
}

/// A formula as a recipe, so that it can be built in several graphs.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    Variable(usize),
    Constant(f64),
    Apply(&'static str, Vec<Formula>, Vec<Literal>),
}

impl Formula {
    pub(crate) fn build(&self, ir: &mut Ir) -> NodeId {
        match self {
            Formula::Variable(k) => variable(ir, *k),
            Formula::Constant(v) => ir.constant(*v),
            Formula::Apply(name, args, lits) => {
                let args: Vec<NodeId> = args.iter().map(|a| a.build(ir)).collect();
                apply(ir, name, &args, lits)
            }
        }
    }

    fn call(name: &'static str, args: Vec<Formula>) -> Formula {
        Formula::Apply(name, args, vec![])
    }
}

/// What a random formula may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draw {
    /// Operations with a derivative that is not always zero.
    Smooth,
    /// Every operation.
    Anything,
}

/// A random formula of dimension `n` and the operations that it uses.
pub(crate) fn formula(r: &mut Random, n: usize, depth: usize, draw: Draw, used: &mut Vec<&'static str>) -> Formula {
    if depth == 0 {
        let fitting: Vec<usize> = (0..VARIABLES.len()).filter(|&k| VARIABLES[k].1 == n).collect();
        return match (fitting.len(), r.below(8)) {
            (0, _) => Formula::Apply("SumT", vec![Formula::Variable(1)], vec![Literal::Int(n as i64)]),
            (_, 0) if n == 1 => Formula::Constant((r.number() * 8.0).round() / 4.0 + 0.125),
            _ => Formula::Variable(fitting[r.below(fitting.len())]),
        };
    }
    if n == 1 && depth > 1 && r.below(4) == 0 {
        return kernel(r);
    }
    let all: Vec<&'static Operation> = ops::all().filter(|op| op.is_public()).collect();
    for _ in 0..200 {
        let op = all[r.below(all.len())];
        if let Some((dims, lits)) = arguments(r, op.name, n) {
            if draw == Draw::Smooth && is_flat(op.name) {
                continue;
            }
            used.push(op.name);
            let mut args: Vec<Formula> = dims
                .iter()
                .map(|&d| {
                    let shallower = depth - 1 - r.below(depth).min(1) * r.below(2);
                    formula(r, d, shallower, draw, used)
                })
                .collect();
            if draw == Draw::Smooth {
                tame(op.name, &mut args);
            }
            return Formula::Apply(op.name, args, lits);
        }
    }
    Formula::Constant(0.5)
}

/// What kernels are made of: functions of distances and scalar products, with factors of every category.
fn kernel(r: &mut Random) -> Formula {
    use Formula::{Constant, Variable};
    let factor = match r.below(5) {
        0 => Constant(r.number()),
        1 => Variable(1),
        2 => Variable(3),
        3 => Variable(5),
        _ => Formula::call("Mult", vec![Variable(3), Variable(1)]),
    };
    let pair = match r.below(3) {
        0 => Formula::call("Scalprod", vec![Variable(0), Variable(2)]),
        1 => Formula::call("WeightedSqDist", vec![Variable(4), Variable(0), Variable(2)]),
        _ => Formula::call("SqDist", vec![Variable(0), Variable(2)]),
    };
    let positive = |f: Formula| Formula::call("Add", vec![Constant(1.5), Formula::call("Square", vec![f])]);
    let scaled = match r.below(3) {
        0 => Formula::call("Divide", vec![pair, positive(factor)]),
        1 => Formula::call("Minus", vec![Formula::call("Mult", vec![factor, pair])]),
        _ => Formula::call("Mult", vec![pair, factor]),
    };
    let scaled = Formula::call("Mult", vec![Constant(0.125), scaled]);
    match r.below(4) {
        0 => Formula::call("Inv", vec![positive(scaled)]),
        1 => scaled,
        _ => Formula::call("Exp", vec![scaled]),
    }
}

fn is_flat(name: &str) -> bool {
    matches!(
        name,
        "Sign"
            | "Step"
            | "Floor"
            | "Round"
            | "Equal"
            | "NotEqual"
            | "LessThan"
            | "LessOrEqual"
            | "DiffClampInt"
            | "ArgMax"
            | "ArgMin"
            | "OneHot"
            | "Mod"
    )
}

/// Keeps arguments where the operation is defined and does not overflow.
fn tame(name: &str, args: &mut [Formula]) {
    let above_one = |f: Formula| Formula::call("Add", vec![Formula::Constant(1.25), Formula::call("Square", vec![f])]);
    let within_one = |f: Formula| Formula::call("Mult", vec![Formula::Constant(0.75), Formula::call("Sin", vec![f])]);
    let bounded = |f: Formula| Formula::call("Atan", vec![f]);
    let take = |f: &mut Formula| std::mem::replace(f, Formula::Constant(0.0));
    match name {
        "Log" | "Log1p" | "Sqrt" | "Rsqrt" | "Inv" | "XLogX" => args[0] = above_one(take(&mut args[0])),
        "Divide" | "ComplexDivide" => args[1] = above_one(take(&mut args[1])),
        "Atan2" => args[1] = above_one(take(&mut args[1])),
        "Asin" | "Acos" => args[0] = within_one(take(&mut args[0])),
        "Exp" | "Expm1" | "ComplexExp" | "SymSqNorm" | "SqNorm2" | "WeightedSqNorm" => {
            for a in args {
                *a = bounded(take(a));
            }
        }
        // A temperature above 1.
        "SoftDTW_SqDist" => args[2] = above_one(bounded(take(&mut args[2]))),
        "Pow" => args[0] = above_one(bounded(take(&mut args[0]))),
        "ComplexLog" | "ComplexSqrt" | "ComplexAngle" => args[0] = above_one(take(&mut args[0])),
        "Powf" | "ComplexPow" => {
            args[0] = above_one(bounded(take(&mut args[0])));
            args[1] = bounded(take(&mut args[1]));
        }
        _ => {}
    }
}

/// Dimensions of arguments and literals that make the operation `name` give dimension `n`, if it can.
pub(crate) fn arguments(r: &mut Random, name: &str, n: usize) -> Option<(Vec<usize>, Vec<Literal>)> {
    let int = |v: usize| Literal::Int(v as i64);
    let list = |v: &[i64]| Literal::List(v.to_vec());
    let wide = [1, 2, 3][r.below(3)];
    let to_one = |args: Vec<usize>, lits: Vec<Literal>| (n == 1).then_some((args, lits));
    match name {
        "IndexI" | "IndexJ" => to_one(vec![], vec![]),
        // Constants and operations with a variable as an argument are not drawn.
        "IntCst" | "RatCst" | "IntInv" | "Zero" | "Grad" | "Diff" | "Divergence" | "Laplacian" | "GradMatrix"
        | "TraceOperator" | "AdjointOperator" | "SumLinOperator" => None,
        "BSpline" => (n <= 3).then(|| {
            let degree = r.below(3);
            (vec![n + degree + 1, 1], vec![int(degree)])
        }),
        "Round" => Some((vec![n], vec![Literal::Int(r.below(4) as i64 - 1)])),
        "Pow" => Some((vec![n], vec![Literal::Int(r.below(8) as i64 - 3)])),
        "ClampInt" | "DiffClampInt" => Some((vec![n], vec![Literal::Int(-1), Literal::Float(0.75)])),
        "Sum" | "SqNorm2" | "Norm2" | "Max" | "Min" | "ArgMax" | "ArgMin" => to_one(vec![wide], vec![]),
        "SumT" | "OneHot" => Some((vec![1], vec![int(n)])),
        "Scalprod" | "SqDist" => to_one([vec![wide, wide], vec![1, wide], vec![wide, 1]][r.below(3)].clone(), vec![]),
        "Normalize" => Some((vec![n], vec![])),
        "SoftDTW_SqDist" => to_one([vec![3, 2, 1], vec![1, 3, 1], vec![2, 2, 1]][r.below(3)].clone(), vec![]),
        "SqNormIso" => to_one(vec![1, wide], vec![]),
        "SqNormDiag" => to_one(vec![wide, wide], vec![]),
        "SymSqNorm" => to_one(vec![4, 2], vec![]),
        "WeightedSqNorm" => to_one([vec![1, 3], vec![3, 3], vec![9, 3]][r.below(3)].clone(), vec![]),
        "WeightedSqDist" => to_one([vec![1, 3, 3], vec![3, 3, 1], vec![4, 2, 2]][r.below(3)].clone(), vec![]),
        "Elem" => to_one(vec![wide], vec![int(r.below(wide))]),
        "ElemT" => Some((vec![1], vec![int(n), int(r.below(n))])),
        "Extract" => Some((vec![n + 2], vec![int(r.below(3)), int(n)])),
        "ExtractT" => {
            let d = 1 + r.below(n);
            Some((vec![d], vec![int(r.below(n - d + 1)), int(n)]))
        }
        "Concat" => (n > 1).then(|| {
            let first = 1 + r.below(n - 1);
            (vec![first, n - first], vec![])
        }),
        "MatVecMult" => Some((vec![n * wide, wide], vec![])),
        "VecMatMult" => Some((vec![wide, n * wide], vec![])),
        "TensorProd" => (n == 6).then(|| (vec![2, 3], vec![])).or_else(|| (n == 3).then(|| (vec![3, 1], vec![]))),
        "TensorDot" => {
            (n == 6).then(|| (vec![6, 4], vec![list(&[2, 3]), list(&[2, 2]), list(&[0]), list(&[1]), list(&[1, 0])]))
        }
        "Kron" => (n == 6).then(|| (vec![2, 3], vec![list(&[2, 1]), list(&[1, 3])])),
        "Real2Complex" | "Imag2Complex" | "ComplexExp1j" => n.is_multiple_of(2).then(|| (vec![n / 2], vec![])),
        "ComplexReal" | "ComplexImag" | "ComplexSquareAbs" | "ComplexAbs" | "ComplexAngle" => {
            Some((vec![2 * n], vec![]))
        }
        "Conj" | "ComplexExp" | "ComplexLog" | "ComplexSqrt" => n.is_multiple_of(2).then(|| (vec![n], vec![])),
        "ComplexAdd" | "ComplexSubtract" | "ComplexMult" | "ComplexDivide" | "ComplexPow" => {
            n.is_multiple_of(2).then(|| {
                let one_side = [vec![n, n], vec![2, n], vec![n, 2]];
                (one_side[r.below(3)].clone(), vec![])
            })
        }
        "ComplexRealScal" => n.is_multiple_of(2).then(|| ([vec![1, n], vec![n, 1]][r.below(2)].clone(), vec![])),
        "ComplexSum" => (n == 2).then(|| (vec![2 * wide], vec![])),
        "ComplexSumT" => n.is_multiple_of(2).then(|| (vec![2], vec![int(n)])),
        "Factorize" => Some((vec![n, 1], vec![])),
        "AutoFactorize" => Some((vec![n], vec![])),
        _ => {
            let op = ops::find(name)?;
            assert!(matches!(op.dims, ops::Dims::Broadcast), "the generator of random formulas does not know {name}");
            let mut dims: Vec<usize> = op.args.iter().map(|_| if r.below(3) == 0 { 1 } else { n }).collect();
            if dims.iter().all(|&d| d == 1) {
                dims[0] = n;
            }
            Some((dims, vec![]))
        }
    }
}

/// Equal within rounding errors of numbers of size `scale`.
pub(crate) fn close(a: &[f64], b: &[f64], scale: f64, tolerance: f64) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| x == y || (x - y).abs() <= tolerance * scale.max(x.abs()).max(1.0))
}
