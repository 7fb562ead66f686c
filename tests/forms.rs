//! The forms in which a formula can be written, and what each of them becomes.

mod differences;

use differences::{check_gradient, covector, points};
use keops::{Error, keops};
use ndarray::{Array2, Array3, array};

mod inner {
    keops::keops! {
        /// Visible to the parent.
        pub(super) fn dots<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(x_i | y_j, 0);

        /// Not there at all.
        #[cfg(any())]
        pub fn absent(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i | y_j, 0);
    }
}

keops! {
    #[grad(x_i, y_j, s)]
    pub fn scaled<const D: usize>(x_i: Vi<D>, y_j: Vj<D>, s: Pm<1>) = Sum_Reduction(s * SqDist(x_i, y_j), 0);

    #[grad(x_i)]
    fn total(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(x_i * y_j, 1);

    // The names of the arguments that gradients add may be taken.
    #[grad(e)]
    fn e_is_taken(e: Vi<1>, y_j: Vj<1>) = Sum_Reduction(e * y_j, 0);

    fn nearest_two(x_i: Vi<1>, y_j: Vj<1>) = ((x_i - y_j) ** 2).kmin_argkmin(2, axis = 1);
    fn nearest_k<const K: usize>(x_i: Vi<1>, y_j: Vj<1>) = ((x_i - y_j) ** 2).argkmin(K, axis = 1);
    fn zeros(x_i: Vi<1>, y_j: Vj<1>) = Zero_Reduction(2, 0);
    fn count(x_i: Vi<1>, y_j: Vj<4>) = Sum_Reduction(1, 0);
    fn only_columns(y_j: Vj<2>) = Sum_Reduction(y_j, 0);
    fn pulled_back(x_i: Vi<2>, y_j: Vj<2>, g_i: Vi<1>) = Grad(Sum_Reduction(x_i | y_j, 0), y_j, g_i);
}

macro_rules! power_sum {
    ($name:ident, $dim:literal, $power:literal, $formula:expr) => {
        keops! {
            fn $name(x_i: Vi<$dim>, y_j: Vj<$dim>) = Sum_Reduction($formula ** $power, 0);
        }
    };
}

power_sum!(fourth_powers, 2, 4, Sum(x_i - y_j));

#[test]
fn dimensions_can_be_const_parameters() -> Result<(), Error> {
    assert_eq!(inner::dots(&[[1.0, 2.0]], &[[3.0, 4.0], [5.0, 6.0]]).run()?, array![[28.0]]);
    assert_eq!(inner::dots::<f32, 1>(&[2.0f32], &[3.0f32]).run()?, array![[6.0f32]]);
    let (x, y) = ([[1.0, 2.0, 3.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]);
    assert_eq!(scaled(&x, &y, &2.0).run()?, array![[2.0 * (14.0 + 5.0)]]);
    assert_eq!(scaled::grad_x_i(&x, &y, &2.0, &[1.0]).run()?, array![[4.0, 12.0, 20.0]]);
    assert_eq!(scaled::grad_y_j(&x, &y, &2.0, &[1.0]).run()?, array![[-4.0, -8.0, -12.0], [0.0, -4.0, -8.0]]);
    assert_eq!(scaled::grad_s(&x, &y, &2.0, &[1.0]).run()?, array![[19.0]]);
    Ok(())
}

#[test]
fn tag_1_keeps_j() -> Result<(), Error> {
    let (x, y) = ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 10.0]]);
    assert_eq!(total(&x, &y).run()?, array![[4.0, 60.0]]);
    assert_eq!(total::grad_x_i(&x, &y, &[[1.0, 1.0]]).run()?, array![[1.0, 10.0], [1.0, 10.0]]);
    Ok(())
}

#[test]
fn a_variable_may_be_called_e() -> Result<(), Error> {
    assert_eq!(e_is_taken::grad_e(&[5.0], &[1.0, 2.0], &[10.0]).run()?, array![[30.0]]);
    Ok(())
}

#[test]
fn k_reductions_keep_several() -> Result<(), Error> {
    let (x, y) = ([0.0f32], [3.0f32, -1.0, 2.0]);
    let (values, indices): (Array3<f32>, Array3<u64>) = nearest_two(&x, &y).run()?;
    assert_eq!(values, array![[[1.0], [4.0]]]);
    assert_eq!(indices, array![[[1], [2]]]);
    assert_eq!(nearest_k::<f32, 3>(&x, &y).run()?, array![[[1], [2], [0]]]);
    Ok(())
}

