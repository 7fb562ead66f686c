//! [`Offsets`]: rows cut into consecutive segments.

use crate::error::Error;
use core::ops::Range;

/// Where the segments of an array begin and end: segment `s` is rows `offsets[s]..offsets[s + 1]`. Segments may be empty.
///
/// ```
/// # use keops_runtime::Offsets;
/// let offsets = Offsets::new(vec![0, 3, 3, 8])?;
/// assert_eq!((offsets.segments(), offsets.rows()), (3, 8));
/// assert_eq!(offsets, Offsets::from_lengths([3, 0, 5])?);
/// assert!(Offsets::new(vec![0, 3, 2]).is_err());
/// # Ok::<(), keops_runtime::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offsets(Vec<usize>);

impl Offsets {
    /// Offsets that start at 0 and never decrease; the last one is the number of rows.
    ///
    /// # Errors
    /// [`Error::Offsets`] otherwise.
    pub fn new(offsets: Vec<usize>) -> Result<Self, Error> {
        let wrong = |position, got, reason| Err(Error::Offsets { position, got, reason });
        match offsets.first() {
            None => return wrong(0, 0, "there must be at least one"),
            Some(&first) if first != 0 => return wrong(0, first, "the first must be 0"),
            Some(_) => {}
        }
        match (1..offsets.len()).find(|&k| offsets[k] < offsets[k - 1]) {
            Some(k) => wrong(k, offsets[k], "it is less than the one before it"),
            None => Ok(Offsets(offsets)),
        }
    }

    /// Segments of these lengths.
    ///
    /// # Errors
    /// [`Error::Offsets`] if they add up to more than can be counted.
    pub fn from_lengths(lengths: impl IntoIterator<Item = usize>) -> Result<Self, Error> {
        let mut offsets = vec![0_usize];
        for length in lengths {
            let end = offsets[offsets.len() - 1].checked_add(length).ok_or(Error::Offsets {
                position: offsets.len(),
                got: length,
                reason: "the lengths add up to more than can be counted",
            })?;
            offsets.push(end);
        }
        Ok(Offsets(offsets))
    }

    /// `rows` rows in segments of `length` rows; the last one takes what is left.
    ///
    /// # Errors
    /// [`Error::Offsets`] for a length of 0.
    pub fn uniform(rows: usize, length: usize) -> Result<Self, Error> {
        if length == 0 {
            return Err(Error::Offsets { position: 1, got: 0, reason: "segments of length 0 reach nowhere" });
        }
        Ok(Offsets((0..rows).step_by(length).chain([rows]).collect()))
    }

    /// One segment for each row.
    pub(crate) fn single(rows: usize) -> Self {
        Offsets((0..=rows).collect())
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.0.len() - 1
    }

    /// Rows in all segments.
    pub fn rows(&self) -> usize {
        self.0[self.0.len() - 1]
    }

    /// Rows of a segment.
    ///
    /// # Panics
    /// If there is no such segment.
    pub fn segment(&self, segment: usize) -> Range<usize> {
        self.0[segment]..self.0[segment + 1]
    }

    /// The offsets, one more than there are segments.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }
}
