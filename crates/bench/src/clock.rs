//! What counts as time.

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// A clock to measure with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Clock {
    /// The time that passes
    #[default]
    Wall,
    /// The processor time of all threads, divided by their number: for machines on which other programs run
    Cpu,
}

impl Clock {
    /// How long `work` takes on `threads` threads.
    pub fn time<E>(self, threads: usize, work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
        match self {
            Clock::Wall => {
                let start = Instant::now();
                work()?;
                Ok(start.elapsed())
            }
            Clock::Cpu => {
                let start = ProcessTime::now();
                work()?;
                Ok(start.elapsed().div_f64(threads.max(1) as f64))
            }
        }
    }
}
