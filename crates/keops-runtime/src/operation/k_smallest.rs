//! Results of the reductions that keep the K smallest values.

use super::form::{KIndices, KValues, KValuesAndIndices};
use super::reduce::Outcome;
use crate::cpu::{ArgKMin, KMin, KMinArgKMin};

impl<const K: usize> Outcome for KMin<K> {
    type Form = KValues;
    const K: Option<usize> = Some(K);
}

impl<const K: usize> Outcome for ArgKMin<K> {
    type Form = KIndices;
    const K: Option<usize> = Some(K);
}

impl<const K: usize> Outcome for KMinArgKMin<K> {
    type Form = KValuesAndIndices;
    const K: Option<usize> = Some(K);
}
