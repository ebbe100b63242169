//! Plug-ins made by the C compiler of this machine, against releases.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, Outcome, Party, PromiseState, Role, Verdict, check};
use unskew_source::{BytesSource, Source};
use unskew_stream_executor::{exports, party};

/// A shared object that has `entry`, calls `imports` and needs the library called `soname`; none
/// without a C compiler.
fn build(entry: &str, imports: &[&str], soname: Option<&str>) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let calls: String = imports.iter().map(|name| format!("{name}();")).collect();
    let declared: String = imports.iter().map(|name| format!("void {name}(void);")).collect();
    std::fs::write(path("p.c"), format!("{declared} void {entry}(void) {{ {calls} }}")).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"]).args([path("p.so"), path("p.c")]);
    if let Some(soname) = soname {
        std::fs::write(path("empty.c"), "").unwrap();
        link_stub(&path("empty.c"), &path("libstub.so"), soname)?;
        cc.arg(path("libstub.so"));
    }
    if !cc.status().is_ok_and(|status| status.success()) {
        println!("skipped: no C compiler that makes shared objects");
        return None;
    }
    Some(std::fs::read(path("p.so")).unwrap())
}

fn link_stub(source: &Path, output: &Path, soname: &str) -> Option<()> {
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", &format!("-Wl,-soname,{soname}"), "-o"]).args([output, source]);
    cc.status().is_ok_and(|status| status.success()).then_some(())
}

fn plugin(bytes: Vec<u8>) -> Party {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("dir/device.so", bytes));
    party(&source).unwrap().unwrap()
}

fn judge(plugin: &Party, release: &str) -> Verdict {
    let version = release.parse().unwrap();
    let runtime = Party::new(format!("tensorflow {release}"), Role::Runtime, "TensorFlow release")
        .with_capability(exports(&version));
    check(plugin, &runtime, &Context::for_tests())
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

const FRAMEWORK: Option<&str> = Some("libtensorflow_framework.so.2");

#[test]
fn a_plug_in_of_functions_that_stayed_loads_everywhere_since_2_5() {
    let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus", "TF_SetStatus"], FRAMEWORK) else {
        return;
    };
    let plugin = plugin(bytes);
    assert_eq!(plugin.name, "device.so");
    assert_eq!(plugin.kind, "TensorFlow pluggable device");
    for release in ["2.12.1", "2.18.1", "2.19.1", "2.21.0"] {
        let verdict = judge(&plugin, release);
        assert_eq!(verdict.outcome, Outcome::Unjudged, "{release}: {:?}", verdict.findings);
        assert_eq!(verdict.promises[0].state, PromiseState::NotPromised);
        assert!(verdict.unjudged.iter().any(|gap| gap.aspect == "se.callbacks"));
    }
    assert_eq!(codes(&judge(&plugin, "2.4.4")), ["SE001"]);
}

#[test]
fn functions_of_an_unmeasured_release_are_not_checked() {
    let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus"], FRAMEWORK) else { return };
    let verdict = judge(&plugin(bytes), "2.22.0");
    assert!(verdict.unjudged.iter().any(|gap| gap.aspect == "tf.c_api"));
}

#[test]
fn a_function_that_went_away_is_an_undefined_symbol_and_the_last_release_is_named() {
    let imports = ["TF_AssignVariable", "TF_NewStatus"];
    let Some(bytes) = build("TF_InitKernel", &imports, FRAMEWORK) else { return };
    let plugin = plugin(bytes);
    assert!(judge(&plugin, "2.18.1").works());
    let verdict = judge(&plugin, "2.19.1");
    assert_eq!(codes(&verdict), ["SE002"]);
    let finding = &verdict.findings[0];
    let text = "TensorFlow 2.19.1 does not export 1 of the 2 C functions that the plug-in imports: \
        TF_AssignVariable";
    assert_eq!(finding.message, text);
    assert_eq!(finding.symptom.as_deref(), Some("undefined symbol: TF_AssignVariable"));
    assert!(finding.fix.as_ref().unwrap().contains("tensorflow==2.18.1"), "{:?}", finding.fix);
}

