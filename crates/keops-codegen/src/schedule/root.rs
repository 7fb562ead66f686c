//! What a reduction accumulates, and what is left to do when a row is complete.

use super::Delivery;
use super::product::{Factor, Product};
use super::stage::{Stage, Stager};
use crate::ir::{Dim, NodeId, Space};

/// The parts of a schedule that belong to the reduction.
pub(super) struct Body {
    pub(super) pair: Vec<Delivery>,
    pub(super) dim: Dim,
    pub(super) outer: Option<usize>,
    pub(super) acc: Dim,
    pub(super) finish: NodeId,
}

/// `Σ a_i · k_ij · b_j = a_i · Σ k_ij · b_j`: factors that do not depend on the column leave the sum; what depends on the
/// column only is a vector that the engine multiplies, if the rest is one number.
pub(super) fn sum(st: &mut Stager<'_>, root: NodeId) -> Body {
    let dim = st.ir.dim(root).clone();
    if !st.hoist {
        let value = st.build(root, true);
        let (pair, acc) =
            (vec![Delivery { at: 0, left: value, right: None }], st.ir.staged(Space::Acc, 0, dim.clone()));
        return Body { pair, dim: dim.clone(), outer: None, acc: dim, finish: acc };
    }
    let Product { coefficient, factors } = st.factored(root);
    let (inside, outside): (Vec<Factor>, Vec<Factor>) =
        factors.into_iter().partition(|f| matches!(st.stage(f.node), Stage::Col | Stage::Pair));
    let (pair, col): (Vec<Factor>, Vec<Factor>) = inside.iter().partition(|f| st.stage(f.node) == Stage::Pair);
    let one_number = pair.iter().all(|f| st.ir.dim(f.node).is_one());
    let (delivery, outer, acc) = if one_number {
        let value = st.assembled(Product { coefficient: 1.0, factors: pair });
        let outer = (!col.is_empty()).then(|| st.node_of(1.0, &col));
        let acc = outer.map_or(Dim::ONE, |o| st.ir.dim(o).clone());
        let slot = outer.map(|o| st.slot(Space::Col, o));
        let delivery =
            if outer.is_some() { Delivery { at: 0, left: value, right: None } } else { as_product(st, value) };
        (delivery, slot, acc)
    } else {
        // Every factor inside is a number or has the components of the whole.
        let (number, vector) = st.assembled_parts(Product { coefficient: 1.0, factors: inside });
        let delivery = match (number, vector) {
            (Some(s), Some(v)) => Delivery { at: 0, left: s, right: Some(v) },
            (Some(v), None) | (None, Some(v)) => as_product(st, v),
            (None, None) => Delivery { at: 0, left: st.ir.constant(1.0), right: None },
        };
        (delivery, None, dim.clone())
    };
    let pair_dim = if one_number { Dim::ONE } else { dim.clone() };
    let finish = finish(st, coefficient, &outside, acc.clone(), dim);
    Body { pair: vec![delivery], dim: pair_dim, outer, acc, finish }
}

/// A value that is itself a product is delivered as one.
fn as_product(st: &mut Stager<'_>, v: NodeId) -> Delivery {
    match (st.ir.map_name(v), st.ir.args(v)) {
        (Some("Mult"), &[a, b]) => Delivery { at: 0, left: a, right: Some(b) },
        (Some("Square"), &[a]) => Delivery { at: 0, left: a, right: Some(a) },
        _ => Delivery { at: 0, left: v, right: None },
    }
}

/// The accumulated values times what left the sum. Numbers are multiplied when the row is staged, vectors here.
fn finish(st: &mut Stager<'_>, coefficient: f64, outside: &[Factor], acc: Dim, dim: Dim) -> NodeId {
    let (numbers, vectors): (Vec<Factor>, Vec<Factor>) = outside.iter().partition(|f| st.ir.dim(f.node).is_one());
    let mut value = st.ir.staged(Space::Acc, 0, acc);
    if coefficient != 1.0 || !numbers.is_empty() {
        let number = st.node_of(coefficient, &numbers);
        let leaf = st.leaf(number);
        value = st.ir.mul(leaf, value);
    }
    for f in vectors {
        let leaf = st.leaf(f.node);
        value = if f.inverse { st.ir.div(value, leaf) } else { st.ir.mul(value, leaf) };
    }
    st.ir.broadcast(value, dim)
}

/// Value 0 is the exponent; weights that depend on columns only are the outer vector, others are further values.
pub(super) fn exponential(st: &mut Stager<'_>, root: NodeId, weights: Option<NodeId>) -> Result<Body, String> {
    let value = st.build(root, false);
    let mut pair = vec![Delivery { at: 0, left: value, right: None }];
    let acc = weights.map_or(Dim::ONE, |w| st.ir.dim(w).clone());
    let (mut outer, mut dim) = (None, Dim::ONE);
    if let Some(w) = weights {
        if st.hoist && matches!(st.stage(w), Stage::Const | Stage::Param | Stage::Col) {
            outer = Some(st.slot(Space::Col, w));
        } else {
            let n = acc.known("weights that differ from pair to pair")?;
            let value = st.build(w, false);
            pair.push(Delivery { at: 1, left: value, right: None });
            dim = Dim::Lit(1 + n);
        }
    }
    let finish = st.ir.staged(Space::Acc, 0, acc.clone());
    Ok(Body { pair, dim, outer, acc, finish })
}

/// All components as they are.
pub(super) fn select(st: &mut Stager<'_>, root: NodeId) -> Body {
    let dim = st.ir.dim(root).clone();
    let value = st.build(root, false);
    let finish = st.ir.staged(Space::Acc, 0, dim.clone());
    Body { pair: vec![Delivery { at: 0, left: value, right: None }], dim: dim.clone(), outer: None, acc: dim, finish }
}
