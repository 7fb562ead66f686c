//! Gradients against central differences.

use ndarray::Array2;

/// Data of the tests: 4 points x, 5 points y, in 2 dimensions.
pub(crate) fn points() -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let point = |k: usize, s: f64| [(s + 0.9 * k as f64).sin(), (s * 1.7 - 0.6 * k as f64).cos()];
    ((0..4).map(|k| point(k, 0.3)).collect(), (0..5).map(|k| point(k, 1.1)).collect())
}

/// A covector of `rows` × `N` numbers.
pub(crate) fn covector<const N: usize>(rows: usize, s: f64) -> Vec<[f64; N]> {
    (0..rows).map(|r| std::array::from_fn(|c| (s + 1.3 * r as f64 + 0.7 * c as f64).sin())).collect()
}

/// Compares `gradient` with central differences of ⟨`along`, `f`⟩ at `at`.
pub(crate) fn check_gradient<const N: usize, const M: usize>(
    f: impl Fn(&[[f64; N]]) -> Array2<f64>,
    at: &[[f64; N]],
    along: &[[f64; M]],
    gradient: &Array2<f64>,
) {
    let step = 1e-5;
    let value = |p: &[[f64; N]]| -> f64 { f(p).iter().zip(along.iter().flatten()).map(|(a, b)| a * b).sum() };
    assert_eq!(gradient.dim(), (at.len(), N));
    for row in 0..at.len() {
        for c in 0..N {
            let moved = |by: f64| {
                let mut p = at.to_vec();
                p[row][c] += by;
                value(&p)
            };
            let slope = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((gradient[[row, c]] - slope).abs() < 1e-7, "[{row}, {c}]: {} and {slope}", gradient[[row, c]]);
        }
    }
}
