//! Straight-line code: every component of every value is a binding of its own.

use super::leaf::{Index, Layout, usize_of};
use super::{Output, number};
use crate::ir::{Bits, Ir, MapOp, NodeId, Op};
use crate::ops;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// Widest vector in straight-line code.
const WIDEST: usize = 16;
/// Most numbers in straight-line code.
const MOST: usize = 128;

/// Are these outputs small enough?
pub(super) fn fits(ir: &Ir, outputs: &[Output]) -> bool {
    let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
    let mut total = 0;
    for id in ir.reachable(&roots) {
        match ir.dim(id).lit() {
            Some(n) if n <= WIDEST => total += n,
            _ => return false,
        }
        if let Op::Contract(axes) = ir.op(id) {
            total += axes.sizes.iter().product::<usize>();
        }
    }
    total <= MOST
}

/// The statements that compute and write `outputs`.
pub(super) fn code(ir: &Ir, layout: &Layout, outputs: &[Output]) -> TokenStream {
    let mut scalars = Scalars::new(ir, outputs);
    let mut writes = Vec::new();
    for o in outputs {
        let left = scalars.components(o.left);
        let right = o.right.map(|r| scalars.components(r));
        for k in 0..o.dim.lit().unwrap_or(0) {
            let pick = |v: &[usize]| v[if v.len() == 1 { 0 } else { k }];
            writes.push((o.first + k, pick(&left), right.as_deref().map(pick)));
        }
    }
    Printer::new(ir, layout, &scalars.pool, &writes).print(&writes)
}

/// One number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Scalar {
    Leaf(NodeId, usize),
    Number(Bits),
    Map(MapOp, i64, Vec<usize>),
}

/// The graph taken apart into numbers, equal ones shared.
struct Scalars<'a> {
    ir: &'a Ir,
    /// How many nodes and outputs use each node.
    uses: HashMap<NodeId, usize>,
    pool: Vec<Scalar>,
    index: HashMap<Scalar, usize>,
    done: HashMap<NodeId, Vec<usize>>,
}

impl<'a> Scalars<'a> {
    fn new(ir: &'a Ir, outputs: &[Output]) -> Self {
        let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
        let mut uses = HashMap::new();
        for id in ir.reachable(&roots).iter().flat_map(|&id| ir.args(id)).chain(&roots) {
            *uses.entry(*id).or_insert(0) += 1;
        }
        Scalars { ir, uses, pool: vec![], index: HashMap::new(), done: HashMap::new() }
    }

    fn intern(&mut self, s: Scalar) -> usize {
        *self.index.entry(s).or_insert_with_key(|s| {
            self.pool.push(s.clone());
            self.pool.len() - 1
        })
    }

    fn number(&mut self, v: f64) -> usize {
        self.intern(Scalar::Number(Bits::of(v)))
    }

    fn value(&self, s: usize) -> Option<f64> {
        match self.pool[s] {
            Scalar::Number(b) => Some(b.value()),
            _ => None,
        }
    }

    fn named(&mut self, name: &str, args: Vec<usize>) -> usize {
        self.map(MapOp(ops::elementwise(name)), 0, args)
    }

    /// An operation on numbers; what is known when the code is written is computed now.
    fn map(&mut self, op: MapOp, int: i64, args: Vec<usize>) -> usize {
        let known: Vec<Option<f64>> = args.iter().map(|&a| self.value(a)).collect();
        match (op.0.name, &known[..]) {
            // Zeros of a padding (a sum with 0 only loses the sign of −0).
            ("Add", [Some(0.0), None]) => return args[1],
            ("Add" | "Subtract", [None, Some(0.0)]) => return args[0],
            ("Where", [Some(m), ..]) => return args[if *m != 0.0 { 1 } else { 2 }],
            _ => {}
        }
        let all: Option<Vec<f64>> = known.into_iter().collect();
        match (all, op.0.elementwise()) {
            (Some(x), Some(e)) => self.number((e.eval)(&x, int)),
            _ => self.intern(Scalar::Map(op, int, args)),
        }
    }

    /// The components of a node.
    fn components(&mut self, id: NodeId) -> Vec<usize> {
        if let Some(done) = self.done.get(&id) {
            return done.clone();
        }
        let components = self.fresh_components(id);
        self.done.insert(id, components.clone());
        components
    }

