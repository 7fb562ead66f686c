//! The log of what went wrong: the last entry is kept, and all go to the file that the environment names.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Adds an entry. `KEOPS_GPU_SIM_LOG` is a file to append to; without it entries go to standard error, and an empty
/// value silences them.
pub(crate) fn write(entry: &str) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = entry.to_string();
    let line = format!("keops-gpu-sim: {entry}\n");
    match std::env::var_os("KEOPS_GPU_SIM_LOG") {
        None => eprint!("{line}"),
        Some(path) if path.is_empty() => {}
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            // A log that cannot be written must not change what the program under test sees.
            if file.and_then(|mut f| f.write_all(line.as_bytes())).is_err() {
                eprint!("{line}");
            }
        }
    }
}

/// The latest entry.
pub(crate) fn last() -> String {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
