//! Every mistake is an `Err` that says what was expected and what came, and nothing is written.

mod common;

use common::{Gauss, Squares, points};
use keops_runtime::__private::{ArgMin, Call, KMin, Min, MinArgMin, Operation, Reduce, Rows, Sum};
use keops_runtime::{Accumulator, Backend, Category, Error, Level};
use ndarray::{Array1, Array2, Array3, Array4, array};

type GaussSum<'a> = Call<'a, Reduce<Gauss, Sum>, f64>;

/// A call with arguments of any width.
fn gauss<'a>(
    x_i: &'a impl Rows<f64, 2>,
    y_j: &'a impl Rows<f64, 2>,
    b_j: &'a impl Rows<f64, 2>,
    g: &'a impl Rows<f64, 1>,
) -> GaussSum<'a> {
    GaussSum::new([x_i.rows_view(), y_j.rows_view(), b_j.rows_view(), g.rows_view()])
}

fn squares<'a, R>(x_i: &'a impl Rows<f64, 2>, y_j: &'a impl Rows<f64, 2>) -> Call<'a, Reduce<Squares, R>, f64>
where
    Reduce<Squares, R>: Operation,
{
    Call::new([x_i.rows_view(), y_j.rows_view(), Rows::<f64, 1>::rows_view(&1.0)])
}

/// The error of a call that must not have touched its output.
#[track_caller]
fn refused(call: &GaussSum<'_>, rows: usize) -> Error {
    let mut out = Array2::from_elem((rows, 2), -7.0);
    let error = call.run_into(&mut out).unwrap_err();
    assert_eq!(call.run().unwrap_err(), error);
    assert_eq!(call.add_into(&mut out).unwrap_err(), error);
    assert_eq!(out, Array2::from_elem((rows, 2), -7.0));
    error
}

#[test]
fn wrong_number_of_columns() {
    let (x, y, wide) = (points::<2>(3, 1), points::<2>(4, 2), Array2::<f64>::zeros((4, 3)));
    let error = refused(&gauss(&x, &y, &wide, &0.7), 3);
    assert_eq!(
        error.to_string(),
        "Gauss: variable `b_j` (Vj, one row per j) must have 2 number(s) per row, but the data has 3"
    );
    let line = Array1::<f64>::zeros(5);
    let error = refused(&gauss(&line, &y, &y, &0.7), 3);
    assert_eq!(
        error.to_string(),
        "Gauss: variable `x_i` (Vi, one row per i) must have 2 number(s) per row, but the data has 5"
    );
}

#[test]
fn wrong_length_of_a_flat_list() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let error = refused(&gauss(&x, &vec![0.0; 7], &y, &0.7), 3);
    assert_eq!(
        error.to_string(),
        "Gauss: variable `y_j` (Vj, one row per j) takes rows of 2 number(s), but the flat list of 7 number(s) is not a \
         multiple of 2"
    );
}

#[test]
fn too_many_axes() {
    let (y, deep) = (points::<2>(4, 2), Array4::<f64>::zeros((1, 2, 3, 2)).into_dyn());
    let error = refused(&gauss(&deep, &y, &y, &0.7), 3);
    assert_eq!(
        error.to_string(),
        "Gauss: variable `x_i` (Vi, one row per i) must be an array of rows × 2, but the data has shape [1, 2, 3, 2]; for a \
         result with batch axes say `.batched()` before running"
    );
    let odd = Array4::<f64>::zeros((1, 2, 3, 5));
    assert!(matches!(refused(&gauss(&odd, &y, &y, &0.7), 3), Error::Axes { variable: "x_i", .. }));
    let blocks = Array3::<f64>::zeros((3, 2, 3));
    assert!(matches!(refused(&gauss(&blocks, &y, &y, &0.7), 3), Error::Columns { variable: "x_i", got: 6, .. }));
}

#[test]
fn variables_of_one_category_disagree() {
    let (x, y, b) = (points::<2>(3, 1), points::<2>(4, 2), points::<2>(5, 3));
    let error = refused(&gauss(&x, &y, &b, &0.7), 3);
    assert_eq!(
        error.to_string(),
        "Gauss: variable `b_j` (Vj, one row per j) must have 4 row(s) like `y_j`, but the data has 5"
    );
    assert!(matches!(error, Error::Rows { category: Category::Vj, expected: 4, got: 5, .. }));
}

