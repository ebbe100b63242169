//! The files in the examples of the rules about histories and locks, beside themselves.

use std::path::Path;

use unskew_core::Date;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_lint::{Histories, Serdes};
use unskew_source::Files;

fn codes(kind: &dyn InterfaceKind, old: &Files, new: &Files) -> Vec<&'static str> {
    let terms =
        CompareOptions { as_of: Some(Date::constant(2026, 6, 1)), ..CompareOptions::default() };
    let compared = kind.compare(old, new, &terms).unwrap();
    compared.changes.iter().map(|change| change.finding.rule.code).collect()
}

#[test]
fn what_is_beside_itself_has_no_change() {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let mut judged = 0;
    for rules in ["crates/lint/lint/rules", "crates/base/history/rules"] {
        for file in unskew_rule_examples::files(&root.join(rules)) {
            let kind: &dyn InterfaceKind = match file.code.get(..2) {
                Some("HI") if !file.name.contains("golden") && !file.name.contains("unskew") => {
                    &Histories
                }
                Some("SD") if file.name.ends_with(".lock") => &Serdes,
                _ => continue,
            };
            let mut files = Files::default();
            files.insert(file.name.clone(), file.text.clone().into_bytes());
            // What it has alone, it has beside itself too: lines that could not be read.
            let alone = codes(kind, &Files::default(), &files);
            assert_eq!(codes(kind, &files, &files), alone, "{file:?}");
            judged += 1;
        }
    }
    assert!(judged >= 30, "{judged} files");
}
