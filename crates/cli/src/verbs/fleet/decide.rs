//! `unskew fleet decide MODEL`: which artifact a runtime gets.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use unskew_artifact::Content;
use unskew_core::{Phase, Severity};
use unskew_fleet::{
    Attempt, Compatibility, Considered, Decision, DecisionKind, Delivery, DeliveryMode,
    DeliveryPolicy, FindingRecord, Fleet, VerdictRecord, documents,
};
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, NOTE, Plain, WARN};
use unskew_source::{Assembly, ConvertedArtifact};

use super::columns::{columns, devices};
use crate::args::{FleetDecide, FleetFormat};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

pub fn run(
    args: &FleetDecide,
    fleet: &mut Fleet,
    policy: &DeliveryPolicy,
) -> anyhow::Result<CallStatus> {
    let names = match args.all {
        true => fleet
            .runtimes_on(&policy.as_of.to_string())?
            .into_iter()
            .map(|runtime| runtime.name)
            .collect(),
        false => args.runtime.clone(),
    };
    if args.output.is_some() && names.len() != 1 {
        bail!("-o is for one runtime, not for {}", names.len());
    }
    let decide = |name: &String| fleet.decide(&args.model, name, policy);
    let decisions = names.iter().map(decide).collect::<Result<Vec<_>, _>>()?;
    if let (Some(place), [one]) = (&args.output, &*decisions)
        && let Some(delivery) = &one.deliver
    {
        deliver(fleet, delivery, place)?;
    }
    print::out(match (args.print.format, &*decisions) {
        (FleetFormat::Json, [one]) if !args.all => Printable::json(&one.to_json()),
        (FleetFormat::Json, all) => {
            Printable::json(&documents::text(&documents::Decisions::new(all))?)
        }
        (FleetFormat::Text, [one]) if !args.all => explained(one).into(),
        (FleetFormat::Text, all) => table(all).into(),
    })?;
    // Of the whole fleet only those count whom the model concerns; who was named is concerned.
    let unrelated = |one: &&Decision| args.all && one.decision == DecisionKind::Unrelated;
    let mut counted = decisions.iter().filter(|one| !unrelated(one));
    let served = counted.all(|decision| decision.deliver.is_some());
    Ok(if served { CallStatus::Clean } else { CallStatus::Found })
}

/// Copies what is delivered to a place, whole or not at all.
fn deliver(fleet: &Fleet, delivery: &Delivery, place: &Path) -> anyhow::Result<()> {
    // What is no longer what its digest says is not written.
    let content = fleet.depot().whole(&delivery.artifact, &delivery.file)?;
    let whole = |part: &unskew_artifact::ArtifactFile| {
        std::sync::Arc::new(Assembly::from_source(&part.source))
    };
    let output = match &content {
        Content::File(part) => ConvertedArtifact::File(whole(part)),
        Content::Folder { parts, .. } => ConvertedArtifact::Folder(
            parts.iter().map(|part| (part.name.clone(), whole(part))).collect(),
        ),
    };
    output.write(place).with_context(|| format!("cannot write {}", place.display()))
}

/// What was decided, in words.
pub(super) fn decided(decision: &Decision) -> String {
    match &decision.deliver {
        None if decision.decision == DecisionKind::Unrelated => "nothing in common".to_owned(),
        None => "nothing fits".to_owned(),
        Some(one) => match decision.decision {
            DecisionKind::AsIs | DecisionKind::Older => format!("version {} as it is", one.version),
            _ => format!("version {} converted", one.version),
        },
    }
}

fn table(decisions: &[Decision]) -> String {
    let head = ["runtime", "devices", "gets", "artifact", "because"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for decision in decisions.iter().filter(|one| one.decision != DecisionKind::Unrelated) {
        let artifact = decision.deliver.as_ref().map_or("-".to_owned(), |one| one.artifact.short());
        let because = decision.considered.first().map(because).unwrap_or_default();
        rows.push(vec![
            decision.runtime.name.clone(),
            decision.runtime.devices.to_string(),
            decided(decision),
            artifact,
            because,
        ]);
    }
    let mut text = columns(&rows);
    let unrelated = decisions.iter().filter(|one| one.decision == DecisionKind::Unrelated);
    let names: Vec<&str> = unrelated.map(|one| one.runtime.name.as_str()).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "nothing in common with {}", Plain(&names.join(", ")));
    }
    text
}

