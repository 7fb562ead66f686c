//! Results of the exponential reductions.

use super::form::Values;
use super::reduce::Outcome;
use crate::cpu::{LogSumExp, MaxSumShiftExp, SumSoftMaxWeight};

impl Outcome for LogSumExp {
    type Form = Values;
}

impl Outcome for SumSoftMaxWeight {
    type Form = Values;
}

/// Raw rows [m, s…]: the largest exponent and the sums relative to it.
impl Outcome for MaxSumShiftExp {
    type Form = Values;
}
