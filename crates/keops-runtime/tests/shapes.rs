//! Layouts of the data, sizes of the index sets, and forms of the results.

mod common;

use common::{Four, Gauss, GaussPerColumn, Ones, Squares, assert_close, points};
use keops_runtime::__private::{
    ArgKMin, ArgMin, Call, KMin, KMinArgKMin, LogSumExp, Max, Min, MinArgMin, Operation, Reduce, Rows, Sum,
};
use keops_runtime::{Accumulator, Backend, Level, Real};
use ndarray::{Array, Array2, Array3, ArrayD, Axis, ShapeBuilder, array, s};

type GaussSum = Reduce<Gauss, Sum>;

fn gauss<'a, T: Real>(
    x_i: &'a (impl Rows<T, 2> + ?Sized),
    y_j: &'a (impl Rows<T, 2> + ?Sized),
    b_j: &'a (impl Rows<T, 2> + ?Sized),
    g: &'a (impl Rows<T, 1> + ?Sized),
) -> Call<'a, GaussSum, T> {
    Call::new([x_i.rows_view(), y_j.rows_view(), b_j.rows_view(), g.rows_view()])
}

fn squares<'a, R, T: Real + Rows<T, 1>>(
    x_i: &'a (impl Rows<T, 2> + ?Sized),
    y_j: &'a (impl Rows<T, 2> + ?Sized),
) -> Call<'a, Reduce<Squares, R>, T>
where
    Reduce<Squares, R>: Operation,
{
    // A parameter of value 1, which outlives the call.
    let one: &'static T = Box::leak(Box::new(T::from_f64(1.0)));
    Call::new([x_i.rows_view(), y_j.rows_view(), one.rows_view()])
}

/// The sum as its definition says.
fn gauss_by_definition(x: &[[f64; 2]], y: &[[f64; 2]], b: &[[f64; 2]], g: f64) -> Vec<f64> {
    let term = |x: &[f64; 2], y: &[f64; 2]| (-g * ((x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2))).exp();
    x.iter().flat_map(|x| [0, 1].map(|c| y.iter().zip(b).map(|(y, b)| term(x, y) * b[c]).sum())).collect()
}

struct Data {
    x: Vec<[f64; 2]>,
    y: Vec<[f64; 2]>,
    b: Vec<[f64; 2]>,
    want: Vec<f64>,
}

fn data(m: usize, n: usize) -> Data {
    let (x, y, b) = (points(m, 1), points(n, 2), points(n, 3));
    let want = gauss_by_definition(&x, &y, &b, 0.7);
    Data { x, y, b, want }
}

#[test]
fn every_size_from_none_to_a_few() {
    for m in [0, 1, 2, 3, 17] {
        for n in [0, 1, 2, 5, 33] {
            let Data { x, y, b, want } = data(m, n);
            let got = gauss(&x, &y, &b, &0.7).run().unwrap();
            assert_eq!(got.dim(), (m, 2));
            assert_close(&got, &want, 1e-13 * (n as f64 + 1.0));
        }
    }
}

#[test]
fn number_types_are_inferred() {
    let Data { x, y, b, want } = data(3, 4);
    let narrow = |v: &[[f64; 2]]| v.iter().map(|row| row.map(|v| v as f32)).collect::<Vec<_>>();
    let got: Array2<f32> = gauss(&narrow(&x), &narrow(&y), &narrow(&b), &0.7).run().unwrap();
    assert_close(&got.mapv(f64::from), &want, 2e-6);
}

#[test]
fn slices_and_flat_lists() {
    let Data { x, y, b, want } = data(3, 4);
    let flat: Vec<f64> = y.as_flattened().to_vec();
    let fixed: [[f64; 2]; 4] = b.as_slice().try_into().unwrap();
    let check = |got: Array2<f64>| assert_close(&got, &want, 1e-14);
    check(gauss(&x[..], &flat, &fixed, &[0.7]).run().unwrap());
    check(gauss(&&x, &flat[..], fixed.as_flattened(), &[[0.7]]).run().unwrap());
    let flat_fixed: [f64; 8] = flat.as_slice().try_into().unwrap();
    check(gauss(&x, &flat_fixed, &b, &vec![0.7]).run().unwrap());
}

