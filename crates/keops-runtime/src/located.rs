//! [`DeviceMemory`]: where the data of a variable is, if it is not on the host.

#[cfg(feature = "cuda")]
pub(crate) use crate::cuda::DeviceMemory;

/// Without an engine for devices nothing is on one.
#[cfg(not(feature = "cuda"))]
#[derive(Debug)]
pub(crate) enum DeviceMemory {}

#[cfg(not(feature = "cuda"))]
impl DeviceMemory {
    /// Number of the device.
    pub(crate) fn ordinal(&self) -> u32 {
        match *self {}
    }

    /// Copies rows to the host.
    ///
    /// # Safety
    /// There is nothing to promise.
    pub(crate) unsafe fn download<T>(
        &self,
        _formula: &'static str,
        _rows: usize,
        _columns: usize,
    ) -> Result<ndarray::Array2<T>, crate::error::Error> {
        match *self {}
    }
}
