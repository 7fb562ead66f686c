//! Reverse mode.

use super::tape::{At, Tape};
use crate::ir::{Axes, Ir, NodeId, Op};
use crate::ops::alignment;
use std::collections::HashMap;

/// The transpose of the derivative by `v`, applied to seeds: Σ over (value, seed) of (∂value/∂v)ᵀ seed.
pub fn grad(ir: &mut Ir, seeds: &[(NodeId, NodeId)], v: NodeId) -> Result<NodeId, String> {
    let roots: Vec<NodeId> = seeds.iter().map(|s| s.0).collect();
    let order = ir.reachable(&roots);
    let depends = super::dependents(ir, &order, v);
    let mut walk = Reverse { tape: Tape::new(ir), depends, cotangents: HashMap::new() };
    for &(root, seed) in seeds {
        walk.receive(root, seed);
    }
    for &id in order.iter().rev().filter(|&&id| id != v) {
        if let Some(t) = walk.cotangents.remove(&id) {
            walk.pull_back(id, t)?;
        }
    }
    Ok(match walk.cotangents.remove(&v) {
        Some(t) => t,
        None => {
            let dim = ir.dim(v).clone();
            ir.constant_vector(0.0, dim)
        }
    })
}

struct Reverse<'a> {
    tape: Tape<'a>,
    depends: Vec<bool>,
    cotangents: HashMap<NodeId, NodeId>,
}

impl Reverse<'_> {
    /// Adds to the cotangent of a node, if the variable is below it.
    fn receive(&mut self, id: NodeId, t: NodeId) {
        if !self.depends.get(id.index()).copied().unwrap_or(false) {
            return;
        }
        let sum = match self.cotangents.remove(&id) {
            Some(before) => self.tape.plus(before, t),
            None => t,
        };
        self.cotangents.insert(id, sum);
    }

    /// Passes the cotangent `t` of a node on to its arguments.
    fn pull_back(&mut self, id: NodeId, t: NodeId) -> Result<(), String> {
        let node = self.tape.ir.node(id).clone();
        let args = &node.args;
        match &node.op {
            Op::Var { .. } | Op::Const(_) | Op::Index { .. } | Op::Iota | Op::Staged { .. } => {}
            Op::Map(op, int) => {
                let Some(rule) = op.0.elementwise() else { return Ok(()) };
                let at = At { x: args, y: id, int: *int };
                for (k, &arg) in args.iter().enumerate() {
                    if !self.depends[arg.index()] {
                        continue;
                    }
                    if let Some(part) = (rule.partial)(&mut self.tape, &at, k, t) {
                        let narrow = self.tape.ir.dim(arg).is_one() && !self.tape.ir.dim(part).is_one();
                        let part = if narrow { self.tape.total(part) } else { part };
                        self.receive(arg, part);
                    }
                }
            }
            Op::Sum => {
                let dim = self.tape.ir.dim(args[0]).clone();
                let wide = self.tape.ir.broadcast(t, dim);
                let wide = self.tape.like(t, wide);
                self.receive(args[0], wide);
            }
            Op::Broadcast => {
                let sum = self.tape.total(t);
                self.receive(args[0], sum);
            }
            Op::Slice { start, step } => {
                let dim = self.tape.ir.dim(args[0]).clone();
                let padded = self.tape.ir.pad(t, *start, *step, dim);
                let padded = self.tape.guard(padded);
                self.receive(args[0], padded);
            }
            Op::Pad { start, step } => self.receive_slice(args[0], t, *start, *step)?,
            Op::Concat => {
                let first = self.tape.ir.dim(args[0]).known("vectors are joined")?;
                self.receive_slice(args[0], t, 0, 1)?;
                self.receive_slice(args[1], t, first, 1)?;
            }
            Op::Contract(axes) => {
                let Axes { sizes, left, right, out } = (**axes).clone();
                if self.depends[args[0].index()] {
                    let back =
                        Axes { sizes: sizes.clone(), left: out.clone(), right: right.clone(), out: left.clone() };
                    let part = self.tape.ir.contract(t, args[1], back);
                    self.receive(args[0], part);
                }
                if self.depends[args[1].index()] {
                    let part = self.tape.ir.contract(args[0], t, Axes { sizes, left, right: out, out: right });
                    self.receive(args[1], part);
                }
            }
            Op::Recurrence { lags, reverse } => {
                let n = node.dim.known("it is a recurrence")?;
                let back = self.tape.ir.recurrence(t, &args[1..], lags.clone(), !reverse);
                for (r, &lag) in lags.iter().enumerate() {
                    if !self.depends[args[r + 1].index()] {
                        continue;
                    }
                    // Each weight joins a value with the cotangent `lag` places on, whichever of them is which.
                    let (early, late) = if *reverse { (back, id) } else { (id, back) };
                    let early = self.tape.ir.shifted(early, lag, n, false);
                    let part = self.tape.ir.mul(early, late);
                    self.receive(args[r + 1], part);
                }
                self.receive(args[0], back);
            }
            Op::Alignment { width } => {
                let slopes = alignment::slopes(self.tape.ir, id, args[1], *width)?;
                let back = self.tape.ir.recurrence(t, &slopes.shares, alignment::lags(*width), true);
                let by_temperature = self.tape.ir.mul(back, slopes.by_temperature);
                let by_temperature = self.tape.ir.sum(by_temperature);
                self.receive(args[1], by_temperature);
                self.receive(args[0], back);
            }
            Op::Extreme { arg: true, .. } => {}
            Op::Extreme { max, arg: false } => {
                let mask = selected(self.tape.ir, args[0], *max);
                let part = self.tape.keep_if(mask, true, t);
                self.receive(args[0], part);
            }
        }
        Ok(())
    }

    fn receive_slice(&mut self, arg: NodeId, t: NodeId, start: usize, step: usize) -> Result<(), String> {
        let len = self.tape.ir.dim(arg).known("components are taken by position")?;
        let part = self.tape.ir.slice(t, start, step, len);
        let part = self.tape.like(t, part);
        self.receive(arg, part);
        Ok(())
    }
}

/// 1 at the first largest (smallest) component of `f`, else 0.
pub(super) fn selected(ir: &mut Ir, f: NodeId, max: bool) -> NodeId {
    let dim = ir.dim(f).clone();
    let (position, places) = (ir.extreme(f, max, true), ir.iota(dim));
    ir.map("Equal", &[places, position])
}
