//! A verb that this build lacks is done by the full command beside it. Only in builds without `fleet`:
//! `cargo test -p unskew-cli --test it -- absent`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn an_absent_verb_is_done_by_the_full_command_beside() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("unskew");
    fs::copy(env!("CARGO_BIN_EXE_unskew"), &own).unwrap();
    let arguments = ["-q", "fleet", "plan", "--help"];
    let run = || Command::new(&own).args(arguments).output().unwrap();

    let alone = run();
    assert_eq!(alone.status.code(), Some(2));
    let said = String::from_utf8_lossy(&alone.stderr);
    assert!(said.contains("pip install 'unskew[full]'"), "{said}");

    let full = folder.path().join("unskew-full");
    fs::write(&full, "#!/bin/sh\necho \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&full, PermissionsExt::from_mode(0o755)).unwrap();
    let beside = run();
    assert_eq!(beside.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&beside.stdout), "-q fleet plan --help\n");
}
