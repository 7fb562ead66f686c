//! [`Gradient`]: a gradient as an operation that knows the variable it is towards.
//!
//! Where the data of that variable is shared along a batch axis, its gradient is the sum over the axis.

use super::form::Values;
use super::{Additive, Extent, Inputs, Operation};
use crate::domain::position;
use crate::error::Error;
use crate::gradient::Neumaier;
use crate::memory;
use crate::options::Options;
use core::marker::PhantomData;
use keops_core::{Scalar, Variable};
use ndarray::{ArrayViewMut2, Axis};

/// The gradient `O` towards variable number `V`.
pub struct Gradient<O, const V: usize>(PhantomData<O>);

impl<O: Operation<Form = Values>, const V: usize> Operation for Gradient<O, V> {
    const NAME: &'static str = O::NAME;
    const ACCUMULATES: bool = O::ACCUMULATES;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        O::variables()
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        Extent { batch: inputs.batch_of(V).to_vec(), ..O::extent(inputs) }
    }

    fn check<T: Scalar>(inputs: &Inputs<'_, T>) -> Result<(), Error> {
        O::check(inputs)
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        mut values: ArrayViewMut2<'_, T>,
        indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let elements = inputs.elements();
        if elements.len() == inputs.batch_of(V).iter().product() {
            return O::execute(inputs, options, values, indices);
        }
        let Extent { rows, dim, .. } = O::extent(inputs);
        let numbers = rows * dim;
        let mut sums = memory::table::<Neumaier>(O::NAME, "sums over batch axes", values.nrows(), dim)?;
        let group = (NUMBERS / numbers.max(1)).max(1);
        for first in elements.clone().step_by(group) {
            let some = first..elements.end.min(first + group);
            let mut parts = memory::table::<T>(O::NAME, "gradients of batch elements", some.len() * rows, dim)?;
            let mut none = memory::table(O::NAME, "indices", some.len() * rows, 0)?;
            O::execute(&inputs.part(some.clone()), options, parts.view_mut(), none.view_mut())?;
            for (part, element) in parts.axis_chunks_iter(Axis(0), rows.max(1)).zip(some) {
                let to = position(inputs.batch(), inputs.steps_of(V), element) * rows;
                let mut to = sums.slice_axis_mut(Axis(0), (to..to + rows).into());
                to.iter_mut().zip(part.iter()).for_each(|(sum, part)| sum.add(part.to_f64()));
            }
        }
        values.iter_mut().zip(sums.iter()).for_each(|(to, sum)| *to = T::from_f64(sum.total()));
        Ok(())
    }
}

impl<O: Additive, const V: usize> Additive for Gradient<O, V> {}

/// Numbers of single elements' gradients that are kept at a time.
const NUMBERS: usize = 1 << 20;
