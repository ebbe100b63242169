//! Pythons that are named are run in a folder that has modules of every name that they import: none of these is.

use std::path::Path;
use std::process::Command;

const MODULES: [&str; 6] = ["torch", "numpy", "json", "sysconfig", "jaxlib", "scipy"];

fn folder() -> tempfile::TempDir {
    let made = tempfile::tempdir().unwrap();
    for name in MODULES {
        let text = "import pathlib; pathlib.Path(__file__).with_name('witness').touch()\n";
        std::fs::write(made.path().join(name).with_extension("py"), text).unwrap();
    }
    made
}

/// The error of a Python that lacks what it is to import, in such a folder.
fn error(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.args(arguments).current_dir(folder);
    let output = command.env_remove("PYTHONPATH").env("PYTHONNOUSERSITE", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(!folder.join("witness").exists(), "{said}");
    said
}

#[test]
#[cfg(feature = "run")]
fn a_python_of_a_bisection_imports_nothing_of_the_current_folder() {
    let made = folder();
    let model = unskew_peers::root().join("crates/cli/tests/files/div-1.4.0.pt");
    let model = model.to_str().unwrap();
    let said = error(
        made.path(),
        &["ops", "bisect", model, "--input", "7", "--input", "2", "--python", "python3"],
    );
    assert!(said.contains("No module named 'torch'"), "{said}");
}

#[test]
#[cfg(feature = "serve")]
fn a_python_of_handlers_imports_nothing_of_the_current_folder() {
    let made = folder();
    let said = error(made.path(), &["serve", "--port", "0", "--handlers", "python3", "none.so"]);
    assert!(said.contains("it needs the packages jaxlib, scipy and unskew_jax"), "{said}");
}