    fn fresh_components(&mut self, id: NodeId) -> Vec<usize> {
        let node = self.ir.node(id);
        let len = node.dim.lit().unwrap_or(0);
        match &node.op {
            Op::Var { .. } | Op::Staged { .. } => (0..len).map(|k| self.intern(Scalar::Leaf(id, k))).collect(),
            Op::Const(b) => vec![self.number(b.value()); len],
            Op::Iota => (0..len).map(|k| self.number(k as f64)).collect(),
            Op::Map(op, int) => {
                if let Some(seeded) = self.seeded_sum(*op, &node.args) {
                    return vec![seeded];
                }
                let args: Vec<Vec<usize>> = node.args.iter().map(|&a| self.components(a)).collect();
                (0..len)
                    .map(|k| {
                        let x = args.iter().map(|a| a[if a.len() == 1 { 0 } else { k }]).collect();
                        self.map(*op, *int, x)
                    })
                    .collect()
            }
            Op::Sum => {
                let terms = self.components(node.args[0]);
                vec![self.chain(None, &terms)]
            }
            Op::Broadcast => vec![self.components(node.args[0])[0]; len],
            Op::Slice { start, step } => {
                let x = self.components(node.args[0]);
                (0..len).map(|k| x[start + step * k]).collect()
            }
            Op::Pad { start, step } => {
                let x = self.components(node.args[0]);
                let mut out = vec![self.number(0.0); len];
                for (k, v) in x.into_iter().enumerate() {
                    out[start + step * k] = v;
                }
                out
            }
            Op::Concat => {
                let mut x = self.components(node.args[0]);
                x.extend(self.components(node.args[1]));
                x
            }
            Op::Contract(axes) => {
                let (f, g) = (self.components(node.args[0]), self.components(node.args[1]));
                let mut terms = vec![Vec::new(); len];
                for (o, l, r) in axes.terms() {
                    terms[o].push(self.named("Mult", vec![f[l], g[r]]));
                }
                terms.iter().map(|t| self.chain(None, t)).collect()
            }
            Op::Extreme { max, arg } => {
                let x = self.components(node.args[0]);
                vec![self.extreme(&x, *max, *arg)]
            }
        }
    }

    /// `Σ v + c` starts at `c`, which saves an addition, if the sum is needed for nothing else.
    fn seeded_sum(&mut self, op: MapOp, args: &[NodeId]) -> Option<usize> {
        if op.0.name != "Add" || !args.iter().all(|&a| self.ir.dim(a).is_one()) {
            return None;
        }
        let k = args.iter().position(|a| *self.ir.op(*a) == Op::Sum && self.uses[a] == 1)?;
        let seed = self.components(args[1 - k])[0];
        let terms = self.components(self.ir.args(args[k])[0]);
        Some(self.chain(Some(seed), &terms))
    }

    fn chain(&mut self, seed: Option<usize>, terms: &[usize]) -> usize {
        let mut sum = seed;
        for &t in terms {
            sum = Some(match sum {
                Some(s) => self.named("Add", vec![s, t]),
                None => t,
            });
        }
        sum.unwrap_or_else(|| self.number(0.0))
    }

    /// A running extremum: NaN gives way to anything, equal values to nothing.
    fn extreme(&mut self, x: &[usize], max: bool, arg: bool) -> usize {
        let (mut best, mut at) = (x[0], self.number(0.0));
        for (k, &v) in x.iter().enumerate().skip(1) {
            let better = if max { vec![best, v] } else { vec![v, best] };
            let better = self.named("LessThan", better);
            let ordered = self.named("Equal", vec![best, best]);
            let kept = self.named("Where", vec![ordered, best, v]);
            if arg {
                let here = self.number(k as f64);
                let number = self.named("Equal", vec![v, v]);
                let first = self.named("Where", vec![number, here, at]);
                let stay = self.named("Where", vec![ordered, at, first]);
                at = self.named("Where", vec![better, here, stay]);
            }
            best = self.named("Where", vec![better, v, kept]);
        }
        if arg { at } else { best }
    }
}

/// Writes numbers as statements.
struct Printer<'a> {
    ir: &'a Ir,
    layout: &'a Layout,
    pool: &'a [Scalar],
    uses: Vec<usize>,
    /// Comparisons that are needed as masks.
    masks: Vec<bool>,
    /// Comparisons that are needed as numbers.
    numbers: Vec<bool>,
    lines: Vec<TokenStream>,
}

impl<'a> Printer<'a> {
    fn new(ir: &'a Ir, layout: &'a Layout, pool: &'a [Scalar], writes: &[(usize, usize, Option<usize>)]) -> Self {
        let n = pool.len();
        let (mut uses, mut masks, mut numbers) = (vec![0; n], vec![false; n], vec![false; n]);
        for &(_, left, right) in writes {
            for s in [Some(left), right].into_iter().flatten() {
                // A value that is written has a binding.
                uses[s] += 2;
                numbers[s] = true;
            }
        }
        // Users have larger numbers than what they use.
        for s in (0..n).rev() {
            if let Scalar::Map(op, _, args) = &pool[s]
                && uses[s] > 0
            {
                for (k, &a) in args.iter().enumerate() {
                    uses[a] += 1;
                    if op.0.name == "Where" && k == 0 && is_comparison(&pool[a]) {
                        masks[a] = true;
                    } else {
                        numbers[a] = true;
                    }
                }
            }
        }
        Printer { ir, layout, pool, uses, masks, numbers, lines: vec![] }
    }

