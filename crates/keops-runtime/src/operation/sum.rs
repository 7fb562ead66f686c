//! Results of sums.

use super::form::Values;
use super::reduce::Outcome;
use crate::cpu::Sum;

impl Outcome for Sum {
    type Form = Values;
}
