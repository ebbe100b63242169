//! `unskew env` on a real environment that breaks: TensorFlow 2.15 with ops that were built for 2.16, and the same after
//! what the command printed was done.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_peers::{Peer, root, there};

const TENSORFLOW: &str = "tensorflow-2.15.1";
const PLATFORM: &str = "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64";
const SITE: &str = "lib/python3.11/site-packages";

/// An environment with the packages of a real one, to which others can be added.
fn beside(peer: &Peer) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join(SITE);
    fs::create_dir_all(&site).unwrap();
    fs::copy(peer.folder().join("pyvenv.cfg"), folder.path().join("pyvenv.cfg")).unwrap();
    for entry in peer.folder().join(SITE).read_dir().unwrap() {
        let entry = entry.unwrap();
        std::os::unix::fs::symlink(entry.path(), site.join(entry.file_name())).unwrap();
    }
    folder
}

/// Installs `tensorflow-text` of this version in the place of another one, as pip does.
fn install(environment: &Path, version: &str) {
    let site = environment.join(SITE);
    for entry in site.read_dir().unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with("tensorflow_text") {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    let wheel = format!("corpus/packages/tensorflow_text-{version}-{PLATFORM}.whl");
    let wheel = fs::File::open(root().join(wheel)).unwrap();
    zip::ZipArchive::new(wheel).unwrap().extract(&site).unwrap();
}

/// What TensorFlow says of each library of ops: nothing of those that it loads.
fn refusals(peer: &Peer, environment: &Path) -> Vec<String> {
    let mut libraries: Vec<PathBuf> = environment
        .join(SITE)
        .join("tensorflow_text/python/ops")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "so"))
        .collect();
    libraries.sort();
    assert!(libraries.len() > 5, "{libraries:?}");
    let script = "import sys, tensorflow\n\
        for path in sys.argv[1:]:\n\
        \x20   try: tensorflow.load_op_library(path)\n\
        \x20   except tensorflow.errors.NotFoundError as error: print(error.message)\n";
    let output = peer.command().args(["-c", script]).args(&libraries).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Imports `tensorflow_text` of the environment: what Python says where that fails.
fn import_tensorflow_text(peer: &Peer, environment: &Path) -> Result<(), String> {
    let mut command = peer.command();
    command.env("PYTHONPATH", environment.join(SITE)).args(["-c", "import tensorflow_text"]);
    let output = command.output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn judged(environment: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    let output = command.arg("env").arg(environment).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_real_environment_that_breaks_works_after_what_was_printed() {
    if !there(TENSORFLOW) {
        return;
    }
    let peer = Peer::named("tensorflow", "2.15.1").unwrap();
    let folder = beside(&peer);
    let environment = folder.path();

    install(environment, "2.16.1");
    let (status, printed) = judged(environment);
    assert_eq!(status, Some(1), "{printed}");
    let refusals = refusals(&peer, environment);
    assert!(!refusals.is_empty());
    let named = |refusal: &&String| {
        let symbol = refusal.split("undefined symbol: ").nth(1).unwrap_or("none");
        printed.contains(symbol.trim())
    };
    // The text shows 20 findings of a rule; the first one is among them.
    assert!(refusals.iter().any(|refusal| named(&refusal)), "{refusals:?}\n{printed}");

    let fix = printed.lines().find_map(|line| line.strip_prefix("fix  uv pip install ")).unwrap();
    let version = fix.trim_matches('\'').strip_prefix("tensorflow-text==").unwrap();
    install(environment, version);
    assert_eq!(self::refusals(&peer, environment), Vec::<String>::new());

    // The wheels are installed without what they require, so the package still lacks a module that it imports.
    let (status, printed) = judged(environment);
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        printed.contains("imports tensorflow_hub, which nothing in the environment has"),
        "{printed}"
    );
    assert_eq!(printed.matches("error EN").count(), 1, "{printed}");
    assert!(printed.ends_with("1 package fails by itself\n"), "{printed}");
    let failure = import_tensorflow_text(&peer, environment).unwrap_err();
    assert!(failure.contains("No module named 'tensorflow_hub'"), "{failure}");

    fs::write(environment.join(SITE).join("tensorflow_hub.py"), "").unwrap();
    let (status, printed) = judged(environment);
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(import_tensorflow_text(&peer, environment), Ok(()));
}
