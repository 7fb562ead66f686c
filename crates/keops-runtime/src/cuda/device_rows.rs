//! [`DeviceRows`]: data that stays on a device from call to call.

use super::device::{self, Device};
use super::session::{OrFailed, Session};
use crate::error::Error;
use crate::memory;
use crate::rows::{Rows, RowsView};
use cust::memory::DeviceBuffer;
use keops_core::{Category, Scalar, Variable};
use ndarray::Array2;
use std::fmt;
use std::mem::ManuallyDrop;

/// What messages of uploads and downloads name instead of a formula.
const NAME: &str = "DeviceRows";

/// Numbers that can be on a device.
pub trait DeviceNumber: Copy + Default + Send + Sync + 'static + private::Plain {
    /// What a number that a kernel has left means to the user.
    #[doc(hidden)]
    fn read(self) -> Self {
        self
    }
}

impl DeviceNumber for f32 {}
impl DeviceNumber for f64 {}
impl DeviceNumber for u64 {
    /// No column was selected: index 0, as elsewhere.
    fn read(self) -> Self {
        if self == u64::MAX { 0 } else { self }
    }
}

mod private {
    /// Any bits make a value, without padding.
    pub trait Plain {}
    impl Plain for f32 {}
    impl Plain for f64 {}
    impl Plain for u64 {}
}

/// Rows of numbers in the memory of a CUDA device: uploaded once and used in many calls, or left there by a call
/// ([`Call::run_on_device`](crate::Call::run_on_device)).
///
/// It may stand for any variable of a call on the same device.
///
/// ```no_run
/// # use keops_runtime::DeviceRows;
/// # fn main() -> Result<(), keops_runtime::Error> {
/// let x = DeviceRows::upload(0, &vec![[0.0_f32, 1.0, 2.0], [3.0, 4.0, 5.0]])?;
/// assert_eq!(x.dim(), (2, 3));
/// assert_eq!(x.download()?.row(1).to_vec(), [3.0, 4.0, 5.0]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceRows<T> {
    memory: DeviceMemory,
    rows: usize,
    columns: usize,
    /// A number to look at where shapes are checked.
    shape_only: [[T; 1]; 1],
}

impl<T> fmt::Debug for DeviceRows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceRows { rows, columns, .. } = self;
        write!(f, "DeviceRows({rows} × {columns} on device {})", self.device())
    }
}

impl<T> DeviceRows<T> {
    /// Rows × numbers.
    pub fn dim(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Number of the device.
    pub fn device(&self) -> u32 {
        self.memory.ordinal()
    }

    /// Where its numbers begin.
    pub(super) fn start(&self) -> u64 {
        self.memory.buffer.as_device_ptr().as_raw()
    }
}

impl<T: Scalar> DeviceRows<T> {
    /// Copies rows to a device.
    ///
    /// # Errors
    /// If the data does not divide into rows of `D` numbers, if there is no such device, or if its memory does not suffice.
    pub fn upload<const D: usize>(device: u32, rows: &(impl Rows<T, D> + ?Sized)) -> Result<Self, Error> {
        let variable = Variable { name: "rows", category: Category::Vi, dim: D };
        let resolved = rows.rows_view().resolve(NAME, &variable, false)?;
        let view = resolved.on_host(NAME)?;
        let (_, rows, columns) = view.dim();
        let session = Session::begin(device::get(device, NAME)?, NAME)?;
        let uploaded = DeviceRows::uninitialised(&session, rows, columns)?;
        session.with_channel(|channel| {
            // SAFETY: the memory has room for the numbers, which are `f32` or `f64`.
            unsafe { channel.send_array(uploaded.start(), &view.view()) }.or_failed(&session, "receive data")
        })?;
        Ok(uploaded)
    }
}

impl<A: Copy + Default> DeviceRows<A> {
    /// Memory for so many numbers, to be written before anything reads it.
    pub(super) fn uninitialised(session: &Session, rows: usize, columns: usize) -> Result<Self, Error> {
        let bytes = (rows as u64).saturating_mul(columns as u64).saturating_mul(size_of::<A>() as u64);
        let buffer = ManuallyDrop::new(session.allocate("rows", bytes)?);
        let memory = DeviceMemory { buffer, device: session.device(), generation: session.generation };
        Ok(DeviceRows { memory, rows, columns, shape_only: [[A::default()]] })
    }
}

impl<A: DeviceNumber> DeviceRows<A> {
    /// Copies the rows to the host.
    ///
    /// # Errors
    /// If the memory of the host does not suffice, or if a kernel has failed on the device since, which loses its data.
    pub fn download(&self) -> Result<Array2<A>, Error> {
        // SAFETY: the numbers are plain.
        let mut table = unsafe { self.memory.download(NAME, self.rows, self.columns)? };
        table.mapv_inplace(A::read);
        Ok(table)
    }
}

impl<T: Scalar, const D: usize> Rows<T, D> for DeviceRows<T> {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::on_device(&self.memory, &self.shape_only, (self.rows, self.columns))
    }
}

/// Memory of a device.
pub(crate) struct DeviceMemory {
    buffer: ManuallyDrop<DeviceBuffer<u8>>,
    device: &'static Device,
    generation: u64,
}

impl DeviceMemory {
    /// Number of the device.
    pub(crate) fn ordinal(&self) -> u32 {
        self.device.ordinal
    }

    /// Where it is, for a session on the same device.
    pub(super) fn address(&self, session: &Session, variable: &'static str) -> Result<u64, Error> {
        if session.generation != self.generation {
            return Err(Error::DeviceDataLost { formula: session.formula, variable, device: self.ordinal() });
        }
        Ok(self.buffer.as_device_ptr().as_raw())
    }

    /// Copies its rows to the host. Not to be called within a session.
    ///
    /// # Safety
    /// It holds so many plain numbers `A` (`f32`, `f64`, `u64`).
    pub(crate) unsafe fn download<A: Copy + Default>(
        &self,
        formula: &'static str,
        rows: usize,
        columns: usize,
    ) -> Result<Array2<A>, Error> {
        let mut table = memory::table(formula, "downloaded rows", rows, columns)?;
        let session = Session::begin(self.device, formula)?;
        let from = self.address(&session, "rows")?;
        session.with_channel(|channel| {
            // SAFETY: promised by the caller.
            unsafe { channel.receive(from, table.view_mut()) }.or_failed(&session, "send data")
        })?;
        Ok(table)
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let buffer = &mut self.buffer;
        self.device.free(self.generation, || {
            // SAFETY: it is not used again.
            unsafe { ManuallyDrop::drop(buffer) };
        });
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes on device {}", self.buffer.len(), self.ordinal())
    }
}
