//! Repeated timing of one problem.

use crate::clock::Clock;
use crate::problem::Run;
use keops::{Error, Level};
use std::time::{Duration, Instant};

/// Rounds at least.
pub const ROUNDS: usize = 7;

/// Time that all rounds together take at least.
pub const TOTAL: Duration = Duration::from_millis(500);

/// Time that a round takes at least, so that the clock's own cost does not count.
const ROUND: Duration = Duration::from_millis(20);

/// Time spent before anything counts: threads start, pages are mapped, clocks go up.
const WARM_UP: Duration = Duration::from_millis(200);

/// How something is measured.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Instructions.
    pub level: Level,
    /// Threads of the pool it runs in.
    pub threads: usize,
    /// What counts as time.
    pub clock: Clock,
}

impl Measure {
    /// Time of one call, in each of several rounds.
    ///
    /// # Errors
    /// Those of the call.
    pub fn rounds(&self, problem: &mut dyn Run) -> Result<Vec<Duration>, Error> {
        let calls = self.warm_up(problem)?;
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < ROUNDS || start.elapsed() < TOTAL {
            times.push(self.round(problem, calls)?);
        }
        Ok(times)
    }

    /// Runs until everything is warm. Returns the number of calls that make a round.
    ///
    /// # Errors
    /// Those of the call.
    pub fn warm_up(&self, problem: &mut dyn Run) -> Result<u32, Error> {
        problem.run(self.level)?;
        let start = Instant::now();
        let mut calls = 0;
        while calls == 0 || start.elapsed() < WARM_UP {
            problem.run(self.level)?;
            calls += 1;
        }
        let call = start.elapsed().as_secs_f64() / f64::from(calls);
        Ok((ROUND.as_secs_f64() / call).ceil().clamp(1.0, f64::from(u32::MAX)) as u32)
    }

    /// Time of one call, on average over a number of calls.
    ///
    /// # Errors
    /// Those of the call.
    pub fn round(&self, problem: &mut dyn Run, calls: u32) -> Result<Duration, Error> {
        let time = self.clock.time(self.threads, || (0..calls).try_for_each(|_| problem.run(self.level)))?;
        Ok(time / calls.max(1))
    }
}

/// Median, least and greatest of some times, which are not empty.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Spread {
    /// The one in the middle.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
}

impl Spread {
    /// The spread of numbers; of none, not-a-number.
    pub fn of(mut numbers: Vec<f64>) -> Spread {
        numbers.sort_by(f64::total_cmp);
        let at = |index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
        let half = numbers.len() / 2;
        let median =
            if numbers.len().is_multiple_of(2) { (at(half.saturating_sub(1)) + at(half)) / 2.0 } else { at(half) };
        Spread { median, min: at(0), max: at(numbers.len().saturating_sub(1)) }
    }
}
