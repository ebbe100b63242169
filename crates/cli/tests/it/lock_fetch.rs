//! `unskew lock --fetch`: wheels on a real web server, and on paths, are read by range.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use unskew_test_servers::WebServer;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// Writes a wheel of `app 1.0` with these files, each compressed.
fn wheel(path: &Path, name: &str, files: &[(&str, &[u8])]) {
    let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
    let info = format!("{name}-1.0.dist-info");
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n").into_bytes();
    let listed: String = files.iter().map(|(path, _)| format!("{path},,\n")).collect();
    let own: [(String, Vec<u8>); 2] = [
        (format!("{info}/METADATA"), metadata),
        (format!("{info}/RECORD"), format!("{listed}{info}/METADATA,,\n{info}/RECORD,,\n").into()),
    ];
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (path, bytes) in files {
        zip.start_file(*path, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    for (path, bytes) in own {
        zip.start_file(path, options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn unskew(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(folder).arg("lock").args(arguments).args(["--as-of", "2026-11-01"]);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Bytes that no compression makes small.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A package with code that protobuf 6.31.1 generated, and a file of 8 MiB that is not wanted.
fn app(path: &Path) {
    let code = "_runtime_version.ValidateProtobufRuntimeVersion(\n _runtime_version.Domain.PUBLIC, 6, 31, 1, '', 'a.proto')\n";
    wheel(path, "app", &[("app/weights.bin", &noise(8 << 20)), ("app/a_pb2.py", code.as_bytes())]);
}

const APP: &str = "app-1.0-py3-none-any.whl";

#[test]
fn a_wheel_is_read_by_range_from_where_the_lock_says() {
    if !WebServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    app(&folder.path().join(APP));
    let server = WebServer::start(folder.path()).unwrap();
    let lock = format!(
        "version = 1\n[[package]]\nname = \"app\"\nversion = \"1.0\"\nwheels = [{{ url = \"{0}/{APP}\" }}]\n\
         [[package]]\nname = \"gone\"\nversion = \"1.0\"\nwheels = [{{ url = \"{0}/gone-1.0-py3-none-any.whl\" }}]\n\
         [[package]]\nname = \"protobuf\"\nversion = \"5.29.5\"\n",
        server.endpoint()
    );
    fs::write(folder.path().join("uv.lock"), lock).unwrap();
    let without = unskew(folder.path(), &["uv.lock"]);
    assert_eq!(without.status.code(), Some(0), "{}", said(&without));
    let with = unskew(folder.path(), &["uv.lock", "--fetch", "--index", &server.endpoint()]);
    let said = said(&with);
    assert_eq!(with.status.code(), Some(1), "{said}");
    assert!(said.contains("app 1.0  protobuf 5.29.5  fails EN102"), "{said}");
    assert!(said.contains("'protobuf>=6.31.1,<7'"), "{said}");
    assert!(said.contains("gone-1.0-py3-none-any.whl: no such object\n"), "{said}");
    assert!(said.contains("  where     gone 1.0"), "{said}");
    let fetched =
        said.lines().find(|line| line.starts_with("fetched") && line.contains(APP)).unwrap();
    let kib: u64 = fetched.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 1024 && fetched.contains(" of 8"), "{fetched}");
}

#[test]
fn a_lock_without_urls_is_read_from_its_index_and_a_digest_chooses_the_file() {
    if !WebServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    app(&folder.path().join(APP));
    fs::create_dir_all(folder.path().join("simple/app")).unwrap();
    let page = format!(
        "<a href=\"../../{APP}#sha256=ab\">x</a> <a href=\"app-2.0-py3-none-any.whl#sha256=cd\">y</a>"
    );
    fs::write(folder.path().join("simple/app/index.html"), page).unwrap();
    let server = WebServer::start(folder.path()).unwrap();
    let (own, other) =
        (format!("{}/simple", server.endpoint()), format!("{}/none", server.endpoint()));
    for (head, index, digest, status) in [
        (String::new(), &own, "", Some(1)),
        (format!("--index-url {own}\n"), &other, " --hash=sha256:ab", Some(1)),
        (String::new(), &own, " --hash=sha256:ef", Some(0)),
        (String::new(), &other, "", Some(0)),
    ] {
        let pins = format!("{head}app==1.0{digest}\nprotobuf==5.29.5\n");
        fs::write(folder.path().join("requirements.txt"), &pins).unwrap();
        let output = unskew(folder.path(), &["requirements.txt", "--fetch", "--index", index]);
        let said = said(&output);
        assert_eq!(output.status.code(), status, "{pins}{said}");
        assert_eq!(said.contains("EN102"), status == Some(1), "{said}");
        assert!(said.contains("not judged"), "{said}");
    }
}

#[test]
fn wheels_on_paths_are_read_and_broken_ones_are_said() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dist")).unwrap();
    app(&folder.path().join("dist").join(APP));
    let whole = fs::read(folder.path().join("dist").join(APP)).unwrap();
    fs::write(folder.path().join("dist/cut-1.0-py3-none-any.whl"), &whole[..whole.len() / 2])
        .unwrap();
    fs::write(folder.path().join("dist/other-1.0-py3-none-any.whl"), &whole).unwrap();
    let pins = format!(
        "./dist/{APP}\n./dist/cut-1.0-py3-none-any.whl\n./dist/other-1.0-py3-none-any.whl\nprotobuf==6.31.1\n"
    );
    fs::write(folder.path().join("requirements.txt"), pins).unwrap();
    let output = unskew(
        folder.path(),
        &["requirements.txt", "-v", "--fetch", "--index", "http://127.0.0.1:9"],
    );
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("app 1.0  protobuf 6.31.1  works"), "{said}");
    assert!(said.contains("its end is missing"), "{said}");
    assert!(said.contains("the wheel is of app 1.0\n  where     other 1.0"), "{said}");
}
