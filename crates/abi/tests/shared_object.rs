//! Shared objects made by the C compiler of this machine, whole and damaged.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use unskew_abi::{Format, Library, LoadError, SharedObject};
use unskew_source::{BytesSource, FileSource, Source};

/// A small library: one export, one import, one needed library, a name; none without a C compiler.
fn library() -> Option<&'static [u8]> {
    static BUILT: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    BUILT
        .get_or_init(|| build("int puts(const char *); int GetAnswer(void) { return puts(\"\"); }"))
        .as_deref()
}

fn build(code: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("lib.c"), folder.path().join("lib.so"));
    std::fs::write(&source, code).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-soname,libanswer.so.1", "-o"])
        .args([&output, &source])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        println!("skipped: no C compiler that makes shared objects");
        return None;
    }
    Some(std::fs::read(output).unwrap())
}

fn read(bytes: Vec<u8>) -> Result<Option<SharedObject>, unskew_source::ReadError> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("lib.so", bytes));
    SharedObject::read(&source)
}

#[test]
#[cfg(target_os = "linux")]
fn what_the_compiler_put_in_is_what_is_read() {
    let Some(bytes) = library() else { return };
    let object = read(bytes.to_vec()).unwrap().unwrap();
    assert_eq!(object.format, Format::Elf);
    assert_eq!(object.soname.as_deref(), Some("libanswer.so.1"));
    assert!(object.exports("GetAnswer") && !object.exports("puts"));
    assert!(object.imports("puts") && !object.imports("GetAnswer"));
    assert!(object.needed.iter().any(|name| name.starts_with("libc.so")), "{:?}", object.needed);
}

#[test]
fn other_files_are_not_shared_objects() {
    for bytes in [
        &b""[..],
        b"PK\x03\x04",
        b"\x7fELF",
        b"MZ",
        &[0; 4096],
        b"\xca\xfe\xba\xbe\0\0\0\x34class file",
    ] {
        assert!(matches!(read(bytes.to_vec()), Ok(None)), "{bytes:?}");
    }
}

#[test]
fn a_library_that_ends_early_is_an_error_with_its_name() {
    let Some(bytes) = library() else { return };
    let error = read(bytes[..bytes.len() / 2].to_vec()).unwrap_err();
    assert!(error.to_string().starts_with("lib.so: "), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "loads the library that this test has built")]
fn a_library_that_needs_another_that_is_not_here_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let cc = |arguments: &[&str]| {
        Command::new("cc")
            .current_dir(folder.path())
            .args(arguments)
            .status()
            .is_ok_and(|s| s.success())
    };
    std::fs::write(folder.path().join("a.c"), "int inner(void) { return 7; }").unwrap();
    std::fs::write(
        folder.path().join("b.c"),
        "int inner(void); int outer(void) { return inner(); }",
    )
    .unwrap();
    if !cc(&["-shared", "-fPIC", "-o", "libinner-of-test.so", "a.c"])
        || !cc(&["-shared", "-fPIC", "-o", "outer.so", "b.c", "-L.", "-linner-of-test"])
    {
        println!("skipped: no C compiler that makes shared objects");
        return;
    }
    // SAFETY: the library is the one built above, and it does not load anyway.
    let error = unsafe { Library::open(&folder.path().join("outer.so")) }.unwrap_err();
    assert_eq!(error, LoadError::MissingLibrary { name: "libinner-of-test.so".into() });
}

/// Every real plug-in of the corpus, by `UNSKEW_PLUGINS=path:path`: for work on this crate.
#[test]
fn real_plug_ins_are_read_without_their_weight() {
    let Some(paths) = std::env::var_os("UNSKEW_PLUGINS") else { return };
    for path in std::env::split_paths(&paths) {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(Path::new(&path)).unwrap());
        let start = std::time::Instant::now();
        let object = SharedObject::read(&source).unwrap().unwrap();
        println!(
            "{}: {} {}, {} exports, {} imports, needs {:?}, {:?}",
            path.display(),
            object.format,
            object.machine,
            object.exports.len(),
            object.imports.len(),
            object.needed,
            start.elapsed()
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_after_any_magic_never_panic(
        magic in prop::sample::select(vec![
            &b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0"[..], b"\x7fELF\x01\x01\x01",
            b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xce", b"\xca\xfe\xba\xbe\0\0\0\x01", b"MZ", b"",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..2048),
    ) {
        let mut bytes = magic.to_vec();
        bytes.extend(rest);
        let _ = read(bytes);
    }

    #[test]
    fn a_damaged_library_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..32),
        header in prop::collection::vec((0_usize..512, any::<u8>()), 0..8),
        length in any::<prop::sample::Index>(),
    ) {
        let Some(bytes) = library() else { return Ok(()) };
        let mut bytes = bytes.to_vec();
        for (place, value) in edits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        for (place, value) in header {
            bytes[place] = value;
        }
        bytes.truncate(length.index(bytes.len() * 4).max(1).min(bytes.len()));
        let _ = read(bytes);
    }
}
