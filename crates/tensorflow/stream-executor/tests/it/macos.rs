//! Plug-ins for macOS: Apple's own, and some made byte by byte, against the wheels for macOS.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Party, Role, Verdict, check};
use unskew_source::{BytesSource, FileSource, Source};
use unskew_stream_executor::{exports, party};

fn judge(source: &Arc<dyn Source>, release: &str) -> Verdict {
    let plugin = party(source).unwrap().unwrap();
    let version = release.parse().unwrap();
    let runtime = Party::new(format!("tensorflow {release}"), Role::Runtime, "TensorFlow release")
        .with_capability(exports(&version));
    check(&plugin, &runtime, &Context::for_tests())
}

/// Apple's plug-in for ARM.
fn metal(version: &str) -> Arc<dyn Source> {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let path = root.join(format!("corpus/tensorflow-metal-{version}.dylib"));
    assert!(path.is_file(), "`cargo xtask corpus` fetches it: {}", path.display());
    Arc::new(FileSource::open(&path).unwrap())
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

fn symptoms(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().filter_map(|finding| finding.symptom.as_deref()).collect()
}

fn gaps(verdict: &Verdict) -> Vec<String> {
    verdict.unjudged.iter().map(|gap| gap.aspect.to_string()).collect()
}

/// What users wrote about Apple's plug-in: its release, the one of TensorFlow, and what dyld said, nothing if it was
/// loaded. TensorFlow's issues 81987 and 84167, and its pull request 126360.
const REPORTED: [(&str, &str, Option<&str>); 6] = [
    ("1.1.0", "2.17.1", None),
    ("1.1.0", "2.18.1", Some("Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii")),
    ("1.2.0", "2.18.1", None),
    ("1.2.0", "2.19.1", None),
    ("1.2.0", "2.20.0", Some("Library not loaded: @rpath/_pywrap_tensorflow_internal.so")),
    ("1.2.0", "2.21.0", Some("Library not loaded: @rpath/_pywrap_tensorflow_internal.so")),
];

#[test]
fn what_users_reported_of_apples_plug_in_is_foretold() {
    for (plugin, release, said) in REPORTED {
        let verdict = judge(&metal(plugin), release);
        assert_eq!(gaps(&verdict), ["se.callbacks"], "{plugin} on {release}");
        match said {
            None => assert_eq!(codes(&verdict), ["SE005"], "{plugin} on {release}"),
            Some(said) => {
                assert!(!verdict.works(), "{plugin} on {release}");
                assert!(symptoms(&verdict).contains(&said), "{:?}", symptoms(&verdict));
            }
        }
    }
}

#[test]
fn apples_plug_in_dies_on_2_20_of_a_name_and_would_die_of_symbols() {
    let verdict = judge(&metal("1.2.0"), "2.20.0");
    assert_eq!(codes(&verdict), ["SE002", "SE026", "SE028"]);
    let of = |code| verdict.findings.iter().find(|finding| finding.rule.code == code).unwrap();
    let library = of("SE028");
    let text = "TensorFlow 2.20.0 loads no library with the name that the plug-in needs \
        (tensorflow/python/_pywrap_tensorflow_internal.so calls itself \
        bazel-out/darwin_arm64-opt/bin/tensorflow/python/lib__pywrap_tensorflow_16_shared_object.dylib): \
        @rpath/_pywrap_tensorflow_internal.so";
    assert_eq!(library.message, text);
    let fix = "Install tensorflow==2.19.1, the newest release that has it all.";
    assert!(verdict.findings.iter().all(|finding| finding.fix.as_deref() == Some(fix)));
    // Who forces the path past that comes upon symbols that the file no longer hands on, as the pull request says.
    let images = exports(&"2.20.0".parse().unwrap()).images("aarch64").unwrap();
    let instance = "_ZN10tensorflow28_AttrValue_default_instance_E";
    let has = |file| images.with(instance).unwrap().any(|image| image.file.ends_with(file));
    assert!(!has("_pywrap_tensorflow_internal.so") && has("libtensorflow_framework.2.dylib"));
    assert!(of("SE026").message.starts_with("30 of the 77 C++ symbols"));
    assert!(of("SE002").message.contains("does not export 8 of the 69 C functions"));
    let first = "symbol not found in flat namespace '_TF_AssignUpdateVariable'";
    assert_eq!(of("SE002").symptom.as_deref(), Some(first));
}

#[test]
fn every_release_of_apples_plug_in_names_what_it_misses() {
    for (plugin, works) in [
        // Apple says of 1.0.1 that it is for 2.13, of 1.1.0 that it is for 2.14 and later ones.
        ("1.0.1", 12..=13),
        ("1.1.0", 12..=17),
        ("1.2.0", 12..=19),
    ] {
        for minor in 5..=21 {
            let verdict = judge(&metal(plugin), &format!("2.{minor}.0"));
            assert_eq!(verdict.works(), works.contains(&minor), "{plugin} on 2.{minor}");
        }
    }
}

#[test]
fn what_was_not_measured_is_not_checked() {
    let verdict = judge(&metal("1.2.0"), "2.22.0");
    assert_eq!(codes(&verdict), ["SE005"]);
    let open = ["tf.cpp_symbols", "tf.libraries", "tf.c_api", "se.callbacks"];
    assert_eq!(gaps(&verdict), open);
}

/// Of which library a symbol is, by its number in the list of those that are needed, or of any.
const ANY: u8 = 254;

/// A plug-in for macOS: the paths that it needs, where `@rpath` leads, what it imports.
fn made(needed: &[&str], rpaths: &[&str], imports: &[(&str, u8)]) -> Vec<u8> {
    fn command(kind: u32, body: &[u32], text: &str) -> Vec<u8> {
        let end = usize::from(!text.is_empty());
        let size = (8 + 4 * body.len() + text.len() + end).next_multiple_of(8);
        let words = [kind, size as u32].into_iter().chain(body.iter().copied());
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.extend(text.as_bytes());
        bytes.resize(size, 0);
        bytes
    }
    let mut commands = vec![command(0xd, &[24, 0, 0, 0], "plugin.dylib")];
    commands.extend(needed.iter().map(|path| command(0xc, &[24, 0, 0, 0], path)));
    commands.extend(rpaths.iter().map(|path| command(0x8000_001c, &[12], path)));
    let (mut strings, mut symbols) = (vec![0_u8], Vec::new());
    let entry = [("SE_InitPlugin", None)];
    let all = entry.into_iter().chain(imports.iter().map(|(name, from)| (*name, Some(*from))));
    for (name, from) in all {
        symbols.extend((strings.len() as u32).to_le_bytes());
        // Kind (absolute or undefined, external), section, flags with the number of the library, value.
        symbols.extend(match from {
            None => [0x03, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0],
            Some(library) => [0x01, 0, 0, library, 0, 0, 0, 0, 0, 0, 0, 0],
        });
        strings.extend([b"_", name.as_bytes(), b"\0"].concat());
    }
    let size = commands.iter().map(Vec::len).sum::<usize>() as u32 + 24;
    let (at, count) = (32 + size, symbols.len() as u32 / 16);
    commands
        .push(command(2, &[at, count, at + 16 * count, strings.len() as u32], "")[..24].to_vec());
    let head = [0xfeed_facf, 0x0100_000c, 0, 6, commands.len() as u32, size, 0x80, 0];
    let head: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
    [head, commands.concat(), symbols, strings].concat()
}

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("plugin.dylib", bytes))
}

