//! [`Ranges`]: which blocks of pairs a call is over.

use super::{Offsets, Pattern};
use crate::cluster::Extents;
use crate::error::Error;
use core::iter::once;
use core::ops::Range;
use rayon::prelude::*;
use std::sync::Arc;

/// A block pattern: rows i and rows j are cut into clusters, and only the pairs of some pairs of clusters take part.
///
/// It is made once and can be used for any number of calls, reductions over i or j and gradients alike. Building it takes
/// time and memory in proportion to the clusters and the pairs of clusters that are kept; no dense matrix is made.
/// Neighbouring blocks are joined, and a pattern that keeps everything gives the very bits of a call without one.
/// Rows without a kept block get the identity of the reduction (sums 0, minima +∞).
///
/// ```
/// # use keops_runtime::{Offsets, Ranges};
/// let (rows, columns) = (Offsets::uniform(1000, 250)?, Offsets::uniform(600, 200)?);
/// let ranges = Ranges::new(&rows, &columns, |i, j| i.abs_diff(j) <= 1);
/// assert_eq!((ranges.rows_i(), ranges.rows_j()), (1000, 600));
/// assert_eq!(ranges.pairs(), (250 * 400 + 250 * 600 + 250 * 400 + 250 * 200) as u128);
/// # Ok::<(), keops_runtime::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges {
    /// Rows i and the columns j they see.
    i: Arc<Pattern>,
    /// Rows j and the columns i they see.
    j: Arc<Pattern>,
}

impl Ranges {
    /// The pairs of clusters (cluster of rows i, cluster of rows j) for which `keep` is true. `keep` is asked once for each.
    pub fn new(i: &Offsets, j: &Offsets, keep: impl Fn(usize, usize) -> bool + Sync) -> Self {
        let kept = (0..i.segments())
            .into_par_iter()
            .map(|a| (0..j.segments()).filter(|&b| keep(a, b)).collect::<Vec<_>>())
            .collect();
        Self::from_lists(i, j, kept)
    }

