//! Single edits of headers and protobuf files: each with the rules that say what it breaks, and no others.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod common;

use common::{codes, diff, lines};
use unskew_core::Severity;
use unskew_kinds::{Kind, Terms};
use unskew_lint::protobuf::Protobuf;
use unskew_source::Files;

/// The codes of warnings and errors between two headers with a version that goes up by what is added.
#[track_caller]
fn header(old: &str, new: &str, wanted: &[&str]) {
    let with = |minor: u8, text: &str| {
        format!("#define DEV_MAJOR 1\n#define DEV_MINOR {minor}\n#include <stddef.h>\n{text}")
    };
    let comparison = diff(&with(1, old), &with(2, new), Some("pjrt"));
    let mut found = codes(&comparison, Severity::Warning);
    // What follows from a break: the number that was not raised for it.
    found.retain(|code| *code != "HD001");
    assert_eq!(found, wanted, "{old}\n{new}\n{}", lines(&comparison));
}

#[test]
fn declarations_behind_macros_are_compared() {
    let declarations = [
        "#define OF(args) args\nint dev_run OF((int a, TYPE b));",
        "extern int DEVEXPORT dev_run(int a, TYPE b);",
        "DEV_API int DEVCALL dev_run(int a, TYPE b);",
        "DEVEXTERN const char * DEVEXPORT dev_run(int a, TYPE b);",
        "int dev_run P_((int a, TYPE b));",
        "DEVAPI(int) dev_run(int a, TYPE b);",
        "typedef int (DEVCALL *dev_run)(int a, TYPE b);",
        "#define DEVAPI(type) extern type __attribute__((visibility(\"default\")))\nDEVAPI(int) dev_run(int a, TYPE b);",
        "#define EXPORT(type, name, args) extern type name args\nEXPORT(int, dev_run, (int a, TYPE b));",
        "#ifdef _WIN32\n#define DEVCC __stdcall\n#else\n#define DEVCC\n#endif\nint DEVCC dev_run(int a, TYPE b);",
        "__attribute__((nonnull(1))) int dev_run(int a, TYPE b) __attribute__((pure));",
        "DEV_NODISCARD(1) int dev_run(int a, TYPE b) DEV_NOEXCEPT;",
        "BOOL WINAPI dev_run(int a, TYPE b);",
        "size_t DEVCALL dev_run(int a, TYPE b);",
    ];
    for text in declarations {
        let (old, new) = (text.replace("TYPE", "int"), text.replace("TYPE", "long"));
        header(&old, &new, &["HD204"]);
        header(&old, &old, &[]);
    }
}

#[test]
fn what_cannot_be_read_is_an_error_if_it_changed_and_none_if_not() {
    let old = "VENDOR_DECLARE(dev_run, int);\n";
    let new = "VENDOR_DECLARE(dev_run, long);\n";
    header(old, new, &["HD007"]);
    header(old, old, &[]);
    let old = "typedef struct S { int a; } S;\nvoid f(S* s);";
    header(old, &old.replace("typedef struct", "typedef strct"), &["HD007"]);
    header(old, &old.replace("struct S", "struct  S"), &[]);
}

#[test]
fn another_name_of_the_same_type_breaks_nothing() {
    let old = "typedef struct A { int x; } A;\ntypedef struct B { int x; } B;\nvoid f(B* b);";
    header(old, "typedef struct A { int x; } A;\ntypedef A B;\nvoid f(B* b);", &[]);
    header(old, "typedef struct A { int x; } A;\ntypedef A B;\nvoid f(A* b);", &[]);
    let other = "typedef struct A { double x; } A;\ntypedef A B;\nvoid f(B* b);";
    header(old, other, &["HD106"]);
    let pointer = "typedef struct A { int x; } A;\ntypedef void* B;\nvoid f(B* b);";
    header(old, pointer, &["HD106"]);
    header(
        "typedef enum E { E_A, E_B } E;\nvoid f(E e);",
        "typedef enum G { E_A, E_B } G;\ntypedef G E;\nvoid f(E e);",
        &[],
    );
    header(
        "typedef void (*Back)(int);\nvoid f(Back b);",
        "typedef void (*Other)(int);\ntypedef Other Back;\nvoid f(Back b);",
        &[],
    );
}

