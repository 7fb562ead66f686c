//! Row numbers in formulas: exclusion of the diagonal, bands and triangles, on every level and through gradients.

use keops::{Level, keops};
use ndarray::Array2;

keops! {
    /// Σ_{j ≠ i} (x_i − y_j)²
    #[grad(x_i)]
    fn others(x_i: Vi<1>, y_j: Vj<1>)
        = Sum_Reduction(NotEqual(IndexI(), IndexJ()) * SqDist(x_i, y_j), 0);
    /// Number of j with |i − j| ≤ 2
    fn band(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(LessOrEqual(Abs(IndexI() - IndexJ()), 2), 0);
    /// Σ_{i ≤ j} x_i for each j
    fn before(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(IfElse(IndexJ() - IndexI(), x_i, 0), 1);
    /// The nearest j other than i
    fn neighbour(x_i: Vi<1>, y_j: Vj<1>)
        = ArgMin_Reduction(IfElse(NotEqual(IndexI(), IndexJ()) - 1, SqDist(x_i, y_j), 1e9), 0);
    /// The distance to it
    #[grad(x_i)]
    fn nearest(x_i: Vi<1>, y_j: Vj<1>)
        = Min_Reduction(IfElse(NotEqual(IndexI(), IndexJ()) - 1, SqDist(x_i, y_j), 1e9), 0);
    /// Number of j that are not below 2²⁴ + 1, and twice the one that is equal to it
    fn beyond(p: Pm<1>, y_j: Vj<1>)
        = Sum_Reduction(LessThan(16777216, IndexJ()) + Equal(IndexJ(), 16777217) + p * y_j, 0);
}

fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}

/// Points of which no two have the same distance.
fn points(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 1), |(k, _)| (k as f64 * 1.7).sin() * 3.0 + k as f64 * 0.01)
}

#[test]
fn masks_follow_the_row_numbers() {
    for n in [1, 7, 300, 1100] {
        let x = points(n);
        for level in levels() {
            let sums = others(&x, &x).level(level).run().unwrap();
            let counts = band(&x, &x).level(level).run().unwrap();
            let prefix = before(&x, &x).level(level).run().unwrap();
            let mut total = 0.0;
            for i in 0..n {
                let want: f64 = (0..n).filter(|&j| j != i).map(|j| (x[[i, 0]] - x[[j, 0]]).powi(2)).sum();
                assert!((sums[[i, 0]] - want).abs() <= 1e-12 * want, "{level:?} {n} {i}");
                let width = (i + 3).min(n) - i.saturating_sub(2);
                assert_eq!(counts[[i, 0]], width as f64);
                total += x[[i, 0]];
                assert!((prefix[[i, 0]] - total).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn selections_leave_out_the_diagonal() {
    let (n, x) = (300, points(300));
    let seed = Array2::ones((n, 1));
    for level in levels() {
        let found = neighbour(&x, &x).level(level).run().unwrap();
        let slopes = nearest::grad_x_i(&x, &x, &seed).level(level).run().unwrap();
        let sums = others::grad_x_i(&x, &x, &seed).level(level).run().unwrap();
        for i in 0..n {
            let distance = |j: usize| (x[[i, 0]] - x[[j, 0]]).powi(2);
            let best = (0..n).filter(|&j| j != i).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap();
            assert_eq!(found[[i, 0]], best as u64);
            assert!((slopes[[i, 0]] - 2.0 * (x[[i, 0]] - x[[best, 0]])).abs() < 1e-12);
            let want: f64 = (0..n).map(|j| 2.0 * (x[[i, 0]] - x[[j, 0]])).sum();
            assert!((sums[[i, 0]] - want).abs() < 1e-9);
        }
    }
}

/// Neighbours above 2²⁴ are one number in `f32`.
#[test]
fn row_numbers_are_exact_beyond_the_integers_of_the_data() {
    let y = vec![0.0f32; (1 << 24) + 6];
    let count = beyond(&0.0f32, &y).run().unwrap();
    assert_eq!(count[[0, 0]], 6.0);
}
