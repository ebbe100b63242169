//! Where outputs go: into devices and pipes, never over them, and never out of the folder that was named.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ROOT: &str = env!("UNSKEW_ROOT");

fn unskew<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(ROOT).args(args).stdin(Stdio::null());
    command
}

/// Every verb that writes one stream of bytes to the path that follows.
const STREAMS: [&[&str]; 6] = [
    &["convert", "examples/add-cast.pb", "--to", "tensorflow@1.15", "-o"],
    &["matrix", "examples/add-cast.pb", "--with", "tensorflow@2.15", "-o"],
    &["matrix", "examples/add-cast.pb", "--with", "tensorflow@2.15", "--format", "html", "-o"],
    &["history", "examples/history/stored_version.h", "--svg"],
    &["ops", "table", "torch@2.1", "-o"],
    &["ops", "closure", "examples/gelu-2.15.0.pt", "-o"],
];

/// Makes a device node of our own; none where this user may not. 1:3 is the null device, 1:7 the one that is full.
fn node(place: &Path, kind: &str, minor: &str) -> bool {
    let mut made = Command::new("mknod");
    made.arg(place).args([kind, "1", minor]).stderr(Stdio::null());
    made.status().is_ok_and(|status| status.success()) && fs::metadata(place).is_ok()
}

/// Whether a device of our own can be opened here: some file systems have none.
fn works(place: &Path) -> bool {
    fs::OpenOptions::new().write(true).open(place).is_ok()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the verb writes to a file.
fn to_file(verb: &[&str], folder: &Path) -> Vec<u8> {
    let place = folder.join("file");
    let output = unskew(verb).arg(&place).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{verb:?}: {}", errors(&output));
    fs::read(place).unwrap()
}

#[test]
fn a_named_pipe_gets_what_a_file_would_and_stays_one() {
    for verb in STREAMS {
        let folder = tempfile::tempdir().unwrap();
        let whole = to_file(verb, folder.path());
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let link = folder.path().join("link");
        symlink("pipe", &link).unwrap();
        for place in [&pipe, &link] {
            let reader = std::thread::spawn({
                let pipe = pipe.clone();
                move || fs::read(pipe).unwrap()
            });
            let output = unskew(verb).arg(place).output().unwrap();
            assert_ne!(output.status.code(), Some(2), "{verb:?}: {}", errors(&output));
            assert_eq!(reader.join().unwrap(), whole, "{verb:?}");
            assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo(), "{verb:?}");
        }
        assert!(link.is_symlink());
    }
}

#[test]
fn a_device_is_written_into_and_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let (null, full) = (folder.path().join("null"), folder.path().join("full"));
    if !node(&null, "c", "3") || !node(&full, "c", "7") || !works(&null) {
        return println!("skipped: this user makes no devices here");
    }
    for verb in STREAMS {
        let output = unskew(verb).arg(&null).output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{verb:?}: {}", errors(&output));
        let output = unskew(verb).arg(&full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        let errors = errors(&output);
        assert!(errors.contains("No space left") && errors.contains("/full"), "{verb:?}: {errors}");
        for place in [&null, &full] {
            let kind = fs::symlink_metadata(place).unwrap().file_type();
            assert!(kind.is_char_device(), "{verb:?}: {}", place.display());
        }
    }
}

#[test]
fn an_open_file_of_the_process_is_written_into() {
    for verb in STREAMS {
        let folder = tempfile::tempdir().unwrap();
        let whole = to_file(verb, folder.path());
        let (name, before) = (folder.path().join("out"), b"before\n");
        fs::write(&name, before).unwrap();
        let out = fs::OpenOptions::new().append(true).open(&name).unwrap();
        let output = unskew(verb).arg("/dev/stdout").arg("-q").stdout(out).output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{verb:?}: {}", errors(&output));
        let written = fs::read(&name).unwrap();
        assert_eq!(written, [&before[..], &whole[..]].concat(), "{verb:?}");
        let output = unskew(verb).arg("/dev/stdout").arg("-q").output().unwrap();
        assert_eq!(output.stdout, whole, "{verb:?}");
    }
}

