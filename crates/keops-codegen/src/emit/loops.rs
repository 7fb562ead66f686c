//! Loops over components: a vector is a function of its index, fused into whatever consumes it.
//!
//! Only what is costly and needed in several loops, or is not a function of its index (joined and padded vectors, sums of
//! products), is kept in an array.

use super::components::Inside;
use super::leaf::{Index, Layout, usize_of};
use super::{Output, dim_tokens, number};
use crate::ir::{Ir, NodeId, Op};
use crate::ops;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The statements that compute and write `outputs`.
pub(super) fn code(ir: &Ir, layout: &Layout, outputs: &[Output]) -> TokenStream {
    let mut w = Writer {
        ir,
        layout,
        arrays: arrays(ir, outputs),
        bound: HashMap::new(),
        prepared: HashSet::new(),
        uses: uses(ir, outputs),
        lines: vec![],
    };
    for o in outputs {
        w.output(o);
    }
    w.lines.into_iter().collect()
}

/// How many nodes and outputs use each node.
fn uses(ir: &Ir, outputs: &[Output]) -> HashMap<NodeId, usize> {
    let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
    let mut uses = HashMap::new();
    for id in ir.reachable(&roots).iter().flat_map(|&id| ir.args(id)).chain(&roots) {
        *uses.entry(*id).or_insert(0) += 1;
    }
    uses
}

/// The vectors that are kept in arrays.
fn arrays(ir: &Ir, outputs: &[Output]) -> BTreeSet<NodeId> {
    let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
    // For each vector, the loops that evaluate it.
    let mut loops: HashMap<NodeId, BTreeSet<usize>> = HashMap::new();
    for (k, o) in outputs.iter().enumerate() {
        for id in [Some(o.left), o.right].into_iter().flatten() {
            loops.entry(id).or_default().insert(k);
        }
    }
    let mut kept = BTreeSet::new();
    for &id in ir.reachable(&roots).iter().rev() {
        let inside = loops.remove(&id).unwrap_or_default();
        let is_vector = !ir.dim(id).is_one();
        let is_kept = is_vector
            && match ir.op(id) {
                Op::Pad { .. } | Op::Concat | Op::Contract(_) | Op::Recurrence { .. } | Op::Alignment { .. } => true,
                Op::Map(op, _) => inside.len() > 1 && op.0.elementwise().is_some_and(|e| e.dear),
                _ => false,
            };
        if is_kept {
            kept.insert(id);
        }
        let own = BTreeSet::from([outputs.len() + id.index()]);
        // Every product of a contraction reads its operands again.
        let often = BTreeSet::from([outputs.len() + id.index(), outputs.len() + ir.len() + id.index()]);
        let passed = match ir.op(id) {
            Op::Contract(_) => &often,
            _ if is_vector && !is_kept => &inside,
            _ => &own,
        };
        for &a in ir.args(id) {
            loops.entry(a).or_default().extend(passed);
        }
    }
    kept
}

/// The statements written so far.
pub(super) struct Writer<'a> {
    pub(super) ir: &'a Ir,
    pub(super) layout: &'a Layout,
    arrays: BTreeSet<NodeId>,
    /// Numbers and arrays that have a name.
    pub(super) bound: HashMap<NodeId, Ident>,
    prepared: HashSet<NodeId>,
    pub(super) uses: HashMap<NodeId, usize>,
    lines: Vec<TokenStream>,
}

/// The loop variable.
fn looped() -> Index {
    Index::Loop { variable: "d".into(), step: 1, start: 0 }
}

