//! Python names that one package asks another for: each case is the source of both.

use std::fs;
use std::path::Path;

use unskew_core::{Context, Finding, Severity};
use unskew_environments::{Environment, SitePackages, judge};

fn install(site: &Path, name: &str, requires: &str, files: &[(&str, &str)]) {
    let info = format!("{name}-2.0.dist-info");
    fs::create_dir_all(site.join(&info)).unwrap();
    let metadata = format!("Name: {name}\nVersion: 2.0\n{requires}\n");
    fs::write(site.join(&info).join("METADATA"), metadata).unwrap();
    let record: String = files.iter().map(|(path, _)| format!("{path},,\n")).collect();
    fs::write(site.join(&info).join("RECORD"), format!("{info}/RECORD,,\n{record}")).unwrap();
    for (path, text) in files {
        let path = site.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A package with its lines of metadata and its files.
type InstalledFiles<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// What is found for these packages, for Python 3.11.
fn findings(packages: &[InstalledFiles<'_>]) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    fs::create_dir_all(&site).unwrap();
    fs::write(folder.path().join("pyvenv.cfg"), "version_info = 3.11.7\n").unwrap();
    for (name, requires, files) in packages {
        install(&site, name, requires, files);
    }
    let environment = Environment::read(&SitePackages::find(folder.path()).unwrap()).unwrap();
    let judged = judge(&environment, &Context::for_tests());
    let of_pairs = judged.pairs.iter().flat_map(|pair| &pair.verdict.findings);
    of_pairs.chain(judged.alone.iter().flat_map(|party| &party.notes)).cloned().collect()
}

/// The same of `app` beside `base`.
fn of_app(requires: &str, app: &str, base: &[(&str, &str)]) -> Vec<Finding> {
    findings(&[("base", "", base), ("app", requires, &[("app/__init__.py", app)])])
}

/// Code and message of everything that is said of `app` beside `base` 2.0.
pub(crate) fn said(app: &str, base: &[(&str, &str)]) -> Vec<String> {
    let all = of_app("", app, base);
    all.iter().map(|one| format!("{} {}", one.rule.code, one.message)).collect()
}

/// A `base` that has `new`, but not `old`.
const BASE: &[(&str, &str)] =
    &[("base/__init__.py", "from .inner import new\n"), ("base/inner.py", "def new(): pass\n")];

#[test]
fn what_an_import_asks_for_in_vain_is_an_error() {
    for (app, name) in [
        ("from base import old\n", "base.old"),
        ("import base\nx = base.old\n", "base.old"),
        ("import base as b\nclass C(b.Old): pass\n", "base.Old"),
        ("import base\n@base.old\ndef f(): pass\n", "base.old"),
        ("import base\ndef f(x=base.old): pass\n", "base.old"),
        ("from base.inner import old\n", "base.inner.old"),
        ("import base.gone\n", "base.gone"),
        ("if True:\n    from base import old\n", "base.old"),
        ("import sys\nif sys.version_info >= (3, 9):\n    from base import old\n", "base.old"),
        ("try:\n    import absent\nexcept ImportError:\n    from base import old\n", "base.old"),
        ("def load():\n    from base import old\nload()\n", "base.old"),
        ("for name in ['a']:\n    from base import old\n", "base.old"),
        (
            "try:\n    import absent\n    HAS = True\nexcept ImportError:\n    HAS = False\nif not HAS:\n    from base import old\n",
            "base.old",
        ),
    ] {
        let said = said(app, BASE);
        assert_eq!(said.len(), 1, "{app}: {said:?}");
        assert!(
            said[0].starts_with("EN118 ") && said[0].contains(&format!(" {name},")),
            "{app}: {said:?}"
        );
    }
    assert!(said("import absent\n", BASE)[0].starts_with("EN119 "));
}

#[test]
fn what_may_not_be_asked_for_is_no_error() {
    for app in [
        "try:\n    from base import old\nexcept ImportError:\n    from base import new as old\n",
        "import contextlib\nwith contextlib.suppress(ImportError):\n    from base import old\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from base import old\n",
        "import sys\nif sys.version_info < (3, 9):\n    from base import old\n",
        "import base\nif hasattr(base, 'old'):\n    x = base.old\n",
        "import os\nif os.environ.get('X'):\n    from base import old\n",
        "try:\n    import absent\nexcept ImportError:\n    absent = None\n",
        "from __future__ import annotations\nimport base\ndef f(x: base.old): pass\n",
        "import base\nx = None and base.old\n",
        "import base\nf = lambda: base.old\n",
    ] {
        assert_eq!(said(app, BASE), Vec::<String>::new(), "{app}");
    }
}

#[test]
fn what_is_declared_and_not_installed_is_an_error_under_any_condition() {
    // As joblib 1.6: a variable of the environment switches its processes off.
    let app = "import os\nif os.environ.get('X', '1'):\n    import absent\n";
    let codes = |requires: &str, app: &str| {
        of_app(requires, app, BASE).iter().map(|one| one.rule.code).collect::<Vec<_>>()
    };
    let declared = "Requires-Dist: absent>=3\n";
    assert_eq!(codes(declared, app), ["EN202", "EN119"]);
    let fix = of_app(declared, app, BASE).pop().unwrap().fix;
    assert_eq!(fix.unwrap(), "Install what it declares: `uv pip install 'absent>=3'`.");
    assert!(codes("", app).is_empty());
    assert!(codes("Requires-Dist: absent ; extra == 'x'\n", app).is_empty());
    let body = app.replace('\n', "\n    ");
    let optional = format!("try:\n    {body}\nexcept ImportError:\n    pass\n");
    assert_eq!(codes(declared, &optional), ["EN202"]);
}

#[test]
fn a_package_that_others_bring_and_do_not_import_is_no_error() {
    // As matplotlib-inline, which IPython brings, for those who have Matplotlib.
    let severity = |app: &str, requires: &str| {
        let inline: &[(&str, &str)] = &[("inline/__init__.py", "import absent\n")];
        let all =
            findings(&[("inline", "", inline), ("app", requires, &[("app/__init__.py", app)])]);
        all.iter().find(|one| one.rule.code == "EN119").map(|one| one.severity)
    };
    let requires = "Requires-Dist: inline\n";
    let in_function = "def f():\n    import inline\n";
    assert_eq!(severity(in_function, requires), Some(Severity::Warning));
    assert_eq!(severity("import inline\n", requires), Some(Severity::Error));
    assert_eq!(severity(in_function, ""), Some(Severity::Error));
}

#[test]
fn what_functions_ask_for_is_a_warning() {
    let said = said("import base\ndef f():\n    return base.old()\n", BASE);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("EN121 a function of app, line 3,"), "{said:?}");
}

#[test]
fn modules_that_a_loader_of_their_package_fills_are_not_judged() {
    let files = |loader: &'static str| {
        [("base/__init__.py", "from . import _loader\n"), ("base/_loader.py", loader)]
    };
    let filled = files("import sys\nsys.meta_path.append(Loader())\n");
    assert_eq!(said("from base import old\n", &filled), Vec::<String>::new());
    assert_eq!(said("import base.inner\n", &filled), Vec::<String>::new());
    // One that may be installed later has not filled the module before.
    let later = files("import sys\ndef install():\n    sys.meta_path.append(Loader())\n");
    assert_eq!(said("from base import old\n", &later).len(), 1);
}

#[test]
fn names_that_no_statement_binds_are_known_where_literals_list_them() {
    let lazy = "_import_structure = {'inner': ['new']}\nimport sys\nsys.modules[__name__] = _LazyModule(__name__, __file__, _import_structure)\n";
    let attach =
        "__getattr__, __dir__, __all__ = lazy.attach(__name__, submod_attrs={'inner': ['new']})\n";
    let hook = "def __getattr__(name):\n    if name == 'new':\n        return 1\n    raise AttributeError(name)\n";
    let table = "_known = {'new': 1}\ndef __getattr__(name):\n    if name in _known:\n        return _known[name]\n    raise AttributeError(name)\n";
    let deprecated = "_old = {'old': ('gone', None), 'new': ('going', 1)}\n__getattr__ = _deprecation_getattr(__name__, _old)\n";
    let relative = "__all__, __getattr__, __dir__ = relative_import(__name__, ['.new'], [])\n";
    for base in [lazy, attach, hook, table, deprecated, relative] {
        let files = [("base/__init__.py", base)];
        assert_eq!(said("from base import new\n", &files), Vec::<String>::new(), "{base}");
        let said = said("from base import old\n", &files);
        assert!(said.len() == 1 && said[0].starts_with("EN118 "), "{base}: {said:?}");
    }
}

#[test]
fn what_a_lazy_loader_imports_for_a_name_is_imported() {
    let loader = "TABLE = {'inner': ['new'], 'plain': ['other']}\n__getattr__, __dir__, __all__ = attach(__name__, submodules=[], submod_attrs=TABLE)\n";
    let relative = "__all__, __getattr__, __dir__ = relative_import(__name__, ['.plain'], ['.inner.new', '.plain.other'])\n";
    let base = |loader: &'static str| {
        [
            ("base/__init__.py", loader),
            ("base/inner.py", "import gone\ndef new(): pass\n"),
            ("base/plain.py", "def other(): pass\n"),
        ]
    };
    for base in [base(loader), base(relative)] {
        for app in ["from base import new\n", "import base\nx = base.new\n"] {
            assert_eq!(
                said(app, &base),
                ["EN119 base.inner line 1 imports gone, which nothing in the environment has"],
                "{app}"
            );
        }
        for app in [
            "from base import other\n",
            "try:\n    from base import new\nexcept ImportError:\n    new = 1\n",
        ] {
            assert_eq!(said(app, &base), [""; 0], "{app}");
        }
    }
}

