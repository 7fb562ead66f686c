//! Cases of the group `ops`.

keops_conformance::group!("ops.rs");
