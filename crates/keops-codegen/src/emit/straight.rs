//! Straight-line code: every component of every value is a binding of its own.

use super::leaf::{Index, Layout, usize_of};
use super::scalars::{Scalar, Scalars};
use super::{Output, number};
use crate::ir::{Ir, MapOp, NodeId, Op};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

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
        match ir.op(id) {
            Op::Contract(axes) => total += axes.sizes.iter().product::<usize>(),
            // Better as loops, whatever their size.
            Op::Alignment { .. } | Op::Recurrence { .. } => return false,
            _ => {}
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
        (Some(proc_macro2::TokenTree::Group(g)), None) if g.delimiter() == proc_macro2::Delimiter::Parenthesis => {
            g.stream()
        }
        _ => t,
    }
}
