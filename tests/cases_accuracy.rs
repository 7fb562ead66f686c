//! Rounding: cancellation, long sums, underflow.

mod lattice;

use keops::{Accumulator, Error, Real, keops};
use lattice::{b, close, four_ulp, levels, rows, sqdist, x, y};

keops! {
    fn distances<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
    fn plane_kernel(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);
    fn kernel(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    fn total(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
    fn decay(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Exp(-x_i * y_j), 0);

    fn laplace_by_integer(x_i: Vi<1000>, y_j: Vj<1000>) = Sum_Reduction(Exp(-Sum(Abs(x_i - y_j)) / 5), 0);
    fn laplace_by_decimal(x_i: Vi<1000>, y_j: Vj<1000>) = Sum_Reduction(Exp(-Sum(Abs(x_i - y_j)) / 5.0), 0);
    fn laplace(x_i: Vi<1000>, y_j: Vj<1000>, s: Pm<1>) = Sum_Reduction(Exp(-Sum(Abs(x_i - y_j)) / s), 0);

    fn wide_gauss(x_i: Vi<160>, y_j: Vj<160>, w_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j) / 160) * w_j, 0);
    fn soft_minimum(x_i: Vi<160>, y_j: Vj<160>, f_j: Vj<1>, eps: Pm<1>)
        = LogSumExp_Reduction(f_j - SqDist(x_i, y_j) / (2 * eps), 0);
}

#[test]
fn t23_differences_of_large_coordinates() -> Result<(), Error> {
    assert_eq!(distances::<f32, 1>(&[400_000.0], &[400_061.0]).run()?[[0, 0]], 3721.0);
    Ok(())
}

fn kernel_matrix_far_from_the_origin<T: Real>(n: usize) -> Result<(), Error> {
    let points = rows::<T, 3>(|i, d| x(i, d) + 1e4, n);
    // The matrix, column by column.
    let mut matrix = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let column = distances(&points, std::slice::from_ref(point)).run()?;
        assert_eq!(column[[i, 0]], T::default());
        assert_eq!(kernel(&points, std::slice::from_ref(point)).run()?[[i, 0]], T::from_f64(1.0));
        matrix.push(column);
    }
    for i in 0..n {
        for j in 0..i {
            assert_eq!(matrix[i][[j, 0]], matrix[j][[i, 0]], "entries ({i}, {j}) and ({j}, {i})");
        }
    }
    let (values, _) = nearest(&points, &points).run()?;
    assert!(values.iter().all(|&v| v == T::default()));
    Ok(())
}

#[test]
fn t25_distances_to_oneself_are_zero() -> Result<(), Error> {
    for n in [1, 5, 50] {
        kernel_matrix_far_from_the_origin::<f32>(n)?;
        kernel_matrix_far_from_the_origin::<f64>(n)?;
    }
    Ok(())
}

#[test]
fn t26_kernels_of_large_coordinates() -> Result<(), Error> {
    let want = (-0.25f64).exp();
    for level in levels() {
        // Few rows and many, which are walked differently.
        for m in [1, 40] {
            let got = plane_kernel(&vec![[10_000.0f32, 0.0]; m], &[[10_000.5f32, 0.0]]).level(level).run()?;
            close(got[[m - 1, 0]], want, four_ulp::<f32>(want));
        }
    }
    Ok(())
}

