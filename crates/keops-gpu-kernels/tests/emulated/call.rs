//! A whole call on the emulated grid.

use keops_core::{Category, Formula, Scalar, Source, Stage};
use keops_gpu_kernels::abi::Table;

/// A variable: its numbers, and how many a row has.
pub(crate) struct Data<T>(pub(crate) Vec<T>, pub(crate) usize);

impl<T> Data<T> {
    pub(crate) fn table(&self) -> Table {
        Table { data: self.0.as_ptr() as u64, stride: self.1 as u64 }
    }
}

/// Parameters, staged in `f64`.
pub(crate) fn parameters<F: Formula, T: Scalar>(data: &[Data<T>]) -> Vec<T> {
    let mut out = Staged(vec![0.0; F::PARAM]);
    F::param::<keops_core::lanes::F64x1>(&Single(data), &mut out);
    out.0.into_iter().map(T::from_f64).collect()
}

struct Single<'a, T>(&'a [Data<T>]);

impl<T: Scalar> Source<keops_core::lanes::F64x1> for Single<'_, T> {
    fn at(&self, var: usize, k: usize) -> keops_core::lanes::F64x1 {
        keops_core::lanes::F64x1(self.0[var].0[k].to_f64())
    }
    fn index(&self, _: Category) -> u64 {
        0
    }
}

struct Staged(Vec<f64>);

impl Stage<keops_core::lanes::F64x1> for Staged {
    fn put(&mut self, k: usize, v: keops_core::lanes::F64x1) {
        self.0[k] = v.0;
    }
}

/// What a call returns.
pub(crate) struct Results<T> {
    pub(crate) values: Vec<T>,
    pub(crate) indices: Vec<u64>,
}

/// `call!(formula, reduction, number type, data, rows, columns, accumulator, multiprocessors)`: all steps of a dense call.
macro_rules! call {
    ($f:ty, $r:ty, $t:ty, $data:expr, $rows:expr, $columns:expr, $accumulator:expr, $processors:expr) => {{
        use keops_gpu_kernels::plan::Plan;
        let plan = Plan::dense::<$f, $r, $t>($rows, $columns, $accumulator, $processors);
        call!(@run $f, $r, $t, $data, plan, |at: keops_gpu_kernels::plan::Addresses| {
            let tables: Vec<_> = $data.iter().map(|d| d.table()).collect();
            let arguments = plan.arguments(&tables, at);
            (arguments, arguments)
        })
    }};
    (@run $f:ty, $r:ty, $t:ty, $data:expr, $plan:expr, $arguments:expr) => {{
        use keops_core::{Formula, Keep};
        use keops_gpu_kernels::abi::{Accumulator, Step};
        use keops_gpu_kernels::entry::{self, Banks, WideBank};
        use keops_gpu_kernels::reduction::Reduction;
        use keops_gpu_kernels::tiling::Tiling;
        use keops_gpu_kernels::{nest, plan::Addresses, scheme};

        let (plan, data): (_, &[crate::call::Data<$t>]) = ($plan, $data);
        let numbers = |bytes: u64| vec![<$t>::NAN; bytes as usize / size_of::<$t>() + 4];
        let (mut states, mut scratch, mut parts) =
            (numbers(plan.memory.state_values), numbers(plan.memory.scratch), numbers(plan.memory.parts));
        let mut state_indices = vec![77u64; plan.memory.state_indices as usize / 8];
        let offsets = vec![0u64; <$f>::VARIABLES.len()];
        let parameters = crate::call::parameters::<$f, $t>(data);
        let results = if matches!(<$f>::KEEP, Keep::None) { 1 } else { plan.rows as usize };
        const VALUES: usize = <$r as Reduction<$f>>::VALUES;
        const INDICES: usize = <$r as Reduction<$f>>::INDICES;
        let mut values = vec![<$t>::NAN; results * VALUES];
        let mut indices = vec![77u64; results * INDICES];
        let (first, rest) = $arguments(Addresses {
            state_values: states.as_mut_ptr() as u64,
            state_indices: state_indices.as_mut_ptr() as u64,
            scratch: scratch.as_mut_ptr() as u64,
            parts: parts.as_mut_ptr() as u64,
            parameters: parameters.as_ptr() as u64,
            offsets: offsets.as_ptr() as u64,
            values: values.as_mut_ptr() as u64,
            value_stride: VALUES as u64,
            indices: indices.as_mut_ptr() as u64,
            index_stride: INDICES as u64,
        });

        const PARAMETERS: usize = entry::parameters_in_registers::<$f>();
        const PLAIN: Tiling = Tiling::of::<$f, $r, $t>(Step::Reduce);
        const EXACT: Tiling = Tiling::of::<$f, $r, $t>(Step::ReduceExactly);
        type PlainShape = nest::Tile<{ PLAIN.rows }, { PLAIN.columns }>;
        type ExactShape = nest::Tile<{ EXACT.rows }, { EXACT.columns }>;
        const ROW: usize = entry::rows_in_registers::<$f, $r, $t>(Step::Reduce);
        const EXACT_ROW: usize = entry::rows_in_registers::<$f, $r, $t>(Step::ReduceExactly);
        type Choice = entry::Choose<
            { PLAIN.sums_in_memory },
            { entry::numbers_in_registers::<$f, $r, $t>(Step::Reduce) },
        >;
        type ExactChoice = entry::Choose<
            { EXACT.sums_in_memory },
            { entry::numbers_in_registers::<$f, $r, $t>(Step::ReduceExactly) },
        >;
        type PlainBank = <Choice as Banks<$t, PlainShape>>::Plain;
        type KahanBank = <ExactChoice as Banks<$t, ExactShape>>::Compensated;
        type F64Bank = <ExactChoice as WideBank<$t, ExactShape>>::Wide;
        crate::grid::launch(plan.reduce, |grid| {
            // SAFETY: the arguments are those of the plan, with memory of the sizes it asks for.
            unsafe {
                match (plan.step, plan.accumulator) {
                    (Step::ReduceExactly, Accumulator::F64) => {
                        scheme::reduce::<$f, $r, $t, ExactShape, F64Bank, _, true, EXACT_ROW, PARAMETERS>(grid, &first)
                    }
                    (Step::ReduceExactly, _) => {
                        scheme::reduce::<$f, $r, $t, ExactShape, KahanBank, _, true, EXACT_ROW, PARAMETERS>(grid, &first)
                    }
                    _ => scheme::reduce::<$f, $r, $t, PlainShape, PlainBank, _, false, ROW, PARAMETERS>(grid, &first),
                }
            }
        });
        crate::grid::launch(plan.merge, |grid| {
            // SAFETY: as above.
            unsafe { scheme::merge::<$f, $r, $t, _, ROW, PARAMETERS>(grid, &rest) }
        });
        crate::grid::launch(plan.total, |grid| {
            // SAFETY: as above.
            unsafe { scheme::total::<$f, $t, _>(grid, &rest) }
        });
        crate::call::Results { values, indices }
    }};
}
