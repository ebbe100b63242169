//! Headers as a C compiler on 64-bit Linux sees them.

use unskew_c_headers::change::{HeaderPolicy, compare};
use unskew_c_headers::contract::{HeaderContract, HeaderSource};
use unskew_core::Severity;

fn read(files: &[(&str, &str)], definitions: &[&str]) -> HeaderContract {
    let sources: Vec<HeaderSource<'_>> =
        files.iter().map(|(name, text)| HeaderSource { name, text: text.as_bytes() }).collect();
    let definitions: Vec<String> = definitions.iter().map(|text| (*text).to_owned()).collect();
    HeaderContract::read_defined(&sources, "", &definitions)
}

/// The codes of the warnings and errors between two headers.
#[track_caller]
fn breaks(old: &str, new: &str, wanted: &[&str]) {
    let (was, is) = (read(&[("x.h", old)], &[]), read(&[("x.h", new)], &[]));
    let policy = HeaderPolicy::named("none").unwrap();
    let comparison = compare(&was, &is, policy, None);
    let found = comparison.findings().filter(|found| found.severity >= Severity::Warning);
    let mut codes: Vec<&str> = found.map(|found| found.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, wanted, "{old}\n{new}");
}

#[test]
fn a_macro_that_nobody_defines_is_off_and_one_that_is_given_is_on() {
    let files = [("x.h", "struct S {\n#ifdef WIDE\n  long a;\n#else\n  int a;\n#endif\n};")];
    assert_eq!(read(&files, &[]).structs["S"].size(), Some(4));
    assert_eq!(read(&files, &["WIDE"]).structs["S"].size(), Some(8));
    assert_eq!(read(&files, &["OTHER=2"]).structs["S"].size(), Some(4));
    let leveled = [("x.h", "#if LEVEL > 2\nint f(void);\n#endif")];
    assert!(read(&leveled, &["LEVEL=3"]).functions.contains_key("f"));
    assert!(!read(&leveled, &["LEVEL=2"]).functions.contains_key("f"));
}

#[test]
fn parameters_and_fields_under_conditions_are_not_merged() {
    let old = "int f(const char* a, int b);\nstruct S { char a[20]; };";
    let new = "int f(const char* a, int b\n#ifdef TRIAL\n, int c\n#endif\n);\n\
               struct S {\n#ifdef TRIAL\n  char kind;\n#endif\n  char a[20]; };";
    breaks(old, new, &[]);
}

#[test]
fn macros_come_with_the_headers_that_are_included_or_include() {
    let config = ("lib/config.h", "#pragma once\n#define LIB_API extern\n#define LIB_SIZE 4\n");
    let types = ("lib/types.h", "#include \"config.h\"\nstruct S { int a[LIB_SIZE]; };\n");
    let part = ("lib/part.h", "#if LIB_SIZE > 2\nLIB_API int part(void);\n#endif\n");
    let whole =
        ("lib/lib.h", "#include \"config.h\"\n#include <lib/part.h>\n#include \"types.h\"\n");
    let found = read(&[config, whole, part, types], &[]);
    assert_eq!(found.structs["S"].size(), Some(16));
    assert!(found.functions.contains_key("part"));
    assert!(found.unread.is_empty(), "{:?}", found.unread);
    let named =
        ("lib/named.h", "#define LIB_CONFIG <lib/config.h>\n#include LIB_CONFIG\nint a[LIB_SIZE];");
    assert!(read(&[config, named], &[]).unread.is_empty());
}

#[test]
fn what_a_macro_renames_is_another_symbol() {
    let old = "#define run run_v1\nint run(int a);";
    breaks(old, "#define run run_v2\nint run(int a);", &["HD214"]);
    breaks(old, "int run_v1(int a);\n#define run run_v2\nint run(int a);", &["HD214"]);
    breaks(old, old, &[]);
    breaks("int f(int) __asm__(\"f_1\");", "int f(int) __asm__(\"f_2\");", &["HD214"]);
}

#[test]
fn what_becomes_inline_is_no_symbol() {
    breaks("int f(int);", "static inline int f(int x) { return x; }", &["HD213"]);
    breaks("static inline int f(int x) { return x; }", "int f(int x);", &[]);
}

