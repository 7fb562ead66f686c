//! Gradients, directional derivatives and second derivatives.

mod lattice;

use keops::{Error, keops};
use lattice::{b, close, rows, x, y};
use ndarray::{Array2, Array3, Axis, array};

keops! {
    /// Σ_j m_i m_j exp(−(x_i − x_j)² / σ²): twice the energy of a set of landmarks.
    #[grad(x_i, x_j, m_i(x_i), m_j)]
    fn landmarks(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>)
        = Sum_Reduction(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), 0);
    /// Its derivative by m_i, differentiated again by x_i and by x_j.
    fn by_m_and_x_i(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>) = Sum_Reduction(
        Grad(Grad(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), m_i, 1), x_i, 1), 0);
    fn by_m_and_x_j(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>) = Sum_Reduction(
        Grad(Grad(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), m_i, 1), x_j, 1), 1);
    /// Second derivatives by x_i twice, by x_j twice, and by both.
    fn by_x_i_twice(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>) = Sum_Reduction(
        Grad(Grad(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), x_i, 1), x_i, 1), 0);
    fn by_x_j_twice(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>) = Sum_Reduction(
        Grad(Grad(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), x_j, 1), x_j, 1), 1);
    fn by_both(x_i: Vi<1>, x_j: Vj<1>, m_i: Vi<1>, m_j: Vj<1>, s: Pm<1>) = Sum_Reduction(
        Grad(Grad(m_i * m_j * Exp(-SqDist(x_i, x_j) / (s * s)), x_i, 1), x_j, 1), 0);

    #[grad(x_i, p, l)]
    fn periodic(x_i: Vi<1>, y_j: Vj<1>, p: Pm<1>, l: Pm<1>)
        = Sum_Reduction(Exp(-2 * Sin(3.141592653589793 * (x_i - y_j) / p) ** 2 / l ** 2), 0);

    #[grad(x_i, y_j)]
    fn nearest(x_i: Vi<2>, y_j: Vj<2>) = Min_Reduction(SqDist(x_i, y_j), 0);

    #[grad(x_i, y_j, b_j)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    fn gauss_along_x(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, u_i: Vi<3>)
        = Sum_Reduction(Diff(Exp(-SqDist(x_i, y_j)) * b_j, x_i, u_i), 0);
    fn gauss_along_y(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, u_j: Vj<3>)
        = Sum_Reduction(Diff(Exp(-SqDist(x_i, y_j)) * b_j, y_j, u_j), 0);
    fn gauss_along_b(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, u_j: Vj<1>)
        = Sum_Reduction(Diff(Exp(-SqDist(x_i, y_j)) * b_j, b_j, u_j), 0);

    #[grad(x_i, y_j)]
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-SqDist(x_i, y_j) / 0.1, 0);
    fn lse_along_x(x_i: Vi<3>, y_j: Vj<3>, u_i: Vi<3>)
        = SumSoftMaxWeight_Reduction(-SqDist(x_i, y_j) / 0.1, 0, Diff(-SqDist(x_i, y_j) / 0.1, x_i, u_i));
    fn lse_along_y(x_i: Vi<3>, y_j: Vj<3>, u_j: Vj<3>)
        = SumSoftMaxWeight_Reduction(-SqDist(x_i, y_j) / 0.1, 0, Diff(-SqDist(x_i, y_j) / 0.1, y_j, u_j));

    fn rbf(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Exp(-SqDist(x_i, y_j) / 2), 0);
    /// K, ∂K/∂y, ∂K/∂x, ∂²K/∂x∂y, row by row.
    fn rbf_with_derivatives(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(
        Concat(Concat(Exp(-SqDist(x_i, y_j) / 2), Grad(Exp(-SqDist(x_i, y_j) / 2), y_j, 1)),
               Concat(Grad(Exp(-SqDist(x_i, y_j) / 2), x_i, 1), GradMatrix(Grad(Exp(-SqDist(x_i, y_j) / 2), x_i, 1), y_j))), 0);
}

const POSITIONS: [f64; 2] = [0.0, 0.5];
const MOMENTA: [f64; 2] = [1.0, -2.0];
const WIDTH: f64 = 0.5;

