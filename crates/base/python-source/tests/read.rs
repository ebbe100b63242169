//! Sources that are read, and sources that are refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use proptest::prelude::*;
use unskew_python_source::{Bound, Exports, LARGEST, Openness, PythonModule, SourceError, Step};

fn read(source: &str) -> PythonModule {
    PythonModule::read(source).unwrap()
}

#[test]
fn steps_come_in_the_order_in_which_python_takes_them() {
    let module = read("import a.b as c\nfrom ..d import e as f\nx = c.y.z\ndel x\n");
    let path = vec!["c".to_owned(), "y".to_owned(), "z".to_owned()];
    let expected = [
        Step::Import { module: "a.b".to_owned(), alias: Some("c".to_owned()), line: 1 },
        Step::ImportFrom {
            level: 2,
            module: "d".to_owned(),
            names: vec![("e".to_owned(), "f".to_owned())],
            line: 2,
        },
        Step::Attribute { path: path.clone(), line: 3 },
        Step::Bind { name: "x".to_owned(), to: Bound::Path(path) },
        Step::Delete("x".to_owned()),
    ];
    assert_eq!(module.steps, expected);
}

#[test]
fn the_names_that_a_star_import_takes_are_literals_or_computed() {
    let names = |all: &[&str]| Exports::Names(all.iter().map(|&one| one.to_owned()).collect());
    for (source, exports) in [
        ("x = 1", Exports::Absent),
        ("__all__ = ['a', 'b']", names(&["a", "b"])),
        ("__all__ = ['a']\n__all__ += ['b']\n__all__.append('c')", names(&["a", "b", "c"])),
        ("_more = ['b']\n__all__ = ['a']\n__all__ += _more", names(&["a", "b"])),
        ("__all__ = [n for n in dir()]", Exports::Computed),
        ("__all__ = ['a']\ndef f(m):\n    __all__.extend(m.__all__)", Exports::Computed),
    ] {
        assert_eq!(read(source).exports, exports, "{source}");
    }
}

#[test]
fn a_module_that_writes_its_own_namespace_is_open() {
    for source in ["globals().update(x)", "globals()[n] = 1", "exec(c)", "make(globals())"] {
        assert_eq!(read(source).is_open, Some(Openness::WritesNamespace), "{source}");
    }
    for source in ["x = globals()['x']", "globals().get('x')", "__all__ = [n for n in globals()]"] {
        assert_eq!(read(source).is_open, None, "{source}");
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    assert_eq!(
        PythonModule::read(&" ".repeat(LARGEST + 1)),
        Err(SourceError::TooLarge(LARGEST + 1))
    );
    assert_eq!(PythonModule::read(&"(".repeat(500)), Err(SourceError::TooDeep));
    let deep = format!("x = {}1", "-".repeat(100_000));
    assert_eq!(PythonModule::read(&deep), Err(SourceError::TooDeep));
    assert!(matches!(
        PythonModule::read("x = 1\nprint 'x'\n"),
        Err(SourceError::Syntax { line: 2, .. })
    ));
}

proptest! {
    /// Any text is read or refused.
    #[test]
    fn nothing_panics(source in "[a-z_(){}\\[\\]:=.,'\" \n\t#@*-]{0,400}") {
        let _ = PythonModule::read(&source);
    }
}

#[test]
fn conditions_on_the_version_of_python_are_those_of_tuples() {
    use unskew_python_source::{Comparison, Condition};
    let condition = |test: &str| match read(&format!("if {test}:\n    x = 1\n")).steps.pop() {
        Some(Step::If { condition, .. }) => condition,
        other => panic!("{other:?}"),
    };
    let newer = Condition::Python(Comparison::GreaterOrEqual, vec![3, 9]);
    for test in [
        "sys.version_info >= (3, 9)",
        "sys.version_info[:2] >= (3, 9)",
        "(3, 9) <= sys.version_info",
    ] {
        assert_eq!(condition(test), newer, "{test}");
    }
    // The whole tuple is longer than the literal, a slice of it is not: these differ, so they are not decided.
    for test in [
        "sys.version_info[:2] == (3, 9)",
        "sys.version_info[:2] > (3, 9)",
        "sys.version_info[:1] >= (3, 9)",
    ] {
        assert_eq!(condition(test), Condition::Unknown, "{test}");
    }
    assert_eq!(condition("sys.version_info[0] == 2"), Condition::Known(false));
}

#[test]
fn a_module_that_looks_names_up_in_a_table_has_those_of_the_table() {
    // As NumPy, whose second list has the same name as its first.
    let tables = "_info = [('bool', 1)]\n_former = {n: m for n, m in _info}\n\
                  _info = [('bool8', 2)]\n_deprecated = {n: m for n, m in _info}\n";
    let looked_up = "def __getattr__(name):\n    try:\n        value = _deprecated[name]\n    \
                     except KeyError:\n        pass\n    else:\n        return value\n    \
                     if name in _former:\n        raise AttributeError(_former[name])\n    \
                     raise AttributeError(name)\n";
    let hook = read(&format!("{tables}{looked_up}")).attribute_hook.unwrap();
    assert_eq!(hook.names.iter().collect::<Vec<_>>(), ["bool8"]);
    assert_eq!(hook.refused.iter().collect::<Vec<_>>(), ["bool"]);
    assert!(!hook.answers_others);
    let raising = "_t = {'a': 1}\ndef __getattr__(name):\n    try:\n        value = _t[name]\n    \
                   except KeyError:\n        raise AttributeError(name)\n    return value\n";
    let hook = read(raising).attribute_hook.unwrap();
    assert!(hook.names.contains("a") && !hook.answers_others);
}
