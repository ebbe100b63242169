//! Every rule about protobuf files has a fixture on which it fires; see [`unskew_rule_fixtures`].

use std::path::Path;

use unskew_protobuf::Protobuf;
use unskew_protobuf::rules::RULES;
use unskew_rule_fixtures::Suite;

fn suite() -> Suite {
    Suite {
        tests: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"),
        rules: RULES.to_vec(),
        kind: |_| Some(&Protobuf),
    }
}

#[test]
fn every_rule_fires_on_its_fixture_and_nowhere_unseen() {
    unskew_rule_fixtures::every_rule_fires_on_its_fixture_and_nowhere_unseen(&suite());
}

#[test]
fn what_is_beside_itself_has_no_change() {
    unskew_rule_fixtures::what_is_beside_itself_has_no_change(&suite());
}
