//! For code scanning: SARIF 2.1.0 (OASIS), as much of it as a finding needs.
//!
//! The rules that fired are the tool's metadata; a result points to its rule by index, and to the
//! file as a relative URI reference. Files that could not be read are notifications of the run; so is what was not
//! judged.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;
use unskew_core::{Accepted, Finding, Rule, Severity};

use crate::{Location as Position, Report};

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let text = serde_json::to_string_pretty(&log(report)).map_err(|_| fmt::Error)?;
    writeln!(out, "{text}")
}

const PAGES: &str = "https://unskew.github.io/unskew/dev/rules";

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    results: Vec<ResultObject<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    name: &'a str,
    short_description: Text<'a>,
    full_description: Text<'a>,
    help: Text<'a>,
    help_uri: String,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: OwnText,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct OwnText {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Text<'a>,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_fingerprints: Option<Fingerprints<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression<'a>>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Fingerprints<'a> {
    #[serde(rename = "unskew/v1")]
    unskew: &'a str,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    justification: &'a str,
}

#[derive(Serialize)]
struct Properties<'a> {
    phase: Option<&'static str>,
    other: Option<&'a str>,
    places: &'a [String],
    symptom: Option<&'a str>,
    fix: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

fn log(report: &Report) -> Log<'_> {
    let mut rules: BTreeMap<&str, &'static Rule> = BTreeMap::new();
    for (_, finding) in report.findings() {
        rules.insert(finding.rule.code, finding.rule);
    }
    let index = |code: &str| rules.keys().position(|key| *key == code).unwrap_or_default();
    let results =
        report.findings().map(|(path, f)| result(report, path, f, index(f.rule.code))).collect();
    let notification = |level, path: &str, text: String| Notification {
        level,
        message: OwnText { text },
        locations: [location(path, None)],
    };
    let failed = report.failures.iter();
    let failed = failed.map(|one| notification("error", &one.path, one.message.clone()));
    let unjudged = report.unjudged().map(|(path, one)| {
        notification("note", path, format!("not judged: {}: {}", one.aspect, one.reason))
    });
    let notifications = failed.chain(unjudged).collect();
    let driver = Driver {
        name: "unskew",
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.values().map(|rule| descriptor(rule)).collect(),
    };
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            invocations: [Invocation {
                execution_successful: report.failures.is_empty(),
                tool_execution_notifications: notifications,
            }],
            results,
        }],
    }
}

fn descriptor(rule: &'static Rule) -> Descriptor<'static> {
    Descriptor {
        id: rule.code,
        name: rule.name,
        short_description: Text { text: rule.summary },
        full_description: Text { text: rule.what.text() },
        help: Text { text: rule.why.text() },
        help_uri: format!("{PAGES}/{}.html", rule.code),
        default_configuration: Configuration { level: rule.severity.as_str() },
    }
}

fn result<'a>(
    report: &Report,
    path: &str,
    finding: &'a Finding,
    rule_index: usize,
) -> ResultObject<'a> {
    ResultObject {
        rule_id: finding.rule.code,
        rule_index,
        level: level(finding.severity),
        message: Text { text: &finding.message },
        locations: [location(path, report.location(path, finding))],
        partial_fingerprints: finding.fingerprint.as_deref().map(|unskew| Fingerprints { unskew }),
        suppressions: finding.accepted.iter().map(suppression).collect(),
        properties: Properties {
            phase: finding.phase.map(|phase| phase.as_str()),
            other: finding.other.as_ref().map(|side| &*side.name),
            places: finding.places.named(),
            symptom: finding.symptom.as_deref(),
            fix: finding.fix.as_deref(),
        },
    }
}

/// An entry of `[[accept]]` stands outside of the source.
fn suppression(accepted: &Accepted) -> Suppression<'_> {
    Suppression { kind: "external", justification: &accepted.reason }
}

fn level(severity: Severity) -> &'static str {
    severity.as_str()
}

fn location(path: &str, position: Option<Position>) -> Location {
    let artifact_location = ArtifactLocation { uri: uri(path) };
    let region = position.map(|at| Region { start_line: at.line, start_column: at.column });
    Location { physical_location: PhysicalLocation { artifact_location, region } }
}

/// A path as a URI reference (RFC 3986): every byte that may not stand in one is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => uri.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b'!' => uri.push(char::from(byte)),
            b'\\' => uri.push('/'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_is_a_uri() {
        assert_eq!(uri("my models/net 1.pt"), "my%20models/net%201.pt");
        assert_eq!(uri("a.whl!m/x.pb"), "a.whl!m/x.pb");
    }
}
