//! A launch: every block of the grid, one after the other.

use super::thread::{Machine, State, Thread};
use super::{barrier, warp};
use crate::fault::{Fault, Kind};

/// What to run. Sizes have been checked by the driver.
pub(crate) struct Launch<'l> {
    pub(crate) kernel: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) params: &'l [u8],
    pub(crate) multiprocessors: u32,
}

/// Runs all blocks. A fault comes back as the text for the log and its kind.
pub(crate) fn run(launch: &Launch<'_>, machine: &mut Machine<'_>) -> Result<(), (Kind, String)> {
    let count = launch.block.iter().product::<u32>();
    let mut threads: Vec<Thread> = (0..count as u16).map(Thread::new).collect();
    let [columns, rows, layers] = launch.grid;
    for z in 0..layers {
        for y in 0..rows {
            for x in 0..columns {
                start(&mut threads, [x, y, z], launch, machine);
                let result = block(&mut threads, machine);
                result.map_err(|(k, fault)| (fault.kind, describe(&threads[k], &fault, machine)))?;
                machine.counts.blocks += 1;
            }
        }
    }
    Ok(())
}

fn start(threads: &mut [Thread], at: [u32; 3], launch: &Launch<'_>, machine: &mut Machine<'_>) {
    let ([width, height, _], count) = (launch.block, threads.len() as u32);
    let function = &machine.program.functions[launch.kernel];
    machine.shared.begin_block();
    for (k, thread) in (0..).zip(threads) {
        let lane = k % 32;
        let (equal, below) = (1u32 << lane, (1u32 << lane) - 1);
        thread.start(launch.kernel, function, launch.params);
        let specials = [
            [k % width, k / width % height, k / width / height],
            launch.block,
            at,
            launch.grid,
            [lane, k / 32, count.div_ceil(32)],
            [equal, below | equal, below],
            [!below, !(below | equal), launch.dynamic_shared],
            [machine.program.shared_bytes as u32 + launch.dynamic_shared, 0, launch.multiprocessors],
        ];
        thread.specials.copy_from_slice(specials.as_flattened());
    }
}

/// Runs the threads of one block to their end.
fn block(threads: &mut [Thread], machine: &mut Machine<'_>) -> Result<(), (usize, Fault)> {
    loop {
        let mut ready = false;
        for (k, thread) in threads.iter_mut().enumerate() {
            if thread.state == State::Ready {
                thread.run(machine).map_err(|fault| (k, fault))?;
                ready |= thread.state == State::Ready;
            }
        }
        if machine.counts.instructions > machine.limit {
            let what = format!("more than {} instructions", machine.limit);
            return Err((0, Fault::new(Kind::Timeout, what)));
        }
        for (k, warp) in threads.chunks_mut(32).enumerate() {
            if warp.iter().any(|t| t.state == State::Warp) && warp.iter().all(|t| t.state != State::Ready) {
                ready |= warp::resolve(warp, machine).map_err(|(lane, fault)| (32 * k + lane, fault))?;
            }
        }
        if threads.iter().all(|t| t.state == State::Done) {
            return Ok(());
        }
        if !ready {
            barrier::release(threads, machine)?;
        }
    }
}

/// One line that says which thread did what where.
fn describe(thread: &Thread, fault: &Fault, machine: &Machine<'_>) -> String {
    let function = &machine.program.functions[thread.frame.function];
    let line = function.code[thread.frame.pc.saturating_sub(1)].line;
    let text = machine.program.lines.get(line.saturating_sub(1) as usize).map_or("", String::as_str);
    let s = &thread.specials;
    format!(
        "{}: {} in `{}`, PTX line {line} `{text}`, block ({}, {}, {}), thread ({}, {}, {})",
        fault.kind, fault.what, function.name, s[6], s[7], s[8], s[0], s[1], s[2]
    )
}