#[test]
fn what_no_output_can_be_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    symlink("gone", at("dangling")).unwrap();
    symlink(&secret, at("out-of-it")).unwrap();
    symlink(at("out-of-it"), at("twice")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let mut places = vec![
        ("socket", "a socket"),
        ("dangling", "leads to nothing"),
        ("out-of-it", "a link out of its folder"),
        ("twice", "a link out of its folder"),
        ("folder", "a folder"),
    ];
    match node(&at("disk"), "b", "0") {
        true => places.push(("disk", "a block device")),
        false => println!("skipped: this user makes no devices here"),
    }
    for verb in STREAMS {
        for (name, why) in &places {
            let output = unskew(verb).arg(at(name)).output().unwrap();
            let errors = errors(&output);
            assert_eq!(output.status.code(), Some(2), "{verb:?} {name}: {errors}");
            assert!(errors.contains(why), "{verb:?} {name}: {errors}");
            assert!(errors.contains(&at(name).display().to_string()), "{verb:?} {name}: {errors}");
        }
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    let there = |name: &str| fs::symlink_metadata(at(name)).unwrap().file_type();
    assert!(there("socket").is_socket() && there("dangling").is_symlink());
    assert!(there("out-of-it").is_symlink() && there("twice").is_symlink());
}

#[test]
fn a_link_within_the_folder_stays_and_what_it_leads_to_is_replaced() {
    for verb in STREAMS {
        let folder = tempfile::tempdir().unwrap();
        let whole = to_file(verb, folder.path());
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        symlink("target", &link).unwrap();
        let output = unskew(verb).arg(&link).output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{verb:?}: {}", errors(&output));
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), whole, "{verb:?}");
    }
}

/// Every verb that fills the folder that follows, and one of the files in it.
fn folders() -> Vec<(Vec<&'static str>, &'static str)> {
    let mut all = vec![(vec!["man", "-o"], "unskew-check.1")];
    if cfg!(feature = "run") {
        let run = [
            "ops",
            "run",
            "examples/floor-divide-1.12.1.pt",
            "--input",
            "crates/cli/tests/files/sevens.npy",
            "--input",
            "crates/cli/tests/files/twos.npy",
            "--output",
        ];
        all.push((run.to_vec(), "0.npy"));
    }
    all
}

#[test]
fn a_folder_of_outputs_has_files_only_and_leads_nowhere_else() {
    for (verb, name) in folders() {
        let folder = tempfile::tempdir().unwrap();
        let place = |kind: &str| {
            let own = folder.path().join(kind);
            fs::create_dir(&own).unwrap();
            own
        };
        let filled = |own: &Path| unskew(&verb).arg(own).output().unwrap();
        let secret = folder.path().join("secret");
        fs::write(&secret, "secret").unwrap();

        let own = place("plain");
        let output = filled(&own);
        assert!(output.status.success(), "{verb:?}: {}", errors(&output));
        assert!(own.join(name).is_file());

        let own = place("pipe");
        nix::unistd::mkfifo(&own.join(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let output = filled(&own);
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        assert!(errors(&output).contains("a named pipe"), "{verb:?}: {}", errors(&output));
        assert!(fs::symlink_metadata(own.join(name)).unwrap().file_type().is_fifo());

        let own = place("link");
        symlink(&secret, own.join(name)).unwrap();
        let output = filled(&own);
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        assert!(errors(&output).contains("a link out of its folder"), "{}", errors(&output));
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");

        let pipe = folder.path().join("no-folder");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let output = filled(&pipe);
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        assert!(errors(&output).contains("a named pipe, not a folder"), "{}", errors(&output));
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    }
}

#[test]
fn a_converted_folder_is_put_over_no_link_and_no_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let model = "crates/tensorflow/models/tests/data/saved_models/2.12.1";
    let convert = |place: &PathBuf| {
        let args = ["convert", model, "--to", "tensorflow@2.4", "-o"];
        unskew(&args).arg(place).output().unwrap()
    };
    let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    symlink("empty", &link).unwrap();
    for (place, why) in [(&pipe, "a named pipe"), (&link, "a link")] {
        let output = convert(place);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(why), "{}", errors(&output));
        assert!(errors(&output).contains(&place.display().to_string()), "{}", errors(&output));
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo() && link.is_symlink());
    let output = convert(&folder.path().join("empty"));
    assert!(output.status.success(), "{}", errors(&output));
}

#[cfg(feature = "scan")]
#[test]
fn a_table_is_put_over_no_device_and_no_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let null = folder.path().join("null");
    let mut places = vec![pipe];
    if node(&null, "c", "3") {
        places.push(null);
    }
    for place in places {
        let args = ["scan", "examples/programs", "--with", "jax@0.6.2", "-o"];
        let output = unskew(&args).arg(&place).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(!fs::symlink_metadata(&place).unwrap().is_file());
    }
}
