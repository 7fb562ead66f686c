//! Sizes of a call, computed on the host: how many blocks, how much memory, and the arguments that say so.
//!
//! ```text
//! let plan = Plan::dense::<F, R, T>(rows, columns, accumulator, multiprocessors);
//! // allocate plan.memory; evaluate and upload the parameters; then, in one stream, with `plan.arguments(…)`:
//! launch(Name::of::<R, T>(plan.step), plan.reduce);         // unless it has no blocks
//! launch(Name::of::<R, T>(Step::Merge), plan.merge);        // likewise
//! launch(Name::of::<R, T>(Step::Total), plan.total);        // likewise
//! ```

use crate::abi::{Accumulator, Arguments, MOST_VARIABLES, Step, THREADS, Table};
use crate::reduction::{Kind, Reduction};
use crate::tiling::Tiling;
use keops_core::{Formula, Keep, Scalar};

/// Items for each multiprocessor to aim at: enough for several waves of blocks, so that the last one costs little.
const ITEMS: u64 = 64;

/// Columns of a chunk at most: within it they are counted in 32 bits.
const LONGEST_CHUNK: u64 = 1 << 31;

/// Bytes of states up to which rows may be cut into chunks.
const STATES: u64 = 256 << 20;

/// Blocks for each multiprocessor where blocks need scratch memory.
const RESIDENT: u64 = 2;

/// Blocks that a launch may have.
const MOST_BLOCKS: u64 = i32::MAX as u64;

/// Records of a row from which on a whole block merges them.
const MANY_RECORDS: u64 = 64;

/// One launch: `blocks` × 1 × 1 blocks of `threads` × 1 × 1. Not to be launched if there are no blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl Launch {
    fn new(blocks: u64, shared: usize) -> Launch {
        Launch { blocks: blocks.min(MOST_BLOCKS) as u32, threads: THREADS, shared: shared as u32 }
    }
}

/// Bytes of device memory that a call needs beside its data and results. Contents may be arbitrary if not said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// For [`Arguments::state_values`].
    pub state_values: u64,
    /// For [`Arguments::state_indices`].
    pub state_indices: u64,
    /// For [`Arguments::scratch`].
    pub scratch: u64,
    /// For [`Arguments::parts`].
    pub parts: u64,
    /// For [`Arguments::parameters`].
    pub parameters: u64,
    /// For [`Arguments::offsets`] of a dense launch. The contents must be zero.
    pub offsets: u64,
}

impl Memory {
    /// The sum.
    pub const fn total(&self) -> u64 {
        self.state_values + self.state_indices + self.scratch + self.parts + self.parameters + self.offsets
    }
}

/// Device addresses of what [`Memory`] asks for, and of results. Zero where no bytes are needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Addresses {
    /// States.
    pub state_values: u64,
    /// Their indices.
    pub state_indices: u64,
    /// Memory of the blocks.
    pub scratch: u64,
    /// Results of single rows.
    pub parts: u64,
    /// Staged parameters.
    pub parameters: u64,
    /// Row offsets; zeros for a dense launch.
    pub offsets: u64,
    /// Results, `R::VALUES` numbers a row.
    pub values: u64,
    /// Numbers from one row of results to the next.
    pub value_stride: u64,
    /// Results that are indices, `R::INDICES` a row.
    pub indices: u64,
    /// Indices from one row of them to the next.
    pub index_stride: u64,
}

/// Lists of a listed launch, as device addresses and lengths.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lists {
    /// [`crate::abi::Item`]s.
    pub items: u64,
    /// Their number.
    pub item_count: u64,
    /// [`crate::abi::Merge`]s.
    pub merges: u64,
    /// Their number.
    pub merge_count: u64,
    /// [`crate::abi::Range`]s.
    pub ranges: u64,
}

/// The sizes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Rows.
    pub rows: u64,
    /// Columns (dense launches).
    pub columns: u64,
    /// Columns of a chunk (dense launches).
    pub chunk: u64,
    /// Chunks (dense launches).
    pub chunks: u64,
    /// Threads that share a row.
    pub lanes: u32,
    /// Threads that merge the records of a row.
    pub mergers: u32,
    /// Records of states.
    pub records: u64,
    /// The accumulator.
    pub accumulator: Accumulator,
    /// Which kernel the first launch is.
    pub step: Step,
    /// The first launch, [`Plan::step`].
    pub reduce: Launch,
    /// The second launch, [`Step::Merge`].
    pub merge: Launch,
    /// The third launch, [`Step::Total`]: only with [`Keep::None`].
    pub total: Launch,
    /// Device memory.
    pub memory: Memory,
}

