//! [`GradExponential`]: gradients of log-sum-exp and of the soft-max-weighted mean.
//!
//! With m the largest exponent of a row and s = Σ w e^{F−m}, the gradient of m + log s along a seed e is the gradient of
//! Σ (e/s) w e^{F−m} with e/s and m held fixed. For the mean O = Σ w e^F / Σ e^F it is that of Σ (e/s) (w − O) e^{F−m}
//! with s = Σ e^{F−m}. The forward reduction gives m, s and O, and they enter the gradient's sum as variables of the kept
//! index.

use crate::cpu::{self, LogSumExp, MaxSumShiftExp, SoftMaxRaw, Sum, SumSoftMaxWeight};
use crate::domain::{Table, on_host, row_major};
use crate::engine::{self, Reduction};
use crate::error::Error;
use crate::memory;
use crate::operation::{Additive, Extent, Inputs, Operation, Values};
use crate::options::Options;
use core::marker::PhantomData;
use keops_core::{Formula, Scalar, Variable};
use ndarray::{Array2, Array3, ArrayView1, ArrayViewMut1, ArrayViewMut2, s};

/// An exponential reduction, with what its gradient needs of the forward pass.
pub trait Exponential: 'static {
    /// Gives rows [m, s, …].
    type Raw: Reduction;
    /// Is the result the mean Σ w e^F / Σ e^F, rather than a log of sums?
    const MEAN: bool;
}

impl Exponential for LogSumExp {
    type Raw = MaxSumShiftExp;
    const MEAN: bool = false;
}

impl Exponential for SumSoftMaxWeight {
    type Raw = SoftMaxRaw;
    const MEAN: bool = true;
}

/// The gradient of the reduction `R` of `F`. `G` is the body of its sum: its variables are those of `F`, then m, e/s and,
/// for the mean, O.
pub struct GradExponential<F, R, G>(PhantomData<(F, R, G)>);

impl<F: Formula, R: Exponential, G: Formula> Operation for GradExponential<F, R, G> {
    const NAME: &'static str = G::TEXT;
    const ACCUMULATES: bool = true;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        let seed = G::VARIABLES[F::VARIABLES.len() + 1];
        let mut variables = F::VARIABLES.to_vec();
        variables.push(seed);
        variables
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        Extent { batch: inputs.batch().to_vec(), rows: inputs.results(G::KEEP), k: None, dim: G::OUT }
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let mut tables = inputs.tables();
        let Some(seed) = tables.pop() else { return Ok(()) };
        let seeds = on_host(G::TEXT, "e", seed.data, seed.device, seed.stored)?;
        let (domain, elements) = (inputs.domain(F::KEEP), inputs.elements());
        let kept = inputs.rows(F::KEEP);

        let all = domain.rows();
        let mut raw: Array2<T> = memory::table(G::TEXT, "saved sums", all, <R::Raw as cpu::Reduction>::values::<F>())?;
        let mut none = memory::table(G::TEXT, "indices", all, 0)?;
        engine::reduce::<F, R::Raw, T>(&tables, &domain, options, raw.view_mut(), none.view_mut())?;

        let mut scaled = memory::table(G::TEXT, "scaled seed", all, if R::MEAN { F::ACC } else { 0 })?;
        for (at, (raw, scaled)) in raw.outer_iter_mut().zip(scaled.outer_iter_mut()).enumerate() {
            let element = seed.position(inputs.batch(), elements.start + at / kept);
            let seed = seeds.slice(s![element, at % kept, ..]);
            if R::MEAN { prepare_mean(raw, seed, scaled) } else { prepare_log(raw, seed) }
        }

        let raw = by_elements(G::TEXT, raw, elements.len())?;
        let scaled = by_elements(G::TEXT, scaled, elements.len())?;
        let (steps, skip) = (row_major(inputs.batch()), elements.start);
        let mut push = |data| tables.push(Table::new(data, steps.clone(), skip));
        push(raw.slice(s![.., .., 0..1]));
        if R::MEAN {
            push(scaled.view());
            push(raw.slice(s![.., .., 2..]));
        } else {
            push(raw.slice(s![.., .., 1..]));
        }
        engine::reduce::<G, Sum, T>(&tables, &inputs.domain(G::KEEP), options, values, indices)
    }
}

/// A table as elements × rows × numbers.
pub(super) fn by_elements<T>(formula: &'static str, table: Array2<T>, elements: usize) -> Result<Array3<T>, Error> {
    let (rows, columns) = table.dim();
    let shape = (elements, rows.checked_div(elements).unwrap_or(0), columns);
    table.into_shape_with_order(shape).map_err(|_| Error::Memory { formula, part: "saved sums", rows, columns })
}

impl<F: Formula, R: Exponential, G: Formula> Additive for GradExponential<F, R, G> {}

/// For the log of sums: turns a row [m, s…] into [m, e/s…].
fn prepare_log<T: Scalar>(mut raw: ArrayViewMut1<'_, T>, seed: ArrayView1<'_, T>) {
    for (sum, &seed) in raw.iter_mut().skip(1).zip(&seed) {
        *sum = quotient(seed, *sum);
    }
    silence_empty(&mut raw[0]);
}

/// For the mean: turns a row [m, s, t…], where t are the weighted sums, into [m, s, O…], and fills in e/s.
fn prepare_mean<T: Scalar>(mut raw: ArrayViewMut1<'_, T>, seed: ArrayView1<'_, T>, mut scaled: ArrayViewMut1<'_, T>) {
    let sum = raw[1];
    for ((weighted, scaled), &seed) in raw.iter_mut().skip(2).zip(&mut scaled).zip(&seed) {
        *scaled = quotient(seed, sum);
        *weighted = quotient(*weighted, sum);
    }
    silence_empty(&mut raw[0]);
}

/// `a / sum`, and 0 for a sum of 0: a row without mass has gradient 0. So has a row whose weights cancel exactly, where the
/// derivative of the logarithm would be infinite.
fn quotient<T: Scalar>(a: T, sum: T) -> T {
    let sum = sum.to_f64();
    if sum == 0.0 { T::default() } else { T::from_f64(a.to_f64() / sum) }
}

/// A maximum of −∞ (no term, or all exponents −∞) becomes +∞, which makes the exponentials of its row 0.
pub(super) fn silence_empty<T: Scalar>(m: &mut T) {
    if m.to_f64() == f64::NEG_INFINITY {
        *m = T::from_f64(f64::INFINITY);
    }
}
