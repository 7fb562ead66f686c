//! A warp: registers of 32 lanes, and the loop that runs them in step until all wait or have ended.
//!
//! Lanes that have parted after a branch run one group after the other, lowest place in the code first, so that they
//! meet again where their ways join.

use crate::counts::Counts;
use crate::fault::{BAD_BRANCH, Fault, TRAP};
use crate::memory::global::Global;
use crate::memory::watched::{UNWRITTEN, Watched};
use crate::ptx::program::{CARRY, Initial, Instruction, Kernel, Lanes, Op, Register, WARP};
use crate::ptx::types::truncate;

/// Instructions of all lanes after which other warps get their turn, so that one may wait for what another writes.
const TURN: u64 = 1 << 18;

/// What all warps of a launch work on.
pub(crate) struct Machine<'m> {
    pub(crate) kernel: &'m Kernel,
    pub(crate) params: Watched,
    pub(crate) global: &'m mut Global,
    pub(crate) shared: Watched,
    /// Numbers of the launch on its device, of the block in the grid, and of the period between two barriers.
    pub(crate) launch: u32,
    pub(crate) block: u32,
    pub(crate) period: u32,
    pub(crate) counts: Counts,
    /// Instructions after which the launch is given up.
    pub(crate) limit: u64,
    pub(crate) grid_size: [u32; 3],
    pub(crate) block_size: [u32; 3],
    pub(crate) fixed_shared: u32,
    pub(crate) dynamic_shared: u32,
    /// The module's text, for messages.
    pub(crate) lines: &'m [String],
}

/// Why a lane does not run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    /// At a barrier of the block.
    Barrier,
    Done,
}

/// A fault and the lane that met it.
pub(crate) type Stop = (usize, Fault);
pub(crate) type Done = Result<(), Stop>;

pub(crate) struct Warp {
    /// Number of the warp in its block.
    pub(super) number: usize,
    /// Lanes that have a thread.
    pub(super) threads: u32,
    pub(super) registers: Vec<Lanes>,
    /// The local memory of each lane.
    pub(super) local: Vec<Watched>,
    pub(super) pc: [usize; WARP],
    pub(super) state: [State; WARP],
}

/// The lanes of a mask.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP).filter(move |lane| mask >> lane & 1 != 0)
}

impl Warp {
    /// A warp of a block with `count` threads in all.
    pub(crate) fn new(number: usize, count: usize, kernel: &Kernel) -> Self {
        let threads = (count - number * WARP).min(WARP);
        Self {
            number,
            threads: u32::MAX >> (WARP - threads),
            registers: vec![[0; WARP]; kernel.registers],
            local: Vec::new(),
            pc: [0; WARP],
            state: [State::Done; WARP],
        }
    }

    /// Makes all threads start. Unwritten local memory reads as NaN.
    pub(crate) fn start(&mut self, kernel: &Kernel, special: impl Fn(usize, usize) -> u32) {
        self.registers.fill([0; WARP]);
        self.local = (0..WARP).map(|_| Watched::filled("local", vec![UNWRITTEN; kernel.local_bytes])).collect();
        self.pc = [0; WARP];
        for lane in lanes(self.threads) {
            self.state[lane] = State::Ready;
        }
        for (initial, register) in &kernel.initial {
            self.registers[*register as usize] = match initial {
                Initial::Constant(value) => [*value; WARP],
                Initial::Special(index) => std::array::from_fn(|lane| special(*index, lane).into()),
            };
        }
    }

    /// The lanes in a state.
    pub(super) fn mask(&self, state: State) -> u32 {
        (0..WARP).fold(0, |mask, lane| mask | u32::from(self.state[lane] == state) << lane)
    }

    /// The lanes of `mask` for which a predicate holds.
    fn holds(&self, predicate: Register) -> u32 {
        let values = &self.registers[predicate as usize];
        (0..WARP).fold(0, |mask, lane| mask | ((values[lane] & 1) as u32) << lane)
    }

    /// Writes a register of the lanes of `mask`.
    pub(super) fn set(&mut self, register: Register, mask: u32, values: &Lanes) {
        let target = &mut self.registers[register as usize];
        if mask == u32::MAX {
            *target = *values;
        } else {
            lanes(mask).for_each(|lane| target[lane] = values[lane]);
        }
    }

    fn place(&mut self, mask: u32, state: State, pc: usize) {
        for lane in lanes(mask) {
            (self.state[lane], self.pc[lane]) = (state, pc);
        }
    }

