//! Decision: the artifact that a runtime gets, and why.
//!
//! The newest version that fits is delivered: as it is if the runtime takes it so, else converted if an exact form
//! exists, else the version before is asked. Every version that was asked stands in the decision with its
//! reasons.
//!
//! A conversion that drops something which has an effect is *lossy*, and never made for anybody unless the policy
//! accepts it (`accept_lossy`). It is then the last way of a version: what has an exact form gets that. A lossy form of
//! a newer version goes before an exact one of an older version, and the decision says that it is lossy.
//!
//! A decision is made of: the versions published by the day and not retired by then, the profile that the runtime had
//! on that day, the policy, and who judged ([`JudgeIdentity`]). The same of these give the same decision, byte for byte.
//!
//! What was not judged keeps an artifact back, too, but for the aspects that are not judged for whole families of
//! artifacts (`kernels`, `behaviour`, `data`). A policy can accept all that was not judged, or nothing.
//!
//! As JSON it is an object:
//!
//! | key | value |
//! | --- | --- |
//! | `schema` | `"unskew.fleet.decision"` |
//! | `schema_version` | 2; raised when a key is renamed, removed or changes its meaning |
//! | `judge` | `tool_version`, `newest_release` of the built-in database, `fingerprint` of code, data and rules |
//! | `as_of` | the day: versions published later are not looked at |
//! | `policy` | `deny` (the severity from which on a finding keeps an artifact back), `accept_unjudged` (`nothing`, `common` or `all`), `accept_lossy` |
//! | `model` | the name |
//! | `runtime` | `name`, `profile` (a digest), `since` (the day from which on it had this profile), `devices`: as they were on the day `as_of` |
//! | `decision` | `as is`, `converted`, `older`, `older converted`, `nothing`, or `unrelated` where no version has anything in common with the runtime |
//! | `deliver` | `version`, `published`, `file`, `artifact` (a digest), `size` in bytes, `made_from` (a digest, or null), `lossy` (whether the conversion drops something); null if nothing fits |
//! | `considered` | the versions that were asked, newest first: `version`, `published`, `file`, `artifact`, `fits` (`as is`, `converted` or null), `answer` |
//!
//! An `answer` has `as_is`, which has the fields of a pair of the [JSON report](json.md) without `a`, `b` and
//! `adaptations` (and its findings without `fingerprint` and `accepted`), and `converted`, which is null where the artifact works as it is, and else has `rewrites`, `blockers`, `error`, `result` (a
//! digest), `size` and `verdict`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unskew_core::{Date, Severity};

use crate::answer::{ArtifactAnswer, Attempt, Compatibility, NotJudged, VerdictRecord};
use crate::{Digest, JudgeIdentity};

/// What is good enough to be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// Versions that were published later do not exist; promises are judged as of this day.
    pub as_of: Date,
    /// From which severity on a finding keeps an artifact back. Errors always do.
    pub deny: Severity,
    /// What keeps nothing back though it was not judged.
    pub accept_unjudged: AcceptUnjudged,
    /// Whether a conversion may drop something that has an effect, where no exact form exists.
    pub accept_lossy: bool,
}

/// What is delivered though a part was not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AcceptUnjudged {
    /// Nothing: whatever was not judged keeps an artifact back.
    Nothing,
    /// Aspects that are not judged for whole families of artifacts: [`unskew_core::aspect::COMMON`].
    #[default]
    Common,
    /// Every aspect must have been judged.
    All,
}

impl AcceptUnjudged {
    /// Every choice, strictest first.
    pub const CHOICES: [Self; 3] = [Self::Nothing, Self::Common, Self::All];

    /// The word in commands, addresses and documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Common => "common",
            Self::All => "all",
        }
    }

    /// The choice of this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::CHOICES.into_iter().find(|choice| choice.as_str() == word)
    }

    /// Whether an artifact of which these aspects were not judged is delivered.
    pub fn accepts(self, unjudged: &[NotJudged]) -> bool {
        match self {
            Self::Nothing => unjudged.is_empty(),
            Self::Common => unjudged.iter().all(NotJudged::is_common),
            Self::All => true,
        }
    }
}

