//! For scripts: one JSON document of a stable schema.
//!
//! The document is an object:
//!
//! | key | value |
//! | --- | --- |
//! | `schema` | `"unskew.report"` |
//! | `schema_version` | 3; raised when a key is renamed, removed or changes its meaning. New keys come without a raise, so a reader ignores keys that it does not know |
//! | `tool_version` | the version of Unskew |
//! | `as_of` | the day on which promises were judged, `YYYY-MM-DD` |
//! | `pairs` | the pairs that were checked: `a`, `b`, `outcome`, `loads`, `runs`, `means_the_same`, `adaptations`, `first_failure`, `findings`, `promises`, `unjudged` |
//! | `parties` | the parties that were looked at: `path`, `name`, `role`, `kind`, `origin`, `dated`, `provides`, `requires`, `features`, `facts`, `findings`, `unjudged` |
//! | `conversions` | what was to be converted: `from`, `to`, `written` (`path` and `size` in bytes, or null), `rewrites`, `blockers` |
//! | `failures` | what could not be read: `path`, `message` |
//! | `summary` | `errors`, `warnings`, `notes`: how many findings of each severity; `accepted`: how many count for nothing; `unjudged`: how many aspects of pairs and parties were not judged |
//!
//! `outcome` is `compatible`, `adaptable`, `unjudged` (nothing that was judged stands against the pair, but a part
//! was not judged), `incompatible` or `unrelated`; `loads`, `runs` and `means_the_same` (gives the same results) are `yes`, `no`
//! or `not judged`, and each includes those before it; `severity` is `error`,
//! `warning` or `note`; `phase` is `load`, `first use`, `silent` or null; the `state` of a promise is
//! `promised`, `expired`, `not promised` or `unknown`. What is not known is null, never left out.
//!
//! A side of a pair has `path` (null for a release), `name`, `role` and `origin`. A finding has `code`,
//! `name`, `severity`, `phase`, `message`, `subject`, `other`, `places` (the first few), `places_count`,
//! `symptom`, `fix`, `adaptation`, `fingerprint` (null outside of `unskew lint`) and `accepted` (null, or `reason`
//! and `until`); so has an entry of `blockers`. A rewrite has `adaptation`, `what`,
//! `places` (the first few), `places_count` and `lossy`; a promise `policy`, `state`, `window`, `from`, `until`, `statement`
//! and `reference`; an entry of `unjudged` has `aspect` (`kernels`, `data` … or the axis that a side does not tell), `reason`,
//! `remedy` (the command or option that has it judged, or null), `places` (the first few) and `places_count`.
//!
//! The same as a JSON Schema: `docs/reference/schemas/report.schema.json`; what `history`, `run` and `fleet` print has schemas there
//! too. Tests hold them against what the command prints.
//!
//! Version 2 had `mend` in place of `fix`. Version 1 had `unchecked` (`axis`, `owner`, `other`) in place of `unjudged`, and called a pair compatible of which
//! a part was not judged.

use std::fmt::{self, Write};

use serde::Serialize;
use unskew_core::{
    Finding, Outcome, Party, Promise, Rewrite, Side, Unjudged, VerdictQuestion, VersionRange,
};

use crate::{CheckedPair, ConversionReport, Look, Report, Subject};

/// The version of the schema.
pub const SCHEMA_VERSION: u32 = 3;

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let text = serde_json::to_string_pretty(&Document::from(report)).map_err(|_| fmt::Error)?;
    writeln!(out, "{text}")
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    tool_version: &'static str,
    as_of: String,
    pairs: Vec<PairJson<'a>>,
    parties: Vec<PartyJson<'a>>,
    conversions: Vec<ConvertedJson<'a>>,
    failures: Vec<FailureJson<'a>>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct PairJson<'a> {
    a: SubjectJson<'a>,
    b: SubjectJson<'a>,
    outcome: &'static str,
    loads: &'static str,
    runs: &'static str,
    means_the_same: &'static str,
    adaptations: &'a [String],
    first_failure: Option<&'static str>,
    findings: Vec<FindingJson<'a>>,
    promises: Vec<PromiseJson<'a>>,
    unjudged: Vec<UnjudgedJson<'a>>,
}

#[derive(Serialize)]
struct SubjectJson<'a> {
    path: Option<&'a str>,
    #[serde(flatten)]
    side: SideJson<'a>,
}

