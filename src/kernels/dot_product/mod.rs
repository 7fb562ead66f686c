//! Kernels of ⟨x, y⟩.

pub(super) mod linear;
pub(super) mod polynomial;
