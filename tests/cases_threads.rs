//! Results do not depend on the number of threads, bit by bit, nor on what else runs at the same time.

mod lattice;

use keops::{Accumulator, Error, Real, keops};
use lattice::{b, rows, x, y};
use rayon::ThreadPoolBuilder;

keops! {
    #[grad(x_i, y_j, g)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);
    fn kept_j(x_i: Vi<3>, y_j: Vj<3>, b_i: Vi<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_i, 1);
    #[grad(x_i)]
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-4 * SqDist(x_i, y_j), 0);
    fn mean(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>) = SumSoftMaxWeight_Reduction(x_i | y_j, 0, b_j);
    #[grad(y_j)]
    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
    fn nearest_four(x_i: Vi<3>, y_j: Vj<3>) = KMin_ArgKMin_Reduction(SqDist(x_i, y_j), 4, 0);
    fn wide(x_i: Vi<100>, y_j: Vj<100>) = Sum_Reduction(Exp(-SqDist(x_i, y_j) / 100), 0);
}

/// The bits of all results of one size.
fn everything<T: Real>(m: usize, n: usize) -> Result<Vec<u64>, Error> {
    let (x_i, y_j, b_j) = (rows::<T, 3>(x, m), rows::<T, 3>(y, n), rows::<T, 2>(b, n));
    let (b_i, seed, seed_2) = (rows::<T, 1>(b, m), rows::<T, 1>(y, m), rows::<T, 2>(y, m));
    let g = [[T::from_f64(1.5)]];
    let mut bits = Vec::new();
    let mut keep = |table: ndarray::ArrayView<'_, T, ndarray::IxDyn>| bits.extend(table.iter().map(|v| v.to_raw()));
    for accumulator in [Accumulator::Block, Accumulator::Kahan, Accumulator::F64] {
        keep(gauss(&x_i, &y_j, &b_j, &g).accumulate(accumulator).run()?.view().into_dyn());
    }
    keep(gauss::grad_x_i(&x_i, &y_j, &b_j, &g, &seed_2).run()?.view().into_dyn());
    keep(gauss::grad_y_j(&x_i, &y_j, &b_j, &g, &seed_2).run()?.view().into_dyn());
    keep(gauss::grad_g(&x_i, &y_j, &b_j, &g, &seed_2).run()?.view().into_dyn());
    keep(kept_j(&x_i, &y_j, &b_i).run()?.view().into_dyn());
    keep(lse(&x_i, &y_j).run()?.view().into_dyn());
    keep(lse::grad_x_i(&x_i, &y_j, &seed).run()?.view().into_dyn());
    keep(mean(&x_i, &y_j, &b_j).run()?.view().into_dyn());
    keep(nearest::grad_y_j(&x_i, &y_j, &seed).run()?.view().into_dyn());
    let (values, indices) = nearest(&x_i, &y_j).run()?;
    let (k_values, k_indices) = nearest_four(&x_i, &y_j).run()?;
    keep(values.view().into_dyn());
    keep(k_values.view().into_dyn());
    let (x_i, y_j) = (rows::<T, 100>(x, m.min(300)), rows::<T, 100>(y, n.min(300)));
    keep(wide(&x_i, &y_j).run()?.view().into_dyn());
    bits.extend(indices.iter().chain(k_indices.iter()));
    Ok(bits)
}

/// Sizes that are cut into few and many blocks of rows and chunks of columns.
const SIZES: [(usize, usize); 6] = [(1, 5000), (3, 20_000), (100, 2000), (520, 1100), (9000, 7), (700, 257)];

#[test]
fn results_are_the_same_for_any_number_of_threads() -> Result<(), Box<dyn std::error::Error>> {
    for (m, n) in SIZES {
        let mut first: Option<(Vec<u64>, Vec<u64>)> = None;
        for threads in [1, 2, 3] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
            let found = pool.install(|| Ok::<_, Error>((everything::<f32>(m, n)?, everything::<f64>(m, n)?)))?;
            match &first {
                None => first = Some(found),
                Some(first) => assert!(*first == found, "{m} × {n} differs with {threads} threads"),
            }
        }
    }
    Ok(())
}

#[test]
fn t100_many_callers_at_once() -> Result<(), Error> {
    let sizes = [(100, 2000), (37, 501)];
    let alone = [everything::<f32>(sizes[0].0, sizes[0].1)?, everything::<f32>(sizes[1].0, sizes[1].1)?];
    let results: Vec<_> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..8)
            .map(|caller: usize| {
                // Different callers interleave different formulas and sizes.
                scope.spawn(move || -> Result<_, Error> {
                    let mut results = Vec::new();
                    for turn in 0..3 {
                        let which = (caller + turn) % 2;
                        results.push((which, everything::<f32>(sizes[which].0, sizes[which].1)?));
                    }
                    Ok(results)
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().expect("no caller panics")).collect()
    });
    for result in results {
        for (which, found) in result? {
            assert!(found == alone[which], "size {which} differs");
        }
    }
    Ok(())
}
