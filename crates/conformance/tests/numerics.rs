//! Cases of the group `numerics`.

keops_conformance::group!("numerics.rs");