#[test]
fn variables_count_even_if_the_formula_does_not_use_them() -> Result<(), Error> {
    let (x, y) = ([1.0f64; 2], [[0.0f64; 4]; 7]);
    assert_eq!(count(&x, &y).run()?, array![[7.0], [7.0]]);
    assert_eq!(zeros(&x, &[0.0; 3]).run()?, Array2::<f64>::zeros((2, 2)));
    assert_eq!(only_columns(&[[1.0, 2.0], [3.0, 4.0]]).run()?, array![[4.0, 6.0]]);
    Ok(())
}

#[test]
fn whole_reductions_can_be_pulled_back() -> Result<(), Error> {
    let (x, y) = ([[1.0, 2.0], [3.0, 4.0]], [[9.0, 9.0]]);
    assert_eq!(pulled_back(&x, &y, &[1.0, 10.0]).run()?, array![[31.0, 42.0]]);
    Ok(())
}

#[test]
fn fragments_of_other_macros_are_formulas() -> Result<(), Error> {
    assert_eq!(fourth_powers(&[[1.0, 1.0]], &[[0.0, 0.0], [1.0, 2.0]]).run()?, array![[17.0]]);
    Ok(())
}

#[test]
fn items_can_be_local() -> Result<(), Error> {
    keops! {
        fn local(x_i: Vi<1>, y_j: Vj<1>) = Max_Reduction(x_i * y_j, 0);
    }
    assert_eq!(local(&[2.0], &[1.0, 3.0]).run()?, array![[6.0]]);
    Ok(())
}

#[test]
fn expressions_take_their_types_from_the_call() -> Result<(), Error> {
    let single = keops!(|x_i: Vi<1>, y_j: Vj<1>| Sum_Reduction(x_i - y_j, 0));
    assert_eq!(single(&[3.0f32], &[1.0f32, 1.0]).run()?, array![[4.0f32]]);
    let (x, y) = (vec![3.0f64], array![[1.0f64], [1.0]]);
    let double = keops!(|x_i: Vi<1>, y_j: Vj<1>| (x_i - y_j).sum(axis = 1));
    assert_eq!(double(&x, &y).run()?, array![[4.0f64]]);
    // As a closure, it can be called again, with data of other lifetimes.
    {
        let (x, y) = (vec![1.0f64], array![[1.0f64]]);
        assert_eq!(double(&x, &y).run()?, array![[0.0f64]]);
    }
    Ok(())
}

fn pairwise<F>(f: F, x: &[f64]) -> Array2<f64>
where
    F: Fn(&[f64], &[f64]) -> Array2<f64>,
{
    f(x, x)
}

#[test]
fn expressions_can_be_used_at_once() -> Result<(), Error> {
    let a = keops!(|x_i: Vi<1>, y_j: Vj<1>| Sum_Reduction(x_i * y_j, 0))(&[1.0, 2.0], &[3.0]).run()?;
    assert_eq!(a, array![[3.0], [6.0]]);
    let table = pairwise(
        |x, y| keops!(|x_i: Vi<1>, y_j: Vj<1>| Max_Reduction(x_i + y_j, 0))(x, y).run().expect("right shapes"),
        &[1.0, 5.0],
    );
    assert_eq!(table, array![[6.0], [10.0]]);
    Ok(())
}

keops! {
    /// Dimensions that the formula fixes, or the data.
    #[grad(x_i, y_j, b_j, g)]
    fn any<const D: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<1>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);

    #[grad(x_i(y_j))]
    fn open(x_i: Vi, y_j: Vj<_>, b_j: Vj, g: Pm) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);

    #[grad(x_i)]
    fn laplace_matrix<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(Norm2(x_i - y_j) * (x_i - y_j), 0);
}

