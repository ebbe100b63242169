//! `unskew.toml`: what is wrong in it has a place in it.

use unskew_c_headers::Headers;
use unskew_kinds::InterfaceKind;
use unskew_lint::Histories;
use unskew_lint::Serdes;
use unskew_lint::{Known, LintConfig};
use unskew_protobuf::Protobuf;

const KINDS: &[&dyn InterfaceKind] = &[&Headers, &Protobuf, &Serdes, &Histories];

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let is_rule = |code: &str| code.len() == 5;
    match LintConfig::from_toml("unskew.toml", text, Known { kinds: KINDS, is_rule: &is_rule }) {
        Ok(config) => {
            for boundary in &config.boundaries {
                for path in ["a.h", "include/a.h", "crates/x/data/y.history.toml"] {
                    let _ = (boundary.paths.has(path), boundary.level_of(path));
                    let _ = boundary.weight_of("HD001", path);
                }
                assert!(boundary.line <= text.lines().count().max(1));
            }
        }
        Err(error) => assert!(error.line <= text.matches('\n').count() + 1),
    }
}
