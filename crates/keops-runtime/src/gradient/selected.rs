//! [`GradSelected`], [`DiffSelected`]: derivatives of minima, maxima and K smallest values, through the selected indices.
//!
//! A selected value depends on one pair only, so the gradient's formula is evaluated at the selected pairs and nowhere
//! else: O(M·K·D) evaluations. Each component has its own index and is pulled back by its own seed.

use super::neumaier::Neumaier;
use super::pairs::SelectedPairs;
use crate::cpu::{self, ArgKMin, ArgMax, ArgMin, KMin, KMinArgKMin, Max, MaxArgMax, Min, MinArgMin};
use crate::domain::Table;
use crate::engine::{self, Reduction};
use crate::error::Error;
use crate::memory;
use crate::operation::{Additive, Extent, Inputs, Operation, Values};
use crate::options::Options;
use core::marker::PhantomData;
use keops_core::{Formula, Keep, Scalar, Variable};
use ndarray::{Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis};
use rayon::prelude::*;

/// A reduction that selects terms.
pub trait Selection: 'static {
    /// Gives the indices only.
    type Arg: Reduction;
}

macro_rules! selections {
    ($($name:ty => $arg:ty),*) => { $(
        impl Selection for $name {
            type Arg = $arg;
        }
    )* };
}
selections!(Min => ArgMin, MinArgMin => ArgMin, Max => ArgMax, MaxArgMax => ArgMax);

impl<const K: usize> Selection for KMin<K> {
    type Arg = ArgKMin<K>;
}

impl<const K: usize> Selection for KMinArgKMin<K> {
    type Arg = ArgKMin<K>;
}

/// The gradient of the reduction `R` of `F`, or of a derivative of it. `G` is the body of the gradient of the formula: its
/// variables begin with those of `F`, and number `COVECTOR` is the covector, of the dimension of `F`.
pub struct GradSelected<F, R, G, const COVECTOR: usize>(PhantomData<(F, R, G)>);

impl<F: Formula, R: Selection, G: Formula, const COVECTOR: usize> Operation for GradSelected<F, R, G, COVECTOR> {
    const NAME: &'static str = G::TEXT;
    const ACCUMULATES: bool = true;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        let mut variables = G::VARIABLES.to_vec();
        if let Some(covector) = variables.get_mut(COVECTOR) {
            covector.dim = <R::Arg as cpu::Reduction>::indices::<F>();
        }
        variables
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        Extent { batch: inputs.batch().to_vec(), rows: inputs.results(G::KEEP), k: None, dim: G::OUT }
    }

    fn check<T: Scalar>(inputs: &Inputs<'_, T>) -> Result<(), Error> {
        inputs.check_terms(G::TEXT, F::KEEP, <R::Arg as cpu::Reduction>::K)
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        _indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let results = inputs.results(G::KEEP);
        each_element::<F, R, T>(inputs, options, COVECTOR, results, values, |pairs, values| {
            element_gradient::<F, G, T>(pairs, values)
        })
    }
}

/// Calls `write` with the selected pairs of each batch element and its `results` rows.
fn each_element<F: Formula, R: Selection, T: Scalar>(
    inputs: &Inputs<'_, T>,
    options: &Options,
    covector: usize,
    results: usize,
    mut values: ArrayViewMut2<'_, T>,
    write: impl Fn(&SelectedPairs<'_, F, T>, ArrayViewMut2<'_, T>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let indices = select::<F, R, T>(inputs, options, &inputs.tables()[..F::VARIABLES.len()])?;
    // Single pairs are evaluated on the processor.
    let inputs = &inputs.on_host(F::TEXT)?;
    let tables = inputs.tables();
    let kept = inputs.rows(F::KEEP);
    let outputs: Vec<_> = match results {
        0 => return Ok(()),
        _ => values.axis_chunks_iter_mut(Axis(0), results).collect(),
    };
    outputs.into_par_iter().zip(inputs.elements()).enumerate().try_for_each(|(at, (values, element))| {
        let views = views_of(inputs, &tables, element);
        let indices = indices.slice_axis(Axis(0), (at * kept..(at + 1) * kept).into());
        write(&SelectedPairs::new(&views, indices, covector), values)
    })
}

/// The data of one batch element.
pub(super) fn views_of<'t, T: Scalar>(
    inputs: &Inputs<'_, T>,
    tables: &'t [Table<'_, T>],
    element: usize,
) -> Vec<ArrayView2<'t, T>> {
    tables.iter().map(|t| t.data.index_axis(Axis(0), t.position(inputs.batch(), element))).collect()
}

