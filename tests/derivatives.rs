//! Derivatives of derivatives, and of whole reductions, against central differences.

mod differences;

use differences::{check_gradient, covector, points};
use keops::{Error, keops};
use ndarray::{Array, Array2, Dimension, Ix2, Ix3, array};

keops! {
    #[grad(x_i(x_i, y_j(x_i), g, e), g(g, y_j))]
    fn gauss(x_i: Vi<2>, y_j: Vj<2>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)), 0);

    #[grad(x_i(x_i, y_j, g, e))]
    fn lse(x_i: Vi<2>, y_j: Vj<2>, g: Pm<1>) = LogSumExp_Reduction(-g * SqDist(x_i, y_j), 0);
}

#[test]
fn gradients_compose_for_sums() -> Result<(), Error> {
    let (x, y) = points();
    let (g, e, u, w) = ([[0.7]], covector::<1>(4, 0.2), covector::<2>(4, 0.5), covector::<2>(5, 0.8));
    let first = |x: &[[f64; 2]], y: &[[f64; 2]], g: &[[f64; 1]], e: &[[f64; 1]]| {
        gauss::grad_x_i(x, y, g, e).run().expect("right shapes")
    };
    check_gradient(|x| first(x, &y, &g, &e), &x, &u, &gauss::grad_x_i::grad_x_i(&x, &y, &g, &e, &u).run()?);
    let by_y = gauss::grad_x_i::grad_y_j(&x, &y, &g, &e, &u).run()?;
    check_gradient(|y| first(&x, y, &g, &e), &y, &u, &by_y);
    check_gradient(|g| first(&x, &y, g, &e), &g, &u, &gauss::grad_x_i::grad_g(&x, &y, &g, &e, &u).run()?);
    check_gradient(|e| first(&x, &y, &g, e), &e, &u, &gauss::grad_x_i::grad_e(&x, &y, &g, &e, &u).run()?);
    let by_g = |y: &[[f64; 2]], g: &[[f64; 1]]| gauss::grad_g(&x, y, g, &e).run().expect("right shapes");
    check_gradient(|g| by_g(&y, g), &g, &[[2.0]], &gauss::grad_g::grad_g(&x, &y, &g, &e, &2.0).run()?);
    check_gradient(|y| by_g(y, &g), &y, &[[2.0]], &gauss::grad_g::grad_y_j(&x, &y, &g, &e, &2.0).run()?);
    let third = gauss::grad_x_i::grad_y_j::grad_x_i(&x, &y, &g, &e, &u, &w).run()?;
    let second = |x: &[[f64; 2]]| gauss::grad_x_i::grad_y_j(x, &y, &g, &e, &u).run().expect("right shapes");
    check_gradient(second, &x, &w, &third);
    Ok(())
}

#[test]
fn gradients_compose_for_log_sum_exp_from_the_kept_index_on() -> Result<(), Error> {
    let (x, y) = points();
    let (g, e, u) = ([[0.7]], covector::<1>(4, 0.2), covector::<2>(4, 0.5));
    let first = |x: &[[f64; 2]], y: &[[f64; 2]], g: &[[f64; 1]], e: &[[f64; 1]]| {
        lse::grad_x_i(x, y, g, e).run().expect("right shapes")
    };
    check_gradient(|x| lse(x, &y, &g).run().expect("right shapes"), &x, &e, &first(&x, &y, &g, &e));
    check_gradient(|x| first(x, &y, &g, &e), &x, &u, &lse::grad_x_i::grad_x_i(&x, &y, &g, &e, &u).run()?);
    check_gradient(|y| first(&x, y, &g, &e), &y, &u, &lse::grad_x_i::grad_y_j(&x, &y, &g, &e, &u).run()?);
    check_gradient(|g| first(&x, &y, g, &e), &g, &u, &lse::grad_x_i::grad_g(&x, &y, &g, &e, &u).run()?);
    check_gradient(|e| first(&x, &y, &g, e), &e, &u, &lse::grad_x_i::grad_e(&x, &y, &g, &e, &u).run()?);
    Ok(())
}

