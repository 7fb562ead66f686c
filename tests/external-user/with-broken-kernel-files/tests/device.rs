use keops::{Backend, Error};
use with_broken_kernel_files::{cut_off, renamed, whole};

const X: [[f32; 1]; 2] = [[1.0], [2.0]];
const Y: [[f32; 1]; 2] = [[3.0], [4.0]];

#[test]
fn broken_kernel_files_are_errors_and_the_next_call_works() -> Result<(), Error> {
    keops_gpu_sim_loader::start("64M:8.0:4");
    let gpu = Backend::Cuda(0);
    let error = cut_off(&X, &Y).backend(gpu).run().unwrap_err();
    assert!(matches!(error, Error::Jit { formula: "cut_off", device: 0, .. }), "{error}");
    let error = renamed(&X, &Y).backend(gpu).run().unwrap_err();
    assert!(matches!(error, Error::NoKernel { formula: "renamed", .. }), "{error}");
    assert_eq!(whole(&X, &Y).backend(gpu).run()?.as_slice(), Some(&[7.0, 14.0][..]));
    // On the processor they are right.
    assert_eq!(cut_off(&X, &Y).backend(Backend::Cpu).run()?.as_slice(), Some(&[-5.0, -3.0][..]));
    assert_eq!(renamed(&X, &Y).backend(Backend::Cpu).run()?.as_slice(), Some(&[9.0, 11.0][..]));
    Ok(())
}