#[test]
fn the_python_module_is_found_up_to_2_18() {
    let pywrap = Some("_pywrap_tensorflow_internal.so");
    let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus"], pywrap) else { return };
    let plugin = plugin(bytes);
    assert!(judge(&plugin, "2.18.1").works());
    assert_eq!(codes(&judge(&plugin, "2.19.1")), ["SE003"]);
}

#[test]
fn a_plug_in_for_another_framework_finds_no_library() {
    for soname in ["libtensorflow_framework.so.1", "libtensorflow_framework.so.3"] {
        let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus"], Some(soname)) else { return };
        let verdict = judge(&plugin(bytes), "2.18.1");
        assert_eq!(codes(&verdict), ["SE003"]);
        assert!(verdict.findings[0].message.ends_with(soname), "{}", verdict.findings[0].message);
    }
}

#[test]
fn imports_without_a_library_fail_and_cpp_symbols_are_no_promise() {
    let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus"], None) else { return };
    let without = plugin(bytes);
    assert_eq!(codes(&judge(&without, "2.18.1")), ["SE004"]);
    assert!(judge(&without, "2.19.1").works());
}

/// Of the destructor of a class that every release up to 2.10 has where plug-ins see it.
const FATAL: &str = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";

#[test]
fn a_cpp_symbol_is_there_or_not_and_is_no_promise() {
    let Some(bytes) = build("SE_InitPlugin", &[FATAL, "TF_NewStatus"], FRAMEWORK) else { return };
    let plugin = plugin(bytes);
    let verdict = judge(&plugin, "2.10.1");
    assert!(verdict.works());
    assert_eq!(codes(&verdict), ["SE005"]);
    assert_eq!(gaps(&verdict), ["se.callbacks"]);
    let verdict = judge(&plugin, "2.21.0");
    assert_eq!(codes(&verdict), ["SE026"]);
    let finding = &verdict.findings[0];
    assert_eq!(finding.symptom.as_deref(), Some(&*format!("undefined symbol: {FATAL}")));
    assert!(finding.fix.as_ref().unwrap().contains("tensorflow==2.10.1"), "{:?}", finding.fix);
    assert_eq!(gaps(&verdict), ["se.callbacks"]);
    // A release that was not measured: neither its C functions nor its C++ symbols are known.
    let newer = judge(&plugin, "2.22.0");
    assert_eq!(codes(&newer), ["SE005"]);
    assert_eq!(gaps(&newer), ["tf.cpp_symbols", "tf.c_api", "se.callbacks"]);
    // No release has both.
    let never = "_ZN10tensorflow8internal15LogMessageFatalD9Ev";
    let Some(bytes) = build("SE_InitPlugin", &[never], FRAMEWORK) else { return };
    let verdict = judge(&self::plugin(bytes), "2.10.1");
    assert!(verdict.findings[0].fix.as_ref().unwrap().starts_with("Rebuild the plug-in"));
}

#[test]
fn a_symbol_that_another_library_may_have_is_not_known_to_be_missing() {
    let absl = "_ZN4absl9nobody_has4thisEv";
    for (name, soname, wanted) in [
        (absl, Some("libtensorflow_framework.so.2"), vec!["SE026"]),
        // A vendor's own library may bring protobuf and absl along, but not TensorFlow.
        (absl, Some("libvendor.so.1"), vec!["SE005"]),
        (FATAL, Some("libvendor.so.1"), vec!["SE026"]),
    ] {
        let Some(bytes) = build("SE_InitPlugin", &[name], soname) else { return };
        let verdict = judge(&plugin(bytes), "2.21.0");
        assert_eq!(codes(&verdict), wanted, "{name} {soname:?}");
        let known = !gaps(&verdict).contains(&"tf.cpp_symbols".to_owned());
        assert_eq!(known, wanted == ["SE026"]);
    }
}

