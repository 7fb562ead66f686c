use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

fn main() {
    let (x, y) = (vec![[0.0f32; 3]], vec![[0.0f64; 3]]);
    let _ = f(&x, &y).run();
}
