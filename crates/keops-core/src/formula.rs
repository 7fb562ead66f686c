//! [`Formula`]: what `keops!` emits for one reduction, and the small traits through which it reads and writes.
//!
//! A formula speaks of **rows** (the index that is kept), **columns** (the index that is reduced) and **parameters**,
//! whatever the user called them: for tag 1 the rows are the j-variables. Its expression graph is split into stages by
//! how often a value changes:
//!
//! | stage | evaluated | reads | writes |
//! |---|---|---|---|
//! | [`Formula::param`] | once per call | parameters | `PARAM` staged values |
//! | [`Formula::row`] | once per row | row variables, staged parameters | `ROW` staged values |
//! | [`Formula::col`] | once per column and tile | column variables, staged parameters | `COL` staged values |
//! | [`Formula::pair`] | for every pair | staged values only | up to `DIM` values into a [`Sink`] |
//! | [`Formula::finish`] | once per row, after the sum | staged row, accumulated values | `OUT` results |
//!
//! Staged values are a flat list of numbers addressed by position. Where they live (registers, SoA or AoS memory, shared
//! memory) is the engine's choice, so one text serves every engine and every scheme.

use crate::real::Real;

/// A variable of a formula, in the order of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Name in the formula.
    pub name: &'static str,
    /// Which index it follows.
    pub category: Category,
    /// Numbers per row.
    pub dim: usize,
}

/// Which index a variable follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// One row per i.
    Vi,
    /// One row per j.
    Vj,
    /// One row in all.
    Pm,
}

/// Which index a reduction keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Tag 0: rows are i, columns are j.
    I,
    /// Tag 1: rows are j, columns are i.
    J,
    /// Neither (gradients towards a parameter): rows are i, columns are j, and the finished rows are summed to one.
    None,
}

/// How the pair stage is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Straight-line code on few values: everything fits in registers, rows are walked one register at a time.
    Narrow,
    /// Loops over wide vectors: worth evaluating on tiles of several rows × several columns.
    Wide,
}

/// A run of staged column values that multiplies pair value 0 (`LEN` = 0: there is none).
///
/// With it a sum over columns of (scalar of the pair) × (vector of the column) is known to be a matrix product, and an
/// engine may treat it as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outer {
    /// Position of the first value among the staged column values.
    pub at: usize,
    /// How many.
    pub len: usize,
}

/// Raw variables, for the stage functions: number `k` of variable `var` (position in [`Formula::VARIABLES`]).
pub trait Source<R: Real> {
    /// Reads one number.
    fn at(&self, var: usize, k: usize) -> R;
    /// The (first) row number of an index, from 0. Asked for the index of the stage only.
    fn index(&self, of: Category) -> u64;
    /// The row number in two halves, exact in every type: modulo 2²⁰, or (`high`) divided by 2²⁰. A source of several
    /// rows numbers its lanes.
    #[inline(always)]
    fn index_half(&self, of: Category, high: bool) -> R {
        let row = self.index(of);
        R::lit(if high { row >> 20 } else { row & 0xf_ffff } as f64)
    }
}

/// Staged values, read by position.
pub trait Staged<R: Real> {
    /// Reads one value.
    fn at(&self, k: usize) -> R;
}

/// Where a stage function writes.
pub trait Stage<R: Real> {
    /// Writes value `k`.
    fn put(&mut self, k: usize, v: R);
}

/// Where the pair stage delivers its values. Each `e` in `0..DIM` is delivered exactly once per pair.
pub trait Sink<R: Real> {
    /// Value `e` is `v`.
    fn put(&mut self, e: usize, v: R);
    /// Value `e` is `a · b`; a sum fuses the product with its addition.
    #[inline(always)]
    fn put_product(&mut self, e: usize, a: R, b: R) {
        self.put(e, a * b);
    }
}

/// A small array whose length is known to the formula but cannot be written by a generic engine.
pub trait Values<R>: Copy {
    /// Its length.
    const LEN: usize;
    /// All entries equal.
    fn splat(v: R) -> Self;
    /// The entries.
    fn as_slice(&self) -> &[R];
    /// The entries, to write.
    fn as_mut_slice(&mut self) -> &mut [R];
}

impl<R: Copy, const N: usize> Values<R> for [R; N] {
    const LEN: usize = N;
    #[inline(always)]
    fn splat(v: R) -> Self {
        [v; N]
    }
    #[inline(always)]
    fn as_slice(&self) -> &[R] {
        self
    }
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [R] {
        self
    }
}

/// Kernels of a formula for a GPU, compiled for one kind of device; newer devices run them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ptx {
    /// Compute capability they were compiled for: 80 for `sm_80`.
    pub target: u32,
    /// The PTX file.
    pub text: &'static str,
}

/// One compiled reduction body. Implemented by generated code only.
pub trait Formula: Copy + Send + Sync + 'static {
    /// Name and canonical text, for messages and logs.
    const TEXT: &'static str;
    /// The variables, in the order of the call.
    const VARIABLES: &'static [Variable];
    /// Which index is kept.
    const KEEP: Keep;
    /// Whether tiles pay.
    const SHAPE: Shape;
    /// Staged values per call.
    const PARAM: usize;
    /// Staged values per row.
    const ROW: usize;
    /// Staged values per column.
    const COL: usize;
    /// Values the pair stage delivers. For the exponential reductions value 0 is the exponent (natural units) and
    /// values 1.. are the weights, if the weights differ from pair to pair; see [`Formula::OUTER`] for those that do not.
    const DIM: usize;
    /// Staged column vector by which pair value 0 is multiplied (sums), or that is the weight (exponential reductions).
    const OUTER: Outer;
    /// Accumulated values per row: `DIM` for plain sums and selections, `OUTER.len` with an outer vector, the number of
    /// weights (1 without) for the exponential reductions.
    const ACC: usize;
    /// Results per row: `ACC`, unless [`Formula::finish`] multiplies by something wider.
    const OUT: usize;
    /// What the files with its kernels are called. Empty where there can be none: kernels are compiled for dimensions that
    /// are numbers, not for const parameters.
    const KERNEL_ID: &'static str = "";
    /// Its kernels, lowest target first: those files that were found when the formula was compiled.
    const PTX: &'static [Ptx] = &[];
    /// Roughly how many operations a pair takes, functions counted as 32. Engines with few registers evaluate fewer pairs
    /// at a time where it is large.
    const WORK: usize = 16;
    /// `[V; DIM]`.
    type Pair<V: Copy>: Values<V>;
    /// `[V; ACC]`.
    type Acc<V: Copy>: Values<V>;

    /// Stages the parameters. Always evaluated in `f64` and rounded once to the type of the data, so that a parameter
    /// and a literal of the same value give the same results.
    fn param<R: Real>(p: &impl Source<R>, out: &mut impl Stage<R>);
    /// Stages one row.
    fn row<R: Real>(x: &impl Source<R>, par: &impl Staged<R>, out: &mut impl Stage<R>);
    /// Stages one column.
    fn col<R: Real>(y: &impl Source<R>, par: &impl Staged<R>, out: &mut impl Stage<R>);
    /// Evaluates one pair (or a tile of pairs).
    fn pair<R: Real>(row: &impl Staged<R>, col: &impl Staged<R>, par: &impl Staged<R>, out: &mut impl Sink<R>);
    /// Applies what left the sum: factors that depend on the kept index only. Identity for all other reductions.
    fn finish<R: Real>(row: &impl Staged<R>, par: &impl Staged<R>, acc: &impl Staged<R>, out: &mut impl Stage<R>);
}
