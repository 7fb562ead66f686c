//! Cases of the group `layout`.

keops_conformance::group!("layout.rs");
