//! A launch: every block of the grid, one after the other, and the barriers of a block.

use super::warp::{Machine, State, Stop, Warp, lanes};
use crate::fault::{BARRIER, Fault, TIMEOUT};
use crate::ptx::program::WARP;

/// Runs all blocks. The description of a fault says which thread did what where.
pub(crate) fn run(machine: &mut Machine<'_>) -> Result<(), Fault> {
    let [columns, rows, layers] = machine.grid_size.map(u64::from);
    let threads = machine.block_size.iter().product::<u32>() as usize;
    let mut warps: Vec<Warp> = (0..threads.div_ceil(WARP)).map(|k| Warp::new(k, threads, machine.kernel)).collect();
    for number in 0..columns * rows * layers {
        let at = [number % columns, number / columns % rows, number / columns / rows].map(|n| n as u32);
        machine.block = number as u32;
        machine.shared.clear();
        machine.period += 1;
        for warp in &mut warps {
            let specials: Vec<_> = (0..WARP).map(|lane| specials(machine, at, warp.number * WARP + lane)).collect();
            warp.start(machine.kernel, |index, lane| specials[lane][index]);
        }
        block(&mut warps, machine).map_err(|(warp, (lane, fault))| {
            let (kernel, line) = (&machine.kernel.name, machine.kernel.code[warps[warp].pc[lane]].line);
            let text = machine.lines.get(line as usize - 1).map_or("", String::as_str);
            let thread = &specials(machine, at, warp * WARP + lane)[..3];
            let place = format!("in `{kernel}`, PTX line {line} `{text}`, block {at:?}, thread {thread:?}");
            Fault { status: fault.status, what: format!("{} {place}", fault.what) }
        })?;
        machine.counts.blocks += 1;
    }
    Ok(())
}

/// The special registers of a thread, in the order of [`crate::ptx::types::SPECIALS`].
fn specials(machine: &Machine<'_>, at: [u32; 3], thread: usize) -> Vec<u32> {
    let ([width, height, depth], thread) = (machine.block_size, thread as u32);
    let place = [thread % width, thread / width % height, thread / width / height];
    let (lane, warps) = (thread % WARP as u32, (width * height * depth).div_ceil(WARP as u32));
    let rest = [machine.dynamic_shared, machine.fixed_shared + machine.dynamic_shared];
    let warp = [lane, thread / WARP as u32, warps, (1 << lane) - 1];
    [&place[..], &machine.block_size, &at, &machine.grid_size, &warp, &rest].concat()
}

/// Runs the warps of one block to their end.
fn block(warps: &mut [Warp], machine: &mut Machine<'_>) -> Result<(), (usize, Stop)> {
    loop {
        for warp in &mut *warps {
            warp.run(machine).map_err(|stop| (warp.number, stop))?;
        }
        if machine.counts.instructions > machine.limit {
            return Err((0, (0, Fault::new(TIMEOUT, &format!("more than {} instructions", machine.limit)))));
        }
        let in_state = |state| warps.iter().map(|warp| warp.mask(state).count_ones()).sum::<u32>();
        match (in_state(State::Ready), in_state(State::Barrier)) {
            (0, 0) => return Ok(()),
            (0, waiting) => release(warps, waiting, machine)?,
            _ => {}
        }
    }
}

/// Releases a barrier that all threads have reached, or says why it cannot be: some have ended, or threads of one warp
/// have come to different barriers.
fn release(warps: &mut [Warp], waiting: u32, machine: &mut Machine<'_>) -> Result<(), (usize, Stop)> {
    let all = warps.iter().map(|warp| warp.threads.count_ones()).sum::<u32>();
    let line = |pc: usize| machine.kernel.code[pc].line;
    for warp in warps.iter() {
        let Some(lane) = lanes(warp.mask(State::Barrier)).next() else { continue };
        let here = warp.pc[lane];
        let other = lanes(warp.mask(State::Barrier)).map(|other| warp.pc[other]).find(|pc| *pc != here);
        let what = match other {
            Some(pc) => format!("threads of one warp wait at lines {} and {}", line(here), line(pc)),
            None if waiting != all => format!("{waiting} threads wait, {} have ended", all - waiting),
            None => continue,
        };
        return Err((warp.number, (lane, Fault::new(BARRIER, &what))));
    }
    for warp in warps {
        for lane in lanes(warp.threads) {
            (warp.state[lane], warp.pc[lane]) = (State::Ready, warp.pc[lane] + 1);
        }
    }
    machine.period += 1;
    machine.counts.barriers += 1;
    Ok(())
}
