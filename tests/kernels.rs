//! The ready kernels against naive loops over closed forms, their gradients against differences of these loops, in both
//! number types; and against the oracle's cases.
//!
//! One row of y is a row of x, so that everything is also tested at coincident points. A central difference through the kink of
//! a norm is 0 there, which is the convention.

use keops::{Error, kernels};
use std::sync::LazyLock;

const D: usize = 3;
const E: usize = 2;
const M: usize = 7;
const N: usize = 9;

/// Value of a kernel at two points, for parameters.
type Closed = fn(&[f64], &[f64], &[Vec<f64>]) -> f64;

/// Tables x, y, b, then one for each parameter.
fn problem(parameters: &[&[f64]]) -> Vec<Vec<f64>> {
    // Multiples of 1/64 between −1 and 1 are exact in both types.
    let mut state = 20_u32;
    let mut table = |rows: usize, columns: usize| -> Vec<f64> {
        (0..rows * columns)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                f64::from(state >> 25) / 64.0 - 1.0
            })
            .collect()
    };
    let (x, mut y, b) = (table(M, D), table(N, D), table(N, E));
    y[4 * D..5 * D].copy_from_slice(&x[2 * D..3 * D]);
    let mut tables = vec![x, y, b];
    tables.extend(parameters.iter().map(|p| p.to_vec()));
    tables
}

/// A covector of the results.
fn seed() -> Vec<f64> {
    (0..M * E).map(|k| f64::from(k as u32 * 5 % 11) / 8.0 - 0.5).collect()
}

/// Σ_j k(x_i, y_j) b_j, and the sum of the magnitudes of its terms.
fn sums(tables: &[Vec<f64>], closed: Closed) -> Vec<(f64, f64)> {
    let [x, y, b, parameters @ ..] = tables else { return vec![] };
    let mut sums = vec![(0.0, 0.0); x.len() / D * E];
    for (x, sums) in x.chunks(D).zip(sums.chunks_mut(E)) {
        for (y, b) in y.chunks(D).zip(b.chunks(E)) {
            let value = closed(x, y, parameters);
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = (sum.0 + value * b, sum.1 + (value * b).abs());
            }
        }
    }
    sums
}

/// The derivative of Σ seed · sums by every number of a table.
fn slopes(tables: &[Vec<f64>], at: usize, closed: Closed) -> Vec<f64> {
    const STEP: f64 = 1.0 / 131_072.0;
    let total = |k: usize, step: f64| -> f64 {
        let mut moved = tables.to_vec();
        moved[at][k] += step;
        sums(&moved, closed).iter().zip(seed()).map(|(sum, e)| sum.0 * e).sum()
    };
    (0..tables[at].len()).map(|k| (total(k, STEP) - total(k, -STEP)) / (2.0 * STEP)).collect()
}

fn agree<T: Copy + Into<f64>>(what: &str, got: &[T], want: &[(f64, f64)], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (k, (got, (want, scale))) in got.iter().zip(want).enumerate() {
        let got: f64 = (*got).into();
        assert!((got - want).abs() <= tolerance * (1.0 + scale), "{what}: entry {k} is {got}, not {want}");
    }
}

fn converted<T>(table: &[f64], convert: fn(f64) -> T) -> Vec<T> {
    table.iter().map(|&v| convert(v)).collect()
}

macro_rules! kernel {
    ($kernel:ident $arguments:tt, [$($gradient:ident),*], $parameters:expr, $closed:expr) => {
        #[test]
        fn $kernel() -> Result<(), Error> {
            let closed: Closed = $closed;
            let tables = problem($parameters);
            kernel!(@agrees f64, |v| v, [1e-13, 2e-7], $kernel, $arguments, [$($gradient)*], tables, closed);
            kernel!(@agrees f32, |v| v as f32, [3e-6, 3e-5], $kernel, $arguments, [$($gradient)*], tables, closed);
            Ok(())
        }
    };
    (@agrees $T:ident, $convert:expr, [$of_values:expr, $of_slopes:expr], $kernel:ident, $arguments:tt,
        [$($gradient:ident)*], $tables:ident, $closed:ident) => {
        kernel!(@tables $T, $convert, $arguments, $tables);
        let e = converted(&seed(), $convert);
        let got = kernel!(@call kernels::$kernel::<$T, D, E>, $arguments).run()?;
        let what = concat!(stringify!($kernel), " in ", stringify!($T));
        agree(what, got.as_slice().unwrap_or(&[]), &sums(&$tables, $closed), $of_values);
        let mut at = 0;
        $(
            let got = kernel!(@call kernels::$kernel::$gradient::<$T, D, E>, $arguments, e).run()?;
            let want: Vec<(f64, f64)> = slopes(&$tables, at, $closed).iter().map(|v| (*v, v.abs())).collect();
            let what = concat!(stringify!($kernel), "::", stringify!($gradient), " in ", stringify!($T));
            agree(what, got.as_slice().unwrap_or(&[]), &want, $of_slopes);
            at += 1;
        )*
        assert_eq!(at, $tables.len(), "a gradient for each argument");
    };
    (@tables $T:ident, $convert:expr, ($($argument:ident),*), $tables:ident) => {
        let mut rest = $tables.iter();
        $(let $argument: Vec<$T> = rest.next().map(|table| converted(table, $convert)).unwrap_or_default();)*
    };
    (@call $function:expr, ($($argument:ident),*) $(, $e:ident)?) => {
        $function($(&$argument,)* $(&$e)?)
    };
}

