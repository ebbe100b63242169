//! What is read of a file, and what releases make of it.

use std::sync::Arc;

use unskew_core::{Date, Severity};
use unskew_scikit_learn::{SklearnFile, SklearnNames, SklearnRelease, judge, party};

use crate::files::{estimator, gzip, source, zlib};

const TABLE: &str = "#releases\t0.22.2 0.24.2 1.0.2 1.9.1\n\
    Gone(sklearn.gone)\t0.22.2-0.24.2\n\
    Tree(sklearn.tree)\t0.22.2-\n\
    Tree(trouble 0.22.2-0.24.2; load; ValueError: node array)\t1.9.1-\n\
    Tree(trouble 1.0.2; differs; predict)\t1.9.1-\n\
    Tree(trouble 1.9.1-; use; AttributeError: 'Tree' object has no attribute 'new')\t0.22.2-1.0.2\n";

fn release(version: &str) -> SklearnRelease {
    SklearnRelease {
        version: version.parse().unwrap(),
        released: Date::constant(2024, 1, 1),
        names: Arc::new(SklearnNames::from_text(TABLE).unwrap()),
    }
}

/// The codes of what a release says of an estimator that another one wrote.
fn codes(module: &str, name: &str, written: &str, installed: &str) -> Vec<&'static str> {
    let file = SklearnFile::read(&source(&estimator(module, name, written))).unwrap().unwrap();
    let findings = judge(&file, &release(installed)).findings;
    findings.iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn a_file_is_read_plain_and_compressed() {
    let plain = estimator("sklearn.tree", "Tree", "0.22.2.post1");
    for bytes in [plain.clone(), zlib(&plain), gzip(&plain)] {
        let file = SklearnFile::read(&source(&bytes)).unwrap().unwrap();
        assert_eq!(file.writer(), Some("0.22.2".parse().unwrap()));
        assert_eq!(file.classes.len(), 1);
    }
    assert!(party(&source(b"\x80\x02cshop\nCart\n)\x81.")).unwrap().is_none());
    assert!(party(&source(b"no pickle")).unwrap().is_none());
}

#[test]
fn a_class_is_looked_up_in_the_release() {
    assert_eq!(codes("sklearn.gone", "Gone", "0.24.2", "0.24.2"), [""; 0]);
    assert_eq!(codes("sklearn.gone", "Gone", "0.24.2", "1.0.2"), ["SK001", "SK005"]);
}

#[test]
fn what_was_measured_is_said_by_writer_and_reader() {
    assert_eq!(codes("sklearn.tree", "Tree", "0.24.1", "1.9.1"), ["SK005", "SK002"]);
    assert_eq!(codes("sklearn.tree", "Tree", "1.0.2", "1.9.1"), ["SK005", "SK004"]);
    assert_eq!(codes("sklearn.tree", "Tree", "1.9.1", "0.24.2"), ["SK005", "SK003"]);
    assert_eq!(codes("sklearn.tree", "Tree", "1.0.2", "0.24.2"), ["SK005"]);
}

#[test]
fn the_fix_names_the_releases_that_load_the_file() {
    let bytes = estimator("sklearn.tree", "Tree", "0.24.2");
    let file = SklearnFile::read(&source(&bytes)).unwrap().unwrap();
    let findings = judge(&file, &release("1.9.1")).findings;
    let error = findings.iter().find(|one| one.severity == Severity::Error).unwrap();
    let fix = error.fix.as_deref().unwrap();
    assert!(fix.contains("scikit-learn 0.22.2 to 1.0.2"), "{fix}");
}

#[test]
fn a_writer_that_was_not_measured_is_not_judged() {
    let bytes = estimator("sklearn.tree", "Tree", "0.19.1");
    let file = SklearnFile::read(&source(&bytes)).unwrap().unwrap();
    let judged = judge(&file, &release("1.0.2"));
    assert!(judged.unjudged.iter().any(|one| one.reason.contains("was not measured")));
}
