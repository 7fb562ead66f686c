//! The K nearest neighbours of every point, by brute force: exact, in any dimension, for any distance that can be written.
//!
//! `cargo run --release --example knn`

use keops::{Error, keops};
use std::time::Instant;

keops! {
    pub fn euclidean(x_i: Vi<3>, y_j: Vj<3>) = KMin_ArgKMin_Reduction(SqDist(x_i, y_j), 5, 0);
    pub fn manhattan(x_i: Vi<3>, y_j: Vj<3>) = (x_i - y_j).abs().sum().kmin_argkmin(5, axis = 1);
}

/// Points that look random and are the same everywhere.
fn cloud(count: u32, seed: u32) -> Vec<[f32; 3]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

fn main() -> Result<(), Error> {
    let (x, y) = (cloud(10_000, 1), cloud(20_000, 2));
    for (name, call) in [("Euclidean, squared", euclidean(&x, &y).run()), ("Manhattan", manhattan(&x, &y).run())] {
        let (distances, indices) = call?;
        println!("{name}: neighbours of the first point");
        for k in 0..5 {
            println!("  {:6}  at {:.5}", indices[[0, k, 0]], distances[[0, k, 0]]);
        }
    }
    let start = Instant::now();
    euclidean(&x, &y).run()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} × {} pairs in {:.1} ms", x.len(), y.len(), 1e3 * seconds);
    Ok(())
}
