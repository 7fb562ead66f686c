//! [`Extents`]: boxes around clusters.

use crate::domain::Offsets;
use keops_core::Scalar;

/// The smallest box around the points of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Extents<const D: usize> {
    /// Lowest and highest coordinates; the lowest is above the highest where there are no points.
    boxes: Vec<[(f64, f64); D]>,
}

impl<const D: usize> Extents<D> {
    /// The boxes around segments of sorted points. A point with a coordinate that is not a number is in no box.
    pub(super) fn of<T: Scalar>(offsets: &Offsets, sorted: &[[T; D]]) -> Self {
        let around = |segment: usize| {
            let mut around = [(f64::INFINITY, f64::NEG_INFINITY); D];
            for point in &sorted[offsets.segment(segment)] {
                for (side, v) in around.iter_mut().zip(point) {
                    *side = (side.0.min(v.to_f64()), side.1.max(v.to_f64()));
                }
            }
            around
        };
        Extents { boxes: (0..offsets.segments()).map(around).collect() }
    }

    /// Number of clusters.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Are there no clusters?
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Lowest and highest coordinate of a cluster on each axis; `None` if it has no points or there is no such cluster.
    pub fn of_cluster(&self, cluster: usize) -> Option<[(f64, f64); D]> {
        self.boxes.get(cluster).copied().filter(|around| around.iter().all(|(low, high)| low <= high))
    }

    /// The least distance of points of cluster `a` of these and `b` of the `others`: +∞ if one of them has no points.
    ///
    /// No pair of points is closer, so that `distance > radius` is a reason to leave a block out.
    ///
    /// # Panics
    /// If there is no such cluster.
    pub fn distance(&self, a: usize, others: &Self, b: usize) -> f64 {
        let gaps = self.boxes[a].iter().zip(&others.boxes[b]).map(|(a, b)| (b.0 - a.1).max(a.0 - b.1).max(0.0));
        gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::Extents;
    use crate::domain::Offsets;

    #[test]
    fn boxes_bound_the_distance_of_their_points() {
        let points: Vec<[f32; 2]> = (0..60).map(|k| [(k * 37 % 100) as f32, (k * 59 % 83) as f32]).collect();
        let offsets = Offsets::new(vec![0, 7, 7, 30, 60]).unwrap();
        let extents = Extents::of(&offsets, &points);
        assert_eq!((extents.len(), extents.of_cluster(1), extents.of_cluster(9)), (4, None, None));
        for a in 0..4 {
            for b in 0..4 {
                let pairs = offsets.segment(a).flat_map(|i| offsets.segment(b).map(move |j| (i, j)));
                let least = pairs.map(|(i, j)| {
                    let [p, q] = [points[i], points[j]];
                    f64::from(p[0] - q[0]).hypot(f64::from(p[1] - q[1]))
                });
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(extents.distance(a, &extents, b) <= least);
                assert_eq!(extents.distance(a, &extents, b) == f64::INFINITY, least == f64::INFINITY);
            }
        }
    }

    #[test]
    fn distances_of_boxes() {
        let offsets = Offsets::uniform(4, 2).unwrap();
        let extents = Extents::of(&offsets, &[[0.0, 0.0], [1.0, 2.0], [4.0, 6.0], [9.0, 9.0]]);
        assert_eq!(extents.of_cluster(0), Some([(0.0, 1.0), (0.0, 2.0)]));
        assert_eq!(extents.distance(0, &extents, 1), 5.0);
        assert_eq!(extents.distance(1, &extents, 1), 0.0);
    }
}
