//! Every case is run: each group has a test.

use keops_conformance::run::cases;
use std::path::Path;

#[test]
fn every_group_is_run() {
    let cases = cases();
    println!("{} cases", cases.len());
    for case in &cases {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{}.rs", case.group));
        assert!(file.exists(), "group `{}` of {} has no test", case.group, case.name);
    }
}
