//! The source files of a package.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// Folders with targets of a package.
pub(crate) const FOLDERS: [&str; 4] = ["src", "examples", "tests", "benches"];

/// All `.rs` files in them, sorted. Packages inside the package are left out, and so are files that are expected not to
/// compile (those with a `.stderr` file beside them).
pub(crate) fn of(package: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(|name| package.join(name)) {
        if folder.is_dir() {
            collect(&folder, &mut files)?;
        }
    }
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(Error::io("list", folder))? {
        let path = entry.map_err(Error::io("list", folder))?.path();
        if path.is_dir() {
            if !path.join("Cargo.toml").exists() {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") && !path.with_extension("stderr").exists() {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_inside_and_files_that_do_not_compile_are_left_out() {
        let package = tempfile::tempdir().unwrap();
        let files = [
            "build.rs",
            "src/lib.rs",
            "src/deep/er/mod.rs",
            "src/notes.txt",
            "tests/a.rs",
            "tests/ui/wrong.rs",
            "tests/ui/wrong.stderr",
            "tests/other/Cargo.toml",
            "tests/other/src/lib.rs",
            "target/x.rs",
        ];
        for file in files {
            let path = package.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = of(package.path()).unwrap();
        let found: Vec<_> = found.iter().map(|f| f.strip_prefix(package.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["src/deep/er/mod.rs", "src/lib.rs", "tests/a.rs"]);
    }
}
