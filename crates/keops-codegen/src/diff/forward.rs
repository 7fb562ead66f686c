//! Forward mode.

use super::reverse::selected;
use super::tape::{At, Tape};
use crate::ir::{Ir, NodeId, Op};
use crate::ops::alignment;
use std::collections::HashMap;

/// The derivative of `f` by `v`, applied to `u`.
pub fn diff(ir: &mut Ir, f: NodeId, v: NodeId, u: NodeId) -> Result<NodeId, String> {
    let order = ir.reachable(&[f]);
    let mut tangents = HashMap::from([(v, u)]);
    for id in order {
        if id != v
            && let Some(t) = push_forward(ir, id, &tangents)?
        {
            let dim = ir.dim(id).clone();
            let t = ir.broadcast(t, dim);
            tangents.insert(id, t);
        }
    }
    Ok(match tangents.get(&f) {
        Some(&t) => t,
        None => {
            let dim = ir.dim(f).clone();
            ir.constant_vector(0.0, dim)
        }
    })
}

/// The tangent of a node from those of its arguments.
fn push_forward(ir: &mut Ir, id: NodeId, tangents: &HashMap<NodeId, NodeId>) -> Result<Option<NodeId>, String> {
    let node = ir.node(id).clone();
    let args = &node.args;
    if !args.iter().any(|a| tangents.contains_key(a)) {
        return Ok(None);
    }
    let tangent = |k: usize| tangents.get(&args[k]).copied();
    Ok(match &node.op {
        Op::Var { .. }
        | Op::Const(_)
        | Op::Index { .. }
        | Op::Iota
        | Op::Staged { .. }
        | Op::Extreme { arg: true, .. } => None,
        Op::Map(op, _) if op.0.name == "Where" => {
            let zero = ir.constant(0.0);
            let (a, b) = (tangent(1), tangent(2));
            if a.is_none() && b.is_none() {
                return Ok(None);
            }
            Some(ir.choose(args[0], a.unwrap_or(zero), b.unwrap_or(zero)))
        }
        Op::Map(op, int) => {
            let Some(rule) = op.0.elementwise() else { return Ok(None) };
            let at = At { x: args, y: id, int: *int };
            // Tangents need no guard: a selection comes after the values that it selects from.
            let mut tape = Tape::new(ir);
            let mut sum = None;
            for k in 0..args.len() {
                if let Some(t) = tangent(k)
                    && let Some(part) = (rule.partial)(&mut tape, &at, k, t)
                {
                    sum = Some(match sum {
                        Some(s) => tape.ir.add(s, part),
                        None => part,
                    });
                }
            }
            sum
        }
        Op::Sum => tangent(0).map(|t| ir.sum(t)),
        Op::Broadcast => tangent(0),
        Op::Slice { start, step } => {
            let len = node.dim.known("components are taken by position")?;
            tangent(0).map(|t| ir.slice(t, *start, *step, len))
        }
        Op::Pad { start, step } => tangent(0).map(|t| ir.pad(t, *start, *step, node.dim.clone())),
        Op::Concat => {
            let mut part = |k: usize| match tangent(k) {
                Some(t) => t,
                None => {
                    let dim = ir.dim(args[k]).clone();
                    ir.constant_vector(0.0, dim)
                }
            };
            let (a, b) = (part(0), part(1));
            Some(ir.concat(a, b)?)
        }
        Op::Contract(axes) => {
            let left = tangent(0).map(|t| ir.contract(t, args[1], (**axes).clone()));
            let right = tangent(1).map(|t| ir.contract(args[0], t, (**axes).clone()));
            match (left, right) {
                (Some(a), Some(b)) => Some(ir.add(a, b)),
                (a, b) => a.or(b),
            }
        }
        Op::Recurrence { lags, reverse } => {
            let n = node.dim.known("it is a recurrence")?;
            let mut b = tangent(0);
            for (r, &lag) in lags.iter().enumerate() {
                let Some(t) = tangent(r + 1) else { continue };
                let part = if *reverse {
                    let product = ir.mul(t, id);
                    ir.shifted(product, lag, n, true)
                } else {
                    let before = ir.shifted(id, lag, n, false);
                    ir.mul(t, before)
                };
                b = Some(b.map_or(part, |b| ir.add(b, part)));
            }
            b.map(|b| ir.recurrence(b, &args[1..], lags.clone(), *reverse))
        }
        Op::Alignment { width } => {
            let slopes = alignment::slopes(ir, id, args[1], *width)?;
            let by_temperature = tangent(1).map(|t| ir.mul(t, slopes.by_temperature));
            let b = match (tangent(0), by_temperature) {
                (Some(a), Some(b)) => Some(ir.add(a, b)),
                (a, b) => a.or(b),
            };
            b.map(|b| ir.recurrence(b, &slopes.shares, alignment::lags(*width), false))
        }
        Op::Extreme { max, arg: false } => tangent(0).map(|t| {
            let (mask, zero) = (selected(ir, args[0], *max), ir.constant(0.0));
            let kept = ir.choose(mask, t, zero);
            ir.sum(kept)
        }),
    })
}
