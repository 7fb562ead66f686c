//! Mistakes on the way to a device: each is an error that says what is wrong, and the next call works.

#![cfg(feature = "cuda")]

use keops::{Backend, DeviceRows, Error, keops};
use ndarray::Array2;

keops! {
    fn product(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
    fn wide(x_i: Vi<4000>, y_j: Vj<4000>) = Sum_Reduction(x_i | y_j, 0);
    fn nearest(x_i: Vi<1>, y_j: Vj<1>) = ArgKMin_Reduction(Abs(x_i - y_j), 3, 0);
    fn smallest(x_i: Vi<1>, y_j: Vj<1>) = Min_Reduction(x_i * y_j, 0);
    fn log_sum(x_i: Vi<1>, y_j: Vj<1>) = LogSumExp_Reduction(x_i * y_j, 0);
}

/// The usual device, one with too little memory, and one that is older than the kernels.
const DEVICES: &str = "64M:8.0:4,16K:8.0:4,64M:7.5:4";
const X: [[f64; 1]; 2] = [[1.0], [2.0]];
const Y: [[f64; 1]; 3] = [[3.0], [4.0], [-1.0]];
const NONE: [[f64; 1]; 0] = [];

/// The error of a call; the device works afterwards. `None` when the tests run on a real GPU, which is not so small or old.
fn simulated() -> bool {
    keops_gpu_sim_loader::start(DEVICES).is_some()
}

fn works() {
    let sums = product(&X, &Y).backend(Backend::Cuda(0)).run().unwrap();
    assert_eq!(sums.as_slice(), Some(&[6.0, 12.0][..]));
}

#[test]
fn wrong_shapes_are_the_errors_of_the_processor() {
    simulated();
    let flat = [0.0; 4001];
    let call = || wide(&flat[..], &flat[..4000]);
    let [device, processor] = [Backend::Cuda(0), Backend::Cpu].map(|on| call().backend(on).run().unwrap_err());
    assert!(device.to_string().contains("x_i") && device.to_string().contains("4000"), "{device}");
    assert_eq!(device.to_string(), processor.to_string());
    works();
}

#[test]
fn more_neighbours_than_points_are_an_error() {
    simulated();
    let [device, processor] =
        [Backend::Cuda(0), Backend::Cpu].map(|on| nearest(&X, &Y[..2]).backend(on).run().unwrap_err().to_string());
    assert_eq!(device, processor);
    works();
}

#[test]
fn without_columns_results_are_the_identities() -> Result<(), Error> {
    simulated();
    let on = Backend::Cuda(0);
    assert_eq!(product(&X, &NONE).backend(on).run()?.as_slice(), Some(&[0.0, 0.0][..]));
    assert_eq!(smallest(&X, &NONE).backend(on).run()?.as_slice(), Some(&[f64::INFINITY; 2][..]));
    assert_eq!(log_sum(&X, &NONE).backend(on).run()?.as_slice(), Some(&[f64::NEG_INFINITY; 2][..]));
    assert_eq!(product(&NONE, &Y).backend(on).run()?.dim(), (0, 1));
    assert_eq!(product(&NONE, &NONE).backend(on).run()?.dim(), (0, 1));
    works();
    Ok(())
}

#[test]
fn too_little_memory_says_how_much_is_needed_and_free() {
    if !simulated() {
        return;
    }
    let row = Array2::<f64>::ones((1, 4000));
    let error = wide(&row, &row).backend(Backend::Cuda(1)).run().unwrap_err();
    let Error::DeviceMemory { formula: "wide", device: 1, requested, free, .. } = error else { panic!("{error}") };
    assert!(requested > free && free <= 16 << 10, "{error}");
    let error = DeviceRows::upload::<4000>(1, &row).unwrap_err();
    assert!(matches!(error, Error::DeviceMemory { device: 1, .. }), "{error}");
    // What fits does run there, and nothing is left behind of what did not.
    let sums = product(&X, &Y).backend(Backend::Cuda(1)).run().unwrap();
    assert_eq!(sums.as_slice(), Some(&[6.0, 12.0][..]));
    works();
}

#[test]
fn a_device_that_is_older_than_the_kernels_is_named_with_its_capability() {
    if !simulated() {
        return;
    }
    let error = product(&X, &Y).backend(Backend::Cuda(2)).run().unwrap_err();
    assert!(matches!(error, Error::Architecture { device: 2, capability: (7, 5), .. }), "{error}");
    let text = error.to_string();
    for part in ["product", "device 2", "7.5", "sm_80", "sm_75"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    works();
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    simulated();
    let error = product(&X, &Y).backend(Backend::Cuda(99)).run().unwrap_err();
    assert!(matches!(error, Error::NoDevice { device: 99, .. }), "{error}");
    works();
}
