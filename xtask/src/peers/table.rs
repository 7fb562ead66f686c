//! The report: one table per row of the benchmark table.

use super::machine::Machine;
use super::tools::Tool;
use std::fmt::Write;

/// What came of a tool.
pub(crate) enum Outcome {
    /// The time of a call in each round, in nanoseconds.
    Times(Vec<f64>),
    /// Why there are none.
    Missing(String),
}

/// A tool's line.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) outcome: Outcome,
    /// Version and variant.
    version: String,
    /// How wrong its results are.
    pub(crate) error: Option<f64>,
    /// Rounds in which other programs ran.
    pub(crate) disturbed: usize,
}

impl Entry {
    pub(crate) fn present(tool: Tool, version: String) -> Entry {
        Entry { tool, outcome: Outcome::Times(Vec::new()), version, error: None, disturbed: 0 }
    }

    pub(crate) fn missing(tool: Tool, reason: String) -> Entry {
        Entry { tool, outcome: Outcome::Missing(reason), version: String::new(), error: None, disturbed: 0 }
    }

    fn median(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Times(times) => median(times.clone()),
            Outcome::Missing(_) => None,
        }
    }
}

/// The lines of one job.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) pairs: f64,
    pub(crate) entries: Vec<Entry>,
}

impl Section {
    /// As Markdown.
    pub(crate) fn text(&self) -> String {
        let of = |is: fn(Tool) -> bool| self.entries.iter().find(|entry| is(entry.tool)).and_then(Entry::median);
        let pykeops = of(|tool| tool == Tool::PyKeops);
        let limit = of(Tool::is_limit);
        let mut lines = vec![
            format!("### {}\n", self.title),
            "| tool | ns per pair, median | min | max | times as fast as PyKeOps | of the limit's time | error | disturbed rounds | variant |".to_owned(),
            "|---|---:|---:|---:|---:|---:|---:|---:|---|".to_owned(),
        ];
        for entry in &self.entries {
            let name = entry.tool.name();
            lines.push(match (&entry.outcome, entry.median()) {
                (Outcome::Times(times), Some(median)) => {
                    let ns = |time: f64| format!("{:.4}", time / self.pairs);
                    let min = times.iter().copied().fold(f64::INFINITY, f64::min);
                    let max = times.iter().copied().fold(0.0, f64::max);
                    let speed = pykeops.map_or_else(String::new, |pykeops| format!("{:.2}", pykeops / median));
                    let of_limit = limit.map_or_else(String::new, |limit| format!("{:.2}", median / limit));
                    let error = entry.error.map_or_else(String::new, |error| format!("{error:.1e}"));
                    let (disturbed, version) = (entry.disturbed, &entry.version);
                    let (median, min, max) = (ns(median), ns(min), ns(max));
                    format!("| {name} | {median} | {min} | {max} | {speed} | {of_limit} | {error} | {disturbed} | {version} |")
                }
                (Outcome::Missing(reason), _) => format!("| {name} | | | | | | | | {} |", reason.replace('|', "/")),
                (Outcome::Times(_), None) => format!("| {name} | | | | | | | | was not measured |"),
            });
        }
        lines.join("\n") + "\n"
    }
}

/// The whole report.
pub(crate) fn report(machine: &Machine, quick: bool, remarks: &[String], sections: &[Section]) -> String {
    let mut text = format!("# keops beside other tools, {}, {}\n\n", machine.date, machine.processor);
    if quick {
        text.push_str("Made with `--quick`: sizes are small and rounds few, so these are no figures to quote.\n\n");
    }
    for line in machine.details.iter().chain(remarks) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {line}");
    }
    text.push_str(
        "\nMedian, least and greatest of the rounds; the tools take turns, round by round, on the same data. Each tool \
         uses the variant that was fastest in a short trial. A round in which other programs use more than a fifth of a \
         core is repeated a few times; those that stayed disturbed are counted. Errors are measured against sums in double precision: the \
         greatest one, relative to the sum of the absolute terms (log-sum-exp: absolute; searches: share of wrong \
         indices).\n\n",
    );
    for section in sections {
        let _ = writeln!(text, "{}", section.text());
    }
    text
}

/// The number in the middle.
pub(crate) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    let upper = *numbers.get(half)?;
    Some(if numbers.len().is_multiple_of(2) { (numbers[half - 1] + upper) / 2.0 } else { upper })
}