// Case T81: the same numbers in every layout give the same result.
#[test]
fn strides_do_not_matter() {
    let Data { x, y, b, .. } = data(5, 8);
    let (x, y, b) = (Array2::from(x), Array2::from(y), Array2::from(b));
    let want = gauss(&x, &y, &b, &0.7).run().unwrap();
    let check = |name: &str, x: ndarray::ArrayView2<'_, f64>, y: ndarray::ArrayView2<'_, f64>| {
        assert_eq!(gauss(&x, &y, &b, &0.7).run().unwrap(), want, "{name}");
    };

    let transposed = (x.t().as_standard_layout().into_owned(), y.t().as_standard_layout().into_owned());
    check("transposed", transposed.0.t(), transposed.1.t());

    let mut column_major = Array2::zeros((5, 2).f());
    column_major.assign(&x);
    check("column-major", column_major.view(), y.view());

    let mut sparse = Array2::from_elem((16, 2), f64::NAN);
    sparse.slice_mut(s![1..;2, ..]).assign(&y);
    check("every second row", x.view(), sparse.slice(s![1..;2, ..]));

    let mut wide = Array2::from_elem((5, 7), f64::NAN);
    wide.slice_mut(s![.., 1..6;3]).assign(&x);
    check("columns 1 and 4 of 7", wide.slice(s![.., 1..6;3]), y.view());

    let reversed = x.slice(s![..;-1, ..;-1]).as_standard_layout().into_owned();
    check("reversed in both axes", reversed.slice(s![..;-1, ..;-1]), y.view());

    let mut offset = vec![f64::NAN];
    offset.extend(x.iter());
    check("offset by one number", Array2::from_shape_vec((5, 2), offset[1..].to_vec()).unwrap().view(), y.view());
    assert_eq!(gauss(&offset[1..], &y, &b, &0.7).run().unwrap(), want);
}

#[test]
fn broadcast_rows_are_rows() {
    let Data { y, b, .. } = data(0, 8);
    let x = array![0.25, 0.5];
    let many = x.broadcast((1000, 2)).unwrap();
    let got = gauss(&many, &y, &b, &0.7).run().unwrap();
    let want = gauss(&[[0.25, 0.5]], &y, &b, &0.7).run().unwrap();
    assert_eq!(got.dim(), (1000, 2));
    assert!(got.outer_iter().all(|row| row == got.row(0)), "equal rows have equal results");
    assert_close(got.row(0), &want, 1e-14);
}

#[test]
fn arrays_of_any_number_of_axes() {
    let Data { x, y, b, want } = data(1, 3);
    let check = |got: Array2<f64>| assert_close(&got, &want, 1e-14);
    let (x1, y2) = (Array::from(x[0].to_vec()), Array2::from(y.clone()));
    check(gauss(&x1, &y2, &b, &array![0.7]).run().unwrap());
    let dynamic: (ArrayD<f64>, ArrayD<f64>) = (x1.clone().into_dyn(), y2.clone().into_dyn());
    check(gauss(&dynamic.0, &dynamic.1, &b, &ndarray::arr0(0.7).into_dyn()).run().unwrap());
    // rows × K × d with K · d = 2, with and without a common stride.
    let y3 = y2.clone().insert_axis(Axis(1));
    check(gauss(&x1, &y3, &b, &0.7).run().unwrap());
    let y3 = y2.clone().insert_axis(Axis(2));
    check(gauss(&x1, &y3, &b, &0.7).run().unwrap());
}

