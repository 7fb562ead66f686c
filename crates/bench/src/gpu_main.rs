//! `keops-gpu-bench`: times reductions on a CUDA device, data and results staying there. Prints one line of JSON each.

use clap::Parser;
use keops::{Accumulator, Backend, DeviceRows, Error, keops};
use keops_bench::data::{Number, normal, points};
use keops_bench::measure::Spread;
use serde_json::json;
use std::time::Instant;

keops! {
    #[grad(x_i)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-10 * SqDist(x_i, y_j), 0);
    fn argkmin(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0);
    fn gauss_64(x_i: Vi<64>, y_j: Vj<64>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

/// Times reductions on a CUDA device
#[derive(Parser)]
#[command(name = "keops-gpu-bench", version)]
struct Options {
    /// Number of the device
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// Rows of the results, and terms of each
    #[arg(long, default_value_t = 1_000_000)]
    points: usize,
    /// Calls that are timed, after one that is not
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

impl Options {
    /// Times a call and prints the line. A call returns when its kernels have ended.
    fn report(&self, job: &str, number: &str, mut call: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
        call()?;
        let mut seconds = Vec::new();
        for _ in 0..self.rounds.max(1) {
            let start = Instant::now();
            call()?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        let Spread { median, min, max } = Spread::of(seconds);
        let pairs = self.points as f64 * self.points as f64;
        let (milliseconds, rate) = ([median, min, max].map(|s| 1e3 * s), pairs / median / 1e9);
        println!(
            "{}",
            json!({ "job": job, "type": number, "points": self.points, "ms_median_min_max": milliseconds, "pairs_per_ns": rate })
        );
        Ok(())
    }

    fn sums<T: Number + keops::DeviceNumber>(&self, number: &str) -> Result<(), Error> {
        let there = |seed| DeviceRows::upload::<3>(self.device, &points::<T>(seed, self.points, 3));
        let (x, y) = (there(1)?, there(2)?);
        let b = DeviceRows::upload::<1>(self.device, &normal::<T>(3, self.points, 1, 1.0))?;
        let on = Backend::Cuda(self.device);
        for (job, how) in [("gauss", Accumulator::Block), ("gauss, Kahan", Accumulator::Kahan)] {
            self.report(job, number, || gauss(&x, &y, &b).backend(on).accumulate(how).run_on_device().map(drop))?;
        }
        self.report("gauss, gradient in x", number, || {
            gauss::grad_x_i(&x, &y, &b, &b).backend(on).run_on_device().map(drop)
        })?;
        self.report("log-sum-exp", number, || lse(&x, &y).backend(on).run_on_device().map(drop))?;
        self.report("argkmin, K = 10", number, || argkmin(&x, &y).backend(on).run_on_device().map(drop))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let devices = keops::devices().map_err(|reason| format!("not run on a GPU: {reason}"))?;
    let device = devices.iter().find(|device| device.ordinal == options.device);
    let device = device.ok_or_else(|| format!("not run on a GPU: {} device(s) found", devices.len()))?;
    println!("{}", json!({ "device": device.name, "capability": device.capability, "memory": device.memory }));
    options.sums::<f32>("f32")?;
    options.sums::<f64>("f64")?;
    let there = |seed| DeviceRows::upload::<64>(options.device, &points::<f32>(seed, options.points, 64));
    let (x, y) = (there(1)?, there(2)?);
    let b = DeviceRows::upload::<1>(options.device, &normal::<f32>(3, options.points, 1, 1.0))?;
    let on = Backend::Cuda(options.device);
    options.report("gauss, D = 64", "f32", || gauss_64(&x, &y, &b).backend(on).run_on_device().map(drop))?;
    Ok(())
}
