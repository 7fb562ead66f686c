//! Results of the reductions that give only indices.

use super::form::Indices;
use super::reduce::Outcome;
use crate::cpu::{ArgMax, ArgMin};

impl Outcome for ArgMin {
    type Form = Indices;
}

impl Outcome for ArgMax {
    type Form = Indices;
}
