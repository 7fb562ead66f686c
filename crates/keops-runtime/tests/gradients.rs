//! Gradients of the reductions that are not sums, against finite differences and closed forms.

mod common;

use common::*;
use keops_runtime::__private::{
    Call, Form, GradExponential, GradSelected, KMin, KMinArgKMin, LogSumExp, Max, Min, MinArgMin, Operation, Rows,
    SumSoftMaxWeight,
};
use keops_runtime::{Accumulator, Error};
use ndarray::{Array2, Array3, array};

/// A call of a gradient on `f64` tables.
fn gradient<O: Operation<Form = V>, V>(arguments: &[&Array2<f64>]) -> Array2<f64>
where
    V: Form<Output<f64> = Array2<f64>>,
{
    let view = |k: usize| Rows::<f64, 1>::rows_view(arguments[k]);
    match arguments.len() {
        4 => Call::<O, f64>::new([0, 1, 2, 3].map(view)).run().unwrap(),
        other => panic!("{other} arguments"),
    }
}

/// Central differences of the seed-weighted sum of `f`, in every number of argument `which`.
fn differences(
    arguments: &[&Array2<f64>],
    which: usize,
    seed: &Array2<f64>,
    f: impl Fn(&[Array2<f64>]) -> Array2<f64>,
) -> Array2<f64> {
    const STEP: f64 = 1e-5;
    let mut moved: Vec<Array2<f64>> = arguments.iter().map(|a| (*a).clone()).collect();
    let mut slopes = Array2::zeros(moved[which].dim());
    for at in ndarray::indices_of(&slopes) {
        let start = moved[which][at];
        let mut value = |x| {
            moved[which][at] = x;
            (f(&moved) * seed).sum()
        };
        slopes[at] = (value(start + STEP) - value(start - STEP)) / (2.0 * STEP);
        moved[which][at] = start;
    }
    slopes
}

fn table<const D: usize>(rows: usize, seed: u64) -> Array2<f64> {
    Array2::from(points::<D>(rows, seed))
}

/// −g|x − y|² of rows.
fn exponent(x: &Array2<f64>, i: usize, y: &Array2<f64>, j: usize, g: f64) -> f64 {
    let square = |k: usize| (x[[i, k]] - y[[j, k]]).powi(2);
    -g * (square(0) + square(1))
}

fn log_sum_exp(a: &[Array2<f64>]) -> Array2<f64> {
    let (x, y, g) = (&a[0], &a[1], a[2][[0, 0]]);
    Array2::from_shape_fn((x.nrows(), 1), |(i, _)| {
        (0..y.nrows()).map(|j| exponent(x, i, y, j, g).exp()).sum::<f64>().ln()
    })
}

fn weighted_sums(a: &[Array2<f64>], i: usize, c: usize) -> (f64, f64) {
    let (x, s, w) = (&a[0], &a[1], &a[2]);
    let weight = |j: usize| (x[[i, 0]] * s[[j, 0]]).exp();
    ((0..s.nrows()).map(weight).sum(), (0..s.nrows()).map(|j| weight(j) * w[[j, c]]).sum())
}

#[test]
fn of_log_sum_exp_in_every_variable() {
    let (x, y, g, e) = (table::<2>(4, 1), table::<2>(5, 2), array![[0.7]], table::<1>(4, 3));
    let arguments = [&x, &y, &g];
    let all = [&x, &y, &g, &e];
    let want = |which| differences(&arguments, which, &e, log_sum_exp);
    assert_close(&gradient::<GradExponential<Exponent, LogSumExp, ExponentGradX>, _>(&all), &want(0), 1e-8);
    assert_close(&gradient::<GradExponential<Exponent, LogSumExp, ExponentGradY>, _>(&all), &want(1), 1e-8);
    assert_close(&gradient::<GradExponential<Exponent, LogSumExp, ExponentGradG>, _>(&all), &want(2), 1e-8);
}

#[test]
fn of_weighted_log_sum_exp_in_the_weights() {
    let (x, s, w, e) = (table::<1>(3, 1), table::<1>(5, 2), table::<2>(5, 4), table::<2>(3, 3));
    let f = |a: &[Array2<f64>]| Array2::from_shape_fn((3, 2), |(i, c)| weighted_sums(a, i, c).1.ln());
    let want = differences(&[&x, &s, &w], 2, &e, f);
    let got = gradient::<GradExponential<Weighted, LogSumExp, WeightedGradW>, _>(&[&x, &s, &w, &e]);
    assert_close(&got, &want, 1e-8);
}

