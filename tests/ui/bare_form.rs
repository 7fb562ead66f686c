use keops::keops;

fn main() {
    let _ = keops!(Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0));
}
