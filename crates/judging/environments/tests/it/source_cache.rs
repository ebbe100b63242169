//! Sources that were read before are not read again, and what was kept of them changes no answer.

use std::fs;
use std::path::{Path, PathBuf};

use unskew_core::Context;
use unskew_environments::{Environment, SitePackages, judge};

struct CachedEnvironment {
    folder: tempfile::TempDir,
}

impl CachedEnvironment {
    /// An environment in which `app` asks `base` for names.
    fn new(base: &str) -> Self {
        let environment = Self { folder: tempfile::tempdir().unwrap() };
        let packages = environment.packages();
        for (name, text) in [("app", "from base import new\n"), ("base", base)] {
            let info = packages.join(format!("{name}-2.0.dist-info"));
            fs::create_dir_all(&info).unwrap();
            fs::write(info.join("METADATA"), format!("Name: {name}\nVersion: 2.0\n\n")).unwrap();
            fs::write(info.join("RECORD"), format!("{name}.py,,\n")).unwrap();
            environment.write(name, text);
        }
        environment
    }

    fn packages(&self) -> PathBuf {
        self.folder.path().join("env/lib/python3.11/site-packages")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn write(&self, module: &str, text: &str) {
        fs::write(self.packages().join(format!("{module}.py")), text).unwrap();
    }

    /// The codes of what is found, with sources kept in the folder of the cache.
    fn codes(&self) -> Vec<&'static str> {
        let found = SitePackages::find(&self.packages()).unwrap();
        let environment =
            Environment { source_cache: Some(self.cache()), ..Environment::read(&found).unwrap() };
        let judged = judge(&environment, &Context::for_tests());
        let findings = judged.pairs.iter().flat_map(|pair| &pair.verdict.findings);
        findings.map(|finding| finding.rule.code).collect()
    }

    /// The only file of the cache.
    fn kept(&self) -> PathBuf {
        let mut files = self.cache().read_dir().unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        file
    }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn what_was_kept_gives_the_same_answer_until_a_source_changes() {
    let environment = CachedEnvironment::new("def old(): pass\n");
    assert_eq!(environment.codes(), ["EN118"]);
    let first = read(&environment.kept());
    assert_eq!(environment.codes(), ["EN118"]);
    assert_eq!(read(&environment.kept()), first, "nothing was new");
    // The same length, at the same time.
    environment.write("base", "def new(): pass\n");
    assert_eq!(environment.codes(), [""; 0]);
    assert_ne!(read(&environment.kept()), first);
}

#[test]
fn what_is_broken_or_of_another_reader_is_read_again() {
    let environment = CachedEnvironment::new("def old(): pass\n");
    assert_eq!(environment.codes(), ["EN118"]);
    let whole = read(&environment.kept());
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        fs::write(environment.kept(), bytes).unwrap();
        assert_eq!(environment.codes(), ["EN118"], "byte {at}");
    }
    for end in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(environment.kept(), &whole[..end]).unwrap();
        assert_eq!(environment.codes(), ["EN118"], "{end} bytes");
    }
}

#[test]
fn a_folder_that_cannot_be_written_changes_no_answer() {
    let environment = CachedEnvironment::new("def old(): pass\n");
    fs::write(environment.cache(), "a file").unwrap();
    assert_eq!(environment.codes(), ["EN118"]);
}
