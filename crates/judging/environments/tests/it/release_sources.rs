//! What the sources of one release ask of packages that are not there, and which names they have.

use std::fs;
use std::path::Path;

use unskew_environments::{NamePresence, ReleaseSources};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// What a package `app` asks for, as `load base:name by app.module`.
fn asked(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let asked = ReleaseSources::with(folder.path(), "app", ReleaseSources::asked).unwrap();
    let all = asked.iter().filter(|one| one.name.starts_with("base") && one.name != "base");
    all.map(|one| {
        let when = if one.fails_at_load { "load" } else { "use" };
        format!("{when} {} by {}", one.name, one.by)
    })
    .collect()
}

#[test]
fn what_is_asked_in_any_case_is_recorded() {
    for (body, wanted) in [
        ("from base import old", &["load base:old by app"][..]),
        ("import base\nx = base.old.inner", &["load base:old by app"]),
        ("import base.gone", &["load base.gone by app"]),
        (
            "import base.x as x\nclass C(x.Old): pass",
            &["load base.x by app", "load base.x:Old by app"],
        ),
        ("def load():\n    from base import old\nload()", &["load base:old by app"]),
        ("def later():\n    from base import old", &["use base:old by app"]),
        // A handler, a condition that nothing decides, and what may not be reached.
        ("try:\n    from base import old\nexcept ImportError:\n    old = None", &[]),
        ("import base\ntry:\n    base.old\nexcept AttributeError:\n    pass", &[]),
        ("try:\n    from base import old\nexcept ValueError:\n    pass", &["load base:old by app"]),
        ("import os\nif os.environ.get('A'):\n    from base import old", &[]),
        (
            "import base\nfrom packaging.version import Version\nif Version(base.__version__) < Version('2'):\n    from base import old",
            &[],
        ),
        (
            "import os\ndef later():\n    if os.environ:\n        return\n    from base import old",
            &[],
        ),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from base import old", &[]),
        ("import sys\nif sys.version_info >= (3, 9):\n    from base import old", &[]),
    ] {
        assert_eq!(asked(&[("app/__init__.py", &format!("{body}\n"))]), wanted, "{body}");
    }
}

#[test]
fn a_module_counts_at_load_if_the_import_reaches_it_in_any_case() {
    let inner = ("app/inner.py", "from base import old\n");
    let of = |body: &str| asked(&[("app/__init__.py", body), inner]);
    assert_eq!(of("from . import inner\n"), ["load base:old by app.inner"]);
    assert_eq!(
        of("try:\n    from . import inner\nexcept ImportError:\n    pass\n"),
        ["use base:old by app.inner"]
    );
    // The second import is taken in any case.
    let twice = "try:\n    from . import inner\nexcept ImportError:\n    pass\nimport app.inner\n";
    assert_eq!(of(twice), ["load base:old by app.inner"]);
    assert_eq!(of(""), ["use base:old by app.inner"]);
    // Tests are not for those who use it.
    assert_eq!(
        asked(&[("app/__init__.py", ""), ("app/tests/test_a.py", "import base.x\n")]),
        [""; 0]
    );
}

#[test]
fn names_of_a_release_are_there_missing_or_not_known() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("base/__init__.py", "from .inner import new\nfrom other import *\n"),
            ("base/inner.py", "import absent\ndef new(): pass\nif absent.x:\n    late = 1\n"),
            ("base/lazy.py", "def __getattr__(name): return 1\n"),
            ("base/compiled.cpython-311-x86_64-linux-gnu.so", ""),
            ("shared/mine/__init__.py", ""),
        ],
    );
    let cases = [
        ("base:new", Some(NamePresence::Present)),
        ("base:inner", Some(NamePresence::Present)),
        // A star import of what is not there may bring it.
        ("base:old", Some(NamePresence::Unknown)),
        ("base.inner:new", Some(NamePresence::Present)),
        ("base.inner:late", Some(NamePresence::Present)),
        ("base.inner:old", Some(NamePresence::Missing)),
        ("base.inner", Some(NamePresence::Present)),
        ("base.lazy:old", Some(NamePresence::Unknown)),
        ("base.compiled:old", Some(NamePresence::Unknown)),
        ("base.gone", Some(NamePresence::Missing)),
        ("base.gone:old", Some(NamePresence::Missing)),
        ("shared.mine.gone", Some(NamePresence::Missing)),
        // Another package may have it.
        ("shared.theirs", None),
        ("other:name", None),
    ];
    ReleaseSources::with(folder.path(), "base", |sources| {
        for (name, wanted) in cases {
            assert_eq!(sources.has(name), wanted, "{name}");
        }
    })
    .unwrap();
}

#[test]
fn a_release_has_modules_beside_its_own() {
    // As setuptools, which had pkg_resources.
    let folder = tempfile::tempdir().unwrap();
    let files = ["base/__init__.py", "second.py", "_hidden.py", "tests/__init__.py"];
    write(folder.path(), &files.map(|file| (file, "")));
    ReleaseSources::with(folder.path(), "base", |sources| {
        assert_eq!(sources.tops(), ["base"]);
        assert!(sources.all_tops().iter().eq(["base", "second"]));
    })
    .unwrap();
}
