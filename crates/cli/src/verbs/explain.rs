//! `unskew explain [CODE|NAME]`: what a rule means, why, and how to fix it. Error messages are in `error_text.rs`.

use std::fmt::Write as _;

use anyhow::bail;
use unskew_core::Rule;
#[cfg(feature = "fleet")]
use unskew_fleet_service::problem::{About, KINDS};
use unskew_report::{DIM, EMPHASIS, of_severity};

use super::error_text;
use crate::args::{Explain, Global};
use crate::exit::CallStatus;
use crate::print;

pub fn run(args: &Explain, global: &Global) -> anyhow::Result<CallStatus> {
    let text = match &args.what {
        None => list(),
        Some(what) if what == "-" => {
            let log = error_text::from_standard_input()?;
            return error_text::explain(&log, args, global);
        }
        Some(what) => match unskew_verbs::rule(what) {
            Ok(rule) => page(rule),
            Err(error) => match problem(&what.to_ascii_uppercase()) {
                Some(text) => text,
                None if unskew_verbs::is_error_text(what) => {
                    return error_text::explain(what.as_bytes(), args, global);
                }
                None => bail!(error),
            },
        },
    };
    print::out(&text)?;
    Ok(CallStatus::Clean)
}

/// What a problem of the service of a fleet means, which is no finding and so no rule.
#[cfg(feature = "fleet")]
fn problem(code: &str) -> Option<String> {
    let About { title, status, fix, .. } = KINDS.iter().find(|row| row.code == code)?;
    Some(format!(
        "{EMPHASIS}{code} {title}{EMPHASIS:#}\n\nan answer {status} of `unskew fleet serve`\n\n\
         {EMPHASIS}Fix{EMPHASIS:#}\n  {fix}\n"
    ))
}

/// Problems of that service are none of a build that does not have it.
#[cfg(not(feature = "fleet"))]
fn problem(_: &str) -> Option<String> {
    None
}

fn list() -> String {
    let mut text = String::new();
    for rule in unskew_artifact::every_rule() {
        let style = of_severity(rule.severity);
        let Rule { code, summary, .. } = rule;
        let severity = rule.severity;
        let _ =
            writeln!(text, "{EMPHASIS}{code}{EMPHASIS:#}  {style}{severity:7}{style:#}  {summary}");
    }
    text
}

/// Lines of a transcript, two spaces in.
fn indented(transcript: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") };
    transcript.lines().map(line).collect()
}

fn page(rule: &Rule) -> String {
    let style = of_severity(rule.severity);
    let mut text = String::new();
    let Rule {
        code,
        name,
        summary,
        what,
        why,
        error_texts,
        fires,
        silent,
        fix,
        reference,
        since,
        ..
    } = rule;
    let _ = writeln!(text, "{EMPHASIS}{code} {name}{EMPHASIS:#}: {summary}\n");
    let _ = write!(text, "{style}{}{style:#}", rule.severity);
    if let Some(phase) = rule.phase {
        let _ = write!(text, ", shows at: {phase}");
    }
    let _ = writeln!(text, "\n");
    let wrapped = |body: &str| print::wrapped(body.trim(), 2);
    let parts = [
        ("What", wrapped(what.text())),
        ("Why", wrapped(why.text())),
        ("Errors you may see", indented(error_texts.text())),
        ("Fires", indented(fires.text())),
        ("Fix", wrapped(fix)),
        ("Does not fire", indented(silent.text())),
        ("Source", wrapped(reference.text())),
    ];
    for (heading, body) in parts.iter().filter(|(_, body)| !body.is_empty()) {
        let _ = writeln!(text, "{EMPHASIS}{heading}{EMPHASIS:#}\n{}\n", body.trim_end());
    }
    let _ = writeln!(text, "{DIM}since Unskew {since}{DIM:#}");
    text
}