    /// Runs until every lane waits or has ended, or the warp has had its turn.
    pub(crate) fn run(&mut self, machine: &mut Machine<'_>) -> Done {
        let turn = machine.counts.instructions + TURN;
        while machine.counts.instructions < turn {
            let ready = self.mask(State::Ready);
            let Some(pc) = lanes(ready).map(|lane| self.pc[lane]).min() else { break };
            let mask = lanes(ready).filter(|lane| self.pc[*lane] == pc).fold(0, |mask, lane| mask | 1 << lane);
            let next = lanes(ready & !mask).map(|lane| self.pc[lane]).min().unwrap_or(usize::MAX);
            self.advance((mask, pc, next), turn, machine)?;
        }
        Ok(())
    }

    /// Runs the lanes of `mask` from `pc` on until they part, wait or end, or reach `next`, where other lanes are.
    fn advance(&mut self, (mask, mut pc, next): (u32, usize, usize), turn: u64, machine: &mut Machine<'_>) -> Done {
        let code = &machine.kernel.code;
        while pc < next && machine.counts.instructions < turn {
            let Instruction { op, guard, .. } = &code[pc];
            machine.counts.instructions += u64::from(mask.count_ones());
            let active = match guard {
                None => mask,
                Some((predicate, false)) => mask & self.holds(*predicate),
                Some((predicate, true)) => mask & !self.holds(*predicate),
            };
            match op {
                _ if active == 0 => pc += 1,
                Op::Compute(dst, compute, args) => {
                    let values = compute(args.map(|r| &self.registers[r as usize]));
                    self.set(*dst, active, &values);
                    pc += 1;
                }
                Op::Branch(target) if active == mask => pc = *target,
                Op::Branch(target) => {
                    self.place(mask, State::Ready, pc + 1);
                    self.place(active, State::Ready, *target);
                    return Ok(());
                }
                Op::BranchTable(index, targets) => {
                    self.place(mask, State::Ready, pc + 1);
                    for lane in lanes(active) {
                        let index = self.registers[*index as usize][lane] as u32;
                        let missing = || Fault::new(BAD_BRANCH, &format!("entry {index} of {}", targets.len()));
                        self.pc[lane] = *targets.get(index as usize).ok_or_else(|| (lane, missing()))?;
                    }
                    return Ok(());
                }
                Op::Exit | Op::Barrier => {
                    let state = if matches!(op, Op::Exit) { State::Done } else { State::Barrier };
                    self.place(mask, State::Ready, pc + 1);
                    self.place(active, state, pc);
                    return Ok(());
                }
                op => {
                    let done = self.step(op, active, machine);
                    done.inspect_err(|_| self.place(mask, State::Ready, pc))?;
                    pc += 1;
                }
            }
        }
        self.place(mask, State::Ready, pc);
        Ok(())
    }

    /// Instructions that leave the lanes together.
    fn step(&mut self, op: &Op, active: u32, machine: &mut Machine<'_>) -> Done {
        match op {
            Op::Load(dst, access) => self.load(dst, access, active, machine)?,
            Op::Store(access, values) => self.store(access, values, active, machine)?,
            Op::Carry(dst, args, carry) => {
                let [a, b, before] = [args[0], args[1], CARRY].map(|r| self.registers[r as usize]);
                let (mut sums, mut carries) = ([0; WARP], before);
                for lane in lanes(active) {
                    let [a, b] = [a, b].map(|v| i128::from(truncate(v[lane], carry.bits)));
                    let input = if carry.input { i128::from(before[lane]) } else { 0 };
                    let sum = if carry.subtract { a - b - input } else { a + b + input };
                    sums[lane] = truncate(sum as u64, carry.bits);
                    carries[lane] = (sum >> carry.bits & 1) as u64;
                }
                self.set(*dst, active, &sums);
                if carry.output {
                    self.set(CARRY, active, &carries);
                }
            }
            Op::Unpack(dst, source, bits) => {
                let whole = self.registers[*source as usize];
                for (k, dst) in (0..).zip(dst) {
                    self.set(*dst, active, &whole.map(|v| truncate(v >> (k * bits), *bits)));
                }
            }
            Op::Trap => return Err((active.trailing_zeros() as usize, Fault::new(TRAP, "the kernel stopped itself"))),
            // Control flow is `advance`'s.
            _ => {}
        }
        Ok(())
    }
}