#[test]
fn parameter_with_several_rows_or_none() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let error = refused(&gauss(&x, &y, &y, &[0.7, 0.8]), 3);
    assert_eq!(error.to_string(), "Gauss: parameter `g` (Pm) must be one row of 1 number(s), but the data has 2 rows");
    assert!(matches!(refused(&gauss(&x, &y, &y, &[0.0; 0]), 3), Error::ParameterRows { got: 0, .. }));
}

#[test]
fn output_of_the_wrong_shape() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let call = gauss(&x, &y, &y, &0.7);
    for shape in [(3, 1), (2, 2), (2, 3)] {
        let mut out = Array2::from_elem(shape, -7.0);
        let error = call.run_into(&mut out).unwrap_err();
        assert_eq!(call.add_into(&mut out).unwrap_err(), error);
        assert_eq!(
            error.to_string(),
            format!("Gauss: the output for the values must have shape [3, 2], but it has [{}, {}]", shape.0, shape.1)
        );
        assert!(out.iter().all(|&v| v == -7.0));
    }
    let mut pair = (Array2::from_elem((3, 2), -7.0), Array2::from_elem((2, 3), 7));
    let error = squares::<MinArgMin>(&x, &y).run_into(&mut pair).unwrap_err();
    assert!(matches!(error, Error::OutputShape { part: "indices", .. }));
    assert_eq!(pair, (Array2::from_elem((3, 2), -7.0), Array2::from_elem((2, 3), 7)));
}

#[test]
fn more_smallest_values_than_terms() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let mut out = Array3::from_elem((3, 5, 2), -7.0);
    let error = squares::<KMin<5>>(&x, &y).run_into(&mut out).unwrap_err();
    assert_eq!(error.to_string(), "Squares: K = 5 values per row are asked for, but each row has only N = 4 term(s)");
    assert!(out.iter().all(|&v| v == -7.0));
}

#[test]
fn accumulator_of_a_reduction_without_a_sum() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let error = squares::<Min>(&x, &y).accumulate(Accumulator::Kahan).run().unwrap_err();
    assert_eq!(error, Error::NoAccumulation { formula: "Squares", accumulator: Accumulator::Kahan });
    assert!(squares::<ArgMin>(&x, &y).accumulate(Accumulator::F64).run().is_err());
}

#[test]
fn backend_and_instructions_that_are_not_there() {
    let (x, y) = (points::<2>(3, 1), points::<2>(4, 2));
    let call = || gauss(&x, &y, &y, &0.7);
    let error = refused(&call().backend(Backend::Cuda(1)), 3);
    #[cfg(not(feature = "cuda"))]
    assert_eq!(
        error.to_string(),
        "Gauss: backend Cuda(1) is not available: keops was built without its feature `cuda`"
    );
    // The formula of this test has no kernels, and there may be no driver.
    #[cfg(feature = "cuda")]
    assert!(matches!(error, Error::NoDriver { .. } | Error::NoDevice { .. } | Error::NoKernels { .. }), "{error}");
    let missing = Level::ALL.into_iter().filter(|level| !level.is_available());
    for level in missing {
        assert_eq!(refused(&call().level(level), 3), Error::NoLevel { formula: "Gauss", level });
    }
}

#[test]
fn results_that_fit_no_memory() {
    let y = points::<2>(4, 2);
    let x = array![0.0, 0.0];
    // Rows that take no memory themselves.
    let many = x.broadcast((1 << 52, 2)).unwrap();
    let error = gauss(&many, &y, &y, &0.7).run().unwrap_err();
    assert_eq!(error.to_string(), "Gauss: no memory for 4503599627370496 × 2 number(s) of values");
}

#[test]
fn wrong_number_of_arguments() {
    let x = points::<2>(3, 1);
    let error = GaussSum::new([x.rows_view()]).run().unwrap_err();
    assert_eq!(error.to_string(), "Gauss: takes 4 variable(s), but 1 were given");
}