#[derive(Serialize)]
struct SideJson<'a> {
    name: &'a str,
    role: &'static str,
    origin: &'a str,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    phase: Option<&'static str>,
    message: &'a str,
    subject: Option<SideJson<'a>>,
    other: Option<SideJson<'a>>,
    places: &'a [String],
    places_count: usize,
    symptom: Option<&'a str>,
    fix: Option<&'a str>,
    adaptation: Option<&'a str>,
    fingerprint: Option<&'a str>,
    accepted: Option<AcceptedJson<'a>>,
}

#[derive(Serialize)]
struct AcceptedJson<'a> {
    reason: &'a str,
    until: String,
}

#[derive(Serialize)]
struct PromiseJson<'a> {
    policy: &'a str,
    state: &'static str,
    window: Option<&'a str>,
    from: Option<String>,
    until: Option<String>,
    statement: &'a str,
    reference: &'a str,
}

#[derive(Serialize)]
struct UnjudgedJson<'a> {
    aspect: &'a str,
    reason: &'a str,
    remedy: Option<&'a str>,
    places: &'a [String],
    places_count: usize,
}

#[derive(Serialize)]
struct PartyJson<'a> {
    path: &'a str,
    name: &'a str,
    role: &'static str,
    kind: &'a str,
    origin: Option<&'a str>,
    dated: Option<String>,
    provides: Vec<ProvisionJson<'a>>,
    requires: Vec<RequirementJson<'a>>,
    features: &'a [String],
    facts: Vec<FactJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    unjudged: Vec<UnjudgedJson<'a>>,
}

#[derive(Serialize)]
struct ProvisionJson<'a> {
    axis: &'a str,
    #[serde(flatten)]
    range: RangeJson,
    place: Option<&'a str>,
}

#[derive(Serialize)]
struct RangeJson {
    versions: String,
    min: Option<String>,
    max: Option<String>,
}

#[derive(Serialize)]
struct RequirementJson<'a> {
    axis: &'a str,
    need: String,
}

#[derive(Serialize)]
struct FactJson<'a> {
    label: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct ConvertedJson<'a> {
    from: &'a str,
    to: &'a str,
    written: Option<WrittenJson<'a>>,
    rewrites: Vec<RewriteJson<'a>>,
    blockers: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
struct WrittenJson<'a> {
    path: &'a str,
    size: u64,
}

#[derive(Serialize)]
struct RewriteJson<'a> {
    adaptation: &'a str,
    what: &'a str,
    places: &'a [String],
    places_count: usize,
    lossy: bool,
}

#[derive(Serialize)]
struct FailureJson<'a> {
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct SummaryJson {
    errors: usize,
    warnings: usize,
    notes: usize,
    accepted: usize,
    unjudged: usize,
}

/// A text, or null where there is none.
fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl<'a> From<&'a Report> for Document<'a> {
    fn from(report: &'a Report) -> Self {
        let tally = report.tally();
        Self {
            schema: "unskew.report",
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            as_of: report.context.as_of.to_string(),
            pairs: report.pairs.iter().map(PairJson::from).collect(),
            parties: report.looks.iter().map(PartyJson::from).collect(),
            conversions: report.conversions.iter().map(ConvertedJson::from).collect(),
            failures: report
                .failures
                .iter()
                .map(|failure| FailureJson { path: &failure.path, message: &failure.message })
                .collect(),
            summary: SummaryJson {
                errors: tally.errors,
                warnings: tally.warnings,
                notes: tally.notes,
                accepted: tally.accepted,
                unjudged: report.unjudged().count(),
            },
        }
    }
}

