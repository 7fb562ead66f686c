//! Cases of the group `autodiff`.

keops_conformance::group!("autodiff.rs");
