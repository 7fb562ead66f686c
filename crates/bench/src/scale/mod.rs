//! Scale: many small problems, skipped blocks and data from a disk, each against the plain problem of the same formula that
//! bounds it. One line of JSON per measurement; `share` is what is to be compared with the figure that must be reached.

mod batches;
mod ranges;

use crate::clock::Clock;
use keops::{Error, keops};
use serde::Serialize;
use std::time::{Duration, Instant};

keops! {
    /// The formula of all of them.
    pub(crate) fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    /// 10⁴ batches of 100 × 100 against one problem of 10⁴ × 10⁴
    Batches,
    /// The same with sizes between 50 and 150
    Ragged,
    /// Blocks of 256 × 256 and more, some of them kept, against all; and how long the pattern takes to build
    Ranges,
}

impl Scale {
    /// Measures and prints.
    ///
    /// # Errors
    /// Those of the calls.
    pub fn run(self, timer: Timer) -> Result<(), Error> {
        match self {
            Scale::Batches => batches::uniform(timer),
            Scale::Ragged => batches::ragged(timer),
            Scale::Ranges => ranges::run(timer),
        }
    }
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Line {
    what: String,
    /// Median time of a run, in milliseconds.
    ms: f64,
    /// That of the problem to compare with.
    reference_ms: f64,
    /// Rate of pairs as a share of that of the reference.
    share: f64,
}

/// What counts as time, and on how many threads.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// The clock.
    pub clock: Clock,
    /// Threads of the pool.
    pub threads: usize,
}

impl Timer {
    /// Runs two problems in turns and prints their times; `pairs` of the first and of the second.
    fn compare(
        self,
        what: impl Into<String>,
        pairs: [f64; 2],
        mut first: impl FnMut() -> Result<(), Error>,
        mut second: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut times = [Vec::new(), Vec::new()];
        let begin = Instant::now();
        while times[0].len() < 5 || (begin.elapsed() < Duration::from_secs(5) && times[0].len() < 200) {
            for (k, run) in [&mut first as &mut dyn FnMut() -> Result<(), Error>, &mut second].into_iter().enumerate() {
                times[k].push(self.clock.time(self.threads, run)?.as_secs_f64() * 1e3);
            }
        }
        let [ms, reference_ms] = times.map(median);
        print(&Line { what: what.into(), ms, reference_ms, share: pairs[0] / ms / (pairs[1] / reference_ms) });
        Ok(())
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(line: &impl Serialize) {
    println!("{}", serde_json::to_string(line).unwrap_or_default());
}
