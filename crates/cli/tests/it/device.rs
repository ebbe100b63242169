//! A pluggable device of TensorFlow, made by the C compiler of this machine, and the verbs that look at it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A plug-in that refuses every host but one of version 7.
const REFUSES: &str = r#"
#include <stdint.h>
void TF_SetStatus(void *status, int code, const char *message);
void SE_InitPlugin(uint64_t *params, void *status) {
  if (*(int *)(params + 2) != 7) TF_SetStatus(status, 9, "Unsupported major version");
}
"#;

/// A plug-in that does not come back.
const BLOCKS: &str = "void SE_InitPlugin(void *params, void *status) { for (;;) {} }";

fn build(folder: &Path, text: &str) -> Option<PathBuf> {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("p.c"), text).unwrap();
    std::fs::write(path("empty.c"), "").unwrap();
    let cc = |output: &str, arguments: &[&str]| {
        let mut cc = Command::new("cc");
        cc.current_dir(folder).args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o", output]);
        cc.args(arguments).status().is_ok_and(|status| status.success())
    };
    let made = cc("stub.so", &["-Wl,-soname,libtensorflow_framework.so.2", "empty.c"])
        && cc("p.so", &["p.c", "stub.so"]);
    if !made {
        println!("skipped: no C compiler `cc` here");
    }
    made.then(|| path("p.so"))
}

fn unskew(arguments: &[&str], plugin: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.arg(arguments[0]).arg(plugin).args(&arguments[1..]).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_refusal_is_a_finding_of_check_and_of_conform() {
    let folder = tempfile::tempdir().unwrap();
    let Some(plugin) = build(folder.path(), REFUSES) else { return };
    let output = unskew(&["check", "--with", "tensorflow@2.18", "--format", "concise"], &plugin);
    let words = "SE009 SE_InitPlugin refuses a TensorFlow 2.18.1 host: Unsupported major version";
    assert!(text(&output).contains(words), "{}", text(&output));
    assert_eq!(output.status.code(), Some(1));
    let output = unskew(&["conform"], &plugin);
    assert_eq!(output.status.code(), Some(1));
    let words =
        "2.14 to 2.21    fails: refused by SE_InitPlugin, and unloaded: Unsupported major version";
    assert!(text(&output).contains(words), "{}", text(&output));
    let output = unskew(&["conform", "--format", "json"], &plugin);
    for words in ["\"SE009\"", "\"in TensorFlow 2.14 to 2.21\""] {
        assert!(text(&output).contains(words), "{words}: {}", text(&output));
    }
    // It is asked by inspect too, and what it says to one host is no finding about it.
    let output = unskew(&["inspect", "--deny", "note"], &plugin);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_plug_in_that_blocks_is_told_after_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let Some(plugin) = build(folder.path(), BLOCKS) else { return };
    let output = unskew(&["conform", "--limit", "1"], &plugin);
    let words = "2.14 to 2.21    fails: no answer from SE_InitPlugin within 1 s";
    assert!(text(&output).contains(words), "{}", text(&output));
}

/// A plug-in that registers a platform.
const NAMED: &str = r#"
#include <stdint.h>
void SE_InitPlugin(uint64_t *params, void *status) {
  uint64_t *platform = (uint64_t *)params[4];
  if (platform) { platform[2] = (uint64_t)"ABACUS"; platform[3] = (uint64_t)"ABACUS"; }
}
"#;

/// TensorFlow loads every shared object of a folder, and follows links; at the second of the same platform it ends.
/// What lies in a folder is run only if that is asked for.
#[test]
fn a_copy_and_a_link_in_a_folder_of_plug_ins_are_told() {
    let made = tempfile::tempdir().unwrap();
    let Some(plugin) = build(made.path(), NAMED) else { return };
    for linked in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::copy(&plugin, place("libabacus.so.1")).unwrap();
        let alone = unskew(&["inspect", "--run"], folder.path());
        assert!(!text(&alone).contains("SE027"), "{}", text(&alone));
        match linked {
            true => std::os::unix::fs::symlink("libabacus.so.1", place("libabacus.so")).unwrap(),
            false => assert!(std::fs::copy(&plugin, place("libabacus.so")).is_ok()),
        }
        // Another folder, another process: no company.
        std::fs::create_dir(place("other")).unwrap();
        std::fs::copy(&plugin, place("other/libabacus.so")).unwrap();
        let words =
            "error SE027 libabacus.so.1, in the same folder, registers the same platform: ABACUS";
        for arguments in [
            &["inspect", "--run", "--format", "concise"][..],
            &["check", "--run", "--with", "tensorflow@2.18", "--format", "concise"],
            &["matrix", "--run", "--with", "tensorflow@2.18", "--format", "concise"],
        ] {
            let output = unskew(arguments, folder.path());
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output));
            let said = text(&output);
            let told: Vec<&str> = said.lines().filter(|line| line.contains("SE027")).collect();
            assert_eq!(told.len(), 2, "{arguments:?}: {said}");
            let one = format!("{}: {words}", place("libabacus.so").display());
            assert!(told.contains(&one.as_str()), "{told:?}");
        }
    }
}
