//! Formats from the outside: bytes of any kind are read without a panic.

use proptest::prelude::*;
use unskew_c_headers::Headers;
use unskew_core::Date;
use unskew_history::{Chronicle, HistoryAnswers, svg, text};
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_lint::{Histories, Known, LintConfig, Serdes};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

const TODAY: Date = Date::constant(2026, 6, 1);

/// Compares bytes with others under a name that the kind takes for its own.
fn compare(kind: &dyn InterfaceKind, name: &str, old: &[u8], new: &[u8]) -> usize {
    let side = |bytes: &[u8]| Files::from_iter([(name, bytes.to_vec())]);
    let terms = CompareOptions { as_of: Some(TODAY), ..CompareOptions::default() };
    kind.compare(&side(old), &side(new), &terms).unwrap().changes.len()
}

/// Pieces of which the forms are made, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "message A {",
        "}",
        "int32 a = 1;",
        "repeated",
        "oneof x {",
        "enum E {",
        "Z = 0;",
        "reserved 1 to max;",
        "map<",
        "string,",
        "> m = 3;",
        "[packed = true]",
        "service S {",
        "rpc G(A) returns (stream B);",
        "extend .A {",
        "group G = 2 {",
        "syntax = \"proto3\";",
        "option",
        "features.enum_type = CLOSED;",
        "\"",
        "/*",
        "//",
        "-",
        "\n",
        "## 0.4 (Mar 2, 2026)",
        "## 0.4",
        "// 3: 2026-02-30, x",
        "// 2: 2026-01-02, y",
        "static V minimum() { return V(3); }",
        "[[version]]",
        "number = 4",
        "landed = 2026-01-02",
        "[[floor]]",
        "window = \"9 weeks\"",
        "releases = [",
        "99999999999999999999",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..60)
        .prop_map(|list| list.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read_without_a_panic(old in prop::collection::vec(any::<u8>(), 0..400),
                                          new in prop::collection::vec(any::<u8>(), 0..400)) {
        compare(&Protobuf, "a.proto", &old, &new);
        compare(&Serdes, "a.lock", &old, &new);
        for name in ["a.toml", "a.md", "a.h"] {
            compare(&Histories, name, &old, &new);
        }
    }

    #[test]
    fn pieces_of_the_forms_in_any_order_are_read_without_a_panic(old in pieces(), new in pieces()) {
        compare(&Protobuf, "a.proto", old.as_bytes(), new.as_bytes());
        for name in ["a.toml", "a.md", "a.h"] {
            compare(&Histories, name, old.as_bytes(), new.as_bytes());
            if let Some(chronicle) = Chronicle::read(name, new.as_bytes())
                && let Ok(answers) = HistoryAnswers::for_day(&chronicle, TODAY, None)
            {
                prop_assert!(svg(&answers, None).ends_with("</svg>\n"));
                text(&answers, Some(TODAY));
            }
        }
    }
}

/// Parts of an `unskew.toml`, in any order.
fn configuration() -> impl Strategy<Value = String> {
    let lines = [
        "baseline = \"git:HEAD\"",
        "[[boundary]]",
        "name = \"x\"",
        "name = \"y\"",
        "preset = \"pjrt\"",
        "preset = \"\u{e9}\"",
        "kind = \"headers\"",
        "paths = [\"**/*.h\", \"{a,b}/[x-z]\"]",
        "paths = [\"{a\"]",
        "paths = [\"../a\"]",
        "exclude = [\"c\"]",
        "forward = \"12 weeks or 2 releases\"",
        "backward = \"99999999999 weeks\"",
        "level = \"wire\"",
        "against = \"all\"",
        "options = { kept = 3, landed = \"git\" }",
        "[boundary.severity]",
        "HD001 = \"off\"",
        "[[boundary.scope]]",
        "[[boundary.sunset]]",
        "what = \"a\"",
        "announced = 2026-01-01",
        "removed = 2025-01-01",
        "[[accept]]",
        "finding = \"HD108-3f9ac2d01b7e\"",
        "reason = \" \"",
        "until = 2026-13-01",
        "until = 2026-01-01T00:00:00Z",
        "[[release]]",
        "version = \"1\"",
        "on = 0000-01-01",
        "release-tags = \"v*\"",
        "= [",
    ];
    prop::collection::vec(prop::sample::select(lines.to_vec()), 0..24)
        .prop_map(|list| list.join("\n"))
}

/// Reads an `unskew.toml`; what is wrong has a place in it.
fn configured(text: &str) -> Result<(), TestCaseError> {
    let kinds: &[&'static dyn InterfaceKind] = &[&Headers, &Protobuf, &Serdes, &Histories];
    let known = Known { kinds, is_rule: &|code| code.len() == 5 };
    match LintConfig::from_toml("unskew.toml", text, known) {
        Ok(config) => {
            for boundary in &config.boundaries {
                let _ = (boundary.paths.has("a/b.h"), boundary.weight_of("HD001", "a/b.h"));
                prop_assert!(boundary.line <= text.lines().count());
            }
        }
        Err(error) => prop_assert!(error.line <= text.matches('\n').count() + 1),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_configuration_is_read_or_has_a_place_where_it_is_wrong(
        parts in configuration(),
        any in ".{0,200}",
    ) {
        configured(&parts)?;
        configured(&any)?;
    }
}

/// Its parser recovers from a string without an end by reading on, bracket by bracket, on the stack.
#[test]
fn a_string_without_an_end_before_a_million_brackets_is_an_error() {
    let text = format!("baseline = \"old\nx = [\"a{}", "{".repeat(1_000_000));
    let known = Known { kinds: &[], is_rule: &|_| false };
    let said = LintConfig::from_toml("unskew.toml", &text, known).unwrap_err().to_string();
    assert!(said.contains("nests deeper than 256 brackets"), "{said}");
}
