//! What a release makes of a file.

use std::sync::Arc;

use unskew_core::{Context, Date, check};
use unskew_gguf::{MAGIC, ReaderGguf, party};
use unskew_source::{BytesSource, Source};

#[test]
fn a_version_above_that_of_the_release_is_refused_and_its_own_is_read() {
    let released = Date::constant(2026, 11, 1);
    let reader = ReaderGguf { version: "1.0".parse().unwrap(), released, reads: 1 };
    for (version, found) in [(1_u32, 0), (2, 1)] {
        let bytes = [&MAGIC[..], &version.to_le_bytes()].concat();
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("a", bytes));
        let file = party(&source).unwrap().unwrap();
        let verdict = check(&file, &reader.party(), &Context::on(released));
        let rules: Vec<&str> = verdict.findings.iter().map(|one| one.rule.code).collect();
        assert_eq!(rules, vec!["GG001"; found], "version {version}");
    }
}
