//! Shared objects with debug information say what their headers said, and where the compiler put it.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use proptest::prelude::*;
use unskew_c_headers::Headers;
use unskew_c_headers::contract::{HeaderContract, HeaderSource};
use unskew_c_headers::debug;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_source::Files;

const HEADER: &str = "
#include <stddef.h>
#include <stdint.h>
#define END_OF(type, last) (offsetof(struct type, last) + sizeof(((struct type*)0)->last))
typedef enum { Color_Red = 0, Color_Green = 1 } Color;
typedef struct Part { int32_t left; unsigned long right; } Part;
typedef struct Paint_Args Paint_Args;
typedef struct Canvas Canvas;
struct Unused { int a; };
struct Paint_Args {
  size_t struct_size;
  Canvas* canvas;
  const char* title;
  char flag;
  int32_t width;
  Color color;
  Part part;
  Part* parts;
  size_t num_parts;
  union { int32_t a; double b; } either;
  uint16_t pairs[3][2];
};
typedef int Paint(Paint_Args* args);
typedef struct Api {
  size_t struct_size;
  Paint* paint;
  void (*draw)(const Part* from, size_t count, ...);
} Api;
const Api* GetApi(void);
";

const SOURCE: &str = "
#include \"device.h\"
struct Inner { int of_nobody; };
static struct Inner inner;
static int paint(Paint_Args* args) { return args->width + inner.of_nobody; }
static void draw(const Part* from, size_t count, ...) { (void)from; (void)count; }
const Api* GetApi(void) {
  static Api api = { sizeof(Api), paint, draw };
  return &api;
}
";

/// A plug-in of this header, built by the compiler of this machine.
fn build(header: &str, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("device.h"), header).unwrap();
    std::fs::write(path("device.c"), SOURCE).unwrap();
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.current_dir(folder.path()).args(["-g", "-fPIC", "device.c", "-o", "device.so"]).args(flags);
    if !flags.contains(&"-c") {
        cc.arg("-shared");
    }
    let ran = cc.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    std::fs::read(path("device.so")).unwrap()
}

fn of_header(text: &str) -> HeaderContract {
    HeaderContract::read(&[HeaderSource { name: "device.h", text: text.as_bytes() }], "")
}

#[test]
fn what_the_compiler_placed_is_what_the_reader_of_headers_says() {
    let (text, object) = (of_header(HEADER), debug::read(&build(HEADER, &[])).unwrap());
    assert!(text.unread.is_empty(), "{:?}", text.unread);
    let names = |contract: &HeaderContract| contract.structs.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&object), ["Api", "Paint_Args", "Part"], "and nothing of the source");
    for (name, record) in &object.structs {
        let other = &text.structs[name];
        let places = |record: &unskew_c_headers::contract::HeaderStruct| -> Vec<_> {
            let members = record.members.iter();
            members.map(|m| (m.name.clone(), m.offset, m.size, m.is_function)).collect()
        };
        assert_eq!(places(record), places(other), "{name}");
        assert_eq!((record.size(), record.end()), (other.size(), other.end()), "{name}");
        assert_eq!(record.is_extensible(), other.is_extensible());
        assert_eq!(record.spot.file.as_ref(), "device.h");
        // The parameters of types of functions have no names here, so that none counts another.
        assert_eq!(record.uses.embedded_in, other.uses.embedded_in, "{name}");
        assert_eq!(record.uses.by_value, other.uses.by_value, "{name}");
    }
    let color = &object.enums["Color"].declared.enumerators;
    assert_eq!(color.iter().map(|value| value.value).collect::<Vec<_>>(), [Some(0), Some(1)]);
    assert!(object.callbacks.contains_key("Paint") && object.opaque.contains_key("Canvas"));
    assert_eq!(object.functions.keys().collect::<Vec<_>>(), ["GetApi"]);
}