    /// The pairs of clusters in a list, in any order; a pair may come twice.
    ///
    /// # Errors
    /// [`Error::Cluster`] for a cluster that is not there.
    pub fn from_pairs(
        i: &Offsets,
        j: &Offsets,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, Error> {
        let mut kept = vec![Vec::new(); i.segments()];
        for (a, b) in pairs {
            for (index, cluster, clusters) in [("i", a, i.segments()), ("j", b, j.segments())] {
                if cluster >= clusters {
                    return Err(Error::Cluster { index, cluster, clusters });
                }
            }
            kept[a].push(b);
        }
        kept.par_iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        Ok(Self::from_lists(i, j, kept))
    }

    /// Each cluster with the cluster of the same number.
    ///
    /// # Errors
    /// [`Error::Segments`] if i and j differ in their number of clusters.
    pub fn block_diagonal(i: &Offsets, j: &Offsets) -> Result<Self, Error> {
        if i.segments() != j.segments() {
            return Err(Error::Segments { i: i.segments(), j: j.segments() });
        }
        Ok(Self::from_lists(i, j, (0..i.segments()).map(|a| vec![a]).collect()))
    }

    /// The pairs of clusters whose boxes are at most `radius` apart: all pairs of points within that distance, and others.
    ///
    /// # Panics
    /// If there are fewer boxes than clusters.
    pub fn within<const D: usize>(
        i: &Offsets,
        boxes_i: &Extents<D>,
        j: &Offsets,
        boxes_j: &Extents<D>,
        radius: f64,
    ) -> Self {
        Self::new(i, j, |a, b| boxes_i.distance(a, boxes_j, b) <= radius)
    }

    /// Pairs of clusters kept level by level: `keep(level, cluster of i, cluster of j)` is asked for all pairs of the coarsest
    /// level, which is the first, and then only for pairs within pairs that were kept. The result is a pattern of the finest
    /// clusters. For many clusters this asks far less often than [`Ranges::new`].
    ///
    /// # Errors
    /// [`Error::Nesting`] if the clusters of a level are not cut into those of the next, and [`Error::Segments`] if i and j
    /// differ in their number of levels or there is none.
    pub fn coarse_to_fine(
        i: &[Offsets],
        j: &[Offsets],
        keep: impl Fn(usize, usize, usize) -> bool + Sync,
    ) -> Result<Self, Error> {
        let (Some(finest_i), Some(finest_j), true) = (i.last(), j.last(), i.len() == j.len()) else {
            return Err(Error::Segments { i: i.len(), j: j.len() });
        };
        let (children_i, children_j) = (children("i", i)?, children("j", j)?);
        let all: Vec<usize> = (0..j[0].segments()).collect();
        let mut kept: Vec<Vec<usize>> = vec![all; i[0].segments()];
        kept.par_iter_mut().enumerate().for_each(|(a, list)| list.retain(|&b| keep(0, a, b)));
        for (level, (of_i, of_j)) in children_i.iter().zip(&children_j).enumerate() {
            kept = (0..of_i.len())
                .into_par_iter()
                .flat_map(|parent| of_i[parent].clone().into_par_iter().map(move |a| (parent, a)))
                .map(|(parent, a)| {
                    let inside = kept[parent].iter().flat_map(|&b| of_j[b].clone());
                    inside.filter(|&b| keep(level + 1, a, b)).collect()
                })
                .collect();
        }
        Ok(Self::from_lists(finest_i, finest_j, kept))
    }

    /// Pairs (i, j) with i − `below` ≤ j ≤ i + `above`, exactly.
    ///
    /// Each row is a segment of its own, which costs speed: where a coarser pattern will do, use [`Ranges::new`] on clusters.
    pub fn band(rows_i: usize, rows_j: usize, below: usize, above: usize) -> Self {
        let side = |rows, columns, below, above| {
            let single = Offsets::single(rows);
            let range = |row: usize| {
                let end = row.saturating_add(above).saturating_add(1).min(columns);
                once(row.saturating_sub(below).min(end)..end)
            };
            Arc::new(Pattern::clusters(&single, columns, range))
        };
        Ranges { i: side(rows_i, rows_j, below, above), j: side(rows_j, rows_i, above, below) }
    }

    /// Pairs (i, j) with j ≤ i, exactly. A [`Ranges::band`].
    pub fn lower_triangular(rows_i: usize, rows_j: usize) -> Self {
        Self::band(rows_i, rows_j, usize::MAX, 0)
    }

    /// The same pairs with i and j exchanged.
    pub fn transposed(&self) -> Self {
        Ranges { i: Arc::clone(&self.j), j: Arc::clone(&self.i) }
    }

    /// Number of rows i.
    pub fn rows_i(&self) -> usize {
        self.i.rows()
    }

    /// Number of rows j.
    pub fn rows_j(&self) -> usize {
        self.i.columns()
    }

    /// Pairs of rows that are kept.
    pub fn pairs(&self) -> u128 {
        (0..self.i.len()).map(|s| self.i.segment_rows(s).len() as u128 * self.i.terms(s) as u128).sum()
    }

    /// Rows i with their columns, and rows j with theirs.
    pub(crate) fn sides(&self) -> [&Arc<Pattern>; 2] {
        [&self.i, &self.j]
    }

    /// Lists of column clusters per row cluster, increasing.
    fn from_lists(i: &Offsets, j: &Offsets, kept: Vec<Vec<usize>>) -> Self {
        let mut lengths = vec![0; j.segments()];
        kept.iter().flatten().for_each(|&b| lengths[b] += 1);
        let mut back: Vec<Vec<usize>> = lengths.into_iter().map(Vec::with_capacity).collect();
        for (a, list) in kept.iter().enumerate() {
            list.iter().for_each(|&b| back[b].push(a));
        }
        let side = |rows: &Offsets, columns: &Offsets, lists: &[Vec<usize>]| {
            Arc::new(Pattern::clusters(rows, columns.rows(), |a| lists[a].iter().map(|&b| columns.segment(b))))
        };
        Ranges { i: side(i, j, &kept), j: side(j, i, &back) }
    }
}

/// For each level but the last, the clusters of the next one that each cluster is cut into.
fn children(index: &'static str, levels: &[Offsets]) -> Result<Vec<Vec<Range<usize>>>, Error> {
    let of_level = |level: usize| {
        let (coarse, fine) = (levels[level].as_slice(), levels[level + 1].as_slice());
        let find = |row: &usize| fine.binary_search(row).map_err(|_| Error::Nesting { level, index, row: *row });
        // Where clusters are empty, several begin at the same row; the first of them is meant.
        let first = |row: &usize| find(row).map(|_| fine.partition_point(|start| start < row));
        let mut starts = coarse.iter().map(first).collect::<Result<Vec<_>, _>>()?;
        let last = starts.len() - 1;
        if coarse[last] != fine[fine.len() - 1] {
            return Err(Error::Nesting { level, index, row: coarse[last] });
        }
        starts[last] = fine.len() - 1;
        Ok(starts.windows(2).map(|pair| pair[0]..pair[1]).collect())
    };
    (0..levels.len() - 1).map(of_level).collect()
}

#[cfg(test)]
mod tests {
    use super::{Offsets, Ranges};
    use crate::error::Error;

    /// The pairs (i, j) of both sides.
    fn pairs(ranges: &Ranges) -> [Vec<(usize, usize)>; 2] {
        let of = |side: usize| {
            let pattern = ranges.sides()[side];
            let mut pairs = Vec::new();
            for segment in 0..pattern.len() {
                for row in pattern.segment_rows(segment) {
                    let columns = pattern.span(segment, 0..pattern.terms(segment)).parts().flatten();
                    pairs.extend(columns.map(|column| if side == 0 { (row, column) } else { (column, row) }));
                }
            }
            pairs.sort_unstable();
            pairs
        };
        [of(0), of(1)]
    }