#[test]
fn a_macro_in_small_letters_behind_a_function_is_no_name() {
    let head = "#define attr_size(s) __attribute__((alloc_size(s)))\n#define exported\n";
    let text = format!("{head}exported void* dev_grow(void* p, int n) attr_size(2);");
    breaks("void* dev_grow(void* p, int n);", &text, &[]);
}

#[test]
fn variables_are_part_of_a_library() {
    breaks("extern int level;", "extern long level;", &["HD216"]);
    breaks("extern int level;", "", &["HD215"]);
    breaks("extern const char table[16];", "extern const char table[];", &[]);
}

#[test]
fn tables_that_a_macro_makes_are_read() {
    let head = "#define _Check_\n#define CALL\ntypedef struct St* StPtr;\n\
        #define STATUS(NAME, ...) _Check_ StPtr(CALL* NAME)(__VA_ARGS__) __attribute__((cold))\n";
    let table = |body: &str| format!("{head}struct Api {{\n{body}\n}};");
    let (a, b) =
        ("STATUS(Open, const char* p, int n);", "StPtr(CALL* Close)(int n)__attribute__((cold));");
    let old = table(&format!("{a}{b}"));
    let record = read(&[("x.h", &old)], &[]).structs["Api"].clone();
    assert_eq!(record.members.iter().map(|m| &*m.name).collect::<Vec<_>>(), ["Open", "Close"]);
    breaks(&old, &table(&format!("{b}{a}")), &["HD105"]);
    breaks(&old, &table(&format!("{a}STATUS(New, int n);{b}")), &["HD102"]);
    breaks(&old, &table(&format!("STATUS(Open, const char* p, long n);{b}")), &["HD204"]);
}

#[test]
fn alignment_is_placed_as_a_compiler_does() {
    let size = |text: &str| read(&[("x.h", text)], &[]).structs["S"].size();
    assert_eq!(size("struct S { int a; _Alignas(16) long b; int c; };"), Some(32));
    assert_eq!(size("struct S { int a; } __attribute__((aligned(64)));"), Some(64));
    assert_eq!(size("struct S { char a; int b __attribute__((packed)); };"), Some(5));
    assert_eq!(size("enum E { A, B = 0x100000000 }; struct S { enum E e; };"), Some(8));
    assert_eq!(size("struct S { long double a; };"), Some(16));
}

#[test]
fn the_end_of_an_enumeration_may_move() {
    for end in ["K__CNT", "E_END_ALL", "KIND_NB", "P_NTYPES", "Q_LIMIT", "R__LAST_", "S_LASTENTRY"]
    {
        let text = |more: &str| format!("enum E {{ A, {more} {end} }};");
        breaks(&text(""), &text("B,"), &[]);
    }
    breaks("enum E { A, B, C };", "enum E { A, D, B, C };", &["HD302"]);
}

#[test]
fn a_version_speaks_for_what_has_its_name() {
    let old = [
        (
            "net.h",
            "#include \"core.h\"\n#define NET_PROTO_MAJOR_VERSION 1\n#define NET_PROTO_MINOR_VERSION 0\nint net_open(void);",
        ),
        ("core.h", "int core_run(int a);\nvoid core_free(void* p);"),
    ];
    let new = [
        (
            "net.h",
            "#include \"core.h\"\n#define NET_PROTO_MAJOR_VERSION 2\n#define NET_PROTO_MINOR_VERSION 0\nint net_open(long a);",
        ),
        ("core.h", "int core_run(int a, int b);\nvoid core_free(void* p);"),
    ];
    let policy = HeaderPolicy::named("semver").unwrap();
    let comparison = compare(&read(&old, &[]), &read(&new, &[]), policy, None);
    let weight = |subject: &str| {
        comparison.changes.iter().find(|c| c.subject() == subject).map(|c| c.finding.severity)
    };
    assert_eq!(weight("core_run"), Some(Severity::Error), "another library");
    assert_eq!(weight("net_open"), Some(Severity::Note), "its major was raised");
}

#[test]
fn many_headers_that_include_each_other_are_read_soon() {
    let names: Vec<String> = (0..80).map(|i| format!("h{i}.h")).collect();
    let all: String =
        names.iter().map(|name| format!("#include \"{name}\"\n#define A{name}\n")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), all.as_str())).collect();
    let begun = std::time::Instant::now();
    read(&files, &[]);
    assert!(begun.elapsed().as_secs() < 60);
}
