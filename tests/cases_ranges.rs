//! Block patterns: what is kept takes part, what is not does not, and everything kept is the call without a pattern.

mod lattice;

use keops::cluster::Clusters;
use keops::{Accumulator, Error, Offsets, Ranges, keops};
use lattice::{b, close, levels, rows, sqdist, tolerance, x, y};
use ndarray::{Array2, Axis, s};

keops! {
    #[grad(x_i, y_j, b_j, gamma)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>, gamma: Pm<1>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);
    fn gauss_of_j(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 1);
    #[grad(x_i, y_j)]
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-SqDist(x_i, y_j), 0);
    fn softmax(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>) = SumSoftMaxWeight_Reduction(-SqDist(x_i, y_j), 0, b_j);
    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
    fn farthest(x_i: Vi<3>, y_j: Vj<3>) = Max_ArgMax_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i, y_j)]
    fn three_nearest(x_i: Vi<3>, y_j: Vj<3>) = KMin_ArgKMin_Reduction(SqDist(x_i, y_j), 3, 0);
    fn count(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Step(1.21 - SqDist(x_i, y_j)), 0);
    fn line(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
    fn least(x_i: Vi<1>, y_j: Vj<1>) = Min_Reduction(x_i * y_j, 0);
    fn wide(x_i: Vi<150>, y_j: Vj<150>) = Sum_Reduction((x_i | y_j), 0);
}

/// A block pattern without any order in it.
fn scattered(i: &Offsets, j: &Offsets, every: usize) -> Ranges {
    Ranges::new(i, j, |a, b| (a * 7 + b * 11 + a * b) % every == 0)
}

/// Is the pair (i, j) in it?
fn keeps(i: &Offsets, j: &Offsets, every: usize) -> impl Fn(usize, usize) -> bool {
    let of =
        |offsets: &Offsets, row: usize| (0..offsets.segments()).find(|&s| offsets.segment(s).contains(&row)).unwrap();
    move |row, column| {
        let (a, b) = (of(i, row), of(j, column));
        (a * 7 + b * 11 + a * b) % every == 0
    }
}

#[test]
fn t77_everything_kept_is_dense_bit_for_bit() -> Result<(), Error> {
    for (n, edges) in [(4, vec![0, 2, 4]), (1000, vec![0, 1, 129, 1000])] {
        let offsets = Offsets::new(edges)?;
        let ranges = Ranges::new(&offsets, &offsets, |_, _| true);
        let (x, y, b) = (rows::<f32, 3>(x, n), rows::<f32, 3>(y, n), rows::<f32, 2>(b, n));
        for level in levels() {
            for accumulator in [Accumulator::Block, Accumulator::Kahan, Accumulator::F64] {
                let call = || gauss(&x, &y, &b, &0.7).level(level).accumulate(accumulator);
                assert_eq!(call().ranges(&ranges).run()?, call().run()?);
            }
            let call = || lse(&x, &y).level(level);
            assert_eq!(call().ranges(&ranges).run()?, call().run()?);
            let call = || three_nearest(&x, &y).level(level);
            assert_eq!(call().ranges(&ranges).run()?, call().run()?);
            let call = || gauss::grad_y_j(&x, &y, &b, &0.7, &b).level(level);
            assert_eq!(call().ranges(&ranges).run()?, call().run()?);
            let call = || gauss::grad_gamma(&x, &y, &b, &0.7, &b).level(level);
            assert_eq!(call().ranges(&ranges).run()?, call().run()?);
        }
    }
    Ok(())
}

#[test]
fn t78_blocks_within_a_radius() -> Result<(), Error> {
    let grid: Vec<[f32; 2]> = (0..16).map(|k| [(k / 4) as f32, (k % 4) as f32]).collect();
    let clusters = Clusters::grid(&grid, 2.0)?;
    let sorted = clusters.sort(&grid);
    let boxes = clusters.extents(&sorted)?;
    let ranges = Ranges::within(clusters.offsets(), &boxes, clusters.offsets(), &boxes, 1.1);
    let counts = clusters.unsort_array(&count(&sorted, &sorted).ranges(&ranges).run()?);
    assert_eq!(counts.into_raw_vec_and_offset().0, [3., 4., 4., 3., 4., 5., 5., 4., 4., 5., 5., 4., 3., 4., 4., 3.]);
    assert_eq!(ranges.pairs(), 16 * 12, "diagonal neighbours are √2 apart");
    let fine = Clusters::grid(&grid, 1.0)?;
    let sorted = fine.sort(&grid);
    let boxes = fine.extents(&sorted)?;
    let ranges = Ranges::within(fine.offsets(), &boxes, fine.offsets(), &boxes, 1.1);
    assert_eq!(ranges.pairs(), 16 + 2 * 24);
    let counts = fine.unsort_array(&count(&sorted, &sorted).ranges(&ranges).run()?);
    assert_eq!(counts.sum(), 64.0);
    Ok(())
}

