//! The exponential reductions: `LogSumExp`, `SumSoftMaxWeight` and the raw sums both are made of.
//!
//! State: the largest exponent m, the sums Σ w e^{F−m}, and what was lost when they were rounded. The sum without a weight
//! comes first where it is wanted beside weighted ones. When m grows, sums are scaled down.

use super::{Kind, Reduction, sums};
use keops_core::Formula;

const LOG: u8 = 0;
const QUOTIENT: u8 = 1;
const RAW: u8 = 2;

/// Exponential reduction: what is made of the sums, and whether Σ e^{F−m} is among them although there are weights.
#[derive(Debug, Clone, Copy)]
pub struct Exponential<const RESULT: u8, const UNIT: bool>;

/// `LogSumExp_Reduction`: log Σ e^F, or log Σ w_c e^F for each component of the weight.
pub type LogSumExp = Exponential<LOG, false>;
/// `SumSoftMaxWeight_Reduction`: Σ e^F w_c / Σ e^F.
pub type SumSoftMaxWeight = Exponential<QUOTIENT, true>;
/// `Max_SumShiftExp_Reduction`, `Max_SumShiftExpWeight_Reduction`: m = max F, then s_c = Σ w_c e^{F−m}.
pub type MaxSumShiftExp = Exponential<RAW, false>;
/// m, Σ e^{F−m}, then Σ w_c e^{F−m}: what the gradient of `SumSoftMaxWeight` needs.
pub type SoftMaxRaw = Exponential<RAW, true>;

impl<const RESULT: u8, const UNIT: bool> Kind for Exponential<RESULT, UNIT> {
    const NAME: &'static str = match (RESULT, UNIT) {
        (LOG, _) => "LogSumExp",
        (QUOTIENT, _) => "SumSoftMaxWeight",
        (_, false) => "Max_SumShiftExp",
        (_, true) => "SoftMaxRaw",
    };
    const ACCUMULATES: bool = true;
}

impl<const RESULT: u8, const UNIT: bool> Exponential<RESULT, UNIT> {
    /// Are weights given?
    const fn weighted<F: Formula>() -> bool {
        F::OUTER.len > 0 || F::DIM > 1
    }
    /// Number of sums without a weight beside weighted ones.
    const fn unit<F: Formula>() -> usize {
        if UNIT && Self::weighted::<F>() { 1 } else { 0 }
    }
    /// Sums in the state.
    const fn sums<F: Formula>() -> usize {
        F::ACC + Self::unit::<F>()
    }
}

impl<F: Formula, const RESULT: u8, const UNIT: bool> Reduction<F> for Exponential<RESULT, UNIT> {
    const STATE: usize = 1 + 2 * Self::sums::<F>();
    const STATE_INDICES: usize = 0;
    const VALUES: usize = if RESULT == RAW { 1 + Self::sums::<F>() } else { F::ACC };
    const INDICES: usize = 0;
    const LIVE: usize = 1 + Self::unit::<F>() + sums::<F>();
}
