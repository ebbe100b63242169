//! Whether the cause is in an environment.

use std::path::Path;

use unskew_core::{Context, Severity};

use super::{Explanation, NextVerb};
use crate::{EnvironmentHost, VerbError};

/// A finding in the environment, of a rule that the text leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingHere {
    /// The code of the rule.
    pub code: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// What fixes it.
    pub fix: Option<String>,
}

impl Explanation {
    /// Whether something of the text is a matter of what is installed.
    pub fn is_about_an_environment(&self) -> bool {
        self.matches.iter().any(|one| one.next.verb == NextVerb::Env)
    }

    /// Judges the environment at `path`, as [`env`](crate::env) does, and keeps the findings of the rules that were found.
    ///
    /// # Errors
    /// If there is no environment.
    pub fn look_in(&mut self, path: &Path, context: Context) -> Result<(), VerbError> {
        let answer = crate::env(path, EnvironmentHost::default(), context)?;
        let codes: Vec<&str> = self.matches.iter().flat_map(|one| one.codes()).collect();
        let mut findings: Vec<FindingHere> = Vec::new();
        for (_, finding) in answer.report.findings() {
            let here = FindingHere {
                code: finding.rule.code,
                severity: finding.severity,
                message: finding.message.clone(),
                fix: finding.fix.clone(),
            };
            if codes.contains(&here.code) && !findings.contains(&here) {
                findings.push(here);
            }
        }
        self.here = Some((answer.environment.name.clone(), findings));
        Ok(())
    }
}