#[test]
fn t79_rows_without_a_block_get_the_identity() -> Result<(), Error> {
    let offsets = Offsets::new(vec![0, 3, 8, 10])?;
    let (x, y, b) = (rows::<f64, 3>(x, 10), rows::<f64, 3>(y, 10), rows::<f64, 2>(b, 10));
    let ranges = Ranges::new(&offsets, &offsets, |a, _| a != 1);
    let empty = s![3..8, ..];
    assert_eq!(gauss(&x, &y, &b, &0.7).ranges(&ranges).run()?.slice(empty), Array2::zeros((5, 2)));
    assert!(lse(&x, &y).ranges(&ranges).run()?.slice(empty).iter().all(|&v| v == f64::NEG_INFINITY));
    assert!(softmax(&x, &y, &b).ranges(&ranges).run()?.slice(empty).iter().all(|&v| v == 0.0));
    assert!(nearest(&x, &y).ranges(&ranges).run()?.0.slice(empty).iter().all(|&v| v == f64::INFINITY));
    assert!(farthest(&x, &y).ranges(&ranges).run()?.0.slice(empty).iter().all(|&v| v == f64::NEG_INFINITY));
    let error = three_nearest(&x, &y).ranges(&ranges).run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "three_nearest: K = 3 values per row are asked for, but rows 3..8 (segment 1) have only 0 term(s)"
    );
    let nothing = Ranges::new(&offsets, &offsets, |_, _| false);
    assert_eq!(gauss(&x, &y, &b, &0.7).ranges(&nothing).run()?, Array2::zeros((10, 2)));
    Ok(())
}

#[test]
fn t80_bands_and_triangles() -> Result<(), Error> {
    let (x, y) = ([1.0, -1.0, 2.0, 3.0, -2.0], [5.0, 4.0, -3.0, 2.0, 1.0]);
    let band = Ranges::band(5, 5, 1, 1);
    let naive = |keep: &dyn Fn(usize, usize) -> bool| -> (Vec<f64>, Vec<f64>) {
        let terms = |i: usize| (0..5).filter(move |&j| keep(i, j)).map(move |j| x[i] * y[j]);
        ((0..5).map(|i| terms(i).sum()).collect(), (0..5).map(|i| terms(i).fold(f64::INFINITY, f64::min)).collect())
    };
    for (ranges, keep) in [
        (band, &(|i: usize, j: usize| i.abs_diff(j) <= 1) as &dyn Fn(usize, usize) -> bool),
        (Ranges::lower_triangular(5, 5), &|i: usize, j: usize| j <= i),
        (Ranges::lower_triangular(5, 5).transposed(), &|i: usize, j: usize| i <= j),
    ] {
        let (sums, least_values) = naive(keep);
        assert_eq!(line(&x, &y).ranges(&ranges).run()?.into_raw_vec_and_offset().0, sums);
        assert_eq!(least(&x, &y).ranges(&ranges).run()?.into_raw_vec_and_offset().0, least_values);
    }
    Ok(())
}

