//! How rows and columns are spread over threads, registers and memory: constants of a formula, a reduction and a number
//! type, the same for host and device.

use crate::abi::{Step, THREADS};
use crate::reduction::{Reduction, strip};
use keops_core::{Formula, Scalar, Shape};

/// Shared memory that every device grants a block.
const SHARED: usize = 48 << 10;

/// Shared memory up to which several blocks run on a multiprocessor.
const COMFORTABLE: usize = 20 << 10;

/// Columns of a tile at most: the length of the sums that are formed without compensation.
const TILE: usize = 256;

/// Registers (of 32 bits) that staged rows and sums of a thread may take with 4, 2 and 1 rows.
const REGISTERS: [(usize, usize); 3] = [(4, 64), (2, 136), (1, 150)];

/// Registers that may be alive at once.
const ALIVE: usize = 204;

/// Operations of a pair from which on pairs are evaluated one by one.
const MUCH_WORK: usize = 160;

/// Registers that sums of one row may take.
const SUMS: usize = 72;

/// The constants of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Rows of a thread: 1, 2 or 4.
    pub rows: usize,
    /// Columns that a thread evaluates together: 1, 2 or 4.
    pub columns: usize,
    /// Columns that are staged together: a multiple of `columns`.
    pub tile: usize,
    /// Do staged rows lie in the scratch memory of the block? Otherwise they are registers.
    pub rows_in_memory: bool,
    /// Are sums and lists updated in memory? Otherwise they are registers.
    pub sums_in_memory: bool,
    /// Do staged columns lie in the scratch memory of the block? Otherwise in shared memory.
    pub columns_in_memory: bool,
    /// Components of the outer vector that are summed together; 0 without an outer vector.
    pub strip: usize,
    /// Strips.
    pub strips: usize,
    /// Numbers of the record of a staged column.
    pub width: usize,
    /// Bytes of a number.
    number: usize,
    /// Staged values of a row.
    row: usize,
}

impl Tiling {
    /// The tiling of the kernel that does `step`, which is one of the two that reduce.
    pub const fn of<F: Formula, R: Reduction<F>, T: Scalar>(step: Step) -> Tiling {
        let exactly = matches!(step, Step::ReduceExactly);
        let words = T::BITS as usize / 32;
        let strip = strip::<F>();
        let strips = if strip == 0 { 1 } else { F::OUTER.len.div_ceil(strip) };
        // Exact sums are pairs of numbers.
        let sums = R::LIVE * words * if exactly { 2 } else { 1 };
        let sums_in_memory = sums > SUMS;
        let sums = if sums_in_memory { 0 } else { sums };
        let row = F::ROW * words;

        // Loops over wide vectors have few values alive, however much they do.
        let much = matches!(F::SHAPE, Shape::Narrow) && F::WORK > MUCH_WORK;
        let mut rows = 0;
        let mut k = if much { words } else { 0 };
        while k < REGISTERS.len() && rows == 0 {
            let (candidate, most) = REGISTERS[k];
            let held = candidate * (row + sums);
            let fits = held + candidate * words * delivered::<F>() + F::COL * words <= ALIVE || candidate == 1;
            // Exact sums are kept for one row at a time.
            if held <= most && fits && (!exactly || candidate == 1) {
                rows = candidate;
            }
            k += 1;
        }
        let rows_in_memory = rows == 0;
        if rows_in_memory {
            rows = if 2 * sums <= SUMS && words == 1 && !exactly { 2 } else { 1 };
        }

        // Values that a pair delivers may all be alive at once, and columns are read ahead.
        let held = rows * (sums + if rows_in_memory { 0 } else { row });
        let temporary = rows * words * delivered::<F>();
        let ahead = temporary + if rows_in_memory { 0 } else { F::COL * words };
        let columns = if exactly || much {
            1
        } else if held + 4 * ahead <= ALIVE {
            4
        } else if held + 2 * ahead <= ALIVE {
            2
        } else {
            1
        };

        let number = T::BITS as usize / 8;
        let unit = 16 / (T::BITS as usize / 8);
        // Columns of which nothing is staged are walked all the same: their records are empty, but not of no size.
        let staged = F::COL + shift::<F, T>();
        let width = if staged == 0 { unit } else { staged.next_multiple_of(unit) };
        let bytes = width * number;
        let mut tile = TILE;
        while tile > 4 && tile * bytes > COMFORTABLE && tile * bytes > SHARED / 2 {
            tile /= 2;
        }
        let columns_in_memory = tile * bytes > SHARED;
        Tiling {
            rows,
            columns,
            tile,
            rows_in_memory,
            sums_in_memory,
            columns_in_memory,
            strip,
            strips,
            width,
            number,
            row: F::ROW,
        }
    }

    /// Rows of a block.
    pub const fn block(&self) -> usize {
        self.rows * THREADS as usize
    }

    /// Bytes of dynamic shared memory of *reduce*.
    pub const fn shared(&self) -> usize {
        if self.columns_in_memory { 0 } else { self.staged_columns() }
    }

    /// Bytes of scratch memory for each block of the grid.
    pub const fn scratch(&self) -> usize {
        self.staged_rows() + if self.columns_in_memory { self.staged_columns() } else { 0 }
    }

    /// Bytes of the staged rows of a block in memory: value `k` of row `r` is number `k · block + r`.
    pub const fn staged_rows(&self) -> usize {
        if self.rows_in_memory { (self.row * self.block() * self.number).next_multiple_of(16) } else { 0 }
    }

    /// Bytes of the staged columns of a tile.
    const fn staged_columns(&self) -> usize {
        (self.width * self.tile * self.number).next_multiple_of(16)
    }
}

/// Values of a pair that may be alive at once.
const fn delivered<F: Formula>() -> usize {
    if F::DIM < 4 { 4 } else { F::DIM }
}

/// Does the outer vector begin at a unit of 16 bytes in the record of a column?
pub(crate) const fn outer_is_aligned<F: Formula>() -> bool {
    F::OUTER.len >= 4
}

/// Numbers that are left out before the outer vector for that.
pub(crate) const fn shift<F: Formula, T: Scalar>() -> usize {
    if outer_is_aligned::<F>() { F::OUTER.at.next_multiple_of(128 / T::BITS as usize) - F::OUTER.at } else { 0 }
}
