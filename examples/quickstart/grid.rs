//! The points of the map: a regular grid, row by row from the south.

use std::ops::Range;

/// A rectangle of the plane, in kilometres, and how many points it has each way.
pub(crate) struct Grid {
    pub(crate) east: Range<f64>,
    pub(crate) north: Range<f64>,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Grid {
    /// The centres of all cells.
    pub(crate) fn points(&self) -> Vec<[f32; 2]> {
        let along = |range: &Range<f64>, k: usize, count: usize| {
            range.start + (range.end - range.start) * (k as f64 + 0.5) / count as f64
        };
        (0..self.rows)
            .flat_map(|r| (0..self.columns).map(move |c| (r, c)))
            .map(|(r, c)| [along(&self.east, c, self.columns) as f32, along(&self.north, r, self.rows) as f32])
            .collect()
    }
}
