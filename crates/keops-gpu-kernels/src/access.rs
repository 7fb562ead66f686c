//! How a formula reads its variables and staged values, and writes the latter.

use crate::abi::Arguments;
use crate::memory::{Memory, Pointer};
use crate::nest::{Nest, Shape};
use crate::number::Number;
use crate::tiling::{outer_is_aligned, shift};
use core::marker::PhantomData;
use keops_core::{Category, Formula, Real, Source, Stage, Staged};

/// The variables of a batch, from its row 0 on. Nothing is kept in registers: the arguments of a kernel are constants.
#[derive(Clone, Copy)]
pub(crate) struct Variables<'a, T> {
    arguments: &'a Arguments,
    offsets: *const u64,
    of: PhantomData<T>,
}

impl<'a, T: Number> Variables<'a, T> {
    /// # Safety
    /// The arguments must describe readable tables; `offsets` has an offset for each variable.
    #[inline(always)]
    pub(crate) unsafe fn new(arguments: &'a Arguments, offsets: *const u64) -> Self {
        Variables { arguments, offsets, of: PhantomData }
    }

    /// Number `k` of row `row` of variable `var`.
    #[inline(always)]
    fn read(&self, var: usize, row: u64, k: usize) -> T {
        // SAFETY: formulas ask for numbers of their variables only, schemes for rows that exist.
        unsafe {
            let table = self.arguments.variables.get_unchecked(var);
            let row = *self.offsets.add(var) + row;
            *global::<T>(table.data).add((row * table.stride) as usize + k)
        }
    }
}

/// One row, or one column.
pub(crate) struct One<'a, T> {
    pub(crate) variables: &'a Variables<'a, T>,
    pub(crate) row: u64,
}

impl<T: Number> Source<T::Real> for One<'_, T> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> T::Real {
        T::Real::splat(self.variables.read(var, self.row, k))
    }
    #[inline(always)]
    fn index(&self, _: Category) -> u64 {
        self.row
    }
}

/// The rows of a thread.
pub(crate) struct Several<'a, T, S> {
    pub(crate) variables: &'a Variables<'a, T>,
    /// Number of the first row of the block.
    pub(crate) first: u64,
    pub(crate) place: Place,
    pub(crate) shape: PhantomData<S>,
}

impl<T: Number, S: Shape<T>> Source<S::Row> for Several<'_, T, S> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> S::Row {
        S::Rows::join(|r| T::Real::splat(self.variables.read(var, self.first + u64::from(self.place.existing(r)), k)))
    }
    #[inline(always)]
    fn index(&self, _: Category) -> u64 {
        self.first + u64::from(self.place.existing(0))
    }
    #[inline(always)]
    fn index_half(&self, of: Category, high: bool) -> S::Row {
        S::Rows::join(|r| {
            let row = self.first + u64::from(self.place.existing(r));
            One { variables: self.variables, row }.index_half(of, high)
        })
    }
}

/// Which rows of its block a thread has: `slot`, `slot + step`, …
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) slot: u32,
    pub(crate) step: u32,
    /// Rows of the block, at least 1.
    pub(crate) rows: u32,
}

impl Place {
    /// Row `r` of the thread.
    #[inline(always)]
    pub(crate) fn row(self, r: usize) -> u32 {
        self.slot + r as u32 * self.step
    }
    /// Does it exist?
    #[inline(always)]
    pub(crate) fn exists(self, r: usize) -> bool {
        self.row(r) < self.rows
    }
    /// Row `r`, or the last one of the block.
    #[inline(always)]
    pub(crate) fn existing(self, r: usize) -> u32 {
        self.row(r).min(self.rows - 1)
    }
}

/// The staged parameters: up to `N` in registers, more in memory.
pub(crate) struct Parameters<T, const N: usize> {
    registers: [T; N],
    memory: *const T,
}

impl<T: Number, const N: usize> Parameters<T, N> {
    /// # Safety
    /// `memory` must have as many numbers as the formula has staged parameters; `N` is their number, or 0 to leave them
    /// where they are.
    #[inline(always)]
    pub(crate) unsafe fn new(memory: *const T) -> Self {
        let mut registers = [T::default(); N];
        for (k, v) in registers.iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            *v = unsafe { *memory.add(k) };
        }
        Parameters { registers, memory }
    }
}

