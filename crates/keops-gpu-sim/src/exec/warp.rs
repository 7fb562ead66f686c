//! Operations of the threads of a warp together: shuffles, votes, reductions, `bar.warp.sync`.

use super::atomic;
use super::thread::{Machine, State, Thread};
use crate::fault::{Fault, Kind};
use crate::ptx::program::{Atomic, Op, Operand, Program, ShuffleMode, Vote, WarpOp};
use crate::ptx::types::Type;

/// Executes at most one operation of `warp`, whose threads all wait or have ended; true if there was one.
pub(crate) fn resolve(warp: &mut [Thread], machine: &mut Machine<'_>) -> Result<bool, (usize, Fault)> {
    for lane in 0..warp.len() {
        if warp[lane].state != State::Warp {
            continue;
        }
        let Some(op) = operation(machine.program, &warp[lane]) else { continue };
        let members = members(warp, lane, op)?;
        if let Some(members) = members {
            perform(warp, &members, op)?;
            for k in members {
                warp[k].state = State::Ready;
                warp[k].warp_epoch = warp[k].warp_epoch.wrapping_add(1);
            }
            return Ok(true);
        }
    }
    Ok(false)
}

fn operation(program: &Program, thread: &Thread) -> Option<WarpOp> {
    match program.functions[thread.frame.function].code[thread.frame.pc - 1].op {
        Op::Warp(op) => Some(op),
        _ => None,
    }
}

/// The lanes that take part in the operation at which `lane` waits; `None` while some are not there.
fn members(warp: &[Thread], lane: usize, op: WarpOp) -> Result<Option<Vec<usize>>, (usize, Fault)> {
    let place = |t: &Thread| (t.frame.function, t.frame.pc);
    let together = |k: &usize| warp[*k].state == State::Warp && place(&warp[*k]) == place(&warp[lane]);
    let mask = match op {
        WarpOp::ActiveMask { .. } => return Ok(Some((0..warp.len()).filter(together).collect())),
        WarpOp::Sync { mask }
        | WarpOp::Shuffle { mask, .. }
        | WarpOp::Vote { mask, .. }
        | WarpOp::Reduce { mask, .. } => mask,
    };
    let own = warp[lane].value(mask) as u32;
    if own >> lane & 1 == 0 {
        return Err((lane, Fault::new(Kind::Divergence, format!("mask {own:#x} without its own lane {lane}"))));
    }
    // Lanes beyond the block's last thread may be named.
    let named: Vec<usize> = (0..warp.len()).filter(|k| own >> k & 1 != 0).collect();
    if let Some(ended) = named.iter().find(|k| warp[**k].state == State::Done) {
        return Err((lane, Fault::new(Kind::Divergence, format!("mask {own:#x} names lane {ended}, which has ended"))));
    }
    let existing = |m: u32| if warp.len() >= 32 { m } else { m & ((1 << warp.len()) - 1) };
    let agree = |k: &usize| together(k) && existing(warp[*k].value(mask) as u32) == existing(own);
    Ok(named.iter().all(agree).then_some(named))
}

fn perform(warp: &mut [Thread], members: &[usize], op: WarpOp) -> Result<(), (usize, Fault)> {
    match op {
        WarpOp::Sync { .. } => {}
        WarpOp::ActiveMask { dst } => {
            let mask = members.iter().fold(0, |all, k| all | 1 << k);
            members.iter().for_each(|k| warp[*k].set(dst, mask));
        }
        WarpOp::Vote { vote, dst, source, negate, .. } => {
            let votes: Vec<bool> = members.iter().map(|k| (warp[*k].value(source) & 1 != 0) != negate).collect();
            let (all, any) = (votes.iter().all(|v| *v), votes.iter().any(|v| *v));
            let result = match vote {
                Vote::All => u64::from(all),
                Vote::Any => u64::from(any),
                Vote::Uniform => u64::from(all || !any),
                Vote::Ballot => members.iter().zip(&votes).fold(0, |mask, (k, v)| mask | u64::from(*v) << k),
            };
            members.iter().for_each(|k| warp[*k].set(dst, result));
        }
        WarpOp::Reduce { op, ty, dst, value, .. } => {
            let result = reduce(warp, members, op, ty, value);
            members.iter().for_each(|k| warp[*k].set(dst, result));
        }
        WarpOp::Shuffle { mode, dst, inside, value, lane, clamp, .. } => {
            let before: Vec<u64> = warp.iter().map(|t| t.value(value) & 0xffff_ffff).collect();
            let sources: Vec<(usize, bool)> =
                members.iter().map(|k| source(mode, *k, warp[*k].value(lane), warp[*k].value(clamp))).collect();
            for (k, (from, valid)) in members.iter().zip(sources) {
                if !members.contains(&from) {
                    let what = format!("lane {k} reads from lane {from}, which takes no part");
                    return Err((*k, Fault::new(Kind::Divergence, what)));
                }
                warp[*k].set(inside, u64::from(valid));
                warp[*k].set(dst, before[from]);
            }
        }
    }
    Ok(())
}

fn reduce(warp: &[Thread], members: &[usize], op: Atomic, ty: Type, value: Operand) -> u64 {
    let values = members.iter().map(|k| warp[*k].value(value));
    values.reduce(|a, b| atomic::update(op, ty, a, [b, 0])).unwrap_or(0)
}

/// The lane that `own` reads from, and whether that is the one asked for; the rule is the PTX manual's.
fn source(mode: ShuffleMode, own: usize, lane: u64, clamp: u64) -> (usize, bool) {
    let (own, b, clamp) = (own as i64, (lane & 0x1f) as i64, (clamp & 0xffff) as i64);
    let (bound, segment) = (clamp & 0x1f, clamp >> 8 & 0x1f);
    let highest = (own & segment) | (bound & !segment);
    let lowest = own & segment;
    let (wanted, valid) = match mode {
        ShuffleMode::Up => (own - b, own - b >= highest),
        ShuffleMode::Down => (own + b, own + b <= highest),
        ShuffleMode::Butterfly => (own ^ b, own ^ b <= highest),
        ShuffleMode::Index => {
            let wanted = lowest | (b & !segment);
            (wanted, wanted <= highest)
        }
    };
    (if valid { wanted } else { own } as usize, valid)
}
