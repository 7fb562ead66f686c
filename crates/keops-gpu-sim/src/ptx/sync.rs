//! Decoding of instructions by which threads meet: barriers, shuffles, votes.

use super::opcode::{Args, Modifiers, atomic_op, pair};
use super::operand::Names;
use super::program::{Op, ShuffleMode, Vote, WarpOp};
use super::types::Type;

pub(super) fn barrier(n: &Names<'_>, name: &str, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let operand = |k: usize| args.get(k).map(|a| n.operand(a, Type::Unsigned(32))).transpose();
    let warp = mods.take("warp");
    let aligned = mods.take("aligned") || name == "bar";
    mods.ignore(&["cta"]);
    if !mods.take("sync") {
        return Err("only `sync` is supported".to_string());
    }
    let first = operand(0)?.ok_or("no operand")?;
    if warp {
        return Ok(Op::Warp(WarpOp::Sync { mask: first }));
    }
    Ok(Op::Barrier { id: first, count: operand(1)?, aligned })
}

pub(super) fn warp(n: &Names<'_>, name: &str, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<WarpOp, String> {
    let number = |k: usize| match args.get(k) {
        Some(arg) => n.operand(arg, Type::Unsigned(32)),
        None => Err(format!("{} operands", args.len())),
    };
    let target = args.first().ok_or("no operands")?;
    if name == "activemask" {
        mods.take("b32");
        return Ok(WarpOp::ActiveMask { dst: n.destination(target)? });
    }
    if !mods.take("sync") {
        return Err("only the `.sync` form is supported".to_string());
    }
    match name {
        "shfl" => {
            let mode = mods.find(|m| match m {
                "up" => Some(ShuffleMode::Up),
                "down" => Some(ShuffleMode::Down),
                "bfly" => Some(ShuffleMode::Butterfly),
                "idx" => Some(ShuffleMode::Index),
                _ => None,
            });
            mods.take("b32");
            let [dst, inside] = pair(n, target)?;
            let (value, lane, clamp, mask) = (number(1)?, number(2)?, number(3)?, number(4)?);
            Ok(WarpOp::Shuffle { mode: mode.ok_or("no shuffle mode")?, dst, inside, value, lane, clamp, mask })
        }
        "vote" => {
            let vote = mods.find(|m| match m {
                "all" => Some(Vote::All),
                "any" => Some(Vote::Any),
                "uni" => Some(Vote::Uniform),
                "ballot" => Some(Vote::Ballot),
                _ => None,
            });
            mods.ignore(&["pred", "b32"]);
            let (source, negate) = n.predicate(args.get(1).ok_or("no predicate")?)?;
            let dst = n.destination(target)?;
            Ok(WarpOp::Vote { vote: vote.ok_or("no kind of vote")?, dst, source, negate, mask: number(2)? })
        }
        _ => {
            let op = mods.find(atomic_op).ok_or("no operation")?;
            Ok(WarpOp::Reduce { op, ty: mods.ty()?, dst: n.destination(target)?, value: number(1)?, mask: number(2)? })
        }
    }
}
