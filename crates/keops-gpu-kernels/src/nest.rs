//! [`Nest`]: several values as one [`Real`], so that a formula evaluated once is evaluated for several rows and columns in
//! straight-line code, whose values a compiler keeps in registers.

use crate::number::Number;
use keops_core::Real;
use keops_core::lanes::Twin;

/// `N` values: 1, 2 or 4.
#[derive(Debug, Clone, Copy)]
pub struct Of<const N: usize>;

/// `N` values of `A` as one.
pub trait Nest<A: Real> {
    /// All of them.
    type All: Real<Scalar = A::Scalar>;
    /// How many.
    const N: usize;
    /// From each of them.
    fn join(f: impl FnMut(usize) -> A) -> Self::All;
    /// Calls `f` with each in order.
    fn each(all: Self::All, f: impl FnMut(usize, A));
}

impl<A: Real> Nest<A> for Of<1> {
    type All = A;
    const N: usize = 1;
    #[inline(always)]
    fn join(mut f: impl FnMut(usize) -> A) -> A {
        f(0)
    }
    #[inline(always)]
    fn each(all: A, mut f: impl FnMut(usize, A)) {
        f(0, all);
    }
}

impl<A: Real> Nest<A> for Of<2> {
    type All = Twin<A>;
    const N: usize = 2;
    #[inline(always)]
    fn join(mut f: impl FnMut(usize) -> A) -> Twin<A> {
        let a = f(0);
        Twin(a, f(1))
    }
    #[inline(always)]
    fn each(all: Twin<A>, mut f: impl FnMut(usize, A)) {
        f(0, all.0);
        f(1, all.1);
    }
}

impl<A: Real> Nest<A> for Of<4> {
    type All = Twin<Twin<A>>;
    const N: usize = 4;
    #[inline(always)]
    fn join(mut f: impl FnMut(usize) -> A) -> Twin<Twin<A>> {
        let (a, b) = (f(0), f(1));
        let (c, d) = (f(2), f(3));
        Twin(Twin(a, b), Twin(c, d))
    }
    #[inline(always)]
    fn each(all: Twin<Twin<A>>, mut f: impl FnMut(usize, A)) {
        f(0, all.0.0);
        f(1, all.0.1);
        f(2, all.1.0);
        f(3, all.1.1);
    }
}

/// The rows of a thread, and the columns they meet at a time.
pub trait Shape<T: Number> {
    /// The rows.
    type Rows: Nest<T::Real, All = Self::Row>;
    /// A value for each of the rows.
    type Row: Real<Scalar = T>;
    /// The columns.
    type Columns: Nest<Self::Row>;
}

/// `R` rows × `C` columns.
#[derive(Debug, Clone, Copy)]
pub struct Tile<const R: usize, const C: usize>;

impl<T: Number, const R: usize, const C: usize> Shape<T> for Tile<R, C>
where
    Of<R>: Nest<T::Real>,
    Of<C>: Nest<<Of<R> as Nest<T::Real>>::All>,
{
    type Rows = Of<R>;
    type Row = <Of<R> as Nest<T::Real>>::All;
    type Columns = Of<C>;
}
