//! Kernel operations compiled at build time: `Σ_j F(x_i, y_j)` for millions of points, without the M × N array, with exact
//! gradients, in SIMD code on all cores.
//!
//! ```
//! use keops::keops;
//!
//! keops! {
//!     /// Gaussian kernel sum: a_i = Σ_j exp(-γ |x_i - y_j|²) b_j
//!     #[grad(x_i)]
//!     pub fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>)
//!         = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);
//! }
//!
//! # fn main() -> Result<(), keops::Error> {
//! let x = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0]];
//! let y = [[0.0f32, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]];
//! let b = [1.0f32, 1.0, 1.0];
//!
//! let a = gauss(&x, &y, &b, &0.5).run()?;
//! assert_eq!(a.dim(), (2, 1));
//! assert!((a[[0, 0]] - (1.0 + (-2.0f32).exp() + (-1.0f32).exp())).abs() < 1e-6);
//!
//! // The gradient of Σ_i a_i by every number of x.
//! let seed = [1.0f32, 1.0];
//! let dx = gauss::grad_x_i(&x, &y, &b, &0.5, &seed).run()?;
//! assert_eq!(dx.dim(), (2, 3));
//! # Ok(())
//! # }
//! ```
//!
//! # Formulas
//!
//! `fn NAME(VARIABLES) = REDUCTION;`, any number of times in one `keops! { … }`, declares functions. A variable is
//! `x_i: Vi<3>` (one row of 3 numbers per i), `y_j: Vj<3>` (one per j) or `s: Pm<1>` (one in all); a dimension may be a
//! const parameter, `fn NAME<const D: usize>(x_i: Vi<D>, …)`. Attributes, doc comments and visibility are kept, and
//! `#[grad(x_i, s)]` adds `NAME::grad_x_i(…, e)` and `NAME::grad_s(…, e)`, where `e` has the shape of the result.
//!
//! Gradients compose: what follows in brackets is differentiated again, so `#[grad(x_i(y_j, e))]` adds `NAME::grad_x_i` and
//! `NAME::grad_x_i::grad_y_j(…, e, u)`, `NAME::grad_x_i::grad_e(…, e, u)`, where `u` has the shape of `x_i`. Every reduction that
//! has a gradient has those of any order.
//!
//! A dimension that is not stated, `x_i: Vi`, follows from the formula: both sides of `|`, `SqDist`, `+` and so on have the same,
//! an exponent is one number, and so is a parameter of which the formula does not ask more. What is still open is taken from the
//! types of the data, `Vec<[f32; 3]>` or `[[f32; 3]; 8]`; an ndarray does not tell.
//!
//! `keops!(|VARIABLES| REDUCTION)` is an expression: a function without a name. As with a closure, its types are settled
//! where it is first called.
//!
//! ```
//! # use keops::keops;
//! # fn main() -> Result<(), keops::Error> {
//! let nearest = keops!(|x_i: Vi<1>, y_j: Vj<1>| (x_i - y_j).sqnorm2().argmin(axis = 1));
//! let found = nearest(&[0.2f64, 0.9], &[0.0f64, 0.5, 1.0]).run()?;
//! assert_eq!(found.into_raw_vec_and_offset().0, [0, 2]);
//! # Ok(())
//! # }
//! ```
//!
//! A reduction alone takes the variables of those names from the scope: `…_i` follows i, `…_j` follows j, anything else is a
//! parameter. Its value is the call.
//!
//! ```
//! # use keops::keops;
//! # fn main() -> Result<(), keops::Error> {
//! let (x_i, y_j, gamma) = (vec![[0.0f32, 0.0]], [[1.0f32, 0.0], [0.0, 2.0]], 0.5);
//! let a = keops!(Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)), 0)).run()?;
//! assert!((a[[0, 0]] - ((-0.5f32).exp() + (-2.0f32).exp())).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```
//!
//! Operations have the names of KeOps, `Exp(x_i)`, or of its `LazyTensor`, `x_i.exp()`. Operators bind as in Python, tightest
//! first: methods, `**`, unary `-`, `* /`, `+ -`, `|` (scalar product), comparisons. Vectors of one number combine with vectors
//! of any dimension. The outermost operation is a reduction: `X_Reduction(F, 0)` keeps i and reduces over j,
//! `X_Reduction(F, 1)` keeps j; as an ending it is `F.x_reduction(0)` or, with the index that goes away, `F.x(axis = 1)`.
//!
//! | reduction | result, for each kept index |
//! |---|---|
//! | `Sum_Reduction(F, tag)` | Σ F |
//! | `LogSumExp_Reduction(F, tag[, G])` | log Σ e^F, or log Σ e^F G |
//! | `SumSoftMaxWeight_Reduction(F, tag, G)` | Σ e^F G / Σ e^F |
//! | `Max_SumShiftExp_Reduction(F, tag)`, `Max_SumShiftExpWeight_Reduction(F, tag, G)` | m = max F, and Σ e^(F−m) or Σ e^(F−m) G |
//! | `Min_Reduction(F, tag)`, `Max_Reduction(F, tag)` | smallest, largest value of each component |
//! | `ArgMin_Reduction(F, tag)`, `ArgMax_Reduction(F, tag)` | its index |
//! | `Min_ArgMin_Reduction(F, tag)`, `Max_ArgMax_Reduction(F, tag)` | both |
//! | `KMin_Reduction(F, K, tag)` | the K smallest values of each component |
//! | `ArgKMin_Reduction(F, K, tag)`, `KMin_ArgKMin_Reduction(F, K, tag)` | their indices, both |
//!
//! `Grad(F, v, e)` and `Diff(F, v, u)` are operations like any other and nest to any order. They can be taken of a whole reduction
//! too, `Grad(Min_Reduction(F, 0), v, e)`. `x_i[k]` is a component, `x_i[a..b]` a
//! part of a vector.
//!
//! A mistake in a formula is a compile error on the token that is wrong; all mistakes appear at once.

// Formulas name the crate by its path from outside, also in `kernels`.
extern crate self as keops;

pub mod cluster;
pub mod kernels;

#[doc = include_str!("../docs/reference.md")]
pub mod reference {}

pub use keops_macros::keops;
pub use keops_runtime::{
    Accumulator, Backend, Batched, BlockRows, Call, Category, Error, FileRows, Level, Offsets, Progress, Ranges, Real,
    Rows, RowsDimension, RowsOfKnownDimension, RowsView, Target,
};
#[cfg(feature = "cuda")]
pub use keops_runtime::{DeviceInfo, DeviceNumber, DeviceRows, devices};

/// What generated code refers to. No promises are made about it.
///
/// The name holds the version, so that a macro never meets a runtime of another one.
#[doc(hidden)]
pub mod __v0_1_0 {
    pub use keops_runtime::__private::*;
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
