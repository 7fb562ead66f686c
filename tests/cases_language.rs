//! Corners of the formula language, among them those where KeOps is wrong or refuses.

use keops::{Accumulator, Error, keops};
use ndarray::{Array2, array};

keops! {
    // Exactness: what a NaN or an infinity may not be turned into a number by.
    fn zero_times(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(0 * x_i + 0 * y_j, 0);
    fn minus_itself(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction((x_i - x_i) + (y_j - y_j), 0);
    fn by_itself(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i / x_i + y_j / y_j, 0);
    fn zero_by(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(0 / x_i + y_j, 0);
    fn exponentials(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Exp(x_i) * Exp(y_j), 0);
    fn square_of_root(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Square(Sqrt(x_i)) + y_j, 0);
    fn twice(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction((x_i + x_i) - (y_j + y_j), 0);
    fn there_and_back(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction((x_i + y_j) - y_j, 0);

    // Constants and operators that KeOps refuses.
    fn thirds(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i / 3 + y_j / 10 + 16777217 * x_i, 0);
    fn constants(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(RatCst(1, 3) + IntCst(1) + RatCst(-2, 6) + 0 * x_i + 0 * y_j, 0);
    fn powers(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i ** y_j + x_i ** 0.5 + x_i ** -2 + 2 ** y_j, 0);
    fn equalities(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction((x_i == y_j) + 10 * (x_i != y_j) + 100 * Equal(x_i, 1), 0);
    fn precedence(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(-x_i ** 2 | y_j + x_i, 0);
    fn clamped(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Clamp(x_i, 0, 1) + IfElse(y_j, 2, 3), 0);

    // Which variables there are.
    fn no_i(y_j: Vj<1>, p: Pm<1>) = Sum_Reduction(p * y_j, 0);
    fn only_rows_count(x_i: Vi<1>, y_j: Vj<3>) = Sum_Reduction(x_i, 0);
    fn only_a_constant(x_i: Vi<2>, y_j: Vj<3>) = Sum_Reduction(2.5, 1);
    fn only_a_parameter(x_i: Vi<2>, y_j: Vj<3>, p: Pm<2>) = Sum_Reduction(p, 0);
    #[grad(x_i, y_j)]
    fn nothing_left(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Grad(Diff(x_i * y_j, x_i, y_j), x_i, y_j), 0);
    #[grad(s_i, s_j)]
    fn one_array_twice(s_i: Vi<1>, s_j: Vj<1>) = Sum_Reduction(Square(s_i - s_j), 0);

    fn lse(x_i: Vi<1>, y_j: Vj<1>) = LogSumExp_Reduction(x_i + y_j, 0);
    #[grad(z_j)]
    fn odd_complex(x_i: Vi<6>, z_j: Vj<3>) = Sum_Reduction(ComplexMult(x_i, Real2Complex(z_j)), 0);
    #[grad(s_i)]
    fn scaled_complex(s_i: Vi<1>, z_j: Vj<6>) = Sum_Reduction(ComplexRealScal(s_i, z_j), 0);
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

#[test]
fn rewrites_turn_no_nan_into_a_number() -> Result<(), Error> {
    assert!(zero_times(&[NAN], &[1.0]).run()?[[0, 0]].is_nan());
    assert!(zero_times(&[1.0], &[INF]).run()?[[0, 0]].is_nan());
    assert!(minus_itself(&[INF], &[1.0]).run()?[[0, 0]].is_nan());
    assert!(by_itself(&[0.0f64], &[1.0]).run()?[[0, 0]].is_nan());
    assert!(zero_by(&[0.0f64], &[1.0]).run()?[[0, 0]].is_nan());
    assert!(square_of_root(&[-1.0f64], &[1.0]).run()?[[0, 0]].is_nan());
    // e^800 is infinite, e^−800 is 0, and their product is NaN, not 1.
    assert!(exponentials(&[800.0f64], &[-800.0]).run()?[[0, 0]].is_nan());
    assert_eq!(twice(&[f64::MAX], &[0.0]).run()?, array![[INF]]);
    // (1 + 1e20) − 1e20 is 0 in floating point, and stays so.
    assert_eq!(there_and_back(&[1.0f64], &[1e20]).run()?, array![[0.0]]);
    Ok(())
}

#[test]
fn constants_are_exact_in_the_type_of_the_data() -> Result<(), Error> {
    assert_eq!(thirds(&[1.0], &[1.0]).run()?, array![[1.0 / 3.0 + 1.0 / 10.0 + 16_777_217.0]]);
    assert_eq!(constants(&[1.0], &[1.0]).run()?, array![[1.0]]);
    Ok(())
}

#[test]
fn operators_that_keops_lacks() -> Result<(), Error> {
    let want = 3f64.powf(1.5) + 3f64.sqrt() + 1.0 / 9.0 + 2f64.powf(1.5);
    assert!((powers(&[3.0f64], &[1.5]).run()?[[0, 0]] - want).abs() < 4e-15);
    assert_eq!(equalities(&[1.0, 2.0], &[1.0, 5.0]).run()?, array![[211.0], [20.0]]);
    // −(x²), as in Python, and `|` after `+`.
    assert_eq!(precedence(&[[1.0, 2.0]], &[[3.0, 5.0]]).run()?, array![[-(4.0 + 4.0 * 7.0)]]);
    assert_eq!(clamped(&[1.5], &[-1.0, 0.0]).run()?, array![[2.0 + 3.0 + 2.0]]);
    Ok(())
}

#[test]
fn formulas_without_some_of_the_variables() -> Result<(), Error> {
    assert_eq!(no_i(&[1.0, 2.0], &3.0).run()?, array![[9.0]]);
    let (x, y) = ([5.0, 7.0], [[0.0; 3]; 4]);
    assert_eq!(only_rows_count(&x, &y).run()?, array![[20.0], [28.0]]);
    assert_eq!(only_a_constant(&[[0.0, 0.0]; 3], &y).run()?, Array2::from_elem((4, 1), 7.5));
    assert_eq!(only_a_parameter(&[[0.0, 0.0]; 2], &y, &[[1.0, 2.0]]).run()?, array![[4.0, 8.0], [4.0, 8.0]]);
    let (a, b) = ([[1.0, 2.0]; 2], [[3.0, 4.0]; 3]);
    assert_eq!(nothing_left(&a, &b).run()?, Array2::zeros((2, 2)));
    assert_eq!(nothing_left::grad_x_i(&a, &b, &a).run()?, Array2::zeros((2, 2)));
    assert_eq!(nothing_left::grad_y_j(&a, &b, &a).run()?, Array2::zeros((3, 2)));
    let s = [1.0, 2.0, 4.0];
    assert_eq!(one_array_twice(&s, &s).run()?, array![[10.0], [5.0], [13.0]]);
    assert_eq!(one_array_twice::grad_s_i(&s, &s, &[1.0; 3]).run()?, array![[-8.0], [-2.0], [10.0]]);
    Ok(())
}

/// log N for N equal terms: the sum needs the accumulator in `f32`.
#[test]
fn log_sum_exp_has_every_accumulator() -> Result<(), Error> {
    let n = 100_003;
    let y = vec![-3.0f32; n];
    for accumulator in [Accumulator::Block, Accumulator::Kahan, Accumulator::F64] {
        let got = lse(&[3.0f32, 4.0], &y).accumulate(accumulator).run()?;
        let want = (n as f32).ln();
        assert!((got[[0, 0]] - want).abs() <= 2.0 * f32::EPSILON * want, "{accumulator:?}: {got}");
        assert!((got[[1, 0]] - want - 1.0).abs() <= 2.0 * f32::EPSILON * want, "{accumulator:?}: {got}");
    }
    Ok(())
}

#[test]
fn complex_gradients_towards_real_variables_of_any_dimension() -> Result<(), Error> {
    let x = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]];
    let (z, e) = ([[0.5, -1.0, 2.0]], [[1.0, 10.0, 100.0, 1000.0, 0.0, 1.0]]);
    assert_eq!(odd_complex(&x, &z).run()?, array![[0.5, 1.0, -3.0, -4.0, 10.0, 12.0]]);
    assert_eq!(odd_complex::grad_z_j(&x, &z, &e).run()?, array![[21.0, 4300.0, 6.0]]);
    assert_eq!(scaled_complex::grad_s_i(&[2.0], &x, &e).run()?, array![[1.0 + 20.0 + 300.0 + 4000.0 + 6.0]]);
    Ok(())
}
