//! Block patterns.

use super::{Timer, gauss, print};
use crate::data::{normal, points};
use keops::cluster::Clusters;
use keops::{Error, Offsets, Ranges};
use ndarray::{Array2, Axis};
use serde::Serialize;
use std::time::Instant;

/// How long a pattern takes to build.
#[derive(Debug, Serialize)]
struct Build {
    what: &'static str,
    points: usize,
    clusters: usize,
    /// Sorting points into clusters.
    cluster_ms: f64,
    /// Boxes, and the pattern of those within a radius.
    build_ms: f64,
    kept_share: f64,
}

/// Some blocks of all, in no order.
pub(super) fn run(timer: Timer) -> Result<(), Error> {
    const ROWS: usize = 1 << 14;
    let (x, y, b) = (points::<f32>(1, ROWS, 3), points::<f32>(2, ROWS, 3), normal::<f32>(3, ROWS, 1, 1.0));
    let all = (ROWS * ROWS) as f64;
    for (size, every) in [(256, 2), (256, 8), (1000, 4), (2048, 3)] {
        let offsets = Offsets::uniform(ROWS, size)?;
        let ranges = Ranges::new(&offsets, &offsets, |a, b| (a * 7 + b * 11 + a * b) % every == 0);
        let (mut sparse, mut dense) = (Array2::zeros((ROWS, 1)), Array2::zeros((ROWS, 1)));
        let what = format!("blocks of {size}, {:.2} kept", ranges.pairs() as f64 / all);
        let pairs = [ranges.pairs() as f64, all];
        let run = || gauss(&x, &y, &b).ranges(&ranges).run_into(&mut sparse);
        timer.compare(what, pairs, run, || gauss(&x, &y, &b).run_into(&mut dense))?;
    }
    build()
}

/// A million points in about a thousand cells.
fn build() -> Result<(), Error> {
    let points = points::<f32>(4, 1_000_000, 3);
    let start = Instant::now();
    let clusters = Clusters::grid::<f32, 3>(&points, 0.85)?;
    let sorted = points.select(Axis(0), clusters.order());
    let cluster_ms = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let boxes = clusters.extents::<f32, 3>(&sorted)?;
    let ranges = Ranges::within(clusters.offsets(), &boxes, clusters.offsets(), &boxes, 1.0);
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let count = points.nrows();
    print(&Build {
        what: "a pattern within a radius",
        points: count,
        clusters: boxes.len(),
        cluster_ms,
        build_ms,
        kept_share: ranges.pairs() as f64 / (count as f64 * count as f64),
    });
    Ok(())
}
