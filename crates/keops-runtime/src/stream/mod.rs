//! Data larger than memory: rows that are read while the reduction runs.
//!
//! A variable may be a [`Source`] in the place of an array: a file ([`FileRows`]) or blocks that a function delivers
//! ([`BlockRows`]). A call that has one, or that was given a memory limit, is cut into slabs of rows and blocks of columns
//! (`plan`). A thread of its own reads what comes next (`reader`) while the engine takes in the block before it; the states of
//! a slab's rows are kept between blocks ([`crate::cpu::Partial`]) and finished after the last one (`reduce`).
//!
//! **Order of merging.** Blocks depend on the sizes of the problem and on the memory limit only: not on how the data is
//! delivered, not on the number of threads, not on timing. Within a block sums are formed as in a call on this block alone;
//! the states of the blocks are merged first to last. The same limit gives the same bits; another limit may move the last
//! ones.
//!
//! Files are read, not mapped: a mapped file that another program shortens kills the process, a read is an error that can be
//! reported; and pages of a map count as resident memory, which no limit would hold. Who wants a map hands in the view of one
//! (of `ndarray-npy` on `memmap2`, say): views of any memory are data like others.

mod block_rows;
mod file_rows;
mod npy_header;
mod plan;
mod reader;
mod reduce;
mod run;
mod source;

pub use block_rows::BlockRows;
pub use file_rows::FileRows;
pub(crate) use reduce::reduce;
pub use run::Progress;
pub(crate) use run::{Run, Settings};
pub(crate) use source::{Source, load};
