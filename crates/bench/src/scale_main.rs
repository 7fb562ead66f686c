//! `keops-scale JOB`: measures how problems of other shapes compare with a plain one.

use clap::Parser;
use keops_bench::clock::Clock;
use keops_bench::scale::{Scale, Timer};

/// Measures how problems of other shapes compare with a plain one
#[derive(Parser)]
#[command(name = "keops-scale", version)]
struct Options {
    job: Scale,
    /// Threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// What counts as time
    #[arg(long, value_enum, default_value_t)]
    clock: Clock,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0).into()).build_global()?;
    let timer = Timer { clock: options.clock, threads: rayon::current_num_threads() };
    Ok(options.job.run(timer)?)
}
