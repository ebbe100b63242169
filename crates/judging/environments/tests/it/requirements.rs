//! What packages declare that they require, and what their modules are linked against.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_core::{Context, Finding, Phase, Severity};
use unskew_environments::{
    Environment, EnvironmentVerdict, LockTarget, PackageLock, PinChange, SitePackages,
    SystemLibraries, judge,
};

/// Installs a package with these requirements and files.
fn install(site: &Path, name: &str, version: &str, requires: &[&str], files: &[&str]) {
    let info = format!("{name}-{version}.dist-info");
    fs::create_dir_all(site.join(&info)).unwrap();
    let requires: String = requires.iter().map(|one| format!("Requires-Dist: {one}\n")).collect();
    let metadata = format!("Name: {name}\nVersion: {version}\n{requires}\n");
    fs::write(site.join(&info).join("METADATA"), metadata).unwrap();
    let record: String = files.iter().map(|path| format!("{path},,\n")).collect();
    fs::write(site.join(&info).join("RECORD"), format!("{info}/RECORD,,\n{record}")).unwrap();
}

/// A virtual environment of Python 3.11 with its `site-packages`.
fn venv() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    fs::create_dir_all(&site).unwrap();
    fs::write(folder.path().join("pyvenv.cfg"), "version_info = 3.11.7\n").unwrap();
    (folder, site)
}

fn read(folder: &Path) -> Environment {
    Environment::read(&SitePackages::find(folder).unwrap()).unwrap()
}

fn judged(environment: &Environment) -> EnvironmentVerdict {
    judge(environment, &Context::for_tests())
}

fn findings(judged: &EnvironmentVerdict) -> Vec<&Finding> {
    let of_pairs = judged.pairs.iter().flat_map(|pair| &pair.verdict.findings);
    of_pairs.chain(judged.alone.iter().flat_map(|party| &party.notes)).collect()
}

/// Code and message of everything that is said.
fn said(judged: &EnvironmentVerdict) -> Vec<String> {
    findings(judged).iter().map(|one| format!("{} {}", one.rule.code, one.message)).collect()
}

/// What is said of a package with these requirements beside base 2.1 and odd, whose version is none.
fn with(requires: &[&str]) -> EnvironmentVerdict {
    let (folder, site) = venv();
    install(&site, "app", "1.0", requires, &[]);
    install(&site, "Base", "2.1", &[], &[]);
    install(&site, "odd", "unknown", &[], &[]);
    judged(&read(folder.path()))
}

#[test]
fn requirements_that_hold_and_are_met_say_nothing() {
    for requires in [
        &["base"][..],
        &["BASE (>=2,<3)"],
        &["base~=2.0; python_version >= '3.11'", "gone; python_version < '3.11'"],
        &["gone; extra == 'test'", "base>=9; extra == 'all'"],
        &["base @ https://host/base.whl"],
        &["gone; sys_platform == 'win32'", "gone; python_full_version < '3.11.7'"],
    ] {
        let judged = with(requires);
        assert_eq!(said(&judged), Vec::<String>::new(), "{requires:?}");
        assert_eq!(judged.unjudged, [], "{requires:?}");
    }
}

