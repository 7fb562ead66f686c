//! [`Pairs`]: the rows of a thread against some columns, as reductions see them.

use crate::access::{Across, ReadColumn, ReadColumns};
use crate::memory::Memory;
use crate::nest::{Nest, Shape};
use crate::number::Number;
use core::marker::PhantomData;
use keops_core::{Formula, Int, Real, Sink, Staged, Values};

/// A value for each row of a thread and each of `N` columns.
pub type All<T, S, N> = <N as Nest<<S as Shape<T>>::Row>>::All;

/// Rows × `N` columns.
pub trait Pairs<T: Number, S: Shape<T>, N: Nest<S::Row>> {
    /// Evaluates them and hands the values over one by one.
    fn deliver(&self, sink: &mut impl Sink<All<T, S, N>>);
    /// Component `first + k` of the outer vector of the columns; `first` is a multiple of 4.
    fn outer(&self, first: usize, k: usize) -> All<T, S, N>;
    /// Column `c`, relative to the first one of the item.
    fn index(&self, c: usize) -> <S::Row as Real>::Int;
}

/// The components of the outer vector that a block sums, or all sums.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// The first of them.
    pub first: usize,
    /// How many.
    pub count: usize,
}

/// Staged rows × staged columns.
pub(crate) struct Staging<'a, F, T, M, X, P> {
    pub(crate) rows: &'a X,
    pub(crate) parameters: &'a P,
    pub(crate) columns: M,
    /// Where the first column is.
    pub(crate) at: u32,
    /// Numbers of the record of a column.
    pub(crate) width: u32,
    /// Number of the first column.
    pub(crate) first: u32,
    /// Are all columns to be evaluated together? Then a value of the rows is read once for all of them.
    pub(crate) together: bool,
    pub(crate) of: PhantomData<(F, T)>,
}

impl<F: Formula, T: Number, M: Memory<T>, X, P> Staging<'_, F, T, M, X, P> {
    /// Column `c` alone.
    #[inline(always)]
    pub(crate) fn one(&self, c: usize) -> Self {
        let skip = c as u32;
        Staging { at: self.at + skip * self.width, first: self.first + skip, ..*self }
    }

    #[inline(always)]
    fn column<Q>(&self, c: usize) -> ReadColumn<M, F, T, Q> {
        ReadColumn { memory: self.columns, at: self.at + c as u32 * self.width, of: PhantomData }
    }
}

impl<F, T, S, N, M, X, P> Pairs<T, S, N> for Staging<'_, F, T, M, X, P>
where
    F: Formula,
    T: Number,
    S: Shape<T>,
    N: Nest<S::Row>,
    M: Memory<T>,
    X: Staged<S::Row>,
    P: Staged<N::All> + Staged<S::Row>,
{
    #[inline(always)]
    fn deliver(&self, sink: &mut impl Sink<N::All>) {
        if self.together || N::N == 1 {
            let rows = Across::<X, S::Row, N>(self.rows, PhantomData);
            if self.together {
                let columns = ReadColumns::<M, F, T, S::Row, N> {
                    memory: self.columns,
                    at: self.at,
                    width: self.width,
                    of: PhantomData,
                };
                F::pair::<N::All>(&rows, &columns, self.parameters, sink);
            } else {
                let column = self.column::<S::Row>(0);
                F::pair::<N::All>(&rows, &Across::<_, S::Row, N>(&column, PhantomData), self.parameters, sink);
            }
        } else {
            let mut values = [F::Pair::<S::Row>::splat(S::Row::lit(0.0)); 4];
            for c in 0..N::N {
                let mut collect = Collect(&mut values[c], PhantomData);
                F::pair::<S::Row>(self.rows, &self.column(c), self.parameters, &mut collect);
            }
            for e in 0..F::DIM {
                sink.put(e, N::join(|c| values[c].as_slice()[e]));
            }
        }
    }
    #[inline(always)]
    fn outer(&self, first: usize, k: usize) -> N::All {
        N::join(|c| self.column::<S::Row>(c).outer(first, k))
    }
    #[inline(always)]
    fn index(&self, c: usize) -> <S::Row as Real>::Int {
        <S::Row as Real>::Int::splat(i64::from(self.first) + c as i64)
    }
}

/// Keeps the values.
struct Collect<'a, Q, V>(&'a mut V, PhantomData<Q>);

impl<Q: Real, V: Values<Q>> Sink<Q> for Collect<'_, Q, V> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: Q) {
        // SAFETY: formulas deliver values `0..DIM` only.
        unsafe { *self.0.as_mut_slice().get_unchecked_mut(e) = v };
    }
}
