//! Leading axes and ragged batches: shapes, broadcasting, gradients of shared variables, segments without rows or columns.

mod lattice;

use keops::{Category, Error, Level, Offsets, Real, keops};
use lattice::{b, close, levels, rows, tolerance, x, y};
use ndarray::{Array, Array2, Array3, Array4, ArrayD, ArrayViewD, Axis, Ix2, IxDyn, array, s};

keops! {
    fn count(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(1, 0);
    fn bell(x_i: Vi<1>, y_j: Vj<1>, p: Pm<1>) = Sum_Reduction(Exp(-p * (x_i - y_j) ** 2), 0);
    #[grad(x_i, y_j, b_j, gamma)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>, gamma: Pm<1>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);
    fn gauss_of_j(x_i: Vi<3>, y_j: Vj<3>, b_i: Vi<2>, gamma: Pm<1>) =
        Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_i, 1);
    #[grad(x_i, y_j, gamma)]
    fn lse(x_i: Vi<3>, y_j: Vj<3>, gamma: Pm<1>) = LogSumExp_Reduction(-gamma * SqDist(x_i, y_j), 0);
    #[grad(x_i, b_j)]
    fn softmax(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>) = SumSoftMaxWeight_Reduction(-SqDist(x_i, y_j), 0, b_j);
    fn min(x_i: Vi<3>, y_j: Vj<3>) = Min_Reduction(SqDist(x_i, y_j), 0);
    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i, y_j, gamma)]
    fn two_nearest(x_i: Vi<3>, y_j: Vj<3>, gamma: Pm<1>) = KMin_ArgKMin_Reduction(gamma * SqDist(x_i, y_j), 2, 0);
    #[grad(x_i)]
    fn distances(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

/// The bits of a call of its own, on the processor. A device splits the sums of a batch in other places.
fn same(got: &ArrayViewD<'_, f64>, want: &ArrayD<f64>) {
    if env!("CARGO_PKG_NAME") == "keops" {
        assert_eq!(got, want);
    }
    let largest = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert_eq!(got.dim(), want.dim());
    assert!(got.iter().zip(want).all(|(got, want)| (got - want).abs() <= 1e-13 * largest), "{got} instead of {want}");
}

/// Lattice points as an array of any shape, different for every `salt`.
fn cloud(shape: &[usize], salt: usize, number: fn(usize, usize) -> f64) -> ArrayD<f64> {
    let width = shape[shape.len() - 1];
    let mut at = 0;
    Array::from_shape_simple_fn(IxDyn(shape), || {
        at += 1;
        number(salt + (at - 1) / width, (at - 1) % width)
    })
}

/// One batch element of an array whose batch axes are `axes`, broadcast.
fn element(array: &ArrayD<f64>, index: &[usize]) -> Array2<f64> {
    let mut view = array.view();
    let axes = view.ndim() - 2;
    for &at in &index[index.len() - axes..] {
        let at = if view.shape()[0] == 1 { 0 } else { at };
        view = view.index_axis_move(Axis(0), at);
    }
    view.to_owned().into_dimensionality::<Ix2>().unwrap()
}

#[test]
fn t18_more_batches_than_a_grid_has_blocks() -> Result<(), Error> {
    let (x, y) = (Array3::<f32>::zeros((70_000, 2, 1)), Array3::<f32>::zeros((70_000, 2, 1)));
    let got = count(&x, &y).batched().run()?;
    assert_eq!(got.shape(), [70_000, 2, 1]);
    assert!(got.iter().all(|&n| n == 2.0));
    Ok(())
}

fn parameter_per_batch<T: Real>() -> Result<(), Error> {
    let (x, y) = (rows::<T, 1>(|i, _| i as f64 / 4.0, 5), rows::<T, 1>(|j, _| j as f64 / 3.0, 4));
    let p = array![[[T::from_f64(0.5)]], [[T::from_f64(1.0)]], [[T::from_f64(4.0)]]];
    let want = [
        [3.35322753153621, 3.63746199116775, 3.73740803865702],
        [2.90389914641577, 3.34289924336922, 3.50281052037551],
        [1.82850934272475, 2.35615627334889, 2.52543751597162],
    ];
    for level in levels() {
        let got = bell(&x, &y, &p).level(level).batched().run()?;
        assert_eq!(got.shape(), [3, 5, 1]);
        for (batch, want) in want.iter().enumerate() {
            for (i, k) in [0, 1, 2, 1, 0].into_iter().enumerate() {
                close(got[[batch, i, 0]], want[k], tolerance::<T>(want[k]));
            }
        }
    }
    Ok(())
}

#[test]
fn t71_a_parameter_for_each_batch() -> Result<(), Error> {
    parameter_per_batch::<f32>()?;
    parameter_per_batch::<f64>()
}

#[test]
fn t73_every_cloud_with_every_cloud() -> Result<(), Error> {
    let points = cloud(&[4, 64, 3], 0, x);
    let (left, right) = (points.clone().insert_axis(Axis(1)), points.insert_axis(Axis(0)));
    let got = distances(&left, &right).batched().run()?;
    assert_eq!(got.shape(), [4, 4, 64, 1]);
    let total = got.sum_axis(Axis(3)).sum_axis(Axis(2));
    for p in 0..4 {
        for q in 0..4 {
            let (a, b) = (element(&left, &[p, q]), element(&right, &[p, q]));
            let want: f64 =
                a.outer_iter().flat_map(|a| b.outer_iter().map(move |b| (&a - &b).mapv(|d| d * d).sum())).sum();
            close(total[[p, q]], want, 1e-13 * want);
            close(total[[p, q]], total[[q, p]], 1e-13 * want);
        }
    }
    Ok(())
}

/// Runs `one` on every element of two batch axes and compares with the elements of the batched result, bit for bit.
fn same_as_loops(
    got: &ArrayD<f64>,
    batch: [usize; 2],
    one: impl Fn(&[usize]) -> Result<ArrayD<f64>, Error>,
) -> Result<(), Error> {
    assert_eq!(got.shape()[..2], batch);
    for p in 0..batch[0] {
        for q in 0..batch[1] {
            let got = got.index_axis(Axis(0), p).index_axis_move(Axis(0), q);
            assert_eq!(got, one(&[p, q])?, "element [{p}, {q}]");
        }
    }
    Ok(())
}

#[test]
fn batches_are_loops_bit_for_bit() -> Result<(), Error> {
    // Sizes around one register, many rows and few, more columns than a chunk.
    for (m, n) in [(1, 40), (7, 5), (70, 33), (3, 1500), (600, 20)] {
        let x = cloud(&[2, 1, m, 3], 0, x);
        let y = cloud(&[3, n, 3], 5, y);
        let b = cloud(&[1, n, 2], 9, b);
        let gamma = cloud(&[2, 3, 1, 1], 3, lattice::y);
        let e = |index: &[usize]| [element(&x, index), element(&y, index), element(&b, index), element(&gamma, index)];
        for level in levels() {
            let got = gauss(&x, &y, &b, &gamma).level(level).batched().run()?;
            same_as_loops(&got, [2, 3], |index| {
                let [x, y, b, gamma] = e(index);
                Ok(gauss(&x, &y, &b, &gamma).level(level).run()?.into_dyn())
            })?;
            let got = lse(&x, &y, &gamma).level(level).batched().run()?;
            same_as_loops(&got, [2, 3], |index| {
                let [x, y, _, gamma] = e(index);
                Ok(lse(&x, &y, &gamma).level(level).run()?.into_dyn())
            })?;
            let (values, indices) = two_nearest(&x, &y, &gamma).level(level).batched().run()?;
            assert_eq!(values.shape(), [2, 3, m, 2, 1]);
            same_as_loops(&values, [2, 3], |index| {
                let [x, y, _, gamma] = e(index);
                Ok(two_nearest(&x, &y, &gamma).level(level).run()?.0.into_dyn())
            })?;
            same_as_loops(&indices.mapv(|index| index as f64), [2, 3], |index| {
                let [x, y, _, gamma] = e(index);
                Ok(two_nearest(&x, &y, &gamma).level(level).run()?.1.mapv(|index| index as f64).into_dyn())
            })?;
        }
    }
    Ok(())
}

#[test]
fn tag_1_is_batched_too() -> Result<(), Error> {
    let (x, y, b) = (cloud(&[5, 6, 3], 0, x), cloud(&[9, 3], 5, y), cloud(&[5, 6, 2], 9, b));
    let got = gauss_of_j(&x, &y, &b, &0.7).batched().run()?;
    assert_eq!(got.shape(), [5, 9, 2]);
    for p in 0..5 {
        let want = gauss_of_j(&element(&x, &[p]), &y, &element(&b, &[p]), &0.7).run()?;
        same(&got.index_axis(Axis(0), p), &want.into_dyn());
    }
    Ok(())
}

/// Gradients of shared variables are the sums of the gradients of the elements.
fn summed(got: &ArrayD<f64>, shape: &[usize], parts: &[Array2<f64>]) {
    assert_eq!(got.shape(), shape);
    let zero = Array2::<f64>::zeros(parts[0].dim());
    let (want, magnitude) =
        parts.iter().fold((zero.clone(), zero), |(sum, size), part| (sum + part, size + part.mapv(f64::abs)));
    for ((got, want), size) in got.iter().zip(&want).zip(&magnitude) {
        close(*got, *want, 1e-13 * size + 1e-300);
    }
}

#[test]
fn t74_gradients_of_shared_variables_are_summed() -> Result<(), Error> {
    let (m, n) = (200, 150);
    let (x, y, b) = (cloud(&[2, m, 3], 0, x), cloud(&[n, 3], 5, y), cloud(&[1, n, 2], 9, b));
    let gamma = array![0.7];
    let e = cloud(&[2, m, 2], 11, y_as_seed);
    let of = |p: usize| (element(&x, &[p]), element(&b, &[0]), element(&e, &[p]));

    let got = gauss::grad_y_j(&x, &y, &b, &gamma, &e).batched().run()?;
    let part = |p| {
        let (x, b, e) = of(p);
        gauss::grad_y_j(&x, &y, &b, &gamma, &e).run()
    };
    summed(&got, &[n, 3], &[part(0)?, part(1)?]);

    let got = gauss::grad_b_j(&x, &y, &b, &gamma, &e).batched().run()?;
    let part = |p| {
        let (x, b, e) = of(p);
        gauss::grad_b_j(&x, &y, &b, &gamma, &e).run()
    };
    summed(&got, &[1, n, 2], &[part(0)?, part(1)?]);

    let got = gauss::grad_gamma(&x, &y, &b, &gamma, &e).batched().run()?;
    let part = |p| {
        let (x, b, e) = of(p);
        gauss::grad_gamma(&x, &y, &b, &gamma, &e).run()
    };
    summed(&got, &[1, 1], &[part(0)?, part(1)?]);

    // A variable that is not shared has its own gradients.
    let got = gauss::grad_x_i(&x, &y, &b, &gamma, &e).batched().run()?;
    for p in 0..2 {
        let (x, b, e) = of(p);
        same(&got.index_axis(Axis(0), p), &gauss::grad_x_i(&x, &y, &b, &gamma, &e).run()?.into_dyn());
    }
    Ok(())
}

fn y_as_seed(i: usize, d: usize) -> f64 {
    y(i, d) - 0.4
}

#[test]
fn gradients_of_other_reductions_are_batched() -> Result<(), Error> {
    let (m, n) = (20, 30);
    let (x, y, b) = (cloud(&[3, m, 3], 0, x), cloud(&[1, n, 3], 5, y), cloud(&[3, n, 2], 9, b));
    let gamma = cloud(&[3, 1, 1], 2, y_as_seed).mapv(|g| g + 0.6);
    let (e, e2) = (cloud(&[3, m, 1], 11, y_as_seed), cloud(&[1, m, 2], 13, y_as_seed));
    let at = |array: &ArrayD<f64>, p: usize| element(array, &[p]);

    let got = lse::grad_x_i(&x, &y, &gamma, &e).batched().run()?;
    let shared = lse::grad_y_j(&x, &y, &gamma, &e).batched().run()?;
    let by_gamma = lse::grad_gamma(&x, &y, &gamma, &e).batched().run()?;
    let mut parts = Vec::new();
    for p in 0..3 {
        let (x, y, gamma, e) = (at(&x, p), at(&y, p), at(&gamma, p), at(&e, p));
        same(&got.index_axis(Axis(0), p), &lse::grad_x_i(&x, &y, &gamma, &e).run()?.into_dyn());
        same(&by_gamma.index_axis(Axis(0), p), &lse::grad_gamma(&x, &y, &gamma, &e).run()?.into_dyn());
        parts.push(lse::grad_y_j(&x, &y, &gamma, &e).run()?);
    }
    summed(&shared, &[1, n, 3], &parts);

    // The covector is shared, the variables are not.
    let got = softmax::grad_b_j(&x, &y, &b, &e2).batched().run()?;
    for p in 0..3 {
        let want = softmax::grad_b_j(&at(&x, p), &at(&y, p), &at(&b, p), &at(&e2, p)).run()?;
        same(&got.index_axis(Axis(0), p), &want.into_dyn());
    }

    let e = cloud(&[3, m, 2, 1], 11, y_as_seed);
    let seed = |p: usize| e.index_axis(Axis(0), p).to_owned();
    let got = two_nearest::grad_x_i(&x, &y, &gamma, &e).batched().run()?;
    let shared = two_nearest::grad_y_j(&x, &y, &gamma, &e).batched().run()?;
    let by_gamma = two_nearest::grad_gamma(&x, &y, &gamma, &e).batched().run()?;
    let mut parts = Vec::new();
    for p in 0..3 {
        let (x, y, gamma, e) = (at(&x, p), at(&y, p), at(&gamma, p), seed(p));
        same(&got.index_axis(Axis(0), p), &two_nearest::grad_x_i(&x, &y, &gamma, &e).run()?.into_dyn());
        same(&by_gamma.index_axis(Axis(0), p), &two_nearest::grad_gamma(&x, &y, &gamma, &e).run()?.into_dyn());
        parts.push(two_nearest::grad_y_j(&x, &y, &gamma, &e).run()?);
    }
    summed(&shared, &[1, n, 3], &parts);
    Ok(())
}

#[test]
fn axes_of_any_strides() -> Result<(), Error> {
    let plain = cloud(&[4, 5, 6, 3], 0, x);
    let y = cloud(&[8, 3], 5, y);
    let want = nearest(&plain, &y).batched().run()?;
    let permuted = plain.view().permuted_axes(vec![3, 1, 0, 2]).as_standard_layout().into_owned();
    let back = permuted.view().permuted_axes(vec![2, 1, 3, 0]);
    assert_eq!(nearest(&back, &y).batched().run()?, want);
    let four: Array4<f64> = plain.clone().into_dimensionality().unwrap();
    let mut reversed = four.clone();
    reversed.invert_axis(Axis(0));
    reversed.invert_axis(Axis(2));
    let mut got = nearest(&reversed, &y).batched().run()?;
    got.0.invert_axis(Axis(0));
    got.0.invert_axis(Axis(2));
    assert_eq!(got.0, want.0);
    let every_other = nearest(&four.slice(s![..;2, 1.., ..;-1, ..]), &y).batched().run()?;
    assert_eq!(every_other.0.shape(), [2, 4, 6, 1]);
    assert_eq!(every_other.1.slice(s![1, 2, 0, 0]), want.1.slice(s![2, 3, 5, 0]));
    Ok(())
}

#[test]
fn batches_without_elements_rows_or_columns() -> Result<(), Error> {
    let none = count(&Array3::<f64>::zeros((0, 2, 1)), &array![[1.0]]).batched().run()?;
    assert_eq!(none.shape(), [0, 2, 1]);
    let none = count(&Array3::<f64>::zeros((3, 0, 1)), &array![[1.0]]).batched().run()?;
    assert_eq!(none.shape(), [3, 0, 1]);
    let empty = count(&Array3::<f64>::zeros((3, 2, 1)), &Array2::zeros((0, 1))).batched().run()?;
    assert_eq!(empty, Array3::zeros((3, 2, 1)).into_dyn());
    let gradient = gauss::grad_y_j(
        &Array3::<f64>::zeros((0, 2, 3)),
        &Array2::ones((4, 3)),
        &Array2::ones((4, 2)),
        &0.5,
        &Array3::ones((0, 2, 2)),
    )
    .batched()
    .run()?;
    assert_eq!(gradient, Array2::zeros((4, 3)).into_dyn(), "a sum over no element");
    Ok(())
}

#[test]
fn wrong_batches_are_refused() {
    let (x, y) = (cloud(&[2, 5, 3], 0, x), cloud(&[4, 3], 5, y));
    let error = min(&x, &y).run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "min: variable `x_i` (Vi, one row per i) must be an array of rows × 3, but the data has shape [2, 5, 3]; for a result \
         with batch axes say `.batched()` before running"
    );
    let error = min(&x, &cloud(&[3, 4, 3], 5, lattice::y)).batched().run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "min: variable `y_j` (Vj, one row per j) has batch axes [3], which do not broadcast to [2]"
    );
    let error = min(&x, &cloud(&[2, 4, 2], 5, lattice::y)).batched().run().unwrap_err();
    assert!(matches!(error, Error::Axes { variable: "y_j", expected: 3, .. }), "{error}");
    let error =
        bell(&cloud(&[2, 5, 1], 0, lattice::x), &array![[1.0]], &array![[1.0], [2.0]]).batched().run().unwrap_err();
    assert!(matches!(error, Error::ParameterRows { variable: "p", got: 2, .. }), "{error}");
    let error = gauss(&x, &y, &cloud(&[2, 5, 2], 1, lattice::b), &0.5).batched().run().unwrap_err();
    assert!(matches!(error, Error::Rows { category: Category::Vj, expected: 4, got: 5, .. }), "{error}");
}