#[test]
fn messages_about_composed_gradients_name_the_covector() {
    let (x, y) = points();
    let error = lse::grad_x_i::grad_y_j(&x, &y, &0.7, &[1.0; 4], &covector::<2>(3, 0.0)).run().expect_err("3 rows");
    assert!(error.to_string().contains("`u`"), "{error}");
    let error = gauss::grad_x_i(&x, &y, &0.7, &[1.0; 3]).run().expect_err("3 rows");
    assert!(error.to_string().contains("`e`"), "{error}");
}

keops! {
    #[grad(x_i)]
    fn lse_by_x(x_i: Vi<2>, y_j: Vj<2>, e_i: Vi<1>) = Grad(LogSumExp_Reduction(-SqDist(x_i, y_j), 0), x_i, e_i);
    fn lse_by_y(x_i: Vi<2>, y_j: Vj<2>, e_i: Vi<1>) = Grad(LogSumExp_Reduction(-SqDist(x_i, y_j), 0), y_j, e_i);
    #[grad(u_j)]
    fn lse_along_y(x_i: Vi<2>, u_j: Vj<2>, y_j: Vj<2>) = Diff(LogSumExp_Reduction(-SqDist(x_i, y_j), 0), y_j, u_j);
    fn mean_by_y(e_i: Vi<2>, x_i: Vi<2>, y_j: Vj<2>) = Grad(SumSoftMaxWeight_Reduction(x_i | y_j, 0, y_j), y_j, e_i);
    fn min_by_y(e_i: Vi<1>, x_i: Vi<2>, y_j: Vj<2>) = Grad(Min_Reduction(SqDist(x_i, y_j), 0), y_j, e_i);
    fn hessian(x_i: Vi<2>, y_j: Vj<2>, u_i: Vi<2>, e_i: Vi<1>)
        = Grad(Diff(Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0), x_i, u_i), x_i, e_i);

    fn plain_lse(x_i: Vi<2>, y_j: Vj<2>) = LogSumExp_Reduction(-SqDist(x_i, y_j), 0);
    fn plain_mean(x_i: Vi<2>, y_j: Vj<2>) = SumSoftMaxWeight_Reduction(x_i | y_j, 0, y_j);
    fn plain_min(x_i: Vi<2>, y_j: Vj<2>) = Min_Reduction(SqDist(x_i, y_j), 0);
}

#[test]
fn derivatives_of_whole_reductions_that_are_no_sums() -> Result<(), Error> {
    let (x, y) = points();
    let (e, u, w) = (covector::<1>(4, 0.2), covector::<2>(4, 0.5), covector::<2>(5, 0.8));
    let value = |x: &[[f64; 2]], y: &[[f64; 2]]| plain_lse(x, y).run().expect("right shapes");
    check_gradient(|x| value(x, &y), &x, &e, &lse_by_x(&x, &y, &e).run()?);
    check_gradient(|y| value(&x, y), &y, &e, &lse_by_y(&x, &y, &e).run()?);
    let first = |x: &[[f64; 2]]| lse_by_x(x, &y, &e).run().expect("right shapes");
    check_gradient(first, &x, &u, &lse_by_x::grad_x_i(&x, &y, &e, &u).run()?);
    // The transpose of the derivative along u is the gradient.
    let pulled = lse_along_y::grad_u_j(&x, &w, &y, &e).run()?;
    let by_y = lse_by_y(&x, &y, &e).run()?;
    assert!(pulled.iter().zip(&by_y).all(|(a, b)| (a - b).abs() < 1e-14));
    let along = lse_along_y(&x, &w, &y).run()?;
    let product: f64 = along.iter().zip(e.iter().flatten()).map(|(a, b)| a * b).sum();
    let transposed: f64 = by_y.iter().zip(w.iter().flatten()).map(|(a, b)| a * b).sum();
    assert!((product - transposed).abs() < 1e-13);
    check_gradient(|y| plain_mean(&x, y).run().expect("right shapes"), &y, &u, &mean_by_y(&u, &x, &y).run()?);
    check_gradient(|y| plain_min(&x, y).run().expect("right shapes"), &y, &e, &min_by_y(&e, &x, &y).run()?);
    // The Hessian is symmetric: it is the derivative of the gradient along u.
    let (step, shift) = (1e-5, |s: f64| -> Vec<[f64; 2]> {
        x.iter().zip(&u).map(|(x, u)| [x[0] + s * u[0], x[1] + s * u[1]]).collect()
    });
    let one = [[1.0]];
    let gradient = |x: &[[f64; 2]]| gauss::grad_x_i(x, &y, &one, &e).run().expect("right shapes");
    let slope = (gradient(&shift(step)) - gradient(&shift(-step))) / (2.0 * step);
    let exact = hessian(&x, &y, &u, &e).run()?;
    assert!(exact.iter().zip(&slope).all(|(a, b)| (a - b).abs() < 1e-8));
    Ok(())
}

