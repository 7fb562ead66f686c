//! Cases of the group `special_values`.

keops_conformance::group!("special_values.rs");
