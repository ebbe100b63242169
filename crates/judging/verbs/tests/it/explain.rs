//! What real releases print leads to the rule that it is of.

use serde::Deserialize;
use unskew_verbs::explain_text;

/// What a release printed when it failed: a line of `printed_errors.jsonl`, which `print_errors.py` beside it writes.
#[derive(Deserialize)]
struct Printed {
    rule: Option<String>,
    verb: Option<String>,
    packages: Vec<String>,
    printed: String,
}

const PRINTED: &str = include_str!("../data/printed_errors.jsonl");

#[test]
fn what_releases_print_leads_to_the_rule() {
    for line in PRINTED.lines() {
        let case: Printed = serde_json::from_str(line).unwrap();
        let answer = explain_text(case.printed.as_bytes());
        let codes: Vec<&str> = answer.matches.iter().flat_map(|one| one.codes()).collect();
        let verbs: Vec<&str> = answer.matches.iter().map(|one| one.next.verb.as_str()).collect();
        let about = format!("{:?}: {codes:?} {verbs:?}\n{}", case.packages, case.printed);
        match (&case.rule, &case.verb) {
            (Some(rule), _) => assert!(codes.contains(&rule.as_str()), "{about}"),
            (None, Some(verb)) if verb == "none" => {
                assert!(
                    codes.is_empty() && verbs.is_empty() && !answer.elsewhere.is_empty(),
                    "{about}"
                );
            }
            (None, Some(verb)) => assert!(verbs.contains(&verb.as_str()), "{about}"),
            (None, None) => assert!(verbs.is_empty() && answer.elsewhere.is_empty(), "{about}"),
        }
    }
}

/// Words that are printed in place of everything else, or by a package that an example makes up, say nothing about the cause.
const SAY_NOTHING: [&str; 4] =
    ["Segmentation fault", "the process dies", "KeyError", "app needs base"];

/// The errors that the examples of the rules quote, with the code of the finding they are of.
fn quoted() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for rule in unskew_artifact::every_rule() {
        let mut code = "";
        for line in rule.fires.text().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [severity, found, ..] = words.as_slice()
                && ["error", "warning", "note"].contains(severity)
                && found.len() == 5
            {
                code = found;
            }
            if let Some(text) = line.trim_start().strip_prefix("error you will see ") {
                all.push((code, text.trim().to_owned()));
            }
        }
    }
    all
}

#[test]
fn the_errors_that_findings_quote_lead_back_to_their_rule() {
    let mut lost = Vec::new();
    for (code, text) in quoted() {
        let answer = explain_text(text.as_bytes());
        let found = answer.matches.iter().flat_map(|one| one.codes()).any(|one| one == code)
            || answer.elsewhere.iter().any(|one| one.code == Some(code));
        if !found && !SAY_NOTHING.iter().any(|words| text.contains(words)) {
            lost.push(format!("{code}: {text}"));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn a_whole_log_is_read_once_for_each_error() {
    let error =
        "E   ImportError: cannot import name 'AdamW' from 'transformers' (/x/__init__.py)\n";
    let log = format!("\u{1b}[31mcollecting\u{1b}[0m\n{}{}", error.repeat(50), "x".repeat(1 << 20));
    let answer = explain_text(log.as_bytes());
    assert_eq!(answer.matches.len(), 1, "{:?}", answer.matches);
    assert_eq!(answer.matches[0].values[0], ("name".to_owned(), "AdamW".to_owned()));
}

#[test]
fn causes_that_share_their_words_are_all_listed() {
    let answer =
        explain_text(b"_C.so: undefined symbol: _ZN3c105ErrorC2ESsSs7__cxx1112basic_stringE");
    let codes: Vec<&str> = answer.matches[0].codes().collect();
    assert_eq!(codes, ["EX101", "EX103"]);
    assert_eq!(answer.matches[0].next.command, "unskew env");
}

#[test]
fn what_is_no_trouble_of_versions_is_said_to_be_none() {
    let answer = explain_text(b"Op type not registered 'OfNobody' in binary running on host");
    assert!(answer.matches.is_empty());
    assert_eq!(answer.elsewhere[0].code, Some("TF102"));
    let answer = explain_text(b"CUDA out of memory. Tried to allocate 288.00 MiB");
    assert!(answer.matches.is_empty() && answer.elsewhere.is_empty());
}
