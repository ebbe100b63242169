//! Baselines that are packages: a real one, fetched by pip from the index that it is set up for.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use unskew_source::{Archive, FileSource};

/// A small package with a C header of structs and tables of functions in it.
const PACKAGE: &str = "cffi==1.17.1";
const HEADER: &str = "cffi/parse_c_type.h";

/// Whether pip finds the package here. CI has an index, because the corpus comes from it.
fn index(folder: &Path) -> bool {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]);
    let ran = pip.arg("--dest").arg(folder).arg(PACKAGE).output();
    let (found, why) = match ran {
        Ok(ran) => (ran.status.success(), String::from_utf8_lossy(&ran.stderr).into_owned()),
        Err(error) => (false, error.to_string()),
    };
    if !found {
        println!(
            "SKIPPED: pip finds no {PACKAGE}, so that no baseline from a package was tested: {why}"
        );
    }
    found
}

fn unskew(folder: &Path, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(folder).env("UNSKEW_CACHE", cache).args(arguments);
    command
}

fn said(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

/// The wheel in the cache.
fn wheel(cache: &Path) -> PathBuf {
    let folder = cache.join("packages").join(PACKAGE);
    let mut entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.find(|path| path.extension().is_some_and(|ending| ending == "whl")).unwrap()
}

fn header(wheel: &Path) -> String {
    let archive = Archive::open(Arc::new(FileSource::open(wheel).unwrap())).unwrap();
    let entry = archive.entries().iter().find(|entry| entry.name == HEADER).unwrap();
    String::from_utf8(archive.read(entry).unwrap()).unwrap()
}

#[test]
fn a_working_tree_is_held_against_a_header_in_a_package_that_pip_fetches_once() {
    let made = tempfile::tempdir().unwrap();
    let (tree, cache) = (made.path().join("tree"), made.path().join("cache"));
    if !index(&made.path().join("there")) {
        return;
    }
    std::fs::create_dir(&tree).unwrap();
    let promises = format!(
        "baseline = \"pypi:{PACKAGE}!cffi\"\n[[boundary]]\nname = \"types\"\nkind = \"headers\"\n\
         policy = \"stream-executor\"\npaths = [\"parse_c_type.h\"]\n"
    );
    std::fs::write(tree.join("unskew.toml"), &promises).unwrap();
    std::fs::write(tree.join("parse_c_type.h"), "struct other { int x; };\n").unwrap();

    // The first call fetches it.
    let ran = unskew(&tree, &cache, &["lint", "--format", "concise"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    let text = header(&wheel(&cache));

    // From now on nobody is asked: there is no Python.
    let alone = |arguments: &[&str]| {
        let mut command = unskew(&tree, &cache, arguments);
        command.env("UNSKEW_PYTHON", "there-is-no-such-interpreter").output().unwrap()
    };
    std::fs::write(tree.join("parse_c_type.h"), &text).unwrap();
    let ran = alone(&["lint"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));

    // A field before all others of a struct.
    let (before, after) = text.split_once("struct _cffi_global_s {").unwrap();
    let changed = format!("{before}struct _cffi_global_s {{\n    long added;{after}");
    std::fs::write(tree.join("parse_c_type.h"), changed).unwrap();
    let ran = alone(&["lint"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    for words in ["error HD", "`_cffi_global_s`", "added", &*format!("pypi:{PACKAGE}"), "SHA-256 "]
    {
        assert!(said(&ran).contains(words), "{words}: {}", said(&ran));
    }
    let place = format!("pypi:{PACKAGE}!{HEADER}");
    let ran = alone(&["diff", &place, "parse_c_type.h", "--policy", "stream-executor"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("`_cffi_global_s`"), "{}", said(&ran));

    // A digest that it does not have; a member, and a package, that are not there.
    let pinned = format!("pypi:{PACKAGE}#sha256={}!{HEADER}", "0".repeat(64));
    let ran = alone(&["diff", &pinned, "parse_c_type.h"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("is not the wheel that was meant"), "{}", said(&ran));
    let ran = alone(&["diff", &format!("pypi:{PACKAGE}!cffi/gone.h"), "parse_c_type.h"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("has no file or folder: cffi/gone.h"), "{}", said(&ran));
    let ran = alone(&["diff", "pypi:cffi==1.17.0!cffi", "."]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("pip cannot be run"), "{}", said(&ran));

    // Somebody exchanged the wheel.
    let kept = wheel(&cache);
    let mut bytes = std::fs::read(&kept).unwrap();
    bytes.push(0);
    std::fs::write(&kept, bytes).unwrap();
    let ran = alone(&["lint"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("is not the wheel that was meant"), "{}", said(&ran));
}

#[test]
fn a_version_that_no_index_has_is_no_pass() {
    let made = tempfile::tempdir().unwrap();
    if !index(&made.path().join("there")) {
        return;
    }
    std::fs::write(made.path().join("a.h"), "struct a { int x; };\n").unwrap();
    let cache = made.path().join("cache");
    let ran = unskew(made.path(), &cache, &["diff", "pypi:cffi==0.0.0.1!cffi", "a.h"]).output();
    let ran = ran.unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("no wheel of it could be fetched"), "{}", said(&ran));
    assert!(!cache.join("packages/cffi==0.0.0.1").exists(), "nothing half fetched is kept");
}
