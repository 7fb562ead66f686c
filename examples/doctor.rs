//! What of keops works on this machine, and what to do about the rest.
//!
//! `cargo run --example doctor`, and with `--features cuda` for GPUs

use keops::{Backend, Error, Level, keops};
use keops_build::{Build, Toolchain};
use std::collections::BTreeSet;
use std::process::ExitCode;

keops! {
    /// The formula that every engine is asked for.
    fn density(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);
}

/// Points on a line and their densities, by the closed form.
fn expected(points: &[[f32; 3]]) -> Vec<f64> {
    let square = |x: &[f32; 3], y: &[f32; 3]| x.iter().zip(y).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    points.iter().map(|x| points.iter().map(|y| (-square(x, y)).exp()).sum()).collect()
}

/// The largest relative error of the self-test, in units of what single precision can do.
fn self_test(backend: Backend, level: Option<Level>) -> Result<f64, Error> {
    let points: Vec<[f32; 3]> = (0..50).map(|k| [k as f32 / 8.0, 0.5, -0.25]).collect();
    let call = density(&points, &points).backend(backend);
    let call = if let Some(level) = level { call.level(level) } else { call };
    let got = call.run()?;
    let errors = got.iter().zip(expected(&points)).map(|(got, want)| (f64::from(*got) - want).abs() / want);
    Ok(errors.fold(0.0, f64::max) / f64::from(f32::EPSILON))
}

/// Prints the outcome of a self-test. Is it right?
fn report(engine: &str, outcome: Result<f64, Error>) -> bool {
    match outcome {
        Ok(error) if error < 16.0 => println!("  {engine}: right (within {error:.1} units of single precision)"),
        Ok(error) => {
            println!("  {engine}: WRONG by {error:.1} units of single precision. Please report this.");
            return false;
        }
        Err(error) => println!("  {engine}: {error}"),
    }
    true
}

fn processor() -> bool {
    println!("Processor");
    println!("  {} threads", std::thread::available_parallelism().map_or(1, usize::from));
    let mut right = true;
    for level in Level::ALL {
        if level.is_available() {
            right &= report(&format!("{level:?}"), self_test(Backend::Cpu, Some(level)));
        } else {
            println!("  {level:?}: not on this processor");
        }
    }
    right
}

fn compiler() {
    println!("Compiler for GPUs");
    match Toolchain::find() {
        Ok(found) => println!("  {} ({})", found.name(), found.rustc.display()),
        Err(error) => println!("  {error}"),
    }
    println!("Kernels of the self-test");
    match Build::new(env!("CARGO_MANIFEST_DIR")).check() {
        Ok(outcome) => {
            let is_mine = |at: &str| at.contains("doctor.rs");
            let of_mine = outcome.files.iter().filter(|file| is_mine(&file.at));
            let targets: BTreeSet<String> =
                of_mine.filter(|file| !file.is_new).map(|file| file.target.to_string()).collect();
            match targets.is_empty() {
                true => println!(
                    "  none; `cargo xtask build-ptx` compiles those of this package, for a package of your own see `keops_build::compile`"
                ),
                false => println!("  compiled for {}", targets.into_iter().collect::<Vec<_>>().join(", ")),
            }
        }
        Err(error) => println!("  {error}"),
    }
}

#[cfg(feature = "cuda")]
fn devices() -> bool {
    println!("CUDA devices");
    let devices = match keops::devices() {
        Ok(devices) => devices,
        Err(reason) => {
            println!(
                "  no driver: {reason}. Where there is an NVIDIA GPU, install its driver; nothing else of CUDA is needed."
            );
            return true;
        }
    };
    if devices.is_empty() {
        println!("  the driver finds none");
    }
    let mut right = true;
    for device in devices {
        let (major, minor) = device.capability;
        let gibibytes = device.memory as f64 / f64::from(1 << 30);
        println!(
            "  device {}: {}, compute capability {major}.{minor}, {gibibytes:.1} GiB",
            device.ordinal, device.name
        );
        right &= report(&format!("device {}", device.ordinal), self_test(Backend::Cuda(device.ordinal), None));
    }
    right
}

#[cfg(not(feature = "cuda"))]
fn devices() -> bool {
    println!("CUDA devices");
    println!("  this program was built without the feature `cuda`: cargo run --example doctor --features cuda");
    true
}

fn main() -> ExitCode {
    println!("keops {}", env!("CARGO_PKG_VERSION"));
    let right = processor();
    compiler();
    if right & devices() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
