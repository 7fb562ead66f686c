//! A launch: every block of the grid, one after the other, and the barriers of a block.

use super::warp::{Machine, State, Stop, Warp, lanes};
use crate::fault::{Fault, Kind};
use crate::ptx::program::WARP;

/// What to run. Sizes have been checked by the driver.
pub(crate) struct Launch<'l> {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) fixed_shared: u32,
    pub(crate) dynamic_shared: u32,
    /// The module's text, for messages.
    pub(crate) lines: &'l [String],
}

/// Runs all blocks. A fault comes back as its kind and the text for the log.
pub(crate) fn run(launch: &Launch<'_>, machine: &mut Machine<'_>) -> Result<(), (Kind, String)> {
    let [columns, rows, layers] = launch.grid;
    let threads = launch.block.iter().product::<u32>() as usize;
    let mut warps: Vec<Warp> = (0..threads.div_ceil(WARP)).map(|k| Warp::new(k, threads, machine.kernel)).collect();
    for at in 0..u64::from(columns) * u64::from(rows) * u64::from(layers) {
        let (x, rest) = (at % u64::from(columns), at / u64::from(columns));
        let at = [x as u32, (rest % u64::from(rows)) as u32, (rest / u64::from(rows)) as u32];
        machine.shared.begin_block();
        for warp in &mut warps {
            let specials: Vec<_> = (0..WARP).map(|lane| specials(launch, at, warp.number * WARP + lane)).collect();
            warp.start(machine.kernel, |index, lane| specials[lane][index]);
        }
        let result = block(&mut warps, machine);
        result.map_err(|(number, (lane, fault))| {
            (fault.kind, describe(&fault, launch, machine, at, number * WARP + lane, warps[number].pc[lane]))
        })?;
        machine.counts.blocks += 1;
        machine.block.serial += 1;
    }
    Ok(())
}

/// The special registers of a thread, in the order of [`crate::ptx::types::SPECIALS`].
fn specials(launch: &Launch<'_>, at: [u32; 3], thread: usize) -> Vec<u32> {
    let ([width, height, depth], thread) = (launch.block, thread as u32);
    let place = [thread % width, thread / width % height, thread / width / height];
    let (lane, warps) = (thread % WARP as u32, (width * height * depth).div_ceil(WARP as u32));
    let rest = [launch.dynamic_shared, launch.fixed_shared + launch.dynamic_shared];
    let warp = [lane, thread / WARP as u32, warps, (1 << lane) - 1];
    [&place[..], &launch.block, &at, &launch.grid, &warp, &rest].concat()
}

/// Runs the warps of one block to their end.
fn block(warps: &mut [Warp], machine: &mut Machine<'_>) -> Result<(), (usize, Stop)> {
    loop {
        for warp in &mut *warps {
            warp.run(machine).map_err(|stop| (warp.number, stop))?;
        }
        if machine.counts.instructions > machine.limit {
            let what = format!("more than {} instructions", machine.limit);
            return Err((0, (0, Fault::new(Kind::Timeout, what))));
        }
        if warps.iter().any(|warp| warp.mask(State::Ready) != 0) {
            continue;
        }
        if warps.iter().all(|warp| warp.mask(State::Barrier) | warp.mask(State::Collective) == 0) {
            return Ok(());
        }
        release(warps, machine)?;
    }
}

/// Releases a barrier that all threads have reached, or says why none can be: some wait for others of their warp, some
/// have ended, or threads of one warp have come to different barriers.
fn release(warps: &mut [Warp], machine: &mut Machine<'_>) -> Result<(), (usize, Stop)> {
    let waiting = |warp: &Warp| warp.mask(State::Barrier);
    let first = |mask: u32| mask.trailing_zeros() as usize;
    let line = |pc: usize| machine.kernel.code[pc].line;
    if let Some(warp) = warps.iter().find(|warp| warp.mask(State::Collective) != 0) {
        let lane = first(warp.mask(State::Collective));
        let what = format!("thread {} waits for others of its warp, which do not come", warp.number * WARP + lane);
        return Err((warp.number, (lane, Fault::new(Kind::Divergence, what))));
    }
    let count = |mask: fn(&Warp) -> u32| warps.iter().map(|warp| mask(warp).count_ones()).sum::<u32>();
    let (here, all) = (count(|warp| warp.mask(State::Barrier)), count(|warp| warp.threads));
    for warp in warps.iter().filter(|warp| waiting(warp) != 0) {
        let lane = first(waiting(warp));
        let apart = lanes(waiting(warp)).find(|other| warp.pc[*other] != warp.pc[lane]);
        let what = match apart {
            Some(other) => format!(
                "threads {} and {} of one warp wait at lines {} and {}",
                warp.number * WARP + lane,
                warp.number * WARP + other,
                line(warp.pc[lane]),
                line(warp.pc[other])
            ),
            None if here != all => format!("{here} threads wait, {} have ended", all - here),
            None => continue,
        };
        return Err((warp.number, (lane, Fault::new(Kind::Barrier, what))));
    }
    for warp in warps {
        for lane in lanes(warp.threads) {
            (warp.state[lane], warp.pc[lane]) = (State::Ready, warp.pc[lane] + 1);
        }
    }
    machine.shared.barrier();
    machine.counts.barriers += 1;
    Ok(())
}

/// One line that says which thread did what where.
fn describe(
    fault: &Fault,
    launch: &Launch<'_>,
    machine: &Machine<'_>,
    at: [u32; 3],
    thread: usize,
    pc: usize,
) -> String {
    let (kernel, what) = (&machine.kernel.name, &fault.what);
    let line = machine.kernel.code[pc].line;
    let text = launch.lines.get(line.saturating_sub(1) as usize).map_or("", String::as_str);
    let place = &specials(launch, at, thread)[..3];
    let kind = fault.kind.name();
    format!("{kind}: {what} in `{kernel}`, PTX line {line} `{text}`, block {at:?}, thread {place:?}")
}
