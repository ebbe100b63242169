//! A conversion that is killed leaves nothing that the next one does not take away.
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a large asset has: writing it takes long enough to be killed on the way.
const LARGE: usize = 96 << 20;

/// How often a conversion may be over before it is killed.
const TRIES: usize = 40;

fn convert(model: &Path, to: &str, place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.arg("convert").arg(model).args(["--to", to, "-o"]).arg(place);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Starts a conversion and kills it as soon as `begun` says so; whether it was killed in time.
fn killed(mut command: Command, begun: impl Fn() -> bool) -> bool {
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while !begun() && start.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

#[test]
fn a_folder_that_was_being_written_is_taken_away_by_the_next_conversion() {
    let place = tempfile::tempdir().unwrap();
    let (model, out) = (place.path().join("model"), place.path().join("out"));
    let fixture = Path::new(env!("UNSKEW_ROOT"))
        .join("crates/tensorflow/models/tests/data/saved_models/2.12.1");
    std::fs::create_dir_all(model.join("assets")).unwrap();
    std::fs::create_dir(&out).unwrap();
    for name in ["saved_model.pb", "fingerprint.pb"] {
        std::fs::copy(fixture.join(name), model.join(name)).unwrap();
    }
    std::fs::write(model.join("assets/words.txt"), vec![b'w'; LARGE]).unwrap();
    let command = || convert(&model, "tensorflow@2.4", &out.join("model"));
    let left = (0..TRIES).any(|_| {
        let _ = std::fs::remove_dir_all(out.join("model"));
        killed(command(), || !names(&out).is_empty()) && !names(&out).contains(&"model".into())
    });
    assert!(left, "it was over {TRIES} times before it was killed");
    let unfinished = names(&out);
    let name = unfinished[0].to_str().unwrap();
    assert!(unfinished.len() == 1 && name.starts_with(".unskew-"), "{unfinished:?}");
    assert!(command().status().unwrap().success());
    assert_eq!(names(&out), ["model"]);
    assert_eq!(names(&out.join("model")), ["assets", "fingerprint.pb", "saved_model.pb"]);
}

#[test]
fn a_file_that_was_being_written_has_no_name() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let model = place.path().join("large.pb");
    let example = Path::new(env!("UNSKEW_ROOT")).join("examples/add-cast.pb");
    let mut bytes = std::fs::read(example).unwrap();
    // A field that nobody knows, of 96 MiB: it is copied.
    bytes.extend([0xc2, 0x3e, 0x80, 0x80, 0x80, 0x30]);
    bytes.resize(bytes.len() + LARGE, 0);
    std::fs::write(&model, bytes).unwrap();
    for pause in [1, 20, 60, 120, 200] {
        let begun = Instant::now();
        let command = convert(&model, "tensorflow@1.15", &out.join("large.pb"));
        killed(command, || begun.elapsed() > Duration::from_millis(pause));
        let there = names(&out);
        assert!(there.is_empty() || there == ["large.pb"], "{pause} ms: {there:?}");
    }
}
