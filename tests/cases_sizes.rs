//! Numbers of rows, columns and dimensions: block edges, one row, none at all, very many.

mod lattice;

use keops::{Error, Real, keops};
use lattice::{b, close, levels, rows, sqdist, tolerance, x, y};

keops! {
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    fn count(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(1, 0);

    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
    fn five_nearest_of_wide(x_i: Vi<8192>, y_j: Vj<8192>) = ArgKMin_Reduction(SqDist(x_i, y_j), 5, 0);
    fn nearest_k<const K: usize>(x_i: Vi<3>, y_j: Vj<3>) = KMin_ArgKMin_Reduction(SqDist(x_i, y_j), K, 0);

    fn factor_of_the_row(x_i: Vi<700>, y_j: Vj<700>, v_i: Vi<1>) = Sum_Reduction((x_i | y_j) * v_i, 0);
    fn total<const D: usize>(y_j: Vj<D>) = Sum_Reduction(y_j, 0);

    fn lse(x_i: Vi<1>, y_j: Vj<1>) = LogSumExp_Reduction(x_i * y_j, 0);
    fn softmax(x_i: Vi<1>, y_j: Vj<1>) = SumSoftMaxWeight_Reduction(x_i * y_j, 0, y_j);
    fn min(x_i: Vi<1>, y_j: Vj<1>) = Min_Reduction(x_i * y_j, 0);
    fn max(x_i: Vi<1>, y_j: Vj<1>) = Max_Reduction(x_i * y_j, 0);
    fn argmin(x_i: Vi<1>, y_j: Vj<1>) = ArgMin_Reduction(x_i * y_j, 0);
    fn kmin(x_i: Vi<1>, y_j: Vj<1>) = KMin_Reduction(x_i * y_j, 2, 0);
    fn argkmin(x_i: Vi<1>, y_j: Vj<1>) = ArgKMin_Reduction(x_i * y_j, 2, 0);
    fn five_smallest(x_i: Vi<1>, y_j: Vj<1>) = ArgKMin_Reduction(x_i * y_j, 5, 0);

    #[grad(x_i, b_j)]
    fn signals<const E: usize>(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<E>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

fn sums_around_block_edges<T: Real>() -> Result<(), Error> {
    let cases = [
        (1, -0.467080989556191),
        (2, -0.478622561580565),
        (31, -0.167148370689076),
        (32, -0.138845956930846),
        (33, -0.317152438135534),
        (127, 0.471550382581962),
        (128, 0.591150310291027),
        (129, 0.475188971333597),
        (255, -0.577055181457068),
        (256, -0.2900791278308),
        (257, -0.331162295821281),
        (1000, -0.267737491197908),
    ];
    for (n, want) in cases {
        let (y, b) = (rows::<T, 3>(y, n), rows::<T, 1>(b, n));
        // One row walks columns in lanes, many walk rows in lanes.
        for m in [1, 3, 70] {
            let x = rows::<T, 3>(x, m);
            let magnitude: f64 = y.iter().zip(&b).map(|(y, b)| (-sqdist(&x[0], y)).exp() * b[0].to_f64().abs()).sum();
            for level in levels() {
                let got = gauss(&x, &y, &b).level(level).run()?;
                close(got[[0, 0]], want, tolerance::<T>(magnitude));
            }
        }
    }
    Ok(())
}

#[test]
fn t01_sums_around_block_edges() -> Result<(), Error> {
    sums_around_block_edges::<f32>()?;
    sums_around_block_edges::<f64>()
}

#[test]
fn t02_every_pair_counts_once() -> Result<(), Error> {
    let sizes = [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1023, 1024, 1025];
    for m in sizes {
        for n in sizes {
            for level in levels() {
                let got = count(&vec![0.0f32; m], &vec![0.0f32; n]).level(level).run()?;
                assert_eq!(got.dim(), (m, 1));
                assert!(got.iter().all(|&g| g == n as f32), "{m} × {n} at {level:?}: {got:?}");
            }
            let got = count(&vec![0.0f64; m], &vec![0.0f64; n]).run()?;
            assert!(got.iter().all(|&g| g == n as f64), "{m} × {n}");
        }
    }
    Ok(())
}

/// The sum of T03 in dimension `$d`, at row 7.
macro_rules! kernel_in_dimension {
    ($d:literal, $want:literal) => {{
        keops! {
            fn kernel(x_i: Vi<$d>, y_j: Vj<$d>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j) / $d) * b_j, 0);
        }
        fn check<T: Real>() -> Result<(), Error> {
            let (x, y, b) = (rows::<T, $d>(x, 8), rows::<T, $d>(y, 64), rows::<T, 1>(|j, _| b(j, 1), 64));
            let magnitude: f64 =
                y.iter().zip(&b).map(|(y, b)| (-sqdist(&x[7], y) / f64::from($d)).exp() * b[0].to_f64().abs()).sum();
            close(kernel(&x, &y, &b).run()?[[7, 0]], $want, tolerance::<T>(magnitude));
            close(kernel(&x[7..], &y, &b).run()?[[0, 0]], $want, tolerance::<T>(magnitude));
            Ok(())
        }
        check::<f32>()?;
        check::<f64>()?;
    }};
}

#[test]
fn t03_all_dimensions() -> Result<(), Error> {
    kernel_in_dimension!(1, 0.493636598318376);
    kernel_in_dimension!(2, 0.518162772052607);
    kernel_in_dimension!(16, 0.262624041868223);
    kernel_in_dimension!(17, 0.253993061682824);
    kernel_in_dimension!(100, 0.303359853394032);
    kernel_in_dimension!(101, 0.301813424965318);
    kernel_in_dimension!(128, 0.289253458316681);
    kernel_in_dimension!(129, 0.291705502855797);
    kernel_in_dimension!(512, 0.31963933277462);
    kernel_in_dimension!(700, 0.313369486141749);
    kernel_in_dimension!(1230, 0.317815571378938);
    Ok(())
}

#[test]
fn t04_factors_of_the_row_leave_the_sum() -> Result<(), Error> {
    let (x, y) = (rows::<f64, 700>(x, 4), rows::<f64, 700>(y, 50));
    let got = factor_of_the_row(&x, &y, &[1.0; 4]).run()?;
    close(got[[3, 0]], 8750.81491659006, 1e-13 * 8750.9);
    // The same by associativity: x_i · Σ_j y_j, for any factor.
    let total = total(&y).run()?;
    let scaled = factor_of_the_row(&x, &y, &[0.5, -3.0, 0.0, 2.0]).run()?;
    for (i, v) in [0.5, -3.0, 0.0, 2.0].into_iter().enumerate() {
        let want: f64 = x[i].iter().zip(total.iter()).map(|(x, t)| x * t).sum();
        close(scaled[[i, 0]], v * want, 1e-12 * (v * want).abs());
    }
    Ok(())
}

fn signals_are_independent<const E: usize>() -> Result<(), Error> {
    let (x, y) = (rows::<f32, 3>(x, 50), rows::<f32, 3>(y, 50));
    let (b, seed) = (rows::<f32, E>(b, 50), rows::<f32, E>(x_of_seed, 50));
    let all = signals(&x, &y, &b).run()?;
    let by_b = signals::grad_b_j(&x, &y, &b, &seed).run()?;
    for e in 0..E {
        let column = |table: &[[f32; E]]| -> Vec<[f32; 1]> { table.iter().map(|row| [row[e]]).collect() };
        let (b, seed) = (column(&b), column(&seed));
        assert_eq!(all.column(e), signals(&x, &y, &b).run()?.column(0), "signal {e} of {E}");
        let one = signals::grad_b_j(&x, &y, &b, &seed).run()?;
        assert_eq!(by_b.column(e), one.column(0), "gradient of signal {e} of {E}");
    }
    // The gradient by x adds up over the signals: −2 Σ_j (x − y_j) k_ij (e_i · b_j).
    let by_x = signals::grad_x_i(&x, &y, &b, &seed).run()?;
    for (i, x) in x.iter().enumerate() {
        for d in 0..3 {
            let (mut want, mut magnitude) = (0.0, 0.0);
            for (y, b) in y.iter().zip(&b) {
                let k = (-sqdist(x, y)).exp() * -2.0 * (f64::from(x[d]) - f64::from(y[d]));
                for (s, b) in seed[i].iter().zip(b) {
                    want += k * f64::from(*s) * f64::from(*b);
                    magnitude += (k * f64::from(*s) * f64::from(*b)).abs();
                }
            }
            close(by_x[[i, d]], want, tolerance::<f32>(magnitude));
        }
    }
    Ok(())
}

/// A seed that is not the data of the points.
fn x_of_seed(i: usize, e: usize) -> f64 {
    x(i + 11, e + 5) - 0.25
}

#[test]
fn t07_a_signal_does_not_feel_its_neighbours() -> Result<(), Error> {
    signals_are_independent::<1>()?;
    signals_are_independent::<2>()?;
    signals_are_independent::<79>()?;
    signals_are_independent::<80>()?;
    signals_are_independent::<81>()?;
    signals_are_independent::<100>()?;
    signals_are_independent::<128>()?;
    signals_are_independent::<257>()
}

#[test]
fn t09_neighbours_in_very_many_dimensions() -> Result<(), Error> {
    let (m, n) = (20, 300);
    let table = |number: fn(usize, usize) -> f64, rows| {
        ndarray::Array2::from_shape_fn((rows, 8192), |(i, d)| number(i, d) as f32)
    };
    let (x, y) = (table(x, m), table(y, n));
    let got = five_nearest_of_wide(&x, &y).run()?;
    for i in 0..m {
        let mut order: Vec<(f64, usize)> = (0..n)
            .map(|j| (x.row(i).iter().zip(y.row(j)).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum(), j))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for k in 0..5 {
            // Wherever single precision can tell them apart.
            let apart = 1e-5 * order[k].0;
            let clear = (k == 0 || order[k].0 - order[k - 1].0 > apart) && order[k + 1].0 - order[k].0 > apart;
            if clear {
                assert_eq!(got[[i, k, 0]], order[k].1 as u64, "neighbour {k} of {i}");
            }
        }
    }
    Ok(())
}

fn nearest_of_a_thousand<T: Real>() -> Result<(), Error> {
    let (x, y) = (rows::<T, 3>(x, 4), rows::<T, 3>(y, 1000));
    let wanted =
        [(0, 0.0675074636855292), (853, 0.026669115422661), (115, 0.0266690308303218), (632, 0.0266692812358607)];
    for level in levels() {
        let (values, indices) = nearest(&x, &y).level(level).run()?;
        for (i, (index, value)) in wanted.into_iter().enumerate() {
            assert_eq!(indices[[i, 0]], index);
            // Inputs are rounded to T, and the distance is a difference of numbers near 1.
            close(values[[i, 0]], value, if T::BITS == 64 { 1e-14 } else { 2e-7 });
        }
    }
    Ok(())
}

#[test]
fn t10_nearest_neighbours() -> Result<(), Error> {
    nearest_of_a_thousand::<f32>()?;
    nearest_of_a_thousand::<f64>()
}

#[test]
fn t11_one_row_or_one_column() -> Result<(), Error> {
    let n = 1_000_000;
    let (point, many, signal) = (rows::<f32, 3>(x, 1), rows::<f32, 3>(y, n), rows::<f32, 1>(b, n));
    let terms: Vec<f64> =
        many.iter().zip(&signal).map(|(y, b)| (-sqdist(&point[0], y)).exp() * f64::from(b[0])).collect();
    let magnitude: f64 = terms.iter().map(|t| t.abs()).sum();
    let got = gauss(&point, &many, &signal).run()?;
    close(got[[0, 0]], terms.iter().sum(), tolerance::<f32>(magnitude));

    let got = gauss(&many, &point, &[1.0]).run()?;
    assert_eq!(got.dim(), (n, 1));
    for (got, x) in got.iter().zip(&many) {
        let want = (-sqdist(x, &point[0])).exp();
        close(*got, want, tolerance::<f32>(want));
    }
    Ok(())
}

#[test]
fn t12_nothing_to_reduce() -> Result<(), Error> {
    let (x, none) = (vec![1.0f32; 5], Vec::<f32>::new());
    assert!(count(&x, &none).run()?.iter().all(|&s| s == 0.0));
    assert!(lse(&x, &none).run()?.iter().all(|&s| s == f32::NEG_INFINITY));
    assert!(min(&x, &none).run()?.iter().all(|&s| s == f32::INFINITY));
    assert!(max(&x, &none).run()?.iter().all(|&s| s == f32::NEG_INFINITY));
    assert!(softmax(&x, &none).run()?.iter().all(|&s| s == 0.0));
    // The index is 0 wherever no term was chosen, also where all terms are NaN; the value tells.
    assert!(argmin(&x, &none).run()?.iter().all(|&s| s == 0));
    let too_few = |k| Err(Error::TooFewTerms { formula: "", k, n: 0 });
    assert_eq!(argkmin(&x, &none).run().map_err(without_name), too_few(2));
    assert_eq!(kmin(&x, &none).run().map_err(without_name).map(drop), too_few(2).map(|_: ndarray::Array3<u64>| ()));

    // No row is no result, and no error.
    assert_eq!(count(&none, &x).run()?.dim(), (0, 1));
    assert_eq!(argkmin(&none, &x).run()?.dim(), (0, 2, 1));
    assert_eq!(lse(&none, &none).run()?.dim(), (0, 1));
    Ok(())
}

/// The error about too few terms, whatever the formula is called in messages.
fn without_name(error: Error) -> Error {
    match error {
        Error::TooFewTerms { k, n, .. } => Error::TooFewTerms { formula: "", k, n },
        other => other,
    }
}

#[test]
fn t15_seventy_thousand_terms() -> Result<(), Error> {
    assert_eq!(count(&[0.0f32], &vec![0.0f32; 70_000]).run()?[[0, 0]], 70_000.0);
    assert_eq!(count(&[0.0f64], &vec![0.0f64; 70_000]).run()?[[0, 0]], 70_000.0);
    Ok(())
}

fn equals_a_full_sort<const K: usize>(m: usize, n: usize) -> Result<(), Error> {
    let (x, y) = (rows::<f64, 3>(x, m), rows::<f64, 3>(y, n));
    let (values, indices) = nearest_k::<f64, K>(&x, &y).run()?;
    assert_eq!(values.dim(), (m, K, 1));
    for (i, x) in x.iter().enumerate() {
        let mut order: Vec<(f64, usize)> = y.iter().map(|y| sqdist(x, y)).zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (k, (value, index)) in order[..K].iter().enumerate() {
            close(values[[i, k, 0]], *value, 4.0 * f64::EPSILON);
            let clear = [k.wrapping_sub(1), k + 1]
                .iter()
                .filter_map(|&other| order.get(other))
                .all(|other| (other.0 - value).abs() > 4.0 * f64::EPSILON);
            if clear {
                assert_eq!(indices[[i, k, 0]], *index as u64, "K = {K}, entry {k} of row {i}");
            }
        }
    }
    Ok(())
}

#[test]
fn t21_smallest_k_equal_a_full_sort() -> Result<(), Error> {
    equals_a_full_sort::<1>(37, 500)?;
    equals_a_full_sort::<2>(37, 500)?;
    equals_a_full_sort::<3>(1, 500)?;
    equals_a_full_sort::<8>(37, 500)?;
    equals_a_full_sort::<17>(37, 500)?;
    equals_a_full_sort::<64>(37, 500)?;
    equals_a_full_sort::<64>(5, 64)?;
    equals_a_full_sort::<2049>(2, 4096)
}

#[test]
fn t22_fewer_terms_than_k() {
    let result = five_smallest(&[1.0f32], &[1.0f32, 2.0, 3.0]).run();
    assert_eq!(result.map_err(without_name), Err(Error::TooFewTerms { formula: "", k: 5, n: 3 }));
}

keops! {
    fn spread<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(Max(x_i - y_j), 0);
    fn offsets<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = ArgMin_Reduction(x_i - y_j, 0);
    fn weighted<const D: usize>(x_i: Vi<D>, y_j: Vj<D>, w_j: Vj<D>) = Sum_Reduction((x_i - y_j) | w_j, 0);
    fn apart<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

#[test]
fn rows_of_no_numbers_are_an_error() {
    let none: Vec<[f32; 0]> = vec![[]; 3];
    for error in [spread(&none, &none).run().unwrap_err(), offsets(&none, &none).run().unwrap_err()] {
        assert!(matches!(error, Error::Dimension { variable: "x_i", dim: 0, .. }), "{error}");
    }
    let flat: [f32; 0] = [];
    let error = apart::<f32, { 1 << 21 }>(&flat, &flat).run().unwrap_err();
    assert!(matches!(error, Error::Dimension { variable: "x_i", dim: 2_097_152, .. }), "{error}");
}

#[test]
fn the_widest_rows_end() {
    const D: usize = 1 << 18;
    let (x, y) = (vec![1.0f32; D], vec![0.5f32; D]);
    assert_eq!(apart::<f32, D>(&x, &y).run().unwrap()[[0, 0]], D as f32 / 4.0);
    // A column holds two vectors, more than the numbers that are staged at a time.
    let weighted = weighted::<f32, D>(&x, &y, &y).run().unwrap();
    assert_eq!(weighted[[0, 0]], D as f32 / 4.0);
}
