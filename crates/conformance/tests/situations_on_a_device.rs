//! The situations of `tests/cases_*.rs` once more with a device there: what asks for nothing runs on it.

#![cfg(feature = "cuda")]
#![allow(clippy::duplicate_mod, reason = "each of the files has its helpers with it")]

#[path = "../../../tests/cases_accuracy.rs"]
mod accuracy;
#[path = "../../../tests/cases_batches.rs"]
mod batches;
#[path = "../../../tests/cases_gradients.rs"]
mod gradients;
#[path = "../../../tests/cases_language.rs"]
mod language;
#[path = "../../../tests/cases_layout.rs"]
mod layout;
#[path = "../../../tests/cases_ranges.rs"]
mod ranges;
#[path = "../../../tests/cases_sizes.rs"]
mod sizes;
#[path = "../../../tests/cases_softmax.rs"]
mod softmax;
#[path = "../../../tests/cases_special.rs"]
mod special;
#[path = "../../../tests/cases_threads.rs"]
mod threads;

/// The first test is not the one that starts the simulator: all of them need it.
#[ctor::ctor(unsafe)]
fn start() {
    keops_gpu_sim_loader::start("256M:8.0:4");
}
