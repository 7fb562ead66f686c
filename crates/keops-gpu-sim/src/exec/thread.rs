//! One thread: registers, frames, and the loop that runs it to its next point of synchronisation.

use super::{access, arithmetic, atomic, compare, convert};
use crate::counts::Counts;
use crate::fault::{Fault, Kind};
use crate::memory::{address, global::Global, shared::Actor, shared::Shared};
use crate::ptx::program::{Function, Op, Operand, ParamCopy, Program};
use crate::ptx::types::{SPECIALS, truncate};

/// Instructions after which other threads get their turn, so that one thread may spin until another has written.
const SLICE: u64 = 1 << 16;
/// Deepest nesting of calls.
const MAX_FRAMES: usize = 1 << 10;

/// What all threads of a launch work on.
pub(crate) struct Machine<'m> {
    pub(crate) program: &'m Program,
    pub(crate) global: &'m mut Global,
    pub(crate) shared: Shared,
    pub(crate) counts: Counts,
    /// Instructions after which the launch is given up.
    pub(crate) limit: u64,
}

/// Why a thread does not run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    Barrier { id: u64, count: Option<u64>, aligned: bool },
    Warp,
    Done,
}

/// A function being executed: where, and where its memories start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) function: usize,
    pub(crate) pc: usize,
    registers: usize,
    local: usize,
    params: usize,
}

pub(crate) struct Thread {
    pub(crate) index: u16,
    pub(crate) state: State,
    pub(crate) frame: Frame,
    callers: Vec<Frame>,
    pub(crate) registers: Vec<u64>,
    pub(crate) local: Vec<u8>,
    pub(crate) params: Vec<u8>,
    pub(crate) specials: [u32; SPECIALS.len()],
    pub(crate) warp_epoch: u16,
}

impl Thread {
    pub(crate) fn new(index: u16) -> Self {
        Self {
            index,
            state: State::Done,
            frame: Frame::default(),
            callers: Vec::new(),
            registers: Vec::new(),
            local: Vec::new(),
            params: Vec::new(),
            specials: [0; SPECIALS.len()],
            warp_epoch: 0,
        }
    }

    /// Makes the thread start `function` with these parameter bytes.
    pub(crate) fn start(&mut self, number: usize, function: &Function, params: &[u8]) {
        self.state = State::Ready;
        self.frame = Frame { function: number, ..Frame::default() };
        self.callers.clear();
        self.warp_epoch = 0;
        self.registers.clear();
        self.local.clear();
        self.params.clear();
        self.grow(function);
        self.params[..params.len()].copy_from_slice(params);
    }

    /// Adds `function`'s memories to the ends of the thread's. Unwritten local memory reads as NaN.
    fn grow(&mut self, function: &Function) {
        self.registers.resize(self.registers.len() + function.registers, 0);
        self.local.resize(self.local.len() + function.local_bytes, 0xff);
        self.params.resize(self.params.len() + function.param_bytes, 0xff);
    }

