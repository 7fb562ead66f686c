//! `cargo xtask …`: the development tasks of the workspace.

mod bench;
mod bench_compile;
mod bench_gpu;
mod build_ptx;
mod gpu_tools;
mod peers;
mod shell;
mod test;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "The development tasks of the workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure one job of the benchmark table, in release: `cargo xtask bench --help` says which there are
    #[command(disable_help_flag = true)]
    Bench {
        /// Passed on to keops-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure how long formulas take to compile
    BenchCompile,
    /// Compile the formulas of a package for GPUs: write its folder keops-ptx
    BuildPtx(build_ptx::Options),
    /// Measure keops, PyKeOps, PyTorch, NumPy and the limit program side by side
    BenchPeers(peers::Options),
    /// Test on the GPU of this machine, measure it, and write the results to benches/results
    BenchGpu,
    /// Check and test everything
    Test {
        /// Run tests of devices on the GPU of this machine, and not on the simulator
        #[arg(long)]
        gpu: bool,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Bench { arguments } => bench::run(&arguments),
        Task::BenchCompile => bench_compile::run(),
        Task::BuildPtx(options) => build_ptx::run(&options),
        Task::BenchPeers(options) => peers::run(&options),
        Task::BenchGpu => bench_gpu::run(),
        Task::Test { gpu } => test::run(gpu),
    }
}
