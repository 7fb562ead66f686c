//! [`drawn`]: random formulas from the whole table of operations, as text for `keops!` and as sums of the compiler's
//! evaluator. Also compiled into the build script.

use crate::formulas::{Draw, Formula, Random, VARIABLES, apply, formula, variable};
use keops_codegen::eval::{Inputs, eval};
use keops_codegen::ir::{Category, Dim, Ir, NodeId};
use keops_codegen::ops::Literal;
use std::collections::BTreeSet;

/// How many formulas are compiled.
pub(crate) const FORMULAS: usize = 64;
/// Rows of i-variables.
const M: usize = 3;
/// Rows of j-variables.
const N: usize = 5;
/// Formulas that are chosen from.
const CANDIDATES: u64 = 4_000;
/// Operations of the largest formula that is chosen.
const LARGEST: usize = 24;

/// Rows of numbers.
pub(crate) type Table = Vec<Vec<f64>>;

/// A random formula, reduced over one index, and data for it.
pub(crate) struct Drawn {
    seed: u64,
    formula: Formula,
    /// Its operations.
    pub(crate) operations: Vec<&'static str>,
    /// The index that is kept.
    kept: Category,
    /// Variables it uses, and one of each index, in the order of the call.
    pub(crate) used: Vec<usize>,
    /// The variable whose gradient is taken.
    pub(crate) towards: usize,
    /// Rows of all variables.
    pub(crate) data: Vec<Table>,
    /// A covector of the result.
    pub(crate) covector: Table,
    /// A direction of the variable.
    pub(crate) direction: Table,
}

/// Sums over the pairs, and for scale the largest sum of magnitudes.
pub(crate) struct Sums {
    pub(crate) rows: Table,
    pub(crate) scale: f64,
}

/// What is expected of a formula.
pub(crate) struct Expected {
    pub(crate) value: Sums,
    pub(crate) gradient: Sums,
    pub(crate) forward: Sums,
}

fn rows(category: Category) -> usize {
    match category {
        Category::Vi => M,
        Category::Vj => N,
        Category::Pm => 1,
    }
}

impl Drawn {
    /// The formula of a seed, unless it has no variable.
    fn new(seed: u64) -> Option<Self> {
        let mut r = Random::new(seed);
        let n = [1, 2, 3, 6][r.below(4)];
        let draw = if r.below(4) == 0 { Draw::Anything } else { Draw::Smooth };
        let depth = 1 + r.below(3);
        let formula = formula(&mut r, n, depth, draw, &mut Vec::new());
        let (mut used, mut operations) = (Vec::new(), Vec::new());
        walk(&formula, &mut used, &mut operations);
        used.sort_unstable();
        used.dedup();
        let towards = *used.get(r.below(used.len().max(1)))?;
        for (category, first) in [(Category::Vi, 1), (Category::Vj, 3)] {
            if !used.iter().any(|&k| VARIABLES[k].0 == category) {
                used.push(first);
            }
        }
        let kept = [Category::Vi, Category::Vj][r.below(2)];
        let mut table = |rows: usize, width: usize| (0..rows).map(|_| r.vector(width)).collect();
        let data = VARIABLES.iter().map(|&(category, width)| table(rows(category), width)).collect();
        let covector = table(rows(kept), n);
        let direction = table(rows(VARIABLES[towards].0), VARIABLES[towards].1);
        Some(Drawn { seed, formula, operations, kept, used, towards, data, covector, direction })
    }

    /// Items of `keops!`: `formula`, with its gradient, and `forward`, its derivative along a direction.
    pub(crate) fn items(&self) -> String {
        let declared: Vec<String> = self.used.iter().map(|&k| declaration(&format!("v{k}"), k)).collect();
        let (variables, formula, towards) = (declared.join(", "), text(&self.formula), self.towards);
        let tag = if self.kept == Category::Vi { 0 } else { 1 };
        format!(
            "#[grad(v{towards})] pub fn formula({variables}) = Sum_Reduction({formula}, {tag}); \
             pub fn forward({variables}, {}) = Sum_Reduction(Diff({formula}, v{towards}, u), {tag});",
            declaration("u", towards),
        )
    }