/// Data of the tests below.
struct Data<const E: usize> {
    x: Vec<[f64; 2]>,
    y: Vec<[f64; 2]>,
    w: Vec<[f64; 2]>,
    g: Vec<[f64; 1]>,
    /// Covector of the reduction.
    e: Vec<[f64; E]>,
    /// Covectors of its gradients.
    by_x: Vec<[f64; 2]>,
    by_j: Vec<[f64; 2]>,
    by_g: Vec<[f64; 1]>,
}

fn data<const E: usize>() -> Data<E> {
    let (x, y) = points();
    // Positive, as weights of a logarithm have to be.
    let w = covector::<2>(5, 0.4).into_iter().map(|w| w.map(|w| 1.5 + w)).collect();
    let (e, by_x, by_j) = (covector(4, 0.2), covector(4, 0.5), covector(5, 0.8));
    Data { x, y, w, g: vec![[0.7]], e, by_x, by_j, by_g: vec![[1.3]] }
}

/// Compares the second derivatives of a reduction with differences of its gradients, and these with differences of values.
macro_rules! check_second {
    ($d:ident, $f:ident: $($first:ident($($second:ident),*)),*) => {{
        $(
            let first = |x: &[_], y: &[_], w: &[_], g: &[_], e: &[_]| {
                $f::$first(x, y, w, g, e).run().expect("right shapes")
            };
            let at = || first(&$d.x, &$d.y, &$d.w, &$d.g, &$d.e);
            let value = |x: &[_], y: &[_], w: &[_], g: &[_]| flat($f(x, y, w, g).run().expect("right shapes"));
            check_second!(@value $d, value, at, $first);
            $(check_second!(@second $d, $f, $first, $second, first);)*
        )*
    }};
    (@value $d:ident, $value:ident, $at:ident, grad_x_i) => {
        check_gradient(|x| $value(x, &$d.y, &$d.w, &$d.g), &$d.x, &$d.e, &$at());
    };
    (@value $d:ident, $value:ident, $at:ident, grad_y_j) => {
        check_gradient(|y| $value(&$d.x, y, &$d.w, &$d.g), &$d.y, &$d.e, &$at());
    };
    (@value $d:ident, $value:ident, $at:ident, grad_w_j) => {
        check_gradient(|w| $value(&$d.x, &$d.y, w, &$d.g), &$d.w, &$d.e, &$at());
    };
    (@value $d:ident, $value:ident, $at:ident, grad_g) => {
        check_gradient(|g| $value(&$d.x, &$d.y, &$d.w, g), &$d.g, &$d.e, &$at());
    };
    (@covector $d:ident, grad_x_i) => { &$d.by_x };
    (@covector $d:ident, grad_g) => { &$d.by_g };
    (@covector $d:ident, $of_j:ident) => { &$d.by_j };
    (@second $d:ident, $f:ident, $by:ident, $second:ident, $first:ident) => {
        let u = check_second!(@covector $d, $by);
        let got = $f::$by::$second(&$d.x, &$d.y, &$d.w, &$d.g, &$d.e, u).run().expect("right shapes");
        check_second!(@by $second, $d, $first, u, got);
    };
    (@by grad_x_i, $d:ident, $first:ident, $u:ident, $got:ident) => {
        check_gradient(|x| $first(x, &$d.y, &$d.w, &$d.g, &$d.e), &$d.x, $u, &$got);
    };
    (@by grad_y_j, $d:ident, $first:ident, $u:ident, $got:ident) => {
        check_gradient(|y| $first(&$d.x, y, &$d.w, &$d.g, &$d.e), &$d.y, $u, &$got);
    };
    (@by grad_w_j, $d:ident, $first:ident, $u:ident, $got:ident) => {
        check_gradient(|w| $first(&$d.x, &$d.y, w, &$d.g, &$d.e), &$d.w, $u, &$got);
    };
    (@by grad_g, $d:ident, $first:ident, $u:ident, $got:ident) => {
        check_gradient(|g| $first(&$d.x, &$d.y, &$d.w, g, &$d.e), &$d.g, $u, &$got);
    };
    (@by grad_e, $d:ident, $first:ident, $u:ident, $got:ident) => {
        check_gradient(|e| $first(&$d.x, &$d.y, &$d.w, &$d.g, e), &$d.e, $u, &$got);
    };
}

