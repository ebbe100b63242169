//! A decision.

use unskew_fleet::{Considered, FleetError};

use super::Gather;
use crate::decision::DecisionPage;

impl Gather<'_> {
    /// What a runtime gets of a model; with `version`, what it says to that one, too.
    ///
    /// # Errors
    /// If there is no such model, runtime or version, or something cannot be read.
    pub fn decision(
        &mut self,
        model: &str,
        runtime: &str,
        version: Option<i64>,
    ) -> Result<DecisionPage, FleetError> {
        let policy = self.view.policy;
        let decision = self.fleet.decide(model, runtime, &policy)?;
        let known = |number| decision.considered.iter().any(|one| one.version == number);
        let also = match version.filter(|number| !known(*number)) {
            None => None,
            Some(number) => {
                let kept = self.fleet.runtime_on(runtime, &self.day())?;
                let versions = self.fleet.versions(model, &self.day())?;
                let found = versions.into_iter().find(|one| one.number == number);
                let missing = || FleetError::NoVersion { model: model.to_owned(), number };
                let version = found.ok_or_else(missing)?;
                let answer = self.fleet.answer(&version, &kept, &policy)?;
                Some(Considered {
                    version: version.number,
                    published: version.published,
                    file: version.file,
                    artifact: version.artifact,
                    fits: policy.way(&answer),
                    answer,
                })
            }
        };
        Ok(DecisionPage { view: self.view, decision, also, json: None, download: None })
    }
}
