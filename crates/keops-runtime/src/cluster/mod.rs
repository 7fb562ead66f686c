//! Tools for block patterns: points sorted into clusters, and what is known of each cluster.
//!
//! A block pattern ([`Ranges`](crate::Ranges)) is about rows that lie one after the other. [`Clusters`] brings points that are
//! close in space next to each other, and results back into the order of the data; [`Extents`] are the boxes around
//! clusters, by which far blocks are told.
//!
//! ```
//! # use keops_runtime::cluster::Clusters;
//! # use keops_runtime::Ranges;
//! let x: Vec<[f32; 2]> = (0..100).map(|i| [(i % 10) as f32, (i / 10) as f32]).collect();
//! let clusters = Clusters::grid(&x, 2.5)?;
//! let sorted = clusters.sort(&x);
//! let boxes = clusters.extents(&sorted)?;
//! let ranges = Ranges::within(clusters.offsets(), &boxes, clusters.offsets(), &boxes, 1.0);
//! assert!(ranges.pairs() < 100 * 100);
//! // … a call on `sorted` with `.ranges(&ranges)`, then
//! assert_eq!(clusters.unsort(&sorted), x);
//! # Ok::<(), keops_runtime::Error>(())
//! ```

mod clusters;
mod extents;
mod grid;

pub use clusters::Clusters;
pub use extents::Extents;
