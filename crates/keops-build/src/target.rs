//! [`Target`]: the kind of device that kernels are compiled for.

use std::fmt;
use std::str::FromStr;

/// A compute capability. Kernels run on devices of this capability and newer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(u32);

impl Target {
    /// `sm_80`, the default: A100 and everything since.
    pub const SM_80: Target = Target(80);

    /// 80 for `sm_80`.
    pub fn capability(self) -> u32 {
        self.0
    }

    /// Reads a list such as `sm_80,sm_90`; sorted, each once.
    ///
    /// # Errors
    /// What is wrong with the list.
    pub fn list(text: &str) -> Result<Vec<Target>, String> {
        let mut targets: Vec<Target> = text.split(',').map(|t| t.trim().parse()).collect::<Result<_, _>>()?;
        targets.sort();
        targets.dedup();
        Ok(targets)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

impl FromStr for Target {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("sm_").and_then(|n| n.parse().ok()).filter(|n| (50..1000).contains(n));
        number.map(Target).ok_or_else(|| format!("`{text}` is no compute capability; expected one like `sm_80`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_wrong_ones_refused() {
        assert_eq!(Target::list("sm_90, sm_80,sm_90"), Ok(vec![Target(80), Target(90)]));
        for wrong in ["", "80", "sm_", "sm_8x", "sm_80,", "sm_90a"] {
            assert!(Target::list(wrong).is_err(), "{wrong}");
        }
    }
}