impl Plan {
    /// Plans all rows × all columns on a device with so many multiprocessors.
    ///
    /// Chunks are whole tiles and as many as are needed to keep the device busy, as long as their states take no more
    /// than 256 MiB.
    pub fn dense<F: Formula, R: Reduction<F>, T: Scalar>(
        rows: u64,
        columns: u64,
        accumulator: Accumulator,
        multiprocessors: u32,
    ) -> Plan {
        let step = step::<R>(accumulator);
        let tiling = Tiling::of::<F, R, T>(step);
        let fewest = u64::from(THREADS) * tiling.columns as u64 / tiling.tile as u64;
        let threads = rows.div_ceil(tiling.rows as u64).clamp(fewest.max(1), THREADS.into()).next_power_of_two();
        let lanes = u64::from(THREADS) / threads;
        let row_blocks = rows.div_ceil(threads * tiling.rows as u64);
        let groups = row_blocks * tiling.strips as u64;

        let record = record_bytes::<F, R, T>();
        let affordable = (STATES / (record * rows * lanes).max(1)).max(1);
        let wanted = (ITEMS * u64::from(multiprocessors)).div_ceil(groups.max(1));
        let tiles = columns.div_ceil(tiling.tile as u64);
        let wanted = wanted.min(affordable).max(columns.div_ceil(LONGEST_CHUNK)).clamp(1, tiles.max(1));
        let chunk = tiles.div_ceil(wanted).max(1) * tiling.tile as u64;
        let chunks = columns.div_ceil(chunk);

        let records = rows * chunks * lanes;
        let mergers = if chunks * lanes >= MANY_RECORDS { THREADS } else { 1 };
        let mut plan = Plan {
            rows,
            columns,
            chunk,
            chunks,
            lanes: lanes as u32,
            mergers,
            records,
            accumulator,
            step,
            reduce: Launch::new(0, 0),
            merge: Launch::new(0, 0),
            total: Launch::new(0, 0),
            memory: Memory::default(),
        };
        plan.size::<F, R, T>(tiling, groups * chunks, rows, multiprocessors);
        plan
    }

    /// Plans a listed launch: `items` items leave `records` records, `merges` entries turn them into `rows` rows.
    pub fn listed<F: Formula, R: Reduction<F>, T: Scalar>(
        rows: u64,
        records: u64,
        items: u64,
        merges: u64,
        accumulator: Accumulator,
        multiprocessors: u32,
    ) -> Plan {
        let step = step::<R>(accumulator);
        let tiling = Tiling::of::<F, R, T>(step);
        let mut plan = Plan {
            rows,
            columns: 0,
            chunk: 0,
            chunks: 0,
            lanes: 1,
            mergers: 1,
            records,
            accumulator,
            step,
            reduce: Launch::new(0, 0),
            merge: Launch::new(0, 0),
            total: Launch::new(0, 0),
            memory: Memory::default(),
        };
        plan.size::<F, R, T>(tiling, items * tiling.strips as u64, merges, multiprocessors);
        plan
    }

    fn size<F: Formula, R: Reduction<F>, T: Scalar>(
        &mut self,
        tiling: Tiling,
        items: u64,
        merges: u64,
        multiprocessors: u32,
    ) {
        let resident =
            |scratch: u64| if scratch == 0 { MOST_BLOCKS } else { RESIDENT * u64::from(multiprocessors.max(1)) };
        // *merge* stages rows as the plain kernel does, whichever one left the states.
        let scratch = tiling.scratch() as u64;
        let merge_scratch = Tiling::of::<F, R, T>(Step::Reduce).scratch() as u64;
        let merging = (merges * u64::from(self.mergers)).div_ceil(THREADS.into());
        self.reduce = Launch::new(items.min(resident(scratch)), tiling.shared());
        self.merge = Launch::new(merging.min(resident(merge_scratch)), 0);
        let number = u64::from(T::BITS / 8);
        let single = matches!(F::KEEP, Keep::None);
        if single {
            self.total = Launch::new(F::OUT as u64, THREADS as usize * 2 * size_of::<f64>());
        }
        self.memory = Memory {
            state_values: self.records * (R::STATE as u64) * number,
            state_indices: self.records * (R::STATE_INDICES as u64) * 8,
            scratch: (scratch * u64::from(self.reduce.blocks)).max(merge_scratch * u64::from(self.merge.blocks)),
            parts: if single { self.rows * F::OUT as u64 * number } else { 0 },
            parameters: F::PARAM as u64 * number,
            offsets: F::VARIABLES.len() as u64 * 8,
        };
    }

    /// The arguments of all launches of a dense call. `variables` come in the order of the formula; there may be at most
    /// [`MOST_VARIABLES`].
    pub fn arguments(&self, variables: &[Table], at: Addresses) -> Arguments {
        let mut tables = [Table::default(); MOST_VARIABLES];
        for (to, from) in tables.iter_mut().zip(variables) {
            *to = *from;
        }
        Arguments {
            variables: tables,
            parameters: at.parameters,
            rows: self.rows,
            columns: self.columns,
            chunk: self.chunk,
            chunks: self.chunks,
            records: self.records,
            state_values: at.state_values,
            state_indices: at.state_indices,
            scratch: at.scratch,
            values: at.values,
            value_stride: at.value_stride,
            indices: at.indices,
            index_stride: at.index_stride,
            parts: at.parts,
            items: 0,
            item_count: 0,
            ranges: 0,
            offsets: at.offsets,
            lanes: self.lanes,
            accumulator: self.accumulator as u32,
            mergers: self.mergers,
            reserved: 0,
        }
    }

    /// The arguments of the launches of a listed call: of the first, and of the others.
    pub fn listed_arguments(&self, variables: &[Table], at: Addresses, lists: Lists) -> (Arguments, Arguments) {
        let common = Arguments { ranges: lists.ranges, ..self.arguments(variables, at) };
        (
            Arguments { items: lists.items, item_count: lists.item_count, ..common },
            Arguments { items: lists.merges, item_count: lists.merge_count, ..common },
        )
    }
}

/// Which kernel reduces.
fn step<R: Kind>(accumulator: Accumulator) -> Step {
    match accumulator {
        Accumulator::Kahan | Accumulator::F64 if R::ACCUMULATES => Step::ReduceExactly,
        _ => Step::Reduce,
    }
}

/// Bytes of a record.
fn record_bytes<F: Formula, R: Reduction<F>, T: Scalar>() -> u64 {
    R::STATE as u64 * u64::from(T::BITS / 8) + R::STATE_INDICES as u64 * 8
}