#[test]
fn t29_terms_that_cancel() -> Result<(), Error> {
    for k in [1, 85, 1000, 20_000] {
        let terms: Vec<f32> = (0..k).flat_map(|_| [1e8, 1.0, -1e8]).collect();
        for level in levels() {
            for m in [1, 33] {
                let row = vec![1.0f32; m];
                for accumulator in [Accumulator::Kahan, Accumulator::F64] {
                    let got = total(&row, &terms).accumulate(accumulator).level(level).run()?;
                    assert_eq!(got[[m - 1, 0]], k as f32, "{k} times, {accumulator:?} at {level:?} with {m} row(s)");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn t30_kernels_that_underflow() -> Result<(), Error> {
    let y = rows::<f32, 1000>(|j, d| 10.0 * x(j, d), 4096);
    let x = [y[0]];
    // One row: most terms underflow, that at j = 0 is exactly 1, and a few points are near.
    let got = laplace(&x, &y, &5.0).run()?;
    close(got[[0, 0]], 1.410_456_836_490_735, 2e-5);
    assert_eq!(got, laplace_by_integer(&x, &y).run()?);
    assert_eq!(got, laplace_by_decimal(&x, &y).run()?);
    // One column: each term by itself.
    let terms = laplace(&y, &x, &5.0).run()?;
    assert_eq!(terms, laplace_by_integer(&y, &x).run()?);
    assert_eq!(terms, laplace_by_decimal(&y, &x).run()?);
    assert_eq!(terms[[0, 0]], 1.0);
    for (term, y) in terms.iter().zip(&y).skip(1) {
        let distance: f64 = y.iter().zip(&x[0]).map(|(y, x)| (f64::from(*y) - f64::from(*x)).abs()).sum();
        close(*term, (-distance / 5.0).exp(), 1.2e-38 + 1e-3 * (-distance / 5.0).exp());
        assert!(distance < 525.0 || *term == 0.0);
    }
    // The same value in double precision, where it does not underflow.
    let (x, y) = ([[0.0f64; 1000]], [[1.125f64; 1000]]);
    close(laplace(&x, &y, &5.0).run()?[[0, 0]], 1.9e-98, 0.05e-98);
    Ok(())
}

#[test]
fn t31_exponents_at_the_end_of_the_range() -> Result<(), Error> {
    for t in [86.0, 87.5, 88.0, 100.0, 103.0, 103.97, 104.0, 200.0, 1e30, f32::INFINITY] {
        for level in levels() {
            for m in [1, 40] {
                let got = decay(&vec![t; m], &[1.0f32]).level(level).run()?;
                let want = (-f64::from(t)).exp();
                close(got[[m - 1, 0]], want, 1.2e-38 + four_ulp::<f32>(want));
                assert!(got[[m - 1, 0]] >= 0.0);
            }
        }
    }
    Ok(())
}

#[test]
fn t32_sums_in_pieces() -> Result<(), Error> {
    let (x, y, b) = (rows::<f64, 3>(x, 20), rows::<f64, 3>(y, 1000), rows::<f64, 1>(b, 1000));
    let whole = gauss(&x, &y, &b).run()?;
    for piece in [1, 7, 64, 1000] {
        let mut sums = ndarray::Array2::<f64>::zeros((20, 1));
        for (y, b) in y.chunks(piece).zip(b.chunks(piece)) {
            gauss(&x, y, b).add_into(&mut sums)?;
        }
        for (i, sum) in sums.iter().enumerate() {
            let magnitude: f64 = y.iter().zip(&b).map(|(y, b)| (-sqdist(&x[i], y)).exp() * b[0].abs()).sum();
            close(*sum, whole[[i, 0]], 1e-13 * magnitude);
        }
    }
    Ok(())
}

/// The entropic transport cost between two clouds of equal weights.
fn transport_cost(x: &[[f64; 160]], y: &[[f64; 160]], eps: f64) -> Result<f64, Error> {
    let log_weight = -(x.len() as f64).ln();
    let update = |from: &[[f64; 160]], to: &[[f64; 160]], dual: &[f64]| -> Result<Vec<f64>, Error> {
        let weighted: Vec<f64> = dual.iter().map(|d| d / eps + log_weight).collect();
        Ok(soft_minimum(to, from, &weighted, &eps).run()?.iter().map(|l| -eps * l).collect())
    };
    let (mut f, mut g) = (vec![0.0; x.len()], vec![0.0; y.len()]);
    for _ in 0..50 {
        // Averaged updates, which also converge where both clouds are the same.
        let (new_f, new_g) = (update(y, x, &g)?, update(x, y, &f)?);
        f = f.iter().zip(new_f).map(|(a, b)| (a + b) / 2.0).collect();
        g = g.iter().zip(new_g).map(|(a, b)| (a + b) / 2.0).collect();
    }
    Ok((f.iter().sum::<f64>() + g.iter().sum::<f64>()) / x.len() as f64)
}

#[test]
fn t34_divergences_are_not_negative() -> Result<(), Error> {
    let x = rows::<f64, 160>(x, 50);
    let y = rows::<f64, 160>(|i, d| self::x(i, d) + 1e-3 * b(i, d), 50);
    let w = [1.0 / 50.0; 50];
    let mean = |a: &[[f64; 160]], b: &[[f64; 160]]| -> Result<f64, Error> {
        Ok(wide_gauss(a, b, &w).run()?.iter().sum::<f64>() / 50.0)
    };
    let discrepancy = mean(&x, &x)? + mean(&y, &y)? - 2.0 * mean(&x, &y)?;
    assert!((-1e-10..1e-3).contains(&discrepancy), "{discrepancy:e}");

    let cost = |a: &[[f64; 160]], b: &[[f64; 160]]| transport_cost(a, b, 1.0);
    let divergence = cost(&x, &y)? - (cost(&x, &x)? + cost(&y, &y)?) / 2.0;
    assert!((-1e-10..1e-2).contains(&divergence), "{divergence:e}");
    Ok(())
}