/// What the axes are that were not checked.
fn gaps(verdict: &Verdict) -> Vec<String> {
    verdict.unjudged.iter().map(|gap| gap.aspect.to_string()).collect()
}

#[test]
fn a_function_of_another_library_is_out_of_sight_until_2_18() {
    let imports = ["TF_NewStatus", "TFE_NewContext"];
    let Some(bytes) = build("SE_InitPlugin", &imports, FRAMEWORK) else { return };
    let plugin = plugin(bytes);
    let verdict = judge(&plugin, "2.18.1");
    assert_eq!(codes(&verdict), ["SE004"]);
    let finding = &verdict.findings[0];
    assert_eq!(finding.symptom.as_deref(), Some("undefined symbol: TFE_NewContext"));
    assert!(finding.fix.as_ref().unwrap().contains("libtensorflow_cc.so.2"));
    assert!(judge(&plugin, "2.19.1").works());
    let Some(bytes) = build("SE_InitPlugin", &imports, Some("libtensorflow_cc.so.2")) else {
        return;
    };
    assert!(judge(&self::plugin(bytes), "2.18.1").works());
}

/// A function, the library that the plug-in needs, and whether TensorFlow 2.12.1, 2.16.2, 2.18.1,
/// 2.19.1 and 2.21.0 loaded it (`+`) or said that something is missing (`-`).
const LOADED: [(&str, Option<&str>, &str); 10] = [
    ("TF_NewStatus", FRAMEWORK, "+++++"),
    ("TF_NewFunctionLibraryDefinition", FRAMEWORK, "---++"),
    ("TF_NewFunctionLibraryDefinition", Some("libtensorflow_cc.so.2"), "+++++"),
    ("TF_AllocateOutput", Some("libtensorflow_cc.so.2"), "+++++"),
    ("TF_NewFunctionLibraryDefinition", Some("_pywrap_tensorflow_internal.so"), "+++--"),
    ("TF_AllocateOutput", Some("_pywrap_tensorflow_internal.so"), "+++--"),
    ("TF_NewStatus", None, "---++"),
    ("TFE_NewContext", FRAMEWORK, "---++"),
    ("TF_AssignVariable", FRAMEWORK, "+++--"),
    ("TF_Log", FRAMEWORK, "++++-"),
];

#[test]
fn what_real_releases_loaded_and_refused_is_foretold() {
    let mut agreed = 0;
    for (function, library, loaded) in LOADED {
        let Some(bytes) = build("TF_InitKernel", &[function], library) else { return };
        let plugin = plugin(bytes);
        for (release, loaded) in
            ["2.12.1", "2.16.2", "2.18.1", "2.19.1", "2.21.0"].into_iter().zip(loaded.chars())
        {
            let works = judge(&plugin, release).works();
            assert_eq!(works, loaded == '+', "{function} of {library:?} on {release}");
            agreed += 1;
        }
    }
    println!("agreement {agreed}/50 loads");
}

#[test]
fn other_libraries_are_not_plug_ins() {
    let Some(bytes) = build("GetPjrtApi", &[], None) else { return };
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("other.so", bytes));
    assert!(party(&source).unwrap().is_none());
}

#[test]
fn changed_plug_ins_are_read_or_refused() {
    let Some(bytes) = build("SE_InitPlugin", &["TF_NewStatus", "TF_Log"], FRAMEWORK) else {
        return;
    };
    let changes = proptest::collection::vec((0..bytes.len(), any::<u8>()), 1..12);
    proptest!(ProptestConfig::with_cases(300), |(changes in changes, cut in 0..bytes.len())| {
        let mut changed = bytes.clone();
        for (at, byte) in changes {
            changed[at] = byte;
        }
        for bytes in [changed[..cut].to_vec(), changed] {
            let source: Arc<dyn Source> = Arc::new(BytesSource::new("p.so", bytes));
            if let Ok(Some(party)) = party(&source) {
                judge(&party, "2.21.0");
            }
        }
    });
}
