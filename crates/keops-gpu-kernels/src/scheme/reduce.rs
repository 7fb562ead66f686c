//! Rows × columns → states.
//!
//! A block takes one item after the other. Its threads keep some rows each, stage the columns of a tile together, and walk
//! them; where there are few rows, several threads share a row and walk different columns of the tile.

use super::states;
use super::work::Work;
use crate::abi::{Arguments, Step, THREADS};
use crate::access::{
    MinusOne, One, Parameters, Place, RowMemory, RowRegisters, Several, Variables, WriteColumn, global, scratch,
};
use crate::bank::Bank;
use crate::grid::Grid;
use crate::memory::Memory;
use crate::nest::{Nest, Of, Shape};
use crate::number::Number;
use crate::pairs::Staging;
use crate::records::Records;
use crate::reduction::{Reduction, Running};
use crate::tiling::Tiling;
use crate::trace::Scaling;
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::{Formula, Mask, Real, Staged};

/// Columns from which on sums are moved from registers to the states: the length of uncompensated sums.
const SETTLE: u32 = 256;

/// One thread of *reduce*. `EXACTLY` says which of the two kernels it is; `ROW` is the number of staged row values if
/// they are kept in registers, `PARAMETERS` that of the staged parameters; otherwise they are 0.
///
/// # Safety
/// The arguments must be those of a [`crate::plan::Plan`] for this formula, reduction, number type and accumulator, with
/// valid addresses, and all threads of a block must call it.
#[inline(always)]
pub unsafe fn reduce<F, R, T, S, B, G, const EXACTLY: bool, const ROW: usize, const PARAMETERS: usize>(
    grid: G,
    arguments: &Arguments,
) where
    F: Formula,
    R: Reduction<F>,
    T: Number,
    S: Shape<T>,
    B: Bank<T, S>,
    G: Grid,
{
    let tiling = const { Tiling::of::<F, R, T>(if EXACTLY { Step::ReduceExactly } else { Step::Reduce }) };
    // All of these are powers of two.
    let lane_bits = arguments.lanes.trailing_zeros();
    let threads = THREADS >> lane_bits;
    let block = threads * tiling.rows as u32;
    let (slot, lane) = (grid.thread() & (threads - 1), grid.thread() >> threads.trailing_zeros());
    // SAFETY: promised by the caller.
    let parameters = unsafe { Parameters::<T, PARAMETERS>::new(global(arguments.parameters)) };

    // Only distances in falling exponentials can be scaled.
    let scaling = Scaling::of::<F, T>();
    let factor = scaling.map_or(T::default(), |scaling| {
        let c: T::Real = parameters.at(scaling.parameter);
        let negative = c.lt(T::Real::lit(0.0)).any();
        if negative && !tiling.rows_in_memory { T::of((-c).sqrt()) } else { T::default() }
    });

    let items = Work::items(arguments, &tiling, block);
    let mut number = u64::from(grid.block());
    while number < items {
        // SAFETY: promised by the caller.
        unsafe {
            let work = Work::new::<F>(arguments, &tiling, block, number, lane);
            let variables = Variables::<T>::new(arguments, work.offsets);
            let place = Place { slot, step: threads, rows: work.rows };
            let rows = Several::<T, S> { variables: &variables, first: work.first_row, place, shape: PhantomData };
            let thread = Thread::<F, R, T, S, G, PARAMETERS> {
                grid,
                arguments,
                tiling,
                parameters: &parameters,
                variables: &variables,
                work: &work,
                place,
                lane,
                share: tiling.tile as u32 >> lane_bits,
                scaling,
                factor,
                of: PhantomData,
            };
            if tiling.rows_in_memory {
                let memory = scratch(arguments, grid.block(), tiling.scratch(), 0).0;
                let mut staged = RowMemory::<T, S> { memory, block: tiling.block(), place, shape: PhantomData };
                // Threads that share rows would write the same.
                if lane == 0 {
                    F::row::<S::Row>(&rows, &parameters, &mut staged);
                }
                thread.columns::<B, _>(&staged);
                grid.barrier();
            } else {
                let mut staged = RowRegisters::<S::Row, ROW>([S::Row::lit(0.0); ROW]);
                F::row::<S::Row>(&rows, &parameters, &mut staged);
                thread.scale_rows(&mut staged);
                thread.columns::<B, _>(&staged);
            }
        }
        number += u64::from(grid.blocks());
    }
}

/// A thread at work on an item.
struct Thread<'a, F, R, T, S, G, const PARAMETERS: usize> {
    grid: G,
    arguments: &'a Arguments,
    tiling: Tiling,
    parameters: &'a Parameters<T, PARAMETERS>,
    variables: &'a Variables<'a, T>,
    work: &'a Work,
    place: Place,
    lane: u32,
    /// Columns of a tile that a lane walks.
    share: u32,
    /// Staged coordinates that are scaled, and by what; 0 if they are not.
    scaling: Option<Scaling>,
    factor: T,
    of: PhantomData<(F, R, S)>,
}