    fn print(mut self, writes: &[(usize, usize, Option<usize>)]) -> TokenStream {
        let mut absorbed = vec![false; self.pool.len()];
        for (s, scalar) in self.pool.iter().enumerate() {
            if let Scalar::Map(op, _, args) = scalar
                && self.uses[s] > 0
                && let Some(k) = self.fused_argument(*op, args)
            {
                absorbed[args[k]] = true;
            }
        }
        for s in (0..self.pool.len()).filter(|&s| !absorbed[s]) {
            if self.uses[s] > 0 {
                self.bind(s);
            }
        }
        for &(at, left, right) in writes {
            let (at, left) = (usize_of(at), self.name(left));
            self.lines.push(match right.map(|r| self.name(r)) {
                Some(right) => quote!(out.put_product(#at, #left, #right);),
                None => quote!(out.put(#at, #left);),
            });
        }
        self.lines.into_iter().collect()
    }

    fn ident(&self, s: usize) -> Ident {
        format_ident!("v{}", s, span = Span::call_site())
    }

    fn mask_ident(&self, s: usize) -> Ident {
        format_ident!("m{}", s, span = Span::call_site())
    }

    /// How a number is referred to.
    fn name(&self, s: usize) -> TokenStream {
        match &self.pool[s] {
            Scalar::Number(b) => number(b.value()),
            _ => {
                let v = self.ident(s);
                quote!(#v)
            }
        }
    }

    /// Which argument of a sum or difference is a product that nothing else uses, to be fused with it.
    fn fused_argument(&self, op: MapOp, args: &[usize]) -> Option<usize> {
        let is_product = |a: usize| {
            self.uses[a] == 1 && matches!(&self.pool[a], Scalar::Map(p, ..) if matches!(p.0.name, "Mult" | "Square"))
        };
        let can_fuse = matches!(op.0.name, "Add" | "Subtract");
        [1, 0].into_iter().find(|&k| can_fuse && is_product(args[k]))
    }

    /// The factors of a product.
    fn factors(&self, product: usize) -> (TokenStream, TokenStream) {
        match &self.pool[product] {
            Scalar::Map(_, _, args) => (self.name(args[0]), self.name(args[args.len() - 1])),
            _ => (self.name(product), number(1.0)),
        }
    }

    fn bind(&mut self, s: usize) {
        let value = match &self.pool[s] {
            Scalar::Number(_) => return,
            Scalar::Leaf(id, k) => self.layout.read(self.ir, *id, &Index::Known(*k)),
            Scalar::Map(op, int, args) => {
                if self.masks[s] {
                    let names: Vec<TokenStream> = args.iter().map(|&a| self.name(a)).collect();
                    if let Some(mask) = op.0.elementwise().and_then(|e| e.mask) {
                        let (m, value) = (self.mask_ident(s), mask(&names));
                        self.lines.push(quote!(let #m = #value;));
                    }
                    if !self.numbers[s] {
                        return;
                    }
                }
                self.value_of(*op, *int, args)
            }
        };
        let v = self.ident(s);
        self.lines.push(quote!(let #v = #value;));
    }

    fn value_of(&self, op: MapOp, int: i64, args: &[usize]) -> TokenStream {
        match op.0.name {
            "Add" | "Subtract" => {
                if let Some(k) = self.fused_argument(op, args) {
                    let ((a, b), c) = (self.factors(args[k]), self.name(args[1 - k]));
                    return match (op.0.name, k) {
                        ("Add", _) => quote!(#a.fma(#b, #c)),
                        (_, 1) => quote!(#a.fnma(#b, #c)),
                        _ => quote!(#a.fma(#b, -#c)),
                    };
                }
            }
            "Where" if is_comparison(&self.pool[args[0]]) => {
                let (m, a, b) = (self.mask_ident(args[0]), self.name(args[1]), self.name(args[2]));
                return quote!(R::select(#m, #a, #b));
            }
            "Square" => {
                let a = self.name(args[0]);
                return quote!(#a * #a);
            }
            _ => {}
        }
        let names: Vec<TokenStream> = args.iter().map(|&a| self.name(a)).collect();
        match op.0.elementwise() {
            Some(e) => unparenthesized((e.emit)(&names, int)),
            None => quote!(),
        }
    }
}

fn is_comparison(s: &Scalar) -> bool {
    matches!(s, Scalar::Map(op, ..) if op.0.elementwise().is_some_and(|e| e.mask.is_some()))
}

/// `(a + b)` as `a + b`, where it stands alone.
pub(super) fn unparenthesized(t: TokenStream) -> TokenStream {
    let mut trees = t.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(proc_macro2::TokenTree::Group(g)), None) if g.delimiter() == proc_macro2::Delimiter::Parenthesis => g.stream(),
        _ => t,
    }
}