#[test]
fn const_dimensions_have_gradients() -> Result<(), Error> {
    let (x, y) = points();
    let (b, g, e) = (covector::<1>(5, 0.4), [[0.7]], covector::<1>(4, 0.2));
    let value =
        |x: &[[f64; 2]], y: &[[f64; 2]], b: &[[f64; 1]], g: &[[f64; 1]]| any(x, y, b, g).run().expect("right shapes");
    check_gradient(|x| value(x, &y, &b, &g), &x, &e, &any::grad_x_i(&x, &y, &b, &g, &e).run()?);
    check_gradient(|y| value(&x, y, &b, &g), &y, &e, &any::grad_y_j(&x, &y, &b, &g, &e).run()?);
    check_gradient(|b| value(&x, &y, b, &g), &b, &e, &any::grad_b_j(&x, &y, &b, &g, &e).run()?);
    check_gradient(|g| value(&x, &y, &b, g), &g, &e, &any::grad_g(&x, &y, &b, &g, &e).run()?);
    let u = covector::<2>(4, 0.5);
    let vectors = |x: &[[f64; 2]]| laplace_matrix(x, &y).run().expect("right shapes");
    check_gradient(vectors, &x, &u, &laplace_matrix::grad_x_i(&x, &y, &u).run()?);
    // An ndarray does not tell, but one may say.
    let table = Array2::from_shape_fn((4, 2), |(r, c)| x[r][c]);
    assert_eq!(any::<f64, 2>(&table, &y, &b, &0.7).run()?, value(&x, &y, &b, &g));
    Ok(())
}

#[test]
fn open_dimensions_are_told_by_the_data() -> Result<(), Error> {
    let (x, y) = points();
    let b = covector::<3>(5, 0.4);
    let wide = open(&x, &y, &b, &0.7).run()?;
    for column in 0..3 {
        let b: Vec<f64> = b.iter().map(|b| b[column]).collect();
        let narrow = any(&x, &y, &b, &0.7).run()?;
        assert!((0..4).all(|row| (wide[[row, column]] - narrow[[row, 0]]).abs() < 1e-15));
    }
    let (e, u) = (covector::<3>(4, 0.2), covector::<2>(4, 0.5));
    let first = |y: &[[f64; 2]]| open::grad_x_i(&x, y, &b, &0.7, &e).run().expect("right shapes");
    check_gradient(first, &y, &u, &open::grad_x_i::grad_y_j(&x, &y, &b, &0.7, &e, &u).run()?);
    Ok(())
}

#[test]
fn the_bare_form_takes_variables_of_the_scope() -> Result<(), Error> {
    let (x_i, y_j) = points();
    let (b_j, gamma) = (vec![1.0, -2.0, 0.5, 3.0, 0.25], 0.7);
    let a = keops!(Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0)).run()?;
    for (x, a) in x_i.iter().zip(&a) {
        let term = |(y, b): (&[f64; 2], &f64)| b * (-gamma * ((x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2))).exp();
        let sum: f64 = y_j.iter().zip(&b_j).map(term).sum();
        assert!((a - sum).abs() < 1e-14);
    }
    // As methods, with the call kept for later, of arrays, slices and references, in f32.
    let (x_i, y_j) = ([[1.0f32, 2.0, 2.0]; 2], &[[0.0f32; 3]][..]);
    let call = keops![(x_i - y_j).norm2().sum(axis = 1)];
    assert_eq!(call.run()?, array![[3.0f32], [3.0]]);
    let y_j = &y_j;
    assert_eq!(keops!((x_i | y_j).argmin(axis = 1)).run()?, array![[0], [0]]);
    // One of those that agree is enough: the other may be an ndarray.
    let y_j = array![[0.0f32, 0.0, 1.0]];
    assert_eq!(keops!(Max_Reduction(x_i | y_j, 0)).run()?, array![[2.0f32], [2.0]]);
    // The formula fixes everything here.
    let (x_i, y_j) = (array![[1.0f64], [2.0]], array![[3.0f64]]);
    assert_eq!(keops!((x_i * y_j).logsumexp(axis = 1)).run()?, array![[3.0], [6.0]]);
    // Variables may have any name.
    let (formula, e_j) = (2.0, [1.0, 2.0]);
    assert_eq!(keops!(Sum_Reduction(formula * e_j, 0)).run()?, array![[6.0]]);
    Ok(())
}

#[test]
fn parts_of_vectors() -> Result<(), Error> {
    let (x_i, y_j) = ([[7.5, -1.0, 2.0]], [[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]);
    let one = keops!(|x_i: Vi<3>, y_j: Vj<3>| (x_i[1..3] * y_j[0..2] + x_i[0].mod(2)).sum(axis = 1));
    let at = |c: usize| -> f64 { y_j.iter().map(|y| x_i[0][c + 1] * y[c] + 1.5).sum() };
    assert_eq!(one(&x_i, &y_j).run()?, array![[at(0), at(1)]]);
    Ok(())
}
