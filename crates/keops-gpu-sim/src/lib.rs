//! A CUDA driver without a GPU: the functions of `libcuda.so.1` that a compute program uses, over an interpreter of
//! PTX that finds out-of-bounds, misaligned, uninitialised and racy accesses and divergent barriers.
//!
//! Built as a `cdylib`, it takes the driver's place: a program that finds it as `libcuda.so.1` runs on it unchanged.
//! As an `rlib` it is what its own tests link. What is modelled and what is not is in the README.

mod counts;
pub mod driver;
mod exec;
mod fault;
mod memory;
mod ptx;

pub use counts::Counts;
