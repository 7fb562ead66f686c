//! The log of what went wrong, and what tests may ask besides: the last entry, and what has been counted.

use super::device::write_text;
use super::state::with;
use super::status::output;
use crate::counts::Counts;
use std::ffi::{c_char, c_int};
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

driver_api! {
    fn keops_gpu_sim_counts(counts: *mut Counts) { output(counts, with(|d| Ok(d.counts))?) }

    fn keops_gpu_sim_last_log(text: *mut c_char, len: c_int) {
        write_text(text, len.max(0) as usize, &LAST.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
