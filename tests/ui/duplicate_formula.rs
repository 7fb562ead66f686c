use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    #[cfg(any())]
    fn g(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i, 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i | y_j, 0);
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i | y_j, 0);
}

fn main() {
    let x = vec![[0.0; 3]];
    println!("{:?} {:?}", f(&x, &x).run(), g(&x, &x).run());
}
