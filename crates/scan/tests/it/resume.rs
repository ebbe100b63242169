//! A scan that is killed loses nothing, and repeats nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use unskew_scan::ScanSettings;

use crate::table;

/// How many artifacts are scanned.
const ARTIFACTS: usize = 400;

fn settings() -> ScanSettings {
    ScanSettings { part: 10, jobs: Some(1), ..ScanSettings::default() }
}

/// The scan of a child process: only for [`a_scan_that_is_killed_goes_on_where_it_was`], which names the folders.
#[test]
fn child() {
    let folder = |name: &str| std::env::var_os(name);
    if let (Some(models), Some(out)) = (folder("SCAN_MODELS"), folder("SCAN_TABLE")) {
        table::run(Path::new(&models), Path::new(&out), &settings());
    }
}

#[test]
fn a_scan_that_is_killed_goes_on_where_it_was() {
    let models = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    let model = fs::read(table::examples().join("gelu-2.15.0.pt")).unwrap();
    for index in 0..ARTIFACTS {
        fs::write(models.path().join(format!("n{index:04}.pt")), &model).unwrap();
    }
    let mut kills = 0;
    for wanted in [1, 4, 9] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "resume::child"])
            .env("SCAN_MODELS", models.path())
            .env("SCAN_TABLE", out.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let parts = || out.path().read_dir().unwrap().count();
        while child.try_wait().unwrap().is_none() && parts() < 1 + wanted {
            std::thread::sleep(Duration::from_millis(2));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        // Whatever is there is whole, and no artifact is there twice.
        let lines = table::lines(out.path());
        let pairs: BTreeSet<_> = lines.iter().map(|line| (&line.uri, &line.runtime)).collect();
        assert_eq!(pairs.len(), lines.len());
        assert_eq!(lines.len() % 20, 0, "a part of ten artifacts has two rows of each");
    }
    assert!(kills > 0, "every child came to its end before it was killed");
    let before = table::lines(out.path()).len() / 2;
    let last = table::run(models.path(), out.path(), &settings());
    assert_eq!((last.done_before, last.artifacts), (before, ARTIFACTS - before));
    let lines = table::lines(out.path());
    let uris: BTreeSet<_> = lines.iter().map(|line| &line.uri).collect();
    assert_eq!((uris.len(), lines.len()), (ARTIFACTS, 2 * ARTIFACTS));
}
