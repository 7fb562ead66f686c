//! The engine of CUDA devices.
//!
//! A call finds the kernels of its formula that fit the device ([`choice`]), loads them unless they are ([`module`]), sends its
//! data through a stream with pinned memory ([`channel`]), launches what the device library plans ([`launch`]; batches, block
//! patterns and what does not fit the memory at once are [`lists`] of work) and receives the results. All of it happens within a [`session`]; what outlasts a call is kept per [`device`] in [`resources`].
//!
//! `cust` and the driver's functions are used in this module only. All of them are looked up when they are called, so that
//! a program that contains this engine starts on machines without a driver.

mod channel;
mod choice;
mod device;
mod device_rows;
mod info;
mod kernels;
mod launch;
mod layout;
mod lists;
mod module;
mod reduce;
mod resources;
mod session;
mod status;
mod variables;

pub(crate) use choice::{Chosen, best, demanded};
pub(crate) use device_rows::DeviceMemory;
pub use device_rows::{DeviceNumber, DeviceRows};
pub use info::{DeviceInfo, devices};
pub(crate) use kernels::Kernels;
pub(crate) use reduce::{reduce, reduce_on_device};
