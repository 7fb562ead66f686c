//! The engine of the processor: pair after pair, one number at a time.

use crate::error::Error;
use crate::options::Options;
use crate::pointwise::{At, Pointwise, number};
use keops_core::{Formula, Keep, Scalar};
use ndarray::{ArrayView2, ArrayViewMut2};

/// What is done with the terms of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Added up.
    Sum,
    /// Maximum of exponents, sums relative to it.
    Raw,
    /// The same with the plain sum before the weighted ones.
    RawQuotient,
    /// Log of the sum of exponentials.
    Log,
    /// Quotient of weighted and plain sum of exponentials.
    Quotient,
    /// `K` extremal values: sign of the comparison, values, indices.
    Select(f64, bool, bool),
}

/// What is done with the terms of a row.
pub trait Reduction: 'static {
    /// How.
    const KIND: Kind;
    /// Entries kept.
    const KEPT: usize = 1;
    /// Values per row.
    fn values<F: Formula>() -> usize {
        match Self::KIND {
            Kind::Sum => F::OUT,
            Kind::Raw => 1 + F::ACC,
            Kind::RawQuotient => 2 + F::ACC,
            Kind::Log | Kind::Quotient => F::ACC,
            Kind::Select(_, values, _) => if values { Self::KEPT * F::DIM } else { 0 },
        }
    }
    /// Indices per row.
    fn indices<F: Formula>() -> usize {
        match Self::KIND {
            Kind::Select(_, _, true) => Self::KEPT * F::DIM,
            _ => 0,
        }
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident = $kind:expr;)*) => { $(
        $(#[$doc])*
        pub struct $name;
        impl Reduction for $name { const KIND: Kind = $kind; }
    )* };
}
reductions! {
    /// Sum.
    Sum = Kind::Sum;
    /// Raw exponential sums.
    MaxSumShiftExp = Kind::Raw;
    /// Raw exponential sums of a quotient.
    SoftMaxRaw = Kind::RawQuotient;
    /// Log-sum-exp.
    LogSumExp = Kind::Log;
    /// Soft-max-weighted mean.
    SumSoftMaxWeight = Kind::Quotient;
    /// Minimum.
    Min = Kind::Select(1.0, true, false);
    /// Maximum.
    Max = Kind::Select(-1.0, true, false);
    /// Index of the minimum.
    ArgMin = Kind::Select(1.0, false, true);
    /// Index of the maximum.
    ArgMax = Kind::Select(-1.0, false, true);
    /// Minimum and its index.
    MinArgMin = Kind::Select(1.0, true, true);
    /// Maximum and its index.
    MaxArgMax = Kind::Select(-1.0, true, true);
}
macro_rules! k_reductions {
    ($($(#[$doc:meta])* $name:ident = $kind:expr;)*) => { $(
        $(#[$doc])*
        pub struct $name<const K: usize>;
        impl<const K: usize> Reduction for $name<K> { const KIND: Kind = $kind; const KEPT: usize = K; }
    )* };
}
k_reductions! {
    /// K smallest.
    KMin = Kind::Select(1.0, true, false);
    /// Their indices.
    ArgKMin = Kind::Select(1.0, false, true);
    /// Both.
    KMinArgKMin = Kind::Select(1.0, true, true);
}

/// Runs one reduction.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    vars: &[ArrayView2<'_, T>],
    rows: usize,
    cols: usize,
    _options: &Options,
    mut values: ArrayViewMut2<'_, T>,
    mut indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    let mut point = Pointwise::<F, T>::new(vars);
    let (nv, ni) = (R::values::<F>(), R::indices::<F>());
    let mut totals = vec![0.0; nv];
    for r in 0..rows {
        let at = |c| match F::KEEP {
            Keep::J => At { data: vars, variables: F::VARIABLES, i: c, j: r },
            _ => At { data: vars, variables: F::VARIABLES, i: r, j: c },
        };
        point.set_row(&at(0));
        let mut terms = Vec::new();
        for c in 0..cols {
            point.set_col(&at(c));
            let f = |v: &[T::Lane]| v.iter().map(|&v| number(v).to_f64()).collect::<Vec<_>>();
            terms.push(match R::KIND {
                Kind::Sum => f(point.term()),
                Kind::Select(..) => f(point.pair()),
                _ => {
                    let mut pair = f(point.pair());
                    if F::OUTER.len > 0 {
                        pair.truncate(1);
                        pair.extend(f(point.outer()));
                    } else if F::DIM == 1 {
                        pair.push(1.0);
                    }
                    pair
                }
            });
        }
        let mut found = Vec::new();
        let mut at_index = Vec::new();
        let m = terms.iter().map(|t| t[0]).fold(f64::NEG_INFINITY, f64::max);
        let weighted = |c: usize| terms.iter().map(|t| if t[0] == f64::NEG_INFINITY { 0.0 } else if t[0] == m { t[1 + c] } else { t[1 + c] * (t[0] - m).exp() }).sum::<f64>();
        let plain = || terms.iter().map(|t| if t[0] == f64::NEG_INFINITY { 0.0 } else if t[0] == m { 1.0 } else { (t[0] - m).exp() }).sum::<f64>();
        match R::KIND {
            Kind::Sum => found.extend((0..nv).map(|c| terms.iter().map(|t| t[c]).sum::<f64>())),
            Kind::Raw => {
                found.push(m);
                found.extend((0..F::ACC).map(weighted));
            }
            Kind::RawQuotient => {
                found.extend([m, plain()]);
                found.extend((0..F::ACC).map(weighted));
            }
            Kind::Log => found.extend((0..F::ACC).map(|c| if m == f64::NEG_INFINITY { m } else { m + weighted(c).ln() })),
            Kind::Quotient => found.extend((0..F::ACC).map(|c| if m == f64::NEG_INFINITY { 0.0 } else { weighted(c) / plain() })),
            Kind::Select(sign, ..) => {
                let mut sorted: Vec<Vec<(f64, u64)>> = (0..F::DIM)
                    .map(|d| terms.iter().enumerate().filter(|(_, t)| !(t[d].is_nan())).map(|(c, t)| (t[d], c as u64)).collect())
                    .collect();
                for list in &mut sorted {
                    list.sort_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
                    list.resize(R::KEPT.max(list.len()), (sign * f64::INFINITY, u64::MAX));
                }
                for k in 0..R::KEPT {
                    found.extend(sorted.iter().map(|list| list[k].0));
                    at_index.extend(sorted.iter().map(|list| list[k].1));
                }
            }
        }
        if F::KEEP == Keep::None {
            totals.iter_mut().zip(&found).for_each(|(t, v)| *t += v);
        } else {
            (0..nv).for_each(|k| values[[r, k]] = T::from_f64(found[k]));
            (0..ni).for_each(|k| indices[[r, k]] = at_index[k]);
        }
    }
    if F::KEEP == Keep::None {
        (0..nv).for_each(|k| values[[0, k]] = T::from_f64(totals[k]));
    }
    Ok(())
}
