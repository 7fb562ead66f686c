//! Zeros, infinities, NaN and the points where C and this crate make a choice.

use crate::functions::Function::{self, *};
use crate::levels;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Function, argument, value; from the C standard (annex F) or this crate's conventions.
const UNARY: &[(Function, f64, f64)] = &[
    (Exp2, 0.0, 1.0),
    (Exp2, -0.0, 1.0),
    (Exp2, -INF, 0.0),
    (Exp2, INF, INF),
    (Exp2, NAN, NAN),
    (Exp2, 3e38, INF),
    (Exp2, -3e38, 0.0),
    (Exp, 0.0, 1.0),
    (Exp, -0.0, 1.0),
    (Exp, -INF, 0.0),
    (Exp, INF, INF),
    (Exp, NAN, NAN),
    (Exp, 3e38, INF),
    (Exp, -3e38, 0.0),
    (Ln, 1.0, 0.0),
    (Ln, 0.0, -INF),
    (Ln, -0.0, -INF),
    (Ln, -1.0, NAN),
    (Ln, -1e-45, NAN),
    (Ln, -INF, NAN),
    (Ln, INF, INF),
    (Ln, NAN, NAN),
    (Sin, 0.0, 0.0),
    (Sin, -0.0, -0.0),
    (Sin, INF, NAN),
    (Sin, -INF, NAN),
    (Sin, NAN, NAN),
    (Cos, 0.0, 1.0),
    (Cos, INF, NAN),
    (Cos, -INF, NAN),
    (Cos, NAN, NAN),
    (Asin, 0.0, 0.0),
    (Asin, -0.0, -0.0),
    (Asin, 1.0, std::f64::consts::FRAC_PI_2),
    (Asin, -1.0, -std::f64::consts::FRAC_PI_2),
    (Asin, 1.000_001, NAN),
    (Asin, -INF, NAN),
    (Asin, NAN, NAN),
    (Acos, 1.0, 0.0),
    (Acos, -1.0, std::f64::consts::PI),
    (Acos, 0.0, std::f64::consts::FRAC_PI_2),
    (Acos, -1.000_001, NAN),
    (Acos, INF, NAN),
    (Acos, NAN, NAN),
    (Atan, 0.0, 0.0),
    (Atan, -0.0, -0.0),
    (Atan, INF, std::f64::consts::FRAC_PI_2),
    (Atan, -INF, -std::f64::consts::FRAC_PI_2),
    (Atan, NAN, NAN),
    (Rsqrt, 0.0, 0.0),
    (Rsqrt, -0.0, 0.0),
    (Rsqrt, INF, 0.0),
    (Rsqrt, 0.25, 2.0),
    (Rsqrt, -1.0, NAN),
    (Rsqrt, NAN, NAN),
    (XLogX, 0.0, 0.0),
    (XLogX, -0.0, 0.0),
    (XLogX, 1.0, 0.0),
    (XLogX, -1.0, NAN),
    (XLogX, INF, INF),
    (XLogX, NAN, NAN),
    (SinXDivX, 0.0, 1.0),
    (SinXDivX, -0.0, 1.0),
    (SinXDivX, 1e-45, 1.0),
    (SinXDivX, INF, NAN),
    (SinXDivX, NAN, NAN),
    (SinXDivXPrime, 0.0, -0.0),
    (SinXDivXPrime, -0.0, 0.0),
    (SinXDivXPrime, INF, NAN),
    (SinXDivXPrime, NAN, NAN),
    (Expm1, 0.0, 0.0),
    (Expm1, -0.0, -0.0),
    (Expm1, INF, INF),
    (Expm1, -INF, -1.0),
    (Expm1, 1e-45, 1e-45),
    (Expm1, 3e38, INF),
    (Expm1, NAN, NAN),
    (Log1p, 0.0, 0.0),
    (Log1p, -0.0, -0.0),
    (Log1p, 1e-45, 1e-45),
    (Log1p, -1.0, -INF),
    (Log1p, -2.0, NAN),
    (Log1p, -INF, NAN),
    (Log1p, INF, INF),
    (Log1p, NAN, NAN),
    (Tanh, 0.0, 0.0),
    (Tanh, -0.0, -0.0),
    (Tanh, 1e-45, 1e-45),
    (Tanh, INF, 1.0),
    (Tanh, -INF, -1.0),
    (Tanh, NAN, NAN),
    (Sigmoid, 0.0, 0.5),
    (Sigmoid, -0.0, 0.5),
    (Sigmoid, INF, 1.0),
    (Sigmoid, -INF, 0.0),
    (Sigmoid, NAN, NAN),
    (Softplus, INF, INF),
    (Softplus, -INF, 0.0),
    (Softplus, NAN, NAN),
    (Erf, 0.0, 0.0),
    (Erf, -0.0, -0.0),
    (Erf, INF, 1.0),
    (Erf, -INF, -1.0),
    (Erf, NAN, NAN),
    (Sign, NAN, 0.0),
    (Sign, -0.0, 0.0),
    (Step, NAN, 1.0),
    (Step, -0.0, 1.0),
];

