//! [`Clusters`]: an order of rows in which those of a cluster lie one after the other.

use super::Extents;
use crate::domain::Offsets;
use crate::error::Error;
use crate::rows::Rows;
use keops_core::Scalar;
use ndarray::{Array, ArrayBase, Axis, Data, RemoveAxis};

/// Rows sorted by cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// For each place, the row of the data that is sorted to it.
    order: Vec<usize>,
    /// The clusters, coarsest level first.
    levels: Vec<Offsets>,
}

impl Clusters {
    /// An order, and levels of clusters, coarsest first, of which there is at least one.
    pub(super) fn new(order: Vec<usize>, levels: Vec<Offsets>) -> Self {
        Clusters { order, levels }
    }

    /// Clusters 0 to `clusters` − 1 from the label of each row. Rows of a cluster keep their order; clusters may be empty.
    ///
    /// # Errors
    /// [`Error::Cluster`] for a label that is too large.
    pub fn from_labels(labels: &[usize], clusters: usize) -> Result<Self, Error> {
        let mut next = vec![0_usize; clusters + 1];
        for &cluster in labels {
            *next.get_mut(cluster + 1).ok_or(Error::Cluster { index: "the labels", cluster, clusters })? += 1;
        }
        (0..clusters).for_each(|cluster| next[cluster + 1] += next[cluster]);
        let offsets = Offsets::new(next.clone())?;
        let mut order = vec![0; labels.len()];
        for (row, &cluster) in labels.iter().enumerate() {
            order[next[cluster]] = row;
            next[cluster] += 1;
        }
        Ok(Clusters { order, levels: vec![offsets] })
    }

    /// Where the (finest) clusters begin and end in sorted rows.
    pub fn offsets(&self) -> &Offsets {
        &self.levels[self.levels.len() - 1]
    }

    /// The same for all levels, coarsest first. Clusters of a level are cut into those of the next.
    pub fn levels(&self) -> &[Offsets] {
        &self.levels
    }

    /// For each place, the row that is sorted to it.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The cluster of each row, in the order of the data.
    pub fn labels(&self) -> Vec<usize> {
        let mut labels = vec![0; self.order.len()];
        for cluster in 0..self.offsets().segments() {
            self.order[self.offsets().segment(cluster)].iter().for_each(|&row| labels[row] = cluster);
        }
        labels
    }

    /// Rows sorted by cluster.
    ///
    /// # Panics
    /// If there are not as many rows as there were labels or points.
    pub fn sort<A: Clone>(&self, rows: &[A]) -> Vec<A> {
        assert_eq!(rows.len(), self.order.len(), "as many rows as were clustered");
        self.order.iter().map(|&row| rows[row].clone()).collect()
    }

    /// Sorted rows back in the order of the data.
    ///
    /// # Panics
    /// If there are not as many rows as there were labels or points.
    pub fn unsort<A: Clone>(&self, sorted: &[A]) -> Vec<A> {
        assert_eq!(sorted.len(), self.order.len(), "as many rows as were clustered");
        self.places().into_iter().map(|place| sorted[place].clone()).collect()
    }

    /// The rows (first axis) of an array sorted by cluster.
    ///
    /// # Panics
    /// If there are not as many rows as there were labels or points.
    pub fn sort_array<A: Clone, S: Data<Elem = A>, D: RemoveAxis>(&self, array: &ArrayBase<S, D>) -> Array<A, D> {
        assert_eq!(array.len_of(Axis(0)), self.order.len(), "as many rows as were clustered");
        array.select(Axis(0), &self.order)
    }

    /// The rows (first axis) of a sorted array back in the order of the data.
    ///
    /// # Panics
    /// If there are not as many rows as there were labels or points.
    pub fn unsort_array<A: Clone, S: Data<Elem = A>, D: RemoveAxis>(&self, sorted: &ArrayBase<S, D>) -> Array<A, D> {
        assert_eq!(sorted.len_of(Axis(0)), self.order.len(), "as many rows as were clustered");
        sorted.select(Axis(0), &self.places())
    }

