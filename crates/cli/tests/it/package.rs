//! Baselines that are packages: wheels of an index of this test, fetched once and only if that is asked for.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use sha2::{Digest as _, Sha256};
use unskew_test_servers::Pages;
use zip::write::SimpleFileOptions;

const PACKAGE: &str = "some-sdk==1.0";
const WHEEL: &str = "some_sdk-1.0-py3-none-any.whl";
const OLD: &str = "struct thing_s {\n    int a;\n};\n";
const NEW: &str = "struct thing_s {\n    long added;\n    int a;\n};\n";

/// `user:secret`, as it is written in a request.
const PASSWORD: &str = "Basic dXNlcjpzZWNyZXQ=";

fn wheel(text: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("sdk/thing.h", text), ("some_sdk-1.0.dist-info/METADATA", "Name: x\n")] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An index with this wheel, of which it says this digest, and others that are not wanted.
fn index(wheel: &[u8], digest: &str, password: Option<&'static str>) -> Pages {
    let page = format!(
        "<a href='../../f/{WHEEL}#sha256={digest}'>x</a>\n<a href='../../f/some_sdk-1.0.tar.gz'>x</a>\n\
         <a href='../../f/some_sdk-1.0-cp39-cp39-win_amd64.whl'>x</a> <a href='/f/some_sdk-2.0-py3-none-any.whl'>x</a>\n\
         <a href='/f/..%2f..%2fsome_sdk-1.0-py4-none-any.whl'>x</a>"
    );
    let pages =
        [("/simple/some-sdk/".to_owned(), page.into()), (format!("/f/{WHEEL}"), wheel.to_vec())];
    Pages::start(BTreeMap::from(pages), password).unwrap()
}

/// A working tree with a promise about the header, a cache, and programs and configurations that nobody may use.
struct Tree {
    made: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let tree = Self { made: tempfile::tempdir().unwrap() };
        let promises = format!(
            "baseline = \"pypi:{PACKAGE}!sdk\"\n[[boundary]]\nname = \"types\"\nkind = \"headers\"\n\
             policy = \"stream-executor\"\npaths = [\"thing.h\"]\n"
        );
        tree.write("unskew.toml", &promises);
        tree.write("thing.h", OLD);
        let program = "import pathlib; pathlib.Path(__file__).with_name('witness').touch()\n";
        for name in ["pip.py", "pip/__main__.py", "json.py", "sitecustomize.py"] {
            tree.write(name, program);
        }
        for name in ["python3", "pip3", "uv", "git"] {
            tree.write(name, "#!/bin/sh\ntouch witness\n");
            #[cfg(unix)]
            std::fs::set_permissions(
                tree.path().join(name),
                std::os::unix::fs::PermissionsExt::from_mode(0o755),
            )
            .unwrap();
        }
        for name in ["pip.conf", "pip.ini", ".pip/pip.conf", ".config/pip/pip.conf"] {
            tree.write(name, "[global]\nindex-url = http://127.0.0.1:9/simple\n");
        }
        tree.write("uv.toml", "index-url = \"http://127.0.0.1:9/simple\"\n");
        tree
    }

    fn path(&self) -> PathBuf {
        self.made.path().join("tree")
    }

    fn cache(&self) -> PathBuf {
        self.made.path().join("cache")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(self.path()).env("UNSKEW_CACHE", self.cache()).args(arguments);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = vec![PathBuf::from(".")];
        folders.extend(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
        // The index of the machine that runs this test is none of its own.
        command.env("PIP_CONFIG_FILE", "/dev/null");
        for name in ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    fn kept(&self) -> PathBuf {
        self.cache().join("packages").join(PACKAGE).join(WHEEL)
    }
}

struct Ran {
    status: Option<i32>,
    said: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        Self { status: output.status.code(), said }
    }

    fn assert(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, Some(status), "{}", self.said);
        for words in words {
            assert!(self.said.contains(words), "{words}: {}", self.said);
        }
    }
}

fn simple(index: &Pages) -> String {
    format!("http://{}/simple", index.address())
}

