//! No M × N array exists: beyond its inputs and outputs, a call holds a few MiB, whatever M and N are.
//!
//! The only test of its program, since it counts what the whole program allocates.

use keops::{Error, keops};
use ndarray::{Array2, Array3};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What a call may hold.
const LIMIT: usize = 8 << 20;

keops! {
    #[grad(x_i, y_j, gamma)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);

    fn many(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<64>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);

    fn attention(q_i: Vi<64>, k_j: Vj<64>, v_j: Vj<64>) = SumSoftMaxWeight_Reduction((q_i | k_j) / 8, 0, v_j);

    #[grad(x_i)]
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-SqDist(x_i, y_j), 0);

    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0);

    #[grad(y_j)]
    fn nearest_distances(x_i: Vi<3>, y_j: Vj<3>) = KMin_Reduction(SqDist(x_i, y_j), 10, 0);
}

fn table(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(i, j)| ((i * columns + j) as f32 * 0.618_034).fract())
}

/// Bytes allocated at the peak of `run`, with so many threads that are already there.
fn peak(
    threads: usize,
    mut run: impl FnMut() -> Result<(), Error> + Send,
) -> Result<usize, Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.broadcast(|_| ());
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    pool.install(&mut run)?;
    Ok(MEMORY.peak_usage() - before)
}

/// Asserts that `run`, on inputs of these shapes and an output like that, holds `saved` bytes and little more.
fn stays_small<const V: usize, A: Clone + Send>(
    shapes: [(usize, usize); V],
    out: A,
    saved: usize,
    run: impl Fn([&Array2<f32>; V], &mut A) -> Result<(), Error> + Sync,
) -> Result<(), Box<dyn std::error::Error>> {
    let inputs = shapes.map(|(rows, columns)| table(rows, columns));
    for threads in [1, 2] {
        let mut out = out.clone();
        let bytes = peak(threads, || run(inputs.each_ref(), &mut out))?;
        assert!(bytes < LIMIT + saved, "inputs {shapes:?}, {threads} threads: {bytes} bytes");
    }
    Ok(())
}

fn values(rows: usize, columns: usize) -> Array2<f32> {
    Array2::zeros((rows, columns))
}

#[test]
fn calls_and_gradients_hold_a_few_mebibytes() -> Result<(), Box<dyn std::error::Error>> {
    calls()?;
    gradients()
}

fn calls() -> Result<(), Box<dyn std::error::Error>> {
    // The array of all pairs would take 40 MB and more, where there is more than one row and one column.
    for (m, n) in [(1, 1_000_000), (1_000_000, 1), (100_000, 100), (100, 100_000), (3_000, 4_000)] {
        let shapes = [(m, 3), (n, 3), (n, 1), (1, 1)];
        stays_small(shapes, values(m, 1), 0, |[x, y, b, gamma], out| gauss(x, y, b, gamma).run_into(out))?;
    }
    let (m, n) = (20_000, 600);
    stays_small([(m, 3), (n, 3), (n, 64)], values(m, 64), 0, |[x, y, b], out| many(x, y, b).run_into(out))?;
    stays_small([(m, 64), (n, 64), (n, 64)], values(m, 64), 0, |[q, k, v], out| attention(q, k, v).run_into(out))?;
    stays_small([(m, 3), (n, 3)], values(m, 1), 0, |[x, y], out| lse(x, y).run_into(out))?;
    stays_small([(m, 3), (n, 3)], Array3::zeros((m, 10, 1)), 0, |[x, y], out| nearest(x, y).run_into(out))?;
    stays_small([(n, 3), (m, 3)], Array3::zeros((n, 10, 1)), 0, |[x, y], out| nearest(x, y).run_into(out))
}

fn gradients() -> Result<(), Box<dyn std::error::Error>> {
    let (m, n) = (20_000, 600);
    let inputs = [(m, 3), (n, 3), (n, 1), (1, 1), (m, 1)];
    stays_small(inputs, values(m, 3), 0, |[x, y, b, g, e], out| gauss::grad_x_i(x, y, b, g, e).run_into(out))?;
    stays_small(inputs, values(n, 3), 0, |[x, y, b, g, e], out| gauss::grad_y_j(x, y, b, g, e).run_into(out))?;
    stays_small(inputs, values(1, 1), 0, |[x, y, b, g, e], out| gauss::grad_gamma(x, y, b, g, e).run_into(out))?;
    stays_small([(m, 3), (n, 3), (m, 1)], values(m, 3), 0, |[x, y, e], out| lse::grad_x_i(x, y, e).run_into(out))?;
    // Which terms were selected, by row and by column: 24 bytes for each number of the seed.
    let (inputs, saved) = ([(m, 3), (n, 3), (m, 10)], 24 * m * 10);
    stays_small(inputs, values(n, 3), saved, |[x, y, e], out| nearest_distances::grad_y_j(x, y, e).run_into(out))
}
