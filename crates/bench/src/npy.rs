//! Writing of NumPy's `.npy` files (format version 1.0), for the tools that keops is compared with.

use ndarray::{Array, Dimension};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A number that such a file can hold.
pub trait Entry: Copy {
    /// Its type, as NumPy writes it.
    const TYPE: &'static str;
    /// Its bytes, least significant first.
    fn bytes(self) -> impl AsRef<[u8]>;
}

macro_rules! entries {
    ($($number:ty: $name:literal),*) => {$(
        impl Entry for $number {
            const TYPE: &'static str = $name;
            fn bytes(self) -> impl AsRef<[u8]> {
                self.to_le_bytes()
            }
        }
    )*};
}

entries!(f32: "<f4", f64: "<f8", u64: "<u8");

/// Magic string, version, and the length of the header.
const PRELUDE: usize = 6 + 2 + 2;

/// The data starts at a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes an array, in row-major order.
///
/// # Errors
/// If the file cannot be written.
pub fn write<A: Entry, I: Dimension>(file: &Path, array: &Array<A, I>) -> io::Result<()> {
    let shape: String = array.shape().iter().map(|n| format!("{n}, ")).collect();
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", A::TYPE);
    let end = (PRELUDE + header.len() + 1).next_multiple_of(ALIGNMENT);
    let padding = end - PRELUDE - header.len() - 1;
    header.extend(std::iter::repeat_n(' ', padding).chain(['\n']));
    let length = u16::try_from(header.len()).map_err(io::Error::other)?;

    let mut out = BufWriter::new(File::create(file)?);
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for number in array {
        out.write_all(number.bytes().as_ref())?;
    }
    out.flush()
}
