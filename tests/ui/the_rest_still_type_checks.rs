use keops::keops;

keops! {
    #[grad(x_i)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * c_j, 0);

    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = ArgMin_Reduction(SqDits(x_i, y_j), 0);
}

// Only the last line is wrong here: the formulas above keep their signatures.
fn main() -> Result<(), keops::Error> {
    let (x, b) = (vec![[0.0f64; 3]; 5], vec![[0.0f64; 2]; 5]);
    let a: ndarray::Array2<f64> = gauss(&x, &x, &b).run()?;
    let _: ndarray::Array2<f64> = gauss::grad_x_i(&x, &x, &b, &a).run()?;
    let _: ndarray::Array2<u64> = nearest(&x, &x).run()?;
    let _: ndarray::Array2<f64> = nearest(&x, &x).run()?;
    Ok(())
}