#[test]
fn t75_ragged_batches() -> Result<(), Error> {
    let (i, j) = (Offsets::from_lengths([3, 0, 5])?, Offsets::from_lengths([2, 4, 0])?);
    let (x, y, b) = (rows::<f64, 3>(x, 8), rows::<f64, 3>(y, 6), rows::<f64, 2>(b, 6));
    let sums = gauss(&x, &y, &b, &0.7).segments(&i, &j)?.run()?;
    assert_eq!(sums.slice(s![..3, ..]), gauss(&x[..3], &y[..2], &b[..2], &0.7).run()?);
    assert_eq!(sums.slice(s![3.., ..]), Array2::zeros((5, 2)));
    let logs = lse(&x, &y, &0.7).segments(&i, &j)?.run()?;
    assert_eq!(logs.slice(s![..3, ..]), lse(&x[..3], &y[..2], &0.7).run()?);
    assert!(logs.slice(s![3.., ..]).iter().all(|&v| v == f64::NEG_INFINITY));
    let (values, indices) = nearest(&x, &y).segments(&i, &j)?.run()?;
    assert_eq!(values.slice(s![..3, ..]), nearest(&x[..3], &y[..2]).run()?.0);
    assert!(values.slice(s![3.., ..]).iter().all(|&v| v == f64::INFINITY));
    assert!(indices.slice(s![3.., ..]).iter().all(|&index| index == 0), "as of any row without terms");
    let error = two_nearest(&x, &y, &0.7).segments(&i, &j)?.run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "two_nearest: K = 2 values per row are asked for, but rows 3..8 (segment 2) have only 0 term(s)"
    );
    Ok(())
}

