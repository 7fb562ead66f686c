//! Cases that cannot be run yet, by the operation they wait for.

use keops_conformance::case::Case;
use keops_conformance::missing::{MISSING, REFUSED};
use keops_conformance::run::cases;
use std::collections::BTreeMap;

#[test]
fn cases_that_wait_for_an_operation() {
    let cases = cases();
    let mut waiting: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in &cases {
        if let Some(operation) = case.missing() {
            waiting.entry(operation).or_default().push(&case.name);
        }
    }
    let count: usize = waiting.values().map(Vec::len).sum();
    println!("{} of {} cases run", cases.len() - count - REFUSED.len(), cases.len());
    println!("{} are refused by design: {}", REFUSED.len(), REFUSED.join(", "));
    println!("{count} wait for an operation:");
    for (operation, cases) in waiting {
        println!("  {operation}: {}", cases.join(", "));
    }
}

/// Does the compiler take the case?
fn compiles(case: &Case) -> bool {
    case.item().parse().is_ok_and(|tokens| keops_codegen::compile(tokens).is_ok())
}

#[test]
fn cases_that_are_left_out_do_not_compile() {
    for case in cases() {
        if let Some(operation) = case.missing() {
            assert!(
                !compiles(&case),
                "{}: `{operation}` exists, take it off the list of missing operations",
                case.name
            );
        }
        if case.is_refused() {
            assert!(!compiles(&case), "{} compiles, take it off the list of refused cases", case.name);
        }
    }
}

#[test]
fn missing_operations_are_missing_from_the_table() {
    for name in MISSING {
        assert!(
            keops_codegen::ops::find(name).is_none(),
            "`{name}` exists, take it off the list of missing operations"
        );
    }
}
