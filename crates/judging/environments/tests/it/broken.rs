//! Installations and wheels that are broken: each is said, and nothing is guessed.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use unskew_environments::{Environment, Package, Site, Trouble};
use unskew_source::FileSource;

const METADATA: &str = "Metadata-Version: 2.1\nName: one\nVersion: 1.0\n\n";

/// A `site-packages` with the package `one`, whose `RECORD` is this.
fn site(record: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    let info = site.join("one-1.0.dist-info");
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("METADATA"), METADATA).unwrap();
    fs::write(info.join("RECORD"), record).unwrap();
    (folder, site)
}

fn trouble(site: &Path) -> Vec<Trouble> {
    let environment = Environment::read(&Site::find(site).unwrap()).unwrap();
    environment.packages.into_iter().flat_map(|package| package.trouble).collect()
}

#[test]
fn a_record_that_is_empty_does_not_say_that_there_are_no_files() {
    for record in ["", "\n \n"] {
        let (_folder, site) = site(record);
        assert_eq!(trouble(&site), [Trouble::NoRecord("RECORD is empty".to_owned())]);
    }
}

#[test]
fn a_record_may_list_what_is_no_file() {
    let (_folder, site) = site("one/a.so,,\none/b_pb2.py,,\n");
    fs::create_dir_all(site.join("one/a.so")).unwrap();
    let expected = [
        Trouble::Unreadable("one/a.so is not a file".to_owned()),
        Trouble::Missing(vec!["one/b_pb2.py".to_owned()]),
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
        assert_eq!(trouble(site), [Trouble::Missing(missing.clone())]);
    }
}

/// A wheel with these members.
fn wheel(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(bytes: &[u8]) -> Result<Package, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one-1.0-py3-none-any.whl");
    fs::write(&path, bytes).unwrap();
    Package::of_wheel(Arc::new(FileSource::open(&path).unwrap())).map_err(|error| error.to_string())
}

#[test]
fn a_wheel_whose_record_lies_is_read_by_its_members() {
    let members = [("one/a.so", "\u{7f}ELF cut short"), ("one-1.0.dist-info/METADATA", METADATA)];
    let with = |record| {
        let package =
            read(&wheel(&[&members[..], &[("one-1.0.dist-info/RECORD", record)]].concat()));
        package.unwrap().trouble
    };
    assert_eq!(with("")[0], Trouble::NoRecord("RECORD is empty".to_owned()));
    let lies = with("one/b.so,,\n");
    assert!(lies.contains(&Trouble::Missing(vec!["one/b.so".to_owned()])), "{lies:?}");
    assert!(lies.contains(&Trouble::NotRecorded(vec!["one/a.so".to_owned()])), "{lies:?}");
    assert!(lies.iter().any(|one| matches!(one, Trouble::Unreadable(_))), "{lies:?}");
}
