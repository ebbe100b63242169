//! Plug-ins that import C++ symbols, against what real releases of TensorFlow said when they loaded them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use unskew_core::{Context, Party, Role, check};
use unskew_peers::{Peer, root, there};
use unskew_source::{FileSource, Source};
use unskew_stream_executor::{exports, party};

fn works(plugin: &Path, release: &str) -> bool {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(plugin).unwrap());
    let plugin = party(&source).unwrap().unwrap();
    let version = release.parse().unwrap();
    let runtime = Party::new(format!("tensorflow {release}"), Role::Runtime, "TensorFlow release")
        .with_capability(exports(&version));
    check(&plugin, &runtime, &Context::for_tests()).works()
}

/// A vendor's plug-in that imports two C++ symbols and needs the library of the Python module, and the releases
/// that loaded it, all asked.
#[test]
fn the_plug_in_of_directml_loads_in_one_release_of_seventeen() {
    let plugin = root().join("corpus/tensorflow-directml-plugin-0.4.0.dev230202.so");
    assert!(plugin.is_file(), "`cargo xtask corpus` fetches it: {}", plugin.display());
    let releases = unskew_stream_executor::measured();
    assert_eq!(releases.len(), 17);
    for release in releases {
        let release = release.to_string();
        assert_eq!(works(&plugin, &release), release == "2.10.1", "{release}");
    }
}

/// A symbol, and the libraries that a plug-in needs.
const SYMBOLS: [(&str, &str); 12] = [
    ("_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE", FRAMEWORK),
    ("_ZN10tensorflow8grappler20IsConjugateTransposeERKNS_7NodeDefE", FRAMEWORK),
    ("_ZN6google8protobuf21MethodDescriptorProto8CopyFromERKS1_", FRAMEWORK),
    ("_ZN6google8protobuf8internal12ExtensionSet10FindOrNullEi", FRAMEWORK),
    ("_ZN6google8protobuf4util9converter16JsonObjectWriterD1Ev", FRAMEWORK),
    ("_ZN10tensorflow17BundleHeaderProtoC1ERKS0_", FRAMEWORK),
    ("_ZN10tensorflow19Example_class_data_E", FRAMEWORK),
    ("_ZN10tensorflow13GetJitRtFlagsEv", FRAMEWORK),
    ("_ZN10tensorflow13GetJitRtFlagsEv", CC),
    ("_ZNK10tensorflow4data29GetDataServiceMetadataRequest13SetCachedSizeEi", CC),
    ("_ZN10tensorflow3rpc12ListResponseC1EPN6google8protobuf5ArenaEb", CC),
    ("_ZN10tensorflow8internal15LogMessageFatalD1Ev", CC),
];

const FRAMEWORK: &str = "libtensorflow_framework.so.2";
const CC: &str = "libtensorflow_cc.so.2";

/// Prints a line for every plug-in: whether TensorFlow loads it.
const LOAD: &str = "
import sys
from tensorflow.python.framework import load_library
for path in sys.argv[1:]:
    try:
        load_library.load_pluggable_device_library(path)
        print('loaded')
    except Exception as error:
        print('refused', str(error).replace('\\n', ' '))
";

/// A plug-in that takes the address of a symbol.
fn build(folder: &Path, index: usize, symbol: &str, library: &str) -> Option<PathBuf> {
    let path = |name: String| folder.join(name);
    let (text, empty) = (path(format!("p{index}.c")), path("empty.c".to_owned()));
    let code =
        format!("extern char {symbol}[]; void *taken = {symbol}; void TF_InitKernel(void) {{}}");
    std::fs::write(&text, code).unwrap();
    std::fs::write(&empty, "").unwrap();
    let (stub, output) = (path(format!("stub{index}.so")), path(format!("p{index}.so")));
    let cc = |arguments: &[&str], files: &[&PathBuf]| {
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-Wl,--no-as-needed"]).args(arguments).arg("-o").args(files);
        cc.status().is_ok_and(|status| status.success())
    };
    let made = cc(&[&format!("-Wl,-soname,{library}")], &[&stub, &empty])
        && cc(&[], &[&output, &text, &stub]);
    if !made {
        println!("skipped: no C compiler that makes shared objects");
    }
    made.then_some(output)
}

fn agrees_with(release: &str) {
    if !there(&format!("tensorflow-{release}")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut plugins = Vec::new();
    for (i, (symbol, library)) in SYMBOLS.into_iter().enumerate() {
        let Some(plugin) = build(folder.path(), i, symbol, library) else { return };
        plugins.push(plugin);
    }
    let host = Peer::named("tensorflow", release).unwrap();
    let output = host
        .command()
        .args(["-c", LOAD])
        .args(&plugins)
        .env("TF_CPP_MIN_LOG_LEVEL", "3")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), plugins.len(), "{}", String::from_utf8_lossy(&output.stderr));
    for ((plugin, said), (symbol, library)) in plugins.iter().zip(lines).zip(SYMBOLS) {
        println!("tensorflow {release}: {symbol} of {library}: {said}");
        assert_eq!(
            works(plugin, release),
            said == "loaded",
            "{release} {symbol} {library}: {said}"
        );
    }
}

#[test]
fn verdicts_agree_with_tensorflow_2_15_1() {
    agrees_with("2.15.1");
}

#[test]
fn verdicts_agree_with_tensorflow_2_21_0() {
    agrees_with("2.21.0");
}
