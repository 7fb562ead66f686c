//! One reduction on a device.

use super::channel::Channel;
use super::choice::Chosen;
use super::device_rows::DeviceRows;
use super::kernels::{Kernels, Listed, accumulator};
use super::launch::Launcher;
use super::layout::Layout;
use super::lists::{Cut, Wave, Waves};
use super::session::{OrFailed, Session};
use super::variables::Variables;
use crate::domain::{Domain, Table};
use crate::error::Error;
use crate::options::Options;
use core::marker::PhantomData;
use cust::memory::DeviceBuffer;
use keops_core::{Formula, Keep, Scalar};
use keops_gpu_kernels::abi::{self, Accumulator, Step};
use keops_gpu_kernels::plan::{Addresses, Lists, Plan};
use ndarray::ArrayViewMut2;

/// Runs one reduction; arguments and results as for the engine of the processor.
pub(crate) fn reduce<F: Formula, R: Kernels, T: Scalar>(
    chosen: Chosen,
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    let tables: Vec<_> = tables.iter().map(Table::view).collect();
    let variables = Variables::new::<F>(&tables)?;
    let session = Session::begin(chosen.device, F::TEXT)?;
    let mut layout = Layout::default();
    let at_values = layout.place(bytes::<T>(values.len()));
    let at_indices = layout.place(bytes::<u64>(indices.len()));
    let job = Job::<F, R, T>::new(&session, chosen, variables, domain, options, &mut layout)?;
    let memory = session.allocate("data and results", layout.bytes())?;
    let base = memory.as_device_ptr().as_raw();
    let at = |place: Option<u64>| place.map_or(0, |place| base + place);
    let results = Results {
        values: at(at_values),
        value_stride: values.ncols() as u64,
        indices: at(at_indices),
        index_stride: indices.ncols() as u64,
    };
    session.with_channel(|channel| {
        job.run(channel, base, results)?;
        // SAFETY: the layout has room for the results, and the kernels have written them.
        unsafe {
            channel.receive(results.values, values).or_failed(&session, "send results")?;
            channel.receive(results.indices, indices).or_failed(&session, "send results")
        }
    })
}

/// The same with results that stay on the device: rows × `values` numbers and rows × `indices` indices.
pub(crate) fn reduce_on_device<F: Formula, R: Kernels, T: Scalar>(
    chosen: Chosen,
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    shape: [(usize, usize); 2],
) -> Result<(DeviceRows<T>, DeviceRows<u64>), Error> {
    let tables: Vec<_> = tables.iter().map(Table::view).collect();
    let variables = Variables::new::<F>(&tables)?;
    let session = Session::begin(chosen.device, F::TEXT)?;
    let [(rows, columns), (index_rows, index_columns)] = shape;
    let values = DeviceRows::<T>::uninitialised(&session, rows, columns)?;
    let indices = DeviceRows::<u64>::uninitialised(&session, index_rows, index_columns)?;
    let mut layout = Layout::default();
    let job = Job::<F, R, T>::new(&session, chosen, variables, domain, options, &mut layout)?;
    let memory = session.allocate("data", layout.bytes())?;
    let results = Results {
        values: values.start(),
        value_stride: columns as u64,
        indices: indices.start(),
        index_stride: index_columns as u64,
    };
    session.with_channel(|channel| job.run(channel, memory.as_device_ptr().as_raw(), results))?;
    Ok((values, indices))
}

/// Device addresses of results.
#[derive(Debug, Clone, Copy)]
struct Results {
    values: u64,
    value_stride: u64,
    indices: u64,
    index_stride: u64,
}

/// A reduction with its data.
struct Job<'a, 'v, F, R, T> {
    session: &'a Session,
    chosen: Chosen,
    domain: &'a Domain<'a>,
    variables: Variables<'v, T>,
    accumulator: Accumulator,
    /// Places of what all launches share.
    parameters: Option<u64>,
    parts: Option<u64>,
    of: PhantomData<(F, R)>,
}

/// Items for each multiprocessor to aim at, and bytes of states of a wave.
const ITEMS: usize = 64;
const STATES: u64 = 256 << 20;

impl<'a, 'v, F: Formula, R: Kernels, T: Scalar> Job<'a, 'v, F, R, T> {
    fn new(
        session: &'a Session,
        chosen: Chosen,
        mut variables: Variables<'v, T>,
        domain: &'a Domain<'a>,
        options: &Options,
        layout: &mut Layout,
    ) -> Result<Self, Error> {
        variables.place::<F>(session, layout)?;
        let parameters = layout.place(bytes::<T>(F::PARAM));
        let parts = if F::KEEP == Keep::None { domain.rows() * F::OUT } else { 0 };
        let parts = layout.place(bytes::<T>(parts));
        let accumulator = accumulator(options.accumulator());
        Ok(Job { session, chosen, domain, variables, accumulator, parameters, parts, of: PhantomData })
    }

