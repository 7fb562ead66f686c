//! `f32`: arguments from the whole range against double precision.

use crate::functions::{Function, UNARY};
use crate::levels::{self, Level};
use crate::ulp::error_f32;

/// Distance between the bit patterns of neighbouring arguments.
fn stride() -> usize {
    let default = if cfg!(debug_assertions) { 65_537 } else { 1_009 };
    std::env::var("KEOPS_ACCURACY_STRIDE").map_or(default, |v| v.parse().expect("a number"))
}

/// The largest error of one function on one lane type.
#[derive(Clone, Copy)]
struct Worst {
    error: f64,
    at: (f32, f32),
    got: f32,
}

struct Table {
    levels: Vec<Level<f32>>,
    worst: Vec<Worst>,
    function: Function,
}

impl Table {
    fn new(function: Function) -> Self {
        let levels = levels::single();
        let worst = vec![Worst { error: -1.0, at: (0.0, 0.0), got: 0.0 }; levels.len()];
        Table { levels, worst, function }
    }

    fn check(&mut self, x: &[f32], y: &[f32]) {
        let f = self.function;
        let want: Vec<f64> = x.iter().zip(y).map(|(&x, &y)| f.reference(x as f64, y as f64)).collect();
        for (level, worst) in self.levels.iter().zip(&mut self.worst) {
            let got = (level.evaluate)(f, x, y);
            for k in 0..x.len() {
                let error = error_f32(got[k], want[k], f.measure(x[k] as f64, want[k]));
                if error > worst.error {
                    *worst = Worst { error, at: (x[k], y[k]), got: got[k] };
                }
            }
        }
    }

    fn finish(self) {
        let bound = self.function.bounds().0;
        self.finish_with(bound);
    }

    fn finish_with(self, bound: f64) {
        for (level, w) in self.levels.iter().zip(&self.worst) {
            println!(
                "{:?} {}: {:.3} ulp at {:e}, {:e}: {:e}",
                self.function, level.name, w.error, w.at.0, w.at.1, w.got
            );
        }
        for (level, w) in self.levels.iter().zip(&self.worst) {
            assert!(w.error <= bound, "{:?} {}: {} ulp at {:?}", self.function, level.name, w.error, w.at);
        }
    }
}

fn sweep(function: Function) {
    let mut table = Table::new(function);
    let all: Vec<u32> = (0..=u32::MAX).step_by(stride()).collect();
    for block in all.chunks(1 << 14) {
        let x: Vec<f32> = block.iter().map(|&b| f32::from_bits(b)).collect();
        table.check(&x, &x);
    }
    table.finish();
}

macro_rules! sweeps {
    ($($name:ident: $function:ident),*) => { $(
        #[test]
        fn $name() {
            assert!(UNARY.contains(&Function::$function));
            sweep(Function::$function);
        }
    )* };
}
sweeps!(exp2: Exp2, exp: Exp, ln: Ln, sin: Sin, cos: Cos, asin: Asin, acos: Acos, atan: Atan, rsqrt: Rsqrt, xlogx: XLogX,
    sinxdivx: SinXDivX, sinxdivx_prime: SinXDivXPrime, expm1: Expm1, log1p: Log1p, tanh: Tanh, sigmoid: Sigmoid,
    softplus: Softplus, erf: Erf);

/// Where a stride would miss what is hard: multiples of π/2 (here every argument up to 4096 that is nearest to one), and
/// every number between 1/2 and 2.
#[test]
fn dense() {
    let turns: Vec<f32> = (0..2608u32).map(|k| (k as f64 * std::f64::consts::FRAC_PI_2) as f32).collect();
    for f in [Function::Sin, Function::Cos, Function::SinXDivX] {
        let mut table = Table::new(f);
        table.check(&turns, &turns);
        table.finish();
    }
    let step = if cfg!(debug_assertions) { 257 } else { 3 };
    // Where the new terms take over.
    let near_zero: Vec<f32> =
        (0x3d00_0000..0x4100_0000u32).step_by(step).flat_map(|b| [b, b | 1 << 31]).map(f32::from_bits).collect();
    for f in [Function::Expm1, Function::Log1p, Function::Tanh, Function::Sigmoid, Function::Softplus, Function::Erf] {
        let mut table = Table::new(f);
        table.check(&near_zero, &near_zero);
        table.finish();
    }
    let near_one: Vec<f32> = (0x3f00_0000..0x4000_0000).step_by(step).map(f32::from_bits).collect();
    for f in [Function::Ln, Function::XLogX, Function::Asin, Function::Acos, Function::Rsqrt] {
        let mut table = Table::new(f);
        table.check(&near_one, &near_one);
        table.finish();
    }
}

/// Where the derivative is measured by its own last place, the bound is tighter.
#[test]
fn sinxdivx_prime_near_zero() {
    let step = if cfg!(debug_assertions) { 1_009 } else { 7 };
    let x: Vec<f32> = (0x3a00_0000..0x4000_0000).step_by(step).map(f32::from_bits).collect();
    let mut table = Table::new(Function::SinXDivXPrime);
    table.check(&x, &x);
    table.finish_with(2.0);
}

/// A generator of evenly distributed bits (SplitMix64).
struct Bits(u64);
impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn float(&mut self) -> f32 {
        f32::from_bits(self.next() as u32)
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn pairs(function: Function, mut draw: impl FnMut(&mut Bits) -> (f32, f32)) {
    let mut bits = Bits(7);
    let mut table = Table::new(function);
    let count = (0xffff_ffff / stride() / 4).min(1 << 28);
    for _ in 0..count.div_ceil(1 << 14) {
        let (x, y): (Vec<f32>, Vec<f32>) = (0..1 << 14).map(|_| draw(&mut bits)).unzip();
        table.check(&x, &y);
    }
    table.finish();
}

#[test]
fn atan2_anywhere() {
    pairs(Function::Atan2, |b| (b.float(), b.float()));
}

#[test]
fn atan2_at_comparable_coordinates() {
    pairs(Function::Atan2, |b| ((b.unit() * 2.0 - 1.0) as f32, (b.unit() * 2.0 - 1.0) as f32));
}

#[test]
fn powf_anywhere() {
    pairs(Function::Powf, |b| (b.float(), b.float()));
}

/// Exponents that bring the result anywhere between the underflow and the overflow thresholds, and a bit beyond.
#[test]
fn powf_with_finite_results() {
    pairs(Function::Powf, |b| {
        let x = if b.next() & 1 == 0 {
            b.float().abs()
        } else {
            (1.0 + (b.unit() - 0.5) * (-20.0 * b.unit()).exp2()) as f32
        };
        let exponent = -155.0 + b.unit() * 290.0;
        (x, (exponent / (x as f64).log2()) as f32)
    });
}

#[test]
fn powf_with_integer_exponents() {
    pairs(Function::Powf, |b| (((b.unit() - 0.5) * 8.0) as f32, ((b.unit() - 0.5) * 60.0).round() as f32));
}