const FRAMEWORK: &str = "@rpath/libtensorflow_framework.2.dylib";
const PYWRAP: &str = "@rpath/_pywrap_tensorflow_internal.so";

#[test]
fn a_symbol_is_looked_for_in_the_library_that_it_is_bound_to() {
    let good = source(made(&[FRAMEWORK], &[], &[("TF_NewStatus", 1)]));
    // It is in libtensorflow_cc.2.dylib.
    let moved = source(made(&[FRAMEWORK], &[], &[("TFE_NewContext", 1)]));
    let left_open = source(made(&[FRAMEWORK], &[], &[("TFE_NewContext", ANY)]));
    for release in ["2.12.0", "2.16.2", "2.21.0"] {
        assert!(judge(&good, release).works(), "{release}");
        assert!(judge(&left_open, release).works(), "{release}");
        let verdict = judge(&moved, release);
        assert_eq!(codes(&verdict), ["SE029"], "{release}");
        assert_eq!(symptoms(&verdict), ["Symbol not found: _TFE_NewContext"]);
        let message = &verdict.findings[0].message;
        assert!(message.contains("but in tensorflow/libtensorflow_cc.2.dylib"), "{message}");
    }
}

#[test]
fn what_only_a_local_image_has_is_not_found_by_who_leaves_open_where() {
    // Before there was libtensorflow_cc.2.dylib, the Python module had it, for itself alone.
    let plugin = source(made(&[FRAMEWORK], &[], &[("TFE_NewContext", ANY)]));
    let verdict = judge(&plugin, "2.8.0");
    assert_eq!(codes(&verdict), ["SE029"]);
    assert_eq!(symptoms(&verdict), ["symbol not found in flat namespace '_TFE_NewContext'"]);
    let bound = source(made(&[PYWRAP], &[], &[("TFE_NewContext", 1)]));
    assert!(judge(&bound, "2.8.0").works());
}

