//! Results of the reductions that keep the K smallest values.

use super::form::{KIndices, KValues, KValuesAndIndices};
use super::reduce::Outcome;
use crate::cpu::{ArgKMin, KMin, KMinArgKMin};

impl<const K: usize> Outcome for KMin<K> {
    type Form = KValues;
}

impl<const K: usize> Outcome for ArgKMin<K> {
    type Form = KIndices;
}

impl<const K: usize> Outcome for KMinArgKMin<K> {
    type Form = KValuesAndIndices;
}