#[test]
fn blocks_without_order_are_loops_over_them() -> Result<(), Error> {
    let i = Offsets::new(vec![0, 1, 40, 40, 170, 300])?;
    let j = Offsets::new(vec![0, 20, 21, 300, 310, 310, 700])?;
    let (x, y, b) = (rows::<f64, 3>(x, 300), rows::<f64, 3>(y, 700), rows::<f64, 2>(b, 700));
    let kernel = |r: usize, c: usize| (-0.7 * sqdist(&x[r], &y[c])).exp();
    for every in [2, 3, 5] {
        let (ranges, keep) = (scattered(&i, &j, every), keeps(&i, &j, every));
        let kept: Vec<Vec<usize>> = (0..300).map(|r| (0..700).filter(|&c| keep(r, c)).collect()).collect();
        for level in levels() {
            let sums = gauss(&x, &y, &b, &0.7).ranges(&ranges).level(level).run()?;
            let logs = lse(&x, &y).ranges(&ranges).level(level).run()?;
            let (least, at) = nearest(&x, &y).ranges(&ranges).level(level).run()?;
            for r in 0..300 {
                for e in 0..2 {
                    let terms = kept[r].iter().map(|&c| kernel(r, c) * b[c][e]);
                    let size: f64 = terms.clone().map(f64::abs).sum();
                    close(sums[[r, e]], terms.sum(), 1e-13 * size + 1e-300);
                }
                let mass: f64 = kept[r].iter().map(|&c| (-sqdist(&x[r], &y[c])).exp()).sum();
                assert!(
                    logs[[r, 0]] == mass.ln() || (logs[[r, 0]] - mass.ln()).abs() < 1e-13 * (1.0 + mass.ln().abs())
                );
                let best = kept[r]
                    .iter()
                    .copied()
                    .reduce(|best, c| if sqdist(&x[r], &y[c]) < sqdist(&x[r], &y[best]) { c } else { best });
                assert_eq!(at[[r, 0]], best.unwrap_or(0) as u64);
                let distance = best.map_or(f64::INFINITY, |c| sqdist(&x[r], &y[c]));
                assert!(least[[r, 0]] == distance || (least[[r, 0]] - distance).abs() < 1e-15);
            }
            // The transposed pattern serves the call with i and j exchanged, and is used for tag 1.
            let swapped = gauss_of_j(&y, &x).ranges(&ranges.transposed()).level(level).run()?;
            let back = gauss_of_j(&x, &y).ranges(&ranges).level(level).run()?;
            for r in 0..300 {
                let want: f64 = kept[r].iter().map(|&c| (-sqdist(&x[r], &y[c])).exp()).sum();
                close(swapped[[r, 0]], want, 1e-13 * want + 1e-300);
            }
            for c in 0..700 {
                let want: f64 = (0..300).filter(|&r| keep(r, c)).map(|r| (-sqdist(&x[r], &y[c])).exp()).sum();
                close(back[[c, 0]], want, 1e-13 * want + 1e-300);
            }
        }
    }
    Ok(())
}

#[test]
fn gradients_see_the_same_pairs() -> Result<(), Error> {
    let (i, j) = (Offsets::new(vec![0, 9, 30, 64])?, Offsets::new(vec![0, 16, 20, 50])?);
    let (x, y, b, e) =
        (rows::<f64, 3>(x, 64), rows::<f64, 3>(y, 50), rows::<f64, 2>(b, 50), rows::<f64, 2>(b_of_i, 64));
    let (ranges, keep) = (scattered(&i, &j, 2), keeps(&i, &j, 2));
    let k = |r: usize, c: usize| if keep(r, c) { (-0.7 * sqdist(&x[r], &y[c])).exp() } else { 0.0 };
    let weight = |r: usize, c: usize| k(r, c) * (e[r][0] * b[c][0] + e[r][1] * b[c][1]);

    let by_x = gauss::grad_x_i(&x, &y, &b, &0.7, &e).ranges(&ranges).run()?;
    let by_y = gauss::grad_y_j(&x, &y, &b, &0.7, &e).ranges(&ranges).run()?;
    let by_b = gauss::grad_b_j(&x, &y, &b, &0.7, &e).ranges(&ranges).run()?;
    let by_gamma = gauss::grad_gamma(&x, &y, &b, &0.7, &e).ranges(&ranges).run()?;
    for d in 0..3 {
        for r in 0..64 {
            let want: f64 = (0..50).map(|c| -1.4 * weight(r, c) * (x[r][d] - y[c][d])).sum();
            close(by_x[[r, d]], want, 1e-13);
        }
        for c in 0..50 {
            let want: f64 = (0..64).map(|r| 1.4 * weight(r, c) * (x[r][d] - y[c][d])).sum();
            close(by_y[[c, d]], want, 1e-13);
        }
    }
    for c in 0..50 {
        for d in 0..2 {
            close(by_b[[c, d]], (0..64).map(|r| k(r, c) * e[r][d]).sum::<f64>(), 1e-13);
        }
    }
    let pairs = (0..64).flat_map(|r| (0..50).map(move |c| (r, c)));
    close(by_gamma[[0, 0]], pairs.map(|(r, c)| -weight(r, c) * sqdist(&x[r], &y[c])).sum::<f64>(), 1e-12);

    // Log-sum-exp: the mass of a row is that of its kept pairs.
    let seed: Vec<f64> = e.iter().map(|e| e[0]).collect();
    let mass = |r: usize| -> f64 { (0..50).filter(|&c| keep(r, c)).map(|c| (-sqdist(&x[r], &y[c])).exp()).sum() };
    let by_y = lse::grad_y_j(&x, &y, &seed).ranges(&ranges).run()?;
    for c in 0..50 {
        let terms = (0..64).filter(|&r| keep(r, c));
        let want: f64 =
            terms.map(|r| 2.0 * seed[r] * (-sqdist(&x[r], &y[c])).exp() / mass(r) * (x[r][0] - y[c][0])).sum();
        close(by_y[[c, 0]], want, 1e-13);
    }

    // Selections: only the selected pairs matter, and those are kept.
    let some = Ranges::new(&i, &j, |a, b| (a + b) % 2 == 0);
    let (_, at) = three_nearest(&x, &y).ranges(&some).run()?;
    let ones = ndarray::Array3::ones((64, 3, 1));
    let by_x = three_nearest::grad_x_i(&x, &y, &ones).ranges(&some).run()?;
    for r in 0..64 {
        let want: f64 = at.index_axis(Axis(0), r).iter().map(|&c| 2.0 * (x[r][1] - y[c as usize][1])).sum();
        close(by_x[[r, 1]], want, 1e-14);
    }
    Ok(())
}

