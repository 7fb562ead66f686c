//! A Matérn-5/2 kernel sum with its gradient in every variable, the length scale included, checked by central differences.
//!
//! `cargo run --release --example matern`

use keops::{Error, keops};

keops! {
    /// a_i = Σ_j (1 + √5 r/ℓ + 5/3 r²/ℓ²) exp(−√5 r/ℓ) b_j with r = |x_i − y_j|
    #[grad(x_i, y_j, b_j, l)]
    pub fn matern(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, l: Pm<1>) = Sum_Reduction(
        (1 + Sqrt(5) * Norm2(x_i - y_j) / l + 5 / 3 * SqDist(x_i, y_j) / l ** 2) * Exp(-Sqrt(5) * Norm2(x_i - y_j) / l) * b_j, 0);
}

/// All data of a call.
#[derive(Clone)]
struct Data {
    x: Vec<[f64; 3]>,
    y: Vec<[f64; 3]>,
    b: Vec<f64>,
    l: f64,
}

impl Data {
    /// Σ_i a_i
    fn total(&self) -> Result<f64, Error> {
        Ok(matern(&self.x, &self.y, &self.b, &self.l).run()?.sum())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wave = |k: usize, d: usize, f: f64| (f * k as f64 + 1.7 * d as f64).sin();
    let point = |k: usize, f: f64| std::array::from_fn(|d| wave(k, d, f));
    let data = Data {
        x: (0..1000).map(|i| point(i, 0.37)).collect(),
        y: (0..2000).map(|j| point(j, 0.73)).collect(),
        b: (0..2000).map(|j| wave(j, 0, 1.1)).collect(),
        l: 0.8,
    };
    let Data { x, y, b, l } = &data;
    let seed = vec![1.0; x.len()];
    let by_x = matern::grad_x_i(x, y, b, l, &seed).run()?;
    let by_y = matern::grad_y_j(x, y, b, l, &seed).run()?;
    let by_b = matern::grad_b_j(x, y, b, l, &seed).run()?;
    let by_l = matern::grad_l(x, y, b, l, &seed).run()?;

    type Change = fn(&mut Data, f64);
    let cases: [(&str, f64, Change); 4] = [
        ("x_i, number 1 of row 10", by_x[[10, 1]], |data, h| data.x[10][1] += h),
        ("y_j, number 2 of row 77", by_y[[77, 2]], |data, h| data.y[77][2] += h),
        ("b_j, row 1999", by_b[[1999, 0]], |data, h| data.b[1999] += h),
        ("l", by_l[[0, 0]], |data, h| data.l += h),
    ];
    println!("{:28}{:>14}{:>18}", "derivative of Σ_i a_i by", "gradient", "by differences");
    for (name, found, change) in cases {
        let moved = |h: f64| {
            let mut data = data.clone();
            change(&mut data, h);
            data.total()
        };
        let expected = (moved(1e-5)? - moved(-1e-5)?) / 2e-5;
        println!("{name:28}{found:>14.6}{expected:>18.6}");
        if (found - expected).abs() > 1e-5 * (1.0 + expected.abs()) {
            return Err(format!("the derivative by {name} is wrong").into());
        }
    }
    Ok(())
}
