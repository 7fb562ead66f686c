//! The functions under test, and the bounds that their documentation states.

use keops_core::Real;

/// One function of one or two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Exp2,
    Exp,
    Ln,
    Sin,
    Cos,
    Asin,
    Acos,
    Atan,
    Rsqrt,
    XLogX,
    SinXDivX,
    SinXDivXPrime,
    Expm1,
    Log1p,
    Tanh,
    Sigmoid,
    Softplus,
    Erf,
    Atan2,
    Powf,
    Ldexp,
    Sqrt,
    Floor,
    RoundEven,
    Round,
    Sign,
    Step,
    Relu,
    MinOr,
    MaxOr,
}
use Function::*;

/// Those with a rounding error, one argument.
pub(crate) const UNARY: [Function; 18] = [
    Exp2,
    Exp,
    Ln,
    Sin,
    Cos,
    Asin,
    Acos,
    Atan,
    Rsqrt,
    XLogX,
    SinXDivX,
    SinXDivXPrime,
    Expm1,
    Log1p,
    Tanh,
    Sigmoid,
    Softplus,
    Erf,
];

impl Function {
    /// Name in `data/reference.csv`.
    pub(crate) fn from_name(name: &str) -> Self {
        let all = UNARY.into_iter().chain([Atan2, Powf]);
        let found = all.into_iter().find(|f| format!("{f:?}").to_lowercase() == name.replace('_', ""));
        found.unwrap_or_else(|| panic!("unknown function {name}"))
    }

    /// Largest error in ulp: `f32`, `f64`.
    pub(crate) fn bounds(self) -> (f64, f64) {
        match self {
            Exp2 => (2.0, 1.1),
            Exp => (1.1, 1.0),
            Ln | Sin | Cos | Atan => (1.0, 1.0),
            Asin | Acos => (1.25, 1.25),
            Atan2 => (1.75, 1.75),
            Rsqrt | Powf => (1.5, 1.5),
            XLogX | SinXDivX => (2.0, 2.0),
            SinXDivXPrime => (2.5, 2.5),
            Expm1 | Sigmoid => (2.5, 2.5),
            Log1p => (1.5, 1.5),
            Tanh => (3.0, 3.0),
            Softplus => (2.0, 2.0),
            Erf => (1.5, 1.0),
            Ldexp | Sqrt | Floor | RoundEven | Round | Sign | Step | Relu | MinOr | MaxOr => (0.5, 0.5),
        }
    }

    /// The value on lanes; `y` is ignored by functions of one argument.
    #[inline(always)]
    pub(crate) fn apply<R: Real>(self, x: R, y: R) -> R {
        match self {
            Exp2 => x.exp2(),
            Exp => x.exp(),
            Ln => x.ln(),
            Sin => x.sin(),
            Cos => x.cos(),
            Asin => x.asin(),
            Acos => x.acos(),
            Atan => x.atan(),
            Rsqrt => x.rsqrt(),
            XLogX => x.xlogx(),
            SinXDivX => x.sinxdivx(),
            SinXDivXPrime => x.sinxdivx_prime(),
            Expm1 => x.expm1(),
            Log1p => x.log1p(),
            Tanh => x.tanh(),
            Sigmoid => x.sigmoid(),
            Softplus => x.softplus(),
            Erf => x.erf(),
            Atan2 => x.atan2(y),
            Powf => x.powf(y),
            Ldexp => x.ldexp(y),
            Sqrt => x.sqrt(),
            Floor => x.floor(),
            RoundEven => x.round_even(),
            Round => x.round(),
            Sign => x.sign(),
            Step => x.step(),
            Relu => x.relu(),
            MinOr => x.min_or(y),
            MaxOr => x.max_or(y),
        }
    }

    /// The value in double precision, from the `libm` crate.
    pub(crate) fn reference(self, x: f64, y: f64) -> f64 {
        match self {
            Exp2 => libm::exp2(x),
            Exp => libm::exp(x),
            Ln => libm::log(x),
            Sin => libm::sin(x),
            Cos => libm::cos(x),
            Asin => libm::asin(x),
            Acos => libm::acos(x),
            Atan => libm::atan(x),
            Rsqrt if x == 0.0 => 0.0,
            Rsqrt => 1.0 / libm::sqrt(x),
            XLogX if x == 0.0 => 0.0,
            XLogX => x * libm::log(x),
            SinXDivX if x == 0.0 => 1.0,
            SinXDivX => libm::sin(x) / x,
            SinXDivXPrime => sinc_prime(x),
            Expm1 => libm::expm1(x),
            Log1p => libm::log1p(x),
            Tanh => libm::tanh(x),
            Sigmoid if x < 0.0 => libm::exp(x) / (1.0 + libm::exp(x)),
            Sigmoid => 1.0 / (1.0 + libm::exp(-x)),
            Softplus if x > 0.0 => x + libm::log1p(libm::exp(-x)),
            Softplus => libm::log1p(libm::exp(x)),
            Erf => libm::erf(x),
            Atan2 => libm::atan2(x, y),
            Powf => libm::pow(x, y),
            Ldexp => libm::ldexp(x, y.clamp(-5000.0, 5000.0) as i32),
            Sqrt => libm::sqrt(x),
            Floor => libm::floor(x),
            RoundEven => libm::rint(x),
            Round => libm::round(x),
            Sign if x > 0.0 => 1.0,
            Sign if x < 0.0 => -1.0,
            Sign => 0.0,
            Step if x < 0.0 => 0.0,
            Step => 1.0,
            Relu if x < 0.0 => 0.0,
            Relu => x,
            MinOr if x < y => x,
            MaxOr if x > y => x,
            MinOr | MaxOr => y,
        }
    }

    /// The number whose last place measures the error at `x`: the value, except where a function has zeros between
    /// terms of known size.
    pub(crate) fn measure(self, x: f64, value: f64) -> f64 {
        match self {
            SinXDivXPrime if x.abs() >= 2.0 => value.abs().max(1.0 / x.abs()),
            _ => value,
        }
    }
}

/// Derivative of sin(x)/x: the Taylor series Σ (−1)^k 2k x^(2k−1)/(2k+1)! where the closed form cancels.
fn sinc_prime(x: f64) -> f64 {
    if x == 0.0 {
        return -x;
    }
    if x.abs() >= 1.0 {
        return (libm::cos(x) - libm::sin(x) / x) / x;
    }
    let (mut sum, mut power) = (0.0, x);
    let mut factorial = 1.0;
    for k in 1..12 {
        let n = 2.0 * k as f64;
        factorial *= -n * (n + 1.0);
        sum += n * power / factorial;
        power *= x * x;
    }
    sum
}