/// Why the newest version is not delivered as it is.
fn because(considered: &Considered) -> String {
    match considered.fits {
        Some(DeliveryMode::AsIs) => String::new(),
        _ => match considered.answer.as_is.findings.first() {
            Some(reason) => format!("{} {}", reason.code, reason.message),
            None => outcome(&considered.answer.as_is).to_owned(),
        },
    }
}

/// One decision with everything that it comes from.
fn explained(decision: &Decision) -> String {
    let mut text = String::new();
    let (model, runtime) = (Plain(&decision.model), &decision.runtime);
    let style = if decision.deliver.is_none() { BAD } else { GOOD };
    let gets = decided(decision);
    let _ = writeln!(
        text,
        "{EMPHASIS}{model} for {}{EMPHASIS:#} ({}): {style}{gets}{style:#}",
        Plain(&runtime.name),
        devices(runtime.devices)
    );
    if let Some(one) = &decision.deliver {
        let _ = writeln!(text, "  {DIM}artifact{DIM:#}  {}, {} bytes", one.artifact, one.size);
        if let Some(from) = one.made_from {
            let _ = writeln!(text, "  {DIM}made from{DIM:#} {from}");
        }
    }
    for one in &decision.considered {
        let (version, published) = (one.version, &one.published);
        let file = Plain(&one.file);
        let _ = writeln!(
            text,
            "\n{EMPHASIS}version {version}{EMPHASIS:#}, published {published}, {file}"
        );
        judged("as it is", &one.answer.as_is, &mut text);
        if let Some(attempt) = &one.answer.converted {
            attempted(attempt, &mut text);
        }
    }
    let judge = &decision.judge;
    let _ = writeln!(
        text,
        "\n{DIM}as of {}; unskew {}, database up to {}, {}{DIM:#}",
        decision.as_of, judge.tool_version, judge.newest_release, judge.fingerprint
    );
    text
}

fn attempted(attempt: &Attempt, text: &mut String) {
    if let Some(error) = &attempt.error {
        let _ = writeln!(text, "  converted: {BAD}not possible{BAD:#}: {}", Plain(error));
        return;
    }
    match &attempt.verdict {
        Some(verdict) => judged("converted", verdict, text),
        None if attempt.blockers.is_empty() => {
            let _ = writeln!(text, "  converted: {BAD}nothing to rewrite{BAD:#}");
        }
        None => {
            let _ = writeln!(text, "  converted: {BAD}no exact form exists{BAD:#}");
        }
    }
    attempt.blockers.iter().for_each(|reason| reasoned(reason, text));
    for step in attempt.rewrites.iter().filter(|_| attempt.verdict.is_some()) {
        let what = Plain(&step.what);
        let _ = writeln!(text, "    {DIM}{}{DIM:#}  {what}", step.adaptation);
    }
}

fn judged(how: &str, verdict: &VerdictRecord, text: &mut String) {
    let style = match verdict.outcome {
        Compatibility::Compatible => GOOD,
        Compatibility::Unjudged => WARN,
        Compatibility::Adaptable | Compatibility::Incompatible | Compatibility::Unrelated => BAD,
    };
    let phase = match verdict.first_failure {
        Some(Phase::Silent) => ", fails silently",
        Some(Phase::FirstUse) => ", fails at first use",
        Some(Phase::Load) => ", fails at load",
        None => "",
    };
    let _ = writeln!(text, "  {how}: {style}{}{style:#}{phase}", outcome(verdict));
    verdict.findings.iter().for_each(|reason| reasoned(reason, text));
    for one in &verdict.unjudged {
        let (aspect, reason) = (Plain(&one.aspect), Plain(&one.reason));
        let _ = writeln!(text, "    {WARN}not judged{WARN:#}: {aspect}: {reason}");
    }
}

fn reasoned(reason: &FindingRecord, text: &mut String) {
    let style = match reason.severity {
        Severity::Error => BAD,
        Severity::Warning => WARN,
        Severity::Note => NOTE,
    };
    let FindingRecord { severity, code, name, .. } = reason;
    let message = Plain(&reason.message);
    let _ = writeln!(text, "    {style}{severity} {code}{style:#} {name}: {message}");
}

fn outcome(verdict: &VerdictRecord) -> &'static str {
    match verdict.outcome {
        Compatibility::Compatible => "compatible",
        Compatibility::Adaptable => "compatible after a conversion",
        Compatibility::Unjudged => "not judged in part",
        Compatibility::Incompatible => "incompatible",
        Compatibility::Unrelated => "nothing in common",
    }
}