#[test]
fn a_path_that_leads_to_the_file_finds_it_whatever_it_calls_itself() {
    let imports = [("TF_NewStatus", ANY)];
    let to_it = source(made(&[PYWRAP], &["@loader_path/../tensorflow/python/"], &imports));
    let astray = source(made(&[PYWRAP], &["@loader_path/..", "/usr/local/lib"], &imports));
    assert!(judge(&to_it, "2.21.0").works());
    assert_eq!(codes(&judge(&astray, "2.21.0")), ["SE028"]);
    assert!(judge(&astray, "2.19.1").works());
    let unknown = source(made(&["@rpath/libtensorflow_framework.3.dylib"], &[], &imports));
    let verdict = judge(&unknown, "2.21.0");
    assert_eq!(codes(&verdict), ["SE028"]);
    assert!(verdict.findings[0].message.contains("no file there has that name"));
}

#[test]
fn a_function_of_no_image_is_missing_and_one_of_a_vendor_is_not_ours() {
    let gone = source(made(&[FRAMEWORK], &[], &[("TF_AssignVariable", ANY)]));
    assert!(judge(&gone, "2.19.1").works());
    let verdict = judge(&gone, "2.20.0");
    assert_eq!(codes(&verdict), ["SE002"]);
    let fix = verdict.findings[0].fix.as_deref().unwrap();
    assert!(fix.contains("tensorflow==2.19.1"), "{fix}");
    let vendor = source(made(&["@rpath/libvendor.dylib"], &[], &[("TF_AssignVariable", 1)]));
    assert!(judge(&vendor, "2.20.0").works());
    // A vendor's library may bring absl along, for who leaves open where it is.
    let absl = [("_ZN4absl9nobody_has4thisEv", ANY)];
    let with_vendor = judge(&source(made(&["@rpath/libvendor.dylib"], &[], &absl)), "2.20.0");
    assert_eq!(codes(&with_vendor), ["SE005"]);
    assert!(gaps(&with_vendor).contains(&"tf.cpp_symbols".to_owned()));
    assert_eq!(codes(&judge(&source(made(&[FRAMEWORK], &[], &absl)), "2.20.0")), ["SE026"]);
}

#[test]
fn a_plug_in_for_intel_is_held_against_the_wheels_for_intel() {
    let imports = [("TF_NewStatus", 1), ("TF_AssignVariable", ANY)];
    let mut bytes = made(&[FRAMEWORK], &[], &imports);
    bytes[4..8].copy_from_slice(&0x0100_0007_u32.to_le_bytes());
    let intel = source(bytes);
    assert!(judge(&intel, "2.16.2").works());
    assert!(judge(&intel, "2.9.3").works());
    let verdict = judge(&intel, "2.18.1");
    assert_eq!(codes(&verdict), ["SE030"]);
    assert_eq!(gaps(&verdict), ["se.callbacks"]);
    assert!(verdict.findings[0].fix.as_deref().unwrap().contains("tensorflow==2.16.2"));
}

#[test]
fn a_file_for_several_machines_is_judged_as_the_one_for_arm() {
    let (arm, mut other) = (made(&[FRAMEWORK], &[], &[("TF_AssignVariable", ANY)]), Vec::new());
    other.extend(made(&[], &[], &[]));
    other[4..8].copy_from_slice(&0x0100_0007_u32.to_le_bytes());
    let (first, second) = (64, 64 + other.len());
    let part = |machine: u32, at: usize, size: usize| [machine, 0, at as u32, size as u32, 0];
    let head = [0xcafe_babe, 2].into_iter().chain(part(0x0100_0007, first, other.len()));
    let head = head.chain(part(0x0100_000c, second, arm.len()));
    let mut bytes: Vec<u8> = head.flat_map(u32::to_be_bytes).collect();
    bytes.resize(first, 0);
    let both = source([bytes, other, arm].concat());
    assert_eq!(codes(&judge(&both, "2.20.0")), ["SE002"]);
    let party = party(&both).unwrap().unwrap();
    let facts = format!("{:?}", party.facts);
    assert!(facts.contains("Mach-O aarch64, of a file that also has x86-64"), "{facts}");
}
