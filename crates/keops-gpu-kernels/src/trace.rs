//! What a formula does with its staged values, found by evaluating it on [`Trace`]s instead of numbers.
//!
//! For Σ e^{−c|x − y|²} …, the factor −c log₂e costs a multiplication for each pair. Under fast-math it is taken into the
//! staged coordinates instead, x and y times √(c log₂e), if they are used for nothing else. That moves the points relative
//! to each other by rounding errors of the coordinates, which is why it is not done otherwise.
//!
//! Traces are constants once everything is inlined: nothing of this is left in a kernel.

use crate::number::Number;
use core::marker::PhantomData;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};
use keops_core::{Formula, Int, Mask, Real, Shape, Sink, Staged};

/// Staged values that may be scaled: sets of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scaling {
    /// Of rows.
    pub(crate) rows: u64,
    /// Of columns.
    pub(crate) columns: u64,
    /// The parameter by which squared distances are multiplied, and nothing else.
    pub(crate) parameter: usize,
}

impl Scaling {
    /// That of a formula, if it has one.
    #[inline(always)]
    pub(crate) fn of<F: Formula, T: Number>() -> Option<Scaling> {
        let small = F::PARAM > 0 && F::PARAM <= 16 && F::ROW <= 64 && F::COL <= 64 && F::WORK <= 100;
        if !cfg!(feature = "fast-math") || T::BITS != 32 || !matches!(F::SHAPE, Shape::Narrow) || !small {
            return None;
        }
        let mut seen = Seen::<T>(Trace::NOTHING);
        F::pair::<Trace<T>>(&Positions(Kind::Row), &Positions(Kind::Column), &Positions(Kind::Parameter), &mut seen);
        let all = seen.0;
        let outer = if F::OUTER.len == 0 { 0 } else { ones(F::OUTER.len) << F::OUTER.at };
        let powers = all.powers;
        let free = powers.rows & all.rows == 0
            && powers.columns & (all.columns | outer) == 0
            && all.parameters >> powers.parameter & 1 == 0;
        (powers.rows != 0 && free && !all.spoiled).then_some(powers)
    }
}

const fn ones(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A staged value of the row.
    Row,
    /// A staged value of the column.
    Column,
    /// A staged parameter.
    Parameter,
    /// The number 0.
    Zero,
    /// A row value minus a column value, or the other way round.
    Difference,
    /// A sum of squares of differences.
    Squares,
    /// Anything else.
    Other,
}

/// A value, described by what it is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trace<T> {
    kind: Kind,
    /// Staged values in it, other than in powers.
    rows: u64,
    columns: u64,
    parameters: u64,
    /// Staged values in powers of 2 whose exponents are squared distances times a parameter.
    powers: Scaling,
    /// Are there powers with different parameters?
    spoiled: bool,
    of: PhantomData<T>,
}

impl<T> Trace<T> {
    const NOTHING: Self = Trace {
        kind: Kind::Other,
        rows: 0,
        columns: 0,
        parameters: 0,
        powers: Scaling { rows: 0, columns: 0, parameter: 0 },
        spoiled: false,
        of: PhantomData,
    };

    /// Something made of both.
    #[inline(always)]
    fn with(self, o: Self) -> Self {
        let (a, b) = (self.powers, o.powers);
        let clash = a.rows != 0 && b.rows != 0 && a.parameter != b.parameter;
        Trace {
            kind: Kind::Other,
            rows: self.rows | o.rows,
            columns: self.columns | o.columns,
            parameters: self.parameters | o.parameters,
            powers: Scaling {
                rows: a.rows | b.rows,
                columns: a.columns | b.columns,
                parameter: if a.rows != 0 { a.parameter } else { b.parameter },
            },
            spoiled: self.spoiled | o.spoiled | clash,
            of: PhantomData,
        }
    }

    #[inline(always)]
    fn alone(self) -> Self {
        self.with(Self::NOTHING)
    }

    #[inline(always)]
    fn same(&self, o: &Self) -> bool {
        self.rows == o.rows && self.columns == o.columns
    }
}

/// Staged values as traces.
struct Positions(Kind);

