//! The commands of the README, run as they are written there, in a folder with nothing but the examples.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use unskew_peers::root;

/// What each command prints somewhere, and its exit status: without an entry here, a command that is added is a failure.
const EXPECTED: [(&str, i32, &str); 9] = [
    ("check examples/gelu-2.15.0.pt", 0, "1.12.1 to 2.15.0"),
    ("convert examples/gelu-2.15.0.pt", 0, "old.pt works with torch 1.4.0"),
    ("explain \"Unsupported model IR version", 0, "ON001"),
    ("env .venv", 0, "no failure found"),
    ("lock examples/requirements.txt", 1, "does not load with torch 2.4.0"),
    ("check examples/add-cast.pb", 0, "works with tensorflow 2.15.1"),
    ("matrix examples", 1, "gelu-2.15.0.pt"),
    ("diff examples/ops-before.pbtxt", 1, "TF601"),
    ("lint --config examples/lint/after/unskew.toml", 1, "PB001"),
];

/// The commands in the first table of the README: cells that begin with the name of the command.
fn commands(readme: &str) -> Vec<&str> {
    let table =
        readme.split("\n## Where to start\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
    table.split('`').filter_map(|cell| cell.strip_prefix("unskew ")).collect()
}

/// An environment without a package.
fn make_environment(folder: &Path) {
    std::fs::create_dir_all(folder.join("lib/python3.12/site-packages")).unwrap();
    std::fs::write(folder.join("pyvenv.cfg"), "version = 3.12.1\n").unwrap();
}

#[test]
fn the_commands_of_the_readme_run_as_written() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let commands = commands(&readme);
    let folder = tempfile::tempdir().unwrap();
    symlink(root().join("examples"), folder.path().join("examples")).unwrap();
    make_environment(&folder.path().join(".venv"));
    // The shell finds `unskew` where an installation has it.
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_unskew"), bin.join("unskew")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    assert_eq!(commands.len(), EXPECTED.len(), "{commands:?}");
    for command in commands {
        let (_, status, says) = EXPECTED
            .iter()
            .find(|(begins, ..)| command.starts_with(begins))
            .unwrap_or_else(|| panic!("nothing is expected of: unskew {command}"));
        let mut shell = Command::new("sh");
        shell
            .current_dir(folder.path())
            .args(["-c", &format!("unskew {command}")])
            .env("PATH", &path);
        let ran = shell.output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned()
            + &String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(*status), "{command}: {text}");
        assert!(text.contains(says), "{command}: {text}");
    }
}
