use keops::keops;

fn main() {
    let f = keops!(|x_i: Vi<3>, y_j: Vj<2>| Sum_Reduction(SqDist(x_i, y_j), 0));
    let _ = f(&[[0.0f32; 3]], &[[0.0f32; 2]]).run();
    let _ = keops!(|x_i: Vi<3>, y_j: Vj<2> Sum_Reduction(SqDist(x_i, y_j), 0));
}
