//! Words that users read: the rules, the guides and the README keep to idiomatic English.
//!
//! Each entry was in a text that a reader stumbled over. Add the next one here when it is corrected.

use std::fs;

/// A phrase that does not come back, and what is written instead.
const PHRASES: [(&str, &str); 11] = [
    ("stands nowhere", "is not recorded"),
    ("is none that", "rejects, or is not one of"),
    ("comes to have", "adds"),
    ("the least one", "the minimum"),
    ("the least value", "the minimum value"),
    ("truth value", "boolean"),
    ("Go on to", "Keep"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("pairs that meet", "pairs compared"),
    ("that it be", "that it is"),
];

/// Words that follow `is no` in English.
const AFTER_IS_NO: [&str; 3] = ["longer", "such", "need"];

/// What is wrong with a text, one line each.
fn faults(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let mut faults = Vec::new();
    for (phrase, better) in PHRASES {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        if words.windows(phrase.len()).any(|window| window == phrase) {
            faults.push(format!("`{}`: write `{better}`", phrase.join(" ")));
        }
    }
    for window in words.windows(4) {
        let [before, verb, "no", after] = window else { continue };
        let idiomatic = before.eq_ignore_ascii_case("there") || AFTER_IS_NO.contains(after);
        if matches!(*verb, "is" | "are") && !idiomatic {
            faults.push(format!("`{verb} no {after}`: write `{verb} not a {after}`"));
        }
    }
    faults
}

#[test]
fn a_phrase_is_found_by_its_words_and_not_inside_of_others() {
    assert_eq!(faults("The file is no model, and mends nothing.").len(), 2);
    assert_eq!(faults("There is no model; it is no longer read, and amended."), [""; 0]);
}

#[test]
fn rules_guides_and_readme_have_no_phrase_of_the_list() {
    let mut found = Vec::new();
    for rule in unskew_artifact::every_rule() {
        let texts = [rule.summary, rule.what.text(), rule.why.text(), rule.fix];
        for fault in texts.iter().flat_map(|text| faults(text)) {
            found.push(format!("{}: {fault}", rule.code));
        }
    }
    let root = unskew_peers::root();
    let guides = fs::read_dir(root.join("docs/guide")).unwrap().map(|file| file.unwrap().path());
    let guides = guides.filter(|path| path.extension().is_some_and(|end| end == "md"));
    for path in guides.chain([root.join("README.md")]) {
        for fault in faults(&fs::read_to_string(&path).unwrap()) {
            found.push(format!("{}: {fault}", path.display()));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
