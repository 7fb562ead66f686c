use keops::{Backend, Error};
use without_kernels::density;

const X: [[f32; 2]; 1] = [[0.0, 0.0]];
const Y: [[f32; 2]; 2] = [[0.0, 0.0], [0.0, 1.0]];
const B: [[f32; 1]; 2] = [[1.0], [2.0]];

fn near(value: f32) -> bool {
    (f64::from(value) - (1.0 + 2.0 * (-1.0f64).exp())).abs() < 1e-6
}

#[test]
fn the_processor_runs_what_has_no_kernels() -> Result<(), Error> {
    // There is a device, but nothing that it could run.
    keops_gpu_sim_loader::start("64M:8.0:4");
    assert!(near(density(&X, &Y, &B).run()?[[0, 0]]));
    Ok(())
}

#[test]
fn a_device_that_is_asked_for_says_what_is_missing_and_what_to_do() -> Result<(), Error> {
    keops_gpu_sim_loader::start("64M:8.0:4");
    let error = density(&X, &Y, &B).backend(Backend::Cuda(0)).run().unwrap_err().to_string();
    for part in ["density", "no GPU kernels", "keops_build::compile()", "keops-ptx"] {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    assert!(near(density(&X, &Y, &B).backend(Backend::Cpu).run()?[[0, 0]]));
    Ok(())
}
