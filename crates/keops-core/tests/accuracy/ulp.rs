//! Errors in units of the last place.

/// Unit of the last place of a number of this size, for a format with `digits` significant bits and the least normal
/// exponent `least`.
fn unit(value: f64, digits: i32, least: i32) -> f64 {
    let exponent = if value == 0.0 { least } else { libm::ilogb(value).clamp(least, 1 - least) };
    libm::scalbn(1.0, exponent - digits + 1)
}

/// Unit of the last place in `f32`.
pub(crate) fn unit_f32(value: f64) -> f64 {
    unit(value, 24, -126)
}

/// Unit of the last place in `f64`.
pub(crate) fn unit_f64(value: f64) -> f64 {
    unit(value, 53, -1022)
}

/// Error of `got` against `want` in units of the last place of `measure`; infinite where one is NaN and the other is not,
/// or a zero has the wrong sign. An infinity counts as the first number beyond the finite ones.
pub(crate) fn error_f32(got: f32, want: f64, measure: f64) -> f64 {
    let beyond = libm::scalbn(1.0, 128);
    let wrong_zero = want == 0.0 && (got != 0.0 || got.is_sign_negative() != want.is_sign_negative());
    if got.is_nan() != want.is_nan() || wrong_zero {
        return f64::INFINITY;
    }
    if want.is_nan() {
        return 0.0;
    }
    let finite = |v: f64| v.clamp(-beyond, beyond);
    (finite(got as f64) - finite(want)).abs() / unit_f32(measure)
}