#[test]
fn packing_moves_fields() {
    let old = "struct S { char a; int b; };\nvoid f(struct S* s);";
    let packed = "#pragma pack(push, 1)\nstruct S { char a; int b; };\n#pragma pack(pop)\nvoid f(struct S* s);";
    header(old, packed, &["HD118"]);
    header(packed, packed, &[]);
    header(packed, &packed.replace("pack(push, 1)", "pack(push, 2)"), &["HD118"]);
    header(
        old,
        "#pragma pack(push, 1)\n#pragma pack(pop)\nstruct S { char a; int b; };\nvoid f(struct S* s);",
        &[],
    );
}

#[test]
fn conditions_are_judged_as_a_compiler_on_linux_does() {
    let old = "int f(int a);\nint g(int a);";
    header(old, "#ifdef DEV_F\nint f(int a);\n#endif\nint g(int a);", &["HD210"]);
    header(old, "#ifndef DEV_NO_F\nint f(int a);\n#endif\nint g(int a);", &["HD211"]);
    header(old, "#ifdef _WIN32\nint f(long a);\n#else\nint f(int a);\n#endif\nint g(int a);", &[]);
    header(old, "#if DEV_LEVEL > 3\nint f(int a);\n#endif\nint g(int a);", &["HD210"]);
    header(
        old,
        "#define DEV_LEVEL 4\n#if DEV_LEVEL > 3\nint f(int a);\n#endif\nint g(int a);",
        &["HD211"],
    );
    // Nobody sees it by default, before and now.
    header("#ifdef X\nint f(int a);\n#endif", "#ifdef X\nint f(long a);\n#endif", &["HD204"]);
}

#[test]
fn a_const_that_source_depends_on_is_a_warning() {
    header("int f(const char* a);", "int f(char* a);", &["HD212"]);
    header("int f(char* a);", "int f(const char* a);", &[]);
    header("char* f(void);", "const char* f(void);", &["HD212"]);
    header("int f(const int a);", "int f(int a);", &[]);
    header("struct S { const char* a; };", "struct S { char* a; };", &["HD212"]);
}

#[test]
fn numbers_of_versions_are_no_constants_that_changed() {
    for name in
        ["DEV_VERNUM", "DEV_REVISION", "DEV_VER_REVISION", "DEV_SUBREVISION", "DEV_VERSION_NUMBER"]
    {
        let text = |number: u8| format!("#define {name} {number}\nint f(int a);");
        header(&text(1), &text(2), &[]);
    }
    header("#define DEV_LIMIT 1\nint f(int a);", "#define DEV_LIMIT 2\nint f(int a);", &["HD601"]);
}

/// The codes of warnings and errors between two protobuf files.
#[track_caller]
fn proto(old: &str, new: &str, wanted: &[&str]) {
    let side = |text: &str| {
        let mut files = Files::default();
        let head = if text.starts_with("edition") { "" } else { "syntax = \"proto3\";\n" };
        files.insert("a.proto".to_owned(), format!("{head}{text}").into_bytes());
        files
    };
    let found = Protobuf.compare(&side(old), &side(new), &Terms::default()).unwrap();
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
        let found = Protobuf.compare(&files(old), &files(new), &Terms::default()).unwrap();
        let finding = &found.changes[0].finding;
        (finding.message.clone(), finding.mend.clone().unwrap())
    };
    let (message, mend) = said(old, new);
    assert!(
        message.contains("was string without UTF-8 validation and is string with UTF-8 validation"),
        "{message}"
    );
    assert!(message.ends_with("texts that are not UTF-8 are refused"), "{message}");
    assert!(mend.contains("utf8_validation = NONE") && mend.contains("add `string s`"), "{mend}");
    let (message, mend) = said(new, old);
    assert!(
        message.contains("was string with UTF-8 validation and is string without UTF-8 validation"),
        "{message}"
    );
    assert!(mend.contains("string without UTF-8 validation are out"), "{mend}");
    let bytes = "edition = \"2023\";\nmessage M { bytes s = 1 [features.utf8_validation = NONE]; }";
    proto(bytes, &new.replace("string", "bytes"), &[]);
}
