//! Cases of the group `second_order`.

keops_conformance::group!("second_order.rs");
