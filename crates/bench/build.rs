//! Compiles the formulas for GPUs, if they are to be measured there.

fn main() {
    #[cfg(feature = "cuda")]
    keops_build::compile();
}
