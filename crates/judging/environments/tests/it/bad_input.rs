//! What is cut short, lies, or is of another version: it is said, and nothing panics.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, Date};
use unskew_environments::{Environment, Lock, Package, Site, Target, Trouble, judge};
use unskew_source::BytesSource;

/// A wheel with these members.
fn wheel(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const METADATA: (&str, &str) = ("app-1.0.dist-info/METADATA", "Name: app\nVersion: 1.0\n");

fn read(bytes: Vec<u8>) -> Result<Package, String> {
    let source = BytesSource::new("app-1.0-py3-none-any.whl", bytes);
    Package::of_wheel(Arc::new(source)).map_err(|error| error.to_string())
}

#[test]
fn a_wheel_that_is_cut_short_is_refused_by_name_at_every_length() {
    let whole = wheel(&[
        METADATA,
        ("app/a_pb2.py", "from google.protobuf.internal import builder"),
        ("app-1.0.dist-info/RECORD", "app/a_pb2.py,,\n"),
    ]);
    assert_eq!(read(whole.clone()).unwrap().trouble, []);
    for length in 0..whole.len() {
        let error = read(whole[..length].to_vec()).unwrap_err();
        assert!(error.contains("app-1.0-py3-none-any.whl"), "{length}: {error}");
    }
}

#[test]
fn a_record_that_lies_is_said() {
    let lies = wheel(&[
        METADATA,
        ("app/b.so", "no object"),
        ("app-1.0.dist-info/RECORD", "app/a_pb2.py,,\n../../x_pb2.py,,\n\"app/\n"),
    ]);
    let trouble = read(lies).unwrap().trouble;
    let missing =
        |one: &Trouble| matches!(one, Trouble::Missing(all) if all[0].ends_with("_pb2.py"));
    assert!(trouble.iter().any(missing), "{trouble:?}");
    assert!(trouble.contains(&Trouble::NotRecorded(vec!["app/b.so".to_owned()])), "{trouble:?}");
    let none = read(wheel(&[METADATA])).unwrap().trouble;
    assert!(matches!(none[..], [Trouble::NoRecord(_)]), "{none:?}");
    assert!(read(wheel(&[("app/x.py", "")])).unwrap_err().contains("no wheel"));
}

#[test]
fn locks_of_another_version_or_kind_are_refused_or_not_judged() {
    for (name, text) in [
        ("uv.lock", "version = 99\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\n"),
        ("pylock.toml", "lock-version = \"9.0\"\n[[packages]]\nname = \"torch\"\n"),
        ("pixi.lock", "version: 99\npackages:\n- pypi: https://h/torch.whl\n"),
        ("poetry.lock", "[metadata]\nlock-version = \"9.0\"\n"),
    ] {
        let error = Lock::of_text(name, text).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains(name)), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_symlinked_install_is_read_as_what_it_leads_to() {
    let real = tempfile::tempdir().unwrap();
    fs::create_dir(real.path().join("app")).unwrap();
    fs::write(real.path().join("app/a_pb2.py"), "x = _descriptor.FieldDescriptor(name='a')")
        .unwrap();
    let site = tempfile::tempdir().unwrap();
    for (name, version, record) in
        [("app", "1.0", "app/a_pb2.py,,\napp/dangling.so,,\n"), ("protobuf", "4.21.0", "")]
    {
        let info = site.path().join(format!("{name}-{version}.dist-info"));
        fs::create_dir(&info).unwrap();
        let metadata = format!("Name: {name}\nVersion: {version}\n");
        fs::write(info.join("METADATA"), metadata).unwrap();
        fs::write(info.join("RECORD"), record).unwrap();
    }
    std::os::unix::fs::symlink("/no/such/file", real.path().join("app/dangling.so")).unwrap();
    std::os::unix::fs::symlink(real.path().join("app"), site.path().join("app")).unwrap();
    let environment = Environment::read(&Site::find(site.path()).unwrap()).unwrap();
    let judged = judge(&environment, &Context::on(Date::constant(2026, 11, 1)));
    let codes: Vec<&str> = judged
        .pairs
        .iter()
        .flat_map(|pair| &pair.verdict.findings)
        .map(|one| one.rule.code)
        .collect();
    assert_eq!(codes, ["EN104"]);
    let app = environment.package("app").unwrap();
    assert_eq!(app.trouble, [Trouble::Missing(vec!["app/dangling.so".to_owned()])]);
}

proptest! {
    #[test]
    fn any_text_is_a_lock_or_is_refused(text in "[ -~\n]{0,200}", kind in 0..5_usize) {
        let name = ["uv.lock", "pylock.toml", "poetry.lock", "pixi.lock", "requirements.txt"][kind];
        if let Ok(lock) = Lock::of_text(name, &text) {
            let _ = lock.environment(Target::default(), None);
        }
    }

    #[test]
    fn any_record_and_metadata_are_read(record in ".{0,200}", metadata in ".{0,200}") {
        let _ = read(wheel(&[
            ("app-1.0.dist-info/METADATA", &format!("Name: app\nVersion: 1.0\n{metadata}")),
            ("app-1.0.dist-info/RECORD", &record),
        ]));
    }
}
