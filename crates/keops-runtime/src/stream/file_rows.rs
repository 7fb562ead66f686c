//! [`FileRows`]: rows in a file, `.npy` or raw numbers.

use super::npy_header::NpyHeader;
use super::source::{Cursor, Source};
use crate::error::Error;
use crate::rows::{Rows, RowsView};
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::Scalar;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Rows in a file, read in blocks while a reduction runs, never as a whole.
///
/// The numbers must be of the type of the call, in the byte order of the machine, row-major. The axes mean what they mean for
/// arrays: rows × numbers, batch axes in front of them in a batched call.
///
/// ```
/// # use keops_runtime::FileRows;
/// # let dir = std::env::temp_dir().join("keops-doc-file-rows");
/// # std::fs::create_dir_all(&dir).unwrap();
/// # let path = dir.join("y.f32");
/// std::fs::write(&path, [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_ne_bytes).concat()).unwrap();
/// let y = FileRows::<f32>::raw(&path, 0, &[2, 3])?;                    // 2 rows of 3 numbers
/// assert!(FileRows::<f32>::raw(&path, 0, &[3, 3]).unwrap_err().to_string().contains("36 bytes"));
/// # Ok::<(), keops_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct FileRows<T> {
    path: PathBuf,
    shape: Vec<usize>,
    /// Bytes in front of the numbers.
    offset: u64,
    one: T,
}

/// What `.npy` calls the numbers of a type, in the byte order of this machine.
fn descr<T: Scalar>() -> String {
    format!("{}f{}", if cfg!(target_endian = "big") { '>' } else { '<' }, size_of::<T>())
}

impl<T: Scalar> FileRows<T> {
    /// Rows in a `.npy` file.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, is shorter than its header says, holds numbers of another type, or is in Fortran
    /// order.
    pub fn npy(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let error = |reason| Error::File { path: path.to_path_buf(), reason };
        let mut file = File::open(path).map_err(|io| error(io.to_string()))?;
        let NpyHeader { descr: got, fortran_order, shape, len } = NpyHeader::read(&mut file).map_err(error)?;
        let expected = descr::<T>();
        if got != expected {
            return Err(error(format!("it holds numbers of type {got}, but the call needs {expected}")));
        }
        if fortran_order {
            let reason = "it is in Fortran order (column after column); save it with `numpy.ascontiguousarray`";
            return Err(error(reason.to_string()));
        }
        Self::at(path, len, &shape)
    }

    /// Rows in a file of plain numbers, behind `offset` bytes: `shape` is (batch axes ×) rows × numbers. What follows them is
    /// not looked at.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read or is too short.
    pub fn raw(path: impl AsRef<Path>, offset: u64, shape: &[usize]) -> Result<Self, Error> {
        Self::at(path.as_ref(), offset, shape)
    }

    fn at(path: &Path, offset: u64, shape: &[usize]) -> Result<Self, Error> {
        let error = |reason| Error::File { path: path.to_path_buf(), reason };
        let facts = std::fs::metadata(path).map_err(|io| error(io.to_string()))?;
        let bytes = shape.iter().try_fold(size_of::<T>() as u64, |bytes, &len| bytes.checked_mul(len as u64));
        let needed = bytes.and_then(|bytes| bytes.checked_add(offset));
        let needed = needed.ok_or_else(|| error(format!("shape {shape:?} is more than a file can hold")))?;
        if facts.len() < needed {
            let got = facts.len();
            return Err(error(format!("it has {got} bytes, but numbers of shape {shape:?} need {needed} bytes")));
        }
        Ok(FileRows { path: path.to_path_buf(), shape: shape.to_vec(), offset, one: T::default() })
    }

    /// (Batch axes ×) rows × numbers.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<T: Scalar> Source<T> for FileRows<T> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn one(&self) -> &T {
        &self.one
    }

    fn name(&self) -> String {
        format!("file {}", self.path.display())
    }

    fn open(&self, rows: usize, columns: usize) -> Result<Box<dyn Cursor<T> + '_>, String> {
        let file = File::open(&self.path).map_err(|error| error.to_string())?;
        Ok(Box::new(FileCursor { file, at: None, offset: self.offset, rows, columns, of: PhantomData::<T> }))
    }
}

impl<T: Scalar, const D: usize> Rows<T, D> for FileRows<T> {
    fn rows_view(&self) -> RowsView<'_, T> {
        RowsView::from_source(self)
    }
}

/// Reads a file.
struct FileCursor<T> {
    file: File,
    /// Where the file stands.
    at: Option<u64>,
    offset: u64,
    /// Rows of a batch element, and numbers of a row.
    rows: usize,
    columns: usize,
    of: PhantomData<T>,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

impl<T: Scalar> Cursor<T> for FileCursor<T> {
    fn read(&mut self, element: usize, rows: Range<usize>, to: &mut Vec<T>) -> Result<(), String> {
        let (first, numbers) = ((element * self.rows + rows.start) * self.columns, rows.len() * self.columns);
        let start = self.offset + (first * size_of::<T>()) as u64;
        if self.at != Some(start) {
            self.file.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
        }
        self.at = None;
        let begin = to.len();
        to.try_reserve(numbers).map_err(|_| format!("no memory for {numbers} numbers"))?;
        to.resize(begin + numbers, T::default());
        let numbers = &mut to[begin..];
        // SAFETY: `f32` and `f64` are plain numbers, of which every pattern of bits is one; the bytes are those of the slice.
        let bytes = unsafe {
            core::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast::<u8>(), core::mem::size_of_val(numbers))
        };
        let (mut position, all) = (start, bytes.len() as u64);
        for piece in bytes.chunks_mut(PIECE) {
            self.file.read_exact(piece).map_err(|error| {
                if error.kind() != std::io::ErrorKind::UnexpectedEof {
                    return format!("at byte {position}: {error}");
                }
                let len = self.file.metadata().map(|facts| facts.len()).unwrap_or(position);
                let needed = start + all;
                format!("it has been shortened since it was opened: it ends at byte {len}, rows up to byte {needed} are needed")
            })?;
            position += piece.len() as u64;
        }
        self.at = Some(position);
        Ok(())
    }
}
