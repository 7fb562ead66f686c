//! Where leaves are read from.

use super::{category_tokens, dim_tokens};
use crate::ir::{Dim, Ir, NodeId, Op, Space};
use crate::schedule::Schedule;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A count or position.
pub(super) fn usize_of(n: usize) -> TokenStream {
    let n = Literal::usize_unsuffixed(n);
    quote!(#n)
}

/// The sum of dimensions as an expression.
pub(super) fn sum_of_dims(dims: &[Dim]) -> TokenStream {
    let known: usize = dims.iter().filter_map(Dim::lit).sum();
    let unknown: Vec<TokenStream> = dims.iter().filter(|d| d.lit().is_none()).map(dim_tokens).collect();
    let known_tokens = usize_of(known);
    match (unknown.is_empty(), known) {
        (true, _) => known_tokens,
        (false, 0) => quote!(#(#unknown)+*),
        (false, _) => quote!(#known_tokens #(+ #unknown)*),
    }
}

/// Position of a component.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Index {
    /// Known.
    Known(usize),
    /// `start + step · variable`
    Loop {
        /// Name of the loop variable.
        variable: String,
        /// Distance.
        step: usize,
        /// First.
        start: usize,
    },
}

impl Index {
    /// Component `start + step · self`.
    pub(super) fn mapped(&self, by: usize, from: usize) -> Index {
        match self {
            Index::Known(k) => Index::Known(from + by * k),
            Index::Loop { variable, step, start } => {
                Index::Loop { variable: variable.clone(), step: by * step, start: from + by * start }
            }
        }
    }

    /// `offset + self` as an expression.
    pub(super) fn tokens(&self, known: usize, unknown: &[TokenStream]) -> TokenStream {
        match self {
            Index::Known(k) => {
                let k = usize_of(known + k);
                if unknown.is_empty() { k } else { quote!(#k #(+ #unknown)*) }
            }
            Index::Loop { variable, step, start } => {
                let d = proc_macro2::Ident::new(variable, proc_macro2::Span::call_site());
                let (s, first) = (usize_of(*step), usize_of(known + start));
                let scaled = if *step == 1 { quote!(#d) } else { quote!(#s * #d) };
                let tail = if known + start == 0 { quote!() } else { quote!(+ #first) };
                quote!(#scaled #tail #(+ #unknown)*)
            }
        }
    }
}

/// Positions of the staged values of each space.
pub(super) struct Layout {
    param: Vec<Dim>,
    row: Vec<Dim>,
    col: Vec<Dim>,
    /// Path of the module with the core traits.
    path: TokenStream,
}

impl Layout {
    pub(super) fn new(ir: &Ir, s: &Schedule, path: &TokenStream) -> Self {
        let dims = |slots: &[NodeId]| slots.iter().map(|&n| ir.dim(n).clone()).collect();
        Layout { param: dims(&s.param), row: dims(&s.row), col: dims(&s.col), path: path.clone() }
    }

    fn dims_before(&self, space: Space, slot: usize) -> &[Dim] {
        match space {
            Space::Param => &self.param[..slot],
            Space::Row => &self.row[..slot],
            Space::Col => &self.col[..slot],
            Space::Acc => &[],
        }
    }

    /// Offset of a slot: its known part and the whole expression.
    pub(super) fn offset(&self, space: Space, slot: usize) -> (usize, TokenStream) {
        let dims = self.dims_before(space, slot);
        (dims.iter().filter_map(Dim::lit).sum(), sum_of_dims(dims))
    }

    /// Component `index` of a leaf.
    pub(super) fn read(&self, ir: &Ir, leaf: NodeId, index: &Index) -> TokenStream {
        match *ir.op(leaf) {
            Op::Staged { space, slot } => {
                let dims = self.dims_before(space, slot);
                let unknown: Vec<TokenStream> = dims.iter().filter(|d| d.lit().is_none()).map(dim_tokens).collect();
                let at = index.tokens(dims.iter().filter_map(Dim::lit).sum(), &unknown);
                let from = match space {
                    Space::Param => quote!(par),
                    Space::Row => quote!(row),
                    Space::Col => quote!(col),
                    Space::Acc => quote!(acc),
                };
                quote!(#from.at(#at))
            }
            Op::Var { position, .. } => {
                let (v, at) = (usize_of(position), index.tokens(0, &[]));
                quote!(var.at(#v, #at))
            }
            Op::Index { category, high } => {
                let path = &self.path;
                let category = category_tokens(category);
                quote!(var.index_half(#path::Category::#category, #high))
            }
            _ => quote!(),
        }
    }
}
