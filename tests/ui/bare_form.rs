use keops::keops;
use ndarray::Array2;

struct Cloud {
    points: Vec<[f32; 3]>,
}

impl Cloud {
    fn norms(&self) -> usize {
        let _ = keops!(Sum_Reduction(SqNorm2(self), 0));
        self.points.len()
    }
}

fn main() {
    let (x_i, y_j) = (Array2::<f32>::zeros((4, 3)), Array2::<f32>::zeros((5, 3)));
    let _ = keops!(Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0)).run();
    let (x_i, y_j) = ([[0.0f32; 3]], [[0.0f32; 2]]);
    let _ = keops!(Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0)).run();
    let _ = keops!(Sum_Reduction(Exp(-SqDist(x_i, z_j)), 0)).run();
    let _ = keops!(Exp(-SqDist(x_i, y_j)));
}
