//! Special points: coinciding points, poles, kinks, ties, infinities and NaN.

mod lattice;

use keops::{Error, Real, keops};
use lattice::{close, four_ulp, levels, rows, x};
use ndarray::{Array2, array};

keops! {
    fn three_smallest(x_i: Vi<1>, y_j: Vj<1>) = KMin_ArgKMin_Reduction(x_i * y_j, 3, 0);
    fn many_smallest(x_i: Vi<1>, y_j: Vj<1>) = ArgKMin_Reduction(x_i * y_j, 300, 0);
    fn least(x_i: Vi<1>, y_j: Vj<1>) = Min_ArgMin_Reduction(x_i * y_j, 0);
    fn largest(x_i: Vi<1>, y_j: Vj<1>) = Max_ArgMax_Reduction(x_i * y_j, 0);
    #[grad(y_j)]
    fn least_value(x_i: Vi<1>, y_j: Vj<1>) = Min_Reduction(2 * x_i * y_j, 0);
}

keops! {
    #[grad(x_i)]
    fn distances(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Norm2(x_i - y_j), 0);
    #[grad(x_i)]
    fn matern_1_2(x_i: Vi<2>, y_j: Vj<2>, b_j: Vj<1>) = Sum_Reduction(b_j * Exp(-Norm2(x_i - y_j)), 0);
    #[grad(x_i)]
    fn matern_3_2(x_i: Vi<2>, y_j: Vj<2>, b_j: Vj<1>) = Sum_Reduction(
        b_j * (1 + Sqrt(3) * Norm2(x_i - y_j)) * Exp(-Sqrt(3) * Norm2(x_i - y_j)), 0);
    #[grad(x_i)]
    fn energy(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Norm2(x_i - y_j), 0);

    #[grad(x_i)]
    fn sqrt(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Sqrt(x_i) * y_j, 0);
    #[grad(x_i)]
    fn rsqrt(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Rsqrt(x_i) * y_j, 0);
    #[grad(x_i)]
    fn inverse(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Inv(x_i) * y_j, 0);
    #[grad(x_i)]
    fn log(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Log(x_i) * y_j, 0);

    #[grad(x_i)]
    fn squares(x_i: Vi<1>, y_j: Vj<1>, b_j: Vj<1>) = Sum_Reduction((x_i | y_j) ** 2 * b_j, 0);
    #[grad(x_i)]
    fn cubes(x_i: Vi<1>, y_j: Vj<1>, b_j: Vj<1>) = Sum_Reduction((x_i | y_j) ** 3 * b_j, 0);
    #[grad(x_i)]
    fn power_0(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i ** 0 * y_j, 0);
    #[grad(x_i)]
    fn power_1(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i ** 1 * y_j, 0);
    #[grad(x_i)]
    fn power_2(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i ** 2 * y_j, 0);

    fn quotient(x_i: Vi<4>, y_j: Vj<4>) = Sum_Reduction((1 - (x_i | y_j)) / (1 - (x_i | y_j)), 0);
    fn largest_of_rows(x_i: Vi<2>, y_j: Vj<2>) = Max_Reduction(x_i - y_j, 0);
    fn largest_of_features(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Max(x_i - y_j), 0);

    fn sum(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
    fn lse(x_i: Vi<1>, y_j: Vj<1>) = LogSumExp_Reduction(x_i * y_j, 0);
    fn min_argmin(x_i: Vi<1>, y_j: Vj<1>) = Min_ArgMin_Reduction(x_i * y_j, 0);
    fn max_argmax(x_i: Vi<1>, y_j: Vj<1>) = Max_ArgMax_Reduction(x_i * y_j, 0);
    fn smallest_two(x_i: Vi<1>, y_j: Vj<1>) = KMin_ArgKMin_Reduction(x_i * y_j, 2, 0);
    fn argmin(x_i: Vi<1>, y_j: Vj<1>) = ArgMin_Reduction(x_i * y_j, 0);
    fn gauss(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);

    fn nearest(x_i: Vi<2>, y_j: Vj<2>) = ArgMin_Reduction(SqDist(x_i, y_j), 0);
    fn nearest_three(x_i: Vi<2>, y_j: Vj<2>) = ArgKMin_Reduction(SqDist(x_i, y_j), 3, 0);

    #[grad(f_i)]
    fn choice(f_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(IfElse(f_i, Sqrt(f_i), f_i ** 3) * y_j, 0);
    #[grad(u_i)]
    fn angle(u_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Acos(Clamp(u_i, -1, 1)) * y_j, 0);
    #[grad(y_i, x_j)]
    fn atan2(y_i: Vi<1>, x_j: Vj<1>) = Sum_Reduction(Atan2(y_i, x_j), 0);

    fn within(x_i: Vi<2>, y_j: Vj<2>, r: Pm<1>) = Sum_Reduction(SqDist(x_i, y_j) <= r * r, 0);
    fn strictly_within(x_i: Vi<2>, y_j: Vj<2>, r: Pm<1>) = Sum_Reduction(SqDist(x_i, y_j) < r * r, 0);
    fn step_within(x_i: Vi<2>, y_j: Vj<2>, r: Pm<1>) = Sum_Reduction(Step(r * r - SqDist(x_i, y_j)), 0);

    fn one_hot(k_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(OneHot(k_i, 6) * y_j, 0);
}

/// A point on top of the first of two others.
const HERE: [[f64; 2]; 1] = [[0.0, 0.0]];
const TWO: [[f64; 2]; 2] = [[0.0, 0.0], [3.0, 4.0]];

#[test]
fn t35_distance_to_oneself() -> Result<(), Error> {
    assert_eq!(distances(&HERE, &TWO).run()?, array![[5.0]]);
    let gradient = distances::grad_x_i(&HERE, &TWO, &[1.0]).run()?;
    close(gradient[[0, 0]], -0.6, 1e-15);
    close(gradient[[0, 1]], -0.8, 1e-15);
    Ok(())
}

#[test]
fn t36_matern_1_2_at_a_point() -> Result<(), Error> {
    let b = [2.0, 1.0];
    close(matern_1_2(&HERE, &TWO, &b).run()?[[0, 0]], 2.006_737_946_999_09, 1e-14);
    let gradient = matern_1_2::grad_x_i(&HERE, &TWO, &b, &[1.0]).run()?;
    close(gradient[[0, 0]], 0.004_042_768_199_451_28, 1e-16);
    close(gradient[[0, 1]], 0.005_390_357_599_268_37, 1e-16);
    Ok(())
}

#[test]
fn t37_matern_3_2_at_a_point() -> Result<(), Error> {
    let b = [2.0, 1.0];
    close(matern_3_2(&HERE, &TWO, &b).run()?[[0, 0]], 2.001_674_511_007_66, 1e-14);
    let gradient = matern_3_2::grad_x_i(&HERE, &TWO, &b, &[1.0]).run()?;
    close(gradient[[0, 0]], 0.001_560_062_396_899_38, 1e-16);
    close(gradient[[0, 1]], 0.002_080_083_195_865_84, 1e-16);
    Ok(())
}

fn energy_distance_to_oneself<T: Real>() -> Result<(), Error> {
    let cloud = rows::<T, 3>(x, 50);
    let copy = cloud.clone();
    let total = |a: &Vec<[T; 3]>, b: &Vec<[T; 3]>| -> Result<f64, Error> {
        Ok(energy(a, b).run()?.iter().map(|v| v.to_f64()).sum())
    };
    let (between, within) = (total(&cloud, &copy)?, total(&cloud, &cloud)? + total(&copy, &copy)?);
    close(T::from_f64(2.0 * between - within), 0.0, lattice::tolerance::<T>(between));
    let seed = vec![[T::from_f64(1.0)]; 50];
    let to_other = energy::grad_x_i(&cloud, &cloud, &seed).run()?;
    // The sum is antisymmetric in i and j: its rows add up to zero.
    for axis in 0..3 {
        let column: f64 = to_other.column(axis).iter().map(|g| g.to_f64()).sum();
        assert!(column.is_finite() && column.abs() <= lattice::tolerance::<T>(2500.0));
    }
    Ok(())
}

#[test]
fn t38_energy_distance_to_oneself() -> Result<(), Error> {
    energy_distance_to_oneself::<f32>()?;
    energy_distance_to_oneself::<f64>()
}

#[test]
fn t39_poles() -> Result<(), Error> {
    for level in levels() {
        let (zero, one) = ([0.0f64; 3], [1.0f64]);
        let all = |table: Array2<f64>, want: f64| assert!(table.iter().all(|&v| v == want), "{table} should be {want}");
        all(sqrt(&zero, &one).level(level).run()?, 0.0);
        all(rsqrt(&zero, &one).level(level).run()?, 0.0);
        all(inverse(&zero, &one).level(level).run()?, f64::INFINITY);
        all(log(&zero, &one).level(level).run()?, f64::NEG_INFINITY);
        let seed = [1.0; 3];
        all(sqrt::grad_x_i(&zero, &one, &seed).level(level).run()?, 0.0);
        all(rsqrt::grad_x_i(&zero, &one, &seed).level(level).run()?, 0.0);
        all(inverse::grad_x_i(&zero, &one, &seed).level(level).run()?, f64::NEG_INFINITY);
        all(log::grad_x_i(&zero, &one, &seed).level(level).run()?, f64::INFINITY);
    }
    Ok(())
}

#[test]
fn t40_powers_of_negative_numbers() -> Result<(), Error> {
    let (x, y, b, seed) = ([-2.0f32, 3.0], [1.0, 4.0], [1.0, 0.5], [1.0, 1.0]);
    assert_eq!(squares(&x, &y, &b).run()?, array![[36.0], [81.0]]);
    assert_eq!(squares::grad_x_i(&x, &y, &b, &seed).run()?, array![[-36.0], [54.0]]);
    assert_eq!(cubes(&x, &y, &b).run()?, array![[-264.0], [891.0]]);
    assert_eq!(cubes::grad_x_i(&x, &y, &b, &seed).run()?, array![[396.0], [891.0]]);
    Ok(())
}

#[test]
fn t41_powers_of_zero() -> Result<(), Error> {
    let (x, y, seed) = ([0.0f32], [1.0], [1.0]);
    assert_eq!(power_0(&x, &y).run()?, array![[1.0]]);
    assert_eq!(power_1(&x, &y).run()?, array![[0.0]]);
    assert_eq!(power_2(&x, &y).run()?, array![[0.0]]);
    assert_eq!(power_0::grad_x_i(&x, &y, &seed).run()?, array![[0.0]]);
    assert_eq!(power_1::grad_x_i(&x, &y, &seed).run()?, array![[1.0]]);
    assert_eq!(power_2::grad_x_i(&x, &y, &seed).run()?, array![[0.0]]);
    Ok(())
}

#[test]
fn t43_zero_over_zero() -> Result<(), Error> {
    let unit: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|d| f64::from(u8::from(i == d))));
    for (j, y) in unit.iter().enumerate() {
        let column = quotient(&unit, &[*y]).run()?;
        for (i, value) in column.iter().enumerate() {
            assert!(if i == j { value.is_nan() } else { *value == 1.0 }, "entry ({i}, {j}) is {value}");
        }
    }
    let (x, y) = ([[1.0, 5.0]], [[0.0, 7.0], [3.0, 2.0]]);
    assert_eq!(largest_of_rows(&x, &y).run()?, array![[1.0, 3.0]]);
    assert_eq!(largest_of_features(&x, &y).run()?, array![[1.0 + 3.0]]);
    Ok(())
}

#[test]
fn t44_nan_among_the_terms() -> Result<(), Error> {
    for place in [0, 40, 99] {
        let mut y: Vec<f32> = (0..100u8).map(f32::from).collect();
        y[place] = f32::NAN;
        let first = if place == 0 { 1 } else { 0 };
        let last = if place == 99 { 98 } else { 99 };
        for (level, m) in levels().flat_map(|level| [(level, 1), (level, 40)]) {
            let x = vec![1.0f32; m];
            let at = m - 1;
            assert!(sum(&x, &y).level(level).run()?[[at, 0]].is_nan());
            assert!(lse(&x, &y).level(level).run()?[[at, 0]].is_nan());
            // NaN is ignored by whatever chooses.
            let (value, index) = min_argmin(&x, &y).level(level).run()?;
            assert_eq!((value[[at, 0]], index[[at, 0]]), (first as f32, first));
            let (value, index) = max_argmax(&x, &y).level(level).run()?;
            assert_eq!((value[[at, 0]], index[[at, 0]]), (last as f32, last));
            let (_, indices) = smallest_two(&x, &y).level(level).run()?;
            let second = if place == first as usize + 1 { first + 2 } else { first + 1 };
            assert_eq!((indices[[at, 0, 0]], indices[[at, 1, 0]]), (first, second));
        }
    }
    Ok(())
}

#[test]
fn t45_nothing_but_nan() -> Result<(), Error> {
    for (level, m) in levels().flat_map(|level| [(level, 1), (level, 40)]) {
        let (value, index) = min_argmin(&vec![1.0f32; m], &[f32::NAN; 100]).level(level).run()?;
        assert!(value.iter().all(|&v| v == f32::INFINITY), "{value}");
        assert!(index.iter().all(|&i| i == 0), "{index}");
        assert!(argmin(&vec![1.0f64; m], &[f64::NAN; 100]).level(level).run()?.iter().all(|&i| i == 0));
    }
    Ok(())
}

#[test]
fn t46_points_at_infinity() -> Result<(), Error> {
    let y = [f32::INFINITY, 0.0, f32::NEG_INFINITY];
    for level in levels() {
        assert_eq!(gauss(&[0.0f32], &y).level(level).run()?, array![[1.0]]);
        let got = gauss(&[1.0f32, f32::INFINITY, f32::NEG_INFINITY], &y).level(level).run()?;
        close(got[[0, 0]], (-1.0f64).exp(), four_ulp::<f32>(1.0));
        assert!(got[[1, 0]].is_nan() && got[[2, 0]].is_nan());
    }
    Ok(())
}

#[test]
fn t48_largest_of_negative_features() -> Result<(), Error> {
    assert_eq!(largest_of_features(&[[0.0f32, 1.0]], &[[3.0f32, 2.0]]).run()?, array![[-1.0]]);
    Ok(())
}

#[test]
fn t49_ties_go_to_the_first() -> Result<(), Error> {
    for n in [41, 64, 300, 1000] {
        let mut y: Vec<[f32; 2]> = (0..n).map(|j| [j as f32 + 1.0, 1.0]).collect();
        y[5] = [0.25, 0.25];
        y[17] = y[5];
        y[40] = y[5];
        for (level, m) in levels().flat_map(|level| [(level, 1), (level, 2), (level, 40)]) {
            let x = vec![[0.0f32, 0.0]; m];
            assert!(nearest(&x, &y).level(level).run()?.iter().all(|&i| i == 5));
            let three = nearest_three(&x, &y).level(level).run()?;
            for i in 0..m {
                assert_eq!(
                    [three[[i, 0, 0]], three[[i, 1, 0]], three[[i, 2, 0]]],
                    [5, 17, 40],
                    "{n} points at {level:?}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn t50_the_branch_not_taken_does_not_leak() -> Result<(), Error> {
    let f = [-1.0f64, 4.0];
    assert_eq!(choice(&f, &[1.0]).run()?, array![[-1.0], [2.0]]);
    assert_eq!(choice::grad_f_i(&f, &[1.0], &[1.0, 1.0]).run()?, array![[3.0], [0.25]]);
    Ok(())
}

#[test]
fn t51_angles_of_clamped_cosines() -> Result<(), Error> {
    let u = [1.0 + f32::EPSILON, 1.0, -1.0, 0.5];
    let angles = angle(&u, &[1.0]).run()?;
    assert_eq!((angles[[0, 0]], angles[[1, 0]]), (0.0, 0.0));
    close(angles[[2, 0]], std::f64::consts::PI, four_ulp::<f32>(std::f64::consts::PI));
    close(angles[[3, 0]], std::f64::consts::FRAC_PI_3, four_ulp::<f32>(1.0));
    // Outside and, by convention, at ±1 the derivative is 0.
    let gradient = angle::grad_u_i(&u, &[1.0], &[1.0; 4]).run()?;
    assert_eq!((gradient[[0, 0]], gradient[[1, 0]], gradient[[2, 0]]), (0.0, 0.0, 0.0));
    close(gradient[[3, 0]], -1.0 / 0.75f64.sqrt(), four_ulp::<f32>(1.2));
    Ok(())
}

#[test]
fn t53_derivatives_of_angles() -> Result<(), Error> {
    let (y, x, seed) = ([1.0f64], [2.0], [1.0]);
    close(atan2(&y, &x).run()?[[0, 0]], 0.5f64.atan(), four_ulp::<f64>(0.5));
    close(atan2::grad_y_i(&y, &x, &seed).run()?[[0, 0]], 0.4, four_ulp::<f64>(0.4));
    close(atan2::grad_x_j(&y, &x, &seed).run()?[[0, 0]], -0.2, four_ulp::<f64>(0.2));
    Ok(())
}

#[test]
fn t54_comparisons_at_equality() -> Result<(), Error> {
    let grid: Vec<[f32; 2]> = (0..16u8).map(|k| [f32::from(k / 4) + 0.5, f32::from(k % 4) + 0.5]).collect();
    let neighbours = [3, 4, 4, 3, 4, 5, 5, 4, 4, 5, 5, 4, 3, 4, 4, 3].map(|n| n as f32);
    for level in levels() {
        assert_eq!(within(&grid, &grid, &1.0).level(level).run()?.into_raw_vec_and_offset().0, neighbours);
        assert_eq!(step_within(&grid, &grid, &1.0).level(level).run()?.into_raw_vec_and_offset().0, neighbours);
        assert!(strictly_within(&grid, &grid, &1.0).level(level).run()?.iter().all(|&n| n == 1.0));
    }
    Ok(())
}

#[test]
fn t55_positions_outside_are_nowhere() -> Result<(), Error> {
    let got = one_hot(&[0.0f32, 5.0, -1.0, 6.0, 8.0, 2.0], &[1.0]).run()?;
    for (row, place) in [Some(0), Some(5), None, None, None, Some(2)].into_iter().enumerate() {
        for k in 0..6 {
            assert_eq!(got[[row, k]], f32::from(u8::from(place == Some(k))), "row {row}, component {k}");
        }
    }
    Ok(())
}

/// Masks are infinite, and so are distances that overflow: they are selected last, but each with its own index. NaN never is.
#[test]
fn infinite_values_are_selected_with_their_indices() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    type Row<'a> = (&'a [f64], &'a [u64], &'a [f64]);
    let smallest: [Row<'_>; 6] = [
        (&[1.0, INF, INF, INF], &[0, 1, 2], &[1.0, INF, INF]),
        (&[INF, INF, 1.0, INF], &[2, 0, 1], &[1.0, INF, INF]),
        (&[INF, INF, INF], &[0, 1, 2], &[INF; 3]),
        (&[NAN, INF, NAN, 2.0, INF, -INF], &[5, 3, 1], &[-INF, 2.0, INF]),
        (&[5.0, INF, 4.0, INF, 3.0], &[4, 2, 0], &[3.0, 4.0, 5.0]),
        (&[NAN, NAN, INF, INF, INF], &[2, 3, 4], &[INF; 3]),
    ];
    for rows in [1, 40] {
        let x = vec![[1.0f64]; rows];
        for (y, indices, values) in smallest {
            let (got_values, got) = three_smallest(&x, y).run().unwrap();
            for i in 0..rows {
                let row: Vec<u64> = got.slice(ndarray::s![i, .., 0]).to_vec();
                assert_eq!(row, indices, "{y:?}");
                let row: Vec<f64> = got_values.slice(ndarray::s![i, .., 0]).to_vec();
                assert_eq!(row, values, "{y:?}");
            }
        }
        for (y, first) in
            [(&[NAN, INF][..], 1), (&[NAN, NAN, INF, INF], 2), (&[INF, INF], 0), (&[INF, NAN, 3.0, INF], 2)]
        {
            let minus: Vec<f64> = y.iter().map(|y| -y).collect();
            let (least, largest) = (least(&x, y).run().unwrap(), largest(&x, &minus[..]).run().unwrap());
            assert!(least.0.iter().zip(&largest.0).all(|(a, b)| *a == y[first] && *b == -y[first]), "{y:?}");
            assert!(least.1.iter().chain(&largest.1).all(|&at| at == first as u64), "{y:?}");
            // Only what was selected has a gradient.
            let gradient = least_value::grad_y_j(&x, y, &vec![[1.0]; rows]).run().unwrap();
            let expected = |j: usize| if j == first { 2.0 * rows as f64 } else { 0.0 };
            assert!((0..y.len()).all(|j| gradient[[j, 0]] == expected(j)), "{y:?}: {gradient}");
        }
        // A long list, and infinities from one tile to the next.
        let y: Vec<f64> = (0..600)
            .map(|j| {
                if j % 3 == 0 {
                    f64::from(j)
                } else if j % 3 == 1 {
                    INF
                } else {
                    NAN
                }
            })
            .collect();
        let got = many_smallest(&x, &y).run().unwrap();
        let finite = (0..600).step_by(3);
        let infinite = (0..600).skip(1).step_by(3);
        let expected: Vec<u64> = finite.chain(infinite).take(300).collect();
        assert_eq!(got.slice(ndarray::s![0, .., 0]).to_vec(), expected);
        assert_eq!(got.slice(ndarray::s![rows - 1, .., 0]).to_vec(), expected);
    }
}
