//! [`Variables`]: the data of a call, on its way to a device or there already.

use super::channel::Channel;
use super::layout::Layout;
use super::session::{OrFailed, Session};
use crate::domain::{Domain, Table, on_host};
use crate::error::Error;
use crate::pointwise::staged_parameters;
use keops_core::{Category, Formula, Scalar, Variable};
use keops_gpu_kernels::abi;
use ndarray::{ArrayView3, Axis, CowArray, Ix3};

/// The data of the variables.
pub(super) struct Variables<'a, T> {
    tables: &'a [Table<'a, T>],
    /// Numbers of the parameters, on the host; of other variables only their shapes.
    parameters: Vec<CowArray<'a, T, Ix3>>,
    places: Vec<Place<'a, T>>,
}

/// Where the numbers of a variable are.
enum Place<'a, T> {
    /// Nowhere: those of parameters are staged on the host.
    Staged,
    /// On the host; to be sent to a place of the call's memory. Of equal rows one is sent.
    Host(ArrayView3<'a, T>, Option<u64>),
    /// At this address of the device.
    Device(u64),
}

impl<'a, T: Scalar> Variables<'a, T> {
    /// Looks at the data, before a session begins.
    pub(super) fn new<F: Formula>(tables: &'a [Table<'a, T>]) -> Result<Self, Error> {
        let look = |(table, variable): (&'a Table<'a, T>, &Variable)| match variable.category {
            Category::Pm => on_host(F::TEXT, variable.name, table.data, table.device, table.stored),
            _ => Ok(CowArray::from(table.data)),
        };
        let parameters = tables.iter().zip(F::VARIABLES).map(look).collect::<Result<_, _>>()?;
        Ok(Variables { tables, parameters, places: Vec::new() })
    }

    /// Decides where the numbers go.
    pub(super) fn place<F: Formula>(&mut self, session: &Session, layout: &mut Layout) -> Result<(), Error> {
        let place = |(table, variable): (&'a Table<'a, T>, &Variable)| {
            if variable.category == Category::Pm {
                return Ok(Place::Staged);
            }
            if let Some(device) = table.device {
                return device.address(session, variable.name).map(Place::Device);
            }
            let mut view = table.data.view();
            if view.dim().0 == 1 && view.dim().1 > 1 && view.strides()[1] == 0 {
                view.slice_axis_inplace(Axis(1), (0..1).into());
            }
            let bytes = view.len() as u64 * size_of::<T>() as u64;
            Ok(Place::Host(view, layout.place(bytes)))
        };
        self.places = self.tables.iter().zip(F::VARIABLES).map(place).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Sends what is on the host to its places in the memory that begins at `base`.
    pub(super) fn send(&self, session: &Session, channel: &mut Channel, base: u64) -> Result<Vec<abi::Table>, Error> {
        let mut tables = Vec::with_capacity(self.places.len());
        for (place, table) in self.places.iter().zip(self.tables) {
            let (_, rows, columns) = table.data.dim();
            let columns = columns as u64;
            tables.push(match place {
                Place::Staged => abi::Table::default(),
                Place::Device(address) => abi::Table { data: *address, stride: columns },
                Place::Host(view, at) => {
                    let data = at.map_or(0, |at| base + at);
                    // SAFETY: the layout has room for the view, and the numbers are `f32` or `f64`.
                    unsafe { channel.send_array(data, view) }.or_failed(session, "receive data")?;
                    abi::Table { data, stride: if view.dim().1 == rows { columns } else { 0 } }
                }
            });
        }
        Ok(tables)
    }

    /// Do the batch elements differ in parameters?
    pub(super) fn has_parameters_by_element<F: Formula>(&self) -> bool {
        let mut parameters = self.tables.iter().zip(F::VARIABLES).filter(|(_, v)| v.category == Category::Pm);
        parameters.any(|(table, _)| !table.is_shared())
    }

    /// The staged parameters of a batch element.
    pub(super) fn parameters<F: Formula>(&self, domain: &Domain<'_>, element: usize) -> Vec<T> {
        let position = |table: &Table<'_, T>| table.position(domain.batch, element);
        let views: Vec<_> =
            self.tables.iter().zip(&self.parameters).map(|(t, data)| data.index_axis(Axis(0), position(t))).collect();
        staged_parameters::<F, T>(&views)
    }

    /// Where the rows of a batch element begin in the tables.
    pub(super) fn offsets<F: Formula>(&self, domain: &Domain<'_>, element: usize) -> impl Iterator<Item = u64> {
        self.tables.iter().zip(F::VARIABLES).map(move |(table, variable)| match variable.category {
            Category::Pm => 0,
            _ => (table.position(domain.batch, element) * table.data.dim().1) as u64,
        })
    }
}