#[test]
fn t84_hamiltonian_of_landmarks() -> Result<(), Error> {
    let (x, m, s, half) = (&POSITIONS, &MOMENTA, &WIDTH, &[0.5, 0.5]);
    let value = landmarks(x, x, m, m, s).run()?.sum() / 2.0;
    close(value, 1.764_241_117_657_12, 1e-14);
    // The same points stand on both sides, so both gradients count.
    let by_m = landmarks::grad_m_i(x, x, m, m, s, half).run()? + landmarks::grad_m_j(x, x, m, m, s, half).run()?;
    close(by_m[[0, 0]], 0.264_241_117_657_115, 1e-14);
    close(by_m[[1, 0]], -1.632_120_558_828_56, 1e-14);
    let by_x = landmarks::grad_x_i(x, x, m, m, s, half).run()? + landmarks::grad_x_j(x, x, m, m, s, half).run()?;
    close(by_x[[0, 0]], -2.943_035_529_371_54, 1e-14);
    close(by_x[[1, 0]], 2.943_035_529_371_54, 1e-14);
    Ok(())
}

#[test]
fn t85_second_derivatives_of_landmarks() -> Result<(), Error> {
    let (x, m, s) = (&POSITIONS, &MOMENTA, &WIDTH);
    let mixed = by_m_and_x_i(x, x, m, m, s).run()? + by_m_and_x_j(x, x, m, m, s).run()?;
    close(mixed[[0, 0]], -1.471_517_764_685_77, 1e-14);
    close(mixed[[1, 0]], 1.471_517_764_685_77, 1e-14);
    // ∂²H/∂x₀²: terms with x₀ on the left, on the right, and on both sides.
    let left = by_x_i_twice(x, x, m, m, s).run()?[[0, 0]];
    let right = by_x_j_twice(x, x, m, m, s).run()?[[0, 0]];
    let both = by_both(&x[..1], &x[..1], &m[..1], &m[..1], s).run()?[[0, 0]];
    close((left + right + 2.0 * both) / 2.0, -5.886_071_058_743_08, 1e-13);

    // Four copies as a batch: every element is the same, bit by bit.
    let copies = |v: [f64; 2]| Array3::from_shape_fn((4, 2, 1), |(_, row, _)| v[row]);
    let (xs, ms) = (copies(POSITIONS), copies(MOMENTA));
    let batch =
        by_m_and_x_i(&xs, &xs, &ms, &ms, s).batched().run()? + by_m_and_x_j(&xs, &xs, &ms, &ms, s).batched().run()?;
    let composed = landmarks::grad_m_i::grad_x_i(&xs, &xs, &ms, &ms, s, &[1.0, 1.0], &[1.0, 1.0]).batched().run()?;
    let single = landmarks::grad_m_i::grad_x_i(x, x, m, m, s, &[1.0, 1.0], &[1.0, 1.0]).run()?;
    for element in 0..4 {
        assert_eq!(batch.index_axis(Axis(0), element), mixed.view().into_dyn());
        assert_eq!(composed.index_axis(Axis(0), element), single.view().into_dyn());
    }
    Ok(())
}

#[test]
fn t87_every_parameter_of_a_periodic_kernel() -> Result<(), Error> {
    let (x, y) = ([0.3f64], [0.0]);
    close(periodic(&x, &y, &1.0, &1.0).run()?[[0, 0]], 0.270_085_421_424_16, 1e-15);
    close(periodic::grad_l(&x, &y, &1.0, &1.0, &[1.0]).run()?[[0, 0]], 0.707_092_813_154_289, 1e-14);
    let by_p = periodic::grad_p(&x, &y, &1.0, &1.0, &[1.0]).run()?[[0, 0]];
    close(by_p, 0.484_181_945_615_33, 1e-14);
    // x and p enter as x / p.
    close(periodic::grad_x_i(&x, &y, &1.0, &1.0, &[1.0]).run()?[[0, 0]], -by_p / 0.3, 1e-13);
    Ok(())
}

#[test]
fn t88_the_first_of_equal_minima_takes_the_gradient() -> Result<(), Error> {
    let (x, y) = ([[0.0f64, 0.0]], [[5.0, 5.0], [1.0, 2.0], [-2.0, 1.0], [1.0, 2.0]]);
    let by_y = nearest::grad_y_j(&x, &y, &[1.0]).run()?;
    assert_eq!(by_y, array![[0.0, 0.0], [2.0, 4.0], [0.0, 0.0], [0.0, 0.0]]);
    assert_eq!(nearest::grad_x_i(&x, &y, &[1.0]).run()?, array![[-2.0, -4.0]]);
    Ok(())
}

