//! [`GradSelected`]: gradients of minima, maxima and K smallest values, through the selected indices.
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
use ndarray::{Array2, ArrayViewMut1, ArrayViewMut2, Axis};
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

/// The gradient of the reduction `R` of `F`. `G` is the body of the gradient of `F`: its variables are those of `F`, then
/// the seed, of the dimension of `F`.
pub struct GradSelected<F, R, G>(PhantomData<(F, R, G)>);

impl<F: Formula, R: Selection, G: Formula> Operation for GradSelected<F, R, G> {
    const NAME: &'static str = G::TEXT;
    const ACCUMULATES: bool = true;
    type Form = Values;

    fn variables() -> Vec<Variable> {
        let seed = G::VARIABLES[F::VARIABLES.len()];
        let mut variables = F::VARIABLES.to_vec();
        variables.push(Variable { name: "e", dim: <R::Arg as cpu::Reduction>::indices::<F>(), ..seed });
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
        mut values: ArrayViewMut2<'_, T>,
        _indices: ArrayViewMut2<'_, u64>,
    ) -> Result<(), Error> {
        let tables = inputs.tables();
        let indices = select::<F, R, T>(inputs, options, &tables[..F::VARIABLES.len()])?;
        let (kept, results) = (inputs.rows(F::KEEP), inputs.results(G::KEEP));
        let outputs: Vec<_> = match results {
            0 => return Ok(()),
            _ => values.axis_chunks_iter_mut(Axis(0), results).collect(),
        };
        outputs.into_par_iter().zip(inputs.elements()).enumerate().try_for_each(|(at, (values, element))| {
            let views: Vec<_> = tables
                .iter()
                .map(|table| table.data.index_axis(Axis(0), table.position(inputs.batch(), element)))
                .collect();
            let indices = indices.slice_axis(Axis(0), (at * kept..(at + 1) * kept).into());
            element_gradient::<F, G, T>(&SelectedPairs::new(&views, indices), values)
        })
    }
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

impl<F: Formula, R: Selection, G: Formula> Additive for GradSelected<F, R, G> {}

/// Rows that are worked on together. Fixed, so that results do not depend on the number of threads.
const BLOCK: usize = 256;

/// The forward pass: the selected column of every row and slot.
fn select<F: Formula, R: Selection, T: Scalar>(
    inputs: &Inputs<'_, T>,
    options: &Options,
    tables: &[Table<'_, T>],
) -> Result<Array2<u64>, Error> {
    // An accumulator means nothing to the forward pass.
    let options = Options { accumulator: None, ..*options };
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
