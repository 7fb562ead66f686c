//! [`OnDevice`]: operations whose results can stay on a device.

use super::form::{Form, Indices, KIndices, KValues, KValuesAndIndices, Values, ValuesAndIndices};
use super::reduce::{Outcome, Reduce};
use super::{Gradient, Inputs, Operation};
use crate::cuda::DeviceRows;
use crate::engine;
use crate::error::Error;
use crate::options::Options;
use keops_core::{Formula, Scalar};

/// An operation that is one reduction: its results can stay on the device where it runs.
#[diagnostic::on_unimplemented(
    message = "the results of `{Self}` cannot stay on a device",
    note = "`run_on_device` is for reductions and for gradients of sums, which are reductions themselves"
)]
pub trait OnDevice: Operation<Form: FormOnDevice> {
    /// Runs on checked inputs and returns values and indices; they have the shapes `[values, indices]`.
    #[doc(hidden)]
    fn execute_on_device<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        shapes: [(usize, usize); 2],
    ) -> Result<(DeviceRows<T>, DeviceRows<u64>), Error>;
}

impl<F: Formula, R: Outcome<Form: FormOnDevice>> OnDevice for Reduce<F, R> {
    fn execute_on_device<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        shapes: [(usize, usize); 2],
    ) -> Result<(DeviceRows<T>, DeviceRows<u64>), Error> {
        engine::reduce_on_device::<F, R, T>(&inputs.tables(), &inputs.domain(F::KEEP), options, shapes)
    }
}

// A call that is not batched has one element, over which there is nothing to sum.
impl<O: OnDevice + Operation<Form = Values>, const V: usize> OnDevice for Gradient<O, V> {
    fn execute_on_device<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        shapes: [(usize, usize); 2],
    ) -> Result<(DeviceRows<T>, DeviceRows<u64>), Error> {
        O::execute_on_device(inputs, options, shapes)
    }
}

/// What results look like that stay on a device. Those of K-reductions are rows × (K · dim).
pub trait FormOnDevice: Form {
    /// What `run_on_device` returns.
    type Left<T>;
    /// The part of what was left that there is.
    #[doc(hidden)]
    fn left<T>(values: DeviceRows<T>, indices: DeviceRows<u64>) -> Self::Left<T>;
}

macro_rules! forms {
    ($($form:ty, |$values:ident: $t:ident, $indices:ident| $left:ty = $result:expr;)*) => {$(
        impl FormOnDevice for $form {
            type Left<$t> = $left;
            #[allow(unused_variables)]
            fn left<$t>($values: DeviceRows<$t>, $indices: DeviceRows<u64>) -> $left {
                $result
            }
        }
    )*};
}

forms! {
    Values, |values: T, indices| DeviceRows<T> = values;
    KValues, |values: T, indices| DeviceRows<T> = values;
    Indices, |values: T, indices| DeviceRows<u64> = indices;
    KIndices, |values: T, indices| DeviceRows<u64> = indices;
    ValuesAndIndices, |values: T, indices| (DeviceRows<T>, DeviceRows<u64>) = (values, indices);
    KValuesAndIndices, |values: T, indices| (DeviceRows<T>, DeviceRows<u64>) = (values, indices);
}