#[test]
fn ragged_batches_are_loops_bit_for_bit() -> Result<(), Error> {
    let (rows_of, columns_of) = ([3, 70, 0, 1, 200, 20], [40, 2, 7, 600, 33, 300]);
    let (i, j) = (Offsets::from_lengths(rows_of)?, Offsets::from_lengths(columns_of)?);
    let (x, y, b) = (rows::<f32, 3>(x, i.rows()), rows::<f32, 3>(y, j.rows()), rows::<f32, 2>(b, j.rows()));
    let e = rows::<f32, 2>(y_as_seed, i.rows());
    for level in levels() {
        let sums = gauss(&x, &y, &b, &0.7).segments(&i, &j)?.level(level).run()?;
        let (values, indices) = two_nearest(&x, &y, &0.7).segments(&i, &j)?.level(level).run()?;
        let by_y = gauss::grad_y_j(&x, &y, &b, &0.7, &e).segments(&i, &j)?.level(level).run()?;
        for segment in 0..i.segments() {
            let (r, c) = (i.segment(segment), j.segment(segment));
            let (x, y, b, e) = (&x[r.clone()], &y[c.clone()], &b[c.clone()], &e[r.clone()]);
            assert_eq!(sums.slice(s![r.clone(), ..]), gauss(x, y, b, &0.7).level(level).run()?);
            assert_eq!(by_y.slice(s![c.clone(), ..]), gauss::grad_y_j(x, y, b, &0.7, e).level(level).run()?);
            let want = two_nearest(x, y, &0.7).level(level).run()?;
            assert_eq!(values.slice(s![r.clone(), .., ..]), want.0);
            assert_eq!(indices.slice(s![r, .., ..]), want.1 + c.start as u64, "indices are absolute");
        }
    }
    let total = gauss::grad_gamma(&x, &y, &b, &0.7, &e).segments(&i, &j)?.run()?;
    let mut want = 0.0;
    for segment in 0..i.segments() {
        let (r, c) = (i.segment(segment), j.segment(segment));
        want += f64::from(gauss::grad_gamma(&x[r.clone()], &y[c.clone()], &b[c], &0.7, &e[r]).run()?[[0, 0]]);
    }
    close(total[[0, 0]], want, 1e-4);
    Ok(())
}

