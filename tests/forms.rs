//! The forms in which a formula can be written, and what each of them becomes.

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
