use keops::{Accumulator, Backend, Error};
use with_build_script::total;

#[test]
fn a_device_adds_up_exactly_where_it_is_asked_to() -> Result<(), Error> {
    keops_gpu_sim_loader::start("64M:8.0:4");
    // Terms of 2³⁰ come and go around the sum of 300 quarters; a plain sum loses the quarters.
    let y: Vec<f32> = (0..300).flat_map(|_| [1073741824.0, 0.25, -1073741824.0]).collect();
    for accumulator in [Accumulator::Kahan, Accumulator::F64] {
        let sum = total(&[1.0f32], &y).backend(Backend::Cuda(0)).accumulate(accumulator).run()?;
        assert_eq!(sum[[0, 0]], 75.0, "{accumulator:?}");
    }
    Ok(())
}
