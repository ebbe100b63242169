//! What is no proper header: it is said, with its place, and the rest is judged; nothing takes long.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::common::{codes, diff, diff_bytes, lines};
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
        ("a macro around a field list", b"struct X { VENDOR(a, b) };\n", b"", &["HD007", "HD008"]),
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
fn what_could_be_read_before_and_now_cannot_is_not_said_to_be_gone() {
    let broken = |name: &str, new: &str, wanted: &[&str]| {
        let comparison = diff(OLD, &NEW.replace("MINOR 2", "MINOR 1").replace(NEW_ARGS, new), None);
        let (found, text) = (codes(&comparison, Severity::Warning), lines(&comparison));
        assert_eq!(found, wanted, "{name}\n{text}");
        assert!(!text.contains("removed"), "{name}\n{text}");
        assert!(!comparison.not_judged.is_empty(), "{name}\n{text}");
    };
    let gap = "struct Args { size_t struct_size; int32_t a; ?! int32_t b; };\n#define ARGS_STRUCT_SIZE END_OF(Args, b)\n";
    broken("a sign that is none", gap, &["HD007"]);
    let comment = gap.replace("struct Args", "/* begun\nstruct Args").replace("?!", "");
    broken("a comment without end", &comment, &["HD007"]);
}

/// What stands in [`NEW`] behind its version.
const NEW_ARGS: &str = "struct Args { size_t struct_size; int32_t b; int32_t a; };\n\
    #define ARGS_STRUCT_SIZE END_OF(Args, a)\n";

#[test]
fn a_macro_among_fields_hides_neither_its_struct_nor_the_other_fields() {
    let old =
        "#define API_MINOR 1\nstruct Args { size_t struct_size; VENDOR(x) int32_t a; int32_t b; };";
    assert_eq!(codes(&diff(old, old, None), Severity::Note), ["HD007", "HD008"]);
    let swapped = old.replace("int32_t a; int32_t b;", "int32_t b; int32_t a;");
    assert_eq!(codes(&diff(old, &swapped, None), Severity::Error), ["HD001", "HD105"]);
    let another = old.replace("VENDOR(x)", "VENDOR(x) VENDOR(y)");
    assert_eq!(codes(&diff(old, &another, None), Severity::Error), ["HD001", "HD102"]);
    // What is said about a field is none.
    let plain = old.replace("VENDOR(x) ", "");
    let said = old.replace("VENDOR(x)", "VENDOR_DEPRECATED(\"use b\")");
    assert_eq!(codes(&diff(&plain, &said, None), Severity::Warning), [""; 0]);
}

#[test]
fn words_that_nobody_knows_between_struct_and_its_name_are_attributes() {
    let old = "#define API_MINOR 1\nstruct Args { size_t struct_size; int32_t a; };\n";
    for attribute in ["VENDOR_EXPORT", "VENDOR_VISIBILITY(2)", "VENDOR_A VENDOR_B"] {
        let new = old.replace("struct Args", &format!("struct {attribute} Args"));
        let comparison = diff(old, &new, None);
        assert_eq!(
            codes(&comparison, Severity::Note),
            [""; 0],
            "{attribute}\n{}",
            lines(&comparison)
        );
    }
    let new = old.replace("struct Args", "struct VENDOR_ALIGNED(64) Args");
    assert!(codes(&diff(old, &new, None), Severity::Error).contains(&"HD118"));
}

#[test]
fn a_mark_of_the_byte_order_is_no_part_of_the_text() {
    let marked = [b"\xef\xbb\xbf", OLD.as_bytes()].concat();
    let comparison = diff_bytes(&[("api.h", OLD.as_bytes())], &[("api.h", &marked)], None);
    assert_eq!(codes(&comparison, Severity::Note), [""; 0], "{}", lines(&comparison));
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

/// What this thread has had of a processor, in steps of 10 ms; on systems that do not say it, nothing.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

/// Compares a text with another in time: that of a processor, since a busy machine is no fault. The limit is generous:
/// tests run unoptimized.
#[track_caller]
fn soon(what: &str, old: &str, new: &str) {
    let (begun, had) = (Instant::now(), processor_time());
    let comparison = diff(old, new, None);
    let took = match (had, processor_time()) {
        (Some(had), Some(has)) => has - had,
        _ => begun.elapsed(),
    };
    assert!(took < Duration::from_secs(60), "{what}: {took:?}, {}", comparison.changes.len());
}

#[test]
fn attacks_end_soon() {
    // What takes the square of them takes 60 s and more; a build for debugging is some ten times slower.
    const MANY: u32 = if cfg!(debug_assertions) { 1_500 } else { 5_000 };
    let fields = |range: &mut dyn Iterator<Item = u32>, with: &str| {
        let mut text = "struct Big { size_t struct_size;\n".to_owned();
        for n in range {
            writeln!(text, "  {with} f{n}; size_t num_f{n};").unwrap();
        }
        text + "};\n"
    };
    let ordered = fields(&mut (0..MANY), "int*");
    soon("reversed", &ordered, &fields(&mut (0..MANY).rev(), "int*"));
    soon("replaced", &ordered, &fields(&mut (MANY..2 * MANY), "double"));
    soon("interleaved", &ordered, &ordered.replace("; size_t", "; char x; size_t"));
    let many = |prefix: &str, line: &str| {
        let mut text = String::new();
        for n in 0..MANY {
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
