//! Plug-ins from C: a table of functions, and what is particular about it.

use std::path::PathBuf;
use std::process::Command;

/// Builds a plug-in; none, with a word, without a C compiler.
pub fn build(table: &str, body: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("plugin.c"), folder.path().join("plugin.so"));
    std::fs::write(&source, format!("{table}\n{body}")).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-w", "-o"]).args([&output, &source]).status();
    if built.is_ok_and(|status| status.success()) {
        return Some((folder, output));
    }
    println!("skipped: no C compiler that makes shared objects");
    None
}