/// Results as rows of numbers.
fn flat<D: Dimension>(values: Array<f64, D>) -> Array2<f64> {
    let rows = values.shape()[0];
    let columns = values.len() / rows;
    values.into_shape_with_order((rows, columns)).expect("rows of equal length")
}

keops! {
    #[grad(x_i(x_i, y_j, w_j, g, e), y_j(y_j, e), w_j(w_j), g(g, x_i))]
    fn log_of_sums(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, g: Pm<1>) = LogSumExp_Reduction(-g * SqDist(x_i, y_j), 0, w_j);

    #[grad(x_i(x_i, w_j, e), y_j(x_i, y_j), g(g, e))]
    fn mean(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, g: Pm<1>)
        = SumSoftMaxWeight_Reduction(Cos(g * x_i | y_j), 0, w_j * Exp(x_i));

    #[grad(x_i(x_i, y_j, e), y_j(w_j, g))]
    fn least(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, g: Pm<1>) = Min_Reduction(Sin(g * x_i) * Exp(y_j) * w_j, 0);

    #[grad(x_i(y_j, e), g(g))]
    fn three_least(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, g: Pm<1>) = KMin_Reduction(Sin(g * x_i) * Exp(y_j) * w_j, 3, 0);

    #[grad(x_i(y_j, e), y_j(y_j))]
    fn of_columns(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, g: Pm<1>)
        = LogSumExp_Reduction(-g * SqDist(x_i, y_j) + Sum(w_j * x_i), 1);
}

#[test]
fn second_derivatives_of_weighted_log_sum_exp() {
    let d = data::<2>();
    check_second!(d, log_of_sums: grad_x_i(grad_x_i, grad_y_j, grad_w_j, grad_g, grad_e), grad_y_j(grad_y_j, grad_e));
    check_second!(d, log_of_sums: grad_w_j(grad_w_j), grad_g(grad_g, grad_x_i));
    let d = Data { e: covector(5, 0.9), ..data::<1>() };
    check_second!(d, of_columns: grad_x_i(grad_y_j, grad_e), grad_y_j(grad_y_j));
}

#[test]
fn second_derivatives_of_the_soft_max_mean() {
    let d = data::<2>();
    check_second!(d, mean: grad_x_i(grad_x_i, grad_w_j, grad_e), grad_y_j(grad_x_i, grad_y_j), grad_g(grad_g, grad_e));
}

#[test]
fn second_derivatives_of_selected_values() {
    let d = data::<2>();
    check_second!(d, least: grad_x_i(grad_x_i, grad_y_j, grad_e), grad_y_j(grad_w_j, grad_g));
    let d = data::<6>();
    check_second!(d, three_least: grad_x_i(grad_y_j, grad_e), grad_g(grad_g));
}

