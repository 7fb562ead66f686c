//! How staged values lie in memory, and the accessors through which a formula reads them.
//!
//! * Rows are structure-of-arrays in blocks: value `k` of all rows of a block is contiguous, so a lane load reads
//!   neighbouring rows.
//! * Columns are array-of-structures when rows are in lanes (one cache line feeds the broadcasts of one column), and
//!   structure-of-arrays when columns are in lanes.
//!
//! These are the leaves that read raw memory: bounds are established once per tile by the scheme that builds them.

use crate::domain::{Origin, Table};
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::lanes::F64x1;
use keops_core::{Category, Formula, Real, Scalar, Source, Stage, Staged};
use ndarray::{ArrayView2, Axis};

/// Lane loads at a fixed stride: rows in lanes, or columns in lanes.
#[derive(Clone, Copy)]
pub(super) struct Lanes<T> {
    base: *const T,
    stride: usize,
}

impl<T> Lanes<T> {
    /// # Safety
    /// `base + k * stride` must be readable for a whole register for every staged position `k` of the formula.
    #[inline(always)]
    pub(super) unsafe fn new(base: *const T, stride: usize) -> Self {
        Lanes { base, stride }
    }
}

impl<T, R: Real<Scalar = T>> Staged<R> for Lanes<T> {
    #[inline(always)]
    fn at(&self, k: usize) -> R {
        // SAFETY: promised to `new`.
        unsafe { R::load(self.base.add(k * self.stride)) }
    }
}

/// One staged record, every value broadcast to all lanes: a column when rows are in lanes, a row when columns are, or
/// the parameters.
#[derive(Clone, Copy)]
pub(super) struct Broadcast<T>(*const T);

impl<T> Broadcast<T> {
    /// # Safety
    /// `base + k` must be readable for every staged position `k` of the formula.
    #[inline(always)]
    pub(super) unsafe fn new(base: *const T) -> Self {
        Broadcast(base)
    }
}

impl<T: Copy, R: Real<Scalar = T>> Staged<R> for Broadcast<T> {
    #[inline(always)]
    fn at(&self, k: usize) -> R {
        // SAFETY: promised to `new`.
        R::splat(unsafe { *self.0.add(k) })
    }
}

/// A stage writer with a fixed stride.
pub(super) struct Write<T> {
    base: *mut T,
    stride: usize,
}

impl<T> Write<T> {
    /// # Safety
    /// `base + k * stride` must be writable for every staged position `k` of the stage.
    #[inline(always)]
    pub(super) unsafe fn new(base: *mut T, stride: usize) -> Self {
        Write { base, stride }
    }
}

impl<L: Real> Stage<L> for Write<L::Scalar> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: L) {
        // SAFETY: promised to `new`.
        unsafe { v.store(self.base.add(k * self.stride)) }
    }
}

/// Variables a formula may have.
pub(super) const MOST_VARIABLES: usize = 32;

/// A row of every variable of one index, or as many neighbouring rows as there are lanes.
///
/// Held by value, so that the compiler sees pointers that no store can change. Rows lie one after the other; arrays
/// that are laid out differently are copied tile by tile (see [`Inputs::tile`]).
pub(super) struct Record<F, T> {
    base: [*const T; MOST_VARIABLES],
    row: usize,
    /// Number of row 0 among all rows.
    first: u64,
    formula: PhantomData<F>,
}

impl<F, T> Record<F, T> {
    /// Row `r` of the tile, and those after it.
    #[inline(always)]
    pub(super) fn row(&self, r: usize) -> Self {
        Record { row: r, ..*self }
    }
}

