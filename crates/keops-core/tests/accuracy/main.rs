//! The largest error of every elementary function, on every lane type that this machine has.
//!
//! `KEOPS_ACCURACY_STRIDE=1` sweeps every `f32`, `cargo test --release -- --nocapture` prints the table.

mod double;
mod exact;
mod functions;
mod levels;
mod single;
mod special;
mod ulp;
