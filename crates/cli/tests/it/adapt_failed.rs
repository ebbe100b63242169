//! `unskew adapt` that fails leaves nothing behind.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Something that is a plug-in by its name, and cannot be adapted.
fn broken(folder: &Path) -> PathBuf {
    let plugin = folder.join("plugin.so");
    std::fs::write(&plugin, b"\x7fELF, and no more").unwrap();
    plugin
}

#[test]
fn an_adaptation_that_fails_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = broken(folder.path());
    let out = folder.path().join("a/b/c");
    let wrong: [&[&str]; 3] = [
        &["--present", "0.54"],
        &["--present", "0.54", "--name", "no/name"],
        &["--present", "0.54", "--adapter", "nothing.so"],
    ];
    for more in wrong {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(folder.path()).arg("adapt").arg(&plugin).args(more).arg("-o").arg(&out);
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "only the plug-in: {}", String::from_utf8_lossy(&output.stderr));
    }
}
