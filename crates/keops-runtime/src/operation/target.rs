//! [`Target`]: where results can be written.

use super::form::{Form, Indices, KIndices, KValues, KValuesAndIndices, Values, ValuesAndIndices};
use ndarray::{ArrayBase, ArrayRef, ArrayViewMut, ArrayViewMut2, DataMut, Ix2, Ix3, IxDyn};

/// The views of an output.
pub struct Parts<'v, T> {
    /// Where values go.
    pub values: Option<ArrayViewMut<'v, T, IxDyn>>,
    /// Where indices go.
    pub indices: Option<ArrayViewMut<'v, u64, IxDyn>>,
}

impl<'v, T> Parts<'v, T> {
    fn of_values(view: ArrayViewMut<'v, T, IxDyn>) -> Self {
        Parts { values: Some(view), indices: None }
    }

    fn of_indices(view: ArrayViewMut<'v, u64, IxDyn>) -> Self {
        Parts { values: None, indices: Some(view) }
    }
}

/// Something that can take results of the form `F` with values of type `T`: ndarrays and mutable views of any strides,
/// and, for tables of values, `[[T; D]]`, `[[T; D]; N]` and `Vec<[T; D]>` as long as the result has rows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take these results",
    note = "values go into a 2-axis array of the number type of the data, indices into one of `u64`, and both into a \
            pair `(values, indices)`; the results of K-reductions have three axes"
)]
pub trait Target<F: Form, T> {
    /// Mutable views of it.
    fn parts(&mut self) -> Parts<'_, T>;
}

/// Numbers that can be written as an array of `N` axes of `A`.
macro_rules! array_target {
    ($form:ident, $part:ident, $dimension:ident, |$t:ident| $element:ty) => {
        impl<$t, S: DataMut<Elem = $element>> Target<$form, $t> for ArrayBase<S, $dimension> {
            fn parts(&mut self) -> Parts<'_, $t> {
                Parts::$part(self.view_mut().into_dyn())
            }
        }

        impl<$t> Target<$form, $t> for ArrayRef<$element, $dimension> {
            fn parts(&mut self) -> Parts<'_, $t> {
                Parts::$part(self.view_mut().into_dyn())
            }
        }
    };
}

array_target!(Values, of_values, Ix2, |T| T);
array_target!(Indices, of_indices, Ix2, |T| u64);
array_target!(KValues, of_values, Ix3, |T| T);
array_target!(KIndices, of_indices, Ix3, |T| u64);

impl<T, const D: usize> Target<Values, T> for [[T; D]] {
    fn parts(&mut self) -> Parts<'_, T> {
        Parts::of_values(ArrayViewMut2::from(self).into_dyn())
    }
}

impl<T, const D: usize, const N: usize> Target<Values, T> for [[T; D]; N] {
    fn parts(&mut self) -> Parts<'_, T> {
        Parts::of_values(ArrayViewMut2::from(self).into_dyn())
    }
}

impl<T, const D: usize> Target<Values, T> for Vec<[T; D]> {
    fn parts(&mut self) -> Parts<'_, T> {
        Parts::of_values(ArrayViewMut2::from(self.as_mut_slice()).into_dyn())
    }
}

impl<T, V: Target<Values, T>, I: Target<Indices, T>> Target<ValuesAndIndices, T> for (V, I) {
    fn parts(&mut self) -> Parts<'_, T> {
        Parts { values: self.0.parts().values, indices: self.1.parts().indices }
    }
}

impl<T, V: Target<KValues, T>, I: Target<KIndices, T>> Target<KValuesAndIndices, T> for (V, I) {
    fn parts(&mut self) -> Parts<'_, T> {
        Parts { values: self.0.parts().values, indices: self.1.parts().indices }
    }
}

impl<F: Form, T, X: Target<F, T> + ?Sized> Target<F, T> for &mut X {
    fn parts(&mut self) -> Parts<'_, T> {
        (**self).parts()
    }
}
