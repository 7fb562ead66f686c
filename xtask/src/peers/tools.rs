//! The tools that are compared, and how each is started.

use super::Session;
use super::rows::Row;
use crate::shell;
use std::path::Path;
use std::process::Command;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Keops,
    /// Reading the columns from memory and nothing else: the limit where there is one row.
    Read,
    Limit,
    PyKeops,
    /// PyKeOps with the compiler flags that its users can set.
    PyKeopsNative,
    Torch,
    TorchCompile,
    Numpy,
}

/// Tools that hold tiles of the M × N array take minutes for more pairs than these, and tell nothing new.
const MOST_PAIRS_IN_TILES: f64 = 1e9;

/// The tools for a row, keops first.
pub(crate) fn all(row: &Row) -> Vec<Tool> {
    let mut tools = vec![Tool::Keops];
    if row.m == 1 {
        tools.push(Tool::Read);
    } else if row.has_limit() {
        tools.push(Tool::Limit);
    }
    tools.extend([Tool::PyKeops, Tool::PyKeopsNative, Tool::TorchCompile]);
    if row.pairs() <= MOST_PAIRS_IN_TILES {
        tools.extend([Tool::Torch, Tool::Numpy]);
    }
    tools
}

impl Tool {
    /// Its name in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Keops => "keops",
            Tool::Read => "memory read",
            Tool::Limit => "limit program",
            Tool::PyKeops => "PyKeOps",
            Tool::PyKeopsNative => "PyKeOps, -march=native -ffast-math",
            Tool::Torch => "PyTorch",
            Tool::TorchCompile => "PyTorch, torch.compile",
            Tool::Numpy => "NumPy",
        }
    }

    /// Does it mark what the machine allows?
    pub(crate) fn is_limit(self) -> bool {
        matches!(self, Tool::Read | Tool::Limit)
    }

    /// Are there results to check?
    pub(crate) fn has_results(self) -> bool {
        self != Tool::Read
    }

    /// The script that runs it, if it is one of Python's.
    fn script(self) -> Option<&'static str> {
        match self {
            Tool::Keops | Tool::Read => None,
            Tool::Limit => Some("limit"),
            Tool::PyKeops | Tool::PyKeopsNative => Some("pykeops"),
            Tool::Torch => Some("torch"),
            Tool::TorchCompile => Some("torch_compile"),
            Tool::Numpy => Some("numpy"),
        }
    }

    /// The command that starts its worker, or why there is none.
    pub(crate) fn command(self, row: &Row, session: &Session, inputs: &Path) -> Result<Command, String> {
        let threads = session.threads.to_string();
        let Some(script) = self.script() else {
            let row = if self == Tool::Read { Row { job: "read", ..*row } } else { *row };
            let mut command = Command::new(&session.program);
            command.args(row.arguments()).args(["--threads", &threads, "--session"]);
            return Ok(command);
        };
        let mut command = Command::new(session.environment.python()?);
        command.arg(shell::root().join("benches/peers/worker.py")).args([script, row.job]).arg(inputs).arg(&threads);
        for variable in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
            command.env(variable, &threads);
        }
        let cache = session.environment.cache();
        match self {
            Tool::Limit => {
                let level = row.level.unwrap_or("avx512");
                command.env("KEOPS_LIMIT_LIBRARY", session.environment.limit()?).env("KEOPS_LIMIT_LEVEL", level);
            }
            Tool::PyKeops => {
                command.env("KEOPS_CACHE_FOLDER", cache.join("pykeops")).env_remove("CXXFLAGS");
            }
            Tool::PyKeopsNative => {
                command.env("KEOPS_CACHE_FOLDER", cache.join("pykeops-native"));
                command.env("CXXFLAGS", "-march=native -ffast-math");
            }
            _ => {}
        }
        Ok(command)
    }
}
