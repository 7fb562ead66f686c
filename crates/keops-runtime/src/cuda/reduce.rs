//! One reduction on a device.

use super::channel::Channel;
use super::choice::Chosen;
use super::kernels::{Kernels, accumulator};
use super::launch::Launcher;
use super::layout::Layout;
use super::session::{OrFailed, Session};
use crate::error::Error;
use crate::options::Options;
use crate::pointwise::staged_parameters;
use keops_core::{Category, Formula, Scalar};
use keops_gpu_kernels::abi::{Step, Table};
use keops_gpu_kernels::plan::{Addresses, Plan};
use ndarray::{ArrayView2, ArrayViewMut2, Axis};

/// Runs one reduction; arguments and results as for the engine of the processor.
pub(crate) fn reduce<F: Formula, R: Kernels, T: Scalar>(
    chosen: Chosen,
    variables: &[ArrayView2<'_, T>],
    rows: usize,
    columns: usize,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    let session = Session::begin(chosen.device, F::TEXT)?;
    let module = session.module(chosen.ptx)?;
    let accumulator = accumulator(options.accumulator());
    let plan = R::dense::<F, T>(rows as u64, columns as u64, accumulator, chosen.device.multiprocessors);

    let mut layout = Layout::default();
    let inputs = Inputs::place::<F>(variables, &mut layout);
    let results = Results::place(&values, &indices, &mut layout);
    let scratch = Scratch::place(&plan, &mut layout);
    let memory = session.allocate("the data, the results and partial results", layout.bytes())?;
    let base = memory.as_device_ptr().as_raw();
    let at = |place: Option<u64>| place.map_or(0, |place| base + place);

    session.with_channel(|channel| {
        let tables = inputs.send(&session, channel, base)?;
        let parameters = staged_parameters::<F, T>(variables);
        let offsets = std::iter::repeat_n(0_u64, F::VARIABLES.len());
        // SAFETY: the layout has room for them.
        unsafe {
            channel.send(at(scratch.parameters), parameters.iter().copied()).or_failed(&session, SEND)?;
            channel.send(at(scratch.offsets), offsets).or_failed(&session, SEND)?;
        }
        let arguments = plan.arguments(
            &tables,
            Addresses {
                state_values: at(scratch.state_values),
                state_indices: at(scratch.state_indices),
                scratch: at(scratch.scratch),
                parts: at(scratch.parts),
                parameters: at(scratch.parameters),
                offsets: at(scratch.offsets),
                values: at(results.values),
                value_stride: values.ncols() as u64,
                indices: at(results.indices),
                index_stride: indices.ncols() as u64,
            },
        );
        let mut launcher = Launcher::new(&session, &module);
        for (step, launch) in [(plan.step, plan.reduce), (Step::Merge, plan.merge), (Step::Total, plan.total)] {
            // SAFETY: the arguments are those of the plan, and the memory outlasts the channel's work.
            unsafe { launcher.launch::<R, T>(channel, step, launch, &arguments)? };
        }
        launcher.wait(channel)?;
        // SAFETY: the layout has room for the results, and the kernels have written them.
        unsafe {
            channel.receive(at(results.values), values).or_failed(&session, RECEIVE)?;
            channel.receive(at(results.indices), indices).or_failed(&session, RECEIVE)
        }
    })
}

const SEND: &str = "copy data to it";
const RECEIVE: &str = "copy results from it";

/// Variables and where they go.
struct Inputs<'a, T> {
    /// What is sent, of each variable: nothing of parameters; one row where all rows are the same.
    tables: Vec<(ArrayView2<'a, T>, Option<u64>)>,
}

impl<'a, T: Scalar> Inputs<'a, T> {
    fn place<F: Formula>(variables: &[ArrayView2<'a, T>], layout: &mut Layout) -> Self {
        let tables = variables.iter().zip(F::VARIABLES).map(|(view, variable)| {
            let mut view = *view;
            if variable.category == Category::Pm {
                view.slice_axis_inplace(Axis(0), (0..0).into());
            } else if view.nrows() > 1 && view.strides()[0] == 0 {
                view.slice_axis_inplace(Axis(0), (0..1).into());
            }
            let place = layout.place(bytes::<T>(view.len()));
            (view, place)
        });
        Inputs { tables: tables.collect() }
    }

    /// Sends them to their places.
    fn send(&self, session: &Session, channel: &mut Channel, base: u64) -> Result<Vec<Table>, Error> {
        let mut tables = Vec::with_capacity(self.tables.len());
        for (view, place) in &self.tables {
            let data = place.map_or(0, |place| base + place);
            // SAFETY: the layout has room for the view.
            unsafe { channel.send_table(data, view) }.or_failed(session, SEND)?;
            let stride = if view.nrows() == 1 { 0 } else { view.ncols() as u64 };
            tables.push(Table { data, stride });
        }
        Ok(tables)
    }
}

/// Where results go.
struct Results {
    values: Option<u64>,
    indices: Option<u64>,
}

impl Results {
    fn place<T: Scalar>(values: &ArrayViewMut2<'_, T>, indices: &ArrayViewMut2<'_, u64>, layout: &mut Layout) -> Self {
        Results { values: layout.place(bytes::<T>(values.len())), indices: layout.place(bytes::<u64>(indices.len())) }
    }
}

/// Where what a plan needs beside goes.
struct Scratch {
    state_values: Option<u64>,
    state_indices: Option<u64>,
    scratch: Option<u64>,
    parts: Option<u64>,
    parameters: Option<u64>,
    offsets: Option<u64>,
}

impl Scratch {
    fn place(plan: &Plan, layout: &mut Layout) -> Self {
        let memory = &plan.memory;
        Scratch {
            state_values: layout.place(memory.state_values),
            state_indices: layout.place(memory.state_indices),
            scratch: layout.place(memory.scratch),
            parts: layout.place(memory.parts),
            parameters: layout.place(memory.parameters),
            offsets: layout.place(memory.offsets),
        }
    }
}

fn bytes<A>(numbers: usize) -> u64 {
    numbers as u64 * size_of::<A>() as u64
}