impl<F: Formula, L: Real> Source<L> for Record<F, L::Scalar> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> L {
        let dim = F::VARIABLES[var].dim;
        // SAFETY: `Inputs::tile` made pointers for the rows that are asked for, and formulas read variables they have
        // and numbers below their dimension only.
        unsafe { L::load_component(self.base.get_unchecked(var).add(self.row * dim), dim, k) }
    }
    #[inline(always)]
    fn index(&self, _: Category) -> u64 {
        self.first + self.row as u64
    }
    #[inline(always)]
    fn index_half(&self, _: Category, high: bool) -> L {
        let mut lanes = [L::Scalar::default(); 16];
        for (l, lane) in lanes.iter_mut().enumerate().take(L::LANES) {
            let row = self.first + (self.row + l) as u64;
            *lane = L::Scalar::from_f64(if high { row >> 20 } else { row & 0xf_ffff } as f64);
        }
        // SAFETY: no register has more than 16 lanes.
        unsafe { L::load(lanes.as_ptr()) }
    }
}

/// Rows of the variables of one batch element, tile by tile.
pub(super) struct Inputs<'j, 'c, T> {
    tables: &'j [Table<'j, T>],
    /// Where the element is in each table.
    positions: [usize; MOST_VARIABLES],
    origin: Origin,
    /// Copies of rows that do not lie one after the other.
    copies: &'c mut Vec<Vec<T>>,
}

impl<'j, 'c, T: Scalar> Inputs<'j, 'c, T> {
    pub(super) fn new(
        tables: &'j [Table<'j, T>],
        positions: [usize; MOST_VARIABLES],
        origin: Origin,
        copies: &'c mut Vec<Vec<T>>,
    ) -> Self {
        if copies.len() < tables.len() {
            copies.resize(tables.len(), Vec::new());
        }
        Inputs { tables, positions, origin, copies }
    }

    /// Rows `range` of every variable of the index `which`, row 0 being the first of them, and at least `count` rows:
    /// behind the last one come others of the same variable. Valid until the next call.
    pub(super) fn tile<F: Formula>(&mut self, which: Category, range: Range<usize>, count: usize) -> Record<F, T> {
        let mut record = Record {
            base: [core::ptr::null(); MOST_VARIABLES],
            row: 0,
            first: (self.origin.of(which) + range.start) as u64,
            formula: PhantomData,
        };
        for (v, table) in self.tables.iter().enumerate() {
            if F::VARIABLES[v].category != which || range.is_empty() {
                continue;
            }
            let view = table.data.index_axis(Axis(0), self.positions[v]);
            if is_dense(&view) && range.start + range.len().max(count) <= view.nrows() {
                // SAFETY: `range.start` is a row of the view.
                record.base[v] = unsafe { view.as_ptr().add(range.start * view.ncols()) };
            } else {
                let copy = &mut self.copies[v];
                copy.clear();
                for r in range.clone() {
                    copy.extend(view.row(r).iter());
                }
                for _ in range.len()..count {
                    copy.extend_from_within(copy.len() - view.ncols()..);
                }
                record.base[v] = copy.as_ptr();
            }
        }
        record
    }
}

/// Do the rows lie one after the other?
fn is_dense<T>(view: &ArrayView2<'_, T>) -> bool {
    view.strides() == [view.ncols() as isize, 1] || view.is_standard_layout()
}

/// Numbers of the parameters of a batch element in `f64`.
pub(super) struct ParameterSource<'p, 'a, T> {
    pub(super) tables: &'p [Table<'a, T>],
    pub(super) positions: [usize; MOST_VARIABLES],
}

impl<T: Scalar, R: Real<Scalar = f64>> Source<R> for ParameterSource<'_, '_, T> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> R {
        R::splat(self.tables[var].data[(self.positions[var], 0, k)].to_f64())
    }
    #[inline(always)]
    fn index(&self, _: Category) -> u64 {
        0
    }
}

/// Staged parameters, rounded to the type of the data.
pub(super) struct Rounded<'a, T>(pub(super) &'a mut [T]);

impl<T: Scalar> Stage<F64x1> for Rounded<'_, T> {
    fn put(&mut self, k: usize, v: F64x1) {
        self.0[k] = T::from_f64(v.0);
    }
}
