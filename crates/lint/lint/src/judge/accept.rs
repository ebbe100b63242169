//! Findings that somebody lives with for some time.

use unskew_core::{Accepted, Finding, Places};

use super::lint_result::{FileVerdict, LintRequest, LintResult};
use crate::boundary::Acceptance;
use crate::rules;

/// Marks the findings that are accepted, and says which acceptances are over or left over.
pub fn accept(request: &LintRequest<'_>, outcome: &mut LintResult) {
    let mut about = Vec::new();
    for acceptance in &request.config.acceptances {
        let mut found = false;
        let all = outcome.judged.iter_mut().flat_map(|judged| &mut judged.findings);
        for finding in all.filter(|f| f.fingerprint.as_ref() == Some(&acceptance.finding)) {
            found = true;
            if acceptance.until >= request.as_of {
                let (reason, until) = (acceptance.reason.clone(), acceptance.until);
                finding.accepted = Some(Accepted { reason, until });
            }
        }
        about.extend(left_over(acceptance, found, request, outcome.failures.is_empty()));
    }
    if !about.is_empty() {
        outcome.judged.push(FileVerdict {
            boundary: String::new(),
            file: request.file.to_owned(),
            baseline: String::new(),
            origins: [String::new(), "what is promised".to_owned()],
            findings: about,
            promises: Vec::new(),
            unjudged: Vec::new(),
        });
    }
}

/// What is to be said about an acceptance itself. Where something could not be checked, nobody knows what is
/// left over.
fn left_over(
    acceptance: &Acceptance,
    found: bool,
    request: &LintRequest<'_>,
    complete: bool,
) -> Option<Finding> {
    let Acceptance { finding, reason, until, line } = acceptance;
    let place = Places::from_iter([format!("{}:{line}", request.file)]);
    match found {
        true if *until < request.as_of => {
            Some(rules::AcceptanceExpired { finding, until, reason }.finding().at(place))
        }
        false if complete => Some(rules::AcceptanceWithoutFinding { finding }.finding().at(place)),
        _ => None,
    }
}
