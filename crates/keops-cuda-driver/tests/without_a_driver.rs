//! A program that uses cust starts on every machine and says what is missing.

use cust::error::CudaError;

#[test]
fn cust_says_no_device_where_no_driver_is() {
    let started = cust::init(cust::CudaFlags::empty());
    match keops_cuda_driver::load() {
        Err(loader) => {
            assert!(loader.contains("cuda"), "{loader}");
            assert_eq!(started.unwrap_err(), CudaError::NoDevice);
            let words = CudaError::NoDevice.to_string();
            assert!(words.contains("no CUDA driver: its library could not be loaded"), "{words}");
            assert_eq!(cust::device::Device::num_devices().unwrap_err(), CudaError::NoDevice);
        }
        // With a driver there may or may not be a device.
        Ok(()) => assert!(matches!(started, Ok(()) | Err(CudaError::NoDevice)), "{started:?}"),
    }
}
