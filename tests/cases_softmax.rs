//! Log-sum-exp and softmax: large exponents, −∞, empty parts, weights.

mod lattice;

use keops::{Error, Real, keops};
use lattice::{b, close, four_ulp, levels, rows, x, y};
use ndarray::array;

keops! {
    #[grad(s_j)]
    fn lse(x_i: Vi<1>, s_j: Vj<1>) = LogSumExp_Reduction(x_i + s_j, 0);
    #[grad(s_j)]
    fn mean(x_i: Vi<1>, s_j: Vj<1>, v_j: Vj<1>) = SumSoftMaxWeight_Reduction(x_i + s_j, 0, v_j);
    fn weighted_lse(x_i: Vi<1>, s_j: Vj<1>, w_j: Vj<1>) = LogSumExp_Reduction(x_i + s_j, 0, w_j);
    fn lse_of_three_weights(x_i: Vi<1>, s_j: Vj<1>, w_j: Vj<3>) = LogSumExp_Reduction(x_i + s_j, 0, w_j);
    fn kernel_lse(x_i: Vi<1>, y_j: Vj<1>, v_j: Vj<1>)
        = LogSumExp_Reduction(v_j, 0, 1 / (1 + (x_i - y_j) ** 2));

    #[grad(x_i)]
    fn far_apart(x_i: Vi<147>, y_j: Vj<147>, eps: Pm<1>) = LogSumExp_Reduction(-SqDist(x_i, y_j) / eps, 0);
    fn dirac(x_i: Vi<1>, y_j: Vj<1>, f_j: Vj<1>, eps: Pm<1>) = LogSumExp_Reduction((f_j - SqDist(x_i, y_j) / 2) / eps, 0);
}

#[test]
fn t57_large_exponents() -> Result<(), Error> {
    for level in levels() {
        for m in [1, 40] {
            let x = vec![0.0f64; m];
            close(lse(&x, &[1.0, 2.0]).level(level).run()?[[m - 1, 0]], 2.313_261_687_518_22, 1e-14);
            close(lse(&x, &[-1e4; 1000]).level(level).run()?[[m - 1, 0]], -9_993.092_244_721_02, 1e-11);
            close(lse(&x, &[1e5; 1000]).level(level).run()?[[m - 1, 0]], 100_006.907_755_279, 1e-9);
            let x = vec![0.0f32; m];
            close(lse(&x, &[1e5; 1000]).level(level).run()?[[m - 1, 0]], 100_006.907_755_279, four_ulp::<f32>(1e5));
        }
    }
    Ok(())
}

#[test]
fn t58_mean_of_very_negative_exponents() -> Result<(), Error> {
    let (x, s, v) = ([0.0f32], [-60_000.0, -60_001.0], [1.0, 3.0]);
    close(mean(&x, &s, &v).run()?[[0, 0]], 1.537_882_84, four_ulp::<f32>(1.5));
    close(lse(&x, &s).run()?[[0, 0]], -59_999.686_738_3, four_ulp::<f32>(6e4));
    Ok(())
}

#[test]
fn t59_masked_terms_have_no_weight() -> Result<(), Error> {
    let s = [-20_000.0f32, f32::NEG_INFINITY];
    for m in [1, 40] {
        let got = mean(&vec![0.0; m], &s, &[1.0, 100.0]).run()?;
        assert!(got.iter().all(|&g| g == 1.0), "{got}");
    }
    Ok(())
}

#[test]
fn t60_everything_masked() -> Result<(), Error> {
    for n in [1, 3, 300] {
        let (s, v) = (vec![f64::NEG_INFINITY; n], vec![7.0; n]);
        for (level, m) in levels().flat_map(|level| [(level, 1), (level, 40)]) {
            let (x, seed) = (vec![0.0f64; m], vec![1.0; m]);
            assert!(lse(&x, &s).level(level).run()?.iter().all(|&l| l == f64::NEG_INFINITY));
            assert!(mean(&x, &s, &v).level(level).run()?.iter().all(|&v| v == 0.0));
            assert!(lse::grad_s_j(&x, &s, &seed).level(level).run()?.iter().all(|&g| g == 0.0));
            assert!(mean::grad_s_j(&x, &s, &v, &seed).level(level).run()?.iter().all(|&g| g == 0.0));
        }
    }
    Ok(())
}

#[test]
fn t62_infinity_and_nan_propagate() -> Result<(), Error> {
    for n in [3, 300] {
        for place in [0, 1, n - 1] {
            for (level, m) in levels().flat_map(|level| [(level, 1), (level, 40)]) {
                let x = vec![0.0f32; m];
                let mut s = vec![1.0f32; n];
                s[place] = f32::INFINITY;
                assert!(lse(&x, &s).level(level).run()?.iter().all(|&l| l == f32::INFINITY));
                s[place] = f32::NAN;
                assert!(lse(&x, &s).level(level).run()?.iter().all(|&l| l.is_nan()));
            }
        }
    }
    Ok(())
}

#[test]
fn t63_parts_without_a_term() -> Result<(), Error> {
    // Few rows and many columns are cut into chunks of columns; all but one of them hold nothing.
    for place in [0, 1000, 50_000, 99_999] {
        let mut s = vec![f32::NEG_INFINITY; 100_000];
        s[place] = 2.5;
        let mut v = vec![f32::MAX; 100_000];
        v[place] = -3.0;
        for m in [1, 40] {
            let x = vec![0.5f32; m];
            assert!(lse(&x, &s).run()?.iter().all(|&l| l == 3.0));
            assert!(mean(&x, &s, &v).run()?.iter().all(|&v| v == -3.0));
        }
    }
    Ok(())
}

