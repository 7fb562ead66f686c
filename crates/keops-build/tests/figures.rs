//! What kernels cost: instructions per pair, registers and barriers are counts, and these tests keep them where they are.
//!
//! They need a compiler for GPUs and NVIDIA's assembler, which `cargo xtask test` installs, and no GPU.

use keops_build::report::{self, KernelReport, Tools};
use keops_build::{Build, Target};
use std::fs;
use std::sync::LazyLock;

/// The formulas, and by name of the kernel what their inner loops may take per pair in `f32` on `sm_90` with approximate
/// elementary functions.
const FORMULAS: &str = "
    keops! {
        #[grad(x_i)]
        fn gauss_3(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>) =
            Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);
        fn lse_3(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-SqDist(x_i, y_j), 0);
        fn argkmin_3(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0);
        fn gauss_16(x_i: Vi<16>, y_j: Vj<16>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
        fn gauss_64(x_i: Vi<64>, y_j: Vj<64>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
    }";

/// Formula, kernel, instructions per pair (KeOps 2.3 takes 11.8, 20.8, 19.8, 23.9 and 206.9).
const BOUNDS: [(&str, &str, f64); 5] = [
    ("gauss_3", "keops_Sum_f32_reduce", 9.0),
    ("gauss_3::grad_x_i", "keops_Sum_f32_reduce", 12.5),
    ("lse_3", "keops_LogSumExp_f32_reduce", 12.0),
    ("argkmin_3", "keops_ArgKMin_10_f32_reduce", 10.0),
    ("gauss_64", "keops_Sum_f32_reduce", 150.0),
];

/// The kernels of [`FORMULAS`] for both targets, with elementary functions that are exact, and with approximate ones.
static KERNELS: [LazyLock<Vec<KernelReport>>; 2] = [LazyLock::new(|| compile(false)), LazyLock::new(|| compile(true))];

fn compile(fast_math: bool) -> Vec<KernelReport> {
    let package = tempfile::tempdir().unwrap();
    fs::create_dir(package.path().join("src")).unwrap();
    fs::write(package.path().join("src/lib.rs"), FORMULAS).unwrap();
    let targets = Target::list("sm_80,sm_90").unwrap();
    let outcome = Build::new(package.path()).targets(targets).fast_math(fast_math).run().unwrap();
    let tools = Tools::find().unwrap();
    report::report(&tools, &outcome.files).unwrap()
}

fn of<'a>(all: &'a [KernelReport], formula: &str, kernel: &str, target: &str) -> &'a KernelReport {
    let found = all.iter().find(|k| k.formula == formula && k.kernel == kernel && k.target == target);
    found.unwrap_or_else(|| panic!("{kernel} of {formula} is not among {:?}", names(all)))
}

fn names(all: &[KernelReport]) -> Vec<String> {
    all.iter().map(|kernel| format!("{} {} {}", kernel.target, kernel.formula, kernel.kernel)).collect()
}

#[test]
fn pairs_take_few_instructions() {
    let [exact, all] = [0, 1].map(|fast| &*KERNELS[fast]);
    for (formula, kernel, bound) in BOUNDS {
        let [exact, inner] =
            [exact, all].map(|all| of(all, formula, kernel, "sm_90").inner.expect("a loop over pairs"));
        let per_pair = inner.usually_per_pair();
        println!(
            "{formula}: {per_pair:.2} instructions per pair, at most {bound}; exact {:.2}",
            exact.usually_per_pair()
        );
        assert!(inner.usually_per_pair() <= bound, "{formula}: {:.2} instructions per pair", inner.usually_per_pair());
        assert_eq!(inner.stack, 0, "{formula}: the loop over pairs uses the stack");
    }
    let gauss = of(all, "gauss_3", "keops_Sum_f32_reduce", "sm_90").inner.unwrap();
    let loads = gauss.shared_loads as f64 / gauss.pairs;
    assert!(loads <= 0.3, "{loads} loads from shared memory per pair");
}

#[test]
fn values_stay_in_registers() {
    for kernel in KERNELS.iter().flat_map(|kernels| kernels.iter()).filter(|kernel| kernel.formula != "gauss_64") {
        let what = format!("{} of {} for {}", kernel.kernel, kernel.formula, kernel.target);
        assert_eq!(kernel.spills, (0, 0), "{what} spills");
    }
}