    /// Sends the data, launches everything and waits. `base` is where the memory begins that was laid out.
    fn run(&self, channel: &mut Channel, base: u64, results: Results) -> Result<(), Error> {
        let module = self.session.module(self.chosen.ptx)?;
        let mut launcher = Launcher::new(self.session, &module);
        let tables = self.variables.send(self.session, channel, base)?;
        let at = |place: Option<u64>| place.map_or(0, |place| base + place);
        let shared = Addresses {
            parameters: at(self.parameters),
            parts: at(self.parts),
            values: results.values,
            value_stride: results.value_stride,
            indices: results.indices,
            index_stride: results.index_stride,
            ..Addresses::default()
        };
        let run = Run { job: self, tables: &tables, shared };
        match run.dense_plan() {
            Some(plan) => run.dense(channel, &mut launcher, &plan),
            None => run.listed(channel, &mut launcher),
        }
    }
}

/// A job whose data is on the device.
struct Run<'a, 'v, F, R, T> {
    job: &'a Job<'a, 'v, F, R, T>,
    tables: &'a [abi::Table],
    shared: Addresses,
}

impl<F: Formula, R: Kernels, T: Scalar> Run<'_, '_, F, R, T> {
    /// How to run it with one launch of each kernel: if it is not a batch, all rows see all columns, and memory suffices.
    fn dense_plan(&self) -> Option<Plan> {
        let Job { domain, accumulator, chosen, session, .. } = self.job;
        if domain.elements.len() != 1 || !domain.pattern.is_dense() {
            return None;
        }
        let (rows, columns) = (domain.pattern.rows() as u64, domain.pattern.columns() as u64);
        let plan = R::dense::<F, T>(rows, columns, *accumulator, chosen.device.multiprocessors);
        let states = plan.memory.state_values.saturating_add(plan.memory.state_indices);
        (states <= STATES || states <= session.free_memory() / 2).then_some(plan)
    }

    fn dense(&self, channel: &mut Channel, launcher: &mut Launcher<'_>, plan: &Plan) -> Result<(), Error> {
        let mut layout = Layout::default();
        let scratch = Scratch::place(plan, self.offset_bytes(1), &mut layout);
        let memory = self.job.session.allocate("partial results", layout.bytes())?;
        let element = self.job.domain.elements.start;
        self.send_parameters(channel, element)?;
        let addresses = scratch.addresses(memory.as_device_ptr().as_raw(), self.shared);
        self.send_offsets(channel, addresses.offsets, element..element + 1)?;
        let arguments = plan.arguments(self.tables, addresses);
        for (step, launch) in [(plan.step, plan.reduce), (Step::Merge, plan.merge), (Step::Total, plan.total)] {
            // SAFETY: the arguments are those of the plan, and the memory outlasts the launches, which are waited for.
            unsafe { launcher.launch::<R, T>(channel, step, launch, &arguments)? };
        }
        launcher.wait(channel)
    }

    fn listed(&self, channel: &mut Channel, launcher: &mut Launcher<'_>) -> Result<(), Error> {
        let Job { domain, accumulator, chosen, session, .. } = self.job;
        let multiprocessors = chosen.device.multiprocessors;
        let one = R::listed::<F, T>(Listed { records: 1, ..Listed::default() }, *accumulator, multiprocessors);
        let record = (one.memory.state_values + one.memory.state_indices).max(1);
        let tiling = R::tiling::<F, T>(one.step);
        let states = STATES.min(session.free_memory() / 4);
        let separate = self.job.variables.has_parameters_by_element::<F>();
        let cut = Cut {
            block: tiling.block(),
            tile: tiling.tile,
            items: ITEMS * multiprocessors as usize,
            records: usize::try_from(states / record).unwrap_or(usize::MAX).max(1),
            separate,
        };

        let mut memory: Option<DeviceBuffer<u8>> = None;
        for (number, wave) in Waves::new(domain, cut).enumerate() {
            if separate || number == 0 {
                self.send_parameters(channel, wave.elements.start)?;
            }
            let (rows, items, merges) = (domain.rows() as u64, wave.items.len() as u64, wave.merges.len() as u64);
            let sizes = Listed { rows, records: wave.records as u64, items, merges };
            let plan = R::listed::<F, T>(sizes, *accumulator, multiprocessors);
            let mut layout = Layout::default();
            let scratch = Scratch::place(&plan, self.offset_bytes(wave.elements.len()), &mut layout);
            let [items, merges, ranges] = [
                layout.place(bytes::<abi::Item>(wave.items.len())),
                layout.place(bytes::<abi::Merge>(wave.merges.len())),
                layout.place(bytes::<abi::Range>(wave.ranges.len())),
            ];
            if memory.as_ref().is_none_or(|memory| (memory.len() as u64) < layout.bytes()) {
                // What is not needed any more is freed first, when nothing uses it.
                launcher.wait(channel)?;
                drop(memory.take());
            }
            let memory = match &memory {
                Some(memory) => memory,
                None => memory.insert(session.allocate("partial results", layout.bytes())?),
            };
            let base = memory.as_device_ptr().as_raw();
            let at = |place: Option<u64>| place.map_or(0, |place| base + place);
            let addresses = scratch.addresses(base, self.shared);
            self.send_offsets(channel, addresses.offsets, wave.elements.clone())?;
            self.send_lists(channel, &wave, [at(items), at(merges), at(ranges)])?;
            let lists = Lists {
                items: at(items),
                item_count: wave.items.len() as u64,
                merges: at(merges),
                merge_count: wave.merges.len() as u64,
                ranges: at(ranges),
            };
            let (reduce, merge) = plan.listed_arguments(self.tables, addresses, lists);
            // SAFETY: the arguments are those of the plan, and the memory outlasts the launches, which are waited for.
            unsafe {
                launcher.launch::<R, T>(channel, plan.step, plan.reduce, &reduce)?;
                launcher.launch::<R, T>(channel, Step::Merge, plan.merge, &merge)?;
            }
        }
        self.totals(channel, launcher)?;
        launcher.wait(channel)
    }

