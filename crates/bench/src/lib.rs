//! The benchmark jobs of keops: what is computed, on which data, and how it is timed.

pub mod clock;
pub mod data;
pub mod jobs;
pub mod measure;
pub mod npy;
pub mod problem;
pub mod scale;
pub mod session;
