//! [`Reduce`]: a formula and a reduction as an operation.

use super::form::{Extent, Form};
use super::{Additive, Inputs, Operation};
use crate::cpu::Sum;
use crate::engine::{self, Reduction};
use crate::error::Error;
use crate::options::Options;
use core::marker::PhantomData;
use keops_core::{Formula, Scalar, Variable};
use ndarray::ArrayViewMut2;

/// How the results of a reduction are handed out.
pub trait Outcome: Reduction {
    /// What they look like.
    type Form: Form;
}

/// The reduction `R` of the formula `F`.
pub struct Reduce<F, R>(PhantomData<(F, R)>);

impl<F: Formula, R: Outcome> Operation for Reduce<F, R> {
    const NAME: &'static str = F::TEXT;
    const ACCUMULATES: bool = R::ACCUMULATES;
    type Form = R::Form;

    fn variables() -> Vec<Variable> {
        F::VARIABLES.to_vec()
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        let columns = if R::Form::VALUES { R::values::<F>() } else { R::indices::<F>() };
        let k = (R::K > 0).then_some(R::K);
        Extent { batch: inputs.batch().to_vec(), rows: inputs.results(F::KEEP), k, dim: columns / k.unwrap_or(1) }
    }

    fn check<T: Scalar>(inputs: &Inputs<'_, T>) -> Result<(), Error> {
        inputs.check_terms(F::TEXT, F::KEEP, R::K)
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        mut indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let domain = inputs.domain(F::KEEP);
        engine::reduce::<F, R, T>(&inputs.tables(), &domain, options, values, indices.view_mut())?;
        indices.mapv_inplace(|index| if index == u64::MAX { 0 } else { index });
        Ok(())
    }
}

impl<F: Formula> Additive for Reduce<F, Sum> {}
