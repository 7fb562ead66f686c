//! States → results.
//!
//! One thread, or one block where rows have many records, merges the records of a row and finishes it.

use super::states;
use crate::abi::{Arguments, Merge, Step, THREADS};
use crate::access::{One, Parameters, Place, RowMemory, RowRegisters, Strided, Variables, global, scratch};
use crate::grid::Grid;
use crate::nest::Tile;
use crate::number::Number;
use crate::reduction::Reduction;
use crate::tiling::Tiling;
use core::marker::PhantomData;
use keops_core::{Formula, Keep, Real};

/// One thread of *merge*; `ROW` and `PARAMETERS` as for [`super::reduce()`].
///
/// # Safety
/// As for [`super::reduce()`].
#[inline(always)]
pub unsafe fn merge<F, R, T, G, const ROW: usize, const PARAMETERS: usize>(grid: G, arguments: &Arguments)
where
    F: Formula,
    R: Reduction<F>,
    T: Number,
    G: Grid,
{
    let (mergers, thread) = (arguments.mergers, grid.thread());
    let count = if arguments.items == 0 { arguments.rows } else { arguments.item_count };
    let states = states::<T>(arguments);
    // SAFETY: promised by the caller.
    let parameters = unsafe { Parameters::<T, PARAMETERS>::new(global(arguments.parameters)) };

    // The number of mergers is a power of two.
    let bits = mergers.trailing_zeros();
    let entries = u64::from(THREADS >> bits);
    let mut first = u64::from(grid.block()) * entries;
    while first < count {
        let number = first + u64::from(thread >> bits);
        let member = u64::from(thread & (mergers - 1));
        let merge = if number < count {
            // SAFETY: promised by the caller.
            unsafe { entry(arguments, number) }
        } else {
            Merge { row: 0, record: 0, step: 0, records: 0, output: 0, batch: 0 }
        };

        let team = u64::from(mergers);
        if member < merge.records {
            let mine = (merge.records - member + team - 1) >> bits;
            R::merge::<T>(states, merge.record + member * merge.step, merge.step * team, mine);
        }
        if mergers > 1 {
            let mut distance = team / 2;
            while distance > 0 {
                grid.barrier();
                if member < distance && member + distance < merge.records.min(team) {
                    R::merge::<T>(states, merge.record + member * merge.step, merge.step * distance, 2);
                }
                distance /= 2;
            }
        }
        if number < count && member == 0 {
            let record = (merge.records > 0).then_some(merge.record);
            // SAFETY: promised by the caller.
            unsafe { finish::<F, R, T, G, ROW, PARAMETERS>(grid, arguments, &parameters, merge, record) };
        }
        first += u64::from(grid.blocks()) * entries;
    }
}

/// Entry `number` of the list, or row `number` of a dense launch.
#[inline(always)]
unsafe fn entry(arguments: &Arguments, number: u64) -> Merge {
    if arguments.items == 0 {
        Merge {
            row: number,
            record: number,
            step: arguments.rows,
            records: arguments.chunks * u64::from(arguments.lanes),
            output: number,
            batch: 0,
        }
    } else {
        // SAFETY: promised by the caller.
        unsafe { *global::<Merge>(arguments.items).add(number as usize) }
    }
}

/// Writes the results of a row.
#[inline(always)]
unsafe fn finish<F, R, T, G, const ROW: usize, const PARAMETERS: usize>(
    grid: G,
    arguments: &Arguments,
    parameters: &Parameters<T, PARAMETERS>,
    merge: Merge,
    record: Option<u64>,
) where
    F: Formula,
    R: Reduction<F>,
    T: Number,
    G: Grid,
{
    let states = states::<T>(arguments);
    let values = match F::KEEP {
        Keep::None => global::<T>(arguments.parts).wrapping_add(merge.output as usize * F::OUT),
        _ => global::<T>(arguments.values).wrapping_add((merge.output * arguments.value_stride) as usize),
    };
    let indices = global::<u64>(arguments.indices).wrapping_add((merge.output * arguments.index_stride) as usize);
    // SAFETY: the results have `VALUES` numbers and `INDICES` indices a row.
    let (value, index) = unsafe { (|e, v| *values.add(e) = v, |e, i| *indices.add(e) = i) };
    R::finish::<T>(states, record, value, index);
    if !R::LINEAR {
        return;
    }

    let sums = record.map_or(core::ptr::null_mut(), |record| states.value(0, record));
    let sums = Strided { memory: sums, step: arguments.records };
    let mut out = Strided { memory: values, step: 1 };
    // SAFETY: promised by the caller.
    let variables = unsafe {
        let offsets = global::<u64>(arguments.offsets).add(merge.batch as usize * F::VARIABLES.len());
        Variables::<T>::new(arguments, offsets)
    };
    let row = One { variables: &variables, row: merge.row };
    let tiling = const { Tiling::of::<F, R, T>(Step::Reduce) };
    if tiling.rows_in_memory {
        let place = Place { slot: grid.thread(), step: THREADS, rows: THREADS };
        let memory = scratch(arguments, grid.block(), tiling.scratch(), 0).0;
        let mut staged = RowMemory::<T, Tile<1, 1>> { memory, block: tiling.block(), place, shape: PhantomData };
        F::row::<T::Real>(&row, parameters, &mut staged);
        F::finish::<T::Real>(&staged, parameters, &sums, &mut out);
    } else {
        let mut staged = RowRegisters::<T::Real, ROW>([T::Real::lit(0.0); ROW]);
        F::row::<T::Real>(&row, parameters, &mut staged);
        F::finish::<T::Real>(&staged, parameters, &sums, &mut out);
    }
}
