//! Requests of jobs, which take time: decisions and plans. The same words are the body of a job.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unskew_fleet::store::KeptRuntime;
use unskew_fleet::{DeliveryPolicy, Fleet, FleetError, PlanOptions, RuntimeProfile, WhatIf};

use crate::call::{day, policy};
use crate::clock::Clock;
use crate::problem::{HttpProblem, ProblemKind};

/// The most changes of one what-if.
const MOST_CHANGES: usize = 100;

/// What a job computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[schemars(rename = "Ask")]
pub enum JobRequest {
    /// Which artifact a runtime gets.
    Decision(DecisionAsk),
    /// Which artifacts the fleet needs.
    Plan(PlanAsk),
}

/// Which artifact a runtime gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionAsk {
    /// The name of the model.
    pub model: String,
    /// The name of a runtime of the fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The profile of a runtime that the fleet does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<RuntimeProfile>")]
    pub profile: Option<Value>,
    /// What is good enough.
    #[serde(flatten)]
    pub terms: TermsAsk,
}

/// Which artifacts the fleet needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanAsk {
    /// The name of the model.
    pub model: String,
    /// The most artifacts that the plan may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    /// Whether an older version counts for a runtime that takes a newer one.
    #[serde(default)]
    pub any_version: bool,
    /// Hypothetical changes of the fleet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<String>,
    /// What is good enough.
    #[serde(flatten)]
    pub terms: TermsAsk,
}

/// What is good enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TermsAsk {
    /// The day as of which is decided; today if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// From which severity on a finding keeps an artifact back: `error`, `warning` or `note`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
    /// What keeps nothing back though it was not judged: `nothing`, `common` (as if left out: the aspects that are not
    /// judged for whole families of artifacts: kernels, behaviour, data) or `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_unjudged: Option<String>,
    /// Whether a conversion may drop something that has an effect, where no exact form exists.
    #[serde(default)]
    pub accept_lossy: bool,
}

impl TermsAsk {
    /// The same with the day written down, so that it means the same tomorrow.
    pub(crate) fn pinned(mut self, clock: &Clock) -> Self {
        self.as_of.get_or_insert_with(|| clock.today().to_string());
        self
    }

    pub(crate) fn policy(&self) -> Result<DeliveryPolicy, HttpProblem> {
        let unpinned = || HttpProblem::new(ProblemKind::Fault, "no day was written down");
        let as_of = day(self.as_of.as_deref().ok_or_else(unpinned)?)?;
        policy(as_of, self.deny.as_deref(), self.accept_unjudged.as_deref(), self.accept_lossy)
    }
}

/// How far something is: parts that are done, and all parts. False ends it early.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(&mut Fleet, u64, u64) -> Result<bool, HttpProblem>;

impl JobRequest {
    /// The same with the day written down.
    pub(crate) fn pinned(mut self, clock: &Clock) -> Self {
        let (Self::Decision(DecisionAsk { terms, .. }) | Self::Plan(PlanAsk { terms, .. })) =
            &mut self;
        *terms = std::mem::take(terms).pinned(clock);
        self
    }

    /// Whether it can be asked at all.
    ///
    /// # Errors
    /// If a name, a day or a change is none.
    pub(crate) fn check(&self, fleet: &mut Fleet) -> Result<(), HttpProblem> {
        let (model, terms) = match self {
            Self::Decision(ask) => {
                ask.runtime(fleet)?;
                (&ask.model, &ask.terms)
            }
            Self::Plan(ask) => {
                ask.runtimes(fleet)?;
                (&ask.model, &ask.terms)
            }
        };
        fleet.versions(model, &terms.policy()?.as_of.to_string())?;
        Ok(())
    }

    /// The answer, as JSON.
    ///
    /// # Errors
    /// If something is not there or cannot be read, or it is ended early.
    pub(crate) fn answer(
        &self,
        fleet: &mut Fleet,
        progress: Progress<'_>,
    ) -> Result<String, HttpProblem> {
        match self {
            Self::Decision(ask) => {
                let (runtime, policy) = (ask.runtime(fleet)?, ask.terms.policy()?);
                let text = fleet.decide_for(&ask.model, &runtime, &policy)?.to_json();
                progress(fleet, 1, 1)?;
                Ok(text)
            }
            Self::Plan(ask) => ask.answer(fleet, progress),
        }
    }

    /// The answer, if it needs no artifact to be opened.
    ///
    /// # Errors
    /// As [`JobRequest::answer`].
    pub(crate) fn known(&self, fleet: &mut Fleet) -> Result<Option<String>, HttpProblem> {
        match self {
            Self::Decision(ask) => {
                let (runtime, policy) = (ask.runtime(fleet)?, ask.terms.policy()?);
                let known = fleet.known_decision(&ask.model, &runtime, &policy)?;
                Ok(known.map(|decision| decision.to_json()))
            }
            Self::Plan(_) => Ok(None),
        }
    }
}

