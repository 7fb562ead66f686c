//! `bar.sync`: releases the threads that wait when all have come, and finds those that never will.

use super::thread::{Machine, State, Thread};
use crate::fault::{Fault, Kind};
use crate::ptx::program::Program;

/// Hardware barriers of a block.
const BARRIERS: u64 = 16;

fn line(program: &Program, thread: &Thread) -> u32 {
    program.functions[thread.frame.function].code[thread.frame.pc - 1].line
}

/// Called when no thread can run: releases at least one barrier, or says why none can be.
pub(crate) fn release(threads: &mut [Thread], machine: &mut Machine<'_>) -> Result<(), (usize, Fault)> {
    let mut released = false;
    for id in 0..BARRIERS {
        let waiting = arrived(threads, id);
        let Some((expected, first)) = expected(threads, &waiting)? else { continue };
        check_warps(threads, &waiting, machine.program)?;
        if waiting.len() as u64 == expected {
            for k in waiting {
                threads[k].state = State::Ready;
            }
            machine.shared.barrier();
            machine.counts.barriers += 1;
            released = true;
        } else if waiting.len() as u64 > expected {
            let what = format!("{} threads at a barrier for {expected}", waiting.len());
            return Err((first, Fault::new(Kind::Barrier, what)));
        }
    }
    if released { Ok(()) } else { Err(stuck(threads)) }
}

fn arrived(threads: &[Thread], barrier: u64) -> Vec<usize> {
    let here = |t: &Thread| matches!(t.state, State::Barrier { id, .. } if id == barrier);
    (0..threads.len()).filter(|k| here(&threads[*k])).collect()
}

/// How many threads a barrier waits for, with the first that has come; `None` when nobody has.
fn expected(threads: &[Thread], waiting: &[usize]) -> Result<Option<(u64, usize)>, (usize, Fault)> {
    let mut all = None;
    for k in waiting {
        let State::Barrier { count, .. } = threads[*k].state else { continue };
        let count = count.unwrap_or(threads.len() as u64);
        if !count.is_multiple_of(32) && count != threads.len() as u64 {
            return Err((*k, Fault::new(Kind::Barrier, format!("a count of {count}, which is no multiple of 32"))));
        }
        match all {
            None => all = Some((count, *k)),
            Some((other, _)) if other != count => {
                return Err((*k, Fault::new(Kind::Barrier, format!("counts of {other} and {count} at one barrier"))));
            }
            Some(_) => {}
        }
    }
    Ok(all)
}

/// The aligned form wants all threads of a warp at the same instruction.
fn check_warps(threads: &[Thread], waiting: &[usize], program: &Program) -> Result<(), (usize, Fault)> {
    for pair in waiting.windows(2) {
        let (a, b) = (&threads[pair[0]], &threads[pair[1]]);
        let aligned = matches!(a.state, State::Barrier { aligned: true, .. });
        let apart = (a.frame.function, a.frame.pc) != (b.frame.function, b.frame.pc);
        if aligned && a.index / 32 == b.index / 32 && apart {
            let lines = (line(program, a), line(program, b));
            let what =
                format!("threads {} and {} of one warp wait at lines {} and {}", a.index, b.index, lines.0, lines.1);
            return Err((pair[1], Fault::new(Kind::Barrier, what)));
        }
    }
    Ok(())
}

fn stuck(threads: &[Thread]) -> (usize, Fault) {
    let count = |wanted: fn(&State) -> bool| threads.iter().filter(|t| wanted(&t.state)).count();
    let barrier = count(|s| matches!(s, State::Barrier { .. }));
    let (warp, done) = (count(|s| *s == State::Warp), count(|s| *s == State::Done));
    let first = threads.iter().position(|t| t.state != State::Done).unwrap_or(0);
    let kind = if barrier > 0 { Kind::Barrier } else { Kind::Divergence };
    let what =
        format!("nobody can go on: {barrier} threads wait at barriers, {warp} at warp operations, {done} have ended");
    (first, Fault::new(kind, what))
}
