//! What is cut short, lies, or is of another version: it is said, and nothing panics.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::Context;
use unskew_environments::{
    Environment, InstallProblem, InstalledPackage, LockTarget, PackageLock, SitePackages, judge,
};
use unskew_source::BytesSource;

fn wheel(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const METADATA: (&str, &str) = ("app-1.0.dist-info/METADATA", "Name: app\nVersion: 1.0\n");

fn read(bytes: Vec<u8>) -> Result<InstalledPackage, String> {
    let source = BytesSource::new("app-1.0-py3-none-any.whl", bytes);
    InstalledPackage::of_wheel(Arc::new(source)).map_err(|error| error.to_string())
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
    let missing = |one: &InstallProblem| matches!(one, InstallProblem::Missing(all) if all[0].ends_with("_pb2.py"));
    assert!(trouble.iter().any(missing), "{trouble:?}");
    assert!(
        trouble.contains(&InstallProblem::NotRecorded(vec!["app/b.so".to_owned()])),
        "{trouble:?}"
    );
    let none = read(wheel(&[METADATA])).unwrap().trouble;
    assert!(matches!(none[..], [InstallProblem::NoRecord(_)]), "{none:?}");
    assert!(read(wheel(&[("app/x.py", "")])).unwrap_err().contains("no wheel"));
}

#[test]
fn locks_of_another_version_or_kind_are_refused_or_not_judged() {
    for (name, text) in [
        ("uv.lock", "version = 99\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\n"),
        ("pylock.toml", "lock-version = \"9.0\"\n[[packages]]\nname = \"torch\"\n"),
        ("pixi.lock", "version: 99\npackages:\n- pypi: https://h/torch.whl\n"),
        ("conda-lock.yml", "version: 99\npackage:\n- name: torch\n"),
        ("poetry.lock", "[metadata]\nlock-version = \"9.0\"\n"),
    ] {
        let error = PackageLock::of_text(name, text).err().map(|error| error.to_string());
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
    let environment = Environment::read(&SitePackages::find(site.path()).unwrap()).unwrap();
    let judged = judge(&environment, &Context::for_tests());
    let codes: Vec<&str> = judged
        .pairs
        .iter()
        .flat_map(|pair| &pair.verdict.findings)
        .map(|one| one.rule.code)
        .collect();
    assert_eq!(codes, ["EN104"]);
    let app = environment.package("app").unwrap();
    assert_eq!(app.trouble, [InstallProblem::Missing(vec!["app/dangling.so".to_owned()])]);
}

/// A `site-packages` with the package `one`, whose `RECORD` is this.
fn site(record: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    let info = site.join("one-1.0.dist-info");
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("METADATA"), "Name: one\nVersion: 1.0\n").unwrap();
    fs::write(info.join("RECORD"), record).unwrap();
    (folder, site)
}

fn trouble(site: &Path) -> Vec<InstallProblem> {
    let environment = Environment::read(&SitePackages::find(site).unwrap()).unwrap();
    environment.packages.into_iter().flat_map(|package| package.trouble).collect()
}

#[test]
fn a_record_that_is_empty_does_not_say_that_there_are_no_files() {
    for record in ["", "\n \n"] {
        let (_folder, site) = site(record);
        assert_eq!(trouble(&site), [InstallProblem::NoRecord("RECORD is empty".to_owned())]);
    }
}

#[test]
fn a_record_may_list_what_is_no_file() {
    let (_folder, site) = site("one/a.so,,\none/b_pb2.py,,\n");
    fs::create_dir_all(site.join("one/a.so")).unwrap();
    let expected = [
        InstallProblem::Unreadable("one/a.so is not a file".to_owned()),
        InstallProblem::Missing(vec!["one/b_pb2.py".to_owned()]),
    ];
    assert_eq!(trouble(&site), expected);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_those_that_lead_nowhere_are_missing() {
    use std::os::unix::fs::symlink;
    let (_folder, real) = site("one/a_pb2.py,,\none/gone_pb2.py,,\none/loop_pb2.py,,\n");
    fs::create_dir_all(real.join("one")).unwrap();
    fs::write(real.join("elsewhere.py"), "").unwrap();
    symlink("../elsewhere.py", real.join("one/a_pb2.py")).unwrap();
    symlink("nowhere.py", real.join("one/gone_pb2.py")).unwrap();
    symlink("loop_pb2.py", real.join("one/loop_pb2.py")).unwrap();
    let missing = ["one/gone_pb2.py", "one/loop_pb2.py"].map(str::to_owned).to_vec();

    // The package is linked into another environment, as uv does with `--link-mode symlink`.
    let other = tempfile::tempdir().unwrap();
    let linked = other.path().join("site-packages");
    fs::create_dir_all(&linked).unwrap();
    for name in ["one", "one-1.0.dist-info"] {
        symlink(real.join(name), linked.join(name)).unwrap();
    }
    for site in [&real, &linked] {
        assert_eq!(trouble(site), [InstallProblem::Missing(missing.clone())]);
    }
}

/// What is said of a package whose one file has 2 bytes, under this line of `RECORD`.
fn said_of(line: &str) -> Vec<InstallProblem> {
    let (_folder, site) = site(line);
    fs::create_dir_all(site.join("one")).unwrap();
    fs::write(site.join("one/a_pb2.py"), "a\n").unwrap();
    trouble(&site)
}

#[test]
fn a_size_that_record_has_otherwise_is_said() {
    for line in ["one/a_pb2.py,,2\n", "one/a_pb2.py,sha256=x,\n", "one/a_pb2.py,,many\n"] {
        assert_eq!(said_of(line), [], "{line}");
    }
    let other = [InstallProblem::OtherSize(vec!["one/a_pb2.py".to_owned()])];
    assert_eq!(said_of("one/a_pb2.py,sha256=x,3\n"), other);
    let wheel = wheel(&[
        METADATA,
        ("one/a_pb2.py", "a\n"),
        ("app-1.0.dist-info/RECORD", "one/a_pb2.py,,3\n"),
    ]);
    assert_eq!(read(wheel).unwrap().trouble, other);
}

#[test]
fn a_direct_url_that_cannot_be_read_may_be_of_an_editable_install() {
    let (_folder, site) = site("one/a.py,,\n");
    let url = site.join("one-1.0.dist-info/direct_url.json");
    fs::write(&url, "{").unwrap();
    assert!(
        matches!(&*trouble(&site), [InstallProblem::Unreadable(why)] if why.contains("direct_url.json"))
    );
    fs::write(&url, r#"{"url": "file:///src", "dir_info": {"editable": true}}"#).unwrap();
    assert_eq!(trouble(&site), [InstallProblem::Editable("file:///src".to_owned())]);
    fs::write(&url, r#"{"url": "file:///src", "dir_info": {}}"#).unwrap();
    assert_eq!(trouble(&site), []);
}

#[test]
fn what_is_installed_in_other_ways_is_not_judged_by_name() {
    let (_folder, site) = site("one/a.py,,\n");
    for (name, text) in [
        ("dev.egg-link", "/src\n"),
        ("old-2.0.egg", ""),
        ("path.pth", "# a comment\n/src/dev\n"),
        ("code.pth", "import os\n"),
    ] {
        fs::write(site.join(name), text).unwrap();
    }
    let environment = Environment::read(&SitePackages::find(&site).unwrap()).unwrap();
    let said: Vec<String> = environment.not_read.iter().map(|one| one.places.to_string()).collect();
    let expected = ["path.pth", "dev.egg-link", "old-2.0.egg"];
    assert_eq!(said.len(), expected.len(), "{said:?}");
    assert!(expected.iter().all(|name| said.iter().any(|one| one == name)), "{said:?}");
}

#[test]
fn a_wheel_whose_record_lies_is_read_by_its_members() {
    let members = [("one/a.so", "\u{7f}ELF cut short"), METADATA];
    let with = |record| {
        let package =
            read(wheel(&[&members[..], &[("app-1.0.dist-info/RECORD", record)]].concat()));
        package.unwrap().trouble
    };
    assert_eq!(with("")[0], InstallProblem::NoRecord("RECORD is empty".to_owned()));
    let lies = with("one/b.so,,\n");
    assert!(lies.contains(&InstallProblem::Missing(vec!["one/b.so".to_owned()])), "{lies:?}");
    assert!(lies.contains(&InstallProblem::NotRecorded(vec!["one/a.so".to_owned()])), "{lies:?}");
    assert!(lies.iter().any(|one| matches!(one, InstallProblem::Unreadable(_))), "{lies:?}");
}

proptest! {
    #[test]
    fn any_text_is_a_lock_or_is_refused(text in "[ -~\n]{0,200}", kind in 0..6_usize) {
        let name =
            ["uv.lock", "pylock.toml", "poetry.lock", "pixi.lock", "conda-lock.yml", "requirements.txt"][kind];
        if let Ok(lock) = PackageLock::of_text(name, &text) {
            let _ = lock.environment(LockTarget::default(), None);
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