impl<'a> From<&'a CheckedPair> for PairJson<'a> {
    fn from(pair: &'a CheckedPair) -> Self {
        let verdict = &pair.verdict;
        let [loads, runs, means_the_same] =
            VerdictQuestion::ALL.map(|question| verdict.answer(question).as_str());
        Self {
            a: SubjectJson::from(&pair.a),
            b: SubjectJson::from(&pair.b),
            outcome: match verdict.outcome {
                Outcome::Compatible => "compatible",
                Outcome::Adaptable(_) => "adaptable",
                Outcome::Unjudged => "unjudged",
                Outcome::Incompatible => "incompatible",
                Outcome::Unrelated => "unrelated",
            },
            loads,
            runs,
            means_the_same,
            adaptations: verdict.adaptations(),
            first_failure: verdict.first_failure().map(|phase| phase.as_str()),
            findings: verdict.findings.iter().map(FindingJson::from).collect(),
            promises: verdict.promises.iter().map(PromiseJson::from).collect(),
            unjudged: verdict.unjudged.iter().map(UnjudgedJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Subject> for SubjectJson<'a> {
    fn from(subject: &'a Subject) -> Self {
        Self { path: subject.path.as_deref(), side: SideJson::from(&subject.side) }
    }
}

impl<'a> From<&'a Side> for SideJson<'a> {
    fn from(side: &'a Side) -> Self {
        Self { name: &side.name, role: side.role.as_str(), origin: &side.origin }
    }
}

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.as_str(),
            phase: finding.phase.map(|phase| phase.as_str()),
            message: &finding.message,
            subject: finding.subject.as_ref().map(SideJson::from),
            other: finding.other.as_ref().map(SideJson::from),
            places: finding.places.named(),
            places_count: finding.places.count(),
            symptom: finding.symptom.as_deref(),
            fix: finding.fix.as_deref(),
            adaptation: finding.adaptation.as_deref(),
            fingerprint: finding.fingerprint.as_deref(),
            accepted: finding.accepted.as_ref().map(|accepted| AcceptedJson {
                reason: &accepted.reason,
                until: accepted.until.to_string(),
            }),
        }
    }
}

impl<'a> From<&'a Promise> for PromiseJson<'a> {
    fn from(promise: &'a Promise) -> Self {
        Self {
            policy: &promise.policy,
            state: promise.state.as_str(),
            window: promise.window.as_deref(),
            from: promise.from.map(|day| day.to_string()),
            until: promise.until.map(|day| day.to_string()),
            statement: &promise.statement,
            reference: &promise.reference,
        }
    }
}

impl<'a> From<&'a Unjudged> for UnjudgedJson<'a> {
    fn from(unjudged: &'a Unjudged) -> Self {
        Self {
            aspect: &unjudged.aspect,
            reason: &unjudged.reason,
            remedy: unjudged.remedy.as_deref(),
            places: unjudged.places.named(),
            places_count: unjudged.places.count(),
        }
    }
}

impl<'a> From<&'a Look> for PartyJson<'a> {
    fn from(look: &'a Look) -> Self {
        let party: &Party = &look.party;
        Self {
            path: &look.path,
            name: &party.name,
            role: party.role.as_str(),
            kind: &party.kind,
            origin: filled(&party.origin),
            dated: party.dated.map(|day| day.to_string()),
            provides: party
                .provides
                .iter()
                .map(|provision| ProvisionJson {
                    axis: provision.axis.as_str(),
                    range: RangeJson::from(&provision.versions),
                    place: filled(&provision.place),
                })
                .collect(),
            requires: party
                .requires
                .iter()
                .map(|requirement| RequirementJson {
                    axis: requirement.axis.as_str(),
                    need: requirement.need.to_string(),
                })
                .collect(),
            features: &party.features,
            facts: party
                .facts
                .iter()
                .map(|fact| FactJson { label: &fact.label, value: &fact.value })
                .collect(),
            findings: party.notes.iter().map(FindingJson::from).collect(),
            unjudged: party.unjudged.iter().map(UnjudgedJson::from).collect(),
        }
    }
}

impl<'a> From<&'a ConversionReport> for ConvertedJson<'a> {
    fn from(one: &'a ConversionReport) -> Self {
        let written = one.written.as_ref();
        Self {
            from: &one.from,
            to: &one.to,
            written: written.map(|result| WrittenJson { path: &result.path, size: result.size }),
            rewrites: one.plan.rewrites.iter().map(RewriteJson::from).collect(),
            blockers: one.plan.blockers.iter().map(FindingJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Rewrite> for RewriteJson<'a> {
    fn from(rewrite: &'a Rewrite) -> Self {
        Self {
            adaptation: rewrite.adaptation,
            what: &rewrite.what,
            places: rewrite.places.named(),
            places_count: rewrite.places.count(),
            lossy: rewrite.lossy,
        }
    }
}

impl From<&VersionRange> for RangeJson {
    fn from(range: &VersionRange) -> Self {
        let text = |end: Option<unskew_core::Version>| end.map(|version| version.to_string());
        Self { versions: range.to_string(), min: text(range.min), max: text(range.max) }
    }
}
