//! Clusters of points for block patterns: the tools of [`keops_runtime::cluster`], and [`kmeans`].

pub use keops_runtime::cluster::{Clusters, Extents};

use crate::{Error, Real, Rows, keops};

keops! {
    /// The nearest centre of each point.
    fn nearest<const D: usize>(x_i: Vi<D>, c_j: Vj<D>) = ArgMin_Reduction(SqDist(x_i, c_j), 0);
}

/// Lloyd's algorithm: `clusters` clusters around their means, after so many `rounds`.
///
/// It starts from points evenly spaced in the order of the data, so that the same points give the same clusters. A centre
/// that no point is nearest to stays where it is, and its cluster is empty.
///
/// ```
/// let x: Vec<[f32; 1]> = [0.0, 10.0, 0.5, 9.0, 0.25].map(|v| [v]).into();
/// let (clusters, centres) = keops::cluster::kmeans(&x, 2, 5)?;
/// assert_eq!(clusters.labels(), [0, 1, 0, 1, 0]);
/// assert_eq!(centres, [[0.25], [9.5]]);
/// # Ok::<(), keops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cluster`] if there are more clusters than points.
pub fn kmeans<T: Real, const D: usize>(
    points: &[[T; D]],
    clusters: usize,
    rounds: usize,
) -> Result<(Clusters, Vec<[T; D]>), Error> {
    if clusters > points.len() {
        return Err(Error::Cluster { index: "the points", cluster: clusters - 1, clusters: points.len() });
    }
    let mut centres: Vec<[T; D]> = (0..clusters).map(|k| points[k * points.len() / clusters]).collect();
    let mut result = assign(points, &centres)?;
    for _ in 0..rounds {
        let means = result.centroids::<T, D>(&result.sort(points))?;
        let before = centres.clone();
        centres.iter_mut().zip(means).for_each(|(centre, mean)| *centre = mean.unwrap_or(*centre));
        if centres == before {
            break;
        }
        result = assign(points, &centres)?;
    }
    Ok((result, centres))
}

/// Each point with its nearest centre.
fn assign<T: Real, const D: usize>(points: &[[T; D]], centres: &[[T; D]]) -> Result<Clusters, Error>
where
    [[T; D]]: Rows<T, D>,
{
    let labels: Vec<usize> = match centres.is_empty() {
        true => Vec::new(),
        false => nearest::<T, D>(points, centres).run()?.iter().map(|&label| label as usize).collect(),
    };
    Clusters::from_labels(&labels, centres.len())
}