#[test]
fn modules_that_make_their_names_when_they_run_are_not_asked() {
    for base in [
        "globals().update(table())\n",
        "for name in names():\n    globals()[name] = 1\n",
        "for name in names():\n    locals()[name] = 1\n",
        "def bind():\n    global old\n    old = 1\nbind()\n",
        "def __getattr__(name):\n    return load(name)\n",
        "import sys\nsys.modules[__name__] = Other()\n",
        "exec(code())\n",
        "x = (\n", // no Python
    ] {
        let said = said("from base import old\n", &[("base/__init__.py", base)]);
        assert_eq!(said, Vec::<String>::new(), "{base}");
    }
    // An extension module, and a star import from one.
    let files = [("base/__init__.py", "from ._c import *\n"), ("base/_c.abi3.so", "")];
    let of_star = said("from base import old\nfrom base._c import old\n", &files);
    assert!(of_star.iter().all(|one| !one.starts_with("EN118")), "{of_star:?}");
}

#[test]
fn names_that_an_extension_module_of_cython_brings_stand_in_its_file() {
    let said = |module: &'static str| {
        let files = [("base/__init__.py", "from ._c import *\n"), ("base/_c.abi3.so", module)];
        let all = said("from base import old\n", &files);
        // These are no shared objects, which is said of each.
        all.into_iter().filter(|one| one.starts_with("EN118")).collect::<Vec<_>>()
    };
    let gone = said("_cython_3_0_10 new");
    assert!(gone.len() == 1 && gone[0].starts_with("EN118 app line 1"), "{gone:?}");
    assert_eq!(said("_cython_3_0_10 a_old_b"), [""; 0], "it may have it");
    // Since 3.2 names may be compressed; others make them when they are loaded, or take them from a library.
    for module in ["_cython_3_2_1 new", "PyInit__c", ""] {
        assert_eq!(said(module), [""; 0], "{module}");
    }
}