#[test]
fn what_is_not_installed_is_said_once_en202() {
    let judged = with(&["gone>=1", "base", "lost; python_full_version >= '3.11.7'"]);
    assert_eq!(said(&judged), ["EN202 app 1.0 requires what is not installed: gone>=1, lost"]);
    let twice = with(&["gone", "gone>=1.2; python_version >= '3.9'", "gone>=1.3"]);
    assert_eq!(said(&twice), ["EN202 app 1.0 requires what is not installed: gone>=1.2,>=1.3"]);
    let fix = findings(&judged)[0].fix.clone();
    assert!(fix.unwrap().contains("uv pip install 'gone>=1' 'lost'"));
    let many: Vec<String> = (0..150).map(|number| format!("gone{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(said(&with(&many))[0].ends_with("gone99 and 50 more"));
}

#[test]
fn a_version_outside_of_the_range_is_said_en203() {
    let judged = with(&["base>=2.2"]);
    assert_eq!(said(&judged), ["EN203 app 1.0 requires base>=2.2: Base 2.1 is installed"]);
}

#[test]
fn what_breaks_by_another_rule_is_not_said_again() {
    let (folder, site) = venv();
    let jax = ["jaxlib<=0.6.2,>=0.6.2"];
    install(&site, "jax", "0.6.2", &jax, &["jax/version.py"]);
    fs::create_dir(site.join("jax")).unwrap();
    fs::write(site.join("jax/version.py"), "_minimum_jaxlib_version = '0.6.2'\n").unwrap();
    install(&site, "jaxlib", "0.7.0", &[], &[]);
    install(&site, "flax", "0.1", &["jaxlib<0.7"], &[]);
    let said = said(&judged(&read(folder.path())));
    assert!(said.len() == 2 && said[0].starts_with("EN107"), "{said:?}");
    assert_eq!(said[1], "EN203 flax 0.1 requires jaxlib<0.7: jaxlib 0.7.0 is installed");
}

#[test]
fn what_an_extra_requires_is_required_where_the_extra_is_asked_for() {
    let (folder, site) = venv();
    install(&site, "app", "1.0", &["kit[Fast_Math]"], &[]);
    let kit =
        ["math-cu12==2; extra == 'fast-math'", "plots; extra == 'plots'", "kit; extra == 'all'"];
    install(&site, "kit", "1.0", &kit, &[]);
    assert_eq!(
        said(&judged(&read(folder.path()))),
        ["EN202 kit 1.0 requires what is not installed: math-cu12==2"]
    );
}

#[test]
fn what_cannot_be_read_or_known_is_not_judged() {
    for (requires, reason, place) in [
        ("base>=2.0.*", "do not have", "app 1.0: base>=2.0.*"),
        ("base; python_version", "do not have", "app 1.0: base; python_version"),
        ("odd>=1", "do not have", "odd unknown: its version"),
        ("gone; platform_release > '5'", "not known of", "app 1.0: gone; platform_release > '5'"),
    ] {
        let judged = with(&[requires]);
        assert_eq!(said(&judged), Vec::<String>::new(), "{requires}");
        let [one] = &*judged.unjudged else { panic!("{requires}: {:?}", judged.unjudged) };
        assert!(one.reason.contains(reason), "{requires}: {one:?}");
        assert_eq!(one.places.to_string(), place);
    }
}

#[test]
fn what_may_be_where_packages_were_not_read_is_not_called_missing() {
    let (folder, site) = venv();
    install(&site, "app", "1.0", &["gone"], &[]);
    fs::write(site.join("zipped.egg"), "").unwrap();
    let zipped = judged(&read(folder.path()));
    fs::remove_file(site.join("zipped.egg")).unwrap();
    fs::write(folder.path().join("pyvenv.cfg"), "include-system-site-packages = true\n").unwrap();
    for judged in [zipped, judged(&read(folder.path()))] {
        assert_eq!(said(&judged), Vec::<String>::new());
        assert_eq!(judged.unjudged[0].places.to_string(), "app 1.0: gone");
    }
}

#[test]
fn metadata_that_are_cut_short_are_said_and_no_half_requirement_is_judged() {
    let whole = "Name: app\nVersion: 1.0\nRequires-Dist: base>=2\nRequires-Dist: base<3\n";
    for end in 0..=whole.len() {
        let (folder, site) = venv();
        install(&site, "base", "2.1", &[], &[]);
        install(&site, "app", "1.0", &[], &[]);
        fs::write(site.join("app-1.0.dist-info/METADATA"), &whole[..end]).unwrap();
        let said = said(&judged(&read(folder.path())));
        assert!(said.iter().all(|one| one.starts_with("EN201")), "{end}: {said:?}");
        let is_cut = end > "Name: app\nVersion: 1.0\n".len() && !whole[..end].ends_with('\n');
        assert_eq!(is_cut, said.iter().any(|one| one.contains("within")), "{end}");
    }
}

/// A module that is linked against `libfast.so.2`, which it looks for in `search`; none without a C compiler.
fn module(site: &Path, path: &str, search: &str) -> Option<()> {
    let folder = tempfile::tempdir().unwrap();
    let built = |code: &str, output: &Path, flags: &[&str]| {
        let source = folder.path().join("a.c");
        fs::write(&source, code).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-nostdlib", "-o"]).arg(output).arg(&source).args(flags);
        cc.status().is_ok_and(|status| status.success()).then_some(())
    };
    let library = folder.path().join("libfast.so.2");
    built("int fast(void) { return 1; }", &library, &["-Wl,-soname,libfast.so.2"])?;
    fs::create_dir_all(site.join(path).parent().unwrap()).unwrap();
    let code = "extern int fast(void); int PyInit__C(void) { return fast(); }";
    let flags = [library.to_str().unwrap(), &format!("-Wl,-rpath,{search}")];
    built(code, &site.join(path), &flags)
}

#[test]
fn a_library_that_nothing_brings_is_an_error_en117() {
    let (folder, site) = venv();
    let Some(()) = module(&site, "app/_C.so", "$ORIGIN/../fast/lib") else {
        println!("skipped: no C compiler that makes shared objects");
        return;
    };
    install(&site, "app", "1.0", &["fast>=2"], &["app/_C.so"]);
    let error =
        "EN117 app/_C.so of app 1.0 needs libfast.so.2, which no package of the environment has";
    let broken = judged(&read(folder.path()));
    assert_eq!(said(&broken), [error]);
    assert!(broken.pairs.iter().any(|pair| pair.is_broken()));
    // An environment that is not installed here has another system.
    let elsewhere = Environment { libraries: None, ..read(folder.path()) };
    assert!(said(&judged(&elsewhere))[0].starts_with("EN202"));
    // The system may have it, or the folder of another package, under any name.
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("etc")).unwrap();
    fs::write(root.path().join("etc/ld.so.cache"), b"\0libfast.so.2\0/opt/libfast.so.2\0").unwrap();
    let libraries = Some(SystemLibraries::of_root(root.path()));
    let cached = Environment { libraries, ..read(folder.path()) };
    assert!(said(&judged(&cached))[0].starts_with("EN202"));
    install(&site, "other", "1.0", &[], &["other/libs/libfast.so.2"]);
    fs::create_dir_all(site.join("other/libs")).unwrap();
    fs::write(site.join("other/libs/libfast.so.2"), "").unwrap();
    let said_beside = said(&judged(&read(folder.path())));
    assert!(said_beside.iter().all(|one| !one.starts_with("EN117")), "{said_beside:?}");
}

#[test]
fn a_library_of_the_system_is_no_error() {
    // It looks for it in its own folder: nothing says that a package should bring it.
    for search in ["$ORIGIN", "/opt/fast", "$ORIGIN/../../../../lib"] {
        let (folder, site) = venv();
        let Some(()) = module(&site, "app/_C.so", search) else {
            println!("skipped: no C compiler that makes shared objects");
            return;
        };
        install(&site, "app", "1.0", &["fast>=2"], &["app/_C.so"]);
        assert_eq!(
            said(&judged(&read(folder.path()))),
            ["EN202 app 1.0 requires what is not installed: fast>=2"],
            "{search}"
        );
    }
    // A folder of its own that is not there is one that another package fills.
    let (folder, site) = venv();
    if module(&site, "app/_C.so", "$ORIGIN/fast/lib").is_some() {
        install(&site, "app", "1.0", &["app-fast"], &["app/_C.so"]);
        assert!(said(&judged(&read(folder.path())))[0].starts_with("EN117"));
    }
    // Nothing that it requires is missing.
    let (folder, site) = venv();
    if module(&site, "app/_C.so", "$ORIGIN/../fast/lib").is_some() {
        install(&site, "app", "1.0", &[], &["app/_C.so"]);
        assert_eq!(said(&judged(&read(folder.path()))), Vec::<String>::new());
    }
}

/// A lock with these pins, judged for Python 3.11.
fn locked(pins: &str) -> EnvironmentVerdict {
    let lock = PackageLock::of_text("requirements.txt", pins).unwrap();
    let target =
        LockTarget { python: Some(unskew_core::Version::pair(3, 11)), ..LockTarget::default() };
    judged(&lock.environment(target, None).0)
}

#[test]
fn a_lock_names_what_releases_declare_against_each_other() {
    for (pins, says) in [
        ("jax==0.4.30\njaxlib==0.4.25\n", "EN107 jax 0.4.30 accepts jaxlib 0.4.27 to 0.4.30 only"),
        ("torch==2.4.0\ntriton==2.1.0\n", "EN203 torch 2.4.0 requires triton==3.0.0"),
        (
            "keras==3.3.0\ntensorflow==2.15.0\n",
            "EN203 tensorflow 2.15.0 requires keras<2.16,>=2.15.0",
        ),
        (
            "pandas==2.0.3\nnumpy==2.0.2\n",
            "EN108 a module of pandas 2.0.3 was compiled against NumPy 1",
        ),
        ("torchvision==0.15.0\ntorch==2.4.0\n", "EX101 "),
        ("jaxlib==0.6.2\njax-cuda12-plugin==0.6.0\n", "EN113 "),
    ] {
        let said = said(&locked(pins));
        assert!(said.iter().any(|one| one.starts_with(says)), "{pins}: {said:?}");
    }
    assert_eq!(said(&locked("jax==0.4.30\njaxlib==0.4.30\n")), Vec::<String>::new());
}

#[test]
fn a_requirement_that_a_package_checks_itself_is_an_error_with_a_pin() {
    for (pins, fix) in [
        ("transformers==4.40.0\ntokenizers==0.20.0\n", "'tokenizers==0.19.1'"),
        ("pydantic==2.12.0\npydantic-core==2.41.5\n", "'pydantic-core==2.41.1'"),
        ("numba==0.58.1\nnumpy==2.1.3\n", "'numpy<2'"),
    ] {
        let judged = locked(pins);
        let broken = judged.pairs.iter().filter(|pair| pair.is_broken()).count();
        assert!(broken > 0, "{pins}: {:?}", said(&judged));
        let changes: Vec<String> =
            judged.change.iter().chain(&judged.other_change).map(PinChange::command).collect();
        assert!(changes.iter().any(|one| one.contains(fix)), "{pins}: {changes:?}");
    }
    // numba compares the least llvmlite only.
    let judged = locked("numba==0.58.1\nllvmlite==0.43.0\n");
    assert!(judged.pairs.iter().all(|pair| !pair.is_broken()), "{:?}", said(&judged));
}

#[test]
fn no_change_is_proposed_that_a_package_forbids() {
    let (folder, site) = venv();
    install(&site, "app", "1.0", &["protobuf<5"], &[]);
    install(&site, "protobuf", "4.25.3", &[], &[]);
    let code = "    _runtime_version.Domain.PUBLIC, 6, 31, 1, '', 'a.proto')";
    install(&site, "other", "2.0", &[], &["other/__init__.py", "other/a_pb2.py"]);
    fs::create_dir_all(site.join("other")).unwrap();
    fs::write(site.join("other/__init__.py"), "from other import a_pb2\n").unwrap();
    fs::write(
        site.join("other/a_pb2.py"),
        format!("_runtime_version.ValidateProtobufRuntimeVersion(\n{code}\n"),
    )
    .unwrap();
    let judged = judged(&read(folder.path()));
    assert!(judged.pairs.iter().any(|pair| pair.is_broken()), "{:?}", said(&judged));
    assert_eq!((&judged.change, &judged.other_change), (&None, &None));
    assert_eq!(judged.refused.len(), 1);
    assert!(judged.refused[0].ends_with("app 1.0 requires protobuf<5"), "{:?}", judged.refused);
}

#[test]
fn generated_code_that_no_import_reaches_is_of_first_use() {
    let (folder, site) = venv();
    install(&site, "protobuf", "4.25.3", &[], &[]);
    install(&site, "other", "2.0", &[], &["other/__init__.py", "other/a_pb2.py"]);
    fs::create_dir_all(site.join("other")).unwrap();
    fs::write(site.join("other/__init__.py"), "def parse():\n    from other import a_pb2\n")
        .unwrap();
    let code = "    _runtime_version.Domain.PUBLIC, 6, 31, 1, '', 'a.proto')";
    fs::write(
        site.join("other/a_pb2.py"),
        format!("_runtime_version.ValidateProtobufRuntimeVersion(\n{code}\n"),
    )
    .unwrap();
    let judged = judged(&read(folder.path()));
    let all = findings(&judged);
    let [finding] = &*all else { panic!("{:?}", said(&judged)) };
    assert_eq!((finding.severity, finding.phase), (Severity::Warning, Some(Phase::FirstUse)));
    assert!(judged.pairs.iter().all(|pair| !pair.is_broken()));
}

#[test]
fn what_pins_nothing_is_answered_with_the_command_that_pins() {
    let error = |path: &str, text: &str| PackageLock::of_text(path, text).unwrap_err().to_string();
    let said = error("requirements.txt", "numpy>=1.20\ntorch\n");
    assert_eq!(
        said,
        "requirements.txt: not pinned: numpy>=1.20, torch; `uv pip compile requirements.txt -o requirements.lock.txt` pins it"
    );
    assert!(
        error("pyproject.toml", "[project]\nname = \"x\"\n").contains("`uv lock` makes uv.lock")
    );
}
