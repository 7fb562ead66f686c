//! Situations that need many pairs. They run in an optimised build only: `cargo test --release --test cases_large`.

mod lattice;

use keops::{Accumulator, Error, keops};
use lattice::{close, levels};

keops! {
    fn kernel(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);
    fn on_a_line(x_i: Vi<1>, y_j: Vj<1>) = Min_ArgMin_Reduction((x_i - y_j) ** 2, 0);
    fn ones(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(1, 0);
    fn total(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
}

const ALL_ACCUMULATORS: [Accumulator; 3] = [Accumulator::Block, Accumulator::Kahan, Accumulator::F64];

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build")]
fn t15_more_pairs_than_32_bits_count() -> Result<(), Error> {
    let points = vec![0.0f32; 70_000];
    let got = ones(&points, &points).run()?;
    assert!(got.iter().all(|&g| g == 70_000.0));
    assert_eq!(got.iter().map(|&g| g as u64).sum::<u64>(), 4_900_000_000);
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build")]
fn t19_more_rows_than_grids_have_blocks() -> Result<(), Error> {
    let m = 65_535 * 256 + 1;
    let got = kernel(&vec![0.0f32; m], &[0.0f32]).run()?;
    assert_eq!(got.dim(), (m, 1));
    assert!(got.iter().all(|&g| g == 1.0));
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build")]
fn t20_indices_beyond_what_a_float_can_count() -> Result<(), Error> {
    let mut y = vec![1.0f32; 16_777_220];
    y[16_777_217] = 0.0;
    let (values, indices) = on_a_line(&[0.0f32], &y).run()?;
    assert_eq!((values[[0, 0]], indices[[0, 0]]), (0.0, 16_777_217));
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build")]
fn t27_more_ones_than_a_float_can_count() -> Result<(), Error> {
    let many = vec![1.0f32; 16_777_218];
    for accumulator in ALL_ACCUMULATORS {
        assert_eq!(ones(&[1.0], &many).accumulate(accumulator).run()?[[0, 0]], 16_777_218.0, "{accumulator:?}");
        assert_eq!(total(&[1.0], &many).accumulate(accumulator).run()?[[0, 0]], 16_777_218.0, "{accumulator:?}");
    }
    // Rows in lanes.
    let got = total(&[1.0; 64], &many).run()?;
    assert!(got.iter().all(|&g| g == 16_777_218.0));
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build")]
fn t28_small_terms_after_a_large_one() -> Result<(), Error> {
    let mut terms = vec![1e-8f32; 1_000_001];
    terms[0] = 1.0;
    for level in levels() {
        for m in [1, 33] {
            let row = vec![1.0f32; m];
            for (accumulator, allowed) in
                [(Accumulator::Block, 3e-4), (Accumulator::Kahan, 5e-5), (Accumulator::F64, 2e-7)]
            {
                let got = total(&row, &terms).accumulate(accumulator).level(level).run()?;
                close(got[[m - 1, 0]], 1.009_999_999_939_23, allowed);
            }
        }
    }
    Ok(())
}
