use keops::{Backend, Error};
use with_kernel_files::density;

const X: [[f32; 2]; 2] = [[0.0, 0.0], [1.0, 0.0]];
const Y: [[f32; 2]; 3] = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]];
const B: [[f32; 1]; 3] = [[1.0], [2.0], [-0.5]];

#[test]
fn a_device_gives_the_closed_form() -> Result<(), Error> {
    keops_gpu_sim_loader::start("64M:8.0:4");
    let value = density(&X, &Y, &B).backend(Backend::Cuda(0)).run()?;
    let gradient = density::grad_x_i(&X, &Y, &B, &[[1.0f32], [1.0]]).backend(Backend::Cuda(0)).run()?;
    for (i, x) in X.iter().enumerate() {
        let (mut sum, mut slope) = (0.0, [0.0; 2]);
        for (y, [b]) in Y.iter().zip(B) {
            let [u, v] = [x[0] - y[0], x[1] - y[1]].map(f64::from);
            let term = (-u * u - v * v).exp() * f64::from(b);
            sum += term;
            slope = [slope[0] - 2.0 * u * term, slope[1] - 2.0 * v * term];
        }
        assert!((f64::from(value[[i, 0]]) - sum).abs() < 1e-6, "{value}");
        for k in 0..2 {
            assert!((f64::from(gradient[[i, k]]) - slope[k]).abs() < 1e-6, "{gradient}");
        }
    }
    Ok(())
}
