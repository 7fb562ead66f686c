//! Clusters that are the cells of grids.

use super::Clusters;
use crate::domain::Offsets;
use crate::error::Error;
use crate::rows::Rows;
use keops_core::Scalar;
use rayon::prelude::*;

impl Clusters {
    /// Points in the same cube of side `size` are a cluster. There are no empty clusters, and clusters are in the order of
    /// their cubes (first axis first).
    ///
    /// # Errors
    /// [`Error::Grid`] for a size that is not a positive number, and for points whose coordinates are not finite.
    pub fn grid<T: Scalar, const D: usize>(points: &(impl Rows<T, D> + ?Sized), size: f64) -> Result<Self, Error> {
        Self::grids(points, &[size])
    }

    /// The same with several levels, coarsest first: cubes of `sizes[0]`, cut into cubes of `sizes[1]`, and so on.
    ///
    /// # Errors
    /// As [`Clusters::grid`], and for no size at all.
    pub fn grids<T: Scalar, const D: usize>(points: &(impl Rows<T, D> + ?Sized), sizes: &[f64]) -> Result<Self, Error> {
        let wrong = |reason: String| Err(Error::Grid { reason });
        if let Some(size) = sizes.iter().find(|&&size| !(size > 0.0 && size.is_finite())) {
            return wrong(format!("the side of a cube must be a positive number, not {size}"));
        }
        if sizes.is_empty() {
            return wrong("there must be at least one size".into());
        }
        let points = points.rows_view().to_rows::<D>()?;
        if let Some(row) = points.iter().position(|point| point.iter().any(|v| !v.to_f64().is_finite())) {
            return wrong(format!("point {row} is not finite"));
        }
        let mut lowest = [f64::INFINITY; D];
        for point in &points {
            lowest.iter_mut().zip(point).for_each(|(low, v)| *low = low.min(v.to_f64()));
        }
        // Cubes are counted from the lowest point, in numbers that hold any count exactly that matters.
        let cubes: Vec<Vec<[f64; D]>> = sizes
            .iter()
            .map(|size| {
                let cube = |point: &[T; D]| core::array::from_fn(|d| ((point[d].to_f64() - lowest[d]) / size).floor());
                points.par_iter().map(cube).collect()
            })
            .collect();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.par_sort_unstable_by(|&a, &b| {
            let levels = cubes.iter().map(|cubes| cubes[a].partial_cmp(&cubes[b]));
            levels.flatten().find(|ordering| ordering.is_ne()).unwrap_or_else(|| a.cmp(&b))
        });
        let first_difference = |a: usize, b: usize| cubes.iter().position(|cubes| cubes[a] != cubes[b]);
        let mut starts = vec![vec![0]; sizes.len()];
        for place in 1..order.len() {
            if let Some(level) = first_difference(order[place - 1], order[place]) {
                starts[level..].iter_mut().for_each(|starts| starts.push(place));
            }
        }
        let levels = starts.into_iter().map(|mut starts| {
            if !order.is_empty() {
                starts.push(order.len());
            }
            Offsets::new(starts)
        });
        let levels = levels.collect::<Result<_, _>>()?;
        Ok(Clusters::new(order, levels))
    }
}

#[cfg(test)]
mod tests {
    use super::Clusters;

    #[test]
    fn cells_of_a_grid() {
        let points = [[0.1, 0.0], [2.6, 0.3], [0.9, 0.9], [0.0, 1.2], [2.7, 0.4], [-0.5, 0.0_f64]];
        let clusters = Clusters::grid(&points, 1.0).unwrap();
        // Counted from (−0.5, 0): cells (0, 0) with 5; (0, 0) with 0; (1, 0) with 2; (0, 1) with 3; (3, 0) with 1 and 4.
        assert_eq!(clusters.order(), [0, 5, 3, 2, 1, 4]);
        assert_eq!(clusters.offsets().as_slice(), [0, 2, 3, 4, 6]);
    }

    #[test]
    fn levels_are_nested() {
        let points: Vec<[f32; 3]> =
            (0..500).map(|k| [(k * 37 % 101) as f32, (k * 59 % 83) as f32, (k * 11 % 29) as f32]).collect();
        let clusters = Clusters::grids(&points, &[40.0, 25.0, 7.0]).unwrap();
        let mut sorted = clusters.order().to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..500).collect::<Vec<_>>());
        for levels in clusters.levels().windows(2) {
            assert!(levels[0].segments() < levels[1].segments());
            assert!(levels[0].as_slice().iter().all(|offset| levels[1].as_slice().contains(offset)));
        }
        let rows = clusters.sort(&points);
        let extents = clusters.extents(&rows).unwrap();
        for cluster in 0..extents.len() {
            let sides = extents.of_cluster(cluster).expect("cells of a grid are not empty");
            assert!(sides.iter().all(|(low, high)| high - low <= 7.0));
        }
    }

    #[test]
    fn grids_of_nothing_and_of_nonsense() {
        let none = Clusters::grid(&Vec::<[f64; 2]>::new(), 1.0).unwrap();
        assert_eq!((none.offsets().segments(), none.offsets().rows()), (0, 0));
        let error = |size| Clusters::grid(&[[0.0_f64]], size).unwrap_err().to_string();
        assert_eq!(error(0.0), "clusters of a grid: the side of a cube must be a positive number, not 0");
        assert!(error(f64::NAN).contains("NaN"));
        let error = Clusters::grid(&[[0.0, 1.0], [f64::INFINITY, 0.0]], 1.0).unwrap_err();
        assert_eq!(error.to_string(), "clusters of a grid: point 1 is not finite");
        assert!(Clusters::grids(&[[0.0_f64]], &[]).is_err());
    }
}