impl<F, R, T, S, G, const PARAMETERS: usize> Thread<'_, F, R, T, S, G, PARAMETERS>
where
    F: Formula,
    R: Reduction<F>,
    T: Number,
    S: Shape<T>,
    G: Grid,
{
    /// Are coordinates scaled?
    #[inline(always)]
    fn scales(&self) -> bool {
        self.scaling.is_some() && self.factor != T::default()
    }

    #[inline(always)]
    fn scale_rows<const ROW: usize>(&self, rows: &mut RowRegisters<S::Row, ROW>) {
        let Some(scaling) = self.scaling.filter(|_| self.scales()) else { return };
        for (k, v) in rows.0.iter_mut().enumerate() {
            if k < 64 && scaling.rows >> k & 1 == 1 {
                *v = *v * S::Row::splat(self.factor);
            }
        }
    }

    /// Walks all columns and leaves the states.
    #[inline(always)]
    unsafe fn columns<B: Bank<T, S>, X: Staged<S::Row>>(&self, rows: &X) {
        // SAFETY: promised by the caller.
        unsafe {
            if self.tiling.columns_in_memory {
                let (bytes, from) = (self.tiling.scratch(), self.tiling.staged_rows());
                self.walk::<B, X, _>(rows, scratch::<T>(self.arguments, self.grid.block(), bytes, from));
            } else {
                self.walk::<B, X, _>(rows, self.grid.shared::<T>());
            }
        }
    }

    #[inline(always)]
    unsafe fn walk<B: Bank<T, S>, X: Staged<S::Row>, M: Memory<T>>(&self, rows: &X, memory: M) {
        let Thread { work, place, tiling, .. } = self;
        let records = || Records::<T, S> {
            states: states(self.arguments),
            first: self.grid.fresh(work.record),
            place: *place,
            shape: PhantomData,
        };
        let mut bank = B::new(records(), R::FIRST, R::CARRY);
        let zero = S::Row::lit(0.0);
        let mut running = Running { top: zero, origin: zero, settled: zero };
        R::begin::<T, S, B>(&mut bank, &mut running, records(), work.strip);
        let mut unsettled = 0;
        for q in 0..work.ranges() {
            let range = work.range(q);
            let mut column = range.start;
            while column < range.end {
                let count = (range.end - column).min(tiling.tile as u64) as u32;
                self.grid.barrier();
                // SAFETY: the memory is that of a tile.
                unsafe { self.stage(column, count, memory) };
                self.grid.barrier();
                if unsettled + count > SETTLE {
                    R::settle::<T, S, B>(&mut bank, &mut running, records(), work.strip);
                    unsettled = 0;
                }
                unsettled += count;

                let part = (self.lane * self.share).min(count)..((self.lane + 1) * self.share).min(count);
                let relative = (column - work.base) as u32;
                // SAFETY: these columns are staged.
                unsafe {
                    let memory = memory.staged();
                    match self.scaling.filter(|_| self.scales()) {
                        Some(scaling) => {
                            let parameters = MinusOne(self.parameters, scaling.parameter);
                            self.tile::<B, X, M, _>(rows, memory, &parameters, part, relative, &mut bank, &mut running);
                        }
                        None => {
                            self.tile::<B, X, M, _>(
                                rows,
                                memory,
                                self.parameters,
                                part,
                                relative,
                                &mut bank,
                                &mut running,
                            );
                        }
                    }
                }
                column += u64::from(count);
            }
        }
        R::settle::<T, S, B>(&mut bank, &mut running, records(), work.strip);
        R::leave::<T, S, B>(&bank, &running, records(), work.strip, work.base);
    }

    /// Stages `count` columns from `column` on.
    #[inline(always)]
    unsafe fn stage<M: Memory<T>>(&self, column: u64, count: u32, memory: M) {
        let mut c = self.grid.thread();
        while c < count {
            let source = One { variables: self.variables, row: column + u64::from(c) };
            let at = c * self.tiling.width as u32;
            let scaled = self.scaling.map_or(0, |scaling| if self.scales() { scaling.columns } else { 0 });
            let mut out = WriteColumn::<M, F, T> { memory, at, scaled, factor: self.factor, of: PhantomData };
            F::col::<T::Real>(&source, self.parameters, &mut out);
            out.fill(self.tiling.width);
            c += THREADS;
        }
    }

    /// Takes in some columns of a tile, whose first one is column `relative` of the item.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn tile<B, X, M, P>(
        &self,
        rows: &X,
        columns: M,
        parameters: &P,
        part: Range<u32>,
        relative: u32,
        bank: &mut B,
        running: &mut Running<S::Row>,
    ) where
        B: Bank<T, S>,
        X: Staged<S::Row>,
        M: Memory<T>,
        P: Staged<S::Row> + Staged<<S::Columns as Nest<S::Row>>::All>,
    {
        let tiling = &self.tiling;
        let (group, width) = (tiling.columns as u32, tiling.width as u32);
        let pairs = |at: u32, first: u32| Staging::<F, T, M, X, P> {
            rows,
            parameters,
            columns,
            at,
            width,
            first,
            together: tiling.rows_in_memory,
            of: PhantomData,
        };
        // A group of columns is a power of two.
        let groups_end = part.end.saturating_sub(part.start) & !(group - 1);
        let (mut at, mut first) = (part.start * width, relative + part.start);
        let (whole, end) = (at + groups_end * width, part.end * width);
        while at < whole {
            let pairs = pairs(at, first);
            if R::SINGLE && !tiling.rows_in_memory {
                for c in 0..tiling.columns {
                    R::take::<T, S, Of<1>, B, _>(bank, running, &pairs.one(c), self.work.strip);
                }
            } else {
                R::take::<T, S, S::Columns, B, _>(bank, running, &pairs, self.work.strip);
            }
            at += group * width;
            first += group;
        }
        if group > 1 {
            while at < end {
                R::take::<T, S, Of<1>, B, _>(bank, running, &pairs(at, first), self.work.strip);
                at += width;
                first += 1;
            }
        }
    }
}
