//! The commands at the head of the README, run as they are written there.

use std::os::unix::fs::symlink;
use std::process::Command;

use unskew_peers::root;

/// What stands where each command is run, and where it comes from.
const FILES: [(&str, &str); 4] = [
    ("examples", "examples"),
    ("libpjrt_cpu.so", "corpus/xla-cpu-pjrt-0.0.1.so"),
    (
        "old/pjrt_c_api.h",
        "corpus/headers/tensorflow-cpu-2.19.0/tensorflow/include/xla/pjrt/c/pjrt_c_api.h",
    ),
    (
        "new/pjrt_c_api.h",
        "corpus/headers/tensorflow-cpu-2.20.0/tensorflow/include/xla/pjrt/c/pjrt_c_api.h",
    ),
];

/// What each prints somewhere, and its exit status: without an entry here, a command that is added is a failure.
const EXPECTED: [(&str, i32, &str); 6] = [
    ("check examples/gelu-2.15.0.pt", 1, "does not load with torch 1.10.2"),
    ("check examples/add-cast.pb", 0, "works with tensorflow 2.4.4"),
    ("check libpjrt_cpu.so", 1, "unskew adapt"),
    ("adapt libpjrt_cpu.so", 0, "0.70"),
    ("convert examples/gelu-2.15.0.pt", 0, "old.pt"),
    ("diff old/pjrt_c_api.h", 1, "PJRT_API went from 0.67 to 0.72"),
];

#[test]
fn the_commands_at_the_head_of_the_readme_run_as_written() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let block = readme.split("```\n").nth(1).unwrap();
    let commands: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert_eq!(commands.len(), EXPECTED.len(), "{commands:?}");
    if FILES.iter().any(|(_, file)| !root().join(file).exists()) {
        println!("skipped: no corpus");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["old", "new"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    for (name, file) in FILES {
        symlink(root().join(file).canonicalize().unwrap(), folder.path().join(name)).unwrap();
    }
    // The shell finds `unskew` where an installation has it.
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_unskew"), bin.join("unskew")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    for (command, (begins, status, says)) in commands.iter().zip(EXPECTED) {
        assert!(command.starts_with(&format!("unskew {begins}")), "{command}: {begins} expected");
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", command]).env("PATH", &path);
        let ran = shell.output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned()
            + &String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{command}: {text}");
        assert!(text.contains(says), "{command}: {text}");
    }
}