#[test]
fn a_hook_that_refuses_a_name_is_believed() {
    // As NumPy: names that are gone stand in a table, in a module of its own.
    let base = "from .inner import *\nfrom ._gone import __gone__\nglobals().update(more())\ndef __getattr__(name):\n    if name in __gone__:\n        raise AttributeError(name)\n    return find(name)\n";
    let files = [
        ("base/__init__.py", base),
        ("base/inner.py", "def new(): pass\n"),
        ("base/_gone.py", "__gone__ = {'old': 'use new'}\n"),
    ];
    assert!(said("from base import old\n", &files)[0].starts_with("EN118 "));
    assert_eq!(said("from base import other\n", &files), Vec::<String>::new());
    // As NumPy 1.24.0: it warns of a name that will mean something else, and raises below.
    let hook = "def __getattr__(name):\n    if name in {'old'}:\n        warn(name)\n    raise AttributeError(name)\n";
    let base = format!("from ._c import *\n{hook}");
    let files = [("base/__init__.py", &*base), ("base/_c.abi3.so", "")];
    assert!(said("from base import old\n", &files)[0].starts_with("EN118 "));
    let of_other = said("from base import other\n", &files);
    assert!(of_other.iter().all(|one| !one.starts_with("EN118")), "{of_other:?}");
}

