//! Single edits of protobuf files: each with the rules that say what it breaks, and no others.

use unskew_core::Severity;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

/// The codes of warnings and errors between two protobuf files.
#[track_caller]
fn proto(old: &str, new: &str, wanted: &[&str]) {
    let side = |text: &str| {
        let mut files = Files::default();
        let head = if text.starts_with("edition") { "" } else { "syntax = \"proto3\";\n" };
        files.insert("a.proto".to_owned(), format!("{head}{text}").into_bytes());
        files
    };
    let found = Protobuf.compare(&side(old), &side(new), &CompareOptions::default()).unwrap();
    let grave = found.changes.iter().filter(|c| c.finding.severity >= Severity::Warning);
    let mut codes: Vec<&str> = grave.map(|change| change.finding.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, wanted, "{old}\n{new}");
}

#[test]
fn reservations_of_enumerations_are_kept() {
    let old = "enum E { reserved 3 to 5; reserved \"FOO\"; ZERO = 0; }";
    proto(old, "enum E { ZERO = 0; }", &["PB108"]);
    proto(old, "enum E { reserved 3 to 5; ZERO = 0; }", &["PB108"]);
    proto(old, "enum E { reserved 2 to 9; reserved \"FOO\", \"BAR\"; ZERO = 0; }", &[]);
}

#[test]
fn every_name_of_a_number_counts() {
    let old = "enum E { option allow_alias = true; Z = 0; A = 1; B = 1; }";
    proto(old, &old.replace("B = 1", "C = 1"), &["PB306"]);
    proto(old, &old.replace("B = 1", "B = 1; C = 1"), &[]);
    proto(old, "enum E { option allow_alias = true; Z = 0; B = 1; A = 1; }", &[]);
}

#[test]
fn a_choice_that_is_divided_lets_both_be_set() {
    let old = "message M { oneof a { int32 x = 1; int32 y = 2; } }";
    proto(old, "message M { oneof b { int32 x = 1; } oneof a { int32 y = 2; } }", &["PB215"]);
    proto(old, "message M { oneof b { int32 x = 1; int32 y = 2; } }", &[]);
    let two = "message M { oneof a { int32 x = 1; } oneof b { int32 y = 2; } }";
    proto(two, old, &["PB214"]);
}

#[test]
fn texts_that_have_to_be_utf8_now_are_fewer() {
    let old = "edition = \"2023\";\nmessage M { string s = 1 [features.utf8_validation = NONE]; }";
    let new = "edition = \"2023\";\nmessage M { string s = 1; }";
    proto(old, new, &["PB203"]);
    proto(new, old, &["PB204"]);
    proto(new, new, &[]);
    // The type is the same, so that the message has to say what is not.
    let said = |old: &str, new: &str| {
        let files = |text: &str| [("a.proto", text.as_bytes())].into_iter().collect::<Files>();
        let found = Protobuf.compare(&files(old), &files(new), &CompareOptions::default()).unwrap();
        let finding = &found.changes[0].finding;
        (finding.message.clone(), finding.fix.clone().unwrap())
    };
    let (message, fix) = said(old, new);
    assert!(
        message.contains("was string without UTF-8 validation and is string with UTF-8 validation"),
        "{message}"
    );
    assert!(message.ends_with("texts that are not UTF-8 are refused"), "{message}");
    assert!(fix.contains("utf8_validation = NONE") && fix.contains("add `string s`"), "{fix}");
    let (message, fix) = said(new, old);
    assert!(
        message.contains("was string with UTF-8 validation and is string without UTF-8 validation"),
        "{message}"
    );
    assert!(fix.contains("string without UTF-8 validation are out"), "{fix}");
    let bytes = "edition = \"2023\";\nmessage M { bytes s = 1 [features.utf8_validation = NONE]; }";
    proto(bytes, &new.replace("string", "bytes"), &[]);
}

/// Real runtimes read a truth value as the number that it is.
#[test]
fn a_truth_value_fits_an_enumeration_that_has_its_numbers() {
    let old = "enum E { A = 0; B = 1; C = 2; } message M { bool x = 1; }";
    proto(old, &old.replace("bool", "E"), &["PB204"]);
    let old = "enum E { A = 0; C = 2; } message M { bool x = 1; }";
    proto(
        &format!("edition = \"2023\";\n{old}"),
        &format!("edition = \"2023\";\n{}", old.replace("bool", "E")),
        &["PB203"],
    );
}

/// An enumeration has 32 bits: what a wider field holds is cut off there.
#[test]
fn an_enumeration_that_becomes_a_wider_number_holds_more() {
    let old = "enum E { A = 0; B = 1; } message M { E x = 1; }";
    proto(old, &old.replace("E x", "int64 x"), &["PB204"]);
    proto(old, &old.replace("E x", "int32 x"), &[]);
}