fn square_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    square_distance(x, y).sqrt()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

kernel!(gaussian(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[0.75]], |x, y, p| {
    (-square_distance(x, y) / (2.0 * p[0][0].powi(2))).exp()
});
kernel!(
    gaussian_ard(x, y, b, l),
    [grad_x_i, grad_y_j, grad_b_j, grad_length_scales],
    &[&[0.75, 1.5, 0.5]],
    |x, y, p| (-x.iter().zip(y).zip(&p[0]).map(|((x, y), l)| ((x - y) / l).powi(2)).sum::<f64>() / 2.0).exp()
);
kernel!(laplacian(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[0.75]], |x, y, p| (-distance(
    x, y
) / p[0][0])
    .exp());
kernel!(matern12(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[1.25]], |x, y, p| (-distance(
    x, y
) / p[0][0])
    .exp());
kernel!(matern32(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[0.75]], |x, y, p| {
    let t = 3.0_f64.sqrt() * distance(x, y) / p[0][0];
    (1.0 + t) * (-t).exp()
});
kernel!(matern52(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[0.75]], |x, y, p| {
    let t = 5.0_f64.sqrt() * distance(x, y) / p[0][0];
    (1.0 + t + t * t / 3.0) * (-t).exp()
});
kernel!(
    rational_quadratic(x, y, b, l, a),
    [grad_x_i, grad_y_j, grad_b_j, grad_length_scale, grad_alpha],
    &[&[0.75], &[1.5]],
    |x, y, p| (1.0 + square_distance(x, y) / (2.0 * p[1][0] * p[0][0].powi(2))).powf(-p[1][0])
);
kernel!(cauchy(x, y, b, l), [grad_x_i, grad_y_j, grad_b_j, grad_length_scale], &[&[0.75]], |x, y, p| 1.0
    / (1.0 + square_distance(x, y) / p[0][0].powi(2)));
kernel!(inverse_multiquadric(x, y, b, c), [grad_x_i, grad_y_j, grad_b_j, grad_offset], &[&[0.75]], |x, y, p| 1.0
    / (p[0][0].powi(2) + square_distance(x, y)).sqrt());
kernel!(
    periodic(x, y, b, p, l),
    [grad_x_i, grad_y_j, grad_b_j, grad_period, grad_length_scale],
    &[&[1.75], &[1.25]],
    |x, y, p| {
        let sines = x.iter().zip(y).map(|(x, y)| (std::f64::consts::PI * (x - y) / p[0][0]).sin().powi(2)).sum::<f64>();
        (-2.0 * sines / p[1][0].powi(2)).exp()
    }
);
kernel!(linear(x, y, b), [grad_x_i, grad_y_j, grad_b_j], &[], |x, y, _| dot(x, y));
kernel!(
    polynomial2(x, y, b, s, c),
    [grad_x_i, grad_y_j, grad_b_j, grad_scale, grad_offset],
    &[&[0.75], &[0.5]],
    |x, y, p| (p[0][0] * dot(x, y) + p[1][0]).powi(2)
);
kernel!(
    polynomial3(x, y, b, s, c),
    [grad_x_i, grad_y_j, grad_b_j, grad_scale, grad_offset],
    &[&[0.75], &[0.5]],
    |x, y, p| (p[0][0] * dot(x, y) + p[1][0]).powi(3)
);
kernel!(
    polynomial4(x, y, b, s, c),
    [grad_x_i, grad_y_j, grad_b_j, grad_scale, grad_offset],
    &[&[0.75], &[0.5]],
    |x, y, p| (p[0][0] * dot(x, y) + p[1][0]).powi(4)
);
kernel!(energy_distance(x, y, b), [grad_x_i, grad_y_j, grad_b_j], &[], |x, y, _| -distance(x, y));
kernel!(thin_plate(x, y, b), [grad_x_i, grad_y_j, grad_b_j], &[], |x, y, _| match distance(x, y) {
    0.0 => 0.0,
    r => r * r * r.ln(),
});

