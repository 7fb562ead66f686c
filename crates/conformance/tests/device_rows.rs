//! Data that lives on a device: used by calls, left there by calls, refused elsewhere.

#![cfg(feature = "cuda")]

use keops::{Backend, DeviceRows, Error, Level, keops};
use ndarray::{Array2, array};

keops! {
    #[grad(x_i)]
    fn bell(x_i: Vi<2>, y_j: Vj<2>, b_j: Vj<1>, p: Pm<1>) = Sum_Reduction(Exp(-p * SqDist(x_i, y_j)) * b_j, 0);
    fn nearest(x_i: Vi<2>, y_j: Vj<2>) = Min_ArgMin_Reduction(SqDist(x_i, y_j), 0);
}

const DEVICES: &str = "64M:8.0:4,64M:8.0:2";

fn points(rows: usize, shift: f64) -> Array2<f64> {
    Array2::from_shape_fn((rows, 2), |(i, k)| (i as f64 * 0.37 + k as f64 * 1.3 + shift).sin())
}

/// `Σ_j exp(−p |x_i − y_j|²) b_j`
fn expected(x: &Array2<f64>, y: &Array2<f64>, b: &Array2<f64>, p: f64) -> Vec<f64> {
    let square = |i: usize, j: usize| (0..2).map(|k| (x[[i, k]] - y[[j, k]]).powi(2)).sum::<f64>();
    let sum = |i| (0..y.nrows()).map(|j| (-p * square(i, j)).exp() * b[[j, 0]]).sum();
    (0..x.nrows()).map(sum).collect()
}

fn assert_near(got: &Array2<f64>, want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 1e-12, "{got}, not {want}");
    }
}

#[test]
fn rows_come_back_as_they_went() -> Result<(), Error> {
    keops_gpu_sim_loader::start(DEVICES);
    let x = points(300, 0.0);
    // Also of a view with strides of its own.
    let strided = x.slice(ndarray::s![..;-3, ..]);
    for (sent, rows) in
        [(DeviceRows::upload::<2>(0, &x)?, x.clone()), (DeviceRows::upload::<2>(0, &strided)?, strided.to_owned())]
    {
        assert_eq!(sent.dim(), rows.dim());
        assert_eq!(sent.download()?, rows);
    }
    let none = DeviceRows::upload::<2>(0, &Array2::<f64>::zeros((0, 2)))?;
    assert_eq!(none.download()?.dim(), (0, 2));
    Ok(())
}

#[test]
fn any_variable_may_be_on_the_device() -> Result<(), Error> {
    keops_gpu_sim_loader::start(DEVICES);
    let (x, y, b, p) = (points(150, 0.0), points(201, 0.5), Array2::from_elem((201, 1), 0.25), array![[0.75]]);
    let want = expected(&x, &y, &b, 0.75);
    let (x_there, y_there) = (DeviceRows::upload::<2>(0, &x)?, DeviceRows::upload::<2>(0, &y)?);
    let (b_there, p_there) = (DeviceRows::upload::<1>(0, &b)?, DeviceRows::upload::<1>(0, &p)?);
    assert_near(&bell(&x_there, &y, &b, &p).run()?, &want);
    assert_near(&bell(&x, &y_there, &b, &p).run()?, &want);
    assert_near(&bell(&x, &y, &b_there, &p).run()?, &want);
    assert_near(&bell(&x_there, &y_there, &b_there, &p_there).run()?, &want);
    Ok(())
}

#[test]
fn results_stay_there_and_are_the_data_of_the_next_call() -> Result<(), Error> {
    keops_gpu_sim_loader::start(DEVICES);
    let (x, y, p) = (points(97, 0.0), points(64, 0.5), array![[0.5]]);
    let b = Array2::from_elem((64, 1), 1.0);
    let first = bell(&x, &y, &b, &p).run_on_device()?;
    assert_eq!((first.dim(), first.device()), ((97, 1), 0));
    let want = expected(&x, &y, &b, 0.5);
    assert_near(&first.download()?, &want);
    // K (K b), with the result as the weights.
    let second = bell(&y, &x, &first, &p).run()?;
    let weights = Array2::from_shape_vec((97, 1), want).unwrap();
    assert_near(&second, &expected(&y, &x, &weights, 0.5));
    let (distances, indices) = nearest(&x, &x).run_on_device()?;
    assert_near(&distances.download()?, &[0.0; 97]);
    assert_eq!(indices.download()?.into_raw_vec_and_offset().0, (0..97).collect::<Vec<u64>>());
    Ok(())
}

#[test]
fn data_elsewhere_is_refused_by_name() -> Result<(), Error> {
    let several = keops_gpu_sim_loader::start(DEVICES).is_some();
    let y = points(5, 0.5);
    let there = DeviceRows::upload::<2>(0, &points(3, 0.0))?;
    let mut refused = vec![nearest(&there, &y).backend(Backend::Cpu), nearest(&there, &y).level(Level::Scalar)];
    let elsewhere;
    if several {
        elsewhere = DeviceRows::upload::<2>(1, &y)?;
        refused.push(nearest(&there, &y).backend(Backend::Cuda(1)));
        refused.push(nearest(&there, &elsewhere));
    }
    for call in refused {
        let error = call.run().unwrap_err();
        assert!(matches!(error, Error::OtherPlace { formula: "nearest", .. }), "{error}");
    }
    let wrong = DeviceRows::upload::<1>(0, &[1.0, 2.0, 3.0][..])?;
    let error = nearest(&wrong, &y).run().unwrap_err().to_string();
    assert!(error.contains("x_i"), "{error}");
    assert!(nearest(&there, &y).run().is_ok());
    Ok(())
}
