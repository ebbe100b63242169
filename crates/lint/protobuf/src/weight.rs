//! Weight of a finding: by its rule, by the life of the message, and by whether the version was raised.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Finding, Rule, Severity};

use crate::change::FoundChange;
use crate::scope::MessageScope;
use unskew_kinds::{Direction, FileChange, Level};
use unskew_source::NotRead;
use unskew_tables::toml_table;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    wire: Vec<String>,
    source: Vec<String>,
    backward: Vec<String>,
    forward: Vec<String>,
    versioned: Vec<String>,
    covered: Vec<String>,
    rpc: BTreeMap<String, Weight>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Weight {
    Error,
    Warning,
    Note,
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| toml_table!("data/weights.toml"));

fn has(list: &[String], rule: &Rule) -> bool {
    list.iter().any(|code| code == rule.code)
}

/// Whether a change of this rule makes another format.
pub(crate) fn versioned(rule: &Rule) -> bool {
    has(&WEIGHTS.versioned, rule)
}

fn severity(finding: &Finding, scope: MessageScope, raised: bool) -> Severity {
    let own = finding.severity;
    let of_scope = match scope {
        MessageScope::Scratch => Severity::Note,
        MessageScope::Persisted => own,
        MessageScope::Rpc => match WEIGHTS.rpc.get(finding.rule.code) {
            Some(Weight::Error) => Severity::Error,
            Some(Weight::Warning) => Severity::Warning,
            Some(Weight::Note) => Severity::Note,
            None => own,
        },
    };
    // Readers that do not know the version refuse it, and misread nothing.
    match raised && has(&WEIGHTS.covered, finding.rule) {
        true => of_scope.min(Severity::Note),
        false => of_scope.min(own),
    }
}

/// The severity of this name.
pub(crate) fn named(word: &str) -> Result<Severity, NotRead> {
    match word {
        "error" => Ok(Severity::Error),
        "warning" => Ok(Severity::Warning),
        "note" => Ok(Severity::Note),
        _ => {
            let why = format!("the option `json` is error, warning or note: {word}");
            Err(NotRead::new("", why))
        }
    }
}

/// A change with its weight. `raised`: the version of its format is another than before.
pub(crate) fn change(found: FoundChange, raised: bool) -> FileChange {
    let FoundChange { finding, file, subject, scope } = found;
    let severity = severity(&finding, scope, raised);
    let rule = finding.rule;
    let change = FileChange::new(finding.with_severity(severity), file, subject);
    let change = match (has(&WEIGHTS.wire, rule), has(&WEIGHTS.source, rule)) {
        (true, _) => change.on(Level::Wire),
        (_, true) => change.on(Level::Source),
        _ => change,
    };
    match (has(&WEIGHTS.backward, rule), has(&WEIGHTS.forward, rule)) {
        (true, _) => change.breaking(Direction::Backward),
        (_, true) => change.breaking(Direction::Forward),
        _ => change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_weights_is_a_rule() {
        let weights = &WEIGHTS;
        assert!(!weights.wire.is_empty(), "the weights are not read");
        let lists = [
            &weights.wire,
            &weights.source,
            &weights.backward,
            &weights.forward,
            &weights.versioned,
            &weights.covered,
        ];
        for code in lists.into_iter().flatten().chain(weights.rpc.keys()) {
            assert!(crate::rules::RULES.iter().any(|rule| rule.code == code), "{code}");
        }
    }

    #[test]
    fn what_lives_in_one_program_is_no_more_than_a_note() {
        let finding = Finding::new(&crate::rules::PB101, "x");
        assert_eq!(severity(&finding, MessageScope::Scratch, false), Severity::Note);
        assert_eq!(severity(&finding, MessageScope::Persisted, true), Severity::Error);
    }
}
