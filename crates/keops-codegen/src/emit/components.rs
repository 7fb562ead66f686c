//! One component of a value, as an expression inside a loop.

use super::leaf::Index;
use super::loops::Writer;
use super::number;
use super::straight::unparenthesized;
use crate::ir::{NodeId, Op};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// Bindings inside one loop.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) lines: Vec<TokenStream>,
    names: HashMap<(NodeId, Index), Ident>,
}

impl Writer<'_> {
    /// What must have a name before `id`: its arguments, but for those that it absorbs.
    pub(super) fn needed_by(&self, id: NodeId) -> Vec<NodeId> {
        let args = self.ir.args(id);
        let through = |k: usize| -> Vec<NodeId> {
            let others = args.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, &a)| a);
            self.ir.args(args[k]).iter().copied().chain(others).collect()
        };
        match self.ir.map_name(id) {
            Some("Where") if self.is_comparison(args[0]) => through(0),
            Some("Add" | "Subtract") if self.ir.dim(id).is_one() => match (self.seeded(id), self.fused_argument(id)) {
                (Some((sum, seed)), _) => vec![self.ir.args(sum)[0], seed],
                (None, Some(k)) => through(k),
                (None, None) => args.to_vec(),
            },
            _ => args.to_vec(),
        }
    }

    fn is_comparison(&self, id: NodeId) -> bool {
        matches!(self.ir.op(id), Op::Map(op, _) if op.0.elementwise().is_some_and(|e| e.mask.is_some()))
    }

    /// Component `index` of a value, as a name or a short expression.
    pub(super) fn component(&self, id: NodeId, index: &Index, inside: &mut Inside) -> TokenStream {
        let node = self.ir.node(id);
        let scalar = node.dim.is_one();
        if let Some(name) = self.bound.get(&id) {
            return match (&node.op, scalar) {
                (Op::Contract(_), true) => quote!(#name[0]),
                (_, true) => quote!(#name),
                (_, false) => {
                    let at = index.tokens(0, &[]);
                    quote!(#name[#at])
                }
            };
        }
        let index = if scalar { &Index::Known(0) } else { index };
        if let Some(name) = inside.names.get(&(id, index.clone())) {
            return quote!(#name);
        }
        let value = match &node.op {
            Op::Const(b) => return number(b.value()),
            Op::Iota => match index {
                Index::Known(k) => number(*k as f64),
                Index::Loop { .. } => {
                    let at = index.tokens(0, &[]);
                    quote!(R::lit((#at) as f64))
                }
            },
            Op::Var { .. } | Op::Index { .. } | Op::Staged { .. } => self.layout.read(self.ir, id, index),
            Op::Map(..) => self.map_value(id, index, inside),
            _ => self.layout_value(id, index, inside),
        };
        let name = format_ident!("t{}", inside.names.len());
        inside.lines.push(quote!(let #name = #value;));
        inside.names.insert((id, index.clone()), name.clone());
        quote!(#name)
    }

    /// Component of a value that only moves components.
    pub(super) fn layout_value(&self, id: NodeId, index: &Index, inside: &mut Inside) -> TokenStream {
        let node = self.ir.node(id);
        match &node.op {
            Op::Slice { start, step } => self.component(node.args[0], &index.mapped(*step, *start), inside),
            Op::Broadcast => self.component(node.args[0], &Index::Known(0), inside),
            _ => number(0.0),
        }
    }

    pub(super) fn map_value(&self, id: NodeId, index: &Index, inside: &mut Inside) -> TokenStream {
        let node = self.ir.node(id);
        let Op::Map(op, int) = &node.op else { return number(0.0) };
        let args = &node.args;
        match op.0.name {
            "Add" | "Subtract" => {
                if let Some(k) = self.fused_argument(id) {
                    let factors = self.ir.args(args[k]);
                    let (first, last) = (factors[0], factors[factors.len() - 1]);
                    let (a, b) = (self.component(first, index, inside), self.component(last, index, inside));
                    let c = self.component(args[1 - k], index, inside);
                    return match (op.0.name, k) {
                        ("Add", _) => quote!(#a.fma(#b, #c)),
                        (_, 1) => quote!(#a.fnma(#b, #c)),
                        _ => quote!(#a.fma(#b, -#c)),
                    };
                }
            }
            "Square" => {
                let a = self.component(args[0], index, inside);
                return quote!(#a * #a);
            }
            "Where" => {
                let (a, b) = (self.component(args[1], index, inside), self.component(args[2], index, inside));
                if let Op::Map(comparison, _) = self.ir.op(args[0])
                    && let Some(mask) = comparison.0.elementwise().and_then(|e| e.mask)
                {
                    let x: Vec<TokenStream> =
                        self.ir.args(args[0]).iter().map(|&x| self.component(x, index, inside)).collect();
                    let m = mask(&x);
                    return quote!(R::select(#m, #a, #b));
                }
            }
            _ => {}
        }
        let x: Vec<TokenStream> = args.iter().map(|&a| self.component(a, index, inside)).collect();
        match op.0.elementwise() {
            Some(e) => unparenthesized((e.emit)(&x, *int)),
            None => number(0.0),
        }
    }

    /// Which argument of a sum or difference is a product that nothing else needs, to be fused with it.
    fn fused_argument(&self, id: NodeId) -> Option<usize> {
        let args = self.ir.args(id);
        let same_width = |a: NodeId| self.ir.dim(a) == self.ir.dim(id);
        [1, 0].into_iter().find(|&k| {
            let a = args[k];
            let product = matches!(self.ir.map_name(a), Some("Mult" | "Square"));
            product && same_width(a) && self.uses[&a] == 1 && !self.bound.contains_key(&a)
        })
    }

    /// `Σ v + c` as (sum, c), if nothing else needs the sum.
    pub(super) fn seeded(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let args = self.ir.args(id);
        if self.ir.map_name(id) != Some("Add") {
            return None;
        }
        let k = args.iter().position(|a| *self.ir.op(*a) == Op::Sum && self.uses[a] == 1)?;
        Some((args[k], args[1 - k]))
    }
}
