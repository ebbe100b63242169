//! Answer of a runtime to an artifact, in a form that can be kept.
//!
//! The fields are those of the JSON report (`unskew_report::json`), so whoever reads one reads the other; a test
//! holds the two together. An answer does not depend on what anybody wants: it says what there is, and a
//! [`DeliveryPolicy`](crate::DeliveryPolicy) decides what is good enough.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unskew_core::{Conversion, Finding, Outcome, Phase, Severity, Verdict, aspect};

use crate::Digest;
use crate::words;

/// The largest answer, unpacked.
const LARGEST: u64 = 16 << 20;

/// Whether a pair works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Fit")]
pub enum Compatibility {
    /// Every aspect was judged, and it works.
    Compatible,
    /// What was judged of it works after exact adaptations.
    Adaptable,
    /// Nothing that was judged stands against it, but a part was not judged.
    Unjudged,
    /// It does not work, for the reasons that the findings give.
    Incompatible,
    /// The two have nothing to do with each other.
    Unrelated,
}

/// One side of a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Side")]
pub struct FindingSide {
    /// As findings print it.
    pub name: String,
    /// What it is to the other: `artifact`, `runtime`.
    pub role: String,
    /// What it is and where it came from.
    pub origin: String,
}

/// A finding of the verdict, as JSON has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reason")]
pub struct FindingRecord {
    /// The rule: `unskew explain CODE` explains it.
    pub code: String,
    /// The rule in words.
    pub name: String,
    /// `error`, `warning` or `note`.
    #[serde(with = "words::severity")]
    #[schemars(with = "String")]
    pub severity: Severity,
    /// `load`, `first use`, `silent`, or none.
    #[serde(default, with = "words::phase")]
    #[schemars(with = "Option<String>")]
    pub phase: Option<Phase>,
    /// One sentence with the numbers that clash.
    pub message: String,
    /// The side that it is about.
    pub subject: Option<FindingSide>,
    /// The side that it clashes with.
    pub other: Option<FindingSide>,
    /// Where, the first few places.
    pub places: Vec<String>,
    /// How many places there are.
    pub places_count: usize,
    /// What the runtime prints.
    pub symptom: Option<String>,
    /// The fix: one command or edit. Earlier answers called it `mend`.
    #[serde(alias = "mend")]
    pub fix: Option<String>,
    /// The adaptation that removes it.
    pub adaptation: Option<String>,
}

/// A promise of the makers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Promised {
    /// The policy by which the makers promise it.
    pub policy: String,
    /// `promised`, `expired`, `not promised` or `unknown`.
    pub state: String,
    /// The length of the window: `12 weeks`.
    pub window: Option<String>,
    /// The first day of the window, YYYY-MM-DD.
    pub from: Option<String>,
    /// The last day of the window, YYYY-MM-DD.
    pub until: Option<String>,
    /// What is promised about the pair.
    pub statement: String,
    /// The public document with the promise.
    pub reference: String,
}

/// What was not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotJudged {
    /// The aspect that was not checked: `kernels`.
    pub aspect: String,
    /// Why it was not checked.
    pub reason: String,
    /// What has it judged.
    pub remedy: Option<String>,
    /// Where, the first few places.
    pub places: Vec<String>,
    /// How many places there are.
    pub places_count: usize,
}

impl NotJudged {
    /// Whether the aspect is one that is not judged for whole families of artifacts.
    pub fn is_common(&self) -> bool {
        aspect::COMMON.contains(&&*self.aspect)
    }
}

/// A verdict of an artifact and a runtime, as JSON has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Judged")]
pub struct VerdictRecord {
    /// Whether it works, and how.
    pub outcome: Compatibility,
    /// The phase in which the first thing goes wrong.
    #[serde(default, with = "words::phase")]
    #[schemars(with = "Option<String>")]
    pub first_failure: Option<Phase>,
    /// What speaks against it, most severe first.
    pub findings: Vec<FindingRecord>,
    /// What the makers of both sides promise about the pair.
    pub promises: Vec<Promised>,
    /// What was not judged, which is no pass.
    pub unjudged: Vec<NotJudged>,
}

