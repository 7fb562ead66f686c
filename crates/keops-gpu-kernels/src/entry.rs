//! The macro that makes entry points of the schemes.

use crate::abi::Step;
use crate::bank::{Bank, InMemory, Kahan, Registers, Wide};
use crate::nest::Shape;
use crate::number::Number;
use crate::reduction::Reduction;
use crate::tiling::Tiling;
use keops_core::Formula;

/// Chooses between a bank of `N` numbers in registers and one in memory.
#[derive(Debug, Clone, Copy)]
pub struct Choose<const IN_MEMORY: bool, const N: usize>;

/// The banks that fit a choice.
pub trait Banks<T: Number, S: Shape<T>> {
    /// Plain sums.
    type Plain: Bank<T, S>;
    /// Compensated sums.
    type Compensated: Bank<T, S>;
}

impl<T: Number, S: Shape<T>, const N: usize> Banks<T, S> for Choose<false, N> {
    type Plain = Registers<T, S, N>;
    type Compensated = Kahan<T, S, N>;
}

impl<T: Number, S: Shape<T>, const N: usize> Banks<T, S> for Choose<true, N> {
    type Plain = InMemory<T, S>;
    type Compensated = InMemory<T, S>;
}

/// The bank with sums in `f64` that fits a choice; in memory, sums are compensated instead, which is as exact.
pub trait WideBank<T: Number, S: Shape<T>> {
    /// It.
    type Wide: Bank<T, S>;
}

impl<T: Number, S: Shape<T>, const N: usize> WideBank<T, S> for Choose<false, N>
where
    Wide<N>: Bank<T, S>,
{
    type Wide = Wide<N>;
}

impl<T: Number, S: Shape<T>, const N: usize> WideBank<T, S> for Choose<true, N> {
    type Wide = InMemory<T, S>;
}

/// Staged row values that are kept in registers.
pub const fn rows_in_registers<F: Formula, R: Reduction<F>, T: Number>(step: Step) -> usize {
    if Tiling::of::<F, R, T>(step).rows_in_memory { 0 } else { F::ROW }
}

/// Staged parameters that are kept in registers.
pub const fn parameters_in_registers<F: Formula>() -> usize {
    if F::PARAM > 16 { 0 } else { F::PARAM }
}

/// Numbers of a bank in registers.
pub const fn numbers_in_registers<F: Formula, R: Reduction<F>, T: Number>(step: Step) -> usize {
    if Tiling::of::<F, R, T>(step).sums_in_memory { 0 } else { R::LIVE }
}

/// What a kernel file has once: the array of dynamic shared memory, and what happens on a panic (there is none).
///
/// The crate that calls it needs the feature `asm_experimental_arch`.
#[macro_export]
macro_rules! kernel_file {
    () => {
        // Of assembly outside functions, only that of the last crate reaches the PTX.
        ::core::arch::global_asm!(".extern .shared .align 16 .b8 keops_shared[];");

        #[panic_handler]
        fn panic(_: &::core::panic::PanicInfo<'_>) -> ! {
            loop {}
        }
    };
}

/// Makes the entry points of a kernel file: `kernels!(formula, reduction, number type, prefix of the names, steps…)`.
///
/// The crate that calls it needs the feature `abi_ptx`, and is to be compiled for `nvptx64-nvidia-cuda`. See [`crate::abi`].
#[macro_export]
macro_rules! kernels {
    ($formula:ty, $reduction:ty, $number:ty, $prefix:literal $(, $step:ident)* $(,)?) => {
        $($crate::kernels!(@$step $formula, $reduction, $number, $prefix);)*
    };
    (@reduce $formula:ty, $reduction:ty, $number:ty, $prefix:literal) => {
        const _: () = {
            use $crate::entry;
            const STEP: $crate::abi::Step = $crate::abi::Step::Reduce;
            const TILING: $crate::tiling::Tiling = $crate::tiling::Tiling::of::<$formula, $reduction, $number>(STEP);
            type Shape = $crate::nest::Tile<{ TILING.rows }, { TILING.columns }>;
            type Choice = entry::Choose<
                { TILING.sums_in_memory },
                { entry::numbers_in_registers::<$formula, $reduction, $number>(STEP) },
            >;
            #[unsafe(export_name = concat!($prefix, "_reduce"))]
            unsafe extern "ptx-kernel" fn entry(arguments: $crate::abi::Arguments) {
                // SAFETY: promised by the host.
                unsafe {
                    $crate::scheme::reduce::<
                        $formula,
                        $reduction,
                        $number,
                        Shape,
                        <Choice as entry::Banks<$number, Shape>>::Plain,
                        _,
                        false,
                        { entry::rows_in_registers::<$formula, $reduction, $number>(STEP) },
                        { entry::parameters_in_registers::<$formula>() },
                    >($crate::device::Device, &arguments)
                }
            }
        };
    };
    (@reduce_exactly $formula:ty, $reduction:ty, $number:ty, $prefix:literal) => {
        const _: () = {
            use $crate::entry;
            const STEP: $crate::abi::Step = $crate::abi::Step::ReduceExactly;
            const TILING: $crate::tiling::Tiling = $crate::tiling::Tiling::of::<$formula, $reduction, $number>(STEP);
            type Shape = $crate::nest::Tile<{ TILING.rows }, { TILING.columns }>;
            type Choice = entry::Choose<
                { TILING.sums_in_memory },
                { entry::numbers_in_registers::<$formula, $reduction, $number>(STEP) },
            >;
            #[unsafe(export_name = concat!($prefix, "_reduce_exactly"))]
            unsafe extern "ptx-kernel" fn entry(arguments: $crate::abi::Arguments) {
                const ROW: usize = entry::rows_in_registers::<$formula, $reduction, $number>(STEP);
                const PARAMETERS: usize = entry::parameters_in_registers::<$formula>();
                type Compensated = <Choice as entry::Banks<$number, Shape>>::Compensated;
                type Wide = <Choice as entry::WideBank<$number, Shape>>::Wide;
                let device = $crate::device::Device;
                // SAFETY: promised by the host.
                unsafe {
                    if arguments.accumulator == $crate::abi::Accumulator::F64 as u32 {
                        $crate::scheme::reduce::<$formula, $reduction, $number, Shape, Wide, _, true, ROW, PARAMETERS>(
                            device, &arguments,
                        )
                    } else {
                        $crate::scheme::reduce::<$formula, $reduction, $number, Shape, Compensated, _, true, ROW, PARAMETERS>(
                            device, &arguments,
                        )
                    }
                }
            }
        };
    };
    (@merge $formula:ty, $reduction:ty, $number:ty, $prefix:literal) => {
        const _: () = {
            use $crate::entry;
            #[unsafe(export_name = concat!($prefix, "_merge"))]
            unsafe extern "ptx-kernel" fn entry(arguments: $crate::abi::Arguments) {
                // SAFETY: promised by the host.
                unsafe {
                    $crate::scheme::merge::<
                        $formula,
                        $reduction,
                        $number,
                        _,
                        { entry::rows_in_registers::<$formula, $reduction, $number>($crate::abi::Step::Reduce) },
                        { entry::parameters_in_registers::<$formula>() },
                    >($crate::device::Device, &arguments)
                }
            }
        };
    };
    (@total $formula:ty, $reduction:ty, $number:ty, $prefix:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, "_total"))]
            unsafe extern "ptx-kernel" fn entry(arguments: $crate::abi::Arguments) {
                // SAFETY: promised by the host.
                unsafe { $crate::scheme::total::<$formula, $number, _>($crate::device::Device, &arguments) }
            }
        };
    };
}
