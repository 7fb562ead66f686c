//! Kernels of x − y.

pub(super) mod cauchy;
pub(super) mod gaussian;
pub(super) mod gaussian_ard;
pub(super) mod inverse_multiquadric;
pub(super) mod laplacian;
pub(super) mod matern32;
pub(super) mod matern52;
pub(super) mod periodic;
pub(super) mod rational_quadratic;