    /// The sums of the evaluator.
    pub(crate) fn expected(&self) -> Expected {
        let mut ir = Ir::new();
        let f = self.formula.build(&mut ir);
        let (category, dim) = VARIABLES[self.towards];
        let v = variable(&mut ir, self.towards);
        let n = ir.dim(f).clone();
        let e = ir.var(VARIABLES.len(), self.kept, n);
        let u = ir.var(VARIABLES.len() + 1, category, Dim::Lit(dim));
        let gradient = apply(&mut ir, "Grad", &[f, v, e], &[]);
        let forward = apply(&mut ir, "Diff", &[f, v, u], &[]);
        Expected {
            value: self.sums(&ir, f, self.kept),
            gradient: self.sums(&ir, gradient, category),
            forward: self.sums(&ir, forward, self.kept),
        }
    }

    /// For each row of the index `kept` the sum of a node over all pairs.
    fn sums(&self, ir: &Ir, root: NodeId, kept: Category) -> Sums {
        let width = ir.dim(root).lit().unwrap_or(0);
        let zeros = vec![vec![0.0; width]; rows(kept)];
        let (mut sums, mut magnitudes) = (zeros.clone(), zeros);
        for (i, j) in (0..M).flat_map(|i| (0..N).map(move |j| (i, j))) {
            let row = |category| match category {
                Category::Vi => i,
                Category::Vj => j,
                Category::Pm => 0,
            };
            let mut variables: Table =
                self.data.iter().zip(VARIABLES).map(|(table, v)| table[row(v.0)].clone()).collect();
            variables.push(self.covector[row(self.kept)].clone());
            variables.push(self.direction[row(VARIABLES[self.towards].0)].clone());
            let inputs = Inputs { variables, rows: (i as u64, j as u64), ..Inputs::default() };
            for (k, v) in eval(ir, &[root], &inputs)[0].iter().enumerate() {
                sums[row(kept)][k] += v;
                magnitudes[row(kept)][k] += v.abs();
            }
        }
        // Not `max`, which would lose a NaN.
        let scale = magnitudes.iter().flatten().fold(0.0f64, |m, &x| if m >= x { m } else { x });
        Sums { rows: sums, scale }
    }

    /// Is everything of a size that can be compared?
    fn is_tame(&self) -> bool {
        let all = self.expected();
        [&all.value, &all.gradient, &all.forward]
            .into_iter()
            .all(|sums| sums.scale < 1e6 && sums.rows.iter().flatten().all(|x| x.is_finite()))
    }
}

/// The formulas: first those that have most of the operations that no formula before them has.
pub(crate) fn drawn() -> Vec<Drawn> {
    let mut candidates: Vec<Drawn> = (0..CANDIDATES).filter_map(Drawn::new).collect();
    candidates.retain(|drawn| (1..=LARGEST).contains(&drawn.operations.len()));
    let (mut chosen, mut covered) = (Vec::new(), BTreeSet::new());
    while chosen.len() < FORMULAS {
        let news =
            |drawn: &Drawn| drawn.operations.iter().filter(|op| !covered.contains(*op)).collect::<BTreeSet<_>>().len();
        let best = (0..candidates.len()).max_by_key(|&k| (news(&candidates[k]), u64::MAX - candidates[k].seed));
        let Some(best) = best else { break };
        let drawn = candidates.swap_remove(best);
        if drawn.is_tame() {
            covered.extend(drawn.operations.iter().copied());
            chosen.push(drawn);
        }
    }
    chosen
}

fn walk(f: &Formula, variables: &mut Vec<usize>, operations: &mut Vec<&'static str>) {
    match f {
        Formula::Variable(k) => variables.push(*k),
        Formula::Constant(_) => {}
        Formula::Apply(name, args, _) => {
            operations.push(name);
            args.iter().for_each(|a| walk(a, variables, operations));
        }
    }
}

/// The declaration of a variable that is like the k-th.
fn declaration(name: &str, k: usize) -> String {
    let (category, dim) = VARIABLES[k];
    format!("{name}: {category:?}<{dim}>")
}

fn text(f: &Formula) -> String {
    match f {
        Formula::Variable(k) => format!("v{k}"),
        Formula::Constant(v) => format!("({v:?})"),
        Formula::Apply(name, args, literals) => {
            let literals = literals.iter().map(|l| match l {
                Literal::Int(n) => n.to_string(),
                Literal::Float(v) => format!("{v:?}"),
                Literal::List(v) => format!("{v:?}"),
            });
            let all: Vec<String> = args.iter().map(text).chain(literals).collect();
            format!("{name}({})", all.join(", "))
        }
    }
}
