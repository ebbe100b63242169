//! Every rule about histories and locks has a fixture on which it fires; see [`unskew_rule_fixtures`].

use std::path::Path;

use unskew_kinds::Kind;
use unskew_lint::{Histories, Serdes};
use unskew_rule_fixtures::Suite;

fn kind(family: &str) -> Option<&'static dyn Kind> {
    match family {
        "HI" => Some(&Histories),
        "SD" => Some(&Serdes),
        _ => None,
    }
}

fn suite() -> Suite {
    Suite {
        tests: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"),
        rules: [unskew_lint::rules::RULES, unskew_history::rules::RULES]
            .concat()
            .into_iter()
            .filter(|rule| kind(rule.family()).is_some())
            .collect(),
        kind,
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
