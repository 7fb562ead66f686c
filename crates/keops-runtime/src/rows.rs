//! [`Rows`]: what may be given for a variable, and [`RowsView`]: how it is looked at.

use crate::error::Error;
use crate::memory;
use keops_core::{Scalar, Variable};
use ndarray::{ArrayBase, ArrayRef, ArrayView1, ArrayView2, ArrayView3, Axis, CowArray, Data, Ix1, Ix2, Ix3, IxDyn};

/// Data for a variable of dimension `D`: rows of `D` numbers of type `T`.
///
/// | type | rows |
/// |---|---|
/// | `[[T; D]]`, `[[T; D]; N]`, `Vec<[T; D]>` | one per array of `D` numbers |
/// | `[T]`, `[T; N]`, `Vec<T>` | the list cut into rows of `D` numbers; the length must be a multiple of `D` |
/// | `T` (`D` = 1) | one |
/// | ndarray, 2 axes, any strides | its rows |
/// | ndarray, 1 axis | one row of `D` numbers; with `D` = 1 one row per number |
/// | ndarray, 3 axes (rows × K × d, K·d = `D`) | one per first index: the shape of the results of K-reductions |
/// | ndarray of dynamic dimension | as its number of axes says; without axes one number |
/// | references to these | the same |
///
/// Nothing is copied, except a 3-axis array whose last two axes cannot be walked with one stride. A row that is shared by
/// all indices may be given as a broadcast view (stride 0).
///
/// The number type of a call follows from its arguments, which must agree:
/// ```
/// # use keops_runtime::{Real, Rows};
/// fn call<T: Real>(x: &impl Rows<T, 2>, y: &impl Rows<T, 2>, p: &impl Rows<T, 1>) {}
/// call(&vec![[1.0_f32, 2.0]], &[1.0, 2.0], &0.5);
/// ```
/// ```compile_fail,E0277
/// # use keops_runtime::{Real, Rows};
/// # fn call<T: Real>(x: &impl Rows<T, 2>, y: &impl Rows<T, 2>, p: &impl Rows<T, 1>) {}
/// call(&vec![[1.0_f32, 2.0]], &[1.0_f64, 2.0], &0.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as rows of {D} number(s) of type `{T}`",
    label = "expected rows of {D} number(s) of type `{T}`",
    note = "`[[{T}; {D}]]`, `Vec<[{T}; {D}]>`, a flat `[{T}]` or `Vec<{T}>`, and 2-axis ndarrays of `{T}` will do; all \
            variables of a call have the same number type"
)]
pub trait Rows<T: Scalar, const D: usize> {
    /// Looks at the data. Its shape is checked when the call runs.
    fn rows_view(&self) -> RowsView<'_, T>;
}

/// Borrowed data of a variable, not yet checked against the formula.
#[derive(Debug, Clone)]
pub struct RowsView<'a, T>(Form<'a, T>);

#[derive(Debug, Clone)]
enum Form<'a, T> {
    /// Consecutive numbers, to be cut into rows.
    Flat(&'a [T]),
    /// An array with one axis.
    Line(ArrayView1<'a, T>),
    /// An array with two axes.
    Table(ArrayView2<'a, T>),
    /// An array with three axes.
    Blocks(ArrayView3<'a, T>),
    /// An array with more axes than that.
    Other(Vec<usize>),
}

impl<'a, T: Scalar> RowsView<'a, T> {
    /// Rows × numbers.
    pub fn from_table(table: ArrayView2<'a, T>) -> Self {
        RowsView(Form::Table(table))
    }

    /// Consecutive numbers, to be cut into rows.
    pub fn from_flat(numbers: &'a [T]) -> Self {
        RowsView(Form::Flat(numbers))
    }

    /// Rows × `variable.dim` numbers, or why the data does not fit.
    pub(crate) fn resolve(self, formula: &'static str, variable: &Variable) -> Result<CowArray<'a, T, Ix2>, Error> {
        let Variable { name, category, dim } = *variable;
        let columns = |got| Error::Columns { formula, variable: name, category, expected: dim, got };
        let length = |got| Error::Length { formula, variable: name, category, expected: dim, got };
        let table = match self.0 {
            Form::Table(table) => CowArray::from(table),
            Form::Flat(numbers) => {
                let rows = numbers.len().checked_div(dim).ok_or_else(|| length(numbers.len()))?;
                let table = ArrayView2::from_shape((rows, dim), numbers).ok();
                CowArray::from(table.filter(|_| rows * dim == numbers.len()).ok_or_else(|| length(numbers.len()))?)
            }
            Form::Line(line) if dim == 1 => CowArray::from(line.insert_axis(Axis(1))),
            Form::Line(line) => CowArray::from(line.insert_axis(Axis(0))),
            Form::Blocks(blocks) => join_last_axes(blocks, formula, name)?,
            Form::Other(got) => return Err(Error::Axes { formula, variable: name, category, expected: dim, got }),
        };
        if table.ncols() == dim { Ok(table) } else { Err(columns(table.ncols())) }
    }
}

/// Rows × K × d as rows × (K·d): a view where strides allow it, otherwise a copy.
fn join_last_axes<'a, T: Scalar>(
    mut blocks: ArrayView3<'a, T>,
    formula: &'static str,
    part: &'static str,
) -> Result<CowArray<'a, T, Ix2>, Error> {
    if blocks.merge_axes(Axis(1), Axis(2)) {
        return Ok(CowArray::from(blocks.index_axis_move(Axis(1), 0)));
    }
    let (rows, k, d) = blocks.dim();
    let mut copy = memory::table(formula, part, rows, k * d)?;
    for (mut to, from) in copy.outer_iter_mut().zip(blocks.outer_iter()) {
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = *from);
    }
    Ok(CowArray::from(copy))
}

impl<T: Scalar, const D: usize> Rows<T, D> for [[T; D]] {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::from_table(ArrayView2::from(self))
    }
}