#[test]
fn a_package_is_fetched_only_if_that_is_asked_for_and_only_once() {
    let (tree, wheel) = (Tree::new(), wheel(OLD));
    let index = index(&wheel, &digest(&wheel), None);
    let url = simple(&index);

    tree.run(&["lint"]).assert(2, &["not in the cache; --fetch fetches it"]);
    tree.run(&["lint", "--index", &url]).assert(2, &["--fetch"]);
    assert_eq!(index.asked(), [""; 0]);
    tree.run(&["lint", "--fetch", "--index", &url]).assert(0, &[]);
    assert_eq!(index.asked(), ["/simple/some-sdk/".to_owned(), format!("/f/{WHEEL}")]);
    assert_eq!(std::fs::read(tree.kept()).unwrap(), wheel);

    // From now on nobody is asked.
    tree.run(&["lint", "--fetch", "--index", &url]).assert(0, &[]);
    tree.write("thing.h", NEW);
    let of = format!("pypi:{PACKAGE}");
    tree.run(&["lint"]).assert(1, &["error HD", "`thing_s`", "added", &of, "SHA-256 "]);
    let place = format!("pypi:{PACKAGE}!sdk/thing.h");
    tree.run(&["diff", &place, "thing.h", "--policy", "stream-executor"]).assert(1, &["`thing_s`"]);
    assert_eq!(index.asked().len(), 2);

    // A digest that it does not have; a member that is not there.
    let pinned = format!("pypi:{PACKAGE}#sha256={}!sdk", "0".repeat(64));
    tree.run(&["diff", &pinned, "thing.h"]).assert(2, &["is not the wheel that was meant"]);
    let gone = format!("pypi:{PACKAGE}!sdk/gone.h");
    tree.run(&["diff", &gone, "thing.h"]).assert(2, &["has no file or folder: sdk/gone.h"]);

    // Somebody exchanged the wheel.
    std::fs::write(tree.kept(), [&wheel[..], b"x"].concat()).unwrap();
    tree.run(&["lint"]).assert(2, &["is not the wheel that was meant"]);
    assert!(!tree.path().join("witness").exists(), "no program of the folder was run");
}

#[test]
fn a_wheel_that_is_not_what_the_index_says_is_not_kept() {
    let (tree, wheel) = (Tree::new(), wheel(OLD));
    let index = index(&wheel, &"1".repeat(64), None);
    let url = simple(&index);
    let ran = tree.run(&["lint", "--fetch", "--index", &url]);
    ran.assert(2, &["some_sdk-1.0-py3-none-any.whl has the SHA-256", "and the index says 1111"]);
    let other = format!("pypi:{PACKAGE}#sha256={}!sdk", "2".repeat(64));
    let ran = tree.run(&["diff", &other, "thing.h", "--fetch", "--index", &url]);
    ran.assert(2, &["fetched", "some-sdk==1.0"]);
    for (package, says) in [("some-sdk==3.0", "none of version 3.0"), ("gone==1.0", "404")] {
        let place = format!("pypi:{package}!sdk");
        let ran = tree.run(&["diff", &place, "thing.h", "--fetch", "--index", &url]);
        ran.assert(2, &["no wheel of it could be fetched", says]);
        assert!(
            !tree.cache().join("packages").join(package).exists(),
            "nothing half fetched is kept"
        );
    }
    let left = std::fs::read_dir(tree.cache().join("packages")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn the_index_is_that_of_the_user_and_never_one_that_the_folder_names() {
    let wheel = wheel(OLD);
    let index = index(&wheel, &digest(&wheel), Some(PASSWORD));
    let with_password = simple(&index).replace("http://", "http://user:secret@");
    for variable in ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"] {
        let tree = Tree::new();
        let mut command = tree.command(&["lint", "--fetch"]);
        let ran = command.env(variable, &with_password).output().unwrap();
        Ran::of(ran).assert(0, &[]);
    }
    // A configuration of pip; and one that the folder has is not read although it is the current one.
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let configuration = home.path().join("pip.conf");
    std::fs::write(&configuration, format!("[global]\nindex-url = {with_password}\n")).unwrap();
    let mut command = tree.command(&["lint", "--fetch"]);
    Ran::of(command.env("PIP_CONFIG_FILE", &configuration).output().unwrap()).assert(0, &[]);

    // The password is in no message.
    let tree = Tree::new();
    let wrong = with_password.replace("secret", "hidden");
    let ran = tree.run(&["lint", "--fetch", "--index", &wrong]);
    ran.assert(2, &["401", "USER:PASSWORD"]);
    assert!(!ran.said.contains("hidden"), "{}", ran.said);
}
