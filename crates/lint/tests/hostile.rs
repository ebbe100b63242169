//! What is no proper header: it is said, with its place, and the rest is judged; nothing takes long.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod common;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use common::{codes, diff, diff_bytes, lines};
use unskew_core::Severity;

const OLD: &str = "#define API_MINOR 1\nstruct Args { size_t struct_size; int32_t a; int32_t b; };\n\
    #define ARGS_STRUCT_SIZE END_OF(Args, b)\n";
const NEW: &str = "#define API_MINOR 2\nstruct Args { size_t struct_size; int32_t b; int32_t a; };\n\
    #define ARGS_STRUCT_SIZE END_OF(Args, a)\n";

/// The findings about a text before and behind what is always to be found.
fn judged(before: &[u8], behind: &[u8]) -> (Vec<&'static str>, String) {
    let around = |text: &str| [before, text.as_bytes(), behind].concat();
    let (old, new) = (around(OLD), around(NEW));
    let comparison = diff_bytes(&[("api.h", &old)], &[("api.h", &new)], None);
    (codes(&comparison, Severity::Warning), lines(&comparison))
}

/// What it is, what stands before and behind the rest, and what else is found.
type Case = (&'static str, &'static [u8], &'static [u8], &'static [&'static str]);

#[test]
fn what_cannot_be_read_is_said_with_its_place_and_the_rest_is_judged() {
    let cases: [Case; 8] = [
        ("an unknown macro", b"VENDOR_BEGIN(x, y) VENDOR_END\n", b"", &[]),
        ("a macro around a field list", b"struct X { VENDOR(a, b) };\n", b"", &["HD007"]),
        ("a comment without end", b"", b"/* never closed\nstruct Late { int x; };\n", &["HD007"]),
        ("a template", b"template <class T> struct Y { T t; };\n", b"", &["HD007"]),
        ("a brace without end", b"", b"struct Open { int x;\n", &["HD007"]),
        ("a missing include", b"#include \"gone.h\"\n", b"", &[]),
        ("not UTF-8", b"// caf\xe9\n", b"", &["HD007"]),
        ("bytes that are no text", b"", b"\0\0\xff\xfe\x80 int \xc0;\n", &["HD007"]),
    ];
    for (what, before, behind, also) in cases {
        let (found, text) = judged(before, behind);
        let mut wanted = vec!["HD001"];
        wanted.extend(also);
        wanted.push("HD105");
        assert_eq!(found, wanted, "{what}\n{text}");
        let placed = text.lines().filter(|line| line.contains("HD007"));
        assert!(placed.clone().all(|line| line.contains("[api.h:")), "{text}");
    }
}

#[test]
fn fields_behind_an_unknown_type_are_compared_in_their_order() {
    let old =
        "#define API_MINOR 1\nstruct Args { size_t struct_size; gone_t g; int32_t a; int32_t b; };";
    let swapped = old.replace("int32_t a; int32_t b;", "int32_t b; int32_t a;");
    assert_eq!(codes(&diff(old, &swapped, None), Severity::Error), ["HD001", "HD105"]);
    let inserted = old.replace("int32_t a;", "int64_t x; int32_t a;");
    assert_eq!(codes(&diff(old, &inserted, None), Severity::Error), ["HD001", "HD102"]);
    assert_eq!(codes(&diff(old, old, None), Severity::Note), ["HD008"], "no silent pass");
}

/// Compares a text with another in time. The limit is generous: tests run unoptimized, and beside others.
#[track_caller]
fn soon(what: &str, old: &str, new: &str) {
    let begun = Instant::now();
    let comparison = diff(old, new, None);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "{what}: {took:?}, {}", comparison.changes.len());
}

#[test]
fn attacks_end_soon() {
    let fields = |range: &mut dyn Iterator<Item = u32>, with: &str| {
        let mut text = "struct Big { size_t struct_size;\n".to_owned();
        for n in range {
            writeln!(text, "  {with} f{n}; size_t num_f{n};").unwrap();
        }
        text + "};\n"
    };
    let ordered = fields(&mut (0..5_000), "int*");
    soon("reversed", &ordered, &fields(&mut (0..5_000).rev(), "int*"));
    soon("replaced", &ordered, &fields(&mut (5_000..10_000), "double"));
    soon("interleaved", &ordered, &ordered.replace("; size_t", "; char x; size_t"));
    let many = |prefix: &str, line: &str| {
        let mut text = String::new();
        for n in 0..5_000 {
            text += &line.replace("NAME", &format!("{prefix}{n}"));
        }
        text
    };
    let versions = "#define NAME_MINOR 1\nstruct S_NAME { size_t struct_size; };\n";
    soon("versions", &many("A", versions), &many("B", versions));
    let structs = "struct Common_Name_NAME { size_t struct_size; int x; };\n";
    soon("renamed structs", &many("A", structs), &many("B", structs));
    let sizes = "#define NAME_STRUCT_SIZE END_OF(Big, f4)\n";
    soon("announcements", &(ordered.clone() + &many("A", sizes)), &ordered);
    let aliases = "typedef NAME_x NAME;\ntypedef NAME NAME_x;\nstruct U_NAME { NAME f; };\n";
    soon("endless names", &many("A", aliases), &many("A", &aliases.replace("NAME f", "int f")));
    let long = format!("#define API_MINOR 1\nint a{};\n", "[1]".repeat(1 << 20));
    soon("a line of megabytes", &long, &long.replace("[1]", "[2]"));
    let comment = format!("// {}\nint f(void);\n", "x".repeat(10 << 20));
    soon("a comment of ten megabytes", &comment, &comment.replace("void", "int"));
}
