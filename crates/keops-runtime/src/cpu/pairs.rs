//! [`Pairs`]: the values of one register of rows against a tile of columns, computed on the spot ([`Inline`]) or read
//! back from a buffer that was filled before ([`Buffered`]).

use super::access::{Broadcast, Lanes};
use core::marker::PhantomData;
use keops_core::lanes::Twin;
use keops_core::{Formula, Int, Real, Scalar, Sink, Staged, Values};

/// What a reduction sees of a tile: `steps` columns (or registers of columns) in increasing order.
pub(super) trait Pairs<F: Formula, L: Real> {
    /// Number of steps.
    fn steps(&self) -> usize;
    /// The values of step `j`, handed over one by one.
    fn deliver(&self, j: usize, sink: &mut impl Sink<L>);
    /// Value `e` of the outer column vector at step `j`.
    fn outer(&self, j: usize, e: usize) -> L;
    /// Index of step `j` within the chunk, per lane.
    fn index(&self, j: usize) -> L::Int;

    /// The values of step `j`.
    #[inline(always)]
    fn values(&self, j: usize) -> F::Pair<L> {
        let mut out = F::Pair::<L>::splat(L::lit(0.0));
        self.deliver(j, &mut Collect(&mut out, PhantomData));
        out
    }
}

/// A sink that keeps the values.
struct Collect<'a, L, V>(&'a mut V, PhantomData<L>);

impl<L: Real, V: Values<L>> Sink<L> for Collect<'_, L, V> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: L) {
        // SAFETY: formulas deliver values `0..DIM` only.
        unsafe { *self.0.as_mut_slice().get_unchecked_mut(e) = v };
    }
}

/// The columns of a tile, as one step after another.
pub(super) trait Columns<L: Real>: Copy {
    /// Accessor of one step.
    type Step: Staged<L>;
    /// Step `j`.
    fn step(&self, j: usize) -> Self::Step;
    /// Index of step `j` within the chunk, per lane.
    fn index(&self, j: usize) -> L::Int;
}

/// One column per step, broadcast to all lanes.
#[derive(Clone, Copy)]
pub(super) struct OneByOne<T> {
    /// First staged column of the tile.
    pub(super) base: *const T,
    /// Numbers per staged column.
    pub(super) width: usize,
    /// Index of the first column within the chunk.
    pub(super) first: usize,
}

impl<T: Copy, L: Real<Scalar = T>> Columns<L> for OneByOne<T> {
    type Step = Broadcast<T>;
    #[inline(always)]
    fn step(&self, j: usize) -> Broadcast<T> {
        // SAFETY: the scheme that made `self` staged all steps of the tile.
        unsafe { Broadcast::new(self.base.add(j * self.width)) }
    }
    #[inline(always)]
    fn index(&self, j: usize) -> L::Int {
        L::Int::splat((self.first + j) as i64)
    }
}

/// One register of neighbouring columns per step.
#[derive(Clone, Copy)]
pub(super) struct InLanes<T> {
    /// First number of the staged tile (value-major).
    pub(super) base: *const T,
    /// Numbers per staged value: columns of the tile.
    pub(super) stride: usize,
    /// Index of the first column within the chunk.
    pub(super) first: usize,
    /// 0, 1, 2, … as raw lane integers.
    pub(super) iota: *const T,
}

impl<T: Copy, L: Real<Scalar = T>> Columns<L> for InLanes<T> {
    type Step = Lanes<T>;
    #[inline(always)]
    fn step(&self, j: usize) -> Lanes<T> {
        // SAFETY: the scheme that made `self` staged all steps of the tile.
        unsafe { Lanes::new(self.base.add(j * L::LANES), self.stride) }
    }
    #[inline(always)]
    fn index(&self, j: usize) -> L::Int {
        // SAFETY: `iota` holds one register.
        let iota = unsafe { L::load(self.iota) }.to_bits();
        L::Int::splat((self.first + j * L::LANES) as i64) + iota
    }
}

/// Pairs evaluated when asked for.
pub(super) struct Inline<F, X, Y, P> {
    /// The register of rows (or the row).
    pub(super) row: X,
    /// The columns.
    pub(super) columns: Y,
    /// Staged parameters.
    pub(super) par: P,
    /// Steps in the tile.
    pub(super) steps: usize,
    /// The formula.
    pub(super) formula: PhantomData<F>,
}

impl<F: Formula, L: Real, X: Staged<L>, Y: Columns<L>, P: Staged<L>> Pairs<F, L> for Inline<F, X, Y, P> {
    #[inline(always)]
    fn steps(&self) -> usize {
        self.steps
    }
    #[inline(always)]
    fn deliver(&self, j: usize, sink: &mut impl Sink<L>) {
        F::pair::<L>(&self.row, &self.columns.step(j), &self.par, sink);
    }
    #[inline(always)]
    fn outer(&self, j: usize, e: usize) -> L {
        self.columns.step(j).at(F::OUTER.at + e)
    }
    #[inline(always)]
    fn index(&self, j: usize) -> L::Int {
        self.columns.index(j)
    }
}

