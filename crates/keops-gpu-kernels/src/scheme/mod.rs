//! The kernels, as functions of a thread: what the entry points of the macro `kernels!` call.

mod merge;
mod reduce;
mod total;
mod work;

pub use merge::merge;
pub use reduce::reduce;
pub use total::total;

use crate::abi::Arguments;
use crate::access::global;
use crate::records::States;

/// The states of a launch.
#[inline(always)]
fn states<T>(arguments: &Arguments) -> States<T> {
    States {
        values: global(arguments.state_values),
        indices: global(arguments.state_indices),
        records: arguments.records,
    }
}
