//! [`Dim`]: how many numbers a value has.

use std::fmt;
use std::rc::Rc;

/// Length of a vector: known, or a const generic parameter of the formula.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// A known length.
    Lit(usize),
    /// The const generic parameter of this name.
    Param(Rc<str>),
}

impl Dim {
    /// One number.
    pub const ONE: Dim = Dim::Lit(1);

    /// The parameter called `name`.
    pub fn param(name: &str) -> Dim {
        Dim::Param(name.into())
    }

    /// Is it one number?
    pub fn is_one(&self) -> bool {
        *self == Dim::ONE
    }

    /// The length, where it is known.
    pub fn lit(&self) -> Option<usize> {
        match self {
            Dim::Lit(n) => Some(*n),
            Dim::Param(_) => None,
        }
    }

    /// The length, or a message that `why` needs it to be known.
    pub fn known(&self, why: &str) -> Result<usize, String> {
        self.lit().ok_or_else(|| format!("the dimension must be a number here ({why}), but it is the parameter {self}"))
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Lit(n) => write!(f, "{n}"),
            Dim::Param(p) => f.write_str(p),
        }
    }
}
