//! [`RowsOfKnownDimension`]: data whose type tells how many numbers a row has.

use crate::rows::Rows;
use keops_core::Scalar;

/// Data for a variable of which neither the declaration nor the formula says how many numbers a row has: the type says it.
///
/// | type | dimension |
/// |---|---|
/// | `[[T; D]]`, `[[T; D]; N]`, `Vec<[T; D]>` | `D` |
/// | `[T]`, `[T; N]`, `Vec<T>`, `T` | 1 |
/// | references to these | the same |
///
/// The type of an ndarray does not say it; the declaration has to.
#[diagnostic::on_unimplemented(
    message = "the type `{Self}` does not say how many numbers a row has",
    label = "the dimension of this variable is not known",
    note = "state it: `keops!(|x_i: Vi<3>, …| …)(&x, …)`, or `x_i: Vi<3>` among the variables of a `fn`",
    note = "types that say it are `[[T; D]]`, `Vec<[T; D]>` and `[[T; D]; N]`, and flat lists (`[T]`, `Vec<T>`) and single numbers for 1"
)]
pub trait RowsOfKnownDimension<T: Scalar, const D: usize>: Rows<T, D> {}

impl<T: Scalar, const D: usize> RowsOfKnownDimension<T, D> for [[T; D]] {}
impl<T: Scalar, const D: usize, const N: usize> RowsOfKnownDimension<T, D> for [[T; D]; N] {}
impl<T: Scalar, const D: usize> RowsOfKnownDimension<T, D> for Vec<[T; D]> {}

// Written out for each type, as the implementations of `Rows` are.
macro_rules! lists_of_numbers {
    ($($number:ty)*) => {$(
        impl RowsOfKnownDimension<$number, 1> for [$number] {}
        impl<const N: usize> RowsOfKnownDimension<$number, 1> for [$number; N] {}
        impl RowsOfKnownDimension<$number, 1> for Vec<$number> {}
        impl RowsOfKnownDimension<$number, 1> for $number {}
    )*};
}

lists_of_numbers!(f32 f64);

impl<T: Scalar, const D: usize, X: RowsOfKnownDimension<T, D> + ?Sized> RowsOfKnownDimension<T, D> for &X {}
impl<T: Scalar, const D: usize, X: RowsOfKnownDimension<T, D> + ?Sized> RowsOfKnownDimension<T, D> for &mut X {}