#[test]
fn wrong_segments_are_refused() -> Result<(), Error> {
    let (x, y) = (rows::<f64, 3>(x, 8), rows::<f64, 3>(y, 6));
    let (i, j) = (Offsets::from_lengths([3, 5])?, Offsets::from_lengths([2, 3])?);
    let error = min(&x, &y).segments(&i, &j)?.run().unwrap_err();
    assert_eq!(error.to_string(), "min: the segments are for 5 row(s) j, but the data has 6");
    let error = min(&x, &y).segments(&i, &Offsets::uniform(6, 2)?).err().expect("numbers differ");
    assert_eq!(error, Error::Segments { i: 2, j: 3 });
    assert_eq!(
        Offsets::new(vec![0, 4, 2]).unwrap_err().to_string(),
        "offset 2 is 2: it is less than the one before it"
    );
    assert_eq!(Offsets::new(vec![1, 4]).unwrap_err().to_string(), "offset 0 is 1: the first must be 0");
    assert!(Offsets::new(vec![]).is_err());
    assert!(Offsets::from_lengths([usize::MAX, 1]).is_err());
    Ok(())
}

#[test]
fn ragged_batches_within_batches() -> Result<(), Error> {
    let (i, j) = (Offsets::from_lengths([3, 5])?, Offsets::from_lengths([4, 2])?);
    let (x, y) = (cloud(&[2, 8, 3], 0, x), cloud(&[6, 3], 5, y));
    let (values, indices) = nearest(&x, &y).segments(&i, &j)?.level(Level::best()).batched().run()?;
    for p in 0..2 {
        let want = nearest(&element(&x, &[p]), &y).segments(&i, &j)?.run()?;
        assert_eq!(values.index_axis(Axis(0), p), want.0.into_dyn());
        assert_eq!(indices.index_axis(Axis(0), p), want.1.into_dyn());
    }
    Ok(())
}