impl<T: Number, R: Real<Scalar = T>, const N: usize> Staged<R> for Parameters<T, N> {
    #[inline(always)]
    fn at(&self, k: usize) -> R {
        // SAFETY: formulas read the parameters they staged only.
        R::splat(unsafe { if N > 0 { *self.registers.get_unchecked(k) } else { *self.memory.add(k) } })
    }
}

/// Parameters of which one is known to be −1.
pub(crate) struct MinusOne<'a, P>(pub(crate) &'a P, pub(crate) usize);

impl<R: Real, P: Staged<R>> Staged<R> for MinusOne<'_, P> {
    #[inline(always)]
    fn at(&self, k: usize) -> R {
        if k == self.1 { R::lit(-1.0) } else { self.0.at(k) }
    }
}

/// Staged rows in registers.
pub(crate) struct RowRegisters<Q, const N: usize>(pub(crate) [Q; N]);

impl<Q: Real, const N: usize> Stage<Q> for RowRegisters<Q, N> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: Q) {
        // SAFETY: formulas stage `ROW` values, which is `N`.
        unsafe { *self.0.get_unchecked_mut(k) = v }
    }
}

impl<Q: Real, const N: usize> Staged<Q> for RowRegisters<Q, N> {
    #[inline(always)]
    fn at(&self, k: usize) -> Q {
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked(k) }
    }
}

/// Staged rows in memory: value `k` of row `r` of the block at `k · block + r`.
pub(crate) struct RowMemory<T, S> {
    pub(crate) memory: *mut T,
    pub(crate) block: usize,
    pub(crate) place: Place,
    pub(crate) shape: PhantomData<S>,
}

impl<T: Number, S: Shape<T>> Stage<S::Row> for RowMemory<T, S> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: S::Row) {
        S::Rows::each(v, |r, v| {
            // SAFETY: the scheme made room for all rows of the block.
            unsafe { self.memory.add(k * self.block + self.place.row(r) as usize).write(T::of(v)) }
        });
    }
}

impl<T: Number, S: Shape<T>> Staged<S::Row> for RowMemory<T, S> {
    #[inline(always)]
    fn at(&self, k: usize) -> S::Row {
        S::Rows::join(|r| {
            // SAFETY: as above.
            T::Real::splat(unsafe { self.memory.add(k * self.block + self.place.row(r) as usize).read() })
        })
    }
}

/// Staged rows that meet `N` columns at once.
pub(crate) struct Across<'a, X, Q, N>(pub(crate) &'a X, pub(crate) PhantomData<(Q, N)>);

impl<Q: Real, N: Nest<Q>, X: Staged<Q>> Staged<N::All> for Across<'_, X, Q, N> {
    #[inline(always)]
    fn at(&self, k: usize) -> N::All {
        let v = self.0.at(k);
        N::join(|_| v)
    }
}

/// Where value `k` is in the record of a column.
#[inline(always)]
fn position<F: Formula, T: Number>(k: usize) -> u32 {
    (if k >= F::OUTER.at { k + shift::<F, T>() } else { k }) as u32
}

/// Writes one column.
pub(crate) struct WriteColumn<M, F, T> {
    pub(crate) memory: M,
    pub(crate) at: u32,
    /// Values to be multiplied, as a set of positions, and by what.
    pub(crate) scaled: u64,
    pub(crate) factor: T,
    pub(crate) of: PhantomData<(F, T)>,
}

impl<F: Formula, T: Number, M: Memory<T>> Stage<T::Real> for WriteColumn<M, F, T> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: T::Real) {
        let v = if k < 64 && self.scaled >> k & 1 == 1 { v * T::Real::splat(self.factor) } else { v };
        // SAFETY: the scheme made room for all columns of a tile.
        unsafe { self.memory.store(self.at + position::<F, T>(k), T::of(v)) }
    }
}

