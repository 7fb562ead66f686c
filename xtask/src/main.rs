//! `cargo xtask …`: the development tasks of the workspace.

mod bench;
mod bench_compile;
mod build_ptx;
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
    /// Check and test everything
    Test,
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Bench { arguments } => bench::run(&arguments),
        Task::BenchCompile => bench_compile::run(),
        Task::BuildPtx(options) => build_ptx::run(&options),
        Task::BenchPeers(options) => peers::run(&options),
        Task::Test => test::run(),
    }
}
