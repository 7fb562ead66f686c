//! NVIDIA's assembler and disassembler, `ptxas` and `nvdisasm`.

use crate::error::Error;
use crate::library;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages of PyPI that hold them. Numbers of instructions differ from version to version, so it is fixed.
const PACKAGES: [&str; 2] = ["nvidia-cuda-nvcc==13.*", "nvidia-cuda-nvdisasm==13.*"];

/// Where they are.
#[derive(Debug, Clone)]
pub struct Tools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl Tools {
    /// Looks for them: in the folder that `KEOPS_CUDA_BIN` names, where [`Tools::install`] puts them, in `PATH`, and in
    /// `CUDA_HOME` and `/usr/local/cuda`.
    ///
    /// # Errors
    /// [`Error::NoTools`] says what was looked at and what to do.
    pub fn find() -> Result<Tools, Error> {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut folders: Vec<PathBuf> = set("KEOPS_CUDA_BIN").map(PathBuf::from).into_iter().collect();
        if folders.is_empty() {
            folders.extend(installed()?);
            folders.extend(set("PATH").iter().flat_map(std::env::split_paths));
            folders.extend(set("CUDA_HOME").map(|home| PathBuf::from(home).join("bin")));
            folders.push(PathBuf::from("/usr/local/cuda/bin"));
        }
        let found = folders.iter().map(|folder| (folder.join("ptxas"), folder.join("nvdisasm")));
        let found = found.into_iter().find(|(ptxas, nvdisasm)| ptxas.is_file() && nvdisasm.is_file());
        match found {
            Some((ptxas, nvdisasm)) => Ok(Tools { ptxas, nvdisasm }),
            None => Err(Error::NoTools { packages: PACKAGES.join(" ") }),
        }
    }

    /// Finds them, or gets them from PyPI into a virtual environment of Python in the user's cache folder.
    ///
    /// # Errors
    /// If there is no Python with `venv`, or if the packages cannot be had.
    pub fn install() -> Result<Tools, Error> {
        if let Ok(tools) = Tools::find() {
            return Ok(tools);
        }
        let folder = environment()?;
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        run(Command::new(folder.join("bin/python")).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
        for bin in installed()? {
            set_executable(&bin)?;
        }
        Tools::find()
    }

    /// Assembles a kernel file, and returns what the assembler says of its kernels.
    pub(crate) fn assemble(&self, ptx: &Path, target: &str, cubin: &Path) -> Result<String, Error> {
        let mut command = Command::new(&self.ptxas);
        command.args(["-O3", "-v", "-arch", target]).arg(ptx).arg("-o").arg(cubin);
        let output = output(&mut command)?;
        // Depending on the version it speaks to one or the other.
        Ok(output.0 + &output.1)
    }

    /// The instructions of an assembled file.
    pub(crate) fn disassemble(&self, cubin: &Path) -> Result<String, Error> {
        Ok(output(Command::new(&self.nvdisasm).arg("-c").arg(cubin))?.0)
    }
}

fn environment() -> Result<PathBuf, Error> {
    Ok(library::cache()?.join("cuda-tools"))
}

/// Folders of programs in the virtual environment.
fn installed() -> Result<Vec<PathBuf>, Error> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let mut all: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        all.sort();
        all
    };
    let packages = list(&environment()?.join("lib")).into_iter().map(|python| python.join("site-packages/nvidia"));
    Ok(packages
        .flat_map(|nvidia| list(&nvidia))
        .map(|package| package.join("bin"))
        .filter(|bin| bin.is_dir())
        .collect())
}

/// The packages come without the permission to be run.
#[cfg(unix)]
fn set_executable(bin: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    for name in ["ptxas", "nvdisasm"] {
        let program = bin.join(name);
        if program.is_file() {
            std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755))
                .map_err(Error::io("change", &program))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn set_executable(_: &Path) -> Result<(), Error> {
    Ok(())
}

fn run(command: &mut Command) -> Result<(), Error> {
    output(command).map(drop)
}

/// What a program prints, if it succeeds.
fn output(command: &mut Command) -> Result<(String, String), Error> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output().map_err(Error::io("start", &program))?;
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() { Ok((out, err)) } else { Err(Error::Tool { program, output: out + &err }) }
}
