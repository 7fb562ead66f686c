//! All jobs of the benchmark table, at sizes that take milliseconds.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keops::Level;
use keops_bench::data::Number;
use keops_bench::jobs::{Job, Sizes};

const JOBS: [Job; 8] =
    [Job::Gauss, Job::GaussGamma, Job::GaussGrad, Job::GaussRhs, Job::Lse, Job::Argkmin, Job::Nearest, Job::Attention];

fn sizes(job: Job, d: usize) -> Sizes {
    match job {
        Job::Nearest => Sizes { m: 100_000, n: 64, d },
        _ => Sizes { m: 2_000, n: 2_000, d },
    }
}

fn bench<T: Number>(criterion: &mut Criterion) {
    for job in JOBS {
        let mut group = criterion.benchmark_group(format!("{job:?}/{}", T::NAME));
        for &d in job.dimensions() {
            let sizes = sizes(job, d);
            let Some(mut problem) = job.prepare::<T>(sizes) else { continue };
            group.throughput(Throughput::Elements(sizes.m as u64 * sizes.n as u64));
            group.bench_function(BenchmarkId::from_parameter(d), |bencher| {
                bencher.iter(|| problem.run(Level::best()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench::<f32>, bench::<f64>);
criterion_main!(benches);
