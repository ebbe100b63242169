//! For scripts: answers, versions and faults as JSON.

use serde_json::{Value, json};
use unskew_core::Version;
use unskew_history::{ChronicleVersion, EndOfSupport, HistoryAnswers, HistoryFault};

use super::HistorySummary;
use crate::args::HistoryArgs;

pub(super) fn document(told: &HistorySummary<'_>, args: &HistoryArgs) -> anyhow::Result<String> {
    let chronicle = &told.named.chronicle;
    let document = json!({
        "history": chronicle.file,
        "form": chronicle.form.as_str(),
        "axis": chronicle.axis,
        "title": chronicle.title,
        "answers": told.answers.as_ref().map(|answers| answered(answers, args)),
        "no_answers": told.silent,
        "versions": chronicle.steps.iter().map(step).collect::<Vec<_>>(),
        "findings": told.faults.iter().map(fault).collect::<Vec<_>>(),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

fn answered(answers: &HistoryAnswers, args: &HistoryArgs) -> Value {
    let pairs = |list: &[(Version, unskew_core::Date)], key: &str| -> Vec<Value> {
        let one = |(version, day): &(Version, unskew_core::Date)| json!({ "version": version.to_string(), key: day.to_string() });
        list.iter().map(one).collect()
    };
    let supported = answers.supported.map(|supported| {
        json!({
            "from": supported.range.min.map(|version| version.to_string()),
            "to": supported.range.max.map(|version| version.to_string()),
            "since": supported.from.to_string(),
        })
    });
    let when: Vec<Value> = args.when.iter().map(|version| fall(answers, *version)).collect();
    json!({
        "day": answers.day.to_string(),
        "current": answers.current.map(|version| version.to_string()),
        "minimum": answers.minimum.to_string(),
        "window": answers.window.as_ref().map(ToString::to_string),
        "must_support": supported,
        "removable": pairs(&answers.removable, "since"),
        "falling": pairs(&answers.falling(), "last_day"),
        "when": when,
        "undated": answers.undated,
    })
}

fn fall(answers: &HistoryAnswers, version: Version) -> Value {
    let (state, last) = match answers.fall(version) {
        _ if answers.history.landed(version).is_none() => ("unknown", None),
        Ok(EndOfSupport::InForce) => ("in force", None),
        Ok(EndOfSupport::Last(last)) if last < answers.day => ("fallen out", Some(last)),
        Ok(EndOfSupport::Last(last)) => ("in its window", Some(last)),
        Ok(EndOfSupport::Open) | Err(_) => ("open", None),
    };
    json!({
        "version": version.to_string(),
        "state": state,
        "last_day": last.map(|day| day.to_string()),
    })
}

fn step(step: &ChronicleVersion) -> Value {
    json!({
        "version": step.version.to_string(),
        "line": step.line,
        "header": step.header.map(|day| day.to_string()),
        "landed": step.landed.map(|day| day.to_string()),
        "change": step.change,
        "types": step.parts,
    })
}

fn fault(fault: &HistoryFault) -> Value {
    let finding = &fault.finding;
    json!({
        "code": finding.rule.code,
        "severity": finding.severity.to_string(),
        "subject": fault.subject,
        "message": finding.message,
        "places": finding.places.named(),
        "fix": finding.fix,
    })
}
