//! Results of the reductions that select an extremal value.

use super::form::{Values, ValuesAndIndices};
use super::reduce::Outcome;
use crate::cpu::{Max, MaxArgMax, Min, MinArgMin};

impl Outcome for Min {
    type Form = Values;
}

impl Outcome for Max {
    type Form = Values;
}

impl Outcome for MinArgMin {
    type Form = ValuesAndIndices;
}

impl Outcome for MaxArgMax {
    type Form = ValuesAndIndices;
}
