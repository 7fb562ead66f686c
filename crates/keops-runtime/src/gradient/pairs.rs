//! [`SelectedPairs`]: what single selected pairs contribute to a gradient.

use super::neumaier::Neumaier;
use crate::pointwise::{At, Pointwise, number};
use core::marker::PhantomData;
use keops_core::{Category, Formula, Keep, Real, Scalar, Source};
use ndarray::ArrayView2;

/// The pairs that a reduction of `F` has selected, for evaluation by formulas.
pub(super) struct SelectedPairs<'a, F, T> {
    views: &'a [ArrayView2<'a, T>],
    /// Selected column per row and slot; slot k·DIM + d is entry k of component d.
    indices: ArrayView2<'a, u64>,
    /// Position of the variable that each slot reads in its own component only.
    covector: usize,
    formula: PhantomData<fn() -> F>,
}

impl<'a, F: Formula, T: Scalar> SelectedPairs<'a, F, T> {
    pub(super) fn new(views: &'a [ArrayView2<'a, T>], indices: ArrayView2<'a, u64>, covector: usize) -> Self {
        SelectedPairs { views, indices, covector, formula: PhantomData }
    }

    /// Kept rows.
    pub(super) fn rows(&self) -> usize {
        self.indices.nrows()
    }

    /// Selections per row.
    pub(super) fn slots(&self) -> usize {
        self.indices.ncols()
    }

    /// The column selected in a slot; `None` if no term could be.
    pub(super) fn selected(&self, row: usize, slot: usize) -> Option<usize> {
        usize::try_from(self.indices[[row, slot]]).ok().filter(|&column| column != usize::MAX)
    }

    /// Something that evaluates `G` on the data of these pairs.
    pub(super) fn evaluator<G: Formula>(&self) -> Pointwise<G, T> {
        Pointwise::new(self.views)
    }

    /// Adds the contribution of all slots of a row to `sums`.
    pub(super) fn add_row<G: Formula>(&self, point: &mut Pointwise<G, T>, row: usize, sums: &mut [Neumaier]) {
        (0..self.slots()).for_each(|slot| self.add(point, row, slot, sums));
    }

    /// Adds the contribution of one slot to `sums`.
    pub(super) fn add<G: Formula>(&self, point: &mut Pointwise<G, T>, row: usize, slot: usize, sums: &mut [Neumaier]) {
        let Some(values) = self.evaluate(point, row, slot) else { return };
        sums.iter_mut().zip(values).for_each(|(sum, &v)| sum.add(number(v).to_f64()));
    }

    /// What `G` gives for the component of a slot at the pair that is selected there; 0 if there is none.
    pub(super) fn value<G: Formula>(&self, point: &mut Pointwise<G, T>, row: usize, slot: usize) -> T {
        let values = self.evaluate(point, row, slot).unwrap_or_default();
        values.get(slot % F::DIM.max(1)).map_or(T::default(), |&v| number(v))
    }

    /// The values of `G` at the pair selected in a slot.
    fn evaluate<'p, G: Formula>(
        &self,
        point: &'p mut Pointwise<G, T>,
        row: usize,
        slot: usize,
    ) -> Option<&'p [T::Lane]> {
        let column = self.selected(row, slot)?;
        let (i, j) = if F::KEEP == Keep::J { (column, row) } else { (row, column) };
        let source = OneHot {
            at: At { data: self.views, variables: G::VARIABLES, i, j },
            seed: self.covector,
            slot,
            component: slot % F::DIM.max(1),
        };
        point.set_row(&source);
        point.set_col(&source);
        Some(point.term())
    }
}

/// The variables at a pair, with a seed that is 0 except in the component that has selected this pair.
struct OneHot<'a, T> {
    at: At<'a, T>,
    seed: usize,
    slot: usize,
    component: usize,
}

impl<T: Scalar> Source<T::Lane> for OneHot<'_, T> {
    fn at(&self, var: usize, k: usize) -> T::Lane {
        if var != self.seed {
            T::Lane::splat(self.at.get(var, k))
        } else if k == self.component {
            T::Lane::splat(self.at.get(var, self.slot))
        } else {
            T::Lane::lit(0.0)
        }
    }
    fn index(&self, of: Category) -> u64 {
        <At<'_, T> as Source<T::Lane>>::index(&self.at, of)
    }
}
