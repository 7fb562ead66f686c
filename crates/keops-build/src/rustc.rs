//! Calls of the compiler. They see nothing of the build around them: no flags, no wrappers, no toolchain choice.

use crate::target::Target;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables of the environment that programs need wherever they run.
const KEPT: [&str; 8] = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG"];

/// Flags of all device code.
///
/// * A panic is a trap: nothing is formatted, nothing unwinds, and nothing of it is left where it cannot happen.
/// * `JumpThreading` would duplicate a barrier that stands between two conditions, and then threads of one block wait at
///   different ones.
/// * What crates offer may be inlined whatever its size: the PTX of a kernel must be complete without a linker.
const FLAGS: &[&str] = &[
    "--target=nvptx64-nvidia-cuda",
    "--cap-lints=allow",
    "-Zunstable-options",
    "-Cpanic=immediate-abort",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
    "-Zmir-enable-passes=-JumpThreading",
    "-Zcross-crate-inline-threshold=always",
];

/// Further flags of kernels. Staged values live in small arrays, which become registers only if all loops over them are
/// unrolled; loops over columns, and those over wide rows in memory, must stay as they are written. The threshold lies
/// between the longest of the former (150 registers) and the shortest of the latter. Everything is inlined in the end; that it is
/// so early, in MIR, halves the time of compilation and leaves the same instructions.
pub(crate) const KERNEL_FLAGS: &[&str] = &[
    "-Clto=fat",
    "-Zinline-mir-threshold=500",
    "-Zinline-mir-hint-threshold=1000",
    "-Cno-vectorize-slp",
    "-Cno-vectorize-loops",
    "-Cllvm-args=-unroll-threshold=2500",
    "-Cllvm-args=-unroll-runtime=false",
];

/// A call of rustc for a device.
pub(crate) fn for_device(rustc: &Path, target: Target) -> Command {
    let mut command = alone(rustc);
    command.args(FLAGS).arg(format!("-Ctarget-cpu={target}")).env("RUSTC_BOOTSTRAP", "1");
    command
}

/// All flags that a kernel's code depends on.
pub(crate) fn settings() -> String {
    format!("{} {}", library_settings(), KERNEL_FLAGS.join(" "))
}

/// Those that the crates it is compiled with depend on.
pub(crate) fn library_settings() -> String {
    FLAGS.join(" ")
}

/// What a compiler prints when asked; or that it cannot be asked.
pub(crate) fn print(rustc: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = alone(rustc).args(arguments).output().map_err(|error| format!("it could not be started: {error}"))?;
    match String::from_utf8(output.stdout) {
        Ok(text) if output.status.success() => Ok(text),
        _ => Err(format!("`{}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The program in an environment of its own.
fn alone(rustc: &Path) -> Command {
    let mut command = Command::new(rustc);
    command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)))).stdin(Stdio::null());
    command
}