    pub(crate) fn value(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Register(r) => self.registers[self.frame.registers + r as usize],
            Operand::Immediate(v) => v,
            Operand::Special(k) => u64::from(self.specials[k as usize]),
            Operand::Local(offset) => self.frame.local as u64 + u64::from(offset),
            Operand::Param(offset) => self.frame.params as u64 + u64::from(offset),
            Operand::Clock => 0,
        }
    }

    pub(crate) fn set(&mut self, register: u32, value: u64) {
        self.registers[self.frame.registers + register as usize] = value;
    }

    pub(crate) fn actor(&self, strong: bool) -> Actor {
        Actor { thread: self.index, warp_epoch: self.warp_epoch, strong }
    }

    fn call(&mut self, number: u32, function: &Function, args: &[ParamCopy]) -> Result<(), Fault> {
        if self.callers.len() >= MAX_FRAMES {
            return Err(Fault::new(Kind::StackOverflow, format!("more than {MAX_FRAMES} nested calls")));
        }
        let caller = self.frame;
        self.callers.push(caller);
        self.frame = Frame {
            function: number as usize,
            pc: 0,
            registers: self.registers.len(),
            local: self.local.len(),
            params: self.params.len(),
        };
        self.grow(function);
        self.copy_params(caller.params, self.frame.params, args);
        Ok(())
    }

    /// Back to the caller; false in the outermost function.
    fn leave(&mut self, program: &Program) -> bool {
        let Some(caller) = self.callers.pop() else { return false };
        let callee = self.frame;
        if let Op::Call { returns, .. } = &program.functions[caller.function].code[caller.pc - 1].op {
            self.copy_params(callee.params, caller.params, returns);
        }
        self.registers.truncate(callee.registers);
        self.local.truncate(callee.local);
        self.params.truncate(callee.params);
        self.frame = caller;
        true
    }

    fn copy_params(&mut self, from: usize, to: usize, list: &[ParamCopy]) {
        for (source, target, size) in list.iter().map(|c| (c.0 as usize, c.1 as usize, c.2 as usize)) {
            self.params.copy_within(from + source..from + source + size, to + target);
        }
    }

    /// Runs until the thread waits, ends or has had its turn.
    pub(crate) fn run(&mut self, machine: &mut Machine<'_>) -> Result<(), Fault> {
        let program = machine.program;
        let turn = machine.counts.instructions + SLICE;
        let mut function = &program.functions[self.frame.function];
        loop {
            if machine.counts.instructions >= turn {
                return Ok(());
            }
            let instruction = &function.code[self.frame.pc];
            self.frame.pc += 1;
            machine.counts.instructions += 1;
            if let Some((predicate, negated)) = instruction.guard
                && (self.value(Operand::Register(predicate)) & 1 != 0) == negated
            {
                continue;
            }
            match &instruction.op {
                Op::Branch(target) => self.frame.pc = *target as usize,
                Op::BranchTable { index, targets } => {
                    let index = truncate(self.value(*index), 32);
                    let target = usize::try_from(index).ok().and_then(|k| targets.get(k));
                    let missing = || Fault::new(Kind::BadBranch, format!("entry {index} of {}", targets.len()));
                    self.frame.pc = *target.ok_or_else(missing)? as usize;
                }
                Op::Call { function: number, args, .. } => {
                    function = &program.functions[*number as usize];
                    self.call(*number, function, args)?;
                }
                Op::Return if self.leave(program) => function = &program.functions[self.frame.function],
                Op::Return | Op::Exit => {
                    self.state = State::Done;
                    return Ok(());
                }
                Op::Barrier { id, count, aligned } => {
                    let (id, count) = (truncate(self.value(*id), 32), count.map(|c| truncate(self.value(c), 32)));
                    self.state = State::Barrier { id, count, aligned: *aligned };
                    return Ok(());
                }
                Op::Warp(_) => {
                    self.state = State::Warp;
                    return Ok(());
                }
                Op::Trap => return Err(Fault::new(Kind::Trap, "the kernel stopped itself")),
                op => self.step(op, machine)?,
            }
        }
    }

    /// Instructions that only read and write registers and memory.
    fn step(&mut self, op: &Op, machine: &mut Machine<'_>) -> Result<(), Fault> {
        match op {
            Op::Alu { alu, ty, flush, saturate, dst, args } => {
                let args = match args[0] {
                    Operand::Clock => [machine.counts.instructions; 3],
                    _ => args.map(|a| self.value(a)),
                };
                self.set(*dst, arithmetic::evaluate(*alu, *ty, args, *flush, *saturate));
            }
            Op::Compare { test, ty, flush, combine, dst, args, negate } => {
                let [a, b, other] = args.map(|a| self.value(a));
                let other = (other & 1 != 0) != *negate;
                let result = compare::holds(*test, *ty, *flush, a, b);
                self.set(dst[1], u64::from(compare::combine(*combine, !result, other)));
                self.set(dst[0], u64::from(compare::combine(*combine, result, other)));
            }
            Op::Convert { conversion, dst, source } => {
                self.set(*dst, convert::convert(*conversion, self.value(*source)));
            }
            Op::BitInsert { ty, dst, args } => {
                self.set(*dst, arithmetic::bit_insert(*ty, args.map(|a| self.value(a))));
            }
            Op::Pack { part_bits, dst, parts } => {
                let bits = u32::from(*part_bits);
                let parts = (0..).step_by(bits as usize).zip(parts);
                let whole = parts.fold(0, |all, (at, p)| all | truncate(self.value(*p), bits) << at);
                self.set(*dst, whole);
            }
            Op::Unpack { part_bits, dst, source } => {
                let (bits, whole) = (u32::from(*part_bits), self.value(*source));
                for (at, dst) in (0..).step_by(bits as usize).zip(dst) {
                    self.set(*dst, truncate(whole >> at, bits));
                }
            }
            Op::Load { access, dst } => {
                let values = access::load(self, machine, access)?;
                for (dst, value) in dst.iter().zip(values).take(access.lanes.into()) {
                    self.set(*dst, value);
                }
            }
            Op::Store { access, values } => access::store(self, machine, access, values.map(|v| self.value(v)))?,
            Op::Atomic { access, op, dst, args } => {
                machine.counts.atomics += 1;
                let [old, ..] = access::load(self, machine, access)?;
                let new = atomic::update(*op, access.ty, old, args.map(|a| self.value(a)));
                access::store(self, machine, access, [new, 0, 0, 0])?;
                self.set(*dst, old);
            }
            Op::ToSpace { space, dst, source } => self.set(*dst, address::specific(*space, self.value(*source))),
            Op::ToGeneric { space, dst, source } => self.set(*dst, address::generic(*space, self.value(*source))),
            Op::IsSpace { space, dst, source } => {
                let (found, _) = address::resolve(self.value(*source));
                self.set(*dst, u64::from(found == *space));
            }
            // Control flow is `run`'s; fences do nothing.
            _ => {}
        }
        Ok(())
    }
}
