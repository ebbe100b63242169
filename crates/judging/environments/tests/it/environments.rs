//! Environments that are written by the test: each rule on what makes it fire, and on what does not.

use std::fs;
use std::path::Path;

use unskew_core::Context;
use unskew_environments::{
    Environment, EnvironmentVerdict, LockTarget, PackageLock, SitePackages, judge,
};

fn today() -> Context {
    Context::for_tests()
}

/// Installs a package as pip does: its files, `METADATA` and `RECORD`.
fn install(site: &Path, name: &str, version: &str, files: &[(&str, &str)]) {
    let info = format!("{name}-{version}.dist-info");
    fs::create_dir_all(site.join(&info)).unwrap();
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n");
    fs::write(site.join(&info).join("METADATA"), metadata).unwrap();
    let mut record = format!("{info}/METADATA,,\n{info}/RECORD,,\n");
    for (path, text) in files {
        fs::create_dir_all(site.join(path).parent().unwrap()).unwrap();
        fs::write(site.join(path), text).unwrap();
        record.push_str(&format!("{path},,\n"));
    }
    fs::write(site.join(&info).join("RECORD"), record).unwrap();
}

/// A virtual environment of Python 3.11 with its `site-packages`.
fn venv() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    fs::create_dir_all(&site).unwrap();
    fs::write(folder.path().join("pyvenv.cfg"), "version = 3.11.7\n").unwrap();
    (folder, site)
}

fn judged(folder: &Path) -> EnvironmentVerdict {
    judge(&Environment::read(&SitePackages::find(folder).unwrap()).unwrap(), &today())
}

/// The codes of all findings.
fn codes(judged: &EnvironmentVerdict) -> Vec<&'static str> {
    let of_pairs = judged.pairs.iter().flat_map(|pair| &pair.verdict.findings);
    of_pairs
        .chain(judged.alone.iter().flat_map(|party| &party.notes))
        .map(|f| f.rule.code)
        .collect()
}

fn generated(version: &str) -> String {
    let numbers = version.replace('.', ", ");
    format!(
        "_runtime_version.ValidateProtobufRuntimeVersion(\n _runtime_version.Domain.PUBLIC, {numbers}, '', 'a.proto')\n"
    )
}

/// The codes, and the first pin, of a package with this file beside this runtime.
fn beside(runtime: (&str, &str), path: &str, text: &str) -> (Vec<&'static str>, Option<String>) {
    let (folder, site) = venv();
    install(&site, runtime.0, runtime.1, &[]);
    install(&site, "app", "1.0", &[(path, text)]);
    let judged = judged(folder.path());
    let pin = judged.change.as_ref().map(|change| change.pins[0].requirement.clone());
    (codes(&judged), pin)
}

#[test]
fn a_lock_that_names_no_wheel_says_that_its_packages_are_not_judged() {
    let uv = "version = 1\n[[package]]\nname = \"app\"\nversion = \"1\"\nsource = { virtual = \".\" }\n\
        [[package]]\nname = \"built\"\nversion = \"1\"\nsource = { git = \"https://h/built\" }\n\
        [[package]]\nname = \"pure\"\nversion = \"1\"\nwheels = [{ url = \"https://h/pure-1-py3-none-any.whl\" }]\n\
        [[package]]\nname = \"other\"\nversion = \"1\"\nwheels = [{ url = \"https://h/other-1-cp311-cp311-win_amd64.whl\" }]\n";
    let pins = "built==1 --hash=sha256:00\nother==1\n";
    let named = "built 1, other 1";
    for (name, text, expected, undeclared) in
        [("uv.lock", uv, named, &["pure 1"][..]), ("requirements.txt", pins, named, &[])]
    {
        let lock = PackageLock::of_text(name, text).unwrap();
        let (_, unjudged) = lock.environment(LockTarget::default(), None);
        let [one, others @ ..] = &*unjudged else { panic!("{unjudged:?}") };
        assert_eq!(one.places.to_string(), expected, "{name}");
        let others: Vec<String> = others.iter().map(|one| one.places.to_string()).collect();
        assert_eq!(others, undeclared, "{name}");
        assert!(one.reason.contains("names no wheel") && one.remedy.is_some(), "{one:?}");
    }
    let lock = PackageLock::of_text("requirements.txt", "protobuf==5.29.5\n").unwrap();
    let (_, unjudged) = lock.environment(LockTarget::default(), None);
    assert!(unjudged.iter().any(|one| one.reason.contains("generated code")), "{unjudged:?}");
}

