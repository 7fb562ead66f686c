//! The jobs, one per file.

mod argkmin;
mod attention;
mod gauss;
mod gauss_gamma;
mod gauss_grad;
mod gauss_rhs;
mod lse;
mod nearest;
mod read;

use crate::data::Number;
use crate::problem::Run;

/// A job of the benchmark table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Job {
    /// Gaussian sum: Σ_j exp(-|x_i - y_j|²) b_j
    Gauss,
    /// Gaussian sum with a bandwidth chosen at run time: Σ_j exp(-γ |x_i - y_j|²) b_j
    GaussGamma,
    /// Gradient of the Gaussian sum in x
    GaussGrad,
    /// Gaussian sum with 64 right-hand sides
    GaussRhs,
    /// Log-sum-exp of negative squared distances over 0.1
    Lse,
    /// The 10 nearest points
    Argkmin,
    /// The nearest of a few centres
    Nearest,
    /// Softmax of scalar products over 8, times 64 values
    Attention,
    /// Nothing but reading the columns of a Gaussian sum (4 numbers each) from memory: the limit of one row
    Read,
}

/// Sizes of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Rows of the result.
    pub m: usize,
    /// Terms of each.
    pub n: usize,
    /// Dimension of the points.
    pub d: usize,
}

impl Job {
    /// The sizes of the benchmark table.
    pub fn default_sizes(self) -> Sizes {
        match self {
            Job::Nearest => Sizes { m: 1_000_000, n: 64, d: 3 },
            Job::Attention => Sizes { m: 10_000, n: 10_000, d: 64 },
            Job::Read => Sizes { m: 1, n: 10_000_000, d: 3 },
            _ => Sizes { m: 10_000, n: 10_000, d: 3 },
        }
    }

    /// The dimensions that the job was compiled for.
    pub fn dimensions(self) -> &'static [usize] {
        match self {
            Job::Gauss => gauss::DIMENSIONS,
            Job::Argkmin => argkmin::DIMENSIONS,
            Job::Attention => &[64],
            _ => &[3],
        }
    }

    /// The job on random data, or `None` if it was not compiled for this dimension.
    pub fn prepare<T: Number>(self, sizes: Sizes) -> Option<Box<dyn Run>> {
        if !self.dimensions().contains(&sizes.d) {
            return None;
        }
        match self {
            Job::Gauss => gauss::prepare::<T>(sizes),
            Job::GaussGamma => Some(gauss_gamma::prepare::<T>(sizes)),
            Job::GaussGrad => Some(gauss_grad::prepare::<T>(sizes)),
            Job::GaussRhs => Some(gauss_rhs::prepare::<T>(sizes)),
            Job::Lse => Some(lse::prepare::<T>(sizes)),
            Job::Argkmin => argkmin::prepare::<T>(sizes),
            Job::Nearest => Some(nearest::prepare::<T>(sizes)),
            Job::Attention => Some(attention::prepare::<T>(sizes)),
            Job::Read => Some(read::prepare::<T>(sizes)),
        }
    }
}