keops! {
    #[grad(x_i(y_j(w_j, e, x_i), e(x_i)))]
    fn mean_thrice(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = SumSoftMaxWeight_Reduction(Cos(x_i | y_j), 0, w_j * Exp(x_i));
    #[grad(y_j(x_i(y_j), e(x_i, u)))]
    fn lse_thrice(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = LogSumExp_Reduction(Cos(x_i | y_j), 0, w_j);
    #[grad(y_j(x_i(y_j), e(x_i, u)))]
    fn max_thrice(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = Max_Reduction(Cos(x_i | y_j) * w_j, 0);
}

/// Compares the third derivatives towards each variable with differences of the second.
macro_rules! check_third {
    ($d:ident, $f:ident::$first:ident::$second:ident, $e:ident, $u:expr, $v:expr, $($third:ident),*) => {{
        let second = |x: &[_], y: &[_], w: &[_], e: &[_], u: &[_]| {
            $f::$first::$second(x, y, w, e, u).run().expect("right shapes")
        };
        $(
            let got = $f::$first::$second::$third(&$d.x, &$d.y, &$d.w, &$d.$e, $u, $v).run().expect("right shapes");
            check_third!(@by $third, $d, second, $e, $u, $v, got);
        )*
    }};
    (@by grad_x_i, $d:ident, $second:ident, $e:ident, $u:expr, $v:expr, $got:ident) => {
        check_gradient(|x| $second(x, &$d.y, &$d.w, &$d.$e, $u), &$d.x, $v, &$got);
    };
    (@by grad_y_j, $d:ident, $second:ident, $e:ident, $u:expr, $v:expr, $got:ident) => {
        check_gradient(|y| $second(&$d.x, y, &$d.w, &$d.$e, $u), &$d.y, $v, &$got);
    };
    (@by grad_w_j, $d:ident, $second:ident, $e:ident, $u:expr, $v:expr, $got:ident) => {
        check_gradient(|w| $second(&$d.x, &$d.y, w, &$d.$e, $u), &$d.w, $v, &$got);
    };
    (@by grad_e, $d:ident, $second:ident, $e:ident, $u:expr, $v:expr, $got:ident) => {
        check_gradient(|e| $second(&$d.x, &$d.y, &$d.w, e, $u), &$d.$e, $v, &$got);
    };
    (@by grad_u, $d:ident, $second:ident, $e:ident, $u:expr, $v:expr, $got:ident) => {
        check_gradient(|u| $second(&$d.x, &$d.y, &$d.w, &$d.$e, u), $u, $v, &$got);
    };
}

#[test]
fn third_derivatives_of_reductions_that_are_no_sums() {
    let d = data::<2>();
    let (by_e, again) = (covector::<2>(4, 0.7), covector::<2>(5, 0.1));
    check_third!(d, mean_thrice::grad_x_i::grad_y_j, e, &d.by_x, &again, grad_w_j, grad_e, grad_x_i);
    check_third!(d, mean_thrice::grad_x_i::grad_e, e, &d.by_x, &by_e, grad_x_i);
    check_third!(d, lse_thrice::grad_y_j::grad_x_i, e, &d.by_j, &by_e, grad_y_j);
    check_third!(d, lse_thrice::grad_y_j::grad_e, e, &d.by_j, &by_e, grad_x_i, grad_u);
    check_third!(d, max_thrice::grad_y_j::grad_x_i, e, &d.by_j, &by_e, grad_y_j);
    check_third!(d, max_thrice::grad_y_j::grad_e, e, &d.by_j, &by_e, grad_x_i, grad_u);
}

keops! {
    #[grad(x_i, u_j)]
    fn mean_along(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, u_j: Vj<2>)
        = Diff(SumSoftMaxWeight_Reduction(Cos(x_i | y_j), 0, w_j * Exp(x_i)), y_j, u_j);
    #[grad(x_i, u_j)]
    fn lse_along(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, u_j: Vj<2>)
        = Diff(LogSumExp_Reduction(Cos(x_i | y_j), 0, w_j), y_j, u_j);
    #[grad(x_i, u_j)]
    fn least_along(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, u_j: Vj<2>)
        = Diff(KMin_Reduction(Cos(x_i | y_j) * w_j, 2, 0), y_j, u_j);

    #[grad(y_j)]
    fn plain_mean_of(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = SumSoftMaxWeight_Reduction(Cos(x_i | y_j), 0, w_j * Exp(x_i));
    #[grad(y_j)]
    fn plain_lse_of(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = LogSumExp_Reduction(Cos(x_i | y_j), 0, w_j);
    #[grad(y_j)]
    fn plain_least_of(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>) = KMin_Reduction(Cos(x_i | y_j) * w_j, 2, 0);

    #[grad(w_j, e_i, u_j)]
    fn mean_twice(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, e_i: Vi<2>, u_j: Vj<2>)
        = Grad(Grad(SumSoftMaxWeight_Reduction(Cos(x_i | y_j), 0, w_j * Exp(x_i)), y_j, e_i), x_i, u_j);
    fn mean_hessian(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, e_i: Vi<2>, v_i: Vi<2>)
        = Diff(Grad(SumSoftMaxWeight_Reduction(Cos(x_i | y_j), 0, w_j * Exp(x_i)), y_j, e_i), x_i, v_i);
    #[grad(w_j, e_i, u_j)]
    fn least_twice(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, e_i: Vi<4>, u_j: Vj<2>)
        = Grad(Grad(KMin_Reduction(Cos(x_i | y_j) * w_j, 2, 0), y_j, e_i), x_i, u_j);
    fn least_hessian(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, e_i: Vi<4>, v_i: Vi<2>)
        = Diff(Grad(KMin_Reduction(Cos(x_i | y_j) * w_j, 2, 0), y_j, e_i), x_i, v_i);
    fn least_in_the_covector(x_i: Vi<2>, y_j: Vj<2>, w_j: Vj<2>, e_i: Vi<4>, u_j: Vj<2>)
        = Grad(Grad(KMin_Reduction(Cos(x_i | y_j) * w_j, 2, 0), y_j, e_i), e_i, u_j);
}

fn product(a: &Array2<f64>, b: &[[f64; 2]]) -> f64 {
    a.iter().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// ⟨Diff u, e⟩ = ⟨u, Grad e⟩, and the derivatives of Diff.
#[test]
fn directional_derivatives_of_reductions_that_are_no_sums() -> Result<(), Error> {
    let (d, u) = (data::<2>(), covector::<2>(5, 0.1));
    macro_rules! check {
        ($along:ident, $plain:ident, $e:expr) => {
            let along = |x: &[_], u: &[_]| $along(x, &d.y, &d.w, u).run().expect("right shapes");
            let left: f64 = along(&d.x, &u).iter().zip($e.iter().flatten()).map(|(a, b)| a * b).sum();
            let right = product(&$plain::grad_y_j(&d.x, &d.y, &d.w, &$e).run()?, &u);
            assert!((left - right).abs() < 1e-13, "{left} and {right}");
            check_gradient(|x| along(x, &u), &d.x, &$e, &$along::grad_x_i(&d.x, &d.y, &d.w, &u, &$e).run()?);
            check_gradient(|u| along(&d.x, u), &u, &$e, &$along::grad_u_j(&d.x, &d.y, &d.w, &u, &$e).run()?);
        };
    }
    check!(mean_along, plain_mean_of, d.e);
    check!(lse_along, plain_lse_of, d.e);
    check!(least_along, plain_least_of, covector::<4>(4, 0.3));
    Ok(())
}

#[test]
fn whole_reductions_are_differentiated_twice() -> Result<(), Error> {
    let d = data::<2>();
    let (u, again) = (&d.by_j, covector::<2>(4, 0.1));
    macro_rules! check {
        ($twice:ident, $hessian:ident, $plain:ident, $e:expr) => {
            let gradient = |x: &[_]| $plain::grad_y_j(x, &d.y, &d.w, &$e).run().expect("right shapes");
            let twice = |w: &[_], e: &[_], u: &[_]| $twice(&d.x, &d.y, w, e, u).run().expect("right shapes");
            check_gradient(gradient, &d.x, u, &twice(&d.w, &$e, u));
            let by_w = $twice::grad_w_j(&d.x, &d.y, &d.w, &$e, u, &again).run()?;
            check_gradient(|w| twice(w, &$e, u), &d.w, &again, &by_w);
            let by_e = $twice::grad_e_i(&d.x, &d.y, &d.w, &$e, u, &again).run()?;
            check_gradient(|e| twice(&d.w, e, u), &$e, &again, &by_e);
            let by_u = $twice::grad_u_j(&d.x, &d.y, &d.w, &$e, u, &again).run()?;
            check_gradient(|u| twice(&d.w, &$e, u), u, &again, &by_u);
            // The derivative of the gradient along v is the transpose of its gradient.
            let left = product(&$hessian(&d.x, &d.y, &d.w, &$e, &again).run()?, u);
            let right = product(&twice(&d.w, &$e, u), &again);
            assert!((left - right).abs() < 1e-13, "{left} and {right}");
        };
    }
    check!(mean_twice, mean_hessian, plain_mean_of, d.e);
    let e = covector::<4>(4, 0.3);
    check!(least_twice, least_hessian, plain_least_of, e);
    // The gradient is linear in its covector.
    let along = least_in_the_covector(&d.x, &d.y, &d.w, &e, u).run()?;
    let left: f64 = along.iter().zip(e.iter().flatten()).map(|(a, b)| a * b).sum();
    let right = product(&plain_least_of::grad_y_j(&d.x, &d.y, &d.w, &e).run()?, u);
    assert!((left - right).abs() < 1e-13, "{left} and {right}");
    Ok(())
}

keops! {
    #[grad(w_j(w_j))]
    fn empty(s_j: Vj<1>, w_j: Vj<1>, x_i: Vi<1>) = LogSumExp_Reduction(s_j + 0 * x_i, 0, w_j);
}

/// A row without mass has derivative 0, whatever the order.
#[test]
fn rows_without_mass_have_second_derivatives_zero() -> Result<(), Error> {
    let none = f64::NEG_INFINITY;
    for (s, w) in [([none, none], [1.0, 1.0]), ([0.0, 1.0], [0.0, 0.0])] {
        let got = empty::grad_w_j::grad_w_j(&s, &w, &[1.0], &[1.0], &[1.0, 1.0]).run()?;
        assert_eq!(got, array![[0.0], [0.0]]);
    }
    Ok(())
}

/// Towards a variable that is shared along the batch axis, the elements' second derivatives add up.
#[test]
fn second_derivatives_of_batches_are_those_of_their_elements() -> Result<(), Error> {
    let d = data::<2>();
    let x = Array::from_shape_fn((3, 4, 2), |(b, r, c)| d.x[r][c] + 0.1 * b as f64);
    let call = |x: &Array<f64, Ix3>| {
        let by_y = log_of_sums::grad_x_i::grad_y_j(x, &d.y, &d.w, &d.g, &d.e, &d.by_x).batched().run()?;
        let by_e = least::grad_x_i::grad_e(x, &d.y, &d.w, &d.g, &d.e, &d.by_x).batched().run()?;
        Ok::<_, Error>((by_y.into_dimensionality::<Ix2>(), by_e))
    };
    let (by_y, by_e) = call(&x)?;
    let (mut sum_by_y, mut sum_by_e) = (Array2::<f64>::zeros((5, 2)), Array2::<f64>::zeros((4, 2)));
    for x in x.outer_iter() {
        sum_by_y += &log_of_sums::grad_x_i::grad_y_j(&x, &d.y, &d.w, &d.g, &d.e, &d.by_x).run()?;
        sum_by_e += &least::grad_x_i::grad_e(&x, &d.y, &d.w, &d.g, &d.e, &d.by_x).run()?;
    }
    let near = |a: &Array2<f64>, b: &Array2<f64>| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
    assert!(near(&by_y.expect("the shape of y"), &sum_by_y));
    assert!(near(&by_e.into_dimensionality::<Ix2>().expect("the shape of e"), &sum_by_e));
    Ok(())
}