fn b_of_i(i: usize, e: usize) -> f64 {
    b(i + 7, e + 1)
}

#[test]
fn patterns_in_batches() -> Result<(), Error> {
    let (i, j) = (Offsets::new(vec![0, 9, 30])?, Offsets::new(vec![0, 16, 20])?);
    let ranges = scattered(&i, &j, 2);
    let cloud = |p: usize| rows::<f64, 3>(|i, d| x(i + 100 * p, d), 30);
    let all =
        ndarray::stack(Axis(0), &[Array2::from(cloud(0)).view(), Array2::from(cloud(1)).view()]).expect("equal shapes");
    let (y, b) = (rows::<f64, 3>(y, 20), rows::<f64, 2>(b, 20));
    let got = gauss(&all, &y, &b, &0.7).ranges(&ranges).batched().run()?;
    for p in 0..2 {
        let want = gauss(&cloud(p), &y, &b, &0.7).ranges(&ranges).run()?;
        assert_eq!(got.index_axis(Axis(0), p), want.into_dyn());
    }
    Ok(())
}

#[test]
fn sums_in_single_precision_and_wide_rows() -> Result<(), Error> {
    let offsets = Offsets::uniform(200, 64)?;
    let ranges = scattered(&offsets, &offsets, 3);
    let keep = keeps(&offsets, &offsets, 3);
    let (x, y) = (rows::<f32, 150>(x, 200), rows::<f32, 150>(y, 200));
    let got = wide(&x, &y).ranges(&ranges).run()?;
    for r in 0..200 {
        let dot = |c: usize| -> f64 { (0..150).map(|d| f64::from(x[r][d]) * f64::from(y[c][d])).sum() };
        let want: f64 = (0..200).filter(|&c| keep(r, c)).map(dot).sum();
        close(got[[r, 0]], want, tolerance::<f32>(want.max(1e-30)));
    }
    Ok(())
}

#[test]
fn patterns_of_other_sizes_are_refused() -> Result<(), Error> {
    let ranges = Ranges::lower_triangular(10, 12);
    let (x, y) = (rows::<f64, 3>(x, 10), rows::<f64, 3>(y, 10));
    let error = nearest(&x, &y).ranges(&ranges).run().unwrap_err();
    assert_eq!(error.to_string(), "nearest: the ranges are for 12 row(s) j, but the data has 10");
    let error = nearest(&x, &y).ranges(&ranges.transposed()).run().unwrap_err();
    assert_eq!(error.to_string(), "nearest: the ranges are for 12 row(s) i, but the data has 10");
    Ok(())
}