impl<T: Number> Staged<Trace<T>> for Positions {
    #[inline(always)]
    fn at(&self, k: usize) -> Trace<T> {
        let bit = if k < 64 { 1 << k } else { 0 };
        let (rows, columns, parameters) = match self.0 {
            Kind::Row => (bit, 0, 0),
            Kind::Column => (0, bit, 0),
            _ => (0, 0, bit),
        };
        Trace { kind: self.0, rows, columns, parameters, ..Trace::NOTHING }
    }
}

/// All that a formula delivers.
struct Seen<T>(Trace<T>);

impl<T: Number> Sink<Trace<T>> for Seen<T> {
    #[inline(always)]
    fn put(&mut self, _: usize, v: Trace<T>) {
        self.0 = self.0.with(v);
    }
}

impl<T: Copy> Add for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let squares = self.kind == Kind::Squares && o.kind == Kind::Squares;
        Trace { kind: if squares { Kind::Squares } else { Kind::Other }, ..self.with(o) }
    }
}

impl<T: Copy> Sub for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let difference = matches!((self.kind, o.kind), (Kind::Row, Kind::Column) | (Kind::Column, Kind::Row));
        Trace { kind: if difference { Kind::Difference } else { Kind::Other }, ..self.with(o) }
    }
}

impl<T: Copy> Mul for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let square = self.kind == Kind::Difference && o.kind == Kind::Difference && self.same(&o);
        Trace { kind: if square { Kind::Squares } else { Kind::Other }, ..self.with(o) }
    }
}

impl<T> Div for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self.with(o)
    }
}

impl<T> Neg for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.alone()
    }
}

impl<T> BitAnd for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        self.with(o)
    }
}

impl<T> BitOr for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        self.with(o)
    }
}

impl<T> Not for Trace<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self
    }
}

impl<T: Number> Mask for Trace<T> {
    // Branches choose between ways to the same value.
    #[inline(always)]
    fn any(self) -> bool {
        false
    }
    #[inline(always)]
    fn all(self) -> bool {
        true
    }
}

impl<T: Number> Int for Trace<T> {
    #[inline(always)]
    fn splat(_: i64) -> Self {
        Self::NOTHING
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        self
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        self
    }
}

/// Operations that make something else of their arguments.
macro_rules! made_of {
    ($($f:ident($($other:ident)?)),*) => { $(
        #[inline(always)]
        fn $f(self $(, $other: Self)?) -> Self {
            self.alone()$(.with($other))?
        }
    )* };
}

impl<T: Number> Real for Trace<T> {
    type Scalar = T;
    type Mask = Self;
    type Int = Self;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(v: T) -> Self {
        let zero = v.to_raw() == 0;
        Trace { kind: if zero { Kind::Zero } else { Kind::Other }, ..Self::NOTHING }
    }
    #[inline(always)]
    unsafe fn load(_: *const T) -> Self {
        Self::NOTHING
    }
    #[inline(always)]
    unsafe fn store(self, _: *mut T) {}
    #[inline(always)]
    fn map(self, _: impl Fn(T) -> T) -> Self {
        self.alone()
    }
    #[inline(always)]
    fn zip(self, o: Self, _: impl Fn(T, T) -> T) -> Self {
        self.with(o)
    }
    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        let product = self * a;
        let sum = product + b;
        if product.kind == Kind::Squares && b.kind == Kind::Zero { Trace { kind: Kind::Squares, ..sum } } else { sum }
    }
    #[inline(always)]
    fn exp2_mul(self, c: Self) -> Self {
        if self.kind == Kind::Squares && c.kind == Kind::Parameter {
            let powers =
                Scaling { rows: self.rows, columns: self.columns, parameter: c.parameters.trailing_zeros() as usize };
            Trace { powers, ..Self::NOTHING }
        } else {
            self.with(c)
        }
    }
    #[inline(always)]
    fn select(mask: Self, a: Self, b: Self) -> Self {
        mask.with(a).with(b)
    }
    #[inline(always)]
    fn select_int(mask: Self, a: Self, b: Self) -> Self {
        mask.with(a).with(b)
    }
    #[inline(always)]
    fn from_bits(bits: Self) -> Self {
        bits.alone()
    }
    made_of!(abs(), sqrt(), floor(), round_even(), to_bits());
    made_of!(copysign(o), min_or(o), max_or(o), ldexp(o), lt(o), le(o), eq(o));
}