#[test]
fn one_argument() {
    for &(f, x, want) in UNARY {
        for level in levels::single() {
            let got = (level.evaluate)(f, &[x as f32], &[0.0])[0];
            let want = want as f32;
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{f:?} {} at {x}: {got:?}",
                level.name
            );
        }
        for level in levels::double() {
            let x = if x.is_finite() && x.abs() > 1e38 { x.signum() * 1e308 } else { x };
            let got = (level.evaluate)(f, &[x], &[0.0])[0];
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{f:?} {} at {x}: {got:?}",
                level.name
            );
        }
    }
}

/// What is smaller, what is larger: the second argument where neither is, and where one is a NaN.
#[test]
fn smaller_and_larger() {
    let table = [
        (1.0, 2.0, 1.0, 2.0),
        (2.0, 1.0, 1.0, 2.0),
        (-1.0, -INF, -INF, -1.0),
        (INF, 3.0, 3.0, INF),
        (0.0, -0.0, -0.0, -0.0),
        (-0.0, 0.0, 0.0, 0.0),
        (NAN, 5.0, 5.0, 5.0),
        (NAN, -INF, -INF, -INF),
        (5.0, NAN, NAN, NAN),
        (-INF, NAN, NAN, NAN),
        (NAN, NAN, NAN, NAN),
    ];
    let (x, y) = (table.map(|row| row.0), table.map(|row| row.1));
    for (f, want) in [(MinOr, table.map(|row| row.2)), (MaxOr, table.map(|row| row.3))] {
        let check = |level: &str, got: Vec<f64>| {
            for (k, (got, want)) in got.into_iter().zip(want).enumerate() {
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{f:?} {level} of {:?}: {got:?}, not {want:?}", (x[k], y[k]));
            }
        };
        for level in levels::single() {
            let got = (level.evaluate)(f, &x.map(|v| v as f32), &y.map(|v| v as f32));
            check(level.name, got.into_iter().map(f64::from).collect());
        }
        for level in levels::double() {
            check(level.name, (level.evaluate)(f, &x, &y));
        }
    }
}

/// Every pair of these, against the `libm` crate: all the special cases of C's `pow` and `atan2`.
#[test]
fn two_arguments() {
    let magnitudes = [
        0.0,
        1e-45,
        1e-40,
        1e-30,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        3.0,
        4.0,
        16_777_215.0,
        16_777_217.0,
        3e38,
        INF,
        NAN,
    ];
    let values: Vec<f64> = magnitudes.into_iter().flat_map(|v| [v, -v]).map(|v| v as f32 as f64).collect();
    for f in [Atan2, Powf] {
        for &x in &values {
            for &y in &values {
                let want = f.reference(x, y);
                let ok = |got: f64, want: f64, digits: f64| {
                    got.is_nan() && want.is_nan()
                        || got == want && got.is_sign_negative() == want.is_sign_negative()
                        || ((got - want) / want).abs() < digits && want.is_finite() && want != 0.0
                };
                for level in levels::single() {
                    let got = (level.evaluate)(f, &[x as f32], &[y as f32])[0];
                    let want = want as f32 as f64;
                    let subnormal = want.abs() < f32::MIN_POSITIVE as f64 && (got as f64 - want).abs() < 2e-45;
                    assert!(
                        ok(got as f64, want, 2.4e-7) || subnormal && want != 0.0,
                        "{f:?} {} at {x:e}, {y:e}: {got:e}, not {want:e}",
                        level.name
                    );
                }
                for level in levels::double() {
                    let got = (level.evaluate)(f, &[x], &[y])[0];
                    assert!(ok(got, want, 4.5e-16), "{f:?} {} at {x:e}, {y:e}: {got:e}, not {want:e}", level.name);
                }
            }
        }
    }
}
