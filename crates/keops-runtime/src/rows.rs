//! [`Rows`]: what may be given for a variable, and [`RowsView`]: how it is looked at.

use crate::domain::on_host;
use crate::error::Error;
use crate::located::DeviceMemory;
use crate::memory;
use crate::stream::Source;
use keops_core::{Category, Scalar, Variable};
#[cfg(feature = "cuda")]
use ndarray::ShapeBuilder;
use ndarray::{
    ArrayBase, ArrayRef, ArrayView1, ArrayView2, ArrayView3, ArrayViewD, Axis, CowArray, Data, Ix1, Ix2, Ix3, Ix4, Ix5,
    Ix6, IxDyn,
};

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
/// | ndarray, 3 to 6 axes, in a batched call (see [`Call::batched`](crate::Call::batched)) | leading axes are batches |
/// | ndarray of dynamic dimension | as its number of axes says; without axes one number |
/// | [`FileRows`](crate::FileRows), [`BlockRows`](crate::BlockRows) | rows that are read while the call runs |
/// | references to these | the same |
///
/// Nothing is copied, except an array with K × d or several batch axes that cannot be walked with one stride. A row that is
/// shared by all indices may be given as a broadcast view (stride 0).
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
    /// An array with more axes.
    Deep(ArrayViewD<'a, T>),
    /// Rows on a device, a number in the place of all, and their shape.
    #[cfg(feature = "cuda")]
    Device(&'a DeviceMemory, &'a [[T; 1]; 1], (usize, usize)),
    /// Rows that are read while the call runs.
    Stored(&'a dyn Source<T>),
}

/// Checked data of a variable.
#[derive(Debug)]
pub(crate) struct Resolved<'a, T> {
    /// Batch elements × rows × numbers.
    pub(crate) data: CowArray<'a, T, Ix3>,
    /// Lengths of the batch axes, the product of which is the number of elements.
    pub(crate) batch: Vec<usize>,
    /// Where the numbers are, if not on the host; then `data` has their shape only.
    pub(crate) device: Option<&'a DeviceMemory>,
    /// What they are read from, if they are not in memory; then `data` has their shape only.
    pub(crate) stored: Option<&'a dyn Source<T>>,
}

impl<T: Scalar> Resolved<'_, T> {
    /// The numbers, downloaded if they are on a device.
    pub(crate) fn on_host(&self, formula: &'static str) -> Result<CowArray<'_, T, Ix3>, Error> {
        on_host(formula, "", self.data.view(), self.device, self.stored)
    }
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

    /// Rows that are read while the call runs.
    pub(crate) fn from_source(source: &'a dyn Source<T>) -> Self {
        RowsView(Form::Stored(source))
    }

    /// Rows on a device, with one number to look at in the place of all, where shapes are checked.
    #[cfg(feature = "cuda")]
    pub(crate) fn on_device(memory: &'a DeviceMemory, one: &'a [[T; 1]; 1], shape: (usize, usize)) -> Self {
        RowsView(Form::Device(memory, one, shape))
    }

    /// A copy as a list of rows.
    pub(crate) fn to_rows<const D: usize>(&self) -> Result<Vec<[T; D]>, Error> {
        let variable = Variable { name: "points", category: Category::Vi, dim: D };
        let table = self.clone().resolve("clusters", &variable, false)?;
        let table = table.on_host("clusters")?;
        let rows = table.index_axis(Axis(0), 0);
        Ok(rows.outer_iter().map(|row| core::array::from_fn(|d| row[d])).collect())
    }

    /// Rows × `variable.dim` numbers, or why the data does not fit. `batched`: may there be leading axes?
    pub(crate) fn resolve(
        self,
        formula: &'static str,
        variable: &Variable,
        batched: bool,
    ) -> Result<Resolved<'a, T>, Error> {
        let Variable { name, category, dim } = *variable;
        let columns = |got| Error::Columns { formula, variable: name, category, expected: dim, got };
        let length = |got| Error::Length { formula, variable: name, category, expected: dim, got };
        let device = match self.0 {
            #[cfg(feature = "cuda")]
            Form::Device(memory, ..) => Some(memory),
            _ => None,
        };
        let (form, stored) = match self.0 {
            Form::Stored(source) => (IxDyn::look(source.placeholder()).0, Some(source)),
            form => (form, None),
        };
        let table = match form {
            Form::Table(table) => table,
            // A placeholder is an array.
            Form::Stored(_) => return Err(columns(0)),
            #[cfg(feature = "cuda")]
            Form::Device(_, one, (rows, row)) => {
                if row != dim {
                    return Err(columns(row));
                }
                repeated(one, rows, dim)
            }
            Form::Flat(numbers) => {
                let rows = numbers.len().checked_div(dim).ok_or_else(|| length(numbers.len()))?;
                let table = ArrayView2::from_shape((rows, dim), numbers).ok();
                table.filter(|_| rows * dim == numbers.len()).ok_or_else(|| length(numbers.len()))?
            }
            Form::Line(line) if dim == 1 => line.insert_axis(Axis(1)),
            Form::Line(line) => line.insert_axis(Axis(0)),
            Form::Deep(array) => {
                let shape = array.shape();
                let (rest, [k, d]) = (&shape[..shape.len() - 2], [shape[shape.len() - 2], shape[shape.len() - 1]]);
                let got = shape.to_vec();
                // In a batched call the last axis decides; in a plain one, three axes are rows × K × d.
                let batch = match rest {
                    _ if batched && d == dim => rest.to_vec(),
                    [batch @ .., _] if k * d == dim && (batched || batch.is_empty()) => batch.to_vec(),
                    _ if !batched && d == dim => {
                        return Err(Error::NotBatched { formula, variable: name, category, expected: dim, got });
                    }
                    [_] if !batched => return Err(columns(k * d)),
                    _ => return Err(Error::Axes { formula, variable: name, category, expected: dim, got }),
                };
                let rows = shape[batch.len()];
                return Ok(Resolved {
                    data: collapse(array, batch.len(), rows, dim, formula, name)?,
                    batch,
                    device,
                    stored,
                });
            }
        };
        if table.ncols() != dim {
            return Err(columns(table.ncols()));
        }
        Ok(Resolved { data: CowArray::from(table.insert_axis(Axis(0))), batch: Vec::new(), device, stored })
    }
}

