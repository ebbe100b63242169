//! Single edits of headers: each with the rules that say what it breaks, and no others.

use crate::common::{codes, diff, lines};
use unskew_core::Severity;

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
    // Nobody sees it by default, before and now: that is a note.
    header("#ifdef X\nint f(int a);\n#endif", "#ifdef X\nint f(long a);\n#endif", &[]);
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

/// As CUDA's names did in Vulkan 1.4: what is built goes on, and source does not find them.
#[test]
fn a_value_that_moves_under_a_condition_is_gone_by_default() {
    let old = "enum Color {\n  RED = 0,\n  BLUE = 1,\n};";
    let new = "enum Color {\n  RED = 0,\n#ifdef BETA\n  BLUE = 1,\n#endif\n};";
    header(old, new, &["HD210"]);
    header(new, old, &[]);
    header(new, new, &[]);
}

/// A name for a type that is like another one's is no new name of that.
#[test]
fn a_field_of_a_wider_number_is_another_type() {
    let old = "#include <stdint.h>\ntypedef struct P { void* next; uint16_t a; uint8_t b; } P;\nvoid f(P* p);";
    header(old, &old.replace("uint16_t", "uint32_t").replace("uint8_t", "uint32_t"), &["HD106"]);
}
