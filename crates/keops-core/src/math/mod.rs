//! Elementary functions on lanes.
#![allow(missing_docs)]
use crate::real::{Real, Scalar};
#[allow(dead_code)]
pub(crate) mod exp;

macro_rules! todo_map { ($($n:ident => $e:expr),*) => { $( #[inline(always)] pub fn $n<R: Real>(x: R) -> R { x.map(|v| R::Scalar::from_f64({ let f: fn(f64) -> f64 = $e; f(v.to_f64()) })) } )* } }
todo_map!(exp2 => libm::exp2, exp => libm::exp, ln => libm::log, sin => libm::sin, cos => libm::cos, asin => libm::asin, acos => libm::acos, atan => libm::atan,
  rsqrt => |v| if v == 0.0 { 0.0 } else { 1.0 / libm::sqrt(v) }, sinxdivx => |v| if v == 0.0 { 1.0 } else { libm::sin(v) / v },
  sinxdivx_prime => |v| if v == 0.0 { 0.0 } else { (libm::cos(v) - libm::sin(v) / v) / v }, xlogx => |v| if v == 0.0 { 0.0 } else { v * libm::log(v) },
  round => libm::round, sign => |v| if v > 0.0 { 1.0 } else if v < 0.0 { -1.0 } else { 0.0 });
#[inline(always)] pub fn atan2<R: Real>(y: R, x: R) -> R { y.zip(x, |a, b| R::Scalar::from_f64(libm::atan2(a.to_f64(), b.to_f64()))) }
#[inline(always)] pub fn powf<R: Real>(y: R, x: R) -> R { y.zip(x, |a, b| R::Scalar::from_f64(libm::pow(a.to_f64(), b.to_f64()))) }
