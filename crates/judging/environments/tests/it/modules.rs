//! Modules that say by their name or their strings what they are for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Version};
use unskew_environments::{Environment, InstalledPackage, SitePackages, judge};
use unskew_extensions::{Needs, NumPyAbi, PythonTag};

fn module(numpy: NumPyAbi, python: PythonTag) -> Arc<Needs> {
    Arc::new(Needs {
        name: "_C.so".to_owned(),
        machine: None,
        frameworks: BTreeMap::new(),
        totals: BTreeMap::new(),
        is_reduced: false,
        others: Vec::new(),
        system: BTreeMap::new(),
        needed: Vec::new(),
        python,
        is_module: true,
        numpy,
        cxx11: None,
    })
}

fn codes(numpy: &str, objects: Vec<(String, Arc<Needs>)>) -> Vec<&'static str> {
    let package = |name: &str, version: &str| InstalledPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        ..InstalledPackage::default()
    };
    let environment = Environment {
        python: Some(Version::pair(3, 11)),
        packages: vec![
            InstalledPackage { objects, ..package("app", "1.0") },
            package("numpy", numpy),
        ],
        ..Environment::default()
    };
    let judged = judge(&environment, &Context::for_tests());
    let of_pairs = judged.pairs.iter().flat_map(|pair| &pair.verdict.findings);
    of_pairs
        .chain(judged.alone.iter().flat_map(|party| &party.notes))
        .map(|f| f.rule.code)
        .collect()
}

#[test]
fn a_module_of_numpy_1_is_refused_by_numpy_2_en108() {
    let with =
        |abi, numpy| codes(numpy, vec![("app/_C.so".to_owned(), module(abi, PythonTag::None))]);
    assert_eq!(with(NumPyAbi::One, "2.1.3"), ["EN108"]);
    assert!(with(NumPyAbi::One, "1.26.4").is_empty());
    assert!(with(NumPyAbi::Two, "2.1.3").is_empty());
}

#[test]
fn a_module_for_another_python_is_said_en109() {
    let of = |minor| PythonTag::CPython(Version::pair(3, minor));
    let file = |minor: i64| {
        (
            format!("app/_C.cpython-3{minor}-x86_64-linux-gnu.so"),
            module(NumPyAbi::Unused, of(minor)),
        )
    };
    assert_eq!(codes("2.1.3", vec![file(10)]), ["EN109"]);
    // One beside it is for this Python.
    assert!(codes("2.1.3", vec![file(10), file(11)]).is_empty());
}

/// A shared object that asks NumPy for its C API as the headers of NumPy 1 do.
const FOR_NUMPY_1: &str = "extern void *PyCapsule_GetPointer(void *, char *);\n\
    void *numpy(void) { return PyCapsule_GetPointer(0, \"numpy.core._multiarray_umath\"); }";

/// Compiles a shared object; false if there is no compiler that does.
fn built(code: &str, output: &Path, flags: &[&str]) -> bool {
    let source = output.with_extension("c");
    std::fs::write(&source, code).unwrap();
    let mut cc = std::process::Command::new("cc");
    cc.args(["-shared", "-fPIC", "-nostdlib", "-o"]).arg(output).arg(&source);
    cc.args(flags).status().is_ok_and(|status| status.success())
}

/// A family of releases that is known for its models has modules, too; only those of frameworks are too large to be read.
#[test]
fn modules_of_scikit_learn_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    for name in ["sklearn", "scikit_learn-1.4.1.dist-info"] {
        std::fs::create_dir_all(site.join(name)).unwrap();
    }
    let info = site.join("scikit_learn-1.4.1.dist-info");
    std::fs::write(info.join("METADATA"), "Name: scikit-learn\nVersion: 1.4.1\n").unwrap();
    std::fs::write(info.join("RECORD"), "sklearn/_C.so,,\n").unwrap();
    let module = format!("{FOR_NUMPY_1}\nvoid *PyInit__C(void) {{ return numpy(); }}");
    if !built(&module, &site.join("sklearn/_C.so"), &[]) {
        println!("skipped: no C compiler that makes shared objects");
        return;
    }
    let environment = Environment::read(&SitePackages::find(folder.path()).unwrap()).unwrap();
    let objects = environment.packages[0].objects.iter();
    let found: Vec<_> = objects.map(|(path, needs)| (path.as_str(), needs.numpy)).collect();
    assert_eq!(found, [("sklearn/_C.so", NumPyAbi::One)]);
}

#[test]
fn a_module_uses_the_numpy_that_a_library_of_its_package_imports() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    for name in ["app", "app-1.0.dist-info"] {
        std::fs::create_dir_all(site.join(name)).unwrap();
    }
    std::fs::write(site.join("app-1.0.dist-info/METADATA"), "Name: app\nVersion: 1.0\n").unwrap();
    let record = "app/_C.so,,\napp/libinner.so,,\napp/_D.so,,\n";
    std::fs::write(site.join("app-1.0.dist-info/RECORD"), record).unwrap();
    let built = |code: &str, output: &str, flags: &[&str]| built(code, &site.join(output), flags);
    if !built(FOR_NUMPY_1, "app/libinner.so", &["-Wl,-soname,libinner.so"]) {
        println!("skipped: no C compiler that makes shared objects");
        return;
    }
    let library = site.join("app/libinner.so").display().to_string();
    let module = "extern void *numpy(void); void *PyInit__C(void) { return numpy(); }";
    assert!(built(module, "app/_C.so", &[&library]));
    assert!(built("void *PyInit__D(void) { return 0; }", "app/_D.so", &[]));
    let environment = Environment::read(&SitePackages::find(folder.path()).unwrap()).unwrap();
    let objects = environment.packages[0].objects.iter();
    let found: Vec<_> = objects.map(|(path, needs)| (path.as_str(), needs.numpy)).collect();
    assert_eq!(found, [("app/_C.so", NumPyAbi::One), ("app/_D.so", NumPyAbi::Unused)]);
}