#[test]
fn without_offset_a_point_does_not_act_on_itself() -> Result<(), Error> {
    let points = [[0.0, 0.0], [3.0, 4.0]];
    let a = kernels::inverse_multiquadric(&points, &points, &[[1.0], [10.0]], &0.0).run()?;
    assert!((a[[0, 0]] - 2.0_f64).abs() < 1e-15 && (a[[1, 0]] - 0.2).abs() < 1e-15, "{a}");
    let dx =
        kernels::inverse_multiquadric::grad_x_i(&points, &points, &[[1.0], [10.0]], &0.0, &[[1.0], [1.0]]).run()?;
    assert!((dx[[0, 0]] - 10.0 * 3.0 / 125.0).abs() < 1e-15, "{dx}");
    Ok(())
}

/// The oracle's cases.
static CASES: LazyLock<Vec<serde_json::Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("oracle/cases.json")).expect("the oracle's file is JSON"));

/// Numbers of a variable of an oracle's case, and its results with their magnitude and tolerance.
struct Case(&'static serde_json::Value);

impl Case {
    fn named(name: &str) -> Case {
        Case(CASES.iter().find(|c| c["name"] == name).expect("a case of that name"))
    }

    fn table(value: &serde_json::Value) -> Vec<f64> {
        let rows = value.as_array().expect("rows");
        rows.iter().flat_map(|row| row.as_array().expect("numbers")).map(|v| v.as_f64().expect("a number")).collect()
    }

    fn variable(&self, name: &str) -> Vec<f64> {
        let variables = self.0["vars"].as_array().expect("variables");
        Case::table(&variables.iter().find(|v| v["name"] == name).expect("a variable of that name")["data"])
    }

    /// A parameter that follows from those of the case.
    fn parameter(&self, from: impl Fn(&dyn Fn(&str) -> f64) -> f64) -> f64 {
        from(&|name| self.variable(name)[0])
    }

    fn agrees(&self, got: Result<ndarray::Array2<f64>, Error>) {
        let (name, want) = (&self.0["name"], Case::table(&self.0["value"]));
        let number = |key: &str| self.0[key].as_f64().expect("a number");
        let got = got.expect("shapes are right");
        assert_eq!(got.len(), want.len(), "{name}");
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() <= number("rtol_f64") * number("scale"), "{name}: {got}, not {want}");
        }
    }
}

/// Runs a kernel with the arrays of a case.
macro_rules! of_case {
    ($case:expr, $kernel:ident::<$D:literal, $E:literal> $(, $parameter:expr)*) => {{
        let case = Case::named($case);
        let [x, y, b] = ["x_i", "y_j", "b_j"].map(|name| case.variable(name));
        case.agrees(kernels::$kernel::<f64, $D, $E>(&x, &y, &b $(, &case.parameter($parameter))*).run());
    }};
}

#[test]
fn the_oracle_agrees() {
    of_case!("k_gaussian", gaussian::<3, 2>, |of| (0.5 / of("s")).sqrt());
    of_case!("k_matern32", matern32::<3, 2>, |of| 3.0_f64.sqrt() / of("s"));
    of_case!("k_cauchy", cauchy::<3, 2>, |of| of("s").sqrt().recip());
    of_case!("k_inverse_multiquadric", inverse_multiquadric::<3, 2>, |of| of("s"));
    of_case!("k_periodic", periodic::<1, 2>, |of| of("p"), |of| of("l"));
    of_case!("k_linear", linear::<3, 2>);
    of_case!("k_polynomial", polynomial3::<3, 2>, |of| of("s"), |of| of("c"));
    of_case!("k_energy_distance", energy_distance::<3, 1>);
    of_case!("k_energy_distance_of_cloud_with_itself", energy_distance::<2, 1>);
    of_case!("k_thin_plate", thin_plate::<3, 2>);
    of_case!("k_thin_plate_coincident_value", thin_plate::<2, 1>);
    of_case!("k_gaussian_rhs80", gaussian::<3, 80>, |of| (0.5 / of("s")).sqrt());
    of_case!("k_gaussian_rhs129", gaussian::<3, 129>, |of| (0.5 / of("s")).sqrt());
}
