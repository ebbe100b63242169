//! The headers in the examples of the rules, beside themselves.

use std::path::Path;

use unskew_core::Severity;

use crate::common::diff_bytes;

/// What stands in a header and is no change: sizes that are wrong already, what cannot be read.
const STANDING: [&str; 4] = ["HD002", "HD004", "HD007", "HD008"];

#[test]
fn a_header_beside_itself_has_no_change() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let examples = unskew_rule_examples::files(&rules);
    let headers = examples.iter().filter(|file| file.name.ends_with(".h"));
    let mut judged = 0;
    for file in headers {
        let header = [("api.h", file.text.as_bytes())];
        let comparison = diff_bytes(&header, &header, None);
        let changed: Vec<_> = comparison
            .findings()
            .filter(|f| !STANDING.contains(&f.rule.code) || f.severity == Severity::Note)
            .collect();
        assert!(changed.is_empty(), "{file:?}: {changed:?}");
        judged += 1;
    }
    assert!(judged >= 50, "{judged} headers");
}
