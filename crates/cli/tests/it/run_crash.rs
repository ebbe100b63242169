//! `unskew run`: a plug-in that takes its process down is an error message.

use std::process::Command;

/// A plug-in of 0.54 that ends the process as soon as it is asked for its table.
const ABORTS: &str = "#include <stdlib.h>\nconst void *GetPjrtApi(void) { abort(); }\n";

#[test]
fn a_plug_in_that_aborts_is_an_error_and_not_a_crash_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let (source, plugin) = (folder.path().join("p.c"), folder.path().join("p.so"));
    std::fs::write(&source, ABORTS).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&plugin).arg(&source).status();
    if !built.as_ref().is_ok_and(std::process::ExitStatus::success) {
        println!("skipped: no C compiler `cc` here: {built:?}");
        return;
    }
    let program = concat!(env!("UNSKEW_ROOT"), "/examples/programs/add.mlir");
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .arg("run")
        .arg(&plugin)
        .args([program, "--fill", "ones"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("ended its process: signal: 6 (SIGABRT)"), "{errors}");
}