    /// For each row of the data, the place it is sorted to.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(place, &row)| places[row] = place);
        places
    }

    /// The mean of the rows of each cluster, given sorted; `None` for a cluster without rows.
    ///
    /// # Errors
    /// If `sorted` does not have the rows that were clustered.
    pub fn centroids<T: Scalar, const D: usize>(
        &self,
        sorted: &(impl Rows<T, D> + ?Sized),
    ) -> Result<Vec<Option<[T; D]>>, Error> {
        let weights = vec![T::from_f64(1.0); self.order.len()];
        self.weighted_centroids(sorted, &weights)
    }

    /// The weighted mean of the rows of each cluster, rows and weights given sorted; `None` for a cluster without weight.
    ///
    /// # Errors
    /// If `sorted` or `weights` do not have the rows that were clustered.
    pub fn weighted_centroids<T: Scalar, const D: usize>(
        &self,
        sorted: &(impl Rows<T, D> + ?Sized),
        weights: &[T],
    ) -> Result<Vec<Option<[T; D]>>, Error> {
        let rows = self.rows(sorted)?;
        if weights.len() != rows.len() {
            return Err(Error::ClusterRows { expected: rows.len(), got: weights.len() });
        }
        let mean = |cluster: usize| {
            let range = self.offsets().segment(cluster);
            let mut sums = [0.0; D];
            let mut total = 0.0;
            for (row, weight) in rows[range.clone()].iter().zip(&weights[range]) {
                let weight = weight.to_f64();
                total += weight;
                (0..D).for_each(|d| sums[d] += weight * row[d].to_f64());
            }
            (total != 0.0).then(|| sums.map(|sum| T::from_f64(sum / total)))
        };
        Ok((0..self.offsets().segments()).map(mean).collect())
    }

    /// The box around the rows of each cluster, given sorted.
    ///
    /// # Errors
    /// If `sorted` does not have the rows that were clustered.
    pub fn extents<T: Scalar, const D: usize>(&self, sorted: &(impl Rows<T, D> + ?Sized)) -> Result<Extents<D>, Error> {
        Ok(Extents::of(self.offsets(), &self.rows(sorted)?))
    }

    /// Rows as a list.
    fn rows<T: Scalar, const D: usize>(&self, rows: &(impl Rows<T, D> + ?Sized)) -> Result<Vec<[T; D]>, Error> {
        let rows = rows.rows_view().to_rows()?;
        match rows.len() == self.order.len() {
            true => Ok(rows),
            false => Err(Error::ClusterRows { expected: self.order.len(), got: rows.len() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clusters;
    use crate::error::Error;
    use ndarray::array;

    #[test]
    fn labels_sort_rows_and_back() {
        let labels = [2, 0, 2, 3, 0];
        let clusters = Clusters::from_labels(&labels, 5).unwrap();
        assert_eq!(clusters.offsets().as_slice(), [0, 2, 2, 4, 5, 5]);
        assert_eq!(clusters.order(), [1, 4, 0, 2, 3]);
        assert_eq!(clusters.labels(), labels);
        let rows = ["a", "b", "c", "d", "e"];
        assert_eq!(clusters.sort(&rows), ["b", "e", "a", "c", "d"]);
        assert_eq!(clusters.unsort(&clusters.sort(&rows)), rows);
        let table = array![[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]];
        assert_eq!(clusters.sort_array(&table), array![[2, 3], [8, 9], [0, 1], [4, 5], [6, 7]]);
        assert_eq!(clusters.unsort_array(&clusters.sort_array(&table)), table);
        assert!(matches!(Clusters::from_labels(&labels, 3), Err(Error::Cluster { cluster: 3, clusters: 3, .. })));
    }

    #[test]
    fn centroids_are_means() {
        let clusters = Clusters::from_labels(&[1, 0, 1], 3).unwrap();
        let sorted = clusters.sort(&[[1.0_f32, 0.0], [5.0, 5.0], [3.0, 4.0]]);
        assert_eq!(clusters.centroids(&sorted).unwrap(), [Some([5.0, 5.0]), Some([2.0, 2.0]), None]);
        let weighted = clusters.weighted_centroids(&sorted, &[0.0, 1.0, 3.0]).unwrap();
        assert_eq!(weighted, [None, Some([2.5, 3.0]), None]);
        let error = clusters.centroids(&sorted[1..]).unwrap_err();
        assert_eq!(error.to_string(), "3 row(s) were clustered, but 2 were given");
    }
}