/// A view of one number in the place of rows × `dim`.
#[cfg(feature = "cuda")]
fn repeated<T>(one: &[[T; 1]; 1], rows: usize, dim: usize) -> ArrayView2<'_, T> {
    // SAFETY: with strides of 0 every index is that of the number, which outlives the view.
    unsafe { ArrayView2::from_shape_ptr((rows, dim).strides((0, 0)), one.as_ptr().cast()) }
}

/// An array with `batch` leading axes as elements × rows × numbers: a view where strides allow it, otherwise a copy.
fn collapse<'a, T: Scalar>(
    array: ArrayViewD<'a, T>,
    batch: usize,
    rows: usize,
    dim: usize,
    formula: &'static str,
    part: &'static str,
) -> Result<CowArray<'a, T, Ix3>, Error> {
    let elements = array.shape()[..batch].iter().product();
    if let Some(view) = merged(array.clone(), batch) {
        return Ok(CowArray::from(view));
    }
    let mut copy = memory::table(formula, part, elements * rows, dim)?;
    copy.iter_mut().zip(array.iter()).for_each(|(to, from)| *to = *from);
    let error = |_| Error::Memory { formula, part, rows: elements * rows, columns: dim };
    copy.into_shape_with_order((elements, rows, dim)).map(CowArray::from).map_err(error)
}

/// The first `batch` axes as one and those behind the next as one, if each can be walked with one stride.
fn merged<T>(mut array: ArrayViewD<'_, T>, batch: usize) -> Option<ArrayView3<'_, T>> {
    if array.is_empty() {
        return None;
    }
    for axes in [batch + 1..array.ndim(), 0..batch] {
        for axis in axes.clone().skip(1) {
            if !array.merge_axes(Axis(axis - 1), Axis(axis)) {
                return None;
            }
        }
        for _ in axes.clone().skip(1) {
            array = array.index_axis_move(Axis(axes.start), 0);
        }
        if axes.is_empty() {
            array = array.insert_axis(Axis(axes.start));
        }
    }
    array.into_dimensionality().ok()
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

macro_rules! deep {
    ($($dimension:ident)*) => {$(
        impl RowsDimension for $dimension {
            fn look<T: Scalar>(view: ndarray::ArrayView<'_, T, Self>) -> RowsView<'_, T> {
                RowsView(Form::Deep(view.into_dyn()))
            }
        }
    )*};
}

deep!(Ix3 Ix4 Ix5 Ix6);

impl RowsDimension for IxDyn {
    fn look<T: Scalar>(view: ArrayViewD<'_, T>) -> RowsView<'_, T> {
        let deep = view.clone();
        let form = match view.ndim() {
            0 => view.insert_axis(Axis(0)).into_dimensionality().map(Form::Line),
            1 => view.into_dimensionality().map(Form::Line),
            2 => view.into_dimensionality().map(Form::Table),
            _ => Ok(Form::Deep(view)),
        };
        RowsView(form.unwrap_or(Form::Deep(deep)))
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