/// Pairs read back from a buffer: value `e` of step `j` for register `r` of a block of `block` numbers lies at
/// `((j * DIM) + e) * block + r * LANES`.
pub(super) struct Buffered<F, T, Y> {
    /// First number of this register in the buffer.
    pub(super) base: *mut T,
    /// Numbers per value: registers of the block × lanes.
    pub(super) block: usize,
    /// The columns, for the outer vector and the indices.
    pub(super) columns: Y,
    /// Steps in the tile.
    pub(super) steps: usize,
    /// The formula.
    pub(super) formula: PhantomData<F>,
}

impl<F: Formula, T: Scalar, Y> Buffered<F, T, Y> {
    #[inline(always)]
    fn at(&self, j: usize, e: usize) -> *mut T {
        // SAFETY: the buffer holds all steps of the tile.
        unsafe { self.base.add((j * F::DIM + e) * self.block) }
    }
    /// Replaces value 0 of step `j`.
    #[inline(always)]
    pub(super) fn replace<L: Real<Scalar = T>>(&self, j: usize, v: L) {
        // SAFETY: as in `at`.
        unsafe { v.store(self.at(j, 0)) }
    }
    /// Value 0 of step `j`.
    #[inline(always)]
    pub(super) fn first<L: Real<Scalar = T>>(&self, j: usize) -> L {
        // SAFETY: as in `at`.
        unsafe { L::load(self.at(j, 0)) }
    }
}

impl<F: Formula, T: Scalar, L: Real<Scalar = T>, Y: Columns<L>> Pairs<F, L> for Buffered<F, T, Y> {
    #[inline(always)]
    fn steps(&self) -> usize {
        self.steps
    }
    #[inline(always)]
    fn deliver(&self, j: usize, sink: &mut impl Sink<L>) {
        for e in 0..F::DIM {
            // SAFETY: as in `at`.
            sink.put(e, unsafe { L::load(self.at(j, e)) });
        }
    }
    #[inline(always)]
    fn outer(&self, j: usize, e: usize) -> L {
        self.columns.step(j).at(F::OUTER.at + e)
    }
    #[inline(always)]
    fn index(&self, j: usize) -> L::Int {
        self.columns.index(j)
    }
}

/// A sink that stores to a buffer at a fixed stride.
struct Store<T> {
    base: *mut T,
    block: usize,
}

impl<T: Scalar, L: Real<Scalar = T>> Sink<L> for Store<T> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: L) {
        // SAFETY: `fill` made room for all values.
        unsafe { v.store(self.base.add(e * self.block)) }
    }
}

/// Evaluates all pairs of a tile into a buffer (layout of [`Buffered`]), one register of rows at a time.
///
/// # Safety
/// `buffer` must have room for `steps × DIM × block` numbers from `buffer` on.
#[inline(always)]
pub(super) unsafe fn fill<F, L, X, Y, P>(
    row: &X,
    columns: &Y,
    par: &P,
    steps: usize,
    buffer: *mut L::Scalar,
    block: usize,
) where
    F: Formula,
    L: Real,
    X: Staged<L>,
    Y: Columns<L>,
    P: Staged<L>,
{
    for j in 0..steps {
        // SAFETY: promised by the caller.
        let base = unsafe { buffer.add(j * F::DIM * block) };
        F::pair::<L>(row, &columns.step(j), par, &mut Store { base, block });
    }
}

/// A tile of two registers of rows × some columns, as one [`Real`].
pub(super) trait Tiling<L: Real> {
    /// The tile; each column is a [`Twin`] of registers.
    type Tile: Real<Scalar = L::Scalar>;
    /// Columns.
    const COLUMNS: usize;
    /// A tile from its columns.
    fn join(column: impl Fn(usize) -> Twin<L>) -> Self::Tile;
    /// Calls `f` with each column in order.
    fn each(tile: Self::Tile, f: impl FnMut(usize, Twin<L>));
}

/// Four columns: for 32 registers.
pub(super) struct Four;
/// Two columns: for 16 registers.
pub(super) struct Two;

impl<L: Real> Tiling<L> for Four {
    type Tile = Twin<Twin<Twin<L>>>;
    const COLUMNS: usize = 4;
    #[inline(always)]
    fn join(column: impl Fn(usize) -> Twin<L>) -> Self::Tile {
        Twin(Twin(column(0), column(1)), Twin(column(2), column(3)))
    }
    #[inline(always)]
    fn each(tile: Self::Tile, mut f: impl FnMut(usize, Twin<L>)) {
        f(0, tile.0.0);
        f(1, tile.0.1);
        f(2, tile.1.0);
        f(3, tile.1.1);
    }
}