impl<T: Scalar, const D: usize, const N: usize> Rows<T, D> for [[T; D]; N] {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::from_table(ArrayView2::from(self))
    }
}

impl<T: Scalar, const D: usize> Rows<T, D> for Vec<[T; D]> {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::from_table(ArrayView2::from(self.as_slice()))
    }
}

// Written out for each type. Implementations for all scalars would clash with those for ndarrays, and data of the wrong
// dimension (`Vec<[f32; 2]>` for a variable of 3 numbers) would be taken for a list of numbers of type `[f32; 2]`, with
// messages that help nobody.
macro_rules! lists_of_numbers {
    ($($number:ty)*) => {$(
        impl<const D: usize> Rows<$number, D> for [$number] {
            fn rows_view(&self) -> RowsView<'_, $number> {
                RowsView::from_flat(self)
            }
        }

        impl<const D: usize, const N: usize> Rows<$number, D> for [$number; N] {
            fn rows_view(&self) -> RowsView<'_, $number> {
                RowsView::from_flat(self)
            }
        }

        impl<const D: usize> Rows<$number, D> for Vec<$number> {
            fn rows_view(&self) -> RowsView<'_, $number> {
                RowsView::from_flat(self)
            }
        }

        impl Rows<$number, 1> for $number {
            fn rows_view(&self) -> RowsView<'_, $number> {
                RowsView::from_flat(core::slice::from_ref(self))
            }
        }
    )*};
}

lists_of_numbers!(f32 f64);

impl<T: Scalar, const D: usize, X: Rows<T, D> + ?Sized> Rows<T, D> for &X {
    fn rows_view(&self) -> RowsView<'_, T> {
        (**self).rows_view()
    }
}

impl<T: Scalar, const D: usize, X: Rows<T, D> + ?Sized> Rows<T, D> for &mut X {
    fn rows_view(&self) -> RowsView<'_, T> {
        (**self).rows_view()
    }
}

/// An ndarray dimension type that can be looked at as rows.
pub trait RowsDimension: ndarray::Dimension {
    /// Looks at an array of this dimension.
    #[doc(hidden)]
    fn look<T: Scalar>(view: ndarray::ArrayView<'_, T, Self>) -> RowsView<'_, T>;
}

impl RowsDimension for Ix1 {
    fn look<T: Scalar>(view: ArrayView1<'_, T>) -> RowsView<'_, T> {
        RowsView(Form::Line(view))
    }
}

impl RowsDimension for Ix2 {
    fn look<T: Scalar>(view: ArrayView2<'_, T>) -> RowsView<'_, T> {
        RowsView(Form::Table(view))
    }
}

impl RowsDimension for Ix3 {
    fn look<T: Scalar>(view: ArrayView3<'_, T>) -> RowsView<'_, T> {
        RowsView(Form::Blocks(view))
    }
}

impl RowsDimension for IxDyn {
    fn look<T: Scalar>(view: ndarray::ArrayView<'_, T, IxDyn>) -> RowsView<'_, T> {
        let shape = view.shape().to_vec();
        let form = match shape.len() {
            0 => view.insert_axis(Axis(0)).into_dimensionality().map(Form::Line),
            1 => view.into_dimensionality().map(Form::Line),
            2 => view.into_dimensionality().map(Form::Table),
            3 => view.into_dimensionality().map(Form::Blocks),
            _ => return RowsView(Form::Other(shape)),
        };
        RowsView(form.unwrap_or(Form::Other(shape)))
    }
}

impl<T: Scalar, const D: usize, S: Data<Elem = T>, I: RowsDimension> Rows<T, D> for ArrayBase<S, I> {
    fn rows_view(&self) -> RowsView<'_, T> {
        I::look(self.view())
    }
}

impl<T: Scalar, const D: usize, I: RowsDimension> Rows<T, D> for ArrayRef<T, I> {
    fn rows_view(&self) -> RowsView<'_, T> {
        I::look(self.view())
    }
}
