//! What must hold for every format, whatever stands in a file.

#![allow(clippy::unwrap_used, reason = "a test may; clippy knows only functions marked as tests")]

use proptest::prelude::*;
use serde_json::Value;
use unskew_core::{
    Context, Date, Finding, Phase, Places, Promise, PromiseState, Role, Rule, RuleText, Severity,
    Side, Unjudged, Verdict, aspect,
};
use unskew_report::{CheckedPair, ReadFailure, RenderFormat, Report, Subject};

static RULE: Rule = Rule {
    code: "XX001",
    name: "too-new",
    since: "0.1",
    severity: Severity::Error,
    phase: Some(Phase::Load),
    summary: "The file is newer than its reader.",
    reference: RuleText::plain("r"),
    what: RuleText::plain("w"),
    why: RuleText::plain("y"),
    fix: "m",
    error_texts: RuleText::plain(""),
    fires: RuleText::plain(""),
    silent: RuleText::plain(""),
};

fn side(role: Role, name: &str) -> Side {
    Side { role, name: name.to_owned(), origin: "made up".to_owned() }
}

fn report(name: &str, text: &str) -> Report {
    let finding = Finding::new(&RULE, text)
        .at(Places::from_iter([text]))
        .with_symptom(text)
        .with_fix(text)
        .about(side(Role::Artifact, name));
    let promise = Promise {
        policy: "Policy".to_owned(),
        state: PromiseState::Expired,
        window: Some("12 weeks".to_owned()),
        from: Some(Date::constant(2025, 1, 1)),
        until: Some(Date::constant(2025, 3, 26)),
        statement: text.to_owned(),
        reference: "document".to_owned(),
    };
    let unjudged = Unjudged::new(aspect::KERNELS, text).at(Places::from_iter([name]));
    let verdict = Verdict::new(vec![finding], vec![promise], vec![unjudged]);
    let a = Subject { path: Some(name.to_owned()), side: side(Role::Artifact, name) };
    let b = Subject { path: None, side: side(Role::Runtime, "torch 2.1.2") };
    let mut report = Report::new(Context::for_tests());
    report.pairs.push(CheckedPair { a, b, verdict });
    report.failures.push(ReadFailure { path: name.to_owned(), message: text.to_owned() });
    report
}

#[test]
fn what_was_not_judged_and_until_when_it_was_promised_is_said() {
    let mut report = report("net.pt", "too new: 10");
    let text = report.render(RenderFormat::Full);
    assert!(text.contains("net.pt does not load with torch 2.1.2. "), "{text}");
    assert!(text.contains("not judged"), "{text}");
    assert!(!text.contains("12 weeks"), "{text}");
    report.verbose = true;
    let text = report.render(RenderFormat::Full);
    assert!(text.contains("12 weeks, 2025-01-01 to 2025-03-26"), "{text}");
}

#[test]
fn a_rule_that_fires_thousands_of_times_does_not_print_thousands_of_blocks() {
    let one = |n: usize| Finding::new(&RULE, format!("operator {n}"));
    let mut report = report("net.pt", "m");
    report.pairs[0].verdict = Verdict::new((0..4741).map(one).collect(), Vec::new(), Vec::new());
    let text = report.render(RenderFormat::Full);
    assert!(text.lines().count() < 100, "{text}");
    assert!(text.contains("4721 more") && text.contains("of XX001 too-new: "), "{text}");
    let document: Value = serde_json::from_str(&report.render(RenderFormat::Json)).unwrap();
    assert_eq!(document["pairs"][0]["findings"].as_array().map(Vec::len), Some(4741));
}

/// A pair of which nothing speaks against it, and a part was not judged.
fn unjudged() -> Report {
    let mut report = report("net.pt", "no table of kernels");
    let verdict = &mut report.pairs[0].verdict;
    *verdict = Verdict::new(Vec::new(), Vec::new(), verdict.unjudged.clone());
    report.failures.clear();
    report
}

#[test]
fn every_format_names_what_was_not_judged_and_none_calls_it_compatible() {
    let formats = [
        RenderFormat::Full,
        RenderFormat::Concise,
        RenderFormat::Json,
        RenderFormat::Sarif,
        RenderFormat::Github,
    ];
    for format in formats.into_iter().chain([RenderFormat::Junit]) {
        let text = unjudged().render(format);
        assert!(text.contains("kernels") && text.contains("no table of kernels"), "{text}");
        assert!(!text.contains("compatible") && !text.contains("\"no findings\""), "{text}");
    }
    let document: Value = serde_json::from_str(&unjudged().render(RenderFormat::Json)).unwrap();
    assert_eq!(document["pairs"][0]["outcome"], "unjudged");
    assert_eq!(document["pairs"][0]["unjudged"][0]["places_count"], 1);
    assert_eq!(document["summary"]["unjudged"], 1);
}

#[test]
fn a_sarif_result_points_to_its_rule_and_its_file() {
    let text = report("my nets/a.pt", "m").render(RenderFormat::Sarif);
    let log: Value = serde_json::from_str(&text).unwrap();
    let run = &log["runs"][0];
    let result = &run["results"][0];
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], result["ruleId"]);
    let location = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], "my%20nets/a.pt");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_json_report_leaves_no_key_out() {
    let document: Value =
        serde_json::from_str(&report("a.pt", "m").render(RenderFormat::Json)).unwrap();
    assert_eq!(document["schema_version"], unskew_report::json::SCHEMA_VERSION);
    let pair = &document["pairs"][0];
    for key in ["a", "b", "outcome", "adaptations", "first_failure", "findings", "promises"] {
        assert!(!pair[key].is_null(), "{key}");
    }
    assert!(pair["b"].as_object().unwrap().contains_key("path"));
    assert_eq!(document["summary"]["errors"], 1);
}

/// Whether all that drives a terminal in `text` are styles, `ESC [ digits m`.
fn only_styles(text: &str) -> bool {
    let is_style = |piece: &str| {
        let style = piece.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        style.is_some_and(|(code, _)| code.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split('\u{1b}').skip(1).all(is_style) && !text.contains(['\r', '\u{202e}'])
}

proptest! {
    #[test]
    fn no_text_of_a_file_drives_the_terminal_or_makes_a_line_of_its_own(
        name in "[ -~\n\r\u{1b}\u{202e}]{0,20}",
        text in "\\PC{0,10}[\n\r\u{1b}:,%]{0,5}::error::x",
    ) {
        let report = report(&name, &text);
        let github = report.render(RenderFormat::Github);
        // A command for the finding, one for what was not judged, and the count.
        prop_assert_eq!(github.lines().count(), 3);
        prop_assert!(!github.contains('\r'));
        let concise = report.render(RenderFormat::Concise);
        prop_assert_eq!(concise.lines().count(), 3);
        prop_assert!(only_styles(&concise));
        prop_assert!(only_styles(&report.render(RenderFormat::Full)));
        for format in [RenderFormat::Json, RenderFormat::Sarif] {
            let document = serde_json::from_str::<Value>(&report.render(format));
            prop_assert!(document.is_ok());
        }
    }
}
