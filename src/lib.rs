//! Façade.
