//! What tests may ask of the simulator besides the driver API.

use super::log;
use super::state::with;
use super::status::{Status, output};
use crate::counts::Counts;
use std::ffi::{c_char, c_int};

driver_api! {
    /// Instructions and accesses counted so far.
    fn keops_gpu_sim_counts(counts: *mut Counts) { output(counts, with(|d| Ok(d.counts))?) }

    /// The last entry of the log, cut to `len` bytes with its terminating zero.
    fn keops_gpu_sim_last_log(text: *mut c_char, len: c_int) {
        if text.is_null() || len <= 0 {
            return Err(Status::InvalidValue);
        }
        let entry = log::last();
        let count = entry.len().min(len as usize - 1);
        text.cast::<u8>().copy_from_nonoverlapping(entry.as_ptr(), count);
        text.add(count).write(0);
        Ok(())
    }
}
