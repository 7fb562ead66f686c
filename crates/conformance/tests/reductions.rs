//! Cases of the group `reductions`.

keops_conformance::group!("reductions.rs");
