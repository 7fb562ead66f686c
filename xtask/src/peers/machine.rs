//! What a report says about the machine.

use crate::shell;
use std::fs;
use std::process::Command;

/// A machine, at a time.
pub(crate) struct Machine {
    /// Year-month-day.
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) details: Vec<String>,
}

impl Machine {
    /// The processor as a part of a file name.
    pub(crate) fn slug(&self) -> String {
        slug(&self.processor)
    }
}

/// A name as a part of a file name.
pub(crate) fn slug(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    letters.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-")
}

/// Hardware threads.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// This machine, now.
pub(crate) fn describe(threads: usize) -> Machine {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':'))
            .map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().to_owned())
    };
    let first_line = |program: &str, argument: &str| {
        let text = shell::output(Command::new(program).arg(argument)).unwrap_or_default();
        text.lines().next().unwrap_or("unknown").to_owned()
    };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<_> = load.split_whitespace().take(3).collect();
    let processor = field("model name");
    Machine {
        date: first_line("date", "+%F"),
        details: vec![
            format!("processor: {processor} (family {}, model {})", field("cpu family"), field("model")),
            format!("clock: {} MHz", field("cpu MHz")),
            format!("hardware threads: {}, used: {threads}", self::threads()),
            format!("load before (1, 5, 15 minutes): {}", load.join(", ")),
            format!("system: {}", first_line("uname", "-sr")),
            format!("compilers: {}; {}", first_line("rustc", "--version"), first_line("g++", "--version")),
        ],
        processor,
    }
}
