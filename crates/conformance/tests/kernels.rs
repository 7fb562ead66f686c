//! Cases of the group `kernels`.

keops_conformance::group!("kernels.rs");
