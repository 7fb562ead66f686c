//! A tool's process, which runs when it is its turn.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A process that waits for its turn. It ends when it is dropped.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Version and variant.
    pub(crate) version: String,
}

impl Worker {
    /// Starts it and waits until it is warm; or says why it cannot do the job. What it prints goes to `log`.
    pub(crate) fn start(mut command: Command, log: &Path) -> Result<Worker, String> {
        let errors = File::create(log).map_err(|error| format!("no log {}: {error}", log.display()))?;
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn();
        let mut child = spawned.map_err(|error| format!("could not be started: {error}"))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("has no output")?);
        let mut worker = Worker { child, requests, answers, version: String::new() };
        let Ok(answer) = worker.answer() else { return Err(worker.last_words(log)) };
        if let Some(reason) = answer["missing"].as_str() {
            return Err(reason.to_owned());
        }
        answer["ready"].as_str().unwrap_or("unknown version").clone_into(&mut worker.version);
        Ok(worker)
    }

    /// The number of the process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Runs for about so many seconds. Returns the median time of a call in nanoseconds.
    pub(crate) fn round(&mut self, seconds: f64) -> Result<f64> {
        let answer = self.ask(&format!("round {seconds}"))?;
        let times = answer["ns"].as_array().context("an answer without times")?;
        let times = times.iter().filter_map(Value::as_f64).collect();
        super::table::median(times).context("an answer without times")
    }

    /// Saves the results.
    pub(crate) fn save(&mut self, file: &Path) -> Result<()> {
        self.ask(&format!("save {}", file.display())).map(drop)
    }

    fn ask(&mut self, request: &str) -> Result<Value> {
        let requests = self.requests.as_mut().context("the process takes no requests")?;
        writeln!(requests, "{request}").and_then(|()| requests.flush()).map_err(|_| anyhow!("ended unexpectedly"))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.is_empty() {
            bail!("ended unexpectedly");
        }
        serde_json::from_str(&line).with_context(|| format!("`{}` is no answer", line.trim()))
    }

    /// How it ended, and the last line that it printed.
    fn last_words(&mut self, log: &Path) -> String {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let text = fs::read_to_string(log).unwrap_or_default();
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
        format!("ended with {status}: {}", line.trim())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.requests.take());
        if let Err(error) = self.child.wait() {
            eprintln!("[xtask] a process could not be waited for: {error}");
        }
    }
}