/// One kind of change of a conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Step")]
pub struct ConversionStep {
    /// The name of the adaptation, as `--allow` takes it.
    pub adaptation: String,
    /// One sentence with the values.
    pub what: String,
    /// Where, the first few places.
    pub places: Vec<String>,
    /// How many places there are.
    pub places_count: usize,
    /// Whether it loses something.
    pub lossy: bool,
}

/// An attempt to convert the artifact for the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// What was or would be changed.
    pub rewrites: Vec<ConversionStep>,
    /// Why no exact form exists.
    pub blockers: Vec<FindingRecord>,
    /// Why no attempt could be made.
    pub error: Option<String>,
    /// The result, which is in the depot.
    pub result: Option<Digest>,
    /// Size of all its files in bytes; none if the artifact is not here.
    pub size: Option<u64>,
    /// What the runtime says to the result.
    pub verdict: Option<VerdictRecord>,
}

/// What a runtime says to an artifact, and to what can be made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Answer")]
pub struct ArtifactAnswer {
    /// To the artifact as it is.
    pub as_is: VerdictRecord,
    /// To what a conversion makes of it; none if it works as it is.
    pub converted: Option<Attempt>,
}

impl ArtifactAnswer {
    /// Whether the artifact is nothing that concerns such a runtime: a TensorFlow graph and a PyTorch release.
    pub fn is_unrelated(&self) -> bool {
        self.as_is.outcome == Compatibility::Unrelated && self.converted.is_none()
    }

    pub(crate) fn pack(&self) -> Vec<u8> {
        let text = serde_json::to_vec(self).unwrap_or_default();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        // Writing into memory does not fail.
        let _ = encoder.write_all(&text);
        encoder.finish().unwrap_or_default()
    }

    /// The answer from these bytes, about an artifact of this name; none if they are damaged, which is as good as
    /// not there.
    pub(crate) fn unpack(bytes: &[u8], name: &str) -> Option<Self> {
        let mut text = String::new();
        DeflateDecoder::new(bytes).take(LARGEST).read_to_string(&mut text).ok()?;
        serde_json::from_str(&StandIn::replaced(text, name)).ok()
    }
}

/// The name under which artifacts are judged. A verdict is about contents, and the same contents have several names
/// in a fleet; so it is made under a name that nothing has, and shown under the one that is asked for.
pub(crate) struct StandIn;

impl StandIn {
    /// A private letter of Unicode, which no file of a model should have in its name.
    const LETTER: char = '\u{f0a17}';

    /// The stand-in for a name: with the same ending, which is a sign of its kind.
    pub(crate) fn for_name(name: &str) -> String {
        match ending(name) {
            Some(ending) => format!("{}.{ending}", Self::LETTER),
            None => Self::LETTER.to_string(),
        }
    }

    /// A text about the stand-in as one about `name`, in JSON.
    fn replaced(text: String, name: &str) -> String {
        if !text.contains(Self::LETTER) {
            return text;
        }
        let quoted = |name: &str| {
            let quoted = serde_json::to_string(name).unwrap_or_default();
            quoted.trim_matches('"').to_owned()
        };
        let stem = ending(name).map_or(name, |ending| &name[..name.len() - ending.len() - 1]);
        text.replace(Self::LETTER, &quoted(stem))
    }
}

/// The ending of a file name, if it is a plain one.
fn ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = !ending.is_empty() && ending.bytes().all(|b| b.is_ascii_alphanumeric());
    (plain && !stem.is_empty()).then_some(ending)
}

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.rule.code.to_owned(),
            name: finding.rule.name.to_owned(),
            severity: finding.severity,
            phase: finding.phase,
            message: finding.message.clone(),
            subject: finding.subject.as_ref().map(FindingSide::from),
            other: finding.other.as_ref().map(FindingSide::from),
            places: finding.places.named().to_vec(),
            places_count: finding.places.count(),
            symptom: finding.symptom.clone(),
            fix: finding.fix.clone(),
            adaptation: finding.adaptation.clone(),
        }
    }
}

