//! The rows of the benchmark table.

use std::collections::HashSet;

/// A job with its sizes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) job: &'static str,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) number: &'static str,
    /// Forced instructions.
    pub(crate) level: Option<&'static str>,
}

impl Row {
    /// What keops-bench is told.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![self.job.to_owned()];
        for (name, value) in [("--m", self.m), ("--n", self.n), ("--d", self.d)] {
            arguments.extend([name.to_owned(), value.to_string()]);
        }
        arguments.extend(["--type".to_owned(), self.number.to_owned()]);
        if let Some(level) = self.level {
            arguments.extend(["--level".to_owned(), level.to_owned()]);
        }
        arguments
    }

    /// What heads its part of the report.
    pub(crate) fn title(&self) -> String {
        let Row { job, m, n, d, number, level } = self;
        let level = level.map_or_else(String::new, |level| format!(", forced {level}"));
        format!("{job}, M = {m}, N = {n}, D = {d}, {number}{level}")
    }

    /// Pairs (i, j).
    pub(crate) fn pairs(&self) -> f64 {
        self.m as f64 * self.n as f64
    }

    /// Is there a limit program for it?
    pub(crate) fn has_limit(&self) -> bool {
        self.job == "gauss" && self.d == 3 && self.number == "f32"
    }
}

/// All rows.
pub(crate) fn all(quick: bool) -> Vec<Row> {
    const TEN_THOUSAND: usize = 10_000;
    let row = |job, d| Row { job, m: TEN_THOUSAND, n: TEN_THOUSAND, d, number: "f32", level: None };
    let gauss = row("gauss", 3);
    let mut rows = vec![
        gauss,
        Row { level: Some("avx2"), ..gauss },
        Row { m: 1_000, n: 1_000, ..gauss },
        Row { number: "f64", ..gauss },
        row("gauss-grad", 3),
        row("lse", 3),
        row("argkmin", 3),
        row("argkmin", 64),
        Row { m: 1_000_000, n: 64, ..row("nearest", 3) },
        row("gauss", 10),
        row("gauss", 64),
        row("gauss", 100),
        row("gauss-rhs", 3),
        row("attention", 64),
        Row { m: 1, n: 10_000_000, ..gauss },
        // The longest at last: what is done is saved.
        Row { m: 100_000, n: 100_000, ..gauss },
    ];
    if quick {
        for row in &mut rows {
            let (m, n) = if row.job == "nearest" { (10_000, 64) } else { (1_000, 1_000) };
            (row.m, row.n) = (row.m.min(m), if row.m == 1 { 100_000 } else { n });
        }
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.title()));
    }
    rows
}
