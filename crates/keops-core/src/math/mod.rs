//! Elementary functions on lanes: branch-free polynomials in terms of the primitive operations of [`Real`].
//!
//! Nothing depends on whether [`Real::fma`] rounds once or twice. Each function states its largest error, which
//! the accuracy tests hold for every lane type.
//!
//! Functions are inlined into the shell of their instruction level; without optimisation they are not, because a frame
//! that holds every temporary of every inlined function would not fit the stack of a worker thread.
//!
//! [`Real`]: crate::Real
//! [`Real::fma`]: crate::Real::fma

mod erf;
pub(crate) mod exp;
mod far;
mod inverse_trig;
mod log;
mod pair;
mod polynomial;
mod pow;
mod root;
mod rounding;
mod sigmoid;
mod sinc;
mod trig;

pub use erf::erf;
pub use exp::{exp, exp2};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use log::{ln, xlogx};
pub use pow::powf;
pub use root::rsqrt;
pub use rounding::{round, sign};
pub use sigmoid::{expm1, log1p, sigmoid, softplus, tanh};
pub use sinc::{sinxdivx, sinxdivx_prime};
pub use trig::{cos, sin, sin_cos};
