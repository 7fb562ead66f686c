//! Conditionally positive definite kernels.

pub(super) mod energy_distance;
pub(super) mod thin_plate;
