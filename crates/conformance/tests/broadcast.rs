//! Cases of the group `broadcast`.

keops_conformance::group!("broadcast.rs");