#[test]
fn of_the_soft_max_mean() {
    let (x, s, w, e) = (table::<1>(3, 1), table::<1>(5, 2), table::<2>(5, 4), table::<2>(3, 3));
    let f = |a: &[Array2<f64>]| {
        Array2::from_shape_fn((3, 2), |(i, c)| {
            let (plain, weighted) = weighted_sums(a, i, c);
            weighted / plain
        })
    };
    let want = differences(&[&x, &s, &w], 0, &e, f);
    let got = gradient::<GradExponential<Weighted, SumSoftMaxWeight, WeightedMeanGradX>, _>(&[&x, &s, &w, &e]);
    assert_close(&got, &want, 1e-8);
}

// Case T60: rows without mass have gradient 0, never NaN.
#[test]
fn of_masked_exponents_is_zero() {
    let (x, w, e) = (array![[1.0], [2.0]], array![[100.0, -1.0], [1.0, 2.0]], array![[1.0, 1.0], [0.5, -2.0]]);
    let masked = array![[f64::NEG_INFINITY], [f64::NEG_INFINITY]];
    let got = gradient::<GradExponential<Weighted, LogSumExp, WeightedGradW>, _>(&[&x, &masked, &w, &e]);
    assert_eq!(got, Array2::zeros((2, 2)));
    let partly = array![[f64::NEG_INFINITY], [-2000.0]];
    let got = gradient::<GradExponential<Weighted, LogSumExp, WeightedGradW>, _>(&[&x, &partly, &w, &e]);
    // Σ_i e_ic · e^{F−m} / w_jc with one term per row.
    assert_eq!(got, array![[0.0, 0.0], [1.0 + 0.5, (1.0 - 2.0) / 2.0]]);
}

#[test]
fn without_terms_or_rows_is_zero_or_empty() {
    let (x, none, g, e) = (table::<2>(3, 1), Array2::zeros((0, 2)), array![[0.7]], table::<1>(3, 3));
    let got = gradient::<GradExponential<Exponent, LogSumExp, ExponentGradX>, _>(&[&x, &none, &g, &e]);
    assert_eq!(got, Array2::zeros((3, 2)));
    let got = gradient::<GradExponential<Exponent, LogSumExp, ExponentGradY>, _>(&[&x, &none, &g, &e]);
    assert_eq!(got.dim(), (0, 2));
    let no_seed = Array2::zeros((0, 1));
    let got = gradient::<GradExponential<Exponent, LogSumExp, ExponentGradY>, _>(&[&none, &x, &g, &no_seed]);
    assert_eq!(got, Array2::zeros((3, 2)));
    let e2 = table::<2>(3, 3);
    assert_eq!(
        gradient::<GradSelected<Squares, Min, SquaresGradX, 3>, _>(&[&x, &none, &g, &e2]),
        Array2::zeros((3, 2))
    );
    assert_eq!(
        gradient::<GradSelected<Squares, Min, SquaresGradP, 3>, _>(&[&x, &none, &g, &e2]),
        Array2::zeros((1, 1))
    );
    let no_seed = Array2::zeros((0, 2));
    let got = gradient::<GradSelected<Squares, Min, SquaresGradY, 3>, _>(&[&none, &x, &g, &no_seed]);
    assert_eq!(got, Array2::zeros((3, 2)));
}

/// The `K` smallest p·(x − y)² per component, or the largest for `sign` = −1: entry k of component d at k·2 + d.
fn smallest(a: &[Array2<f64>], k: usize, sign: f64) -> Array2<f64> {
    let (x, y, p) = (&a[0], &a[1], a[2][[0, 0]]);
    Array2::from_shape_fn((x.nrows(), 2 * k), |(i, slot)| {
        let d = slot % 2;
        let mut terms: Vec<f64> = (0..y.nrows()).map(|j| p * (x[[i, d]] - y[[j, d]]).powi(2)).collect();
        terms.sort_by(|a, b| (sign * a).total_cmp(&(sign * b)));
        terms[slot / 2]
    })
}

#[test]
fn of_minimum_and_maximum_in_every_variable() {
    // More rows than one block, so that merging blocks is tested too.
    let (x, y, p, e) = (table::<2>(300, 1), table::<2>(7, 2), array![[1.5]], table::<2>(300, 3));
    let arguments = [&x, &y, &p];
    let all = [&x, &y, &p, &e];
    for which in 0..3 {
        let want = |sign| differences(&arguments, which, &e, |a| smallest(a, 1, sign));
        let (min, both, max) = match which {
            0 => (
                gradient::<GradSelected<Squares, Min, SquaresGradX, 3>, _>(&all),
                gradient::<GradSelected<Squares, MinArgMin, SquaresGradX, 3>, _>(&all),
                gradient::<GradSelected<Squares, Max, SquaresGradX, 3>, _>(&all),
            ),
            1 => (
                gradient::<GradSelected<Squares, Min, SquaresGradY, 3>, _>(&all),
                gradient::<GradSelected<Squares, MinArgMin, SquaresGradY, 3>, _>(&all),
                gradient::<GradSelected<Squares, Max, SquaresGradY, 3>, _>(&all),
            ),
            _ => (
                gradient::<GradSelected<Squares, Min, SquaresGradP, 3>, _>(&all),
                gradient::<GradSelected<Squares, MinArgMin, SquaresGradP, 3>, _>(&all),
                gradient::<GradSelected<Squares, Max, SquaresGradP, 3>, _>(&all),
            ),
        };
        assert_close(&min, &want(1.0), 2e-7);
        assert_eq!(both, min);
        assert_close(&max, &want(-1.0), 2e-7);
    }
}