#[test]
fn generated_code_and_protobuf_are_judged_as_protobuf_does() {
    let old = "x = _descriptor.FieldDescriptor(name='a')\n";
    let builder = "from google.protobuf.internal import builder as _builder\n";
    let (code, bound) = (generated("6.31.1"), Some("protobuf>=6.31.1,<7".to_owned()));
    for (runtime, text, found, pin) in [
        ("6.30.2", &*code, vec!["EN101"], bound.clone()),
        ("6.31.1", &*code, vec![], None),
        ("5.29.5", &*code, vec!["EN102"], bound.clone()),
        // Runtimes compared minor versions whatever the majors were, and later ones compare no majors.
        ("6.28.0", &*generated("5.29.0"), vec!["EN101"], Some("protobuf>=5.29.0,<6".to_owned())),
        ("5.29.6", &*code, vec!["EN101"], bound),
        ("7.30.0", &*code, vec![], None),
        ("7.36.2", &*generated("5.29.0"), vec!["EN114"], None),
        ("4.25.8", &*generated("5.29.5"), vec!["EN103"], Some("protobuf>=5.29.5,<6".to_owned())),
        ("3.19.6", builder, vec!["EN103"], None),
        ("3.20.3", builder, vec![], None),
        ("4.21.0", old, vec!["EN104"], Some("protobuf<4".to_owned())),
        ("3.20.3", old, vec![], None),
        ("7.36.2", &*code, vec![], None),
        ("6.31.1", &*generated("5.29.0"), vec!["EN105"], None),
    ] {
        let found_here = beside(("protobuf", runtime), "app/a_pb2.py", text);
        assert_eq!(found_here, (found, pin), "protobuf {runtime}: {text}");
    }
}

#[test]
fn generated_code_of_grpc_needs_its_own_release_en106() {
    let text = "import grpc\nGRPC_GENERATED_VERSION = '1.68.0'\n";
    let (codes, pin) = beside(("grpcio", "1.62.2"), "app/a_pb2_grpc.py", text);
    assert_eq!((codes, pin.as_deref()), (vec!["EN106"], Some("grpcio>=1.68.0")));
    assert!(beside(("grpcio", "1.68.0"), "app/a_pb2_grpc.py", text).0.is_empty());
}

#[test]
fn jax_takes_a_jaxlib_of_its_range_en107() {
    for (jaxlib, fails) in [("0.6.1", true), ("0.6.2", false), ("0.7.0", true)] {
        let (folder, site) = venv();
        install(
            &site,
            "jax",
            "0.6.2",
            &[("jax/version.py", "_minimum_jaxlib_version = '0.6.2'\n")],
        );
        install(&site, "jaxlib", jaxlib, &[]);
        let judged = judged(folder.path());
        assert_eq!(codes(&judged), if fails { vec!["EN107"] } else { vec![] }, "{jaxlib}");
        let pin = judged.change.map(|change| change.command());
        assert_eq!(pin, fails.then(|| "uv pip install 'jaxlib==0.6.2'".to_owned()));
    }
}

#[test]
fn a_broken_installation_is_said_and_not_guessed_en201() {
    let (folder, site) = venv();
    install(&site, "gone", "1.0", &[("gone/_C.so", "x"), ("gone/a_pb2.py", "")]);
    fs::remove_file(site.join("gone/_C.so")).unwrap();
    install(&site, "twice", "1.0", &[]);
    install(&site, "twice", "2.0", &[]);
    install(&site, "bare", "1.0", &[]);
    fs::remove_file(site.join("bare-1.0.dist-info/RECORD")).unwrap();
    install(&site, "edit", "1.0", &[]);
    let url = r#"{"url": "file:///src", "dir_info": {"editable": true}}"#;
    fs::write(site.join("edit-1.0.dist-info/direct_url.json"), url).unwrap();
    install(
        &site,
        "lies",
        "1.0",
        &[("lies/a.so", "no ELF"), ("../../../../etc/passwd_pb2.py", "")],
    );
    fs::write(site.join("lies/b.so"), "unrecorded").unwrap();
    fs::create_dir(site.join("~orch-2.1.0.dist-info")).unwrap();
    let judged = judged(folder.path());
    assert_eq!(
        codes(&judged).iter().filter(|code| **code == "EN201").count(),
        codes(&judged).len()
    );
    let said: Vec<String> = judged
        .alone
        .iter()
        .flat_map(|party| &party.notes)
        .map(|note| note.message.clone())
        .collect();
    for (package, words) in [
        ("gone 1.0", "files that are not there: gone/_C.so"),
        ("twice 1.0", "installed more than once: 1.0, 2.0"),
        ("bare 1.0", "its files are not known"),
        ("edit 1.0", "an editable install, whose folder was not read: file:///src"),
        ("lies 1.0", "shared objects that no RECORD lists: lies/b.so"),
        ("~orch 2.1.0", "half-installed"),
    ] {
        let is = |text: &String| text.starts_with(package) && text.contains(words);
        assert!(said.iter().any(is), "{package}: {words} is not among {said:#?}");
    }
    assert!(judged.alone.iter().all(|party| !party.unjudged.is_empty() || party.notes.is_empty()));
}

