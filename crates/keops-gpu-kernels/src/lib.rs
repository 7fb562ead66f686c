//! The device library of keops: how a compiled formula ([`keops_core::Formula`]) is reduced on a GPU.
//!
//! The crate builds for the host and for `nvptx64-nvidia-cuda`. What a host needs to launch a kernel is in [`abi`] (names,
//! arguments) and [`plan`] (sizes); the kernels themselves are the functions of [`scheme`], which [`kernels!`](crate::kernels)
//! makes entry points of for each formula, reduction and number type.
//!
//! A reduction is up to three launches: *reduce* leaves a state for each row and chunk of columns, *merge* makes results
//! of them, and *total* adds up the rows of a gradient towards a parameter.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, stdarch_nvptx, link_llvm_intrinsics))]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

/// The sources of this crate, by their paths in `src`: kernels are compiled together with them.
#[cfg(not(target_arch = "nvptx64"))]
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

pub mod abi;
mod access;
pub mod bank;
mod compensated;
#[cfg(target_arch = "nvptx64")]
pub mod device;
pub mod entry;
pub mod grid;
pub mod memory;
pub mod nest;
pub mod number;
pub mod pairs;
pub mod plan;
pub mod records;
pub mod reduction;
pub mod scheme;
pub mod tiling;
mod trace;
