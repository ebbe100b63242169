//! Generated code in several forms, of which a package imports one.

use std::fs;

use unskew_core::{Context, Outcome};
use unskew_environments::{Environment, SitePackages, judge};

const BUILDER: &str = "from google.protobuf import descriptor_pool as _descriptor_pool\nfrom google.protobuf.internal import builder\n";
const OLD: &str = "x = _descriptor.FieldDescriptor(name='a')\n";
const CHOOSER: &str = "import google.protobuf\nversion = google.protobuf.__version__[0]\n\
    if version == \"5\":\n    from app.v5.a_pb2 import *\nelif version == \"6\":\n    from app.v6.a_pb2 import *\n";

fn checked(major: u32) -> String {
    format!(
        "_runtime_version.ValidateProtobufRuntimeVersion(\n    D.PUBLIC, {major}, 30, 0, '', 'a')\n"
    )
}

/// The outcome of a package with these files beside a protobuf, and its findings.
fn outcome(files: &[(&str, &str)], protobuf: &str) -> (Outcome, Vec<&'static str>) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    let mut record = String::new();
    for (path, text) in files {
        let path = site.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        record += &format!("{},,\n", path.strip_prefix(&site).unwrap().display());
    }
    for (name, version, record) in [("app", "1.0", &*record), ("protobuf", protobuf, "x.py,,\n")] {
        let info = site.join(format!("{name}-{version}.dist-info"));
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("METADATA"), format!("Name: {name}\nVersion: {version}\n")).unwrap();
        fs::write(info.join("RECORD"), record).unwrap();
    }
    let environment = Environment::read(&SitePackages::find(&site).unwrap()).unwrap();
    let judged = judge(&environment, &Context::for_tests());
    let verdict = &judged.pairs[0].verdict;
    (verdict.outcome.clone(), verdict.findings.iter().map(|one| one.rule.code).collect())
}

#[test]
fn a_file_that_asks_for_the_major_imports_the_form_for_it() {
    let six = checked(6);
    let files =
        [("app/a_pb2.py", CHOOSER), ("app/v5/a_pb2.py", BUILDER), ("app/v6/a_pb2.py", &six)];
    assert_eq!(outcome(&files, "5.29.5"), (Outcome::Compatible, vec![]));
    assert_eq!(outcome(&files, "6.31.1"), (Outcome::Compatible, vec![]));
    assert_eq!(outcome(&files, "6.29.0"), (Outcome::Incompatible, vec!["EN101"]));
    // No branch is for it.
    assert_eq!(outcome(&files, "7.34.0"), (Outcome::Incompatible, vec!["EN128"]));
    let chooser = format!("{CHOOSER}else:\n    from app.v5.a_pb2 import *\n");
    let files = [("app/a_pb2.py", &*chooser), files[1], files[2]];
    assert_eq!(outcome(&files, "7.34.0"), (Outcome::Compatible, vec![]));
}

#[test]
fn of_forms_beside_each_other_one_has_to_fit() {
    let files = [("app/a_pb2.py", OLD), ("app/a_pb2_new.py", BUILDER)];
    assert_eq!(outcome(&files, "5.29.5"), (Outcome::Unjudged, vec![]));
    assert_eq!(outcome(&files, "3.20.3"), (Outcome::Compatible, vec![]));
    let neither = [("app/a_pb2.py", OLD), ("app/a_pb2_older.py", OLD)];
    assert_eq!(outcome(&neither, "5.29.5"), (Outcome::Incompatible, vec!["EN104"]));
    assert_eq!(outcome(&files[..1], "5.29.5"), (Outcome::Incompatible, vec!["EN104"]));
}