impl DeliveryPolicy {
    /// Errors keep an artifact back, and so does what was not judged, but for the common aspects; conversions are
    /// exact.
    pub fn on(day: Date) -> Self {
        let accept_unjudged = AcceptUnjudged::default();
        Self { as_of: day, deny: Severity::Error, accept_unjudged, accept_lossy: false }
    }

    /// Whether an artifact of this verdict is delivered.
    pub fn accepts(&self, verdict: &VerdictRecord) -> bool {
        matches!(verdict.outcome, Compatibility::Compatible | Compatibility::Unjudged)
            && self.accept_unjudged.accepts(&verdict.unjudged)
            && !verdict.findings.iter().any(|finding| finding.severity >= self.deny)
    }

    /// How the artifact of this answer reaches the runtime, if it does.
    pub fn way(&self, answer: &ArtifactAnswer) -> Option<DeliveryMode> {
        if self.accepts(&answer.as_is) {
            return Some(DeliveryMode::AsIs);
        }
        let may = |attempt: &&Attempt| self.accept_lossy || !attempt.is_lossy();
        let made = |attempt: &&Attempt| attempt.result.is_some();
        let converted = answer.converted.as_ref().filter(made).filter(may);
        let fits = converted.and_then(|attempt| attempt.verdict.as_ref());
        fits.is_some_and(|verdict| self.accepts(verdict)).then_some(DeliveryMode::Converted)
    }
}

/// How an artifact reaches a runtime.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "Way")]
pub enum DeliveryMode {
    /// The published artifact, unchanged.
    #[serde(rename = "as is")]
    AsIs,
    /// An artifact that was converted for the runtime.
    #[serde(rename = "converted")]
    Converted,
}

/// The kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Choice")]
pub enum DecisionKind {
    /// The newest version, unchanged.
    #[serde(rename = "as is")]
    AsIs,
    /// The newest version, converted.
    #[serde(rename = "converted")]
    Converted,
    /// An older version, unchanged.
    #[serde(rename = "older")]
    Older,
    /// An older version, converted.
    #[serde(rename = "older converted")]
    OlderConverted,
    /// No version works on the runtime.
    #[serde(rename = "nothing")]
    Nothing,
    /// No version has anything in common with the runtime.
    #[serde(rename = "unrelated")]
    Unrelated,
}

impl DecisionKind {
    /// The words that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsIs => "as is",
            Self::Converted => "converted",
            Self::Older => "older",
            Self::OlderConverted => "older converted",
            Self::Nothing => "nothing",
            Self::Unrelated => "unrelated",
        }
    }
}

/// The runtime of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct For {
    /// The name of the runtime in the fleet.
    pub name: String,
    /// The digest of its profile.
    pub profile: Digest,
    /// The day since when it had this profile.
    pub since: String,
    /// How many devices have it.
    pub devices: u64,
}

/// The artifact that a runtime gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// The version of the model.
    pub version: i64,
    /// The day on which that was published.
    pub published: String,
    /// The name of the file.
    pub file: String,
    /// The content address (SHA-256) of the artifact.
    pub artifact: Digest,
    /// Size of all its files in bytes.
    pub size: u64,
    /// The artifact that it was converted from.
    pub made_from: Option<Digest>,
    /// Whether the conversion drops something that has an effect.
    pub lossy: bool,
}

/// A version that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Considered {
    /// The version number in the model, from 1.
    pub version: i64,
    /// The day on which it was published.
    pub published: String,
    /// The name of its file.
    pub file: String,
    /// The content address (SHA-256) of the published artifact.
    pub artifact: Digest,
    /// Unchanged, converted, or none if it does not work.
    pub fits: Option<DeliveryMode>,
    /// What the runtime says to it.
    pub answer: ArtifactAnswer,
}

