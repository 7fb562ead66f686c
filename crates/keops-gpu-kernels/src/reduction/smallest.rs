//! `KMin`, `ArgKMin`, `KMin_ArgKMin`: the K smallest values of each component, in increasing order, and where they are.
//!
//! State: sorted lists, entry k of component d at k · DIM + d, and their indices where they are wanted.

use super::{Kind, Reduction};
use keops_core::Formula;

/// K smallest values per component; which results it delivers is part of the type.
#[derive(Debug, Clone, Copy)]
pub struct Smallest<const K: usize, const VALUES: bool, const INDICES: bool>;

/// `KMin_Reduction`.
pub type KMin<const K: usize> = Smallest<K, true, false>;
/// `ArgKMin_Reduction`.
pub type ArgKMin<const K: usize> = Smallest<K, false, true>;
/// `KMin_ArgKMin_Reduction`.
pub type KMinArgKMin<const K: usize> = Smallest<K, true, true>;

impl<const K: usize, const VALUES: bool, const INDICES: bool> Kind for Smallest<K, VALUES, INDICES> {
    const NAME: &'static str = match (VALUES, INDICES) {
        (true, false) => "KMin",
        (false, _) => "ArgKMin",
        (true, true) => "KMin_ArgKMin",
    };
    const K: usize = K;
}

impl<F: Formula, const K: usize, const VALUES: bool, const INDICES: bool> Reduction<F>
    for Smallest<K, VALUES, INDICES>
{
    const STATE: usize = K * F::DIM;
    const STATE_INDICES: usize = if INDICES { K * F::DIM } else { 0 };
    const VALUES: usize = if VALUES { K * F::DIM } else { 0 };
    const INDICES: usize = if INDICES { K * F::DIM } else { 0 };
    const LIVE: usize = if INDICES { 2 * K * F::DIM } else { K * F::DIM };
}