#[test]
fn t64_weights() -> Result<(), Error> {
    let (x, s, w) = ([0.0f64], [0.0, 1.0, -2.0], [2.0, 0.0, 0.5]);
    close(weighted_lse(&x, &s, &w).run()?[[0, 0]], 0.726_421_228_845_397, 1e-15);
    assert_eq!(weighted_lse(&x, &s, &[0.0; 3]).run()?, array![[f64::NEG_INFINITY]]);
    let three = lse_of_three_weights(&x, &s, &[[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]).run()?;
    assert_eq!(three.dim(), (1, 3));
    close(three[[0, 0]], 0.726_421_228_845_397, 1e-15);
    close(three[[0, 1]], (1.0f64 + 1f64.exp() + (-2f64).exp()).ln(), 1e-15);
    assert_eq!(three[[0, 2]], f64::NEG_INFINITY);
    // The logarithm of a negative sum is NaN; of a positive sum with negative weights it is not.
    assert!(weighted_lse(&x, &s, &[-2.0, 0.0, 0.5]).run()?[[0, 0]].is_nan());
    close(weighted_lse(&x, &s, &[-1.0, 1.0, 0.0]).run()?[[0, 0]], (1f64.exp() - 1.0).ln(), 1e-15);
    Ok(())
}

#[test]
fn t65_kernels_as_weights() -> Result<(), Error> {
    let got = kernel_lse(&[0.0f64], &[0.0, 1.0, 2.0], &[1000.0; 3]).run()?;
    close(got[[0, 0]], 1_000.530_628_251_06, 1e-11);
    Ok(())
}

#[test]
fn t67_gradients_where_exponents_are_large() -> Result<(), Error> {
    let (x, y, eps) = (rows::<f64, 147>(x, 1), rows::<f64, 147>(y, 2), [0.01]);
    close(far_apart(&x, &y, &eps).run()?[[0, 0]], -2_244.297_735_151_54, 1e-9);
    let gradient = far_apart::grad_x_i(&x, &y, &eps, &[1.0]).run()?;
    close(gradient[[0, 0]], 122.789_469_491_448, 1e-9);
    for d in 0..147 {
        let ends = [y[0][d], y[1][d]].map(|y| 2.0 * (y - x[0][d]) / 0.01);
        let slack = 1e-9;
        assert!(gradient[[0, d]] >= ends[0].min(ends[1]) - slack && gradient[[0, d]] <= ends[0].max(ends[1]) + slack);
    }
    Ok(())
}

macro_rules! soft_minimum {
    ($d:literal, $value:literal, $slope:literal) => {{
        keops! {
            #[grad(x_i)]
            fn soft_minimum(x_i: Vi<$d>, y_j: Vj<$d>, b_j: Vj<1>) = LogSumExp_Reduction(b_j - SqDist(x_i, y_j) / 2, 0);
        }
        fn check<T: Real>() -> Result<(), Error> {
            let (x, y, b) = (rows::<T, $d>(x, 1), rows::<T, $d>(y, 8), rows::<T, 1>(b, 8));
            let magnitude = if T::BITS == 64 { 1e-12 } else { 1e-5 };
            close(soft_minimum(&x, &y, &b).run()?[[0, 0]], -$value, magnitude * $value);
            let minus = [[T::from_f64(-1.0)]];
            close(soft_minimum::grad_x_i(&x, &y, &b, &minus).run()?[[0, 0]], $slope, 10.0 * magnitude);
            Ok(())
        }
        check::<f32>()?;
        check::<f64>()?;
    }};
}

#[test]
fn t68_soft_minimum_in_many_dimensions() -> Result<(), Error> {
    soft_minimum!(512, 39.905_785_181_455_7, -0.556_788_880_181_159);
    soft_minimum!(768, 61.452_317_501_752_9, -0.519_430_817_142_058);
    Ok(())
}

#[test]
fn t69_transport_of_a_point_to_itself() -> Result<(), Error> {
    let (x, eps) = ([1.0f32], 0.0025);
    let mut dual = [0.0f32];
    for _ in 0..10 {
        let lse = dirac(&x, &x, &[dual[0]], &eps).run()?;
        dual[0] = (dual[0] - eps * lse[[0, 0]]) / 2.0;
    }
    assert_eq!(dual[0], 0.0);
    Ok(())
}

keops! {
    fn inner(c_j: Vi<40>, d_m: Vj<40>) = LogSumExp_Reduction(c_j | d_m, 0);
    fn outer(b_i: Vi<40>, c_j: Vj<40>, l_j: Vj<1>) = LogSumExp_Reduction((b_i | c_j) + l_j, 0);
}

/// log Σ_jm e^(b_i·c_j + c_j·d_m) in two passes, over m and then over j.
#[test]
fn t70_log_of_a_sum_over_two_axes() -> Result<(), Error> {
    let rows = |n: usize, s: f64| -> Vec<[f64; 40]> {
        (0..n).map(|r| std::array::from_fn(|k| (s + 0.37 * r as f64 + 0.11 * k as f64).sin())).collect()
    };
    let (b, c, d) = (rows(20, 0.1), rows(20, 1.3), rows(5, 2.2));
    let l = inner(&c, &d).run()?;
    let got = outer(&b, &c, &l).run()?;
    let dot = |a: &[f64; 40], b: &[f64; 40]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    for (i, b) in b.iter().enumerate() {
        let pairs = c.iter().flat_map(|c| d.iter().map(move |d| dot(b, c) + dot(c, d)));
        let exponents: Vec<f64> = pairs.collect();
        let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let want = top + exponents.iter().map(|e| (e - top).exp()).sum::<f64>().ln();
        close(got[[i, 0]], want, 1e-12);
    }
    Ok(())
}