#[test]
fn three_axes_without_a_common_stride_are_copied() {
    let cube = Array3::from_shape_fn((3, 2, 2), |(i, k, d)| (100 * i + 10 * k + d) as f64);
    let flat: Vec<[f64; 4]> = (0..3).map(|i| [0., 1., 10., 11.].map(|v| v + 100.0 * i as f64)).collect();
    fn sum(x: &(impl Rows<f64, 4> + ?Sized)) -> Array2<f64> {
        Call::<Reduce<Four, Sum>, f64>::new([x.rows_view()]).run().unwrap()
    }
    let mut permuted = Array3::zeros((2, 2, 3));
    permuted.assign(&cube.view().permuted_axes([2, 1, 0]));
    assert_eq!(sum(&permuted.view().permuted_axes([2, 1, 0])), sum(&flat));
    assert_eq!(sum(&cube), sum(&flat));
    assert_eq!(sum(&flat), Array2::from(vec![[0., 1., 10., 11.], [100., 101., 110., 111.], [200., 201., 210., 211.]]));
}

#[test]
fn tag_1_gives_a_row_per_column_variable() {
    let (x, y) = (points::<2>(3, 1), points::<2>(5, 2));
    let got =
        Call::<Reduce<GaussPerColumn, Sum>, f64>::new([x.rows_view(), y.rows_view(), Rows::<f64, 1>::rows_view(&0.7)])
            .run()
            .unwrap();
    let want: Vec<f64> = gauss_by_definition(&y, &x, &[[1.0, 1.0]; 3], 0.7).chunks(2).map(|pair| pair[0]).collect();
    assert_eq!(got.dim(), (5, 1));
    assert_close(&got, &want, 1e-14);
}

#[test]
fn no_terms_give_the_identity() {
    let (x, none) = (points::<2>(3, 1), Vec::<[f64; 2]>::new());
    assert_eq!(gauss(&x, &none, &none, &0.7).run().unwrap(), Array2::zeros((3, 2)));
    assert_eq!(squares::<Min, _>(&x, &none).run().unwrap(), Array2::from_elem((3, 2), f64::INFINITY));
    assert_eq!(squares::<Max, _>(&x, &none).run().unwrap(), Array2::from_elem((3, 2), f64::NEG_INFINITY));
    assert_eq!(squares::<ArgMin, _>(&x, &none).run().unwrap(), Array2::zeros((3, 2)));
    let (values, indices) = squares::<MinArgMin, _>(&x, &none).run().unwrap();
    assert_eq!(values, Array2::from_elem((3, 2), f64::INFINITY));
    assert_eq!(indices, Array2::zeros((3, 2)));
    let lse = Call::<Reduce<common::Exponent, LogSumExp>, f64>::new([
        x.rows_view(),
        none.rows_view(),
        Rows::<f64, 1>::rows_view(&1.0),
    ]);
    assert_eq!(lse.run().unwrap(), Array2::from_elem((3, 1), f64::NEG_INFINITY));
}

#[test]
fn all_nan_gives_index_0() {
    let got = squares::<MinArgMin, _>(&[[0.0, 1.0]], &[[f64::NAN, 3.0], [f64::NAN, 2.0]]).run().unwrap();
    assert_eq!(got, (array![[f64::INFINITY, 1.0]], array![[0, 1]]));
}

#[test]
fn forms_of_results() {
    let (x, y) = (array![[0.0, 10.0]], array![[3.0, 10.0], [1.0, 9.0], [2.0, 7.0]]);
    assert_eq!(squares::<Min, _>(&x, &y).run().unwrap(), array![[1.0, 0.0]]);
    assert_eq!(squares::<ArgMin, _>(&x, &y).run().unwrap(), array![[1_u64, 0]]);
    assert_eq!(squares::<MinArgMin, _>(&x, &y).run().unwrap(), (array![[1.0, 0.0]], array![[1, 0]]));
    assert_eq!(squares::<KMin<2>, _>(&x, &y).run().unwrap(), array![[[1.0, 0.0], [4.0, 1.0]]]);
    assert_eq!(squares::<ArgKMin<2>, _>(&x, &y).run().unwrap(), array![[[1_u64, 0], [2, 1]]]);
    let both = squares::<KMinArgKMin<3>, _>(&x, &y).run().unwrap();
    assert_eq!(both, (array![[[1.0, 0.0], [4.0, 1.0], [9.0, 9.0]]], array![[[1, 0], [2, 1], [0, 2]]]));
}