#[test]
fn of_the_k_smallest_in_every_variable() {
    let (x, y, p, e) = (table::<2>(20, 1), table::<2>(7, 2), array![[1.5]], table::<6>(20, 3));
    let arguments = [&x, &y, &p];
    let all = [&x, &y, &p, &e];
    let want = |which| differences(&arguments, which, &e, |a| smallest(a, 3, 1.0));
    assert_close(&gradient::<GradSelected<Squares, KMin<3>, SquaresGradX, 3>, _>(&all), &want(0), 1e-8);
    assert_close(&gradient::<GradSelected<Squares, KMin<3>, SquaresGradY, 3>, _>(&all), &want(1), 1e-8);
    assert_close(&gradient::<GradSelected<Squares, KMinArgKMin<3>, SquaresGradP, 3>, _>(&all), &want(2), 1e-8);
}

// Case T88.
#[test]
fn of_a_tie_goes_to_the_first_index() {
    let (x, y, p, e) =
        (array![[0.0, 0.0]], array![[2.0, 1.0], [-1.0, 3.0], [1.0, -1.0]], array![[1.0]], array![[2.0, 3.0]]);
    let got = gradient::<GradSelected<Squares, Min, SquaresGradY, 3>, _>(&[&x, &y, &p, &e]);
    assert_eq!(got, array![[0.0, 6.0], [-4.0, 0.0], [0.0, 0.0]]);
}

#[test]
fn terms_that_are_all_nan_have_no_gradient() {
    let (x, p, e) = (array![[0.0, 1.0]], array![[1.0]], array![[2.0, 3.0]]);
    let y = array![[f64::NAN, 3.0], [f64::NAN, 2.0]];
    let got = gradient::<GradSelected<Squares, Min, SquaresGradX, 3>, _>(&[&x, &y, &p, &e]);
    assert_eq!(got[[0, 1]], 3.0 * 2.0 * (1.0 - 2.0));
}

#[test]
fn a_seed_may_be_broadcast() {
    let (x, y, p) = (table::<2>(6, 1), table::<2>(7, 2), array![[1.5]]);
    let call = |e: &ndarray::ArrayView3<'_, f64>| {
        Call::<GradSelected<Squares, KMin<3>, SquaresGradX, 3>, f64>::new([
            Rows::<f64, 2>::rows_view(&x),
            Rows::<f64, 2>::rows_view(&y),
            Rows::<f64, 1>::rows_view(&p),
            Rows::<f64, 6>::rows_view(e),
        ])
        .run()
        .unwrap()
    };
    let one = ndarray::arr0(1.0);
    assert_eq!(call(&one.broadcast((6, 3, 2)).unwrap()), call(&Array3::ones((6, 3, 2)).view()));
}

#[test]
fn gradients_add_up_and_refuse_like_sums() {
    let (x, y, g, e) = (table::<2>(4, 1), table::<2>(5, 2), array![[0.7]], table::<1>(4, 3));
    let view = |a| Rows::<f64, 1>::rows_view(a);
    let call = Call::<GradExponential<Exponent, LogSumExp, ExponentGradX>, f64>::new([&x, &y, &g, &e].map(view))
        .accumulate(Accumulator::Kahan);
    let mut out = call.run().unwrap();
    call.add_into(&mut out).unwrap();
    assert_close(&out, &(call.run().unwrap() * 2.0), 1e-15);

    let short = table::<1>(3, 3);
    let call = Call::<GradExponential<Exponent, LogSumExp, ExponentGradX>, f64>::new([&x, &y, &g, &short].map(view));
    assert_eq!(
        call.run().unwrap_err().to_string(),
        "ExponentGradX: variable `e` (Vi, one row per i) must have 4 row(s) like `x_i`, but the data has 3"
    );
    let wide = table::<12>(4, 3);
    let call = Call::<GradSelected<Squares, KMin<6>, SquaresGradX, 3>, f64>::new([&x, &y, &g, &wide].map(view));
    assert_eq!(call.run().unwrap_err(), Error::TooFewTerms { formula: "SquaresGradX", k: 6, n: 5 });
}