impl DecisionAsk {
    /// The runtime that is meant.
    fn runtime(&self, fleet: &mut Fleet) -> Result<KeptRuntime, HttpProblem> {
        match (&self.runtime, &self.profile) {
            (Some(name), None) => {
                Ok(fleet.runtime_on(name, &self.terms.policy()?.as_of.to_string())?)
            }
            (None, Some(profile)) => {
                let profile =
                    RuntimeProfile::read(&profile.to_string()).map_err(FleetError::from)?;
                Ok(KeptRuntime {
                    name: profile.name.clone(),
                    profile: profile.to_json(),
                    digest: profile.digest(),
                    devices: profile.devices,
                    since: self.terms.policy()?.as_of.to_string(),
                })
            }
            _ => Err(HttpProblem::new(
                ProblemKind::Malformed,
                "a decision is for one runtime: its name, or its profile",
            )),
        }
    }
}

impl PlanAsk {
    /// The fleet as it is, or would be.
    fn runtimes(&self, fleet: &mut Fleet) -> Result<Vec<KeptRuntime>, HttpProblem> {
        if self.what_if.len() > MOST_CHANGES {
            let detail = format!("a what-if has at most {MOST_CHANGES} changes");
            return Err(HttpProblem::new(ProblemKind::Malformed, detail));
        }
        let mut runtimes = fleet.runtimes()?;
        for change in &self.what_if {
            WhatIf::from_str(change)?.apply(&mut runtimes)?;
        }
        Ok(runtimes)
    }

    fn answer(&self, fleet: &mut Fleet, progress: Progress<'_>) -> Result<String, HttpProblem> {
        let (runtimes, policy) = (self.runtimes(fleet)?, self.terms.policy()?);
        // The last part is what follows from the answers of all.
        let total = runtimes.len() as u64 + 1;
        for (done, runtime) in (0..).zip(&runtimes) {
            if !progress(fleet, done, total)? {
                return Err(HttpProblem::new(ProblemKind::Conflict, "it was ended early"));
            }
            fleet.decide_for(&self.model, runtime, &policy)?;
        }
        let options = PlanOptions {
            most: self.max.unwrap_or(usize::MAX),
            any_version: self.any_version,
            ..PlanOptions::default()
        };
        let plan = fleet.plan_for(&self.model, &runtimes, &policy, &options)?;
        progress(fleet, total, total)?;
        Ok(plan.to_json())
    }
}

/// What may not stand as it is in a piece of a path or in a value of a query.
const ESCAPED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as a piece of a path, or as a value of a query.
pub(crate) fn escaped(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, ESCAPED).to_string()
}

impl JobRequest {
    /// Where the answer is; none for a profile without a name.
    pub(crate) fn address(&self) -> Option<String> {
        let (model, path, terms, mut pairs) = match self {
            Self::Decision(ask) => {
                let pairs = vec![("runtime", ask.runtime.clone()?)];
                (&ask.model, "decision", &ask.terms, pairs)
            }
            Self::Plan(ask) => {
                let mut pairs: Vec<(&str, String)> =
                    ask.what_if.iter().map(|change| ("what_if", change.clone())).collect();
                pairs.extend(ask.max.map(|most| ("max", most.to_string())));
                pairs.extend(ask.any_version.then(|| ("any_version", "true".to_owned())));
                (&ask.model, "plan", &ask.terms, pairs)
            }
        };
        pairs.extend(terms.as_of.clone().map(|day| ("as_of", day)));
        pairs.extend(terms.deny.clone().map(|deny| ("deny", deny)));
        pairs.extend(terms.accept_unjudged.clone().map(|word| ("accept_unjudged", word)));
        pairs.extend(terms.accept_lossy.then(|| ("accept_lossy", "true".to_owned())));
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        Some(format!("/v1/models/{}/{path}?{}", escaped(model), pairs.join("&")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_job_are_those_of_its_address() {
        let text =
            r#"{"kind":"plan","model":"a/b","max":2,"what_if":["drop=x"],"as_of":"2026-11-21"}"#;
        let ask: JobRequest = serde_json::from_str(text).unwrap();
        let address = ask.address().unwrap();
        assert_eq!(address, "/v1/models/a%2Fb/plan?what_if=drop%3Dx&max=2&as_of=2026-11-21");
        let again: JobRequest =
            serde_json::from_str(&serde_json::to_string(&ask).unwrap()).unwrap();
        assert_eq!(again, ask);
        let slip = r#"{"kind":"plan","model":"m","maxx":2}"#;
        assert!(serde_json::from_str::<JobRequest>(slip).is_err(), "a slip is no plan");
    }
}