impl<F: Formula, T: Number, M: Memory<T>> WriteColumn<M, F, T> {
    /// Fills what is left out of a record of `width` numbers, because units of 16 bytes are read.
    #[inline(always)]
    pub(crate) fn fill(&self, width: usize) {
        let shift = shift::<F, T>();
        for k in (F::OUTER.at..F::OUTER.at + shift).chain(F::COL + shift..width) {
            // SAFETY: as in `put`.
            unsafe { self.memory.store(self.at + k as u32, T::default()) };
        }
    }
}

/// Reads one column.
pub(crate) struct ReadColumn<M, F, T, Q> {
    pub(crate) memory: M,
    pub(crate) at: u32,
    pub(crate) of: PhantomData<(F, T, Q)>,
}

impl<F: Formula, T: Number, M: Memory<T>, Q: Real<Scalar = T>> ReadColumn<M, F, T, Q> {
    /// Component `first + k` of the outer vector; `first` is a multiple of 4.
    #[inline(always)]
    pub(crate) fn outer(&self, first: usize, k: usize) -> Q {
        let base = self.at + position::<F, T>(F::OUTER.at);
        // SAFETY: the scheme staged all columns of the tile.
        Q::splat(unsafe {
            if outer_is_aligned::<F>() {
                self.memory.pick(base + first as u32, k as u32)
            } else {
                self.memory.pick(self.at, position::<F, T>(F::OUTER.at + first + k))
            }
        })
    }
}

impl<F: Formula, T: Number, M: Memory<T>, Q: Real<Scalar = T>> Staged<Q> for ReadColumn<M, F, T, Q> {
    #[inline(always)]
    fn at(&self, k: usize) -> Q {
        // SAFETY: the scheme staged all columns of the tile.
        Q::splat(unsafe { self.memory.pick(self.at, position::<F, T>(k)) })
    }
}

/// Reads several columns, one number each at a time.
pub(crate) struct ReadColumns<M, F, T, Q, N> {
    pub(crate) memory: M,
    /// Where the first of them is.
    pub(crate) at: u32,
    pub(crate) width: u32,
    pub(crate) of: PhantomData<(F, T, Q, N)>,
}

impl<F: Formula, T: Number, M: Memory<T>, Q: Real<Scalar = T>, N: Nest<Q>> Staged<N::All>
    for ReadColumns<M, F, T, Q, N>
{
    #[inline(always)]
    fn at(&self, k: usize) -> N::All {
        N::join(|c| {
            let at = self.at + c as u32 * self.width + position::<F, T>(k);
            // SAFETY: the scheme staged all columns of the tile.
            Q::splat(unsafe { self.memory.load(at) })
        })
    }
}

/// Numbers in memory at a fixed distance: accumulated values, results.
pub(crate) struct Strided<T> {
    pub(crate) memory: *mut T,
    pub(crate) step: u64,
}

impl<T: Number> Staged<T::Real> for Strided<T> {
    #[inline(always)]
    fn at(&self, k: usize) -> T::Real {
        // A row without columns has no state: its sums are 0.
        if self.memory.is_null() {
            return T::Real::lit(0.0);
        }
        // SAFETY: the scheme gives memory for all of them.
        T::Real::splat(unsafe { *self.memory.add((k as u64 * self.step) as usize) })
    }
}

impl<T: Number> Stage<T::Real> for Strided<T> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: T::Real) {
        // SAFETY: as above.
        unsafe { *self.memory.add((k as u64 * self.step) as usize) = T::of(v) }
    }
}

/// The pointer to an address in global memory.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn global<T>(address: u64) -> *mut T {
    address as *mut T
}

/// The pointer to an address in global memory. The assembler sees where it points to, and need not find out at every access.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
pub(crate) fn global<T>(address: u64) -> *mut T {
    crate::device::global(address) as *mut T
}

/// Memory that the block has for itself.
#[inline(always)]
pub(crate) fn scratch<T>(arguments: &Arguments, block: u32, bytes: usize, from: usize) -> Pointer<T> {
    Pointer(global::<u8>(arguments.scratch).wrapping_add(block as usize * bytes + from).cast())
}
