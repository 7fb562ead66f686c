//! The log of what went wrong, and what tests may ask besides: the last entry, and what has been counted.

use super::device::write_text;
use super::state::with;
use super::status::output;
use crate::counts::Counts;
use std::ffi::{c_char, c_int};
use std::sync::{Mutex, PoisonError};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Adds an entry, which also goes to standard error unless `KEOPS_GPU_SIM_LOG` is `off`.
pub(crate) fn write(entry: &str) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = entry.to_string();
    if std::env::var_os("KEOPS_GPU_SIM_LOG").is_none_or(|log| log != "off") {
        eprintln!("keops-gpu-sim: {entry}");
    }
}

driver_api! {
    fn keops_gpu_sim_counts(counts: *mut Counts) { output(counts, with(|d| Ok(d.counts))?) }

    fn keops_gpu_sim_last_log(text: *mut c_char, len: c_int) {
        write_text(text, len.max(0) as usize, &LAST.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
