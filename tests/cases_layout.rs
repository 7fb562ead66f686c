//! Data of all shapes, strides and types, and data that does not fit.

mod lattice;

use keops::{Category, Error, Real, keops};
use lattice::{b, close, rows, x, y};
use ndarray::{Array2, ArrayView2, ShapeBuilder, s};

keops! {
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    fn scaled(x_i: Vi<3>, y_j: Vj<3>, s: Pm<2>) = Sum_Reduction(SqDist(x_i, y_j) * Sum(s), 0);
    fn nearest(x_i: Vi<8>, y_j: Vj<8>) = KMin_ArgKMin_Reduction(SqDist(x_i, y_j), 3, 0);
}

#[test]
fn t81_views_of_any_strides() -> Result<(), Error> {
    let (m, n) = (45, 300);
    let (x_rows, y_rows, b_rows) = (rows::<f32, 3>(x, m), rows::<f32, 3>(y, n), rows::<f32, 1>(b, n));
    let want = gauss(&x_rows, &y_rows, &b_rows).run()?;
    let table = Array2::from_shape_fn((m, 3), |(i, d)| x(i, d) as f32);
    let check = |view: ArrayView2<'_, f32>| -> Result<(), Error> {
        assert_eq!(gauss(&view, &y_rows, &b_rows).run()?, want);
        Ok(())
    };
    check(table.view())?;
    // Columns one after another.
    let mut by_columns = Array2::zeros((m, 3).f());
    by_columns.assign(&table);
    check(by_columns.view())?;
    // A transposed table.
    let transposed = table.t().as_standard_layout().into_owned();
    check(transposed.t())?;
    // Every second row of a longer table, and the last rows first.
    let mut every_second = Array2::from_elem((2 * m, 3), f32::NAN);
    every_second.slice_mut(s![..;2, ..]).assign(&table);
    check(every_second.slice(s![..;2, ..]))?;
    let reversed = table.slice(s![..;-1, ..]).as_standard_layout().into_owned();
    check(reversed.slice(s![..;-1, ..]))?;
    let mirrored = table.slice(s![.., ..;-1]).as_standard_layout().into_owned();
    check(mirrored.slice(s![.., ..;-1]))?;
    // Numbers that start in the middle of something.
    let mut shifted = vec![f32::NAN];
    shifted.extend(x_rows.as_flattened());
    assert_eq!(gauss(&shifted[1..], &y_rows, &b_rows).run()?, want);
    // A signal that is the same for all columns, and only one number in memory.
    let one = Array2::from_elem((1, 1), 0.75f32);
    let broadcast = one.broadcast((n, 1)).expect("one row goes to any number of rows");
    assert_eq!(gauss(&x_rows, &y_rows, &broadcast).run()?, gauss(&x_rows, &y_rows, &vec![0.75f32; n]).run()?);
    // Both sides the same array.
    let same = gauss(&y_rows, &y_rows, &b_rows).run()?;
    assert_eq!(same, gauss(&y_rows, &y_rows.clone(), &b_rows).run()?);
    // Results go into any strides, too.
    let mut out = Array2::from_elem((2 * m, 2), 9.0f32);
    gauss(&x_rows, &y_rows, &b_rows).run_into(&mut out.slice_mut(s![..;-2, 1..]))?;
    assert_eq!(out.slice(s![..;-2, 1..]), want);
    assert!(out.column(0).iter().chain(out.slice(s![..;2, ..]).iter()).all(|&v| v == 9.0));
    Ok(())
}

fn three_nearest<T: Real>(tolerance: f64) -> Result<(), Error> {
    let (values, indices) = nearest(&rows::<T, 8>(x, 1), &rows::<T, 8>(y, 20)).run()?;
    let wanted = [(0, 0.710296925583691), (10, 0.721078505313384), (18, 0.731564311214068)];
    for (k, (index, value)) in wanted.into_iter().enumerate() {
        assert_eq!(indices[[0, k, 0]], index);
        close(values[[0, k, 0]], value, tolerance);
    }
    Ok(())
}

#[test]
fn t83_neighbours_in_all_number_types() -> Result<(), Error> {
    three_nearest::<f32>(1e-6)?;
    three_nearest::<f64>(1e-14)
}

#[test]
fn t98_data_that_does_not_fit() {
    let (x3, y3, b1) = (rows::<f32, 3>(x, 4), rows::<f32, 3>(y, 5), rows::<f32, 1>(b, 5));
    let error = |result: Result<Array2<f32>, Error>| result.expect_err("the data does not fit");

    // Numbers per row, of an array whose type does not tell.
    let wide = Array2::<f32>::zeros((4, 4));
    let found = error(gauss(&wide, &y3, &b1).run());
    assert!(
        matches!(found, Error::Columns { variable: "x_i", category: Category::Vi, expected: 3, got: 4, .. }),
        "{found}"
    );
    // Rows that differ within a category.
    let found = error(gauss(&x3, &y3, &b1[..4]).run());
    assert!(
        matches!(found, Error::Rows { variable: "b_j", category: Category::Vj, first: "y_j", expected: 5, got: 4, .. }),
        "{found}"
    );
    // A flat list that is no number of rows.
    let found = error(gauss(&[0.0f32; 7], &y3, &b1).run());
    assert!(
        matches!(found, Error::Length { variable: "x_i", category: Category::Vi, expected: 3, got: 7, .. }),
        "{found}"
    );
    // A parameter of two rows.
    let found = error(scaled(&x3, &y3, &[[1.0, 2.0], [3.0, 4.0]]).run());
    assert!(matches!(found, Error::ParameterRows { variable: "s", dim: 2, got: 2, .. }), "{found}");
    // Messages say all of it.
    assert!(found.to_string().contains("`s`"), "{found}");

    // An output of the wrong shape stays as it is.
    let mut out = Array2::from_elem((3, 1), 5.0f32);
    let found = gauss(&x3, &y3, &b1).run_into(&mut out).expect_err("the output does not fit");
    assert!(matches!(found, Error::OutputShape { .. }), "{found}");
    assert!(out.iter().all(|&v| v == 5.0));
}
