//! Operations without a rounding error of their own: bit for bit what the `libm` crate says.

use crate::functions::Function::{self, *};
use crate::levels;

fn arguments() -> Vec<f32> {
    let special = [0.0, -0.0, 0.5, -0.5, 0.499_999_97, 1.5, 2.5, -2.5, 8_388_607.5, 8_388_609.0, 1e30, -1e30];
    let extreme = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)];
    special.into_iter().chain(extreme).chain((0..=u32::MAX).step_by(262_147).map(f32::from_bits)).collect()
}

fn same(f: Function, level: &str, x: f64, got: f64, want: f64) {
    let equal = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
    assert!(equal, "{f:?} {level} at {x:?}: {got:?}, not {want:?}");
}

#[test]
fn rounding_and_signs() {
    let x = arguments();
    let wide: Vec<f64> = x.iter().map(|&v| v as f64 * if v.abs() < 1e9 { 1.000_000_1 } else { 1.0 }).collect();
    for f in [Sqrt, Floor, RoundEven, Round, Sign, Step, Relu] {
        for level in levels::single() {
            for (&x, got) in x.iter().zip((level.evaluate)(f, &x, &x)) {
                let want = f.reference(x as f64, 0.0) as f32;
                same(f, level.name, x as f64, got as f64, want as f64);
            }
        }
        for level in levels::double() {
            for (&x, got) in wide.iter().zip((level.evaluate)(f, &wide, &wide)) {
                let want = f.reference(x, 0.0);
                same(f, level.name, x, got, want);
            }
        }
    }
}

/// Powers of two that make results overflow, lose digits or vanish, and that are far beyond any exponent.
#[test]
fn ldexp_rounds_once() {
    let powers = (-1100..1100).map(|n| n as f64).chain([-1e9, 1e9, f64::NEG_INFINITY, f64::INFINITY]);
    let (mut x, mut n) = (Vec::new(), Vec::new());
    for (k, power) in powers.enumerate() {
        for v in [1.0, 0.700_000_000_1, -1.3 - k as f64 * 1e-4, 1.0 + f64::EPSILON * k as f64, 2.0 - f64::EPSILON] {
            x.push(v);
            n.push(power);
        }
    }
    for level in levels::double() {
        for (k, got) in (level.evaluate)(Ldexp, &x, &n).into_iter().enumerate() {
            assert_eq!(got, Ldexp.reference(x[k], n[k]), "{} at {:?}", level.name, (x[k], n[k]));
        }
    }
    let x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
    let n: Vec<f32> = n.iter().map(|&v| v as f32).collect();
    for level in levels::single() {
        for (k, got) in (level.evaluate)(Ldexp, &x, &n).into_iter().enumerate() {
            // Exact in double precision down to far below the least `f32`.
            let want = Ldexp.reference(x[k] as f64, n[k] as f64) as f32;
            assert_eq!(got, want, "{} at {:?}", level.name, (x[k], n[k]));
        }
    }
}

/// 2^n is exact for every integer n.
#[test]
fn exp2_of_integers() {
    let n: Vec<f64> = (-1080..1030).map(f64::from).collect();
    for level in levels::double() {
        for (&n, got) in n.iter().zip((level.evaluate)(Exp2, &n, &n)) {
            assert_eq!(got, Ldexp.reference(1.0, n), "{} at {n}", level.name);
        }
    }
    let n: Vec<f32> = n.iter().map(|&v| v as f32).collect();
    for level in levels::single() {
        for (&n, got) in n.iter().zip((level.evaluate)(Exp2, &n, &n)) {
            assert_eq!(got, Ldexp.reference(1.0, n as f64) as f32, "{} at {n}", level.name);
        }
    }
}
