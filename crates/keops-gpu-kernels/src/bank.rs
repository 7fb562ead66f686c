//! [`Bank`]: the numbers of a thread's rows that change from column to column, in registers or in memory, added up plainly
//! or exactly.

use crate::compensated::two_sum;
use crate::nest::{Shape, Tile};
use crate::number::Number;
use crate::records::Records;
use keops_core::Real;

/// Numbers of the rows of a thread. Those that are sums are only added to and scaled; the others are read and written.
pub trait Bank<T: Number, S: Shape<T>> {
    /// Are they the states in memory themselves? Otherwise they are moved there now and then.
    const DIRECT: bool;
    /// A bank for these states. Number `k` that is a sum is number `first + k` of a state, with its carry `carry` further
    /// on.
    fn new(records: Records<T, S>, first: usize, carry: usize) -> Self;
    /// Number `k`.
    fn get(&self, k: usize) -> S::Row;
    /// Writes number `k`.
    fn set(&mut self, k: usize, v: S::Row);
    /// Index `k`, relative to the first column; `numbers` numbers come before the indices.
    fn index(&self, numbers: usize, k: usize) -> <S::Row as Real>::Int;
    /// Writes index `k`.
    fn set_index(&mut self, numbers: usize, k: usize, v: <S::Row as Real>::Int);
    /// Makes sum `k` zero.
    fn clear(&mut self, k: usize);
    /// Adds to sum `k`.
    fn add(&mut self, k: usize, v: S::Row);
    /// Adds `a · b` to sum `k`.
    fn add_product(&mut self, k: usize, a: S::Row, b: S::Row);
    /// Multiplies sum `k`.
    fn scale(&mut self, k: usize, factor: S::Row);
    /// Sum `k` in two parts.
    fn sum(&self, k: usize) -> (S::Row, S::Row);
}

/// `N` numbers in registers.
pub struct Registers<T: Number, S: Shape<T>, const N: usize>([S::Row; N]);

impl<T: Number, S: Shape<T>, const N: usize> Bank<T, S> for Registers<T, S, N> {
    const DIRECT: bool = false;
    #[inline(always)]
    fn new(_: Records<T, S>, _: usize, _: usize) -> Self {
        Registers([S::Row::lit(0.0); N])
    }
    #[inline(always)]
    fn get(&self, k: usize) -> S::Row {
        // SAFETY: reductions have `N` numbers.
        unsafe { *self.0.get_unchecked(k) }
    }
    #[inline(always)]
    fn set(&mut self, k: usize, v: S::Row) {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked_mut(k) = v }
    }
    #[inline(always)]
    fn index(&self, numbers: usize, k: usize) -> <S::Row as Real>::Int {
        self.get(numbers + k).to_bits()
    }
    #[inline(always)]
    fn set_index(&mut self, numbers: usize, k: usize, v: <S::Row as Real>::Int) {
        self.set(numbers + k, S::Row::from_bits(v));
    }
    #[inline(always)]
    fn clear(&mut self, k: usize) {
        self.set(k, S::Row::lit(0.0));
    }
    #[inline(always)]
    fn add(&mut self, k: usize, v: S::Row) {
        self.set(k, self.get(k) + v);
    }
    #[inline(always)]
    fn add_product(&mut self, k: usize, a: S::Row, b: S::Row) {
        self.set(k, a.fma(b, self.get(k)));
    }
    #[inline(always)]
    fn scale(&mut self, k: usize, factor: S::Row) {
        self.set(k, self.get(k) * factor);
    }
    #[inline(always)]
    fn sum(&self, k: usize) -> (S::Row, S::Row) {
        (self.get(k), S::Row::lit(0.0))
    }
}

/// The states in memory; sums are compensated at every addition.
pub struct InMemory<T, S> {
    records: Records<T, S>,
    first: usize,
    carry: usize,
}

impl<T: Number, S: Shape<T>> Bank<T, S> for InMemory<T, S> {
    const DIRECT: bool = true;
    #[inline(always)]
    fn new(records: Records<T, S>, first: usize, carry: usize) -> Self {
        InMemory { records, first, carry }
    }
    #[inline(always)]
    fn get(&self, k: usize) -> S::Row {
        self.records.get(self.first + k)
    }
    #[inline(always)]
    fn set(&mut self, k: usize, v: S::Row) {
        self.records.set(self.first + k, v);
    }
    #[inline(always)]
    fn index(&self, _: usize, k: usize) -> <S::Row as Real>::Int {
        self.records.get_index(k)
    }
    #[inline(always)]
    fn set_index(&mut self, _: usize, k: usize, v: <S::Row as Real>::Int) {
        self.records.set_index(k, v);
    }
    #[inline(always)]
    fn clear(&mut self, k: usize) {
        self.set(k, S::Row::lit(0.0));
        self.set(self.carry + k, S::Row::lit(0.0));
    }
    #[inline(always)]
    fn add(&mut self, k: usize, v: S::Row) {
        let sum = self.first + k;
        self.records.add(sum, sum + self.carry, v, S::Row::lit(0.0));
    }
    #[inline(always)]
    fn add_product(&mut self, k: usize, a: S::Row, b: S::Row) {
        self.add(k, a * b);
    }
    #[inline(always)]
    fn scale(&mut self, k: usize, factor: S::Row) {
        self.records.scale(self.first + k, factor);
        self.records.scale(self.first + self.carry + k, factor);
    }
    #[inline(always)]
    fn sum(&self, k: usize) -> (S::Row, S::Row) {
        (self.get(k), self.get(self.carry + k))
    }
}