impl Writer<'_> {
    fn output(&mut self, o: &Output) {
        for id in [Some(o.left), o.right].into_iter().flatten() {
            self.prepare(id);
        }
        if o.dim.is_one() {
            let (at, mut inside) = (&o.at, Inside::default());
            let left = self.component(o.left, &Index::Known(0), &mut inside);
            let right = o.right.map(|r| self.component(r, &Index::Known(0), &mut inside));
            self.lines.extend(inside.lines);
            self.lines.push(match right {
                Some(right) => quote!(out.put_product(#at, #left, #right);),
                None => quote!(out.put(#at, #left);),
            });
            return;
        }
        let (n, at, mut inside) = (dim_tokens(&o.dim), &o.at, Inside::default());
        let left = self.component(o.left, &looped(), &mut inside);
        let right = o.right.map(|r| self.component(r, &looped(), &mut inside));
        let position = if at.to_string() == "0" { quote!(d) } else { quote!(#at + d) };
        let write = match right {
            Some(right) => quote!(out.put_product(#position, #left, #right);),
            None => quote!(out.put(#position, #left);),
        };
        let lines = inside.lines;
        self.lines.push(quote!(for d in 0..#n { #(#lines)* #write }));
    }

    /// Gives a name to every number and array that the components of `id` need.
    fn prepare(&mut self, id: NodeId) {
        if !self.prepared.insert(id) {
            return;
        }
        let node = self.ir.node(id);
        if is_leaf(&node.op) {
            return;
        }
        for a in self.needed_by(id) {
            self.prepare(a);
        }
        if node.dim.is_one() {
            self.bind_number(id);
        } else if self.arrays.contains(&id) {
            self.bind_array(id);
        }
    }

    fn bind_number(&mut self, id: NodeId) {
        let node = self.ir.node(id);
        let name = format_ident!("s{}", id.index());
        match &node.op {
            Op::Sum => self.sum_loop(&name, number(0.0), node.args[0]),
            Op::Extreme { max, arg } => self.extreme_loop(&name, node.args[0], *max, *arg),
            Op::Contract(_) => {
                // One number, but summed like an array.
                self.bind_array(id);
                return;
            }
            Op::Map(..) => {
                if let Some((sum, seed)) = self.seeded(id) {
                    let mut inside = Inside::default();
                    let seed = self.component(seed, &Index::Known(0), &mut inside);
                    self.lines.extend(inside.lines);
                    self.sum_loop(&name, seed, self.ir.args(sum)[0]);
                } else {
                    let mut inside = Inside::default();
                    let value = self.map_value(id, &Index::Known(0), &mut inside);
                    self.lines.extend(inside.lines);
                    self.lines.push(quote!(let #name = #value;));
                }
            }
            _ => {
                let mut inside = Inside::default();
                let value = self.layout_value(id, &Index::Known(0), &mut inside);
                self.lines.extend(inside.lines);
                self.lines.push(quote!(let #name = #value;));
            }
        }
        self.bound.insert(id, name);
    }

    fn sum_loop(&mut self, name: &Ident, start: TokenStream, terms: NodeId) {
        let (n, mut inside) = (dim_tokens(self.ir.dim(terms)), Inside::default());
        let step = match (self.ir.map_name(terms), self.bound.contains_key(&terms)) {
            (Some("Mult"), false) => {
                let args = self.ir.args(terms);
                let (a, b) =
                    (self.component(args[0], &looped(), &mut inside), self.component(args[1], &looped(), &mut inside));
                quote!(#name = #a.fma(#b, #name);)
            }
            (Some("Square"), false) => {
                let a = self.component(self.ir.args(terms)[0], &looped(), &mut inside);
                quote!(#name = #a.fma(#a, #name);)
            }
            _ => {
                let a = self.component(terms, &looped(), &mut inside);
                quote!(#name = #name + #a;)
            }
        };
        let lines = inside.lines;
        self.lines.push(quote! {
            let mut #name = #start;
            for d in 0..#n { #(#lines)* #step }
        });
    }

    fn extreme_loop(&mut self, name: &Ident, x: NodeId, max: bool, arg: bool) {
        let (n, mut inside) = (dim_tokens(self.ir.dim(x)), Inside::default());
        let mut before = Inside::default();
        let first = self.component(x, &Index::Known(0), &mut before);
        let v = self.component(x, &looped(), &mut inside);
        let better = if max { quote!(best.lt(#v)) } else { quote!(#v.lt(best)) };
        let (start, lines) = (before.lines, inside.lines);
        let (track, result) = if arg {
            (
                quote! {
                    let here = R::lit(d as f64);
                    let first = R::select(#v.eq(#v), here, at);
                    at = R::select(better, here, R::select(best.eq(best), at, first));
                },
                quote!(at),
            )
        } else {
            (quote!(), quote!(best))
        };
        let at = if arg { quote!(let mut at = R::lit(0.0);) } else { quote!() };
        self.lines.push(quote! {
            let #name = {
                #(#start)*
                let mut best = #first;
                #at
                for d in 1..#n {
                    #(#lines)*
                    let better = #better;
                    #track
                    best = R::select(better, #v, R::select(best.eq(best), best, #v));
                }
                #result
            };
        });
    }

    fn bind_array(&mut self, id: NodeId) {
        let node = self.ir.node(id);
        let (name, n) = (format_ident!("a{}", id.index()), dim_tokens(&node.dim));
        self.lines.push(quote!(let mut #name = [R::lit(0.0); #n];));
        match &node.op {
            Op::Concat => {
                let first = self.ir.dim(node.args[0]).lit().unwrap_or(0);
                self.copy_loop(&name, node.args[0], 0, 1);
                self.copy_loop(&name, node.args[1], first, 1);
            }
            Op::Pad { start, step } => self.copy_loop(&name, node.args[0], *start, *step),
            Op::Contract(_) => self.contract_loops(&name, id),
            Op::Recurrence { .. } => self.recurrence_loops(&name, id),
            Op::Alignment { width } => self.alignment_loop(&name, id, *width),
            _ => {
                let mut inside = Inside::default();
                let value = self.map_value(id, &looped(), &mut inside);
                let lines = inside.lines;
                self.lines.push(quote!(for d in 0..#n { #(#lines)* #name[d] = #value; }));
            }
        }
        self.bound.insert(id, name);
    }

    /// Copies a vector into an array.
    fn copy_loop(&mut self, name: &Ident, from: NodeId, start: usize, step: usize) {
        let (n, mut inside) = (dim_tokens(self.ir.dim(from)), Inside::default());
        let value = self.component(from, &looped(), &mut inside);
        let to = looped().mapped(step, start).tokens(0, &[]);
        let lines = inside.lines;
        self.lines.push(quote!(for d in 0..#n { #(#lines)* #name[#to] = #value; }));
    }

    /// One loop per axis, the summed ones innermost.
    fn contract_loops(&mut self, name: &Ident, id: NodeId) {
        let (Op::Contract(axes), &[f, g]) = (self.ir.op(id), self.ir.args(id)) else { return };
        let variable = |a: usize| format_ident!("x{}", a);
        let position = |of: &[usize]| {
            let parts = of.iter().map(|&a| {
                let (v, s) = (variable(a), axes.stride(of, a));
                let s = usize_of(s);
                quote!(#s * #v)
            });
            if of.is_empty() { quote!(0) } else { quote!(#(#parts)+*) }
        };
        let (to, l, r) = (position(&axes.out), position(&axes.left), position(&axes.right));
        let index = |v: &str| Index::Loop { variable: v.into(), step: 1, start: 0 };
        let mut inside = Inside::default();
        let a = self.component(f, &index("l"), &mut inside);
        let b = self.component(g, &index("r"), &mut inside);
        let lines = inside.lines;
        let mut code = quote! {
            let (l, r) = (#l, #r);
            #(#lines)*
            #name[#to] = #a.fma(#b, #name[#to]);
        };
        let summed = (0..axes.sizes.len()).filter(|a| !axes.out.contains(a));
        let order: Vec<usize> = axes.out.iter().copied().chain(summed).collect();
        for axis in order.into_iter().rev() {
            let (v, n) = (variable(axis), usize_of(axes.sizes[axis]));
            code = quote!(for #v in 0..#n { #code });
        }
        self.lines.push(code);
    }
}

impl Writer<'_> {
    fn recurrence_loops(&mut self, name: &Ident, id: NodeId) {
        let (Op::Recurrence { lags, reverse }, args) = (self.ir.op(id), self.ir.args(id)) else { return };
        self.copy_loop(name, args[0], 0, 1);
        let (n, mut inside) = (dim_tokens(self.ir.dim(id)), Inside::default());
        let weights: Vec<TokenStream> = args[1..].iter().map(|&w| self.component(w, &looped(), &mut inside)).collect();
        let steps = weights.iter().zip(lags.iter()).map(|(w, &lag)| {
            let lag = usize_of(lag);
            // Backwards, each value is handed on to those before it when it is complete.
            let (from, to) = if *reverse { (quote!(d), quote!(d - #lag)) } else { (quote!(d - #lag), quote!(d)) };
            quote!(if d >= #lag { #name[#to] = #w.fma(#name[#from], #name[#to]); })
        });
        let range = if *reverse { quote!((0..#n).rev()) } else { quote!(0..#n) };
        let lines = inside.lines;
        self.lines.push(quote!(for d in #range { #(#lines)* #(#steps)* }));
    }

    fn alignment_loop(&mut self, name: &Ident, id: NodeId, width: usize) {
        let &[costs, temperature] = self.ir.args(id) else { return };
        let (n, w, mut inside) = (dim_tokens(self.ir.dim(id)), usize_of(width), Inside::default());
        let cost = self.component(costs, &looped(), &mut inside);
        let g = self.component(temperature, &Index::Known(0), &mut inside);
        let Some(rule) = ops::elementwise("SoftLeast").elementwise() else { return };
        let least = (rule.emit)(&[quote!(diagonal), quote!(above), quote!(left), g], 0);
        let (lines, diagonal) = (inside.lines, usize_of(width + 1));
        self.lines.push(quote! {
            for d in 0..#n {
                #(#lines)*
                #name[d] = #cost;
                if d > 0 {
                    let (below, right, none) = (d >= #w, d % #w != 0, R::lit(f64::INFINITY));
                    let diagonal = if below && right { #name[d - #diagonal] } else { none };
                    let above = if below { #name[d - #w] } else { none };
                    let left = if right { #name[d - 1] } else { none };
                    #name[d] = #name[d] + #least;
                }
            }
        });
    }
}

fn is_leaf(op: &Op) -> bool {
    matches!(op, Op::Var { .. } | Op::Index { .. } | Op::Staged { .. } | Op::Const(_) | Op::Iota)
}