impl<L: Real> Tiling<L> for Two {
    type Tile = Twin<Twin<L>>;
    const COLUMNS: usize = 2;
    #[inline(always)]
    fn join(column: impl Fn(usize) -> Twin<L>) -> Self::Tile {
        Twin(column(0), column(1))
    }
    #[inline(always)]
    fn each(tile: Self::Tile, mut f: impl FnMut(usize, Twin<L>)) {
        f(0, tile.0);
        f(1, tile.1);
    }
}

/// Registers that a lane type has at its disposal.
pub(super) const fn register_file<L: Real>() -> usize {
    if L::LANES * (L::Scalar::BITS as usize) == 512 { 32 } else { 16 }
}

/// Rows of a tile: two neighbouring registers, the same for all columns.
pub(super) struct TileRows<T> {
    pub(super) base: *const T,
    pub(super) stride: usize,
}

/// Columns of a tile: neighbouring staged columns, the same for both registers.
pub(super) struct TileColumns<T> {
    pub(super) base: *const T,
    pub(super) width: usize,
}

/// [`TileRows`] or [`TileColumns`] as a tile of a certain size.
struct As<X, L, C>(X, PhantomData<(L, C)>);

impl<L: Real, C: Tiling<L>> Staged<C::Tile> for As<TileRows<L::Scalar>, L, C> {
    #[inline(always)]
    fn at(&self, k: usize) -> C::Tile {
        // SAFETY: the block holds two registers per staged value.
        let rows = unsafe { Twin::<L>::load(self.0.base.add(k * self.0.stride)) };
        C::join(|_| rows)
    }
}

impl<L: Real, C: Tiling<L>> Staged<C::Tile> for As<TileColumns<L::Scalar>, L, C> {
    #[inline(always)]
    fn at(&self, k: usize) -> C::Tile {
        C::join(|c| {
            // SAFETY: as many columns are staged from `base` on.
            let v = L::splat(unsafe { *self.0.base.add(c * self.0.width + k) });
            Twin(v, v)
        })
    }
}

/// Evaluates a tile of pairs.
#[inline(always)]
pub(super) fn tile<F: Formula, L: Real, C: Tiling<L>>(
    rows: TileRows<L::Scalar>,
    columns: TileColumns<L::Scalar>,
    par: &Broadcast<L::Scalar>,
    sink: &mut impl Sink<C::Tile>,
) {
    let (rows, columns) = (As::<_, L, C>(rows, PhantomData), As::<_, L, C>(columns, PhantomData));
    F::pair::<C::Tile>(&rows, &columns, par, sink);
}

/// A sink that stores the columns of a tile one after another.
struct StoreTile<L: Real, C> {
    base: *mut L::Scalar,
    block: usize,
    dim: usize,
    of: PhantomData<C>,
}

impl<L: Real, C: Tiling<L>> Sink<C::Tile> for StoreTile<L, C> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: C::Tile) {
        C::each(v, |c, v| {
            // SAFETY: `fill_tiles` made room for all columns of the tile.
            unsafe { v.store(self.base.add((c * self.dim + e) * self.block)) }
        });
    }
}

/// Evaluates all pairs of a tile of columns into a buffer, on two registers × some columns at a time while they last.
/// For wide formulas: one load of a row value then serves all columns, one broadcast both registers.
///
/// # Safety
/// As for [`fill`]; `rows` must hold two registers per staged value, `stride` apart.
#[inline(always)]
pub(super) unsafe fn fill_tiles<F, L, C>(
    rows: *const L::Scalar,
    stride: usize,
    columns: OneByOne<L::Scalar>,
    par: &Broadcast<L::Scalar>,
    steps: usize,
    buffer: *mut L::Scalar,
) where
    F: Formula,
    L: Real,
    C: Tiling<L>,
{
    let block = 2 * L::LANES;
    let mut j = 0;
    while j + C::COLUMNS <= steps {
        // SAFETY: promised by the caller.
        let (base, column) = unsafe { (buffer.add(j * F::DIM * block), columns.base.add(j * columns.width)) };
        let y = TileColumns { base: column, width: columns.width };
        let mut sink = StoreTile::<L, C> { base, block, dim: F::DIM, of: PhantomData };
        tile::<F, L, C>(TileRows { base: rows, stride }, y, par, &mut sink);
        j += C::COLUMNS;
    }
    while j < steps {
        for r in 0..2 {
            // SAFETY: promised by the caller.
            unsafe {
                let x = Lanes::new(rows.add(r * L::LANES), stride);
                let mut sink = Store { base: buffer.add(j * F::DIM * block + r * L::LANES), block };
                F::pair::<L>(&x, &Columns::<L>::step(&columns, j), par, &mut sink);
            }
        }
        j += 1;
    }
}
