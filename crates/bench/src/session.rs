//! A worker for comparisons: told on its standard input when to run, so that tools take turns, round by round.
//!
//! It says `{"ready": …}` first. Then, for each line it reads, it answers with one line:
//! `round SECONDS` runs for about that long and answers with the times of the calls in nanoseconds, `save FILE` saves
//! the results. It ends with its input.

use crate::measure::Measure;
use crate::problem::Run;
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Serves requests until there are no more.
///
/// # Errors
/// If a request makes no sense, a call fails, or a file cannot be written.
pub fn serve(
    measure: &Measure,
    problem: &mut dyn Run,
    requests: impl BufRead,
    mut answers: impl Write,
) -> Result<(), Box<dyn Error>> {
    measure.warm_up(problem)?;
    writeln!(answers, "{}", serde_json::json!({ "ready": format!("keops {}", env!("CARGO_PKG_VERSION")) }))?;
    answers.flush()?;
    for request in requests.lines() {
        let request = request?;
        let answer = match request.split_once(' ') {
            Some(("round", seconds)) => {
                let times = round(measure, problem, Duration::try_from_secs_f64(seconds.parse()?)?)?;
                serde_json::json!({ "ns": times })
            }
            Some(("save", file)) => {
                problem.save_output(Path::new(file))?;
                serde_json::json!({ "saved": file })
            }
            _ => return Err(format!("`{request}` is no request").into()),
        };
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}

/// Calls for about this long, at least one.
fn round(measure: &Measure, problem: &mut dyn Run, total: Duration) -> Result<Vec<f64>, keops::Error> {
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || start.elapsed() < total {
        times.push(measure.round(problem, 1)?.as_nanos() as f64);
    }
    Ok(times)
}
