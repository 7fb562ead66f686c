//! Cases of the group `complex`.

keops_conformance::group!("complex.rs");
