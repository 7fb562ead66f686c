//! Where compiled kernels are: what `keops_build` wrote for the crate that is being compiled.

use keops_codegen::kernel::{Device, Kernel, Ptx, library};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Looks for kernels in the folders of the crate that is being compiled.
pub(crate) fn with<R>(f: impl FnOnce(&Device<'_>) -> R) -> R {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| library(keops_core::SOURCES.iter().chain(keops_gpu_kernels::SOURCES)));
    let folders: Vec<_> = folders().iter().map(|folder| files(folder)).collect();
    let required = std::env::var_os("KEOPS_GPU").is_some_and(|value| value == "require");
    f(&Device {
        library,
        find: &|kernel| {
            let of_kernel = |files: &Vec<(String, Ptx)>| -> Vec<Ptx> {
                files.iter().filter(|(id, _)| *id == kernel.id).map(|(_, file)| file.clone()).collect()
            };
            let found = folders.iter().map(of_kernel).find(|found| !found.is_empty());
            match found {
                Some(found) => Ok(found),
                None if required => Err(missing(kernel)),
                None => Ok(Vec::new()),
            }
        },
    })
}

/// What a build script made comes before what is kept with the sources.
fn folders() -> Vec<PathBuf> {
    [("OUT_DIR", "keops"), ("CARGO_MANIFEST_DIR", "keops-ptx")]
        .into_iter()
        .filter_map(|(variable, folder)| Some(Path::new(&std::env::var_os(variable)?).join(folder)))
        .filter(|folder| folder.is_dir())
        .collect()
}

/// The kernel files of a folder, `{id}.sm_{target}.ptx`, lowest target first.
fn files(folder: &Path) -> Vec<(String, Ptx)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let (id, target) = name.to_str()?.strip_suffix(".ptx")?.split_once(".sm_")?;
            let path = entry.path().to_str()?.to_string();
            Some((id.to_string(), Ptx { target: target.parse().ok()?, path }))
        })
        .collect();
    files.sort_by_key(|(_, file)| file.target);
    files
}

fn missing(kernel: &Kernel) -> String {
    format!(
        "KEOPS_GPU=require, but there are no compiled kernels of `{}` (its files are called `{}.sm_….ptx`); either call \
         `keops_build::compile()` in the build script of this crate, or write them to its folder `keops-ptx` with \
         `keops_build::Build`",
        kernel.name, kernel.id,
    )
}
