//! What kernels cost on a device: registers, memory, spilled values, and instructions per pair of the inner loop, as
//! NVIDIA's assembler makes them. No GPU is needed.

mod sass;
mod tools;
mod usage;

pub use tools::Tools;

use crate::build::KernelFile;
use crate::error::Error;
use crate::facts::{self, Facts};
use sass::Loop;
use serde_json::{Value, json};
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use usage::Usage;

/// One kernel on one device.
#[derive(Debug, Clone)]
pub struct KernelReport {
    /// Name of the formula, or its text.
    pub formula: String,
    /// Source file and line of the formula.
    pub at: String,
    /// Name of the kernel.
    pub kernel: String,
    /// The device, such as `sm_80`.
    pub target: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of a thread's stack.
    pub stack: u32,
    /// Bytes of registers that had to be put into memory, stores and loads.
    pub spills: (u32, u32),
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Instructions.
    pub instructions: usize,
    /// Barriers.
    pub barriers: usize,
    /// The loop over pairs; none where there is none, and where a pair is itself a loop.
    pub inner: Option<InnerLoop>,
}

/// The loop over pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InnerLoop {
    /// Pairs that a thread evaluates each time round.
    pub pairs: f64,
    /// Instructions each time round.
    pub instructions: usize,
    /// Those among them that are usually passed over: a larger exponent or a nearer neighbour has to be found first.
    pub skippable: usize,
    /// Those that load from shared memory.
    pub shared_loads: usize,
    /// Those of the unit for special functions.
    pub special: usize,
    /// Those that load from or store to the stack.
    pub stack: usize,
}

impl InnerLoop {
    /// Instructions per pair.
    pub fn per_pair(&self) -> f64 {
        self.instructions as f64 / self.pairs
    }

    /// Instructions per pair without those that are usually passed over.
    pub fn usually_per_pair(&self) -> f64 {
        (self.instructions - self.skippable) as f64 / self.pairs
    }
}

/// Reports on all kernels of these files.
///
/// # Errors
/// If the tools fail on one of them.
pub fn report(tools: &Tools, files: &[KernelFile]) -> Result<Vec<KernelReport>, Error> {
    // Reports of one process may overlap.
    static REPORTS: AtomicUsize = AtomicUsize::new(0);
    let number = REPORTS.fetch_add(1, Ordering::Relaxed);
    let scratch = std::env::temp_dir().join(format!("keops-report-{}-{number}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(Error::io("create", &scratch))?;
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let result = of_file(tools, file, &scratch.join(format!("{at}.cubin")));
                    if let Ok(mut results) = results.lock() {
                        results.push((at, result));
                    }
                }
            });
        }
    });
    // What is left there is of no use to anyone.
    drop(fs::remove_dir_all(&scratch));
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    let mut all = Vec::new();
    for (_, result) in results {
        all.extend(result?);
    }
    Ok(all)
}

fn of_file(tools: &Tools, file: &KernelFile, cubin: &Path) -> Result<Vec<KernelReport>, Error> {
    let text = fs::read_to_string(&file.path).map_err(Error::io("read", &file.path))?;
    let facts = facts::read(&text);
    let log = tools.assemble(&file.path, &file.target.to_string(), cubin)?;
    let code = tools.disassemble(cubin)?;
    let functions = sass::functions(&code);
    Ok(usage::read(&log)
        .into_iter()
        .map(|Usage { kernel, registers, stack, spills, shared }| {
            let function = functions.iter().find(|function| function.name == kernel);
            let facts = facts.iter().find(|facts| facts.kernel == kernel);
            let is_sum = kernel.ends_with("_reduce");
            KernelReport {
                formula: file.name.clone(),
                at: file.at.clone(),
                target: file.target.to_string(),
                registers,
                stack,
                spills,
                shared: shared + facts.map_or(0, |facts| facts.shared),
                instructions: function.map_or(0, |f| f.instructions.len()),
                barriers: function.map_or(0, |f| f.count("BAR")),
                inner: function.zip(facts.filter(|_| is_sum)).and_then(|(f, facts)| inner(&f.loops(), facts)),
                kernel,
            }
        })
        .collect())
}

/// The loop over pairs among the innermost loops: the one that loads most staged columns each time round. What it loads says
/// how many pairs that are, also where the assembler has unrolled it.
fn inner(loops: &[Loop], facts: &Facts) -> Option<InnerLoop> {
    let column = (facts.width * facts.number) as f64;
    let pairs = |l: &Loop| (l.shared_bytes as f64 / column).round() * f64::from(facts.rows);
    let best = loops.iter().filter(|l| l.is_innermost && pairs(l) > 0.0);
    let best = best.max_by(|a, b| pairs(a).total_cmp(&pairs(b)).then(b.instructions.cmp(&a.instructions)))?;
    Some(InnerLoop {
        pairs: pairs(best),
        instructions: best.instructions,
        skippable: best.skippable,
        shared_loads: best.shared_loads,
        special: best.special,
        stack: best.stack,
    })
}

impl KernelReport {
    /// The same as one line of JSON.
    pub fn json(&self) -> Value {
        let inner = self.inner.map(|inner| {
            json!({
                "pairs": inner.pairs,
                "instructions": inner.instructions,
                "per_pair": inner.per_pair(),
                "usually_per_pair": inner.usually_per_pair(),
                "shared_loads_per_pair": inner.shared_loads as f64 / inner.pairs,
                "special_per_pair": inner.special as f64 / inner.pairs,
                "stack_per_pair": inner.stack as f64 / inner.pairs,
            })
        });
        json!({
            "formula": self.formula,
            "at": self.at,
            "kernel": self.kernel,
            "target": self.target,
            "registers": self.registers,
            "stack": self.stack,
            "spill_stores": self.spills.0,
            "spill_loads": self.spills.1,
            "shared": self.shared,
            "instructions": self.instructions,
            "barriers": self.barriers,
            "inner": inner,
        })
    }
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, target, registers, stack, spills, shared, instructions, .. } = self;
        write!(
            f,
            "{target} {kernel:44} {registers:3} registers, {shared:5} B shared, {stack:4} B stack, {:3} B spilled, {instructions:5} instructions",
            spills.0 + spills.1
        )?;
        if let Some(inner) = &self.inner {
            write!(
                f,
                ", per pair {:.2} ({:.2} at most, {:.2} special, {:.2} shared loads; {} for {} pairs)",
                inner.usually_per_pair(),
                inner.per_pair(),
                inner.special as f64 / inner.pairs,
                inner.shared_loads as f64 / inner.pairs,
                inner.instructions,
                inner.pairs,
            )?;
        }
        Ok(())
    }
}
