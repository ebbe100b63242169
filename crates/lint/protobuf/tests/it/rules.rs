//! The files in the examples of the rules, beside themselves.

use std::path::Path;

use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

fn codes(old: &Files, new: &Files) -> Vec<&'static str> {
    let compared = Protobuf.compare(old, new, &CompareOptions::default()).unwrap();
    compared.changes.iter().map(|change| change.finding.rule.code).collect()
}

#[test]
fn what_is_beside_itself_has_no_change() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let examples = unskew_rule_examples::files(&rules);
    let protos = examples.iter().filter(|file| file.name.ends_with(".proto"));
    let mut judged = 0;
    for file in protos {
        let mut files = Files::default();
        files.insert("a.proto".to_owned(), file.text.clone().into_bytes());
        // What it has alone, it has beside itself too: what could not be read.
        assert_eq!(codes(&files, &files), codes(&Files::default(), &files), "{file:?}");
        judged += 1;
    }
    assert!(judged >= 50, "{judged} files");
}
