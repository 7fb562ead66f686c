//! PTX as rustc writes it gives the sum that the host computes in double precision.

mod support;

use keops_gpu_sim::driver::cuMemcpyDtoH_v2;
use support::Gpu;

const TEXT: &str = include_str!("fixtures/gauss.ptx");

fn points(count: usize, seed: u32) -> Vec<[f32; 3]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

#[test]
fn a_gaussian_sum_in_rust() {
    let gpu = Gpu::new();
    let (rows, columns) = (70usize, 90usize);
    let (x, y) = (points(rows, 1), points(columns, 2));
    let weights: Vec<f32> = points(columns, 3).iter().map(|p| p[0] - 0.5).collect();
    let module = gpu.load(TEXT).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
    let kernel = gpu.function(module, "gauss");
    let arguments = [gpu.upload(&x), gpu.upload(&y), gpu.upload(&weights), gpu.allocate(4 * rows).unwrap()];
    let sizes = [rows as u64, columns as u64];
    let all: Vec<u64> = arguments.iter().chain(&sizes).copied().collect();
    let code = gpu.launch(kernel, [2, 1, 1], [64, 1, 1], 16 * 64, &all);
    assert_eq!(code, 0, "{}", gpu.last_log());
    let mut found = vec![0f32; rows];
    // SAFETY: the vector has room for all rows.
    assert_eq!(unsafe { cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), arguments[3], 4 * rows) }, 0);
    for (x, found) in x.iter().zip(found) {
        let term = |(y, b): (&[f32; 3], &f32)| {
            let square: f64 = x.iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum();
            (-square).exp2() * f64::from(*b)
        };
        let expected: f64 = y.iter().zip(&weights).map(term).sum();
        assert!((f64::from(found) - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}

#[test]
fn removing_its_barriers_is_a_race() {
    let gpu = Gpu::new();
    assert_eq!(TEXT.matches("bar.sync").count(), 2);
    let text = TEXT.replace("bar.sync", "// bar.sync");
    let module = gpu.load(&text).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
    let kernel = gpu.function(module, "gauss");
    let x = gpu.upload(&points(64, 1));
    let arguments = [x, x, x, x, 64, 64];
    assert_ne!(gpu.launch(kernel, [1; 3], [64, 1, 1], 16 * 64, &arguments), 0);
    assert!(gpu.last_log().contains("shared"), "{}", gpu.last_log());
}
