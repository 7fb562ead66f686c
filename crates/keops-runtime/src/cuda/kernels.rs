//! [`Kernels`]: the reductions of the device library that go with those of calls.

use crate::cpu::{self, Reduction};
use crate::options;
use keops_core::{Formula, Scalar};
use keops_gpu_kernels::abi::{Accumulator, Name, Step};
use keops_gpu_kernels::plan::Plan;
use keops_gpu_kernels::reduction as device;
use keops_gpu_kernels::tiling::Tiling;

/// A reduction that has kernels.
pub trait Kernels: Reduction {
    /// Sizes of a call on all rows × all columns.
    #[doc(hidden)]
    fn dense<F: Formula, T: Scalar>(rows: u64, columns: u64, accumulator: Accumulator, multiprocessors: u32) -> Plan;
    /// Sizes of a launch with lists: so many records, items and entries to merge.
    #[doc(hidden)]
    fn listed<F: Formula, T: Scalar>(sizes: Listed, accumulator: Accumulator, multiprocessors: u32) -> Plan;
    /// How rows and columns are tiled by a kernel that reduces.
    #[doc(hidden)]
    fn tiling<F: Formula, T: Scalar>(step: Step) -> Tiling;
    /// The name of a kernel.
    #[doc(hidden)]
    fn kernel<T: Scalar>(step: Step) -> Name;
}

/// Sizes of a launch with lists.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Listed {
    /// Rows of results.
    pub rows: u64,
    /// Records of states.
    pub records: u64,
    /// Items.
    pub items: u64,
    /// Entries to merge.
    pub merges: u64,
}

macro_rules! kernels {
    ($($name:ident $(<$k:ident>)?),* $(,)?) => {$(
        impl $(<const $k: usize>)? Kernels for cpu::$name $(<$k>)? {
            fn dense<F: Formula, T: Scalar>(rows: u64, columns: u64, accumulator: Accumulator, multiprocessors: u32) -> Plan {
                Plan::dense::<F, device::$name $(<$k>)?, T>(rows, columns, accumulator, multiprocessors)
            }
            fn listed<F: Formula, T: Scalar>(sizes: Listed, accumulator: Accumulator, multiprocessors: u32) -> Plan {
                let Listed { rows, records, items, merges } = sizes;
                Plan::listed::<F, device::$name $(<$k>)?, T>(rows, records, items, merges, accumulator, multiprocessors)
            }
            fn tiling<F: Formula, T: Scalar>(step: Step) -> Tiling {
                Tiling::of::<F, device::$name $(<$k>)?, T>(step)
            }
            fn kernel<T: Scalar>(step: Step) -> Name {
                Name::of::<device::$name $(<$k>)?, T>(step)
            }
        }
    )*};
}

kernels!(
    Sum,
    LogSumExp,
    SumSoftMaxWeight,
    MaxSumShiftExp,
    SoftMaxRaw,
    Min,
    Max,
    ArgMin,
    ArgMax,
    MinArgMin,
    MaxArgMax,
    KMin<K>,
    ArgKMin<K>,
    KMinArgKMin<K>,
);

/// The accumulator as the device library calls it.
pub(super) fn accumulator(of: options::Accumulator) -> Accumulator {
    match of {
        options::Accumulator::Block => Accumulator::Block,
        options::Accumulator::Kahan => Accumulator::Kahan,
        options::Accumulator::F64 => Accumulator::F64,
    }
}
