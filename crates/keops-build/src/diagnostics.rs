//! Messages of the compiler, and which formulas they are about.

use serde_json::Value;

/// What a failed call of rustc printed.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    /// Errors, as one reads them, each with the ids that occur in it.
    pub(crate) errors: Vec<(String, Vec<String>)>,
}

impl Diagnostics {
    /// Reads what `--error-format=json` prints. The compiler's crashes are plain text.
    pub(crate) fn read(stderr: &str, ids: &[&str]) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let mut plain = String::new();
        for line in stderr.lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                plain.push_str(line);
                plain.push('\n');
                continue;
            };
            if message["level"].as_str().is_some_and(|level| level.starts_with("error")) {
                let text = message["rendered"].as_str().or(message["message"].as_str()).unwrap_or(line);
                // That compiling failed is no news.
                if !message["spans"].as_array().is_none_or(Vec::is_empty) || diagnostics.errors.is_empty() {
                    diagnostics.errors.push((text.trim().to_string(), mentioned(line, ids)));
                }
            }
        }
        if !plain.trim().is_empty() {
            diagnostics.errors.push((plain.trim().to_string(), mentioned(&plain, ids)));
        }
        diagnostics
    }

    /// The errors about one formula, or about none in particular.
    pub(crate) fn text_about(&self, id: &str) -> String {
        let about = |(_, ids): &&(String, Vec<String>)| ids.is_empty() || ids.iter().any(|other| other == id);
        self.errors.iter().filter(about).map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The formulas that errors are about.
    pub(crate) fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.errors.iter().flat_map(|(_, ids)| ids.iter().map(String::as_str)).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

fn mentioned(text: &str, ids: &[&str]) -> Vec<String> {
    ids.iter().filter(|id| text.contains(**id)).map(|id| id.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STDERR: &str = r#"{"$message_type":"diagnostic","message":"unused","level":"warning","spans":[],"rendered":"warning: aaaa"}
{"$message_type":"diagnostic","message":"cannot find value `x`","level":"error","spans":[{"file_name":"bbbb.rs","line_start":1}],"rendered":"error: cannot find value `x`\n --> bbbb.rs:1\n"}
{"$message_type":"diagnostic","message":"aborting due to 1 previous error","level":"error","spans":[],"rendered":"error: aborting"}
"#;

    #[test]
    fn errors_name_the_formula() {
        let diagnostics = Diagnostics::read(STDERR, &["aaaa", "bbbb"]);
        assert_eq!(diagnostics.ids(), ["bbbb"]);
        assert_eq!(diagnostics.text_about("bbbb"), "error: cannot find value `x`\n --> bbbb.rs:1");
        assert_eq!(diagnostics.text_about("aaaa"), "");
    }

    #[test]
    fn a_crash_is_about_no_formula_in_particular() {
        let diagnostics = Diagnostics::read("LLVM ERROR: Cannot select: t5: f32 = fexp t4\n", &["aaaa"]);
        assert_eq!(diagnostics.ids(), [""; 0]);
        assert_eq!(diagnostics.text_about("aaaa"), "LLVM ERROR: Cannot select: t5: f32 = fexp t4");
    }
}
