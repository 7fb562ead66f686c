//! `Min`, `Max`, `ArgMin`, `ArgMax`, `Min_ArgMin`, `Max_ArgMax`: the extreme value of each component and where it is.
//!
//! State: the values, and their indices where they are wanted.

use super::{Kind, Reduction};
use keops_core::Formula;

/// Extreme value per component; which results it delivers is part of the type.
#[derive(Debug, Clone, Copy)]
pub struct Extremum<const MAX: bool, const VALUES: bool, const INDICES: bool>;

/// `Min_Reduction`.
pub type Min = Extremum<false, true, false>;
/// `Max_Reduction`.
pub type Max = Extremum<true, true, false>;
/// `ArgMin_Reduction`.
pub type ArgMin = Extremum<false, false, true>;
/// `ArgMax_Reduction`.
pub type ArgMax = Extremum<true, false, true>;
/// `Min_ArgMin_Reduction`.
pub type MinArgMin = Extremum<false, true, true>;
/// `Max_ArgMax_Reduction`.
pub type MaxArgMax = Extremum<true, true, true>;

impl<const MAX: bool, const VALUES: bool, const INDICES: bool> Kind for Extremum<MAX, VALUES, INDICES> {
    const NAME: &'static str = match (MAX, VALUES, INDICES) {
        (false, true, false) => "Min",
        (true, true, false) => "Max",
        (false, false, _) => "ArgMin",
        (true, false, _) => "ArgMax",
        (false, true, true) => "Min_ArgMin",
        (true, true, true) => "Max_ArgMax",
    };
}

impl<F: Formula, const MAX: bool, const VALUES: bool, const INDICES: bool> Reduction<F>
    for Extremum<MAX, VALUES, INDICES>
{
    const STATE: usize = F::DIM;
    const STATE_INDICES: usize = if INDICES { F::DIM } else { 0 };
    const VALUES: usize = if VALUES { F::DIM } else { 0 };
    const INDICES: usize = if INDICES { F::DIM } else { 0 };
    const LIVE: usize = if INDICES { 2 * F::DIM } else { F::DIM };
}
