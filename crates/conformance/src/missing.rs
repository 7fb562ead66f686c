//! [`MISSING`] and [`REFUSED`]: what is not run. Also compiled into the build script.

/// Operations that the compiler does not have yet. Cases that use one of them are left out, and counted; a test holds
/// that each of them is indeed missing, so that this list shrinks when the compiler grows.
pub const MISSING: &[&str] = &["SoftDTW_SqDist"];

/// Cases that are compile errors by design. They reduce over an index that no variable has, where one would have to guess
/// that there is a single term; a test holds that they are refused.
pub const REFUSED: &[&str] = &["red_sum_no_j_variable", "red_sum_parameters_only"];
