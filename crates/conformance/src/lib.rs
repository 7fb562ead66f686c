//! Runs the conformance cases of `tests/oracle` through `keops!`.
//!
//! The build script turns each case into a formula; each file in `tests` runs one group of them.

pub mod case;
pub mod place;
pub mod run;
pub mod table;

/// The tests of a group, in both number types, on the processor and on a device; `$name` is the file that the build script wrote for it.
#[macro_export]
macro_rules! group {
    ($file:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $file));

        #[test]
        fn single_precision() {
            $crate::run::run::<f32>(table!(), $crate::place::processor());
        }

        #[test]
        fn double_precision() {
            $crate::run::run::<f64>(table!(), $crate::place::processor());
        }

        #[cfg(feature = "cuda")]
        #[test]
        fn single_precision_on_a_device() {
            $crate::run::run::<f32>(table!(), $crate::place::device());
        }

        #[cfg(feature = "cuda")]
        #[test]
        fn double_precision_on_a_device() {
            $crate::run::run::<f64>(table!(), $crate::place::device());
        }
    };
}