    fn all(rows: usize, columns: usize, keep: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let columns = |i| (0..columns).map(move |j| (i, j));
        (0..rows).flat_map(columns).filter(|&(i, j)| keep(i, j)).collect()
    }

    #[test]
    fn both_sides_hold_the_same_pairs() {
        let i = Offsets::new(vec![0, 2, 2, 7, 11]).unwrap();
        let j = Offsets::new(vec![0, 3, 4, 4, 9]).unwrap();
        let keep = |a: usize, b: usize| (a * 7 + b * 3) % 4 < 2;
        let cluster = |offsets: &Offsets, row: usize| {
            (0..offsets.segments()).find(|&s| offsets.segment(s).contains(&row)).unwrap()
        };
        let want = all(11, 9, |row, column| keep(cluster(&i, row), cluster(&j, column)));
        let ranges = Ranges::new(&i, &j, keep);
        assert_eq!(pairs(&ranges), [want.clone(), want.clone()]);
        assert_eq!(ranges.pairs(), want.len() as u128);

        let list: Vec<_> = all(4, 4, keep).into_iter().rev().chain([(0, 0)]).collect();
        let list = list.into_iter().filter(|&(a, b)| keep(a, b));
        assert_eq!(Ranges::from_pairs(&i, &j, list).unwrap(), ranges);

        let mut swapped: Vec<_> = want.iter().map(|&(a, b)| (b, a)).collect();
        swapped.sort_unstable();
        assert_eq!(pairs(&ranges.transposed()), [swapped.clone(), swapped]);
    }

    #[test]
    fn bands_and_triangles_are_exact() {
        for (rows, columns, below, above) in [(5, 5, 1, 1), (4, 7, 0, 2), (7, 4, 2, 0), (3, 3, 9, 9), (6, 2, 0, 0)] {
            let want = all(rows, columns, |i, j| i <= j + below && j <= i + above);
            assert_eq!(pairs(&Ranges::band(rows, columns, below, above)), [want.clone(), want]);
        }
        let want = all(5, 4, |i, j| j <= i);
        assert_eq!(pairs(&Ranges::lower_triangular(5, 4)), [want.clone(), want]);
    }

    #[test]
    fn block_diagonal_pairs_clusters_of_the_same_number() {
        let (i, j) = (Offsets::new(vec![0, 2, 3]).unwrap(), Offsets::new(vec![0, 1, 4]).unwrap());
        let want = vec![(0, 0), (1, 0), (2, 1), (2, 2), (2, 3)];
        assert_eq!(pairs(&Ranges::block_diagonal(&i, &j).unwrap()), [want.clone(), want]);
        let error = Ranges::block_diagonal(&i, &Offsets::uniform(4, 4).unwrap()).unwrap_err();
        assert_eq!(error, Error::Segments { i: 2, j: 1 });
    }

    #[test]
    fn clusters_that_are_not_there_are_refused() {
        let offsets = Offsets::uniform(4, 2).unwrap();
        let error = Ranges::from_pairs(&offsets, &offsets, [(0, 1), (1, 2)]).unwrap_err();
        assert_eq!(error.to_string(), "cluster 2 of j does not exist: there are 2");
    }

    #[test]
    fn levels_ask_only_within_what_was_kept() {
        let i = [Offsets::new(vec![0, 4, 4, 9]).unwrap(), Offsets::new(vec![0, 2, 4, 4, 5, 9]).unwrap()];
        let j = [Offsets::new(vec![0, 3, 6]).unwrap(), Offsets::new(vec![0, 1, 3, 6]).unwrap()];
        // Coarse clusters of the fine ones.
        let (parent_i, parent_j) = ([0, 0, 2, 2, 2], [0, 0, 1]);
        let coarse = |a: usize, b: usize| (a + b).is_multiple_of(2);
        let fine = |a: usize, b: usize| (a * 2 + b) % 3 != 1;
        let asked = std::sync::Mutex::new(Vec::new());
        let got = Ranges::coarse_to_fine(&i, &j, |level, a, b| {
            if level == 0 {
                return coarse(a, b);
            }
            asked.lock().unwrap().push((a, b));
            fine(a, b)
        })
        .unwrap();
        let want = Ranges::new(&i[1], &j[1], |a, b| coarse(parent_i[a], parent_j[b]) && fine(a, b));
        assert_eq!(pairs(&got), pairs(&want));
        assert!(asked.lock().unwrap().iter().all(|&(a, b)| coarse(parent_i[a], parent_j[b])));

        let apart = [i[0].clone(), Offsets::new(vec![0, 3, 9]).unwrap()];
        let error = Ranges::coarse_to_fine(&apart, &j, |_, _, _| true).unwrap_err();
        assert_eq!(error.to_string(), "level 0 of the clusters of i begins a cluster at row 4, level 1 does not");
    }
}
