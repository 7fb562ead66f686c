//! The device library of keops: how a compiled formula ([`keops_core::Formula`]) is reduced on a GPU.
//!
//! The crate builds for the host and for `nvptx64-nvidia-cuda`. What a host needs to launch a kernel is in [`abi`] (names,
//! arguments) and [`plan`] (sizes); the kernels themselves are generic functions that the macro `kernels!` makes entry points
//! of, for each formula, reduction and number type.
//!
//! A reduction is up to three launches: *reduce* leaves a state for each row and chunk of columns, *merge* makes results
//! of them, and *total* adds up the rows of a gradient towards a parameter.
#![no_std]

pub mod abi;
pub mod plan;
pub mod reduction;
pub mod tiling;