impl From<&unskew_core::Side> for FindingSide {
    fn from(side: &unskew_core::Side) -> Self {
        let role = side.role.as_str().to_owned();
        Self { name: side.name.clone(), role, origin: side.origin.clone() }
    }
}

impl From<&Verdict> for VerdictRecord {
    fn from(verdict: &Verdict) -> Self {
        Self {
            outcome: match verdict.outcome {
                Outcome::Compatible => Compatibility::Compatible,
                Outcome::Adaptable(_) => Compatibility::Adaptable,
                Outcome::Unjudged => Compatibility::Unjudged,
                Outcome::Incompatible => Compatibility::Incompatible,
                Outcome::Unrelated => Compatibility::Unrelated,
            },
            first_failure: verdict.first_failure(),
            findings: verdict.findings.iter().map(FindingRecord::from).collect(),
            promises: verdict.promises.iter().map(Promised::from).collect(),
            unjudged: verdict.unjudged.iter().map(NotJudged::from).collect(),
        }
    }
}

impl From<&unskew_core::Promise> for Promised {
    fn from(promise: &unskew_core::Promise) -> Self {
        Self {
            policy: promise.policy.clone(),
            state: promise.state.as_str().to_owned(),
            window: promise.window.clone(),
            from: promise.from.map(|day| day.to_string()),
            until: promise.until.map(|day| day.to_string()),
            statement: promise.statement.clone(),
            reference: promise.reference.clone(),
        }
    }
}

impl From<&unskew_core::Unjudged> for NotJudged {
    fn from(one: &unskew_core::Unjudged) -> Self {
        Self {
            aspect: one.aspect.clone().into_owned(),
            reason: one.reason.clone(),
            remedy: one.remedy.clone(),
            places: one.places.named().to_vec(),
            places_count: one.places.count(),
        }
    }
}

impl From<&Conversion> for Attempt {
    fn from(plan: &Conversion) -> Self {
        let step = |rewrite: &unskew_core::Rewrite| ConversionStep {
            adaptation: rewrite.adaptation.to_owned(),
            what: rewrite.what.clone(),
            places: rewrite.places.named().to_vec(),
            places_count: rewrite.places.count(),
            lossy: rewrite.lossy,
        };
        Self {
            rewrites: plan.rewrites.iter().map(step).collect(),
            blockers: plan.blockers.iter().map(FindingRecord::from).collect(),
            error: None,
            result: None,
            size: None,
            verdict: None,
        }
    }
}

impl Attempt {
    /// Whether it drops something that has an effect.
    pub fn is_lossy(&self) -> bool {
        self.rewrites.iter().any(|step| step.lossy)
    }

    /// One that could not be made.
    pub(crate) fn failed(error: String) -> Self {
        Self { error: Some(error), ..Self::from(&Conversion::default()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(message: &str) -> ArtifactAnswer {
        let verdict = Verdict {
            outcome: Outcome::Compatible,
            findings: vec![Finding::new(&unskew_core::rules::CO001, message)],
            promises: Vec::new(),
            unjudged: Vec::new(),
        };
        ArtifactAnswer { as_is: VerdictRecord::from(&verdict), converted: None }
    }

    #[test]
    fn an_answer_is_shown_under_the_name_that_is_asked_for() {
        let stand_in = StandIn::for_name("net.pt");
        assert!(stand_in.ends_with(".pt"));
        let packed = answer(&format!("{stand_in}: too new")).pack();
        for name in ["other.pt", "a \"quoted\" \\ name.pt", "line\nbreak.pt"] {
            let shown = ArtifactAnswer::unpack(&packed, name).unwrap();
            assert_eq!(shown.as_is.findings[0].message, format!("{name}: too new"));
        }
    }

    #[test]
    fn a_damaged_answer_is_as_good_as_none() {
        let mut packed = answer("x").pack();
        assert!(ArtifactAnswer::unpack(&packed, "n").is_some());
        packed.truncate(packed.len() / 2);
        assert!(ArtifactAnswer::unpack(&packed, "n").is_none());
        assert!(ArtifactAnswer::unpack(b"", "n").is_none());
    }
}