/// The gradient of one batch element.
fn element_gradient<F: Formula, G: Formula, T: Scalar>(
    pairs: &SelectedPairs<'_, F, T>,
    mut values: ArrayViewMut2<'_, T>,
) -> Result<(), Error> {
    if G::KEEP == Keep::None {
        write(values.row_mut(0), &total::<F, G, T>(pairs));
    } else if G::KEEP == F::KEEP {
        each_row::<F, G, T>(pairs, values);
    } else {
        each_column::<F, G, T>(pairs, values, &order_by_column(pairs, G::TEXT)?);
    }
    Ok(())
}

impl<F: Formula, R: Selection, G: Formula, const COVECTOR: usize> Additive for GradSelected<F, R, G, COVECTOR> {}

/// The derivative of the reduction `R` of `F`, the values of `G` at the selected pairs: each component of `G` at the pair
/// that this component of `F` has selected, and 0 where there is none. The variables of `G` begin with those of `F`.
pub struct DiffSelected<F, R, G>(PhantomData<(F, R, G)>);

impl<F: Formula, R: Selection, G: Formula> Operation for DiffSelected<F, R, G> {
    const NAME: &'static str = G::TEXT;
    const ACCUMULATES: bool = false;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        G::VARIABLES.to_vec()
    }

    fn extent<T: Scalar>(inputs: &Inputs<'_, T>) -> Extent {
        let dim = <R::Arg as cpu::Reduction>::indices::<F>();
        Extent { batch: inputs.batch().to_vec(), rows: inputs.rows(F::KEEP), k: None, dim }
    }

    fn check<T: Scalar>(inputs: &Inputs<'_, T>) -> Result<(), Error> {
        inputs.check_terms(G::TEXT, F::KEEP, <R::Arg as cpu::Reduction>::K)
    }

    fn execute<T: Scalar>(
        inputs: &Inputs<'_, T>,
        options: &Options,
        values: ArrayViewMut2<'_, T>,
        _indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let rows = inputs.rows(F::KEEP);
        each_element::<F, R, T>(inputs, options, usize::MAX, rows, values, |pairs, mut values| {
            blocks(&mut values).into_par_iter().enumerate().for_each_init(
                || pairs.evaluator::<G>(),
                |point, (block, mut rows)| {
                    for (row, mut to) in (block * BLOCK..).zip(rows.outer_iter_mut()) {
                        to.iter_mut().enumerate().for_each(|(slot, to)| *to = pairs.value(point, row, slot));
                    }
                },
            );
            Ok(())
        })
    }
}

impl<F: Formula, R: Selection, G: Formula> Additive for DiffSelected<F, R, G> {}

/// Rows that are worked on together. Fixed, so that results do not depend on the number of threads.
const BLOCK: usize = 256;