#[test]
fn a_list_of_names_that_is_computed_may_leave_out_modules() {
    // As NumPy: `numpy.lib` has a module `polynomial`, which its `__all__` does not list, and NumPy another one.
    let files = [
        ("base/__init__.py", "from .lib import *\nfrom . import poly\n"),
        ("base/poly/__init__.py", "from . import inner\n"),
        ("base/poly/inner.py", ""),
        ("base/lib/__init__.py", "from . import poly\n__all__ = names()\n"),
        ("base/lib/poly.py", ""),
    ];
    assert_eq!(said("import base\nx = base.poly.inner\n", &files), Vec::<String>::new());
    let listed = "from . import poly\n__all__ = ['poly']\n";
    let files = files.map(|(path, text)| match path {
        "base/lib/__init__.py" => (path, listed),
        _ => (path, text),
    });
    assert!(said("import base\nx = base.poly.inner\n", &files)[0].starts_with("EN118 "));
}

#[test]
fn a_list_of_names_that_is_computed_leaves_out_what_is_built_in() {
    // As `numpy.core.numerictypes`.
    let inner = "from builtins import bool\ndef new(): pass\n__all__ = names()\n";
    let files = [("base/__init__.py", "from .inner import *\n"), ("base/inner.py", inner)];
    assert!(said("import base\nx = base.bool\n", &files)[0].starts_with("EN118 "));
    assert_eq!(said("import base\nx = base.new\n", &files), Vec::<String>::new());
}

#[test]
fn a_module_that_others_may_import_before_a_function_is_called_is_not_missing() {
    let files = [("base/__init__.py", ""), ("base/inner.py", "")];
    let in_function = "import base\ndef f():\n    return base.inner\n";
    assert_eq!(said(in_function, &files), Vec::<String>::new());
    assert!(said("import base\nx = base.inner\n", &files)[0].starts_with("EN118 "));
}

#[test]
fn a_package_that_compares_a_version_and_raises_is_said() {
    let version = "class Version: pass\n";
    let app = "import base\nfrom base.version import Version\nif Version(base.__version__) >= Version('2'):\n    raise ImportError('app needs base 1')\n";
    let base = [("base/__init__.py", "__version__ = '2.0'\n"), ("base/version.py", version)];
    let all = said(app, &base);
    assert!(
        all.len() == 1 && all[0].starts_with("EN120 app line 4 refuses base 2.0: app needs base 1"),
        "{all:?}"
    );
    let app = app.replace("'2'", "'3'");
    assert_eq!(said(&app, &base), Vec::<String>::new());
    let named = "import base\nfrom base.version import Version\nbase_version = Version(base.__version__)\nif base_version < Version('2'):\n    from base import old\n";
    assert_eq!(said(named, &base), Vec::<String>::new());
}

#[test]
fn imports_and_calls_that_would_never_end_are_cut() {
    // Two modules that import each other, and a function that calls itself.
    let files = [
        ("base/__init__.py", "import app\nfrom . import inner\n"),
        ("base/inner.py", "import base\n"),
    ];
    assert_eq!(said("import base\ndef f():\n    f()\nf()\n", &files), Vec::<String>::new());
    // Each calls the next one a hundred times.
    let calls = |n: usize| format!("def f{n}():\n{}", format!("    f{}()\n", n + 1).repeat(100));
    let functions: String = (0..8).map(calls).collect();
    let app = format!("{functions}def f8():\n    pass\nf0()\nfrom base import old\n");
    assert_eq!(said(&app, BASE), Vec::<String>::new());
}
