//! The formulas of the quickstart on some of its data: a device and the processor agree.

#![cfg(feature = "cuda")]

#[path = "../../../examples/quickstart/formulas.rs"]
mod formulas;

use formulas::{density, log_density};
use keops::{Backend, Error, Real};
use ndarray::Array2;

/// Every two hundredth position, in degrees, and a map of points around them.
fn data<T: Real>() -> (Vec<[T; 2]>, Vec<[T; 2]>) {
    let text = include_str!("../../../data/us_zip_latlon.csv");
    let number = |text: &str| T::from_f64(text.trim().parse().unwrap());
    let codes = text.lines().skip(1).step_by(200).map(|line| {
        let (latitude, longitude) = line.split_once(',').unwrap();
        [number(latitude), number(longitude)]
    });
    let map = (0..300).map(|k| [24.0 + f64::from(k / 20) * 1.7, -125.0 + f64::from(k % 20) * 3.0]);
    (map.map(|point| point.map(T::from_f64)).collect(), codes.collect())
}

fn assert_near<T: Real>(got: &Array2<T>, want: &Array2<T>, tolerance: f64) {
    assert_eq!(got.dim(), want.dim());
    let largest = want.iter().fold(0.0, |m: f64, v| m.max(v.to_f64().abs()));
    assert!(largest > 0.0);
    let far = |(got, want): (&T, &T)| (got.to_f64() - want.to_f64()).abs() > tolerance * largest;
    assert!(!got.iter().zip(want).any(far));
}

#[test]
fn density_and_gradient_are_those_of_the_processor() -> Result<(), Error> {
    keops_gpu_sim_loader::start("256M:8.0:4");
    let [device, processor] = [Backend::Cuda(0), Backend::Cpu];
    let (map, codes) = data::<f32>();
    let at = |on| density(&map, &codes, &2.0).backend(on).run();
    assert_near(&at(device)?, &at(processor)?, 1e-6);
    let (map, codes) = data::<f64>();
    let ones = vec![[1.0]; map.len()];
    let at = |on| log_density::grad_x_i(&map, &codes, &2.0, &ones).backend(on).run();
    assert_near(&at(device)?, &at(processor)?, 1e-12);
    Ok(())
}