/// The forward pass: the selected column of every row and slot.
fn select<F: Formula, R: Selection, T: Scalar>(
    inputs: &Inputs<'_, T>,
    options: &Options,
    tables: &[Table<'_, T>],
) -> Result<Array2<u64>, Error> {
    // An accumulator means nothing to the forward pass.
    let options = Options { accumulator: None, ..options.clone() };
    let domain = inputs.domain(F::KEEP);
    let rows = domain.rows();
    let mut indices = memory::table(F::TEXT, "selected indices", rows, <R::Arg as cpu::Reduction>::indices::<F>())?;
    let mut none = memory::table(F::TEXT, "values", rows, <R::Arg as cpu::Reduction>::values::<F>())?;
    engine::reduce::<F, R::Arg, T>(tables, &domain, &options, none.view_mut(), indices.view_mut())?;
    Ok(indices)
}

/// Towards a parameter: the sum of all contributions.
fn total<F: Formula, G: Formula, T: Scalar>(pairs: &SelectedPairs<'_, F, T>) -> Vec<Neumaier> {
    let zeros = || vec![Neumaier::default(); G::OUT];
    let blocks: Vec<Vec<Neumaier>> = (0..pairs.rows().div_ceil(BLOCK))
        .into_par_iter()
        .map_init(
            || pairs.evaluator::<G>(),
            |point, block| {
                let mut sums = zeros();
                (block * BLOCK..pairs.rows().min((block + 1) * BLOCK))
                    .for_each(|row| pairs.add_row(point, row, &mut sums));
                sums
            },
        )
        .collect();
    blocks.into_iter().fold(zeros(), |mut sums, block| {
        sums.iter_mut().zip(block).for_each(|(sum, other)| sum.merge(other));
        sums
    })
}

/// Towards a variable of the kept index: each row has its own contributions.
fn each_row<F: Formula, G: Formula, T: Scalar>(pairs: &SelectedPairs<'_, F, T>, mut values: ArrayViewMut2<'_, T>) {
    blocks(&mut values).into_par_iter().enumerate().for_each_init(
        || pairs.evaluator::<G>(),
        |point, (block, mut rows)| {
            let mut sums = vec![Neumaier::default(); G::OUT];
            for (row, to) in (block * BLOCK..).zip(rows.outer_iter_mut()) {
                sums.fill(Neumaier::default());
                pairs.add_row(point, row, &mut sums);
                write(to, &sums);
            }
        },
    );
}

/// A selection, ordered by the column it points at.
type Selected = (usize, usize);

/// All selections, by column and then by position (row · slots + slot).
fn order_by_column<F: Formula, T: Scalar>(
    pairs: &SelectedPairs<'_, F, T>,
    formula: &'static str,
) -> Result<Vec<Selected>, Error> {
    let (rows, columns) = (pairs.rows(), pairs.slots());
    let mut order = Vec::new();
    order.try_reserve_exact(rows * columns).map_err(|_| Error::Memory {
        formula,
        part: "ordered selections",
        rows,
        columns,
    })?;
    for row in 0..rows {
        order.extend((0..columns).filter_map(|slot| Some((pairs.selected(row, slot)?, row * columns + slot))));
    }
    order.par_sort_unstable();
    Ok(order)
}

/// Towards a variable of the reduced index: each column gathers from the rows that have selected it.
fn each_column<F: Formula, G: Formula, T: Scalar>(
    pairs: &SelectedPairs<'_, F, T>,
    mut values: ArrayViewMut2<'_, T>,
    order: &[Selected],
) {
    blocks(&mut values).into_par_iter().enumerate().for_each_init(
        || pairs.evaluator::<G>(),
        |point, (block, mut columns)| {
            let mut selections = &order[order.partition_point(|&(column, _)| column < block * BLOCK)..];
            let mut sums = vec![Neumaier::default(); G::OUT];
            for (column, to) in (block * BLOCK..).zip(columns.outer_iter_mut()) {
                sums.fill(Neumaier::default());
                while let Some((&(at, position), rest)) = selections.split_first()
                    && at == column
                {
                    pairs.add(point, position / pairs.slots(), position % pairs.slots(), &mut sums);
                    selections = rest;
                }
                write(to, &sums);
            }
        },
    );
}

/// The rows of a table, cut into blocks.
fn blocks<'v, T>(values: &'v mut ArrayViewMut2<'_, T>) -> Vec<ArrayViewMut2<'v, T>> {
    values.axis_chunks_iter_mut(Axis(0), BLOCK).collect()
}

/// Rounds sums to the type of the data, once.
fn write<T: Scalar>(mut to: ArrayViewMut1<'_, T>, sums: &[Neumaier]) {
    to.iter_mut().zip(sums).for_each(|(to, sum)| *to = T::from_f64(sum.total()));
}