/// `N` sums in registers, each with what was lost when it was rounded.
pub struct Kahan<T: Number, S: Shape<T>, const N: usize>([(S::Row, S::Row); N]);

impl<T: Number, S: Shape<T>, const N: usize> Kahan<T, S, N> {
    #[inline(always)]
    fn at(&mut self, k: usize) -> &mut (S::Row, S::Row) {
        // SAFETY: reductions have `N` numbers.
        unsafe { self.0.get_unchecked_mut(k) }
    }
}

impl<T: Number, S: Shape<T>, const N: usize> Bank<T, S> for Kahan<T, S, N> {
    const DIRECT: bool = false;
    #[inline(always)]
    fn new(_: Records<T, S>, _: usize, _: usize) -> Self {
        Kahan([(S::Row::lit(0.0), S::Row::lit(0.0)); N])
    }
    #[inline(always)]
    fn get(&self, k: usize) -> S::Row {
        self.sum(k).0
    }
    #[inline(always)]
    fn set(&mut self, k: usize, v: S::Row) {
        self.at(k).0 = v;
    }
    #[inline(always)]
    fn index(&self, numbers: usize, k: usize) -> <S::Row as Real>::Int {
        self.get(numbers + k).to_bits()
    }
    #[inline(always)]
    fn set_index(&mut self, numbers: usize, k: usize, v: <S::Row as Real>::Int) {
        self.set(numbers + k, S::Row::from_bits(v));
    }
    #[inline(always)]
    fn clear(&mut self, k: usize) {
        *self.at(k) = (S::Row::lit(0.0), S::Row::lit(0.0));
    }
    #[inline(always)]
    fn add(&mut self, k: usize, v: S::Row) {
        let at = self.at(k);
        let (s, e) = two_sum(at.0, v);
        *at = (s, at.1 + e);
    }
    #[inline(always)]
    fn add_product(&mut self, k: usize, a: S::Row, b: S::Row) {
        self.add(k, a * b);
    }
    #[inline(always)]
    fn scale(&mut self, k: usize, factor: S::Row) {
        let at = self.at(k);
        *at = (at.0 * factor, at.1 * factor);
    }
    #[inline(always)]
    fn sum(&self, k: usize) -> (S::Row, S::Row) {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked(k) }
    }
}

/// `N` sums of one row in `f64`.
pub struct Wide<const N: usize>([f64; N]);

impl<T: Number, const C: usize, const N: usize> Bank<T, Tile<1, C>> for Wide<N>
where
    Tile<1, C>: Shape<T, Row = T::Real>,
{
    const DIRECT: bool = false;
    #[inline(always)]
    fn new(_: Records<T, Tile<1, C>>, _: usize, _: usize) -> Self {
        Wide([0.0; N])
    }
    #[inline(always)]
    fn get(&self, k: usize) -> T::Real {
        <Self as Bank<T, Tile<1, C>>>::sum(self, k).0
    }
    #[inline(always)]
    fn set(&mut self, k: usize, v: T::Real) {
        // SAFETY: reductions have `N` numbers.
        unsafe { *self.0.get_unchecked_mut(k) = T::of(v).to_f64() }
    }
    #[inline(always)]
    fn index(&self, numbers: usize, k: usize) -> <T::Real as Real>::Int {
        <Self as Bank<T, Tile<1, C>>>::get(self, numbers + k).to_bits()
    }
    #[inline(always)]
    fn set_index(&mut self, numbers: usize, k: usize, v: <T::Real as Real>::Int) {
        <Self as Bank<T, Tile<1, C>>>::set(self, numbers + k, T::Real::from_bits(v));
    }
    #[inline(always)]
    fn clear(&mut self, k: usize) {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked_mut(k) = 0.0 }
    }
    #[inline(always)]
    fn add(&mut self, k: usize, v: T::Real) {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked_mut(k) += T::of(v).to_f64() }
    }
    #[inline(always)]
    fn add_product(&mut self, k: usize, a: T::Real, b: T::Real) {
        <Self as Bank<T, Tile<1, C>>>::add(self, k, a * b);
    }
    #[inline(always)]
    fn scale(&mut self, k: usize, factor: T::Real) {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked_mut(k) *= T::of(factor).to_f64() }
    }
    #[inline(always)]
    fn sum(&self, k: usize) -> (T::Real, T::Real) {
        // SAFETY: as above.
        let sum = unsafe { *self.0.get_unchecked(k) };
        let high = T::from_f64(sum);
        let rest = sum - high.to_f64();
        (T::Real::splat(high), T::Real::lit(if rest.is_finite() { rest } else { 0.0 }))
    }
}
