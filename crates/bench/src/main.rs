//! `keops-bench JOB …`: measures one job and prints one line of JSON.

use clap::{CommandFactory, Parser, ValueEnum, error::ErrorKind};
use keops::Level;
use keops_bench::clock::Clock;
use keops_bench::jobs::{Job, Sizes};
use keops_bench::measure::{Measure, Spread};
use keops_bench::problem::Run;
use keops_bench::session;
use peak_alloc::PeakAlloc;
use serde::Serialize;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Measures one job of the benchmark table and prints one line of JSON
#[derive(Parser)]
#[command(name = "keops-bench", version)]
struct Options {
    job: Job,
    /// Rows of the result [default: 10000; nearest: 1000000]
    #[arg(long)]
    m: Option<NonZeroUsize>,
    /// Terms of each sum [default: 10000; nearest: 64]
    #[arg(long)]
    n: Option<NonZeroUsize>,
    /// Dimension of the points [default: 3; attention: 64]
    #[arg(long)]
    d: Option<usize>,
    /// Number type
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    r#type: Type,
    /// Threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Instructions [default: the best there are]
    #[arg(long, value_name = "LEVEL")]
    level: Option<LevelName>,
    /// What counts as time
    #[arg(long, value_enum, default_value_t)]
    clock: Clock,
    /// Save the inputs in this directory as .npy files and measure nothing
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "session")]
    save_inputs: Option<PathBuf>,
    /// Take turns with other tools, as told on the standard input
    #[arg(long)]
    session: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Type {
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelName {
    Scalar,
    Avx2,
    Avx512,
    Neon,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Level {
        match name {
            LevelName::Scalar => Level::Scalar,
            LevelName::Avx2 => Level::Avx2,
            LevelName::Avx512 => Level::Avx512,
            LevelName::Neon => Level::Neon,
        }
    }
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    job: String,
    m: usize,
    n: usize,
    d: usize,
    r#type: String,
    threads: usize,
    engine: &'static str,
    level: String,
    clock: String,
    rounds: usize,
    ns_per_pair: Spread,
    /// Allocated at the peak of one call, beyond inputs and outputs.
    peak_bytes: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let default = options.job.default_sizes();
    let sizes = Sizes {
        m: options.m.map_or(default.m, usize::from),
        n: options.n.map_or(default.n, usize::from),
        d: options.d.unwrap_or(default.d),
    };
    if options.job == Job::Read && sizes.m != 1 {
        wrong("this job has one row: --m 1".to_owned());
    }
    let problem = match options.r#type {
        Type::F32 => options.job.prepare::<f32>(sizes),
        Type::F64 => options.job.prepare::<f64>(sizes),
    };
    let Some(mut problem) = problem else {
        wrong(format!("this job has dimensions {:?}, and {} is none of them", options.job.dimensions(), sizes.d))
    };
    if let Some(directory) = options.save_inputs {
        std::fs::create_dir_all(&directory)?;
        return Ok(problem.save_inputs(&directory)?);
    }
    let level = options.level.map_or_else(Level::best, Level::from);
    if !level.is_available() {
        wrong(format!("this processor does not have the instructions of level {level:?}"));
    }

    rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0).into()).build_global()?;
    let threads = rayon::current_num_threads();
    let measure = Measure { level, threads, clock: options.clock };
    if options.session {
        let stdin = std::io::stdin();
        return session::serve(&measure, &mut *problem, stdin.lock(), std::io::stdout().lock());
    }

    let times = measure.rounds(&mut *problem)?;
    let peak_bytes = peak(&mut *problem, level)?;
    let pairs = sizes.m as f64 * sizes.n as f64;
    let report = Report {
        job: name(options.job),
        m: sizes.m,
        n: sizes.n,
        d: sizes.d,
        r#type: name(options.r#type),
        threads,
        engine: "cpu",
        level: format!("{level:?}").to_lowercase(),
        clock: name(options.clock),
        rounds: times.len(),
        ns_per_pair: Spread::of(times.iter().map(|time| time.as_nanos() as f64 / pairs).collect()),
        peak_bytes,
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// What a value is called on the command line.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Bytes allocated at the peak of one call.
fn peak(problem: &mut dyn Run, level: Level) -> Result<usize, keops::Error> {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    problem.run(level)?;
    Ok(MEMORY.peak_usage().saturating_sub(before))
}

/// Ends with a message about the command line.
fn wrong(message: String) -> ! {
    Options::command().error(ErrorKind::InvalidValue, message).exit()
}
