//! [`DiffSums`], [`GradSums`]: derivatives of log-sum-exp and of the soft-max-weighted mean beyond the first gradient.
//!
//! Their rows are functions of sums Σ q_c e^{F−m}, which the forward pass saves. A derivative of a row is evaluated from the
//! sums. For a gradient, a factor per sum is evaluated for each row; then the terms are summed with these factors, and
//! what a row depends on directly is added.

use super::exponential::{by_elements, silence_empty};
use super::neumaier::Neumaier;
use super::selected::views_of;
use crate::cpu::{MaxSumShiftExp, Reduction, Sum};
use crate::domain::{Table, row_major};
use crate::engine;
use crate::error::Error;
use crate::memory;
use crate::operation::{Additive, Extent, Inputs, Operation, Values};
use crate::options::Options;
use crate::pointwise::{At, Pointwise, number};
use core::marker::PhantomData;
use keops_core::{Formula, Keep, Scalar, Variable};
use ndarray::{Array2, ArrayView3, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

/// Rows made of the exponential sums of `F`. The variables of the row formula `A` are those of `F`, then the sums.
pub struct DiffSums<F, A>(PhantomData<(F, A)>);

/// The gradient of rows made of the exponential sums of `F`. `A` gives the factors of the sums, and after them what is added
/// to the gradient directly, if anything is. `G` is the body of the sum: its variables are those of `F`, then m and the
/// factors.
pub struct GradSums<F, A, G>(PhantomData<(F, A, G)>);

/// Rows that are worked on together.
const BLOCK: usize = 256;

/// The forward pass: for each row m and the sums.
fn forward<F: Formula, T: Scalar>(
    inputs: &Inputs<'_, T>,
    options: &Options,
    tables: &[Table<'_, T>],
    formula: &'static str,
) -> Result<Array2<T>, Error> {
    let domain = inputs.domain(F::KEEP);
    let rows = domain.rows();
    let mut raw = memory::table(formula, "saved sums", rows, <MaxSumShiftExp as Reduction>::values::<F>())?;
    let mut none = memory::table(formula, "indices", rows, 0)?;
    engine::reduce::<F, MaxSumShiftExp, T>(tables, &domain, options, raw.view_mut(), none.view_mut())?;
    Ok(raw)
}

/// Evaluates the row formula `A` for all rows of all batch elements.
fn each_row<F: Formula, A: Formula, T: Scalar>(
    inputs: &Inputs<'_, T>,
    tables: &[Table<'_, T>],
    raw: &Array2<T>,
    mut values: ArrayViewMut2<'_, T>,
) {
    let kept = inputs.rows(F::KEEP);
    if kept == 0 {
        return;
    }
    let elements: Vec<_> = values.axis_chunks_iter_mut(Axis(0), kept).collect();
    elements.into_par_iter().zip(inputs.elements()).enumerate().for_each(|(at, (mut values, element))| {
        let mut data = views_of(inputs, tables, element);
        data.push(raw.slice(s![at * kept..(at + 1) * kept, 1..]));
        let blocks: Vec<_> = values.axis_chunks_iter_mut(Axis(0), BLOCK).collect();
        blocks.into_par_iter().enumerate().for_each_init(
            || Pointwise::<A, T>::new(&data),
            |point, (block, mut rows)| {
                for (row, mut to) in (block * BLOCK..).zip(rows.outer_iter_mut()) {
                    let at = At { data: &data, variables: A::VARIABLES, i: row, j: row };
                    point.set_row(&at);
                    point.set_col(&at);
                    to.iter_mut().zip(point.term()).for_each(|(to, &v)| *to = number(v));
                }
            },
        );
    });
}

impl<F: Formula, A: Formula> Operation for DiffSums<F, A> {
    const NAME: &'static str = A::TEXT;
    const ACCUMULATES: bool = true;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        F::VARIABLES.to_vec()
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        Extent { batch: inputs.batch().to_vec(), rows: inputs.rows(F::KEEP), k: None, dim: A::OUT }
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        _indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let tables = inputs.tables();
        let raw = forward::<F, T>(inputs, options, &tables, A::TEXT)?;
        let inputs = &inputs.on_host(A::TEXT)?;
        each_row::<F, A, T>(inputs, &inputs.tables(), &raw, values);
        Ok(())
    }
}

impl<F: Formula, A: Formula, G: Formula> Operation for GradSums<F, A, G> {
    const NAME: &'static str = G::TEXT;
    const ACCUMULATES: bool = true;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        F::VARIABLES.to_vec()
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        Extent { batch: inputs.batch().to_vec(), rows: inputs.results(G::KEEP), k: None, dim: G::OUT }
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        mut values: ArrayViewMut2<'_, T>,
        indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let mut tables = inputs.tables();
        let mut raw = forward::<F, T>(inputs, options, &tables, G::TEXT)?;
        let mut rows = memory::table(G::TEXT, "factors of the sums", raw.nrows(), A::OUT)?;
        let on_host = inputs.on_host(G::TEXT)?;
        each_row::<F, A, T>(&on_host, &on_host.tables(), &raw, rows.view_mut());
        raw.column_mut(0).iter_mut().for_each(silence_empty);

        let (sums, elements) = (raw.ncols() - 1, inputs.elements());
        let raw = by_elements(G::TEXT, raw, elements.len())?;
        let rows = by_elements(G::TEXT, rows, elements.len())?;
        let (steps, skip) = (row_major(inputs.batch()), elements.start);
        tables.push(Table::new(raw.slice(s![.., .., 0..1]), steps.clone(), skip));
        tables.push(Table::new(rows.slice(s![.., .., ..sums]), steps, skip));
        engine::reduce::<G, Sum, T>(&tables, &inputs.domain(G::KEEP), options, values.view_mut(), indices)?;
        add_direct(values, rows.slice(s![.., .., sums..]), G::KEEP);
        Ok(())
    }
}

/// Adds what each row depends on directly: to its own gradient, or to that of the parameter.
fn add_direct<T: Scalar>(mut values: ArrayViewMut2<'_, T>, direct: ArrayView3<'_, T>, keep: Keep) {
    if direct.is_empty() {
        return;
    }
    if keep == Keep::None {
        for (mut to, element) in values.outer_iter_mut().zip(direct.outer_iter()) {
            for (to, column) in to.iter_mut().zip(element.columns()) {
                let mut sum = Neumaier::default();
                sum.add(to.to_f64());
                column.iter().for_each(|v| sum.add(v.to_f64()));
                *to = T::from_f64(sum.total());
            }
        }
    } else {
        values.iter_mut().zip(direct).for_each(|(to, v)| *to = T::from_f64(to.to_f64() + v.to_f64()));
    }
}

impl<F: Formula, A: Formula> Additive for DiffSums<F, A> {}
impl<F: Formula, A: Formula, G: Formula> Additive for GradSums<F, A, G> {}
