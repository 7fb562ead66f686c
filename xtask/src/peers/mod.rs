//! `cargo xtask bench-peers`: the benchmark table with other tools beside keops, on the same data, taking turns.

mod environment;
pub(crate) mod machine;
mod quiet;
mod rows;
mod table;
mod tools;
mod worker;

use crate::{bench, shell};
use anyhow::{Context, Result};
use environment::Environment;
use quiet::Watch;
use rows::Row;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use table::{Entry, Outcome, Section};
use worker::Worker;

/// Rounds in which every tool has its turn.
const ROUNDS: usize = 7;

/// Rounds of a tool whose calls are long.
const LONG_ROUNDS: usize = 3;

/// Calls are long from here on.
const LONG: Duration = Duration::from_secs(5);

/// Attempts at a turn that no other program disturbs; the least disturbed one counts.
const ATTEMPTS: usize = 5;

/// Pause between turns, in which waiting threads of the last tool fall asleep.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Small sizes and few rounds: does everything work?
    #[arg(long)]
    quick: bool,
    /// Only rows whose title contains this text; saves no report
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Threads of every tool [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// What all rows share.
struct Session {
    environment: Environment,
    program: PathBuf,
    threads: usize,
    rounds: usize,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let program = bench::build()?;
    let environment = Environment::prepare()?;
    let threads = options.threads.map_or_else(machine::threads, usize::from);
    let (rounds, seconds) = if options.quick { (LONG_ROUNDS, 0.05) } else { (ROUNDS, 0.3) };
    let session = Session { environment, program, threads, rounds, seconds };

    let machine = machine::describe(threads);
    let folder = shell::root().join("benches/results");
    fs::create_dir_all(&folder)?;
    let quick = if options.quick { "-quick" } else { "" };
    let file = folder.join(format!("{}-{}{quick}.md", machine.date, machine.slug()));
    let mut sections = Vec::new();
    for row in rows::all(options.quick) {
        if options.only.as_ref().is_some_and(|text| !row.title().contains(text)) {
            continue;
        }
        let section = session.measure(&row).with_context(|| row.title())?;
        println!("{}", section.text());
        sections.push(section);
        // Saved again and again, so that a run that is cut short leaves a report.
        if options.only.is_none() {
            let report = table::report(&machine, options.quick, &session.environment.remarks(), &sections);
            fs::write(&file, report).with_context(|| format!("could not write {}", file.display()))?;
        }
    }
    if options.only.is_none() {
        println!("saved as {}", file.display());
    }
    Ok(())
}

impl Session {
    /// Measures one row with all tools.
    fn measure(&self, row: &Row) -> Result<Section> {
        eprintln!("[xtask] {}", row.title());
        let folder = self.environment.cache().join("data");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let inputs = folder.join("inputs");
        shell::run(Command::new(&self.program).args(row.arguments()).arg("--save-inputs").arg(&inputs))?;

        let mut workers = Vec::new();
        let mut entries = Vec::new();
        for tool in tools::all(row) {
            let log = folder.join(format!("{}.log", entries.len()));
            match tool.command(row, self, &inputs).and_then(|command| Worker::start(command, &log)) {
                Ok(worker) => {
                    entries.push(Entry::present(tool, worker.version.clone()));
                    workers.push((entries.len() - 1, worker));
                }
                Err(reason) => entries.push(Entry::missing(tool, reason)),
            }
        }
        self.take_turns(&mut workers, &mut entries);
        self.check(row, &inputs, &folder, &mut workers, &mut entries)?;
        Ok(Section { title: row.title(), pairs: row.pairs(), entries })
    }

    /// Lets the tools run in turn, round by round.
    fn take_turns(&self, workers: &mut [(usize, Worker)], entries: &mut [Entry]) {
        for round in 0..self.rounds {
            for (index, worker) in workers.iter_mut() {
                let Outcome::Times(times) = &mut entries[*index].outcome else { continue };
                let long = times.last().is_some_and(|ns| *ns > LONG.as_nanos() as f64);
                if long && round >= LONG_ROUNDS {
                    continue;
                }
                match self.turn(worker) {
                    Ok((nanoseconds, foreign)) => {
                        times.push(nanoseconds);
                        entries[*index].disturbed += usize::from(foreign > quiet::TOLERATED);
                    }
                    Err(error) => entries[*index].outcome = Outcome::Missing(error.to_string()),
                }
            }
        }
    }

    /// One turn of a tool: the median time of a call in nanoseconds, and the cores that other programs used meanwhile.
    fn turn(&self, worker: &mut Worker) -> Result<(f64, f64)> {
        let mut best = (f64::NAN, f64::INFINITY);
        for _ in 0..ATTEMPTS {
            sleep(PAUSE);
            let start = Instant::now();
            let watch = Watch::start(worker.process());
            let nanoseconds = worker.round(self.seconds)?;
            let foreign = watch.foreign_cores();
            if foreign < best.1 {
                best = (nanoseconds, foreign);
            }
            if foreign <= quiet::TOLERATED || start.elapsed() > LONG {
                break;
            }
        }
        Ok(best)
    }

    /// Compares the results with sums in double precision.
    fn check(
        &self,
        row: &Row,
        inputs: &Path,
        folder: &Path,
        workers: &mut [(usize, Worker)],
        entries: &mut [Entry],
    ) -> Result<()> {
        let Ok(python) = self.environment.python() else { return Ok(()) };
        let mut files = HashMap::new();
        for (index, worker) in workers {
            let file = folder.join(format!("result-{index}.npy"));
            if entries[*index].tool.has_results() && worker.save(&file).is_ok() {
                files.insert(file.to_string_lossy().into_owned(), *index);
            }
        }
        let mut command = Command::new(python);
        command.arg(shell::root().join("benches/peers/reference.py")).arg(row.job).arg(inputs).args(files.keys());
        let answer: serde_json::Value = serde_json::from_str(&shell::output(&mut command)?)?;
        for (file, index) in files {
            entries[index].error = answer[&file].as_f64();
        }
        Ok(())
    }
}
