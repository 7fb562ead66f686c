//! [`Operation`]: something a call can run, be it a reduction or the gradient of one.

mod exponential;
pub(crate) mod form;
mod gradient;
mod indices;
mod inputs;
mod k_smallest;
#[cfg(feature = "cuda")]
mod on_device;
mod reduce;
mod selection;
mod sheet;
mod sum;
mod target;

pub use form::Form;
pub(crate) use form::{Extent, Values};
pub use gradient::Gradient;
pub(crate) use inputs::Inputs;
#[cfg(feature = "cuda")]
pub(crate) use on_device::{FormOnDevice, OnDevice};
pub use reduce::Reduce;
pub(crate) use sheet::Sheet;
pub(crate) use target::Parts;
pub use target::Target;

use crate::error::Error;
use crate::options::Options;
use keops_core::{Scalar, Variable};
use ndarray::ArrayViewMut2;

/// Something a call can run.
pub trait Operation: 'static {
    /// The formula, for messages.
    const NAME: &'static str;
    /// Does it add terms up, so that the choice of an accumulator means something?
    const ACCUMULATES: bool;
    /// What its results look like.
    type Form: Form;

    /// The variables of a call, in order.
    fn variables() -> Vec<Variable>;
    /// Shape of the results.
    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent;
    /// Refuses sizes for which there is no result.
    fn check<T: Scalar>(_inputs: &Inputs<'_, T>) -> Result<(), Error> {
        Ok(())
    }
    /// Runs on checked inputs. The tables are (batch elements · rows) × (k·dim); the one that the form does not have has no
    /// columns.
    /// Writes nothing if it fails.
    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error>;
}

/// An operation whose results are sums, so that adding them to an output means something.
#[diagnostic::on_unimplemented(
    message = "the results of `{Self}` cannot be added to an output",
    note = "`add_into` is for sums and for gradients"
)]
pub trait Additive: Operation<Form = Values> {}