/// ⟨a, b⟩
fn dot<const D: usize>(table: &Array2<f64>, rows: &[[f64; D]]) -> f64 {
    table.iter().zip(rows.as_flattened()).map(|(a, b)| a * b).sum()
}

#[test]
fn t89_directional_derivatives_are_adjoint_to_gradients() -> Result<(), Error> {
    let (m, n) = (37, 300);
    let (xs, ys, bs) = (rows::<f64, 3>(x, m), rows::<f64, 3>(y, n), rows::<f64, 1>(b, n));
    let (u_i, u_j) = (rows::<f64, 3>(|i, d| b(i + 3, d), m), rows::<f64, 3>(|i, d| b(i + 9, d + 2), n));
    let (u_b, w) = (rows::<f64, 1>(|j, _| x(j + 2, 1), n), rows::<f64, 1>(|i, _| y(i + 5, 3), m));

    let adjoint = |jvp: Array2<f64>, pulled: f64| close(dot(&jvp, &w), pulled, 1e-12 * pulled.abs().max(1.0));
    adjoint(gauss_along_x(&xs, &ys, &bs, &u_i).run()?, dot(&gauss::grad_x_i(&xs, &ys, &bs, &w).run()?, &u_i));
    adjoint(gauss_along_y(&xs, &ys, &bs, &u_j).run()?, dot(&gauss::grad_y_j(&xs, &ys, &bs, &w).run()?, &u_j));
    adjoint(gauss_along_b(&xs, &ys, &bs, &u_b).run()?, dot(&gauss::grad_b_j(&xs, &ys, &bs, &w).run()?, &u_b));
    adjoint(lse_along_x(&xs, &ys, &u_i).run()?, dot(&lse::grad_x_i(&xs, &ys, &w).run()?, &u_i));
    adjoint(lse_along_y(&xs, &ys, &u_j).run()?, dot(&lse::grad_y_j(&xs, &ys, &w).run()?, &u_j));
    Ok(())
}

#[test]
fn t90_kernel_matrix_with_derivatives() -> Result<(), Error> {
    let n = 10;
    let points = rows::<f64, 2>(x, n);
    // Blocks of 3 × 3 (value, ∂₀, ∂₁ on each side), column by column.
    let mut matrix = Array2::<f64>::zeros((3 * n, 3 * n));
    for j in 0..n {
        let column = rbf_with_derivatives(&points, &points[j..=j]).run()?;
        for i in 0..n {
            let at = |k| column[[i, k]];
            let block = [[at(0), at(1), at(2)], [at(3), at(5), at(6)], [at(4), at(7), at(8)]];
            for (r, row) in block.iter().enumerate() {
                for (c, value) in row.iter().enumerate() {
                    matrix[[3 * i + r, 3 * j + c]] = *value;
                }
            }
        }
    }
    for r in 0..3 * n {
        for c in 0..r {
            close(matrix[[r, c]], matrix[[c, r]], 1e-15);
        }
    }
    let kernel = |x: [f64; 2], y: [f64; 2]| -> Result<f64, Error> { Ok(rbf(&[x], &[y]).run()?[[0, 0]]) };
    let moved = |mut p: [f64; 2], d: usize, h: f64| {
        p[d] += h;
        p
    };
    let h = 1e-4;
    for (i, j) in [(0, 0), (0, 1), (3, 7), (9, 2)] {
        let (x, y) = (points[i], points[j]);
        close(matrix[[3 * i, 3 * j]], kernel(x, y)?, 1e-15);
        for d in 0..2 {
            let by_x = (kernel(moved(x, d, h), y)? - kernel(moved(x, d, -h), y)?) / (2.0 * h);
            close(matrix[[3 * i + 1 + d, 3 * j]], by_x, 1e-7);
            for e in 0..2 {
                let corner = |s: f64, t: f64| kernel(moved(x, d, s * h), moved(y, e, t * h));
                let both =
                    (corner(1.0, 1.0)? - corner(1.0, -1.0)? - corner(-1.0, 1.0)? + corner(-1.0, -1.0)?) / (4.0 * h * h);
                close(matrix[[3 * i + 1 + d, 3 * j + 1 + e]], both, 1e-6);
            }
        }
    }
    Ok(())
}
