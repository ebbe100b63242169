//! Editable installs, and packages that setup.py and easy_install put there, laid out as their tools do it.

use std::fs;
use std::path::{Path, PathBuf};

use unskew_core::Context;
use unskew_environments::{Environment, InstallProblem, SitePackages, judge};

/// Generated code that protobuf 4 refuses.
const OLD: &str = "X = _descriptor.FieldDescriptor(name='a')\n";

struct Made {
    folder: tempfile::TempDir,
    site: PathBuf,
}

impl Made {
    /// A `site-packages` with protobuf 5.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("lib/python3.11/site-packages");
        let made = Self { folder, site };
        made.install("protobuf-5.29.5.dist-info/METADATA", "Name: protobuf\nVersion: 5.29.5\n");
        made.install("protobuf-5.29.5.dist-info/RECORD", "google/protobuf/__init__.py,,\n");
        made
    }

    fn install(&self, path: &str, text: &str) {
        write(&self.site.join(path), text);
    }

    /// A module with generated code below a folder of sources, and that folder.
    fn sources(&self, module: &str) -> PathBuf {
        let root = self.folder.path().join("src");
        write(&root.join(module).join("__init__.py"), "");
        write(&root.join(module).join("a_pb2.py"), OLD);
        root
    }

    /// An editable install of `app` with these other files.
    fn editable(&self, files: &[(&str, &str)]) {
        self.install("app-1.0.dist-info/METADATA", "Name: app\nVersion: 1.0\n");
        let url = r#"{"url": "file:///src", "dir_info": {"editable": true}}"#;
        self.install("app-1.0.dist-info/direct_url.json", url);
        let mut record = String::new();
        for (path, text) in files {
            self.install(path, text);
            record += &format!("{path},,\n");
        }
        self.install("app-1.0.dist-info/RECORD", &record);
    }

    fn read(&self) -> Environment {
        Environment::read(&SitePackages::find(&self.site).unwrap()).unwrap()
    }

    /// The packages whose generated code fails, and what is not read.
    fn judged(&self) -> (Vec<String>, Vec<String>) {
        let environment = self.read();
        let judged = judge(&environment, &Context::for_tests());
        let broken = judged.pairs.iter().filter(|pair| pair.is_broken());
        let broken = broken.map(|pair| pair.one.name.clone()).collect();
        let not_read = environment.not_read.iter().map(|one| one.places.to_string()).collect();
        (broken, not_read)
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn broken(name: &str) -> (Vec<String>, Vec<String>) {
    (vec![name.to_owned()], Vec::new())
}

#[test]
fn the_folder_of_an_editable_install_is_read() {
    for (module, top_level) in [("app", None), ("other", None), ("other", Some("other\n"))] {
        let made = Made::new();
        let root = made.sources(module);
        let root = format!("{}\n", root.display());
        let mut files = vec![("app.pth", root.as_str())];
        files.extend(top_level.map(|text| ("app-1.0.dist-info/top_level.txt", text)));
        made.editable(&files);
        assert_eq!(made.judged(), broken("app 1.0"), "{module}");
        assert_eq!(made.read().package("app").unwrap().trouble, []);
    }
}

#[test]
fn a_finder_of_setuptools_leads_to_modules() {
    let made = Made::new();
    let module = made.sources("app").join("app");
    let finder = format!("MAPPING: dict[str, str] = {{'app': '{}'}}\n", module.display());
    let import = "import __editable___app_1_0_finder";
    made.editable(&[
        ("__editable___app_1_0_finder.py", &finder),
        ("__editable__.app-1.0.pth", import),
    ]);
    assert_eq!(made.judged(), broken("app 1.0"));
}

#[test]
fn an_editable_install_that_leads_nowhere_is_not_judged() {
    let made = Made::new();
    made.editable(&[("app.pth", "/no/such/folder\n")]);
    let expected = [InstallProblem::Editable("file:///src".to_owned())];
    assert_eq!(made.read().package("app").unwrap().trouble, expected);
    assert_eq!(made.judged(), (vec![], vec!["app.pth".to_owned()]));
}

#[test]
fn what_setup_py_develop_linked_is_read() {
    let made = Made::new();
    let root = made.sources("app_x");
    write(&root.join("app_x.egg-info/PKG-INFO"), "Name: app-x\nVersion: 1.0\n");
    write(&root.join("app_x.egg-info/top_level.txt"), "app_x\n");
    made.install("app-x.egg-link", &format!("{}\n.", root.display()));
    made.install("easy-install.pth", &format!("{}\n", root.display()));
    assert_eq!(made.judged(), broken("app-x 1.0"));
    fs::remove_dir_all(&root).unwrap();
    let mut not_read = made.judged().1;
    not_read.sort();
    assert_eq!(not_read, ["app-x.egg-link", "easy-install.pth"]);
}

#[test]
fn an_egg_info_is_read_by_its_list_of_files_or_modules() {
    for (list, text) in
        [("installed-files.txt", "../app/a_pb2.py\nPKG-INFO\n"), ("top_level.txt", "app\n")]
    {
        let made = Made::new();
        let info = "app-1.0-py3.11.egg-info";
        made.install(&format!("{info}/PKG-INFO"), "Name: app\nVersion: 1.0\n");
        made.install(&format!("{info}/requires.txt"), "protobuf>=3\n\n[extra]\nsix\n");
        made.install(&format!("{info}/{list}"), text);
        made.install("app/a_pb2.py", OLD);
        assert_eq!(made.judged(), broken("app 1.0"), "{list}");
        assert_eq!(made.read().package("app").unwrap().requires, ["protobuf>=3"]);
    }
}

#[test]
fn an_egg_that_is_a_folder_is_read_and_a_zipped_one_is_said() {
    let made = Made::new();
    let egg = "app-1.0-py3.11.egg";
    made.install(&format!("{egg}/EGG-INFO/PKG-INFO"), "Name: app\nVersion: 1.0\n");
    made.install(&format!("{egg}/EGG-INFO/top_level.txt"), "app\n");
    made.install(&format!("{egg}/app/a_pb2.py"), OLD);
    made.install("easy-install.pth", &format!("./{egg}\n"));
    assert_eq!(made.judged(), broken("app 1.0"));
    made.install("zipped-1.0.egg", "");
    assert_eq!(made.judged().1, ["zipped-1.0.egg"]);
}

#[test]
fn an_egg_info_without_a_list_has_a_name_and_no_files() {
    let made = Made::new();
    made.install("app-1.0.egg-info", "Name: app\nVersion: 1.0\n");
    let expected = "app-1.0.egg-info lists neither files nor modules";
    assert_eq!(
        made.read().package("app").unwrap().trouble,
        [InstallProblem::NoRecord(expected.to_owned())]
    );
}

#[test]
fn more_files_than_are_read_are_said() {
    let made = Made::new();
    made.install("app-1.0.dist-info/METADATA", "Name: app\nVersion: 1.0\n");
    let record: String = (0..20_003).map(|n| format!("app/a{n}.so,,\n")).collect();
    made.install("app-1.0.dist-info/RECORD", &record);
    let trouble = made.read().package("app").unwrap().trouble.clone();
    let said = InstallProblem::Unreadable("3 files after the first 20000".to_owned());
    assert!(trouble.contains(&said), "{:?}", trouble.last());
}