    /// For gradients towards parameters: adds up the rows of each batch element.
    fn totals(&self, channel: &mut Channel, launcher: &mut Launcher<'_>) -> Result<(), Error> {
        if F::KEEP != Keep::None {
            return Ok(());
        }
        let Job { domain, accumulator, chosen, .. } = self.job;
        let rows = domain.pattern.rows();
        let sizes = Listed { rows: rows as u64, ..Listed::default() };
        let plan = R::listed::<F, T>(sizes, *accumulator, chosen.device.multiprocessors);
        for element in 0..domain.elements.len() {
            let mut addresses = self.shared;
            addresses.parts += bytes::<T>(element * rows * F::OUT);
            addresses.values += bytes::<T>(element) * addresses.value_stride;
            let arguments = plan.arguments(self.tables, addresses);
            // SAFETY: the parts of the element are there, and its row of results.
            unsafe { launcher.launch::<R, T>(channel, Step::Total, plan.total, &arguments)? };
        }
        Ok(())
    }

    fn send_parameters(&self, channel: &mut Channel, element: usize) -> Result<(), Error> {
        let parameters = self.job.variables.parameters::<F>(self.job.domain, element);
        // SAFETY: the layout of the job has room for them.
        unsafe { channel.send(self.shared.parameters, parameters.into_iter()) }
            .or_failed(self.job.session, "receive parameters")
    }

    fn send_offsets(&self, channel: &mut Channel, to: u64, elements: core::ops::Range<usize>) -> Result<(), Error> {
        let offsets: Vec<u64> =
            elements.flat_map(|element| self.job.variables.offsets::<F>(self.job.domain, element)).collect();
        // SAFETY: there is room for those of so many elements.
        unsafe { channel.send(to, offsets.into_iter()) }.or_failed(self.job.session, "receive offsets")
    }

    fn send_lists(&self, channel: &mut Channel, wave: &Wave, [items, merges, ranges]: [u64; 3]) -> Result<(), Error> {
        // SAFETY: there is room for the lists, and their entries are numbers without padding.
        unsafe {
            channel
                .send(items, wave.items.iter().copied())
                .and_then(|()| channel.send(merges, wave.merges.iter().copied()))
                .and_then(|()| channel.send(ranges, wave.ranges.iter().copied()))
        }
        .or_failed(self.job.session, "receive lists of work")
    }

    /// Bytes of the offsets of so many elements.
    fn offset_bytes(&self, elements: usize) -> u64 {
        bytes::<u64>(elements * F::VARIABLES.len())
    }
}

/// Where what a plan needs beside data and results goes.
struct Scratch {
    state_values: Option<u64>,
    state_indices: Option<u64>,
    scratch: Option<u64>,
    offsets: Option<u64>,
}

impl Scratch {
    fn place(plan: &Plan, offsets: u64, layout: &mut Layout) -> Self {
        let memory = &plan.memory;
        Scratch {
            state_values: layout.place(memory.state_values),
            state_indices: layout.place(memory.state_indices),
            scratch: layout.place(memory.scratch),
            offsets: layout.place(offsets),
        }
    }

    fn addresses(&self, base: u64, shared: Addresses) -> Addresses {
        let at = |place: Option<u64>| place.map_or(0, |place| base + place);
        Addresses {
            state_values: at(self.state_values),
            state_indices: at(self.state_indices),
            scratch: at(self.scratch),
            offsets: at(self.offsets),
            ..shared
        }
    }
}

fn bytes<A>(numbers: usize) -> u64 {
    (numbers as u64).saturating_mul(size_of::<A>() as u64)
}