#[test]
fn results_go_into_any_array() {
    let Data { x, y, b, want } = data(3, 4);
    let call = gauss(&x, &y, &b, &0.7);
    let check = |got: Vec<f64>| assert_close(&got, &want, 1e-14);

    let mut rows = vec![[f64::NAN; 2]; 3];
    call.run_into(&mut rows).unwrap();
    check(rows.as_flattened().to_vec());
    rows.fill([f64::NAN; 2]);
    call.run_into(&mut rows[..]).unwrap();
    check(rows.as_flattened().to_vec());
    let mut fixed = [[f64::NAN; 2]; 3];
    call.run_into(&mut fixed).unwrap();
    check(fixed.as_flattened().to_vec());

    let mut table = Array2::from_elem((9, 4), -1.0);
    call.run_into(&mut table.slice_mut(s![..;-3, 1..3])).unwrap();
    check(table.slice(s![..;-3, 1..3]).iter().copied().collect());
    assert_eq!(table.iter().filter(|&&v| v == -1.0).count(), 36 - 6, "nothing else was written");

    call.add_into(&mut table.slice_mut(s![..;-3, 1..3])).unwrap();
    check(table.slice(s![..;-3, 1..3]).iter().map(|v| v / 2.0).collect());
    call.add_into(&mut rows).unwrap();
    check(rows.as_flattened().iter().map(|v| v / 2.0).collect());
}

#[test]
fn selections_go_into_any_array() {
    let (x, y) = (array![[0.0, 10.0]], array![[3.0, 10.0], [1.0, 9.0], [2.0, 7.0]]);
    let mut indices = Array2::from_elem((1, 2), 99);
    squares::<ArgMin, f64>(&x, &y).run_into(&mut indices).unwrap();
    assert_eq!(indices, array![[1, 0]]);

    let mut values = Array2::from_elem((2, 1), f64::NAN);
    squares::<MinArgMin, _>(&x, &y).run_into(&mut (values.view_mut().reversed_axes(), &mut indices)).unwrap();
    assert_eq!((values, indices), (array![[1.0], [0.0]], array![[1, 0]]));

    let want = array![[[1.0, 0.0], [4.0, 1.0]]];
    let mut plain = Array3::zeros((1, 2, 2));
    squares::<KMin<2>, _>(&x, &y).run_into(&mut plain).unwrap();
    assert_eq!(plain, want);
    // Without a common stride of the last two axes.
    let mut permuted = Array3::zeros((2, 2, 1));
    squares::<KMin<2>, _>(&x, &y).run_into(&mut permuted.view_mut().permuted_axes([2, 1, 0])).unwrap();
    assert_eq!(permuted.permuted_axes([2, 1, 0]), want);
    let mut pair = (Array3::zeros((1, 2, 2)), Array3::zeros((1, 2, 2)));
    squares::<KMinArgKMin<2>, _>(&x, &y).run_into(&mut pair).unwrap();
    assert_eq!(pair, (want, array![[[1, 0], [2, 1]]]));
}

#[test]
fn choices_change_nothing_but_rounding() {
    let Data { x, y, b, want } = data(7, 40);
    for accumulator in [Accumulator::Block, Accumulator::Kahan, Accumulator::F64] {
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            for backend in [Backend::Auto, Backend::Cpu] {
                let call = gauss(&x, &y, &b, &0.7).accumulate(accumulator).level(level).backend(backend);
                assert_close(&call.run().unwrap(), &want, 1e-13);
            }
        }
    }
}

#[test]
fn counting_is_exact() {
    for (m, n) in [(1, 1), (2, 31), (33, 1), (3, 129), (1, 1025)] {
        let (x, y) = (vec![0.0_f32; m], vec![0.0_f32; n]);
        let ones = Call::<Reduce<Ones, Sum>, f32>::new([Rows::<f32, 1>::rows_view(&x), Rows::<f32, 1>::rows_view(&y)]);
        assert_eq!(ones.run().unwrap(), Array2::from_elem((m, 1), n as f32));
    }
}