/// Which artifact a runtime gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The name of the format: `unskew.fleet.decision`.
    pub schema: String,
    /// The version of this JSON schema, 2.
    pub schema_version: u32,
    /// The release of Unskew and the database that judged.
    pub judge: JudgeIdentity,
    /// The day that the decision holds for, YYYY-MM-DD.
    pub as_of: String,
    /// What was good enough.
    pub policy: PolicySpec,
    /// The name of the model.
    pub model: String,
    /// The runtime that was asked for.
    pub runtime: For,
    /// Whether and in which form an artifact is delivered.
    pub decision: DecisionKind,
    /// The artifact; none if no version works.
    pub deliver: Option<Delivery>,
    /// The versions that were asked, newest first.
    pub considered: Vec<Considered>,
}

/// A policy as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Terms")]
pub struct PolicySpec {
    /// From which severity on a finding keeps an artifact back.
    pub deny: String,
    /// What keeps nothing back though it was not judged.
    pub accept_unjudged: AcceptUnjudged,
    /// Whether a conversion may drop something that has an effect.
    pub accept_lossy: bool,
}

impl From<&DeliveryPolicy> for PolicySpec {
    fn from(policy: &DeliveryPolicy) -> Self {
        let DeliveryPolicy { deny, accept_unjudged, accept_lossy, .. } = *policy;
        Self { deny: deny.as_str().to_owned(), accept_unjudged, accept_lossy }
    }
}

impl Decision {
    /// The decision as JSON, ending with a line break.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// What the last version that was asked leads to.
pub(crate) fn conclude(considered: &[Considered]) -> (DecisionKind, Option<Delivery>) {
    let Some(last) = considered.last() else { return (DecisionKind::Nothing, None) };
    let newest = considered.len() == 1;
    let choice = match (last.fits, newest) {
        (None, _) if considered.iter().all(|one| one.answer.is_unrelated()) => {
            return (DecisionKind::Unrelated, None);
        }
        (None, _) => return (DecisionKind::Nothing, None),
        (Some(DeliveryMode::AsIs), true) => DecisionKind::AsIs,
        (Some(DeliveryMode::Converted), true) => DecisionKind::Converted,
        (Some(DeliveryMode::AsIs), false) => DecisionKind::Older,
        (Some(DeliveryMode::Converted), false) => DecisionKind::OlderConverted,
    };
    let attempt =
        last.answer.converted.as_ref().filter(|_| last.fits == Some(DeliveryMode::Converted));
    let made = attempt.and_then(|attempt| attempt.result);
    let delivery = Delivery {
        version: last.version,
        published: last.published.clone(),
        file: last.file.clone(),
        artifact: made.unwrap_or(last.artifact),
        size: attempt.and_then(|attempt| attempt.size).unwrap_or_default(),
        made_from: made.map(|_| last.artifact),
        lossy: attempt.is_some_and(Attempt::is_lossy),
    };
    (choice, Some(delivery))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unjudged(aspect: &str) -> NotJudged {
        let (aspect, reason) = (aspect.to_owned(), "not checked".to_owned());
        NotJudged { aspect, reason, remedy: None, places: Vec::new(), places_count: 0 }
    }

    #[test]
    fn only_the_common_aspects_are_delivered_unjudged_unless_more_is_accepted() {
        let (common, other) = ([unjudged("kernels")], [unjudged("kernels"), unjudged("plug-in")]);
        assert!(AcceptUnjudged::Common.accepts(&common));
        assert!(!AcceptUnjudged::Common.accepts(&other));
        assert!(AcceptUnjudged::All.accepts(&other));
        assert!(!AcceptUnjudged::Nothing.accepts(&common));
        assert!(AcceptUnjudged::Nothing.accepts(&[]));
    }
}
