//! Ready kernels: Σ_j k(x_i, y_j) b_j for the kernels of everyday use, with gradients towards every argument.
//!
//! | kernel | k(x, y), r = \|x − y\| |
//! |---|---|
//! | [`gaussian()`] | exp(−r² / 2ℓ²) |
//! | [`gaussian_ard()`] | exp(−½ Σ_d (x_d − y_d)² / ℓ_d²) |
//! | [`laplacian()`], [`matern12()`] | exp(−r / ℓ) |
//! | [`matern32()`] | (1 + s r) exp(−s r), s = √3 / ℓ |
//! | [`matern52()`] | (1 + s r + s² r² / 3) exp(−s r), s = √5 / ℓ |
//! | [`rational_quadratic()`] | (1 + r² / 2αℓ²)^(−α) |
//! | [`cauchy()`] | 1 / (1 + r² / ℓ²) |
//! | [`inverse_multiquadric()`] | 1 / √(c² + r²) |
//! | [`periodic()`] | exp(−2 Σ_d sin²(π (x_d − y_d) / p) / ℓ²) |
//! | [`linear()`] | ⟨x, y⟩ |
//! | [`polynomial2()`], [`polynomial3()`], [`polynomial4()`] | (s ⟨x, y⟩ + c)^d, d = 2, 3, 4 |
//! | [`energy_distance()`] | −r |
//! | [`thin_plate()`] | r² ln r |
//!
//! Each is an ordinary formula, written with [`keops!`](crate::keops!): a function that takes rows of `x_i` and `y_j` (D numbers each),
//! rows of `b_j` (E numbers each: E right-hand sides share the kernel's values), then parameters of one number; and a module of the
//! same name with `grad_x_i`, `grad_y_j`, `grad_b_j` and a gradient for each parameter. D and E follow from arrays of arrays;
//! flat lists and ndarrays do not say them, `gaussian::<f64, 3, 1>(…)` does. Only what is called is compiled.
//!
//! ```
//! use keops::kernels::gaussian;
//!
//! # fn main() -> Result<(), keops::Error> {
//! let x = [[0.0, 0.0], [1.0, 0.0]];
//! let y = [[0.0, 0.0], [0.0, 2.0], [1.0, 1.0]];
//! let b = [[1.0], [0.5], [-1.0]];
//!
//! let a = gaussian(&x, &y, &b, &1.5).run()?;
//! assert_eq!(a.dim(), (2, 1));
//!
//! // The gradient of Σ_i e_i a_i by the length scale.
//! let e = [[1.0], [1.0]];
//! let slope = gaussian::grad_length_scale(&x, &y, &b, &1.5, &e).run()?;
//! assert_eq!(slope.dim(), (1, 1));
//! # Ok(())
//! # }
//! ```

mod conditional;
mod dot_product;
mod stationary;

pub use conditional::energy_distance::energy_distance;
pub use conditional::thin_plate::thin_plate;
pub use dot_product::linear::linear;
pub use dot_product::polynomial::{polynomial2, polynomial3, polynomial4};
pub use stationary::cauchy::cauchy;
pub use stationary::gaussian::gaussian;
pub use stationary::gaussian_ard::gaussian_ard;
pub use stationary::inverse_multiquadric::inverse_multiquadric;
pub use stationary::laplacian::laplacian;
/// The Matérn kernel of order ½ is the [`laplacian()`].
pub use stationary::laplacian::laplacian as matern12;
pub use stationary::matern32::matern32;
pub use stationary::matern52::matern52;
pub use stationary::periodic::periodic;
pub use stationary::rational_quadratic::rational_quadratic;