/// The codes of what changed between two sides.
fn codes(old: (&str, Vec<u8>), new: (&str, Vec<u8>)) -> Vec<&'static str> {
    let side = |(name, bytes): (&str, Vec<u8>)| Files::from_iter([(name, bytes)]);
    let terms = CompareOptions { policy: Some("pjrt"), ..CompareOptions::default() };
    let found = Headers.compare(&side(old), &side(new), &terms).unwrap();
    let text: Vec<&str> = found.promises.iter().map(|(_, p)| p.statement.as_str()).collect();
    assert!(text.iter().any(|text| text.contains("no macros")), "{text:?}");
    found.changes.iter().map(|change| change.finding.rule.code).collect()
}

#[test]
fn two_builds_are_compared_by_what_they_hold() {
    let old = || ("old.so", build(HEADER, &[]));
    assert_eq!(codes(old(), old()), [""; 0]);
    let cases = [
        ("  int32_t width;\n  Color color;\n", "  Color color;\n  int32_t width;\n", "HD105"),
        ("  int32_t width;\n", "  float width;\n", "HD106"),
        ("  size_t num_parts;\n", "  size_t num_parts;\n  void* more;\n", "HD102"),
        ("unsigned long right;", "unsigned long right; int more;", "HD112"),
        ("Color_Red = 0, Color_Green = 1", "Color_Green = 0, Color_Red = 1", "HD302"),
        ("typedef int Paint(Paint_Args* args);", "typedef long Paint(Paint_Args* args);", "HD204"),
    ];
    for (from, to, code) in cases {
        assert!(HEADER.contains(from), "{from}");
        let text = HEADER.replace(from, to);
        let text = text.replace("static int paint", "static long paint");
        let found = codes(old(), ("new.so", build(&text, &["-w"])));
        assert!(found.contains(&code), "{to}: {found:?}");
    }
}

#[test]
fn a_build_fits_its_header() {
    let found = codes(("device.h", HEADER.into()), ("device.so", build(HEADER, &[])));
    assert_eq!(found, [""; 0]);
    let other = HEADER.replace("int32_t width", "float width");
    let found = codes(("device.h", other.into()), ("device.so", build(HEADER, &[])));
    assert_eq!(found, ["HD106"]);
}

#[test]
fn what_has_no_debug_information_is_no_pass() {
    let read = |bytes: &[u8]| debug::read(bytes).unwrap_err().to_string();
    let no = "no debug information; build it with -g, and do not strip it";
    assert_eq!(read(&build(HEADER, &["-g0"])), no);
    assert!(read(&build(HEADER, &["-c"])).starts_with("an object file that is not linked"));
    assert!(read(b"\x7fELF").starts_with("no shared object"));
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert!(read(&std::fs::read(fixture).unwrap()).starts_with("no shared object"));
}

#[test]
fn broken_debug_information_never_panics() {
    let whole = build(HEADER, &[]);
    // Every byte of the sections is broken once in a while, and the file is cut at many places.
    for seed in 0..600_usize {
        let mut bytes = whole.clone();
        for step in 0..8 {
            let at = (seed * 7919 + step * 104_729) % bytes.len();
            bytes[at] = bytes[at].wrapping_add(u8::try_from(seed % 255).unwrap() + 1);
        }
        let _ = debug::read(&bytes);
        let _ = debug::read(&whole[..whole.len() * seed / 600]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_damaged_shared_object_is_an_error_or_a_contract_and_never_a_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        end in any::<prop::sample::Index>(),
    ) {
        static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| build(HEADER, &[]));
        let mut bytes = WHOLE.clone();
        for (place, value) in edits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let side = |bytes: &[u8]| Files::from_iter([("device.so", bytes.to_vec())]);
        let whole = side(&WHOLE);
        let _ = Headers.compare(&whole, &side(&bytes), &CompareOptions::default());
        bytes.truncate(end.index(bytes.len()));
        let _ = Headers.compare(&side(&bytes), &whole, &CompareOptions::default());
    }
}