#[test]
fn a_shared_object_of_another_package_in_the_same_folder_is_recorded() {
    let (folder, site) = venv();
    install(&site, "qt", "1.0", &[("qt/core.so", "neither ELF nor anything else")]);
    install(&site, "qt-sip", "1.0", &[("qt/sip.so", "neither ELF nor anything else")]);
    assert_eq!(codes(&judged(folder.path())), Vec::<&str>::new());
    fs::write(site.join("qt/nobody.so"), "neither ELF nor anything else").unwrap();
    let judged = judged(folder.path());
    let notes = judged.alone.iter().flat_map(|party| &party.notes);
    assert!(notes.clone().all(|note| note.message.ends_with("no RECORD lists: qt/nobody.so")));
    assert_eq!(notes.count(), 2);
}

#[test]
fn a_folder_without_packages_is_none() {
    let folder = tempfile::tempdir().unwrap();
    assert!(
        SitePackages::find(folder.path())
            .unwrap_err()
            .to_string()
            .contains("no Python environment")
    );
    assert!(SitePackages::find(&folder.path().join("none")).is_err());
}

/// What a lock with these pins is judged to be.
fn locked(pins: &str) -> (EnvironmentVerdict, Vec<unskew_core::Unjudged>) {
    let lock = PackageLock::of_text("requirements.txt", pins).unwrap();
    let (environment, unjudged) = lock.environment(LockTarget::default(), None);
    (judge(&environment, &today()), unjudged)
}

#[test]
fn a_lock_is_judged_by_the_facts_of_its_wheels_en301() {
    // What uv 0.13.9 locks without a word.
    for (pins, rule, change) in [
        ("torch==2.7.1\ntorchao==0.18.0\n", "EX102", "torch==2.11.0"),
        ("torch==2.5.1\ntorchtext==0.18.0\n", "EX101", "torch==2.3.1"),
        ("torch==2.10.0\ntorchaudio==2.11.0\n", "EX102", "torch==2.11.0"),
        ("tensorflow==2.18.1\ntensorflow-io==0.37.1\n", "EX101", "tensorflow==2.17.1"),
    ] {
        let (judged, _) = locked(pins);
        assert!(codes(&judged).contains(&rule), "{pins}: {:?}", codes(&judged));
        let change = judged.change.unwrap_or_else(|| panic!("{pins}: {change}"));
        assert!(!change.pins.is_empty() && change.open.is_empty(), "{change:?}");
        // What is printed is followed, and then nothing breaks.
        let mut after = pins.to_owned();
        for pin in &change.pins {
            after = after.replace(&format!("{}=={}", pin.package, pin.from), &pin.requirement);
        }
        assert_ne!(after, pins);
        let again = locked(&after).0;
        assert!(
            again.change.is_none() && again.pairs.iter().all(|pair| !pair.is_broken()),
            "{after}"
        );
    }
}

#[test]
fn the_newest_release_of_the_extension_that_fits_is_proposed() {
    for (pins, fits) in [
        ("torch==2.6.0\ntorchvision==0.20.1\n", "torchvision==0.21.0"),
        ("torch==2.7.1\ntorchvision==0.20.1\n", "torchvision==0.22.1"),
        ("torch==2.7.1\ntorchao==0.18.0\n", "torchao==0.11.0"),
    ] {
        let change = locked(pins).0.change.unwrap();
        let all: Vec<&str> = change.pins.iter().map(|pin| &*pin.requirement).collect();
        assert_eq!(all, [fits], "{pins}");
    }
}

#[test]
fn what_no_facts_are_known_of_is_not_judged_by_name() {
    let text = "version = 1\n[[package]]\nname = \"cupy\"\nversion = \"13.0\"\n\
        wheels = [{ url = \"https://h/cupy-13.0-cp311-cp311-manylinux_2_28_x86_64.whl\", hash = \"sha256:00\" }]\n\
        [[package]]\nname = \"torchao\"\nversion = \"0.18.0\"\n\
        wheels = [{ url = \"https://h/torchao-0.18.0-cp312-cp312-manylinux_2_28_x86_64.whl\", hash = \"sha256:01\" }]\n";
    let lock = PackageLock::of_text("uv.lock", text).unwrap();
    let (_, unjudged) = lock.environment(LockTarget::default(), None);
    let said: Vec<String> =
        unjudged.iter().map(|one| format!("{}: {}", one.reason, one.places)).collect();
    assert_eq!(
        said,
        [
            "judged by another wheel of the same release: torchao 0.18.0",
            "wheels with native code of which no facts were harvested: cupy 13.0",
        ]
    );
}
