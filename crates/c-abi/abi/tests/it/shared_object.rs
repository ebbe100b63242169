//! Shared objects made by the C compiler of this machine, whole and damaged.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use unskew_abi::{Library, LibraryError, ObjectFormat, SharedObject};
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
    assert_eq!(object.format, ObjectFormat::Elf);
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
    assert_eq!(error, LibraryError::MissingLibrary { name: "libinner-of-test.so".into() });
}

/// A file that counts the bytes that are read from it.
struct Counted(FileSource, std::sync::atomic::AtomicU64);

impl Source for Counted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read_at(offset, buffer)?;
        self.1.fetch_add(read as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(read)
    }
}

#[test]
fn real_plug_ins_are_read_without_their_weight() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    for name in ["xla-cpu-pjrt-0.0.1.so", "lammps-jax-pjrt-cpu-0.11.2.so"] {
        let Ok(file) = FileSource::open(&corpus.join(name)) else {
            println!("skipped: {name} is not there; run cargo xtask corpus");
            continue;
        };
        let counted = Arc::new(Counted(file, 0.into()));
        let source: Arc<dyn Source> = counted.clone();
        let object = SharedObject::read(&source).unwrap().unwrap();
        assert!(object.exports("GetPjrtApi"), "{name}");
        assert!(object.needed.iter().any(|library| library == "libc.so.6"), "{name}");
        let read = counted.1.load(std::sync::atomic::Ordering::Relaxed);
        assert!(read < source.size() / 100, "{name}: {read} of {} bytes", source.size());
    }
}

/// A Mach-O library for x86-64, by hand: its name, one needed library, one export, one import.
fn mach_o() -> Vec<u8> {
    fn command(kind: u32, body: &[u32], text: &[u8]) -> Vec<u8> {
        let size = (8 + 4 * body.len() + text.len()).next_multiple_of(8);
        let words = [kind, size as u32].into_iter().chain(body.iter().copied());
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.extend(text);
        bytes.resize(size, 0);
        bytes
    }
    let dylib = |kind, name: &[u8]| command(kind, &[24, 0, 0, 0], name);
    let strings = b"\0_GetPjrtApi\0_puts\0";
    let named = [dylib(0xd, b"libanswer.dylib\0"), dylib(0xc, b"libSystem.B.dylib\0")].concat();
    let after = 32 + named.len() as u32 + 24;
    let commands = [named, command(2, &[after, 2, after + 32, strings.len() as u32], b"")].concat();
    let head: [u32; 8] = [0xfeed_facf, 0x0100_0007, 3, 6, 3, commands.len() as u32, 0x80, 0];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(commands);
    // Two symbols: index of the name, kind (absolute or undefined, external), section, library, value.
    bytes.extend([1, 0, 0, 0, 0x03, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0]);
    bytes.extend([13, 0, 0, 0, 0x01, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(strings);
    bytes
}

/// The same with a list of exports.
fn mach_o_with(exports: &[u8]) -> Vec<u8> {
    let mut bytes = mach_o();
    let old = 32 + u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
    // LC_DYLD_EXPORTS_TRIE behind the other commands; what follows them moves on by its length.
    let end = (bytes.len() + 16) as u32;
    let command = [0x8000_0033, 16, end, exports.len() as u32].map(u32::to_le_bytes).concat();
    bytes.splice(old..old, command);
    let head = [4_u32, old as u32 - 32 + 16].map(u32::to_le_bytes).concat();
    bytes[16..24].copy_from_slice(&head);
    for at in [old - 16, old - 8] {
        let offset = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + 16;
        bytes[at..at + 4].copy_from_slice(&offset.to_le_bytes());
    }
    bytes.extend(exports);
    bytes
}

#[test]
fn a_list_of_exports_that_branches_without_end_is_refused_soon() {
    let tree = b"\0\x01_GetPjrtApi\0\x0f\x01\0\0";
    let object = read(mach_o_with(tree)).unwrap().unwrap();
    assert_eq!(object.exports, ["GetPjrtApi"]);
    // Two branches without a name, both to itself.
    let error = read(mach_o_with(b"\0\x02\0\0\0\0")).unwrap_err().to_string();
    assert!(error.contains("its list of exports is no tree"), "{error}");
}

#[test]
fn a_library_of_macos_is_read_by_its_plain_names() {
    let object = read(mach_o()).unwrap().unwrap();
    assert_eq!((object.format, object.machine.as_str()), (ObjectFormat::MachO, "x86-64"));
    assert_eq!(object.soname.as_deref(), Some("libanswer.dylib"));
    assert_eq!(object.needed, ["libSystem.B.dylib"]);
    assert!(object.exports("GetPjrtApi"), "{:?}", object.exports);
    assert!(object.imports("puts"), "{:?}", object.imports);
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(!object.is_for_here());
        let (its, here) = ("Mach-O x86-64".to_owned(), "ELF x86-64".to_owned());
        assert_eq!(object.built_for(), (its, here));
    }
}

#[test]
fn a_library_is_for_here_by_its_format_and_any_of_its_machines() {
    let itself = Path::new("/proc/self/exe");
    if !itself.exists() {
        println!("skipped: no /proc on this machine");
        return;
    }
    // A test is a position-independent program, which is read as a library.
    let bytes = std::fs::read(itself).unwrap();
    let own = read(bytes.clone()).unwrap().unwrap();
    assert!(own.is_for_here(), "{:?}", own.built_for());
    let other = SharedObject { machine: "s390x".to_owned(), ..own.clone() };
    assert!(!other.is_for_here());
    let fat = SharedObject { also: vec![own.machine], ..other };
    assert!(fat.is_for_here());
}

proptest! {
    #[test]
    fn a_damaged_library_of_macos_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..16),
    ) {
        let mut bytes = mach_o();
        for (place, value) in edits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = read(bytes);
    }

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
