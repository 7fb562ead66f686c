//! What the compiler says about mistakes: one file per mistake in `ui/`, with the expected messages beside it.
//!
//! After a change of a message run `TRYBUILD=overwrite cargo test --test ui` and read the differences.

#[test]
fn mistakes_are_reported_on_their_tokens() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
